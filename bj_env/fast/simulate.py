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
from typing import NamedTuple, Self

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
    unit = house_rules.min_bet * TICKS * len(decisions)
    sums = Sums()
    for nets, squares, each in played(house_rules, decisions, rounds, seed=seed, threads=threads):
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
        rules, decisions, rounds, seed, threads: as for `simulate`.
        mine: the seats whose nets count; None is all.
        block: rounds of a block; None is 1 where every round has a shoe of its own, else `ROUNDS_OF_A_BLOCK`.

    Raises:
        BlackjackError: as `simulate`.
    """
    each = block or (1 if rules.penetration == 0 else ROUNDS_OF_A_BLOCK)
    blocks = -(-_checked("rounds", rounds, 1, TABLES * each) // each)
    table = _Player(rules, decisions, _checked("seed", seed, 0, SEEDS - 1), mine)
    size = max(1, ROUNDS_OF_A_CHUNK // each)
    chunks = (range(start, min(start + size, blocks)) for start in range(0, blocks, size))
    workers = _checked("threads", os.cpu_count() if threads is None else threads, 1, 1024)
    with told_if_compiling(kernels().play_blocks):
        table(range(0), each)
    for nets, squares in _in_order(lambda chunk: table(chunk, each), chunks, workers):
        yield nets, squares, each


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


Chunk = tuple[Array, Array]


def _in_order(play: Callable[[range], Chunk], chunks: Iterator[range], workers: int) -> Iterator[Chunk]:
    """Play chunks on threads, and yield what they give in their own order, no further ahead than needed."""
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
