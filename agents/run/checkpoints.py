"""Checkpoints of a run: a learner's state and what was noted, written whole or not at all, and checked when read."""

import re
import sys
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path

import numpy as np
from safetensors import SafetensorError, safe_open
from safetensors import numpy as tensor_files

from agents.run.folder import sync_folder, write_file
from agents.run.training import Learner, Row, Tensors
from bj_env.errors import BlackjackError

_NAME = re.compile(r"step_([0-9]{9,18})\.safetensors")


class CheckpointError(BlackjackError):
    """Raised for a checkpoint that is damaged."""


def checkpoint_path(folder: Path, done: int) -> Path:
    """Return where the checkpoint after so many rounds or steps is."""
    return folder / "checkpoints" / f"step_{done:09}.safetensors"


def save_checkpoint(folder: Path, learner: Learner, history: Sequence[Row]) -> Path:
    """Write a learner's state and what was noted so far; return the file."""
    tensors = {f"state.{name}": np.asarray(tensor, order="C") for name, tensor in learner.state().items()}
    tensors |= {f"history.{name}": values for name, values in _columns(history).items()}
    metadata = {"done": str(learner.done), "sha256": digest_of(tensors, learner.done)}
    path = checkpoint_path(folder, learner.done)
    path.parent.mkdir(exist_ok=True)
    sync_folder(folder)
    write_file(path, tensor_files.save(tensors, metadata))
    return path


def _columns(history: Sequence[Row]) -> Tensors:
    """Return what was noted by name, one number for each interval; NaN where there is none."""
    names = sorted({name for row in history for name in row})
    return {name: np.array([row.get(name, np.nan) for row in history]) for name in names}


def digest_of(tensors: Tensors, done: int) -> str:
    """Return the digest of all that a checkpoint says."""
    digest = sha256(f"{done}\n".encode())
    for name in sorted(tensors):
        tensor = tensors[name]
        digest.update(f"{name} {tensor.dtype.str} {tensor.shape}\n".encode())
        digest.update(tensor.tobytes())
    return digest.hexdigest()


def restore_newest(folder: Path, learner: Learner) -> list[Row]:
    """Take a learner back to its newest good checkpoint, if there is one, and say on standard error what is wrong.

    Returns:
        What was noted up to there.
    """
    paths = {
        int(found[1]): path for path in (folder / "checkpoints").glob("*") if (found := _NAME.fullmatch(path.name))
    }
    for done, path in sorted(paths.items(), reverse=True):
        try:
            state, history = read_checkpoint(path, done, learner.state())
        except CheckpointError as error:
            print(f"train.py: {path} is damaged and left out: {error}", file=sys.stderr)
        else:
            learner.restore(state)
            assert learner.done == done
            return history
    print(f"train.py: no good checkpoint in {folder}: training begins anew", file=sys.stderr)
    return []


def read_checkpoint(path: Path, done: int, like: Tensors) -> tuple[Tensors, list[Row]]:
    """Read a checkpoint and check everything about it.

    Args:
        path: of the file.
        done: how far it must have come.
        like: a state, whose names, types and shapes the one in the file must have.

    Raises:
        CheckpointError: if anything is wrong.
    """
    tensors, metadata = _read(path)
    if metadata.get("done") != str(done):
        raise CheckpointError(f"expected one after {done}, got one after {metadata.get('done')}")
    if metadata.get("sha256") != digest_of(tensors, done):
        raise CheckpointError("its content is not the one that was written")
    state = {name.removeprefix("state."): each for name, each in tensors.items() if name.startswith("state.")}
    _check_form(state, like)
    columns = {name.removeprefix("history."): each for name, each in tensors.items() if name.startswith("history.")}
    if len({each.shape for each in columns.values()}) != 1 or "done" not in columns or columns["done"][-1] != done:
        raise CheckpointError(f"its history does not lead to {done}")
    return state, _rows(columns)


def _read(path: Path) -> tuple[Tensors, dict[str, str]]:
    if path.exists() and not path.is_file():  # a FIFO, for one, would never come to an end
        raise CheckpointError("it is no plain file")
    try:
        with safe_open(path, "np") as file:
            return {name: file.get_tensor(name) for name in file.keys()}, file.metadata() or {}  # noqa: SIM118
    except (OSError, SafetensorError, ValueError, KeyError, TypeError) as error:
        raise CheckpointError(" ".join(str(error).split())) from None


def _check_form(state: Tensors, like: Tensors) -> None:
    forms = ({name: f"{each.dtype} {list(each.shape)}" for name, each in tensors.items()} for tensors in (like, state))
    expected, came = forms
    for name in sorted(expected.keys() | came.keys()):
        if came.get(name) != expected.get(name):
            raise CheckpointError(
                f"state {name}: expected {expected.get(name, 'nothing')}, got {came.get(name, 'nothing')}"
            )
    for name, tensor in state.items():
        if not np.isfinite(tensor).all():
            raise CheckpointError(f"state {name}: expected finite numbers")


def _rows(columns: Tensors) -> list[Row]:
    """Return what was noted after each interval."""
    intervals = range(len(columns["done"]))
    return [
        {name: float(each[interval]) for name, each in columns.items() if not np.isnan(each[interval])}
        for interval in intervals
    ]
