"""Errors: one line each, saying what was expected, what came, and the nearest valid choice."""

from collections.abc import Iterable
from difflib import get_close_matches


class BlackjackError(ValueError):
    """Is raised for anything wrong that a caller handed in; nothing has changed when it is."""


class RulesError(BlackjackError):
    """Is raised for a house or a rule text that makes no sense."""


class NotationError(BlackjackError):
    """Is raised for a line of round notation that does not read, or does not play."""


class RenderModeError(BlackjackError, TypeError):
    """Is raised for an unknown way of rendering; a `TypeError`, at which SB3's ``make_vec_env`` does without."""


class IllegalAction(BlackjackError):
    """Is raised for an action that the rules do not allow now."""


class DecisionError(BlackjackError):
    """Is raised when a seat's ``Decision`` fails or answers nonsense; names seat and hand."""


class UnknownStrategy(BlackjackError):
    """Is raised for a name that no strategy has."""


class PolicyError(BlackjackError):
    """Is raised for a saved policy that is damaged, unknown or does not fit."""


def choices(came: object, valid: Iterable[object]) -> str:
    """Say what the valid choices are, the nearest one first if there is a near one.

    >>> choices("six-dek", ["six-deck", "infinite"])
    "did you mean 'six-deck'? valid: 'six-deck', 'infinite'"
    >>> choices("zzz", ["six-deck", "infinite"])
    "valid: 'six-deck', 'infinite'"
    """
    names = [str(choice) for choice in valid]
    near = get_close_matches(str(came), names, n=1, cutoff=0.5)
    hint = f"did you mean {near[0]!r}? " if near else ""
    return hint + "valid: " + ", ".join(map(repr, names))
