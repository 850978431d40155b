"""Many runs as one: configurations by seeds, on local processes, resumable, with a table of medians at the end.

The unit of work is `run_unit`: it takes plain values, begins or resumes the folder of one run, and returns what the run
came to, so that any scheduler can call it on any process that sees the folder.
"""

import json
import multiprocessing
import os
import signal
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any, NamedTuple

from rich.console import Console
from rich.progress import Progress

from agents.run.checkpoints import restore_newest
from agents.run.config import Config, checked_config
from agents.run.execution import Show, carry_out
from agents.run.folder import (
    RunError,
    check_origin,
    clear_away,
    config_text,
    create_folder,
    find_run,
    lock_folder,
    origin_of,
    read_json,
    reason,
)
from agents.run.kinds import make_learner
from bj_env.errors import BlackjackError

SWEEP = "sweep.json"
"""What a sweep consists of; its presence tells a sweep from a run."""

POLL = 0.2
"""Seconds between two looks at the processes and their checkpoints."""


class Unit(NamedTuple):
    """One run of a sweep.

    Attributes:
        folder: of the run.
        config: its whole configuration, as plain values.
        command: that does this run alone.
    """

    folder: str
    config: dict[str, Any]
    command: str

    @property
    def checkpoints(self) -> int:
        """How many checkpoints the run writes."""
        return int(self.config["learner"]["checkpoints"])

    def written(self) -> int:
        """Return how many checkpoints there are."""
        return min(self.checkpoints, len(list(Path(self.folder).glob("checkpoints/step_*.safetensors"))))

    def finished(self) -> bool:
        """Tell whether the run is over."""
        return Path(self.folder, "report.md").exists()


def run_unit(folder: str, config: Mapping[str, Any], command: str) -> dict[str, Any]:
    """Begin a run, or resume it, or do nothing if it is finished; return the content of its ``results.json``.

    Args:
        folder: of the run.
        config: its whole configuration, as plain values.
        command: that does this run alone; kept in ``run.json``.

    Raises:
        BlackjackError: if the configuration is not valid, the run is being run by another process, or it diverged.
    """
    place, checked = Path(folder), checked_config(dict(config))
    show = Show(Console(soft_wrap=True), lambda: Progress(disable=True))
    if place.exists():
        find_run(place)
        lock = lock_folder(place)
    else:
        files = {"config.toml": config_text(checked), "run.json": origin_of(checked, command)}
        made, lock = create_folder(place.parent, place.name, files)
        if made != place:  # another process was quicker
            raise RunError(f"{place} is being run by another process")
    with lock:
        if not (place / "report.md").exists():
            check_origin(place)
            clear_away(place)
            learner = make_learner(checked)
            began = (place / "checkpoints").exists()
            carry_out(place, checked, learner, restore_newest(place, learner) if began else [], show)
    return read_json(place / "results.json")


def create_sweep(root: str | Path, runs: Sequence[tuple[Config, str]], command: str) -> Path:
    """Create the folder of a sweep, ``root/sweep`` or ``root/sweep-2`` and so on.

    Args:
        root: where.
        runs: each configuration, its seed included, with the command that does it alone.
        command: of the whole sweep.

    Raises:
        BlackjackError: if two runs are the same.
    """
    names = [f"{config.name}-seed-{config.seed}" for config, _ in runs]
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise BlackjackError(f"expected every configuration and seed once, got {twice[0]} twice")
    units = [
        {"folder": name, "command": own, "config": config.model_dump()}
        for name, (config, own) in zip(names, runs, strict=True)
    ]
    content = json.dumps({"command": command, "runs": units}, indent=2) + "\n"
    folder, lock = create_folder(root, "sweep", {SWEEP: content})
    with lock:
        return folder


def read_sweep(folder: Path) -> list[Unit]:
    """Return the runs of a sweep.

    Raises:
        RunError: if ``sweep.json`` is damaged.
    """
    try:
        runs = read_json(folder / SWEEP)["runs"]
        return [Unit(str(folder / run["folder"]), dict(run["config"]), str(run["command"])) for run in runs]
    except (KeyError, TypeError, ValueError):
        raise RunError(f"{folder / SWEEP} is damaged") from None


def jobs_for(units: Sequence[Unit]) -> int:
    """Return how many runs share this machine without waiting for each other."""
    workers = max(int(unit.config["workers"]) for unit in units)
    return max(1, (os.cpu_count() or 1) // workers)


def carry_out_sweep(folder: Path, jobs: int | None, bar: Callable[[], Progress]) -> list[str]:
    """Carry out the runs of a sweep that are left, on local processes.

    Args:
        folder: of the sweep.
        jobs: runs at the same time; None for as many as the machine has room for.
        bar: makes the progress bar.

    Returns:
        A line for each run that failed; the others are finished.

    Raises:
        KeyboardInterrupt: if there was one; every run has kept its checkpoints.
    """
    units = read_sweep(folder)
    logs = folder / "logs"
    logs.mkdir(exist_ok=True)
    with lock_folder(folder), bar() as progress, _processes() as processes:
        left = [unit for unit in units if not unit.finished()]
        task = progress.add_task("sweep", total=sum(unit.checkpoints for unit in units))
        limit = jobs or jobs_for(units)
        failed: list[str] = []
        while left or processes:
            while left and len(processes) < limit:
                unit = left.pop(0)
                processes[unit.folder] = _start(unit, _log(logs, unit.folder))
            for run in [run for run, process in processes.items() if not process.is_alive()]:
                process = processes.pop(run)
                if process.exitcode:
                    failed.append(f"{run}: {_last_line(_log(logs, run), process.exitcode)}")
            over = sum(map(Unit.finished, units))
            progress.update(
                task,
                completed=sum(map(Unit.written, units)),
                description=f"sweep, {over} of {len(units)} runs finished",
            )
            time.sleep(POLL)
    return failed


@contextmanager
def _processes() -> Iterator[dict[str, BaseProcess]]:
    """Yield room for processes; end those that still run, however it is left."""
    processes: dict[str, BaseProcess] = {}
    try:
        yield processes
    finally:
        for process in processes.values():
            process.terminate()
        for process in processes.values():
            process.join()


def _start(unit: Unit, log: Path) -> BaseProcess:
    """Start a process that takes no notice of Ctrl-C: this one ends it."""
    process = multiprocessing.get_context("spawn").Process(target=_work, args=(*unit, str(log)))
    heeded = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        process.start()
    finally:
        signal.signal(signal.SIGINT, heeded)
    return process


def _work(folder: str, config: dict[str, Any], command: str, log: str) -> None:
    """Do a run in this process, with what it prints in a file."""
    with open(log, "a", encoding="utf-8") as file, redirect_stdout(file), redirect_stderr(file):
        try:
            run_unit(folder, config, command)
        except BlackjackError as error:
            print(error, file=file)
            sys.exit(1)
        except OSError as error:
            print(reason(error, folder), file=file)
            sys.exit(1)


def _log(logs: Path, run: str) -> Path:
    return logs / f"{Path(run).name}.txt"


def _last_line(log: Path, code: int | None) -> str:
    """Return why a process failed: the last line that it wrote."""
    lines = log.read_text(encoding="utf-8").splitlines() if log.exists() else []
    return lines[-1] if lines else f"ended with code {code}"
