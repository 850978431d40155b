"""Deep Monte Carlo: that it learns, what it keeps, and what it takes in at each step."""

from pathlib import Path

import numpy as np
import pytest
import torch

from agents.learners.deep_monte_carlo import DeepMonteCarloLearner
from agents.run.config import Config, ConfigError, load_config
from agents.shared.cells import ACTIONS
from bj_env.analysis.policy_value import best_total_dependent, exact_value
from bj_env.strategies.saved_policy import LearnedDecision

CONFIG = Path(__file__).parents[2] / "configs" / "default.toml"
SMALL = (
    "learner.rounds=60_000",
    "learner.checkpoints=3",
    "learner.iterations_per_checkpoint=2",
    "learner.gradient_steps=40",
)


def config(*changes: str) -> Config:
    return load_config(CONFIG, (*SMALL, *changes))


def nothing(done: int) -> None:
    """Show no progress."""


def regret(learner: DeepMonteCarloLearner) -> float:
    rules = learner.profile.rules
    return best_total_dependent(rules).ev - exact_value(LearnedDecision(learner.profile, learner.policy()), rules).ev


def test_it_learns_hit_and_stand_in_seconds() -> None:
    learner = DeepMonteCarloLearner(
        config("environment.rules=sutton-barto", "learner.rounds=600_000", "learner.iterations_per_checkpoint=10")
    )
    before = regret(learner)
    for _ in range(3):
        said = learner.train_interval(nothing)
    assert regret(learner) < 0.002 < before
    assert learner.done == 600_000
    assert said["learning_rate"] == 0


def test_it_goes_on_from_its_state_to_the_same_network() -> None:
    straight, first, second = (DeepMonteCarloLearner(config()) for _ in range(3))
    for _ in range(3):
        straight.train_interval(nothing)
    first.train_interval(nothing)
    second.restore(first.state())
    for _ in range(2):
        second.train_interval(nothing)
    assert second.done == straight.done
    for name, tensor in straight.state().items():
        np.testing.assert_array_equal(tensor, second.state()[name])


def test_the_number_of_workers_changes_nothing() -> None:
    one, two = (DeepMonteCarloLearner(config(f"workers={number}", "learner.rounds=150_000")) for number in (1, 2))
    assert one.train_interval(nothing) == two.train_interval(nothing)
    for name, tensor in one.policy().items():
        np.testing.assert_array_equal(tensor, two.policy()[name])


def test_what_is_saved_plays_as_the_network_does() -> None:
    learner = DeepMonteCarloLearner(config())
    learner.train_interval(nothing)
    decision = LearnedDecision(learner.profile, learner.policy())
    np.testing.assert_allclose(decision.scores_of(learner.features.numpy()), learner.scores(), rtol=1e-4, atol=1e-5)


def test_a_step_on_means_is_a_step_on_all_returns() -> None:
    """The gradient of the squared error to the mean of some returns, as often as there are, is that of all of them."""
    learner = DeepMonteCarloLearner(config("learner.count_exponent=1.0"))
    counts = np.zeros((len(learner.found.legal), ACTIONS))
    counts[700, 0], counts[701, 1] = 3, 1
    sums = np.zeros_like(counts)
    sums[700, 0], sums[701, 1] = 1 - 1 + 1.5, -1
    learner.returns = learner.returns._replace(weights=counts.ravel(), sums=sums.ravel())
    cells, targets, weights = learner._lessons()
    scores = learner.network(learner.features[cells])
    (weights * (scores - targets).square()).sum().backward()
    on_means = [weight.grad.clone() for weight in learner.network.parameters() if weight.grad is not None]
    learner.network.zero_grad()
    both = learner.network(learner.features[learner.found.cell()[[700, 701]]])
    each = [(both[0, 0] - net).square() for net in (1.0, -1.0, 1.5)] + [(both[1, 1] + 1).square()]
    (torch.stack(each).sum() / 4).backward()
    for mean, weight in zip(on_means, learner.network.parameters(), strict=True):
        torch.testing.assert_close(mean, weight.grad, rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize("change", ["learner.hidden_sizes=[0]", "learner.hidden_sizes=[]", "learner.learning_rate=inf"])
def test_shapes_and_rates_without_sense_are_refused(change: str) -> None:
    with pytest.raises(ConfigError, match=r"learner\.(hidden|learning_rate)"):
        config(change)
