"""Pictures: what is marked on a chart, and that it is seen."""

from dataclasses import replace
from io import BytesIO
from pathlib import Path

import numpy as np
import pytest
from matplotlib.colors import to_rgb
from matplotlib.image import imread

from bj_env.analysis.benchmark import Setting, compare
from bj_env.analysis.pictures import (
    COUNTS,
    LOUD,
    NEAR_TIE,
    bench_picture,
    chart_rows,
    marks_of,
    strategy_picture,
    values_by_count,
)
from bj_env.analysis.policy_value import best_total_dependent, exact_value, prices
from bj_env.rules.terms import Rules
from bj_env.strategies.basic import ChartDecision
from bj_env.strategies.counting import CountingDecision
from bj_env.strategies.simple import Mimic, RandomLegal
from tests.analysis.test_policy_value import NeverDoublesEleven

RULES = Rules()
BEST = ChartDecision(best_total_dependent(RULES).chart)


def loud(picture: BytesIO | Path) -> int:
    """Count the pixels of the colour that errors are framed in."""
    pixels = imread(picture)[..., :3]
    return int((np.abs(pixels - to_rgb(LOUD)).max(axis=-1) < 0.01).sum())


def test_prices_add_up_to_the_regret_to_the_best_chart() -> None:
    found = prices(Mimic(), RULES)
    lost = exact_value(BEST, RULES).ev - exact_value(Mimic(), RULES).ev
    assert sum(found.values()) == pytest.approx(lost, abs=1e-10)
    assert prices(BEST, RULES) == {}


def test_a_mistake_is_marked_with_what_it_costs() -> None:
    found = marks_of(NeverDoublesEleven(), RULES)
    assert list(found) == [("hard 11", 6)]
    assert found["hard 11", 6] == pytest.approx(prices(NeverDoublesEleven(), RULES)["hard 11", 6])
    assert found["hard 11", 6] > NEAR_TIE


def test_near_ties_are_marked_too() -> None:
    found = marks_of(Mimic(), RULES)
    assert any(cost < NEAR_TIE for cost in found.values())
    assert ("hard 17", 2) not in found


@pytest.mark.parametrize(("rules", "blocks"), [("SP4", 3), ("SP1", 2)])
def test_pairs_are_shown_where_they_may_be_split(rules: str, blocks: int) -> None:
    assert len(chart_rows(Rules(max_hands=int(rules[2:])))) == blocks


def test_errors_are_seen_on_the_chart_and_nothing_else_is_loud() -> None:
    assert loud(BytesIO(strategy_picture({"best": BEST}, RULES))) == 0
    one, many = (loud(BytesIO(strategy_picture({"it": it}, RULES))) for it in (NeverDoublesEleven(), Mimic()))
    assert 0 < 20 * one < many


def test_a_benchmark_is_drawn_with_the_charts_of_those_who_go_by_hand(tmp_path: Path) -> None:
    setting = Setting(RULES, ("agent",), 2000, 1)
    shapes = []
    for policies in ({"random": "random"}, {"mimic": "mimic"}, {"mimic": "mimic", "basic": "basic"}):
        path = tmp_path / "bench.png"
        path.write_bytes(bench_picture(compare(policies, setting), policies, RULES))
        shapes.append(imread(path).shape)
    assert shapes[0][0] < shapes[1][0]  # no chart below the values
    assert shapes[1][1] < shapes[2][1]  # one more beside the best one


def test_a_bet_is_worth_more_at_a_higher_count_and_most_to_who_plays_by_it() -> None:
    values = values_by_count({"basic": ChartDecision(), "hi-lo": CountingDecision()}, Rules(penetration=0.75))
    assert all(row == sorted(row) for row in values.values())
    assert values["hi-lo"][0] > values["basic"][0]
    assert values["hi-lo"][-1] > values["basic"][-1]
    at_zero = COUNTS.index(0)
    assert values["basic"][at_zero] == pytest.approx(exact_value("basic", RULES).ev, abs=1e-12)


def test_who_looks_at_more_than_a_count_has_no_value_by_count() -> None:
    rules = Rules(penetration=0.75)
    assert values_by_count({"ko": CountingDecision("ko"), "random": RandomLegal()}, rules) == {}


def test_counts_and_bankrolls_are_drawn_where_a_shoe_lasts(tmp_path: Path) -> None:
    rules, path = Rules(decks=2, penetration=0.75), tmp_path / "bench.png"
    policies = {"hi-lo": CountingDecision(ramp=((-99, 1), (1, 4), (2, 12)))}
    scores = compare(policies, Setting(rules, ("agent",), 1_000_000, 1))
    assert [score.name for score in scores if score.bankroll] == ["hi-lo"]
    path.write_bytes(bench_picture(scores, policies, rules))
    with_counts = imread(path).shape[0]
    path.write_bytes(
        bench_picture([replace(score, exact_ev=None, ev=-1.0) for score in scores], policies, Rules(decks=2))
    )
    assert with_counts > imread(path).shape[0] + 300
