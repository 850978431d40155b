"""Illegal actions: replaced, penalised or refused, and never half taken."""

import copy
from random import Random
from typing import Any

import numpy as np
import pytest

from bj_env.env.env import BlackjackEnv
from bj_env.errors import BlackjackError, IllegalAction
from bj_env.rules.terms import Action
from tests.env.games import make, state


def illegal_now(env: BlackjackEnv) -> list[int]:
    return [int(action) for action in np.flatnonzero(env.action_masks() == 0)]


def meant(action: int, total: int, mask: Any) -> int:
    """Return what is played in place of an illegal action."""
    if mask[Action.DECLINE]:
        return Action.DECLINE
    if not mask[: Action.DECLINE].any():
        return int(np.argmax(mask))  # the first bet on offer that the seat can make
    draws = action == Action.DOUBLE or (action == Action.SPLIT and total < 17)
    return Action.HIT if draws and mask[Action.HIT] else Action.STAND


@pytest.mark.parametrize("mode", ["fallback", "penalty"])
def test_an_illegal_action_is_replaced_and_flagged(mode: str) -> None:
    env = make(rules="6D D10 ES RSA PEN75", illegal_action=mode, bets=(2, 4), episode="session", bankroll=100)
    chance = Random(3)
    env.reset(seed=3)
    flagged = 0
    for _ in range(600):
        mask = env.action_masks()
        if not mask.any():
            env.reset()
            continue
        action = chance.randrange(env.action_space.n)
        twin = copy.deepcopy(env)
        _, reward, _, _, info = env.step(action)
        if mask[action]:
            assert not info["illegal_action"]
            continue
        flagged += 1
        assert info["illegal_action"]
        _, same_reward, *_ = twin.step(meant(action, twin.episode.hand.total, mask))
        assert state(twin) == state(env)
        assert reward == same_reward - (mode == "penalty")
    assert flagged > 100


def test_in_raise_mode_an_illegal_action_is_refused_and_changes_nothing() -> None:
    env = make(rules="6D ES PEN75", illegal_action="raise", bets=(2, 4), seats=("agent", "agent"), bankroll=30)
    chance = Random(5)
    for _ in range(100):
        env.reset(seed=chance.randrange(1000))
        while env.action_masks().any():
            before = state(env)
            for action in illegal_now(env):
                with pytest.raises(IllegalAction, match="expected one of"):
                    env.step(action)
            assert state(env) == before
            env.step(chance.choice(np.flatnonzero(env.action_masks())))


@pytest.mark.parametrize("mode", ["fallback", "penalty", "raise"])
@pytest.mark.parametrize("action", [-1, 7, 1.0, "HIT", None, np.array([1, 2]), 10**20], ids=str)
def test_what_is_no_action_is_refused_in_every_mode(mode: str, action: Any) -> None:
    env = make(illegal_action=mode)
    env.reset(seed=1)
    before = state(env)
    with pytest.raises(BlackjackError, match=r"^action: expected a whole number from 0 to 6, got "):
        env.step(action)
    assert state(env) == before


@pytest.mark.parametrize("action", [1, np.int64(1), np.int32(1), np.array(1), Action.HIT], ids=repr)
def test_whole_numbers_of_any_kind_are_actions(action: Any) -> None:
    env = make()
    env.reset(options={"hand": "2,3", "upcard": "7"}, seed=1)
    env.step(action)
    assert len(env.episode.hand.cards) == 3


def test_stepping_on_after_the_end_is_a_clear_error_and_draws_no_card() -> None:
    """Report b072."""
    env = make()
    env.reset(seed=0)
    while env.action_masks().any():
        env.step(int(env.action_masks()[Action.HIT]))
    before = state(env)
    for _ in range(51):
        with pytest.raises(BlackjackError, match=r"call reset\(\)"):
            env.step(1)
    assert state(env) == before
    with pytest.raises(BlackjackError, match=r"call reset\(\)"):
        make().step(0)
