"""Events and records: what happened in words, and the round as a line."""

import pytest

from bj_env.game.events import Kind
from bj_env.game.notation import parse
from bj_env.game.participants import Player
from bj_env.game.replay import replay, start
from bj_env.game.table import Table


@pytest.mark.parametrize(
    "line",
    [
        "six-deck ; D 6/T ; P1 10 8,8 P D S ; P2 10 A,K ; next 3,T,T,9 => P1 +30 P2 +15 ; D 6,T,9",
        "6D ES ; D A/9 ; P1 10 bank 12.5 T,6 R ; P2 0 ; P3 5 A,K => P1 -5 P2 0 P3 +7.5 ; D A,9",
        "eight-deck-europe ; D T ; P1 10 T,6 H ; next T => P1 -10 ; D T",
        "six-deck ; D A/K ; P1 10 T,8 I => P1 0 ; D A,K",
        "six-deck ; D A/9 ; P1 10 T,6 I R => P1 -10 ; D A,9",
        "six-deck ; D 6/T ; P1 1000000 bank 1234567.5 T,8 S ; next T => P1 +1000000 ; D 6,T,T",
    ],
)
def test_a_record_is_the_line_that_was_played(line: str) -> None:
    line = line.replace("six-deck", "6D MAX1000000") if "1000000" in line else line
    record = str(replay(line).record())
    assert record.partition(" ; ")[2] == line.partition(" ; ")[2]
    assert replay(record).nets == replay(line).nets


def test_a_record_in_mid_round_has_no_result_and_hides_the_hole_card() -> None:
    round = start(parse("6D NINS ; D 6/K ; P1 10 T,6"))
    said = " ".join(map(str, round.events))
    assert "K" not in said
    assert round.record()._result([]) is None
    assert round.record().line().hole is None


def test_money_is_said_in_full() -> None:
    table = Table("6D MAX5000000", [Player("ann")])
    table.deal([1234567])
    assert table.round is not None
    assert str(table.round.events[0]) == "P1 bets 1234567"


def test_every_kind_of_event_has_its_words() -> None:
    said = set()
    table = Table("1D PEN75 BURN1 ES", [Player("ann")], seed=1)
    table.deal([1])
    rounds = [
        table.round,
        replay("six-deck ; D A/9 ; P1 10 8,8 I P S S ; next T,9"),
        replay("six-deck ; D 6/T ; P1 10 8,3 H => MISDEAL"),
    ]
    for round in rounds:
        assert round is not None
        for event in round.events:
            said.add(event.kind)
            assert "{" not in str(event)
            assert str(event) == str(event).strip() != ""
    assert said == set(Kind)
