"""Games that people sit at, under random rules, with random company and answers."""

import sys
from collections.abc import Callable
from copy import deepcopy
from pathlib import Path
from random import Random
from types import FrameType
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bj_env.errors import BlackjackError
from bj_env.game.decision import Decision
from bj_env.game.events import DEALER
from bj_env.game.replay import replay
from bj_env.game.view import View
from bj_env.play.game import Game, PendingDecision, possible_actions
from bj_env.play.setup import Setup, is_person
from bj_env.rules.houses import text
from bj_env.rules.terms import TICKS, Action
from bj_env.strategies.saved_policy import save_policy
from bj_env.strategies.simple import HouseRule
from tests import generators
from tests.generators import snapshot
from tests.strategies.test_saved_policy import TABLE, table_tensors

WHO = ("you", "you:ann", "you:bob", "random", "mimic", "hi-lo")


@st.composite
def setups(draw: st.DrawFn) -> Setup:
    """Draw a house, company and a little money."""
    rules = draw(generators.rules())
    seats = draw(st.lists(st.sampled_from(WHO), min_size=1, max_size=4, unique=True))
    dealer = draw(st.sampled_from(("house", "you:dora")))
    if not any(map(is_person, (*seats, dealer))):
        seats = ["you", *seats]
    bankroll = rules.min_bet * draw(st.integers(1, 9)) + draw(st.integers(0, 3))
    return Setup.checked(text(rules), seats, dealer=dealer, bankroll=bankroll, seed=draw(generators.seeds))


games = settings(max_examples=18)
chances = st.integers(0, 1000).map(Random)


def an_answer(pending: PendingDecision, chance: Random) -> int:
    """Choose any answer that can be given."""
    if pending.betting:
        sizes = {pending.least, min(pending.most, 2 * pending.least + 1)} | ({0} if pending.may_sit_out else set())
        return chance.choice(sorted(sizes))
    return chance.choice(pending.view.legal)


def move(game: Game, chance: Random) -> None:
    """Let whoever is asked answer."""
    assert game.pending is not None
    if game.pending.person:
        game.answer(an_answer(game.pending, chance))
    else:
        game.ask_strategy()


def state(game: Game) -> tuple[Any, ...]:
    """Return all that a game is, hidden things too."""
    pending = game.pending and game.pending._replace(view=open_view(game.pending))
    return (
        pending,
        list(game.history),
        list(game.moves),
        game.draws,
        game.over,
        game.unavailable(),
        snapshot(game.table),
        game.round and list(game.round.events),
    )


def open_view(pending: PendingDecision) -> View:
    """Return what is seen, without the seat's own chance, which compares by identity."""
    return pending.view._replace(rng=None)


@games
@given(setups(), chances)
def test_chips_are_neither_made_nor_lost(setup: Setup, chance: Random) -> None:
    game, won = Game(setup), 0
    for _ in range(25):
        if game.pending is None:
            break
        rounds = len(game.history)
        move(game, chance)
        round = game.table.round
        if len(game.history) > rounds:
            won += sum(round.nets)
        staked = sum(seat.staked for seat in round.seats) if round is not None and not round.over else 0
        free = sum(player.free for player in game.table.players)
        assert free + staked == setup.bankroll * TICKS * len(setup.seats) + won
        assert all(player.free >= 0 for player in game.table.players)


@games
@given(setups(), chances)
def test_a_game_lies_as_it_lay_after_every_move(setup: Setup, chance: Random) -> None:
    game = Game(setup)
    for _ in range(12):
        if game.pending is None:
            break
        move(game, chance)
        again = Game.restored(setup, game.moves, game.draws)
        assert state(again) == state(game)
        for one in (game, again):  # and goes on alike
            one.ask_strategy() if one.pending is not None and not one.pending.person else None
        assert state(again) == state(game)


@games
@given(setups(), chances, generators.seeds)
def test_nobody_is_shown_what_is_hidden(setup: Setup, chance: Random, seed: int) -> None:
    game = Game(setup)
    for _ in range(20):
        if game.pending is None:
            break
        move(game, chance)
        if game.pending is not None and game.pending.seat != DEALER:
            other = deepcopy(game)
            other.table.reshuffle_unseen(seed)
            assert open_view(other._next()) == open_view(game.pending)
            assert other.unavailable() == game.unavailable()


@games
@given(setups(), chances)
def test_history_is_played_again_to_the_same_nets(setup: Setup, chance: Random) -> None:
    game, nets = Game(setup._replace(dealer="house")), []
    for _ in range(25):
        if game.pending is None:
            break
        move(game, chance)
        if len(game.history) > len(nets):
            nets.append(game.last.nets)
    for line, net in zip(game.history, nets, strict=True):
        assert replay(line).nets == net


@games
@given(setups(), st.integers(0, 1000))
def test_a_person_who_deals_by_the_house_rule_deals_the_houses_rounds(setup: Setup, seed: int) -> None:
    house, person = Game(setup._replace(dealer="house")), Game(setup._replace(dealer="you:dora"))
    first, second = Random(seed), Random(seed)
    for _ in range(20):
        if house.pending is None or not any(map(is_person, setup.seats)):
            break
        move(house, first)
        move(person, second)
        while person.pending is not None and person.pending.seat == DEALER:
            person.answer(HouseRule().play(person.pending.view))
        assert person.history == house.history
        assert snapshot(person.table) == snapshot(house.table)


@games
@given(setups(), chances)
def test_every_action_of_the_house_is_open_or_refused_with_a_reason(setup: Setup, chance: Random) -> None:
    game = Game(setup)
    for _ in range(20):
        if game.pending is None:
            break
        pending, closed = game.pending, game.unavailable()
        if not pending.betting:
            assert set(closed) | set(pending.view.legal) == set(possible_actions(game.rules))
            assert not set(closed) & set(pending.view.legal)
            before = state(game)
            for action, reason in closed.items():
                assert reason
                with pytest.raises(BlackjackError):
                    game.answer(action)
            assert state(game) == before
        move(game, chance)


def test_bets_out_of_range_are_refused_and_change_nothing() -> None:
    game = Game(Setup.checked(seats=["you", "you:ann"], bankroll=50, seed=1))
    before = state(game)
    for bet in (-1, 51, 1001, 2.5, True, "10"):
        with pytest.raises(BlackjackError, match="bet of P1: expected"):
            game.answer(bet)
    assert state(game) == before
    game.answer(0)
    with pytest.raises(BlackjackError, match="nobody else plays"):
        game.answer(0)


class Broken(Decision):
    """Fails whenever it is asked."""

    def bet(self, view: View) -> int:
        """Fail."""
        raise RuntimeError("out of order")

    play = bet


def test_a_strategy_that_fails_sits_out_or_stands_and_the_game_goes_on() -> None:
    game = Game(Setup.checked(seats=["basic", "you"], seed=1))
    game.decisions[0] = Broken()
    game.ask_strategy()
    assert "basic: the decision failed with RuntimeError: out of order" in game.trouble
    assert game.moves[0].value == 0
    game.answer(10)
    assert game.round.seats[0].bet == 0


def interrupted_after(lines: int, act: Callable[[], object]) -> bool:
    """Do something, interrupted by Ctrl-C after so many lines of Python; return whether it came that far."""
    left = lines

    def trace(frame: FrameType, event: str, arg: object) -> Any:
        nonlocal left
        inside = "bj_env/game" in frame.f_code.co_filename or "bj_env/play/game.py" in frame.f_code.co_filename
        if event == "line" and inside:
            left -= 1
            if left == 0:
                sys.settrace(None)
                raise KeyboardInterrupt
        return trace

    try:
        sys.settrace(trace)
        act()
    except KeyboardInterrupt:
        return True
    finally:
        sys.settrace(None)
    return False


@pytest.mark.parametrize("seats", [["basic", "you", "random"], ["you"], ["you:Ann", "mimic"]])
@pytest.mark.parametrize("dealer", ["house", "you:Dora"])
def test_an_interrupt_anywhere_in_a_move_restores_the_game(seats: list[str], dealer: str) -> None:
    chance, tried = Random(1), 0
    game = Game(Setup.checked("2D ES PEN50", seats, dealer=dealer, seed=1))
    for _ in range(40):
        for lines in (1, 3, 10, chance.randrange(1, 200), chance.randrange(1, 1000)):
            before, again = state(game), Random(lines)
            if not interrupted_after(lines, lambda: move(game, again)):  # noqa: B023 - called at once
                break
            tried += 1
            made = Game.restored(game.setup, game.moves, game.draws)
            assert state(game) == (before if len(game.moves) == len(before[2]) else state(made))
        if game.pending is None:
            break
        move(game, chance)
    assert tried > 60


class Interrupting(Decision):
    """Is interrupted by Ctrl-C while it thinks, once it has drawn a random number."""

    def bet(self, view: View) -> int:
        """Draw and be interrupted."""
        view.rng.below(2)
        raise KeyboardInterrupt

    play = bet


def test_an_interrupt_inside_a_strategy_restores_its_random_stream() -> None:
    game = Game(Setup.checked(seats=["random", "you"], seed=1))
    before = state(game)
    game.decisions[0] = Interrupting()
    with pytest.raises(KeyboardInterrupt):
        game.ask_strategy()
    assert state(game) == before


def test_a_game_is_over_when_the_money_of_all_people_is_gone() -> None:
    game = Game(Setup.checked("campus-s17", seats=["you"], bankroll=100, seed=2))
    while not game.over:
        game.answer(game.pending.least if game.pending.betting else Action.HIT)
    assert game.table.players[0].free < 100 * TICKS
    assert game.pending is None
    with pytest.raises(BlackjackError, match="the game is over"):
        game.answer(100)


def test_a_policy_is_loaded_when_people_sit_down_and_at_no_move(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    save_policy(tmp_path / "policy", TABLE, table_tensors())
    game = Game(Setup.checked(seats=["you", str(tmp_path / "policy")], seed=1))
    monkeypatch.setattr("bj_env.strategies.registry.load_policy", None)
    while len(game.history) < 3:
        assert game.pending is not None
        if not game.pending.person:
            game.ask_strategy()
        else:
            game.answer(10 if game.pending.betting else game.pending.view.legal[0])
