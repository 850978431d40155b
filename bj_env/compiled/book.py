"""The rules book: what the rules say of every state of a hand and of the dealer, asked once and looked up ever after.

A hand is a number. Its page in the book tells which number it becomes with each card, what it may do, and what it is
worth in the end; the dealer's likewise. Every entry is an answer of `bj_env.rules.numbered`; nothing is said here a
second time.
"""

from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import NamedTuple, TypeVar

import numpy as np

from bj_env.compiled.arrays import Array, Record, part_type, record_type, whole_shoe
from bj_env.compiled.compiling import inlined
from bj_env.compiled.hand_tables import hand_row
from bj_env.rules.numbered import (
    best_total,
    card_value,
    completes_blackjack,
    dealer_hits,
    dealer_peeks,
    deals_hole_card,
    early_surrender_refusal,
    hand_net,
    in_play,
    insurance_refusal,
    is_blackjack,
    is_charlie,
    is_pair,
    is_soft,
    play_mask,
    shuffle_due,
)
from bj_env.rules.terms import DECK, TICKS, HoleCard, Rules, Surrender

EMPTY = 0
"""The state of a hand without cards, and of a dealer without any."""

BUST = 22
"""The total of every bust hand."""

WORTH_NATURAL, WORTH_CHARLIE, DEALER_BLACKJACK = 22, 23, 23
"""What hands are worth that are more than their total; a bust is worth 0 to a seat, and `BUST` to the dealer."""

LOSES, TIES, WINS, PAYS = -1, 0, 1, 2
"""A result: what a hand wins in stakes; `PAYS` is a blackjack that wins, whose payout may be rounded."""

WORTHS = 24

FULL, SHORT = 2, 1
"""What limits a seat, as bits: it has as many hands as it may have; it lacks the money for another bet."""

SHOE_ROOM = 896
"""Room for the largest shoe, in whole cache lines."""

HAND_STATE = part_type(
    ("after", np.uint16, 16),  # the state with one more card, by its rank
    ("legal", np.int8, 4),  # the legal actions as bits, by what limits the seat
    ("total", np.int8),  # an ace counts 11 where that fits; 22 for any bust
    ("soft", np.int8),  # whether one does
    ("pair", np.int8),  # the card value of the pair that it is, or 0
    ("row", np.int8),  # its row in tables over hands, see `bj_env.compiled.hand_tables.hand_row`
    ("one_card", np.int8),  # whether it waits for its second card, after a split
    ("natural", np.int8),  # whether it is a blackjack
    ("in_play", np.int8),  # whether the dealer must draw against it
    ("worth", np.int8),  # what it is worth in the end
    ("gap", np.int8, 20),  # up to a cache line
)

DEALER_STATE = part_type(
    ("after", np.uint16, 16),  # the state with one more card, by its rank
    ("worth", np.int8),  # his total, 22 for any bust, 23 for a blackjack
    ("draws", np.int8),  # whether he draws one more card
)

RULES = part_type(*((name, np.float64 if name == "penetration" else np.int64) for name in Rules._fields))

MOST_HAND_STATES, MOST_DEALER_STATES = 1280, 96

BOOK = record_type(
    ("infinite", np.int8),  # whether every card is drawn with replacement
    ("every_round", np.int8),  # whether the shoe is shuffled before every round
    ("hole_dealt", np.int8),  # whether the dealer deals himself a hole card
    ("original_bet", np.int8),  # whether a dealer's blackjack takes one bet only
    ("late", np.int8),  # whether surrender is late
    ("cut", np.int16),  # so many cards dealt bring out the cut card
    ("cards", np.int16),  # of a whole shoe
    ("pool_start", np.int16),  # where in the pool the first card lies that is dealt: of an infinite shoe behind the 52
    ("lines", np.int16),  # cache lines of it
    ("max_hands", np.int16),  # of a seat
    ("offers", np.int8, 16),  # whether anything is offered before the hands play, by up card
    ("peek", np.int8, 16),  # the value of a hole card that the dealer finds when he peeks, or 0, by up card
    ("split_into", np.uint16, 16),  # the state of a split hand's first card, by its rank
    ("result", np.int8, WORTHS * 32),  # by ``32 * worth`` of the hand and the dealer's worth
    ("full", np.uint8, SHOE_ROOM),  # the ranks of a whole shoe, then zeros
    ("rules", RULES),  # the rules as plain numbers, for functions of `bj_env.rules.numbered`
    ("dealer", DEALER_STATE, MOST_DEALER_STATES),
    ("hands", HAND_STATE, MOST_HAND_STATES),
)

Book = Record
"""One record of `BOOK`."""


class HandState(NamedTuple):
    """All that the rules can ask of a hand.

    Attributes:
        total: an ace counts 11 where that fits; 22 for any bust.
        soft: whether one does.
        cards: how many, as far as the rules tell numbers apart.
        mark: of one card its rank; of a pair the card value; else 0.
        origin: 0 as dealt, 1 from a split, 2 from split aces.
    """

    total: int
    soft: bool
    cards: int
    mark: int
    origin: int


class DealerState(NamedTuple):
    """All that the rules can ask of the dealer's face-up cards; ``cards`` up to 3."""

    total: int
    soft: bool
    cards: int


State = TypeVar("State", HandState, DealerState)


def hand_states(rules: Rules) -> list[HandState]:
    """List every state of a hand: as dealt from no card on, and from one card on after a split.

    >>> empty, after_splitting_aces, *others = hand_states(Rules())
    >>> after_splitting_aces
    HandState(total=11, soft=True, cards=1, mark=1, origin=2)
    >>> len(others) < MOST_HAND_STATES
    True
    """
    first = [HandState(0, False, 0, 0, 0)]
    first += [after_split(rank) for rank in range(1, 14)]
    return _reached(first, lambda state, rank: hand_with(rules, state, rank))


def after_split(rank: int) -> HandState:
    """Return the state of a split hand's first card.

    >>> after_split(8)
    HandState(total=8, soft=False, cards=1, mark=8, origin=1)
    """
    value = card_value(rank)
    ace = value == 1
    return HandState(best_total(value, ace), is_soft(value, ace), 1, rank, 2 if ace else 1)


def hand_with(rules: Rules, state: HandState, rank: int) -> HandState:
    """Return the state of a hand with one more card.

    >>> hand_with(Rules(), hand_with(Rules(), HandState(0, False, 0, 0, 0), 8), 8)
    HandState(total=16, soft=False, cards=2, mark=8, origin=0)
    """
    if state.total > 21:
        return state
    most = max(3, rules.charlie)
    total, soft = _with_card(state.total, state.soft, rank)
    cards = min(state.cards + 1, most)
    if total > 21:
        return HandState(BUST, False, most, 0, state.origin)
    mark = rank if cards == 1 else 0
    if cards == 2 and is_pair(rules, state.mark, rank):
        mark = card_value(rank)
    return HandState(total, soft, cards, mark, state.origin)


def dealer_states() -> list[DealerState]:
    """List every state of the dealer.

    >>> len(dealer_states()) <= MOST_DEALER_STATES
    True
    """
    return _reached([DealerState(0, False, 0)], dealer_with)


def dealer_with(state: DealerState, rank: int) -> DealerState:
    """Return the dealer's state with one more card.

    >>> dealer_with(DealerState(6, False, 1), 1)
    DealerState(total=17, soft=True, cards=2)
    """
    if state.total > 21:
        return state
    total, soft = _with_card(state.total, state.soft, rank)
    return DealerState(min(total, BUST), soft, min(state.cards + 1, 3))


def _with_card(total: int, soft: bool, rank: int) -> tuple[int, bool]:
    value = card_value(rank)
    hard, ace = (total - 10 if soft else total) + value, soft or value == 1
    return best_total(hard, ace), is_soft(hard, ace)


def _reached(first: list[State], after: Callable[[State, int], State]) -> list[State]:
    """List the first states, and after them every one that cards lead to."""
    states = dict.fromkeys(first)
    waiting = list(first)
    for state in waiting:  # grows as it goes
        for rank in range(1, 14):
            new = after(state, rank)
            if new not in states:
                states[new] = None
                waiting.append(new)
    return list(states)


@lru_cache(maxsize=64)
def rules_book(rules: Rules) -> Array:
    """Return the book of some rules: one record of `BOOK`, in an array of one.

    >>> page = rules_book(Rules())[0]
    >>> sixteen = page.hands[page.hands[page.hands[EMPTY].after[8]].after[8]]
    >>> int(sixteen.total), int(sixteen.pair), bin(sixteen.legal[0]), bin(sixteen.legal[FULL])
    (16, 8, '0b11111', '0b10111')
    >>> int(page.result[32 * 20 + 19]), int(page.result[32 * WORTH_NATURAL + DEALER_BLACKJACK])
    (1, 0)
    """
    made = np.zeros(1, BOOK)
    page = made[0]
    _write_house(rules, page)
    _write_hands(rules, page)
    _write_dealer(rules, page)
    for mine in range(WORTHS):
        for his in range(WORTHS):
            page.result[32 * mine + his] = _result(rules, mine, his)
    made.flags.writeable = False  # it is shared
    return made


def _write_house(rules: Rules, page: Book) -> None:
    """Write what does not depend on a hand."""
    shoe = whole_shoe(rules)
    for name, value in rules._asdict().items():
        setattr(page.rules, name, value)
    page.infinite, page.every_round = rules.decks == 0, rules.penetration == 0
    page.hole_dealt, page.max_hands = deals_hole_card(rules), rules.max_hands
    page.original_bet, page.late = rules.hole_card == HoleCard.OBO, rules.surrender == Surrender.LATE
    page.cards, page.lines = len(shoe), -(-len(shoe) // 64)
    page.pool_start = 0 if rules.decks else DECK
    page.cut = next(dealt for dealt in range(1, len(shoe) + 1) if shuffle_due(rules, dealt, len(shoe)))
    page.full[: len(shoe)] = shoe
    for upcard in range(1, 11):
        offers = (early_surrender_refusal(rules, upcard, False), insurance_refusal(rules, upcard, TICKS, False))
        page.offers[upcard] = 0 in offers
        finds = [hole for hole in range(1, 11) if completes_blackjack(upcard, hole)]
        page.peek[upcard] = finds[0] if finds and dealer_peeks(rules, upcard) else 0


def _write_hands(rules: Rules, page: Book) -> None:
    """Write the page of every hand."""
    states = hand_states(rules)
    number = {state: place for place, state in enumerate(states)}
    for rank in range(1, 14):
        page.split_into[rank] = number[after_split(rank)]
    for state, hand in zip(states, page.hands, strict=False):
        hand.after[0] = number[state]
        hand.after[1:14] = [number[hand_with(rules, state, rank)] for rank in range(1, 14)]
        hand.legal[:] = list(_legal(rules, state))
        hand.total, hand.soft, hand.one_card = state.total, state.soft, state.cards == 1
        hand.pair = state.mark if state.cards == 2 else 0
        hand.row = hand_row(state.total, state.soft, int(hand.pair)) if state.cards > 1 else 0
        charlie, natural = is_charlie(rules, state.total, state.cards), _is_natural(state)
        hand.natural = natural
        hand.in_play = state.cards > 0 and in_play(rules, state.total > 21, False, charlie, natural)
        bust_or_total = 0 if state.total > 21 else state.total
        hand.worth = WORTH_CHARLIE if charlie else WORTH_NATURAL if natural else bust_or_total


def _is_natural(state: HandState) -> bool:
    return is_blackjack(state.total, state.cards, state.origin > 0)


def _legal(rules: Rules, state: HandState) -> Iterator[int]:
    """Ask R17 what a hand in turn may do, for each set of limits; a charlie gets no turn."""
    for limits in range(4):
        if state.cards < 2 or is_charlie(rules, state.total, state.cards):
            yield 0
        else:
            pair, hands = state.mark > 0, rules.max_hands if limits & FULL else 1
            split, aces, short = state.origin > 0, state.origin == 2, limits & SHORT > 0
            yield play_mask(rules, state.total, state.soft, state.cards, pair, split, aces, hands, short)


def _write_dealer(rules: Rules, page: Book) -> None:
    """Write the page of every state of the dealer."""
    states = dealer_states()
    number = {state: place for place, state in enumerate(states)}
    for state, dealer in zip(states, page.dealer, strict=False):
        dealer.after[0] = number[state]
        dealer.after[1:14] = [number[dealer_with(state, rank)] for rank in range(1, 14)]
        dealer.worth = DEALER_BLACKJACK if is_blackjack(state.total, state.cards, False) else state.total
        dealer.draws = state.total < 21 and dealer_hits(rules, state.total, state.soft)


def _result(rules: Rules, mine: int, his: int) -> int:
    """Return what a hand wins against the dealer in stakes, by what each is worth."""
    natural = mine == WORTH_NATURAL
    net = worth_net(rules, 20, mine, his)  # of a stake that pays whole chips, whatever a blackjack pays
    if net > 0 and natural:
        return PAYS
    return WINS if net > 0 else LOSES if net < 0 else TIES


@inlined
def worth_net(rules: Rules, stake: int, mine: int, his: int) -> int:
    """Return what a hand wins or loses in ticks, by what it and the dealer's are worth (R24).

    >>> worth_net(Rules(), 100, WORTH_NATURAL, 20), worth_net(Rules(), 100, 0, BUST)
    (150, -100)
    """
    natural, charlie = mine == WORTH_NATURAL, mine == WORTH_CHARLIE
    total = BUST if mine == 0 else min(mine, 21)
    blackjack = his == DEALER_BLACKJACK
    return hand_net(rules, stake, total, natural, charlie, 21 if blackjack else his, blackjack)
