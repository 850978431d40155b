"""A learner that takes no time, and processes that run `train.py` with it and are killed at a chosen moment."""

import multiprocessing
import os
import resource
import signal
import sys
import tempfile
from collections.abc import Callable, Mapping

import numpy as np

import agents.run.report  # noqa: F401  (what a process would import, it finds here)
import train
from agents.run.config import Config
from agents.run.training import Tensors
from bj_env.rules.houses import parse_rules
from bj_env.strategies.saved_policy import Profile

INTERVALS = 4
# Under these rules nothing is solved exactly, and no chart is drawn of this policy unless the run is named "by-hand":
# these take the most time.
CONFIG = train.ROOT / "configs" / "monte-carlo.toml"
SMALL = ["name=small", "learner.rounds=4000", f"learner.checkpoints={INTERVALS}", "evaluations=2", "workers=1"]
SMALL += [
    "benchmark.rounds=100",
    "benchmark.strategies=['mimic']",
    "environment.seats=['agent']",
    "environment.rules=OBO BJ21PUSH",
]
SETS = ["--config", str(CONFIG)] + [word for change in SMALL for word in ("--set", change)]


class SmallLearner:
    """Goes by noisy gradients with momentum and a falling step towards scores that hit everything.

    Args:
        config: of the run.
        pause: is called in the middle of each interval.
        gain: by which each step is too long in the second half; by 200 times, and the numbers grow without bounds.
    """

    unit = "rounds"

    def __init__(self, config: Config, pause: Callable[[], None] = lambda: None, gain: float = 1.0) -> None:
        rules, parts = parse_rules(config.environment.rules), ("hand", "seen")
        self.profile = Profile("table", rules, 1, (1,), parts[: 1 if config.name == "by-hand" else 2], ("hand.upcard",))
        self.done = 0
        self.config, self.pause, self.gain = config, pause, gain
        self.scores = np.zeros((11, 7))
        self.speed = np.zeros((11, 7))

    def train_interval(self, progress: Callable[[int], None]) -> Mapping[str, float]:
        length, intervals = self.config.learner.length, self.config.learner.checkpoints
        draw = np.random.default_rng([self.config.seed, self.done])
        rate = 0.05 * (1 - self.done / length) * (self.gain if 2 * self.done >= length else 1)
        loss = 0.0
        for part in range(200):
            slope = self.scores - np.eye(7)[1] + draw.normal(0, 1, self.scores.shape)
            self.speed = 0.9 * self.speed - rate * slope
            self.scores = self.scores + self.speed
            loss = float((slope**2).mean())
            if part == 100:
                progress(length // intervals)
                self.pause()
        self.done += length // intervals
        return {"return": -0.5, "return_stderr": 0.1, "loss": loss, "learning_rate": rate}

    def policy(self) -> Tensors:
        return {"scores": self.scores.astype(np.float32)}

    def state(self) -> Tensors:
        return {"scores": self.scores, "speed": self.speed, "done": np.array(self.done)}

    def restore(self, state: Tensors) -> None:
        self.scores, self.speed, self.done = state["scores"], state["speed"], int(state["done"])


def kill_at(moment: int) -> Callable[[], None]:
    """Return what kills this process, without any warning, when it is called for the nth time."""
    left = [moment]

    def count() -> None:
        left[0] -= 1
        if left[0] == 0:
            os.kill(os.getpid(), signal.SIGKILL)

    return count


def carry_out(arguments: list[str], interval: int, sync: int, largest: int | None, out: str) -> None:
    """Run `train.py`, and be killed in the middle of a interval or before the nth time that something reaches the disk.

    Args:
        arguments: of the command line.
        interval, sync: when to be killed, 0 for never.
        largest: bytes that a file may have, None for any.
        out: the file for what it prints.
    """
    if largest is not None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (largest, resource.RLIM_INFINITY))
    in_interval, in_sync, sync_file = kill_at(interval), kill_at(sync), os.fsync

    def fsync(handle: int) -> None:
        in_sync()
        sync_file(handle)

    os.fsync = fsync
    train.make_learner = lambda config: SmallLearner(config, in_interval)  # type: ignore[assignment]
    with open(out, "w") as file:
        sys.stdout = sys.stderr = file
        code = train.main(arguments)
    os._exit(code)


def run(*arguments: str, interval: int = 0, sync: int = 0, largest: int | None = None) -> tuple[int | None, str]:
    """Carry out a run in a process of its own, forked from one that has imported everything.

    Returns:
        Its exit code, -9 where it was killed, and what it printed.
    """
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["tests.small_learner", "tests.warm_small_learner"])
    with tempfile.NamedTemporaryFile("r") as out:
        process = context.Process(target=carry_out, args=([*arguments], interval, sync, largest, out.name))
        process.start()
        process.join(600)  # compiling may take a while
        return process.exitcode, out.read()
