"""`train.py` from end to end: what it writes, and how it refuses."""

import json
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

import train
from agents.run.config import load_config
from agents.run.folder import create_folder, write_file
from bj_env.game.participants import Player
from bj_env.game.table import Table
from bj_env.strategies import saved_policy
from tests.signals import heed

ROOT = Path(train.__file__).parent
TINY = ["learner.rounds=5000", "learner.checkpoints=1", "benchmark.rounds=100", "environment.seats=['agent','basic']"]
SETS = [word for change in TINY for word in ("--set", change)]


def test_a_run_leaves_config_policy_pictures_results_and_report(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert train.main(["--runs", str(tmp_path), "--seed", "3", *SETS]) == 0
    folder = tmp_path / "default"
    expected = (
        ".lock checkpoints config.toml learning_curve.csv learning_curve.json learning_curve.png policy report.md "
        "results.json run.json strategy_chart.png tensorboard timing.json"
    )
    assert sorted(path.name for path in folder.iterdir()) == expected.split()
    assert load_config(folder / "config.toml").seed == 3
    results = json.loads((folder / "results.json").read_text())
    assert [score["name"] for score in results["scores"]][:2] == ["basic", "learned"]
    for score in results["scores"]:
        assert {"name", "ev", "stderr", "rounds", "exact_ev", "regret", "agreement"} <= score.keys()
    assert results["run"]["config"]["learner"]["rounds"] == 5000
    assert json.loads((folder / "timing.json").read_text())["training_seconds"] > 0
    assert (
        "python train.py --config configs/default.toml --seed 3 --set learner.rounds=5000"
        in (folder / "report.md").read_text()
    )
    for picture in folder.glob("*.png"):
        assert picture.read_bytes().startswith(b"\x89PNG")
    decision = saved_policy.load_policy(folder / "policy")
    assert decision.profile.provenance["seed"] == "3"
    assert Table("six-deck", [Player("learned", decision)]).play_round().over
    assert "learned" in capsys.readouterr().out


def test_two_runs_never_share_a_folder(tmp_path: Path) -> None:
    made = [create_folder(tmp_path / "runs", "same", {"config.toml": str(number)})[0] for number in range(3)]
    assert [path.name for path in made] == ["same", "same-2", "same-3"]
    assert [(path / "config.toml").read_text() for path in made] == ["0", "1", "2"]
    assert sorted(path.name for path in (tmp_path / "runs").iterdir()) == ["same", "same-2", "same-3"]


def test_a_file_is_written_whole(tmp_path: Path) -> None:
    write_file(tmp_path / "text", "old")
    write_file(tmp_path / "text", "new")
    assert (tmp_path / "text").read_text() == "new"
    assert [path.name for path in tmp_path.iterdir()] == ["text"]


def interrupted(runs: Path, number: int, *arguments: str) -> tuple[int, str]:
    """Start ``python train.py`` and send a signal once there is a new checkpoint.

    Return the exit code and standard error, without the lines that say what is compiled on a new machine.
    """
    before = len(list(runs.glob("*/checkpoints/*.safetensors")))
    command = [sys.executable, "train.py", *arguments]
    process = subprocess.Popen(
        command, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, preexec_fn=heed
    )
    while process.poll() is None and len(list(runs.glob("*/checkpoints/*.safetensors"))) == before:
        time.sleep(0.05)
    process.send_signal(number)
    error = process.communicate(timeout=60)[1].splitlines(keepends=True)
    return process.returncode, "".join(line for line in error if not line.startswith("bj_env: compiling"))


def test_an_interrupt_says_how_to_go_on_and_ends_as_it_should(tmp_path: Path) -> None:
    hours = [
        *SETS,
        "--set",
        "learner.rounds=1_000_000_000",
        "--set",
        "learner.checkpoints=400_000",
        "--set",
        "workers=1",
    ]
    folder = tmp_path / "default"
    said = f"train.py: interrupted; go on with: python train.py --resume {folder}\n"
    assert interrupted(tmp_path, signal.SIGTERM, "--runs", str(tmp_path), *hours) == (143, said)
    assert interrupted(tmp_path, signal.SIGINT, "--resume", str(folder)) == (130, said)
    assert not (folder / "report.md").exists()


def test_help_teaches_with_examples(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        train.main(["--help"])
    assert ended.value.code == 0
    said = capsys.readouterr().out
    for example in ("python train.py --config ", "python train.py --resume runs/default", "tensorboard --logdir runs"):
        assert example in said


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["--config", "configs/none.toml"], "No such file"),
        (["--config", ""], "--config: expected a path, got ''"),
        (["--resume", ""], "--resume: expected a path, got ''"),
        (["--set", "benchmark.strategies=['basik']"], "did you mean 'basic'"),
        (["--set", "benchmark.rounds=50", "--set", "environment.rules=PEN75"], "expected at least 101"),
        (["--set", "name=a/b"], "small letters, digits and hyphens"),
        (["--set", "learner.rnds=1"], "did you mean 'rounds'"),
        (["--seed", "1_0"], "--seed: expected a whole number from 0 to 3294967295, got '1_0'"),
        (["--seed", "\u0663"], "--seed: expected a whole number"),
        (["--seeds", "1", "2", "--jobs", "+4"], "--jobs: expected a whole number from 1 to 1024, got '+4'"),
        (["--set", "environment.rules=six-dek"], "did you mean 'six-deck'"),
    ],
)
def test_what_is_wrong_is_said_in_one_line_and_nothing_is_written(
    arguments: list[str], expected: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert train.main(["--runs", str(tmp_path / "runs"), *arguments]) == 1
    error = capsys.readouterr().err
    assert error.startswith("train.py: ")
    assert error.count("\n") == 1
    assert expected in error
    assert not (tmp_path / "runs").exists()


@pytest.mark.parametrize("runs", ["/dev/null", "/proc/none", "x" * 300])
def test_a_place_that_cannot_be_written_to_is_named(runs: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert train.main(["--runs", runs]) == 1
    error = capsys.readouterr().err
    assert error.startswith("train.py: ")
    assert error.count("\n") == 1


def test_no_path_is_not_the_default_folder(capsys: pytest.CaptureFixture[str]) -> None:
    assert train.main(["--runs", ""]) == 1
    assert capsys.readouterr().err == "train.py: --runs: expected a path, got ''\n"


@pytest.mark.parametrize("allocate", [np.zeros, torch.zeros], ids=["numpy", "torch"])
def test_what_the_memory_does_not_hold_is_refused_in_one_line(
    allocate: Callable[[int], Any], tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(train, "make_learner", lambda config: allocate(1 << 50))
    assert train.main(["--runs", str(tmp_path / "runs")]) == 1
    error = capsys.readouterr().err
    assert error.startswith("train.py: not enough memory for what 'learner' asks for: ")
    assert error.count("\n") == 1
    assert not (tmp_path / "runs").exists()
