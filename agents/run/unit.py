"""One run of a sweep as a unit of work, which any process that sees its folder begins, resumes or finds finished."""

import sys
import traceback
from collections.abc import Mapping
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any, NamedTuple

from rich.console import Console
from rich.progress import Progress

from agents.run.checkpoints import restore_newest
from agents.run.config import checked_config
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

    @property
    def log(self) -> Path:
        """Where what the run prints is kept: in ``logs`` beside its folder."""
        return Path(self.folder).parent / "logs" / f"{Path(self.folder).name}.txt"

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


def failure_of(unit: Unit) -> str:
    """Do a run with what it prints in its log; return why it failed, in one line; nothing if it did not."""
    with open(unit.log, "a", encoding="utf-8") as file, redirect_stdout(file), redirect_stderr(file):
        try:
            run_unit(*unit)
        except BlackjackError as error:
            return said(str(error))
        except OSError as error:
            return said(reason(error, unit.folder))
        except Exception as error:  # a fault of a learner is told with the others' results
            traceback.print_exc(file=sys.stderr)
            return said(f"{type(error).__name__}: {error}; see {unit.log}")
    return ""


def said(line: str) -> str:
    """Print a line and return it.

    >>> said("diverged")
    diverged
    'diverged'
    """
    print(line)
    return line
