"""Money: what each hand, insurance and surrender pays, as golden lines."""

import pytest

from bj_env.game.replay import replay
from bj_env.rules.numbered import hand_net, original_bet_net, whole_chips
from bj_env.rules.terms import TICKS, HoleCard, Payout, Rules
from tests.lines import each_line, plays


@each_line("""
    6D WHOLE NS ; D 9/7 ; P1 5 A,K => P1 +7 ; D 9,7
    6D WHOLE NS 6:5 ; D 9/7 ; P1 1 A,K => P1 +1 ; D 9,7
    6D WHOLE NS 7:5 ; D 9/7 ; P1 1 A,K => P1 +1 ; D 9,7
    6D WHOLE ; D T/7 ; P1 5 T,6 R => P1 -3 ; D T,7
    6D WHOLE ES ; D T/7 ; P1 5 T,6 R => P1 -3 ; D T,7
    6D WHOLE NS ; D A/K ; P1 5 T,8 I => P1 -1 ; D A,K
    6D WHOLE NS ; D A/9 ; P1 5 T,8 I S => P1 -7 ; D A,9
    6D WHOLE NS ; D 6/T ; P1 5 6,5 D ; next T,T => P1 +10 ; D 6,T,T
    hit-stand ; D 9/7 ; P1 3 A,K => P1 +4 ; D 9,7
""")
def test_r21_the_house_may_pay_down_to_whole_chips(line: str) -> None:
    plays(line)


def test_r21_whole_chips_never_pays_more_and_never_a_chip_less() -> None:
    rules = Rules(round_payouts=True)
    assert all(
        0 <= ticks - whole_chips(rules, ticks) < 10 and whole_chips(rules, ticks) % 10 == 0 for ticks in range(99)
    )


@each_line("""
    six-deck ; D A/K ; P1 5 T,8 I => P1 0 ; D A,K
    six-deck ; D A/9 ; P1 5 T,8 I S => P1 -7.5 ; D A,9
    six-deck ; D A/K ; P1 5 A,K I => P1 +5 ; D A,K
    six-deck ; D A/9 ; P1 5 A,K I => P1 +5 ; D A,9
    6D 6:5 ; D A/9 ; P1 10 A,K I => P1 +7 ; D A,9
    6D 6:5 ; D A/K ; P1 10 A,K I => P1 +10 ; D A,K
""")
def test_r22_insurance_is_half_the_bet_exactly_and_even_money_for_a_blackjack_at_3_to_2(line: str) -> None:
    plays(line)


@each_line("""
    six-deck ; D T/7 ; P1 5 T,6 R => P1 -2.5 ; D T,7
    six-deck ; D T/7 ; P1 1 T,6 R => P1 -0.5 ; D T,7
""")
def test_r23_surrender_gives_half_the_bet_back_exactly(line: str) -> None:
    plays(line)


@each_line("""
    6D 3:2 ; D 9/7 ; P1 5 A,K => P1 +7.5 ; D 9,7
    6D 6:5 ; D 9/7 ; P1 5 A,K => P1 +6 ; D 9,7
    6D 6:5 ; D 9/7 ; P1 1 A,K => P1 +1.2 ; D 9,7
    6D 7:5 ; D 9/7 ; P1 5 A,K => P1 +7 ; D 9,7
    6D 1:1 ; D 9/7 ; P1 5 A,K => P1 +5 ; D 9,7
    6D 2:1 ; D 9/7 ; P1 5 A,K => P1 +10 ; D 9,7
    six-deck ; D 9/8 ; P1 1000 A,K => P1 +1500 ; D 9,8
    6D 2:1 ; D T/7 ; P1 10 A,A P ; next T,T => P1 +20 ; D T,7
""")
def test_r24_a_blackjack_wins_its_payout(line: str) -> None:
    plays(line)


@each_line("""
    six-deck ; D T/9 ; P1 10 T,9 S => P1 0 ; D T,9
    six-deck ; D T/9 ; P1 10 T,8 S => P1 -10 ; D T,9
    six-deck ; D T/9 ; P1 10 T,T S => P1 +10 ; D T,9
    six-deck ; D T/6 ; P1 10 T,2 S ; next T => P1 +10 ; D T,6,T
    six-deck ; D T/6 ; P1 10 T,6 H ; P2 10 2,2 S ; next T,T => P1 -10 P2 +10 ; D T,6,T
    six-deck ; D 5/6 ; P1 10 6,5 D ; next T,T => P1 0 ; D 5,6,T
    six-deck ; D T/T ; P1 10 6,5 D ; next 2 => P1 -20 ; D T,T
    six-deck ; D A/K ; P1 10 A,K => P1 0 ; D A,K
    6D ENHC NS ; D T ; P1 10 7,7 H ; next 7,A => P1 -10 ; D T,A
""")
def test_r24_the_higher_total_wins(line: str) -> None:
    plays(line)


@each_line("""
    6D NOPEEK BJ21PUSH NS NINS ; D A/K ; P1 10 7,7 H ; next 7 => P1 0 ; D A,K
    6D NOPEEK NS NINS ; D A/K ; P1 10 7,7 H ; next 7 => P1 -10 ; D A,K
    6D NOPEEK BJ21PUSH NS NINS ; D A/K ; P1 10 T,T S => P1 -10 ; D A,K
    6D NOPEEK BJ21PUSH NS NINS ; D A/K ; P1 10 A,K => P1 0 ; D A,K
    6D NOPEEK BJ21PUSH NS NINS ; D A/K ; P1 10 A,A P ; next T,5 => P1 -10 ; D A,K
    6D NOPEEK BJ21PUSH NS NINS ; D A/K ; P1 10 6,5 D ; next T => P1 0 ; D A,K
    6D ENHC BJ21PUSH NS NINS ; D A ; P1 10 7,7 H ; next 7,K => P1 0 ; D A,K
    6D PEEK BJ21PUSH NS NINS ; D A/K ; P1 10 7,7 => P1 -10 ; D A,K
    6D NOPEEK BJ21PUSH TIELOSE NS NINS ; D A/K ; P1 10 7,7 H ; next 7 => P1 -10 ; D A,K
    campus-h17 ; D K/A ; P1 10 7,7 H ; next 7 => P1 0 ; D K,A
""")
def test_r24_a_drawn_21_ties_a_dealer_blackjack_where_the_house_says_so(line: str) -> None:
    plays(line)


@each_line("""
    6D NAT21 NS ; D 5/6 ; P1 10 A,K ; next T => P1 0 ; D 5,6,T
    6D NAT21 NS ; D T/T ; P1 10 A,K => P1 +15 ; D T,T
    6D NAT21 NS ; D T/6 ; P1 10 A,K ; next T => P1 +15 ; D T,6,T
    6D NAT21 1:1 NS ; D T/T ; P1 10 A,K => P1 +10 ; D T,T
    6D NAT21 TIELOSE NS ; D 5/6 ; P1 10 A,K ; next T => P1 -10 ; D 5,6,T
    6D NS ; D 5/6 ; P1 10 A,K ; next T => P1 +15 ; D 5,6 ; left T
    even-money ; D 5/6 ; P1 10 A,K S ; next T => P1 0 ; D 5,6,T
    gymnasium-natural ; D T/T ; P1 10 A,K S => P1 +15 ; D T,T
    gymnasium-natural ; D 5/6 ; P1 10 A,K S ; next T => P1 0 ; D 5,6,T
    gymnasium-plain ; D A/K ; P1 10 7,7 H S ; next 7 => P1 0 ; D A,K
    sutton-barto ; D 5/6 ; P1 10 A,K S ; next T => P1 +10 ; D 5,6 ; left T
""")
def test_r24_a_blackjack_is_an_ordinary_21_where_the_house_says_so(line: str) -> None:
    plays(line)


@each_line("""
    6D TIELOSE NS ; D T/8 ; P1 10 T,8 S => P1 -10 ; D T,8
    6D TIELOSE NS ; D 5/6 ; P1 10 6,5 D ; next T,T => P1 -20 ; D 5,6,T
    6D TIELOSE NS ; D A/K ; P1 10 A,K => P1 0 ; D A,K
    6D TIELOSE NS ; D T/8 ; P1 10 T,9 S => P1 +10 ; D T,8
    6D TIELOSE NS ; D T/7 ; P1 10 A,K => P1 +15 ; D T,7
""")
def test_r24_the_dealer_wins_ties_where_the_house_says_so(line: str) -> None:
    plays(line)


@each_line("""
    6D OBO NS ; D T ; P1 10 6,5 D ; next 9,A => P1 -10 ; D T,A
    6D OBO NS ; D T ; P1 10 8,8 P S S ; next 2,3,A => P1 -10 ; D T,A
    6D OBO NS ; D T ; P1 10 8,8 P D S ; next 3,T,T,A => P1 -10 ; D T,A
    6D OBO NS ; D T ; P1 10 8,8 P H S ; next 5,T,T,A => P1 -10 ; D T,A
    6D OBO NS ; D T ; P1 10 8,8 P H H ; next 5,T,6,T,A => P1 -10 ; D T,A
    6D OBO NS ; D T ; P1 10 T,2 D ; next T,A => P1 -10 ; D T,A
    6D OBO NS ; D T ; P1 10 T,2 D ; P2 10 6,5 D ; next T,9,A => P1 -10 P2 -10 ; D T,A
    6D OBO NS ; D T ; P1 10 8,8 P S S ; next 2,3,9 => P1 -20 ; D T,9
    6D OBO NS ; D A ; P1 10 6,5 I D ; next 9,K => P1 0 ; D A,K
    6D OBO NS ; D T ; P1 10 A,K ; next A => P1 0 ; D T,A
    6D ENHC NS ; D T ; P1 10 8,8 P D S ; next 3,T,T,A => P1 -30 ; D T,A
""")
def test_r25_only_the_original_bet_is_lost_to_a_dealer_blackjack(line: str) -> None:
    plays(line)


@pytest.mark.parametrize("hole_card", HoleCard)
def test_r25_the_limit_is_for_original_bets_only_and_for_losses_to_a_blackjack(hole_card: HoleCard) -> None:
    rules = Rules(hole_card=hole_card)
    limited = hole_card is HoleCard.OBO
    assert original_bet_net(rules, -200, 100, True, False) == (-100 if limited else -200)
    assert original_bet_net(rules, -200, 100, False, False) == -200
    assert original_bet_net(rules, 200, 100, True, True) == 200


@pytest.mark.parametrize("payout", Payout)
@pytest.mark.parametrize("ties_lose", [False, True])
def test_r24_a_hand_wins_pushes_or_loses_its_stake_and_a_blackjack_its_payout(payout: Payout, ties_lose: bool) -> None:
    rules = Rules(blackjack_payout=payout, dealer_wins_ties=ties_lose)
    for total in range(4, 31):
        for dealer in range(17, 27):
            net = hand_net(rules, 100, total, False, False, dealer, False)
            if total > 21 or (dealer <= 21 and total < dealer):
                assert net == -100
            elif total == dealer:
                assert net == (-100 if ties_lose else 0)
            else:
                assert net == 100
    assert hand_net(rules, 100, 21, True, False, 21, False) == 10 * payout


def test_the_nets_of_all_seats_are_what_the_house_pays() -> None:
    round = replay("six-deck ; D T/6 ; P1 10 T,6 R ; P2 20 A,K ; P3 5 T,9 S ; next T")
    assert round.nets == (-50, 300, 50)


def test_a_split_a_double_and_insurance_make_one_round_of_two_hands_and_three_and_a_half_units() -> None:
    """Report b135."""
    round = replay("six-deck ; D A/8 ; P1 1 8,8 I P D S ; next 3,T,T => P1 +0.5 ; D A,8")
    seat = round.seats[0]
    assert (len(round.seats), len(seat.hands)) == (1, 2)
    assert seat.bet == TICKS  # what results are counted in: one initial bet a round
    assert sum(hand.stake for hand in seat.hands) + seat.insurance == 3.5 * TICKS
