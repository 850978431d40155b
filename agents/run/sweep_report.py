"""What a sweep came to: every run and the medians of each configuration, as a table, CSV, JSON and a picture."""

import csv
import io
import json
from collections.abc import Sequence
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import EngFormatter
from rich.table import Table

from agents.run.curves import FIELDS as CURVE_FIELDS
from agents.run.folder import read_json, write_file
from agents.run.sweep import read_sweep
from agents.run.training import LEARNED
from agents.run.unit import Unit
from bj_env.analysis.pictures import png

FIELDS = {
    "config": "name of the configuration",
    "seed": "of the run",
    "kind": "of the learner",
    "rules": "that were trained on",
    "unit": "what `done` counts: rounds or steps",
    "done": "length of the training",
    "exact_ev": "exact expected net of a round of the greedy policy, bets; empty if it is not known",
    "regret": "best total-dependent play less exact_ev, bets; empty if it is not known",
    "ev": "mean net of a round in the benchmark, bets",
    "stderr": "its standard error, bets",
    "agreement": "share of decisions that are the best total-dependent ones, near-ties included",
    "training_seconds": "wall time of the training without compiling, seconds",
    "folder": "of the run",
}
"""The columns of ``sweep.csv`` and the fields of a run in ``sweep.json``."""

MEDIANS = ("exact_ev", "regret", "ev", "agreement", "training_seconds")
"""What is summarised by its median over the seeds."""

LEAST_SHOWN = 1e-4
"""The least regret, in percent of a bet, on the logarithmic scale of the picture."""

Run = dict[str, Any]


def write_sweep_report(folder: Path) -> Table | None:
    """Write ``sweep.md``, ``sweep.csv``, ``results.json``, ``curves.csv`` and ``sweep.png`` from the finished runs.

    Returns:
        The table of medians for a terminal; None if no run is finished.
    """
    units = [unit for unit in read_sweep(folder) if unit.finished()]
    if not units:
        return None
    runs = [_run_of(unit) for unit in units]
    configs = {str(run["config"]): [each for each in runs if each["config"] == run["config"]] for run in runs}
    medians = [_median_of(name, seeds) for name, seeds in configs.items()]
    content = {"fields": FIELDS, "runs": runs, "medians": medians}
    write_file(folder / "results.json", json.dumps(content, indent=2) + "\n")
    write_file(folder / "sweep.csv", _csv(list(FIELDS), runs))
    write_file(folder / "curves.csv", _csv(["config", "seed", *CURVE_FIELDS], _points(units)))
    write_file(folder / "sweep.png", _picture(configs, units))
    write_file(folder / "sweep.md", _markdown(configs, medians))
    return _table(medians)


def _run_of(unit: Unit) -> Run:
    """Return the fields of a finished run."""
    results = read_json(Path(unit.folder) / "results.json")
    run, config = results["run"], results["run"]["config"]
    score = next(each for each in results["scores"] if each["name"] == LEARNED)
    known = {
        "config": config["name"],
        "seed": config["seed"],
        "kind": config["learner"]["kind"],
        "rules": config["environment"]["rules"],
        "unit": run["unit"],
        "done": run["done"],
        "training_seconds": read_json(Path(unit.folder) / "timing.json")["training_seconds"],
        "folder": Path(unit.folder).name,
    }
    return {name: known.get(name, score.get(name)) for name in FIELDS}


def _median_of(name: str, runs: Sequence[Run]) -> Run:
    """Return the medians over the seeds of a configuration; none where a value is not known of every run."""
    values = {field: [run[field] for run in runs] for field in MEDIANS}
    return {
        "config": name,
        "seeds": [run["seed"] for run in runs],
        **{field: None if None in each else median(each) for field, each in values.items()},
    }


def _points(units: Sequence[Unit]) -> list[Run]:
    """Return the points of all learning curves."""
    return [
        {"config": unit.config["name"], "seed": unit.config["seed"], **point}
        for unit in units
        for point in read_json(Path(unit.folder) / "learning_curve.json")["points"]
    ]


def _csv(columns: Sequence[str], rows: Sequence[Run]) -> str:
    out = io.StringIO()
    writer = csv.DictWriter(out, columns, extrasaction="ignore", lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue()


def _percent(value: float | None, digits: int) -> str:
    return "-" if value is None else f"{100 * value:.{digits}f}"


def _table(medians: Sequence[Run]) -> Table:
    """Return the medians for a terminal."""
    table = Table("configuration", "seeds", "exact EV %", "regret %", "agrees", "time")
    for each in medians:
        table.add_row(
            each["config"],
            str(len(each["seeds"])),
            _percent(each["exact_ev"], 4),
            _percent(each["regret"], 4),
            f"{each['agreement']:.1%}",
            f"{each['training_seconds']:.0f} s",
        )
    return table


def _markdown(configs: dict[str, list[Run]], medians: Sequence[Run]) -> str:
    rows = [
        "# Sweep",
        "",
        "Values are percent of a bet a round, medians over the seeds. Regret is exact, relative to the best",
        "total-dependent play. Agrees: decisions that are the best ones, near-ties included. Time: training alone,",
        "without compiling.",
        "",
        "| configuration | exact EV % | regret % | regret % of each seed | agrees | length | time |",
        "|---|---:|---:|---|---:|---:|---:|",
    ]
    for each in medians:
        runs = configs[each["config"]]
        regrets = ", ".join(f"{run['seed']}: {_percent(run['regret'], 4)}" for run in runs)
        length = f"{runs[0]['done'] / 1e6:.1f} M {runs[0]['unit']}"
        rows.append(
            f"| {each['config']} | {_percent(each['exact_ev'], 4)} | {_percent(each['regret'], 4)} | {regrets} "
            f"| {each['agreement']:.1%} | {length} | {each['training_seconds']:.0f} s |"
        )
    return "\n".join([*rows, "", "![learning curves](sweep.png)", ""])


def _picture(configs: dict[str, list[Run]], units: Sequence[Unit]) -> bytes:
    """Draw the exact regret of every run while it trained, and the median of each configuration; a PNG."""
    figure = Figure(figsize=(8, 5), layout="constrained")
    axes = figure.subplots()
    points = _points(units)
    for number, name in enumerate(configs):
        curves = [_curve(points, name, run["seed"]) for run in configs[name]]
        known = [curve for curve in curves if len(curve[0])]
        for done, regret in known:
            axes.plot(done, regret, color=f"C{number}", linewidth=0.6, alpha=0.5)
        if known and len({tuple(done) for done, _ in known}) == 1:
            middle = np.median([regret for _, regret in known], axis=0)
            axes.plot(known[0][0], middle, "o-", color=f"C{number}", markersize=3, label=f"{name} (median)")
    axes.set(
        yscale="log",
        xlabel="rounds or steps of training",
        ylabel="exact regret of the greedy policy, % of a bet",
        title="Learning curves of every seed and their medians",
    )
    axes.xaxis.set_major_formatter(EngFormatter(sep=""))
    axes.yaxis.set_major_formatter("{x:g}")
    axes.grid(alpha=0.3)
    if axes.get_legend_handles_labels()[0]:
        axes.legend(fontsize="small")
    return png(figure)


def _curve(points: Sequence[Run], name: str, seed: int) -> tuple[list[float], list[float]]:
    """Return where the regret of a run was evaluated, and the regret in percent."""
    mine = [each for each in points if (each["config"], each["seed"]) == (name, seed) and "exact_regret" in each]
    return [each["done"] for each in mine], [max(100 * each["exact_regret"], LEAST_SHOWN) for each in mine]
