"""The evaluation of SB3 models: masks, its own environments, a fixed number of rounds in each."""

from typing import Any

import gymnasium as gym
import pytest
from sb3_contrib import MaskablePPO
from stable_baselines3 import A2C, DQN, PPO
from stable_baselines3.common.env_util import make_vec_env

import bj_env  # noqa: F401  (makes the environment known)
from agents.evaluation import EvaluateRounds, evaluate_rounds

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
