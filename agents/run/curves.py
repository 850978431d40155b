"""Learning curves as files: every number that a run has logged, by checkpoint, as CSV and JSON."""

import csv
import io
import json
from collections.abc import Sequence
from pathlib import Path

from agents.run.folder import write_file
from agents.run.training import Row

FIELDS = {
    "done": "rounds or steps of training so far",
    "return": "mean net of a training round with its exploration, bets",
    "return_stderr": "its standard error, bets",
    "exact_ev": "exact expected net of a round of the greedy policy, bets; empty where it was not evaluated",
    "exact_regret": "best total-dependent play less exact_ev, bets; empty where it was not evaluated",
    "training_seconds": "wall time of the checkpoint interval without compiling, seconds",
    "compile_seconds": "time spent compiling, seconds",
}
"""The columns that every learning curve has; a learner adds its own, under their names in TensorBoard."""


def columns_of(history: Sequence[Row]) -> list[str]:
    """Return the columns of a curve: those of `FIELDS` first, then those of the learner, by name.

    >>> columns_of([{"return": -0.1, "loss": 0.5, "done": 10.0, "time": 1.7e9}])[-1]
    'loss'
    """
    own = {name for row in history for name in row} - FIELDS.keys() - {"time"}
    return [*FIELDS, *sorted(own)]


def curve_csv(history: Sequence[Row], first: Sequence[tuple[str, object]] = ()) -> str:
    """Write a curve as CSV with a header; ``first`` are columns with one value, such as a seed, that come first."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    columns = columns_of(history)
    writer.writerow([*(name for name, _ in first), *columns])
    for row in history:
        writer.writerow([*(value for _, value in first), *(_number(row.get(name)) for name in columns)])
    return out.getvalue()


def _number(value: float | None) -> float | int | None:
    return int(value) if value is not None and value == int(value) and abs(value) >= 1 else value


def write_curve(folder: Path, history: Sequence[Row], unit: str) -> None:
    """Write ``learning_curve.csv`` and ``learning_curve.json`` into the folder of a run."""
    write_file(folder / "learning_curve.csv", curve_csv(history))
    columns = columns_of(history)
    points = [{name: row[name] for name in columns if name in row} for row in history]
    content = {"unit": unit, "fields": FIELDS, "points": points}
    write_file(folder / "learning_curve.json", json.dumps(content, indent=2) + "\n")
