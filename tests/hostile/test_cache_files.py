"""Damaged files of compiled code: compiled again, said in one line, the same results, and never a traceback."""

import os
import subprocess
import sys
from pathlib import Path
from random import Random

import pytest

SAMPLE = """
import numpy as np
from bj_env.solver.machine_code import compiled_once

@compiled_once
def doubled(values):
    return 2 * values

print(doubled(np.arange(3)).tolist(), doubled(4), doubled(0.5), sum(doubled.stats.cache_hits.values()))
"""


def run(*command: str, cache: Path, code: int = 0) -> tuple[str, list[str]]:
    """Run Python with a folder of compiled code; return what it printed, and the lines on standard error."""
    environment = os.environ | {"NUMBA_CACHE_DIR": str(cache)}
    done = subprocess.run([sys.executable, *command], capture_output=True, text=True, env=environment, check=False)
    assert done.returncode == code, done.stderr
    return done.stdout.strip(), [line for line in done.stderr.splitlines() if "compiling" not in line]


def files(cache: Path) -> list[Path]:
    """Return the files of compiled code."""
    found = sorted([*cache.rglob("*.nbi"), *cache.rglob("*.nbc")])
    assert found
    return found


def damage(path: Path, chance: Random) -> str:
    """Damage a file in one of the ways in which files get damaged; say how."""
    content, way = bytearray(path.read_bytes()), chance.choice(("empty", "short", "bit", "zeros", "noise", "folder"))
    if way == "short":
        content = content[: chance.randrange(1, len(content))]
    elif way == "bit":
        content[chance.randrange(len(content))] ^= 1 << chance.randrange(8)
    elif way == "zeros":
        content = bytearray(len(content))
    elif way == "noise":
        content = bytearray(chance.randbytes(len(content)))
    path.unlink()
    if way == "folder":
        path.mkdir()
    else:
        path.write_bytes(b"" if way == "empty" else bytes(content))
    return way


@pytest.mark.parametrize("seeds", [range(2), pytest.param(range(2, 32), marks=pytest.mark.slow)])
def test_damaged_files_are_compiled_again_and_said_once(seeds: range, tmp_path: Path) -> None:
    script = tmp_path / "sample.py"
    script.write_text(SAMPLE)
    cache = tmp_path / "cache"
    assert run(str(script), cache=cache) == ("[0, 2, 4] 8 1.0 0", [])
    assert run(str(script), cache=cache) == ("[0, 2, 4] 8 1.0 3", [])
    for seed in seeds:
        chance = Random(seed)
        hurt = chance.sample(files(cache), chance.randint(1, len(files(cache))))
        ways = [damage(path, chance) for path in hurt]
        said, told = run(str(script), cache=cache)
        assert said.startswith("[0, 2, 4] 8 1.0"), ways
        assert len(told) >= 1, ways
        assert len(told) == len(set(told)), ways
        assert all(line.startswith("bj_env: compiled code") for line in told), told
        for path, way in zip(hurt, ways, strict=True):
            if way == "folder" and path.is_dir():
                path.rmdir()
        run(str(script), cache=cache)
        assert run(str(script), cache=cache) == ("[0, 2, 4] 8 1.0 3", [])
    print(f"{len(seeds)} damaged caches tried")


@pytest.mark.slow
@pytest.mark.parametrize(
    "command",
    [
        ("solve", "--hand", "T,6", "--upcard", "T"),
        ("bench", "mimic", "--rounds", "1000", "--threads", "1", "--json"),
    ],
    ids=lambda command: command[0],
)
def test_commands_outlive_a_damaged_cache(command: tuple[str, ...], tmp_path: Path) -> None:
    before, told = run("-m", "bj_env", *command, cache=tmp_path)
    assert told == []
    for path in files(tmp_path):
        path.write_bytes(path.read_bytes()[:100])
    after, told = run("-m", "bj_env", *command, cache=tmp_path)
    assert told == [line for line in told if line.startswith("bj_env: compiled code")]
    assert told
    assert [word for word in after.split() if "second" not in word][:3] == before.split()[:3]
