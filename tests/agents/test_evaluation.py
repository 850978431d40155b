"""The evaluation of SB3 models: masks, its own environments, a fixed number of rounds in each."""

from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from sb3_contrib import MaskablePPO
from stable_baselines3 import A2C, DQN, PPO
from stable_baselines3.common.env_util import make_vec_env

import bj_env  # noqa: F401  (makes the environment known)
from agents.shared.evaluation import EvaluateRounds, evaluate_rounds

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
        return np.zeros(1), self.reward if over else 0.0, over, False, {}


class Still:
    def predict(self, observations: Any, deterministic: bool) -> tuple[Any, None]:
        return np.zeros(len(observations), np.int64), None


@pytest.mark.parametrize("rounds", [16, 32])
def test_b122_short_rounds_are_not_favoured(rounds: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """To stop at the first 16 that finish in 16 environments would give -0.55, at the first 32 -0.23; the mean is 0."""
    monkeypatch.setattr("agents.shared.evaluation.BlackjackEnv", ShortAndLong)
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
