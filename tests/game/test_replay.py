"""Replay: public bug reports as rounds, results that are checked, and lines that do not play."""

import csv
from pathlib import Path

import pytest

from bj_env.errors import BlackjackError, IllegalAction, NotationError
from bj_env.game.notation import parse
from bj_env.game.replay import cards_left, replay

CASES = list(csv.DictReader((Path(__file__).parents[1] / "data" / "rounds.csv").open(encoding="utf-8")))
RIGHT = [case for case in CASES if not case["result"].startswith("illegal")]
ILLEGAL = [case for case in CASES if case["result"].startswith("illegal")]
NAMES = {"D": "DOUBLE", "P": "SPLIT", "H": "HIT", "S": "STAND", "R": "SURRENDER"}


@pytest.mark.parametrize("case", RIGHT, ids=lambda case: case["id"])
def test_a_reported_round_has_its_right_result(case: dict[str, str]) -> None:
    round = replay(f"{case['line']} => {case['result']}")
    assert bool(cards_left(round)) == ("left" in case["result"])


@pytest.mark.parametrize("case", ILLEGAL, ids=lambda case: case["id"])
def test_a_reported_illegal_action_is_refused(case: dict[str, str]) -> None:
    action = NAMES[case["result"].split()[1]]
    with pytest.raises(IllegalAction, match=f"got {action}"):
        replay(case["line"])


@pytest.mark.parametrize("case", RIGHT, ids=lambda case: case["id"])
def test_a_reported_round_is_told_apart_from_a_wrong_result(case: dict[str, str]) -> None:
    for wrong in ("P1 +1 ; D T,7", "MISDEAL"):
        with pytest.raises(NotationError):
            replay(f"{case['line']} => {wrong}")


def test_both_kinds_of_cases_are_there() -> None:
    assert (len(RIGHT), len(ILLEGAL)) == (25, 3)


@pytest.mark.parametrize("result", ["P1 +9 ; D T,6,9", "P1 +10 ; D T,6", "P1 +10 ; D T,6,9 ; left 5", "MISDEAL"])
def test_a_result_that_differs_is_an_error_that_says_what_came(result: str) -> None:
    with pytest.raises(NotationError, match=r"^the result differs: expected .*, got P1 \+10 ; D T,6,9"):
        replay(f"six-deck ; D T/6 ; P1 10 T,6 S ; next 9 => {result}")


def test_a_ten_is_any_ten_value_card() -> None:
    replay("six-deck ; D T/J ; P1 10 K,Q S => P1 0 ; D T,T")


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("six-deck ; D T/6 ; P1 10 T,6", r"the line stops at a decision: P1 hand 1 \(T,6 hard 16\) against T; legal:"),
        ("six-deck ; D T/6 ; P1 10 T,6 S", "next is too short: 1 more card needed after none"),
        ("six-deck ; D T/2 ; P1 10 T,6 H S ; next 2", "next is too short: 1 more card needed after 2"),
        ("six-deck ; D 6/T ; P1 10 8,8 P S S", "next is too short: 3 more cards needed after none"),
        ("six-deck ; D T/7 ; P1 10 A,K S", "column 30: P1 has no turn left for STAND; the round is over"),
        ("six-deck ; D T/7 ; P1 10 T,6 H S ; next T", "column 32: P1 has no turn left for STAND"),
    ],
)
def test_a_line_that_does_not_play_says_why(line: str, message: str) -> None:
    with pytest.raises(NotationError, match=message):
        replay(line)


@pytest.mark.parametrize(
    "line",
    [
        "1D ; D A/A ; P1 10 A,A S ; P2 10 A,5 S",
        "1D ; D 6/T ; P1 10 9,9 S ; P2 10 9,9 S ; P3 10 9,2 S ; next T",
        "1D ; D 6/Th ; P1 10 Th,9 S ; next T",
        "1D SPRANK ; D J/J ; P1 10 J,J S ; P2 10 J,2 S ; next T",
        "1D ; " + " ; ".join(["D 6/5", *(f"P{seat} 10 T,9 S" for seat in range(1, 14))]) + " ; next T",
    ],
)
def test_cards_that_the_shoe_does_not_hold_are_refused(line: str) -> None:
    with pytest.raises(BlackjackError, match="expected"):
        replay(line)


def test_an_illegal_action_names_seat_hand_choice_rule_and_column() -> None:
    with pytest.raises(IllegalAction) as caught:
        replay("6D D9 ; D 6/T ; P1 10 T,7 S ; P2 10 T,2 D ; next T,9")
    assert str(caught.value) == (
        "column 41: P2 hand 1 (T,2 hard 12) against 6: expected one of STAND, HIT, SURRENDER, got DOUBLE: "
        "the house does not double this total (R13)"
    )


def test_a_line_may_be_handed_over_read() -> None:
    assert replay(parse("six-deck ; D T/6 ; P1 10 T,6 S ; next 9")).nets == (100,)
