"""Simulation: whole rounds by decisions that a table can hold, at the speed of the machine.

Rounds are played in blocks: block ``b`` is table ``b`` of the seed, as in `bj_env.analysis.benchmark`, so that two
strategies meet the same shoes. Blocks are independent and standard errors rest on them; rounds of one block may share
a shoe, and the hands of one round share a dealer. Sums are kept chunk by chunk in a fixed order: no result depends on
the threads.
"""

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from math import sqrt
from typing import Any, NamedTuple, Self

import numpy as np

from bj_env.compiled.arrays import Array
from bj_env.compiled.blocks import Played, chunks_of_blocks, in_order, player
from bj_env.errors import BlackjackError
from bj_env.game.decision import Decision
from bj_env.rules.houses import parse_rules
from bj_env.rules.terms import TICKS, Rules


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


class Simulation(NamedTuple):
    """What a simulation has found; all in bets of the house's minimum.

    Attributes:
        rounds: how many were played.
        ev: the mean net of a round.
        stderr: its standard error.
        sd: the standard deviation of a round.
    """

    rounds: int
    ev: float
    stderr: float
    sd: float

    @classmethod
    def of(cls, sums: Sums, unit: float) -> Self:
        """Return what has been added up, in units of so many ticks."""
        return cls(sums.rounds, sums.mean(unit), sums.stderr(unit), sums.sd(unit))


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


def simulate(
    rules: Rules | str,
    decisions: Sequence[Decision | str],
    rounds: int,
    *,
    seed: int = 0,
    threads: int | None = None,
    stderr: float = 0.0,
    block: int | None = None,
    progress: Callable[[Sums], None] | None = None,
) -> Simulation:
    """Play whole rounds at tables of one seat for each decision, and return how the seats did together.

    Args:
        rules: a house, a rule text, a TOML file or a `Rules`.
        decisions: who sits where, as decisions, their names or policy folders; ones that a table can hold.
        rounds: how many to play, rounded up to whole blocks.
        seed: of all tables.
        threads: how many threads share the work; None is one a core. The result does not depend on it.
        stderr: stop as soon as the standard error is down to this.
        block: rounds at one table; None is 1 where every round has a shoe of its own, else `ROUNDS_OF_A_BLOCK`.
        progress: called with all that has been added up so far, from time to time.

    Raises:
        BlackjackError: if an argument is not valid, or a decision goes by more than a table can hold.

    >>> simulate("6D NS NINS", ["basic"], 1000, seed=1).rounds
    1000
    """
    house_rules = parse_rules(rules)
    sums = Sums()
    for (sums,) in added_up(house_rules, [decisions], rounds, seed=seed, threads=threads, stderr=stderr, block=block):
        if progress:
            progress(sums)
    return Simulation.of(sums, unit_of(house_rules, decisions))


def simulate_paired(
    rules: Rules | str,
    first: Sequence[Decision | str],
    second: Sequence[Decision | str],
    rounds: int,
    *,
    seed: int = 0,
    threads: int | None = None,
    stderr: float = 0.0,
) -> Paired:
    """Play whole rounds twice on the same shoes, with these decisions and with those.

    Args:
        rules, rounds, seed, threads: as for `simulate`.
        first, second: who sits where, as many each time.
        stderr: stop as soon as the standard error of the difference is down to this.

    Raises:
        BlackjackError: as `simulate`, or if they are not as many.

    >>> simulate_paired("6D NS NINS", ["mimic"], ["basic"], 20_000).difference > 0
    True
    """
    house_rules, unit = parse_rules(rules), unit_of(parse_rules(rules), first)
    done = added_up(house_rules, [first, second], rounds, seed=seed, threads=threads, stderr=stderr)
    one, other, difference = deque(done, maxlen=1)[0]
    return Paired(Simulation.of(one, unit), Simulation.of(other, unit), difference.mean(unit), difference.stderr(unit))


def unit_of(rules: Rules, decisions: Sequence[Decision | str]) -> int:
    """Return the ticks that the seats bet together at least."""
    return rules.min_bet * TICKS * len(decisions)


def added_up(
    rules: Rules,
    lineups: Sequence[Sequence[Decision | str]],
    rounds: int,
    *,
    seed: int = 0,
    threads: int | None = None,
    stderr: float = 0.0,
    block: int | None = None,
) -> Iterator[list[Sums]]:
    """Compile, then play one or two lineups on the same shoes, and yield all that has been added up so far.

    Args:
        rules, rounds, seed, threads, block: as for `simulate`.
        lineups: who sits where.
        stderr: stop as soon as the standard error of the last sums is down to this.

    Returns:
        The sums of the lineup; or of the first, of the second, and of their differences, second less first.

    Raises:
        BlackjackError: as `simulate`, or if the second lineup has not as many seats.
    """
    for lineup in lineups:
        if not isinstance(lineup, Sequence) or isinstance(lineup, str):
            raise BlackjackError(f"decisions: expected one for each seat, like ['basic'], got {lineup!r}")
    if len({len(lineup) for lineup in lineups}) != 1:
        raise BlackjackError(f"seats: expected as many of both, got {', '.join(str(len(each)) for each in lineups)}")
    each, chunks = chunks_of_blocks(rules, rounds, block)
    players = [player(rules, lineup, seed, each) for lineup in lineups]
    won = in_order(lambda blocks: [play(blocks) for play in players], chunks, threads)
    return _added_up(won, each, checked_stderr(stderr) * unit_of(rules, lineups[0]))


def _added_up(won: Iterator[list[Played]], rounds: int, enough: float) -> Iterator[list[Sums]]:
    """Yield the sums so far, until the last has so small a standard error, in ticks."""
    sums: list[Sums] = []
    for chunk in won:
        each = [*chunk, _differences(*chunk)] if len(chunk) > 1 else chunk
        old = sums or [Sums()] * len(each)
        sums = [before.plus(nets, squares, rounds) for before, (nets, squares) in zip(old, each, strict=True)]
        yield sums
        if 0 < sums[-1].stderr(1) <= enough:
            return


def _differences(first: Played, second: Played) -> Played:
    """Return what the second won more in each block; the differences of single rounds are not known."""
    return second[0] - first[0], np.full(len(first[0]), np.nan)


def played(
    rules: Rules,
    decisions: Sequence[Decision | str],
    rounds: int,
    *,
    seed: int = 0,
    threads: int | None = None,
    mine: Sequence[int] | None = None,
    block: int | None = None,
) -> Iterator[tuple[Array, Array, int]]:
    """Play rounds, and yield them chunk by chunk: what each block won, the squares of its rounds, rounds a block.

    Args:
        rules, decisions, rounds, seed, threads, block: as for `simulate`.
        mine: the seats whose nets count; None is all.

    Raises:
        BlackjackError: as `simulate`.
    """
    each, chunks = chunks_of_blocks(rules, rounds, block)
    for nets, squares in in_order(player(rules, decisions, seed, each, mine), chunks, threads):
        yield nets, squares, each


def checked_stderr(came: Any) -> float:
    """Return a standard error to reach."""
    if isinstance(came, bool) or not isinstance(came, int | float | np.number) or not came >= 0:
        raise BlackjackError(f"stderr: expected a number from 0 on, got {came!r}")
    return float(came)
