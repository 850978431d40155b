"""The registry of named strategies: one parser for every place where a strategy is named."""

import os
import re
from collections.abc import Callable
from typing import NamedTuple

from bj_env.errors import BlackjackError, UnknownStrategy, choices, shortened
from bj_env.game.decision import Decision
from bj_env.strategies.basic import ChartDecision
from bj_env.strategies.charts import published
from bj_env.strategies.counting import CountingDecision
from bj_env.strategies.saved_policy import load_policy
from bj_env.strategies.simple import Mimic, NeverBust, RandomLegal, Threshold


class Named(NamedTuple):
    """A strategy with a name.

    Attributes:
        make: makes the decision.
        description: what it does, in one line for a person who chooses.
    """

    make: Callable[[], Decision]
    description: str


HI_LO = "hi-lo"
"""The name of the counting player."""

STRATEGIES = {
    "basic": Named(ChartDecision, "basic strategy for the rules of the table, from published charts or the solver"),
    "mimic": Named(Mimic, "plays like the dealer: draws to 16 and stands on 17"),
    "threshold": Named(Threshold, "hits below 17 and stands from there; threshold:15 stands on 15"),
    "never-bust": Named(NeverBust, "hits only where no card can bust the hand"),
    "random": Named(RandomLegal, "chooses among the legal actions at random"),
    HI_LO: Named(
        CountingDecision, "counts cards with Hi-Lo: bets more, and plays the index plays, when ten cards are left"
    ),
}
"""The strategies that have a name; a total may follow ``threshold``, and published charts go by theirs, too."""

SAMPLED = "sampled:"
"""What stands before the folder of a policy that is to sample its actions."""


def strategy(source: "Decision | str") -> Decision:
    """Return the decision that a name stands for; `STRATEGIES` has the names.

    ``threshold:15`` stands on 15, the name of a published chart like ``s17_4to8_das`` plays that chart, and a path
    loads a saved policy. A saved policy plays its best action; ``sampled:`` before its path lets it sample its actions
    as it did in training.

    Raises:
        BlackjackError: if it is neither a decision, nor a known name, nor the folder of a saved policy.

    >>> type(strategy("mimic")).__name__
    'Mimic'
    """
    if isinstance(source, Decision):
        return source
    if not isinstance(source, str):
        raise BlackjackError(f"strategy: expected a Decision, a name or a policy folder, got {shortened(source)}")
    if source in STRATEGIES:
        return STRATEGIES[source].make()
    if source in published():
        return ChartDecision(published()[source])
    kind, _, number = source.partition(":")
    if kind == "threshold" and re.fullmatch("[0-9]{1,9}", number):
        return Threshold(int(number))
    sampled, path = source.startswith(SAMPLED), source.removeprefix(SAMPLED)
    if sampled or "/" in path or (path and os.path.exists(path)):
        return load_policy(path, sampled=sampled)
    valid = choices(source, STRATEGIES)
    raise UnknownStrategy(f"unknown strategy {shortened(source)}; {valid}, or a policy folder like 'runs/x/policy'")
