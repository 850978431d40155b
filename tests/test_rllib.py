"""RLlib: environments for its creators, masks, policies that come back; run in the environment of docs/cluster.md."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("ray.rllib")

import torch
from ray.rllib.core.columns import Columns

from bj_env import load_policy
from bj_env.errors import BlackjackError
from bj_env.game.decision import ask
from bj_env.rllib import compiled_env, masked_module, multi_env, save_policy, single_env

GAME: dict[str, Any] = {"rules": "six-deck", "seats": ("agent",)}


def module() -> Any:
    torch.manual_seed(3)
    env = single_env(GAME)
    spec = masked_module((16, 16))
    spec.observation_space, spec.action_space = env.observation_space, env.action_space
    return spec.build()


def best(module: Any, seen: Any) -> int:
    batch = {Columns.OBS: {name: torch.from_numpy(value)[None] for name, value in seen.items()}}
    with torch.no_grad():
        return int(module.forward_inference(batch)[Columns.ACTION_DIST_INPUTS][0].argmax())


def test_masks_hold_and_the_saved_policy_plays_as_the_module_does(tmp_path: Path) -> None:
    network = module()
    assert save_policy(tmp_path / "policy", network, **GAME).kind == "network"
    decision = load_policy(tmp_path / "policy")
    env = single_env(GAME | {"illegal_action": "raise"})
    base: Any = env.unwrapped
    seen, _ = env.reset(seed=2)
    asked = 0
    for _ in range(300):
        action = best(network, seen)
        if (round := base.episode.round) is not None and not round.over:
            assert ask(decision.answer, round.view(), round.where).value == action
            asked += 1
        seen, _, terminated, _, _ = env.step(action)
        if terminated:
            seen, _ = env.reset()
    assert asked > 200


def test_many_tables_of_the_compiled_engine_have_the_same_spaces() -> None:
    tables = compiled_env(GAME | {"num_envs": 3})
    assert tables.single_observation_space == single_env(GAME).observation_space
    seen, _ = tables.reset(seed=1)
    assert seen["action_mask"].shape == (3, 7)


def test_several_agents_are_paid_each_for_its_own_seat() -> None:
    env = multi_env({"seats": ("agent", "agent")})
    seen, _ = env.reset(seed=3)
    paid = dict.fromkeys(env.agents, 0.0)
    over = False
    while not over:
        ((agent, mine),) = seen.items()
        seen, rewards, ends, _, _ = env.step({agent: int(np.argmax(mine["action_mask"]))})
        for name, reward in rewards.items():
            paid[name] += reward
        over = ends["__all__"]
    assert set(paid) == {"seat_1", "seat_2"}
    assert all(paid.values())


def test_modules_of_another_form_are_refused(tmp_path: Path) -> None:
    with pytest.raises(BlackjackError, match=r"module: expected one of masked_module\(\), got Linear"):
        save_policy(tmp_path / "policy", torch.nn.Linear(2, 2), **GAME)
    assert not list(tmp_path.iterdir())
