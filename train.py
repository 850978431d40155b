"""Train an agent, measure it, and write a report: ``python train.py [--config C] [--seed N] [--set key=value]``.

Read from top to bottom: configuration, environment and learner, saved policy, benchmark, report. With no argument it
runs ``configs/default.toml``.
"""

import argparse
import json
import platform
import subprocess
import sys
import time
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path

from rich.console import Console

from agents.config import Config, load_config
from agents.run import config_text, create_folder, write_file
from agents.training import Trained
from bj_env import learned
from bj_env.benchmark import Score, Setting, compare
from bj_env.cli import progress_bar, score_table
from bj_env.decisions import Decision
from bj_env.errors import BlackjackError
from bj_env.notation import house_text

ROOT = Path(__file__).parent
EVALUATION_SEED = 10**9
"""Added to the seed for the benchmark's shoes, so that no shoe of the training is among them."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run it all; return the exit code."""
    options = parser().parse_args(arguments)
    try:
        run(options)
    except BlackjackError as error:
        print(f"train.py: {error}", file=sys.stderr)
        return 1
    except OSError as error:
        print(f"train.py: {error.filename or options.runs}: {error.strerror or error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("train.py: interrupted", file=sys.stderr)
        return 130
    return 0


def parser() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    options = argparse.ArgumentParser("train.py", description="Train an agent, measure it, write a report.")
    options.add_argument(
        "--config", default=ROOT / "configs" / "default.toml", help="a TOML file (default: %(default)s)"
    )
    options.add_argument("--seed", type=int, help="in place of the configuration's seed")
    options.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help="like learner.rounds=100000")
    options.add_argument("--runs", default="runs", help="where the run's folder is made (default: runs)")
    return options


def run(options: argparse.Namespace) -> None:
    """Train, save, measure, report."""
    changes = [*options.set, *([f"seed={options.seed}"] if options.seed is not None else [])]
    config = load_config(options.config, changes)
    folder = create_folder(options.runs, config.name)
    write_file(folder / "config.toml", config_text(config))
    console = Console()
    console.print(f"{config.learner.kind} on {config.environment.rules}, seed {config.seed}: {folder}")

    started = time.perf_counter()
    trained = train(config)
    seconds = time.perf_counter() - started
    facts = facts_of(config, options, seconds, trained)
    learned.save(folder / "policy", trained.profile._replace(provenance=facts), trained.tensors)

    setting = Setting(
        trained.profile.rules,
        tuple(config.environment.seats),
        config.benchmark.rounds,
        config.seed + EVALUATION_SEED,
    )
    policy = learned.load(folder / "policy")
    scores = measure(config, policy, setting)
    console.print(score_table(scores, setting))
    write_file(folder / "results.json", json.dumps([score.as_json() for score in scores], indent=2) + "\n")

    from agents.report import write_report  # only now: matplotlib takes a while

    write_report(folder, config, trained, policy, scores, facts)
    console.print(f"report: {folder / 'report.md'}; play it as a seat: {folder / 'policy'}")


def train(config: Config) -> Trained:
    """Train with the learner that the configuration names, showing how far it is."""
    with progress_bar() as progress:
        task = progress.add_task("training", total=config.learner.length)

        def advance(done: int) -> None:
            progress.advance(task, done)

        if config.learner.kind == "monte-carlo":
            from agents import monte_carlo

            return monte_carlo.train(config, advance)
        from agents import maskable_ppo  # only where it is used: torch takes a while

        return maskable_ppo.train(config, advance)


def measure(config: Config, policy: learned.LearnedDecision, setting: Setting) -> list[Score]:
    """Play the policy and the strategies of the configuration on the same shoes."""
    policies: dict[str, Decision | str] = {
        "basic": "basic",
        "learned": policy,
        **{name: name for name in config.benchmark.strategies},
    }
    with progress_bar() as progress:
        task = progress.add_task("benchmark", total=setting.rounds * len(policies))
        return compare(policies, setting, workers=config.workers, progress=lambda done: progress.advance(task, done))


def facts_of(config: Config, options: argparse.Namespace, seconds: float, trained: Trained) -> dict[str, str]:
    """Say how the policy came to be."""
    command = ["git", "-C", str(ROOT), "describe", "--always", "--dirty"]
    commit = subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip()
    changes = "".join(f" --set {change}" for change in options.set)
    config_file = Path(options.config)
    shown = config_file.relative_to(ROOT) if config_file.is_relative_to(ROOT) else config_file
    return {
        "command": f"python train.py --config {shown} --seed {config.seed}{changes}",
        "learner": config.learner.kind,
        "house": house_text(trained.profile.rules),
        "seed": str(config.seed),
        "training time": f"{seconds:.0f} s on {config.workers} processes",
        "commit": commit or "none",
        "versions": f"bj-env {version('bj-env')}, gymnasium {version('gymnasium')}, Python {platform.python_version()}",
        "machine": f"{platform.system()} {platform.machine()}",
    }


if __name__ == "__main__":
    sys.exit(main())
