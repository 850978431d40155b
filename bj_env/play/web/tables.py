"""The tables that pages sit at: each has an address that nobody can guess, and is kept after every move.

A request says how many moves its page has seen, so that neither a double click nor a stale tab acts twice.
"""

import sys
from asyncio import Lock
from collections import OrderedDict
from copy import deepcopy
from re import fullmatch
from secrets import token_urlsafe
from typing import Any

from anyio import CapacityLimiter, move_on_after, to_thread

from bj_env.errors import BlackjackError
from bj_env.game.decision import Decision, ask
from bj_env.game.events import DEALER
from bj_env.game.view import View
from bj_env.play.coach import Advice, advise, counted
from bj_env.play.game import Game, PendingDecision
from bj_env.play.setup import Setup
from bj_env.play.store import PlayedOn, Store
from bj_env.play.web.menu import Menu
from bj_env.play.web.serialize import round_chips, serialize_game
from bj_env.rules.terms import ACTION_WORDS, Action
from bj_env.strategies.registry import strategy

MOST_LIVE = 1000
"""How many tables are held in memory; the others wait in the store."""
PATIENCE = 2.0
"""Seconds that an answer waits for the coach to end a thought about it."""
_KEY = r"[A-Za-z0-9_-]{32}"


class Stale(BlackjackError):
    """Is raised for a request of a page that has not seen the last move."""


class Unknown(BlackjackError):
    """Is raised for the address of no table."""


class Live:
    """A table in memory.

    Attributes:
        game: what is played.
        lock: held while the game moves, so that requests come one after the other.
        thinking: held while the coach thinks.
        advice: what the coach has found, and after how many moves.
        said: what the page was told of it.
        last: how the last answer was graded, if it was.
    """

    def __init__(self, game: Game) -> None:
        self.game = game
        self.lock = Lock()
        self.thinking = Lock()
        self.advice: tuple[int, Advice | None] = (-1, None)
        self.said: dict[str, Any] = {}
        self.last: dict[str, Any] | None = None

    def grade(self, pending: PendingDecision, value: int) -> float | None:
        """Note how good an answer is and return its cost in chips; None if the coach was not pending."""
        moves, advice = self.advice
        self.last = None
        if advice is None or moves != len(self.game.moves) or value not in advice.values:
            return None
        cost = round(advice.cost(Action(value)) * pending.view.bet, 9)
        self.last = {
            "seat": pending.seat,
            "label": ACTION_WORDS[Action(value)].label,
            "grade": advice.grade(Action(value)),
            "cost": round_chips(cost),
            "best": ACTION_WORDS[advice.best].label,
        }
        return cost


class Tables:
    """All tables of a server.

    Args:
        store: where they are kept.
        menu: what pages may choose from.
    """

    def __init__(self, store: Store, menu: Menu) -> None:
        self.store, self.menu = store, menu
        self._live: OrderedDict[str, Live] = OrderedDict()
        self._coaches = CapacityLimiter(1)  # the coach never takes more than one core from those who play
        self._basic = strategy("basic")

    async def begin(self, setup: Setup) -> dict[str, Any]:
        """Lay a new table, and return what it shows and its key."""
        live, key = Live(await to_thread.run_sync(Game, setup)), token_urlsafe(24)
        self._hold(key, live)
        self._keep(key, live)
        return {"table": key, **self._shown(live)}

    async def look(self, key: str) -> dict[str, Any]:
        """Return what a table shows."""
        live = await self._find(key)
        async with live.lock:
            return self._shown(live)

    async def history(self, key: str) -> list[str]:
        """Return all rounds that are over, as lines of notation."""
        return (await self._find(key)).game.history

    async def answer(self, key: str, seen: int, value: int) -> dict[str, Any]:
        """Give the answer of the person who is asked: chips while bets are made, else an action.

        Raises:
            Stale: if the page has not seen the last move.
            BlackjackError: if it cannot be given.
        """
        live = await self._find(key)
        if live.thinking.locked():
            with move_on_after(PATIENCE):
                async with live.thinking:
                    pass
        async with live.lock:
            pending = self._pending(live, seen)
            if pending is not None and not pending.person:
                raise BlackjackError("expected the page to wait: it is a strategy's turn")
            cost = live.grade(pending, value) if pending is not None and not pending.betting else None
            live.game.answer(value, cost)
            live.game.trouble = ""
            self._keep(key, live)
            return self._shown(live)

    async def step(self, key: str, seen: int) -> dict[str, Any]:
        """Let the strategy that is asked answer.

        Raises:
            Stale: if the page has not seen the last move.
            BlackjackError: if none is asked.
        """
        live = await self._find(key)
        async with live.lock:
            self._pending(live, seen)
            await to_thread.run_sync(live.game.ask_strategy)
            self._keep(key, live)
            return self._shown(live)

    def _pending(self, live: Live, seen: int) -> PendingDecision | None:
        if seen != len(live.game.moves):
            raise Stale(f"expected a page that has seen {len(live.game.moves)} moves, got one that has seen {seen}")
        return live.game.pending

    async def coach(self, key: str) -> dict[str, Any]:
        """Return what the coach says to the person who is asked; the next answer is graded by it."""
        live = await self._find(key)
        async with live.thinking:
            async with live.lock:
                pending, moves = live.game.pending, len(live.game.moves)
            if live.said.get("moves") != moves:
                said, advice = await to_thread.run_sync(self._think, pending, limiter=self._coaches)
                live.said, live.advice = {"moves": moves, **said}, (moves, advice)
            return live.said

    def _think(self, pending: PendingDecision | None) -> tuple[dict[str, Any], Advice | None]:
        if pending is None or not pending.person:
            return {"note": "nobody at this page is asked now"}, None
        view, count = pending.view, counted(pending.view)
        said: dict[str, Any] = {"count": count and {"running": count.running, "true": round(count.true, 2)}, "note": ""}
        if pending.seat == DEALER:
            return said | {"note": "the dealer's chair is not coached"}, None
        said["policies"] = [
            {"name": name, "answer": _would(decision, pending)}
            for name, decision in (("basic", self._basic), *self.menu.decisions.items())
        ]
        if pending.betting:
            return said, None
        try:
            advice = advise(view)
        except BlackjackError as error:
            return said | {"note": str(error)}, None
        return said | _advice(advice, view), advice

    def _shown(self, live: Live) -> dict[str, Any]:
        return {**serialize_game(live.game, self.menu.name), "last": live.last}

    async def _find(self, key: str) -> Live:
        if key not in self._live:
            game = await to_thread.run_sync(self._load, key)  # many moves take a while, in which others play on
            if key not in self._live:  # else another request for it was first
                self._hold(key, Live(game))
        self._live.move_to_end(key)
        return self._live[key]

    def _load(self, key: str) -> Game:
        try:
            game = self.store.read(key) if fullmatch(_KEY, key) else None
        except BlackjackError as error:  # a policy that was moved, perhaps: it may read again later
            print(f"bj table: the table {key!r} does not read: {error}", file=sys.stderr)
            raise BlackjackError("this table does not read now; it is kept, and the terminal says more") from None
        if game is None:
            raise Unknown("there is no such table; begin a new one")
        return game

    def _hold(self, key: str, live: Live) -> None:
        self._live[key] = live
        while len(self._live) > MOST_LIVE:
            idle = (key for key, live in self._live.items() if not live.lock.locked() and not live.thinking.locked())
            if (old := next(idle, None)) is None:
                break
            del self._live[old]

    def _keep(self, key: str, live: Live) -> None:
        """Keep a table; what cannot be kept is forgotten, so that nobody plays on what would be lost."""
        try:
            self.store.keep(key, live.game)
        except BlackjackError as error:
            self._live.pop(key, None)
            if isinstance(error, PlayedOn):  # by another server on the same file
                raise Stale("expected to be the only server that plays this table on; it lies otherwise now") from None
            raise
        while self.store.warnings:
            print(f"bj table: {self.store.warnings.pop()}", file=sys.stderr)


def _advice(advice: Advice, view: View) -> dict[str, Any]:
    return {
        "values": [
            {
                "label": ACTION_WORDS[action].label,
                "action": int(action),
                "value": round(value, 4),
                "chips": round_chips(value * view.bet),
            }
            for action, value in advice.values.items()
        ],
        "counted": advice.counted,
    }


def _would(decision: Decision, pending: PendingDecision) -> str:
    """Say what a strategy would do in a person's place, without touching anybody's chance."""
    view = pending.view._replace(chance=deepcopy(pending.view.chance))
    try:
        if pending.betting:
            return f"bets {ask(decision.bet, view, str)}"
        return ACTION_WORDS[Action(ask(decision.answer, view, str))].label.lower()
    except BlackjackError:
        return "cannot say"
