"""Runs of a sweep on a Ray cluster whose machines share the sweep's folder and have the same checkout."""

import socket
from hashlib import sha256
from pathlib import Path
from typing import Any, Self

import agents
import bj_env
from agents.run.unit import Unit, failure_of
from bj_env.compiled.cluster import connect, ray, result
from bj_env.errors import BlackjackError

RETRIES = 10
"""How often a run is resumed whose worker has died."""


class RayTasks:
    """Runs as tasks of a Ray cluster; leaving the block ends those that still run.

    A run whose worker dies is resumed by another, from its newest checkpoint.

    Args:
        address: as for `bj_env.compiled.cluster.on_cluster`.

    Raises:
        BlackjackError: if nobody answers at the address.
    """

    def __init__(self, address: str) -> None:
        connect(address)
        self.room = max(1, int(ray.cluster_resources().get("CPU", 1)))
        self._cores = max(int(node["Resources"].get("CPU", 1)) for node in ray.nodes() if node["Alive"])
        self._running: dict[Any, Unit] = {}

    def start(self, unit: Unit) -> None:
        """Hand a run to the cluster; it takes as many cores as it has workers, at most all of a machine."""
        cores = min(int(unit.config["workers"]), self._cores)
        task = ray.remote(num_cpus=cores, max_retries=RETRIES, retry_exceptions=False)(_work)
        self._running[task.remote(unit, digest())] = unit

    def ended(self) -> list[tuple[Unit, str]]:
        """Return the runs that have ended since the last call, each with why it failed; nothing if it did not.

        Raises:
            BlackjackError: if a worker can do no run at all.
        """
        running = list(self._running)
        over, _ = ray.wait(running, num_returns=len(running), timeout=0)
        return [(self._running.pop(task), str(result(task))) for task in over]

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        for task in self._running:
            ray.cancel(task, force=True)


def digest() -> str:
    """Return a digest of all sources that a run can depend on."""
    found = sha256()
    for package in (bj_env, agents):
        root = Path(package.__file__ or "").parent
        for path in sorted(root.rglob("*.py")):
            found.update(str(path.relative_to(root.parent)).encode() + b"\0" + path.read_bytes() + b"\0")
    return found.hexdigest()


def _work(unit: Unit, version: str) -> str:
    """Do a run on a worker; return why it failed.

    Raises:
        BlackjackError: if this machine has other sources, or does not see the folder.
    """
    here = socket.gethostname()
    if digest() != version:
        wanted, found = version[:12], digest()[:12]
        raise BlackjackError(f"worker on {here}: expected the sources {wanted}, got {found}; check out the same commit")
    if not unit.log.parent.is_dir():
        raise BlackjackError(f"worker on {here}: expected the folder {unit.log.parent}; --runs needs a shared one")
    return failure_of(unit)
