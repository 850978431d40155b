"""What hands are and may do in a round, and what is offered before they play: R2 to R17, as rounds."""

import pytest

from bj_env.errors import IllegalAction, NotationError
from bj_env.game.events import Kind
from bj_env.game.notation import parse
from bj_env.game.replay import replay, start
from bj_env.rules.terms import Action, Phase, Refusal
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


def test_r16_why_an_action_is_not_legal_is_on_record() -> None:
    """Report b168."""
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
