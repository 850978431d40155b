"""Style and types: what ruff and mypy find is a failed test, so that one command runs everything."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("command", ["ruff check", "ruff format --check --diff", "mypy"])
def test_source_is_clean(command: str) -> None:
    result = subprocess.run(
        [sys.executable, "-m", *command.split()], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert result.returncode == 0, f"{command}:\n{result.stdout}{result.stderr}"
