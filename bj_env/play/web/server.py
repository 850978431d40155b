"""The web table: ``bj table`` serves one page and a small JSON interface to this computer alone.

Everything that is true is on this side: the page shows what it is told and sends what was clicked.
"""

import errno
import json
import signal
import socket
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import uvicorn
from platformdirs import user_data_path
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, PlainTextResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from bj_env.display.card_svg import card_svg
from bj_env.errors import BlackjackError
from bj_env.game.cards import FACES
from bj_env.play.store import Store
from bj_env.play.web.menu import Menu, serialize_house
from bj_env.play.web.security import RequestSecurity
from bj_env.play.web.tables import Stale, Tables, Unknown

STATIC = Path(__file__).with_name("static")
MOST_BYTES = 16_384
"""The longest body that a page may send."""
MOST_TEXT = 200
LOOPBACK = "127.0.0.1"
WAITING = 1024
"""How many connections may wait to be taken up."""


def serve(house: str, policies: Sequence[str], *, port: int, save: Path) -> None:
    """Serve tables until Ctrl-C or SIGTERM.

    Raises:
        BlackjackError: if the port is taken, or house, policies or file do not read.
    """
    tables = Tables(Store(save), Menu.of(house, policies))
    with _listening(port) as listening:
        port = listening.getsockname()[1]
        print(
            f"a table is open at http://{LOOPBACK}:{port}/",
            f"games are kept in {save}; Ctrl-C ends",
            sep="\n",
            flush=True,
        )
        quiet: dict[str, Any] = {"log_level": "warning", "access_log": False, "server_header": False, "lifespan": "off"}
        config = uvicorn.Config(application(tables, port), timeout_graceful_shutdown=2, **quiet)
        for number in (signal.SIGINT, signal.SIGTERM):  # uvicorn, once it has ended, raises them again
            signal.signal(number, lambda *_: None)
        uvicorn.Server(config).run(sockets=[listening])
    tables.store.close()


def _listening(port: int) -> socket.socket:
    # The protocol by its number, since asyncio sends small answers at once only where it is named.
    listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((LOOPBACK, port))
        listening.listen(WAITING)  # at once, so that nobody who has read the address is turned away
    except OSError as error:
        listening.close()
        taken = error.errno == errno.EADDRINUSE
        reason = "something else listens there; try another, or 0 for any that is free" if taken else error.strerror
        raise BlackjackError(f"port {port}: {reason}") from None
    return listening


def default_save() -> Path:
    """Return where games are kept unless another file is named."""
    return user_data_path("bj-env", appauthor=False) / "tables.sqlite"


def application(tables: Tables, port: int) -> Starlette:
    """Return the application that serves these tables at a port of this computer."""
    interface = Interface(tables)
    one = "/api/tables/{key}"
    return Starlette(
        routes=[
            Route("/", page),
            Route("/t/{key}", page),
            Route("/cards/{name}.svg", face),
            Route("/api/menu", interface.menu),
            Route("/api/rules", interface.rules, methods=["POST"]),
            Route("/api/tables", interface.begin, methods=["POST"]),
            Route(one, interface.look),
            Route(f"{one}/coach", interface.coach),
            Route(f"{one}/history", interface.history),
            Route(f"{one}/answer", interface.answer, methods=["POST"]),
            Route(f"{one}/step", interface.step, methods=["POST"]),
            Mount("/static", StaticFiles(directory=STATIC)),
        ],
        middleware=[Middleware(RequestSecurity, port=port)],
        exception_handlers={BlackjackError: interface.refused, HTTPException: _http_error, Exception: _fault},
    )


class Interface:
    """What pages ask of the tables, one method for each request."""

    def __init__(self, tables: Tables) -> None:
        self.tables = tables
        self._menu = tables.menu.menu()

    async def menu(self, request: Request) -> Response:
        """Tell what there is to choose from."""
        return JSONResponse(self._menu)

    async def rules(self, request: Request) -> Response:
        """Say a rule text in words."""
        return JSONResponse(serialize_house((await body(request, {"rules": str}))["rules"]))

    async def begin(self, request: Request) -> Response:
        """Lay a new table."""
        wanted = await body(request, {"house": str, "seats": list, "dealer": str, "bankroll": int})
        return JSONResponse(await self.tables.begin(self.tables.menu.setup(**wanted)), 201)

    async def look(self, request: Request) -> Response:
        """Tell how a table lies."""
        return JSONResponse(await self.tables.look(_key(request)))

    async def coach(self, request: Request) -> Response:
        """Tell what the coach says."""
        return JSONResponse(await self.tables.coach(_key(request)))

    async def history(self, request: Request) -> Response:
        """Give all rounds that are over, a line each."""
        return PlainTextResponse("".join(f"{line}\n" for line in await self.tables.history(_key(request))))

    async def answer(self, request: Request) -> Response:
        """Take a person's answer."""
        return JSONResponse(await self.tables.answer(_key(request), **await body(request, {"seen": int, "value": int})))

    async def step(self, request: Request) -> Response:
        """Let a strategy answer."""
        return JSONResponse(await self.tables.step(_key(request), **await body(request, {"seen": int})))

    async def refused(self, request: Request, error: Exception) -> Response:
        """Say what was refused; to a page that is behind, how the table lies now."""
        if isinstance(error, Stale):
            return JSONResponse({"error": str(error), "state": await self.tables.look(_key(request))}, 409)
        return JSONResponse({"error": str(error)}, 404 if isinstance(error, Unknown) else 400)


def _key(request: Request) -> str:
    return str(request.path_params["key"])


async def page(request: Request) -> Response:
    """Serve the page, which is the same for every table."""
    return FileResponse(STATIC / "index.html")


_CARDS = {str(card): card for card in FACES}


async def face(request: Request) -> Response:
    """Serve the picture of a card, ``Th``, or of its ``back``."""
    name = request.path_params["name"]
    if name != "back" and name not in _CARDS:
        raise HTTPException(404, f"no such card: {name[:10]!r}")
    picture = card_svg(_CARDS.get(name))
    return Response(picture, media_type="image/svg+xml", headers={"Cache-Control": "private, max-age=86400"})


async def body(request: Request, fields: Mapping[str, type]) -> dict[str, Any]:
    """Return the JSON object that was sent, which has these fields and no others.

    Raises:
        BlackjackError: if it is anything else.
    """
    try:
        sent = json.loads(await _read(request), parse_constant=_no_number)
    except (ValueError, RecursionError):
        raise BlackjackError("body: expected JSON") from None
    if not isinstance(sent, dict) or set(sent) != set(fields):
        raise BlackjackError(f"body: expected an object with the fields {', '.join(fields)}")
    for name, kind in fields.items():
        _check_field(name, sent[name], kind)
    return sent


async def _read(request: Request) -> bytes:
    read = bytearray()
    async for chunk in request.stream():
        read += chunk
        if len(read) > MOST_BYTES:
            raise HTTPException(413, f"body: expected at most {MOST_BYTES} bytes")
    return bytes(read)


def _no_number(text: str) -> None:
    raise ValueError(text)


_KINDS = {str: f"a text of at most {MOST_TEXT} letters", int: "a whole number", list: "a list of short texts"}


def _check_field(name: str, value: object, kind: type) -> None:
    fits = isinstance(value, kind) and not isinstance(value, bool)
    if isinstance(value, list):
        fits = fits and len(value) <= 20 and all(isinstance(text, str) and len(text) <= MOST_TEXT for text in value)
    if isinstance(value, str):
        fits = fits and len(value) <= MOST_TEXT
    if isinstance(value, int):
        fits = fits and abs(value) < 2**53
    if not fits:
        raise BlackjackError(f"{name}: expected {_KINDS[kind]}")


async def _http_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    return JSONResponse({"error": str(error.detail).lower()}, error.status_code, headers=error.headers)


async def _fault(request: Request, error: Exception) -> Response:
    """Say no more than that something went wrong here; what it was, uvicorn prints for whoever started it."""
    return JSONResponse({"error": "something went wrong on this side; the terminal says more"}, 500)
