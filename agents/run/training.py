"""What a learner is; one checkpoint interval of training, checked; exact evaluation on the way."""

import math
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from bj_env.analysis.policy_value import best_total_dependent, exact_value
from bj_env.analysis.scores import ROUNDING
from bj_env.errors import BlackjackError, RulesError
from bj_env.strategies.saved_policy import LearnedDecision, Profile

LEARNED = "learned"
"""The name of the trained policy in the benchmark."""

BEYOND_SENSE = 1000.0
"""Bets that no round can win or lose."""

Tensors = Mapping[str, NDArray[Any]]
Row = dict[str, float]
"""What is logged after a checkpoint interval: ``done``, ``return`` and others, by name."""


class Learner(Protocol):
    """What `train.py` trains, one checkpoint interval after another.

    A class of one's own also has a class ``Settings``, a subclass of `agents.run.settings.LearnerSettings`. Every
    interval begins with new random generators, seeded by the run's seed and the number of the interval, so that no
    generator and no environment is part of the state.

    Attributes:
        profile: of the policy.
        unit: what ``done`` counts: ``"rounds"`` or ``"steps"``.
        done: how far it is.
    """

    profile: Profile
    unit: str
    done: int

    def train_interval(self, progress: Callable[[int], None]) -> Mapping[str, float]:
        """Train until the next checkpoint; call ``progress`` with rounds or steps just done; return scalars to log.

        ``return`` (mean net of a training round in bets) and ``return_stderr`` are always among them.
        """

    def policy(self) -> Tensors:
        """Return the tensors of the greedy policy as it stands, for a `LearnedDecision` of the profile."""

    def state(self) -> Tensors:
        """Return all that training goes on from: finite numbers, of the same names and shapes every time."""

    def restore(self, state: Tensors) -> None:
        """Go back to a state."""


class CurvePoint(NamedTuple):
    """A point of a learning curve.

    Attributes:
        done: rounds or steps so far.
        mean: net of a training round in bets.
        stderr: its standard error.
        regret: exact, to the best total-dependent play; NaN where it was not evaluated.
    """

    done: int
    mean: float
    stderr: float
    regret: float = math.nan


class Trained(NamedTuple):
    """A trained policy and how it came to be."""

    profile: Profile
    tensors: Tensors
    curve: list[CurvePoint]
    unit: str


class TrainingError(BlackjackError):
    """Raised when a training has diverged, or a policy is better than the best play."""


def curve_of(history: Sequence[Row]) -> list[CurvePoint]:
    """Return the learning curve of what was noted.

    >>> curve_of([{"done": 10.0, "return": -0.5, "return_stderr": 0.25}])
    [CurvePoint(done=10, mean=-0.5, stderr=0.25, regret=nan)]
    """
    return [
        CurvePoint(int(row["done"]), row["return"], row["return_stderr"], row.get("exact_regret", math.nan))
        for row in history
    ]


def run_interval(learner: Learner, progress: Callable[[int], None]) -> Row:
    """Train until the next checkpoint; return what is to be logged. ``training_seconds`` are without compiling.

    Raises:
        TrainingError: if what the learner says or holds is no number, or beyond sense.
    """
    from numba.core import event  # only where something trains

    before, started, compiling = learner.done, time.perf_counter(), [0.0]
    with np.errstate(over="ignore", invalid="ignore"):  # what comes of it is looked at
        with event.install_timer("numba:compile", compiling.append):
            figures = _figures(learner, progress)
        seconds = time.perf_counter() - started - sum(compiling)
        check_numbers(learner, figures)
    speed = (learner.done - before) / seconds
    return {
        "done": float(learner.done),
        **figures,
        f"{learner.unit}_per_second": speed,
        "training_seconds": seconds,
        "compile_seconds": sum(compiling),
        "time": time.time(),
    }


def _figures(learner: Learner, progress: Callable[[int], None]) -> Row:
    try:
        return {name: float(value) for name, value in learner.train_interval(progress).items()}
    except (ValueError, RuntimeError) as error:  # as torch raises for weights that are no numbers
        _check_tensors(learner, "policy", learner.policy())
        raise error


def check_numbers(learner: Learner, figures: Row) -> None:
    """Look whether what a learner says and holds are numbers that make sense.

    Raises:
        TrainingError: if not.
    """
    for name, value in figures.items():
        if not math.isfinite(value) or (name == "return" and abs(value) > BEYOND_SENSE):
            raise TrainingError(f"the training diverged: {name} is {value:g} after {learner.done:,} {learner.unit}")
    _check_tensors(learner, "policy", learner.policy())
    _check_tensors(learner, "state", learner.state())


def _check_tensors(learner: Learner, what: str, tensors: Tensors) -> None:
    for name, tensor in tensors.items():
        if not np.isfinite(tensor).all():
            where = f"{what} tensor {name!r} is not finite after {learner.done:,} {learner.unit}"
            raise TrainingError(f"the training diverged: {where}")


def is_due(interval: int, intervals: int, evaluations: int) -> bool:
    """Tell whether there is an evaluation after an interval, counted from 1: evenly spread, the last included.

    >>> [interval for interval in range(1, 11) if is_due(interval, 10, 3)]
    [4, 7, 10]
    """
    evaluations = min(evaluations, intervals)
    return interval * evaluations // intervals > (interval - 1) * evaluations // intervals


def evaluated(learner: Learner) -> Row:
    """Return ``exact_ev`` and ``exact_regret`` of the policy as it stands; nothing if they cannot be told.

    Raises:
        TrainingError: if the exact value is above the best of its class: one of them is wrong.
    """
    decision, rules = LearnedDecision(learner.profile, learner.policy()), learner.profile.rules
    if not decision.total_dependent:
        return {}
    try:
        exact, best = exact_value(decision, rules).ev, best_total_dependent(rules).ev
    except RulesError:  # which the solver cannot do exactly
        return {}
    if exact > best + ROUNDING:
        raise TrainingError(
            f"alarm: after {learner.done:,} {learner.unit} the policy has the exact value {exact:.9f}, its class the "
            f"best value {best:.9f}; one of these is wrong"
        )
    return {"exact_ev": exact, "exact_regret": best - exact}
