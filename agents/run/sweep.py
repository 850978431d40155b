"""Many runs as one: configurations by seeds, on local processes or a cluster, resumable, with a table at the end."""

import json
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from rich.progress import Progress

from agents.run.config import Config
from agents.run.folder import RunError, create_folder, lock_folder, read_json
from agents.run.processes import Processes, jobs_for
from agents.run.unit import Unit
from bj_env.errors import BlackjackError

if TYPE_CHECKING:
    from agents.run.ray_tasks import RayTasks

SWEEP = "sweep.json"
"""What a sweep consists of; its presence tells a sweep from a run."""

POLL = 0.2
"""Seconds between two looks at the processes and their checkpoints."""


class Workers(Protocol):
    """Where runs are carried out: `agents.run.processes.Processes` or `agents.run.ray_tasks.RayTasks`.

    Attributes:
        room: how many runs there are at the same time.
    """

    room: int

    def start(self, unit: Unit) -> None:
        """Begin or resume a run."""

    def ended(self) -> list[tuple[Unit, str]]:
        """Return the runs that have ended since the last call, each with why it failed; nothing if it did not."""


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
        return [Unit(str(folder.absolute() / run["folder"]), dict(run["config"]), str(run["command"])) for run in runs]
    except (KeyError, TypeError, ValueError):
        raise RunError(f"{folder / SWEEP} is damaged") from None


def carry_out_sweep(folder: Path, jobs: int | None, cluster: str | None, bar: Callable[[], Progress]) -> list[str]:
    """Carry out the runs of a sweep that are left.

    Args:
        folder: of the sweep.
        jobs: runs at the same time on this machine; None for as many as it has room for.
        cluster: address of a Ray cluster, as for `bj_env.compiled.cluster.on_cluster`; None for none.
        bar: makes the progress bar.

    Returns:
        A line for each run that failed; the others are finished.

    Raises:
        BlackjackError: if nobody answers at the address, or the cluster's workers can do no run.
        KeyboardInterrupt: if there was one; every run has kept its checkpoints.
    """
    units = read_sweep(folder)
    (folder / "logs").mkdir(exist_ok=True)
    with lock_folder(folder), _workers(units, jobs, cluster) as workers, bar() as progress:
        task = progress.add_task("sweep", total=sum(unit.checkpoints for unit in units))

        def show() -> None:
            over, written = sum(map(Unit.finished, units)), sum(map(Unit.written, units))
            progress.update(task, completed=written, description=f"sweep, {over} of {len(units)} runs finished")

        return _failed([unit for unit in units if not unit.finished()], workers, show)


def _workers(units: Sequence[Unit], jobs: int | None, cluster: str | None) -> "Processes | RayTasks":
    if cluster is None:
        return Processes(jobs or jobs_for(units))

    from agents.run.ray_tasks import RayTasks  # only here: it takes ray

    return RayTasks(cluster)


def _failed(left: list[Unit], workers: Workers, show: Callable[[], None]) -> list[str]:
    """Carry out runs, showing how far they are; return a line for each that failed."""
    running, failed = 0, list[str]()
    while left or running:
        while left and running < workers.room:
            workers.start(left.pop(0))
            running += 1
        for unit, why in workers.ended():
            running -= 1
            failed += [f"{unit.folder}: {why}"] if why else []
        show()
        time.sleep(POLL)
    return failed
