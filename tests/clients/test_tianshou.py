"""Tianshou's trainer takes masks from the observation under its own names; needs ``tianshou`` from 2.0 on.

It asks for other versions than those of constraints.txt, so it is run by hand: see docs/clients.md.
"""

from typing import Any

import gymnasium as gym
import pytest

tianshou = pytest.importorskip("tianshou", minversion="2.0")

from tianshou.algorithm import DQN  # noqa: E402 (tianshou may be older)
from tianshou.algorithm.modelfree.dqn import DiscreteQLearningPolicy  # noqa: E402
from tianshou.algorithm.optim import AdamOptimizerFactory  # noqa: E402
from tianshou.data import Collector, VectorReplayBuffer  # noqa: E402
from tianshou.env import DummyVectorEnv  # noqa: E402
from tianshou.trainer import OffPolicyTrainerParams  # noqa: E402
from tianshou.utils.net.common import Net  # noqa: E402


def table() -> Any:
    return gym.make("bj_env:Blackjack-multi-v0", mask_in_observation=("obs", "mask"), illegal_action="raise")


def test_its_trainer_takes_legal_actions_only() -> None:
    env = table()
    network = Net(state_shape=env.observation_space["obs"].shape, action_shape=env.action_space.n, hidden_sizes=[32])
    policy = DiscreteQLearningPolicy(
        model=network, action_space=env.action_space, observation_space=env.observation_space, eps_training=0.1
    )
    algorithm = DQN(policy=policy, optim=AdamOptimizerFactory(lr=1e-3), gamma=1.0)
    tables = DummyVectorEnv([table] * 4)
    train = Collector(algorithm, tables, VectorReplayBuffer(2000, 4), exploration_noise=True)
    result = algorithm.run_training(
        OffPolicyTrainerParams(
            training_collector=train,
            test_collector=Collector(algorithm, DummyVectorEnv([table] * 2)),
            max_epochs=1,
            epoch_num_steps=200,
            collection_step_num_env_steps=40,
            update_step_num_gradient_steps_per_sample=0.1,
            batch_size=32,
            test_step_num_episodes=10,
        )
    )
    assert result.test_episode >= 10
