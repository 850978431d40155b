"""One run from its folder on: train, save the policy, measure it, report. Any process can take up any run."""

import json
import shlex
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from rich.console import Console
from rich.markup import escape
from rich.progress import Progress

from agents.run.checkpoints import checkpoint_path, save_checkpoint
from agents.run.config import Config
from agents.run.curves import write_curve
from agents.run.folder import RunError, Scalars, read_origin, reason, write_file
from agents.run.training import Learner, Row, Trained, TrainingError, curve_of, evaluated, is_due, run_interval
from bj_env.analysis.benchmark import compare
from bj_env.analysis.scores import Score
from bj_env.cli.bench import score_table
from bj_env.cli.parsers import progress_bar
from bj_env.game.decision import Decision
from bj_env.game.notation import house_text
from bj_env.strategies import saved_policy


class Show(NamedTuple):
    """Where a run shows how it goes.

    Attributes:
        console: for lines.
        bar: makes a progress bar.
    """

    console: Console
    bar: Callable[[], Progress]


def on_terminal() -> Show:
    """Return what a person at a terminal sees: lines on standard output, bars on standard error."""
    return Show(Console(soft_wrap=True), progress_bar)


def carry_out(folder: Path, config: Config, learner: Learner, history: list[Row], show: Show) -> None:
    """Train from where the learner is, save the policy, measure it and report.

    Raises:
        KeyboardInterrupt: if there was one, saying how to go on.
        RunError: if the system refused to write something, likewise.
    """
    begun = f", from {learner.done:,} {learner.unit} on" if history else ""
    show.console.print(
        escape(f"{config.learner.kind} on {config.environment.rules}, seed {config.seed}{begun}: {folder}")
    )
    if note := shorter(config, learner.unit):
        show.console.print(note)
    try:
        train(folder, config, learner, history, show)
        trained = Trained(learner.profile, learner.policy(), curve_of(history), learner.unit)
        report(folder, config, trained, history, show)
    except (KeyboardInterrupt, OSError) as error:
        go_on = f"; go on with: python train.py --resume {shlex.quote(str(folder))}"
        if isinstance(error, OSError):  # a full disk, for one
            raise RunError(reason(error, folder) + go_on) from None
        raise type(error)(go_on) from None


def train(folder: Path, config: Config, learner: Learner, history: list[Row], show: Show) -> None:
    """Train the intervals that are left, adding a row to ``history`` and a checkpoint after each.

    Raises:
        TrainingError: if the training diverged, or is better than can be, naming the newest checkpoint.
    """
    intervals = config.learner.checkpoints
    kept = checkpoint_path(folder, learner.done) if history else None
    with Scalars(folder / "tensorboard", history) as scalars, show.bar() as progress:
        task = progress.add_task(description_of(history), total=config.learner.length, completed=learner.done)
        for interval in range(len(history) + 1, intervals + 1):
            try:
                row = run_interval(learner, lambda done: progress.advance(task, done))
                if is_due(interval, intervals, config.evaluations):
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


def shorter(config: Config, unit: str) -> str:
    """Return a note if a training is shorter than its configuration asks for; else an empty text."""
    asked, length = getattr(config.learner, unit, config.learner.length), config.learner.length
    return f"{length:,} {unit} of {asked:,}: whole updates between two checkpoints" if length != asked else ""


def report(folder: Path, config: Config, trained: Trained, history: Sequence[Row], show: Show) -> None:
    """Save the policy, play it against the strategies of the configuration, and write what came of it."""
    timing = {name: sum(row[name] for row in history) for name in ("training_seconds", "compile_seconds")}
    facts = facts_of(folder, config, trained, timing)
    saved_policy.save_policy(folder / "policy", trained.profile._replace(provenance=facts), trained.tensors)
    policy = saved_policy.load_policy(folder / "policy")
    scores = measure(config, policy, show)
    show.console.print(score_table(scores, config.setting))
    write_file(folder / "results.json", results_text(folder, config, trained, scores))
    write_file(folder / "timing.json", json.dumps(timing, indent=2) + "\n")
    write_curve(folder, history, trained.unit)

    from agents.run.report import write_report  # only now: matplotlib takes a while

    write_report(folder, config, trained, policy, scores, facts)
    show.console.print(escape(f"trained in {facts['training time']}; report: {folder / 'report.md'}"))
    show.console.print(escape(f"play it as a seat: {folder / 'policy'}"))


def measure(config: Config, policy: saved_policy.LearnedDecision, show: Show) -> list[Score]:
    """Play the policy and the strategies of the configuration on the same shoes."""
    policies: dict[str, Decision | str] = {
        "basic": "basic",
        "learned": policy,
        **{name: name for name in config.benchmark.strategies},
    }
    setting = config.setting
    with show.bar() as progress:
        task = progress.add_task("benchmark", total=setting.rounds * len(policies))
        return compare(policies, setting, workers=config.workers, progress=lambda done: progress.advance(task, done))


def results_text(folder: Path, config: Config, trained: Trained, scores: Sequence[Score]) -> str:
    """Return ``results.json``, which is the same to the byte whether a run was killed on its way or not."""
    run = {**read_origin(folder), "seed": config.seed, "unit": trained.unit, "done": trained.curve[-1].done}
    rows = [score.as_json() for score in scores]
    for row in rows:
        del row["rounds_per_second"]  # which differs from run to run
    content = {"run": run | {"config": config.model_dump()}, "scores": rows}
    return json.dumps(content, indent=2) + "\n"


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
