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

NEVER, NEXT_STEP, SAME_STEP = range(3)
"""When a new episode begins where one is over."""

SKIP, SHOW, BEGIN, GO = -4, -3, -2, -1
"""What to do with a table in place of an action: nothing; show how it stands; begin an episode; go on with one that was
begun."""


class Out(NamedTuple):
    """What a step returns, for ``T`` tables, ``W`` features or ``C`` columns, ``A`` actions, ``S`` seats.

    In mode `SAME_STEP` there are twice as many rows: the ends of episodes stand in the second half.

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


class Options(NamedTuple):
    """What an environment is, besides its rules and its other seats.

    Attributes:
        game: what the agent plays.
        dealers: the dealer's draws, for expected rewards.
        scheme: what the agent sees.
        penalty: for an illegal action.
        most_steps: of an episode, 0 for any number.
    """

    game: Game
    dealers: Dealers
    scheme: Scheme
    penalty: float
    most_steps: int


class Job(NamedTuple):
    """What a thread does, and the room that it works in.

    Attributes:
        codes: an action for each table, or one of `SKIP`, `SHOW`, `BEGIN`, `GO`, ``[T]``.
        low, high: which tables are its own.
        autoreset: when a new episode begins where one is over: `NEVER`, `NEXT_STEP` or `SAME_STEP`.
        row: columns of an observation.
        space: see `bj_env.compiled.expected.SCRATCH`.
        lanes: see `bj_env.compiled.shoe.ROOM`.
    """

    codes: Array
    low: int
    high: int
    autoreset: int
    row: Array
    space: Array
    lanes: Array


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


@inlined
def write_observation(book: Book, t: Table, options: Options, columns: Array, out: Out, row: int) -> None:
    """Write what the agent sees; ``columns``: room for it."""
    write_row(book, t, options.game, options.scheme, columns)
    if out.features.shape[0] > 0:
        encode(options.scheme, columns, out.features, row)
    else:
        for column in range(columns.shape[0]):
            out.columns[row, column] = columns[column]


@inlined
def end_of_row(out: Out, row: int, ended: int) -> None:
    """Pay at the row of a table for the episode that has ended there, whose end stands in another row."""
    out.reward[row] = out.reward[ended]
    out.terminated[row] = out.terminated[ended]
    out.truncated[row] = out.truncated[ended]


class Blocks(NamedTuple):
    """Which rounds to play: each block at a table of its own.

    Attributes:
        first: the number of the first block.
        rounds: of each.
        mine: whether a seat's nets count, ``[S]``.
        lanes: see `bj_env.compiled.shoe.ROOM`.
    """

    first: int
    rounds: int
    mine: Array
    lanes: Array


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

    def run(pages: Array, tables: Tables, plans: Plans, options: Options, job: Job, out: Out) -> None:
        assert digest
        book = pages[0]
        for table in range(job.low, job.high):
            i = index(table)
            if (i - job.low) % LANES == 0:
                work_ahead(book, tables, i, min(i + LANES, job.high), job.lanes)
            code = int(job.codes[i])
            if code == SKIP:
                continue
            t = table_at(tables, i)
            s, ended = t.state, False
            if job.autoreset == NEXT_STEP and code >= 0 and s.over:
                code = BEGIN
            while True:
                reward, illegal, late = 0.0, False, False
                if code == BEGIN:
                    begin_episode(t, plans, options.game)
                elif code >= 0:
                    action = fallback_action(code, int(s.mask), total_in_turn(book, t))
                    illegal = action != code
                    act(book, t, options.game, action)
                if code != SHOW:
                    advance(book, t, plans, options.game, options.dealers, job.space)
                if code >= 0:
                    reward = s.won / (options.game.unit * TICKS) - options.penalty * illegal
                    s.won = 0.0
                    s.steps += 1
                    late = 0 < options.most_steps <= s.steps and not (s.over and not s.truncated)
                elif code != SHOW:
                    show_unasked(t)
                ends = job.autoreset == SAME_STEP and code >= 0 and (s.over > 0 or late)
                row = i + tables.state.shape[0] if ends else i
                write_out(book, t, out, row)
                write_observation(book, t, options, job.row, out, row)
                out.reward[row] = reward
                out.illegal[row] = illegal
                if late:
                    out.truncated[row] = True
                    s.over = s.truncated = 1
                if not ends:
                    break
                code, ended = BEGIN, True
            if ended:
                end_of_row(out, i, i + tables.state.shape[0])

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

    def play_blocks(pages: Array, tables: Tables, plans: Plans, blocks: Blocks, nets: Array, squares: Array) -> None:
        assert digest
        book, lanes = pages[0], blocks.lanes
        for start in range(0, nets.shape[0], LANES):
            many = min(LANES, nets.shape[0] - start)
            for lane in range(many):
                sit_down(book, table_at(tables, lane), plans, blocks.first + start + lane)
            work_ahead(book, tables, 0, many, lanes)
            for lane in range(many):
                t = table_at(tables, lane)
                net, square = 0, 0.0
                for _ in range(blocks.rounds):
                    bet_and_deal(book, t, plans)
                    while go_on(book, t):
                        take(book, t, decide(book, t, plans))
                    won = end_and_count(book, t, blocks.mine)
                    net += won
                    square += float(won) * float(won)
                nets[start + lane] = net
                squares[start + lane] = square

    return play_blocks
