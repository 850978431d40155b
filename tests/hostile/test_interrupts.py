"""Interrupts at every point where a strategy is asked: the round is void or as before, and money is whole."""

from concurrent.futures import ThreadPoolExecutor
from threading import Event
from typing import Any

import numpy as np
import pytest

from bj_env.compiled.engine import until_done
from bj_env.compiled.vector_env import BlackjackVectorEnv
from bj_env.env.env import BlackjackEnv
from bj_env.errors import BlackjackError
from bj_env.game.cards import Card
from bj_env.game.decision import Decision
from bj_env.game.participants import Dealer, Player
from bj_env.game.table import Table
from bj_env.game.view import View
from bj_env.rules.terms import Action, Phase
from bj_env.strategies.registry import strategy


class Interrupted(Decision):
    """Plays basic strategy, and is interrupted when it is asked for the n-th time."""

    def __init__(self, at: int, error: BaseException) -> None:
        self.left, self.error = at, error
        self.basic = strategy("basic")

    def _ask(self) -> None:
        self.left -= 1
        if self.left == 0:
            raise self.error

    def bet(self, view: View) -> int:
        self._ask()
        return 5

    def insure(self, view: View) -> bool:
        self._ask()
        return True

    def play(self, view: View) -> Action:
        self._ask()
        if Action.SPLIT in view.legal and view.phase is Phase.PLAY:
            return Action.SPLIT
        return (
            Action.HIT
            if view.seat < 0 and view.total < 17
            else self.basic.play(view)
            if view.seat >= 0
            else Action.STAND
        )

    def __deepcopy__(self, memo: dict[int, Any]) -> "Interrupted":
        return self


ERRORS = (KeyboardInterrupt(), SystemExit(1), MemoryError())
POINTS = range(1, 13)


def interrupts(error: BaseException) -> tuple[type[BaseException], ...]:
    """Return what an error inside a strategy comes out as."""
    return (type(error), BlackjackError)


@pytest.mark.parametrize("error", ERRORS, ids=lambda error: type(error).__name__)
@pytest.mark.parametrize("at", POINTS)
def test_the_environment_is_never_left_half_way(at: int, error: BaseException) -> None:
    """b105: after an interrupt in another seat's decision the agent must not play that seat."""
    other = Interrupted(at, error)
    env = BlackjackEnv(
        rules="2D PEN75 ES", seats=("agent", other, "agent"), bankroll=500, episode="session", bets=(1, 2)
    )
    raised = False
    info: dict[str, Any] = {"action_mask": np.zeros(0)}
    while not raised:
        try:
            info = env.step(int(env.action_masks().argmax()))[4] if info["action_mask"].any() else env.reset(seed=3)[1]
        except interrupts(error):
            raised = True
    assert not env.action_masks().any()
    assert env.episode.over
    table = env.episode.table
    assert table.round is None
    assert sum(player.free % 5 for player in table.players if player.limited) == 0, "no stake is left on the table"
    with pytest.raises(BlackjackError, match=r"call reset\(\)|reset\(\) before it"):
        env.step(0)
    _, info = env.reset(seed=3)
    assert [table.players[seat].free for seat in (0, 2)] in ([5000, 5000], [4990, 5000], [4990, 4990], [5000, 4990])
    while info["action_mask"].any() and env.episode.table.round is not None:
        assert info["seat"] in (0, 2)
        info = env.step(int(info["action_mask"].argmax()))[4]


@pytest.mark.parametrize("error", ERRORS, ids=lambda error: type(error).__name__)
@pytest.mark.parametrize("at", POINTS)
def test_a_round_at_a_table_is_abandoned_with_all_stakes_returned(at: int, error: BaseException) -> None:
    both = Interrupted(at, error)
    ann, bob = (Player(name, both, bankroll=1000) for name in ("ann", "bob"))
    table = Table("6D ENHC ES", [ann, bob], seed=5)
    before = [10000, 10000]
    with pytest.raises(interrupts(error)):  # noqa: PT012
        while True:
            before = [player.free for player in table.players]
            table.play_round()
    assert [player.free for player in table.players] == before
    assert table.round is None or table.round.over
    assert table.play_round().over


@pytest.mark.parametrize("at", range(1, 5))
def test_an_interrupt_within_a_deal_leaves_no_round(at: int, monkeypatch: pytest.MonkeyPatch) -> None:
    table = Table("6D", [Player("ann", strategy("basic"), bankroll=1000)], seed=5)
    draw, drawn = table.shoe.draw, []

    def interrupted() -> Card:
        drawn.append(1)
        if len(drawn) == at:
            raise KeyboardInterrupt
        return draw()

    for play in (lambda: table.deal([5]), table.play_round):
        drawn.clear()
        with monkeypatch.context() as patched:
            patched.setattr("bj_env.game.shoe.Shoe.draw", lambda _: interrupted())
            with pytest.raises(KeyboardInterrupt):
                play()
        assert (table.round, table.players[0].free) == (None, 10000)
    assert table.play_round().over


@pytest.mark.parametrize("error", ERRORS, ids=lambda error: type(error).__name__)
@pytest.mark.parametrize("at", [1, 2, 3])
def test_an_interrupt_in_the_dealers_chair_voids_the_round(at: int, error: BaseException) -> None:
    table = Table("6D", [Player("ann", bankroll=1000)], dealer=Dealer(Interrupted(at, error)), seed=5)
    before = 10000
    with pytest.raises(interrupts(error)):  # noqa: PT012
        while True:
            before = table.players[0].free
            round = table.deal([5])
            while not round.over:
                round.act(Action.STAND if round.mask & 1 else Action.DECLINE)
    assert table.players[0].free == before
    assert table.round is not None
    assert (table.round.over, table.round.void, table.round.nets) == (True, True, (0,))


@pytest.mark.parametrize("point", ["begin_episode", "play_on", "close_round"])
def test_an_interrupt_anywhere_in_a_reset_leaves_no_episode(point: str, monkeypatch: pytest.MonkeyPatch) -> None:
    env = BlackjackEnv(seats=("agent", "basic"), bankroll=100)
    env.reset(seed=1)
    place: Any = env.episode if point != "begin_episode" else env.episode.table
    name = point if point != "begin_episode" else "reseed"

    def interrupted(*_: Any) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(place, name, interrupted)
        with pytest.raises(KeyboardInterrupt):  # noqa: PT012
            env.reset(seed=2)
            while True:
                env.step(0)
    assert env.episode.over
    assert env.reset(seed=2)[1]["action_mask"].any()


@pytest.mark.parametrize("mode", ["NextStep", "SameStep", "Disabled"])
def test_a_vector_environment_that_was_interrupted_wants_a_reset(mode: str, monkeypatch: pytest.MonkeyPatch) -> None:
    env = BlackjackVectorEnv(4, seats=("agent",), autoreset_mode=mode)
    shown, _ = env.reset(seed=1)
    run = env.engine.run

    def interrupted(*arguments: Any, **named: Any) -> None:
        run(*arguments, **named)
        raise KeyboardInterrupt

    for call in (lambda: env.step(np.zeros(4, np.int64)), lambda: env.reset(seed=1)):
        with monkeypatch.context() as patched:
            patched.setattr(env.engine, "run", interrupted)
            with pytest.raises(KeyboardInterrupt):
                call()
        with pytest.raises(BlackjackError, match=r"reset\(\) before it"):
            env.step(np.zeros(4, np.int64))
    assert np.array_equal(env.reset(seed=1)[0], shown)


def test_interrupts_wait_for_the_threads_and_are_passed_on_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """A second Ctrl-C while the threads end must not leave one that still writes to the tables."""
    go, waits = Event(), []

    def interrupted(futures: Any) -> None:
        waits.append(len(waits))
        if len(waits) < 4:
            raise KeyboardInterrupt
        go.set()
        futures[0].result()

    monkeypatch.setattr("bj_env.compiled.engine.wait", interrupted)
    with ThreadPoolExecutor(1) as pool:
        done = pool.submit(lambda: go.wait(20))
        with pytest.raises(KeyboardInterrupt):
            until_done([done])
        assert done.done()
    assert len(waits) == 4
