"""Prints the README's table of results: trains configurations with several seeds, and measures each policy exactly.

``python tests/benchmarks/bench_learners.py configs/ppo.toml configs/sarsa.toml --seeds 1 2 3``: the same trainings as
``train.py --config C --seed N``, without reports. Times are of the training alone, compiling left out.
"""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from statistics import median
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).parents[2]))

from agents.run.config import load_config
from agents.run.training import LEARNED, train_leg
from bj_env.analysis.benchmark import compare
from bj_env.cli.main import progress_bar
from bj_env.strategies.saved_policy import LearnedDecision
from train import make_learner

ROUNDS = 200_000
"""Enough to count how often a policy's decisions are the best; its value is exact without any."""


class Result(NamedTuple):
    """What one training has come to; values in percent of a bet."""

    ev: float
    regret: float
    agreement: float
    done: int
    unit: str
    seconds: float


def result_of(config_file: str, changes: Sequence[str]) -> Result:
    """Train and measure."""
    config = load_config(config_file, changes)
    learner, seconds = make_learner(config), 0.0
    with progress_bar() as progress:
        task = progress.add_task(f"{config.name}, seed {config.seed}", total=config.learner.length)
        for _ in range(config.learner.legs):
            seconds += train_leg(learner, lambda done: progress.advance(task, done))["training_seconds"]
    decision = LearnedDecision(learner.profile, learner.policy())
    score = compare({LEARNED: decision}, config.setting._replace(rounds=ROUNDS), workers=config.workers)[1]
    assert score.exact_ev is not None
    assert score.regret is not None
    ev, regret, agreement = 100 * score.exact_ev, 100 * score.regret, 100 * score.agreement
    print(f"{config.name}, seed {config.seed}: regret {regret:.5f} %, {seconds:.1f} s", file=sys.stderr, flush=True)
    return Result(ev, regret, agreement, learner.done, learner.unit, seconds)


def row(config_file: str, changes: Sequence[str], results: Sequence[Result]) -> str:
    """Write the row of a configuration, medians over its seeds."""
    command = " ".join(["python train.py --config", config_file, *(f"--set {change}" for change in changes)])
    ev, regret, agreement, seconds = (
        median(getattr(result, name) for result in results) for name in ("ev", "regret", "agreement", "seconds")
    )
    regrets = ", ".join(f"{result.regret:.4f}" for result in results)
    return (
        f"| `{command}` | {ev:.4f} | {regret:.4f} | {regrets} | {agreement:.1f} % "
        f"| {results[0].done / 1e6:.1f} M {results[0].unit} | {seconds:.0f} s |"
    )


def main() -> None:
    """Print the table."""
    options = argparse.ArgumentParser("bench_learners.py", description=__doc__)
    options.add_argument("configs", nargs="+", help="configuration files")
    options.add_argument("--seeds", nargs="+", type=int, default=[1, 2, 3], help="(default: 1 2 3)")
    options.add_argument("--set", action="append", default=[], help="as for train.py")
    given = options.parse_args()
    print("| command | exact EV % | regret % | regret % of each seed | agrees | length | time |")
    print("|---|---:|---:|---|---:|---:|---:|", flush=True)
    for config in given.configs:
        results = [result_of(config, [*given.set, f"seed={seed}"]) for seed in given.seeds]
        print(row(config, given.set, results), flush=True)


if __name__ == "__main__":
    main()
