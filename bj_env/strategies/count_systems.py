"""Card counting: the known systems, running and true counts, with the deck estimate and its tie rule stated.

Tags are those of ``counting_systems.csv`` beside this file. A running count starts at the system's start value (0 for a
balanced system, minus its sum over the decks beyond the first for another) and adds the tag of every card that has been
face up since the shuffle; the dealer's hole card counts when it is turned, and not before.
"""

import csv
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from math import ceil, floor
from typing import Any, NamedTuple

from bj_env.errors import BlackjackError, choices
from bj_env.rules.terms import Rules

ESTIMATES = {"exact": 0.0, "half": 0.5, "whole": 1.0}
"""To what the number of decks left is rounded, in decks; 0 for not at all."""

TIES = ("up", "down")
"""What becomes of a number of decks that lies just between two."""

_VALUES = ("A", "2", "3", "4", "5", "6", "7", "8", "9", "T")


def running_count(start: float, tags: Any, seen: Any) -> float:
    """Add the tags of all cards seen to where a count starts; by card value 1..10 (index 0 unused).

    >>> running_count(0.0, (0, -1, 1, 1, 1, 1, 1, 0, 0, 0, -1), (0, 1, 0, 3, 0, 0, 0, 0, 0, 0, 0))
    2.0
    """
    count = 0.0 + start
    for value in range(1, 11):
        count += tags[value] * seen[value]
    return count


def estimated_decks(unseen: int, step: float, ties_up: bool) -> float:
    """Estimate the decks that are left from the number of cards not seen, to the nearest ``step`` if that is above 0.

    >>> estimated_decks(39, 0.5, True), estimated_decks(39, 0.5, False), estimated_decks(39, 0.0, True)
    (1.0, 0.5, 0.75)
    """
    decks = max(unseen, 1) / 52
    if step == 0:
        return decks
    steps = floor(decks / step + 0.5) if ties_up else ceil(decks / step - 0.5)
    return max(steps, 1) * step


class System(NamedTuple):
    """A counting system.

    Attributes:
        name: as people call it, in lower case with hyphens.
        tags: by card value 1 (ace) .. 10; index 0 unused.
    """

    name: str
    tags: tuple[float, ...]

    @property
    def sum_per_deck(self) -> float:
        """The sum of the tags over a deck; 0 for a balanced system."""
        return 4 * sum(self.tags[1:10]) + 16 * self.tags[10]

    def start(self, decks: int) -> float:
        """Return the running count of a fresh shoe.

        >>> [system("ko").start(decks) for decks in (1, 2, 6, 8)]
        [0.0, -4.0, -20.0, -28.0]
        """
        return 0.0 - self.sum_per_deck * (decks - 1)

    def running(self, decks: int, seen: Sequence[int]) -> float:
        """Return the running count once so many cards of value 1..10 have been seen (index 0 unused)."""
        return running_count(self.start(decks), self.tags, seen)


@cache
def systems() -> dict[str, System]:
    """Return the known systems by name.

    >>> list(systems())[:4]
    ['hi-lo', 'ko', 'hi-opt-i', 'hi-opt-ii']
    """
    with (files("bj_env.strategies") / "counting_systems.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    named = {row["system"].partition(" (")[0].lower().replace(" ", "-"): row for row in rows}
    return {
        name: System(name, (0.0, *(float(row[f"tag_{value}"]) for value in _VALUES))) for name, row in named.items()
    }


def system(name: str) -> System:
    """Return a counting system by its name.

    Raises:
        BlackjackError: if there is none.
    """
    if name not in systems():
        raise BlackjackError(f"count: unknown system {name!r}; {choices(name, systems())}")
    return systems()[name]


class Count(NamedTuple):
    """How a player counts: the system, and how the decks that are left are estimated.

    Attributes:
        system: the system.
        estimate: one of `ESTIMATES`.
        ties: one of `TIES`.
    """

    system: System
    estimate: str = "exact"
    ties: str = "up"

    def decks_left(self, unseen: int) -> float:
        """Estimate the decks that are left from the number of cards not seen; never 0.

        >>> count = Count(system("hi-lo"), "half")
        >>> count.decks_left(39), count._replace(ties="down").decks_left(39), count.decks_left(1)
        (1.0, 0.5, 0.5)
        """
        return estimated_decks(unseen, ESTIMATES[self.estimate], self.ties == "up")

    def true(self, rules: Rules, seen: Sequence[int]) -> float:
        """Return the true count: the running count by the decks that are left.

        Raises:
            BlackjackError: for an infinite shoe, of which nothing is ever used up.

        >>> round(Count(system("hi-lo")).true(Rules(), [0, 0, 5, *[0] * 7, 0]), 4)  # five twos are out
        0.8469
        """
        if rules.decks == 0:
            raise BlackjackError("count: expected a number of decks, got an infinite shoe, which has no true count")
        unseen = rules.decks * 52 - sum(seen)
        return 0.0 + self.system.running(rules.decks, seen) / self.decks_left(unseen)

    def value(self, rules: Rules, seen: Sequence[int]) -> float:
        """Return what the player goes by: the true count of a balanced system, the running count of another.

        Raises:
            BlackjackError: for an infinite shoe.
        """
        true = self.true(rules, seen)
        return true if self.system.sum_per_deck == 0 else self.system.running(rules.decks, seen)

    def tags_seen_at(self, decks: int, value: float, number: int) -> float:
        """Return the sum of the tags of ``number`` cards seen at which the count is ``value``, or just above.

        >>> Count(system("hi-lo")).tags_seen_at(6, 2, 156)  # a true count of 2 with 3 decks left
        6.0
        """
        decks_left = self.decks_left(decks * 52 - number) if self.system.sum_per_deck == 0 else 1
        return ceil(value * decks_left) - self.system.start(decks)


def count_from(source: "Count | str") -> Count:
    """Return the count that a name stands for: ``"hi-lo"``, or with its estimate and tie rule ``"hi-lo half down"``.

    Raises:
        BlackjackError: if it names no system, estimate or tie rule.

    >>> count_from("ko whole").estimate
    'whole'
    """
    if isinstance(source, Count):
        return source
    words = source.split() if isinstance(source, str) else []
    if not words:
        raise BlackjackError(f"count: expected a system's name, got {source!r}; {choices('', systems())}")
    count = Count(system(words[0]))
    for word in words[1:]:
        if word not in ESTIMATES and word not in TIES:
            raise BlackjackError(f"count: unknown word {word!r}; {choices(word, [*ESTIMATES, *TIES])}")
        count = count._replace(estimate=word) if word in ESTIMATES else count._replace(ties=word)
    return count
