"""What keeps other sites away from the web table, and scripts that are not ours out of its page."""

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


class RequestSecurity:
    """Refuses requests that no page of ours sends, and says in every answer what a browser may do with it.

    A foreign name that leads here (DNS rebinding) shows in ``Host``, another site's script in ``Origin``; neither can
    send JSON here without asking first, which nothing here permits.
    """

    def __init__(self, app: ASGIApp, port: int) -> None:
        self.app = app
        names = ("127.0.0.1", "localhost")
        self.hosts = {f"{name}:{port}" for name in names} | ({*names} if port == 80 else set())

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or refuse it."""
        if scope["type"] != "http":  # the start of the server, which comes from nowhere else
            await self.app(scope, receive, send)
            return

        async def send_guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                headers.update(HEADERS)
                headers.setdefault("Cache-Control", "no-store" if scope["path"].startswith("/api/") else "no-cache")
            await send(message)

        status, error = self._refusal(Headers(scope=scope), scope["method"])
        app = JSONResponse({"error": error}, status) if error else self.app
        await app(scope, receive, send_guarded)

    def _refusal(self, headers: Headers, method: str) -> tuple[int, str]:
        host, origin = headers.get("host", ""), headers.get("origin")
        if host not in self.hosts:
            return 421, "host: expected the address that 'bj table' has printed"
        if origin is not None and origin != f"http://{host}":
            return 403, "origin: expected this page's own"
        if method == "POST" and headers.get("content-type", "").partition(";")[0].strip() != "application/json":
            return 415, "content-type: expected application/json"
        return 0, ""
