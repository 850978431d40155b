"""numpy's numbers are numbers at a table, as bets, money, seeds and answers; bools are none (issue 14)."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from bj_env.errors import BlackjackError, DecisionError
from bj_env.game.decision import Decision
from bj_env.game.participants import Dealer, Player
from bj_env.game.shoe import Shoe
from bj_env.game.table import Table
from bj_env.game.view import View
from bj_env.rules.terms import Action, Rules
from bj_env.strategies.counting import CountingDecision
from bj_env.strategies.simple import Threshold


class Answers(Decision):
    """Answers everything with the same values."""

    def __init__(self, play: Any, bet: Any = 1, insure: Any = False) -> None:
        self.values = play, bet, insure

    def play(self, view: View) -> Action:
        return self.values[0]  # type: ignore[no-any-return]

    def bet(self, view: View) -> int:
        return self.values[1]  # type: ignore[no-any-return]

    def insure(self, view: View) -> bool:
        return self.values[2]  # type: ignore[no-any-return]


def play_ten(table: Table) -> None:
    for _ in range(10):
        table.play_round()


def test_a_table_of_numpy_numbers_plays_the_same_rounds() -> None:
    def rounds(whole: Callable[[int], Any], bets: Callable[[list[int]], Any]) -> list[str]:
        players = [Player("ann", bankroll=whole(500)), Player("bob")]
        table = Table(Rules(decks=whole(2)), players, seed=whole(7), number=whole(3))
        played = []
        for _ in range(20):
            round = table.deal(bets([5, 10]))
            while not round.over:
                round.act(whole(Action.STAND if Action.STAND in round.legal else Action.DECLINE))
            played.append(str(round.record()))
        assert type(players[0].free) is int
        assert all(type(net) is int for net in round.nets)
        return played

    assert rounds(np.int64, np.array) == rounds(int, list)


def test_a_decision_may_answer_with_numpy_values() -> None:
    plain, numpy = (
        Table("6D NS", [Player("ann", Answers(*values))], dealer=Dealer(Answers(*values)), seed=5)
        for values in ((Action.STAND, 5, True), (np.int64(0), np.int32(5), np.bool_(True)))
    )
    assert [str(plain.play_round().record()) for _ in range(30)] == [
        str(numpy.play_round().record()) for _ in range(30)
    ]


@pytest.mark.parametrize(
    "values", [(True,), (0, True), (1.0,), (0, 5.0), (np.bool_(False),), (0, np.float64(5))], ids=str
)
def test_a_decision_that_answers_with_a_bool_or_a_float_fails(values: tuple[Any, ...]) -> None:
    table = Table("6D NS NINS", [Player("ann", Answers(*values))], seed=5)
    with pytest.raises(DecisionError):
        play_ten(table)


def test_a_dealer_that_answers_with_a_bool_fails() -> None:
    table = Table("6D NS NINS", [Player("ann", Answers(0))], dealer=Dealer(Answers(True)), seed=5)
    with pytest.raises(DecisionError, match="expected HIT or STAND, got True"):
        play_ten(table)


@pytest.mark.parametrize("bad", [True, np.bool_(True), 1.0, "1", None], ids=repr)
def test_bools_and_floats_are_refused_as_numbers_with_nothing_changed(bad: Any) -> None:
    table = Table("6D", [Player("ann")], seed=5)
    calls: list[Callable[[], object]] = [
        lambda: table.deal([bad]),
        lambda: table.place_bet(0, bad),
        lambda: table.place_bet(bad, 5),
        lambda: table.reseed(bad),
        lambda: table.reshuffle_unseen(bad),
        lambda: Table("6D", [Player("ann")], seed=bad),
        lambda: Table("6D", [Player("ann")], number=bad),
        lambda: Shoe(Rules(), bad),
        lambda: Threshold(bad),
        lambda: Rules(decks=bad),
    ]
    for call in calls:
        with pytest.raises(BlackjackError, match="expected"):
            call()
    assert str(table.deal([1]).record()) == str(Table("6D", [Player("ann")], seed=5).deal([1]).record())


def test_a_ramp_of_numpy_numbers_is_a_ramp_and_one_of_bools_is_none() -> None:
    ramp = CountingDecision(ramp=[(np.int64(1), np.int64(2)), (np.int8(3), np.int8(8))]).ramp
    assert ramp == ((1, 2), (3, 8))
    assert all(type(number) is int for step in ramp for number in step)
    with pytest.raises(BlackjackError, match="ramp: expected a whole count and a multiple"):
        CountingDecision(ramp=[(1, True)])
