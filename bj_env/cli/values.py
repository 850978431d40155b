"""How the options of commands are written: whole numbers, percents and ramps."""

import re
from decimal import Decimal, InvalidOperation
from itertools import pairwise

from bj_env.errors import BlackjackError, shortened


def ramp_from(written: str) -> tuple[tuple[int, int], ...]:
    """Read a ramp of bets: true counts, and the multiple of the smallest bet from there on.

    Raises:
        BlackjackError: if it does not read, or does not rise.

    >>> ramp_from("1:2,2:4,3:8")
    ((1, 2), (2, 4), (3, 8))
    """
    steps = [re.fullmatch(r"\s*(-?[0-9]{1,3}):([0-9]{1,6})\s*", step) for step in written.split(",")]
    ramp = tuple((int(step[1]), int(step[2])) for step in steps if step)
    rising = all(one[0] < two[0] and one[1] <= two[1] for one, two in pairwise(ramp))
    if len(ramp) < len(steps) or not rising:
        raise BlackjackError(f"ramp: expected rising counts and bets, like 1:2,2:4,3:8, got {shortened(written)}")
    return ramp


def whole_number(name: str, written: str, least: int, most: int) -> int:
    """Read a whole number, written in ASCII digits like 2000 or 1e7; underscores may group digits.

    Raises:
        BlackjackError: if it is not one, or out of bounds.

    >>> whole_number("rounds", "1e7", 1, 10**15), whole_number("rounds", "10_000_000", 1, 10**15)
    (10000000, 10000000)
    """
    try:
        value = Decimal(written if _NUMBER.fullmatch(written) else "nan")
    except InvalidOperation:
        value = Decimal("nan")
    small = value.is_finite() and -20 < value.adjusted() < 21  # else it would take long to write it out
    number = int(value) if small else -1
    if not small or number != value or not least <= number <= most:
        raise BlackjackError(f"{name}: expected a whole number from {least} to {most}, got {shortened(written)}")
    return number


def percents(name: str, written: str) -> float:
    """Read percents of a bet, and return bets.

    Raises:
        BlackjackError: if they are not a number above 0.

    >>> percents("half-width", "0.05")
    0.0005
    """
    value = float(written) / 100 if _NUMBER.fullmatch(written) else 0.0
    if not 1e-9 <= value < 1e9:
        raise BlackjackError(f"{name}: expected percents of a bet, like 0.05, got {shortened(written)}")
    return value


_NUMBER = re.compile(r"-?[0-9]+(_[0-9]+)*(\.[0-9]+)?(e[+-]?[0-9]{1,9})?", re.ASCII | re.IGNORECASE)
