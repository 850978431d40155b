"""Own PPO: its formulas, what it learns from, that it learns, and that seed and state say everything."""

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest
import torch

from agents.learners.ppo import PPOLearner, clipped_gain, entropies, estimate_advantages, log_probabilities
from agents.run.config import ConfigError, load_config
from agents.run.training import TrainingError
from bj_env.analysis.policy_value import exact_value
from bj_env.rules.terms import Phase
from bj_env.solver import solve
from bj_env.strategies.saved_policy import LearnedDecision

SMALL = ("learner.num_envs=64", "learner.steps_per_update=16", "learner.steps=4096", "learner.checkpoints=4")


def learner(*changes: str) -> PPOLearner:
    return PPOLearner(load_config(Path(__file__).parents[2] / "configs" / "ppo.toml", changes))


def trained(ppo: PPOLearner, intervals: int) -> list[Mapping[str, float]]:
    return [ppo.train_interval(lambda done: None) for _ in range(intervals)]


@pytest.mark.parametrize("change", ["entropy_coefficient=1e30", "clip_range=1e30", "learning_rate=1e10"])
def test_numbers_that_nobody_means_are_refused(change: str) -> None:
    with pytest.raises(ConfigError, match=rf"learner\.{change.partition('=')[0]}: input should be less than"):
        learner(f"learner.{change}")


# --- formulas -------------------------------------------------------------------------------------------------------


def test_masks_leave_exact_zeros_and_finite_gradients() -> None:
    """Report b116."""
    logits = torch.tensor([[40.0, -30.0, 0.0]] * 64, requires_grad=True)
    masks = torch.tensor([[True, False, False], [False, True, True], [True, True, True], [False, True, False]] * 16)
    log_probs = log_probabilities(logits, masks)
    assert (log_probs.exp()[~masks] == 0).all()
    np.testing.assert_allclose(log_probs.exp().sum(1).detach().numpy(), 1, atol=1e-6)
    assert (entropies(log_probs)[::4] == 0).all()
    assert (entropies(log_probs)[3::4] == 0).all()
    (entropies(log_probs).sum() + log_probs.exp()[:, 1].sum()).backward()  # type: ignore[no-untyped-call]
    assert logits.grad is not None
    assert logits.grad.isfinite().all()
    assert (logits.grad[~masks] == 0).all()


def test_an_illegal_action_is_never_drawn() -> None:
    """Report b116."""
    log_probs = log_probabilities(torch.tensor([[40.0, -30.0, 0.0]]), torch.tensor([[False, True, True]]))
    drawn = torch.multinomial(log_probs.exp().expand(10_000, 3), 1, generator=torch.Generator().manual_seed(1))
    assert (drawn != 0).all()


def test_the_legal_actions_are_renormalised() -> None:
    """Report b117."""
    log_probs = log_probabilities(torch.tensor([[2.0, 1.0, 0.5]]), torch.tensor([[False, True, True]]))
    np.testing.assert_allclose(log_probs.exp().numpy()[0], [0, 0.622459, 0.377541], atol=1e-6)


def test_a_win_now_and_a_win_after_a_card_are_worth_the_same() -> None:
    """Report b109."""
    rewards = np.array([[1.0, 0.0], [0.0, 1.0]])
    ended = np.array([[True, False], [True, True]])
    advantages = estimate_advantages(rewards, ended, np.zeros((3, 2), np.float32), 1.0)
    np.testing.assert_array_equal(advantages[0], [1, 1])


@pytest.mark.parametrize("gae_lambda", [0.0, 0.7, 1.0])
def test_advantages_are_the_weighted_sum_of_surprises_up_to_the_end_of_the_round(gae_lambda: float) -> None:
    rng = np.random.default_rng(1)
    rewards, ended, values = rng.normal(size=(6, 5)), rng.random((6, 5)) < 0.3, rng.normal(size=(7, 5))
    expected = np.zeros_like(rewards)
    for step, table in np.ndindex(6, 5):
        for later in range(step, 6):
            going = not ended[later, table]
            surprise = rewards[later, table] + going * values[later + 1, table] - values[later, table]
            expected[step, table] += gae_lambda ** (later - step) * surprise
            if not going:
                break
    advantages = estimate_advantages(rewards, ended, values.astype(np.float32), gae_lambda)
    np.testing.assert_allclose(advantages, expected, atol=1e-6)


def test_a_ratio_beyond_the_clip_pulls_only_back() -> None:
    ratios = torch.tensor([1.5, 0.5, 1.5, 0.5], requires_grad=True)
    clipped_gain(ratios, torch.tensor([1.0, 1.0, -1.0, -1.0]), 0.2).backward()  # type: ignore[no-untyped-call]
    assert ratios.grad is not None
    np.testing.assert_allclose(ratios.grad.numpy(), [0, 0.25, -0.25, 0])


def test_steps_that_fill_no_batch_in_each_leg_are_refused() -> None:
    with pytest.raises(ConfigError, match=r"learner: steps: expected at least 2621440, .*, got 2621439"):
        learner("learner.steps=2621439")
    assert learner(*SMALL, "learner.steps=5000")._learner.length == 4096


# --- what it learns from --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seats", ["['agent']", "['agent','basic','agent']"])
def test_every_decision_of_a_round_is_credited_with_what_the_round_pays(seats: str) -> None:
    ppo = learner(*SMALL, f"environment.seats={seats}")
    ppo._shown = ppo._tables.reset(seed=5)
    batch = ppo._play()
    samples = ppo._samples(batch)
    paid = np.full(batch.rewards.shape, np.nan)
    for step in reversed(range(len(paid))):
        later = paid[step + 1] if step + 1 < len(paid) else np.nan
        paid[step] = np.where(batch.ended[step], batch.rewards[step], later)
    paid = paid[batch.decided]
    known = ~np.isnan(paid)  # of the last rounds only the values tell
    assert known.mean() > 0.5
    np.testing.assert_allclose(samples.returns.numpy()[known], paid[known], atol=1e-6)


def test_rounds_without_a_decision_are_left_out_of_learning_but_not_of_the_return() -> None:
    ppo = learner(*SMALL)
    ppo._shown = ppo._tables.reset(seed=5)
    batch = ppo._play()
    samples = ppo._samples(batch)
    over = samples.features[samples.situations][:, Phase.ROUND_OVER]
    assert not over.any()
    assert 0 < (~batch.decided).sum() < batch.ended.sum()
    assert len(samples.actions) == batch.decided.sum()
    assert samples.masks[samples.situations, samples.actions].all()


# --- that it learns -------------------------------------------------------------------------------------------------


def test_hit_and_stand_are_learned_in_seconds() -> None:
    ppo = learner(
        "learner.num_envs=512", "learner.steps=327_680", "learner.checkpoints=2", "environment.rules=sutton-barto"
    )
    said = trained(ppo, 2)
    value, best = (
        exact_value(LearnedDecision(ppo.profile, ppo.policy()), ppo.profile.rules).ev,
        solve("sutton-barto").ev,
    )
    assert best - 0.003 < value <= best + 1e-9
    assert said[1]["return"] > said[0]["return"]
    assert said[1]["entropy"] < said[0]["entropy"]


@pytest.mark.parametrize("rate", ["1e5", "1e20"])  # the loss is beyond float32, or nothing is a number any more
def test_a_training_that_diverges_is_stopped(rate: str) -> None:
    config = load_config(Path(__file__).parents[2] / "configs" / "ppo.toml", SMALL)
    settings = config.learner.model_copy(update={"learning_rate": float(rate)})  # no configuration may ask for it
    ppo = PPOLearner(config.model_copy(update={"learner": settings}))
    with pytest.raises(TrainingError, match=r"the training diverged: loss is (inf|nan) after"):
        trained(ppo, 4)


# --- seed and state -------------------------------------------------------------------------------------------------


def test_it_goes_on_from_its_state_to_the_same_weights() -> None:
    straight, first, second = (learner(*SMALL) for _ in range(3))
    expected = trained(straight, 3)
    trained(first, 1)
    torch.manual_seed(99)  # chance outside does not matter
    second.restore(first.state())
    assert trained(second, 2) == expected[1:]
    assert second.done == straight.done == 3072
    for name, tensor in straight.state().items():
        np.testing.assert_array_equal(tensor, second.state()[name])


def test_a_state_has_the_same_form_before_and_after_training() -> None:
    ppo = learner(*SMALL)
    before = {name: (tensor.dtype, tensor.shape) for name, tensor in ppo.state().items()}
    trained(ppo, 1)
    assert {name: (tensor.dtype, tensor.shape) for name, tensor in ppo.state().items()} == before


def test_another_seed_and_another_leg_mean_other_tables_and_draws() -> None:
    batches = []
    for seed, intervals in ((1, 0), (1, 1), (2, 0)):
        ppo = learner(*SMALL, f"seed={seed}")
        trained(ppo, intervals)
        trained(ppo, 1)
        batches.append(ppo._shown[0])
    assert not any(np.array_equal(one, other) for one, other in zip(batches, batches[1:] + batches[:1], strict=True))


def test_exported_layers_score_as_the_network_does() -> None:
    ppo = learner(*SMALL)
    trained(ppo, 1)
    decision = LearnedDecision(ppo.profile, ppo.policy())
    assert decision.total_dependent
    rows = ppo._features[torch.randperm(len(ppo._features), generator=torch.Generator().manual_seed(1))[:500]]
    with torch.no_grad():
        np.testing.assert_allclose(decision.scores_of(rows.numpy()), ppo._actor(rows).numpy(), rtol=1e-4, atol=1e-5)
