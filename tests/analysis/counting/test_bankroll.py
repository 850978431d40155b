"""Formulas for bankrolls against published examples and simulated bankrolls."""

from math import inf, sqrt

import numpy as np
import pytest

from bj_env.analysis.counting import bankroll
from bj_env.errors import BlackjackError

WIN, SD = 0.02, 2.0


def test_m_halls_example_is_nine_percent() -> None:
    found = bankroll.ruin_before_goal(0.0151, sqrt(3.887 - 0.0151**2), 300, 300)
    assert found == pytest.approx(0.090, abs=0.002)  # he rounds the chance of a step to 0.5038


def simulated(money: int, goal: int, rounds: int, paths: int = 100_000) -> tuple[int, int]:
    """Return how many bankrolls are ruined and reach their goal within so many coin tosses, won with 0.52."""
    tosses = np.random.default_rng(7)
    at = np.full(paths, money, np.int32)
    going = np.ones(paths, bool)
    for _ in range(rounds):
        at += going * (2 * (tosses.random(paths, np.float32) < 0.52) - 1)
        going &= (at > 0) & (at < money + goal)
    return int((at <= 0).sum()), int((at >= money + goal).sum())


COIN = (0.04, sqrt(1 - 0.04**2))
"""Win and standard deviation of a toss."""


def test_ruin_before_a_goal_is_what_simulated_bankrolls_come_to() -> None:
    ruined, won = simulated(10, 10, 1500)
    assert ruined + won > 99_990
    expected = bankroll.ruin_before_goal(*COIN, 10, 10)
    assert ruined / 100_000 == pytest.approx(expected, abs=3 * sqrt(expected * (1 - expected) / 100_000))


def test_trip_ruin_is_what_simulated_bankrolls_come_to() -> None:
    ruined, _ = simulated(30, 10**6, 900)
    expected = bankroll.trip_ruin(*COIN, 30, 900)
    allowed = 3 * sqrt(expected * (1 - expected) / 100_000)
    assert ruined / 100_000 == pytest.approx(expected, abs=allowed)


def test_ruin_forever_is_the_limit_of_a_trip_and_of_a_goal() -> None:
    forever = bankroll.risk_of_ruin(WIN, SD, 300)
    assert bankroll.trip_ruin(WIN, SD, 300, 1e9) == pytest.approx(forever)
    assert bankroll.ruin_before_goal(WIN, SD, 300, 1e6) == pytest.approx(forever, rel=1e-3)


def test_a_bankroll_for_a_risk_has_that_risk() -> None:
    assert bankroll.risk_of_ruin(WIN, SD, bankroll.bankroll_for(WIN, SD, 0.05)) == pytest.approx(0.05)


def test_a_loser_is_ruined_for_sure_and_no_bankroll_helps() -> None:
    assert bankroll.risk_of_ruin(-WIN, SD, 300) == 1
    assert bankroll.bankroll_for(-WIN, SD, 0.05) == inf
    assert bankroll.score(-WIN, SD) == 0
    assert 0 < bankroll.trip_ruin(-WIN, SD, 300, 5000) < 1


def test_a_fair_game_is_ruined_in_proportion() -> None:
    assert bankroll.ruin_before_goal(0.0, SD, 100, 300) == pytest.approx(0.75)


def test_score_grows_at_half_of_it_by_a_million_at_full_kelly() -> None:
    growth = bankroll.log_growth(WIN, SD, SD**2 / WIN)
    assert growth == pytest.approx(bankroll.score(WIN, SD) / 2e6, rel=1e-3)
    assert bankroll.certainty_equivalent(WIN, SD, SD**2 / WIN) == pytest.approx(WIN / 2)


@pytest.mark.parametrize("money", [0, -5, inf, float("nan")])
def test_a_bankroll_is_above_0(money: float) -> None:
    with pytest.raises(BlackjackError, match="bankroll: expected a number above 0"):
        bankroll.risk_of_ruin(WIN, SD, money)


def test_a_risk_is_between_0_and_1() -> None:
    with pytest.raises(BlackjackError, match="risk of ruin: expected"):
        bankroll.bankroll_for(WIN, SD, 1.0)
