"""A composition: how many cards of each value are left, and whether drawing one takes it out."""

import re
from collections.abc import Iterable, Sequence
from math import nan
from typing import NamedTuple, Self

from bj_env.errors import RulesError, real_number, shortened
from bj_env.rules.numbered import card_value
from bj_env.rules.terms import Rules
from bj_env.solver.hands import VALUES, hand_text


class Composition(NamedTuple):
    """How many cards of value 1 (ace) .. 10 a shoe holds; a shoe with replacement has only their proportions.

    Attributes:
        counts: by value, an ace first.
        replaced: every card is drawn with replacement (infinite decks).
    """

    counts: tuple[float, ...]
    replaced: bool = False

    @property
    def step(self) -> float:
        """What drawing a card takes from its count."""
        return 0.0 if self.replaced else 1.0

    @property
    def cards(self) -> float:
        """How many cards there are."""
        return sum(self.counts)

    def share(self, value: int) -> float:
        """Return the probability that the next card has this value."""
        return self.counts[value - 1] / self.cards

    def without(self, values: Iterable[int]) -> Self:
        """Take cards out.

        Raises:
            RulesError: if one is not there.

        >>> Composition((4.0,) * 9 + (16.0,)).without([1, 10, 10]).counts[::9]
        (3.0, 14.0)
        """
        counts = list(self.counts)
        for value in values:
            if counts[value - 1] < 1 and not (self.replaced and counts[value - 1] > 0):
                raise RulesError(f"shoe: expected one more {hand_text([value])} in it, got {self}")
            counts[value - 1] -= self.step
        return self._replace(counts=tuple(counts))

    def __str__(self) -> str:
        kind = "proportions" if self.replaced else "cards"
        each = " ".join(f"{hand_text([value])}:{count:g}" for value, count in zip(VALUES, self.counts, strict=True))
        return f"{each} ({kind})"


def composition(rules: Rules, shoe: Composition | str | Iterable[float] | None = None) -> Composition:
    """Return the composition that is meant: full decks by the rules, or the counts that are given.

    Args:
        rules: for the number of decks; with infinite decks the counts are proportions.
        shoe: ten counts for A,2..9,T, or thirteen for A,2..K; also as text with commas or blanks.

    Raises:
        RulesError: if it is no such thing, or too small to play a round.

    >>> composition(Rules(decks=2)).counts[::9]
    (8.0, 32.0)
    >>> composition(Rules(), "0,4,4,2,0,0,2,0,0,7").cards
    19.0
    """
    if isinstance(shoe, Composition):
        return shoe
    if shoe is None:
        decks = max(rules.decks, 1)
        return Composition((4.0 * decks,) * 9 + (16.0 * decks,), rules.decks == 0)
    numbers = _numbers(shoe)
    if len(numbers) == 13:
        tens = tuple(numbers[index] for index in range(13) if card_value(index + 1) == 10)
        numbers = (*numbers[:9], sum(tens))
    if len(numbers) != 10:
        raise RulesError(f"shoe: expected 10 counts for A,2..9,T (or 13 for A,2..K), got {len(numbers)}")
    return _checked(Composition(numbers, rules.decks == 0))


def _numbers(shoe: str | Iterable[float]) -> tuple[float, ...]:
    words: Sequence[object] = shoe.replace(",", " ").split() if isinstance(shoe, str) else list(shoe)
    numbers = []
    for word in words:
        number = _number(word)
        if not 0 <= number <= 10_000 or number != int(number):
            raise RulesError(f"shoe: expected whole numbers from 0 to 10000, like 24,24,..,96, got {shortened(word)}")
        numbers.append(number)
    return tuple(numbers)


def _number(word: object) -> float:
    """Return a count that is written in the digits 0 to 9, or given as a number; nan if it is neither."""
    if isinstance(word, str):
        return float(word) if re.fullmatch(r"[0-9]{1,9}(?:\.0+)?", word) else nan
    return real_number(word)


MOST_POINTS = 42
"""A hand that still draws has at most 21 points (R17) and a dealer at most 20 in two cards (R18): more never lie
on the table when a card is wanted."""

FEWEST_CARDS = 8
"""Two hands of two cards and two tens to draw, at the least, after a pair was split."""


def _checked(shoe: Composition) -> Composition:
    if shoe.replaced and shoe.cards > 0:
        return shoe
    points = sum(value * count for value, count in zip(VALUES, shoe.counts, strict=True))
    if points <= MOST_POINTS:
        raise RulesError(f"shoe: expected over {MOST_POINTS} points, lest a round run out of cards, got {points:g}")
    if shoe.cards < FEWEST_CARDS:
        raise RulesError(
            f"shoe: expected at least {FEWEST_CARDS} cards, lest a round run out of them, got {shoe.cards:g}"
        )
    return shoe
