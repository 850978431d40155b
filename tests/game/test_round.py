"""A round by the rules, as golden lines: the order of events, the hole card, what a hand may do, the dealer.

What each round pays is pinned in test_settlement.py; the expected results are worked out from the text of the rules.
"""

import re
from collections import Counter
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bj_env.errors import BlackjackError, IllegalAction, NotationError
from bj_env.game.events import DEALER, Event, Kind
from bj_env.game.notation import parse
from bj_env.game.participants import Dealer, Player
from bj_env.game.replay import replay, start
from bj_env.game.round import Round
from bj_env.game.table import Table
from bj_env.rules.numbered import dealer_hits
from bj_env.rules.terms import Action, HoleCard, Phase, Refusal, Rules
from bj_env.strategies.simple import RandomLegal
from tests.generators import deal, on_table, play_out, rules, seeds, snapshot, tables, undealt
from tests.lines import each_line, plays


def refuses(line: str, action: str, rule: str) -> None:
    with pytest.raises(IllegalAction, match=f"got {action}: .*{rule}"):
        replay(line)


# --- what a hand is ---


@each_line("""
    six-deck ; D T/7 ; P1 10 9,2 H H H S ; next A,7,A => P1 +10 ; D T,7
    six-deck ; D T/7 ; P1 10 A,A H H S ; next A,6 => P1 +10 ; D T,7
    six-deck ; D T/7 ; P1 10 A,6 H S ; next T => P1 0 ; D T,7
    six-deck ; D 5/A ; P1 10 T,7 S ; next A => P1 0 ; D 5,A,A
    six-deck ; D 5/A ; P1 10 T,7 S ; next T,5 => P1 -10 ; D 5,A,T,5
""")
def test_r2_an_ace_counts_11_where_it_fits(line: str) -> None:
    plays(line)


@each_line("""
    six-deck ; D 6/T ; P1 10 A,A P ; next T,T,5 => P1 0 ; D 6,T,5
    six-deck ; D T/7 ; P1 10 A,A P ; next T,T => P1 +20 ; D T,7
    six-deck ; D T/7 ; P1 10 T,T P ; next A,A => P1 +20 ; D T,7
""")
def test_r5_21_after_a_split_is_no_blackjack(line: str) -> None:
    plays(line)


@each_line("""
    6D CH5 NS ; D T/T ; P1 10 2,3 H H H ; next 4,2,3 => P1 +10 ; D T,T
    6D CH6 NS ; D T/T ; P1 10 2,3 H H H S ; next 4,2,3 => P1 -10 ; D T,T
    6D CH5 NS ; D T/T ; P1 10 2,3 H H H ; next 4,5,T => P1 -10 ; D T,T
    6D CH5 NS ; D 6/T ; P1 10 2,3 H H H ; next 4,2,3,5 => P1 +10 ; D 6,T ; left 5
    6D CH5 NS ; D T/T ; P1 10 2,2 P H H H S ; next 3,2,2,3,T => P1 0 ; D T,T
    6D CH5 DANY NS ; D T/T ; P1 10 2,3 H H D ; next 2,3,4 => P1 +20 ; D T,T
    6D CH5 NOPEEK NS NINS ; D A/K ; P1 10 2,3 H H H ; next 4,2,3 => P1 +10 ; D A,K
    6D CH5 ENHC NS ; D T ; P1 10 2,3 H H H ; next 4,2,3,A => P1 +10 ; D T ; left A
    6D CH5 ENHC NS ; D T ; P1 10 2,3 H H H ; P2 10 T,9 S ; next 4,2,3,A => P1 +10 P2 -10 ; D T,A
    6D CH5 TIELOSE NS ; D T/T ; P1 10 2,3 H H H ; next 4,T,A => P1 +10 ; D T,T
""")
def test_r6_a_charlie_wins_at_once(line: str) -> None:
    plays(line)


@each_line("""
    six-deck ; D 6/T ; P1 10 T,K P S S ; next 2,3,T => P1 +20 ; D 6,T,T
    6D SPRANK ; D 6/T ; P1 10 Q,Q P S S ; next 2,3,T => P1 +20 ; D 6,T,T
""")
def test_r7_a_pair_is_split(line: str) -> None:
    plays(line)


def test_r7_by_rank_a_queen_and_a_king_are_no_pair() -> None:
    refuses("6D SPRANK ; D 6/T ; P1 10 Q,K P", "SPLIT", "R14")


# --- offers before play ---


@each_line("""
    6D ES ; D T/A ; P1 10 T,6 R => P1 -5 ; D T,A
    6D ES ; D A/K ; P1 10 T,6 R => P1 -5 ; D A,K
    6D ES ; D A/K ; P1 10 T,6 => P1 -10 ; D A,K
    6D ES ; D 5/T ; P1 10 T,6 R ; next 5 => P1 -5 ; D 5,T ; left 5
    6D ES ; D T/7 ; P1 10 T,6 R ; P2 10 T,8 S => P1 -5 P2 +10 ; D T,7
    6D ES ; D A/9 ; P1 10 A,K => P1 +15 ; D A,9
    6D ES ENHC ; D T ; P1 10 T,6 R ; next A => P1 -5 ; D T ; left A
    6D ES NOPEEK ; D T/A ; P1 10 T,6 R => P1 -5 ; D T,A
    6D ES10 ; D T/A ; P1 10 T,6 R => P1 -5 ; D T,A
    6D ES10 ; D 2/T ; P1 10 T,6 R => P1 -5 ; D 2,T
""")
def test_r9_early_surrender_keeps_half_whatever_the_dealer_has(line: str) -> None:
    plays(line)


@pytest.mark.parametrize("house", ["6D ES10", "6D ES10 NOPEEK"])
def test_r9_es10_takes_none_against_an_ace(house: str) -> None:
    refuses(f"{house} ; D A/9 ; P1 10 T,6 R", "SURRENDER", "R15")


def test_r9_early_surrender_is_its_own_phase_and_not_offered_again() -> None:
    round = start(parse("6D ES ; D A/9 ; P1 10 T,6 ; P2 10 A,K ; P3 10 T,5"))
    assert (round.phase, round.legal) == (Phase.EARLY_SURRENDER, (Action.SURRENDER, Action.DECLINE))
    round.act(Action.DECLINE)
    assert round.active_seat.label == "P3", "a blackjack is not offered it"
    round.act(Action.SURRENDER)
    asked = []
    while round.phase is Phase.INSURANCE:
        asked.append(round.active_seat.label)
        round.act(Action.DECLINE)
    assert asked == ["P1", "P2"], "a seat that has surrendered is not asked to insure"
    assert round.phase is Phase.PLAY
    assert Action.SURRENDER not in round.legal
    with pytest.raises(IllegalAction, match=r"no surrender here"):
        round.act(Action.SURRENDER)


@each_line("""
    six-deck ; D A/9 ; P1 10 T,8 I S => P1 -15 ; D A,9
    six-deck ; D A/K ; P1 10 T,8 I => P1 0 ; D A,K
    six-deck ; D A/K ; P1 10 T,8 => P1 -10 ; D A,K
    six-deck ; D A/K ; P1 10 bank 15 T,8 I => P1 0 ; D A,K
    six-deck ; D A/9 ; P1 10 T,6 I R => P1 -10 ; D A,9
    6D NOPEEK NS ; D A/K ; P1 10 T,8 I S => P1 0 ; D A,K
    6D NOPEEK NS ; D A/K ; P1 10 6,5 I D ; next T => P1 -10 ; D A,K
    6D NOPEEK NS ; D A/9 ; P1 10 A,K I => P1 +10 ; D A,9
    6D NOPEEK NS ; D A/K ; P1 10 A,K I => P1 +10 ; D A,K
    6D ENHC NS ; D A ; P1 10 T,6 I H ; next T,K => P1 0 ; D A,K
    6D ENHC NS ; D A ; P1 10 T,6 I H ; next T,9,3 => P1 -15 ; D A,9 ; left 3
""")
def test_r10_insurance_costs_half_the_bet_and_pays_2_to_1(line: str) -> None:
    plays(line)


@each_line("""
    six-deck ; D A/K ; P1 10 bank 14 T,8 I
    6D NINS ; D A/9 ; P1 10 T,8 I
    six-deck ; D T/9 ; P1 10 T,8 I
    6D WHOLE ; D A/9 ; P1 1 T,8 I
""")
def test_r10_insurance_is_not_offered(line: str) -> None:
    with pytest.raises((IllegalAction, NotationError), match="INSURE"):
        replay(line)


@pytest.mark.parametrize(
    ("line", "rule"),
    [
        ("six-deck ; D A/9 ; P1 10 bank 14 T,8 I S", "R16"),
        ("6D NINS ; D A/9 ; P1 10 T,8 I S", "R10"),
        ("six-deck ; D T/9 ; P1 10 T,8 I S", "R10"),
        ("6D WHOLE ; D A/9 ; P1 1 T,8 I S", "R10"),
    ],
)
def test_r10_a_refused_insurance_names_its_rule(line: str, rule: str) -> None:
    refuses(line, "INSURE", rule)


@pytest.mark.parametrize(
    ("house", "bank", "reason"),
    [
        ("6D NINS", None, Refusal.NO_INSURANCE),
        ("6D", 10, Refusal.MONEY),
        ("6D WHOLE", None, Refusal.TOO_SMALL_TO_INSURE),
    ],
)
def test_r10_why_insurance_is_not_offered_is_on_record(house: str, bank: int | None, reason: Refusal) -> None:
    limit = f" bank {bank}" if bank else ""
    bet = 1 if reason is Refusal.TOO_SMALL_TO_INSURE else 10
    round = start(parse(f"{house} ; D A/9 ; P1 {bet}{limit} T,8"))
    assert round.phase is Phase.PLAY
    assert Action.INSURE not in round.legal


@each_line("""
    six-deck ; D T/A ; P1 10 8,8 ; P2 10 6,5 ; P3 10 A,K => P1 -10 P2 -10 P3 0 ; D T,A
    six-deck ; D A/T ; P1 10 8,8 ; P2 10 A,K => P1 -10 P2 0 ; D A,T
    6D NOPEEK NS ; D T/A ; P1 10 6,5 D ; next 9 => P1 -20 ; D T,A
    6D NOPEEK NS ; D T/A ; P1 10 8,8 P S S ; next 2,3 => P1 -20 ; D T,A
    6D NOPEEK NS ; D T/A ; P1 10 T,6 H ; next T,4 => P1 -10 ; D T,A ; left 4
""")
def test_r11_only_a_peek_ends_the_round_before_anyone_plays(line: str) -> None:
    plays(line)


@pytest.mark.parametrize(("upcard", "peeks"), [("A", 1), ("T", 1), ("K", 1), ("9", 0), ("2", 0)])
def test_r11_the_dealer_peeks_behind_an_ace_or_a_ten(upcard: str, peeks: int) -> None:
    round = start(parse(f"6D NINS ; D {upcard}/7 ; P1 10 8,8"))
    assert [event.kind for event in round.events].count(Kind.PEEK) == peeks


# --- what a hand may do ---


@each_line("""
    six-deck ; D 6/T ; P1 10 A,A P ; next 9,5,T => P1 +20 ; D 6,T,T
    6D HSA NS ; D 6/T ; P1 10 A,A P H S S ; next 2,3,9,T => P1 +20 ; D 6,T,T
    6D HSA NS ; D 6/T ; P1 10 A,A P D S ; next 9,A,5,T => P1 +30 ; D 6,T,T
    6D RSA NS ; D 6/T ; P1 10 A,A P P ; next A,5,6,7,T => P1 +30 ; D 6,T,T
    6D RSA NS ; D 6/T ; P1 10 A,A P S ; next A,5,T => P1 +20 ; D 6,T,T
    6D RSA SP2 NS ; D 6/T ; P1 10 A,A P ; next A,5,T => P1 +20 ; D 6,T,T
""")
def test_r12_split_aces_get_one_card_each_unless_the_house_lets_them_draw(line: str) -> None:
    plays(line)


def test_r12_split_aces_that_may_be_split_again_may_not_hit_or_double() -> None:
    refuses("6D RSA NS ; D 6/T ; P1 10 A,A P H ; next A", "HIT", "R12")
    refuses("6D RSA NS ; D 6/T ; P1 10 A,A P D ; next A", "DOUBLE", "R12")


@each_line("""
    six-deck ; D 6/T ; P1 10 A,7 D ; next 2,T => P1 +20 ; D 6,T,T
    six-deck ; D 6/T ; P1 10 T,2 D ; next T => P1 -20 ; D 6,T
    6D D9 ; D 6/T ; P1 10 4,5 D ; next T,T => P1 +20 ; D 6,T,T
    6D D10 ; D 6/T ; P1 10 4,6 D ; next T,T => P1 +20 ; D 6,T,T
    6D D11 ; D 6/T ; P1 10 5,6 D ; next T,T => P1 +20 ; D 6,T,T
    6D DANY ; D 6/T ; P1 10 2,3 H D ; next 6,T,T => P1 +20 ; D 6,T,T
    6D DANY ; D T/7 ; P1 10 2,3 H H D ; next 2,2,9 => P1 +20 ; D T,7
""")
def test_r13_doubling_takes_one_more_card_for_one_more_bet(line: str) -> None:
    plays(line)


@each_line("""
    6D D9 ; D 6/T ; P1 10 4,4 D
    6D D9 ; D 6/T ; P1 10 T,2 D
    6D D9 ; D 6/T ; P1 10 A,8 D
    6D D9 ; D 6/T ; P1 10 A,9 D
    6D D10 ; D 6/T ; P1 10 4,5 D
    6D D11 ; D 6/T ; P1 10 4,6 D
    6D D11 ; D 6/T ; P1 10 A,T D
    6D D0 ; D 6/T ; P1 10 5,6 D
    six-deck ; D 6/T ; P1 10 2,3 H D ; next 6
    6D D9 ; D 6/T ; P1 10 2,3 H D ; next 6
    6D NDAS ; D 6/T ; P1 10 8,8 P D ; next 3
    6D NDAS DANY ; D 6/T ; P1 10 8,8 P H D ; next 2,4
""")
def test_r13_doubling_is_refused(line: str) -> None:
    with pytest.raises((IllegalAction, NotationError), match="DOUBLE"):
        replay(line)


@each_line("""
    six-deck ; D 6/T ; P1 10 8,8 P D S ; next 3,T,T,9 => P1 +30 ; D 6,T,9
    6D D10 ; D 6/T ; P1 10 8,8 P D S ; next 3,T,T,9 => P1 +30 ; D 6,T,9
    6D D9 ; D 6/T ; P1 10 A,A P ; next 8,9,T => P1 +20 ; D 6,T,T
    6D DANY ; D 6/T ; P1 10 8,8 P H D S ; next 2,4,7,T,9 => P1 +30 ; D 6,T,9
""")
def test_r13_double_after_split(line: str) -> None:
    plays(line)


@each_line("""
    six-deck ; D 6/T ; P1 10 8,8 P P P S S S S ; next 8,8,T,T,T,T,T => P1 +40 ; D 6,T,T
    six-deck ; D 6/T ; P1 10 8,8 P S P S S ; next T,8,T,T,T => P1 +30 ; D 6,T,T
    6D SP2 ; D 6/T ; P1 10 8,8 P S S ; next 8,8,T => P1 +20 ; D 6,T,T
    6D SP8 ; D 6/T ; P1 10 2,2 P P P S S S S ; next 2,2,T,T,T,T,T => P1 +40 ; D 6,T,T
    6D SP2 ; D 6/T ; P1 10 8,8 P S S ; P2 10 9,9 P S S ; next T,T,T,T,T => P1 +20 P2 +20 ; D 6,T,T
""")
def test_r14_a_pair_makes_two_hands(line: str) -> None:
    plays(line)


@pytest.mark.parametrize(
    ("line", "rule"),
    [
        ("6D SP1 ; D 6/T ; P1 10 8,8 P", "does not split"),
        ("six-deck ; D 6/T ; P1 10 8,7 P", "only a pair"),
        ("six-deck ; D 6/T ; P1 10 4,4 H P ; next 8", "only a pair"),
        ("6D SP2 ; D 6/T ; P1 10 8,8 P P ; next 8", "as many hands"),
        ("6D SP3 ; D 6/T ; P1 10 8,8 P P P ; next 8,8", "as many hands"),
        ("6D SP3 ; D 6/T ; P1 10 8,8 P P S P ; next 8,T,8", "as many hands"),
        ("six-deck ; D 6/T ; P1 10 8,8 P P P P ; next 8,8,8", "as many hands"),
        ("six-deck ; D 6/T ; P1 10 8,8 P P P S S P ; next 8,8,T,T,8", "as many hands"),
        ("6D HSA ; D 6/T ; P1 10 A,A P P ; next A", "split aces are not split again"),
        ("6D HSA RSA SP2 ; D 6/T ; P1 10 A,A P P ; next A", "as many hands"),
    ],
)
def test_r14_a_split_is_refused(line: str, rule: str) -> None:
    refuses(line, "SPLIT", rule)


def test_r14_a_new_hand_goes_right_after_its_parent() -> None:
    round = start(parse("six-deck ; D 6/T ; P1 10 8c,8d ; next 8h,T,9,7"))
    round.act(Action.SPLIT)
    round.act(Action.SPLIT)
    assert [str(hand.cards[0]) for hand in round.seats[0].hands] == ["8c", "8h", "8d"]
    assert [len(hand.cards) for hand in round.seats[0].hands] == [2, 1, 1], "the first is filled before the others"


@each_line("""
    six-deck ; D T/7 ; P1 10 T,6 R => P1 -5 ; D T,7
    six-deck ; D T/A ; P1 10 T,6 => P1 -10 ; D T,A
    6D NOPEEK ; D T/A ; P1 10 T,6 R => P1 -10 ; D T,A
    6D NOPEEK ; D T/9 ; P1 10 T,6 R => P1 -5 ; D T,9
    6D ENHC ; D T ; P1 10 T,6 R ; next A => P1 -10 ; D T,A
    6D ENHC ; D T ; P1 10 T,6 R ; next 6,5 => P1 -5 ; D T,6 ; left 5
    6D ENHC ; D A ; P1 10 T,6 R ; next K => P1 -10 ; D A,K
    6D ENHC ; D 9 ; P1 10 T,6 R ; next A => P1 -5 ; D 9 ; left A
    6D OBO ; D T ; P1 10 T,6 R ; next A => P1 -10 ; D T,A
    six-deck ; D T/6 ; P1 10 T,6 R ; P2 10 T,5 H ; next T,9 => P1 -5 P2 -10 ; D T,6 ; left 9
""")
def test_r15_late_surrender_keeps_half_unless_the_dealer_has_a_blackjack(line: str) -> None:
    plays(line)


@pytest.mark.parametrize(
    ("line", "rule"),
    [
        ("six-deck ; D T/7 ; P1 10 4,6 H R ; next 2", "first two cards"),
        ("six-deck ; D T/7 ; P1 10 8,8 P R ; next T", "first two cards"),
        ("6D NS ; D T/7 ; P1 10 T,6 R", "no surrender"),
        ("6D ES ; D T/7 ; P1 10 4,6 H R ; next 2", "no surrender"),
        ("6D ACT21 ; D T/7 ; P1 10 A,K R", "a blackjack is not surrendered"),
    ],
)
def test_r15_late_surrender_is_refused(line: str, rule: str) -> None:
    refuses(line, "SURRENDER", rule)


@each_line("""
    six-deck ; D 6/T ; P1 10 bank 20 6,5 D ; next T,9 => P1 +20 ; D 6,T,9
    six-deck ; D 6/T ; P1 10 bank 20 8,8 P S S ; next T,T,T => P1 +20 ; D 6,T,T
    six-deck ; D 6/T ; P1 10 bank 40 8,8 P P P S S S S ; next 8,8,T,T,T,T,T => P1 +40 ; D 6,T,T
""")
def test_r16_a_stake_may_take_all_that_is_free(line: str) -> None:
    plays(line)


@pytest.mark.parametrize(
    ("line", "action"),
    [
        ("six-deck ; D 6/T ; P1 10 bank 19.9 6,5 D", "DOUBLE"),
        ("six-deck ; D 6/T ; P1 10 bank 10 8,8 P", "SPLIT"),
        ("six-deck ; D 6/T ; P1 10 bank 29 8,8 P D ; next 3", "DOUBLE"),
        ("six-deck ; D 6/T ; P1 10 bank 29 8,8 P P ; next 8", "SPLIT"),
        ("six-deck ; D A/7 ; P1 10 bank 24 6,5 I D", "DOUBLE"),
    ],
)
def test_r16_an_action_that_needs_money_the_seat_has_not_is_refused(line: str, action: str) -> None:
    refuses(line, action, "not enough money")


def test_r16_b168_why_an_action_is_not_legal_is_on_record() -> None:
    round = start(parse("6D NS NINS ; D 6/T ; P1 10 bank 15 6,5 ; next 2"))
    assert round.refusal(Action.DOUBLE) is Refusal.MONEY
    round.act(Action.HIT)
    assert round.refusal(Action.DOUBLE) is Refusal.DOUBLE_CARDS
    assert round.refusal(Action.INSURE) is Refusal.NO_INSURANCE


@each_line("""
    6D ACT21 NS ; D T/7 ; P1 10 A,K S => P1 +15 ; D T,7
    6D ACT21 NS ; D T/7 ; P1 10 A,K H S ; next 5 => P1 -10 ; D T,7
    6D ACT21 NS ; D T/7 ; P1 10 A,K D ; next T => P1 +20 ; D T,7
    6D ACT21 NS ; D T/7 ; P1 10 7,7 H S ; next 7 => P1 +10 ; D T,7
    6D ACT21 NS ; D T/7 ; P1 10 7,7 H H ; next 7,T => P1 -10 ; D T,7
    6D ACT21 NS ; D A/T ; P1 10 A,K => P1 0 ; D A,T
    six-deck ; D T/7 ; P1 10 A,K => P1 +15 ; D T,7
    six-deck ; D T/7 ; P1 10 7,7 H ; next 7 => P1 +10 ; D T,7
""")
def test_r17_21_stands_by_itself_unless_the_house_lets_it_act(line: str) -> None:
    plays(line)


# --- the dealer ---


@each_line("""
    6D S17 ; D 6/A ; P1 10 T,7 S ; next 4 => P1 0 ; D 6,A ; left 4
    6D H17 ; D 6/A ; P1 10 T,7 S ; next 4 => P1 -10 ; D 6,A,4
    6D H17 ; D T/7 ; P1 10 T,7 S ; next 4 => P1 0 ; D T,7 ; left 4
    6D H17 ; D 7/A ; P1 10 T,7 S ; next 4 => P1 -10 ; D 7,A ; left 4
    6D H17 ; D 2/A ; P1 10 T,7 S ; next 4,T,2 => P1 0 ; D 2,A,4,T ; left 2
    six-deck ; D T/6 ; P1 10 T,6 S ; next A,5 => P1 -10 ; D T,6,A ; left 5
    six-deck ; D T/6 ; P1 10 T,9 S ; next 9 => P1 +10 ; D T,6,9
""")
def test_r18_the_dealer_draws_to_16_and_on_soft_17_where_the_house_says_so(line: str) -> None:
    plays(line)


@each_line("""
    six-deck ; D T/6 ; P1 10 T,6 H ; P2 10 T,5 H ; next T,T,9 => P1 -10 P2 -10 ; D T,6 ; left 9
    six-deck ; D 9/7 ; P1 10 A,K ; next 5 => P1 +15 ; D 9,7 ; left 5
    six-deck ; D 9/7 ; P1 10 A,K ; P2 10 T,6 H ; next T,5 => P1 +15 P2 -10 ; D 9,7 ; left 5
    six-deck ; D 9/7 ; P1 10 A,K ; P2 10 T,6 S ; next 5 => P1 +15 P2 -10 ; D 9,7,5
    six-deck ; D T/6 ; P1 10 8,8 P H H ; next 6,T,7,T,9 => P1 -20 ; D T,6 ; left 9
    6D NAT21 NS ; D 9/7 ; P1 10 A,K ; next 5 => P1 0 ; D 9,7,5
    6D NAT21 ENHC NS ; D 9 ; P1 10 A,K ; next 7,5 => P1 0 ; D 9,7,5
    6D NOPEEK NS ; D T/A ; P1 10 T,9 S ; next 4 => P1 -10 ; D T,A ; left 4
    6D NOPEEK NS ; D 6/5 ; P1 10 T,6 H ; next T,9 => P1 -10 ; D 6,5 ; left 9
""")
def test_r19_the_dealer_draws_only_against_a_hand_in_play(line: str) -> None:
    plays(line)


@each_line("""
    6D ENHC NS ; D T ; P1 10 T,6 H ; next T,A => P1 -10 ; D T ; left A
    6D ENHC NS ; D T ; P1 10 T,2 D ; next T,A => P1 -20 ; D T ; left A
    6D ENHC NS ; D T ; P1 10 8,8 P H H ; next 6,T,7,T,A => P1 -20 ; D T ; left A
    6D ENHC NS ; D 9 ; P1 10 A,K ; next 5 => P1 +15 ; D 9 ; left 5
    6D ENHC NS ; D T ; P1 10 A,K ; next 6,4 => P1 +15 ; D T,6 ; left 4
    6D ENHC NS ; D T ; P1 10 A,K ; next A => P1 0 ; D T,A
    6D ENHC NS NINS ; D A ; P1 10 A,K ; next 6,4 => P1 +15 ; D A,6 ; left 4
    6D ENHC NS ; D 9 ; P1 10 T,9 S ; next T => P1 0 ; D 9,T
    6D OBO NS ; D T ; P1 10 T,6 H ; next T,A => P1 -10 ; D T ; left A
    6D OBO NS ; D T ; P1 10 T,2 D ; next T,5,6 => P1 -20 ; D T,5 ; left 6
    6D OBO NS ; D T ; P1 10 8,8 P H H ; next 6,T,7,T,9,7 => P1 -20 ; D T,9 ; left 7
    6D OBO NS ; D T ; P1 10 T,6 H ; P2 10 T,6 H ; next T,T,A => P1 -10 P2 -10 ; D T ; left A
""")
def test_r20_a_dealer_without_a_hole_card_takes_a_second_card_where_something_hangs_on_it(line: str) -> None:
    plays(line)


def test_a_round_that_is_over_asks_nobody() -> None:
    round = replay("six-deck ; D T/6 ; P1 10 T,6 S ; next 9")
    for call in (round.ask, round.view, round.where):
        with pytest.raises(BlackjackError, match="the round is over"):
            call()


# --- the order of events ---


@each_line("""
    six-deck ; D 6/T ; P1 10 T,7 S ; P2 10 T,2 H S ; next 5,4 => P1 -10 P2 -10 ; D 6,T,4
    six-deck ; D T/7 ; P1 10 T,6 H ; P2 10 T,9 S ; next K => P1 -10 P2 +10 ; D T,7
    six-deck ; D T/7 ; P1 10 A,K ; P2 10 T,8 S ; P3 10 5,6 H S ; next 5 => P1 +15 P2 +10 P3 -10 ; D T,7
    six-deck ; D 5/T ; P1 10 4,4 P D D ; next 7,6,5,4,T => P1 +40 ; D 5,T,T
    six-deck ; D T/7 ; P1 0 ; P2 10 T,8 S ; P3 0 => P1 0 P2 +10 P3 0 ; D T,7
""")
def test_seats_act_in_order_each_for_itself(line: str) -> None:
    plays(line)


def test_one_card_to_each_seat_then_the_up_card_then_the_second_round_and_the_hole_card() -> None:
    round = replay("six-deck ; D 3/6 ; P1 10 T,4 S ; P2 0 ; P3 10 2,5 S ; next 8")
    dealt = [(event.seat, str(event.card)) for event in round.events if event.kind is Kind.DEAL]
    assert dealt == [(0, "T"), (2, "2"), (DEALER, "3"), (0, "4"), (2, "5")]
    assert [event.kind for event in round.events].count(Kind.HOLE_CARD) == 1


@pytest.mark.parametrize("house", ["6D ENHC", "6D OBO"])
def test_no_hole_card_is_dealt_before_the_seats_are_done(house: str) -> None:
    round = start(parse(f"{house} ; D 6 ; P1 10 T,4"))
    assert round.hole is None
    assert len(round.table.shoe.dealt) == 3


@pytest.mark.parametrize("house", ["6D", "6D NOPEEK"])
def test_a_dealt_hole_card_is_turned_at_the_end_and_counts_as_seen_from_then(house: str) -> None:
    round = start(parse(f"{house} ; D 6/5 ; P1 10 T,6 ; next K"))
    assert round.table.seen[5] == 0
    round.act(Action.HIT)
    assert round.over
    assert round.table.seen[5] == 1
    assert str(round.dealer) == "6,5 hard 11"


def test_events_come_in_the_order_of_the_round() -> None:
    round = replay("6D ES ; D A/9 ; P1 10 8,8 I P S S ; P2 10 T,6 R ; next T,9")
    assert [str(event) for event in round.events] == [
        "P1 bets 10",
        "P2 bets 10",
        "P1 gets 8: hard 8",
        "P2 gets T: hard 10",
        "dealer gets A: soft 11",
        "P1 gets 8: hard 16",
        "P2 gets 6: hard 16",
        "dealer takes a hole card",
        "P1 declines",
        "P2 surrenders",
        "P1 insures",
        "dealer looks at the hole card: no blackjack",
        "P1 splits",
        "P1 draws T: hard 18",
        "P1 stands",
        "P1 hand 2 draws 9: hard 17",
        "P1 hand 2 stands",
        "dealer turns 9: soft 20",
        "P1: -10",
        "P1 hand 2: -10",
        "P1 insurance: -5",
        "P2: -5",
    ]


# --- whatever the rules are ---


@given(tables(), st.integers(0, 10**6))
def test_chips_are_conserved(table: Table, seed: int) -> None:
    chance = Random(seed)
    for _ in range(4):
        before = [player.free for player in table.players]
        round = deal(table, chance)
        if round is None:
            return
        while not round.over:
            for player, bank, seat in zip(table.players, before, round.seats, strict=True):
                assert not player.limited or 0 <= player.free == bank - seat.staked, "what is staked is in escrow"
            round.act(chance.choice(round.legal))
        for player, bank, net in zip(table.players, before, round.nets, strict=True):
            assert player.free == (bank + net if player.limited else -1)
            assert player.free >= -1
        house = -sum(event.ticks for event in round.events if event.kind in (Kind.SETTLE, Kind.INSURANCE))
        assert sum(round.nets) + house == 0


@given(tables(rules().filter(lambda house: house.decks in (1, 2))), st.integers(0, 10**6))
def test_cards_are_conserved_after_every_step(table: Table, seed: int) -> None:
    chance, full = Random(seed), Counter(map(str, table.shoe.cards))
    for _ in range(8):
        round = deal(table, chance)
        while round is not None:
            dealt = Counter(map(str, table.shoe.dealt))
            if shuffled_midway(round):
                assert on_table(round) + undealt(table) == full, "all that was not on the table is in the shoe"
            else:
                assert dealt + undealt(table) == full
                assert on_table(round) <= dealt, "no card lies on the table twice"
            if round.over:
                break
            round.act(chance.choice(round.legal))


def shuffled_midway(round: Round) -> bool:
    kinds = [event.kind for event in round.events]
    return Kind.DEAL in kinds and Kind.SHUFFLE in kinds[kinds.index(Kind.DEAL) :]


@given(tables(), st.integers(0, 10**6))
def test_every_legal_action_works_and_every_other_is_refused_and_changes_nothing(table: Table, seed: int) -> None:
    chance = Random(seed)
    for _ in range(3):
        round = deal(table, chance)
        while round is not None and not round.over:
            before = snapshot(table)
            for action in (*Action, -1, 7, True, None, "HIT", 0.0):
                if type(action) is Action and action in round.legal:
                    assert round.refusal(action) is Refusal.LEGAL
                    continue
                with pytest.raises(IllegalAction, match="expected one of"):
                    round.act(action)  # type: ignore[arg-type]
            assert snapshot(table) == before
            round.act(chance.choice(round.legal))
        if round is not None:
            with pytest.raises(IllegalAction, match="the round is over"):
                round.act(Action.STAND)


@given(tables(), st.integers(0, 10**6))
def test_every_refusal_has_its_reason_and_a_reason_means_refusal(table: Table, seed: int) -> None:
    round = deal(table, Random(seed))
    while round is not None and not round.over:
        assert [action for action in Action if round.refusal(action) is Refusal.LEGAL] == list(round.legal)
        round.act(Random(seed).choice(round.legal))


@given(tables(), st.integers(0, 10**6))
def test_nobody_is_asked_without_a_choice(table: Table, seed: int) -> None:
    chance = Random(seed)
    for _ in range(3):
        round = deal(table, chance)
        while round is not None and not round.over:
            hand = round.active_seat.hands[round.hand_index]
            assert len(round.legal) >= 2
            assert hand.total < 21 or table.rules.act_on_21 or round.phase is Phase.INSURANCE
            assert hand.total <= 21
            assert not any((hand.finished, hand.doubled, hand.surrendered, hand.charlie))
            round.act(chance.choice(round.legal))


@given(tables(), st.integers(0, 10**6))
def test_r14_a_seat_never_has_more_hands_than_the_house_allows(table: Table, seed: int) -> None:
    chance = Random(seed)
    for _ in range(5):
        round = deal(table, chance)
        if round is not None:
            play_out(round, chance)
            assert all(len(seat.hands) <= table.rules.max_hands for seat in round.seats)
            assert all(hand.stake in (seat.bet, 2 * seat.bet) for seat in round.active for hand in seat.hands)


@given(tables(), st.integers(0, 10**6))
def test_r19_the_dealer_never_draws_when_nothing_is_in_play(table: Table, seed: int) -> None:
    chance = Random(seed)
    for _ in range(5):
        round = deal(table, chance)
        if round is None or play_out(round, chance).void:
            continue
        hands = [hand for seat in round.active for hand in seat.hands]
        waits = [
            hand
            for hand in hands
            if hand.total <= 21
            and not (hand.surrendered or hand.charlie)
            and not (hand.blackjack and table.rules.blackjack_beats_21)
        ]
        cards = len(round.dealer.cards)
        assert waits or cards <= 2
        assert cards == 2 or waits or table.rules.hole_card in (HoleCard.ENHC, HoleCard.OBO)
        if waits:
            assert round.dealer.total >= 17
        assert sum(card.value for card in round.dealer.cards[:-1]) < 17


@given(rules(), st.integers(1, 5), seeds)
def test_the_same_seed_gives_the_same_events(house: Rules, seats: int, seed: int) -> None:
    def events() -> list[Event]:
        table = Table(house, [Player("", RandomLegal()) for _ in range(seats)], seed=seed)
        return [event for _ in range(4) for event in table.play_round().events]

    assert events() == events()


@given(tables(), st.integers(0, 10**6))
def test_a_record_replays_to_the_same_nets_and_dealer_hand(table: Table, seed: int) -> None:
    chance = Random(seed)
    for _ in range(3):
        round = deal(table, chance)
        if round is None or play_out(round, chance).void:
            return
        again = replay(str(round.record()))
        assert again.nets == round.nets
        assert [card.value for card in again.dealer.cards] == [card.value for card in round.dealer.cards]
        told = [event for event in round.events if event.kind not in (Kind.SHUFFLE, Kind.BURN)]
        assert list(map(str, again.events)) == [without_suit(str(event)) for event in told]


def without_suit(text: str) -> str:
    return re.sub(r"([A2-9TJQK])[cdhs]:", r"\1:", text)


# --- a dealer who is played from outside ---


@given(rules(), seeds)
def test_a_dealer_played_from_outside_by_the_house_rule_plays_the_same_rounds(house: Rules, seed: int) -> None:
    ours = Table(house, [Player("ann")], seed=seed, dealer=Dealer(external=True))
    theirs = Table(house, [Player("ann")], seed=seed)
    for _ in range(5):
        outside, inside = ours.deal([house.min_bet]), theirs.deal([house.min_bet])
        chance = Random(seed)
        while not outside.over:
            if outside.dealer_in_turn:
                assert outside.legal == outside.view().legal == (Action.STAND, Action.HIT)
                assert outside.view().seat == DEALER
                outside.act(
                    Action.HIT if dealer_hits(house, outside.dealer.total, outside.dealer.soft) else Action.STAND
                )
            else:
                action = chance.choice(outside.legal)
                outside.act(action)
                inside.act(action)
        assert inside.over
        assert outside.events == inside.events
        assert outside.nets == inside.nets


def test_a_dealer_played_from_outside_may_stand_below_17_and_takes_no_other_action() -> None:
    round = Table("6D S17", [Player("ann")], dealer=Dealer(external=True), seed=1).deal([1])
    while not round.dealer_in_turn:
        round.act(Action.STAND)
    before = snapshot(round.table)
    for action in (Action.DOUBLE, Action.DECLINE):
        assert round.refusal(action) == Refusal.NOT_ASKED
        with pytest.raises(IllegalAction, match=r"dealer \(.*expected one of STAND, HIT"):
            round.act(action)
    with pytest.raises(IllegalAction, match="the dealer is in turn"):
        round.active_seat  # noqa: B018
    assert snapshot(round.table) == before
    total = round.dealer.total
    round.act(Action.STAND)
    assert (round.over, round.dealer.total) == (True, total)
