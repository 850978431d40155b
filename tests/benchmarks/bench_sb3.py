"""How fast SB3 gets its steps: ``python tests/benchmarks/bench_sb3.py`` prints a table.

`CompiledVecEnv` against SB3's ``DummyVecEnv`` of the single environment, played in turns in one run with uniformly
random legal actions; both are asked for the masks as MaskablePPO asks. Then MaskablePPO itself on both.
"""

import time
from collections.abc import Iterator
from statistics import median

import gymnasium as gym
import numpy as np
import torch
from rich.console import Console
from rich.table import Table as Grid
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.utils import get_action_masks
from stable_baselines3.common.vec_env import DummyVecEnv, VecEnv

import bj_env  # noqa: F401 (registers the environment)
from bj_env.compiled.vector_env import sample_legal
from bj_env.sb3 import compiled_vec_env

REPEATS = 5
STEPS = {1: 4_000, 8: 8_000, 64: 16_000, 1024: 256_000}
"""How many steps are timed, by the number of environments."""

LEARNING = {"envs": 64, "steps": 16_384}


def compiled(envs: int) -> VecEnv:
    """Make the compiled tables."""
    return compiled_vec_env(envs, seats=("agent",))


def dummy(envs: int) -> VecEnv:
    """Make SB3's own."""
    return DummyVecEnv([lambda: gym.make("Blackjack-multi-v0", seats=("agent",))] * envs)


def steps_per_second(env: VecEnv) -> float:
    """Play random legal actions."""
    chance = np.random.default_rng(0)
    calls = STEPS[env.num_envs] // env.num_envs
    env.seed(0)
    env.reset()
    start = time.process_time()
    for _ in range(calls):
        env.step(sample_legal(get_action_masks(env), chance))
    return calls * env.num_envs / (time.process_time() - start)


def learning_seconds(env: VecEnv) -> float:
    """Train MaskablePPO, one update each 2048 steps."""
    model = MaskablePPO("MlpPolicy", env, n_steps=2048 // env.num_envs, batch_size=512, seed=0, device="cpu")
    start = time.perf_counter()
    model.learn(LEARNING["steps"])
    return time.perf_counter() - start


def measured() -> Iterator[tuple[str, str, str, str]]:
    """Measure everything, in the order of the table."""
    for envs in STEPS:
        ours, theirs = compiled(envs), dummy(envs) if envs <= 64 else None
        for env in (ours, theirs):
            if env:
                steps_per_second(env)  # compiles, and fills what is remembered
        pairs = [(steps_per_second(ours), steps_per_second(theirs) if theirs else 0.0) for _ in range(REPEATS)]
        yield row(
            f"{envs} environments, steps/s", pairs, ",.0f", faster=[mine / (its or np.nan) for mine, its in pairs]
        )
    ours, theirs = compiled(LEARNING["envs"]), dummy(LEARNING["envs"])
    pairs = [(learning_seconds(ours), learning_seconds(theirs)) for _ in range(REPEATS)]
    what = f"MaskablePPO.learn({LEARNING['steps']:,}), {LEARNING['envs']} environments, s"
    yield row(what, pairs, ".1f", faster=[its / mine for mine, its in pairs])


def row(what: str, pairs: list[tuple[float, float]], form: str, faster: list[float]) -> tuple[str, str, str, str]:
    """Write the medians of pairs of figures; 0 is not measured."""
    mine, its = (median(column) for column in zip(*pairs, strict=True))
    return what, format(mine, form), format(its, form) if its else "-", f"{median(faster):.1f}" if its else "-"


def main() -> None:
    torch.set_num_threads(1)
    grid = Grid(title=f"one core, medians of {REPEATS} repeats")
    grid.add_column("what")
    for name in ("CompiledVecEnv", "DummyVecEnv", "times as fast"):
        grid.add_column(name, justify="right")
    for cells in measured():
        grid.add_row(*cells)
    Console().print(grid)


if __name__ == "__main__":
    main()
