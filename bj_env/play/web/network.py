"""Play over a network: who may come in, and how fast; used only with ``bj table --host``.

The link that the server prints has a key. Opening it gives the browser a cookie; requests without it are refused. The
connection is not encrypted, so whoever can read the network's traffic can read the key.
"""

from collections.abc import Callable
from http.cookies import CookieError, SimpleCookie
from secrets import compare_digest
from time import monotonic
from typing import NamedTuple
from urllib.parse import parse_qs

from starlette.datastructures import Headers
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

COOKIE = "bj_table"
MOST_ADDRESSES = 10_000
"""How many addresses a rate remembers; the one that has been quiet longest is forgotten first."""


class Rate(NamedTuple):
    """How often an address may do something.

    Attributes:
        each_second: how many times a second, in the long run.
        burst: how many times at once.
    """

    each_second: float
    burst: int


REQUESTS = Rate(50.0, 300)
NEW_TABLES = Rate(0.1, 10)


class RateLimit:
    """A token bucket for each address.

    Args:
        rate: what is allowed.
        clock: returns the time in seconds.

    >>> limit = RateLimit(Rate(1.0, 2), clock=iter([0.0, 0.0, 0.0, 1.0]).__next__)
    >>> [limit.allows("10.0.0.7") for _ in range(4)]
    [True, True, False, True]
    """

    def __init__(self, rate: Rate, clock: Callable[[], float] = monotonic) -> None:
        self.rate, self.clock = rate, clock
        self._buckets: dict[str, tuple[float, float]] = {}

    def allows(self, address: str) -> bool:
        """Tell whether an address may do it once more now, and count that."""
        now = self.clock()
        tokens, before = self._buckets.pop(address, (float(self.rate.burst), now))
        tokens = min(self.rate.burst, tokens + (now - before) * self.rate.each_second)
        allowed = tokens >= 1
        self._buckets[address] = (tokens - allowed, now)
        if len(self._buckets) > MOST_ADDRESSES:
            del self._buckets[next(iter(self._buckets))]
        return allowed


class LinkOnly:
    """Lets in browsers that have opened the link with the key, each address no faster than the rates.

    Args:
        app: the application.
        key: the key of the link.
    """

    def __init__(self, app: ASGIApp, key: str) -> None:
        self.app, self.key = app, key
        self._requests, self._tables = RateLimit(REQUESTS), RateLimit(NEW_TABLES)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or refuse it."""
        refused = self._refusal(scope) if scope["type"] == "http" else None
        await (refused or self.app)(scope, receive, send)

    def _refusal(self, scope: Scope) -> Response | None:
        """Return the response to a request that may not pass; None if it may."""
        address, path = (scope.get("client") or ("", 0))[0], scope["path"]
        new = scope["method"] == "POST" and path == "/api/tables"
        if not self._requests.allows(address) or (new and not self._tables.allows(address)):
            return JSONResponse({"error": "too many requests; wait a moment"}, 429, headers={"Retry-After": "5"})
        given = parse_qs(scope["query_string"].decode("latin-1")).get("key", [""])[0]
        if given and self._fits(given):
            opened = RedirectResponse(path, 303)
            opened.set_cookie(COOKIE, self.key, httponly=True, samesite="lax")
            return opened
        if self._fits(_cookie(Headers(scope=scope).get("cookie", ""))):
            return None
        return JSONResponse({"error": "open the link that the terminal of this server shows: it has the key"}, 403)

    def _fits(self, given: str) -> bool:
        return compare_digest(given.encode(), self.key.encode())


def _cookie(header: str) -> str:
    try:
        morsel = SimpleCookie(header).get(COOKIE)
    except CookieError:
        return ""
    return "" if morsel is None else morsel.value
