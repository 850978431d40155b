"""Card counting: the known systems, running and true counts, with the deck estimate and its tie rule stated.

Tags are those of ``counting_systems.csv`` beside this file, with the published efficiencies. A running count starts at
the system's start value (0 for a balanced system, minus its sum over the decks beyond the first for another) and adds
the tag of every card that has been face up since the shuffle; the dealer's hole card counts when it is turned, and not
before.
"""

import csv
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from math import ceil, floor, inf, nextafter
from typing import Any, NamedTuple

from bj_env.errors import BlackjackError, choices
from bj_env.rules.terms import Rules

ESTIMATES = {"exact": 0.0, "half": 0.5, "whole": 1.0}
"""To what the number of decks left is rounded, in decks; 0 for not at all."""

TIES = ("up", "down")
"""How a number of decks halfway between two steps is rounded."""

ROUNDINGS = ("floor", "truncate", "round")
"""How a count becomes a whole number: down, towards 0, or to the nearest (a half goes up)."""

TRUE_COUNTED = "true"
"""The word for an unbalanced system that is divided by the decks left, like a balanced one."""

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


def whole_count(count: float, rounding: int) -> int:
    """Round a count as `ROUNDINGS` number ``rounding`` says.

    >>> [[whole_count(count, rounding) for count in (-1.5, -0.2, 0.5, 1.7)] for rounding in range(3)]
    [[-2, -1, 0, 1], [-1, 0, 0, 1], [-1, 0, 1, 2]]
    """
    if rounding == 1 and count < 0:
        return ceil(count)
    return floor(count + 0.5) if rounding == 2 else floor(count)


def true_count(running: float, pivot: float, decks_left: float) -> float:
    """Divide a running count by the decks left; ``pivot``: the sum of an unbalanced system's tags over a deck.

    >>> true_count(-20.0, 4.0, 6.0), true_count(6.0, 0.0, 3.0)
    (0.0, 2.0)
    """
    return (running - pivot) / decks_left + pivot


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
def _rows() -> list[dict[str, str]]:
    with (files("bj_env.strategies") / "counting_systems.csv").open(encoding="utf-8") as file:
        return list(csv.DictReader(file))


@cache
def systems() -> dict[str, System]:
    """Return the known systems by name.

    >>> list(systems())[:4], len(systems())
    (['hi-lo', 'ko', 'hi-opt-i', 'hi-opt-ii'], 22)
    """
    return {
        row["name"]: System(row["name"], (0.0, *(float(row[f"tag_{value}"]) for value in _VALUES))) for row in _rows()
    }


@cache
def aliases() -> dict[str, str]:
    """Return the other names of the systems.

    >>> aliases()["halves"]
    'wong-halves'
    """
    return {alias: row["name"] for row in _rows() for alias in row["aliases"].split()}


def published(name: str) -> dict[str, float]:
    """Return the published correlations of a system that were found: ``BC``, ``PE``, ``IC``.

    >>> published("hi-lo")
    {'BC': 0.97, 'PE': 0.51, 'IC': 0.76}
    """
    row = next(row for row in _rows() if row["name"] == system(name).name)
    columns = ((measure, row[f"{measure}_published"]) for measure in ("BC", "PE", "IC"))
    return {measure: float(figure) for measure, figure in columns if figure}


def system(name: str) -> System:
    """Return a counting system by its name or another name of it.

    Raises:
        BlackjackError: if there is none.
    """
    known = aliases().get(name, name)
    if known not in systems():
        raise BlackjackError(f"count: unknown system {name!r}; {choices(name, [*systems(), *aliases()])}")
    return systems()[known]


class Count(NamedTuple):
    """How a player counts: the system, and how the decks that are left are estimated.

    Attributes:
        system: the system.
        estimate: one of `ESTIMATES`.
        ties: one of `TIES`.
        rounding: one of `ROUNDINGS`: how the count is compared with whole numbers.
        true_counted: whether an unbalanced system is divided by the decks left too.
    """

    system: System
    estimate: str = "exact"
    ties: str = "up"
    rounding: str = "floor"
    true_counted: bool = False

    @property
    def text(self) -> str:
        """What `count_from` reads it from, if its system is a known one.

        >>> count_from("ko true whole").text
        'ko whole true'
        """
        words = (self.estimate, self.ties, self.rounding)
        said = [word for word, unsaid in zip(words, ("exact", "up", "floor"), strict=True) if word != unsaid]
        return " ".join([self.system.name, *said, *([TRUE_COUNTED] if self.true_counted else [])])

    @property
    def by_decks(self) -> bool:
        """Whether the player goes by a true count."""
        return self.true_counted or self.system.sum_per_deck == 0

    @property
    def pivot(self) -> float:
        """What `true_count` takes out of the part that is divided: 0 but for a true-counted unbalanced system."""
        return self.system.sum_per_deck if self.true_counted else 0.0

    def least(self, whole: int) -> float:
        """Return the least count that is rounded to a whole number or above it.

        >>> [Count(system("hi-lo"), rounding=rounding).least(2) for rounding in ROUNDINGS]
        [2.0, 2.0, 1.5]
        """
        if self.rounding == "truncate" and whole <= 0:
            return nextafter(whole - 1.0, inf)
        return whole - 0.5 if self.rounding == "round" else float(whole)

    def whole(self, count: float) -> int:
        """Round a count to a whole number as the player does.

        >>> Count(system("hi-lo"), rounding="truncate").whole(-0.5)
        0
        """
        return whole_count(count, ROUNDINGS.index(self.rounding))

    def decks_left(self, unseen: int) -> float:
        """Estimate the decks that are left from the number of cards not seen; never 0.

        >>> count = Count(system("hi-lo"), "half")
        >>> count.decks_left(39), count._replace(ties="down").decks_left(39), count.decks_left(1)
        (1.0, 0.5, 0.5)
        """
        return estimated_decks(unseen, ESTIMATES[self.estimate], self.ties == "up")

    def true(self, rules: Rules, seen: Sequence[int]) -> float:
        """Return the true count: the running count by the decks that are left.

        An unbalanced system rises by its sum with each deck that is dealt. Its true count leaves that out of the part
        that is divided: ``(running - sum) / decks left + sum``, which is 0 at the fresh shoe.

        Raises:
            BlackjackError: for an infinite shoe, of which nothing is ever used up.

        >>> round(Count(system("hi-lo")).true(Rules(), [0, 0, 5, *[0] * 7, 0]), 4)  # five twos are out
        0.8469
        """
        if rules.decks == 0:
            raise BlackjackError("count: expected a number of decks, got an infinite shoe, which has no true count")
        unseen = rules.decks * 52 - sum(seen)
        return true_count(self.system.running(rules.decks, seen), self.pivot, self.decks_left(unseen))

    def value(self, rules: Rules, seen: Sequence[int]) -> float:
        """Return what the player goes by: the true count, or the running count of an unbalanced system.

        Raises:
            BlackjackError: for an infinite shoe.
        """
        true = self.true(rules, seen)
        return true if self.by_decks else self.system.running(rules.decks, seen)

    def tags_seen_at(self, decks: int, value: float, number: int) -> float:
        """Return the sum of the tags of ``number`` cards seen at which the count is ``value``, or just above.

        >>> Count(system("hi-lo")).tags_seen_at(6, 2, 156)  # a true count of 2 with 3 decks left
        6.0
        """
        decks_left = self.decks_left(decks * 52 - number) if self.by_decks else 1
        return ceil((value - self.pivot) * decks_left + self.pivot) - self.system.start(decks)


def count_from(source: "Count | str") -> Count:
    """Return the count that a name stands for: ``"hi-lo"``, or with how it is taken: ``"hi-lo half down truncate"``.

    Raises:
        BlackjackError: if it names no system, estimate, tie rule or rounding.

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
        count = _with_word(count, word)
    return count


def _with_word(count: Count, word: str) -> Count:
    """Return the count with one more word about how it is taken."""
    if word == TRUE_COUNTED:
        return count._replace(true_counted=True)
    if word in ESTIMATES:
        return count._replace(estimate=word)
    if word in TIES:
        return count._replace(ties=word)
    if word in ROUNDINGS:
        return count._replace(rounding=word)
    every = [*ESTIMATES, *TIES, *ROUNDINGS, TRUE_COUNTED]
    raise BlackjackError(f"count: unknown word {word!r}; {choices(word, every)}")
