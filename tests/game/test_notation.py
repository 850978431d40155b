"""Round notation: lines that read back as they are written, and what is wrong with others, by column."""

from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bj_env.errors import NotationError
from bj_env.game.notation import Face, Line, Result, SeatLine, house_text, parse, parse_cards, parse_face, write
from bj_env.game.replay import replay
from bj_env.game.table import Table
from bj_env.rules.houses import HOUSES, parse_rules
from bj_env.rules.terms import Action, HoleCard
from tests.generators import deal, play_out, rules, tables

faces = st.builds(Face, st.integers(1, 13), st.integers(-1, 3))
chips = st.integers(0, 10**10).map(lambda tenths: tenths / 10)
actions = st.sampled_from([action for action in Action if action is not Action.DECLINE])


@st.composite
def lines(draw: st.DrawFn) -> Line:
    """Draw a line that reads, whether it plays or not."""
    house = draw(rules())
    dealt = house.hole_card in (HoleCard.PEEK, HoleCard.NOPEEK)
    seat = st.builds(
        SeatLine,
        st.integers(1, 10**9),
        st.none() | chips,
        st.tuples(faces, faces),
        st.lists(actions, max_size=5).map(tuple),
        st.just(()),
    )
    idle = st.builds(SeatLine, st.just(0), st.none() | chips, *[st.just(())] * 3)
    seats = (*draw(st.lists(seat | idle, max_size=4)), draw(seat))
    nets = st.tuples(*[st.integers(-(10**9), 10**9)] * len(seats))
    several = st.lists(faces, min_size=1, max_size=5).map(tuple)
    result = st.none() | st.builds(Result, nets | st.none(), st.just(()) | several, st.none() | several)
    cards = draw(st.lists(faces, max_size=6).map(tuple))
    return Line(house, draw(faces), draw(faces) if dealt else None, seats, cards, draw(result))


def bare(line: Line) -> Line:
    """Forget where in the text the actions stand."""
    return line._replace(seats=tuple(seat._replace(columns=()) for seat in line.seats))


@given(lines())
def test_a_line_reads_back_as_it_was_written(line: Line) -> None:
    text = write(line)
    assert bare(parse(text)) == line
    assert write(parse(text)) == text
    spaced = "  " + text.replace(";", "  ;  ").replace(" => ", "   =>   ") + " "
    assert bare(parse(spaced)) == line


@given(tables(), st.integers(0, 10**6))
def test_the_record_of_a_round_is_a_line_that_plays_to_the_same_end(table: Table, seed: int) -> None:
    chance = Random(seed)
    round = deal(table, chance)
    if round is not None and not play_out(round, chance).void:
        text = str(round.record())
        assert write(parse(text)) == text
        assert replay(text).nets == round.nets


def test_the_example_of_the_design_reads() -> None:
    line = parse("6D S17 ; D 6/T ; P1 10 8,8 P D S ; P2 10 A,K ; next 3,T,T,9   =>   P1 +30 P2 +15 ; D 6,T,9")
    assert line.seats[0] == SeatLine(10, None, (Face(8), Face(8)), (3, 2, 0), (28, 30, 32))  # type: ignore[arg-type]
    assert line.result == Result((300, 150), (Face(6), Face(10), Face(9)))
    assert replay(line).over


@pytest.mark.parametrize("house", HOUSES)
def test_a_house_is_written_by_its_name(house: str) -> None:
    assert parse_rules(house_text(parse_rules(house))) == parse_rules(house)
    assert " " not in house_text(parse_rules(house))


@pytest.mark.parametrize("bank", ["0", "12.5", "1000000", "1234567.5", "99999999999"])
def test_money_is_written_in_full(bank: str) -> None:
    line = f"six-deck ; D 6/T ; P1 0 bank {bank} ; P2 10 8,8 S"
    assert write(parse(line)) == line


@pytest.mark.parametrize(
    ("line", "column", "message"),
    [
        ("", 1, "expected 'rules ; D up/hole ; P1 bet cards actions"),
        ("six-deck", 1, "expected 'rules ; D up/hole"),
        ("six-deck ; D 6/T", 1, "expected 'rules ; D up/hole"),
        ("six-dek ; D 6/T ; P1 10 T,6 S", 1, r"unknown house 'six-dek'; did you mean 'six-deck'\?"),
        ("6D H71 ; D 6/T ; P1 10 T,6 S", 1, r"unknown rule 'H71' in '6D H71'; did you mean 'H17'\?"),
        ("six-deck ; 6/T ; P1 10 T,6 S", 12, "expected the dealer's cards, like 'D 6/T', got '6/T'"),
        ("six-deck ; D 6 ; P1 10 T,6 S", 14, "under PEEK the dealer is dealt 2 cards, like 'D 6/T', got '6'"),
        ("6D ENHC ; D 6/T ; P1 10 T,6 S", 13, "under ENHC the dealer is dealt 1 card, like 'D 6', got '6/T'"),
        ("six-deck ; D 6/1 ; P1 10 T,6 S", 16, "expected a card, .* got '1'"),
        ("six-deck ; D 6/100 ; P1 10 T,6 S", 16, "expected a card, .* got '100'"),
        ("six-deck ; D 6/T ; P2 10 T,6 S", 20, "expected seat 'P1 bet cards actions', got 'P2 10 T,6 S'"),
        ("six-deck ; D 6/T ; P1", 20, "expected seat 'P1 bet cards actions', got 'P1'"),
        ("six-deck ; D 6/T ; P1 2.5 T,6 S", 23, "expected a number of chips, whole, got '2.5'"),
        ("six-deck ; D 6/T ; P1 -5 T,6 S", 23, "expected a number of chips, whole, got '-5'"),
        ("six-deck ; D 6/T ; P1 1e3 T,6 S", 23, "expected a number of chips, whole, got '1e3'"),
        ("six-deck ; D 6/T ; P1 １０ T,6 S", 23, "expected a number of chips, whole, got"),
        ("six-deck ; D 6/T ; P1 10 bank", 23, "expected a number after 'bank'"),
        ("six-deck ; D 6/T ; P1 10 bank 1.25 T,6 S", 31, "expected a number of chips, got '1.25'"),
        ("six-deck ; D 6/T ; P1 10", 23, "expected two cards for P1, like 'T,6', got none"),
        ("six-deck ; D 6/T ; P1 10 T S", 26, "expected two cards for P1, like 'T,6', got 'T'"),
        ("six-deck ; D 6/T ; P1 10 T,6,5 S", 30, "expected two cards for P1"),
        ("six-deck ; D 6/T ; P1 10 T,6 X", 30, "expected an action, one of S H D P R I, got 'X'"),
        ("six-deck ; D 6/T ; P1 10 T,6 SS", 30, "expected an action, one of S H D P R I, got 'SS'"),
        ("six-deck ; D 6/T ; P1 0 T,6 S", 25, "P1 sits out with bet 0"),
        ("six-deck ; D 6/T ; P1 0", 23, "expected at least one seat with a bet"),
        ("six-deck ; D 6/T ; P1 10 T,6 H ; next 5,,T", 41, "expected a card, .* got ''"),
        ("six-deck ; D 6/T ; P1 10 T,6 S => P1", 35, "expected the nets of 1 seat in the result"),
        ("six-deck ; D 6/T ; P1 10 T,6 S => P2 +10", 35, r"expected 'P1 net' in the result, got 'P2 \+10'"),
        ("six-deck ; D 6/T ; P1 10 T,6 S => P1 ten", 35, "expected 'P1 net' in the result, got 'P1 ten'"),
        ("six-deck ; D 6/T ; P1 10 T,6 S => P1 +10 ; X 6,T", 44, "expected 'D cards' or 'left cards' in the result"),
        ("six-deck ; D 6/T ; P1 10 T,6 S => P1 +10 ; D 6,T ; D 6", 52, "expected 'D' once in the result"),
        ("six-deck ; D 6/T ; P1 10 T,6 S => P1 +10 ; left 5 ; left 6", 53, "expected 'left' once in the result"),
        ("six-deck ; D 6/T ; P1 10 T,6 S\nsix-deck ; D 6/T ; P1 10 T,6 S", 1, "a round is one line"),
    ],
)
def test_what_is_wrong_with_a_line_is_said_by_column(line: str, column: int, message: str) -> None:
    with pytest.raises(NotationError, match=message) as caught:
        parse(line)
    assert str(caught.value).startswith(f"column {column}: "), str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("line", [5, None, b"six-deck", ["six-deck"]], ids=str)
def test_what_is_no_text_is_no_line(line: Any) -> None:
    for read in (parse, replay):
        with pytest.raises(NotationError, match="expected a line of notation, got"):
            read(line)


@given(st.text(max_size=60) | st.text("6D ;/P1TAKSHR,next=>+0bank", max_size=60))
def test_no_text_whatever_does_anything_but_read_or_be_refused(text: str) -> None:
    try:
        line = parse(text)
    except NotationError:
        return
    assert bare(parse(write(line))) == bare(line)


@pytest.mark.parametrize(("word", "face"), [("A", Face(1)), ("T", Face(10)), ("Kh", Face(13, 2)), ("2c", Face(2, 0))])
def test_a_card_is_a_rank_and_maybe_a_suit(word: str, face: Face) -> None:
    assert parse_face(word) == face
    assert str(face) == word


@pytest.mark.parametrize("text", ["T,6", "10,6", "T6", "t6", "10 6", "106", "Th, 6c", "10h6c", "TH6C"])
def test_cards_are_read_as_players_write_them(text: str) -> None:
    assert [face.rank for face in parse_cards(text)] == [10, 6]


@pytest.mark.parametrize("text", ["", " ", ",", "1,0", "T7x", "X", "A-7", "\u0661\u0660", "0", "h6"])
def test_what_is_no_card_is_refused(text: str) -> None:
    with pytest.raises(NotationError, match="expected"):
        parse_cards(text)
