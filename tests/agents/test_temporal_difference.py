"""Temporal-difference learners: single updates worked out by hand, known values, and that all methods learn."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

from agents.learners.temporal_difference import (
    BEST,
    EXPECTED_SARSA,
    SARSA,
    TemporalDifferenceLearner,
    learn,
    learn_compiled,
)
from agents.run.config import ConfigError
from bj_env.analysis.policy_value import best_total_dependent, exact_value
from bj_env.compiled.exploration_kernels import PROBABILITY_SCALE, Behaviour, Experience
from bj_env.compiled.explore import explore
from bj_env.compiled.hand_tables import hand_row
from bj_env.compiled.information_states import situations
from bj_env.env.settings import AGENT
from bj_env.rules.houses import parse_rules
from bj_env.rules.terms import Action, Phase
from bj_env.solver import solve
from bj_env.strategies.saved_policy import LearnedDecision
from tests.agents.test_config import HIT_STAND, config, trained

METHODS = ("sarsa", "expected-sarsa", "q-learning", "double-q-learning")
STAND, HIT, DOUBLE, SPLIT = range(4)
KERNELS = pytest.mark.parametrize("kernel", [learn, learn_compiled], ids=["plain", "compiled"])


def learner(method: str, *changes: str) -> TemporalDifferenceLearner:
    return TemporalDifferenceLearner(config(method, *HIT_STAND, *changes))


def cell_of(phase: Phase, row: int, upcard: int) -> int:
    return ((phase - Phase.EARLY_SURRENDER) * 40 + row) * 10 + upcard - 1


# --- single updates, worked out by hand ---


def chunk(*decisions: tuple[int, int, int, float]) -> Experience:
    """Return decisions, each as situation, action, parent and reward."""
    situation, action, parent, reward = zip(*decisions, strict=True)
    many = len(decisions)
    return Experience(
        np.array(situation, np.int16),
        np.array(action, np.int8),
        np.array(parent, np.int32),
        np.zeros(many, np.bool_),
        np.array(reward, np.float32),
        np.ones(many, np.float32),
        np.zeros(1, np.float32),
    )


def learned(
    kernel: Callable[..., None],
    played: Experience,
    values: Any,
    bootstrap: int = BEST,
    *,
    legal: Sequence[int] = (3, 3, 3),
    greedy: Sequence[int] = (0, 0, 0),
    coins: Sequence[int] | None = None,
    epsilon: float = 0.0,
    power: float = 1.0,
    visits: float = 1.0,
) -> np.ndarray:
    """Return the tables after some decisions in cells that have been visited so often before; each situation a cell."""
    table = np.array(values, np.float64)
    many = len(played.action)
    kernel(
        played,
        np.arange(len(legal)),
        np.array(legal),
        np.array(greedy, np.uint8),
        np.array([0] * many if coins is None else coins, np.uint8),
        bootstrap,
        epsilon,
        power,
        np.zeros(many),
        table,
        np.full(table.shape, visits),
    )
    return table


HIT_THEN_STAND = chunk((0, HIT, -1, 0.0), (1, STAND, 0, 1.0))
KNOWN = [[[0.0, 0.0], [0.2, 0.8], [0.0, 0.0]]]
"""In situation 1 standing is worth 0.2, which a win moves halfway to 1: to 0.6; hitting 0.8."""


@KERNELS
@pytest.mark.parametrize(
    ("bootstrap", "epsilon", "greedy", "target"),
    [
        (SARSA, 0.5, HIT, 0.6),  # what was done
        (EXPECTED_SARSA, 0.5, HIT, 0.5 * 0.8 + 0.5 * (0.6 + 0.8) / 2),
        (EXPECTED_SARSA, 0.5, STAND, 0.5 * 0.6 + 0.5 * (0.6 + 0.8) / 2),
        (EXPECTED_SARSA, 0.0, STAND, 0.6),
        (BEST, 0.5, STAND, 0.8),  # whatever is done or was held to be best
    ],
)
def test_an_action_moves_towards_what_its_method_holds_the_next_decision_to_be_worth(
    kernel: Callable[..., None], bootstrap: int, epsilon: float, greedy: int, target: float
) -> None:
    values = learned(kernel, HIT_THEN_STAND, KNOWN, bootstrap, greedy=(0, greedy, 0), epsilon=epsilon)
    np.testing.assert_allclose(values, [[[0, target / 2], [0.6, 0.8], [0, 0]]], atol=1e-7)


@KERNELS
@pytest.mark.parametrize("bootstrap", [SARSA, EXPECTED_SARSA, BEST])
def test_a_split_is_worth_both_of_its_hands(kernel: Callable[..., None], bootstrap: int) -> None:
    played = chunk((0, SPLIT, -1, 0.25), (1, STAND, 0, 1.0), (2, STAND, 0, -1.0))  # 0.25 of a hand that is not asked
    values = learned(kernel, played, np.zeros((1, 3, 4)), bootstrap, legal=(9, 1, 1))
    assert values[0, 0, SPLIT] == pytest.approx(0.5 * (0.25 + 0.5 - 0.5))
    assert values[0, [1, 2], STAND].tolist() == [0.5, -0.5]


@KERNELS
def test_both_hands_of_a_split_go_on_by_themselves(kernel: Callable[..., None]) -> None:
    played = chunk((0, SPLIT, -1, 0.0), (1, HIT, 0, 0.0), (2, STAND, 1, 1.0), (1, HIT, 0, -1.0))
    values = learned(kernel, played, np.zeros((1, 3, 4)), SARSA, legal=(9, 3, 3), visits=0.0)
    # the second hand busts: hitting is worth -1; the first one stands and wins: 1; so hitting is worth their mean, 0
    assert values[0, 1, HIT] == 0
    assert values[0, 2, STAND] == 1
    assert values[0, 0, SPLIT] == -1 + 0  # as each of the hands was worth when it was learned


@KERNELS
@pytest.mark.parametrize("bootstrap", [SARSA, EXPECTED_SARSA, BEST])
def test_nothing_leaks_from_one_round_to_the_next(kernel: Callable[..., None], bootstrap: int) -> None:
    """Report b108."""
    played = chunk((0, HIT, -1, 0.0), (1, HIT, 0, -1.0), (2, STAND, -1, 0.0))
    values = learned(kernel, played, np.zeros((1, 3, 2)), bootstrap)
    assert values[0, 1, HIT] == -0.5
    assert values[0, 2, STAND] == 0
    richer = learned(kernel, played, [[[0, 0], [0, 0], [7.0, 7.0]]], bootstrap)
    np.testing.assert_array_equal(values[0, :2], richer[0, :2])


@KERNELS
@pytest.mark.parametrize("bootstrap", [EXPECTED_SARSA, BEST])
@pytest.mark.parametrize("tables", [1, 2])
def test_bootstraps_look_at_legal_actions_only(kernel: Callable[..., None], bootstrap: int, tables: int) -> None:
    values = np.array([[[0, 0, 0], [-0.5, -0.25, 9], [0, 0, 0]]] * tables)
    played = chunk((0, HIT, -1, 0.0), (1, STAND, 0, -0.5))
    found = learned(kernel, played, values, bootstrap, greedy=(0, 1, 0), coins=(0, tables - 1))
    assert found[0, 0, HIT] == -0.125


@KERNELS
def test_double_q_learning_chooses_by_one_table_and_believes_the_other(kernel: Callable[..., None]) -> None:
    values = [[[0, 0], [0.9, 0.1], [0, 0]], [[0, 0], [-0.4, 0.3], [0, 0]]]
    played = chunk((0, HIT, -1, 0.0), (1, HIT, 0, 1.0))
    first = learned(kernel, played, values, coins=(0, 1))  # hitting is 0.65 in the second table now
    np.testing.assert_allclose(first, [[[0, -0.2], [0.9, 0.1], [0, 0]], [[0, 0], [-0.4, 0.65], [0, 0]]], atol=1e-7)
    second = learned(kernel, played, values, coins=(1, 0))  # hitting is 0.55 in the first table now
    np.testing.assert_allclose(second, [[[0, 0], [0.9, 0.55], [0, 0]], [[0, 0.275], [-0.4, 0.3], [0, 0]]], atol=1e-7)


@KERNELS
def test_to_win_at_once_is_worth_no_more_than_to_win_later(kernel: Callable[..., None]) -> None:
    """Report b109."""
    win_at_once, win_later = [(0, STAND, -1, 1.0)], [(0, HIT, -1, 0.0), (1, HIT, 1, 0.0), (2, STAND, 2, 1.0)]
    values = learned(kernel, chunk(*win_at_once, *win_later), np.zeros((1, 3, 2)), visits=0.0)
    assert values[0].tolist() == [[1, 1], [0, 1], [1, 0]]


@KERNELS
def test_the_step_size_is_a_power_of_the_visits(kernel: Callable[..., None]) -> None:
    values = learned(kernel, chunk((0, STAND, -1, 1.0)), np.zeros((1, 3, 2)), visits=15.0, power=0.75)
    assert values[0, 0, STAND] == pytest.approx(16**-0.75)


@pytest.mark.parametrize("bootstrap", [SARSA, EXPECTED_SARSA, BEST])
def test_compiled_and_plain_python_learn_the_same(bootstrap: int) -> None:
    found = situations(parse_rules("6D RSA"))
    greedy = np.where(found.phase == Phase.PLAY, Action.STAND, Action.DECLINE).astype(np.uint8)
    (played,) = explore(
        parse_rules("6D RSA"),
        [AGENT, AGENT],
        Behaviour(greedy, found.legal, PROBABILITY_SCALE, False),
        2000,
        lambda x: x,
        seed=1,
    )
    results = []
    for kernel in (learn, learn_compiled):
        values, visits, chance = np.zeros((2, 1200, 7)), np.zeros((2, 1200, 7)), np.random.default_rng(1)
        coins = chance.integers(0, 2, len(played.action), np.uint8)
        ahead = np.zeros(len(coins))
        kernel(played, found.cell(), found.legal, greedy, coins, bootstrap, 0.25, 0.75, ahead, values, visits)
        results.append((values, visits, ahead))
    for one, other in zip(*results, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-9, atol=1e-12)
    assert results[0][1].sum() == len(played.action)


# --- whole trainings ---


@pytest.mark.parametrize("method", METHODS)
def test_it_learns_hit_and_stand_in_seconds(method: str) -> None:
    one = learner(method)
    trained(one, 4)
    rules = one.profile.rules
    value = exact_value(LearnedDecision(one.profile, one.policy()), rules).ev
    assert best_total_dependent(rules).ev - 0.002 < value


@pytest.mark.parametrize("method", METHODS)
def test_it_gives_the_same_for_any_number_of_workers_and_goes_on_from_its_state(method: str) -> None:
    straight, first, second = (learner(method, f"workers={workers}") for workers in (1, 2, 1))
    said = trained(straight, 3)
    assert trained(first, 1) == said[:1]
    kept = first.state()
    trained(first, 1)  # which the state does not notice
    second.restore(kept)
    assert trained(second, 2) == said[1:]
    for name, part in straight.state().items():
        np.testing.assert_array_equal(part, second.state()[name])
    assert second.done == straight.done == 750_000


def test_epsilon_shrinks_to_nothing() -> None:
    one = learner("sarsa", "learner.rounds=100_000", "learner.epsilon=0.8")
    epsilons = [said["exploration_rate"] for said in trained(one, 4)]
    assert epsilons == pytest.approx([0.8 * (1 - done) for done in (0.225, 0.475, 0.725, 0.975)])


def test_double_q_learning_moves_both_tables() -> None:
    one = learner("double-q-learning", "learner.rounds=100_000")
    trained(one, 1)
    visits = one.visits.sum(axis=(1, 2))
    assert abs(visits[0] - visits[1]) < 4.5 * visits.sum() ** 0.5
    assert not np.array_equal(one.values[0], one.values[1])


@pytest.mark.parametrize("method", METHODS)
def test_a_20_against_a_ten_is_worth_what_it_is(method: str) -> None:
    """Report b107."""
    exact = solve("sutton-barto").values("T,T", "T")[Action.STAND]
    assert exact == pytest.approx(0.43496, abs=5e-6)
    one = learner(
        method,
        "learner.rounds=8_000_000",
        "learner.checkpoints=1",
        "learner.step_size_exponent=1.0",
        "learner.epsilon=0.2",
    )
    trained(one, 1)
    cell = cell_of(Phase.PLAY, hand_row(20, False, 10), 10)
    visits = one.visits[:, cell, STAND]
    assert visits.sum() > 200_000
    deviation = (0.7 - exact**2) ** 0.5  # of a round: it is a draw three times in ten
    for value, times in zip(one.values[:, cell, STAND], visits, strict=True):
        assert abs(value - exact) < 4.5 * deviation / times**0.5


@pytest.mark.parametrize("method", ["q-learning", "double-q-learning"])  # the others learn what their tries cost, too
def test_splits_are_learned_for_what_both_hands_are_worth(method: str) -> None:
    rules = ["environment.rules=INF SP2 NDAS D0 NS NINS", "environment.reward=expected"]
    one = learner(method, *rules, "learner.rounds=1_000_000", "learner.epsilon=0.5", "learner.step_size_exponent=0.8")
    trained(one, 4)
    cell = cell_of(Phase.PLAY, hand_row(20, False, 10), 6)
    exact = solve("INF SP2 NDAS D0 NS NINS").values("T,T", "6")
    assert one.mean[cell, STAND] == pytest.approx(exact[Action.STAND], abs=0.002)
    assert one.mean[cell, SPLIT] == pytest.approx(exact[Action.SPLIT], abs=0.05)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ("learner.method=sarza", "learner.method: input should be 'sarsa', 'expected-sarsa', .*, got 'sarza'"),
        ("learner.step_size_exponent=0.5", "learner.step_size_exponent: input should be greater than 0.5"),
        ("learner.epsilon=0.0", "learner.epsilon: input should be greater than 0"),
        ("learner.gamma=0.4", "unknown key 'learner.gamma'"),  # B109: there is no discount within a round
    ],
)
def test_what_makes_no_sense_is_refused(change: str, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        learner("sarsa", change)
