"""Exact values of decisions: a decision that looks at nothing but its own hand and the up card, put to the solver."""

from collections.abc import Mapping, Sequence
from functools import cache
from typing import NamedTuple

import numpy as np

from bj_env.errors import BlackjackError
from bj_env.game.cards import from_face
from bj_env.game.decision import Decision
from bj_env.game.hand import Hand
from bj_env.game.notation import Face
from bj_env.rules.houses import parse_rules
from bj_env.rules.numbered import play_mask
from bj_env.rules.terms import Action, Phase, Rules
from bj_env.solver import Evaluation, Mistake, evaluate, regret, solve
from bj_env.solver.chart import best_chart
from bj_env.solver.exact import Plan, plan_against
from bj_env.solver.hands import find_hand, hand_text
from bj_env.solver.indices import HI_LO, shoe_at
from bj_env.solver.shoe import composition
from bj_env.solver.strategy import Situation, plan
from bj_env.solver.tables import SPLIT
from bj_env.strategies.basic import ChartDecision
from bj_env.strategies.charts import Chart
from bj_env.strategies.counting import CountingDecision
from bj_env.strategies.fixed_count import FixedCount
from bj_env.strategies.registry import strategy


def exact_value(decision: Decision | str, rules: Rules | str) -> Evaluation:
    """Return the exact value of a decision, or of the name or folder of one, from a fresh shoe at any seat.

    Raises:
        BlackjackError: if the decision looks at more than its own hand and the up card.

    >>> from bj_env.strategies.simple import Mimic
    >>> from bj_env.rules.houses import parse_rules
    >>> round(exact_value(Mimic(), parse_rules("6D NS NINS D0 SP1")).ev, 9)
    -0.056756476
    """
    return evaluate(parse_rules(rules), strategy(decision))


def value_at(decision: Decision, rules: Rules, true_count: float) -> float:
    """Return what a bet is worth at a true count, to a total-dependent strategy or to a counting player.

    The shoe is what it holds on average at that count (`bj_env.solver.shoe_at`): by the player's own system, by Hi-Lo
    for all others.

    Raises:
        BlackjackError: if the decision looks at more, its system is not balanced, or no shoe has such a count.

    >>> from bj_env.strategies.basic import ChartDecision
    >>> rules = parse_rules("6D H17 DAS PEN75")
    >>> [round(100 * value_at(player, rules, 4), 2) for player in (ChartDecision(), CountingDecision())]
    [1.61, 1.83]
    """
    tags: Sequence[float] = HI_LO
    if isinstance(decision, CountingDecision):
        system = decision.count.system
        if system.sum_per_deck:
            raise BlackjackError(f"count: expected a balanced system, which has a true count, got {system.name!r}")
        tags, decision = system.tags[1:], FixedCount(decision, true_count)
    return evaluate(rules, decision, shoe_at(rules, tags, true_count)).ev


class Best(NamedTuple):
    """The best play by total, pair and up card: its value, what it plays against each up card, and it as a chart."""

    ev: float
    plans: Mapping[int, Plan]
    chart: Chart


@cache
def best_total_dependent(rules: Rules) -> Best:
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
    return Best(ev, plans, chart)


@cache
def composition_dependent_ev(rules: Rules) -> float:
    """Return the composition-dependent optimal value: that of the best play by all cards of the hand."""
    return solve(rules).ev


def _other_when_full(best: Plan, hand: int) -> Plan:
    """Return a plan that hits a split pair which may not be split again where the given one stands, or else stands."""
    choice = best.choice.copy()
    choice[SPLIT, hand] = Action.HIT if choice[SPLIT, hand] == Action.STAND else Action.STAND
    return best._replace(choice=choice)


class CostlyCell(NamedTuple):
    """A cell of the chart that a decision plays worse than is best for the cards, summed over its hands.

    Attributes:
        hand: the cell, like ``"hard 16"``, ``"pair 8,8"`` or ``"insurance"``.
        upcard: the dealer's, by value.
        played, best: what the decision does with the costliest of its hands, and what is best there.
        often: how often in a round a decision in the cell costs something.
        cost: what it costs per round, in bets; together they are the regret against the composition-dependent optimal
            value.
    """

    hand: str
    upcard: int
    played: str
    best: str
    often: float
    cost: float


def mistakes(decision: Decision, rules: Rules) -> list[CostlyCell]:
    """Return what a total-dependent strategy loses to the best play by composition, cell by cell, the costliest first.

    >>> from bj_env.strategies.simple import Mimic
    >>> worst = mistakes(Mimic(), Rules())[0]
    >>> worst.hand, worst.upcard, worst.played, worst.best
    ('hard 16', 5, 'HIT', 'STAND')
    """
    cells: dict[tuple[str, int], list[Mistake]] = {}
    for mistake in regret(rules, decision).mistakes:  # the costliest first
        cells.setdefault((_cell(mistake, rules), mistake.upcard), []).append(mistake)
    costly = [
        CostlyCell(
            *cell,
            hands[0].played.name,
            hands[0].best.name,
            sum(mistake.often for mistake in hands),
            sum(mistake.cost for mistake in hands),
        )
        for cell, hands in cells.items()
    ]
    return sorted(costly, key=lambda mistake: -mistake.cost)


def prices(decision: Decision, rules: Rules) -> dict[tuple[str, int], float]:
    """Return what each cell of the chart costs per round beyond what it costs the best chart, by cell and up card.

    A cell counts with all its hands, those of more cards and those after a split too. All prices add up to the regret
    to the best chart; cells that both play alike are left out, but for what rounding leaves.

    >>> from bj_env.strategies.simple import Mimic
    >>> float(round(prices(Mimic(), Rules())["hard 16", 5], 4))
    0.0027
    """
    net_costs = {(mistake.hand, mistake.upcard): mistake.cost for mistake in mistakes(decision, rules)}
    for mistake in _mistakes_of_the_best(rules):
        cell = mistake.hand, mistake.upcard
        net_costs[cell] = net_costs.get(cell, 0.0) - mistake.cost
    return {cell: cost for cell, cost in net_costs.items() if abs(cost) > _ALIKE}


_ALIKE = 1e-12


@cache
def _mistakes_of_the_best(rules: Rules) -> list[CostlyCell]:
    return mistakes(ChartDecision(best_total_dependent(rules).chart), rules)


def _cell(mistake: Mistake, rules: Rules) -> str:
    if mistake.phase is Phase.INSURANCE:
        return "insurance"
    hand = Hand(from_face(Face(value)) for value in mistake.hand)
    pair = hand.pair(rules)
    return f"pair {hand_text((pair, pair))}" if pair else f"{'soft' if hand.soft else 'hard'} {hand.total}"


def first_choice(decision: Decision, rules: Rules, hand: Sequence[int], upcard: int) -> Action:
    """Return what a total-dependent strategy plays with two cards, by value, when money is no matter.

    >>> from bj_env.strategies.basic import ChartDecision
    >>> first_choice(ChartDecision(), Rules(), [8, 8], 10)
    <Action.SPLIT: 3>
    """
    cards = Hand(from_face(Face(value)) for value in hand)
    pair = cards.pair(rules)
    mask = play_mask(rules, cards.total, cards.soft, 2, pair > 0, False, False, 1, False)
    return decision.play(Situation(rules, Phase.PLAY, tuple(hand), cards.total, cards.soft, pair, upcard, mask).view())
