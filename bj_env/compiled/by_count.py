"""Rounds by count: how often a count stands before the deal, what rounds bring there, and which cards are out then."""

from collections.abc import Callable, Iterator, Sequence
from functools import cache
from typing import NamedTuple

import numpy as np

from bj_env.compiled.arrays import Array, Tables
from bj_env.compiled.blocks import chunks_of_blocks, in_order, seated_plans, some_tables
from bj_env.compiled.book import rules_book
from bj_env.compiled.compiling import kernel, sources, told_if_compiling
from bj_env.compiled.kernels import Blocks, bet_and_deal, end_and_count, sit_down, table_at
from bj_env.compiled.lookup_policies import Plans, decide, place_of_count
from bj_env.compiled.round import go_on, take
from bj_env.compiled.shoe import LANES, ROOM, shuffle_pending, work_ahead
from bj_env.game.decision import Decision
from bj_env.game.rng import SEEDS
from bj_env.rules.terms import TICKS, Rules, checked_number
from bj_env.strategies.count_systems import Count
from bj_env.strategies.counting import CountingDecision

ROUNDS, NET, SQUARE = range(3)
"""What is added up at each count: rounds, what they brought in smallest bets, and its squares."""


class ByCount(NamedTuple):
    """What a chunk of rounds adds up to, and some of the shoes met; ``C`` whole counts, ``N`` shoes.

    Attributes:
        sums: rounds, net and squared net in smallest bets, by count, ``[C, 3]``.
        seen: cards seen before a bet by value 1..10 (index 0 unused), of every so many rounds, ``[N, 11]``.
        places: at which of the counts they were, ``[N]``.
    """

    sums: Array
    seen: Array
    places: Array


class Telling(NamedTuple):
    """How rounds are told apart.

    Attributes:
        teller: the plan whose counts do; it plays nowhere.
        every: of how many rounds the shoe of one is kept.
        unit: the smallest bet in ticks.
    """

    teller: int
    every: int
    unit: float


def by_count(
    rules: Rules,
    decisions: Sequence[Decision | str],
    count: Count,
    whole: range,
    rounds: int,
    *,
    seed: int = 0,
    threads: int | None = None,
    mine: Sequence[int] | None = None,
    every: int = 8,
    first: int = 0,
) -> Iterator[ByCount]:
    """Play rounds, and add up what they bring by the count before the deal.

    Args:
        rules: the house's.
        decisions: who sits where.
        count: by which rounds are told apart.
        whole: the whole counts; lower ones go with the first, higher ones with the last.
        rounds, seed, threads: as for `bj_env.compiled.simulate.simulate`.
        mine: the seats whose nets count; None is all.
        every: of how many rounds the shoe of one is returned.
        first: the number of the first block.

    Raises:
        BlackjackError: as `simulate`.

    >>> from bj_env.rules.houses import parse_rules
    >>> from bj_env.strategies.count_systems import count_from
    >>> chunks = by_count(parse_rules("6D PEN75"), ["basic"], count_from("hi-lo"), range(-9, 10), 20_000)
    >>> int(sum(chunk.sums[:, ROUNDS].sum() for chunk in chunks))
    20000
    """
    each, chunks = chunks_of_blocks(rules, rounds, None, first=first)
    teller = CountingDecision(count, plays=(), insurance=None, ramp=[(least, 1) for least in whole[1:]])
    made = seated_plans(rules, decisions, also=(teller,))
    *seats, other = made.seat.tolist()
    plans = made._replace(seat=np.array(seats))
    seed = checked_number("seed", seed, 0, SEEDS - 1)
    counting = np.array([mine is None or seat in mine for seat in range(len(decisions))])
    play_by_count = kernels()

    def play(blocks: range) -> ByCount:
        kept = len(blocks) * -(-each // every)
        found = ByCount(np.zeros((len(whole), 3)), np.zeros((kept, 11), np.int16), np.zeros(kept, np.int64))
        tables = some_tables(rules, len(decisions), seed)
        job = Blocks(blocks.start, each, counting, np.zeros(ROOM, np.int64))
        play_by_count(rules_book(rules), tables, plans, job, Telling(other, every, float(rules.min_bet * TICKS)), found)
        return found

    with told_if_compiling(play_by_count):
        play(range(0))
    return in_order(play, chunks, threads)


@cache
def kernels() -> Callable[..., None]:
    """Return the kernel, which is compiled as it is first called."""
    return kernel(make_play_by_count(sources()))


def make_play_by_count(digest: str) -> Callable[..., None]:
    """Make the kernel that plays blocks of rounds and adds them up by the count of a plan that plays nowhere."""

    def play_by_count(
        pages: Array,
        tables: Tables,
        plans: Plans,
        blocks: Blocks,
        telling: Telling,
        found: ByCount,
    ) -> None:
        assert digest
        book, sums, seen, every = pages[0], found.sums, found.seen, telling.every
        kept = 0
        tables_played = seen.shape[0] // ((blocks.rounds + every - 1) // every)
        for start in range(0, tables_played, LANES):
            many = min(LANES, tables_played - start)
            for lane in range(many):
                sit_down(book, table_at(tables, lane), plans, blocks.first + start + lane)
            work_ahead(book, tables, 0, many, blocks.lanes)
            for lane in range(many):
                t = table_at(tables, lane)
                for number in range(blocks.rounds):
                    fresh = shuffle_pending(book, t)
                    place = place_of_count(book, plans, telling.teller, t.state.seen, fresh)
                    if number % every == 0:
                        for value in range(1, 11):
                            seen[kept, value] = 0 if fresh else t.state.seen[value]
                        found.places[kept] = place
                        kept += 1
                    bet_and_deal(book, t, plans)
                    while go_on(book, t):
                        take(book, t, decide(book, t, plans))
                    won = end_and_count(book, t, blocks.mine) / telling.unit
                    sums[place, 0] += 1.0
                    sums[place, 1] += won
                    sums[place, 2] += won * won

    return play_by_count
