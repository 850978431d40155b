"""Sweeps: every seed of every configuration in a folder of its own, resumable, and one table of all."""

import csv
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

import train
from agents.run.config import load_config
from agents.run.sweep import create_sweep, read_sweep
from agents.run.sweep_report import FIELDS
from agents.run.unit import Unit, run_unit
from bj_env.errors import BlackjackError

ROOT = Path(train.__file__).parent
TINY = ["learner.rounds=20_000", "learner.checkpoints=2", "benchmark.rounds=100", "benchmark.strategies=[]"]
TINY += ["learner.iterations_per_checkpoint=2", "workers=1", "environment.rules=sutton-barto"]
SETS = [word for change in TINY for word in ("--set", change)]
CONFIGS = [str(ROOT / "configs" / name) for name in ("monte-carlo.toml", "q-learning.toml")]


def results(folder: Path) -> dict[str, Any]:
    content: dict[str, Any] = json.loads((folder / "results.json").read_text())
    return content


@pytest.fixture(scope="module")
def sweep(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of a sweep of two configurations and two seeds."""
    runs = tmp_path_factory.mktemp("sweep")
    assert train.main(["--runs", str(runs), "--configs", *CONFIGS, "--seeds", "1..2", "--jobs", "2", *SETS]) == 0
    return runs / "sweep"


def test_every_seed_is_a_run_like_any_other(sweep: Path, tmp_path: Path) -> None:
    arguments = ["--runs", str(tmp_path), "--config", CONFIGS[1], "--seed", "2", *SETS]
    assert train.main(arguments) == 0
    alone, within = tmp_path / "q-learning", sweep / "q-learning-seed-2"
    assert sorted(path.name for path in alone.iterdir()) == sorted(path.name for path in within.iterdir())
    for file in ("policy/tensors.safetensors", "results.json", "config.toml"):
        assert (alone / file).read_bytes() == (within / file).read_bytes(), file


def test_the_files_of_a_sweep_say_the_same_of_every_run(sweep: Path) -> None:
    content = results(sweep)
    with (sweep / "sweep.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert list(rows[0]) == list(content["fields"]) == list(FIELDS)
    assert [(row["config"], row["seed"]) for row in rows] == [
        (name, seed) for name in ("monte-carlo", "q-learning") for seed in ("1", "2")
    ]
    for row, run in zip(rows, content["runs"], strict=True):
        score = results(sweep / run["folder"])["scores"][1]
        assert float(row["regret"]) == run["regret"] == score["regret"]
        assert row["folder"] == f"{row['config']}-seed-{row['seed']}"
    regrets = [run["regret"] for run in content["runs"][:2]]
    assert content["medians"][0]["regret"] == pytest.approx(sum(regrets) / 2)
    assert f"1: {100 * regrets[0]:.4f}, 2: {100 * regrets[1]:.4f}" in (sweep / "sweep.md").read_text()
    assert (sweep / "sweep.png").read_bytes().startswith(b"\x89PNG")


def test_the_curves_of_all_runs_stand_in_one_file(sweep: Path) -> None:
    with (sweep / "curves.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 2 * 2 * 2
    run = json.loads((sweep / "q-learning-seed-2" / "learning_curve.json").read_text())
    mine = [row for row in rows if (row["config"], row["seed"]) == ("q-learning", "2")]
    assert [float(row["exact_regret"]) for row in mine] == [point["exact_regret"] for point in run["points"]]
    assert {"done", "return", "exact_regret"} <= run["fields"].keys()


def test_a_finished_sweep_is_not_run_again(sweep: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = (sweep / "q-learning-seed-2" / "results.json").stat().st_mtime_ns
    assert train.main(["--resume", str(sweep)]) == 0
    assert (sweep / "q-learning-seed-2" / "results.json").stat().st_mtime_ns == before
    assert "medians over the seeds" in capsys.readouterr().out


@pytest.mark.slow
def test_a_sweep_that_was_interrupted_resumes_to_the_same_results(sweep: Path, tmp_path: Path) -> None:
    command = [sys.executable, "train.py", "--runs", str(tmp_path), "--configs", CONFIGS[0], "--seeds", "1..2", *SETS]
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    while process.poll() is None and not list(tmp_path.glob("sweep/*/checkpoints/*.safetensors")):
        time.sleep(0.02)
    process.send_signal(signal.SIGTERM)
    error = process.communicate(timeout=60)[1]
    folder = tmp_path / "sweep"
    assert process.returncode == 143
    assert error == f"train.py: interrupted; go on with: python train.py --resume {folder}\n"
    assert train.main(["--resume", str(folder)]) == 0
    found, expected = results(folder)["runs"], results(sweep)["runs"][:2]
    assert [{**run, "training_seconds": 0} for run in found] == [{**run, "training_seconds": 0} for run in expected]


def test_a_run_that_fails_is_named_and_the_others_finish(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["--runs", str(tmp_path), "--configs", CONFIGS[0], "--seeds", "1", "2"]
    runs = [(load_config(CONFIGS[0], [*TINY, f"seed={seed}"]), "python train.py") for seed in (1, 2)]
    folder = create_sweep(tmp_path, runs, "python train.py " + " ".join(arguments))
    (folder / "monte-carlo-seed-1").mkdir()  # of somebody else
    assert train.main(["--resume", str(folder)]) == 1
    out, error = capsys.readouterr()
    assert f"{folder}/monte-carlo-seed-1 is no run: it has no config.toml" in error
    assert [run["seed"] for run in results(folder)["runs"]] == [2]
    assert "medians" in out


def test_a_unit_begins_resumes_and_returns_what_is_there(tmp_path: Path) -> None:
    config = load_config(CONFIGS[0], TINY).model_dump()
    first = run_unit(str(tmp_path / "some"), config, "python train.py")
    (tmp_path / "some" / "report.md").unlink()
    again = run_unit(str(tmp_path / "some"), config, "python train.py")
    assert first == again == run_unit(str(tmp_path / "some"), config, "python train.py")
    assert os.listdir(tmp_path) == ["some"]


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["--seeds", "1..x"], "--seeds: expected numbers below 3294967296 or ranges like 1..20, got '1..x'"),
        (["--seeds", "3..1"], "got '3..1'"),
        (["--seeds", "0..99999"], "got '0..99999'"),
        (["--seeds", "1", "1"], "expected every configuration and seed once, got monte-carlo-seed-1 twice"),
        (["--seeds", "1", "--seed", "2"], "--seeds: leave out --seed"),
        (["--configs", CONFIGS[0], "--config", CONFIGS[0]], "--configs: leave out --config"),
        (["--seeds", "1", "--jobs", "0"], "--jobs: expected a whole number from 1 to 1024, got"),
        (["--configs", "configs/none.toml", "--seeds", "1"], "No such file"),
        (["--seeds", "1", "--resume", "runs/sweep"], "leave out --seeds"),
    ],
)
def test_what_is_wrong_with_a_sweep_is_said_in_one_line_and_nothing_is_made(
    arguments: list[str], expected: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    if "--configs" not in arguments and "--resume" not in arguments:
        arguments = [*arguments, "--config", CONFIGS[0]]
    runs = [] if "--resume" in arguments else ["--runs", str(tmp_path / "runs")]
    assert train.main([*runs, *arguments]) == 1
    error = capsys.readouterr().err
    assert error.startswith("train.py: ")
    assert error.count("\n") == 1
    assert expected in error
    assert not (tmp_path / "runs").exists()


@pytest.mark.parametrize("content", ["", "[]", "{}", '{"runs": 5}', '{"runs": [{"folder": "x"}]}', "[" * 100_000])
def test_a_damaged_sweep_is_named(content: str, tmp_path: Path) -> None:
    (tmp_path / "sweep.json").write_text(content)
    with pytest.raises(BlackjackError, match=r"sweep.json is damaged"):
        read_sweep(tmp_path)


def test_progress_counts_checkpoints(tmp_path: Path) -> None:
    unit = Unit(str(tmp_path), load_config(CONFIGS[0], TINY).model_dump(), "")
    assert (unit.checkpoints, unit.written(), unit.finished()) == (2, 0, False)
    (tmp_path / "checkpoints").mkdir()
    (tmp_path / "checkpoints" / "step_000010000.safetensors").touch()
    assert unit.written() == 1
