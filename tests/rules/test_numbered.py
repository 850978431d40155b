"""The rules as plain functions: each over all that it can be asked, against the rule said in another way."""

from itertools import combinations_with_replacement, product

import pytest

from bj_env.rules import numbered as r
from bj_env.rules.houses import parse
from bj_env.rules.terms import Action, Double, HoleCard, Refusal, Rules, SplitBy, Surrender

HANDS = [hand for cards in range(1, 6) for hand in combinations_with_replacement(range(1, 11), cards)]


def totals(hand: tuple[int, ...]) -> set[int]:
    """Return every total that a hand can have, each ace counting 1 or 11."""
    return {sum(hand) + 10 * elevens for elevens in range(hand.count(1) + 1)}


def test_r1_tens_and_pictures_count_10() -> None:
    assert [r.card_value(rank) for rank in range(1, 14)] == [*range(1, 11), 10, 10, 10]


@pytest.mark.parametrize("cards", range(1, 6))
def test_r2_r3_r4_the_best_total_is_the_highest_up_to_21(cards: int) -> None:
    for hand in (hand for hand in HANDS if len(hand) == cards):
        hard, ace = sum(hand), 1 in hand
        fitting = [total for total in totals(hand) if total <= 21]
        total = r.best_total(hard, ace)
        assert total == (max(fitting) if fitting else min(totals(hand)))
        assert r.is_soft(hard, ace) == (ace and total != hard)
        assert r.is_bust(total) == (not fitting)
        if r.is_soft(hard, ace):
            assert all(r.best_total(hard + card, True) <= 21 for card in range(1, 11)), "one more card cannot bust it"


def test_aces_fall_to_1_as_needed() -> None:
    """Report b103."""
    assert (r.best_total(9 + 2 + 1 + 7 + 1, True), r.is_soft(20, True)) == (20, False)


def test_r5_a_blackjack_is_an_ace_and_a_ten_and_nothing_else() -> None:
    for hand in HANDS:
        total = r.best_total(sum(hand), 1 in hand)
        assert r.is_blackjack(total, len(hand), False) == (hand == (1, 10))
        assert not r.is_blackjack(total, len(hand), True)


@pytest.mark.parametrize("charlie", [0, 5, 6, 7])
def test_r6_a_charlie_needs_its_number_of_cards_and_no_bust(charlie: int) -> None:
    rules = Rules(charlie=charlie)
    for total, cards in product(range(4, 31), range(1, 9)):
        assert r.is_charlie(rules, total, cards) == (0 < charlie <= cards and total <= 21)


@pytest.mark.parametrize("by", SplitBy)
def test_r7_a_pair_is_by_value_or_by_rank(by: SplitBy) -> None:
    rules = Rules(split_by=by)
    for first, second in product(range(1, 14), repeat=2):
        same = first == second or (by is SplitBy.VALUE and first >= 10 and second >= 10)
        assert r.is_pair(rules, first, second) == same


@pytest.mark.parametrize(("text", "cut"), [("6D PEN75", 234), ("1D PEN50", 26), ("1D PEN99", 51), ("2D PEN1", 1)])
def test_r8_the_cut_card_lies_behind_its_share_of_the_shoe(text: str, cut: int) -> None:
    rules = parse(text)
    due = [r.shuffle_due(rules, dealt, rules.decks * 52) for dealt in range(rules.decks * 52 + 1)]
    assert due == [False] * cut + [True] * (len(due) - cut)


def test_r8_without_a_cut_card_every_round_has_its_own_shuffle() -> None:
    assert all(r.shuffle_due(Rules(), dealt, 312) for dealt in range(313))


@pytest.mark.parametrize("surrender", Surrender)
def test_r9_r15_early_and_late_surrender_exclude_each_other(surrender: Surrender) -> None:
    rules = Rules(surrender=surrender)
    early = [r.early_surrender_refusal(rules, upcard, False) == 0 for upcard in range(1, 11)]
    assert early == [surrender is Surrender.EARLY] + [surrender in (Surrender.EARLY, Surrender.ES10)] * 9
    assert (r.late_surrender_refusal(rules, 2, False, False) == 0) == (surrender is Surrender.LATE)
    for refusal in (r.early_surrender_refusal(rules, 5, True), r.late_surrender_refusal(rules, 2, False, True)):
        assert refusal != 0, "a blackjack is never surrendered"


@pytest.mark.parametrize("hole_card", HoleCard)
def test_r11_only_under_peek_and_only_behind_an_ace_or_a_ten(hole_card: HoleCard) -> None:
    peeks = {upcard for upcard in range(1, 11) if r.dealer_peeks(Rules(hole_card=hole_card), upcard)}
    assert peeks == ({1, 10} if hole_card is HoleCard.PEEK else set())


DOUBLED = {
    Double.DOA: set(range(4, 22)),
    Double.D9: {9, 10, 11},
    Double.D10: {10, 11},
    Double.D11: {11},
    Double.DANY: set(range(4, 22)),
    Double.D0: set(),
}


@pytest.mark.parametrize("double", Double)
def test_r13_which_hands_may_be_doubled(double: Double) -> None:
    rules = Rules(double=double)
    any_two = double in (Double.DOA, Double.DANY)

    def may(total: int, soft: bool, cards: int) -> bool:
        return r.double_refusal(rules, total, soft, cards, False, False, False) == 0

    assert {total for total in range(4, 22) if may(total, False, 2)} == DOUBLED[double]
    assert {total for total in range(12, 22) if may(total, True, 2)} == (set(range(12, 22)) if any_two else set())
    assert may(11, False, 3) == (double is Double.DANY)
    assert r.double_refusal(rules, 11, False, 2, False, False, True) != 0, "not without the money"


@pytest.mark.parametrize(("after_split", "double"), list(product([True, False], Double)))
def test_r13_double_after_split_is_the_houses_choice(after_split: bool, double: Double) -> None:
    rules = Rules(double=double, double_after_split=after_split)
    assert (r.double_refusal(rules, 11, False, 2, True, False, False) == 0) == (after_split and double is not Double.D0)


@pytest.mark.parametrize("max_hands", range(1, 9))
def test_r14_a_seat_splits_up_to_its_number_of_hands(max_hands: int) -> None:
    rules = Rules(max_hands=max_hands)
    may = [hands for hands in range(1, 9) if r.split_refusal(rules, True, False, hands, False) == 0]
    assert may == list(range(1, max_hands))
    assert r.split_refusal(rules, False, False, 1, False) != 0


@pytest.mark.parametrize(("resplit", "hit"), list(product([False, True], repeat=2)))
def test_r12_r14_what_split_aces_may_do(resplit: bool, hit: bool) -> None:
    rules = Rules(resplit_aces=resplit, hit_split_aces=hit)
    assert (r.split_refusal(rules, True, True, 2, False) == 0) == resplit
    assert (r.hit_refusal(rules, True) == 0) == hit
    assert (r.double_refusal(rules, 12, True, 2, True, True, False) == 0) == hit
    assert r.hit_refusal(rules, False) == 0


def test_r16_money_without_limit_never_runs_short() -> None:
    assert not any(r.is_short(-1, needed) for needed in (0, 10, 10**12))
    assert [r.is_short(free, 50) for free in (0, 49, 50, 51)] == [True, True, False, False]


@pytest.mark.parametrize("text", ["6D", "6D ACT21", "6D D10 NDAS", "6D RSA", "6D HSA ES", "6D SP1 D0 NS", "6D DANY"])
def test_r17_the_mask_is_what_nothing_refuses(text: str) -> None:
    rules = parse(text)
    flags = [False, True]
    for total, soft, cards, pair, split, aces, hands, short in product(
        range(4, 23), flags, (2, 3), flags, flags, flags, (1, 2, 4), flags
    ):
        mask = r.play_mask(rules, total, soft, cards, pair, split, aces, hands, short)
        if total > 21 or (total == 21 and not rules.act_on_21):
            assert mask == 0
            continue
        refusals = {
            Action.HIT: r.hit_refusal(rules, aces),
            Action.DOUBLE: r.double_refusal(rules, total, soft, cards, split, aces, short),
            Action.SPLIT: r.split_refusal(rules, pair, aces, hands, short),
            Action.SURRENDER: r.late_surrender_refusal(rules, cards, split, total == 21 and cards == 2 and not split),
        }
        legal = {action for action, refusal in refusals.items() if refusal == Refusal.LEGAL}
        expected = legal | {Action.STAND} if legal else set()
        assert {action for action in Action if mask >> action & 1} == expected
        assert mask.bit_count() != 1, "nobody is asked without a choice"


@pytest.mark.parametrize("hits_soft_17", [False, True])
def test_r18_the_dealer_draws_to_16_and_maybe_on_soft_17(hits_soft_17: bool) -> None:
    rules = Rules(dealer_hits_soft_17=hits_soft_17)
    for total in range(2, 27):
        assert r.dealer_hits(rules, total, False) == (total <= 16)
        assert r.dealer_hits(rules, total, True) == (total <= 16 + hits_soft_17)


def test_every_rule_has_one_number_and_the_numbers_run_on() -> None:
    functions = [value for value in vars(r).values() if getattr(value, "__module__", "") == r.__name__]
    numbers = [int((function.__doc__ or "").split(".")[0].removeprefix("R")) for function in functions]
    assert sorted(set(numbers)) == list(range(1, max(numbers) + 1))
    assert all(">>>" in (function.__doc__ or "") for function in functions)
