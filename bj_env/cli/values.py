"""How the options of commands are written: whole numbers, percents and ramps, the same for every command."""

import os
import re
from argparse import ArgumentTypeError
from decimal import Decimal
from itertools import pairwise
from math import inf, nan
from pathlib import Path

from bj_env.errors import BlackjackError, shortened

_NUMBER = re.compile(r"\s*(-?(?:[0-9]{1,3}(?:_[0-9]{3})+|[0-9]+)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]{1,3})?)\s*")
"""Digits are 0 to 9; groups of three may be divided by underscores."""


def _decimal(written: str) -> Decimal | None:
    number = _NUMBER.fullmatch(written)
    return Decimal(number[1].replace("_", "")) if number else None


def whole_number(name: str, written: str, least: int, most: int) -> int:
    """Read a whole number, which may be written like 1e7 or 10_000_000.

    Raises:
        BlackjackError: if it is not one, or out of bounds.

    >>> whole_number("rounds", "1e7", 1, 10**15), whole_number("rounds", "10_000_000", 1, 10**15)
    (10000000, 10000000)
    """
    value = _decimal(written)
    small = value is not None and -20 < value.adjusted() < 21  # else it would take long to write it out
    number = int(value) if small and value is not None else -1
    if not small or number != value or not least <= number <= most:
        raise BlackjackError(f"{name}: expected a whole number from {least} to {most}, got {shortened(written)}")
    return number


def number(name: str, written: str, least: float, most: float) -> float:
    """Read a number, which need not be whole.

    Raises:
        BlackjackError: if it is none, or out of bounds.

    >>> number("unit", "2.5", 0, 1e6)
    2.5
    """
    decimal = _decimal(written)
    found = nan if decimal is None else float(decimal)
    if not least <= found <= most:
        raise BlackjackError(f"{name}: expected a number from {least:g} to {most:g}, got {shortened(written)}")
    return found


def file_path(written: str) -> Path:
    """Read the path of a file; as a type for `argparse`.

    Raises:
        ArgumentTypeError: if no file can have it.

    >>> file_path("chart.svg").name
    'chart.svg'
    """
    try:
        possible = b"\0" not in os.fsencode(written) and bool(written)
    except UnicodeEncodeError:
        possible = False
    if not possible:
        raise ArgumentTypeError(f"expected a path, got {shortened(written)}")
    return Path(written)


def person_name(written: str) -> str:
    """Read the name of a person in the practice log; as a type for `argparse`.

    Raises:
        ArgumentTypeError: if it is empty, or holds what is no text, as a byte that a terminal cannot show.

    >>> person_name("Ann")
    'Ann'
    """
    if not written.strip() or not written.isprintable():
        raise ArgumentTypeError(f"expected a name, got {shortened(written)}")
    return written


def percents(name: str, written: str) -> float:
    """Read a positive percents of a bet, and return it in bets.

    Raises:
        BlackjackError: if it is none.

    >>> percents("half-width", "0.05")
    0.0005
    """
    number = _decimal(written)
    value = -1.0 if number is None else float(number) / 100
    if not 1e-9 <= value < 1e9 or value == inf:
        raise BlackjackError(f"{name}: expected percents of a bet, like 0.05, got {shortened(written)}")
    return value


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
