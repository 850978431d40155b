"""Cards and the shoe: every card as often as it should be, whatever is dealt, stacked and shuffled."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bj_env.errors import BlackjackError, NotationError
from bj_env.game.cards import FACES, Card, Rank, Suit, card
from bj_env.game.shoe import OutOfCards, Shoe
from bj_env.rules.houses import parse
from bj_env.rules.terms import Rules
from tests.generators import seeds


def drawn(shoe: Shoe, number: int) -> list[Card]:
    return [shoe.draw() for _ in range(number)]


def test_a_deck_has_52_different_cards() -> None:
    assert len(set(FACES)) == 52
    assert {(face.rank, face.suit) for face in FACES} == {(rank, suit) for rank in Rank for suit in Suit}


@pytest.mark.parametrize("decks", [1, 2, 6, 16])
def test_a_whole_shoe_holds_each_face_once_a_deck(decks: int) -> None:
    """Report b059."""
    shoe = Shoe(Rules(decks=decks), 1)
    cards = drawn(shoe, 52 * decks)
    assert Counter(cards) == dict.fromkeys(FACES, decks)
    assert shoe.left == 0
    with pytest.raises(OutOfCards):
        shoe.draw()


def test_a_reshuffle_brings_back_every_card() -> None:
    """Report b066."""
    shoe = Shoe(Rules(decks=2), 5)
    while drawn(shoe, 1) != [card("2s")]:
        pass
    shoe.shuffle()
    assert Counter(drawn(shoe, 104)) == dict.fromkeys(FACES, 2)


def test_the_composition_is_a_property_of_the_shoe_not_of_the_shuffle() -> None:
    """Report b065."""
    cards = [face for face in FACES if face.value != 5]
    shoe = Shoe(parse("1D PEN75"), 5, cards=cards)
    drawn(shoe, 40)
    assert shoe.shuffle_pending
    shoe.shuffle()
    assert Counter(drawn(shoe, 48)) == Counter(cards)


@given(st.integers(1, 40), seeds)
def test_what_was_dealt_and_what_is_left_make_the_shoe(number: int, seed: int) -> None:
    shoe = Shoe(Rules(decks=1), seed)
    first = drawn(shoe, number)
    assert shoe.dealt == first
    assert shoe.left == 52 - number
    assert Counter(first + drawn(shoe, shoe.left)) == Counter(FACES)


@given(st.integers(1, 20), st.integers(1, 20), seeds)
def test_the_discards_alone_are_shuffled_in_mid_round(discards: int, table: int, seed: int) -> None:
    """Report b062."""
    shoe = Shoe(parse("1D PEN90"), seed)
    shoe.begin_round()
    away = drawn(shoe, discards)
    shoe.begin_round()
    drawn(shoe, table)
    assert shoe.shuffle_discards()
    assert shoe.shuffle_pending, "all cards come back before the next round"
    assert Counter(drawn(shoe, shoe.left)) == Counter(away)
    assert not shoe.shuffle_discards(), "now there are no discards left"
    shoe.shuffle()
    assert Counter(drawn(shoe, 52)) == Counter(FACES)


def test_an_infinite_shoe_draws_with_replacement() -> None:
    shoe = Shoe(Rules(decks=0), 3)
    count = Counter(drawn(shoe, 5200))
    assert len(count) == 52
    assert max(count.values()) > 100 > min(count.values())


def test_the_cut_card_asks_for_a_shuffle_and_does_not_make_one() -> None:
    shoe = Shoe(parse("1D PEN50"), 1)
    assert shoe.shuffle_pending, "a new shoe is shuffled before its first round"
    shoe.begin_round()
    drawn(shoe, 25)
    assert not shoe.shuffle_pending
    drawn(shoe, 5)
    assert (shoe.shuffle_pending, shoe.left) == (True, 22)


@given(st.lists(st.sampled_from(FACES), max_size=12, unique=True), seeds)
def test_stacked_cards_come_first_and_the_rest_is_the_rest(top: list[Card], seed: int) -> None:
    shoe = Shoe(Rules(decks=1), seed)
    shoe.stack(top)
    assert drawn(shoe, len(top)) == top
    assert Counter(top + drawn(shoe, shoe.left)) == Counter(FACES)


def test_a_card_without_a_suit_stands_for_any_of_its_rank_and_t_for_any_ten() -> None:
    shoe = Shoe(Rules(decks=1), 1)
    shoe.stack([card(word) for word in "T T T T T T T T T T T T Ks K K K 8 8 8 8h".split()])
    assert shoe.left == 52
    values = Counter(face.value for face in drawn(shoe, 52))
    assert values == {value: 16 if value == 10 else 4 for value in range(1, 11)}


@pytest.mark.parametrize("cards", ["8 8 8 8 8", "Ts Ts", "K K K K K", "K T T T T T T T T T T T T T T T T"])
def test_more_cards_than_there_are_cannot_be_stacked(cards: str) -> None:
    shoe = Shoe(Rules(decks=1), 1)
    before = (list(shoe.dealt), shoe.left)
    with pytest.raises(BlackjackError, match="expected cards that the shoe holds"):
        shoe.stack(map(card, cards.split()))
    assert (list(shoe.dealt), shoe.left) == before


def test_a_place_left_open_is_filled_by_chance() -> None:
    seconds = set()
    for seed in range(40):
        shoe = Shoe(Rules(decks=1), seed)
        shoe.stack([card("Ah"), None, card("Kd")])
        first, second, third = drawn(shoe, 3)
        assert (str(first), str(third)) == ("Ah", "Kd")
        assert second not in (first, third)
        seconds.add(second)
    assert len(seconds) > 15


@pytest.mark.parametrize("seed", [-1, 2**64, 1.0, "1", None, True], ids=str)
def test_a_seed_is_a_whole_number_of_64_bits(seed: object) -> None:
    with pytest.raises(BlackjackError, match=r"seed: expected a whole number from 0 to 18446744073709551615"):
        Shoe(Rules(), seed)  # type: ignore[arg-type]


@pytest.mark.parametrize("word", ["1", "100", "x", "", "Tx", "hT", "TT", "t", "th"])
def test_what_is_no_card_is_refused(word: str) -> None:
    with pytest.raises(NotationError, match="expected a card, one of A 2 3 4 5 6 7 8 9 T J Q K"):
        card(word)


def test_cards_read_back_as_they_are_written() -> None:
    assert all(card(str(face)) == face for face in FACES)
    assert all(str(card(str(Card(rank)))) == str(Card(rank)) for rank in Rank)
