"""Sweeps on a Ray cluster: the runs of local processes to the byte; run with the environment of docs/cluster.md."""

import os
import signal
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

import train
from bj_env.errors import BlackjackError

ray = pytest.importorskip("ray")

from agents.run.ray_tasks import RayTasks  # noqa: E402 (it takes ray)
from agents.run.unit import Unit  # noqa: E402

ROOT = Path(train.__file__).parent
TINY = ["learner.rounds=20_000", "learner.checkpoints=2", "benchmark.rounds=100", "benchmark.strategies=[]"]
TINY += ["learner.iterations_per_checkpoint=2", "workers=1", "environment.rules=sutton-barto"]
SETS = [word for change in TINY for word in ("--set", change)]
SWEEP = ["--configs", str(ROOT / "configs" / "monte-carlo.toml"), "--seeds", "1..2", *SETS]


@pytest.fixture(scope="module", autouse=True)
def cluster() -> Iterator[None]:
    path = os.environ.get("PYTHONPATH", "")
    os.environ["PYTHONPATH"] = f"{ROOT}:{path}"  # a worker finds `agents` as one in a checkout does
    ray.init(address="local", num_cpus=2, include_dashboard=False, logging_level="error", log_to_driver=False)
    yield
    ray.shutdown()
    os.environ["PYTHONPATH"] = path


@pytest.fixture(scope="module")
def local(tmp_path_factory: pytest.TempPathFactory) -> Path:
    runs = tmp_path_factory.mktemp("local")
    assert train.main(["--runs", str(runs), *SWEEP]) == 0
    return runs / "sweep"


def same_runs(found: Path, expected: Path) -> None:
    for seed in (1, 2):
        for file in ("policy/tensors.safetensors", "results.json", "config.toml"):
            run = f"monte-carlo-seed-{seed}"
            assert (found / run / file).read_bytes() == (expected / run / file).read_bytes(), (run, file)


def test_a_sweep_on_a_cluster_gives_what_local_processes_give(
    local: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert train.main(["--runs", str(tmp_path), "--ray", *SWEEP]) == 0
    assert "medians over the seeds" in capsys.readouterr().out
    same_runs(tmp_path / "sweep", local)
    for file in ("sweep.csv", "sweep.md", "sweep.png", "results.json", "curves.csv"):
        assert (tmp_path / "sweep" / file).is_file()
    assert train.main(["--resume", str(tmp_path / "sweep"), "--ray"]) == 0  # nothing is left


def kill_a_worker(folder: Path) -> None:
    """Kill the first process that has written a checkpoint within a minute."""
    end = time.monotonic() + 60
    while time.monotonic() < end and not list(folder.glob("*/checkpoints/*.safetensors")):
        time.sleep(0.005)
    workers = [int(path.name) for path in Path("/proc").iterdir() if path.name.isdecimal()]
    for number in workers:
        try:
            title = Path(f"/proc/{number}/cmdline").read_bytes()
        except OSError:
            continue
        if title.startswith(b"ray::_work"):
            (folder / "killed").touch()
            os.kill(number, signal.SIGKILL)
            return


def test_a_run_whose_worker_is_killed_is_resumed_to_the_same_result(local: Path, tmp_path: Path) -> None:
    killer = threading.Thread(target=kill_a_worker, args=(tmp_path / "sweep",))
    killer.start()
    assert train.main(["--runs", str(tmp_path), "--ray", *SWEEP]) == 0
    killer.join()
    assert (tmp_path / "sweep" / "killed").exists()
    same_runs(tmp_path / "sweep", local)


def carried_out(unit: Unit) -> list[str]:
    with RayTasks("auto") as tasks:
        tasks.start(unit)
        while not (ended := tasks.ended()):
            time.sleep(0.05)
    return [why for _, why in ended]


def test_a_failed_run_says_why_and_its_log_too(tmp_path: Path) -> None:
    (tmp_path / "logs").mkdir()
    (tmp_path / "run").mkdir()  # of somebody else
    config = train.load_config(ROOT / "configs" / "monte-carlo.toml", TINY).model_dump()
    unit = Unit(str(tmp_path / "run"), config, "python train.py")
    why = f"{tmp_path / 'run'} is no run: it has no config.toml"
    assert carried_out(unit) == [why]
    assert unit.log.read_text() == f"{why}\n"


def test_workers_that_can_do_no_run_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    unit = Unit(str(tmp_path / "run"), {"workers": 1}, "python train.py")
    with pytest.raises(BlackjackError, match=r"expected the folder .*/logs; --runs needs a shared one"):
        carried_out(unit)
    monkeypatch.setattr("agents.run.ray_tasks.digest", lambda: "0123456789abcdef")  # of the driver alone
    with pytest.raises(BlackjackError, match=r"expected the sources 0123456789ab, got .*; check out the same commit"):
        carried_out(unit)


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["--ray", "nowhere", *SWEEP], "that this process uses, got nowhere"),
        (["--ray", "--jobs", "2", *SWEEP], "--jobs: the cores of the cluster decide; leave it out with --ray"),
        (["--ray"], "--ray: expected a sweep: give --seeds or --configs"),
    ],
)
def test_what_is_wrong_is_said_in_one_line_and_nothing_is_made(
    arguments: list[str], expected: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert train.main(["--runs", str(tmp_path / "runs"), *arguments]) == 1
    error = capsys.readouterr().err
    assert expected in error
    assert error.count("\n") == 1
    assert not (tmp_path / "runs").exists()
