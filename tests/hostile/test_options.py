"""Values that nobody means, for every option and argument of every command: an answer, or one line that refuses.

The options are read off the parsers, so that a new command or option is tried without a word here. A short run is in
``make test``, a long one is marked slow; both print how many command lines they tried.
"""

import argparse
import io
import signal
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest

from bj_env.cli.main import main
from bj_env.cli.parsers import command_parsers

SHORT, LONG = 100, 1_500
LONGEST_LINE = 600

QUICK = {
    "bench": "basic --rounds 2000 --threads 1",
    "chart": "--rules 6D",
    "count": "--rounds 20000 --shoes 8",
    "drill": "--questions 1",
    "practice": "",
    "dataset": "basic --rounds 20",
    "index": "--rules 1D --shoes 8",
    "replay": "6D;D6/T;P1_10_8,8_P_D_S;next_3,T,T,9",
    "rules": "6D H17",
    "solve": "--hand T,6 --upcard T",
    "table": "--port 0",
}
"""Arguments with which a command ends soon, if it does not without any; _ stands for a space within a word."""

HOSTILE = (
    *(
        "",
        " ",
        "0",
        "-1",
        "-0",
        "+4",
        "1_0",
        "00",
        "1.5",
        "1e400",
        "1e-400",
        "-1e9",
        "nan",
        "inf",
        "-inf",
        "0x10",
        "1e",
    ),
    *(
        "\u0664",
        "\u00b2",
        "\u202e",
        "\u212a",
        "\ud800",
        "\U0001f0a1",
        "\n",
        "\t",
        "%s",
        "{0}",
        "$HOME",
        "`id`",
        "--",
        "-",
    ),
    *("a" * 5_000, "9" * 400, "A,A", "T,6", "T,6,9", "11", "X", "1:2", "3:1,1:9", "1:-1", "99:99", "1-8", "8-1", "0-0"),
    *(
        "6D",
        "6D CH5",
        "inf",
        "1D PEN99",
        "6D PEN0",
        "basic",
        "mimic",
        "basic:1",
        "hi-lo:i18",
        "agent",
        "you",
        "you:",
        ",",
    ),
    *("agent,agent,agent,agent,agent,agent,agent,agent,agent", "/", ".", "/dev/null", "/dev/zero", "/dev/full"),
    *(
        "/proc/self/mem",
        "no/such/folder/file.png",
        "file\0.png",
        "~",
        "none",
        "full",
        "i18",
        "hi-lo half down",
        "ko true",
    ),
)


@pytest.fixture(autouse=True)
def harmless(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Give every command a folder of its own and nobody who types, let the server end at once, and end what hangs."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setattr("bj_env.play.web.server.Server.run", lambda self, sockets: None)
    monkeypatch.setattr("bj_env.cli.main._print_nowhere", lambda: None)  # the test's own output is not to vanish
    handlers = {number: signal.getsignal(number) for number in (signal.SIGALRM, signal.SIGINT, signal.SIGTERM)}
    yield
    for number, handler in handlers.items():
        signal.signal(number, handler)


def command_lines(chance: Random) -> Iterator[list[str]]:
    """Write command lines with one or two hostile values, or an option that does not exist, without end."""
    _, commands = command_parsers()
    while True:
        name = chance.choice(list(commands))
        line = [name, *(word.replace("_", " ") for word in QUICK.get(name, "").split())]
        for _ in range(chance.choice((1, 1, 1, 2))):
            action = chance.choice([action for action in commands[name]._actions if action.dest != "help"])
            option = [chance.choice(action.option_strings)] if action.option_strings else []
            if isinstance(action, argparse._StoreAction):
                option.append(chance.choice(HOSTILE))
            line += option
        yield [*line, "--nonsense"] if chance.random() < 0.05 else line


def tried(lines: Iterator[list[str]], number: int, capsys: pytest.CaptureFixture[str], mp: pytest.MonkeyPatch) -> None:
    """Run commands; each must end with a known code, and what it refuses must be one line that fits a screen."""
    refused = 0
    for _ in range(number):
        line = next(lines)
        mp.setattr("sys.stdin", io.StringIO(""))
        signal.signal(signal.SIGALRM, _hangs)
        signal.alarm(60)
        try:
            code = main(line)
        except SystemExit as end:  # as argparse ends
            code = int(end.code or 0)
        except Exception as error:
            raise AssertionError(f"bj {line} raised {error!r}") from error
        finally:
            signal.alarm(0)
        said = capsys.readouterr().err
        assert code in (0, 1, 2), line
        assert "Traceback" not in said, line
        if code:
            refused += 1
            last = said.rstrip("\n").splitlines()[-1]
            assert last.startswith("bj"), (line, said)
            assert len(last) <= LONGEST_LINE, (line, last)
            assert code == 2 or said.count("\n") == 1, (line, said)
    with capsys.disabled():
        print(f"\n{number} command lines tried, {refused} refused")
    assert 0 < refused < number


def _hangs(*_: object) -> None:
    raise AssertionError("the command did not end")


def test_hostile_options(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    tried(command_lines(Random(1)), SHORT, capsys, monkeypatch)


@pytest.mark.slow
def test_hostile_options_for_long(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    tried(command_lines(Random(2)), LONG, capsys, monkeypatch)
