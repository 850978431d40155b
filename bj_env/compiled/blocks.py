"""Blocks of rounds: who plays them, and how they are shared out over threads.

Block ``b`` is table ``b`` of the seed, for every strategy and for either engine.
"""

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import islice
from typing import TypeVar

import numpy as np

from bj_env.compiled.arrays import Array, Tables, allocate
from bj_env.compiled.book import rules_book
from bj_env.compiled.compiling import told_if_compiling
from bj_env.compiled.kernels import Blocks, kernels
from bj_env.compiled.lookup_policies import Plans
from bj_env.compiled.shoe import LANES, ROOM
from bj_env.compiled.tabulation import plans
from bj_env.errors import BlackjackError
from bj_env.game.decision import Decision
from bj_env.game.rng import MASK, SEEDS, TABLES
from bj_env.rules.terms import DECK, Rules, check_first_deal, checked_number
from bj_env.strategies.registry import strategy

ROUNDS_OF_A_CHUNK = 50_000
"""About so many rounds are played at a time by one thread."""

ROUNDS_OF_A_BLOCK = 1000
"""So many are played at one table where a shoe lasts over many rounds: some twenty shoes."""

MOST_ROUNDS_OF_A_BLOCK = 10_000_000
"""No thread plays longer without a word."""

Played = tuple[Array, Array]
"""What each block won, in ticks, and the sum of the squares of what its rounds won."""

Chunk = TypeVar("Chunk")


def player(
    rules: Rules, decisions: Sequence[Decision | str], seed: int, rounds: int, mine: Sequence[int] | None = None
) -> Callable[[range], Played]:
    """Return what plays blocks of so many rounds; the kernel is compiled by then.

    Args:
        rules: the house's.
        decisions: who sits where.
        seed: of all tables.
        rounds: of a block.
        mine: the seats whose nets count; None is all.

    Raises:
        BlackjackError: as `seated_plans`, or if the seed is none.

    >>> play = player(Rules(), ["basic"], seed=1, rounds=1)
    >>> play(range(3))[0].tolist()
    [10, -10, 0]
    """
    seated = seated_plans(rules, decisions)
    seed = checked_number("seed", seed, 0, SEEDS - 1)
    counting = np.array([mine is None or seat in mine for seat in range(len(decisions))])
    play_blocks = kernels().play_blocks

    def play(blocks: range) -> Played:
        nets, squares = np.zeros(len(blocks), np.int64), np.zeros(len(blocks))
        job = Blocks(blocks.start, rounds, counting, np.zeros(ROOM, np.int64))
        play_blocks(rules_book(rules), some_tables(rules, len(decisions), seed), seated, job, nets, squares)
        return nets, squares

    with told_if_compiling(play_blocks):
        play(range(0))
    return play


def chunks_of_blocks(
    rules: Rules, rounds: int, block: int | None, tables: int | None = None, first: int = 0
) -> tuple[int, Iterator[range]]:
    """Return how many rounds a block has, and the blocks from a first one on, in chunks.

    Chunks have as many blocks as there are ``tables``, else `ROUNDS_OF_A_CHUNK` rounds.

    Raises:
        BlackjackError: if so many rounds cannot be played.

    >>> each, chunks = chunks_of_blocks(Rules(), 120_000, 100)
    >>> each, list(chunks)
    (100, [range(0, 500), range(500, 1000), range(1000, 1200)])
    """
    usual = 1 if rules.penetration == 0 else ROUNDS_OF_A_BLOCK
    each = usual if block is None else checked_number("block", block, 1, MOST_ROUNDS_OF_A_BLOCK)
    blocks = -(-checked_number("rounds", rounds, 1, TABLES * each) // each)
    size = tables or max(1, ROUNDS_OF_A_CHUNK // each)
    end = first + blocks
    return each, (range(start, min(start + size, end)) for start in range(first, end, size))


def seated_plans(rules: Rules, decisions: Sequence[Decision | str], also: Sequence[Decision] = ()) -> Plans:
    """Return the plans of a table's seats, and of some decisions that sit beside it.

    Raises:
        BlackjackError: if a decision goes by more than a plan can hold, the seats are too many for the shoe, or there
            could be a round in which nobody bets.
    """
    check_first_deal(rules, len(decisions), DECK * rules.decks)
    made = plans(rules, [*map(strategy, decisions), *also])
    least = [min(made.bets[plan, : made.counts[plan]]) for plan in made.seat[: len(decisions)]]
    if not any(least):
        raise BlackjackError("bets: expected a seat that bets in every round; at this table all may sit out together")
    return made


def some_tables(rules: Rules, seats: int, seed: int) -> Tables:
    """Return the arrays of `LANES` tables, at which kernels play as many blocks, and then the next ones."""
    tables = allocate(rules, LANES, seats, logged=False, counted=False)
    tables.state["key_low"], tables.state["key_high"] = seed & MASK, seed >> 32
    return tables


def in_order(play: Callable[[range], Chunk], chunks: Iterator[range], threads: int | None) -> Iterator[Chunk]:
    """Play chunks on threads, None for one a core, and yield what they give in their own order.

    Raises:
        BlackjackError: if so many threads cannot be.

    >>> list(in_order(len, iter([range(3), range(2)]), 2))
    [3, 2]
    """
    workers = checked_number("threads", os.cpu_count() if threads is None else threads, 1, 1024)
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
