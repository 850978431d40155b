"""A hand: what its cards come to as they arrive, and what it says of itself."""

from itertools import islice, permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bj_env.game.cards import FACES, Card, card
from bj_env.game.hand import Hand
from bj_env.rules.houses import parse


def cards(text: str) -> list[Card]:
    return [card(word) for word in text.split(",")]


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("A,5,6,8", ["soft 11", "soft 16", "hard 12", "hard 20"]),  # B167
        ("5,A,5,T", ["hard 5", "soft 16", "soft 21", "hard 21"]),
        ("A,6", ["soft 11", "soft 17"]),  # B110
        ("9,2,A,7,A", ["hard 9", "hard 11", "hard 12", "hard 19", "hard 20"]),  # B103
        ("A,A,A,A", ["soft 11", "soft 12", "soft 13", "soft 14"]),
        ("A,K", ["soft 11", "blackjack"]),
        ("T,6,K", ["hard 10", "hard 16", "bust with 26"]),
        ("7,7,7", ["hard 7", "hard 14", "hard 21"]),
    ],
)
def test_r2_r3_the_totals_as_the_cards_arrive(text: str, values: list[str]) -> None:
    hand, said = Hand(), []
    for one in cards(text):
        hand.add(one)
        said.append(hand.value_text())
    assert said == values
    assert [str(one) for one in hand.cards] == text.split(","), "cards stay in the order of the deal"


@given(st.lists(st.sampled_from(FACES), min_size=1, max_size=8))
def test_r2_the_order_of_the_cards_does_not_matter_and_a_total_over_21_counts_every_ace_1(dealt: list[Card]) -> None:
    hand = Hand(dealt)
    assert all(Hand(order).total == hand.total for order in islice(permutations(dealt), 24))
    assert hand.total <= 21 or hand.total == sum(one.value for one in dealt)
    assert not hand.soft or 11 <= hand.total <= 21


def test_r5_a_blackjack_is_two_cards_and_not_from_a_split() -> None:
    assert Hand(cards("A,K")).blackjack
    assert not Hand(cards("7,7,7")).blackjack
    assert not Hand(cards("A,K"), from_split=True).blackjack


@pytest.mark.parametrize(
    ("text", "by_value", "by_rank"), [("T,K", 10, 0), ("K,K", 10, 10), ("A,A", 1, 1), ("8,8,8", 0, 0)]
)
def test_r7_a_pair_by_value_and_by_rank(text: str, by_value: int, by_rank: int) -> None:
    hand = Hand(cards(text))
    assert (hand.pair(parse("SPVAL")), hand.pair(parse("SPRANK"))) == (by_value, by_rank)


def test_a_split_makes_two_hands_with_the_same_stake() -> None:
    first, second = Hand(cards("Ah,As"), stake=30).split()
    assert ([*map(str, first.cards)], [*map(str, second.cards)]) == (["Ah"], ["As"])
    assert (first.stake, second.stake, first.split_aces, second.from_split) == (30, 30, True, True)
