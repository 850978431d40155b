"""The entry point of ``bj``: reads the command line, runs one command, and turns errors into one line."""

import io
import os
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import argparse


GREETING = """\
bj: casino blackjack, for people who play it, study it and train agents on it.

Three things to try:
  bj play --house campus-s17         play a hand against the house
  bj solve --hand T,6 --upcard T     what each action is worth, exactly
  bj bench basic mimic               measure strategies on the same shoes

bj --help lists all commands; bj COMMAND --help explains one."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return the exit code: 0, 1 for a refused input, 2 for wrong usage, 130 when interrupted."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    command = f"bj {given[0]}" if given and not given[0].startswith("-") else "bj"
    try:
        return _run(given)
    except KeyboardInterrupt:
        print(f"{command}: interrupted", file=sys.stderr)
        return 130
    except BrokenPipeError:  # the reader of the pipe, like `head`, has ended
        _print_nowhere()
        return 0
    except OSError as error:
        from bj_env.errors import one_line

        _print_nowhere()
        print(one_line(f"{command}: {error.filename or 'output'}: {error.strerror or error}"), file=sys.stderr)
        return 1


def _run(given: list[str]) -> int:
    """Import what reads the options, read them, and run the command."""
    from bj_env.errors import BlackjackError  # only here, where Ctrl-C is caught

    if sys.stdout is None:  # it was closed before we began
        return 1
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")  # a terminal that cannot show a character shows a question mark
    if not given:
        print(GREETING)
        return 0
    options = _parsed(given)
    try:
        options.run(options)
        sys.stdout.flush()
    except BlackjackError as error:
        print(f"bj {options.command}: {error}", file=sys.stderr)
        return 1
    return 0


def _parsed(given: list[str]) -> "argparse.Namespace":
    """Read the command line; what is wrong is said with the usage of the command that it belongs to."""
    from bj_env.cli.parsers import command_parsers
    from bj_env.errors import nearest, shortened

    parser, commands = command_parsers()
    if not given[0].startswith("-") and given[0] not in commands:
        near = nearest(given[0], commands)
        hint = f"did you mean {near!r}? " if near else ""
        parser.error(f"unknown command {shortened(given[0])}; {hint}commands: {', '.join(commands)}")
    options, unknown = parser.parse_known_args(_with_values(given, commands.get(given[0])))
    if unknown:
        mine = commands[options.command]
        names = [name for action in mine._actions for name in action.option_strings]
        near = nearest(unknown[0].partition("=")[0], names)
        mine.error(f"unknown argument {shortened(unknown[0])}" + (f"; did you mean {near!r}?" if near else ""))
    return options


def _with_values(given: list[str], command: "argparse.ArgumentParser | None") -> list[str]:
    """Join what begins with a minus and a digit to the option before it: argparse would take it for an option."""
    actions = command._actions if command else []
    takes_value = {name for action in actions if action.nargs != 0 for name in action.option_strings}
    joined: list[str] = []
    for word in given:
        if joined and joined[-1] in takes_value and word[:1] == "-" and word[1:2].isdigit():
            joined[-1] += f"={word}"
        else:
            joined.append(word)
    return joined


def _print_nowhere() -> None:
    """Let what is still to be written to standard output vanish, so that the end of the process does not trip on it."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
