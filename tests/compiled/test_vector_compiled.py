"""The compiled environment as a program: how much memory it takes, how it is compiled and cached, and without numba."""

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import bj_env
from bj_env.compiled.compiling import sources
from bj_env.compiled.vector_env import BlackjackVectorEnv, sample_legal

ROOT = Path(__file__).parents[2]

STEPS = """
import numpy as np
from bj_env.compiled.vector_env import BlackjackVectorEnv, sample_legal
seats, parts = ("random", "agent", "hi-lo"), ("hand", "table", "count")  # of a house whose chart need not be solved
env = BlackjackVectorEnv(4, rules="6D LS S17 PEN75", seats=seats, observation=parts)
rng = np.random.default_rng(1)
told = [env.reset(seed=2)[0]]
for _ in range(30):
    told += env.step(sample_legal(env.action_masks(), rng))[:2]
print(b"".join(array.tobytes() for array in told).hex())
"""

SAMPLE = """
import numpy as np
from bj_env.compiled.vector_env import sample_legal
print(sample_legal(np.array([[0, 1]], np.int8), np.random.default_rng(0)).tolist())
"""

LOCKSTEP = """
from random import Random
from tests.lockstep import Pair
from tests.compiled.test_vector_starts import some_start
HOUSES = ("six-deck", "1D PEN99 DANY RSA HSA SP8 BURN1", "2D ES ENHC CH5", "INF", "2D OBO PEN75")
for house in HOUSES:
    parts = ("hand", "table", "seen", "rules")
    arguments = {"rules": house, "seats": ("random", "agent", "basic"), "observation": parts}
    pair, chance = Pair(arguments | {"bets": (0, 1, 5), "bankroll": 30, "reward": "expected"}, [1, 2, 3, 4]), Random(1)
    pair.play(60, chance, illegal=0.2)
    for _ in range(5):
        pair.reset(options=some_start(arguments, chance))
        over = [i for i, single in enumerate(pair.singles) if single.episode.over]
        if over:
            pair.reset(seeds=False, which=over)
        pair.play_on(10, chance)
print("done")
"""


def run(script: str, path: Path = ROOT, **environ: str) -> subprocess.CompletedProcess[str]:
    """Run a script in a process of its own, with the library that lies at a path."""
    env = {name: value for name, value in os.environ.items() if not name.startswith("NUMBA_")}
    env |= {"PYTHONPATH": str(path)} | environ
    command = [sys.executable, "-W", "error::RuntimeWarning:numpy", "-c", script]
    return subprocess.run(command, env=env, cwd=path, capture_output=True, text=True, check=True)


def library(folder: Path) -> Path:
    """Copy the library; return the folder in which it lies."""
    shutil.copytree(Path(bj_env.__file__).parent, folder / "bj_env", ignore=shutil.ignore_patterns("__pycache__"))
    return folder


def told_here() -> str:
    scope: dict[str, Any] = {"print": lambda text: scope.update(told=text)}
    exec(STEPS, scope)
    return str(scope["told"])


# --- memory ---


def bytes_a_table(**keywords: Any) -> float:
    env = BlackjackVectorEnv(100, **keywords)
    own = [array for array in env.engine.tables if len(array) == 100]  # all tables share the others
    assert len(own) == 7
    return sum(array.nbytes for array in own) / 100


def test_a_table_of_six_decks_and_one_seat_takes_a_kibibyte_at_most() -> None:
    assert bytes_a_table(seats=("agent",)) <= 1024


def test_steps_keep_nothing() -> None:
    env = BlackjackVectorEnv(50, seats=("agent",))
    env.reset(seed=1)
    before = [array.shape for array in env.engine.tables]
    rng = np.random.default_rng(1)
    for _ in range(200):
        env.step(sample_legal(env.action_masks(), rng))
    assert [array.shape for array in env.engine.tables] == before


@pytest.mark.slow
def test_a_million_tables() -> None:
    env = BlackjackVectorEnv(1_000_000, seats=("agent",))
    _, infos = env.reset(seed=1)
    rng, rewards = np.random.default_rng(1), np.zeros(1_000_000)
    for _ in range(4):
        _, rewards, *_, infos = env.step(sample_legal(infos["action_mask"], rng))
    chance = env.engine.tables.state[["key_low", "key_high", "number", "shoe"]]
    assert len(np.unique(chance)) == 1_000_000, "no shoe comes twice"
    assert -1 < rewards.mean() < 0


# --- compiling ---


def test_without_the_compiler_it_plays_the_same() -> None:
    assert run(STEPS, NUMBA_DISABLE_JIT="1").stdout.strip() == told_here()


def no_folder(tmp_path: Path) -> tuple[Path, dict[str, str]]:
    """Leave numba no folder that it may write to: wherever it looks there is a file in the way, even for root."""
    path = library(tmp_path)
    in_the_way = path / "bj_env" / "compiled" / "__pycache__"
    in_the_way.touch()
    below = str(in_the_way / "below")
    return path, {"NUMBA_CACHE_DIR": below, "XDG_CACHE_HOME": below, "HOME": below}


def test_without_a_cache_folder_it_says_so_once_and_works(tmp_path: Path) -> None:
    path, environ = no_folder(tmp_path)
    done = run(SAMPLE, path, **environ)
    assert done.stdout.strip() == "[1]"
    assert done.stderr.count("no folder to keep compiled code in: compiling anew in each process") == 1
    assert "no folder" not in run(SAMPLE, path, NUMBA_CACHE_DIR=str(tmp_path / "cache")).stderr


@pytest.mark.slow
def test_without_a_cache_folder_it_plays_the_same(tmp_path: Path) -> None:
    path, environ = no_folder(tmp_path)
    done = run(STEPS, path, **environ)
    assert done.stdout.strip() == told_here()
    assert done.stderr.count("no folder to keep compiled code in") == 1


def digest(path: Path) -> str:
    return run("from bj_env.compiled.compiling import sources; print(sources())", path).stdout.strip()


def test_an_edited_source_is_compiled_anew_and_an_unedited_one_is_not(tmp_path: Path) -> None:
    path, cache = library(tmp_path / "library"), tmp_path / "cache"
    assert digest(path) == sources(), "where it lies does not matter"
    compiled = []
    for more in ("", "", "\n# edited\n"):
        with (path / "bj_env" / "rules" / "numbered.py").open("a") as file:
            file.write(more)
        run(SAMPLE, path, NUMBA_CACHE_DIR=str(cache))
        compiled.append(len(list(cache.rglob("*.nbc"))))
    assert compiled == [1, 1, 2]
    assert digest(path) != sources()


@pytest.mark.slow
def test_nothing_reads_or_writes_past_the_end_of_an_array(tmp_path: Path) -> None:
    assert run(LOCKSTEP, NUMBA_BOUNDSCHECK="1", NUMBA_CACHE_DIR=str(tmp_path)).stdout.strip() == "done"
