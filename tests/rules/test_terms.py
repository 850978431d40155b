"""Terms: one house's rules as a checked record."""

import copy
import pickle
from typing import Any

import pytest
from hypothesis import given

from bj_env.errors import RulesError
from bj_env.rules.terms import REFUSALS, Double, HoleCard, Payout, Refusal, Rules, Surrender
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
        ({"blackjack_payout": 1.5}, "blackjack_payout: expected one of Payout.THREE_TO_TWO"),
        ({"hole_card": 4}, "hole_card: expected one of HoleCard.PEEK"),
        ({"double": "DOA"}, "double: expected one of Double.DOA"),
        ({"max_hands": 0}, "max_hands: expected a whole number from 1 to 8, got 0"),
        ({"max_hands": 9}, "max_hands: expected a whole number from 1 to 8, got 9"),
        ({"charlie": 4}, "charlie: expected 0 or a whole number from 5 to 21, got 4"),
        ({"min_bet": 0}, "min_bet: expected a whole number from 1"),
        ({"min_bet": 10, "max_bet": 5}, "min_bet: expected at most max_bet, 5, got 10"),
    ],
    ids=str,
)
def test_b170_a_wrong_field_is_refused_by_name(fields: dict[str, Any], message: str) -> None:
    with pytest.raises(RulesError, match=message):
        Rules(**fields)


def test_a_changed_copy_is_checked_too() -> None:
    assert Rules()._replace(decks=2).decks == 2
    with pytest.raises(RulesError, match="decks"):
        Rules()._replace(decks=17)


def test_every_refusal_has_its_words_and_rule() -> None:
    assert set(REFUSALS) == set(Refusal) - {Refusal.LEGAL}
    assert all("(R" in words for refusal, words in REFUSALS.items() if refusal is not Refusal.NOT_ASKED)
