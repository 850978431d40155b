"""``bj drill`` and ``bj practice``: questions at the terminal, and what the practice log adds up to."""

import csv
import io
import json
import re
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from bj_env.cli.main import main
from bj_env.play.count_drills import Player, count_question
from bj_env.play.game import Game
from bj_env.play.practice import PracticeLog
from bj_env.play.setup import Setup
from bj_env.play.terminal.screen import Screen
from bj_env.play.terminal.session import Session
from bj_env.rules.terms import Rules
from tests.terminals import Terminal

Drill = Callable[..., list[str]]


@pytest.fixture
def log(tmp_path: Path) -> Path:
    return tmp_path / "practice.sqlite"


@pytest.fixture
def drill(log: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Drill:
    """Return a function that takes a drill with typed lines and returns what was said."""

    def run(typed: str, *arguments: str, command: str = "drill", code: int = 0) -> list[str]:
        monkeypatch.setattr(sys, "stdin", io.StringIO(typed.replace(";", "\n")))
        assert main([command, *arguments, "--log", str(log)]) == code
        out, err = capsys.readouterr()
        return (out + err).splitlines()

    return run


def test_a_hand_is_asked_and_reviewed_and_kept(drill: Drill, log: Path) -> None:
    said = drill("x;stand;", "hard", "--seed", "3", "--questions", "1", "--person", "Ann")
    assert "hard 9 v 7: what do you do?" in said
    assert "expected one of hit, stand, double, surrender, or q to leave; got 'x'" in said
    assert any(re.match(r"stand on hard 9 v 7: a mistake\. Better: hit, by 0\.\d+ bets", line) for line in said)
    assert said[-1] == "0 of 1 right."
    assert PracticeLog(log).summary("Ann").total.decisions == 1
    said = drill("hit;", "mistakes", "--questions", "1", "--person", "Ann")
    assert "hard 9 v 7: what do you do?" in said
    assert said[-1] == "1 of 1 right."


def test_a_deck_is_counted_down(drill: Drill) -> None:
    exact = count_question("deck", 1, Player(Rules()))
    said = drill(";" * 26 + "99;", "deck", "--seed", "3", "--questions", "1")
    assert any(line.startswith("Not right: ") for line in said)
    answer = next(line for line in said if line.startswith("Not right: ")).split(": ")[1].rstrip(".")
    said = drill(";" * 26 + f"{answer};", "deck", "--seed", "3", "--questions", "1")
    assert f"Right: {answer}." in said
    assert exact.tolerance == 0


@pytest.mark.parametrize(
    ("name", "typed"),
    [("tray", "3;q;"), ("true", "1,5;q;"), ("bet", "1;q;"), ("index", "s;s;q;"), ("soft", "q;"), ("pair", "h;q;")],
)
def test_every_drill_is_left_with_q(name: str, typed: str, drill: Drill) -> None:
    assert drill(typed, name, "--seed", "5")[0].startswith("Drill: ")


def test_an_answer_after_the_clock_does_not_count(drill: Drill, monkeypatch: pytest.MonkeyPatch, log: Path) -> None:
    times = iter(range(0, 1000, 9))
    monkeypatch.setattr("bj_env.play.terminal.drill.monotonic", lambda: next(times))
    said = drill("s;", "hard", "--clock", "5", "--questions", "1")
    assert "Too late: 9.0 seconds of 5." in said
    assert said[-1] == "0 of 1 right."
    assert PracticeLog(log).people() == []


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["sotf"], "unknown drill 'sotf'; did you mean 'soft'"),
        (["pair", "--rules", "6D SP1"], "this house does not split"),
        (["tray", "--rules", "INF"], "infinite shoe"),
        (["deck", "--system", "hilo"], "unknown system 'hilo'"),
        (["bet", "--ramp", "3:1,1:2"], "ramp: expected rising"),
        (["hard", "--clock", "0"], "clock: expected a whole number from 1"),
        (["mistakes"], "you have no mistakes to repeat"),
    ],
)
def test_what_cannot_be_asked_is_refused_in_one_line(arguments: list[str], message: str, drill: Drill) -> None:
    line = drill("", *arguments, code=1)[-1]
    assert line.startswith("bj drill: ")
    assert message in line


def test_the_log_is_added_up_exported_and_deleted(drill: Drill, log: Path, tmp_path: Path) -> None:
    assert drill("", command="practice") == [
        "Nothing is kept of you yet. Play with bj play, or take a drill with bj drill."
    ]
    drill("s;s;", "hard", "--seed", "3", "--questions", "2")
    drill("1;", "tray", "--seed", "3", "--questions", "1")
    said = drill("", command="practice")
    assert said[0].startswith("you: 2 decisions at the table and in drills, ")
    assert max(map(len, said)) <= 80
    record = json.loads(drill("", "--json", command="practice")[0])
    assert record["total"]["decisions"] == 2
    assert record["counts"][0]["name"] == "tray"
    table, counts = tmp_path / "mine.csv", tmp_path / "counts.csv"
    drill("", "--csv", str(table), "--counts-csv", str(counts), command="practice")
    assert len(list(csv.DictReader(table.open()))) == 2
    assert [row["drill"] for row in csv.DictReader(counts.open())] == ["tray"]
    assert drill("", "--csv", "/nowhere/x.csv", command="practice", code=1)[0].startswith("bj practice: csv: expected")
    assert drill("", "--delete", "you", command="practice") == ["3 decisions and answers of 'you' deleted"]
    assert PracticeLog(log).people() == []


def test_the_count_is_asked_for_at_the_table_and_checked(log: Path, capsys: pytest.CaptureFixture[str]) -> None:
    game, answers = Game(Setup.checked("6D PEN75 NINS", seed=1)), iter(["x", "1", "99 0", "q"])
    session = Session(game, lambda game: None, Screen(plain=True, symbols=False), lambda words: reply(words), "bj play")
    session.counts = PracticeLog(log)

    def reply(words: object) -> str:
        return next(answers) if not words else "10" if game.pending and game.pending.betting else "s"

    def until_leaving(words: object) -> str:
        return "q" if len(game.history) == 3 and words else reply(words)

    session.ask = until_leaving
    session.play()
    said = capsys.readouterr().out.splitlines()
    assert said.count("The running and the true count (hi-lo), like 4 1; Enter passes:") == 1
    assert "expected two numbers, like 4 1, or q to leave; got 'x'" in said
    assert any(re.fullmatch(r"Running count [+-]?\d+: not right\.", line) for line in said)
    assert [tally[:3] for tally in session.counts.summary("you").counts] == [("play", 1, 0)]


@pytest.mark.parametrize(("columns", "rows"), [(80, 24), (40, 15)])
def test_a_drill_fits_a_small_terminal(columns: int, rows: int, log: Path) -> None:
    with Terminal(log, "true", "--seed", "4", columns=columns, rows=rows, command="drill") as terminal:
        said = terminal.type("2", "q")
        assert max(map(len, terminal.text.splitlines())) <= columns
        assert "[################################....]" in terminal.text
        assert "Right: 1.58." in said
        assert terminal.exit_code == 0
