"""What the learners on Stable-Baselines3 share: legs with fresh chance, a state of arrays, layers that need no torch.

SB3 saves models as zips of pickles and goes on where its environments stand. Here a leg begins with chance of its own,
so that weights, moments and a counter say all there is to go on with, and nothing is ever executed from a file.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np
import torch
from stable_baselines3.common.base_class import BaseAlgorithm
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.logger import Logger

from agents.run.config import Config
from agents.run.learners import OnPolicy
from agents.run.training import Tensors
from agents.shared.networks import exported
from agents.shared.vec_env import CompiledVecEnv, compiled_vec_env
from bj_env.env.env import BlackjackEnv
from bj_env.strategies.saved_policy import Profile

LOGGED = {"train/loss": "loss", "train/value_loss": "value_loss", "rollout/exploration_rate": "epsilon"}
"""What SB3 logs that is told of a leg, and under which name."""

MOMENTS = ("exp_avg", "exp_avg_sq")
"""What Adam keeps of each parameter's gradients."""


class SB3Learner(ABC):
    """Trains a model of SB3 leg by leg; says what `MaskablePPOLearner`, `SB3PPOLearner` and `SB3DQNLearner` share.

    Attributes:
        model: the algorithm.
        bets: how many bets a reward of 1 is.
        falling: numbers of the model that SB3 has no schedule for and that fall to 0 over the run, as they begin.
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

    @abstractmethod
    def layers(self) -> Iterable[torch.nn.Linear]:
        """Return the layers that lead from the features to the actions' scores."""

    def left(self, _of_leg: float = 1) -> float:
        """Return which part of the run is left; SB3's schedules are told no more than what is left of a leg."""
        return max(0.0, 1 - self.done / self.config.learner.length)

    def leg(self, progress: Callable[[int], None]) -> Mapping[str, float]:
        """Train one leg, in whole updates; return what there is to log."""
        length = self.config.learner.length // self.config.learner.legs
        number = self.done // length
        self._draw_chance(number)
        watch = _Watch(self, progress)
        self.model.learn((number + 1) * length - self.done, watch, log_interval=None, reset_num_timesteps=False)
        return watch.returns() | self._logged()

    def _draw_chance(self, leg: int) -> None:
        """Give generators and tables what (seed, leg) alone says; let ``learn`` begin new rounds."""
        drawn = np.random.SeedSequence((self.config.seed, leg)).generate_state(1)[0]
        self.model.set_random_seed(int(drawn))
        self.model.env.seed(self.config.training_seed(leg))
        self.model._last_obs = None

    def _logged(self) -> dict[str, float]:
        values = self.model.logger.name_to_value
        scalars = {"learning_rate": float(self.model.policy.optimizer.param_groups[0]["lr"])}
        scalars |= {name: float(values[key]) for key, name in LOGGED.items() if key in values}
        if "train/entropy_loss" in values:
            scalars["entropy"] = -float(values["train/entropy_loss"])
        return scalars

    def policy(self) -> Tensors:
        """Return the layers."""
        return exported(torch.nn.Sequential(*self.layers()))

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


def ppo_settings(settings: OnPolicy, left: Callable[[float], float]) -> dict[str, Any]:
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
        "learning_rate": lambda of_leg: settings.learning_rate * left(of_leg),
        "ent_coef": settings.entropy,
        "gamma": 1.0,
        "gae_lambda": 1.0,
        "policy_kwargs": {"net_arch": settings.hidden, "activation_fn": torch.nn.Tanh},
        "device": "cpu",
    }


def actor_layers(model: Any) -> list[torch.nn.Linear]:
    """Return the layers that score the actions in an actor-critic policy."""
    hidden = [layer for layer in model.policy.mlp_extractor.policy_net if isinstance(layer, torch.nn.Linear)]
    return [*hidden, model.policy.action_net]


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
