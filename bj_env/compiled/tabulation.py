"""Tabulating: a `Decision` asked about every situation that can come up under the rules, and its answers as a table."""

from collections.abc import Iterable, Sequence
from functools import cache
from typing import NamedTuple

import numpy as np

from bj_env.compiled.arrays import Array
from bj_env.compiled.hand_tables import ROWS, hand_row, legal_actions, legal_place, table_hands
from bj_env.compiled.lookup_policies import LOOKED_UP, MASKS, PHASES, RANDOM, UPCARDS, Plans, plan_place
from bj_env.errors import BlackjackError, DecisionError
from bj_env.game.decision import Decision, ask
from bj_env.game.view import total_dependent_view
from bj_env.rules.terms import OFFERS, Action, Phase, Rules, checked_bet
from bj_env.strategies.count_systems import ESTIMATES
from bj_env.strategies.counting import CountingDecision
from bj_env.strategies.fixed_count import FixedCount
from bj_env.strategies.simple import RandomLegal

SITUATIONS = PHASES * ROWS * UPCARDS * MASKS


class Tabulated(NamedTuple):
    """What a decision does.

    Attributes:
        actions: by count, phase, row, up card and legal actions, ``[C, 3 * 40 * 10 * 16]``.
        bets: in chips, by count.
        points: the counts from which on something is done otherwise than below, ``C - 1`` of them.
    """

    actions: Array
    bets: list[int]
    points: list[float]


def plans(rules: Rules, decisions: Sequence[Decision | None]) -> Plans:
    """Return the plans of the seats, None for one that is played from outside.

    Raises:
        BlackjackError: at a decision that no table can hold.

    >>> from bj_env.strategies.basic import ChartDecision
    >>> made = plans(Rules(), [ChartDecision(), None])
    >>> made.seat.tolist(), made.actions.shape
    ([0, -1], (1, 1, 19200))
    """
    others = [decision for decision in decisions if decision is not None]
    tables = [tabulated(decision, rules) for decision in others] or [Tabulated(_nothing(), [0], [])]
    counts = max(len(table.bets) for table in tables)
    made = Plans(
        seat=np.array([-1 if decision is None else 0 for decision in decisions]),
        kind=np.array([RANDOM if type(decision) is RandomLegal else LOOKED_UP for decision in others] or [0]),
        actions=np.zeros((len(tables), counts, SITUATIONS), np.uint8),
        bets=np.zeros((len(tables), counts), np.int64),
        points=np.zeros((len(tables), counts - 1)),
        counts=np.array([len(table.bets) for table in tables]),
        **_counted(rules, others),
    )
    made.seat[made.seat == 0] = range(len(others))
    for place, table in enumerate(tables):
        made.actions[place, : len(table.bets)] = table.actions
        made.bets[place, : len(table.bets)] = table.bets
        made.points[place, : len(table.points)] = table.points
    return made


def can_be_tabulated(rules: Rules, decisions: Sequence[Decision]) -> bool:
    """Tell whether tables can hold all of some decisions.

    >>> from bj_env.strategies.basic import ChartDecision
    >>> from bj_env.strategies.simple import Scripted
    >>> can_be_tabulated(Rules(), [ChartDecision()]), can_be_tabulated(Rules(), [Scripted([])])
    (True, False)
    """
    try:
        plans(rules, decisions)
    except BlackjackError:
        return False
    return True


def _nothing() -> Array:
    return np.zeros((1, SITUATIONS), np.uint8)


def _counted(rules: Rules, decisions: Sequence[Decision]) -> dict[str, Array]:
    """Return how each plan counts, by the names of `Plans`; one that does not counts nothing.

    An unbalanced system that is divided by the decks left starts lower by its pivot, and so do its points.
    """
    counts = [decision.count if isinstance(decision, CountingDecision) else None for decision in decisions] or [None]
    return {
        "tags": np.array([count.system.tags if count else (0.0,) * 11 for count in counts]),
        "start": np.array([count.system.start(rules.decks) - count.pivot if count else 0.0 for count in counts]),
        "step": np.array([ESTIMATES[count.estimate] if count else 0.0 for count in counts]),
        "ties_up": np.array([bool(count and count.ties == "up") for count in counts]),
        "true": np.array([bool(count and count.by_decks) for count in counts]),
    }


def tabulated(decision: Decision, rules: Rules) -> Tabulated:
    """Return what a decision does.

    Raises:
        BlackjackError: if it goes by more than its own hand, the up card, what is legal, and a count.
    """
    if type(decision) is CountingDecision:  # what a subclass does is its own
        return _by_count(decision, rules)
    name = type(decision).__name__
    if not (decision.total_dependent or type(decision) is RandomLegal):
        raise BlackjackError(
            f"the compiled engine cannot ask a {name}; expected a decision by its own hand and the up card, a counting "
            "or a random one; `gymnasium.make` and `bj bench` ask any"
        )
    try:
        bet = _bet(decision, rules)
        return Tabulated(np.stack([_actions(decision, rules)]) if decision.total_dependent else _nothing(), [bet], [])
    except DecisionError as error:
        raise BlackjackError(
            f"the compiled engine cannot ask this {name}: {error}; `gymnasium.make` and `bj bench` ask any"
        ) from None


def _bet(decision: Decision, rules: Rules) -> int:
    view = total_dependent_view(rules, Phase.BET, cards=(), total=0, soft=False, pair=0, upcard=0, legal=())
    bet = ask(decision.bet, view, lambda: "bet")
    try:
        return checked_bet("bet", bet, rules)
    except BlackjackError as error:
        raise DecisionError(str(error)) from None


def _by_count(decision: CountingDecision, rules: Rules) -> Tabulated:
    """Tabulate the chart once, and for each count the cells that have an index play."""
    if rules.decks == 0:
        raise BlackjackError("count: expected a number of decks, got an infinite shoe, which has no true count")
    points = sorted(decision.turning_points)
    counts = [min(points, default=0) - 1, *points]
    actions = np.stack([_actions(FixedCount(decision, counts[0]), rules)] * len(counts))
    indexed = [cell for cell in _cells() if decision.has_index_play(*cell)]
    for count, table in zip(counts, actions, strict=True):
        _ask(FixedCount(decision, count), rules, indexed, table)
    insured = [decision.insure_at(count) for count in counts]
    insurance = actions.reshape(len(counts), PHASES, -1)[:, Phase.INSURANCE - Phase.EARLY_SURRENDER]
    insurance[:] = np.where(insured, Action.INSURE, Action.DECLINE)[:, None]
    least = [decision.count.least(point) - decision.count.pivot for point in points]
    return Tabulated(actions, [decision.bet_at(rules, count) for count in counts], least)


Cell = tuple[int, bool, int, int]
"""A hand and an up card: total, whether it is soft, the value of the pair that it is or 0; the up card's value."""


def _actions(decision: Decision, rules: Rules) -> Array:
    """Ask about every hand in every phase, ``[3 * 40 * 10 * 16]``."""
    actions = np.zeros(SITUATIONS, np.uint8)
    _ask(decision, rules, _cells(), actions)
    return actions


def _ask(decision: Decision, rules: Rules, cells: Iterable[Cell], actions: Array) -> None:
    """Fill in the answers for some cells."""
    for total, soft, pair, upcard in cells:
        offered = [(phase, offer.mask) for phase, offer in OFFERS.items()]
        for phase, mask in (*offered, *((Phase.PLAY, mask) for mask in masks_of(rules, total, soft, pair))):
            answer = _answer(decision, rules, phase, total, soft, pair, upcard, mask)
            actions[plan_place(phase, hand_row(total, soft, pair), upcard, mask)] = answer


def _answer(
    decision: Decision, rules: Rules, phase: Phase, total: int, soft: bool, pair: int, upcard: int, mask: int
) -> Action:
    legal = tuple(action for action in Action if mask >> action & 1)
    view = total_dependent_view(rules, phase, cards=None, total=total, soft=soft, pair=pair, upcard=upcard, legal=legal)
    answer = ask(decision.answer, view, lambda: f"total {total} against {upcard}")
    if answer not in legal:
        names = ", ".join(action.name for action in legal)
        raise DecisionError(f"expected one of {names}, got {answer!r}")
    return answer


@cache
def _cells() -> list[Cell]:
    """List every hand against every up card."""
    return [(*hand, upcard) for hand in table_hands() for upcard in range(1, 11)]


@cache
def masks_of(rules: Rules, total: int, soft: bool, pair: int) -> set[int]:
    """Return every set of legal actions that the hand can have in its turn."""
    row, legal = hand_row(total, soft, pair), legal_actions(rules)
    size = legal_place(row + 1, 0, 0, 0, 0) - legal_place(row, 0, 0, 0, 0)
    return set(legal[row * size : (row + 1) * size].tolist()) - {0}
