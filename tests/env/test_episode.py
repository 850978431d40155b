"""Episodes: a round, a shoe, a session; rounds without a decision; bets on offer; several agents; chosen starts."""

from random import Random

import numpy as np
import pytest

from bj_env.errors import BlackjackError
from bj_env.rules.terms import Action, Phase
from tests.env.games import episode, make, state

PHASE = 0
"""The place of the phase in a ``discrete`` observation."""


# --- rounds ---


def test_a_round_without_a_decision_is_shown_once_with_stand_as_the_only_action() -> None:
    env = make(encoding="discrete")
    observation, info = env.reset(options={"shoe": "A,9,K,8"})
    assert observation[PHASE] == Phase.ROUND_OVER
    assert list(np.flatnonzero(info["action_mask"])) == [Action.STAND]
    assert not info["round_over"]
    observation, reward, terminated, truncated, info = env.step(Action.STAND)
    assert (reward, terminated, truncated) == (1.5, True, False)
    assert (info["nets"].tolist(), info["dealer"][:3].tolist()) == ([1.5], [9, 8, 0])
    assert not info["action_mask"].any()


@pytest.mark.parametrize(("shoe", "reward"), [("9,T,9,A", -1), ("A,T,K,A", 0), ("A,5,K,8,3", 1.5)])
def test_whatever_ends_a_round_at_the_deal_it_is_one_episode(shoe: str, reward: float) -> None:
    env = make(encoding="discrete")
    env.reset(options={"shoe": shoe})
    assert env.step(Action.STAND)[1:4] == (reward, True, False)


def test_the_phase_of_a_round_over_is_no_ordinary_state() -> None:
    env = make(encoding="discrete", seats=("agent", "basic"))
    env.reset(seed=1)
    for _ in range(3000):
        observation, info = env.reset()
        shown = observation[PHASE] == Phase.ROUND_OVER
        assert shown == env.episode.no_decision == (info["action_mask"].sum() == 1)


def test_a_seat_that_has_decided_is_not_shown_the_end() -> None:
    env = make(encoding="discrete")
    env.reset(options={"shoe": "T,A,9,K"})
    observation, reward, terminated, *_ = env.step(Action.DECLINE)
    assert (reward, terminated) == (-1, True)
    assert observation[PHASE] == Phase.ROUND_OVER


def test_the_shoe_goes_on_from_round_to_round_until_the_cut_card() -> None:
    env = make(rules="1D PEN75 NINS NS")
    env.reset(seed=3)
    dealt, shuffles = [], 0
    for _ in range(60):
        for _ in episode(env, Random(1)):
            pass
        shoe = env.episode.table.shoe
        shuffles += dealt[-1:] > [len(shoe.dealt)]
        if dealt and dealt[-1] >= 39:
            assert len(shoe.dealt) < dealt[-1]
        dealt.append(len(shoe.dealt))
    assert shuffles >= 4


def test_a_new_seed_starts_a_new_shoe() -> None:
    env = make(rules="6D PEN75")
    for seed in (1, 2, 1):
        env.reset(seed=seed)
        assert len(env.episode.table.shoe.dealt) == 4


def test_the_bankroll_is_refilled_at_every_reset() -> None:
    env = make(bankroll=20, bets=(10,))
    chance = Random(1)
    for _ in range(50):
        env.reset()
        player, seat = env.episode.table.players[0], env.episode.round.seats[0]  # type: ignore[union-attr]
        assert env.episode.no_decision or (player.bankroll or 0) + seat.staked / 10 == 20
        while env.action_masks().any():
            env.step(chance.choice(np.flatnonzero(env.action_masks())))


def test_giving_up_a_round_in_the_middle_gives_the_stakes_back() -> None:
    env = make(episode="session", bankroll=100, bets=(10, 20), rules="6D PEN75")
    for _ in range(20):
        env.reset()
        env.step(8)
    env.reset()
    assert env.episode.table.players[0].bankroll == 100


# --- shoes and sessions ---


def test_a_shoe_ends_at_the_shuffle_and_begins_with_a_fresh_one() -> None:
    env = make(
        rules="2D PEN50 NINS", episode="shoe", seats=("basic", "agent"), observation=("seen",), encoding="discrete"
    )
    chance = Random(4)
    for _ in range(20):
        steps = list(episode(env, chance))
        rounds = [info["record"] for *_, info in steps if info["round_over"]]
        assert len(env.episode.table.shoe.dealt) >= 52
        assert env.episode.table.shoe.shuffle_pending
        assert len(rounds) >= 4
        assert sum("shuffled" in str(event) for event in rounds[0].events) <= 1
        assert not any("shuffled" in str(event) for record in rounds[1:] for event in record.events)
        assert [over for *_, over, _ in steps].count(True) == 1


def test_a_shoe_that_was_given_up_is_not_gone_on_with() -> None:
    env = make(rules="6D PEN75 NS NINS", episode="shoe", seats=("agent", "basic"))
    env.reset(seed=1)
    for _ in range(12):
        env.step(Action.STAND)
    assert len(env.episode.table.shoe.dealt) > 60
    env.reset()
    assert len(env.episode.table.shoe.dealt) < 30


def test_a_session_terminates_when_the_smallest_bet_cannot_be_placed() -> None:
    env = make(episode="session", bankroll=6, bets=(2,), rules="sutton-barto")
    env.reset(seed=1)
    for _ in range(10_000):
        if not env.action_masks().any():
            break
        _, _, terminated, truncated, info = env.step(Action.HIT)
        assert info["seat"] == 0
    assert (terminated, truncated) == (True, False)
    assert (env.episode.table.players[0].bankroll or 0) < 2


def test_a_session_truncates_at_its_number_of_rounds() -> None:
    env = make(episode="session", max_rounds=5, bets=(1, 2))
    env.reset(seed=1)
    rounds = 0
    while True:
        mask = env.action_masks()
        _, _, terminated, truncated, info = env.step(int(np.flatnonzero(mask)[0]))
        rounds += info["round_over"]
        if terminated or truncated:
            break
    assert (terminated, truncated, rounds) == (False, True, 5)
    assert not env.action_masks().any()


@pytest.mark.parametrize("kind", ["shoe", "session"])
def test_rounds_without_a_decision_are_played_through_and_paid_with_the_next_reward(kind: str) -> None:
    env = make(rules="6D PEN75 NS", episode=kind, encoding="discrete", max_rounds=3)
    observation, _ = env.reset(options={"shoe": "T,7,9,T," + "A,9,K,8," + "T,7,8,T"})
    assert observation[PHASE] == Phase.PLAY
    observation, reward, *_ = env.step(Action.STAND)
    assert reward == 2.5, "19 beats 17, and the blackjack of the next round"
    assert observation[PHASE] == Phase.PLAY
    assert env.step(Action.STAND)[1] == 1


@pytest.mark.parametrize("kind", ["shoe", "session"])
def test_rounds_without_a_decision_before_the_first_are_paid_too(kind: str) -> None:
    env = make(rules="6D PEN75 NS", episode=kind, max_rounds=2)
    env.reset(options={"shoe": "A,9,K,8," + "T,7,9,T"})
    assert env.step(Action.STAND)[1] == 2.5


# --- bets ---


def test_the_bet_is_an_action_before_the_deal() -> None:
    """Report b104."""
    env = make(bets=(0, 1, 5), encoding="discrete", observation=("hand", "seen"), rules="6D PEN75")
    observation, info = env.reset(seed=1)
    assert observation[PHASE] == Phase.BET
    assert list(np.flatnonzero(info["action_mask"])) == [7, 8, 9]
    assert list(observation[1:5]) == [0, 0, 0, 0]
    env.step(9)
    assert env.episode.round is not None
    assert env.episode.round.seats[0].bet == 50


def test_sitting_out_lets_the_others_play() -> None:
    env = make(bets=(0, 1), seats=("agent", "basic"))
    env.reset(seed=1)
    _, reward, terminated, _, info = env.step(7)
    assert (reward, terminated, info["nets"][0]) == (0, True, 0)
    assert str(info["record"]).startswith("six-deck ; D ")
    assert " ; P1 0 ; P2 1 " in str(info["record"])


def test_a_round_that_all_sit_out_passes_without_cards() -> None:
    env = make(bets=(0, 1), episode="session", rules="6D PEN75", max_rounds=3)
    env.reset(seed=1)
    ends = [env.step(7)[3] for _ in range(3)]
    assert ends == [False, False, True]
    assert env.episode.table.shoe.dealt == []


def test_a_shoe_does_not_end_because_its_first_round_was_sat_out() -> None:
    env = make(bets=(0, 1), episode="shoe", rules="6D PEN75")
    env.reset(seed=1)
    assert env.step(7)[2:4] == (False, False)


def test_only_bets_that_the_money_covers_are_legal() -> None:
    env = make(bets=(0, 5, 10, 25), bankroll=12)
    _, info = env.reset(seed=1)
    assert list(info["action_mask"]) == [0] * 7 + [1, 1, 1, 0]


def test_a_single_bet_that_can_be_made_is_no_choice_and_is_not_asked() -> None:
    env = make(bets=(5, 10), bankroll=5, encoding="discrete")
    observation, info = env.reset(seed=1)
    assert observation[PHASE] != Phase.BET
    assert info["action_mask"].sum() != 1


def test_several_agent_seats_bet_and_play_in_turn() -> None:
    env = make(seats=("agent", "basic", "agent"), bets=(1, 2))
    _, info = env.reset(seed=1)
    assert info["seat"] == 0
    _, _, _, _, info = env.step(8)
    assert info["seat"] == 2
    env.step(7)
    assert [seat.bet for seat in env.episode.round.seats] == [20, 10, 10]  # type: ignore[union-attr]


def test_the_base_bet_stays_what_it_is_after_doubles() -> None:
    """Report b046."""
    env = make(episode="session", bankroll=1000, bets=(25,), rules="6D PEN75 NS NINS", max_rounds=3)
    env.reset(options={"shoe": "6,6,5,T,T,T," + "6,6,5,T,T,T," + "T,7,T,9"})
    for _ in range(2):
        assert env.step(Action.DOUBLE)[1] == 2
    assert env.episode.round.seats[0].bet == 250  # type: ignore[union-attr]


# --- chosen starts ---


@pytest.mark.parametrize("seats", [("agent",), ("basic", "agent"), ("random", "agent", "mimic")], ids=len)
@pytest.mark.parametrize("house", ["six-deck", "eight-deck-europe"])
def test_a_start_gives_the_agent_a_hand_and_the_dealer_an_up_card(seats: tuple[str, ...], house: str) -> None:
    env = make(rules=house, seats=seats)
    for seed in range(30):
        env.reset(seed=seed, options={"hand": "T,6", "upcard": "9"})
        round = env.episode.round
        assert round is not None
        assert (str(round.upcard), str(env.episode.hand)) == ("9", "T,6 hard 16")


@pytest.mark.parametrize(("options", "hand"), [({"hand": "A,7"}, "soft 18"), ({"upcard": "A"}, None)])
def test_a_start_may_leave_the_rest_to_chance(options: dict[str, str], hand: str | None) -> None:
    env = make(rules="6D NINS")
    seen = set()
    for seed in range(30):
        env.reset(seed=seed, options=options)
        round = env.episode.round
        assert round is not None
        assert hand in (None, env.episode.hand.value_text())
        seen.add((str(round.upcard), str(env.episode.hand)))
    assert len(seen) > 10


def test_a_line_plays_what_is_written_stops_there_and_draws_the_rest_from_the_seed() -> None:
    env = make(bets=(10,))
    line = "six-deck ; D 6/T ; P1 10 8,8 P H ; next 3,2"
    env.reset(seed=4, options={"line": line})
    hands = env.episode.round.seats[0].hands  # type: ignore[union-attr]
    assert [str(hand) for hand in hands] == ["8,3,2 hard 13", "8 hard 8"]
    env.step(Action.HIT)
    ends = set()
    for seed in range(20):
        env.reset(seed=seed, options={"line": line})
        env.step(Action.HIT)
        ends.add(str(env.episode.round.seats[0].hands[0].cards[3]))  # type: ignore[union-attr]
    assert len(ends) > 5
    env.reset(seed=4, options={"line": line})
    again = state(env)
    env.reset(seed=4, options={"line": line})
    assert state(env) == again


def test_a_line_stops_at_an_offer_that_nothing_is_written_for() -> None:
    env = make(bets=(10,), encoding="discrete")
    observation, _ = env.reset(options={"line": "six-deck ; D A/9 ; P1 10 T,6"})
    assert observation[PHASE] == Phase.INSURANCE


def test_a_line_lets_the_other_seats_go_on_by_themselves() -> None:
    env = make(bets=(10,), seats=("basic", "agent"))
    _, info = env.reset(options={"line": "six-deck ; D 6/T ; P1 10 T,7 ; P2 10 T,6"})
    assert info["seat"] == 1
    assert env.episode.round.seats[0].hands[0].finished  # type: ignore[union-attr]


@pytest.mark.parametrize("bets", [None, (1, 5)])
def test_a_line_with_a_bet_that_is_not_on_offer_is_refused(bets: tuple[int, ...] | None) -> None:
    with pytest.raises(BlackjackError, match=r"bet.* got 10"):
        make(bets=bets).reset(options={"line": "six-deck ; D 6/T ; P1 10 T,6"})


def test_a_line_says_how_much_money_a_seat_has() -> None:
    env = make(bets=(10,))
    _, info = env.reset(options={"line": "six-deck ; D 6/T ; P1 10 bank 14 6,5"})
    assert info["action_mask"][Action.DOUBLE] == 0


def test_the_money_that_a_line_gives_another_seat_is_for_its_episode_alone() -> None:
    env = make(bets=(10,), seats=("agent", "basic"))
    env.reset(options={"line": "six-deck ; D 6/T ; P1 10 T,6 ; P2 10 bank 14 T,8"})
    env.reset(seed=1)
    assert env.episode.table.players[1].bankroll is None


def test_a_shoe_is_dealt_in_order() -> None:
    env = make(seats=("agent", "agent"))
    env.reset(options={"shoe": "2,3,4,5,6,7,T"})
    round = env.episode.round
    assert round is not None
    assert [str(seat.hands[0]) for seat in round.seats] == ["2,5 hard 7", "3,6 hard 9"]
    assert (str(round.upcard), str(round.hole)) == ("4", "7")
    env.step(Action.HIT)
    assert str(round.seats[0].hands[0]) == "2,5,T hard 17"
