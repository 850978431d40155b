"""Train an agent, measure it, and write a report: ``python train.py [--config C] [--seed N] [--set key=value]``.

With no argument it runs ``configs/default.toml``. ``python train.py --resume runs/NAME`` resumes a run that was killed,
from its newest good checkpoint, to the same result. ``--seeds`` and ``--configs`` carry out many runs as one sweep.

A run goes: configuration (`agents.run.config`), learner (`agents.run.kinds`), training with checkpoints, saved policy,
benchmark and report (`agents.run.execution`).
"""

from bj_command import end_on_interrupt, raise_on_interrupt

if __name__ == "__main__":
    end_on_interrupt()  # until `main` can catch it: the imports take seconds

import argparse
import re
import shlex
import signal
import sys
from collections.abc import Sequence
from pathlib import Path
from types import FrameType

from rich.console import Console

from agents.run.checkpoints import restore_newest
from agents.run.config import SEEDS, load_config
from agents.run.execution import carry_out, on_terminal
from agents.run.folder import (
    check_origin,
    clear_away,
    config_text,
    create_folder,
    find_run,
    lock_folder,
    origin_of,
    reason,
)
from agents.run.kinds import make_learner
from agents.run.sweep import SWEEP, carry_out_sweep, create_sweep
from bj_env.cli.parsers import progress_bar
from bj_env.cli.values import whole_number
from bj_env.errors import BlackjackError

ROOT = Path(__file__).parent
DEFAULT = ROOT / "configs" / "default.toml"
MOST_JOBS = 1024
EXAMPLES = """examples:
  python train.py                                              the default: train, measure, report, in runs/default
  python train.py --config configs/maskable-ppo.toml --seed 2  another learner, another random seed
  python train.py --set environment.rules="6D H17" --set learner.checkpoints=10
  python train.py --resume runs/default                        resume after a kill, to the same result
  python train.py --configs configs/ppo.toml configs/sarsa.toml --seeds 1..5   a sweep: a table of all ten runs
  tensorboard --logdir runs                                    watch the curves of all runs
"""


class Terminated(KeyboardInterrupt):
    """Raised when the process is asked to end by SIGTERM."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run it all; return the exit code: 0, 1 for what is refused or failed, 130 or 143 when interrupted."""
    options = parser().parse_args(arguments)
    try:
        check_options(options)
        if options.resume is not None:
            return resume(options)
        if options.seeds or options.configs:
            return begin_sweep(options)
        begin(options)
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
    options.add_argument("--seed", help="in place of the configuration's seed")
    options.add_argument(
        "--set", action="append", metavar="KEY=VALUE", help="change the configuration, like learner.rounds=100000"
    )
    options.add_argument("--runs", help="where the run's folder is made (default: runs)")
    options.add_argument("--resume", metavar="RUN", help="the folder of a run or a sweep to resume, like runs/default")
    options.add_argument("--configs", nargs="+", metavar="FILE", help="a sweep over several configurations")
    options.add_argument("--seeds", nargs="+", metavar="SEED", help="a sweep over seeds: 1 2 3, or 1..20")
    options.add_argument("--jobs", help="runs of a sweep at the same time (default: as the cores allow)")
    options.add_argument(
        "--ray", nargs="?", const="auto", metavar="ADDRESS", help="a sweep on a Ray cluster: this machine, or HOST:PORT"
    )
    return options


def check_options(options: argparse.Namespace) -> None:
    """Read the numbers, and refuse empty paths, as a shell gives for an unset variable, and options at odds.

    Raises:
        BlackjackError: if there are any.
    """
    for name in ("config", "runs", "resume"):
        if getattr(options, name) == "":
            raise BlackjackError(f"--{name}: expected a path, got ''")
    if options.resume is not None:
        for name in ("config", "seed", "set", "runs", "configs", "seeds"):
            if getattr(options, name) is not None:
                raise BlackjackError(f"--resume: the run has its own configuration: leave out --{name}")
    for one, many in (("config", "configs"), ("seed", "seeds")):
        if getattr(options, one) is not None and getattr(options, many):
            raise BlackjackError(f"--{many}: leave out --{one}")
    if options.seed is not None:
        options.seed = whole_number("--seed", options.seed, 0, SEEDS - 1)
    if options.ray is not None:
        if options.jobs is not None:
            raise BlackjackError("--jobs: the cores of the cluster decide; leave it out with --ray")
        if not (options.seeds or options.configs or options.resume):
            raise BlackjackError("--ray: expected a sweep: give --seeds or --configs")
    if options.jobs is not None:
        options.jobs = whole_number("--jobs", options.jobs, 1, MOST_JOBS)


def begin(options: argparse.Namespace) -> None:
    """Make a new run and carry it out."""
    changes = [*(options.set or []), *([f"seed={options.seed}"] if options.seed is not None else [])]
    config = load_config(options.config or DEFAULT, changes)
    learner = make_learner(config)
    command = command_of(options.config or DEFAULT, options.set or [], config.seed)
    files = {"config.toml": config_text(config), "run.json": origin_of(config, command)}
    folder, lock = create_folder(options.runs or "runs", config.name, files)
    with lock:
        carry_out(folder, config, learner, [], on_terminal())


def resume(options: argparse.Namespace) -> int:
    """Resume a run or a sweep, unless it is finished; return the exit code.

    Raises:
        BlackjackError: if there is no such run, or it is being run.
    """
    if Path(options.resume, SWEEP).is_file():
        return finish_sweep(Path(options.resume), options.jobs, options.ray)
    folder = find_run(options.resume)
    with lock_folder(folder):
        if (folder / "report.md").exists():
            print(f"{folder} is finished: {folder / 'report.md'}")
            return 0
        check_origin(folder)
        clear_away(folder)
        config = load_config(folder / "config.toml")
        learner = make_learner(config)
        carry_out(folder, config, learner, restore_newest(folder, learner), on_terminal())
    return 0


def begin_sweep(options: argparse.Namespace) -> int:
    """Make a new sweep and carry it out; return the exit code.

    Raises:
        BlackjackError: if a run is not valid, or no cluster answers.
    """
    changes = options.set or []
    runs = [
        (load_config(path, [*changes, f"seed={seed}"]), command_of(path, changes, seed))
        for path in options.configs or [options.config or DEFAULT]
        for seed in (seeds_of(options.seeds) if options.seeds else [load_config(path, changes).seed])
    ]
    if options.ray is not None:
        from bj_env.compiled.cluster import connect  # only here: it takes ray

        connect(options.ray)
    folder = create_sweep(options.runs or "runs", runs, shlex.join(["python", "train.py", *sys.argv[1:]]))
    print(f"sweep of {len(runs)} runs: {folder}")
    return finish_sweep(folder, options.jobs, options.ray)


def finish_sweep(folder: Path, jobs: int | None, cluster: str | None) -> int:
    """Carry out what is left of a sweep, and write its table, files and picture; return the exit code.

    Raises:
        KeyboardInterrupt: if there was one, saying how to resume.
    """
    try:
        failed = carry_out_sweep(folder, jobs, cluster, progress_bar)
    except KeyboardInterrupt as interrupt:
        raise type(interrupt)(f"; go on with: python train.py --resume {shlex.quote(str(folder))}") from None

    from agents.run.sweep_report import write_sweep_report  # only now: matplotlib takes a while

    for line in failed:
        print(f"train.py: {line}", file=sys.stderr)
    if table := write_sweep_report(folder):
        print("medians over the seeds:")
        Console(soft_wrap=True).print(table)
        print(f"table, every seed and curves: {folder / 'sweep.md'}")
    return 1 if failed else 0


def seeds_of(words: Sequence[str]) -> list[int]:
    """Return the seeds that are given as numbers and ranges.

    Raises:
        BlackjackError: if one is neither, or out of range.

    >>> seeds_of(["1..3", "7"])
    [1, 2, 3, 7]
    """
    seeds: list[int] = []
    for word in words:
        found = re.fullmatch(r"([0-9]{1,10})(?:\.\.([0-9]{1,10}))?", word)
        first, last = (int(found[1]), int(found[2] or found[1])) if found else (1, 0)
        if not first <= last < SEEDS or last - first >= 10_000:
            raise BlackjackError(f"--seeds: expected numbers below {SEEDS} or ranges like 1..20, got {word!r}")
        seeds += range(first, last + 1)
    return seeds


def command_of(config: str | Path, changes: Sequence[str], seed: int) -> str:
    """Return the command that repeats a run."""
    file = Path(config).absolute()
    shown = file.relative_to(ROOT) if file.is_relative_to(ROOT) else file
    words = ["--config", str(shown), "--seed", str(seed)]
    words += [word for change in changes for word in ("--set", change)]
    return f"python train.py {shlex.join(words)}"


def terminate(number: int, frame: FrameType | None) -> None:
    """End as Ctrl-C would."""
    raise Terminated


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, terminate)
    raise_on_interrupt()
    sys.exit(main())
