"""Errors: one line each, saying what was expected, what came, and the nearest valid choice."""

from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from itertools import islice
from math import inf, nan
from numbers import Real
from typing import Any, TypeGuard, cast

LONGEST_ECHO = 60
"""Error messages repeat so many letters of what came."""

LONGEST_MESSAGE = 500
"""No error message has more letters: whatever came, a message fits a screen."""

MOST_ITEMS = 1_000
"""A list that is given as an argument has no more items."""


def one_line(message: str) -> str:
    """Return a message as one line, cut in the middle where it would be longer than `LONGEST_MESSAGE`."""
    line = " ".join(message.splitlines())
    half = LONGEST_MESSAGE // 2
    return line if len(line) <= LONGEST_MESSAGE else f"{line[: half - 3]}...{line[-half:]}"


class BlackjackError(ValueError):
    """Raised for anything wrong that a caller handed in; nothing has changed when it is.

    Its message is made `one_line`.

    >>> len(str(BlackjackError("x" * 100_000)))
    500
    """

    def __init__(self, message: str = "") -> None:
        super().__init__(one_line(message))


class RulesError(BlackjackError):
    """Raised for a house or a rule text that makes no sense."""


class NotationError(BlackjackError):
    """Raised for a line of round notation that does not read, or does not play."""


class RenderModeError(BlackjackError, TypeError):
    """Raised for an unknown way of rendering; a `TypeError`, at which SB3's ``make_vec_env`` does without."""


class UnknownArgument(BlackjackError, TypeError):
    """Raised when an environment is made with a keyword that it does not have; a `TypeError`, as Python's own."""


class IllegalAction(BlackjackError):
    """Raised for an action that the rules do not allow now."""


class DecisionError(BlackjackError):
    """Raised when a seat's ``Decision`` fails or answers nonsense; names seat and hand."""


class UnknownStrategy(BlackjackError):
    """Raised for a name that no strategy has."""


class PolicyError(BlackjackError):
    """Raised for a saved policy that is damaged, unknown or does not fit."""


def shortened(came: object) -> str:
    """Write what came for a message: as `repr` does, a long text cut in the middle.

    >>> shortened("x" * 100_000)
    "'xxxxxxxxxxxxxxxxxxxxxxxxxxxx...xxxxxxxxxxxxxxxxxxxxxxxxxxxx'"
    >>> shortened(17)
    '17'
    """
    written = repr(came[: LONGEST_ECHO + 1] + came[-LONGEST_ECHO:] if _is_long(came) else came)
    half = (LONGEST_ECHO - 3) // 2 + 1
    return written if len(written) <= LONGEST_ECHO + 2 else f"{written[:half]}...{written[-half:]}"


def _is_long(came: object) -> TypeGuard[str]:
    return isinstance(came, str) and len(came) > 2 * LONGEST_ECHO


def one_of(name: str, came: object, valid: Sequence[str]) -> str:
    """Return what came if it is one of the valid words.

    Raises:
        BlackjackError: if it is not.

    >>> one_of("reward", "sampled", ("sampled", "expected"))
    'sampled'
    """
    if not isinstance(came, str) or came not in valid:
        raise BlackjackError(f"{name}: got {shortened(came)}; {choices(came, valid)}")
    return came


def is_flag(came: object) -> bool:
    """Tell whether a value is on or off, numpy's included; no number is.

    >>> is_flag(False), is_flag(0)
    (True, False)
    """
    kind = type(came)  # by its name, since the rules do without numpy
    return kind is bool or (kind.__module__ == "numpy" and kind.__name__ in ("bool", "bool_"))


def flag_of(name: str, came: object) -> bool:
    """Return a value that is on or off.

    Raises:
        BlackjackError: if it is none.

    >>> flag_of("record_in_info", came=False)
    False
    """
    if not is_flag(came):
        raise BlackjackError(f"{name}: expected True or False, got {shortened(came)}")
    return bool(came)


def real_number(came: object) -> float:
    """Return a number as a float, numpy's as they are written: ``np.float32(0.1)`` is 0.1; nan if it is none.

    Texts, complex numbers and bools are none. What is too large for a float is infinite.

    >>> real_number(3), real_number(10**400), real_number(True)
    (3.0, inf, nan)
    """
    if isinstance(came, bool) or not isinstance(came, Real):
        return nan
    try:
        return float(str(came)) if hasattr(came, "dtype") else float(came)
    except OverflowError:
        return inf if cast(float, came) > 0 else -inf


def items_of(name: str, came: object, expected: str) -> tuple[Any, ...]:
    """Return the items of a list, a tuple, an array or whatever else can be walked through, but for a text.

    Raises:
        BlackjackError: if it has no items, or over `MOST_ITEMS`, as an iterator without end has.

    >>> items_of("bets", range(3), "sizes")
    (0, 1, 2)
    """
    try:
        items = None if isinstance(came, str | bytes) else tuple(islice(cast(Iterable[Any], came), MOST_ITEMS + 1))
    except TypeError:  # a number, or an array without a dimension
        items = None
    if items is None:
        raise BlackjackError(f"{name}: expected {expected}, got {shortened(came)}")
    if len(items) > MOST_ITEMS:
        raise BlackjackError(f"{name}: expected {expected}, got over {MOST_ITEMS} items")
    return items


def choices(came: object, valid: Iterable[object]) -> str:
    """Say what the valid choices are, the nearest one first if there is a near one.

    >>> choices("six-dek", ["six-deck", "infinite"])
    "did you mean 'six-deck'? valid: 'six-deck', 'infinite'"
    >>> choices("zzz", ["six-deck", "infinite"])
    "valid: 'six-deck', 'infinite'"
    """
    names = [str(choice) for choice in valid]
    near = _closest(came, names) if isinstance(came, str) else ""
    hint = f"did you mean {near!r}? " if near else ""
    return hint + "valid: " + ", ".join(map(repr, names))


def nearest(came: object, names: Iterable[str]) -> str:
    """Return the name that is most like what came, but not the same; empty if none is near.

    >>> nearest("H71", ["S17", "H17"]), nearest("H17", ["H17"])
    ('H17', '')
    """
    near = _closest(str(came), names)
    return near if near != str(came) else ""


def _closest(text: str, names: Iterable[str]) -> str:
    if len(text) > LONGEST_ECHO:
        return ""  # the search takes long, and finds nothing
    near = get_close_matches(text, list(names), n=1, cutoff=0.5)
    return near[0] if near else ""
