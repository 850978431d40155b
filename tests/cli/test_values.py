"""How the options of commands are written: whole numbers, percents and ramps."""

from argparse import ArgumentTypeError

import pytest

from bj_env.cli.values import percents, person_name, ramp_from, whole_number
from bj_env.errors import BlackjackError


@pytest.mark.parametrize(
    ("written", "number"), [("7", 7), ("1e6", 10**6), ("10_000", 10_000), ("2.5e3", 2500), ("1E2", 100)]
)
def test_whole_numbers_are_written_as_people_write_them(written: str, number: int) -> None:
    assert whole_number("rounds", written, 1, 10**15) == number


@pytest.mark.parametrize(
    "written", ["", "1_0", "+7", "1e", "2.5", "0", "-1", "1e99", "1e999999999", "٣", "1__0", "nan", "inf", "0x10"]
)
def test_other_numbers_are_refused_everywhere_alike(written: str) -> None:
    with pytest.raises(BlackjackError, match="rounds: expected a whole number from 1 to 1000000000000000, got"):
        whole_number("rounds", written, 1, 10**15)


def test_a_long_word_is_not_echoed_whole() -> None:
    with pytest.raises(BlackjackError) as caught:
        whole_number("rounds", "x" * 100_000, 1, 10)
    assert len(str(caught.value)) < 150


@pytest.mark.parametrize("written", ["0", "-1", "x", "nan", "1e-12", "٣"])
def test_percents_are_above_zero(written: str) -> None:
    with pytest.raises(BlackjackError, match=r"half-width: expected percents of a bet, like 0\.05"):
        percents("half-width", written)


@pytest.mark.parametrize("written", ["", " ", "\ud800", "a\0b", "a\nb"])
def test_a_name_is_text(written: str) -> None:
    """A byte that is no text ended ``bj practice --person`` with a traceback of the database."""
    with pytest.raises(ArgumentTypeError, match="expected a name, got"):
        person_name(written)


@pytest.mark.parametrize("written", ["x", "2:4,1:2", "1:4,2:2", "1", "1:2:3", "", "1.5:2", "٣:1"])
def test_a_ramp_rises_in_whole_steps(written: str) -> None:
    with pytest.raises(BlackjackError, match="ramp: expected rising counts and bets, like 1:2,2:4,3:8"):
        ramp_from(written)


def test_a_ramp_may_begin_below_zero() -> None:
    assert ramp_from("-99:1,2:4") == ((-99, 1), (2, 4))
