"""Optional dependencies: the line that installs what an extra needs, in a checkout and beside an installed wheel."""

import re
import shlex
from importlib.metadata import PackageNotFoundError, requires
from pathlib import Path

_ROOT = Path(__file__).parents[1]

_OWN_VERSIONS = ("ray",)
"""Extras whose packages ask for other versions than those of constraints.txt."""


def install_line(extra: str) -> str:
    """Return the command that installs an extra, whatever the working directory.

    The package is on no index, so an installed wheel names the requirements of the extra one by one.

    >>> install_line("play").startswith("pip install ")
    True
    """
    if (_ROOT / "constraints.txt").exists() and (_ROOT / "pyproject.toml").exists():
        versions = [] if extra in _OWN_VERSIONS else ["-c", str(_ROOT / "constraints.txt")]
        return shlex.join(["pip", "install", *versions, "-e", f"{_ROOT}[{extra}]"])
    return shlex.join(["pip", "install", *_requirements(extra)])


def _requirements(extra: str) -> list[str]:
    try:
        lines = requires("bj-env") or []
    except PackageNotFoundError:  # the sources were copied without being installed
        lines = []
    wanted = re.compile(rf"(.+?)\s*;\s*extra == ['\"]{extra}['\"]")
    return [found[1] for line in lines if (found := wanted.fullmatch(line))] or [f"bj-env[{extra}]"]


def missing(name: str, extra: str) -> str:
    """Return the sentence that names a missing package and the command that installs it.

    >>> missing("starlette", "play").partition("pip install")[0]
    'starlette is missing; install it with: '
    """
    return f"{name} is missing; install it with: {install_line(extra)}"
