"""Exact values of decisions: a decision that looks at nothing but its own hand and the up card, put to the solver."""

from collections.abc import Sequence
from functools import cache

from bj_env.cards import from_face
from bj_env.chance import Stream
from bj_env.decisions import Decision, View
from bj_env.errors import BlackjackError
from bj_env.hand import Hand
from bj_env.notation import Face
from bj_env.rules import play_mask
from bj_env.solver import Evaluation, evaluate
from bj_env.solver.chart import best_chart
from bj_env.solver.strategy import Situation
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

    def play(at: Situation) -> Action:
        return decision.answer(_view(at))

    play.__name__ = type(decision).__name__
    return evaluate(rules, play)


@cache
def best_value(rules: Rules) -> float:
    """Return the value of the best play that depends on the total, the pair and the up card alone."""
    return best_chart(rules).ev


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
