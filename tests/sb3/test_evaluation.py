"""The evaluation of SB3 models: masks, its own environments, a fixed number of rounds in each."""

from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
import torch
from sb3_contrib import MaskablePPO
from stable_baselines3 import A2C, DQN, PPO
from stable_baselines3.common.env_util import make_vec_env
from stable_baselines3.common.vec_env import DummyVecEnv, VecFrameStack, VecNormalize

import bj_env  # noqa: F401  (makes the environment known)
from bj_env.errors import BlackjackError
from bj_env.sb3 import EvaluateRounds, evaluate_rounds, save_policy
from bj_env.strategies.saved_policy import load_policy

GAME: dict[str, Any] = {"rules": "six-deck", "seats": ("agent",)}
LEARNERS: dict[type, dict[str, Any]] = {
    PPO: {"n_steps": 64, "batch_size": 64},
    A2C: {},
    DQN: {"learning_starts": 50},
    MaskablePPO: {"n_steps": 64, "batch_size": 64},
}


@pytest.mark.parametrize("algorithm", LEARNERS, ids=lambda algorithm: algorithm.__name__)
def test_learners_train_and_are_evaluated_on_the_environment_as_it_is(algorithm: type) -> None:
    env = gym.make("Blackjack-multi-v0", **GAME)
    model = algorithm("MlpPolicy", env, seed=1, device="cpu", **LEARNERS[algorithm])
    callback = EvaluateRounds(every=128, rounds=64, **GAME)
    model.learn(256, callback=callback)
    assert [steps >= 128 * number for number, (steps, _) in enumerate(callback.history, start=1)] == [True, True]
    result = callback.history[-1][1]
    assert result.rounds == 64
    assert -3 < result.interval()[0] < result.ev < result.interval()[1] < 3
    assert (result.illegal == 0) or algorithm is not MaskablePPO


def test_the_same_rounds_each_time_and_the_same_number_in_each_environment() -> None:
    env = gym.make("Blackjack-multi-v0", **GAME)
    model = PPO("MlpPolicy", env, seed=1, device="cpu")
    first, again = (evaluate_rounds(model, rounds=40, environments=16, seed=5, **GAME) for _ in range(2))
    assert first == again
    assert first.rounds == 48  # 16 environments, 3 rounds in each


class ShortAndLong:
    """Rounds of one step that lose, and of three that win, equally likely."""

    def __init__(self, **game: Any) -> None:
        self.left, self.reward = 0, 0.0

    def reset(self, seed: int | None = None) -> tuple[Any, dict[str, Any]]:
        if seed is not None:
            self.chance = np.random.default_rng(seed)
        self.left, self.reward = ((1, -1.0), (3, 1.0))[self.chance.integers(2)]
        return np.zeros(1), {}

    def step(self, action: int) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        self.left -= 1
        over = self.left == 0
        return np.zeros(1), self.reward if over else 0.0, over, False, {"illegal_action": False}


class Still:
    env = DummyVecEnv([lambda: gym.make("Blackjack-multi-v0", **GAME)])

    def predict(self, observations: Any, deterministic: bool) -> tuple[Any, None]:
        return np.zeros(len(observations), np.int64), None


@pytest.mark.parametrize("rounds", [16, 32])
def test_short_rounds_are_not_favoured(rounds: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """To stop at the first 16 that finish in 16 environments would give -0.55, at the first 32 -0.23; the mean is 0."""
    monkeypatch.setattr("bj_env.sb3.evaluation.BlackjackEnv", ShortAndLong)
    found = [evaluate_rounds(Still(), rounds=rounds, environments=16, seed=16 * number) for number in range(200)]  # type: ignore[arg-type]
    assert {result.rounds for result in found} == {rounds}
    assert abs(np.mean([result.ev for result in found])) < 4 / (200 * rounds) ** 0.5


def test_evaluation_leaves_the_training_environment_alone() -> None:
    env = gym.make("Blackjack-multi-v0", **GAME)
    model = PPO("MlpPolicy", env, seed=1, device="cpu")
    model.learn(1)
    before = str(env.unwrapped.episode.table.shoe.dealt)  # type: ignore[attr-defined]
    evaluate_rounds(model, rounds=8, **GAME)
    assert str(env.unwrapped.episode.table.shoe.dealt) == before  # type: ignore[attr-defined]


def test_sb3s_own_way_of_making_environments_works() -> None:
    env = make_vec_env("Blackjack-multi-v0", n_envs=2, env_kwargs=GAME)
    PPO("MlpPolicy", env, n_steps=32, batch_size=32, device="cpu").learn(64)


def normalized(**arguments: Any) -> VecNormalize:
    env = VecNormalize(make_vec_env("Blackjack-multi-v0", n_envs=2, env_kwargs=GAME), **arguments)
    env.reset()
    for _ in range(200):
        env.step(np.zeros(2, np.int64))
    return env


def test_a_model_with_vec_normalize_is_evaluated_on_normalised_observations() -> None:
    model = PPO("MlpPolicy", normalized(), seed=1, n_steps=64, batch_size=64, device="cpu")
    model.learn(512)
    seen: list[np.ndarray[Any, Any]] = []
    predict = model.predict

    def noted(observations: Any, **arguments: Any) -> Any:
        seen.append(observations)
        return predict(observations, **arguments)

    model.predict = noted  # type: ignore[method-assign]
    before = model.get_vec_normalize_env().obs_rms.mean.copy()  # type: ignore[union-attr]
    evaluate_rounds(model, rounds=16, **GAME)
    assert min(array.min() for array in seen) < -0.1  # raw observations are zeros and ones
    np.testing.assert_array_equal(model.get_vec_normalize_env().obs_rms.mean, before)  # type: ignore[union-attr]


def test_two_normalisers_are_refused() -> None:
    """Only one of them was applied, in silence."""
    model = PPO("MlpPolicy", VecNormalize(normalized(), norm_reward=False), seed=1, device="cpu")
    with pytest.raises(BlackjackError, match="expected one VecNormalize of its observations"):
        evaluate_rounds(model, rounds=32, **GAME)


@pytest.mark.parametrize(
    "numbers", [{"rounds": 0}, {"rounds": True}, {"environments": 0}, {"seed": -1}, {"rounds": 1, "environments": 1}]
)
def test_an_evaluation_of_nothing_is_refused(numbers: dict[str, Any]) -> None:
    model = PPO("MlpPolicy", gym.make("Blackjack-multi-v0", **GAME), seed=1, device="cpu")
    with pytest.raises(BlackjackError, match=r"(rounds|environments|seed): expected a whole number from"):
        evaluate_rounds(model, **({"rounds": 32} | numbers | GAME))


def test_reward_normalisation_alone_leaves_observations_as_they_are() -> None:
    model = PPO("MlpPolicy", normalized(norm_obs=False), seed=1, n_steps=64, batch_size=64, device="cpu")
    plain = PPO("MlpPolicy", gym.make("Blackjack-multi-v0", **GAME), seed=1, n_steps=64, batch_size=64, device="cpu")
    plain.policy.load_state_dict(model.policy.state_dict())
    assert evaluate_rounds(model, rounds=64, **GAME) == evaluate_rounds(plain, rounds=64, **GAME)


def test_a_model_whose_observations_are_not_known_is_refused(tmp_path: Path) -> None:
    stacked = VecFrameStack(make_vec_env("Blackjack-multi-v0", n_envs=1, env_kwargs=GAME), 2)
    with pytest.raises(BlackjackError, match="VecFrameStack changes what it observes"):
        evaluate_rounds(PPO("MlpPolicy", stacked, device="cpu"), rounds=2, **GAME)
    wrapped = gym.wrappers.NormalizeObservation(gym.make("Blackjack-multi-v0", **GAME))
    with pytest.raises(BlackjackError, match="a gymnasium wrapper changes what it observes"):
        evaluate_rounds(PPO("MlpPolicy", wrapped, device="cpu"), rounds=2, **GAME)
    model = PPO("MlpPolicy", gym.make("Blackjack-multi-v0", **GAME), device="cpu")
    model.save(tmp_path / "model")
    with pytest.raises(BlackjackError, match="expected one with its environment"):
        evaluate_rounds(PPO.load(tmp_path / "model", device="cpu"), rounds=2, **GAME)
    evaluate_rounds(PPO.load(tmp_path / "model", env=model.get_env(), device="cpu"), rounds=2, **GAME)


@pytest.mark.parametrize("algorithm", LEARNERS, ids=lambda algorithm: algorithm.__name__)
def test_a_saved_policy_scores_as_the_model_does(algorithm: type, tmp_path: Path) -> None:
    env = gym.make("Blackjack-multi-v0", **GAME)
    model = algorithm("MlpPolicy", env, seed=1, device="cpu", **LEARNERS[algorithm])
    profile = save_policy(tmp_path / "policy", model, **GAME)
    observations = np.stack([env.reset(seed=seed)[0] for seed in range(50)])
    scores = load_policy(tmp_path / "policy").scores_of(observations)
    policy, shown = model.policy, torch.from_numpy(observations)
    with torch.no_grad():
        expected = policy.q_net(shown) if algorithm is DQN else policy.get_distribution(shown).distribution.logits
    order = scores - scores.mean(1, keepdims=True)
    np.testing.assert_allclose(order, (expected - expected.mean(1, keepdim=True)).numpy(), atol=1e-5)
    assert profile.activation == ("relu" if algorithm is DQN else "tanh")


def test_a_normalised_model_is_not_saved_as_a_policy(tmp_path: Path) -> None:
    model = PPO("MlpPolicy", normalized(), seed=1, n_steps=64, batch_size=64, device="cpu")
    with pytest.raises(BlackjackError, match="a saved policy has no VecNormalize"):
        save_policy(tmp_path / "policy", model, **GAME)
    assert not (tmp_path / "policy").exists()
