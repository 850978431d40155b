"""Statistics of rounds that are played in independent blocks: sums, means, standard errors, confidence intervals."""

from math import isfinite, sqrt
from statistics import NormalDist
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

Z95 = NormalDist().inv_cdf(0.975)
"""Standard errors on either side of a 95 % confidence interval."""


class Sums(NamedTuple):
    """The sums of blocks of rounds; sums of parts are the sums of the whole.

    Attributes:
        blocks, rounds: how many.
        net: the total net, in ticks.
        squares: the squares of the nets of single rounds, added up; nan where single rounds are not known.
        block_squares: the squares of the nets of blocks, added up.
    """

    blocks: int = 0
    rounds: int = 0
    net: int = 0
    squares: float = 0.0
    block_squares: float = 0.0

    def plus(self, nets: NDArray[Any], squares: NDArray[Any] | None, rounds: int) -> Self:
        """Add blocks of ``rounds`` rounds each.

        Args:
            nets: the net of each block, in ticks, ``[B]``.
            squares: the squares of the nets of its rounds, added up, ``[B]``; None if they are not known.
            rounds: the rounds of each block.
        """
        won = nets.astype(np.float64)
        return self._replace(
            blocks=self.blocks + len(nets),
            rounds=self.rounds + len(nets) * rounds,
            net=self.net + int(nets.sum()),
            squares=self.squares + (float("nan") if squares is None else float(squares.sum())),
            block_squares=self.block_squares + float(np.square(won).sum()),  # `@` would start BLAS's own threads
        )

    def with_sums(self, other: "Sums") -> "Sums":
        """Add the sums of other blocks.

        >>> Sums(blocks=1, rounds=2, net=-10).with_sums(Sums(blocks=2, rounds=4, net=5)).net
        -5
        """
        return Sums(
            blocks=self.blocks + other.blocks,
            rounds=self.rounds + other.rounds,
            net=self.net + other.net,
            squares=self.squares + other.squares,
            block_squares=self.block_squares + other.block_squares,
        )

    def mean(self, unit: float) -> float:
        """Return the mean net of a round in units of so many ticks."""
        return self.net / self.rounds / unit

    def stderr(self, unit: float) -> float:
        """Return the standard error of `mean`; infinite for a single block."""
        if self.blocks < 2:
            return float("inf")
        variance = self.block_squares - self.net * (self.net / self.blocks)
        return sqrt(max(variance, 0.0) / (self.blocks - 1) * self.blocks) / self.rounds / unit

    def sd(self, unit: float) -> float:
        """Return the standard deviation of a round."""
        return sqrt(max(self.squares / self.rounds - (self.net / self.rounds) ** 2, 0.0)) / unit


def interval(mean: float, stderr: float) -> tuple[float, float]:
    """Return the ends of the 95 % confidence interval of a mean."""
    return mean - Z95 * stderr, mean + Z95 * stderr


def percent_interval(mean: float, stderr: float) -> str:
    """Write a mean and its 95 % confidence interval in percent, with two digits of the interval's own.

    >>> percent_interval(-0.0033, 0.0001), percent_interval(0.0057, 0.008), percent_interval(0.5, float("inf"))
    ('-0.330 ± 0.020', '+0.57 ± 1.57', '+50.00 ± ?')
    """
    half = 100 * Z95 * stderr
    digits = 2 if half >= 0.1 else 3
    return f"{100 * mean:+.{digits}f} ± " + (f"{half:.{digits}f}" if isfinite(half) else "?")
