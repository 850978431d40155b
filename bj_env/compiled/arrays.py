"""Tables as arrays: what stands where for ``T`` tables that are played at once.

Letters: ``T`` tables, ``S`` seats, ``H`` hands that one seat may have, ``N`` cards of a shoe, ``L`` entries of a log,
``F`` stacked cards. A name in capitals is the place of a number in the last axis of its array.
"""

from collections import namedtuple
from functools import lru_cache
from typing import Any, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from bj_env.compiled.hand_tables import legal_actions
from bj_env.rules.numbered import card_value
from bj_env.rules.terms import Rules

Array = NDArray[Any]

# --- state: what a table is at, [T, STATE] ---------------------------------------------------------------------------

(
    PHASE,  # what is asked, a Phase
    SEAT,  # whose turn it is, or was last
    HAND,  # which of its hands is in turn
    MASK,  # the legal actions as bits
    UPCARD,  # the dealer's, by value
    HOLE,  # the hidden card's rank, 0 if there is none
    DEALER_TOTAL,  # of the dealer's face-up cards,
    DEALER_SOFT,  # whether it is soft,
    DEALER_CARDS,  # and how many they are
    VOID,  # whether the stakes go back
    DEALT,  # cards dealt since the shuffle
    READY,  # and how many cards are ready to be, in their order
    READY_FROM,  # where the cards ahead begin
    SIZE,  # the end of the pool
    ROUND_START,  # how many of these before this round
    SPENT,  # whether the shoe is shuffled before the next round, wherever its cut card is
    KEPT,  # whether it is not, because it was stacked
    FRESH,  # whether nothing was dealt from it yet
    FRONT,  # the next stacked card
    FRONT_END,  # the end of the stacked cards
    STACKED,  # how many of these are known cards
    SHUFFLED,  # whether the shoe ran out in this round
    LOG,  # which half of the log is written: this round's, 0 or 1
    LOGGED,  # its length
    LAST_LOGGED,  # the length of the other half: the last round's
    LAST_DEALER,  # how many cards the dealer had in it
    LAST_VOID,  # whether it was void
    ON_TABLE,  # whether a round is on the table
    PLACED,  # the seats whose bets are made
    ROUNDS,  # rounds ended in this episode
    ASKED,  # whether the agent was asked in this episode
    SHOWN,  # whether the episode ended without any decision, and is shown once before it is over
    OVER,  # whether the episode is over
    TRUNCATED,  # whether by its length alone
    FINISHED,  # whether a round has ended since the agent's last decision
    ASKED_SEAT,  # whose decision of the agent's it is, or was last
    ASKED_HAND,  # for which hand
    ACTED,  # whether the agent has just acted
    KNOWN,  # whether it has acted in this round
    STATE,
) = range(40)

# --- stream: the shoe's chance, [T, STREAM] --------------------------------------------------------------------------

(
    KEY_LOW,
    KEY_HIGH,
    NUMBER,  # of the table
    SHOE,  # which of its shoes
    DRAWS,  # how many of the shoe's words are used
    DRAWS_BEFORE,  # how many were before the cards ahead were drawn
    WORDS_FOR,  # which words are worked out, see `bj_env.compiled.shoe.words_for`
    STREAM,
) = range(8)
AHEAD = 8
"""So many words are used at once, two blocks side by side: one at a time costs three times as much."""

# --- seats: money in ticks, [T, S, SEATS] ----------------------------------------------------------------------------

(
    BET,  # the initial bet, 0 if the seat sits out
    BANK,  # the money before it, below 0 without limit
    FREE,  # the money that is not staked, below 0 without limit
    INSURANCE,  # the stake on insurance
    NET,  # what the round has come to
    HANDS,  # how many hands the seat has
    CHANCE_LOW,  # the key of the seat's own chance,
    CHANCE_HIGH,
    CHOICES,  # and how many words of it are used
    LAST_BET,  # of the last round that ended: the bet,
    LAST_BANK,  # the money before it,
    LAST_NET,  # and what it came to
    SEATS,
) = range(13)

# --- hands, [T, S * H, CARDS_OF_HAND] --------------------------------------------------------------------------------

(
    TOTAL,  # an ace counts 11 where that fits
    SOFT,  # whether one does
    CARDS,  # how many cards
    FIRST,  # the rank of the first card
    SECOND,  # the rank of the second
    LATEST,  # the rank of the latest after these
    FROM_SPLIT,  # whether it came from a split
    NATURAL,  # whether it is a blackjack
    DOUBLED,  # whether its stake is twice the bet
    FATE,  # what has become of it:
    HANDS_WIDTH,
) = range(11)
OPEN, STANDS, SURRENDERED, CHARLIE = range(4)

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
        state, stream, seats, hands: see the names in capitals.
        pool: ranks: first those dealt since the shuffle, in order, then those still to come, in none, ``[T, N]``. Of an
            infinite shoe the cards ahead lie behind the 52.
        full: the ranks of a whole shoe, ``[N]``; like the pool it is filled up with zeros to whole cache lines.
        legal: the legal actions of every hand as bits, see `legal_actions`.
        words: of the shoe's chance, two blocks of them, ``[8, T]``: side by side, as they are worked out.
        front: ranks stacked on top, 0 for one that chance draws, ``[T, F]``.
        seen: how many cards of value 1..10 have been face up since the shuffle (index 0 unused), ``[T, 11]``.
        log: what has happened in this round and in the last one, ``[T, 2, L]``.
        counts: the dealer's cards by value 1..10, then those of every hand, ``[T, (1 + S * H) * 10]``; or ``[T, 0]``
            where nobody looks at them.
        won: what the agent has won in rounds that ended since it was last paid, in ticks, ``[T]``.
        known: ``seen`` as it was after the agent's last decision, ``[T, 11]``.
    """

    state: Array
    stream: Array
    seats: Array
    hands: Array
    pool: Array
    full: Array
    legal: Array
    words: Array
    front: Array
    seen: Array
    log: Array
    counts: Array
    won: Array
    known: Array


class Table(Tables):
    """The rows of one table, under the names of `Tables`; ``won`` keeps its axis."""

    __slots__ = ()


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
    """
    shoe, cards = whole_shoe(rules), most_cards(rules, seats)
    full = np.zeros(-(-len(shoe) // 64) * 64, np.uint8)
    full[: len(shoe)] = shoe
    entries = 2 * cards + seats * (rules.max_hands + 2) if logged else 0
    places = 10 * (1 + seats * rules.max_hands)
    return Tables(
        state=np.zeros((tables, STATE), np.int32),
        stream=np.full((tables, STREAM), -1),
        seats=np.zeros((tables, seats, SEATS), np.int64),
        hands=np.zeros((tables, seats * rules.max_hands, HANDS_WIDTH), np.int8),
        pool=np.tile(full, (tables, 1)),
        full=full,
        legal=legal_actions(rules),
        words=np.zeros((AHEAD, tables), np.uint32),
        front=np.zeros((tables, 0), np.uint8),
        seen=np.zeros((tables, 11), np.int16),
        log=np.zeros((tables, 2, entries), np.uint8),
        counts=np.zeros((tables, places if counted else 0), np.uint8),
        won=np.zeros(tables),
        known=np.zeros((tables, 11), np.int16),
    )
