"""Agreement: whole rounds by decisions that a table can hold, and how often another would have decided the same."""

from collections.abc import Callable, Iterator, Sequence
from functools import cache
from typing import NamedTuple

import numpy as np

from bj_env.compiled.arrays import Array, Table, Tables
from bj_env.compiled.blocks import chunks_of_blocks, in_order, seated_plans, some_tables
from bj_env.compiled.book import Book, rules_book
from bj_env.compiled.compiling import index, inlined, kernel, sources, told_if_compiling
from bj_env.compiled.kernels import Blocks, bet_and_deal, end_and_count, sit_down, table_at
from bj_env.compiled.lookup_policies import Plans, decide
from bj_env.compiled.round import go_on, take
from bj_env.compiled.shoe import LANES, ROOM, work_ahead
from bj_env.env.settings import AGENT
from bj_env.game.decision import Decision
from bj_env.rules.terms import Rules

ASKED, SAME = range(2)
"""What is counted."""


def watched(
    rules: Rules,
    seats: Sequence[Decision | str],
    decision: Decision,
    baseline: Decision,
    rounds: int,
    *,
    seed: int,
    threads: int,
    block: int,
    first: int = 0,
) -> Iterator[tuple[Array, int, int]]:
    """Play rounds as `bj_env.compiled.simulate.played` does, and ask another decision what it would have done.

    Args:
        rules: the house's.
        seats: who sits where, ``"agent"`` for the decision that is watched.
        decision, baseline: that one, and the other.
        rounds, seed, threads, block: as for `bj_env.compiled.simulate.played`.
        first: the number of the first block.

    Yields:
        Of some blocks, in order: what the agent's seats have won in each, in ticks; how often they have decided
        anything but a bet; how often the baseline would have done the same.

    Raises:
        BlackjackError: if one of them goes by more than a table can hold.

    >>> from bj_env.strategies.basic import ChartDecision
    >>> from bj_env.strategies.simple import Threshold
    >>> parts = watched(Rules(), ("agent",), Threshold(12), ChartDecision(), 1000, seed=1, threads=1, block=1)
    >>> nets, asked, same = next(parts)
    >>> len(nets), 0 < same < asked
    (1000, True)
    """
    each, chunks = chunks_of_blocks(rules, rounds, block, first=first)
    plans, others = _both(rules, seats, decision, baseline)
    mine = np.array([seat == AGENT for seat in seats])
    play_watched = kernels().play_watched

    def play(blocks: range) -> tuple[Array, int, int]:
        nets, counts = np.zeros(len(blocks), np.int64), np.zeros(2, np.int64)
        tables = some_tables(rules, len(seats), seed)
        job = Blocks(blocks.start, each, mine, np.zeros(ROOM, np.int64))
        play_watched(rules_book(rules), tables, plans, others, job, Watched(nets, counts))
        return nets, int(counts[ASKED]), int(counts[SAME])

    with told_if_compiling(play_watched):
        play(range(0))
    return in_order(play, chunks, threads)


def _both(rules: Rules, seats: Sequence[Decision | str], decision: Decision, baseline: Decision) -> tuple[Plans, Plans]:
    """Return the plans of the seats, and the same with the baseline in each."""
    made = seated_plans(rules, [decision if seat == AGENT else seat for seat in seats], also=(baseline,))
    *seated, other = made.seat.tolist()
    return made._replace(seat=np.array(seated)), made._replace(seat=np.array([other] * len(seated)))


class Watched(NamedTuple):
    """What is found out.

    Attributes:
        nets: what the watched seats have won in each block, in ticks.
        counts: how often they have decided, and how often alike: `ASKED` and `SAME`.
    """

    nets: Array
    counts: Array


class Kernels(NamedTuple):
    """The compiled loops.

    Attributes:
        play_watched: see `make_play_watched`.
        answers: see `make_answers`.
    """

    play_watched: Callable[..., None]
    answers: Callable[..., None]


@cache
def kernels() -> Kernels:
    """Return the kernels, which are compiled as they are first called."""
    digest = sources()
    return Kernels(play_watched=kernel(make_play_watched(digest)), answers=kernel(make_answers(digest)))


@inlined
def answer_of(book: Book, t: Table, plans: Plans) -> int:
    """Return what another would do in the place of the seat in turn, without using up the seat's chance."""
    seat = index(t.state.seat)
    used = t.seats[seat].choices
    answer = decide(book, t, plans)
    t.seats[seat].choices = used
    return answer


@inlined
def play_round(book: Book, t: Table, plans: Plans, others: Plans, mine: Array, counts: Array) -> int:
    """Play a round by plans alone, and return what some of the seats have won, in ticks."""
    bet_and_deal(book, t, plans)
    while go_on(book, t):
        action = decide(book, t, plans)
        if mine[index(t.state.seat)]:
            counts[ASKED] += 1
            counts[SAME] += action == answer_of(book, t, others)
        take(book, t, action)
    return end_and_count(book, t, mine)


def make_play_watched(digest: str) -> Callable[..., None]:
    """Make the kernel that plays blocks of rounds, each at a table of its own, and counts what others would do too."""

    def play_watched(
        pages: Array,
        tables: Tables,
        plans: Plans,
        others: Plans,
        blocks: Blocks,
        found: Watched,
    ) -> None:
        assert digest
        book, nets = pages[0], found.nets
        for start in range(0, nets.shape[0], LANES):
            many = min(LANES, nets.shape[0] - start)
            for lane in range(many):
                sit_down(
                    book, table_at(tables, lane), others, blocks.first + start + lane
                )  # for seats that act at random
                sit_down(book, table_at(tables, lane), plans, blocks.first + start + lane)
            work_ahead(book, tables, 0, many, blocks.lanes)
            for lane in range(many):
                t = table_at(tables, lane)
                for _ in range(blocks.rounds):
                    nets[start + lane] += play_round(book, t, plans, others, blocks.mine, found.counts)

    return play_watched


def make_answers(digest: str) -> Callable[..., None]:
    """Make the kernel that asks what another would do at some tables."""

    def answers(pages: Array, tables: Tables, plans: Plans, which: Array, actions: Array) -> None:
        assert digest
        book = pages[0]
        for place in range(which.shape[0]):
            actions[place] = answer_of(book, table_at(tables, index(which[place])), plans)

    return answers
