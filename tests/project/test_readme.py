"""Every code block of the README and of the pages in docs/ runs, and prints what the page says it prints.

``python`` blocks of one page are run from top to bottom in one namespace, those written with ``>>>`` as doctests.
In ``console`` blocks a line ``$ command`` is run in bash and compared with the lines below it, if there are any; a
``...`` stands for anything. A command without such lines must succeed, and so must each line of a ``bash`` block.
A block whose first line is ``# file: NAME`` is also saved as that file, for the blocks below it. Installing, training
without any options, and what ends in ``# not run: why`` is left out. A block in any other language
fails, unless that language says that it is only to be read.
"""

import doctest
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from _pytest.mark import ParameterSet
from markdown_it import MarkdownIt
from markdown_it.token import Token

ROOT = Path(__file__).parents[2]
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")])
TRAINING = {"docs/learners.md", "docs/train.md"}
"""Pages that train for a minute: they are run with the slow checks."""
ONLY_READ = {"text", "toml", "json", "bibtex", "mermaid"}
NOT_RUN = re.compile(r"(make|pip|git|cd|source|pytest|tensorboard|python3? (-m venv|train\.py$))\b|.*# not run: \w")


def fences(page: Path) -> list[Token]:
    """Return the fenced code blocks of a page."""
    return [token for token in MarkdownIt().parse(page.read_text()) if token.type == "fence"]


def line_of(token: Token) -> int:
    """Return the number, from 0, of the line after the opening fence."""
    assert token.map
    return token.map[0] + 1


def run_python(page: Path, token: Token, namespace: dict[str, Any]) -> None:
    """Run a block of Python in the namespace of its page."""
    if not token.content.lstrip().startswith(">>>"):
        exec(compile("\n" * line_of(token) + token.content, str(page), "exec"), namespace)
        return
    test = doctest.DocTestParser().get_doctest(token.content, namespace, page.name, str(page), line_of(token))
    test.globs = namespace  # get_doctest made a copy
    doctest.DebugRunner(optionflags=doctest.ELLIPSIS).run(test, clear_globs=False)


def commands(token: Token) -> list[tuple[str, str]]:
    """Return the commands of a block of shell and the output that the page shows for each."""
    found: list[tuple[str, str]] = []
    for line in token.content.splitlines():
        if found and found[-1][0].endswith("\\"):
            found[-1] = (found[-1][0] + "\n" + line.removeprefix("> "), "")
        elif token.info == "bash":
            found += [(line, "")] if line and not line.startswith("#") else []
        elif line.startswith("$ "):
            found.append((line.removeprefix("$ "), ""))
        else:
            assert found, f"a console block begins with '$ command', not {line!r}"
            found[-1] = (found[-1][0], found[-1][1] + line + "\n")
    return found


def run_shell(token: Token) -> None:
    """Run the commands of a block of shell; what they print, errors too, is what the page shows."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    plain = {"PATH": path, "COLUMNS": "100", "NO_COLOR": "1", "TERM": "dumb"}
    for command, shown in commands(token):
        if NOT_RUN.match(command):
            continue
        result = subprocess.run(
            ["bash", "-c", command],
            env=os.environ | plain,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        told = re.sub(r"^bj_env: compiling .*\n", "", result.stdout, flags=re.MULTILINE)  # on a new machine
        printed = re.sub(r"[ \t]+$", "", told, flags=re.MULTILINE).strip("\n")
        shown = shown.strip("\n")
        if shown:
            same = doctest.OutputChecker().check_output(shown + "\n", printed + "\n", doctest.ELLIPSIS)
            assert same, f"$ {command}\nshown:\n{shown}\nprinted:\n{printed}"
        else:
            assert result.returncode == 0, f"$ {command}\nprinted:\n{printed}"


def run_page(page: Path) -> None:
    """Run every block of a page in the current folder."""
    namespace: dict[str, Any] = {"__name__": "__main__"}
    for token in fences(page):
        if named := re.match(r"# file: ([\w.]+)\n", token.content):
            Path(named[1]).write_text(token.content)
        try:
            if token.info == "python":
                run_python(page, token, namespace)
            elif token.info in ("console", "bash"):
                run_shell(token)
            else:
                assert token.info in ONLY_READ, f"a block is python, console, bash or {ONLY_READ}, not {token.info!r}"
        except Exception as error:
            error.add_note(f"in the block that begins in {page}, line {line_of(token)}")
            raise


def _parameter(page: Path) -> ParameterSet:
    name = str(page.relative_to(ROOT))
    return pytest.param(page, id=name, marks=[pytest.mark.slow] if name in TRAINING else [])


@pytest.mark.parametrize("page", [_parameter(page) for page in PAGES])
def test_every_block_of_a_page_runs(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # what a page writes lands here
    shutil.copytree(ROOT / "configs", "configs")
    Path("train.py").symlink_to(ROOT / "train.py")
    run_page(page)


def test_the_readme_has_blocks_that_run() -> None:
    assert {"python", "console"} <= {token.info for token in fences(ROOT / "README.md")}


def test_every_configuration_is_in_the_table_of_the_page_on_training() -> None:
    told = re.findall(r"^\| `configs/(.*?)`", (ROOT / "docs" / "train.md").read_text(), re.MULTILINE)
    assert sorted(told) == sorted(path.name for path in (ROOT / "configs").glob("*.toml"))


GOOD = """
```python
x = 6
```

- a list
  ```python
  >>> x * 7
  42
  >>> range(x)
  range(...)
  ```

```console
$ echo one; echo two >&2
one
...
$ echo what is printed here, nobody compares
$ echo 1 \\
> 2
1 2
$ exit 3  # not run: it would fail
$ make train
```

```bash
# all is well
true

echo \\
  yes
```
"""
BAD = [
    "```python\n1 / 0\n```",
    "```python\n>>> 1 + 1\n3\n```",
    "```console\n$ echo one\ntwo\n```",
    "```console\n$ false\n```",
    "```console\nls\n```",
    "```bash\nfalse\n```",
    "```py\n1\n```",
    "```\n1\n```",
]


def test_a_right_page_passes(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(GOOD)
    run_page(page)


@pytest.mark.parametrize("text", BAD)
def test_a_wrong_page_fails(text: str, tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(f"{GOOD}\n{text}\n")
    with pytest.raises(Exception) as caught:  # noqa: PT011
        run_page(page)
    assert "page.md, line" in caught.value.__notes__[-1]
