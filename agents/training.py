"""What every learner gives back."""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bj_env.learned import Profile

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
