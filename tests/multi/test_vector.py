"""Rewards by seat of many tables: those of the agents of one table with the same seed and actions."""

from typing import Any

import gymnasium as gym
import numpy as np
import pytest

from bj_env.compiled.vector_env import BlackjackVectorEnv
from bj_env.errors import BlackjackError
from bj_env.multi.aec import BlackjackAEC
from bj_env.multi.vector import SeatRewards

GAME: dict[str, Any] = {"seats": ("agent", "basic", "agent"), "bets": (5, 10)}


def paid_at_one_table(seed: int, rounds: int) -> list[list[float]]:
    """Return what each agent is paid in each round, playing the highest legal action."""
    env, paid = BlackjackAEC(**GAME), []
    for number in range(rounds):
        env.reset(seed=seed if number == 0 else None)
        won = dict.fromkeys(env.possible_agents, 0.0)
        for agent in env.agent_iter():
            _, reward, terminated, _, info = env.last()
            won[agent] += reward
            env.step(None if terminated else len(info["action_mask"]) - 1 - int(info["action_mask"][::-1].argmax()))
        paid.append(list(won.values()))
    return paid


@pytest.mark.parametrize("mode", ["NextStep", "SameStep"])
def test_each_seat_is_paid_as_its_agent_at_one_table(mode: str) -> None:
    seeds = [3, 4, 5]
    tables = SeatRewards(BlackjackVectorEnv(len(seeds), autoreset_mode=mode, **GAME))
    paid: list[list[list[float]]] = [[] for _ in seeds]
    _, infos = tables.reset(seed=seeds)
    for _ in range(150):
        masks = infos["action_mask"]
        actions = masks.shape[1] - 1 - masks[:, ::-1].argmax(axis=1)
        _, rewards, terminated, _, infos = tables.step(actions)
        assert not rewards[~terminated].any()
        for table in np.flatnonzero(terminated):
            paid[table].append(rewards[table].tolist())
    for seed, found in zip(seeds, paid, strict=True):
        assert len(found) > 10
        assert found == paid_at_one_table(seed, len(found))


def test_what_gymnasium_makes_pays_the_sum() -> None:
    made = [gym.make_vec("bj_env:Blackjack-multi-v0", num_envs=50, **GAME) for _ in range(2)]
    by_seat, plain = SeatRewards(made[0]), made[1]
    (_, infos), _ = by_seat.reset(seed=1), plain.reset(seed=1)
    for _ in range(30):
        actions = infos["action_mask"].argmax(axis=1)
        _, rewards, _, _, infos = by_seat.step(actions)
        assert np.array_equal(rewards.sum(axis=1), plain.step(actions)[1])


@pytest.mark.parametrize(
    ("make", "expected"),
    [
        (lambda: BlackjackVectorEnv(2, episode="session"), "episode: expected 'round' for rewards by seat"),
        (lambda: BlackjackVectorEnv(2, illegal_action="penalty"), "illegal_action: expected 'fallback' or 'raise'"),
        (lambda: gym.make_vec("CartPole-v1", num_envs=2), "env: expected one of gym.make_vec's, got"),
    ],
)
def test_where_rewards_by_seat_are_not_known_it_says_so(make: Any, expected: str) -> None:
    with pytest.raises(BlackjackError, match=expected):
        SeatRewards(make())
