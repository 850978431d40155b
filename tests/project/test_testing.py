"""The signature: one hash over many rounds, which every engine gives, compiled or not, on any number of threads."""

import os
import subprocess
import sys

import pytest

from bj_env.errors import BlackjackError
from bj_env.testing import ENGINES, main, signature

INTERPRETED = """
from bj_env.compiled.kernels import kernels
from bj_env.testing import main
assert not hasattr(kernels().run, "signatures"), "the kernels are compiled"
main(["--engine", "compiled", "--rounds", "3"])
"""


@pytest.mark.parametrize("threads", [1, 3])
def test_the_compiled_engine_signs_as_the_readable_one_does(threads: int) -> None:
    assert signature(20, engine="compiled", threads=threads) == signature(20)


def test_interpreted_kernels_sign_as_the_readable_engine_does() -> None:
    environment = os.environ | {"NUMBA_DISABLE_JIT": "1"}
    ran = subprocess.run([sys.executable, "-c", INTERPRETED], env=environment, capture_output=True, text=True)
    assert (ran.stdout.strip(), ran.stderr) == (signature(3), "")


def test_every_round_counts() -> None:
    assert len({signature(rounds) for rounds in (1, 2, 3)}) == 3


@pytest.mark.parametrize("engine", ENGINES)
def test_the_command_prints_it(engine: str, capsys: pytest.CaptureFixture[str]) -> None:
    main(["--engine", engine, "--rounds", "2", "--threads", "2"])
    assert capsys.readouterr().out == signature(2) + "\n"


def test_there_are_no_other_engines() -> None:
    with pytest.raises(BlackjackError, match=r"engine: got 'compile'; did you mean 'compiled'\?"):
        signature(1, engine="compile")
