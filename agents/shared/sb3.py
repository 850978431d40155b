"""What the learners on Stable-Baselines3 share: training in checkpoint intervals, with a state of plain arrays.

SB3 saves models as zips of pickles and continues where its environments stand. Here every interval begins with new
seeds, so that weights, moments of Adam and a counter are the whole state, and nothing is ever executed from a file.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import torch
from stable_baselines3.common.base_class import BaseAlgorithm
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.logger import Logger

from agents.run.config import Config
from agents.run.settings import SB3OnPolicySettings
from agents.run.training import Tensors
from bj_env.env.env import BlackjackEnv
from bj_env.sb3 import CompiledVecEnv, compiled_vec_env, policy_layers, policy_tensors
from bj_env.strategies.saved_policy import Profile

LOGGED = {
    **{f"train/{name}": name for name in ("loss", "value_loss", "approx_kl", "clip_fraction", "explained_variance")},
    "train/policy_gradient_loss": "policy_loss",
    "rollout/exploration_rate": "exploration_rate",
}
"""Diagnostics of SB3 that are logged, and their names here."""

MOMENTS = ("exp_avg", "exp_avg_sq")
"""What Adam keeps of each parameter's gradients."""


class SB3Learner(ABC):
    """Trains a model of SB3; the base of `MaskablePPOLearner`, `SB3PPOLearner` and `SB3DQNLearner`.

    Attributes:
        model: the algorithm.
        bets: how many bets a reward of 1 is.
        falling: first values of attributes of the model that fall to 0 over the run and that SB3 has no schedule for.
    """

    unit = "steps"
    bets = 1.0
    falling: Mapping[str, float] = {}

    def __init__(self, config: Config, activation: str) -> None:
        self.config = config
        self.done = 0
        env = BlackjackEnv(rules=config.environment.rules, seats=config.environment.seats)
        seats = len(config.environment.seats)
        self.profile = Profile("network", env.rules, seats, env.bets, ("hand",), activation=activation)
        torch.set_num_threads(1)  # more threads wait for each other on networks this small
        self.model: Any = self.make_model()
        self.model.set_logger(Logger(None, []))  # else SB3 makes a folder for logs among the system's temporary files

    @abstractmethod
    def make_model(self) -> BaseAlgorithm:
        """Make the algorithm and its tables."""

    def make_tables(self, number: int, illegal_action: str) -> CompiledVecEnv:
        """Make tables of the run's game, without the rounds in which the agent has nothing to decide."""
        game = self.config.environment.model_dump()
        return compiled_vec_env(number, skip_undecided=True, illegal_action=illegal_action, **game)

    def left(self, _of_interval: float = 1) -> float:
        """Return which part of the run is left; SB3's schedules know only what is left of an interval."""
        return max(0.0, 1 - self.done / self.config.learner.length)

    def train_interval(self, progress: Callable[[int], None]) -> Mapping[str, float]:
        """Train until the next checkpoint, in whole updates; return what is to be logged."""
        length = self.config.learner.length // self.config.learner.checkpoints
        number = self.done // length
        self._seed_interval(number)
        watch = _Watch(self, progress)
        self.model.learn((number + 1) * length - self.done, watch, log_interval=None, reset_num_timesteps=False)
        return watch.returns() | self._logged()

    def _seed_interval(self, interval: int) -> None:
        """Seed generators and tables by (seed, interval) alone; let ``learn`` begin new rounds."""
        drawn = np.random.SeedSequence((self.config.seed, interval)).generate_state(1)[0]
        self.model.set_random_seed(int(drawn))
        self.model.env.seed(self.config.training_seed(interval))
        self.model._last_obs = None

    def _logged(self) -> dict[str, float]:
        values = self.model.logger.name_to_value
        scalars = {"learning_rate": float(self.model.policy.optimizer.param_groups[0]["lr"])}
        scalars |= {name: float(values[key]) for key, name in LOGGED.items() if key in values}
        if "train/entropy_loss" in values:
            scalars |= {"entropy": -float(values["train/entropy_loss"]), "entropy_coefficient": self.model.ent_coef}
        if np.isnan(scalars.get("explained_variance", 0.0)):  # as SB3 has it where all returns are equal
            del scalars["explained_variance"]
        return scalars

    def policy(self) -> Tensors:
        """Return the layers that lead from the features to the scores of the actions."""
        layers, _ = policy_layers(self.model)
        return policy_tensors(layers)

    def state(self) -> Tensors:
        """Return weights, Adam's step and moments for each parameter, and the counter."""
        state = {f"policy.{name}": tensor.numpy().copy() for name, tensor in self.model.policy.state_dict().items()}
        optimizer = self.model.policy.optimizer
        for number, weight in enumerate(optimizer.param_groups[0]["params"]):
            known = optimizer.state.get(weight, {})  # nothing before the first update
            state[f"adam.{number}.step"] = np.array(float(known.get("step", 0)), np.float32)
            for moment in MOMENTS:
                state[f"adam.{number}.{moment}"] = known.get(moment, torch.zeros_like(weight)).numpy().copy()
        return state | {"done": np.array(self.done)}

    def restore(self, state: Tensors) -> None:
        """Go back to a state."""
        policy, optimizer = self.model.policy, self.model.policy.optimizer
        policy.load_state_dict({name: torch.tensor(state[f"policy.{name}"]) for name in policy.state_dict()})
        for number, weight in enumerate(optimizer.param_groups[0]["params"]):
            optimizer.state[weight] = {
                name: torch.tensor(state[f"adam.{number}.{name}"]) for name in ("step", *MOMENTS)
            }
        self.done = self.model.num_timesteps = int(state["done"])


def ppo_settings(settings: SB3OnPolicySettings, left: Callable[[float], float]) -> dict[str, Any]:
    """Return the arguments that PPO and MaskablePPO share.

    A round's reward is whole, so nothing is discounted; and it comes within a few steps, so advantages are returns less
    the baseline, without bootstrapping.

    Args:
        settings: of the learner.
        left: which part of the run is left.
    """
    return {
        "n_steps": settings.steps_per_update,
        "batch_size": settings.batch_size,
        "n_epochs": settings.epochs,
        "learning_rate": lambda of_interval: settings.learning_rate * left(of_interval),
        "ent_coef": settings.entropy_coefficient,
        "gamma": 1.0,
        "gae_lambda": 1.0,
        "policy_kwargs": {"net_arch": settings.hidden_sizes, "activation_fn": torch.nn.Tanh},
        "device": "cpu",
    }


class _Watch(BaseCallback):
    """Keeps count of steps, tells of them, and sums up the rounds' returns.

    A round pays once, with its last step: no monitor need add up rewards, table by table.
    """

    def __init__(self, learner: SB3Learner, progress: Callable[[int], None]) -> None:
        super().__init__()
        self.learner = learner
        self.progress = progress
        self.rounds, self.sum, self.squares = 0, 0.0, 0.0

    def _on_step(self) -> bool:
        nets = self.locals["rewards"][self.locals["dones"]].astype(np.float64) * self.learner.bets
        self.rounds += len(nets)
        self.sum += float(nets.sum())
        self.squares += float(nets @ nets)
        self.progress(self.num_timesteps - self.learner.done)
        self.learner.done = self.num_timesteps
        for name, first in self.learner.falling.items():
            setattr(self.model, name, first * self.learner.left())
        return True

    def returns(self) -> dict[str, float]:
        """Return the mean net of a round in bets, and its standard error."""
        rounds = max(2, self.rounds)
        mean = self.sum / rounds
        variance = max(0.0, self.squares / rounds - mean**2) * rounds / (rounds - 1)
        return {"return": mean, "return_stderr": float(np.sqrt(variance / rounds))}
