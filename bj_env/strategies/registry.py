"""The registry of named strategies: one parser for every place where a strategy is named."""

import os
import re
from collections.abc import Callable

from bj_env.errors import BlackjackError, UnknownStrategy, choices
from bj_env.game.decision import Decision
from bj_env.strategies.basic import ChartDecision
from bj_env.strategies.counting import CountingDecision
from bj_env.strategies.saved_policy import load_policy
from bj_env.strategies.simple import Mimic, NeverBust, RandomLegal, Threshold

_NAMED: dict[str, Callable[[], Decision]] = {
    "basic": ChartDecision,
    "mimic": Mimic,
    "threshold": Threshold,
    "never-bust": NeverBust,
    "random": RandomLegal,
}


HI_LO = "hi-lo"
"""The name of the counting player."""

STRATEGIES = (*_NAMED, HI_LO)
"""The names that `strategy` knows; a total may follow ``threshold``."""

SAMPLED = "sampled:"
"""What stands before the folder of a policy that is to draw its actions."""


def strategy(source: "Decision | str") -> Decision:
    """Return the decision that a name stands for; ``threshold:15`` stands on 15, a path loads a saved policy.

    A saved policy plays its best action; ``sampled:`` before its path lets it draw among them as it did in training.

    Raises:
        BlackjackError: if it is neither a decision, nor a known name, nor the folder of a saved policy.

    >>> type(strategy("mimic")).__name__
    'Mimic'
    """
    if isinstance(source, Decision):
        return source
    if not isinstance(source, str):
        raise BlackjackError(f"decision: expected a Decision, a name or a policy folder, got {source!r}")
    if source in _NAMED:
        return _NAMED[source]()
    if source == HI_LO:
        return CountingDecision()
    kind, _, number = source.partition(":")
    if kind == "threshold" and re.fullmatch("[0-9]{1,9}", number):
        return Threshold(int(number))
    sampled, path = source.startswith(SAMPLED), source.removeprefix(SAMPLED)
    if sampled or "/" in path or (path and os.path.exists(path)):
        return load_policy(path, sampled=sampled)
    raise UnknownStrategy(
        f"unknown decision {source!r}; {choices(source, STRATEGIES)}, or a policy folder like 'runs/x/policy'"
    )
