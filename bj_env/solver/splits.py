"""Splits: what all the hands of a pair are worth together.

Every hand plays by its own cards alone, so by exchangeability its value depends on the other hands only through what is
known of them: how many cards of the pair's value they hold, and how many second cards are *not* of that value. The
latter follows from the former: what is worth W if nothing is known of a card, and V if it is of the pair's value, which
has the probability p, is worth (W - p V) / (1 - p) if it is not.

Letters: ``a`` the other cards of the pair's value that are known to be out, ``b`` the second cards that are known not
to be of that value.
"""

from enum import IntEnum
from functools import cache
from math import inf

import numpy as np

from bj_env.rules.terms import SplitBy
from bj_env.solver.hands import Floats, Ints, all_hands, find_hand
from bj_env.solver.kernels import ACTIONS, BEST, compiled, play, reached, split_hands
from bj_env.solver.tables import SPLIT, SPLIT_ACES, hand_limit
from bj_env.solver.upcard_state import UpcardState


@compiled
def again_probabilities(most: int, pairs: float, cards: float, step: float) -> Floats:
    """Return the probability that a card is of the pair's value, by ``a`` and ``b``, ``[most + 1, most + 1]``."""
    again = np.zeros((most + 1, most + 1))
    for out in range(1, most + 1):
        for others in range(most + 1):
            left = cards - step * (1 + out + others)
            again[out, others] = max(pairs - step * (1 + out), 0.0) / left if left > 0.0 else 0.0
    return again


@compiled
def without_the_value(again: Floats, values: Floats) -> Floats:
    """Return values that are known by ``a``, ``[A, columns]``, by ``a`` and ``b``, ``[A, A, columns]``."""
    most = values.shape[0] - 1
    known = np.zeros((most + 1, most + 1, values.shape[1]))
    known[:, 0] = values
    for others in range(1, most):
        for out in range(1, most + 1 - others):
            probability = again[out, others - 1]
            if probability < 1.0:
                known[out, others] = (known[out, others - 1] - probability * known[out + 1, others - 1]) / (
                    1.0 - probability
                )
    return known


@compiled
def split_ends(limit: int, again: Floats) -> Floats:
    """Return how a split can end, in the order of its hands: probability, hands, hands filled, ``[n, 3]``.

    Hands are filled one by one; one that draws the pair's value again is split while there are fewer than ``limit``.
    Those that are filled have a second card of another value; when the limit is reached, the others take any card.
    """
    ends = np.zeros((limit * limit, 3))
    number = 0
    weight = np.zeros(limit + 2)
    weight[0] = 1.0
    for count in range(2, limit + 1):
        more = np.zeros(limit + 2)
        for filled in range(count + 1):
            if weight[filled] == 0.0:
                continue
            if filled == count or count == limit:
                ends[number, 0], ends[number, 1], ends[number, 2] = weight[filled], count, filled
                number += 1
            else:
                probability = again[count - 1, filled]
                more[filled] += weight[filled] * probability
                weight[filled + 1] += weight[filled] * (1.0 - probability)
        weight = more
    return ends[:number]


@compiled
def split_total(limit: int, pairs: float, cards: float, step: float, values: Floats) -> float:
    """Return what all hands of a split are worth together.

    Args:
        limit: how many hands there may be.
        pairs: how many cards of the pair's value there are, the pair's own included, the up card not.
        cards: how many cards of any value, in the same way.
        step: what drawing a card takes from its count, 1 or 0.
        values: of one hand, from `bj_env.solver.kernels.split_hands`, for ``a`` up to ``2 * limit - 3``.
    """
    again = again_probabilities(values.shape[0], pairs, cards, step)
    known = without_the_value(again, values)
    total = 0.0
    for end in split_ends(limit, again):
        count, filled = int(end[1]), int(end[2])
        out = count - 1
        each = 0.0
        if filled > 0 and again[out, filled - 1] < 1.0:
            each = known[out, filled - 1, 0] / (1.0 - again[out, filled - 1])
        rest = known[out, filled].sum() if filled < count else 0.0
        total += end[0] * (filled * each + (count - filled) * rest)
    return total


def split_value(state: UpcardState, choices: Ints, value: int, blackjack: float) -> float:
    """Return what a split of this value is worth, all its hands together; a drawn pair is always split again."""
    return together(state, value, one_hand(state, choices, value)) + state.split_constant(blackjack)


class SplitPlay(IntEnum):
    """How split hands are played in the best play: the class of strategies among which it is the best.

    Attributes:
        ZERO_MEMORY: like unsplit hands of the same cards (CDZ-).
        FIRST_SPLIT: as is best after the first split, when both cards of the pair are known to be out (CDP1).
        PAIR_COUNT: as is best for each number of cards of the pair's value that are known to be out (CDP).
    """

    ZERO_MEMORY = 0
    FIRST_SPLIT = 1
    PAIR_COUNT = 2


def best_split_value(state: UpcardState, choices: Ints, value: int, blackjack: float, how: SplitPlay) -> float:
    """Return what a split is worth in the best play; ``choices`` are those for unsplit hands.

    A drawn pair is always split again, except with replacement, where it is split again only if that is better: there
    hands tell nothing of each other.
    """
    if how is SplitPlay.ZERO_MEMORY or state.step == 0:
        each = one_hand(state, choices, value)
    else:
        first, each = _best_by_count(state, value)
        if how is SplitPlay.FIRST_SPLIT:
            each = one_hand(state, np.array([first] * 3), value)
    if state.step == 0:
        return _free_to_split(state, value, each) + state.split_constant(blackjack)
    return together(state, value, each) + state.split_constant(blackjack)


def _best_by_count(state: UpcardState, value: int) -> tuple[Ints, Floats]:
    """Return the best actions of a hand when one other card of the pair is out, and what it is worth by ``a``."""
    hands, tables, start = all_hands(), state.split_tables, find_hand((value,))
    mask, count = tables.mask[SPLIT_ACES if value == 1 else SPLIT], len(hands.total)
    chosen, row = np.flatnonzero(hands.counts[:, value - 1]), np.zeros(count, np.int64)
    row[chosen] = np.arange(len(chosen))
    most = 2 * hand_limit(state.rules, value) - 3
    each, first = np.zeros((most + 1, 2)), np.zeros(count, np.int64)
    for out, outcomes in enumerate(state.outcomes_without(value, most, chosen), start=1):
        base, worth, choice = state.base.copy(), np.zeros(count), np.zeros(count, np.int64)
        base[value - 1] -= state.step * out
        if base[value - 1] < state.step:
            break
        play(
            hands, base, state.step, state.hole, start, outcomes, row, tables.net[SPLIT], tables.double_net,
            tables.losses, mask, choice, BEST, hands.counts[:, value - 1] > 0, np.zeros((count, ACTIONS)), worth,
        )  # fmt: skip
        first = choice if out == 1 else first
        base[value - 1] -= state.step
        seconds = base / base.sum() * worth[hands.child[start]]
        each[out] = seconds.sum() - seconds[value - 1], seconds[value - 1]
    return first, each


def _free_to_split(state: UpcardState, value: int, each: Floats) -> float:
    """Return what a split is worth with replacement, if a drawn pair is split again only where that is better."""
    limit, cards, total = hand_limit(state.rules, value), float(state.base.sum()), 0.0
    for weight, count, own in pair_kinds(state, value):
        other, same = (each if own is None else _by_rank(state, each, own))[1]
        total += weight * _if_better(limit, count / cards, other, same)
    return total


def _if_better(limit: int, probability: float, other: float, same: float) -> float:
    """Return what two hands are worth that may become ``limit``.

    Args:
        limit: how many hands there may be.
        probability: that a card is of the pair's value.
        other, same: what a hand is worth with a second card of another value, or of the same; times the probability.
    """

    @cache
    def worth(waiting: int, hands: int) -> float:
        if waiting == 0:
            return 0.0
        rest = worth(waiting - 1, hands)
        kept = same + probability * rest
        again = probability * worth(waiting + 1, hands + 1) if hands < limit else -inf
        return other + (1 - probability) * rest + max(kept, again)

    return worth(2, 2)


def one_hand(state: UpcardState, choices: Ints, value: int) -> Floats:
    """Return what one hand of a split is worth by ``a`` (see `split_hands`)."""
    tables, hands, start = state.split_tables, all_hands(), find_hand((value,))
    choice = choices[SPLIT_ACES if value == 1 else SPLIT]
    comes_up, waits = reached(hands, choice, hands.child[start])
    outcomes = state.outcomes_without(value, 2 * hand_limit(state.rules, value) - 3, waits)
    return split_hands(
        hands, state.base, state.step, state.hole, start, value, comes_up, waits, outcomes,
        tables.net[SPLIT], tables.double_net, tables.losses, choice,
    )  # fmt: skip


def together(state: UpcardState, value: int, each: Floats) -> float:
    """Return what all hands of a split are worth together, given what one is."""
    limit, cards = hand_limit(state.rules, value), float(state.base.sum())
    return sum(
        weight * split_total(limit, count, cards, state.step, each if own is None else _by_rank(state, each, own))
        for weight, count, own in pair_kinds(state, value)
    )


def pair_kinds(state: UpcardState, value: int) -> list[tuple[float, float, float | None]]:
    """Return the kinds of pairs of a value: share, cards that make one, and these again if other tens do not."""
    if value != 10 or state.rules.split_by == SplitBy.VALUE:
        return [(1.0, float(state.base[value - 1]), None)]
    ways = sum(ways for _, ways in state.ten_ranks)
    return [(weight / ways, count, count) for count, weight in state.ten_ranks if weight > 0]


def split_weights(state: UpcardState, value: int) -> Floats:
    """Return what each number from `one_hand` counts for in the value of the split, which is linear in them."""
    most = 2 * hand_limit(state.rules, value) - 3
    weights = np.zeros((most + 1, 2))
    for index in np.ndindex(most, 2):
        unit = np.zeros_like(weights)
        unit[index[0] + 1, index[1]] = 1.0
        weights[index[0] + 1, index[1]] = together(state, value, unit)
    return weights


def _by_rank(state: UpcardState, each: Floats, own: float) -> Floats:
    """Count tens of other ranks as no pair; ``own``: how many there are of the pair's rank."""
    by_rank = each.copy()
    for out in range(1, len(each)):
        rest = state.base[9] - state.step * (1 + out)
        share = max(own - state.step * (1 + out), 0.0) / rest if rest > 0 else 0.0
        by_rank[out] = each[out, 0] + each[out, 1] * (1 - share), each[out, 1] * share
    return by_rank
