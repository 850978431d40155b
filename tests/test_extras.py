"""What is said where an optional package is missing: a command that works in a checkout and beside a wheel."""

from pathlib import Path

import pytest

from bj_env import extras

ROOT = Path(__file__).parents[1]


def test_a_checkout_is_named_by_its_path_so_that_the_line_works_from_any_directory() -> None:
    assert extras.install_line("play") == f"pip install -c {ROOT}/constraints.txt -e '{ROOT}[play]'"


def test_an_installed_wheel_names_the_requirements(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(extras, "_ROOT", tmp_path)
    line = extras.install_line("play")
    assert line.startswith("pip install ")
    assert "'starlette<2,>=0.46'" in line or "'starlette>=0.46,<2'" in line
    assert "bj-env" not in line, "the package is on no index"
