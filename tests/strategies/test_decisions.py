"""Decisions: what each named one does, what it may see, and what becomes of one that fails."""

import copy
import gc
import inspect
import pickle
from types import FunctionType, ModuleType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bj_env.env.env import BlackjackEnv
from bj_env.errors import BlackjackError, DecisionError
from bj_env.game.decision import Decision
from bj_env.game.notation import parse
from bj_env.game.participants import Dealer, Player
from bj_env.game.replay import start
from bj_env.game.rng import Stream
from bj_env.game.round import Round
from bj_env.game.shoe import Shoe
from bj_env.game.table import Table
from bj_env.game.view import View
from bj_env.rules.terms import Action
from bj_env.strategies.registry import strategy
from bj_env.strategies.simple import HitDecision, HouseRule, NeverBust, RandomLegal, Scripted, Threshold
from tests.generators import snapshot, tables


def played(decision: Decision, line: str) -> str:
    """Let a decision play the first seat of a line, and return its cards and actions."""
    round = start(parse(line))
    round.seats[0].player.decision = decision
    actions = []
    while not round.over:
        round.ask()
        actions.append(round.events[-1])
    taken = [event.action.name for event in round.events if event.action is not None]
    return f"{','.join(map(str, round.seats[0].hands[0].cards))} {' '.join(taken)}"


@pytest.mark.parametrize(
    ("name", "line", "result"),
    [
        ("threshold:15", "6D NINS ; D T/7 ; P1 10 T,4 ; next A,T", "T,4,A HIT STAND"),
        ("threshold", "6D NINS ; D T/7 ; P1 10 A,6 ; next T", "A,6 STAND"),
        ("threshold:4", "6D ; D A/7 ; P1 10 2,2", "2,2 DECLINE STAND"),
        ("mimic", "6D S17 ; D T/7 ; P1 10 A,6 ; next T", "A,6 STAND"),
        ("mimic", "6D H17 ; D T/7 ; P1 10 A,6 ; next 4", "A,6 STAND"),
        ("mimic", "6D ES ; D T/7 ; P1 10 8,8 ; next 2", "8,8,2 DECLINE HIT STAND"),
        ("never-bust", "6D ; D T/7 ; P1 10 T,2", "T,2 STAND"),
        ("never-bust", "6D ; D T/7 ; P1 10 A,6 ; next T", "A,6,T HIT STAND"),
        ("never-bust", "6D ; D T/7 ; P1 10 A,7", "A,7 STAND"),
        ("basic", "6D ; D T/7 ; P1 10 T,6", "T,6 SURRENDER"),
        ("basic", "6D ES ; D T/7 ; P1 10 T,6", "T,6 SURRENDER"),
        ("basic", "6D ES ; D T/7 ; P1 10 T,9", "T,9 DECLINE STAND"),
        ("basic", "6D NS ; D T/7 ; P1 10 T,6 ; next 5", "T,6,5 HIT"),
        ("basic", "6D ; D A/7 ; P1 10 T,9", "T,9 DECLINE STAND"),
        ("basic", "6D ; D 6/T ; P1 10 6,5 ; next T,T", "6,5,T DOUBLE"),
        ("basic", "6D NS ; D 6/T ; P1 10 bank 10 6,5 ; next T,T", "6,5,T HIT"),
    ],
)
def test_named_decisions_play_as_they_say(name: str, line: str, result: str) -> None:
    assert played(strategy(name), line) == result


def test_a_hit_logic_of_one_method_fits_through_the_adapter() -> None:
    asked: list[tuple[int, bool, int]] = []

    def hit(total: int, soft: bool, upcard: int) -> bool:
        asked.append((total, soft, upcard))
        return total < 13

    assert played(HitDecision(hit), "6D ; D T/7 ; P1 10 A,A ; next T,2") == "A,A,T,2 HIT HIT STAND"
    assert asked == [(12, True, 10), (12, False, 10), (14, False, 10)]


def test_a_script_plays_what_is_written_and_then_refuses_to_guess() -> None:
    script = Scripted([Action.INSURE, Action.HIT, Action.STAND])
    assert played(script, "6D ; D A/7 ; P1 10 T,2 ; next 2") == "T,2,2 INSURE HIT STAND"
    with pytest.raises(DecisionError, match=r"P1 hand 1 \(T,2 hard 12\) against A: the script has no action left"):
        played(Scripted([]), "6D ; D A/7 ; P1 10 T,2")


@given(tables(), st.integers(0, 3))
def test_random_plays_every_legal_action_and_no_other(table: Table, extra: int) -> None:
    for _ in range(3 + extra):
        bets = [table.ask_bet(seat) for seat in range(len(table.players))]
        if not any(bets):
            return
        round = table.deal(bets)
        while not round.over:
            round.ask()


def test_random_takes_all_legal_actions_in_time() -> None:
    taken = set()
    for seed in range(300):
        table = Table("6D ES", [Player("", RandomLegal())], seed=seed)
        taken |= {event.action for event in table.play_round().events}
    assert taken >= set(Action) - {Action.SPLIT}


# --- what a decision may see ---


def test_a_view_shows_what_is_face_up_and_no_more() -> None:
    round = start(parse("6D NINS ; D 6/5 ; P1 10 bank 50 8,8 ; P2 20 T,9"))
    view = round.view()
    assert (view.seat, view.hand, view.total, view.soft, view.pair) == (0, 0, 16, False, 8)
    assert (view.bet, view.free, str(view.upcard)) == (10, 40, "6")
    assert [[hand.total for hand in hands] for hands in view.hands] == [[16], [19]]
    assert view.seen == (0, 0, 0, 0, 0, 0, 1, 0, 2, 1, 1)
    assert view.legal == (Action.STAND, Action.HIT, Action.DOUBLE, Action.SPLIT, Action.SURRENDER)


def test_a_view_cannot_change_the_table() -> None:
    round = start(parse("6D NINS ; D 6/5 ; P1 10 8,8"))
    before = snapshot(round)
    view = round.view()
    with pytest.raises(AttributeError):
        view.total = 21  # type: ignore[misc]
    assert all(isinstance(value, tuple) for value in (view.cards, view.legal, view.hands, view.seen))
    assert snapshot(round) == before


def reachable(start: object) -> list[object]:
    """Return all that an object leads to by attributes, items, closures and defaults; classes and modules are open."""
    found: dict[int, object] = {}
    queue = [start]
    while queue:
        item = queue.pop()
        if id(item) in found or isinstance(item, type | ModuleType):
            continue
        found[id(item)] = item
        if isinstance(item, FunctionType):
            queue += [*(item.__closure__ or ()), item.__defaults__, item.__dict__]  # not its globals: a module
        else:
            queue += gc.get_referents(item)
            queue += [value for _, value in inspect.getmembers_static(item) if not isinstance(item, int | str | float)]
    return list(found.values())


@pytest.mark.parametrize("planning", [False, True], ids=["round", "planning copy"])
def test_nothing_that_a_strategy_gets_leads_to_the_seed_or_the_shoe(planning: bool) -> None:
    """Issue 14: the key of a seat's numbers was a public function of the seed, so small seeds could be searched."""
    seed = 3_141_592_653
    env = BlackjackEnv(seats=("agent", "random"), rules="6D NINS NS")
    env.reset(seed=seed)
    env = env.planning_copy(seed=seed) if planning else env
    round = env.episode.round
    assert round is not None
    table = env.episode.table
    views = [round.view(), table.bet_view(1), copy.copy(round.view()), copy.deepcopy(round.view())]
    secrets = {word for stream in (*table.streams, table.shoe.rng) for word in (stream.key_low, stream.key_high)}
    for view in views:
        items = reachable(view)
        assert len(items) > 50
        assert not [item for item in items if isinstance(item, Stream | Shoe | Table | Round | Player)]
        assert not [item for item in items if type(item) is int and item > 1000 and item in {seed, *secrets}]
        with pytest.raises(TypeError):
            pickle.dumps(view)


def test_copies_of_a_views_random_numbers_are_drawn_apart_from_it() -> None:
    table = Table("6D", [Player("ann")], seed=77)
    view = table.bet_view(0)
    aside = copy.copy(view.rng)
    expected = [aside.below(1000) for _ in range(5)]
    assert [view.rng.below(1000) for _ in range(5)] == expected
    twin, twin_view = copy.deepcopy((table, view))
    drawn = table.streams[0].draws
    twin_view.rng.below(1000)
    assert (table.streams[0].draws, twin.streams[0].draws) == (drawn, drawn + 1)


@pytest.mark.parametrize("answer", [Action.DECLINE, "HIT", None, 1, []], ids=repr)
def test_insure_answers_yes_or_no_and_nothing_else(answer: Any) -> None:
    class Unsure(RandomLegal):
        def insure(self, view: View) -> bool:
            return answer

    round = start(parse("six-deck ; D A/6 ; P1 10 T,8"))
    round.active_seat.player.decision = Unsure()
    with pytest.raises(DecisionError, match="insure: expected True or False"):
        round.ask()
    assert not round.over


# --- the dealer's chair ---


class Always(Decision):
    """Answers the same to everything."""

    def __init__(self, answer: Any) -> None:
        self.same = answer

    def play(self, view: View) -> Action:
        if isinstance(self.same, Exception):
            raise self.same
        return self.same


def dealers_round(decision: Decision) -> Round:
    table = Table("6D NINS NS", [Player("ann", bankroll=100)], dealer=Dealer(decision))
    table.stack(start(parse("6D NINS NS ; D 6/A ; P1 10 T,9 ; next 2,K,5")).shoe.dealt)
    return table.deal([10])


def test_the_dealers_chair_is_played_by_a_decision() -> None:
    stands = dealers_round(Always(Action.STAND))
    stands.act(Action.STAND)
    assert (str(stands.dealer), stands.nets) == ("6,A soft 17", (100,))
    hits = dealers_round(Always(Action.HIT))
    hits.act(Action.STAND)
    assert hits.dealer.total >= 21


@pytest.mark.parametrize(("hole", "draws", "hand"), [("K", "2", "A,K blackjack"), ("4", "6,5", "A,4,6 soft 21")])
def test_the_chair_is_not_asked_at_21_or_with_a_blackjack(hole: str, draws: str, hand: str) -> None:
    round = start(parse(f"6D NOPEEK NINS NS ; D A/{hole} ; P1 10 T,9 ; next {draws}"))
    round.chair.decision = Always(Action.HIT)
    round.act(Action.STAND)
    assert str(round.dealer) == hand


def test_the_house_rule_as_a_decision_in_the_chair_plays_as_the_house() -> None:
    def events(dealer: Dealer | None) -> list[object]:
        table = Table("6D H17", [Player("", RandomLegal())], dealer=dealer, seed=3)
        return [event for _ in range(200) for event in table.play_round().events]

    assert events(None) == events(Dealer(HouseRule()))


@pytest.mark.parametrize("answer", [Action.DOUBLE, None, "HIT", RuntimeError("gone")], ids=str)
def test_a_chair_that_fails_is_reported_and_all_stakes_go_back(answer: Any) -> None:
    round = dealers_round(Always(answer))
    with pytest.raises(DecisionError, match=r"^dealer \(6,A soft 17\)"):
        round.act(Action.STAND)
    assert (round.over, round.void, round.nets) == (True, True, (0,))
    assert round.seats[0].player.bankroll == 100


# --- decisions that fail ---


@pytest.mark.parametrize(
    "answer", [Action.SPLIT, Action.INSURE, 7, -1, None, "HIT", 1.0, RuntimeError("gone"), KeyError("x")], ids=repr
)
def test_a_decision_that_fails_is_reported_with_seat_and_hand_and_changes_nothing(answer: Any) -> None:
    round = start(parse("6D NINS ; D 6/A ; P1 10 bank 50 T,8 ; P2 20 T,9"))
    round.seats[0].player.decision = Always(answer)
    before = snapshot(round)
    with pytest.raises(DecisionError, match=r"P1 hand 1 \(T,8 hard 18\) against 6") as caught:
        round.ask()
    assert snapshot(round) == before
    assert "\n" not in str(caught.value)
    round.act(Action.STAND)
    assert round.active_seat.label == "P2"


class Bets(NeverBust):
    """Bets whatever it was told to."""

    def __init__(self, chips: Any) -> None:
        super().__init__()
        self.chips = chips

    def bet(self, view: View) -> int:
        if isinstance(self.chips, Exception):
            raise self.chips
        return self.chips


@pytest.mark.parametrize("chips", [-1, 4, 501, 10.5, "10", None, True, 2000, RuntimeError("gone")], ids=repr)
def test_a_nonsense_bet_is_reported_by_seat_and_changes_nothing(chips: Any) -> None:
    table = Table("6D MIN5 MAX500", [Player("ann", NeverBust()), Player("bob", Bets(chips), bankroll=1000)])
    before = snapshot(table)
    with pytest.raises(BlackjackError, match="bet of P2"):
        table.play_round()
    assert snapshot(table) == before
    table.players[1].decision = NeverBust()
    assert table.play_round().over


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("basik", r"unknown strategy 'basik'; did you mean 'basic'\?"),
        ("", "unknown strategy ''"),
        ("threshold:", "unknown strategy 'threshold:'"),
        ("threshold:x", "unknown strategy 'threshold:x'"),
        ("threshold:3", "threshold: expected a total from 4 to 22, got 3"),
        ("threshold:23", "threshold: expected a total from 4 to 22, got 23"),
        ("threshold:١٥", "unknown strategy"),
        (None, "strategy: expected a Decision, a name or a policy folder, got None"),
        (NeverBust, "strategy: expected a Decision, a name or a policy folder"),
    ],
    ids=str,
)
def test_what_is_no_decision_is_refused(source: Any, message: str) -> None:
    with pytest.raises(BlackjackError, match=message):
        strategy(source)


def test_a_decision_stands_for_itself() -> None:
    mine = Threshold(14)
    assert strategy(mine) is mine
