"""Ctrl-C while a command is still being imported: one line or none, never a traceback."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
INTERRUPTED_AT = """
import builtins, os, runpy, signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)
imported = builtins.__import__

def interrupted(name, *arguments, **named):
    if name == {point!r}:
        builtins.__import__ = imported
        os.kill(os.getpid(), signal.SIGINT)
    return imported(name, *arguments, **named)

builtins.__import__ = interrupted
{run}
"""
"""A process that gets Ctrl-C when a module is first asked for."""
BJ = "import bj_command; sys.argv = ['bj', 'houses']; sys.exit(bj_command.main())"
TRAIN = "sys.argv = ['train.py']; runpy.run_path('train.py', run_name='__main__')"


@pytest.mark.parametrize(
    ("run", "point"),
    [
        (BJ, "bj_env.cli.main"),
        (BJ, "gymnasium"),
        (BJ, "numpy"),
        (BJ, "bj_env.errors"),
        (BJ, "argparse"),
        (BJ, "bj_env.cli.parsers"),
        (BJ, "rich.console"),
        (TRAIN, "argparse"),
        (TRAIN, "agents.run.config"),
        (TRAIN, "numba"),
    ],
)
def test_an_interrupt_within_an_import_shows_no_traceback(run: str, point: str) -> None:
    script = INTERRUPTED_AT.format(point=point, run=run)
    ran = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, cwd=ROOT, timeout=60)
    assert ran.returncode in (-2, 130), ran.stderr
    assert ran.stderr in ("", "bj houses: interrupted\n")
    assert ran.stdout == ""
