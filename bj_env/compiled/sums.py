"""What blocks of rounds add up to, and what a simulation says by it."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import sqrt
from typing import Any, NamedTuple, Self

import numpy as np

from bj_env.compiled.arrays import Array
from bj_env.errors import BlackjackError


class Sums(NamedTuple):
    """What blocks of rounds add up to; sums of parts are the sums of the whole.

    Attributes:
        blocks, rounds: how many.
        net: what was won, in ticks.
        squares: of what each round won; not known of differences.
        block_squares: of what each block won.
    """

    blocks: int = 0
    rounds: int = 0
    net: int = 0
    squares: float = 0.0
    block_squares: float = 0.0

    def plus(self, nets: Array, squares: Array, rounds: int) -> Self:
        """Add blocks of so many rounds: what each won, and the squares of its rounds."""
        won = nets.astype(np.float64)
        return self._replace(
            blocks=self.blocks + len(nets),
            rounds=self.rounds + len(nets) * rounds,
            net=self.net + int(nets.sum()),
            squares=self.squares + float(squares.sum()),
            block_squares=self.block_squares + float(np.square(won).sum()),  # `@` would wake BLAS's own threads
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
        """Return the net of a round in units of so many ticks."""
        return self.net / self.rounds / unit

    def stderr(self, unit: float) -> float:
        """Return the standard error of `mean`; infinite for a single block."""
        if self.blocks < 2:
            return float("inf")
        spread = self.block_squares - self.net * (self.net / self.blocks)
        return sqrt(max(spread, 0.0) / (self.blocks - 1) * self.blocks) / self.rounds / unit

    def sd(self, unit: float) -> float:
        """Return the standard deviation of a round."""
        return sqrt(max(self.squares / self.rounds - (self.net / self.rounds) ** 2, 0.0)) / unit


@dataclass(frozen=True)
class Simulation:
    """What a simulation has found; all in bets of the house's minimum.

    Attributes:
        sums: what the blocks add up to, in ticks.
        unit: the ticks of a bet.
        played: what was played: the rules, who sat where, the seed and the rounds of a block.
        blocks: which blocks of the seed, as ranges in ascending order.
    """

    sums: Sums
    unit: float
    played: tuple[Any, ...] = ()
    blocks: tuple[range, ...] = ()

    @property
    def rounds(self) -> int:
        """How many rounds were played."""
        return self.sums.rounds

    @property
    def ev(self) -> float:
        """The mean net of a round."""
        return self.sums.mean(self.unit)

    @property
    def stderr(self) -> float:
        """The standard error of the mean; infinite for a single block."""
        return self.sums.stderr(self.unit)

    @property
    def sd(self) -> float:
        """The standard deviation of a round."""
        return self.sums.sd(self.unit)

    def __repr__(self) -> str:
        return f"Simulation(rounds={self.rounds}, ev={self.ev}, stderr={self.stderr}, sd={self.sd})"

    @staticmethod
    def merge(parts: Iterable["Simulation"]) -> "Simulation":
        """Return what simulations of different blocks have found together, the same as of all blocks at once.

        Raises:
            BlackjackError: if there is none, they played different games, or a block is in two of them.

        >>> from bj_env.compiled.simulate import simulate
        >>> parts = [simulate("6D", ["basic"], seed=1, blocks=blocks) for blocks in (range(500, 1000), range(500))]
        >>> Simulation.merge(parts) == simulate("6D", ["basic"], 1000, seed=1)
        True
        """
        given = list(parts)
        if not given:
            raise BlackjackError("merge: expected at least one simulation, got none")
        first = given[0]
        for part in given:
            if not isinstance(part, Simulation) or part.played != first.played or part.unit != first.unit:
                raise BlackjackError(f"merge: expected simulations of {first.played}, got one of {_what(part)}")
        sums = first.sums
        for part in given[1:]:
            sums = sums.with_sums(part.sums)
        return Simulation(sums, first.unit, first.played, _joined([each for part in given for each in part.blocks]))


def _what(part: object) -> object:
    return part.played if isinstance(part, Simulation) else repr(part)


def _joined(blocks: Sequence[range]) -> tuple[range, ...]:
    """Return ranges of blocks in ascending order, those that adjoin put together."""
    joined: list[range] = []
    for each in sorted(blocks, key=lambda each: each.start):
        if joined and each.start < joined[-1].stop:
            raise BlackjackError(f"merge: expected every block once, got {each.start} twice")
        if joined and each.start == joined[-1].stop:
            joined[-1] = range(joined[-1].start, each.stop)
        else:
            joined.append(each)
    return tuple(joined)


class Paired(NamedTuple):
    """What two strategies have made of the same shoes; all in bets of the house's minimum.

    Attributes:
        first, second: how they did.
        difference: the mean net of a round of the second less that of the first.
        difference_stderr: its standard error, from the differences block by block.
    """

    first: Simulation
    second: Simulation
    difference: float
    difference_stderr: float
