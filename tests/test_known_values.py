"""Known values: the readable engine's mean over many rounds against exact figures, within four standard errors.

The exact figures are published or recomputed ones (fresh shoe, insurance never taken); the seeds are fixed.
"""

from math import sqrt
from statistics import fmean, stdev

import pytest

from bj_env.decisions import decision_from
from bj_env.participants import Player
from bj_env.table import Table
from tests.test_env import make


def returns(rules: str, decision: str, rounds: int, *, seats: int = 4, seed: int = 2026) -> list[float]:
    """Return the net of each round, in bets for one seat."""
    table = Table(rules, [Player("", decision_from(decision)) for _ in range(seats)], seed=seed)
    stake = table.rules.min_bet * 10 * seats
    return [sum(table.play_round().nets) / stake for _ in range(rounds)]


def assert_mean(nets: list[float], value: float) -> None:
    """Compare a mean with its exact value; the error comes from the rounds, whose hands share a dealer."""
    mean, error = fmean(nets), stdev(nets) / sqrt(len(nets))
    assert 0 < error < 0.008
    assert abs(mean - value) < 4 * error, f"{mean:+.5f} ± {error:.5f}, expected {value:+.5f}"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("rules", "decision", "value"),
    [
        ("sutton-barto", "threshold:17", -0.0758517),
        ("gymnasium-plain", "threshold:17", -0.0792945),
        ("gymnasium-natural", "threshold:17", -0.0584677),
        ("6D S17 NS NINS", "mimic", -0.0567565),
        ("6D S17 NS NINS", "never-bust", -0.0601311),
        ("1D S17 NS NINS", "mimic", -0.0568456),
    ],
)
def test_simple_decisions_are_worth_what_is_known(rules: str, decision: str, value: float) -> None:
    assert_mean(returns(rules, decision, 12_000), value)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("rules", "value"),
    [
        ("6D S17 DAS SP4 NS NINS", -0.00405922),
        ("6D S17 DAS SP2 LS NINS", -0.00387229),
        ("6D H17 DAS SP2 NS NINS", -0.00671707),
    ],
)
def test_the_published_chart_is_worth_what_is_known(rules: str, value: float) -> None:
    assert_mean(returns(rules, "basic", 20_000), value)


@pytest.mark.slow
def test_the_mean_return_of_round_episodes_is_the_value_of_a_round() -> None:
    """Rounds without a decision are shown, so that none is left out of the mean."""
    env = make(rules="gymnasium-natural")
    env.reset(seed=1)
    nets = []
    for _ in range(25_000):
        _, info = env.reset()
        while info["action_mask"].any():
            _, reward, _, _, info = env.step(int(info["action_mask"][1] and env.episode.hand.total < 17))
        nets.append(reward)
    assert_mean(nets, -0.0584677)


def test_two_decisions_on_the_same_shoes_are_told_apart() -> None:
    pairs = zip(*(returns("6D NS NINS", name, 4000) for name in ("basic", "mimic")), strict=True)
    gains = [basic - mimic for basic, mimic in pairs]
    assert fmean(gains) > 3 * stdev(gains) / sqrt(len(gains))
