"""Terms: one house's rules as a checked record."""

import copy
import pickle
from enum import IntEnum
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given

from bj_env.errors import RulesError
from bj_env.observation import rules_columns, rules_row
from bj_env.rules.fields import Flag
from bj_env.rules.houses import parse
from bj_env.rules.terms import FIELDS, REFUSALS, Double, HoleCard, Payout, Refusal, Rules, Surrender
from tests.generators import rules


def test_the_defaults_are_the_first_values_of_the_table() -> None:
    assert tuple(Rules()) == (
        6, 0.0, 0, False, Payout.THREE_TO_TWO, HoleCard.PEEK, True, True, False, Double.DOA, True, 4, 0, False, False,
        Surrender.LATE, True, 0, False, 1, 1000, False,
    )  # fmt: skip


@given(rules())
def test_rules_are_frozen_hashable_and_copy_to_the_same(house: Rules) -> None:
    assert len({house, copy.deepcopy(house), pickle.loads(pickle.dumps(house)), Rules(**house._asdict())}) == 1
    with pytest.raises(AttributeError):
        house.decks = 1  # type: ignore[misc]


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"deck": 6}, r"unknown rule 'deck'; did you mean 'decks'\?"),
        ({"dealer_hit_soft_17": True}, r"did you mean 'dealer_hits_soft_17'\?"),
        ({"decks": "6"}, "decks: expected a whole number from 0 to 16, got '6'"),
        ({"decks": 17}, "decks: expected a whole number from 0 to 16, got 17"),
        ({"decks": 6.0}, "decks: expected a whole number"),
        ({"decks": True}, "decks: expected a whole number"),
        ({"penetration": 75}, "penetration: expected a share of the shoe from 0 to 0.99, got 75"),
        ({"penetration": 1.0}, "penetration: expected a share"),
        ({"penetration": 0.755}, "penetration: expected whole percents"),
        ({"penetration": float("nan")}, "penetration: expected a share"),
        ({"burn_cards": -1}, "burn_cards: expected a whole number"),
        ({"decks": 1, "burn_cards": 52}, "burn_cards: expected fewer than 52 cards, got 52"),
        ({"decks": 0, "burn_cards": 1}, "burn_cards: an infinite shoe burns nothing"),
        ({"decks": 0, "penetration": 0.5}, "penetration: an infinite shoe has no cut card"),
        ({"dealer_hits_soft_17": 1}, "dealer_hits_soft_17: expected true or false, got 1"),
        ({"blackjack_payout": 1.5}, "blackjack_payout: got 1.5; valid: '3:2', '6:5'"),
        ({"blackjack_payout": 15}, "blackjack_payout: got 15; valid: '3:2', '6:5'"),
        ({"hole_card": 4}, "hole_card: got 4; valid: 'PEEK', 'NOPEEK', 'ENHC', 'OBO'"),
        ({"hole_card": True}, "hole_card: got True; valid: 'PEEK'"),
        ({"double": "D12"}, "double: got 'D12'; valid: 'any', '9-11'"),
        ({"double": 0}, "double: got 0; valid: 'any', '9-11', '10-11', '11', 'DANY', 'none'"),
        ({"surrender": 0}, "surrender: got 0; valid: 'late', 'none', 'early', 'ES10'"),
        ({"surrender": "lates"}, r"surrender: got 'lates'; did you mean 'late'\?"),
        ({"decks": "x" * 100_000}, r"decks: expected a whole number from 0 to 16, got 'x{20,40}\.\.\.x{20,40}'$"),
        ({"max_hands": 0}, "max_hands: expected a whole number from 1 to 8, got 0"),
        ({"max_hands": 9}, "max_hands: expected a whole number from 1 to 8, got 9"),
        ({"charlie": 4}, "charlie: expected 0 or a whole number from 5 to 21, got 4"),
        ({"penetration": 10**400}, "penetration: expected a share of the shoe from 0 to 0.99, got 1000"),
        ({"double": 1}, "double: got 1; valid: "),
        ({"min_bet": 0}, "min_bet: expected a whole number from 1"),
        ({"min_bet": 10, "max_bet": 5}, "min_bet: expected at most max_bet, 5, got 10"),
    ],
    ids=str,
)
def test_a_wrong_field_is_refused_by_name(fields: dict[str, Any], message: str) -> None:
    """Report b170."""
    with pytest.raises(RulesError, match=message):
        Rules(**fields)


@pytest.mark.parametrize(
    ("fields", "text"),
    [
        ({"surrender": "none"}, "6D NS"),
        ({"surrender": False}, "6D NS"),
        ({"penetration": np.float32(0.7), "insurance": np.False_}, "6D NINS PEN70"),
        ({"surrender": "LS", "double": "d9"}, "6D D9"),
        ({"double": False}, "6D D0"),
        ({"double": "10-11", "blackjack_payout": "6:5"}, "6D D10 6:5"),
        ({"hole_card": "enhc", "split_by": "rank"}, "6D ENHC SPRANK"),
        ({"decks": np.int64(2), "penetration": np.float32(0.75)}, "2D PEN75"),
        ({"max_bet": np.uint8(50), "charlie": np.int32(5)}, "6D MAX50 CH5"),
    ],
    ids=str,
)
def test_rules_are_built_from_what_people_write(fields: dict[str, Any], text: str) -> None:
    assert Rules(**fields) == parse(text)
    assert all(type(value) in (int, float, bool) or isinstance(value, IntEnum) for value in Rules(**fields))


def test_the_columns_of_an_observation_follow_the_rules_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    """Swapping two flags in the record must not swap what an observation says of them."""
    house = Rules(resplit_aces=True, dealer_hits_soft_17=True)
    shown = dict(zip([column.name for column in rules_columns()], rules_row(house), strict=True))
    assert {name for name, value in shown.items() if value == 1} >= {"resplit_aces", "dealer_hits_soft_17"}
    for name, field in FIELDS.items():
        if isinstance(field, Flag):
            flipped = house._replace(**{name: not getattr(house, name)})
            changed = dict(zip(shown, rules_row(flipped), strict=True))
            assert {key for key in shown if shown[key] != changed[key]} == {name}


def test_the_table_of_rules_in_the_docs_names_every_field_and_token() -> None:
    page = (Path(__file__).parents[2] / "docs" / "rules.md").read_text(encoding="utf-8")
    for name, field in FIELDS.items():
        row = next(line for line in page.splitlines() if line.startswith("|") and f"`{name}`" in line)
        missing = [token for token in field.tokens.values() if f"`{token}`" not in row]
        assert not missing, f"{name}: {missing} not in {row}"


def test_a_changed_copy_is_checked_too() -> None:
    assert Rules()._replace(decks=2).decks == 2
    with pytest.raises(RulesError, match="decks"):
        Rules()._replace(decks=17)


def test_every_refusal_has_its_words_and_rule() -> None:
    assert set(REFUSALS) == set(Refusal) - {Refusal.LEGAL}
    assert all("(R" in words for refusal, words in REFUSALS.items() if refusal is not Refusal.NOT_ASKED)
