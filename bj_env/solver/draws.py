"""The loops over the dealer's draws, compiled (see `bj_env.solver.kernels` for what that asks of this file).

Letters: ``B`` a batch of hands, ``N`` nodes of a tree, ``G`` groups of nodes. Outcomes of the dealer: 0..4 for totals
17..21, 5 bust, 6 blackjack.
"""

from typing import Any, NamedTuple

import numpy as np
from numba.extending import register_jitable

from bj_env.rules.numbered import cards_of_value
from bj_env.solver.hands import Floats, Hands, Ints
from bj_env.solver.kernels import compiled

OUTCOMES = 7
BUSTS, BLACKJACK = 5, 6
MOST_OF_A_VALUE = 22
_LANES = 32
"""So many hands are worked out at a time, side by side in the processor's wide registers."""


class Tree(NamedTuple):
    """The ways in which a dealer can draw without busting, as a tree of multisets in preorder; arrays ``[N]``.

    Attributes:
        depth: how many cards are drawn.
        factor: which card was drawn last: ``(value - 1) * MOST_OF_A_VALUE + how many of it were drawn before``.
        ways: in how many orders the cards can come so that the dealer draws each and then stands; 0 on the way.
        outcome: the dealer's final outcome.
    """

    depth: Ints
    factor: Ints
    ways: Floats
    outcome: Ints


class Groups(NamedTuple):
    """The nodes of a tree by what one value has to do with them.

    Attributes:
        group: the group of each node, ``[N]``.
        outcome: the dealer's final outcome, ``[G]``.
        drawn: how many cards of the value are drawn, ``[G]``.
        depth: how many cards of any value are, ``[G]``.
    """

    group: Ints
    outcome: Ints
    drawn: Ints
    depth: Ints


@register_jitable(forceinline=True)
def shoe_lasts(decks: int, seen: Any, left: int, upcard: int, hands: int) -> bool:
    """Tell whether no order of the unseen cards lets a round run out of them, once no more than so much is to come.

    Cards run out when all of them are drawn and a hand wants one more. Then the dealer has at most 16 points, his aces
    as 1, and each hand of the players had at most 21 before its last card. So the cards last if the smallest of them,
    as many as there are but for one for each hand, sum to more.

    Args:
        decks: of the shoe; 0 if every card is drawn with replacement.
        seen: how many cards of value 1..10 have been seen since the shuffle (index 0 unused).
        left: how many cards can be drawn, a hidden hole card among them.
        upcard: the dealer's, by value.
        hands: how many hands of the players may still draw.

    >>> seen = [0, 3, 3, 3, 4, 4, 4, 4, 4, 4, 16]  # an ace, a 2 and a 3 are left
    >>> shoe_lasts(1, seen, 3, 10, 0), shoe_lasts(1, seen, 3, 7, 0), shoe_lasts(1, [0] * 11, 40, 7, 1)
    (False, False, True)
    """
    if decks == 0:
        return True
    points, cards = 16 - upcard + 21 * hands, left - hands
    for value in range(1, 11):
        number = min(decks * cards_of_value(value) - int(seen[value]), cards)
        points -= number * value
        cards -= number
    return points < 0


@register_jitable(forceinline=True)
def walk(
    tree: Tree, first: int, end: int, factors: Floats, shares: Floats, weight: Floats, sums: Floats, lanes: int
) -> None:
    """Add the probabilities of the nodes ``first .. end - 1`` of a tree to ``sums``, ``[7, lanes]``, busts left out.

    Args:
        tree: of an up card, or of several, one after the other.
        first, end: which nodes.
        factors: of drawing each card, as `Tree.factor` numbers them, ``[10 * MOST_OF_A_VALUE, lanes]``.
        shares: by depth, one over the number of cards left before the card at that depth, ``[D, lanes]``.
        weight: by depth, overwritten; 1 at depth 0, ``[D, lanes]``.
        sums: by outcome.
        lanes: how many hands are worked out side by side.
    """
    for node in range(first, end):
        depth = tree.depth[node]
        factor = tree.factor[node]
        outcome = tree.outcome[node]
        ways = tree.ways[node]
        for lane in range(lanes):
            probability = weight[depth - 1, lane] * factors[factor, lane] * shares[depth, lane]
            weight[depth, lane] = probability
            sums[outcome, lane] += ways * probability


@compiled
def dealer_outcomes(tree: Tree, left: Floats, step: float, hole: int) -> Floats:
    """Return the probability of each outcome of the dealer, ``[B, 7]``, for each composition left, ``[B, 10]``.

    A multiset of draws has the probability: ways * product over values of falling(count, drawn) / falling(cards,
    drawn).

    Args:
        tree: of the up card.
        left: how many cards of each value are left, the up card and all hands removed.
        step: what drawing a card takes from its count: 1, or 0 for a shoe that is drawn with replacement.
        hole: index of the value that makes a blackjack with the up card, or -1.
    """
    batch = left.shape[0]
    out = np.zeros((batch, OUTCOMES))
    factors = np.zeros((10 * MOST_OF_A_VALUE, _LANES))
    shares = np.zeros((MOST_OF_A_VALUE + 1, _LANES))
    weight = np.ones((MOST_OF_A_VALUE + 1, _LANES))
    most = np.zeros(10, np.int64)
    for node in range(tree.depth.shape[0]):
        value, before = divmod(tree.factor[node], MOST_OF_A_VALUE)
        most[value] = max(most[value], before + 1)
    deepest = tree.depth.max()
    for start in range(0, batch, _LANES):
        for lane in range(_LANES):
            row = min(start + lane, batch - 1)
            cards = 0.0
            for value in range(10):
                cards += left[row, value]
                for drawn in range(most[value]):
                    factors[value * MOST_OF_A_VALUE + drawn, lane] = max(left[row, value] - step * drawn, 0.0)
            for drawn in range(deepest):
                rest = cards - step * drawn
                shares[drawn + 1, lane] = 1.0 / rest if rest > 0 else 0.0
        sums = np.zeros((OUTCOMES, _LANES))
        walk(tree, 0, tree.depth.shape[0], factors, shares, weight, sums, _LANES)
        for lane in range(min(_LANES, batch - start)):
            blackjack = max(left[start + lane, hole], 0.0) * shares[1, lane] if hole >= 0 else 0.0
            rest = 1.0 - blackjack
            for outcome in range(BUSTS):
                out[start + lane, outcome] = sums[outcome, lane]
                rest -= sums[outcome, lane]
            out[start + lane, BUSTS] = rest
            out[start + lane, BLACKJACK] = blackjack
    return out


@compiled
def outcomes_without(tree: Tree, groups: Groups, value: int, left: Floats, step: float, hole: int, most: int) -> Floats:
    """Return the probability of each outcome when 1 .. ``most`` more cards of one value are out, ``[most, B, 7]``.

    What the other values have to do with it is worked out once: the draws are added up by how many cards of the value
    are among them, and only these sums are weighted for each number of cards that are out.

    Args:
        tree, left, step, hole: as for `dealer_outcomes`.
        groups: of the tree, for the value.
        value: of the cards that are out.
        most: how many of them there can be.
    """
    batch, found = left.shape[0], groups.outcome.shape[0]
    out = np.zeros((most, batch, OUTCOMES))
    factors = np.ones((10 * MOST_OF_A_VALUE, _LANES))
    weight = np.ones((MOST_OF_A_VALUE + 1, _LANES))
    falling = np.ones((MOST_OF_A_VALUE + 1, _LANES))
    orders = np.ones((MOST_OF_A_VALUE + 1, _LANES))
    used = np.zeros(10, np.int64)
    for node in range(tree.depth.shape[0]):
        card, before = divmod(tree.factor[node], MOST_OF_A_VALUE)
        used[card] = max(used[card], before + 1)
    deepest = tree.depth.max()
    for start in range(0, batch, _LANES):
        for lane in range(_LANES):
            row = min(start + lane, batch - 1)
            for card in range(10):
                if card != value - 1:
                    for drawn in range(used[card]):
                        factors[card * MOST_OF_A_VALUE + drawn, lane] = max(left[row, card] - step * drawn, 0.0)
        sums = np.zeros((found, _LANES))
        for node in range(tree.depth.shape[0]):
            depth = tree.depth[node]
            factor = tree.factor[node]
            group = groups.group[node]
            ways = tree.ways[node]
            for lane in range(_LANES):
                product = weight[depth - 1, lane] * factors[factor, lane]
                weight[depth, lane] = product
                sums[group, lane] += ways * product
        for removed in range(1, most + 1):
            for lane in range(_LANES):
                row = min(start + lane, batch - 1)
                cards = left[row].sum() - step * removed
                for drawn in range(used[value - 1]):
                    rest = max(left[row, value - 1] - step * (removed + drawn), 0.0)
                    falling[drawn + 1, lane] = falling[drawn, lane] * rest
                for drawn in range(deepest):
                    rest = cards - step * drawn
                    orders[drawn + 1, lane] = orders[drawn, lane] / rest if rest > 0.0 else 0.0
            probabilities = np.zeros((OUTCOMES, _LANES))
            for group in range(found):
                outcome, drawn, depth = groups.outcome[group], groups.drawn[group], groups.depth[group]
                for lane in range(_LANES):
                    probabilities[outcome, lane] += sums[group, lane] * falling[drawn, lane] * orders[depth, lane]
            for lane in range(min(_LANES, batch - start)):
                blackjack = 0.0
                if hole >= 0:
                    holes = left[start + lane, hole] - (step * removed if hole == value - 1 else 0.0)
                    blackjack = max(holes, 0.0) * orders[1, lane]
                rest = 1.0 - blackjack
                for outcome in range(BUSTS):
                    out[removed - 1, start + lane, outcome] = probabilities[outcome, lane]
                    rest -= probabilities[outcome, lane]
                out[removed - 1, start + lane, BUSTS] = rest
                out[removed - 1, start + lane, BLACKJACK] = blackjack
    return out


@compiled
def cards_left(hands: Hands, chosen: Ints, base: Floats, step: float) -> Floats:
    """Return what is left of ``base`` without the cards of each chosen hand, ``[B, 10]``."""
    left = np.empty((chosen.shape[0], 10))
    for row in range(chosen.shape[0]):
        for value in range(10):
            left[row, value] = max(base[value] - step * hands.counts[chosen[row], value], 0.0)
    return left
