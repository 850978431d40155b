"""The kernels: what Python calls. Each goes through a range of tables, one after the other, without Python's lock."""

from collections.abc import Callable
from functools import cache
from typing import NamedTuple

from bj_env.compiled.arrays import Array, Table, Tables
from bj_env.compiled.book import Book
from bj_env.compiled.compiling import index, inlined, kernel, sources, written_in
from bj_env.compiled.episode import Game, act, advance, begin_episode, show_unasked
from bj_env.compiled.expected import Dealers
from bj_env.compiled.hand import page_of
from bj_env.compiled.lookup_policies import RANDOM, Plans, bet_of, decide
from bj_env.compiled.observation_kernels import Scheme, encode, write_row
from bj_env.compiled.round import deal, end, go_on, take
from bj_env.compiled.shoe import LANES, shuffle, work_ahead
from bj_env.env.settings import fallback_action
from bj_env.game.rng import seat_key
from bj_env.rules.terms import TICKS

SKIP, SHOW, BEGIN, GO = -4, -3, -2, -1
"""What to do with a table in place of an action: nothing; show how it stands; begin an episode; go on with one that was
begun."""


class Out(NamedTuple):
    """What a step returns, for ``T`` tables, ``W`` features or ``C`` columns, ``A`` actions, ``S`` seats.

    Attributes:
        features: observations, ``[T, W]``; ``[0, W]`` if they are columns.
        columns: observations, ``[T, C]``; ``[0, C]`` if they are features.
        reward: in the smallest bets on offer, ``[T]``.
        terminated, truncated: ``[T]``.
        mask: the legal actions, ``[T, A]``.
        seat: whose decision it is, ``[T]``.
        finished: whether a round has ended, ``[T]``.
        nets: what each seat has won in it, in chips, ``[T, S]``.
        dealer: the ranks of the dealer's cards in it, ``[T, 17]``.
        illegal: whether another action was played, ``[T]``.
    """

    features: Array
    columns: Array
    reward: Array
    terminated: Array
    truncated: Array
    mask: Array
    seat: Array
    finished: Array
    nets: Array
    dealer: Array
    illegal: Array


@written_in
def table_at(tables: Tables, i: int) -> Table:
    """Return the rows of one table."""
    return Table(
        tables.state[i],
        tables.seats[i],
        tables.hands[i],
        tables.pool[i],
        tables.front[i],
        tables.log[i],
        tables.counts[i],
    )


@inlined
def total_in_turn(book: Book, t: Table) -> int:
    """Return the total of the agent's hand in turn."""
    hand = t.state.asked_seat * book.max_hands + t.state.asked_hand
    return int(page_of(book, t, hand).total)


@inlined
def write_out(book: Book, t: Table, out: Out, i: int) -> None:
    """Write all but the observation and the reward."""
    s = t.state
    out.terminated[i] = s.over and not s.truncated
    out.truncated[i] = s.over and s.truncated
    mask = int(s.mask)
    for action in range(out.mask.shape[1]):
        out.mask[i, action] = mask >> action & 1
    out.seat[i] = s.asked_seat
    finished = s.finished and (s.over or not s.shown)
    out.finished[i] = finished
    for seat in range(out.nets.shape[1] if finished else 0):
        out.nets[i, seat] = t.seats[seat].last_net / TICKS
    if finished:
        write_dealer(book, t, out.dealer, i)


@inlined
def write_dealer(book: Book, t: Table, dealer: Array, i: int) -> None:
    """Write the dealer's cards in the last round: the up card, the hole card, and the last that were drawn."""
    s, dealt = t.state, 0
    cards, half, logged = int(s.last_dealer), int(s.half) ^ 1, int(s.last_logged)
    for seat in range(t.seats.shape[0]):
        dealt += t.seats[seat].last_bet > 0
    hole = book.hole_dealt
    for card in range(cards):
        place = logged - cards + card
        if card == 0:
            place = dealt
        elif card == 1 and hole:
            place = 2 * dealt + 1
        dealer[i, card] = t.log[half, place]


@inlined
def sit_down(book: Book, t: Table, plans: Plans, number: int) -> None:
    """Begin at a table of another number, as its first players."""
    t.state.number = number
    t.state.shoe = -1
    t.state.words_for = -1
    shuffle(book, t)
    t.state.fresh = 1
    for seat in range(t.seats.shape[0]):
        t.seats[seat].free = -1
        t.seats[seat].choices = 0
        if plans.kind[plans.seat[seat]] == RANDOM:
            low, high = seat_key(number, seat, int(t.state.key_low), int(t.state.key_high))
            t.seats[seat].chance_low = low
            t.seats[seat].chance_high = high


@inlined
def bet_and_deal(book: Book, t: Table, plans: Plans) -> None:
    """Begin a round by plans alone."""
    for seat in range(t.seats.shape[0]):
        t.seats[seat].bet = bet_of(book, t, plans, seat)
    deal(book, t)


@inlined
def end_and_count(book: Book, t: Table, mine: Array) -> int:
    """End a round, and return what some of the seats have won, in ticks; ``mine``: whether it counts, ``[S]``."""
    end(book, t)
    won = 0
    for seat in range(t.seats.shape[0]):
        if mine[seat]:
            won += t.seats[seat].net
    return won


class Kernels(NamedTuple):
    """The compiled loops.

    Attributes:
        run: see `make_run`.
        first_illegal: see `make_first_illegal`.
        sample: see `make_sample`.
        play_blocks: see `make_play_blocks`.
    """

    run: Callable[..., None]
    first_illegal: Callable[..., int]
    sample: Callable[..., None]
    play_blocks: Callable[..., None]


@cache
def kernels() -> Kernels:
    """Return the kernels, which are compiled as they are first called."""
    digest = sources()
    return Kernels(
        run=kernel(make_run(digest)),
        first_illegal=kernel(make_first_illegal(digest)),
        sample=kernel(make_sample(digest)),
        play_blocks=kernel(make_play_blocks(digest)),
    )


def make_run(digest: str) -> Callable[..., None]:
    """Make the kernel that takes a step at each table of a range, or begins an episode there."""

    def run(
        pages: Array,
        tables: Tables,
        plans: Plans,
        game: Game,
        dealers: Dealers,
        scheme: Scheme,
        codes: Array,
        low: int,
        high: int,
        autoreset: bool,
        penalty: float,
        row: Array,
        space: Array,
        lanes: Array,
        out: Out,
    ) -> None:
        assert digest
        book = pages[0]
        for table in range(low, high):
            i = index(table)
            if (i - low) % LANES == 0:
                work_ahead(book, tables, i, min(i + LANES, high), lanes)
            code = int(codes[i])
            if code == SKIP:
                continue
            t = table_at(tables, i)
            s = t.state
            out.illegal[i] = False
            out.reward[i] = 0.0
            if code == SHOW:
                pass
            elif code == BEGIN or (autoreset and code >= 0 and s.over):
                code = BEGIN
                begin_episode(t, plans, game)
            elif code >= 0:
                action = fallback_action(code, int(s.mask), total_in_turn(book, t))
                out.illegal[i] = action != code
                act(book, t, game, action)
            if code != SHOW:
                advance(book, t, plans, game, dealers, space)
            if code >= 0:
                out.reward[i] = t.state.won / (game.unit * TICKS) - penalty * out.illegal[i]
                t.state.won = 0.0
            elif code != SHOW:
                show_unasked(t)
            write_out(book, t, out, i)
            write_row(book, t, game, scheme, row)
            if out.features.shape[0] > 0:
                encode(scheme, row, out.features, i)
            else:
                for column in range(row.shape[0]):
                    out.columns[i, column] = row[column]

    return run


def make_first_illegal(digest: str) -> Callable[..., int]:
    """Make the kernel that finds the first table whose action is none, is not legal, or comes too late."""

    def first_illegal(state: Array, actions: Array, count: int, autoreset: bool, only_legal: bool) -> int:
        assert digest
        for i in range(actions.shape[0]):
            action = int(actions[i])
            if action < 0 or action >= count:
                return i
            if state[i].over:
                if not autoreset:
                    return i
            elif only_legal and not state[i].mask >> action & 1:
                return i
        return -1

    return first_illegal


def make_sample(digest: str) -> Callable[..., None]:
    """Make the kernel that draws legal actions, all equally likely, from numbers in [0, 1)."""

    def sample(masks: Array, numbers: Array, actions: Array) -> None:
        assert digest
        for i in range(masks.shape[0]):
            legal, before, passed = 0, 0, 0
            for action in range(masks.shape[1]):
                legal += masks[i, action]
            left = int(numbers[i] * legal)
            for action in range(masks.shape[1]):
                before += masks[i, action]
                passed += before <= left  # without a branch, which could not be foretold
            actions[i] = passed if legal > 0 else 0

    return sample


def make_play_blocks(digest: str) -> Callable[..., None]:
    """Make the kernel that plays blocks of rounds, each at a table of its own, by plans alone."""

    def play_blocks(
        pages: Array,
        tables: Tables,
        plans: Plans,
        first: int,
        rounds: int,
        mine: Array,
        lanes: Array,
        nets: Array,
        squares: Array,
    ) -> None:
        assert digest
        book = pages[0]
        for start in range(0, nets.shape[0], LANES):
            many = min(LANES, nets.shape[0] - start)
            for lane in range(many):
                sit_down(book, table_at(tables, lane), plans, first + start + lane)
            work_ahead(book, tables, 0, many, lanes)
            for lane in range(many):
                t = table_at(tables, lane)
                net, square = 0, 0.0
                for _ in range(rounds):
                    bet_and_deal(book, t, plans)
                    while go_on(book, t):
                        take(book, t, decide(book, t, plans))
                    won = end_and_count(book, t, mine)
                    net += won
                    square += float(won) * float(won)
                nets[start + lane] = net
                squares[start + lane] = square

    return play_blocks
