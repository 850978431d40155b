"""Train an agent, measure it, and write a report: ``python train.py [--config C] [--seed N] [--set key=value]``.

Read from top to bottom: configuration, learner, legs of training, saved policy, benchmark, report. With no argument it
runs ``configs/default.toml``. ``python train.py --resume runs/NAME`` goes on with a run that was killed, from its
newest good checkpoint, to the same result.
"""

import argparse
import json
import shlex
import signal
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import FrameType

from rich.console import Console
from rich.markup import escape

from agents.run.checkpoints import checkpoint_path, restore_newest, save_checkpoint
from agents.run.config import Config, load_config
from agents.run.learners import AnyLearner
from agents.run.run import (
    RunError,
    Scalars,
    check_origin,
    clear_away,
    config_text,
    create_folder,
    find_run,
    lock_folder,
    origin_of,
    read_origin,
    write_file,
)
from agents.run.training import Learner, Row, Trained, TrainingError, curve_of, evaluated, is_due, train_leg
from bj_env.analysis.benchmark import compare
from bj_env.analysis.scores import Score
from bj_env.cli.bench import score_table
from bj_env.cli.main import progress_bar
from bj_env.errors import BlackjackError
from bj_env.game.decision import Decision
from bj_env.game.notation import house_text
from bj_env.strategies import saved_policy

ROOT = Path(__file__).parent
DEFAULT = ROOT / "configs" / "default.toml"
EXAMPLES = """examples:
  python train.py                                              the default: train, measure, report, in runs/default
  python train.py --config configs/maskable-ppo.toml --seed 2  another learner, other chance
  python train.py --set environment.rules="6D H17" --set learner.legs=10
  python train.py --resume runs/default                        go on after a kill, to the same result
  tensorboard --logdir runs                                    watch the curves of all runs
"""


class Terminated(KeyboardInterrupt):
    """Is raised when the process is asked to end by SIGTERM."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run it all; return the exit code: 0, 1 for what is refused or failed, 130 or 143 when interrupted."""
    options = parser().parse_args(arguments)
    try:
        check_paths(options)
        if options.resume is None:
            begin(options)
        else:
            resume(options)
    except BlackjackError as error:
        print(f"train.py: {error}", file=sys.stderr)
        return 1
    except OSError as error:
        print(f"train.py: {reason(error, options.resume or options.runs or 'runs')}", file=sys.stderr)
        return 1
    except (MemoryError, RuntimeError) as error:
        if not isinstance(error, MemoryError) and "can't allocate memory" not in str(error):  # as torch says it
            raise
        print(
            f"train.py: not enough memory for what 'learner' asks for: {' '.join(str(error).split())}", file=sys.stderr
        )
        return 1
    except KeyboardInterrupt as interrupt:
        print(f"train.py: interrupted{interrupt}", file=sys.stderr)
        return 128 + (signal.SIGTERM if isinstance(interrupt, Terminated) else signal.SIGINT)
    return 0


def parser() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    options = argparse.ArgumentParser(
        "train.py",
        description="Train an agent, measure it, write a report.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    options.add_argument("--config", help="a TOML file (default: configs/default.toml)")
    options.add_argument("--seed", type=int, help="in place of the configuration's seed")
    options.add_argument(
        "--set", action="append", metavar="KEY=VALUE", help="change the configuration, like learner.rounds=100000"
    )
    options.add_argument("--runs", help="where the run's folder is made (default: runs)")
    options.add_argument("--resume", metavar="RUN", help="the folder of a run to go on with, like runs/default")
    return options


def check_paths(options: argparse.Namespace) -> None:
    """Refuse an empty path, as a shell gives for a variable that is not set: it is no word for the default.

    Raises:
        BlackjackError: if there is one.
    """
    for name in ("config", "runs", "resume"):
        if getattr(options, name) == "":
            raise BlackjackError(f"--{name}: expected a path, got ''")


def reason(error: OSError, place: str | Path) -> str:
    """Say in one line what the system refused, and where; at least the place where we were about to write."""
    return f"{error.filename or place}: {error.strerror or error}"


def begin(options: argparse.Namespace) -> None:
    """Make a new run and carry it out."""
    changes = [*(options.set or []), *([f"seed={options.seed}"] if options.seed is not None else [])]
    config = load_config(options.config or DEFAULT, changes)
    learner = make_learner(config)
    files = {"config.toml": config_text(config), "run.json": origin_of(config, command_of(options, config.seed))}
    folder, lock = create_folder(options.runs or "runs", config.name, files)
    with lock:
        carry_out(folder, config, learner, [])


def resume(options: argparse.Namespace) -> None:
    """Go on with a run, unless it is finished.

    Raises:
        BlackjackError: if there is no such run, or it is being run, or other options are given.
    """
    for name in ("config", "seed", "set", "runs"):
        if getattr(options, name) is not None:
            raise BlackjackError(f"--resume: the run has its own configuration: leave out --{name}")
    folder = find_run(options.resume)
    with lock_folder(folder):
        if (folder / "report.md").exists():
            print(f"{folder} is finished: {folder / 'report.md'}")
            return
        check_origin(folder)
        clear_away(folder)
        config = load_config(folder / "config.toml")
        learner = make_learner(config)
        carry_out(folder, config, learner, restore_newest(folder, learner))


def make_learner(config: Config) -> Learner:
    """Return the learner that a configuration names."""
    match config.learner.kind:  # imported only where it is used: torch takes a while
        case "monte-carlo":
            from agents.learners.monte_carlo import MonteCarloLearner

            return MonteCarloLearner(config)
        case "deep-monte-carlo":
            from agents.learners.deep_monte_carlo import DeepMonteCarloLearner

            return DeepMonteCarloLearner(config)
        case "temporal-difference":
            from agents.learners.temporal_difference import TemporalDifferenceLearner

            return TemporalDifferenceLearner(config)
        case "rule-conditioned":
            from agents.learners.rule_conditioned import RuleConditionedLearner

            return RuleConditionedLearner(config)
        case "maskable-ppo":
            from agents.learners.maskable_ppo import MaskablePPOLearner

            return MaskablePPOLearner(config)
        case "ppo-sb3":
            from agents.learners.ppo_sb3 import SB3PPOLearner

            return SB3PPOLearner(config)
        case "dqn-sb3":
            from agents.learners.dqn_sb3 import SB3DQNLearner

            return SB3DQNLearner(config)
        case "ppo":
            from agents.learners.ppo import PPOLearner

            return PPOLearner(config)


def carry_out(folder: Path, config: Config, learner: Learner, history: list[Row]) -> None:
    """Train from where the learner is, save the policy, measure it and report.

    Raises:
        KeyboardInterrupt: if there was one, saying how to go on.
        RunError: if the system refused to write something, likewise.
    """
    console = Console(soft_wrap=True)
    begun = f", from {learner.done:,} {learner.unit} on" if history else ""
    console.print(escape(f"{config.learner.kind} on {config.environment.rules}, seed {config.seed}{begun}: {folder}"))
    if note := shorter(config.learner, learner.unit):
        console.print(note)
    try:
        train(folder, config, learner, history)
        trained = Trained(learner.profile, learner.policy(), curve_of(history), learner.unit)
        report(folder, config, trained, history, console)
    except (KeyboardInterrupt, OSError) as error:
        go_on = f"; go on with: python train.py --resume {shlex.quote(str(folder))}"
        if isinstance(error, OSError):  # a full disk, for one
            raise RunError(reason(error, folder) + go_on) from None
        raise type(error)(go_on) from None


def shorter(settings: AnyLearner, unit: str) -> str:
    """Say how long a training is, where it is not as long as was asked for; else nothing.

    >>> shorter(load_config(ROOT / "configs/ppo.toml", ["learner.steps=3_000_000"]).learner, "steps")
    '2,621,440 steps of 3,000,000: so many make whole updates in each leg'
    """
    asked, length = getattr(settings, unit), settings.length
    return f"{length:,} {unit} of {asked:,}: so many make whole updates in each leg" if length != asked else ""


def train(folder: Path, config: Config, learner: Learner, history: list[Row]) -> None:
    """Train the legs that are left, noting each in ``history``, with a checkpoint after each.

    Raises:
        TrainingError: if the training diverged, or is better than can be, naming the newest checkpoint.
    """
    legs = config.learner.legs
    kept = checkpoint_path(folder, learner.done) if history else None
    with Scalars(folder / "tensorboard", history) as scalars, progress_bar() as progress:
        task = progress.add_task(description_of(history), total=config.learner.length, completed=learner.done)
        for leg in range(len(history) + 1, legs + 1):
            try:
                row = train_leg(learner, lambda done: progress.advance(task, done))
                if is_due(leg, legs, config.evaluations):
                    row |= evaluated(learner)
            except TrainingError as error:
                raise TrainingError(f"{error}; last good checkpoint: {kept or 'none yet'}") from None
            history.append(row)
            kept = save_checkpoint(folder, learner, history)
            scalars.add(row)
            progress.update(task, description=description_of(history))


def description_of(history: Sequence[Row]) -> str:
    """Say what is known of the training's success, before its progress bar.

    >>> description_of([{"exact_regret": 0.00123}, {}])
    'training, regret 0.123 %'
    """
    known = [row["exact_regret"] for row in history if "exact_regret" in row]
    return f"training, regret {100 * known[-1]:.3f} %" if known else "training"


def report(folder: Path, config: Config, trained: Trained, history: Sequence[Row], console: Console) -> None:
    """Save the policy, play it against the strategies of the configuration, and write what came of it."""
    timing = {name: sum(row[name] for row in history) for name in ("training_seconds", "compile_seconds")}
    facts = facts_of(folder, config, trained, timing)
    saved_policy.save_policy(folder / "policy", trained.profile._replace(provenance=facts), trained.tensors)
    policy = saved_policy.load_policy(folder / "policy")
    scores = measure(config, policy)
    console.print(score_table(scores, config.setting))
    write_file(folder / "results.json", results_text(folder, config, trained, scores))
    write_file(folder / "timing.json", json.dumps(timing, indent=2) + "\n")

    from agents.run.report import write_report  # only now: matplotlib takes a while

    write_report(folder, config, trained, policy, scores, facts)
    console.print(escape(f"trained in {facts['training time']}; report: {folder / 'report.md'}"))
    console.print(escape(f"play it as a seat: {folder / 'policy'}"))


def measure(config: Config, policy: saved_policy.LearnedDecision) -> list[Score]:
    """Play the policy and the strategies of the configuration on the same shoes."""
    policies: dict[str, Decision | str] = {
        "basic": "basic",
        "learned": policy,
        **{name: name for name in config.benchmark.strategies},
    }
    setting = config.setting
    with progress_bar() as progress:
        task = progress.add_task("benchmark", total=setting.rounds * len(policies))
        return compare(policies, setting, workers=config.workers, progress=lambda done: progress.advance(task, done))


def results_text(folder: Path, config: Config, trained: Trained, scores: Sequence[Score]) -> str:
    """Return ``results.json``, which is the same to the byte whether a run was killed on its way or not."""
    run = {**read_origin(folder), "seed": config.seed, "unit": trained.unit, "done": trained.curve[-1].done}
    content = {"run": run | {"config": config.model_dump()}, "scores": [score.as_json() for score in scores]}
    return json.dumps(content, indent=2) + "\n"


def command_of(options: argparse.Namespace, seed: int) -> str:
    """Return the command that does the same once more."""
    file = Path(options.config or DEFAULT).absolute()
    shown = file.relative_to(ROOT) if file.is_relative_to(ROOT) else file
    words = ["--config", str(shown), "--seed", str(seed)]
    words += [word for change in options.set or [] for word in ("--set", change)]
    return f"python train.py {shlex.join(words)}"


def facts_of(folder: Path, config: Config, trained: Trained, timing: Mapping[str, float]) -> dict[str, str]:
    """Say how the policy came to be."""
    return {
        **{name: said for name, said in read_origin(folder).items() if name != "config_sha256"},
        "learner": config.learner.kind,
        "house": house_text(trained.profile.rules),
        "seed": str(config.seed),
        "training": f"{trained.curve[-1].done:,} {trained.unit}",
        "training time": f"{timing['training_seconds']:.1f} s, and {timing['compile_seconds']:.1f} s of compiling",
    }


def terminate(number: int, frame: FrameType | None) -> None:
    """End as Ctrl-C would."""
    raise Terminated


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, terminate)
    sys.exit(main())
