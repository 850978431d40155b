"""Simulation: whole rounds by decisions that a table can hold, at the speed of the machine.

Rounds are played in blocks: block ``b`` is table ``b`` of the seed, as in `bj_env.benchmark`, so that two strategies
meet the same shoes. Blocks are independent and standard errors rest on them; rounds of one block may share a shoe, and
the hands of one round share a dealer. Sums are kept chunk by chunk in a fixed order: no result depends on the threads.
"""

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import islice
from math import sqrt
from typing import NamedTuple, Self, TypeVar

import numpy as np

from bj_env.chance import MASK, SEEDS, TABLES
from bj_env.decisions import Decision, decision_from
from bj_env.errors import BlackjackError
from bj_env.fast.arrays import KEY_HIGH, KEY_LOW, Array, Tables, allocate, house
from bj_env.fast.compiling import told_if_compiling
from bj_env.fast.kernels import kernels
from bj_env.fast.plans import Plans
from bj_env.fast.shoe import LANES, ROOM
from bj_env.fast.tabulating import plans
from bj_env.houses import rules_from
from bj_env.terms import DECK, TICKS, Rules, check_first_deal

Chunk = TypeVar("Chunk")

ROUNDS_OF_A_CHUNK = 50_000
"""About so many rounds are played at a time by one thread."""

ROUNDS_OF_A_BLOCK = 1000
"""So many are played at one table where a shoe lasts over many rounds: some twenty shoes."""


MOST_ROUNDS_OF_A_BLOCK = 10_000_000
"""No thread plays longer without a word."""


class Sums(NamedTuple):
    """What blocks of rounds add up to; sums of parts are the sums of the whole.

    Attributes:
        blocks, rounds: how many.
        net: what was won, in ticks.
        squares: of what each round won.
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
    house_rules = rules_from(rules)
    unit = house_rules.min_bet * TICKS * len(decisions)
    sums = Sums()
    for nets, squares, each in played(house_rules, decisions, rounds, seed=seed, threads=threads, block=block):
        sums = sums.plus(nets, squares, each)
        if progress:
            progress(sums)
        if stderr > 0 and sums.stderr(unit) <= stderr:
            break
    return Simulation(sums.rounds, sums.mean(unit), sums.stderr(unit), sums.sd(unit))


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
    seated = seated_plans(rules, decisions)
    seed = _checked("seed", seed, 0, SEEDS - 1)
    counting = np.array(range(len(decisions)) if mine is None else mine, np.int64)
    play_blocks = kernels().play_blocks

    def play(blocks: range) -> tuple[Array, Array]:
        nets, squares = np.zeros(len(blocks), np.int64), np.zeros(len(blocks))
        tables, lanes = some_tables(rules, len(decisions), seed), np.zeros(ROOM, np.int64)
        play_blocks(house(rules), tables, seated, blocks.start, each, counting, lanes, nets, squares)
        return nets, squares

    with told_if_compiling(play_blocks):
        play(range(0))
    for nets, squares in in_order(play, chunks, threads):
        yield nets, squares, each


def chunks_of_blocks(
    rules: Rules, rounds: int, block: int | None, tables: int | None = None
) -> tuple[int, Iterator[range]]:
    """Return how many rounds a block has, and the blocks in chunks: of so many, else of `ROUNDS_OF_A_CHUNK`.

    Raises:
        BlackjackError: if so many rounds cannot be played.

    >>> each, chunks = chunks_of_blocks(Rules(), 120_000, 100)
    >>> each, list(chunks)
    (100, [range(0, 500), range(500, 1000), range(1000, 1200)])
    """
    usual = 1 if rules.penetration == 0 else ROUNDS_OF_A_BLOCK
    each = usual if block is None else _checked("block", block, 1, MOST_ROUNDS_OF_A_BLOCK)
    blocks = -(-_checked("rounds", rounds, 1, TABLES * each) // each)
    size = tables or max(1, ROUNDS_OF_A_CHUNK // each)
    return each, (range(start, min(start + size, blocks)) for start in range(0, blocks, size))


def seated_plans(rules: Rules, decisions: Sequence[Decision | str], also: Sequence[Decision] = ()) -> Plans:
    """Return the plans of a table's seats, and of some decisions that sit beside it.

    Raises:
        BlackjackError: if a decision goes by more than a plan can hold, the seats are too many for the shoe, or there
            could be a round in which nobody bets.
    """
    check_first_deal(rules, len(decisions), DECK * rules.decks)
    made = plans(rules, [*map(decision_from, decisions), *also])
    least = [min(made.bets[plan, : made.counts[plan]]) for plan in made.seat[: len(decisions)]]
    if not any(least):
        raise BlackjackError("bets: expected a seat that bets in every round; at this table all may sit out together")
    return made


def some_tables(rules: Rules, seats: int, seed: int) -> Tables:
    """Return the arrays of `LANES` tables, at which kernels play as many blocks, and then the next ones."""
    tables = allocate(rules, LANES, seats, logged=False, counted=False)
    tables.stream[:, KEY_LOW], tables.stream[:, KEY_HIGH] = seed & MASK, seed >> 32
    return tables


def in_order(play: Callable[[range], Chunk], chunks: Iterator[range], threads: int | None) -> Iterator[Chunk]:
    """Play chunks on threads, None for one a core, and yield what they give in their own order.

    Raises:
        BlackjackError: if so many threads cannot be.

    >>> list(in_order(len, iter([range(3), range(2)]), 2))
    [3, 2]
    """
    workers = _checked("threads", os.cpu_count() if threads is None else threads, 1, 1024)
    if workers == 1:
        yield from map(play, chunks)
        return
    pool = ThreadPoolExecutor(workers)
    try:
        waiting: list[Future[Chunk]] = [pool.submit(play, chunk) for chunk in islice(chunks, 2 * workers)]
        while waiting:
            yield waiting.pop(0).result()
            waiting += [pool.submit(play, chunk) for chunk in islice(chunks, 1)]
    finally:
        pool.shutdown(cancel_futures=True)


def _checked(name: str, came: object, least: int, most: int) -> int:
    if isinstance(came, bool) or not isinstance(came, int | np.integer) or not least <= came <= most:
        raise BlackjackError(f"{name}: expected a whole number from {least} to {most}, got {came!r}")
    return int(came)
