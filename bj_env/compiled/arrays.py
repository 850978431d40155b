"""Tables as records: what ``T`` tables that are played at once hold, one record for each table, seat and hand.

Letters: ``T`` tables, ``S`` seats, ``H`` hands that one seat may have, ``N`` cards of a shoe, ``L`` entries of a log,
``F`` stacked cards. Numbers are unsigned only where they are places in a table: numba makes a float of an unsigned
number of 64 bits and a signed one.
"""

from collections import namedtuple
from functools import cache, lru_cache
from typing import Any, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from bj_env.errors import BlackjackError
from bj_env.rules.numbered import card_value
from bj_env.rules.terms import Rules

Array = NDArray[Any]
Record = Any
"""One record of `STATE`, `SEAT` or `HAND`, whose fields are attributes."""

AHEAD = 8
"""So many words are used at once, two blocks side by side: one at a time costs three times as much."""


class PlainRecord(np.void):  # type: ignore[misc]  # numpy's types call it final, numpy does not
    """A record as Python reads it where kernels are not compiled: its fields are Python's own numbers.

    A number that does not fit into its field raises `OverflowError`; compiled code does not look.
    """

    def __getattr__(self, name: str) -> Any:
        try:
            value = self[name]
        except ValueError:
            raise AttributeError(f"no field of name {name}") from None
        if isinstance(value, np.number):
            return value.item()
        return value if value.dtype.names is None else value.view(_plain(value.dtype))

    def __setattr__(self, name: str, value: Any) -> None:
        self[name] = value


@cache
def _plain(part: np.dtype[Any]) -> np.dtype[Any]:
    return np.dtype((PlainRecord, part))


def record_type(*fields: tuple[Any, ...]) -> np.dtype[Any]:
    """Return the type of a record, each field a name, a type and how many of it if more than one."""
    return _plain(part_type(*fields))


def part_type(*fields: tuple[Any, ...]) -> np.dtype[Any]:
    """Return the type of records that lie within others, which read them as their own kind."""
    return np.dtype(list(fields), align=True)


STATE = record_type(
    # --- the shoe's random words ---
    ("words", np.uint32, AHEAD),  # two blocks of them
    ("words_for", np.int64),  # which these are, see `bj_env.compiled.shoe.words_for`
    ("key_low", np.int64),  # of the seed
    ("key_high", np.int64),
    ("number", np.int64),  # of the table
    ("shoe", np.int64),  # which of its shoes
    ("draws", np.int32),  # how many of the shoe's words are used
    ("draws_before", np.int32),  # how many were before the cards ahead were drawn
    # --- the shoe ---
    ("dealt", np.int32),  # cards dealt since the shuffle
    ("ready", np.int32),  # and how many cards are ready to be, in their order
    ("ready_from", np.int32),  # where the cards ahead begin
    ("pool_end", np.int32),  # the end of the pool
    ("round_start", np.int32),  # how many cards were dealt before this round
    ("front_at", np.int32),  # the next stacked card
    ("front_end", np.int32),  # the end of the stacked cards
    ("stacked", np.int32),  # how many of these are known cards
    # --- the round ---
    ("seat", np.int16),  # whose turn it is, or was last
    ("hand", np.int8),  # which of its hands is in turn
    ("phase", np.int8),  # what is asked, a Phase
    ("upcard", np.int8),  # the dealer's, by value
    ("hole", np.int8),  # the hidden card's rank, 0 if there is none
    ("dealer", np.uint8),  # the state of the dealer's face-up cards, see `bj_env.compiled.book`
    ("dealer_cards", np.int8),  # how many they are
    ("void", np.int8),  # whether the stakes go back
    ("spent", np.int8),  # whether the shoe is shuffled before the next round, wherever its cut card is
    ("kept", np.int8),  # whether it is not, because it was stacked
    ("fresh", np.int8),  # whether nothing was dealt from it yet
    ("shuffled", np.int8),  # whether the shoe ran out in this round
    ("half", np.int8),  # which half of the log is written: this round's, 0 or 1
    ("last_dealer", np.int8),  # how many cards the dealer had in the last round,
    ("last_void", np.int8),  # and whether it was void
    # --- the episode ---
    ("on_table", np.int8),  # whether a round is on the table
    ("asked", np.int8),  # whether the agent was asked in this episode
    ("shown", np.int8),  # whether the episode ended without any decision, and is shown once before it is over
    ("over", np.int8),  # whether the episode is over
    ("truncated", np.int8),  # whether by its length alone
    ("finished", np.int8),  # whether a round has ended since the agent's last decision
    ("acted", np.int8),  # whether the agent has just acted
    ("can_expect", np.int8),  # whether what it knew then tells what to expect
    ("asked_hand", np.int8),  # for which hand the agent decides, or did last
    ("asked_seat", np.int16),  # and at which seat
    ("placed", np.int16),  # the seats whose bets are made
    ("rounds", np.int32),  # rounds ended in this episode
    ("steps", np.int32),  # steps of the agent in it
    ("mask", np.int32),  # the legal actions as bits
    ("logged", np.int32),  # the length of the written half of the log,
    ("last_logged", np.int32),  # and of the other half: the last round's
    ("won", np.float64),  # what the agent has won in rounds that ended since it was last paid, in ticks
    ("seen", np.int16, 11),  # cards of value 1..10 that have been face up since the shuffle (index 0 unused),
    ("known", np.int16, 11),  # and had been after the agent's last decision
)

SEAT = record_type(  # money in ticks
    ("bet", np.int64),  # the initial bet, 0 if the seat sits out
    ("free", np.int64),  # the money that is not staked, below 0 without limit
    ("bank", np.int64),  # the money before the bet, below 0 without limit
    ("net", np.int64),  # what the round has come to
    ("insurance", np.int64),  # the stake on insurance
    ("chance_low", np.int64),  # the key of the seat's own chance,
    ("chance_high", np.int64),
    ("choices", np.int64),  # and how many words of it are used
    ("last_bet", np.int64),  # of the last round that ended: the bet,
    ("last_bank", np.int64),  # the money before it,
    ("last_net", np.int64),  # and what it came to
    ("hands", np.int32),  # how many hands the seat has
    ("limits", np.int32),  # what limits it, see `bj_env.compiled.book`
)

HAND = record_type(
    ("state", np.uint16),  # see `bj_env.compiled.book`
    ("first", np.uint8),  # the rank of the first card
    ("latest", np.uint8),  # the rank of the latest: of a pair, the second
    ("doubled", np.int8),  # whether its stake is twice the bet
    ("fate", np.int8),  # what has become of it:
)
OPEN, STANDS, SURRENDERED = range(3)
MOST_HANDS_OF_A_TABLE = np.iinfo(np.int16).max
"""Places of seats and hands fit into their fields."""

NEW_ACTION = 16
"""In the log a rank is a card that was drawn, and ``NEW_ACTION + action`` an action."""


House = namedtuple("House", Rules._fields)  # type: ignore[misc]
"""`Rules` as plain numbers: ``penetration`` a float, all else ints. Kernels take these in their place."""


def house(rules: Rules) -> Rules:
    """Return rules as plain numbers; whoever takes them need not know.

    >>> house(Rules(decks=2)).decks
    2
    """
    numbers = [float(value) if name == "penetration" else int(value) for name, value in rules._asdict().items()]
    return cast(Rules, House(*numbers))


class Tables(NamedTuple):
    """The arrays of ``T`` tables.

    Attributes:
        state: a record of `STATE` for each table, ``[T]``.
        seats: of `SEAT` for each seat, ``[T, S]``.
        hands: of `HAND` for each hand that a seat may have, ``[T, S * H]``.
        pool: ranks: first those dealt since the shuffle, in order, then those still to come, in none, ``[T, N]``. Of an
            infinite shoe the cards ahead lie behind the 52. It is filled up with zeros to whole cache lines.
        front: ranks stacked on top, 0 for one that chance draws, ``[T, F]``.
        log: what has happened in this round and in the last one, ``[T, 2, L]``.
        counts: the dealer's cards by value 1..10, then those of every hand, ``[T, (1 + S * H) * 10]``; or ``[T, 0]``
            where nobody looks at them.
    """

    state: Array
    seats: Array
    hands: Array
    pool: Array
    front: Array
    log: Array
    counts: Array


class Table(NamedTuple):
    """The record of one table, and its rows, under the names of `Tables`."""

    state: Record
    seats: Array
    hands: Array
    pool: Array
    front: Array
    log: Array
    counts: Array


def whole_shoe(rules: Rules) -> Array:
    """Return the ranks of a shoe in the order of its faces.

    >>> whole_shoe(Rules(decks=1))[:14].tolist()
    [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 1]
    """
    return np.tile(np.arange(1, 14, dtype=np.uint8), 4 * max(rules.decks, 1))


@lru_cache(maxsize=64)
def most_cards(rules: Rules, seats: int) -> int:
    """Return a bound on the cards of one round: as many low ones as all hands can hold, and one more for each.

    >>> most_cards(Rules(), 1)
    62
    """
    hands = seats * rules.max_hands
    points, cards = 21 * hands + 16, hands + 1
    for value in range(1, 11):
        held = points if rules.decks == 0 else int(card_value_counts(rules)[value])
        taken = min(held, points // value)
        points, cards = points - taken * value, cards + taken
    return cards


def card_value_counts(rules: Rules) -> list[int]:
    """Return how many cards of each value 1..10 a shoe holds (index 0 unused).

    >>> card_value_counts(Rules(decks=1))
    [0, 4, 4, 4, 4, 4, 4, 4, 4, 4, 16]
    """
    counts = [0] * 11
    for rank in whole_shoe(rules).tolist():
        counts[card_value(rank)] += 1
    return counts


def allocate(rules: Rules, tables: int, seats: int, *, logged: bool, counted: bool) -> Tables:
    """Return the arrays of so many tables, all zero.

    Args:
        rules: the house's.
        tables: how many.
        seats: how many each has.
        logged: whether rounds are logged.
        counted: whether the cards of each hand are counted.

    Raises:
        BlackjackError: if the seats are more than a record can tell apart.

    >>> allocate(Rules(), 2, 3, logged=False, counted=False).seats.shape
    (2, 3)
    """
    places = seats * rules.max_hands
    if places > MOST_HANDS_OF_A_TABLE:
        raise BlackjackError(f"seats: expected at most {MOST_HANDS_OF_A_TABLE} hands at a table, got {places}")
    shoe, cards = whole_shoe(rules), most_cards(rules, seats)
    room = len(shoe) if rules.decks else len(shoe) + cards + AHEAD
    full = np.zeros(-(-room // 64) * 64, np.uint8)
    full[: len(shoe)] = shoe
    entries = 2 * cards + seats * (rules.max_hands + 2) if logged else 0
    state = np.zeros(tables, STATE)
    state["words_for"] = -1
    return Tables(
        state=state,
        seats=np.zeros((tables, seats), SEAT),
        hands=np.zeros((tables, places), HAND),
        pool=np.tile(full, (tables, 1)),
        front=np.zeros((tables, 0), np.uint8),
        log=np.zeros((tables, 2, entries), np.uint8),
        counts=np.zeros((tables, 10 * (1 + places) if counted else 0), np.uint8),
    )
