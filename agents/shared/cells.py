"""Cells: the hands by phase and up card that tables of the learners go by, and what a saved policy makes of them.

Letters: ``K`` situations (a cell and what is legal, see `bj_env.compiled.information_states`), ``C`` cells, ``A``
actions.
"""

from collections.abc import Sequence
from itertools import permutations

import numpy as np
from numpy.typing import NDArray

from agents.run.config import Config
from bj_env.compiled.information_states import CELLS, Situations
from bj_env.env.env import BlackjackEnv
from bj_env.rules.terms import FIRST_BET, OFFERS, Action, Phase
from bj_env.strategies.saved_policy import Profile

COLUMNS = ("hand.phase", "hand.total", "hand.pair", "hand.upcard")
"""The columns of the observation that make a cell."""

ACTIONS = len(Action)

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bytes = NDArray[np.uint8]

ORDERS = [
    *permutations(range(Action.STAND, Action.SURRENDER + 1)),
    *(order for offer in OFFERS.values() for order in permutations((offer.accept, Action.DECLINE))),
]
"""All the ways in which a hand can prefer actions to each other."""

NEVER = -100.0
"""The score of an action that is never played: below all that a hand can lose."""

TRIFLE = 1e-6


def table_profile(config: Config) -> Profile:
    """Return what a policy over cells sees."""
    game = config.environment
    env = BlackjackEnv(rules=game.rules, seats=game.seats)
    return Profile("table", env.rules, len(game.seats), env.bets, ("hand",), COLUMNS)


def rows_of(cells: Ints) -> Ints:
    """Return the observation's columns of cells, phase, total, pair and up card, ``[C, 4]``.

    >>> rows_of(np.array([2 * 400 + 13 * 10 + 9])).tolist()  # in play, hard 16 against a ten
    [[3, 13, 0, 10]]
    """
    phase, row, upcard = cells // 400, cells // 10 % 40, cells % 10
    pair = np.maximum(row - 29, 0)
    total = np.where(pair == 0, row, np.where(pair == 1, 19, 2 * pair - 3))  # a pair of aces is a soft 12
    return np.stack([phase + Phase.EARLY_SURRENDER, total, pair, upcard + 1], axis=1)


def scores_of_cells(values: Floats) -> NDArray[np.float32]:
    """Return the tensor of a policy over cells, of what each action is worth there, ``[C, A]``.

    >>> scores_of_cells(np.ones((CELLS, ACTIONS))).shape
    (5, 30, 11, 11, 7)
    """
    scores = np.zeros((len(Phase), 30, 11, 11, FIRST_BET), np.float32)
    scores[tuple(rows_of(np.arange(CELLS)).T)] = values
    return scores


def greedy_actions(states: Situations, values: Floats) -> Bytes:
    """Return the legal action that is worth most in each situation, of what each is worth in a cell, ``[K]``."""
    legal = np.where(states.mask(), values[states.cell()], -np.inf)
    greedy: Bytes = legal.argmax(axis=1).astype(np.uint8)
    return greedy


def best_orders(states: Situations, often: Floats, values: Floats) -> Floats:
    """Return values by cell whose order is the best one: a hand plays the first action of it that is legal.

    A cell is several situations, since not all actions are legal each time: a 16 of three cards cannot be surrendered.
    So it does not matter what an action is worth in the cell on average, but what it is worth where it is played.

    Args:
        states: the situations.
        often: how often each comes, ``[K]``.
        values: what each action is worth there, ``[K, A]``.

    Returns:
        What each action is worth where it is played, or a trifle less to keep the order; `NEVER` for one that is not
        played anywhere, ``[C, A]``.
    """
    cell, mask, here = states.cell(), states.mask(), np.arange(len(states.legal))
    often = often + 1e-9  # a situation that has not come yet has its say where no other has
    played = np.stack([_first_legal(order, mask) for order in ORDERS])  # [orders, K], -1 for none
    worth = often * np.where(played >= 0, values[here, played], NEVER)
    best = np.stack([np.bincount(cell, each, CELLS) for each in worth]).argmax(axis=0)
    mine = cell * ACTIONS + played[best[cell], here]
    weight, total = (np.bincount(mine, each, CELLS * ACTIONS) for each in (often, worth[best[cell], here]))
    scores = np.divide(total, weight, out=np.full(CELLS * ACTIONS, NEVER), where=weight > 0).reshape(CELLS, ACTIONS)
    return _in_order(scores, best)


def _in_order(scores: Floats, best: Ints) -> Floats:
    """Lower scores where they are not in the order that a cell prefers."""
    longest = max(map(len, ORDERS))
    orders = np.array([[*order, *order[-1:] * (longest - len(order))] for order in ORDERS])[best]
    cells, limit = np.arange(CELLS), np.full(CELLS, np.inf)
    for place in range(longest):
        action = orders[:, place]
        scores[cells, action] = np.minimum(scores[cells, action], limit)
        limit = np.where(scores[cells, action] > NEVER, scores[cells, action] - TRIFLE, limit)
    return scores


def _first_legal(order: Sequence[int], mask: NDArray[np.bool_]) -> Ints:
    """Return the first action of an order that is legal in each situation, -1 for none, ``[K]``."""
    legal = mask[:, list(order)]
    return np.where(legal.any(axis=1), np.array(order)[legal.argmax(axis=1)], -1)
