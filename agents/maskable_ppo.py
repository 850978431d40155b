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
from agents.training import Tensors
from agents.vec_env import compiled_vec_env
from bj_env.env import BlackjackEnv
from bj_env.learned import Profile


class MaskablePPOLearner:
    """SB3's algorithm, made anew for each leg with the weights and the moments of the one before."""

    unit = "steps"

    def __init__(self, config: Config) -> None:
        assert isinstance(config.learner, MaskablePPO)
        torch.set_num_threads(1)  # more threads wait for each other on networks this small
        self.done = self._leg = 0
        self._config, self._learner = config, config.learner
        env = BlackjackEnv(rules=config.environment.rules, seats=config.environment.seats)
        self.profile = Profile("network", env.rules, len(config.environment.seats), env.bets, ("hand",))
        self._model = _model(config, self._learner, 0)

    def leg(self, progress: Callable[[int], None]) -> Mapping[str, float]:
        """Train on fresh tables."""
        state, curve = self.state(), _Curve(progress)
        self._model = _model(self._config, self._learner, self._leg)
        self.restore(state)
        self._model.learn(self._learner.steps // self._learner.legs, callback=curve)
        self._leg, self.done = self._leg + 1, self.done + self._model.num_timesteps
        nets = np.array(curve.nets)
        return {"return": float(nets.mean()), "return_stderr": float(nets.std(ddof=1) / len(nets) ** 0.5)}

    def policy(self) -> Tensors:
        """Return the layers that lead to the action's scores."""
        return tensors(self._model)

    def state(self) -> Tensors:
        """Return weights, moments and counters."""
        optimizer = self._model.policy.optimizer
        state: dict[str, NDArray[Any]] = {"counters": np.array([self.done, self._leg])}
        for number, weight in enumerate(self._model.policy.parameters()):
            moments = optimizer.state.get(weight, {})
            state[f"{number}.weight"] = weight.detach().numpy().copy()
            state[f"{number}.step"] = np.array(float(moments.get("step", 0.0)))
            for name in ("exp_avg", "exp_avg_sq"):
                state[f"{number}.{name}"] = moments.get(name, torch.zeros_like(weight)).numpy().copy()
        return state

    def restore(self, state: Tensors) -> None:
        """Go back to a state."""
        self.done, self._leg = state["counters"].tolist()
        optimizer = self._model.policy.optimizer
        for number, weight in enumerate(self._model.policy.parameters()):
            weight.data.copy_(torch.as_tensor(state[f"{number}.weight"]))
            optimizer.state[weight] = {
                "step": torch.tensor(float(state[f"{number}.step"])),
                **{name: torch.tensor(state[f"{number}.{name}"]) for name in ("exp_avg", "exp_avg_sq")},
            }


def _model(config: Config, learner: MaskablePPO, leg: int) -> Algorithm:
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
        learning_rate=lambda left: learner.learning_rate * (learner.legs - leg - 1 + left) / learner.legs,
        ent_coef=learner.entropy,
        gamma=1.0,
        gae_lambda=1.0,
        policy_kwargs={"net_arch": learner.hidden, "activation_fn": torch.nn.Tanh},
        seed=(config.seed + 10_007 * leg) % (1 << 32),
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
    """Notes the net of the rounds played, and tells how far the training is."""

    def __init__(self, progress: Callable[[int], None]) -> None:
        super().__init__()
        self.progress = progress
        self.nets: list[float] = []
        self._told = 0

    def _on_step(self) -> bool:
        self.nets += [info["episode"]["r"] for info in self.locals["infos"] if "episode" in info]
        return True

    def _on_rollout_end(self) -> None:
        self.progress(self.num_timesteps - self._told)
        self._told = self.num_timesteps
