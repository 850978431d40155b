"""`bj dataset`: what it records is what the environment gives, and the same command records it again; needs minari."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bj_env.cli.main import main

minari = pytest.importorskip("minari")


@pytest.fixture(autouse=True)
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("MINARI_DATASETS_PATH", str(tmp_path))
    return tmp_path


def recorded(name: str, *arguments: str) -> Any:
    assert main(["dataset", *arguments, "--id", name]) == 0
    return minari.load_dataset(name)


def test_a_mix_takes_turns_and_its_rewards_are_those_of_the_environment_it_makes_again(
    capsys: pytest.CaptureFixture[str],
) -> None:
    dataset = recorded("blackjack/mix-v0", "basic", "random", "--rounds", "1500", "--seats", "mimic,agent", "--json")
    assert json.loads(capsys.readouterr().out)["rounds"] == 2000
    described = list(dataset.storage.get_episode_metadata(range(2)))
    assert [(each["policy"], each["seed"]) for each in described] == [("basic", 1), ("random", 2)]
    env: Any = dataset.recover_environment()
    for episode in dataset:
        observation, info = env.reset(seed=int(described[episode.id]["seed"]))
        for step, action in enumerate(episode.actions):
            assert np.array_equal(episode.observations[step], observation)
            assert np.array_equal(episode.infos["action_mask"][step], info["action_mask"])
            assert episode.infos["action_mask"][step][action]
            observation, reward, terminated, truncated, info = env.step(action)
            assert (reward, terminated, truncated) == (
                episode.rewards[step],
                episode.terminations[step],
                episode.truncations[step],
            )
            assert episode.infos["record"][step + 1].decode() == str(info["record"])
            assert np.array_equal(episode.infos["nets"][step + 1], info["nets"])
        assert truncated


def test_the_same_command_records_the_same_again() -> None:
    one, other = (recorded(f"again-v{version}", "random", "--rounds", "1000", "--seed", "5") for version in (0, 1))
    for field in ("observations", "actions", "rewards"):
        assert np.array_equal(getattr(one[0], field), getattr(other[0], field))
    assert "bj dataset random" in one.storage.metadata["description"]


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["basic", "--id", "nonsense"], "id: expected a name like blackjack/mix-v0, got 'nonsense'"),
        (["basic", "--id", "some/mix-v0", "--rounds", "0"], "rounds: expected a whole number from 1 to"),
        (["basic", "--id", "some/mix-v0", "--seats", "agent,agent"], "seats: expected one agent seat, got 2"),
        (["basik", "--id", "some/mix-v0"], "basik"),
    ],
)
def test_what_is_wrong_is_said_in_one_line_and_nothing_is_written(
    arguments: list[str], expected: str, root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["dataset", *arguments]) == 1
    error = capsys.readouterr().err
    assert expected in error
    assert error.count("\n") == 1
    assert not list(root.iterdir())


def test_a_data_set_that_is_there_is_kept(capsys: pytest.CaptureFixture[str]) -> None:
    recorded("kept-v0", "basic", "--rounds", "1000")
    assert main(["dataset", "mimic", "--id", "kept-v0"]) == 1
    assert "expected a new name" in capsys.readouterr().err
    assert minari.load_dataset("kept-v0").total_episodes == 1
