"""A person at a terminal: the real program behind a real pseudo-terminal, and the screen as an emulator shows it."""

import os
import sys
from pathlib import Path
from time import monotonic
from typing import Self

import pexpect
import pyte

from tests.signals import heed

UTF8 = {"TERM": "xterm-256color", "LANG": "C.UTF-8", "LC_ALL": ""}
_PATIENCE = 60  # seconds, on a machine that does other things too
_QUIET = 0.03  # seconds without output after which a prompt is taken to be done


class Terminal:
    """``bj play``, or another command, in a terminal of so many columns.

    Args:
        save: the file that keeps the games, or the practice log of ``bj drill``.
        arguments: further ones.
        columns, rows: the size of the terminal.
        env: of the program, over what is usual.
        command: the command.
    """

    def __init__(
        self,
        save: Path,
        *arguments: str,
        columns: int = 80,
        rows: int = 30,
        env: dict[str, str] | None = None,
        command: str = "play",
    ) -> None:
        self.raw = b""
        self._screen = pyte.HistoryScreen(columns, rows, history=2000)
        self._stream = pyte.ByteStream(self._screen)
        usual = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "COLUMNS", "LINES")}
        file = {"play": "--save", "drill": "--log"}[command]
        self.process = pexpect.spawn(
            sys.executable,
            ["-m", "bj_env", command, file, str(save), *arguments],
            dimensions=(rows, columns),
            env=usual | UTF8 | (env or {}),
            timeout=_PATIENCE,
            preexec_fn=heed,
        )
        self.process.delaybeforesend = None
        self._screen.write_process_input = lambda data: self.process.send(data)  # a terminal says where its cursor is
        self.wait()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self.process.isalive():
            self.kill()

    @property
    def text(self) -> str:
        """All that stands on the screen, and what has left it at the top."""
        left = ["".join(line[x].data for x in range(self._screen.columns)) for line in self._screen.history.top]
        return "\n".join(line.rstrip() for line in [*left, *self._screen.display]).rstrip()

    @property
    def prompted(self) -> bool:
        """Whether the cursor waits at an empty prompt."""
        cursor = self._screen.cursor
        return cursor.x == 2 and self._screen.display[cursor.y].strip() == ">"

    def wait(self, before: str | None = None) -> None:
        """Read until the program waits at a prompt, and the screen is no longer as before, or the program has ended."""
        end, came = monotonic() + _PATIENCE, False
        while monotonic() < end:
            try:
                data = self.process.read_nonblocking(1 << 16, _QUIET)
            except pexpect.TIMEOUT:
                if came and self.prompted and self.text != before:
                    return
            except pexpect.EOF:
                self.process.wait()
                return
            else:
                came, self.raw = True, self.raw + data
                self._stream.feed(data)
        raise AssertionError(f"no prompt came:\n{self.text}")

    def type(self, *lines: str) -> str:
        """Type lines, and return what all of them brought."""
        before = len(self.text)
        for line in lines:
            shown = self.text
            self.process.send(line + "\r")
            self.wait(shown)
        return self.text[before:]

    def press(self, control: str) -> str:
        """Press a control key, and return what it brought."""
        shown = self.text
        self.process.sendcontrol(control)
        self.wait(shown)
        return self.text[len(shown) :]

    def resize(self, columns: int, rows: int = 30) -> None:
        """Make the window wider or narrower."""
        self._screen.resize(rows, columns)
        self.process.setwinsize(rows, columns)

    def kill(self) -> None:
        """Kill the program as no program can help."""
        self.process.kill(9)
        self.process.wait()

    @property
    def exit_code(self) -> int | None:
        """What the program ended with."""
        return self.process.exitstatus
