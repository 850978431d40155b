"""Setups: who may sit down, and under which name."""

import pytest

from bj_env.errors import BlackjackError
from bj_env.play.setup import COMPANY, MOST_SEATS, STAKES, Setup, is_person
from bj_env.rules.houses import HOUSES

LONG = "a" * 40


@pytest.mark.parametrize(
    ("seats", "message"),
    [
        (["you:ann", "you:ann"], "seats: expected names that differ, got 'ann' twice"),
        (["you:Ann", "you:ann"], "seats: expected names that differ, got 'ann' twice"),
        (["you:ann ", "you: ann"], "seats: expected names that differ, got 'ann' twice"),
        (["you:Dealer"], "seats: expected a name other than 'you' and the dealer's, got 'Dealer'"),
        (["you:you"], "seats: expected a name other than 'you' and the dealer's, got 'you'"),
        (["you:"], "seats: expected a name after 'you:', got ''"),
        (["you:   "], "seats: expected a name after 'you:', got ''"),
        (["you:" + LONG + "a"], f"seats: expected a name of at most 40 printable letters, got '{LONG}a'"),
        (["you:a\nb"], r"seats: expected a name of at most 40 printable letters, got 'a\nb'"),
        (["you:\x1b[2J"], r"seats: expected a name of at most 40 printable letters, got '\x1b[2J'"),
        (["you:basic", "basic"], "seats: expected names that differ, got 'basic' twice"),
        (["you:player 1", "you", "you"], None),
        (["you:Player 2", "you", "you"], "seats: expected names that differ, got 'player 2' twice"),
        ([], "seats: expected 1 to 7, got 0"),
        (["you"] * 8, "seats: expected 1 to 7, got 8"),
        ([""], "unknown strategy ''"),
    ],
)
def test_names_that_cannot_be_told_apart_or_say_nothing_are_refused_by_quoting_them(
    seats: list[str], message: str | None
) -> None:
    """Report b164."""
    if message is None:
        assert Setup.checked(seats=seats).seats == tuple(seats)
        return
    with pytest.raises(BlackjackError) as caught:
        Setup.checked(seats=seats)
    assert str(caught.value).startswith(message)


def test_seven_people_sit_down_and_keep_their_names() -> None:
    """Report b164."""
    names = ["ann", "Bob", "Çağla", "<b>x</b>", LONG, "李", "P1"]
    setup = Setup.checked(seats=[f"you:{name}" for name in names])
    assert [setup.name(seat) for seat in range(MOST_SEATS)] == names


def test_a_name_in_the_dealers_chair_differs_from_those_in_the_seats() -> None:
    assert Setup.checked(seats=["you:ann"], dealer="you:bob").name(-1) == "bob"
    with pytest.raises(BlackjackError, match="got 'Ann' twice"):
        Setup.checked(seats=["you:ann"], dealer="you:Ann")


def test_strategies_that_sit_twice_are_told_apart() -> None:
    setup = Setup.checked(seats=["you", "mimic", "basic", "mimic"])
    assert [setup.name(seat) for seat in range(4)] == ["you", "mimic 2", "basic", "mimic 4"]


def test_somebody_must_be_there_to_play() -> None:
    with pytest.raises(BlackjackError, match="expected a person, 'you' or 'you:NAME', in at least one of them"):
        Setup.checked(seats=["basic"])
    assert Setup.checked(seats=["basic"], dealer="you").name(-1) == "dealer"


@pytest.mark.parametrize("house", HOUSES)
def test_every_house_can_be_sat_down_at(house: str) -> None:
    setup = Setup.checked(house)
    assert any(map(is_person, setup.seats))
    assert setup.rules.min_bet == STAKES.get(house, setup.rules.min_bet)
    assert len(setup.seats) == len(COMPANY.get(house, "1"))


def test_without_a_seed_nobody_can_guess_the_cards() -> None:
    assert len({Setup.checked().seed for _ in range(20)}) == 20
