"""The report of a run: what its pages and pictures say."""

from io import BytesIO
from math import nan
from pathlib import Path

import pytest
from matplotlib.image import imread

from agents.run.config import load_config
from agents.run.report import learning_curve, report_text, write_report
from agents.run.training import CurvePoint, Trained
from bj_env.analysis.benchmark import Setting, compare
from bj_env.analysis.scores import Score
from bj_env.game.decision import Decision
from bj_env.rules.terms import Rules
from bj_env.strategies.saved_policy import LearnedDecision
from tests.strategies.test_saved_policy import NETWORK, TABLE, network_tensors, table_tensors

CONFIG = load_config(Path(__file__).parents[2] / "configs" / "default.toml")
FACTS = {"command": "python train.py --set name=a|b", "seed": "3"}
BY_HAND = LearnedDecision(TABLE, table_tensors())
SEEING = LearnedDecision(NETWORK, network_tensors())


def scored(policy: Decision) -> list[Score]:
    setting = Setting(Rules(), ("agent",), 2000, 1)
    return compare({"basic": "basic", "learned": policy, "random": "random"}, setting)


def trained(regrets: list[float]) -> Trained:
    curve = [CurvePoint(1000 * place, -0.2 + 0.01 * place, 0.02, regret) for place, regret in enumerate(regrets)]
    return Trained(TABLE, table_tensors(), curve, "rounds")


def test_the_page_says_how_good_the_policy_is_exactly() -> None:
    scores = scored(BY_HAND)
    text = report_text(CONFIG, Rules(), scores, FACTS)
    learned = scores[1]
    assert learned.exact_ev is not None
    assert learned.regret is not None
    assert f"played greedy, is worth exactly {100 * learned.exact_ev:+.4f} % of a bet" in text
    assert f"| learned | greedy | {100 * learned.ev:+.3f} ± " in text
    assert f"| {100 * learned.regret:.4f} | " in text
    assert "| random | rule | " in text
    assert "![strategy chart](strategy_chart.png)" in text
    assert "| command | python train.py --set name=a\\|b |" in text


def test_the_costliest_mistakes_are_listed_the_dearest_first() -> None:
    scores = scored(BY_HAND)
    text = report_text(CONFIG, Rules(), scores, FACTS)
    table = text.partition("## Costliest mistakes")[2].partition("## Configuration")[0]
    rows = [line.split("|") for line in table.splitlines() if line.startswith("| ") and "%" not in line]
    costs = [float(row[-2]) for row in rows]
    assert len(costs) == len(scores[1].costliest) == 12
    assert costs == sorted(costs, reverse=True)


def test_a_policy_that_sees_more_has_an_interval_instead(tmp_path: Path) -> None:
    scores = scored(SEEING)
    low, high = scores[1].interval()
    text = report_text(CONFIG, Rules(), scores, FACTS)
    assert f"nets from {100 * low:+.3f} to {100 * high:+.3f} % of a bet a round" in text
    assert "Costliest mistakes" not in text
    write_report(tmp_path, CONFIG, trained([nan, nan]), SEEING, scores, FACTS)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["learning_curve.png", "report.md"]


def test_the_curve_has_an_axis_of_regret_where_regret_is_known() -> None:
    scores = scored(BY_HAND)
    heights = [
        imread(BytesIO(learning_curve(trained(regrets), scores))).shape[0]
        for regrets in ([nan, nan, nan], [nan, 0.01, 0.0], [0.01])
    ]
    assert heights[1] == heights[2] > heights[0]


@pytest.mark.parametrize("policy", [BY_HAND, SEEING], ids=["by hand", "seeing"])
def test_every_picture_of_the_page_is_there(policy: LearnedDecision, tmp_path: Path) -> None:
    write_report(tmp_path, CONFIG, trained([0.1, 0.01]), policy, scored(policy), FACTS)
    text = (tmp_path / "report.md").read_text()
    for picture in tmp_path.glob("*.png"):
        assert f"({picture.name})" in text
    assert text.count("![") == len(list(tmp_path.glob("*.png")))
