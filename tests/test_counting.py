"""Card counting: systems, deck estimates, tie rules. Case numbers are those of ``data/counting.csv``."""

import csv
from math import floor
from pathlib import Path

import pytest

from bj_env.counting import Count, count_from, system, systems
from bj_env.errors import BlackjackError
from bj_env.terms import Rules

HI_LO = Count(system("hi-lo"))


def seen(*, running: int, cards: int) -> list[int]:
    """Return counts of seen cards with a Hi-Lo running count, the rest eights."""
    fives, tens = max(running, 0), max(-running, 0)
    return [0, 0, 0, 0, 0, fives, 0, 0, cards - fives - tens, 0, tens]


@pytest.mark.parametrize(("name", "total"), [(name, counted.sum_per_deck) for name, counted in systems().items()])
def test_tags_sum_to_the_published_sum(name: str, total: float) -> None:
    with (Path(__file__).parents[1] / "bj_env" / "counting_systems.csv").open() as file:
        rows = {row["system"].partition(" (")[0].lower().replace(" ", "-"): row for row in csv.DictReader(file)}
    assert total == float(rows[name]["sum_per_deck"])


@pytest.mark.parametrize("decks", [1, 2, 6, 8])
@pytest.mark.parametrize("name", systems())
def test_b150_a_whole_shoe_ends_at_the_sum_of_one_deck(name: str, decks: int) -> None:
    whole = [0, *[4 * decks] * 9, 16 * decks]
    assert system(name).running(decks, whole) == system(name).sum_per_deck


def test_b150_ko_starts_at_minus_four_for_each_further_deck() -> None:
    assert [system("ko").start(decks) for decks in (1, 2, 6, 8)] == [0, -4, -20, -28]


def test_b139_true_count_divides_by_the_decks_left() -> None:
    assert HI_LO.true(Rules(), seen(running=5, cards=52)) == 1.0
    assert abs(HI_LO.true(Rules(), seen(running=5, cards=311))) < float("inf")


def test_b140_half_up_at_the_tie_and_no_negative_zero() -> None:
    whole = count_from("hi-lo whole")
    assert whole.decks_left(338) == 7
    assert whole._replace(ties="down").decks_left(338) == 6
    balanced = [0, 0, 0, 0, 0, 3, 0, 0, 0, 0, 3]
    assert str(HI_LO.true(Rules(), balanced)) == "0.0"
    assert str(HI_LO.system.running(6, balanced)) == "0.0"


def test_b142_a_negative_count_floors_below_zero() -> None:
    assert floor(HI_LO.true(Rules(), seen(running=-1, cards=3))) == -1


@pytest.mark.parametrize(
    ("how", "true"), [("exact", 4.0), ("half up", 3.0), ("half down", 6.0), ("whole", 3.0), ("whole down", 3.0)]
)
def test_b152_estimate_and_tie_rule_are_settings(how: str, true: float) -> None:
    assert count_from(f"hi-lo {how}").true(Rules(decks=2), seen(running=3, cards=65)) == true


@pytest.mark.parametrize("source", ["hilo", "", "hi-lo third", 3])
def test_bad_names_are_refused_with_the_valid_ones(source: str) -> None:
    with pytest.raises(BlackjackError, match=r"count: .*(hi-lo|exact)"):
        count_from(source)


def test_an_infinite_shoe_has_no_true_count() -> None:
    with pytest.raises(BlackjackError, match="infinite"):
        HI_LO.true(Rules(decks=0), [0] * 11)
