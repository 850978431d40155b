"""Houses: rule texts both ways, named houses, files of rules, and what is wrong with them."""

from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bj_env.errors import RulesError
from bj_env.rules.houses import HOUSES, from_fields, parse, parse_rules, text, words
from bj_env.rules.terms import Double, HoleCard, Payout, Rules, SplitBy, Surrender
from tests.generators import rules

TOKENS: list[tuple[str, dict[str, Any]]] = [
    ("1D", {"decks": 1}),
    ("16D", {"decks": 16}),
    ("INF", {"decks": 0}),
    ("PEN75", {"penetration": 0.75}),
    ("PEN0", {}),
    ("BURN1", {"burn_cards": 1}),
    ("S17", {}),
    ("H17", {"dealer_hits_soft_17": True}),
    ("3:2", {}),
    ("6:5", {"blackjack_payout": Payout.SIX_TO_FIVE}),
    ("7:5", {"blackjack_payout": Payout.SEVEN_TO_FIVE}),
    ("1:1", {"blackjack_payout": Payout.EVEN}),
    ("2:1", {"blackjack_payout": Payout.TWO_TO_ONE}),
    ("PEEK", {}),
    ("NOPEEK", {"hole_card": HoleCard.NOPEEK}),
    ("ENHC", {"hole_card": HoleCard.ENHC}),
    ("OBO", {"hole_card": HoleCard.OBO}),
    ("BJ21PUSH", {"dealer_blackjack_beats_21": False}),
    ("NAT21", {"blackjack_beats_21": False}),
    ("ACT21", {"act_on_21": True}),
    ("DOA", {}),
    ("D9", {"double": Double.D9}),
    ("D10", {"double": Double.D10}),
    ("D11", {"double": Double.D11}),
    ("DANY", {"double": Double.DANY}),
    ("D0", {"double": Double.D0}),
    ("DAS", {}),
    ("NDAS", {"double_after_split": False}),
    ("SP1", {"max_hands": 1}),
    ("SP8", {"max_hands": 8}),
    ("SPVAL", {}),
    ("SPRANK", {"split_by": SplitBy.RANK}),
    ("RSA", {"resplit_aces": True}),
    ("HSA", {"hit_split_aces": True}),
    ("LS", {}),
    ("NS", {"surrender": Surrender.NONE}),
    ("ES", {"surrender": Surrender.EARLY}),
    ("ES10", {"surrender": Surrender.ES10}),
    ("INS", {}),
    ("NINS", {"insurance": False}),
    ("CH5", {"charlie": 5}),
    ("TIELOSE", {"dealer_wins_ties": True}),
    ("MIN5", {"min_bet": 5}),
    ("MAX500", {"max_bet": 500}),
    ("MIN2000", {"min_bet": 2000, "max_bet": 2000}),
    ("WHOLE", {"round_payouts": True}),
]


@pytest.mark.parametrize(("token", "fields"), TOKENS, ids=lambda value: value if isinstance(value, str) else "")
def test_each_token_sets_its_field_and_no_other(token: str, fields: dict[str, Any]) -> None:
    assert parse(token) == parse(token.lower()) == Rules(**fields)


def test_the_longest_text_of_the_design_reads() -> None:
    assert parse("6D S17 3:2 PEEK DOA DAS SP4 LS INS PEN75") == Rules(penetration=0.75)


@given(rules(), st.integers(0, 10**6))
def test_a_text_reads_back_in_any_order(house: Rules, seed: int) -> None:
    tokens = text(house).split()
    assert parse(" ".join(tokens)) == house
    Random(seed).shuffle(tokens)
    assert parse("  ".join(tokens)) == house


NAMED = {
    "six-deck": "6D S17 3:2 PEEK DOA DAS SP4 LS INS",
    "six-deck-h17": "6D H17 LS",
    "double-deck": "2D H17 DAS NS",
    "single-deck": "1D H17 D10 NDAS NS",
    "eight-deck-europe": "8D S17 ENHC SP4 NS NINS",
    "six-five": "6D H17 6:5 NS",
    "infinite": "INF S17 NS NINS",
    "sutton-barto": "INF S17 1:1 NOPEEK BJ21PUSH D0 SP1 NS NINS ACT21",
    "gymnasium-natural": "INF S17 3:2 NOPEEK BJ21PUSH D0 SP1 NS NINS ACT21 NAT21",
    "gymnasium-plain": "INF S17 1:1 NOPEEK BJ21PUSH D0 SP1 NS NINS ACT21 NAT21",
    "even-money": "1D S17 1:1 NOPEEK BJ21PUSH NAT21 ACT21 D0 SP1 NS NINS",
    "hit-stand": "1D S17 3:2 NOPEEK D0 SP1 NS NINS WHOLE",
    "campus-s17": "1D S17 1:1 PEEK D0 SP1 NS NINS",
    "two-player": "1D S17 1:1 NOPEEK BJ21PUSH NAT21 SPRANK HSA NS NINS",
    "campus-h17": "1D H17 3:2 NOPEEK BJ21PUSH D0 SP1 NS NINS MIN5",
}


def test_the_named_houses_are_those_of_the_design() -> None:
    assert {name: parse_rules(name) for name in HOUSES} == {name: parse(line) for name, line in NAMED.items()}


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ("6D H71", r"^unknown rule 'H71' in '6D H71'; did you mean 'H17'\?"),
        ("6D SP", r"^unknown rule 'SP' in '6D SP'; SP takes a number without a blank, like SP4"),
        ("6D LATE", "^unknown rule 'LATE'"),
        ("6D 8D", "^decks is said twice in '6D 8D': 6D and 8D"),
        ("S17 H17", "^dealer_hits_soft_17 is said twice"),
        ("LS NS", "^surrender is said twice"),
        ("0D", "^decks: expected 1D to 16D, or INF"),
        ("17D", "^decks: expected a whole number from 0 to 16, got 17"),
        ("6D PEN100", "^penetration: expected a share of the shoe from 0 to 0.99, got 1"),
        ("INF PEN75", "^penetration: an infinite shoe has no cut card"),
        ("6D SP9", "^max_hands: expected a whole number from 1 to 8"),
        ("6D CH4", "^charlie: expected 0 or a whole number from 5 to 21"),
        ("6D MIN0", "^min_bet: expected"),
        ("6D MAX99999999999", "^max_bet: expected a whole number from 1 to 1000000000, got 99999999999$"),
        ("6D MIN50 MAX10", "^min_bet: expected at most max_bet, 10, got 50"),
        ("6D PEN7.5", "^unknown rule 'PEN7.5'"),
        ("６D S17", "^unknown rule '６D'"),
        ("six-dek", r"^unknown house 'six-dek'; did you mean 'six-deck'\?"),
        ("infinit", r"^unknown house 'infinit'; did you mean 'infinite'\?"),
        ("", "^unknown house ''; valid: 'six-deck'"),
        (None, "^rules: expected a house, a rule text, a .toml file or a Rules, got None"),
        ("nowhere.toml", "^rules file 'nowhere.toml': "),
    ],
    ids=str,
)
def test_a_wrong_text_is_refused_with_the_nearest_right_one(wrong: Any, message: str) -> None:
    with pytest.raises(RulesError, match=message) as caught:
        parse_rules(wrong)
    assert "\n" not in str(caught.value)


def test_rules_come_from_a_file(tmp_path: Path) -> None:
    file = tmp_path / "house.toml"
    file.write_text('decks = 8\npenetration = 0.75\nhole_card = "ENHC"\nblackjack_payout = "6:5"\ninsurance = false\n')
    assert parse_rules(file) == parse_rules(str(file)) == parse("8D PEN75 ENHC 6:5 NINS")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("dealer_hit_soft_17 = true", r"unknown rule 'dealer_hit_soft_17'; did you mean 'dealer_hits_soft_17'\?"),
        ('decks = "6"', "decks: expected a number or 'INF', got '6'"),
        ("penetration = 75", "penetration: expected a share of the shoe from 0 to 0.99, got 75"),
        ('hole_card = "ENCH"', r"hole_card: got 'ENCH'; did you mean 'ENHC'\?"),
        ('hole_card = "LS"', "hole_card: got 'LS'; valid: 'PEEK', 'NOPEEK', 'ENHC', 'OBO'"),
        ("decks = ", "is not TOML"),
        ("decks = [6]", "decks: expected a whole number"),
    ],
)
def test_a_wrong_file_is_refused_by_name(tmp_path: Path, content: str, message: str) -> None:
    """Report b170."""
    file = tmp_path / "house.toml"
    file.write_text(content)
    with pytest.raises(RulesError, match=message) as caught:
        parse_rules(file)
    assert "house.toml" in str(caught.value)


@given(rules())
def test_rules_of_a_file_are_the_same_rules(house: Rules) -> None:
    fields = {name: bool(value) if isinstance(value, bool) else value for name, value in house._asdict().items()}
    assert from_fields(fields) == house


@given(rules())
def test_the_words_say_every_rule_that_was_changed(house: Rules) -> None:
    said = words(house)
    assert len(said) == len(set(said))
    assert all((line.endswith(".") and line[0].isupper()) or line[0].isdigit() for line in said)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("6D", "8D"), ("6D", "INF"), ("6D", "6D PEN75"), ("6D PEN75", "6D PEN50"), ("6D PEN75", "6D PEN75 BURN1"),
        ("S17", "H17"), ("3:2", "6:5"), ("PEEK", "NOPEEK"), ("NOPEEK", "ENHC"), ("ENHC", "OBO"), ("6D", "BJ21PUSH"),
        ("6D", "NAT21"), ("6D", "ACT21"), ("DOA", "D9"), ("D10", "D11"), ("DANY", "D0"), ("DAS", "NDAS"),
        ("SP4", "SP1"), ("SP4", "SP2"), ("SPVAL", "SPRANK"), ("6D", "RSA"), ("6D", "HSA"), ("LS", "NS"), ("ES", "ES10"),
        ("INS", "NINS"), ("6D", "CH5"), ("6D", "TIELOSE"), ("6D", "MIN5"), ("6D", "MAX500"), ("6D", "WHOLE"),
    ],
)  # fmt: skip
def test_the_words_tell_houses_apart(one: str, other: str) -> None:
    assert words(parse(one)) != words(parse(other))
