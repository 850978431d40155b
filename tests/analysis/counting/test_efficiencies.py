"""Efficiencies, effects of removal and insurance against the reference, all of it."""

import csv
from functools import cache
from pathlib import Path

import pytest

from bj_env.analysis.counting.efficiencies import INSURANCE, correlation, efficiencies
from bj_env.analysis.counting.insurance import insurance_gain, insurance_threshold
from bj_env.analysis.counting.removal import decision_effects
from bj_env.errors import BlackjackError
from bj_env.rules.terms import Action
from bj_env.solver import effects_of_removal
from bj_env.strategies.count_systems import published, system, systems

DATA = Path(__file__).parents[2] / "data" / "reference" / "counting"
TAGS = [f"tag_{value}" for value in ("A", *range(2, 10), "T")]
NAMES = {"A": 1, "T": 10}


@cache
def rows(name: str) -> list[dict[str, str]]:
    """Return the rows of a file of the reference."""
    with (DATA / f"{name}.csv").open() as file:
        return list(csv.DictReader(file))


@pytest.mark.parametrize("row", rows("efficiencies"), ids=lambda row: row["system"])
def test_correlations_agree_with_the_reference(row: dict[str, str]) -> None:
    found = efficiencies([float(row[tag]) for tag in TAGS])
    assert found.betting == pytest.approx(float(row["BC_griffin_vector"]), abs=6e-5)
    assert found.insurance == pytest.approx(float(row["IC_exact"]), abs=6e-5)


ROUNDED_AWAY = {"revere-point-count": 0.0064, "kiss-iii": 0.0060}
"""Systems whose published BC, recalled and not read, lies farther from every computation than 0.005."""


@pytest.mark.parametrize("name", systems())
def test_correlations_agree_with_published_figures(name: str) -> None:
    found, figures = efficiencies(name), published(name)
    if "BC" in figures:
        assert found.betting == pytest.approx(figures["BC"], abs=ROUNDED_AWAY.get(name, 0.005))
        assert found.insurance == pytest.approx(figures["IC"], abs=0.005)
    if "PE" in figures:
        assert found.playing == pytest.approx(figures["PE"], abs=0.015)


def test_no_playing_efficiency_is_told_for_tags_far_from_all_that_were_measured() -> None:
    assert efficiencies("ace-five").playing is None


def test_betting_correlation_takes_exact_effects_of_any_rules() -> None:
    effects = effects_of_removal("6D S17 DAS NS NINS SP2")
    assert efficiencies("hi-lo", effects).betting == pytest.approx(0.966, abs=0.005)


@pytest.mark.parametrize("tags", [[1.0] * 9, [2.0] * 10])
def test_tags_that_tell_no_cards_apart_are_refused(tags: list[float]) -> None:
    with pytest.raises(BlackjackError, match="tags: expected"):
        correlation(tags, INSURANCE)


@pytest.mark.parametrize("row", rows("decision_eor"), ids=lambda row: "-".join(list(row.values())[:6]))
def test_decision_effects_agree_with_the_reference(row: dict[str, str]) -> None:
    rules = f"{row['decks']}D {row['soft17']} DAS LS"
    found = decision_effects(rules, row["hand"], row["upcard"], Action[row["action"]], Action[row["instead"]])
    assert 100 * found.gain == pytest.approx(float(row["gain_full_shoe_pct"]), abs=1e-6)
    expected = [float(row[f"eor_{value}_pct"]) for value in ("A", *range(2, 10), "T")]
    assert [100 * effect for effect in found.effects] == pytest.approx(expected, abs=1e-6)
    assert found.correlation(system("hi-lo").tags[1:]) == pytest.approx(float(row["corr_Hi-Lo"]), abs=6e-5)


def test_an_action_that_is_not_legal_has_no_effects() -> None:
    with pytest.raises(BlackjackError, match="action: SPLIT is not legal"):
        decision_effects("6D", "T,6", "T", Action.SPLIT, Action.HIT)


GAINS = [
    (row, label, name)
    for row in rows("insurance_gain")
    for label, name in {
        "Hi-Lo": "hi-lo", "KO": "ko", "Hi-Opt I": "hi-opt-i", "Hi-Opt II": "hi-opt-ii", "Omega II": "omega-ii",
        "Zen": "zen", "Wong Halves": "wong-halves", "Uston APC": "uston-apc",
    }.items()
    if row[f"{label} gain_pct"]
]  # fmt: skip


@pytest.mark.parametrize(("row", "label", "name"), sorted(GAINS, key=lambda gain: (gain[2], gain[0]["decks"])))
def test_insurance_gains_agree_with_the_reference(row: dict[str, str], label: str, name: str) -> None:
    found = insurance_gain(name, int(row["decks"]), int(row["cards_left"]))
    assert 100 * found.perfect == pytest.approx(float(row["perfect_gain_pct"]), abs=1e-8)
    assert 100 * found.counted == pytest.approx(float(row[f"{label} gain_pct"]), abs=1e-8)
    assert found.efficiency == pytest.approx(float(row[f"{label} efficiency"]), abs=1e-6)


CARD = {"L": (2, 3), "M": (7, 8), "T": (10, 10), "A": (1, 1)}


@pytest.mark.parametrize("row", rows("insurance_hilo_6d"), ids=lambda row: f"{row['hand']} {row['running_count']}")
def test_insurance_thresholds_agree_with_the_reference(row: dict[str, str]) -> None:
    first, second = row["hand"].split("-")
    hand = CARD[first][0], CARD[second][1]
    found = insurance_threshold(system("hi-lo"), 6, hand, float(row["running_count"]))
    assert found.cards_left == int(row["insure_at_most_cards_left"])
    assert found.true_count == pytest.approx(float(row["true_count_there"]), abs=6e-5)


def test_insurance_of_a_hand_that_is_no_hand_is_refused() -> None:
    with pytest.raises(BlackjackError, match="hand: expected two cards"):
        insurance_threshold(system("hi-lo"), 6, (11, 1), 3)
