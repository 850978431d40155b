"""Exact values of decisions: a decision that looks at nothing but its own hand and the up card, put to the solver."""

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import NamedTuple

import numpy as np

from bj_env.cards import from_face
from bj_env.chance import Stream
from bj_env.decisions import Decision, View
from bj_env.errors import BlackjackError
from bj_env.hand import Hand
from bj_env.notation import Face
from bj_env.rules import play_mask
from bj_env.solver import Evaluation, evaluate
from bj_env.solver.chart import best_chart
from bj_env.solver.exact import Plan, plan_against
from bj_env.solver.hands import all_hands, find_hand, hand_text
from bj_env.solver.shoe import composition
from bj_env.solver.spot import DEALS
from bj_env.solver.strategy import Play, Situation, plan
from bj_env.solver.tables import DEALT, SPLIT
from bj_env.terms import Action, Phase, Rules


def exact_value(decision: Decision, rules: Rules) -> Evaluation:
    """Return the exact value of a decision, from a fresh shoe at any seat.

    Raises:
        BlackjackError: if the decision looks at more than its own hand and the up card.

    >>> from bj_env.decisions import Mimic
    >>> from bj_env.houses import rules_from
    >>> round(exact_value(Mimic(), rules_from("6D NS NINS D0 SP1")).ev, 9)
    -0.056756476
    """
    if not decision.by_hand:
        name = type(decision).__name__
        raise BlackjackError(f"exact value: expected a decision by its own hand and the up card, got {name}")

    return evaluate(rules, _as_play(decision))


def _as_play(decision: Decision) -> Play:
    """Return the decision as the solver asks it."""
    return lambda at: decision.answer(_view(at))


class Best(NamedTuple):
    """The best play by total, pair and up card: its value, and what it plays against each up card."""

    ev: float
    plans: Mapping[int, Plan]


@cache
def best_by_hand(rules: Rules) -> Best:
    """Return the best play among all that depend on the total, the pair, the up card and what is legal.

    That is the best chart, but for one thing which a chart cannot say: what to do with a pair that it would split and
    may not, because the seat has all its hands. There both ways are tried.
    """
    shoe, chart = composition(rules), best_chart(rules).chart
    ev, plans = 0.0, {}
    for upcard in range(1, 11):
        best = plan(rules, chart, upcard)
        value = plan_against(rules, shoe, best, upcard).ev
        for pair in np.flatnonzero(best.split).tolist():
            other = _other_when_full(best, find_hand((pair, pair)))
            other_value = plan_against(rules, shoe, other, upcard).ev
            best, value = (other, other_value) if other_value > value else (best, value)
        plans[upcard] = best
        ev += shoe.share(upcard) * value
    return Best(ev, plans)


def _other_when_full(best: Plan, hand: int) -> Plan:
    """Return a plan that hits a split pair which may not be split again where the given one stands, or else stands."""
    choice = best.choice.copy()
    choice[SPLIT, hand] = Action.HIT if choice[SPLIT, hand] == Action.STAND else Action.STAND
    return best._replace(choice=choice)


class Mistake(NamedTuple):
    """A cell that a decision plays otherwise than the best play by total, pair and up card.

    Attributes:
        hand: the cell, like ``"hard 16"``, ``"pair 8,8"`` or ``"insurance"``.
        upcard: the dealer's, by value.
        played: what the decision plays, with two cards where both are possible.
        best: what is best.
        cost: by how much playing this cell so lowers the value of a round, all else being the best.
    """

    hand: str
    upcard: int
    played: str
    best: str
    cost: float


def mistakes(decision: Decision, rules: Rules) -> list[Mistake]:
    """Return all that a decision by hand plays otherwise than is best, the costliest first.

    >>> from bj_env.decisions import Mimic
    >>> worst = mistakes(Mimic(), Rules())[0]
    >>> worst.hand, worst.played, worst.best
    ('hard 16', 'HIT', 'STAND')
    """
    shoe = composition(rules)
    found = []
    for upcard, best in best_by_hand(rules).plans.items():
        played = plan(rules, _as_play(decision), upcard)
        value = plan_against(rules, shoe, best, upcard).ev
        for hand, swapped, names in _swaps(best, played):
            cost = (value - plan_against(rules, shoe, swapped, upcard).ev) * shoe.share(upcard)
            found.append(Mistake(hand, upcard, *names, cost))
    return sorted(found, key=lambda mistake: -mistake.cost)


def _swaps(best: Plan, played: Plan) -> Iterator[tuple[str, Plan, tuple[str, str]]]:
    """Yield each cell in which two plans differ: its name, the best plan with the other's cell, and what each plays."""
    hands = all_hands()
    cells = {(int(hands.total[deal]), bool(hands.soft[deal]), int(hands.pair[deal])): deal for deal in DEALS}
    for (total, soft, pair), deal in cells.items():
        same = (hands.total == total) & (hands.soft == soft) & (hands.pair == pair)
        choice = np.where(same, played.choice, best.choice)
        split, early = best.split.copy(), np.where(same, played.early, best.early)
        split[pair] = played.split[pair]
        if (choice != best.choice).any() or (split != best.split).any() or (early != best.early).any():
            name = f"pair {hand_text((pair, pair))}" if pair else f"{'soft' if soft else 'hard'} {total}"
            longer = next(iter(np.flatnonzero(same & (hands.cards > 2)).tolist()), None)
            names = (_name(played, deal, pair, longer), _name(best, deal, pair, longer))
            yield name, best._replace(choice=choice, split=split, early=early), names
    if (played.insure != best.insure).any():
        yield "insurance", best._replace(insure=played.insure), ("INSURE", "DECLINE")


def _name(of: Plan, deal: int, pair: int, longer: int | None) -> str:
    """Name what a plan plays with two cards, and else with more."""
    if of.early[deal]:
        return "SURRENDER"
    if pair and of.split[pair]:
        return "SPLIT"
    first = Action(int(of.choice[DEALT, deal]))
    if first in (Action.DOUBLE, Action.SURRENDER) and longer is not None:
        return f"{first.name} else {Action(int(of.choice[DEALT, longer])).name}"
    return first.name


def first_choice(decision: Decision, rules: Rules, hand: Sequence[int], upcard: int) -> Action:
    """Return what a decision by hand plays with two cards, by value, when money is no matter.

    >>> from bj_env.decisions import ChartDecision
    >>> first_choice(ChartDecision(), Rules(), [8, 8], 10)
    <Action.SPLIT: 3>
    """
    cards = Hand(from_face(Face(value)) for value in hand)
    pair = cards.pair(rules)
    mask = play_mask(rules, cards.total, cards.soft, 2, pair > 0, False, False, 1, False)
    return decision.play(_view(Situation(rules, Phase.PLAY, tuple(hand), cards.total, cards.soft, pair, upcard, mask)))


_ASIDE = Stream(0)
"""Random numbers for a view; decisions by hand draw none."""


def _view(at: Situation) -> View:
    cards = tuple(from_face(Face(value)) for value in at.hand)
    return View(
        rules=at.rules,
        phase=at.phase,
        seat=0,
        hand=0,
        cards=cards,
        total=at.total,
        soft=at.soft,
        pair=at.pair,
        upcard=from_face(Face(at.upcard)),
        legal=at.legal,
        bet=at.rules.min_bet,
        free=None,
        hands=((),),
        seen=(0,) * 11,
        shuffle_pending=True,
        chance=_ASIDE,
    )
