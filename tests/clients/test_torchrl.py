"""TorchRL takes the environment as it is: specifications from ``info``, masks, several tables; needs ``torchrl``."""

from typing import Any

import pytest

pytest.importorskip("torchrl")

import torch
from torchrl.envs import ActionMask, GymEnv, TransformedEnv, check_env_specs

ID = "bj_env:Blackjack-multi-v0"
BARE: dict[str, Any] = {"record_in_info": False}


def test_it_finds_out_what_info_holds() -> None:
    env = GymEnv(ID, **BARE).auto_register_info_dict()
    check_env_specs(env)
    played = env.rollout(50, break_when_any_done=False)
    assert {"action_mask", "seat", "nets", "round_over"} <= set(played.keys())
    assert played["next", "nets"].dtype == torch.float64


def test_its_own_masks_read_the_observation() -> None:
    table = GymEnv(ID, mask_in_observation=True, illegal_action="raise", categorical_action_encoding=True)
    env = TransformedEnv(table, ActionMask(action_key="action", mask_key="action_mask"))
    assert env.rollout(100, break_when_any_done=False).batch_size == (100,)


def test_it_plays_several_tables_in_processes() -> None:
    env = GymEnv(ID, num_envs=2, **BARE)
    try:
        assert env.rollout(20, break_when_any_done=False).batch_size == (2, 20)
    finally:
        env.close()
