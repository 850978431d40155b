"""Card counting: systems, deck estimates, tie rules. Case numbers are those of ``data/counting.csv``."""

import csv
from math import floor
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bj_env.errors import BlackjackError
from bj_env.game.decision import Decision
from bj_env.game.notation import parse
from bj_env.game.participants import Player
from bj_env.game.replay import start
from bj_env.game.table import Table
from bj_env.rules.terms import Action, Rules
from bj_env.strategies.basic import ChartDecision
from bj_env.strategies.count_systems import Count, count_from, system, systems
from bj_env.strategies.counting import CountingDecision
from bj_env.strategies.registry import strategy

HI_LO = Count(system("hi-lo"))


def seen(*, running: int, cards: int) -> list[int]:
    """Return counts of seen cards with a Hi-Lo running count, the rest eights."""
    fives, tens = max(running, 0), max(-running, 0)
    return [0, 0, 0, 0, 0, fives, 0, 0, cards - fives - tens, 0, tens]


REFERENCE = Path(__file__).parents[1] / "data" / "reference" / "counting" / "efficiencies.csv"


def reference_systems() -> dict[tuple[float, ...], float]:
    """Return the sum over a deck by the tags, of every system of the reference."""
    tags = [f"tag_{value}" for value in ("A", *range(2, 10), "T")]
    with REFERENCE.open() as file:
        return {tuple(float(row[tag]) for tag in tags): float(row["sum_per_deck"]) for row in csv.DictReader(file)}


def test_every_system_of_the_reference_is_known_with_its_sum_per_deck() -> None:
    assert {known.tags[1:]: known.sum_per_deck for known in systems().values()} == reference_systems()


@pytest.mark.parametrize(("alias", "name"), [("halves", "wong-halves"), ("reko", "ko"), ("uapc", "uston-apc")])
def test_a_system_goes_by_its_other_names_too(alias: str, name: str) -> None:
    assert system(alias) is system(name)


@pytest.mark.parametrize("name", ["ko", "red-7", "unbalanced-zen-ii", "uston-ss"])
@pytest.mark.parametrize("decks", [1, 6])
def test_a_true_counted_unbalanced_system_is_0_off_the_top_and_where_it_stands_on_average(
    name: str, decks: int
) -> None:
    count = count_from(f"{name} true")
    for dealt in range(4 * decks - 1):  # quarter decks
        average = [0, *[dealt] * 9, 4 * dealt]
        assert count.true(Rules(decks=decks), average) == pytest.approx(0, abs=1e-9)


@pytest.mark.parametrize("rounding", ["floor", "truncate", "round"])
@given(count=st.floats(-20, 20), whole=st.integers(-20, 20))
def test_the_least_count_of_a_whole_one_is_where_rounding_reaches_it(rounding: str, count: float, whole: int) -> None:
    taken = count_from(f"hi-lo {rounding}")
    assert (count >= taken.least(whole)) is (taken.whole(count) >= whole)


@pytest.mark.parametrize("decks", [1, 2, 6, 8])
@pytest.mark.parametrize("name", systems())
def test_a_whole_shoe_ends_at_the_sum_of_one_deck(name: str, decks: int) -> None:
    """Report b150."""
    whole = [0, *[4 * decks] * 9, 16 * decks]
    assert system(name).running(decks, whole) == system(name).sum_per_deck


def test_ko_starts_at_minus_four_for_each_further_deck() -> None:
    """Report b150."""
    assert [system("ko").start(decks) for decks in (1, 2, 6, 8)] == [0, -4, -20, -28]


def test_true_count_divides_by_the_decks_left() -> None:
    """Report b139."""
    assert HI_LO.true(Rules(), seen(running=5, cards=52)) == 1.0
    assert abs(HI_LO.true(Rules(), seen(running=5, cards=311))) < float("inf")


def test_half_up_at_the_tie_and_no_negative_zero() -> None:
    """Report b140."""
    whole = count_from("hi-lo whole")
    assert whole.decks_left(338) == 7
    assert whole._replace(ties="down").decks_left(338) == 6
    balanced = [0, 0, 0, 0, 0, 3, 0, 0, 0, 0, 3]
    assert str(HI_LO.true(Rules(), balanced)) == "0.0"
    assert str(HI_LO.system.running(6, balanced)) == "0.0"


def test_a_negative_count_floors_below_zero() -> None:
    """Report b142."""
    assert floor(HI_LO.true(Rules(), seen(running=-1, cards=3))) == -1


@pytest.mark.parametrize(
    ("how", "true"), [("exact", 4.0), ("half up", 3.0), ("half down", 6.0), ("whole", 3.0), ("whole down", 3.0)]
)
def test_estimate_and_tie_rule_are_settings(how: str, true: float) -> None:
    """Report b152."""
    assert count_from(f"hi-lo {how}").true(Rules(decks=2), seen(running=3, cards=65)) == true


@pytest.mark.parametrize("source", ["hilo", "", "hi-lo third", 3])
def test_bad_names_are_refused_with_the_valid_ones(source: str) -> None:
    with pytest.raises(BlackjackError, match=r"count: .*(hi-lo|exact)"):
        count_from(source)


def test_an_infinite_shoe_has_no_true_count() -> None:
    with pytest.raises(BlackjackError, match="infinite"):
        HI_LO.true(Rules(decks=0), [0] * 11)


# --- the counting player ---


def play_at(decision: Decision, rules: str, hand: str, upcard: str, running: int) -> Action:
    """Return what is played when the other cards seen make a running count of 6 decks, at first exactly that true."""
    round = start(parse(f"{rules} ; D {upcard}/5 ; P1 10 {hand}"))
    seen = [0] * 11
    seen[5 if running > 0 else 10] = abs(running)
    seen[8] = 52 - abs(running) - 0
    return decision.play(round.view()._replace(seen=tuple(seen)))


@pytest.mark.parametrize(("running", "action"), [(0, Action.HIT), (5, Action.DOUBLE), (10, Action.DOUBLE)])
def test_nine_against_two_doubles_from_one_on(running: int, action: Action) -> None:
    """Report b145."""
    assert play_at(CountingDecision(), "6D NS NINS", "4,5", "2", running) is action


@pytest.mark.parametrize(("running", "action"), [(-1, Action.HIT), (0, Action.STAND), (5, Action.STAND)])
def test_sixteen_against_ten_stands_from_zero_on(running: int, action: Action) -> None:
    """Report b142."""
    assert play_at(CountingDecision(), "6D NS NINS", "T,6", "T", running) is action


def test_the_first_hand_of_a_shoe_counts_its_own_cards() -> None:
    """Report b142."""
    round = start(parse("6D NS NINS ; D T/5 ; P1 10 T,6"))
    assert HI_LO.system.running(6, round.view().seen) == -1
    assert CountingDecision().play(round.view()) is Action.HIT


def test_sixteen_against_ten_in_a_rich_shoe_is_hit_by_basic_and_stood_on_with_index_plays() -> None:
    """Report b132."""
    asked = "6D NS NINS", "T,6", "T", 15
    assert play_at(ChartDecision(), *asked) is Action.HIT
    assert play_at(CountingDecision(), *asked) is Action.STAND


def test_surrender_stays_where_the_house_offers_it() -> None:
    assert play_at(CountingDecision(), "6D LS NINS", "T,6", "T", 5) is Action.SURRENDER


def test_a_pair_is_split_before_its_total_is_looked_at() -> None:
    assert play_at(CountingDecision(), "6D NS NINS", "8,8", "T", 10) is Action.SPLIT
    assert play_at(CountingDecision(), "6D NS NINS", "T,T", "5", 20) is Action.STAND
    assert play_at(CountingDecision(), "6D NS NINS", "T,T", "5", 25) is Action.SPLIT


@pytest.mark.parametrize("hand", ["A,2", "A,A", "A,K"])
@pytest.mark.parametrize(("running", "insures"), [(14, False), (15, True)])
def test_insurance_goes_by_the_count_whatever_the_hand(hand: str, running: int, insures: bool) -> None:
    """Report b144."""
    round = start(parse(f"6D ; D A/5 ; P1 10 {hand}"))
    seen = (0, 0, 0, 0, 0, running, 0, 0, 52 - running, 0, 0)
    assert CountingDecision().insure(round.view()._replace(seen=seen)) is insures


def test_the_highest_step_that_is_reached_bets_wherever_it_stands() -> None:
    falling = CountingDecision(ramp=((1, 1), (-99, 5), (3, 2)))
    assert [falling.bet_at(Rules(), count) for count in (-100, 0, 1, 2.9, 3)] == [1, 5, 1, 1, 2]


@pytest.mark.parametrize(
    "ramp", ["x", 5, ((1, 2.5),), ((1, -2),), ((1, 10**30),), ((10**20, 2),), ((0.5, 2),), ((1,),)]
)
def test_a_ramp_is_whole_counts_and_whole_multiples(ramp: Any) -> None:
    with pytest.raises(BlackjackError, match="ramp: expected"):
        CountingDecision(ramp=ramp)


def test_bets_follow_the_ramp_within_house_and_money() -> None:
    decision = CountingDecision(ramp=((-99, 1), (1, 2), (3, 8)))
    table = Table("6D PEN75 MIN5 MAX30", [Player("counter", decision)])
    view = table.bet_view(0)._replace(shuffle_pending=False)

    def bet(running: int, free: float | None = None) -> int:
        seen = (0, 0, 0, 0, 0, running, 0, 0, 52 - running, 0, 0)
        return decision.bet(view._replace(seen=seen, free=free))

    assert [bet(0), bet(5), bet(15), bet(15, free=17.5)] == [5, 10, 30, 17]
    assert decision.bet(view._replace(seen=(0, 0, 0, 0, 0, 20, *[0] * 5), shuffle_pending=True)) == 5


def test_a_counter_plays_a_shoe_by_name() -> None:
    table = Table("6D PEN75", [Player("counter", strategy("hi-lo")), Player("basic", strategy("basic"))])
    assert all(table.play_round().over for _ in range(100))
