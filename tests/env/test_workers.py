"""Environments in spawned worker processes."""

import gymnasium as gym
import numpy as np
import pytest

import bj_env  # noqa: F401  (makes the environment known)
from bj_env.env.env import BlackjackEnv
from bj_env.strategies.simple import Threshold


@pytest.mark.parametrize("seats", [("agent",), ("basic", "agent", Threshold(15))], ids=["alone", "three"])
def test_workers_play_as_one_process_does(seats: tuple[object, ...]) -> None:
    makers = [lambda: BlackjackEnv(seats=seats, rules="6D PEN75", encoding="discrete")] * 2  # type: ignore[arg-type]
    vectors = [gym.vector.SyncVectorEnv(makers), gym.vector.AsyncVectorEnv(makers, context="spawn")]
    states = [vector.reset(seed=[3, 4]) for vector in vectors]
    for _ in range(60):
        np.testing.assert_array_equal(states[0][0], states[1][0])
        masks = states[0][1]["action_mask"]
        actions = np.array([np.flatnonzero(mask)[0] if mask.any() else 0 for mask in masks])
        steps = [vector.step(actions) for vector in vectors]
        for one, other in zip(steps[0][:4], steps[1][:4], strict=True):
            np.testing.assert_array_equal(one, other)
        states = [(step[0], step[4]) for step in steps]
    for vector in vectors:
        vector.close()
