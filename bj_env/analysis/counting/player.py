"""A counting player by the names of a system and of an index set."""

from bj_env.analysis.counting.indices import index_plays, insurance_index
from bj_env.errors import BlackjackError, choices
from bj_env.rules.houses import parse_rules
from bj_env.rules.terms import Rules
from bj_env.strategies.count_systems import count_from
from bj_env.strategies.counting import HI_LO_PLAYS, INSURANCE_INDEX, CountingDecision

INDEX_SETS = ("none", "i18", "full")
"""Basic strategy; the Illustrious 18, the Fab 4 and insurance; every play that depends on the count."""


def counting_player(rules: Rules | str, system: str, indices: str = "i18") -> CountingDecision:
    """Return who counts by a system and leaves basic strategy by an index set.

    Hi-Lo has the published numbers of the Illustrious 18 and the Fab 4. Other systems, and ``full``, get the numbers of
    `bj_env.analysis.counting.indices` for the rules.

    Args:
        rules: the house's.
        system: a counting system, perhaps with how its count is taken, like ``"hi-lo half"``.
        indices: one of `INDEX_SETS`.

    Raises:
        BlackjackError: if a name is unknown.

    >>> counting_player("6D PEN75", "hi-lo", "none").plays
    {}
    """
    count, house = count_from(system), parse_rules(rules)
    if indices not in INDEX_SETS:
        raise BlackjackError(f"indices: unknown set {indices!r}; {choices(indices, INDEX_SETS)}")
    if indices == "none":
        return CountingDecision(count, plays=(), insurance=None)
    if indices == "i18" and count.system.name == "hi-lo":
        return CountingDecision(count, insurance=INSURANCE_INDEX)
    plays = index_plays(house, count, HI_LO_PLAYS if indices == "i18" else None)
    return CountingDecision(count, plays=plays, insurance=insurance_index(house, count))
