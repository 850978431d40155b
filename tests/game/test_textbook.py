"""Five textbook games (design 9b): each rule that their texts name, as a golden round or a refused call."""

import pytest

from bj_env.errors import BlackjackError, IllegalAction
from bj_env.game.cards import card
from bj_env.game.decision import Decision
from bj_env.game.hand import Assessment, Hand
from bj_env.game.participants import Dealer, Player
from bj_env.game.replay import replay
from bj_env.game.table import Table, TablePhase
from bj_env.game.view import View
from bj_env.rules.houses import parse_rules
from bj_env.rules.terms import Action
from bj_env.solver.dealer import bust_probability
from bj_env.strategies.simple import HouseRule, Scripted, Threshold

GOLDEN = {
    "even-money": """
        even-money ; D 9/8 ; P1 10 T,8 S => P1 +10 ; D 9,8
        even-money ; D 9/8 ; P1 10 A,K S => P1 +10 ; D 9,8
        even-money ; D T/7 ; P1 10 T,7 S => P1 0 ; D T,7
        even-money ; D A/T ; P1 10 7,7 H S ; next 7 => P1 0 ; D A,T
        even-money ; D T/6 ; P1 10 A,K S ; next 5 => P1 0 ; D T,6,5
        even-money ; D 6/A ; P1 10 T,8 S => P1 +10 ; D 6,A
        even-money ; D T/6 ; P1 10 T,6 H ; P2 20 T,2 H S ; next T,9,T => P1 -10 P2 +20 ; D T,6,T
    """,
    "hit-stand": """
        hit-stand ; D 9/8 ; P1 5 A,K => P1 +7 ; D 9,8
        hit-stand ; D 9/8 ; P1 10 A,K => P1 +15 ; D 9,8
        hit-stand ; D A/T ; P1 10 7,7 H ; next 7 => P1 -10 ; D A,T
        hit-stand ; D A/T ; P1 10 A,K => P1 0 ; D A,T
        hit-stand ; D T/6 ; P1 10 A,K ; P2 10 T,7 S ; next 5 => P1 +15 P2 -10 ; D T,6,5
        hit-stand ; D 6/A ; P1 10 T,7 S => P1 0 ; D 6,A
    """,
    "campus-s17": """
        campus-s17 ; D 9/8 ; P1 100 A,K => P1 +100 ; D 9,8
        campus-s17 ; D T/6 ; P1 100 A,K ; P2 100 7,7 H ; next 7,5 => P1 +100 P2 0 ; D T,6,5
        campus-s17 ; D T/A ; P1 100 T,9 => P1 -100 ; D T,A
        campus-s17 ; D 6/A ; P1 100 T,8 S => P1 +100 ; D 6,A
        1D H17 1:1 PEEK D0 SP1 NS NINS ; D 6/A ; P1 100 T,8 S ; next 4 => P1 -100 ; D 6,A,4
    """,
    "two-player": """
        two-player ; D 9/8 ; P1 10 T,T P S S ; next 9,8 => P1 +20 ; D 9,8
        two-player ; D 9/8 ; P1 10 A,A P H S S ; next 5,3,9 => P1 +20 ; D 9,8
        two-player ; D 9/8 ; P1 10 6,5 D ; next T => P1 +20 ; D 9,8
        two-player ; D A/T ; P1 10 6,5 D ; next T => P1 0 ; D A,T
        two-player ; D T/6 ; P1 10 A,K ; next 5 => P1 0 ; D T,6,5
        two-player ; D 9/8 ; P1 10 A,K => P1 +10 ; D 9,8
    """,
    "campus-h17": """
        campus-h17 ; D 9/8 ; P1 5 A,K => P1 +7.5 ; D 9,8
        campus-h17 ; D A/T ; P1 10 7,7 H ; next 7 => P1 0 ; D A,T
        campus-h17 ; D A/T ; P1 10 A,K => P1 0 ; D A,T
        campus-h17 ; D T/6 ; P1 10 A,K ; P2 10 T,9 S ; next 5 => P1 +15 P2 -10 ; D T,6,5
        campus-h17 ; D 6/A ; P1 10 T,8 S ; next 4 => P1 -10 ; D 6,A,4
    """,
}


@pytest.mark.parametrize("line", [line.strip() for lines in GOLDEN.values() for line in lines.strip().splitlines()])
def test_golden_round(line: str) -> None:
    replay(line)


@pytest.mark.parametrize(
    ("line", "refused"),
    [
        ("even-money ; D 9/8 ; P1 10 6,5 D ; next T", "DOUBLE"),
        ("hit-stand ; D 9/8 ; P1 10 8,8 P ; next T,T", "SPLIT"),
        ("campus-s17 ; D 9/8 ; P1 10 T,6 R", "SURRENDER"),
        ("two-player ; D 9/8 ; P1 10 T,K P ; next T,T", "SPLIT"),
        ("campus-h17 ; D 9/8 ; P1 10 6,5 D ; next T", "DOUBLE"),
    ],
)
def test_other_actions_are_refused(line: str, refused: str) -> None:
    with pytest.raises(IllegalAction, match=f"got {refused}"):
        replay(line)


def test_even_money_goes_from_phase_to_phase_and_refuses_calls_out_of_it() -> None:
    table = Table("even-money", [Player("ann", bankroll=100), Player("bob", bankroll=100)], seed=1)
    assert table.phase is TablePhase.STARTED
    with pytest.raises(BlackjackError, match="at least one above 0"):
        table.deal()
    table.place_bet(0, 10)
    table.place_bet(0, 30)
    table.place_bet(1, 20)
    assert table.phase is TablePhase.BETS_PLACED
    round = table.deal()
    assert table.phase is TablePhase.CARDS_DEALT
    for call in (lambda: table.place_bet(0, 10), table.deal):
        with pytest.raises(BlackjackError, match="expected the round before to be over"):
            call()
    while not round.over:
        round.act(Action.STAND)
    assert table.phase is TablePhase.END
    assert [seat.bet for seat in round.seats] == [300, 200]
    with pytest.raises(IllegalAction, match="the round is over"):
        round.act(Action.STAND)
    assert sum(player.bankroll or 0 for player in table.players) == 200 + sum(round.nets) / 10


def test_the_last_valid_bet_stands() -> None:
    """Report b047."""
    table = Table("even-money", [Player("ann", bankroll=100)], seed=1)
    for chips in (10, 10, 30):
        table.place_bet(0, chips)
    for nonsense in (-1, 2.5, 101, 5000, True):
        with pytest.raises(BlackjackError, match="bet of P1"):
            table.place_bet(0, nonsense)  # type: ignore[arg-type]
    assert table.deal().seats[0].bet == 300


@pytest.mark.parametrize(("rules", "chance"), [("1D S17", 0.283585402513), ("INF S17 NINS", 0.281592847367)])
def test_the_dealer_busts_as_often_as_published(rules: str, chance: float) -> None:
    assert bust_probability(parse_rules(rules)) == pytest.approx(chance, abs=1e-12)


@pytest.mark.parametrize(
    ("cards", "assessment", "values"),
    [
        ("", Assessment.INSUFFICIENT_CARDS, (0,)),
        ("A", Assessment.INSUFFICIENT_CARDS, (1, 11)),
        ("AK", Assessment.BLACKJACK, (11, 21)),
        ("777", Assessment.NORMAL, (21,)),
        ("A6", Assessment.NORMAL, (7, 17)),
        ("A6T", Assessment.NORMAL, (17,)),
        ("AA", Assessment.NORMAL, (2, 12)),
        ("T66", Assessment.BUST, (22,)),
    ],
)
def test_campus_h17_assesses_a_hand_and_its_one_or_two_values(
    cards: str, assessment: Assessment, values: tuple[int, ...]
) -> None:
    hand = Hand(map(card, cards))
    assert (hand.assessment, hand.values) == (assessment, values)


def test_campus_h17_takes_chips_of_five_and_more() -> None:
    table = Table("campus-h17", [Player("ann", bankroll=700)], seed=1)
    with pytest.raises(BlackjackError, match="0 or 5 to 1000"):
        table.place_bet(0, 4)
    for chip in (5, 10, 50, 100, 500):
        table.place_bet(0, chip)


def test_the_dealers_chair_is_played_by_the_house_or_by_a_decision() -> None:
    def dealers_hand(decision: Decision | None) -> str:
        table = Table("two-player", [Player("ann", Threshold(4))], dealer=Dealer(decision))
        table.stack([card(word) for word in "T6823T9"])
        return str(table.play_round().dealer)

    assert dealers_hand(None) == dealers_hand(HouseRule()) == "6,2,3,T hard 21"
    assert dealers_hand(Scripted([Action.HIT, Action.STAND])) == "6,2,3 hard 11"


def test_a_dealer_who_answers_nonsense_voids_the_round() -> None:
    class Nonsense(Decision):
        def play(self, view: View) -> Action:
            return Action.SPLIT

    player = Player("ann", Threshold(4), bankroll=100)
    table = Table("two-player", [player], dealer=Dealer(Nonsense()))
    table.stack([card(word) for word in "T682"])
    with pytest.raises(BlackjackError, match=r"dealer .* expected HIT or STAND"):
        table.play_round()
    assert player.bankroll == 100
    table.dealer.decision = None
    assert table.play_round().over


def test_two_player_is_played_until_the_money_is_gone() -> None:
    player = Player("ann", Threshold(17), bankroll=20)
    table = Table("two-player", [player], seed=4)
    rounds = 0
    while table.ask_bet(0) and rounds < 20_000:
        table.play_round()
        rounds += 1
    assert player.bankroll == 0
