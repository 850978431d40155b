"""Expected rewards: the same mean as sampled ones with less variance, and exact where they can be counted by hand."""

from typing import Any

import numpy as np
import pytest

from bj_env.env.env import BlackjackEnv
from bj_env.rules.terms import Action

HOUSES = (
    "six-deck",
    "eight-deck-europe",
    "sutton-barto",
    "two-player",
    "1D PEN75 OBO CH5 TIELOSE ES",
)


def make(reward: str, **game: Any) -> BlackjackEnv:
    return BlackjackEnv(reward=reward, **{"seats": ("agent",), **game})


def paired(rounds: int, **game: Any) -> tuple[np.ndarray, np.ndarray]:
    """Play the same rounds, the same random actions, under both rewards."""
    envs = [make(reward, **game) for reward in ("sampled", "expected")]
    chance = np.random.default_rng(1)
    states = [env.reset(seed=5) for env in envs]
    totals = np.zeros((2, rounds))
    for number in range(rounds):
        over = False
        while not over:
            masks = [info["action_mask"] for _, info in states]
            np.testing.assert_array_equal(*masks)
            action = int(chance.choice(np.flatnonzero(masks[0])))
            steps = [env.step(action) for env in envs]
            totals[:, number] += [reward for _, reward, _, _, _ in steps]
            states = [(observation, info) for observation, _, _, _, info in steps]
            over = steps[0][2]
        states = [env.reset() for env in envs]
    return totals[0], totals[1]


@pytest.mark.parametrize("house", HOUSES)
def test_same_mean_as_sampled_with_less_variance(house: str) -> None:
    sampled, expected = paired(1500, rules=house)
    gap = sampled - expected
    assert abs(gap.mean()) < 4 * gap.std(ddof=1) / len(gap) ** 0.5
    ratio = sampled.var() / expected.var()
    print(f"{house}: variance ratio {ratio:.2f}")
    assert ratio > 1.3


def test_several_agent_seats_among_others() -> None:
    sampled, expected = paired(600, rules="2D PEN75 H17", seats=("basic", "agent", "random", "agent"))
    gap = sampled - expected
    assert abs(gap.mean()) < 4 * gap.std(ddof=1) / len(gap) ** 0.5


def test_a_20_against_a_ten_in_an_infinite_shoe() -> None:
    env = make("expected", rules="INF NS NINS")
    env.reset(options={"shoe": "T,T,T,8"})
    _, reward, *_ = env.step(Action.STAND)
    assert reward == pytest.approx(0.554537566468171, abs=1e-12)  # infinite_ev.csv, S17-peek: hard20, T, stand


def test_the_same_hand_has_the_same_reward_whatever_the_dealer_holds() -> None:
    rewards = set()
    for hole in "2345678":
        env = make("expected", rules="six-deck")
        env.reset(options={"shoe": f"T,9,7,{hole},T,T,T,T"})
        rewards.add(env.step(Action.STAND)[1])
    assert len(rewards) == 1


def test_a_bust_a_surrender_and_a_found_blackjack_are_what_they_are() -> None:
    env = make("expected")
    env.reset(options={"shoe": "T,9,6,T,T"})
    assert env.step(Action.HIT)[1] == -1
    env.reset(options={"shoe": "T,9,6,T"})
    assert env.step(Action.SURRENDER)[1] == -0.5
    env.reset(options={"shoe": "T,A,9,T"})
    assert env.step(Action.INSURE)[1] == 0


def test_bankrolls_move_by_the_sampled_net() -> None:
    env = make("expected", bankroll=100)
    env.reset(options={"shoe": "T,9,9,8"})
    _, reward, _, _, info = env.step(Action.STAND)
    assert info["nets"].tolist() == [1]
    assert env.episode.table.players[0].bankroll == 101
    assert 0 < reward < 1


def test_a_round_reshuffled_midway_pays_the_sampled_net() -> None:
    env = make("expected", rules="1D PEN99 NINS NS", seats=("agent", "agent"))
    env.reset(seed=3)
    seen_midway = False
    for _ in range(60):
        env.reset()
        reward = 0.0
        while env.action_masks().any():
            mask = env.action_masks()
            _, reward, _, _, info = env.step(int(mask[1]))
        kinds = [event.kind.name for event in info["record"].events]
        if "SHUFFLE" in kinds[kinds.index("DEAL") :]:
            seen_midway = True
            assert reward == sum(info["nets"])
    assert seen_midway
