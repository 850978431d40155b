"""The order of a round and the dealer's part in it, R18 to R20, as golden lines.

What each round pays is pinned in test_settlement.py; the expected results are worked out from the text of the rules.
"""

from random import Random

import pytest
from hypothesis import given

from bj_env.errors import BlackjackError, IllegalAction
from bj_env.game.events import DEALER, Kind
from bj_env.game.notation import parse
from bj_env.game.participants import Dealer, Player
from bj_env.game.replay import replay, start
from bj_env.game.table import Table
from bj_env.rules.numbered import dealer_hits
from bj_env.rules.terms import Action, Refusal, Rules
from tests.generators import rules, seeds, snapshot
from tests.lines import each_line, plays


def refuses(line: str, action: str, rule: str) -> None:
    with pytest.raises(IllegalAction, match=f"got {action}: .*{rule}"):
        replay(line)


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
    assert len(round.shoe.dealt) == 3


@pytest.mark.parametrize("house", ["6D", "6D NOPEEK"])
def test_a_dealt_hole_card_is_turned_at_the_end_and_counts_as_seen_from_then(house: str) -> None:
    round = start(parse(f"{house} ; D 6/5 ; P1 10 T,6 ; next K"))
    assert round.shoe.seen[5] == 0
    round.act(Action.HIT)
    assert round.over
    assert round.shoe.seen[5] == 1
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
    before = snapshot(round)
    for action in (Action.DOUBLE, Action.DECLINE):
        assert round.refusal(action) == Refusal.NOT_ASKED
        with pytest.raises(IllegalAction, match=r"dealer \(.*expected one of STAND, HIT"):
            round.act(action)
    with pytest.raises(IllegalAction, match="the dealer is in turn"):
        round.active_seat  # noqa: B018
    assert snapshot(round) == before
    total = round.dealer.total
    round.act(Action.STAND)
    assert (round.over, round.dealer.total) == (True, total)
