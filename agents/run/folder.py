"""The folder of a run: never shared by two, every file written whole or not at all."""

import errno
import json
import os
import platform
import shutil
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path
from typing import Any, Self
from uuid import uuid4

from filelock import FileLock, Timeout

from agents.run.config import Config
from agents.run.training import Row
from bj_env.errors import BlackjackError, one_line

TAKEN = (errno.EEXIST, errno.ENOTEMPTY, errno.ENOTDIR)
"""How the system says that a run cannot have a name because something else has it."""

LOCK = ".lock"
WRITTEN = (
    "config.toml",
    "run.json",
    "results.json",
    "timing.json",
    "report.md",
    "strategy_chart.png",
    "learning_curve.png",
    "learning_curve.csv",
    "learning_curve.json",
)
"""The files that a run writes by `write_file`, beside its checkpoints."""

ORIGIN = ("command", "commit", "versions", "machine", "config_sha256")
"""What ``run.json`` says."""


class RunError(BlackjackError):
    """Raised for a folder that is no run, or whose run may not go on."""


def create_folder(root: str | Path, name: str, files: Mapping[str, str]) -> tuple[Path, AbstractContextManager[object]]:
    """Create the folder of a run: ``root/name``, or ``root/name-2`` and so on where that is taken.

    It appears with these files in it and locked, so that it can be resumed whatever happens then.

    Returns:
        The folder, and the lock that keeps others off it.
    """
    root = Path(root)
    root.mkdir(parents=True, exist_ok=True)
    made = root / f".{name}-{uuid4().hex}"
    made.mkdir()
    lock = lock_folder(made)
    for file, content in files.items():
        write_file(made / file, content)
    number = 1
    while True:
        folder = root / (name if number == 1 else f"{name}-{number}")
        try:
            made.rename(folder)
        except OSError as error:
            if error.errno not in TAKEN:
                raise
            number += 1
        else:
            sync_folder(root)
            return folder, lock


def find_run(path: str | Path) -> Path:
    """Return the folder of a run.

    Raises:
        RunError: if there is none.
    """
    folder = Path(path)
    if not folder.is_dir():
        raise RunError(f"{folder} is no run: there is no such folder")
    if missing := [name for name in ("config.toml", "run.json") if not (folder / name).is_file()]:
        raise RunError(f"{folder} is no run: it has no {missing[0]}")
    return folder


def origin_of(config: Config, command: str) -> str:
    """Return ``run.json``, which says where a run comes from."""
    origin = {"command": command, **code(), "config_sha256": sha256(config_text(config).encode()).hexdigest()}
    return json.dumps(origin, indent=2) + "\n"


def code() -> dict[str, str]:
    """Say which code runs here."""
    describe = ["git", "-C", str(Path(__file__).parent), "describe", "--always", "--dirty"]
    commit = subprocess.run(describe, capture_output=True, text=True, check=False).stdout.strip()
    versions = [f"{name} {version(name)}" for name in ("bj-env", "gymnasium", "numpy", "numba", "torch")]
    return {
        "commit": commit or "none",
        "versions": ", ".join([*versions, f"Python {platform.python_version()}"]),
        "machine": f"{platform.system()} {platform.machine()}",
    }


def read_json(path: Path) -> dict[str, Any]:
    """Return the object that a JSON file holds.

    Raises:
        RunError: if it is missing or damaged.
    """
    try:
        content = json.loads(path.read_bytes()) if path.is_file() else None  # a FIFO would never come to an end
    except (OSError, ValueError, RecursionError):
        content = None
    if not isinstance(content, dict):
        raise RunError(f"{path} is damaged")
    return content


def reason(error: OSError, place: str | Path) -> str:
    """Return in one line what the system refused, and where; at least the place where we were about to write."""
    return one_line(f"{error.filename or place}: {error.strerror or error}")


def read_origin(folder: Path) -> dict[str, str]:
    """Return what ``run.json`` says.

    Raises:
        RunError: if it is damaged.
    """
    origin = read_json(folder / "run.json")
    if missing := set(ORIGIN) - origin.keys():
        raise RunError(f"{folder / 'run.json'} is damaged: it has no {min(missing)!r}")
    return {name: str(origin[name]) for name in ORIGIN}


def check_origin(folder: Path) -> None:
    """Look whether a run can go on as it began, and note it where other code goes on with it.

    Raises:
        RunError: if its configuration was changed.
    """
    origin = read_origin(folder)
    file = folder / "config.toml"
    if sha256(file.read_bytes()).hexdigest() != origin["config_sha256"]:
        raise RunError(f"{file} is not as the run began: begin another with --config {file}")
    for name, now in code().items():
        before = origin[name].split(", then ")[-1]
        if before != now:
            said = f"the run began with {name} {before} and goes on with {now}: its result may be another"
            print(f"train.py: {said}", file=sys.stderr)
            origin[name] += f", then {now}"
            write_file(folder / "run.json", json.dumps(origin, indent=2) + "\n")


def lock_folder(folder: Path) -> AbstractContextManager[object]:
    """Lock the folder of a run for as long as this process lives, however it ends, or the lock is released.

    Raises:
        RunError: if another process runs it.
    """
    try:
        return FileLock(folder / LOCK, timeout=0).acquire()
    except Timeout:
        raise RunError(f"{folder} is being run by another process") from None


def write_file(path: Path, content: str | bytes) -> None:
    """Write a file through a temporary one, so that a kill leaves the old one or the new one."""
    made = path.with_name(f".{path.name}.part")
    with made.open("wb") as file:
        file.write(content.encode() if isinstance(content, str) else content)
        file.flush()
        os.fsync(file.fileno())
    made.replace(path)
    sync_folder(path.parent)


def sync_folder(folder: Path) -> None:
    """See to it that what was renamed in a folder has its new name after a power cut too."""
    if os.name == "posix":
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def clear_away(folder: Path) -> None:
    """Remove what a killed process left half-made in the folder of a run; nothing that a run does not write itself."""
    for path in [*(folder / f".{name}.part" for name in WRITTEN), *folder.glob("checkpoints/.step_*.part")]:
        if path.is_symlink() or path.is_file():
            path.unlink()
    for path in folder.glob(".policy-*"):
        if path.is_dir() and not path.is_symlink() and {each.name for each in path.iterdir()} <= {"policy", "old"}:
            shutil.rmtree(path)


def config_text(config: Config) -> str:
    """Write a configuration as TOML, as it was run."""
    import tomli_w

    return tomli_w.dumps(config.model_dump())


class Scalars:
    """The numbers of a run for TensorBoard, each step once.

    Whatever a process that was killed has written is written again from what was noted, in a file of its own.
    """

    def __init__(self, folder: Path, history: Sequence[Row]) -> None:
        from tensorboard.compat.proto.event_pb2 import Event  # only where something trains
        from tensorboard.summary.writer.record_writer import RecordWriter

        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        # TensorBoard's own writer has a thread, which on a full disk dies with a traceback of its own.
        self._records = RecordWriter((folder / f"events.out.tfevents.{time.time_ns()}").open("wb"))
        self._write(Event(wall_time=time.time(), file_version="brain.Event:2"))
        for row in history:
            self.add(row)

    def add(self, row: Row) -> None:
        """Write what was noted after an interval."""
        from tensorboard.compat.proto.event_pb2 import Event
        from tensorboard.compat.proto.summary_pb2 import Summary

        values = [
            Summary.Value(tag=name, simple_value=value) for name, value in row.items() if name not in ("done", "time")
        ]
        self._write(Event(wall_time=row["time"], step=int(row["done"]), summary=Summary(value=values)))

    def _write(self, event: Any) -> None:
        self._records.write(event.SerializeToString())
        self._records.flush()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self._records.close()
