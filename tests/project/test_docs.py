"""The documentation site builds: no broken link, no public name without its docstring."""

import os
import re
import subprocess
import sys
from pathlib import Path

import bj_env

ROOT = Path(__file__).parents[2]
DEEP_IMPORT = re.compile(r"(?:>>> )?from bj_env\.(?!sb3|rllib)[\w.]+ import (.+)")


def test_the_site_builds_without_a_warning(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(tmp_path)]
    environment = os.environ | {"NO_MKDOCS_2_WARNING": "1"}
    built = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert built.returncode == 0, built.stdout + built.stderr
    assert (tmp_path / "index.html").exists()


def test_every_public_name_is_in_the_reference() -> None:
    page = (ROOT / "docs" / "api.md").read_text(encoding="utf-8")
    listed = {line.rpartition(".")[2] for line in page.splitlines() if line.startswith("::: ")}
    assert set(bj_env.__all__) - {"__version__"} <= listed


def test_pages_import_public_names_from_the_package_alone() -> None:
    """Readers copy what they see: pages for users import from ``bj_env`` itself."""
    pages = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
    lines = [(page.name, line) for page in pages for line in page.read_text(encoding="utf-8").splitlines()]
    imports = [(page, found) for page, line in lines if (found := DEEP_IMPORT.fullmatch(line))]
    deep = [f"{page}: {found[0]}" for page, found in imports if set(found[1].split(", ")) & set(bj_env.__all__)]
    assert not deep, "\n".join(deep)
