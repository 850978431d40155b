"""Runs of a sweep on processes of this machine."""

import multiprocessing
import os
import signal
import sys
from collections.abc import Sequence
from multiprocessing.process import BaseProcess
from typing import Self

from agents.run.unit import Unit, failure_of


def jobs_for(units: Sequence[Unit]) -> int:
    """Return how many runs share this machine without waiting for each other."""
    workers = max(int(unit.config["workers"]) for unit in units)
    return max(1, (os.cpu_count() or 1) // workers)


class Processes:
    """Runs on processes of this machine; leaving the block ends those that still run.

    Args:
        room: how many there are at the same time.
    """

    def __init__(self, room: int) -> None:
        self.room = room
        self._running: dict[BaseProcess, Unit] = {}

    def start(self, unit: Unit) -> None:
        """Start a process that takes no notice of Ctrl-C: this one ends it."""
        process = multiprocessing.get_context("spawn").Process(target=_work, args=(unit,))
        heeded = signal.signal(signal.SIGINT, signal.SIG_IGN)
        try:
            process.start()
        finally:
            signal.signal(signal.SIGINT, heeded)
        self._running[process] = unit

    def ended(self) -> list[tuple[Unit, str]]:
        """Return the runs that have ended since the last call, each with why it failed; nothing if it did not."""
        over = [process for process in self._running if not process.is_alive()]
        return [(unit := self._running.pop(process), _why(unit, process.exitcode)) for process in over]

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        for process in self._running:
            process.terminate()
        for process in self._running:
            process.join()


def _work(unit: Unit) -> None:
    sys.exit(1 if failure_of(unit) else 0)


def _why(unit: Unit, code: int | None) -> str:
    """Return why a process failed: the last line that it wrote."""
    if not code:
        return ""
    lines = unit.log.read_text(encoding="utf-8").splitlines() if unit.log.exists() else []
    return lines[-1] if lines else f"ended with code {code}"
