"""The loops over the player's hands, compiled by numba and cached on disk.

No rule is in state: what the house's rules say comes in as tables (see `bj_env.solver.tables`), so that a changed rule
never meets stale machine code. For the same reason every compiled function uses only what is in its own file, whose
changes numba's cache does notice; what lies in other files it does not.

Letters: ``H`` hands, ``B`` a batch of hands. Outcomes of the dealer: 0..4 for totals 17..21, 5 bust, 6 blackjack.
"""

from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar

import numpy as np

from bj_env.solver.hands import Flags, Floats, Hands, Ints
from bj_env.solver.machine_code import compiled_once

_Function = TypeVar("_Function", bound=Callable[..., Any])

OUTCOMES = 7
BLACKJACK = 6
STAND, HIT, DOUBLE, SURRENDER = 0, 1, 2, 4
ACTIONS = 5
GIVEN, ALL_ACTIONS, BEST = 0, 1, 2


def compiled(function: _Function) -> _Function:
    """Compile on first use; later processes read the machine code from disk."""
    return compiled_once(function, nogil=True)


class Losses(NamedTuple):
    """What a hand nets without or with a dealer blackjack: bust, bust after a double, surrendered."""

    bust: float
    bust_blackjack: float
    double_bust: float
    double_bust_blackjack: float
    surrender: float
    surrender_blackjack: float


@compiled
def reached(hands: Hands, choice: Ints, starts: Ints) -> tuple[Flags, Ints]:
    """Tell which hands can come up from ``starts`` under a fixed play, and which of those await the dealer.

    Returns:
        Whether each hand comes up, ``[H]``, and the numbers of the hands that stand, surrender or have been doubled,
        ``[B]``.
    """
    count = hands.child.shape[0]
    comes_up = np.zeros(count, np.bool_)
    doubled = np.zeros(count, np.bool_)
    waits = np.zeros(count, np.int64)
    comes_up[starts] = True
    found = 0
    for hand in range(count):
        action = choice[hand]
        if comes_up[hand]:
            for value in range(10):
                child = hands.child[hand, value]
                if child >= 0 and action == HIT:
                    comes_up[child] = True
                elif child >= 0 and action == DOUBLE:
                    doubled[child] = True
        if doubled[hand] or (comes_up[hand] and action != HIT and action != DOUBLE):
            waits[found] = hand
            found += 1
    return comes_up, waits[:found]


@compiled
def count_paths(hands: Hands, start: int, choice: Ints, pair: int) -> Ints:
    """Count in how many orders each hand comes up from one card under a play, ``[3, H, 2]``.

    First axis: with a choice, with a choice and standing, as a doubled hand. Last: the second card is of the pair's
    value, or not.
    """
    count = hands.child.shape[0]
    paths = np.zeros((3, count, 2), np.int64)
    for value in range(10):
        paths[0, hands.child[start, value], 1 if value == pair - 1 else 0] = 1
    for hand in range(count):
        for column in range(2):
            ways = paths[0, hand, column]
            if ways == 0:
                continue
            if choice[hand] != HIT and choice[hand] != DOUBLE:
                paths[1, hand, column] = ways
                continue
            for value in range(10):
                child = hands.child[hand, value]
                if child >= 0:
                    paths[0 if choice[hand] == HIT else 2, child, column] += ways
    return paths


@compiled
def play(
    hands: Hands,
    base: Floats,
    step: float,
    hole: int,
    first: int,
    outcomes: Floats,
    row: Ints,
    net: Floats,
    double_net: Floats,
    losses: Losses,
    mask: Ints,
    choice: Ints,
    mode: int,
    comes_up: Flags,
    action_values: Floats,
    value: Floats,
) -> None:
    """Work out the value of every hand from the last to the first, writing ``choice``, ``action_values``, ``value``.

    Args:
        hands: all of them.
        base: cards left of each value before the player has any, the up card removed, ``[10]``.
        step: what drawing a card takes from its count, 1 or 0.
        hole: index of the value that makes a blackjack with the up card, or -1.
        first: the first hand to work out; none before it is looked at.
        outcomes: of the dealer against a hand, ``[B, 7]``.
        row: the hand's row of ``outcomes``, ``[H]``.
        net: what a hand wins by outcome, ``[H, 7]``; blackjack counts 0 where it is settled before anyone plays.
        double_net: the same for a doubled hand.
        losses: of busts and surrender.
        mask: legal actions as bits, 0 for a hand that gets no turn, ``[H]``.
        choice: the action for each hand, ``[H]``; written if the mode is `BEST`.
        mode: `BEST` chooses the best legal action; `ALL_ACTIONS` plays ``choice`` but works out every action; `GIVEN`
            works out only what ``choice`` needs.
        comes_up: the other hands are left out, ``[H]``.
        action_values: of STAND, HIT, DOUBLE, (SPLIT), SURRENDER for each hand, ``[H, 5]``.
        value: of the chosen action, ``[H]``.
    """
    for hand in range(hands.child.shape[0] - 1, first - 1, -1):
        if not comes_up[hand]:
            continue
        legal = mask[hand]
        action = choice[hand]
        stand = 0.0
        surrender = 0.0
        if mode > GIVEN or (action != HIT and action != DOUBLE):
            probabilities = outcomes[row[hand]]
            for outcome in range(OUTCOMES):
                stand += probabilities[outcome] * net[hand, outcome]
            surrender = (1.0 - probabilities[BLACKJACK]) * losses.surrender + probabilities[
                BLACKJACK
            ] * losses.surrender_blackjack
        action_values[hand, STAND] = stand
        action_values[hand, SURRENDER] = surrender
        hit = 0.0
        double = 0.0
        cards = 0.0
        for drawn in range(10):
            cards += max(base[drawn] - step * hands.counts[hand, drawn], 0.0)
        if cards > 0.0 and (mode > GIVEN or action in (HIT, DOUBLE)):
            for drawn in range(10):
                probability = max(base[drawn] - step * hands.counts[hand, drawn], 0.0) / cards
                if probability == 0.0:
                    continue
                child = hands.child[hand, drawn]
                if child < 0:
                    blackjack = 0.0
                    if hole >= 0 and cards > step:
                        holes = base[hole] - step * hands.counts[hand, hole] - (step if drawn == hole else 0.0)
                        blackjack = max(holes, 0.0) / (cards - step)
                    hit += probability * ((1.0 - blackjack) * losses.bust + blackjack * losses.bust_blackjack)
                    double += probability * (
                        (1.0 - blackjack) * losses.double_bust + blackjack * losses.double_bust_blackjack
                    )
                else:
                    if mode > GIVEN or action == HIT:
                        hit += probability * value[child]
                    if mode > GIVEN or action == DOUBLE:
                        probabilities = outcomes[row[child]]
                        doubled = 0.0
                        for outcome in range(OUTCOMES):
                            doubled += probabilities[outcome] * double_net[child, outcome]
                        double += probability * doubled
        action_values[hand, HIT] = hit
        action_values[hand, DOUBLE] = double
        if mode == BEST:
            action = STAND
            best = stand
            if legal != 0:
                best = -np.inf
                for candidate in range(ACTIONS):
                    if legal >> candidate & 1 and candidate != 3 and action_values[hand, candidate] > best:
                        best = action_values[hand, candidate]
                        action = candidate
            choice[hand] = action
        value[hand] = action_values[hand, action]


@compiled
def weigh(
    hands: Hands,
    base: Floats,
    step: float,
    choice: Ints,
    mask: Ints,
    action_values: Floats,
    weight: Floats,
    cells: Floats,
) -> None:
    """Follow a play from the first hands to the last, adding up what each action is worth in each cell of a chart.

    Args:
        hands, base, step, choice, mask, action_values: as for `play`.
        weight: how often each hand comes up first, ``[H]``; written: how often it comes up at all.
        cells: added to, ``[2, 22, 32, 6]``: by softness, total, legal actions; the last column adds up the weights.
    """
    for hand in range(hands.child.shape[0]):
        share = weight[hand]
        if share == 0.0:
            continue
        if mask[hand] != 0:
            cell = cells[1 if hands.soft[hand] else 0, hands.total[hand], mask[hand]]
            for action in range(ACTIONS):
                if mask[hand] >> action & 1:
                    cell[action] += share * action_values[hand, action]
            cell[ACTIONS] += share
        if choice[hand] == HIT:
            cards = 0.0
            for value in range(10):
                cards += max(base[value] - step * hands.counts[hand, value], 0.0)
            for value in range(10):
                child = hands.child[hand, value]
                if child >= 0 and cards > 0.0:
                    weight[child] += share * max(base[value] - step * hands.counts[hand, value], 0.0) / cards


@compiled
def split_hands(
    hands: Hands,
    base: Floats,
    step: float,
    hole: int,
    start: int,
    pair: int,
    comes_up: Flags,
    waits: Ints,
    outcomes: Floats,
    net: Floats,
    double_net: Floats,
    losses: Losses,
    choice: Ints,
) -> Floats:
    """Return what one split hand is worth when ``a`` other cards of the pair's value are out, ``[A + 1, 2]``.

    Column 0 counts the hands whose second card is of another value, column 1 those that draw the value again; their
    sum is the hand's value. Row 0 stays empty: at least the other card of the pair is out.

    Args:
        hands, base, step, hole, net, double_net, losses, choice: as for `play`.
        start: the hand of one card of the pair.
        pair: the pair's value.
        comes_up, waits: from `reached`.
        outcomes: of the dealer against the hands that wait for him, for each ``a``, ``[A, B, 7]``.
    """
    most = outcomes.shape[0]
    values = np.zeros((most + 1, 2))
    row = np.zeros(hands.cards.shape[0], np.int64)
    row[waits] = np.arange(waits.shape[0])
    action_values = np.zeros((hands.cards.shape[0], ACTIONS))
    value = np.zeros(hands.cards.shape[0])
    play_as = choice.copy()
    for out in range(1, most + 1):
        rest = base.copy()
        rest[pair - 1] -= step * out
        if rest[pair - 1] < step:
            break  # there are not so many cards of the value
        play(
            hands, rest, step, hole, start, outcomes[out - 1], row, net, double_net, losses,
            choice, play_as, GIVEN, comes_up, action_values, value,
        )  # fmt: skip
        rest[pair - 1] -= step
        cards = rest.sum()
        for second in range(10):
            column = 1 if second == pair - 1 else 0
            values[out, column] += rest[second] / cards * value[hands.child[start, second]]
    return values
