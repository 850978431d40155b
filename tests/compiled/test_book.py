"""The rules book: every page says of a hand what the rules say of its cards, counted one by one."""

from random import Random

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from bj_env.compiled.book import (
    BOOK,
    BUST,
    DEALER_BLACKJACK,
    EMPTY,
    FULL,
    MOST_DEALER_STATES,
    MOST_HAND_STATES,
    PAYS,
    SHORT,
    WORTH_CHARLIE,
    WORTH_NATURAL,
    dealer_states,
    hand_states,
    rules_book,
)
from bj_env.rules.houses import parse_rules
from bj_env.rules.numbered import (
    best_total,
    card_value,
    dealer_hits,
    hand_net,
    in_play,
    is_blackjack,
    is_charlie,
    is_pair,
    is_soft,
    play_mask,
)
from bj_env.rules.terms import Rules
from tests.generators import rules


def total_of(ranks: list[int]) -> tuple[int, bool]:
    values = [card_value(rank) for rank in ranks]
    return best_total(sum(values), 1 in values), is_soft(sum(values), 1 in values)


def check_hand(house: Rules, ranks: list[int], split: bool) -> None:
    """Follow a hand through the book, card by card, and compare what the rules say of its cards."""
    book = rules_book(house)[0]
    place = int(book.split_into[ranks[0]] if split else book.hands[EMPTY].after[ranks[0]])
    for many in range(2, len(ranks) + 1):
        place = int(book.hands[place].after[ranks[many - 1]])
        page, held = book.hands[place], ranks[:many]
        total, soft = total_of(held)
        charlie, natural = is_charlie(house, total, many), is_blackjack(total, many, split)
        pair = many == 2 and is_pair(house, *held)
        assert page.total == min(total, BUST)
        assert page.pair == (card_value(held[0]) if pair else 0)
        assert not page.one_card
        assert page.natural == natural
        assert page.in_play == in_play(house, total > 21, False, charlie, natural)
        assert page.worth == (WORTH_CHARLIE if charlie else WORTH_NATURAL if natural else total if total <= 21 else 0)
        for limits in range(4):
            hands, short = house.max_hands if limits & FULL else 1, limits & SHORT > 0
            mask = play_mask(house, total, soft, many, pair, split, split and held[0] == 1, hands, short)
            assert page.legal[limits] == (0 if charlie else mask)
        if total > 21 or charlie:
            return
        assert page.soft == soft


@settings(max_examples=25)
@given(rules(), st.integers(0, 1000))
def test_a_hand_has_the_page_of_its_cards(house: Rules, seed: int) -> None:
    rng = Random(seed)
    for split in (False, True):
        for _ in range(40):
            low = rng.choice((3, 13, 13))
            check_hand(house, [rng.randint(1, low) for _ in range(12)], split)


@settings(max_examples=10)
@given(rules(), st.integers(0, 1000))
def test_the_dealer_has_the_page_of_his_cards(house: Rules, seed: int) -> None:
    rng, book = Random(seed), rules_book(house)[0]
    for _ in range(50):
        place, held = EMPTY, []
        while len(held) < 2 or book.dealer[place].draws:
            held.append(rng.randint(1, 13))
            place = int(book.dealer[place].after[held[-1]])
            total, soft = total_of(held)
            blackjack = is_blackjack(total, len(held), False)
            assert book.dealer[place].worth == (DEALER_BLACKJACK if blackjack else min(total, BUST))
            assert book.dealer[place].draws == (total < 21 and dealer_hits(house, total, soft))


@settings(max_examples=10)
@given(rules())
def test_a_result_is_what_the_rules_pay(house: Rules) -> None:
    book, stake = rules_book(house)[0], 40
    for mine in (0, *range(4, 22), WORTH_NATURAL, WORTH_CHARLIE):
        for his in (*range(17, 23), DEALER_BLACKJACK):
            natural, charlie = mine == WORTH_NATURAL, mine == WORTH_CHARLIE
            total, blackjack = {0: 22, WORTH_NATURAL: 21, WORTH_CHARLIE: 20}.get(mine, mine), his == DEALER_BLACKJACK
            net = hand_net(house, stake, total, natural, charlie, 21 if blackjack else his, blackjack)
            result = int(book.result[32 * mine + his])
            assert result == PAYS if net > 0 and natural else result * stake == net


def test_the_largest_book_has_room_for_all_states() -> None:
    most = max(len(hand_states(parse_rules(f"6D SPRANK CH{charlie}"))) for charlie in (5, 12, 21))
    assert most < MOST_HAND_STATES
    assert len(dealer_states()) < MOST_DEALER_STATES
    assert BOOK.itemsize < 128 * 1024


def test_a_book_cannot_be_changed() -> None:
    assert not rules_book(Rules()).flags.writeable
    assert np.shares_memory(rules_book(Rules()), rules_book(Rules()))
