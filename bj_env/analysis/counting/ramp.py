"""Ramps: what to bet at each count within a spread, so that SCORE is highest."""

from collections.abc import Sequence
from math import inf

import numpy as np
from numpy.typing import NDArray

from bj_env.errors import BlackjackError

Floats = NDArray[np.float64]

LARGEST_SPREAD = 10**6


class Spread(tuple[float, float]):
    """The smallest and the largest bet, in units; the smallest may be 0 to sit rounds out.

    >>> Spread.of("1-8"), Spread.of("0-4")
    ((1.0, 8.0), (0.0, 4.0))
    """

    __slots__ = ()

    @classmethod
    def of(cls, written: "str | Sequence[float] | Spread") -> "Spread":
        """Read a spread like ``"1-8"`` or two numbers.

        Raises:
            BlackjackError: if it is none, falls, or never bets.
        """
        parts = written.split("-") if isinstance(written, str) else list(written)
        try:
            low, high = (float(part) for part in parts)
        except (TypeError, ValueError):
            low, high = -1.0, -1.0
        if low not in (0.0, 1.0) or not 1 <= high <= LARGEST_SPREAD:
            raise BlackjackError(
                f"spread: expected a smallest bet of 1 (or 0) and a largest from 1 on, got {written!r}"
            )
        return cls((low, high))


def rising(values: Floats, weights: Floats) -> Floats:
    """Return the rising sequence nearest to some values (pool adjacent violators).

    >>> rising(np.array([1.0, 3.0, 2.0]), np.ones(3)).tolist()
    [1.0, 2.5, 2.5]
    """
    pools: list[tuple[float, float, int]] = []
    for value, weight in zip(values.tolist(), weights.tolist(), strict=True):
        pools.append((value, weight, 1))
        while len(pools) > 1 and pools[-2][0] > pools[-1][0]:
            (one, first, many), (two, second, more) = pools[-2:]
            total = first + second
            pools[-2:] = [((one * first + two * second) / total if total else one, total, many + more)]
    return np.concatenate([np.full(many, value) for value, _, many in pools])


def optimal_ramp(shares: Floats, edges: Floats, variances: Floats, spread: Spread) -> Floats:
    """Return the bets at each count that make SCORE highest.

    A Kelly bet is in proportion to edge by variance. The smallest and the largest bet clip it, and the proportion is
    the one at which win by standard deviation is highest (B. Harris, "The Theory of Optimal Betting Spreads").

    >>> bets = optimal_ramp(np.array([0.5, 0.3, 0.2]), np.array([-0.01, 0.005, 0.02]), np.full(3, 1.3), Spread((1, 8)))
    >>> bets.round(1).tolist()
    [1.0, 2.5, 8.0]
    """
    low, high = spread
    wanted = np.maximum(rising(edges / np.maximum(variances, 1e-9), shares), 0.0)
    if not wanted.any():
        return np.full(len(edges), low)

    def quality(bets: Floats) -> float:
        square = (shares * bets**2) @ variances
        return float((shares * bets) @ edges / np.sqrt(square)) if square > 0 else -inf

    def bets_at(scale: float) -> Floats:
        return np.asarray(np.where(wanted > 0, np.clip(scale * wanted, low, high), low))

    positive = wanted[wanted > 0]
    scales = np.geomspace(1e-3 / positive.max(), max(high, 1) / positive.min(), 600)
    best = max(range(len(scales)), key=lambda at: quality(bets_at(float(scales[at]))))
    fine = np.linspace(scales[max(best - 1, 0)], scales[min(best + 1, len(scales) - 1)], 200)
    scale = max(fine, key=lambda at: quality(bets_at(float(at))))
    return bets_at(float(scale))


def in_chips(bets: Floats) -> Floats:
    """Round bets to whole units.

    >>> in_chips(np.array([0.0, 1.4, 7.6])).tolist()
    [0.0, 1.0, 8.0]
    """
    return np.asarray(np.floor(bets + 0.5))


def given_ramp(written: str, whole: Sequence[int]) -> Floats:
    """Return the bets at some whole counts of a ramp like ``"1:2,2:4,3:8"``; 1 below its first count.

    Raises:
        BlackjackError: if it does not read, or falls.

    >>> given_ramp("1:2,3:8", range(0, 5)).tolist()
    [1.0, 2.0, 2.0, 8.0, 8.0]
    """
    bets, before = np.ones(len(whole)), (-inf, 0.0)
    for step in written.split(","):
        words = step.split(":")
        try:
            at, bet = int(words[0]), float(words[1])
        except (ValueError, IndexError):
            raise BlackjackError(f"ramp: expected counts and bets, like 1:2,2:4,3:8, got {written!r}") from None
        if len(words) != 2 or not (at > before[0] and before[1] <= bet <= LARGEST_SPREAD) or bet < 0:
            raise BlackjackError(f"ramp: expected rising counts and bets, like 1:2,2:4,3:8, got {written!r}")
        bets[[number >= at for number in whole]] = bet
        before = at, bet
    return bets
