"""Minari records the environment with its ``info``; needs ``minari`` with jax, by which it collects."""

from pathlib import Path
from typing import Any

import gymnasium as gym
import pytest

minari = pytest.importorskip("minari")
pytest.importorskip("jax", reason="minari collects by jax")


def test_it_records_infos_and_makes_the_environment_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MINARI_DATASETS_PATH", str(tmp_path))
    rounds = gym.make("bj_env:Blackjack-multi-v0", seats=("basic", "agent"), record_in_info=False)
    env: Any = minari.DataCollector(rounds, record_infos=True)
    _, info = env.reset(seed=1)
    for _ in range(50):
        *_, terminated, _, info = env.step(env.action_space.sample(info["action_mask"]))
        if terminated:
            _, info = env.reset()
    dataset = env.create_dataset("blackjack/test-v0", algorithm_name="random")
    first = next(iter(dataset))
    assert dataset.total_steps == 50
    assert first.infos["action_mask"].shape == (len(first.actions) + 1, 7)
    assert first.infos["round_over"].tolist() == [False] * len(first.actions) + [True]
    assert first.infos["nets"].shape == (len(first.actions) + 1, 2)
    assert dataset.recover_environment().spec.kwargs["seats"] == ["basic", "agent"]
