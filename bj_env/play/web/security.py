"""Checks that keep other web sites away from the table, and the headers that keep foreign scripts out of its page.

`starlette.middleware.trustedhost.TrustedHostMiddleware` checks ``Host`` (DNS rebinding); `PageRequestsOnly` checks what
another site's page could send.
"""

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}


class PageRequestsOnly:
    """Refuses requests that the page of this server does not send, and adds the security headers to every response.

    A script of another site shows in ``Origin``. It cannot send JSON without a preflight request, which no route
    answers.
    """

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or refuse it."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                headers.update(HEADERS)
                headers.setdefault("Cache-Control", "no-store" if scope["path"].startswith("/api/") else "no-cache")
            await send(message)

        status, error = _refusal(Headers(scope=scope), scope["method"])
        app = JSONResponse({"error": error}, status) if error else self.app
        await app(scope, receive, send_with_headers)


def _refusal(headers: Headers, method: str) -> tuple[int, str]:
    """Return the status and the reason of a refusal; the reason is empty if the request may pass."""
    origin = headers.get("origin")
    if origin is not None and origin != f"http://{headers.get('host', '')}":
        return 403, "origin: expected the address of this page"
    if method == "POST" and headers.get("content-type", "").partition(";")[0].strip() != "application/json":
        return 415, "content-type: expected application/json"
    return 0, ""
