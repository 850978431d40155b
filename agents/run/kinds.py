"""Which learner a ``kind`` names: one of this package, or a class of one's own as ``module:class``."""

import sys
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

from agents.run.settings import (
    DeepMonteCarloSettings,
    LearnerSettings,
    MaskablePPOSettings,
    MonteCarloSettings,
    PPOSettings,
    RuleConditionedSettings,
    SB3DQNSettings,
    SB3PPOSettings,
    TemporalDifferenceSettings,
)
from bj_env.errors import BlackjackError, choices

if TYPE_CHECKING:
    from agents.run.config import Config
    from agents.run.training import Learner

_SETTINGS: tuple[type[LearnerSettings], ...] = (
    MonteCarloSettings,
    DeepMonteCarloSettings,
    TemporalDifferenceSettings,
    PPOSettings,
    RuleConditionedSettings,
    MaskablePPOSettings,
    SB3PPOSettings,
    SB3DQNSettings,
)

KINDS = {str(get_args(each.model_fields["kind"].annotation)[0]): each for each in _SETTINGS}
"""The settings of the learners of this package, by ``kind``."""

METHODS = ("train_interval", "policy", "state", "restore")
"""What `agents.run.training.Learner` asks of a class."""


class KindError(BlackjackError):
    """Raised when a ``kind`` names no learner."""


def settings_class(kind: object) -> type[LearnerSettings]:
    """Return the class of the settings of a kind of learner.

    Raises:
        KindError: if there is no such learner.

    >>> settings_class("ppo").__name__
    'PPOSettings'
    """
    if isinstance(kind, str) and ":" in kind:
        settings = getattr(learner_class(kind), "Settings", None)
        if not (isinstance(settings, type) and issubclass(settings, LearnerSettings)):
            raise KindError(f"{kind!r}: expected a class Settings(LearnerSettings) in it; see docs/learners.md")
        return settings
    if kind not in KINDS:
        problem = "field required" if kind is None else f"unknown kind {kind!r}"
        raise KindError(f"{problem}; {choices(kind, KINDS)}, or a class of yours like 'my_module:MyLearner'")
    return KINDS[str(kind)]


def learner_class(path: str) -> Any:
    """Import the class ``module:class`` of a learner; the current directory is searched too.

    Raises:
        KindError: if it cannot be imported or is no learner.
    """
    module_name, _, name = path.partition(":")
    here = str(Path.cwd())
    if here not in sys.path:
        sys.path.append(here)
    try:
        module = import_module(module_name)
    except Exception as error:  # a module of one's own may raise anything
        said = " ".join(str(error).split())
        raise KindError(f"cannot import {module_name!r}: {type(error).__name__}: {said}") from None
    if not isinstance(found := getattr(module, name, None), type):
        classes = [each for each, value in vars(module).items() if isinstance(value, type)]
        raise KindError(f"module {module_name!r} has no class {name!r}; {choices(name, classes)}")
    if missing := [method for method in METHODS if not hasattr(found, method)]:
        raise KindError(f"{path!r} is no learner: it has no method {missing[0]!r}; see docs/learners.md")
    return found


def make_learner(config: "Config") -> "Learner":
    """Return a new learner for a configuration. Its module is imported only now: torch takes a while."""
    learner: Learner = learner_class(config.learner.implementation or config.learner.kind)(config)
    return learner
