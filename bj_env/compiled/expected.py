"""Expected rewards, in kernels: a round's net as its exact expectation over what the dealer holds and draws.

As `bj_env.env.expected_reward`, whose docstrings say what is averaged; the chances are those of `bj_env.solver.draws`.
"""

from functools import cache
from typing import NamedTuple

import numpy as np

from bj_env.compiled.arrays import Array, Table
from bj_env.compiled.book import DEALER_BLACKJACK, Book
from bj_env.compiled.compiling import called, index, inlined
from bj_env.compiled.lookup_policies import Plans
from bj_env.compiled.round import PLAY
from bj_env.compiled.settlement import settle
from bj_env.rules.numbered import card_value, cards_of_value, dealer_peeks
from bj_env.rules.terms import Rules
from bj_env.solver.dealer import dealer_tree, hole_value
from bj_env.solver.draws import BLACKJACK, BUSTS, MOST_OF_A_VALUE, OUTCOMES, Tree, shoe_lasts, walk

_FACTORS = 10 * MOST_OF_A_VALUE
_DEPTHS = MOST_OF_A_VALUE + 1
SCRATCH = _FACTORS + 2 * _DEPTHS + OUTCOMES
"""How many numbers one expectation needs while it is worked out."""


class Dealers(NamedTuple):
    """The dealer's draws for every up card.

    Attributes:
        tree: the nodes of the up cards' trees, one after the other.
        first: the first node of each value's tree and, at 11, the end of the last, ``[12]``.
        hole: the value that makes a blackjack with each, or 0, ``[11]``.
    """

    tree: Tree
    first: Array
    hole: Array


@cache
def dealers(rules: Rules) -> Dealers:
    """Return the draws of the house's dealer.

    >>> int(dealers(Rules()).hole[10])
    1
    """
    trees = [dealer_tree(rules, upcard) for upcard in range(1, 11)]
    ends = np.cumsum([0, 0, *(len(tree.depth) for tree in trees)])
    whole = Tree(*(np.concatenate(parts) for parts in zip(*trees, strict=True)))
    return Dealers(whole, ends, np.array([0, *map(hole_value, range(1, 11))]))


@inlined
def can_last(book: Book, t: Table, plans: Plans, asked: bool) -> bool:
    """Tell whether a round cannot run out of cards after what the agent has just done."""
    s = t.state
    left = int(s.pool_end) - int(s.dealt) + (s.hole > 0)
    return shoe_lasts(
        book.rules.decks, t.state.seen, left, int(s.upcard), hands_to_come(book, t, plans) if asked else 0
    )


@inlined
def hands_to_come(book: Book, t: Table, plans: Plans) -> int:
    """Return how many hands of other seats there may be that have not drawn yet, where some seat is asked."""
    s, hands = t.state, 0
    for seat in range(int(s.seat) if s.phase == PLAY else 0, t.seats.shape[0]):
        if plans.seat[seat] >= 0 and t.seats[seat].bet > 0:
            hand = index(seat * book.max_hands)
            pair = card_value(int(t.hands[hand].first)) == card_value(int(t.hands[hand].latest))
            hands += book.max_hands if pair else 1
    return hands


@inlined
def dealer_probabilities(book: Book, t: Table, dealers: Dealers, space: Array) -> None:
    """Work out the chance of each outcome of the dealer, given all that was known, in the last of ``space``."""
    upcard = int(t.state.upcard)
    factors, shares = space[:_FACTORS], space[_FACTORS : _FACTORS + _DEPTHS]
    weight, sums = space[_FACTORS + _DEPTHS : _FACTORS + 2 * _DEPTHS], space[_FACTORS + 2 * _DEPTHS :]
    step, cards = 1.0 if book.rules.decks > 0 else 0.0, 0.0
    for value in range(1, 11):
        left = float(cards_of_value(value)) * max(book.rules.decks, 1) - step * t.state.known[value]
        cards += left
        for drawn in range(21 // value + 1):
            factors[(value - 1) * MOST_OF_A_VALUE + drawn, 0] = max(left - step * drawn, 0.0)
    for drawn in range(_DEPTHS - 1):
        rest = cards - step * drawn
        shares[drawn + 1, 0] = 1.0 / rest if rest > 0 else 0.0
    weight[0, 0] = 1.0
    for outcome in range(OUTCOMES):
        sums[outcome, 0] = 0.0
    walk(dealers.tree, dealers.first[upcard], dealers.first[upcard + 1], factors, shares, weight, sums, 1)
    hole = dealers.hole[upcard]
    blackjack = factors[(hole - 1) * MOST_OF_A_VALUE, 0] * shares[1, 0] if hole > 0 else 0.0
    sums[BUSTS, 0] = 1.0 - blackjack
    for outcome in range(BUSTS):
        sums[BUSTS, 0] -= sums[outcome, 0]
    sums[BLACKJACK, 0] = blackjack


@called
def expected_net(book: Book, t: Table, plans: Plans, dealers: Dealers, space: Array) -> float:
    """Return the expected net of the agent's seats in ticks, given what was known after its last decision."""
    outcome_probabilities(book, t, dealers, space)
    sums, expected = space[SCRATCH - OUTCOMES :], 0.0
    for outcome in range(OUTCOMES):
        chance = sums[outcome, 0]
        if chance > 0:
            his = dealer_outcome(outcome)
            for seat in range(t.seats.shape[0]):
                if plans.seat[seat] < 0 and t.seats[seat].bet > 0:
                    expected += chance * settle(book, t, seat, his)
    return expected


@inlined
def outcome_probabilities(book: Book, t: Table, dealers: Dealers, space: Array) -> None:
    """Work out the chance of each outcome, as `dealer_probabilities`, given what a peek has told."""
    dealer_probabilities(book, t, dealers, space)
    sums = space[SCRATCH - OUTCOMES :]
    if dealer_peeks(book.rules, int(t.state.upcard)):
        known = 1.0 - sums[BLACKJACK, 0]
        sums[BLACKJACK, 0] = 0.0
        for outcome in range(OUTCOMES):
            sums[outcome, 0] /= known


@inlined
def dealer_outcome(outcome: int) -> int:
    """Return what the dealer's hand is worth in an outcome."""
    return DEALER_BLACKJACK if outcome == BLACKJACK else 17 + outcome
