"""MaskablePPO of sb3-contrib on ``Blackjack-multi-v0``: illegal actions have probability 0 in training and in play.

The network is exported layer by layer, so that the trained policy plays as a `Decision` without torch and SB3. Input
is one-hot (the ``features`` encoding): scaled numbers cost most of what there is to learn.
"""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from sb3_contrib import MaskablePPO as Algorithm
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.vec_env import VecMonitor

from agents.config import Config, MaskablePPO
from agents.training import CurvePoint, Trained
from agents.vec_env import compiled_vec_env
from bj_env.env import BlackjackEnv
from bj_env.learned import Profile


def train(config: Config, progress: Callable[[int], None]) -> Trained:
    """Train a network.

    Args:
        config: of the run, with a `MaskablePPO` learner.
        progress: called with the number of steps just taken.
    """
    learner = config.learner
    assert isinstance(learner, MaskablePPO)
    torch.set_num_threads(1)  # more threads wait for each other on networks this small
    model = _model(config, learner)
    curve = _Curve(progress)
    model.learn(learner.steps, callback=curve)
    env = BlackjackEnv(rules=config.environment.rules, seats=config.environment.seats)
    profile = Profile("network", env.rules, len(config.environment.seats), env.bets, ("hand",), activation="tanh")
    return Trained(profile, tensors(model), curve.points, "steps")


def _model(config: Config, learner: MaskablePPO) -> Algorithm:
    game = config.environment
    tables = compiled_vec_env(
        learner.environments, skip_undecided=True, rules=game.rules, seats=game.seats, illegal_action="raise"
    )
    return Algorithm(
        "MlpPolicy",
        VecMonitor(tables),
        n_steps=learner.steps_per_update,
        batch_size=learner.batch_size,
        n_epochs=learner.epochs,
        learning_rate=lambda left: learner.learning_rate * left,
        ent_coef=learner.entropy,
        gamma=1.0,
        gae_lambda=1.0,
        policy_kwargs={"net_arch": learner.hidden, "activation_fn": torch.nn.Tanh},
        seed=config.seed,
        device="cpu",
    )


def tensors(model: Algorithm) -> Mapping[str, NDArray[np.float32]]:
    """Export the layers that lead to the action's scores: ``0.weight`` ``[out, in]``, ``0.bias`` ``[out]``, ..."""
    policy: Any = model.policy
    layers = [layer for layer in policy.mlp_extractor.policy_net if isinstance(layer, torch.nn.Linear)]
    exported = {}
    for number, layer in enumerate([*layers, policy.action_net]):
        exported[f"{number}.weight"] = layer.weight.detach().numpy().copy()
        exported[f"{number}.bias"] = layer.bias.detach().numpy().copy()
    return exported


class _Curve(BaseCallback):
    """Notes the mean net of the rounds played in each update, and tells how far the training is."""

    def __init__(self, progress: Callable[[int], None]) -> None:
        super().__init__()
        self.progress = progress
        self.points: list[CurvePoint] = []
        self._nets: list[float] = []
        self._told = 0

    def _on_step(self) -> bool:
        self._nets += [info["episode"]["r"] for info in self.locals["infos"] if "episode" in info]
        return True

    def _on_rollout_end(self) -> None:
        self.progress(self.num_timesteps - self._told)
        self._told = self.num_timesteps
        nets = np.array(self._nets)
        self.points.append(
            CurvePoint(self.num_timesteps, float(nets.mean()), float(nets.std(ddof=1) / len(nets) ** 0.5))
        )
        self._nets = []
