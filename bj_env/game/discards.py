"""Discards at a given count: which cards have left the shoe, from the exact distribution that chance would give them.

Chance deals ``n`` cards of a shoe, every set of them equally likely. Given that their tags sum to ``s(n)``, a set is
still as likely as any other set with that sum. So the sets are counted by what they have of each tag: with ``N_t``
cards of tag ``t`` in the shoe, ``j_t`` of them are taken in ``product over t of C(N_t, j_t)`` ways. These products,
summed tag by tag, draw first ``n`` (each number in a range equally likely before the sum is known), then every ``j_t``,
then the cards.
"""

from collections.abc import Callable, Sequence
from functools import lru_cache
from math import comb
from typing import Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from bj_env.errors import BlackjackError
from bj_env.game.rng import Stream

_MOST_WAYS = 4_000_000
"""The largest table of (cards, sum) that is filled, so that one start takes no more than some 100 ms."""

_FRACTION = 1 << 31
"""A share of a total is drawn as two numbers below this."""

Weights = NDArray[np.float64]

T = TypeVar("T")


class Discards(Generic[T]):
    """The discards of a shoe at a given count, ready to be drawn any number of times.

    Args:
        pool: the cards of the shoe, or their ranks.
        tags: of each of them, whole or half numbers.
        numbers: how many discards there may be.
        sum_at: returns the sum of the tags for a number of discards.

    Raises:
        BlackjackError: if no such number of discards has that sum, or if there are too many different sums to count.

    >>> discards, rest = Discards(["2", "6", "9", "T"], [1, 1, 0, -1], range(2, 3), lambda number: 2).draw(Stream(0))
    >>> sorted(discards), rest
    (['2', '6'], ['9', 'T'])
    """

    def __init__(
        self, pool: Sequence[T], tags: Sequence[float], numbers: range, sum_at: Callable[[int], float]
    ) -> None:
        by_tag: dict[int, list[T]] = {}
        for card, tag in zip(pool, tags, strict=True):
            by_tag.setdefault(round(2 * tag), []).append(card)
        doubled = sorted(by_tag, key=lambda tag: len(by_tag[tag]))
        self._cards = [by_tag[tag] for tag in doubled]
        self._numbers, self._sums = numbers, [round(2 * sum_at(number)) for number in numbers]
        self._ways = _ways(tuple(doubled), tuple(map(len, self._cards)))
        self._chances = self._ways.of_numbers(numbers, self._sums).cumsum()
        if self._chances[-1] == 0:
            raise BlackjackError(
                f"count: expected one that {numbers[0]} to {numbers[-1]} discards can have, got tags that sum to "
                f"{self._sums[0] / 2:g} to {self._sums[-1] / 2:g}"
            )

    def draw(self, rng: Stream) -> tuple[list[T], list[T]]:
        """Split the shoe at random into discards and the rest, both in no order."""
        at = _chosen(self._chances, rng)
        discards: list[T] = []
        rest: list[T] = []
        for cards, taken in zip(self._cards, self._ways.draw(self._numbers[at], self._sums[at], rng), strict=True):
            _split(cards, taken, rng, discards, rest)
        return discards, rest


class _Ways:
    """The number of ways to take so many cards whose tags have such a sum, by the first tags alone, by one more, ...

    Args:
        tags: doubled, so that they are whole.
        sizes: how many cards of each there are.

    Attributes:
        tables: after each tag but the last: the ways by number of cards and sum, ``[cards, sum - lowest]``.
    """

    def __init__(self, tags: tuple[int, ...], sizes: tuple[int, ...]) -> None:
        self.tags, self.sizes = tags, sizes
        self.tables: list[tuple[Weights, int]] = []
        ways, lowest = np.ones((1, 1)), 0
        for tag, size in zip(tags[:-1], sizes[:-1], strict=True):
            ways, lowest = _with_tag(ways, lowest, tag, size)
            self.tables.append((ways, lowest))

    def of_numbers(self, numbers: range, sums: Sequence[int]) -> Weights:
        """Return the probability that so many cards have such a sum, for each number and its sum."""
        cards, last = sum(self.sizes), len(self.tags) - 1
        ways = [self._of_last(last, number, total).sum() for number, total in zip(numbers, sums, strict=True)]
        return np.array([float(way) / comb(cards, number) for way, number in zip(ways, numbers, strict=True)])

    def draw(self, number: int, total: int, rng: Stream) -> list[int]:
        """Draw how many cards of each tag are taken, given how many there are in all, and their sum."""
        taken = [0] * len(self.tags)
        for k in range(len(self.tags) - 1, -1, -1):
            taken[k] = _chosen(self._of_last(k, number, total).cumsum(), rng)
            number, total = number - taken[k], total - taken[k] * self.tags[k]
        return taken

    def _of_last(self, k: int, number: int, total: int) -> Weights:
        """Return the ways to have the number and the sum with 0, 1, 2, ... cards of the ``k``-th tag."""
        size, tag = self.sizes[k], self.tags[k]
        taken = np.arange(size + 1)
        ways, lowest = self.tables[k - 1] if k else (np.ones((1, 1)), 0)
        cards, sums = number - taken, total - tag * taken - lowest
        inside = (cards >= 0) & (cards < ways.shape[0]) & (sums >= 0) & (sums < ways.shape[1])
        weights = np.zeros(size + 1)
        weights[inside] = ways[cards[inside], sums[inside]] * _combinations(size)[inside]
        return weights


@lru_cache(maxsize=16)
def _ways(tags: tuple[int, ...], sizes: tuple[int, ...]) -> _Ways:
    """Return the ways for these tags, counted once."""
    return _Ways(tags, sizes)


def _with_tag(ways: Weights, lowest: int, tag: int, size: int) -> tuple[Weights, int]:
    """Return the ways with up to ``size`` cards of one more tag."""
    reach = abs(tag) * size
    shape = (ways.shape[0] + size, ways.shape[1] + reach)
    if shape[0] * shape[1] > _MOST_WAYS:
        raise BlackjackError("count: expected a system with small tags for a start at a count, got too many sums")
    more = np.zeros(shape)
    shift = reach if tag < 0 else 0
    for taken, times in enumerate(_combinations(size)):
        column = shift + tag * taken
        more[taken : taken + ways.shape[0], column : column + ways.shape[1]] += times * ways
    return more, lowest - shift


@lru_cache(maxsize=64)
def _combinations(size: int) -> Weights:
    return np.array([float(comb(size, taken)) for taken in range(size + 1)])


def _chosen(sums: Weights, rng: Stream) -> int:
    """Choose an index with a probability in proportion to its weight, given the running sums of the weights."""
    share = (rng.below(_FRACTION) + (rng.below(_FRACTION) + 0.5) / _FRACTION) / _FRACTION
    return int(np.searchsorted(sums, share * sums[-1], side="right"))


def _split(cards: Sequence[T], taken: int, rng: Stream, discards: list[T], rest: list[T]) -> None:
    """Put so many cards, every set of them equally likely, among the discards and the others to the rest."""
    cards = list(cards)
    few = min(taken, len(cards) - taken)
    for at in range(few):
        other = at + rng.below(len(cards) - at)
        cards[at], cards[other] = cards[other], cards[at]
    drawn, left = (discards, rest) if few == taken else (rest, discards)
    drawn += cards[:few]
    left += cards[few:]
