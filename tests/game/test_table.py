"""The table: bets and money, the shoe from round to round, shuffles in mid-round, misdeals."""

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from random import Random
from typing import Any

import numpy as np
import pytest

from bj_env.errors import BlackjackError
from bj_env.game.cards import FACES, card
from bj_env.game.events import Kind
from bj_env.game.notation import parse
from bj_env.game.participants import Dealer, Player, ticks
from bj_env.game.replay import replay
from bj_env.game.round import Round
from bj_env.game.table import Table
from bj_env.rules.terms import Action, Phase
from bj_env.strategies.simple import Threshold
from tests.generators import on_table, play_out, snapshot, undealt


def table(rules: str = "6D NINS NS", *, banks: Sequence[float | None] = (100,), seed: int = 1, **rest: Any) -> Table:
    players = [Player(f"P{seat}", Threshold(17), bankroll=bank) for seat, bank in enumerate(banks, 1)]
    return Table(rules, players, seed=seed, **rest)


def kinds(round: Round) -> list[Kind]:
    return [event.kind for event in round.events]


# --- bets and money ---


@pytest.mark.parametrize(
    ("bets", "message"),
    [
        ([10], "bets: expected one for each of 2 seats, got 1"),
        ([10, 10, 10], "bets: expected one for each of 2 seats, got 3"),
        ([0, 0], "bets: expected at least one above 0"),
        ([4, 5], "bet of P1: expected 0 or 5 to 500 whole chips, got 4"),
        ([5, 501], "bet of P2: expected 0 or 5 to 500 whole chips, got 501"),
        ([5, -5], "bet of P2: expected 0 or 5 to 500 whole chips, got -5"),
        ([5, 7.5], "bet of P2: expected 0 or 5 to 500 whole chips, got 7.5"),
        ([5, True], "bet of P2: expected 0 or 5 to 500 whole chips, got True"),
        ([5, "5"], "bet of P2: expected 0 or 5 to 500 whole chips, got '5'"),
        ([101, 5], "bet of P1: expected at most the 100 chips it has, got 101"),
    ],
    ids=str,
)
def test_a_wrong_bet_is_refused_by_seat_and_changes_nothing(bets: Any, message: str) -> None:
    one = table("6D MIN5 MAX500", banks=(100, None))
    before = snapshot(one)
    with pytest.raises(BlackjackError, match=message):
        one.deal(bets)
    assert snapshot(one) == before
    assert one.round is None


def test_a_second_deal_is_refused_while_a_round_is_played() -> None:
    """Report b047."""
    one = table()
    one.stack([card(word) for word in "T7T8"])
    one.deal([10])
    before = snapshot(one)
    with pytest.raises(BlackjackError, match="deal: expected the round before to be over"):
        one.deal([30])
    assert snapshot(one) == before
    assert one.round is not None
    assert one.round.seats[0].bet == 100


def test_settlement_never_compares_balances() -> None:
    """Report b026."""
    one = table(banks=(100, 100))
    one.stack([card(word) for word in "TTT69T"])
    round = one.deal([100, 50])
    one.players[0].receive(10)
    round.act(Action.STAND)
    round.act(Action.STAND)
    assert (round.nets, one.players[0].bankroll, one.players[1].bankroll) == ((-1000, -500), 1, 50)


def test_a_stake_is_in_escrow_until_the_end() -> None:
    one = table("6D NS", banks=(100,))
    one.stack([card(word) for word in "8A893TT"])
    round = one.deal([20])
    assert one.players[0].bankroll == 80
    round.act(Action.INSURE)
    assert one.players[0].bankroll == 70
    round.act(Action.SPLIT)
    assert one.players[0].bankroll == 50
    round.act(Action.DOUBLE)
    assert one.players[0].bankroll == 30
    round.act(Action.STAND)
    assert (round.nets, one.players[0].bankroll) == ((400 - 200 - 100,), 110)


def test_the_bankroll_after_a_win_a_push_and_a_blackjack() -> None:
    """Report b166."""
    one = table("6D PEN50 NINS NS", banks=(100,))
    one.stack([card(word) for word in "T79T" + "T77T" + "A9K8"])
    shown = []
    for _ in range(3):
        round = one.deal([10])
        if not round.over:
            round.act(Action.STAND)
        shown.append(one.players[0].bankroll)
    assert shown == [110, 110, 125]


@pytest.mark.parametrize("chips", [-1, 0.25, "5", True, float("nan"), float("inf"), 10**13, 10**400, None], ids=str)
def test_money_is_chips_with_at_most_one_decimal(chips: Any) -> None:
    with pytest.raises(BlackjackError, match=r"^bankroll: expected chips from 0 up, at most one decimal, got"):
        ticks(chips, "bankroll")


@pytest.mark.parametrize("chips", [np.float16(10.1), np.float32(10.1), np.float64(10.1), Fraction(101, 10)], ids=repr)
@pytest.mark.filterwarnings("error")
def test_money_is_what_a_number_of_any_precision_says(chips: Any) -> None:
    assert ticks(chips, "bankroll") == 101


def test_a_player_who_cannot_cover_the_minimum_sits_out() -> None:
    one = table("6D MIN5", banks=(4.9, None))
    assert [one.ask_bet(seat) for seat in range(2)] == [0, 5]


# --- who sits there ---


@pytest.mark.parametrize(("rules", "most"), [("1D", 12), ("2D", 25), ("1D ENHC", 12), ("infinite", 207)])
def test_a_first_deal_of_over_half_the_shoe_is_refused(rules: str, most: int) -> None:
    assert table(rules, banks=[None] * most).deal([1] * most)
    with pytest.raises(BlackjackError, match="at most half the shoe"):
        table(rules, banks=[None] * (most + 1))


def test_nobody_at_the_table_is_refused() -> None:
    with pytest.raises(BlackjackError, match="players: expected at least one, got none"):
        table(banks=())


@pytest.mark.parametrize("seats", [1, 7, 25])
def test_any_number_of_seats_plays(seats: int) -> None:
    one = table("6D", banks=[None] * seats)
    round = one.play_round()
    assert len(round.nets) == seats


# --- the shoe ---


@pytest.mark.parametrize("rules", ["6D", "1D", "INF"])
def test_r8_without_a_cut_card_every_round_has_a_fresh_shoe(rules: str) -> None:
    one = table(rules, banks=(None,))
    for _ in range(30):
        round = one.play_round()
        assert kinds(round).count(Kind.SHUFFLE) == 1
        assert sum(one.shoe.seen) == sum(on_table(round).values()) == len(one.shoe.dealt)


def test_r8_the_cut_card_lets_the_round_finish_and_then_comes_the_shuffle() -> None:
    """Report b063."""
    one = table("1D PEN50 BURN2 NINS NS", banks=(None,) * 3)
    for _ in range(40):
        pending, dealt, seen = one.shoe.shuffle_pending, len(one.shoe.dealt), sum(one.shoe.seen)
        round = one.play_round()
        first = [kind for kind in kinds(round) if kind is not Kind.BET][:4]
        if pending:
            assert first[:3] == [Kind.SHUFFLE, Kind.BURN, Kind.BURN], "shuffle, burn and a new count before the deal"
            assert sum(one.shoe.seen) == sum(on_table(round).values())
            assert len(one.shoe.dealt) == sum(one.shoe.seen) + 2, "a burned card is not seen"
        else:
            assert Kind.SHUFFLE not in kinds(round)
            assert sum(one.shoe.seen) == seen + sum(on_table(round).values())
            assert len(one.shoe.dealt) == dealt + sum(on_table(round).values())
        assert one.shoe.shuffle_pending == (len(one.shoe.dealt) >= 26)


def test_a_drawn_card_leaves_the_shoe() -> None:
    """Report b060."""
    one = table("1D NS NINS")
    one.stack([card(word) for word in ["Th", "2c", "9h", "3d", "Js", "2d"]])
    round = one.deal([10])
    round.act(Action.STAND)
    assert [str(dealt) for dealt in round.dealer.cards] == ["2c", "3d", "Js", "2d"]
    assert on_table(round) + undealt(one) == Counter(map(str, FACES))


@pytest.mark.parametrize("seed", range(40))
def test_the_shoe_runs_out_in_mid_round_and_the_discards_alone_come_back(seed: int) -> None:
    """Report b062. One deck, seven seats that draw to 21, the cut card at the very end."""
    players = [Player("", Threshold(21)) for _ in range(7)]
    one = Table("1D PEN95 D0 SP1 NS NINS", players, seed=seed)
    shuffled = 0
    for _ in range(12):
        round = one.play_round()
        dealt = kinds(round)[kinds(round).index(Kind.DEAL) :]
        assert max(on_table(round).values()) == 1, "no card lies on the table twice"
        if Kind.SHUFFLE in dealt:
            shuffled += 1
            assert one.shoe.shuffle_pending
            assert sum(one.shoe.seen) == sum(on_table(round).values()) - (round.void and round.hole is not None)
            assert on_table(round) + undealt(one) == Counter(map(str, FACES))
    assert shuffled >= 1


def small(cards: str, rules: str = "1D NINS NS") -> Table:
    """Set up a table in whose shoe there are the given cards alone, in this order."""
    one = table(rules)
    one.stack([card(word) for word in cards], alone=True)
    return one


def test_without_cards_and_without_discards_the_round_is_void() -> None:
    one = small("T6T5", "1D PEN75 NINS NS")
    round = one.deal([10])
    round.act(Action.STAND)
    assert (round.over, round.void, round.nets, round.phase) == (True, True, (0,), Phase.ROUND_OVER)
    assert kinds(round)[-1] is Kind.MISDEAL
    assert one.players[0].bankroll == 100
    assert one.shoe.shuffle_pending
    assert one.deal([10]) is not round, "and the table goes on"


def test_a_void_round_gives_back_doubles_splits_and_insurance() -> None:
    one = small("8A8923", "1D NS")
    round = one.deal([10])
    for action in (Action.INSURE, Action.SPLIT, Action.HIT):
        round.act(action)
    if not round.over:
        round.act(Action.HIT)
    assert (round.void, round.nets, one.players[0].bankroll) == (True, (0,), 100)


@pytest.mark.parametrize(
    "line",
    [
        "six-deck ; D 6/T ; P1 10 8,3 H => MISDEAL ; D 6,T",
        "six-deck ; D 6/T ; P1 10 8,8 P D ; P2 10 T,T ; next 3 => MISDEAL ; D 6,T",
        "six-deck ; D 6/T ; P1 10 T,8 S => MISDEAL ; D 6,T",
        "6D ENHC ; D 6 ; P1 10 T,8 S => MISDEAL ; D 6",
    ],
)
def test_a_misdeal_replays_and_its_record_reads_back(line: str) -> None:
    round = replay(line)
    assert (round.void, set(round.nets)) == (True, {0})
    record = str(round.record())
    assert replay(record).void
    assert parse(record).result == parse(line).result


def test_burned_cards_that_the_shoe_does_not_have_are_refused_and_do_not_crash() -> None:
    with pytest.raises(BlackjackError, match="burn"):
        table("6D BURN20", shoe=FACES[:8]).deal([10])


# --- giving up, starting anew ---


def test_a_round_given_up_returns_its_stakes_and_its_cards_are_discards() -> None:
    one = table("6D PEN75 NS NINS")
    one.stack([card(word) for word in "8696"])
    one.deal([10])
    one.abandon()
    assert (one.round, one.players[0].bankroll, len(one.shoe.dealt)) == (None, 100, 4)
    one.deal([10])


def test_a_seed_is_a_table_of_its_own() -> None:
    def events(seed: int, number: int = 0) -> list[str]:
        one = table("6D PEN75", banks=(None,), seed=seed, number=number)
        return [str(event) for _ in range(20) for event in one.play_round().events]

    assert events(1) == events(1)
    assert len({tuple(events(seed, number)) for seed in (1, 2, 2**32 + 1) for number in (0, 1)}) == 6
    one = table("6D PEN75", banks=(None,), seed=9)
    one.play_round()
    one.reseed(1)
    assert [str(event) for _ in range(20) for event in one.play_round().events] == events(1)


def test_seats_of_two_tables_with_one_seed_choose_differently() -> None:
    def choices(number: int, seat: int) -> list[int]:
        stream = table(banks=(None, None), number=number).streams[seat]
        return [stream.below(1000) for _ in range(10)]

    places = [(number, seat) for number in (0, 1) for seat in (0, 1, -1)]
    assert len({tuple(choices(*place)) for place in places}) == 6


def test_a_sitting_out_seat_gets_no_card_and_no_net() -> None:
    one = table(banks=(100, 100, 100))
    round = play_out(one.deal([10, 0, 10]), Random(1))
    assert (round.seats[1].hands, round.nets[1], one.players[1].bankroll) == ([], 0, 100)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"players": None}, "players: expected a list of Players"),
        ({"players": "ann"}, "players: expected a list of Players"),
        ({"players": ["ann"]}, "players: expected a Player, got 'ann'"),
        ({"players": [Player("ann", "mimik")]}, "ann: expected a Decision, got 'mimik'"),  # type: ignore[arg-type]
        ({"dealer": "mimic"}, "dealer: expected a Dealer"),
        ({"number": "1"}, "number: expected a whole number"),
        ({"number": -1}, "number: expected a whole number"),
        ({"shoe": 52}, "shoe: expected a list of Cards"),
        ({"shoe": ["A", "K"]}, "shoe: expected a list of Cards"),
        ({"seed": None}, "seed: expected a whole number"),
    ],
    ids=["none", "text", "names", "decision", "dealer", "word", "negative", "number", "letters", "seed"],
)
def test_a_table_says_what_is_wrong_with_its_arguments(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(BlackjackError, match=message):
        Table("six-deck", **{"players": [Player("ann")]} | arguments)


@pytest.mark.parametrize("bets", [None, 5, "10", {10}])
def test_bets_that_are_no_list_are_refused(bets: Any) -> None:
    with pytest.raises(BlackjackError, match="bets: expected"):
        Table("six-deck", [Player("ann")]).deal(bets)


@pytest.mark.parametrize(
    ("players", "dealer", "message"),
    [
        ([Player("ann", "basic")], None, "ann: expected a Decision, got 'basic'; bj_env.strategy"),  # type: ignore[arg-type]
        ([Player("ann")], Dealer("mimic"), "dealer: expected a Decision, got 'mimic'; bj_env.strategy"),  # type: ignore[arg-type]
    ],
)
def test_a_table_takes_decisions_and_no_names(players: list[Player], dealer: Dealer | None, message: str) -> None:
    with pytest.raises(BlackjackError, match=message):
        Table("six-deck", players, dealer=dealer)
