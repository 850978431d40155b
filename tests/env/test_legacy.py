"""`LegacyBlackjack` is ``Blackjack-v1`` in form and distribution."""

from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from scipy.stats import chi2_contingency

from bj_env.env.env import BlackjackEnv
from bj_env.env.legacy import LegacyBlackjack
from bj_env.errors import BlackjackError

MODES: dict[str, dict[str, Any]] = {
    "sutton-barto": {"sab": True},
    "gymnasium-natural": {"natural": True, "sab": False},
    "gymnasium-plain": {"natural": False, "sab": False},
}


def episodes(env: gym.Env[Any, Any], number: int) -> dict[tuple[Any, ...], int]:
    """Count what happens when an agent hits below 15: first observation, last total, reward."""
    counts: dict[tuple[Any, ...], int] = {}
    observation, _ = env.reset(seed=1)
    for _ in range(number):
        first, reward, over = observation, 0.0, False
        while not over:
            observation, reward, over, _, _ = env.step(int(observation[0] < 15))
        key = (first[0] // 4, first[1], first[2], float(reward))
        counts[key] = counts.get(key, 0) + 1
        observation, _ = env.reset()
    return counts


@pytest.mark.parametrize("house", MODES)
def test_same_distribution_as_blackjack_v1(house: str) -> None:
    ours = episodes(LegacyBlackjack(BlackjackEnv(rules=house, seats=("agent",))), 20_000)
    theirs = episodes(gym.make("Blackjack-v1", **MODES[house]), 20_000)
    keys = [key for key in ours.keys() | theirs.keys() if ours.get(key, 0) + theirs.get(key, 0) >= 20]
    table = np.array([[counts.get(key, 0) for key in keys] for counts in (ours, theirs)])
    assert chi2_contingency(table).pvalue > 1e-4


def test_form_of_blackjack_v1() -> None:
    env = LegacyBlackjack(BlackjackEnv(rules="sutton-barto", seats=("agent",)))
    theirs = gym.make("Blackjack-v1")
    assert env.observation_space == theirs.observation_space
    assert env.action_space == theirs.action_space
    check_env(env, skip_render_check=True)


@pytest.mark.parametrize("house", ["six-deck", "eight-deck-europe", "campus-s17"])
def test_other_houses_are_refused_by_name(house: str) -> None:
    with pytest.raises(BlackjackError, match=f"legacy: expected hit and stick alone, got .* under '{house}'"):
        LegacyBlackjack(BlackjackEnv(rules=house, seats=("agent",)))
