"""Seeds, copies and pickles: the same game again, in this process and in another."""

import copy
import os
import pickle
import subprocess
import sys
from random import Random
from typing import Any

import numpy as np
import pytest

from bj_env.env.env import BlackjackEnv
from tests.env.games import PARTS, make, state, story


def test_a_seed_fixes_the_resets_after_it_but_they_are_not_all_equal() -> None:
    """Report b076."""

    def openings() -> list[bytes]:
        env = make(seats=("agent", "random"), observation=("hand", "table"))
        return [env.reset(seed=5)[0].tobytes(), *(env.reset()[0].tobytes() for _ in range(20))]

    assert openings() == openings()
    assert len(set(openings())) > 15


def test_the_seeds_of_environment_and_action_space_fix_all() -> None:
    """Report b074."""

    def sampled(seed: int | None) -> list[int]:
        env = make()
        env.reset(seed=1)
        if seed is not None:
            env.action_space.seed(seed)
        return [int(env.action_space.sample()) for _ in range(100)]

    assert sampled(1) == sampled(1)
    assert sampled(None) != sampled(None)


def test_without_a_seed_two_environments_differ() -> None:
    def openings() -> list[bytes]:
        env = make(observation=("hand", "table"))
        return [env.reset()[0].tobytes() for _ in range(10)]

    assert openings() != openings()


def test_nothing_global_is_touched_and_nothing_global_matters() -> None:
    before = np.random.get_state()[1].tobytes()  # type: ignore[union-attr]  # noqa: NPY002
    first = story(make(seats=("random", "agent")), seed=1, steps=50)
    env = make(seats=("random", "agent"))
    env.reset(seed=3)
    one = story(env, 1, 50)
    np.random.seed(77)  # noqa: NPY002
    env.reset(seed=3)
    assert story(env, 1, 50) == one != first
    np.random.seed(78)  # noqa: NPY002
    env.reset(seed=3)
    assert story(env, 1, 50) == one
    assert before


@pytest.mark.parametrize("seed", [0, 1, 2**31, 2**32, 2**63, 2**64 - 1])
def test_any_seed_will_do(seed: int) -> None:
    assert make().reset(seed=seed)[0].tobytes() == make().reset(seed=np.uint64(seed))[0].tobytes()  # type: ignore[arg-type]


SCRIPT = """
from random import Random
from bj_env.env.env import BlackjackEnv
env = BlackjackEnv(rules="2D PEN75", seats=("random", "agent", "basic"), observation=("hand", "table", "seen", "rules"))
env.reset(seed=123)
chance = Random(5)
for _ in range(200):
    _, info = env.reset()
    while info["action_mask"].any():
        legal = [action for action, may in enumerate(info["action_mask"]) if may]
        observation, reward, _, _, info = env.step(chance.choice(legal))
    print(hash(observation.tobytes()) if 0 else observation.tobytes().hex(), reward, info["record"])
"""


def test_a_fresh_process_with_another_hash_seed_gives_the_same() -> None:
    def output(hash_seed: str) -> str:
        environ = os.environ | {"PYTHONHASHSEED": hash_seed}
        command = [sys.executable, "-c", SCRIPT]
        return subprocess.run(command, env=environ, capture_output=True, text=True, check=True).stdout

    assert output("1") == output("4242") != ""


def duplicates(env: BlackjackEnv) -> list[BlackjackEnv]:
    return [copy.deepcopy(env), pickle.loads(pickle.dumps(env))]


@pytest.mark.parametrize("kind", ["round", "shoe", "session"])
def test_a_deep_copy_and_a_pickle_play_the_same(kind: str) -> None:
    env = make(
        rules="2D PEN75",
        seats=("random", "agent", "basic"),
        observation=PARTS,
        episode=kind,
        bankroll=50,
        bets=(0, 1, 5),
    )
    env.reset(seed=12)
    for _ in range(5):
        env.step(int(np.flatnonzero(env.action_masks())[-1]))
        if not env.action_masks().any():
            env.reset()
    copies = duplicates(env)
    assert state(copies[0]) == state(copies[1]) == state(env)

    def play_on(one: BlackjackEnv) -> list[Any]:
        chance, told = Random(1), []
        for _ in range(200):
            mask = one.action_masks()
            told.append((mask.tobytes(), *([one.reset()[0].tobytes()] if not mask.any() else [])))
            if mask.any():
                observation, reward, *_, info = one.step(chance.choice(np.flatnonzero(mask)))
                told.append((observation.tobytes(), reward, str(info.get("record"))))
        return told

    before = state(env)
    stories = [play_on(one) for one in copies]
    assert state(env) == before, "playing a copy leaves its owner alone"
    assert stories == [play_on(env)] * 2


def test_three_renders_change_nothing() -> None:
    env = make(rules="6D PEN75", seats=("basic", "agent"), render_mode="ansi", bets=(1, 5))
    env.reset(seed=2)
    for _ in range(60):
        before = state(env)
        assert env.render() == env.render() == env.render() != ""
        assert state(env) == before
        mask = env.action_masks()
        if mask.any():
            env.step(int(np.flatnonzero(mask)[0]))
        else:
            env.reset()
