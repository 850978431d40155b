"""The dealer's final total: its exact distribution for any up card and any composition of the shoe.

The dealer has no choice, so the probability of an outcome is a sum over the multisets of cards that lead to it: in how
many orders he can draw them, times the probability of one order, which by exchangeability is the same for all of them.
There are about 460 such multisets for an up card. The trees below list them once per dealer's rule; nothing else
depends on it.
"""

from collections import Counter
from collections.abc import Iterable
from functools import cache

import numpy as np

from bj_env.errors import BlackjackError
from bj_env.rules.houses import parse_rules
from bj_env.rules.numbered import best_total, dealer_hits, dealer_peeks, is_blackjack, is_bust, is_soft
from bj_env.rules.terms import Rules
from bj_env.solver.draws import BLACKJACK, BUSTS, MOST_OF_A_VALUE, Groups, Tree, dealer_outcomes
from bj_env.solver.hands import VALUES, hand_text
from bj_env.solver.shoe import Composition, composition

OUTCOME_NAMES = ("17", "18", "19", "20", "21", "bust", "blackjack")
"""The dealer's outcomes in the order in which arrays hold them."""

Drawn = tuple[int, ...]


@cache
def hole_value(upcard: int) -> int:
    """Return the value that makes a dealer blackjack with the up card, or 0.

    >>> hole_value(1), hole_value(10), hole_value(9)
    (10, 1, 0)
    """
    partners = [hole for hole in VALUES if is_blackjack(_total((upcard, hole)), 2, False)]
    return partners[0] if partners else 0


def _total(cards: Iterable[int]) -> int:
    cards = tuple(cards)
    return best_total(sum(cards), 1 in cards)


def _draws(rules: Rules, upcard: int, drawn: Drawn) -> bool:
    """Tell whether the dealer draws on: he always takes a second card, and stands on a blackjack."""
    hand = (upcard, *drawn)
    return not drawn or dealer_hits(rules, _total(hand), is_soft(sum(hand), 1 in hand))


def final_draws(rules: Rules, upcard: int) -> dict[Drawn, tuple[int, int]]:
    """Return each multiset of draws, highest first, on which a dealer stands: in how many orders, and on what total.

    Blackjacks are left out.

    >>> final_draws(Rules(), 10)[(7,)], final_draws(Rules(), 10)[(4, 2, 1)]
    ((1, 17), (4, 17))
    """
    final: dict[Drawn, tuple[int, int]] = {}
    open_draws: Counter[Drawn] = Counter({(): 1})
    while open_draws:
        longer: Counter[Drawn] = Counter()
        for drawn, ways in open_draws.items():
            if _draws(rules, upcard, drawn):
                for card in _safe_cards(upcard, drawn):
                    longer[tuple(sorted((*drawn, card), reverse=True))] += ways
            else:
                final[drawn] = ways, _total((upcard, *drawn))
        open_draws = longer
    return final


def _safe_cards(upcard: int, drawn: Drawn) -> list[int]:
    """Return the values that neither bust the dealer nor make his blackjack."""
    safe = [card for card in VALUES if not is_bust(upcard + sum(drawn) + card)]
    return safe if drawn else [card for card in safe if card != hole_value(upcard)]


def dealer_tree(rules: Rules, upcard: int) -> Tree:
    """Return the up card's multisets of draws as a tree in preorder, each node one card longer than its parent.

    >>> tree = dealer_tree(Rules(), 10)
    >>> int((tree.ways > 0).sum()), int(tree.ways.sum())
    (92, 159)
    """
    return _tree(rules.dealer_hits_soft_17, upcard)


@cache
def _tree(hits_soft_17: bool, upcard: int) -> Tree:
    final, nodes = _final_draws(hits_soft_17, upcard), _nodes(hits_soft_17, upcard)
    return Tree(
        depth=np.array([len(node) for node in nodes]),
        factor=np.array([(node[-1] - 1) * MOST_OF_A_VALUE + node.count(node[-1]) - 1 for node in nodes]),
        ways=np.array([final.get(node, (0, 17))[0] for node in nodes], dtype=np.float64),
        outcome=np.array([final.get(node, (0, 17))[1] - 17 for node in nodes]),
    )


@cache
def _final_draws(hits_soft_17: bool, upcard: int) -> dict[Drawn, tuple[int, int]]:
    return final_draws(Rules(dealer_hits_soft_17=hits_soft_17), upcard)


@cache
def _nodes(hits_soft_17: bool, upcard: int) -> list[Drawn]:
    """Return every beginning of the dealer's draws, each after the one that it prolongs."""
    final = _final_draws(hits_soft_17, upcard)
    return sorted({drawn[:length] for drawn in final for length in range(1, len(drawn) + 1)})


def dealer_groups(rules: Rules, upcard: int, value: int) -> Groups:
    """Return the nodes of `dealer_tree` by outcome, number of cards of a value, and number of cards."""
    return _groups(rules.dealer_hits_soft_17, upcard, value)


@cache
def _groups(hits_soft_17: bool, upcard: int, value: int) -> Groups:
    tree = _tree(hits_soft_17, upcard)
    drawn = np.array([node.count(value) for node in _nodes(hits_soft_17, upcard)])
    keys, group = np.unique(np.stack([tree.outcome, drawn, tree.depth]), axis=1, return_inverse=True)
    return Groups(group.ravel(), *(np.ascontiguousarray(key) for key in keys))


def dealer_distribution(
    rules: Rules | str,
    upcard: int,
    shoe: Composition | str | Iterable[float] | None = None,
    *,
    removed: Iterable[int] = (),
    after_peek: bool = False,
) -> dict[str, float]:
    """Return the probability of each of the dealer's final outcomes.

    Args:
        rules: for the decks and the soft 17.
        upcard: its value, 1 for an ace; it is taken out of the shoe.
        shoe: the composition before that, if not full decks.
        removed: values of other cards that are out, a player's hand for one.
        after_peek: given that the dealer looked and has no blackjack.

    Raises:
        BlackjackError: if the cards can run out before the dealer stands, so that these outcomes are not all; or if
            the dealer has a blackjack for sure after a peek.

    >>> round(dealer_distribution(Rules(decks=1), 2)["17"], 6)
    0.138976
    """
    rules = parse_rules(rules)
    left = composition(rules, shoe).without((upcard, *removed))
    _check_lasts(rules, upcard, left)
    hole = hole_value(upcard)
    probabilities = dealer_outcomes(dealer_tree(rules, upcard), np.array([left.counts]), left.step, hole - 1)[0]
    if after_peek:
        if probabilities[BLACKJACK] >= 1:
            raise BlackjackError(f"a dealer who shows {hand_text([upcard])} has a blackjack for sure in this shoe")
        probabilities = probabilities / (1 - probabilities[BLACKJACK])
        probabilities[BLACKJACK] = 0.0
    return dict(zip(OUTCOME_NAMES, map(float, probabilities), strict=True))


def _check_lasts(rules: Rules, upcard: int, left: Composition) -> None:
    """Refuse cards that can run out while the dealer draws: his outcomes would not sum to one."""
    points = sum(value * count for value, count in zip(VALUES, left.counts, strict=True))
    if left.replaced or upcard + points > 16:
        return
    probability = _run_out_probability(rules, upcard, (), left.counts)
    if probability > 0:
        came = f"{left}, which run out {probability:.0%} of the time"
        raise BlackjackError(f"shoe: expected cards that last until the dealer stands, got {came}")


def _run_out_probability(rules: Rules, upcard: int, drawn: Drawn, counts: tuple[float, ...]) -> float:
    """Return how likely the dealer wants a card when there is none left."""
    if not _draws(rules, upcard, drawn) or is_bust(upcard + sum(drawn)) or drawn == (hole_value(upcard),):
        return 0.0
    cards = sum(counts)
    if cards < 1:
        return 1.0
    return sum(
        count / cards * _run_out_probability(rules, upcard, (*drawn, value), _less_one(counts, value))
        for value, count in zip(VALUES, counts, strict=True)
        if count >= 1
    )


def _less_one(counts: tuple[float, ...], value: int) -> tuple[float, ...]:
    return (*counts[: value - 1], counts[value - 1] - 1, *counts[value:])


def bust_probability(
    rules: Rules | str, upcard: int | None = None, shoe: Composition | str | Iterable[float] | None = None
) -> float:
    """Return the probability that the dealer busts, from an up card or, without one, before the deal.

    >>> round(bust_probability(Rules(decks=1)), 4)
    0.2836
    """
    rules = parse_rules(rules)
    cards = composition(rules, shoe)
    if upcard is not None:
        return dealer_distribution(rules, upcard, cards)[OUTCOME_NAMES[BUSTS]]
    return sum(
        cards.share(value) * dealer_distribution(rules, value, cards)[OUTCOME_NAMES[BUSTS]]
        for value in VALUES
        if cards.share(value) > 0
    )


def peeked(rules: Rules, upcard: int) -> bool:
    """Tell whether a dealer blackjack ends the round before anyone plays (R11)."""
    return dealer_peeks(rules, upcard)
