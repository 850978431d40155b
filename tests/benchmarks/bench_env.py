"""How fast the environment and the readable engine are: ``python tests/benchmarks/bench_env.py`` prints a table.

A machine is never idle enough for absolute figures, so the environment is compared with Gymnasium's ``Blackjack-v1``:
both are played in turns in one run, both through `gymnasium.make`, both with uniformly random legal actions that are
drawn by the same code, and both are reset when done.
"""

import random
import subprocess
import sys
import time
from collections.abc import Iterator
from statistics import median
from typing import Any

import gymnasium as gym
import numpy as np
from rich.console import Console
from rich.table import Table as Grid

import bj_env  # noqa: F401 (registers the environment)
from bj_env.game.participants import Player
from bj_env.game.table import Table
from bj_env.strategies.registry import strategy

REPEATS = 5
STEPS = 20_000
ROUNDS = 10_000
DECISIONS = ("basic", "mimic", "random")

BOTH_LEGAL = {"action_mask": np.ones(2, np.int8)}
"""The info of ``Blackjack-v1``, which gives none: standing and hitting are always legal."""

IMPORT = """
import time, gymnasium
start = time.perf_counter()
import bj_env
print(time.perf_counter() - start)
"""


def steps_per_second(env: gym.Env[Any, Any], info: dict[str, Any] | None = None, steps: int = STEPS) -> float:
    """Play random legal actions; ``info`` stands in for an environment that gives no mask."""
    chance = random.Random(0).random
    _, given = env.reset(seed=0)
    start = time.process_time()
    for _ in range(steps):
        legal = (info or given)["action_mask"].nonzero()[0]
        action = legal[int(chance() * len(legal))]
        _, _, terminated, truncated, given = env.step(action)
        if terminated or truncated:
            _, given = env.reset()
    return steps / (time.process_time() - start)


def rounds_per_second(decision: str, rounds: int = ROUNDS) -> float:
    """Play whole rounds at a table with one seat."""
    table = Table("six-deck", [Player("P1", strategy(decision))], seed=0)
    start = time.process_time()
    for _ in range(rounds):
        table.play_round()
    return rounds / (time.process_time() - start)


def import_seconds() -> float:
    """Import the library after Gymnasium, in a fresh interpreter."""
    done = subprocess.run([sys.executable, "-c", IMPORT], capture_output=True, text=True, check=True)
    return float(done.stdout)


def measured() -> Iterator[tuple[str, str]]:
    """Measure everything, in the order of the table."""
    ours, theirs = gym.make("Blackjack-multi-v0", seats=("agent",)), gym.make("Blackjack-v1")
    steps_per_second(ours, steps=STEPS // 10)  # the first rounds fill what is remembered
    pairs = [(steps_per_second(ours), steps_per_second(theirs, BOTH_LEGAL)) for _ in range(REPEATS)]
    yield "Blackjack-multi-v0, one agent", f"{median(mine for mine, _ in pairs):,.0f} steps/s"
    yield "Blackjack-v1", f"{median(other for _, other in pairs):,.0f} steps/s"
    yield "their ratio", f"{median(mine / other for mine, other in pairs):.2f}"
    for decision in DECISIONS:
        rounds = median(rounds_per_second(decision) for _ in range(REPEATS))
        yield f"readable engine, {decision}", f"{rounds:,.0f} rounds/s"
    yield "import bj_env, beyond gymnasium", f"{median(import_seconds() for _ in range(REPEATS)):.3f} s"


def main() -> None:
    grid = Grid(title=f"one core, medians of {REPEATS} repeats")
    grid.add_column("what")
    grid.add_column("how fast", justify="right")
    for what, how_fast in measured():
        grid.add_row(what, how_fast)
    Console().print(grid)


if __name__ == "__main__":
    main()
