"""Simulation: whole rounds by decisions that a table can hold, at the speed of the machine.

Rounds are played in blocks: block ``b`` is table ``b`` of the seed, as in `bj_env.benchmark`, so that two strategies
meet the same shoes. Blocks are independent and standard errors rest on them; rounds of one block may share a shoe, and
the hands of one round share a dealer. Sums are kept chunk by chunk in a fixed order: no result depends on the threads.
"""

import os
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import islice
from math import sqrt
from typing import Any, NamedTuple, Self, TypeVar

import numpy as np

from bj_env.chance import MASK, SEEDS, TABLES
from bj_env.decisions import Decision, decision_from
from bj_env.errors import BlackjackError
from bj_env.fast.arrays import KEY_HIGH, KEY_LOW, Array, allocate, house
from bj_env.fast.compiling import told_if_compiling
from bj_env.fast.kernels import kernels
from bj_env.fast.plans import Plans
from bj_env.fast.shoe import LANES, ROOM
from bj_env.fast.tabulating import plans
from bj_env.houses import rules_from
from bj_env.terms import DECK, TICKS, Rules, check_first_deal

ROUNDS_OF_A_CHUNK = 50_000
"""About so many rounds are played at a time by one thread."""

ROUNDS_OF_A_BLOCK = 1000
"""So many are played at one table where a shoe lasts over many rounds: some twenty shoes."""

_Played = TypeVar("_Played")


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
        progress: called with all that has been added up so far, from time to time.

    Raises:
        BlackjackError: if an argument is not valid, or a decision goes by more than a table can hold.

    >>> simulate("6D NS NINS", ["basic"], 1000, seed=1).rounds
    1000
    """
    house_rules = rules_from(rules)
    sums = Sums()
    for (sums,) in added_up(house_rules, [decisions], rounds, seed=seed, threads=threads, stderr=stderr):
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
    house_rules, unit = rules_from(rules), unit_of(rules_from(rules), first)
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
) -> Iterator[list[Sums]]:
    """Compile, then play one or two lineups on the same shoes, and yield all that has been added up so far.

    Args:
        rules, rounds, seed, threads: as for `simulate`.
        lineups: who sits where.
        stderr: stop as soon as the standard error of the last sums is down to this.

    Returns:
        The sums of the lineup; or of the first, of the second, and of their differences, second less first.

    Raises:
        BlackjackError: as `simulate`, or if the second lineup has not as many seats.
    """
    if len({len(lineup) for lineup in lineups}) != 1:
        raise BlackjackError(f"seats: expected as many of both, got {', '.join(str(len(each)) for each in lineups)}")
    match = _Match(rules, lineups, rounds, seed=seed)
    return match.added_up(_workers(threads), _checked_stderr(stderr) * unit_of(rules, lineups[0]))


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
        rules, decisions, rounds, seed, threads: as for `simulate`.
        mine: the seats whose nets count; None is all.
        block: rounds of a block; None is 1 where every round has a shoe of its own, else `ROUNDS_OF_A_BLOCK`.

    Raises:
        BlackjackError: as `simulate`.
    """
    match = _Match(rules, [decisions], rounds, seed=seed, mine=mine, block=block)
    for ((nets, squares),) in match.chunks(_workers(threads)):
        yield nets, squares, match.each


Chunk = tuple[Array, Array]
"""What each block won, and the squares of its rounds."""


class _Match:
    """Lineups that play on the same shoes; compiled as soon as it is made.

    Attributes:
        each: rounds of a block.
        blocks: how many blocks there are.
    """

    def __init__(
        self,
        rules: Rules,
        lineups: Sequence[Sequence[Decision | str]],
        rounds: int,
        *,
        seed: int,
        mine: Sequence[int] | None = None,
        block: int | None = None,
    ) -> None:
        self.each = block or (1 if rules.penetration == 0 else ROUNDS_OF_A_BLOCK)
        self.blocks = -(-_checked("rounds", rounds, 1, TABLES * self.each) // self.each)
        seed = _checked("seed", seed, 0, SEEDS - 1)
        self._players = [_Player(rules, decisions, seed, mine) for decisions in lineups]
        with told_if_compiling(kernels().play_blocks):
            self._play(range(0))

    def _play(self, blocks: range) -> list[Chunk]:
        return [player(blocks, self.each) for player in self._players]

    def chunks(self, workers: int) -> Iterator[list[Chunk]]:
        """Play on so many threads, and yield chunk by chunk what each lineup won."""
        size = max(1, ROUNDS_OF_A_CHUNK // self.each)
        chunks = (range(start, min(start + size, self.blocks)) for start in range(0, self.blocks, size))
        return _in_order(self._play, chunks, workers)

    def added_up(self, workers: int, enough: float) -> Iterator[list[Sums]]:
        """Play, and yield the sums so far, until the last has so small a standard error, in ticks."""
        sums = [Sums()] * (1 if len(self._players) == 1 else 3)
        for chunk in self.chunks(workers):
            each = [*chunk, _differences(*chunk)] if len(chunk) > 1 else chunk
            sums = [old.plus(nets, squares, self.each) for old, (nets, squares) in zip(sums, each, strict=True)]
            yield sums
            if 0 < sums[-1].stderr(1) <= enough:
                return


def _differences(first: Chunk, second: Chunk) -> Chunk:
    """Return what the second won more in each block; the differences of single rounds are not known."""
    return second[0] - first[0], np.full(len(first[0]), np.nan)


class _Player:
    """Plays blocks, each call at tables of its own."""

    def __init__(
        self, rules: Rules, decisions: Sequence[Decision | str], seed: int, mine: Sequence[int] | None
    ) -> None:
        check_first_deal(rules, len(decisions), DECK * rules.decks)
        self.rules = rules
        self.plans: Plans = plans(rules, [decision_from(decision) for decision in decisions])
        self.seed = seed
        self.mine = np.array(range(len(decisions)) if mine is None else mine, np.int64)

    def __call__(self, blocks: range, rounds: int) -> tuple[Array, Array]:
        tables = allocate(self.rules, LANES, len(self.plans.seat), logged=False, counted=False)
        tables.stream[:, KEY_LOW], tables.stream[:, KEY_HIGH] = self.seed & MASK, self.seed >> 32
        nets, squares = np.zeros(len(blocks), np.int64), np.zeros(len(blocks))
        lanes = np.zeros(ROOM, np.int64)
        kernels().play_blocks(
            house(self.rules), tables, self.plans, blocks.start, rounds, self.mine, lanes, nets, squares
        )
        return nets, squares


def _in_order(play: Callable[[range], _Played], chunks: Iterator[range], workers: int) -> Iterator[_Played]:
    """Play chunks on threads, and yield what they give in their own order, no further ahead than needed."""
    if workers == 1:
        yield from map(play, chunks)
        return
    pool = ThreadPoolExecutor(workers)
    try:
        waiting: list[Future[_Played]] = [pool.submit(play, chunk) for chunk in islice(chunks, 2 * workers)]
        while waiting:
            yield waiting.pop(0).result()
            waiting += [pool.submit(play, chunk) for chunk in islice(chunks, 1)]
    finally:
        pool.shutdown(cancel_futures=True)


def _checked(name: str, came: object, least: int, most: int) -> int:
    if isinstance(came, bool) or not isinstance(came, int | np.integer) or not least <= came <= most:
        raise BlackjackError(f"{name}: expected a whole number from {least} to {most}, got {came!r}")
    return int(came)


def _checked_stderr(came: Any) -> float:
    if isinstance(came, bool) or not isinstance(came, int | float | np.number) or not came >= 0:
        raise BlackjackError(f"stderr: expected a number from 0 on, got {came!r}")
    return float(came)


def _workers(threads: int | None) -> int:
    return _checked("threads", os.cpu_count() if threads is None else threads, 1, 1024)
