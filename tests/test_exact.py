"""Exact values of decisions, and the price of their mistakes."""

import pytest

from bj_env.charts import chart
from bj_env.decisions import ChartDecision, Decision, Mimic, RandomLegal, Threshold
from bj_env.errors import BlackjackError
from bj_env.exact import best_by_hand, exact_value, first_choice, mistakes
from bj_env.houses import rules_from
from bj_env.solver import evaluate
from bj_env.solver.chart import best_chart
from bj_env.terms import Action, Rules


@pytest.mark.parametrize("house", ["six-deck", "single-deck", "eight-deck-europe", "infinite"])
def test_a_chart_is_worth_the_same_as_a_decision(house: str) -> None:
    rules = rules_from(house)
    decision = ChartDecision(chart("h17_4to8_das"))
    assert exact_value(decision, rules).ev == pytest.approx(evaluate(rules, "h17_4to8_das").ev, abs=1e-12)


@pytest.mark.parametrize(
    ("house", "value"),
    [("sutton-barto", -0.0758517), ("gymnasium-plain", -0.0792945), ("gymnasium-natural", -0.0584677)],
)
def test_stick_on_17_has_the_published_value(house: str, value: float) -> None:
    assert exact_value(Threshold(17), rules_from(house)).ev == pytest.approx(value, abs=1e-7)  # gymnasium_ev.csv


def test_a_decision_that_sees_more_has_no_exact_value() -> None:
    with pytest.raises(BlackjackError, match="own hand and the up card, got RandomLegal"):
        exact_value(RandomLegal(), Rules())


@pytest.mark.parametrize("house", ["six-deck", "single-deck", "eight-deck-europe"])
@pytest.mark.parametrize("decision", [ChartDecision(), Mimic()], ids=["basic", "mimic"])
def test_nothing_by_hand_beats_the_best_of_its_class(house: str, decision: Decision) -> None:
    rules = rules_from(house)
    assert best_by_hand(rules).ev >= best_chart(rules).ev
    assert best_by_hand(rules).ev >= exact_value(decision, rules).ev
    assert all(mistake.cost > -1e-12 for mistake in mistakes(decision, rules))


def test_a_single_mistake_is_priced_at_what_it_costs() -> None:
    rules = Rules()
    only = mistakes(ChartDecision(), rules)
    assert [(mistake.hand, mistake.upcard) for mistake in only] == [("hard 16", 10)]
    assert only[0].cost == pytest.approx(best_by_hand(rules).ev - exact_value(ChartDecision(), rules).ev, abs=1e-12)


def test_first_choice_asks_about_two_cards() -> None:
    assert first_choice(ChartDecision(), Rules(), (1, 7), 3) is Action.DOUBLE
    assert first_choice(ChartDecision(), Rules(surrender=rules_from("6D NS").surrender), (10, 6), 10) is Action.HIT
