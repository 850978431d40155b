"""How fast the compiled engine is: ``python tests/benchmarks/bench_fast.py`` prints a table.

A machine is never idle enough for absolute figures, so everything is played in turns in one run, and ratios are medians
of the ratios of each turn. What runs on one core is measured in processor time, threads on the clock. Actions are drawn
at random, ours among the legal ones; a step that only begins the next episode is not counted, neither ours nor theirs.

``--envpool PYTHON`` measures EnvPool's ``Blackjack-v1`` too, in a process of an environment of its own:

    python -m venv /tmp/envpool && /tmp/envpool/bin/pip install envpool
    python tests/benchmarks/bench_fast.py --envpool /tmp/envpool/bin/python
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from statistics import median
from typing import Any, NamedTuple

import gymnasium as gym
import numpy as np
from rich.console import Console
from rich.progress import track
from rich.table import Table as Grid

from bj_env.compiled.simulate import simulate
from bj_env.compiled.vector_env import BlackjackVectorEnv, sample_legal
from tests.benchmarks.bench_env import steps_per_second

REPEATS = 5
COMPILES = 2
ROUNDS = 2_000_000
CALLS = {1: 20_000, 64: 10_000, 1024: 1_000, 4096: 250, 65536: 16}
"""How often a vector environment is stepped, by its number of tables."""

FIRST_STEP = """
import time, numpy, gymnasium, bj_env
env = gymnasium.make_vec("Blackjack-multi-v0", num_envs=8)
env.reset(seed=0)
env.step(numpy.zeros(8, numpy.int64))
print(time.time())
"""

ENVPOOL = """
import os, sys, time, json, numpy as np
os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
import envpool
tables, calls = map(int, sys.argv[1:])
env = envpool.make("Blackjack-v1", env_type="gymnasium", num_envs=tables, num_threads=1)
draw, steps, over = np.random.default_rng(0), 0, 0
env.reset()
for call in range(calls + 50):
    if call == 50:
        steps, start = 0, (time.process_time(), time.perf_counter())
    _, _, terminated, truncated, _ = env.step(draw.integers(0, 2, tables, dtype=np.int32))
    steps, over = steps + tables - over, np.count_nonzero(terminated | truncated)
print(json.dumps([steps / (time.process_time() - start[0]), steps / (time.perf_counter() - start[1])]))
"""


class Rate(NamedTuple):
    """So many a second of processor time, and by the clock."""

    cpu: float
    clock: float


def rate(play: Callable[[], int]) -> Rate:
    """Measure how many a second there are of what is played."""
    clock, cpu = time.perf_counter(), time.process_time()
    many = play()
    return Rate(many / (time.process_time() - cpu), many / (time.perf_counter() - clock))


def rounds(decision: str, rules: str = "six-deck", threads: int = 1) -> Rate:
    """Play whole rounds with one seat."""
    return rate(lambda: simulate(rules, [decision], ROUNDS, threads=threads).rounds)


def vector(tables: int, threads: int = 1) -> Callable[[], Rate]:
    """Step the compiled environment."""
    env = BlackjackVectorEnv(tables, seats=("agent",), threads=threads)
    draw = np.random.default_rng(0)
    return lambda: rate(lambda: live_steps(env, CALLS[tables], lambda infos: sample_legal(infos["action_mask"], draw)))


def gymnasium_vector(tables: int) -> Callable[[], Rate]:
    """Step Gymnasium's own hit-or-stand game."""
    env = gym.make_vec("Blackjack-v1", num_envs=tables, vectorization_mode="sync")
    draw = np.random.default_rng(0)
    return lambda: rate(lambda: live_steps(env, CALLS[tables] // 50, lambda infos: draw.integers(0, 2, tables)))


def live_steps(env: gym.vector.VectorEnv[Any, Any, Any], calls: int, chosen: Callable[[dict[str, Any]], Any]) -> int:
    """Step an environment, and return how many steps were not taken where the episode was over."""
    _, infos = env.reset(seed=0)
    steps, over = 0, 0
    for _ in range(calls):
        _, _, terminated, truncated, infos = env.step(chosen(infos))
        steps, over = steps + env.num_envs - over, np.count_nonzero(terminated | truncated)
    return steps


def single() -> Callable[[], Rate]:
    """Step the single environment."""
    env = gym.make("Blackjack-multi-v0", seats=("agent",))
    return lambda: Rate(steps_per_second(env), np.nan)


def envpool(python: str, tables: int = 1024) -> Rate:
    """Step EnvPool's game on one core, in a process of its own; whichever of its two clocks is kinder to it counts."""
    command = [python, "-c", ENVPOOL, str(tables), str(2 * CALLS[tables])]
    said = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    return Rate(max(said), said[1])


def first_step_seconds(**env: str) -> float:
    """Return how long it takes from the start of a process to its first step."""
    start = time.time()
    done = subprocess.run(
        [sys.executable, "-c", FIRST_STEP], capture_output=True, text=True, check=True, env=os.environ | env
    )
    return float(done.stdout) - start


def compiling_seconds() -> float:
    """Return the same where nothing has been compiled yet."""
    with tempfile.TemporaryDirectory() as empty:
        return first_step_seconds(NUMBA_CACHE_DIR=empty)


def bytes_of_a_table(seats: tuple[str, ...]) -> float:
    """Return how much memory each further table takes."""
    small, large = (BlackjackVectorEnv(tables, seats=seats).engine.tables for tables in (1000, 2000))
    return sum(b.nbytes - a.nbytes for a, b in zip(small, large, strict=True)) / 1000


def players(python: str | None) -> dict[str, Callable[[], Rate]]:
    """Return what is played in turns, by name."""
    found: dict[str, Callable[[], Rate]] = {
        "simulate": lambda: rounds("basic"),
        "simulate 2": lambda: rounds("basic", threads=2),
        "hi-lo": lambda: rounds("hi-lo", rules="6D PEN75"),
        "single": single(),
        **{f"vector {tables}": vector(tables) for tables in CALLS},
        "vector 4096, 2": vector(4096, threads=2),
        "vector 65536, 2": vector(65536, threads=2),
        "gymnasium 64": gymnasium_vector(64),
    }
    return found | ({"envpool": lambda: envpool(python)} if python else {})


ROWS = [
    ("simulate basic, six-deck, one seat, 1 thread", "simulate", "rounds/s", None),
    ("the same, 2 threads", "simulate 2", "rounds/s", ("simulate", "clock", "× 1 thread")),
    ("simulate hi-lo, 6D PEN75, one seat, 1 thread", "hi-lo", "rounds/s", None),
    ("vector environment, 1 table", "vector 1", "steps/s", ("single", "cpu", "× the single one")),
    ("vector environment, 64 tables", "vector 64", "steps/s", ("gymnasium 64", "cpu", "× Gymnasium's")),
    ("vector environment, 1,024 tables", "vector 1024", "steps/s", ("envpool", "cpu", "× EnvPool's")),
    ("vector environment, 4,096 tables", "vector 4096", "steps/s", None),
    ("the same, 2 threads", "vector 4096, 2", "steps/s", ("vector 4096", "clock", "× 1 thread")),
    ("vector environment, 65,536 tables", "vector 65536", "steps/s", None),
    ("the same, 2 threads", "vector 65536, 2", "steps/s", ("vector 65536", "clock", "× 1 thread")),
    ("the single environment, gym.make", "single", "steps/s", None),
    ("Gymnasium's Blackjack-v1, make_vec sync, 64", "gymnasium 64", "steps/s", None),
    ("EnvPool's Blackjack-v1, 1,024", "envpool", "steps/s", None),
]
"""What is printed: of whom, in what, and against whom, by which clock."""


def cells(rates: dict[str, list[Rate]]) -> Iterator[tuple[str, str, str]]:
    """Return the rows of the table of all that was played."""
    for what, name, unit, against in ROWS:
        if name not in rates:
            continue
        clock = "clock" if name.endswith(" 2") else "cpu"
        speed, ratio = median(getattr(one, clock) for one in rates[name]), ""
        if against and against[0] in rates:
            pairs = zip(rates[name], rates[against[0]], strict=True)
            ratio = f"{median(getattr(a, against[1]) / getattr(b, against[1]) for a, b in pairs):.2f} {against[2]}"
        yield what, f"{speed:,.0f} {unit}", ratio


def measured(python: str | None) -> Iterator[tuple[str, str, str]]:
    """Measure everything, in the order of the table."""
    playing = players(python)
    for play in playing.values():
        play()  # compiles, and fills what is remembered
    rates: dict[str, list[Rate]] = {name: [] for name in playing}
    for _ in track(range(REPEATS), console=Console(stderr=True), transient=True):
        for name, play in playing.items():
            rates[name].append(play())
    yield from cells(rates)
    for seats in (("agent",), ("basic", "agent", "basic")):
        yield f"memory of a table, seats: {len(seats)}", f"{bytes_of_a_table(seats):,.0f} bytes", ""
    yield "process start to first step", f"{median(first_step_seconds() for _ in range(REPEATS)):.1f} s", ""
    yield "the same, nothing compiled yet", f"{median(compiling_seconds() for _ in range(COMPILES)):.1f} s", ""


def main() -> None:
    parser = argparse.ArgumentParser(description="Print how fast the compiled engine is.")
    parser.add_argument("--envpool", metavar="PYTHON", help="of an environment in which EnvPool is installed")
    python = parser.parse_args().envpool
    grid = Grid(title=f"medians of {REPEATS} repeats")
    grid.add_column("what")
    grid.add_column("how fast", justify="right")
    grid.add_column("ratio", justify="right")
    for row in measured(python):
        grid.add_row(*row)
    Console().print(grid)


if __name__ == "__main__":
    main()
