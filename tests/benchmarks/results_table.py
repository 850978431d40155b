"""Prints the rows of the README's table of results, one for each configuration, from the folders of finished runs.

``python tests/benchmarks/results_table.py runs/*``: medians over the seeds, and every seed's regret.
"""

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple


class Run(NamedTuple):
    """What one run has come to; values in percent of a bet, times in seconds."""

    command: str
    commit: str
    seed: int
    ev: float
    regret: float
    agreement: float
    done: int
    unit: str
    seconds: float


def run_of(folder: Path) -> Run:
    """Read the folder of a finished run."""
    results: dict[str, Any] = json.loads((folder / "results.json").read_text())
    run, learned = results["run"], next(score for score in results["scores"] if score["name"] == "learned")
    seconds = json.loads((folder / "timing.json").read_text())["training_seconds"]
    ev, regret, agreement = (100 * learned[name] for name in ("exact_ev", "regret", "agreement"))
    words = run["command"].split()
    at = words.index("--seed")  # the rows of a table are the same but for this
    command = " ".join(words[:at] + words[at + 2 :])
    return Run(command, run["commit"], run["seed"], ev, regret, agreement, run["done"], run["unit"], seconds)


def row(runs: Sequence[Run]) -> str:
    """Write the row of some runs that differ in the seed alone."""
    regrets = ", ".join(f"{run.regret:.4f}" for run in sorted(runs, key=lambda run: run.seed))
    seconds = [run.seconds for run in runs]
    return (
        f"| `{runs[0].command}` | {median(run.ev for run in runs):.4f} | {median(run.regret for run in runs):.4f} "
        f"| {regrets} | {median(run.agreement for run in runs):.1f} % | {runs[0].done / 1e6:.1f} M {runs[0].unit} "
        f"| {median(seconds):.0f} s | {', '.join(sorted({run.commit for run in runs}))} |"
    )


def main() -> None:
    """Print the table."""
    options = argparse.ArgumentParser("results_table.py", description=__doc__)
    options.add_argument("runs", nargs="+", type=Path, help="folders of runs; those that are not finished are left out")
    folders = [folder for folder in options.parse_args().runs if (folder / "report.md").exists()]
    by_command: dict[str, list[Run]] = {}
    for run in map(run_of, folders):
        by_command.setdefault(run.command, []).append(run)
    if not by_command:
        sys.exit("results_table.py: expected folders of finished runs, like runs/default; got none")
    print("| command | exact EV % | regret %, median | regret % of each seed | agrees | length | time | commit |")
    print("|---|---:|---:|---|---:|---:|---:|---|")
    for runs in sorted(by_command.values(), key=lambda runs: median(run.regret for run in runs)):
        print(row(runs))


if __name__ == "__main__":
    main()
