"""The best total-dependent chart, its near-ties and exceptions; the spread of a round; cards and counts."""

import json
from pathlib import Path

import pytest
from rich.console import Console

from bj_env.cli.solve import chart_command, hand_json, round_json, solve_command
from bj_env.errors import BlackjackError
from bj_env.rules.houses import parse
from bj_env.rules.terms import Action
from bj_env.solver import (
    Situation,
    best_chart,
    effects_of_removal,
    evaluate,
    exceptions,
    index_number,
    outcome,
    regret,
    shoe_at,
    solve,
)
from bj_env.solver.indices import HI_LO
from bj_env.strategies.charts import Code, chart, published
from tests.solver.test_solver import house, rows, value

# --- charts ---------------------------------------------------------------------------------------------------------

PUBLISHED = {
    "TDopt-1D-S17-DAS": "1D S17 DAS NS NINS",
    "TDopt-1D-S17-NDAS": "1D S17 NDAS NS NINS",
    "TDopt-1D-H17-DAS": "1D H17 DAS NS NINS",
    "TDopt-1D-H17-NDAS": "1D H17 NDAS NS NINS",
    "TDopt-2D-S17-DAS": "2D S17 DAS NS NINS",
    "TDopt-2D-H17-DAS": "2D H17 DAS NS NINS",
    "s17_4to8_das": "8D S17 DAS NS NINS",
}
"""The published chart that is the best by totals for each house."""


@pytest.mark.parametrize("name", PUBLISHED)
def test_published_charts(name: str) -> None:
    """Cell by cell where a cell matters, surrender cells left to their fallback; and worth no less."""
    rules = parse(PUBLISHED[name])
    found = best_chart(rules)
    plain = {Code.SURRENDER_ELSE_HIT: Code.HIT, Code.SURRENDER_ELSE_STAND: Code.STAND}
    for mine, theirs in (
        (found.chart.hard[5:], chart(name).hard[5:]),
        (found.chart.soft[13:21], chart(name).soft[13:21]),
    ):
        assert mine == tuple(tuple(plain.get(code, code) for code in row) for row in theirs)
    unsplit = {Code.SURRENDER_ELSE_SPLIT: Code.SPLIT}
    assert found.chart.pair[1:] == tuple(tuple(unsplit.get(code, code) for code in row) for row in chart(name).pair[1:])
    assert found.ev == pytest.approx(evaluate(rules, found.chart).ev, abs=1e-14)
    assert found.ev >= evaluate(rules, chart(name)).ev - 1e-14


@pytest.mark.parametrize(
    ("text", "ev"),
    [("1D H17 NS NINS", -0.00043977223), ("8D NS NINS", -0.004324777258), ("6D H17 LS NINS", -0.00528334592)],
)
def test_single_cell_optima(text: str, ev: float) -> None:
    assert best_chart(parse(text)).ev == pytest.approx(ev, abs=1e-11)


@pytest.mark.parametrize("text", ["6D ES", "1D ENHC NDAS H17", "2D OBO LS DANY", "1D SPRANK HSA RSA", "INF D10 ES10"])
def test_no_single_cell_is_better(text: str) -> None:
    """Whatever the rules: the chart's value is what the passes say, and changing some cells makes it worse."""
    rules = parse(text)
    found = best_chart(rules)
    assert found.ev == pytest.approx(evaluate(rules, found.chart).ev, abs=1e-13)
    assert found.ev <= solve(rules).ev + 1e-12
    for total, upcard in ((16, 10), (12, 4), (11, 1), (15, 9)):
        for code in (Code.STAND, Code.HIT, Code.DOUBLE_ELSE_HIT, Code.SURRENDER_ELSE_HIT):
            row = list(found.chart.hard[total])
            row[upcard - 1] = code
            hard = (*found.chart.hard[:total], tuple(row), *found.chart.hard[total + 1 :])
            assert evaluate(rules, found.chart._replace(hard=hard)).ev <= found.ev + 1e-13


def test_near_ties() -> None:
    """Infinite decks, S17: soft 18 against a two is doubled or not at almost the same value."""
    ties = best_chart(parse("INF NS H17")).near_ties
    assert all(0 <= tie.margin < 1e-4 for tie in ties)
    assert list(ties) == sorted(ties, key=lambda tie: tie.margin)


def test_exceptions() -> None:
    """The well-known hands that break the total's rule, with their gains."""
    found = {(e.hand, e.upcard): e for e in exceptions(parse("1D NS"), best_chart(parse("1D NS")).chart)}
    assert found[(10, 2), 4].best is Action.HIT
    assert found[(10, 2), 4].gain == pytest.approx(0.21184 - 0.19396, abs=1e-5)
    assert (found[(7, 5), 3].chart, found[(7, 5), 3].best) == (Action.HIT, Action.STAND)
    longer = exceptions(parse("1D NS"), best_chart(parse("1D NS")).chart, cards=3)
    assert any(e.hand == (5, 5, 5) and e.upcard == 10 for e in longer)


# --- regret ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", ["6D", "1D H17 ENHC NDAS", "2D ES SPRANK", "1D ES10 OBO INS HSA", "6D NS SP8 DANY"])
@pytest.mark.parametrize("name", ["s17_4to8_das", "mimic", "never-bust"])
def test_mistakes_add_up(text: str, name: str) -> None:
    """The performance difference: what every mistake costs adds up to the whole loss."""
    found = regret(text, name)
    assert found.ev == pytest.approx(evaluate(text, name).ev, abs=1e-14)
    assert sum(mistake.cost for mistake in found.mistakes) == pytest.approx(found.best - found.ev, abs=1e-10)
    assert found.ev <= found.best + 1e-12


def test_splitting_tens_is_a_mistake() -> None:
    def tens(at: Situation) -> Action:
        if at.pair == 10 and Action.SPLIT in at.legal:
            return Action.SPLIT
        return Action.STAND

    for by in ("SPVAL", "SPRANK"):
        found = regret(f"1D NS NINS SP2 {by}", tens)
        assert sum(mistake.cost for mistake in found.mistakes) == pytest.approx(found.best - found.ev, abs=1e-10)
        assert any(mistake.played is Action.SPLIT and mistake.hand == (10, 10) for mistake in found.mistakes)


# --- spread ---------------------------------------------------------------------------------------------------------


def test_moments() -> None:
    """Mean and standard deviation, every eighth row; the distribution has them too."""
    for row in list(rows("outcome_moments.csv"))[::8]:
        rules, name = house(row), row["strategy"].removeprefix("TD:").replace("neverbust", "never-bust")
        found = outcome(rules, solve(rules) if name == "CDZ-" else name)
        assert found.mean == pytest.approx(float(row["ev"]), abs=1e-12), row
        assert found.deviation == pytest.approx(float(row["stdev"]), abs=1e-12), row
        assert found.distribution is not None
        mean = sum(net * chance for net, chance in found.distribution.items())
        square = sum(net**2 * chance for net, chance in found.distribution.items())
        assert sum(found.distribution.values()) == pytest.approx(1, abs=1e-12)
        assert mean == pytest.approx(found.mean, abs=1e-12)
        assert (square - mean**2) ** 0.5 == pytest.approx(found.deviation, abs=1e-12)


def test_four_hands_have_a_deviation_and_no_table() -> None:
    found = outcome("6D NINS", "s17_4to8_das")
    assert found.distribution is None
    assert 1.13 < found.deviation < 1.15


def test_what_has_no_spread() -> None:
    rich = [8.0] * 9 + [64.0]
    with pytest.raises(BlackjackError, match="insures"):
        outcome("2D NS", solve("2D NS", rich), rich)


# --- cards and counts -----------------------------------------------------------------------------------------------

EOR = [("1", "S17", "DAS", "4"), ("6", "H17", "DAS", "2"), ("8", "S17", "NDAS", "4")]


@pytest.mark.parametrize("key", EOR, ids="-".join)
def test_effects_of_removal(key: tuple[str, ...]) -> None:
    """Played best for each shoe, by the full shoe's best play, and by a chart."""
    for row in rows("eor.csv"):
        if (row["decks"], row["soft17"], row["das"], row["max_hands"]) == key:
            text = f"{key[0]}D {key[1]} {key[2]} SP{key[3]} NINS {'LS' if 'LS' in row['strategy_mode'] else 'NS'}"
            assert removal(text, row["strategy_mode"])[value(row["rank_removed"])] == pytest.approx(
                float(row["eor"]), abs=1e-9
            ), row


def removal(text: str, mode: str) -> dict[int, float]:
    if (text, mode) not in _REMOVALS:
        played = {
            "reopt": lambda: None,
            "fixedCDZ": lambda: solve(text),
            "TD": lambda: f"{text.split()[1].lower()}_4to8_{text.split()[2].lower()}",
        }[mode.removesuffix("+LS")]()
        _REMOVALS[text, mode] = effects_of_removal(text, played)
    return _REMOVALS[text, mode]


_REMOVALS: dict[tuple[str, str], dict[int, float]] = {}
CARDS = {
    "TT": "T,T",
    "16": "T,6",
    "15": "T,5",
    "14": "T,4",
    "13": "T,3",
    "12": "T,2",
    "11": "7,4",
    "10": "7,3",
    "9": "5,4",
}


def test_hi_lo_indices() -> None:
    """The Illustrious 18 and the Fab 4 from exact values with infinite decks, to a hundredth."""
    for row in rows("hilo_indices.csv"):
        hand, _, upcard, word = (
            "16 vs A insure" if row["play_at_or_above_index"] == "Insurance" else row["play_at_or_above_index"]
        ).split()
        action = Action[word.upper()]
        instead = {Action.SPLIT: Action.STAND, Action.INSURE: Action.DECLINE}.get(action, Action.HIT)
        for soft_17 in ("S17", "H17"):
            found = index_number(f"INF LS {soft_17}", HI_LO, CARDS[hand], upcard, action, instead)
            assert found == pytest.approx(float(row[f"infinite_model_{soft_17}"]), abs=0.006), row


def test_a_finite_index_and_a_count_that_cannot_be() -> None:
    assert index_number("6D NS", HI_LO, "T,6", "T", Action.STAND, Action.HIT) == pytest.approx(0, abs=1)
    with pytest.raises(BlackjackError, match="no shoe can have"):
        shoe_at("6D", HI_LO, 60)
    with pytest.raises(BlackjackError, match="every count"):
        index_number("INF NS", HI_LO, "T,T", "6", Action.STAND, Action.HIT)
    with pytest.raises(BlackjackError, match="expected ten"):
        shoe_at("6D", (1, 2), 1)


# --- reports --------------------------------------------------------------------------------------------------------


def printed(command, *args, **options) -> str:
    console = Console(width=80, record=True, file=open("/dev/null", "w"))  # noqa: SIM115
    command(*args, console=console, **options)
    return console.export_text()


def test_solve_prints_the_rules_and_fits() -> None:
    said = printed(solve_command, "6D H17 LS")
    assert "6D H17 3:2 PEEK DOA DAS SP4 LS INS" in said
    assert "CDZ-" in said
    assert max(map(len, said.splitlines())) <= 80


def test_solve_a_hand() -> None:
    said = printed(solve_command, "6D ES", hand="8,8", upcard="A")
    assert "best: split" in said or "best: surrender" in said
    assert max(map(len, said.splitlines())) <= 80
    with pytest.raises(BlackjackError, match="both a hand and an up card"):
        solve_command("6D", hand="8,8")


def test_json() -> None:
    whole = json.loads(json.dumps(round_json("6D NS")))
    assert {"rules", "ev", "ev_total_dependent", "strategy_class", "seconds"} <= set(whole)
    assert whole["ev"] == pytest.approx(solve("6D NS").ev)
    hand = json.loads(json.dumps(hand_json("6D NS", "T,6", "T")))
    assert hand["best"] == "HIT"
    assert set(hand["values"]) == {"STAND", "HIT", "DOUBLE"}
    assert hand_json("6D ES", "T,6", "T")["best"] == "SURRENDER"


def test_chart_prints_and_pictures(tmp_path: Path) -> None:
    said = printed(chart_command, "1D NS")
    assert "exception: T,2 against 4: hit" in said
    assert max(map(len, said.splitlines())) <= 80
    chart_command("INF NS", picture=tmp_path / "chart.svg")
    assert (tmp_path / "chart.svg").read_text().startswith("<svg")
    with pytest.raises(BlackjackError, match=r"ends in \.svg"):
        chart_command("INF NS", picture=tmp_path / "chart.gif")


def test_published_is_what_the_reference_says() -> None:
    assert set(PUBLISHED) <= set(published())
