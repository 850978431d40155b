"""What every learner gives back, and the environment it trains on."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import gymnasium
import numpy as np
from numpy.typing import NDArray

import bj_env  # noqa: F401  (makes the environment known)
from agents.config import Environment
from bj_env.learned import Profile
from bj_env.terms import Phase

LEARNED = "learned"
"""The name of the trained policy in the benchmark."""


class CurvePoint(NamedTuple):
    """A point of a learning curve: rounds or steps so far, the mean net in bets, and its standard error."""

    done: int
    mean: float
    stderr: float


class Trained(NamedTuple):
    """A trained policy and how it came to be."""

    profile: Profile
    tensors: Mapping[str, NDArray[np.float32]]
    curve: list[CurvePoint]
    unit: str


class SkipUndecided(gymnasium.Wrapper[Any, Any, Any, Any]):
    """Skips rounds in which the agent has nothing to decide: they teach nothing, and evaluation keeps them."""

    def reset(self, **options: Any) -> tuple[Any, dict[str, Any]]:
        """Begin a round with a decision."""
        observation, info = self.env.reset(**options)
        options.pop("seed", None)
        while self.env.unwrapped.episode.phase is Phase.ROUND_OVER:  # type: ignore[attr-defined]
            observation, info = self.env.reset(**options)
        return observation, info


def make(environment: Environment, encoding: str) -> SkipUndecided:
    """Make the environment of a configuration."""
    made = gymnasium.make(
        "Blackjack-multi-v0",
        rules=environment.rules,
        seats=environment.seats,
        encoding=encoding,
        illegal_action="raise",
    )
    return SkipUndecided(made)
