"""Rewards and infos: each seat is paid once, and rewards add up to the change of the bankrolls."""

from random import Random

import pytest

from bj_env.game.replay import replay
from bj_env.rules.terms import Action
from tests.env.games import SEATS, episode, make


def test_two_seats_are_paid_each_once_and_under_the_right_name() -> None:
    """Report b093."""
    env = make(seats=("agent", "agent"), bets=(10,))
    env.reset(options={"line": "six-deck ; D T/7 ; P1 10 T,6 ; P2 10 T,9 ; next K"})
    _, reward, over, *_ = env.step(Action.HIT)
    assert (reward, over) == (0, False)
    _, reward, over, _, info = env.step(Action.STAND)
    assert (info["nets"].tolist(), reward, over) == ([-10, 10], 0, True)


def test_a_blackjack_at_the_deal_leaves_the_others_to_act() -> None:
    """Report b094."""
    env = make(seats=("agent", "agent", "agent"))
    shoe = "A,T,9,T,K,6,9,7"
    _, info = env.reset(options={"shoe": shoe})
    assert info["seat"] == 1
    assert not env.episode.over
    _, _, over, _, info = env.step(Action.STAND)
    assert (over, info["seat"]) == (False, 2)
    _, reward, over, _, info = env.step(Action.STAND)
    assert (over, info["nets"].tolist(), reward) == (True, [1.5, -1, 1], 1.5)


def test_the_last_info_has_the_dealers_hand_and_the_hand_part_the_up_card_alone() -> None:
    """Report b102."""
    env = make(encoding="discrete")
    before, _ = env.reset(options={"line": "six-deck ; D 2/3 ; P1 1 T,8 ; next 2,3,8"})
    after, _, _, _, info = env.step(Action.STAND)
    assert info["dealer"].tolist() == [2, 3, 2, 3, 8, *[0] * 12]
    assert str(info["record"]).endswith("=> P1 0 ; D 2,3,2,3,8")
    assert after[3] == before[3] == 2


@pytest.mark.parametrize("kind", ["round", "shoe", "session"])
@pytest.mark.parametrize("seats", SEATS, ids=len)
def test_rewards_add_up_to_the_change_of_the_bankrolls(kind: str, seats: tuple[str, ...]) -> None:
    """Report b093."""
    env = make(rules="6D PEN75", seats=seats, episode=kind, bets=(0, 2, 4), bankroll=200, max_rounds=25)
    chance = Random(6)
    for _ in range(40 if kind == "round" else 6):
        total = sum(reward for _, reward, _, _ in episode(env, chance))
        money = sum(env.episode.table.players[seat].bankroll or 0 for seat in env.episode.agents)
        assert total * 2 == money - 200 * len(env.episode.agents)


@pytest.mark.parametrize("kind", ["round", "shoe", "session"])
def test_rewards_add_up_with_one_bet_too(kind: str) -> None:
    """With one bet a round without a decision leaves no step of its own, even the first."""
    env = make(rules="6D PEN75 NINS", episode=kind, bankroll=200, max_rounds=6)
    chance = Random(6)
    for _ in range(200):
        total = sum(reward for _, reward, _, _ in episode(env, chance))
        assert total == (env.episode.table.players[0].bankroll or 0) - 200


def test_the_record_of_every_round_replays_to_its_nets() -> None:
    env = make(seats=("basic", "agent", "random"), rules="2D ES H17 RSA HSA DANY CH5")
    chance = Random(2)
    for _ in range(200):
        *_, (_, reward, _, info) = episode(env, chance)
        assert [net / 10 for net in replay(str(info["record"])).nets] == info["nets"].tolist()
        assert reward == info["nets"][1]


def test_rounds_on_a_shoe_that_runs_out_pay_what_they_say() -> None:
    """One deck to its last card, twelve seats that split and draw: shuffles in mid-round, and rounds that are void."""
    env = make(rules="1D PEN99 DANY RSA HSA SP8", seats=("agent",) * 12, bankroll=100)
    records: list[str] = []
    env.reset(seed=1)
    for _ in range(100):
        env.reset()
        reward = 0.0
        while env.action_masks().any():
            legal = env.action_masks()
            wished = [action for action in (Action.SPLIT, Action.HIT, Action.DECLINE) if legal[action]]
            _, reward, _, _, info = env.step(wished[0] if wished else Action.STAND)
        records.append(str(info["record"]))
        assert reward == sum(info["nets"])
        assert replay(records[-1]).void == ("MISDEAL" in records[-1])
        assert [player.bankroll for player in env.episode.table.players] == [100 + net for net in info["nets"]]
        assert "MISDEAL" not in records[-1] or reward == 0
    assert any("MISDEAL" in record for record in records)


def test_a_bet_is_the_unit_of_reward() -> None:
    env = make(bets=(4, 8))
    env.reset(options={"shoe": "T,5,9,6,9"}, seed=1)
    env.step(8)
    _, reward, *_ = env.step(Action.STAND)
    assert reward == -2
