"""Exact values of decisions, and the price of their mistakes."""

import pytest

from bj_env.analysis.policy_value import (
    best_total_dependent,
    composition_dependent_ev,
    exact_value,
    first_choice,
    mistakes,
)
from bj_env.errors import BlackjackError
from bj_env.game.decision import Decision
from bj_env.game.view import View
from bj_env.rules.houses import parse_rules
from bj_env.rules.terms import Action, Rules
from bj_env.solver import evaluate
from bj_env.solver.chart import best_chart
from bj_env.strategies.basic import ChartDecision
from bj_env.strategies.charts import chart
from bj_env.strategies.simple import Mimic, RandomLegal, Threshold


@pytest.mark.parametrize("house", ["six-deck", "single-deck", "eight-deck-europe", "infinite"])
def test_a_chart_is_worth_the_same_as_a_decision(house: str) -> None:
    rules = parse_rules(house)
    decision = ChartDecision(chart("h17_4to8_das"))
    assert exact_value(decision, rules).ev == pytest.approx(evaluate(rules, "h17_4to8_das").ev, abs=1e-12)


@pytest.mark.parametrize(
    ("house", "value"),
    [("sutton-barto", -0.0758517), ("gymnasium-plain", -0.0792945), ("gymnasium-natural", -0.0584677)],
)
def test_stick_on_17_has_the_published_value(house: str, value: float) -> None:
    assert exact_value(Threshold(17), parse_rules(house)).ev == pytest.approx(value, abs=1e-7)  # gymnasium_ev.csv


def test_a_decision_that_sees_more_has_no_exact_value() -> None:
    with pytest.raises(BlackjackError, match="expected a total-dependent strategy, got RandomLegal"):
        exact_value(RandomLegal(), Rules())


@pytest.mark.parametrize("house", ["six-deck", "single-deck", "eight-deck-europe"])
@pytest.mark.parametrize("decision", [ChartDecision(), Mimic()], ids=["basic", "mimic"])
def test_nothing_by_hand_beats_the_best_of_its_class(house: str, decision: Decision) -> None:
    rules = parse_rules(house)
    assert composition_dependent_ev(rules) >= best_total_dependent(rules).ev >= best_chart(rules).ev
    assert best_total_dependent(rules).ev >= exact_value(decision, rules).ev


@pytest.mark.parametrize("decision", [ChartDecision(), Mimic()], ids=["basic", "mimic"])
def test_mistakes_add_up_to_the_regret(decision: Decision) -> None:
    rules = Rules()
    total = sum(mistake.cost for mistake in mistakes(decision, rules))
    assert total == pytest.approx(composition_dependent_ev(rules) - exact_value(decision, rules).ev, abs=1e-10)


class NeverDoublesEleven(ChartDecision):
    """Plays basic strategy, but hits 11 against a six."""

    def play(self, view: View) -> Action:
        if view.total == 11 and view.upcard and view.upcard.value == 6 and Action.HIT in view.legal:
            return Action.HIT
        return super().play(view)


def test_a_single_mistake_is_priced_at_what_it_costs() -> None:
    rules = Rules()
    worst = mistakes(NeverDoublesEleven(), rules)[0]
    assert (worst.hand, worst.upcard, worst.played, worst.best) == ("hard 11", 6, "HIT", "DOUBLE")
    lost = exact_value(ChartDecision(), rules).ev - exact_value(NeverDoublesEleven(), rules).ev
    assert 0.8 * lost < worst.cost <= lost  # the rest is lost after splits, which are cells of their own


def test_first_choice_asks_about_two_cards() -> None:
    assert first_choice(ChartDecision(), Rules(), (1, 7), 3) is Action.DOUBLE
    assert first_choice(ChartDecision(), Rules(surrender=parse_rules("6D NS").surrender), (10, 6), 10) is Action.HIT
