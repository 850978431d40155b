"""The coach: what it says is what the solver says."""

import json
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bj_env.cli.main import main
from bj_env.errors import BlackjackError
from bj_env.game.events import DEALER
from bj_env.play.coach import Advice, advise, counted
from bj_env.play.game import Game
from bj_env.play.setup import Setup
from bj_env.rules.terms import Action, Phase
from bj_env.solver.result import solve_against
from bj_env.strategies.count_systems import count_from
from tests.play.test_game import move
from tests.terminal_session import stacked

HOUSES = ("six-deck", "double-deck", "infinite", "6D ES", "6D H17 WHOLE", "two-player", "hit-stand")


@pytest.mark.parametrize("house", HOUSES)
def test_under_a_fresh_shoe_values_and_advice_are_the_solvers(house: str, capsys: pytest.CaptureFixture[str]) -> None:
    for seed in (1, 2):
        game = Game(Setup.checked(house, ["you"], seed=seed))
        game.answer(10)
        while game.pending.view.phase is not Phase.PLAY:
            game.answer(10 if game.pending.betting else Action.DECLINE)
        view, rules = game.pending.view, f"{house} MIN10" if " " in house else house
        hand = ",".join(str(card)[0].translate(str.maketrans("JQK", "TTT")) for card in view.cards)
        upcard = str(view.upcard)[0].translate(str.maketrans("JQK", "TTT"))
        if house == "hit-stand":
            rules = "1D S17 3:2 NOPEEK D0 SP1 NS NINS WHOLE MIN10"
        assert main(["solve", "--rules", rules, "--hand", hand, "--upcard", upcard, "--json"]) == 0
        said = {Action[name.upper()]: value for name, value in json.loads(capsys.readouterr().out)["values"].items()}
        said = {action: value for action, value in said.items() if action in view.legal}  # J,Q is no pair by rank
        advice = advise(view)
        assert advice.counted
        assert {action: pytest.approx(value, abs=1e-9) for action, value in said.items()} == advice.values
        assert advice.best is max(said, key=said.get)


def test_cards_that_were_seen_are_taken_into_account() -> None:
    line = "1D H17 DAS NS ; D 6/T ; P1 10 T,2 ; P2 10 T,T ; P3 10 T,T"
    game = stacked(line, seats=("you", "you:ann", "you:bob"), bankroll=100)
    for _ in range(3):
        game.answer(10)
    full = solve_against("1D H17 DAS NS", "6").values("T,2", "6")
    shoe = solve_against("1D H17 DAS NS", "6", "4,4,4,4,4,4,4,4,4,12").values("T,2", "6")
    advice = advise(game.pending.view)
    assert advice.values == pytest.approx(shoe)
    assert advice.values != pytest.approx(full, abs=1e-4)
    assert advice.counted


def test_where_ranks_make_pairs_a_full_shoe_is_advised_on_and_said_so() -> None:
    game = stacked("two-player ; D 6/T ; P1 10 8,8 ; P2 10 T,T", seats=("you", "you:ann"))
    for _ in range(2):
        game.answer(10)
    advice = advise(game.pending.view)
    assert not advice.counted
    assert advice.values == pytest.approx(solve_against("two-player", "6").values("8,8", "6"))


@pytest.mark.parametrize(
    ("line", "best"),
    [
        ("six-deck ; D A/9 ; P1 10 T,9", Action.DECLINE),
        ("6D WHOLE ; D A/9 ; P1 10 T,9", Action.DECLINE),
        ("6D ES ; D T/9 ; P1 10 T,6", Action.SURRENDER),
        ("6D ES ; D 6/9 ; P1 10 T,6", Action.DECLINE),
    ],
)
def test_offers_are_advised_on(line: str, best: Action) -> None:
    game = stacked(line)
    game.answer(10)
    assert set(advise(game.pending.view).values) == set(game.pending.view.legal)
    assert advise(game.pending.view).best is best


@settings(max_examples=5)
@given(st.integers(0, 10_000).map(Random), st.sampled_from(("six-deck", "double-deck", "6D ES10 CH5 RSA HSA PEN75")))
def test_every_legal_action_has_a_value_wherever_a_game_goes(chance: Random, house: str) -> None:
    game, pending = Game(Setup.checked(house, ["you", "random"], seed=chance.randrange(2**32))), 0
    while game.pending is not None and pending < 3:
        if game.pending.person and not game.pending.betting and game.pending.seat != DEALER:
            advice, pending = advise(game.pending.view), pending + 1
            assert set(advice.values) == set(game.pending.view.legal)
            assert list(advice.values.values()) == sorted(advice.values.values(), reverse=True)
            assert all(advice.cost(action) >= 0 for action in advice.values)
        move(game, chance)


def test_an_answer_is_graded_by_what_it_costs() -> None:
    advice = Advice({Action.STAND: 0.5, Action.HIT: 0.495, Action.DOUBLE: 0.3})
    assert [advice.grade(action) for action in advice.values] == ["best", "near", "mistake"]
    assert advice.cost(Action.DOUBLE) == pytest.approx(0.2)


def test_nothing_is_advised_where_nothing_but_a_bet_is_asked() -> None:
    with pytest.raises(BlackjackError, match="advice: expected a hand against an upcard, got none"):
        advise(Game(Setup.checked(seed=1)).pending.view)


def test_the_count_is_that_of_all_cards_face_up() -> None:
    game = stacked("6D PEN75 ; D 6/T ; P1 10 T,2")
    game.answer(10)
    system = count_from("hi-lo")
    assert counted(game.pending.view) == (1, system.true(game.rules, game.pending.view.seen))
    assert counted(Game(Setup.checked("infinite", seed=1)).pending.view) is None
