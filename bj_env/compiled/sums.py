"""Results of simulations."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from bj_env.errors import BlackjackError
from bj_env.statistics import Sums


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
