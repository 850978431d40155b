"""The tables of a server: each has an address that nobody can guess, and is saved after every move.

A request names the number of moves that its page has seen, so neither a double click nor a stale tab acts twice.
"""

import sys
from asyncio import Lock
from collections import OrderedDict
from collections.abc import AsyncIterator
from copy import copy
from re import fullmatch
from secrets import token_urlsafe
from typing import Any

from anyio import CapacityLimiter, Event, move_on_after, to_thread

from bj_env.errors import BlackjackError
from bj_env.game.decision import Decision, ask
from bj_env.game.events import DEALER
from bj_env.play.coach import Advice, Review, advise, counted, review
from bj_env.play.count_drills import check_count, lasts
from bj_env.play.explanations import explain_pending, why
from bj_env.play.game import Game, PendingDecision
from bj_env.play.practice import Attempt, CountAttempt, PracticeLog
from bj_env.play.setup import Setup, is_person
from bj_env.play.store import PlayedOn, Store
from bj_env.play.web.menu import Menu
from bj_env.play.web.practice import curve
from bj_env.play.web.serialize import serialize_advice, serialize_game, serialize_review
from bj_env.rules.terms import ACTION_WORDS, TICKS, Action
from bj_env.strategies.registry import strategy

MOST_LIVE = 1000
"""How many tables are held in memory; the others are in the store."""
MOST_WATCHERS = 200
"""How many pages may wait for changes at once."""
HEARTBEAT = 15.0
"""Seconds after which a waiting page hears that nothing has changed."""
PATIENCE = 2.0
"""Seconds that a decision waits for the coach to finish its values."""
_KEY = r"[A-Za-z0-9_-]{32}"


class Stale(BlackjackError):
    """Raised when a page has not seen the last move."""


class Unknown(BlackjackError):
    """Raised when there is no table at an address."""


class Live:
    """A table in memory.

    Attributes:
        game: what is played.
        lock: held while the game moves, so that requests come one after the other.
        thinking: held while the coach computes values.
        advice: the coach's values, and after how many moves.
        coached: what the page was told of them.
        last: the review of the last decision; None if it was not graded.
        moved: set at the next move, and replaced then.
        watchers: how many pages wait for the next move.
    """

    def __init__(self, game: Game) -> None:
        self.game = game
        self.lock = Lock()
        self.thinking = Lock()
        self.advice: tuple[int, Advice | None] = (-1, None)
        self.coached: dict[str, Any] = {}
        self.last: dict[str, Any] | None = None
        self.moved = Event()
        self.watchers = 0

    @property
    def idle(self) -> bool:
        """Whether nobody needs the table in memory."""
        return not (self.lock.locked() or self.thinking.locked() or self.watchers)

    def review(self, pending: PendingDecision, value: int) -> Review | None:
        """Return the review of a decision; None if the coach was not asked."""
        moves, advice = self.advice
        if advice is None or moves != self.game.version or value not in advice.values:
            return None
        return review(pending.view, Action(value), advice)

    def announce(self) -> None:
        """Wake the pages that wait for a move."""
        self.moved.set()
        self.moved = Event()


class Tables:
    """All tables of a server.

    Args:
        store: where games are saved.
        menu: what pages may choose from.
        practice: where graded decisions are saved.
    """

    def __init__(self, store: Store, menu: Menu, practice: PracticeLog) -> None:
        self.store, self.menu, self.practice = store, menu, practice
        self._live: OrderedDict[str, Live] = OrderedDict()
        self._coaches = CapacityLimiter(1)  # the coach never takes more than one core
        self._basic = strategy("basic")
        self._watchers = 0
        self._closing = False

    async def begin(self, setup: Setup) -> dict[str, Any]:
        """Open a new table, and return its state and its key."""
        live, key = Live(await to_thread.run_sync(Game, setup)), token_urlsafe(24)
        self._hold(key, live)
        self._keep(key, live)
        return {"table": key, **self._state(live)}

    async def look(self, key: str) -> dict[str, Any]:
        """Return the state of a table."""
        live = await self._find(key)
        async with live.lock:
            return self._state(live)

    async def history(self, key: str) -> list[str]:
        """Return all rounds that are over, as lines of notation."""
        return (await self._find(key)).game.history

    async def explain(self, key: str) -> dict[str, list[str]]:
        """Return sentences for somebody who has never played: about the pending decision, and the last result."""
        game = (await self._find(key)).game
        pending = game.pending
        return {
            "now": list(explain_pending(game, pending)) if pending is not None and pending.person else [],
            "last": list(why(game.setup, game.last)) if game.last is not None else [],
        }

    async def curves(self, key: str) -> list[dict[str, Any]]:
        """Return the curve of chips of every person's seat."""
        game = (await self._find(key)).game
        begin = game.setup.bankroll * TICKS
        people = [seat for seat, sits in enumerate(game.setup.seats) if is_person(sits)]
        return [{"name": game.setup.name(seat), "points": curve(game.bankrolls, seat, begin)} for seat in people]

    async def changes(self, key: str) -> AsyncIterator[int]:
        """Yield the number of moves now and after every change, and from time to time in between.

        Raises:
            BlackjackError: if too many pages wait already.
        """
        if self._watchers >= MOST_WATCHERS:
            raise BlackjackError(f"expected at most {MOST_WATCHERS} pages that wait for moves")
        live = await self._find(key)
        self._watchers += 1
        live.watchers += 1
        try:
            while not self._closing:
                moved = live.moved
                yield live.game.version
                with move_on_after(HEARTBEAT):
                    await moved.wait()
        finally:
            self._watchers -= 1
            live.watchers -= 1

    def close(self) -> None:
        """End every wait for changes; the server is about to stop."""
        self._closing = True
        for live in self._live.values():
            live.announce()

    async def answer(self, key: str, seen: int, value: int, seconds: float | None = None) -> dict[str, Any]:
        """Make the decision of the person in turn: chips at a bet, else an action.

        Raises:
            Stale: if the page has not seen the last move.
            BlackjackError: if the decision is not possible.
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
            reviewed = live.review(pending, value) if pending is not None and not pending.betting else None
            bet = 0.0 if pending is None else pending.view.bet
            live.game.answer(value, None if reviewed is None else round(reviewed.cost * bet, 9))
            live.game.trouble = ""
            if pending is not None and not pending.betting:
                live.last = None if reviewed is None else {"seat": pending.seat, **serialize_review(reviewed, bet)}
                self._practise(live.game.setup.name(pending.seat), reviewed, seconds)
            self._keep(key, live)
            return self._state(live)

    def _practise(self, person: str, reviewed: Review | None, seconds: float | None) -> None:
        """Save a graded decision of a person."""
        if reviewed is not None:
            names = reviewed.action.name.lower(), reviewed.advice.best.name.lower()
            self.practice.add(
                Attempt(person, "table", reviewed.kind, reviewed.cell, *names, max(reviewed.cost, 0.0), seconds)
            )

    async def check_count(self, key: str, seen: int, running: float, true: float) -> dict[str, Any]:
        """Check the running and the true count that the person in turn has kept, and save the answer.

        Raises:
            Stale: if the page has not seen the last move.
            BlackjackError: if the shoe is infinite, or it is nobody's turn.
        """
        live = await self._find(key)
        async with live.lock:
            pending = self._pending(live, seen)
            if pending is None or not pending.person:
                raise BlackjackError("expected a person's turn, in which the count is asked for")
            check = check_count(pending.view, running, true)
        said, exact = f"{running:g}, {true:g}", f"{check.counted.running:g}, {check.counted.true:.2f}"
        person = live.game.setup.name(pending.seat)
        self.practice.add_count(CountAttempt(person, "play", "running and true count", said, exact, check.right))
        return {
            "running": check.counted.running,
            "true": round(check.counted.true, 2),
            "running_right": check.running,
            "true_right": check.true,
        }

    async def undo(self, key: str, seen: int) -> dict[str, Any]:
        """Take the last move back.

        Raises:
            Stale: if the page has not seen the last move.
            BlackjackError: if the move has turned a card, or was not a person's.
        """
        live = await self._find(key)
        async with live.lock:
            self._pending(live, seen)
            await to_thread.run_sync(live.game.undo)
            live.last = None
            self._keep(key, live)
            return self._state(live)

    async def step(self, key: str, seen: int) -> dict[str, Any]:
        """Let the strategy in turn decide.

        Raises:
            Stale: if the page has not seen the last move.
            BlackjackError: if no strategy is in turn.
        """
        live = await self._find(key)
        async with live.lock:
            self._pending(live, seen)
            await to_thread.run_sync(live.game.ask_strategy)
            self._keep(key, live)
            return self._state(live)

    def _pending(self, live: Live, seen: int) -> PendingDecision | None:
        if seen != live.game.version:
            raise Stale("another page or click was first: the table has moved on")
        return live.game.pending

    async def coach(self, key: str) -> dict[str, Any]:
        """Return the coach's values for the person in turn; the next decision is graded by them."""
        live = await self._find(key)
        async with live.thinking:
            async with live.lock:
                pending, moves = live.game.pending, live.game.version
            if live.coached.get("moves") != moves:
                coached, advice = await to_thread.run_sync(self._think, pending, limiter=self._coaches)
                live.coached, live.advice = {"moves": moves, **coached}, (moves, advice)
            return live.coached

    def _think(self, pending: PendingDecision | None) -> tuple[dict[str, Any], Advice | None]:
        if pending is None or not pending.person:
            return {"note": "it is nobody's turn at this page"}, None
        view, count = pending.view, counted(pending.view)
        coached: dict[str, Any] = {
            "count": count and {"running": count.running, "true": round(count.true, 2), "lasts": lasts(view.rules)},
            "note": "",
        }
        if pending.seat == DEALER:
            return coached | {"note": "the dealer's chair has no coach"}, None
        if pending.betting and pending.least == pending.most:
            return coached | {"note": "every bet is the same at this table"}, None
        coached["policies"] = [
            {"name": name, "answer": _would(decision, pending)}
            for name, decision in (("basic", self._basic), *self.menu.decisions.items())
        ]
        if pending.betting:
            return coached, None
        try:
            advice = advise(view)
        except BlackjackError as error:
            return coached | {"note": str(error)}, None
        return coached | serialize_advice(advice, view.bet), advice

    def _state(self, live: Live) -> dict[str, Any]:
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
        except BlackjackError as error:  # the folder of a policy was moved, perhaps: it may load again later
            print(f"bj table: the table {key!r} cannot be loaded: {error}", file=sys.stderr)
            raise BlackjackError("this table cannot be loaded now; it is kept, and the terminal says more") from None
        if game is None:
            raise Unknown("there is no such table; open a new one")
        return game

    def _hold(self, key: str, live: Live) -> None:
        self._live[key] = live
        while len(self._live) > MOST_LIVE:
            if (old := next((key for key, live in self._live.items() if live.idle), None)) is None:
                break
            del self._live[old]

    def _keep(self, key: str, live: Live) -> None:
        """Save a table and tell its pages; what cannot be saved is forgotten, so that nobody plays on what is lost."""
        try:
            self.store.keep(key, live.game)
        except BlackjackError as error:
            self._live.pop(key, None)
            if isinstance(error, PlayedOn):  # by another server on the same file
                raise Stale("another server has played this table: it has moved on") from None
            raise
        finally:
            live.announce()
        while self.store.warnings:
            print(f"bj table: {self.store.warnings.pop()}", file=sys.stderr)


def _would(decision: Decision, pending: PendingDecision) -> str:
    """Return what a strategy would do in a person's place, without drawing from anybody's random stream."""
    view = pending.view._replace(rng=copy(pending.view.rng))
    try:
        if pending.betting:
            return f"bets {ask(decision.bet, view, str)}"
        return ACTION_WORDS[Action(ask(decision.answer, view, str))].label.lower()
    except BlackjackError:
        return "cannot say"
