"""Which package may import which: the contracts are in pyproject.toml."""

import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def lint_imports(root: Path) -> tuple[bool, str]:
    """Check the contracts on the package in ``root``."""
    code = "from importlinter.cli import lint_imports_command; lint_imports_command()"
    result = subprocess.run(
        [sys.executable, "-c", code, str(ROOT / "pyproject.toml"), "--no-logo", "--no-cache"],
        cwd=root,
        capture_output=True,
        text=True,
        check=False,
    )
    return result.returncode == 0, result.stdout + result.stderr


def test_every_module_imports_only_what_it_may() -> None:
    kept, report = lint_imports(ROOT)
    assert kept, report


@pytest.mark.parametrize(
    ("module", "imported"),
    [
        ("rules.numbered", "numpy"),
        ("rules.terms", "gymnasium"),  # rules.numbered imports rules.terms
        ("game.rng", "numba"),
        ("env.env", "numba"),
        ("env.env", "torch"),
        ("analysis.benchmark", "stable_baselines3"),
        ("cli.main", "agents"),
        ("observation", "bj_env.game.cards"),
        ("observation", "bj_env.game.hand"),
        ("game.table", "bj_env.env.env"),
        ("game.table", "bj_env.strategies.registry"),
        ("game.events", "bj_env.display.notebook"),
        ("game.table", "bj_env.compiled.kernels"),
        ("game.cards", "bj_env.compiled.kernels"),
        ("game.decision", "bj_env.compiled.kernels"),
        ("strategies.simple", "bj_env.compiled.kernels"),
        ("compiled.kernels", "bj_env.game.table"),
        ("compiled.kernels", "bj_env.game.hand"),
        ("compiled.kernels", "bj_env.game.cards"),
        ("solver.exact", "bj_env.game.table"),
        ("solver.exact", "bj_env.game.cards"),
        ("solver.exact", "bj_env.compiled.kernels"),
    ],
)
def test_a_forbidden_import_is_found(module: str, imported: str, tmp_path: Path) -> None:
    report = plant(tmp_path, module, f"def _planted() -> None:\n    import {imported}\n")
    assert f"bj_env.{module} -> {imported} (l." in report, report


def test_a_module_in_no_layer_is_found(tmp_path: Path) -> None:
    assert "- bj_env.unlisted\n" in plant(tmp_path, "unlisted", "")


def test_what_only_types_need_is_free(tmp_path: Path) -> None:
    report = plant(
        tmp_path, "rules.numbered", "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import numpy\n"
    )
    assert "numpy" not in report


def plant(root: Path, module: str, text: str) -> str:
    """Copy the package to ``root``, add text to a module, and return what the check says."""
    shutil.copytree(ROOT / "bj_env", root / "bj_env", ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("compiled.kernels", "solver.exact", module):
        path = root.joinpath("bj_env", *name.split(".")).with_suffix(".py")
        path.parent.mkdir(exist_ok=True)
        for file in (path.parent / "__init__.py", path):
            file.touch()
    with path.open("a") as source:
        source.write(f"\n{text}")
    return lint_imports(root)[1]


def test_the_layers_are_at_most_ten_above_errors() -> None:
    """Counted from ``errors`` to ``cli``; ``__main__`` only calls ``cli``."""
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    layers = contracts[0]["layers"]
    assert layers[0] == "(__main__)"
    assert len(layers) - 1 <= 10


def test_importing_the_library_loads_nothing_heavy() -> None:
    heavy = {"numba", "torch", "stable_baselines3", "sb3_contrib", "matplotlib", "scipy", "pygame", "prompt_toolkit"}
    lazy = {"bj_env.compiled", "bj_env.solver", "bj_env.strategies.saved_policy"}
    code = "import sys, bj_env, bj_env.strategies.simple; print(*sys.modules)"
    result = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert not (heavy | lazy) & set(result.stdout.split())
