"""The keyboard of the terminal's table: a line with history and completion, or, where that is no help, a bare one."""

import io
import sys
from collections.abc import Callable, Sequence

Asks = Callable[[Sequence[str]], str]
"""Asks for a line, given the words that may be completed; raises EOFError at the end of input."""


def keyboard(*, bare: bool) -> Asks:
    """Return what asks for a line: with line editing, unless it is to be bare or nobody sits at a terminal."""
    at_terminal = sys.stdin is not None and sys.stdin.isatty() and sys.stdout.isatty()
    if isinstance(sys.stdin, io.TextIOWrapper):
        sys.stdin.reconfigure(errors="replace")  # a byte that is no letter is a letter that nobody knows
    if bare or not at_terminal:
        return _bare_line if at_terminal else _piped_line
    from prompt_toolkit import PromptSession
    from prompt_toolkit.completion import WordCompleter

    session: PromptSession[str] = PromptSession(complete_while_typing=False)
    return lambda words: session.prompt("> ", completer=WordCompleter(list(words), ignore_case=True))


def _bare_line(words: Sequence[str]) -> str:
    try:
        return input("> ")
    except (EOFError, KeyboardInterrupt):
        print()  # what is said next begins a line
        raise


def _piped_line(words: Sequence[str]) -> str:
    sys.stdout.flush()
    line = sys.stdin.readline() if sys.stdin is not None else ""
    if not line:
        raise EOFError
    return line.removesuffix("\n")
