"""The JSON interface that pages use, and the application that serves it with the page itself."""

from collections.abc import AsyncIterator
from pathlib import Path

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import FileResponse, JSONResponse, PlainTextResponse, Response, StreamingResponse
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from bj_env.display.card_svg import card_svg
from bj_env.errors import BlackjackError
from bj_env.game.cards import FACES
from bj_env.play.web.bodies import Answer, NewTable, RulesText, Seen, TableCount, read_body
from bj_env.play.web.counting import CountPractice
from bj_env.play.web.menu import serialize_house
from bj_env.play.web.network import LinkOnly
from bj_env.play.web.practice import Practice
from bj_env.play.web.security import PageRequestsOnly
from bj_env.play.web.tables import Stale, Tables, Unknown

STATIC = Path(__file__).with_name("static")
_CARDS = {str(card): card for card in FACES}


def application(tables: Tables, hosts: tuple[str, ...], key: str = "") -> Starlette:
    """Return the application that serves these tables.

    Args:
        tables: the tables.
        hosts: the names under which a browser may reach it, without a port; ``"*"`` is any.
        key: what a browser must know that comes over the network; empty if only this computer is served.
    """
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
            Route(f"{one}/curve", interface.curve),
            Route(f"{one}/explain", interface.explain),
            Route(f"{one}/changes", interface.changes),
            Route(f"{one}/answer", interface.answer, methods=["POST"]),
            Route(f"{one}/step", interface.step, methods=["POST"]),
            Route(f"{one}/undo", interface.undo, methods=["POST"]),
            Route(f"{one}/count", interface.count, methods=["POST"]),
            *Practice(tables.practice).routes(),
            *CountPractice(tables.practice).routes(),
            Mount("/static", StaticFiles(directory=STATIC)),
        ],
        middleware=[
            Middleware(TrustedHostMiddleware, allowed_hosts=list(hosts), www_redirect=False),
            Middleware(PageRequestsOnly),
            *([Middleware(LinkOnly, key=key)] if key else []),
        ],
        exception_handlers={
            BlackjackError: interface.refused,
            HTTPException: _http_error,
            ClientDisconnect: _disconnected,
            Exception: _fault,
        },
    )


class Interface:
    """The requests of pages, one method for each."""

    def __init__(self, tables: Tables) -> None:
        self.tables = tables
        self._menu = tables.menu.serialize()

    async def menu(self, request: Request) -> Response:
        """Return what there is to choose from."""
        return JSONResponse(self._menu)

    async def rules(self, request: Request) -> Response:
        """Return a rule text in words."""
        return JSONResponse(serialize_house((await read_body(request, RulesText)).rules))

    async def begin(self, request: Request) -> Response:
        """Open a new table."""
        wanted = await read_body(request, NewTable)
        setup = self.tables.menu.setup(wanted.house, wanted.seats, wanted.dealer, wanted.bankroll)
        return JSONResponse(await self.tables.begin(setup), 201)

    async def look(self, request: Request) -> Response:
        """Return the state of a table."""
        return JSONResponse(await self.tables.look(_key(request)))

    async def coach(self, request: Request) -> Response:
        """Return the coach's values."""
        return JSONResponse(await self.tables.coach(_key(request)))

    async def history(self, request: Request) -> Response:
        """Return all rounds that are over, a line each."""
        return PlainTextResponse("".join(f"{line}\n" for line in await self.tables.history(_key(request))))

    async def explain(self, request: Request) -> Response:
        """Return what the pending decision means, and why the last round ended as it did."""
        return JSONResponse(await self.tables.explain(_key(request)))

    async def curve(self, request: Request) -> Response:
        """Return how the chips of every person's seat went, over all rounds."""
        return JSONResponse(await self.tables.curves(_key(request)))

    async def changes(self, request: Request) -> Response:
        """Return a stream of server-sent events: the number of moves, now and after every move."""
        changes = self.tables.changes(_key(request))
        first = await anext(changes)  # an error here is a response, and not a broken stream
        return StreamingResponse(_events(first, changes), media_type="text/event-stream")

    async def answer(self, request: Request) -> Response:
        """Make a person's decision."""
        answer = await read_body(request, Answer)
        return JSONResponse(await self.tables.answer(_key(request), answer.seen, answer.value, answer.seconds))

    async def count(self, request: Request) -> Response:
        """Check the count that a person has kept."""
        said = await read_body(request, TableCount)
        return JSONResponse(await self.tables.check_count(_key(request), said.seen, said.running, said.true))

    async def step(self, request: Request) -> Response:
        """Let a strategy decide."""
        return JSONResponse(await self.tables.step(_key(request), (await read_body(request, Seen)).seen))

    async def undo(self, request: Request) -> Response:
        """Take the last move back."""
        return JSONResponse(await self.tables.undo(_key(request), (await read_body(request, Seen)).seen))

    async def refused(self, request: Request, error: Exception) -> Response:
        """Return why a request was refused; to a stale page also the state of the table now."""
        if isinstance(error, Stale):
            return JSONResponse({"error": str(error), "state": await self.tables.look(_key(request))}, 409)
        return JSONResponse({"error": str(error)}, 404 if isinstance(error, Unknown) else 400)


async def _events(first: int, changes: AsyncIterator[int]) -> AsyncIterator[str]:
    yield f"data: {first}\n\n"
    async for moves in changes:
        yield f"data: {moves}\n\n"


def _key(request: Request) -> str:
    return str(request.path_params["key"])


async def page(request: Request) -> Response:
    """Return the page, which is the same for every table."""
    return FileResponse(STATIC / "index.html")


async def face(request: Request) -> Response:
    """Return the picture of a card, ``Th``, or of its ``back``."""
    name = request.path_params["name"]
    if name != "back" and name not in _CARDS:
        raise HTTPException(404, f"no such card: {name[:10]!r}")
    picture = card_svg(_CARDS.get(name))
    return Response(picture, media_type="image/svg+xml", headers={"Cache-Control": "private, max-age=86400"})


async def _http_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    return JSONResponse({"error": str(error.detail).lower()}, error.status_code, headers=error.headers)


async def _disconnected(request: Request, error: Exception) -> Response:
    """Answer a request whose connection was closed before it was complete: nobody reads this."""
    return Response(status_code=400)


async def _fault(request: Request, error: Exception) -> Response:
    """Return no details of a fault of the server; uvicorn prints them in its terminal."""
    return JSONResponse({"error": "the server has failed; its terminal says more"}, 500)
