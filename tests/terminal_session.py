"""Sittings whose lines are typed by a test: the command with standard input in place, or a game with stacked cards."""

import io
from collections.abc import Callable
from pathlib import Path

import pytest

from bj_env.cli.main import main
from bj_env.game.notation import parse
from bj_env.game.replay import stacked as written_cards
from bj_env.play.game import Game
from bj_env.play.setup import Setup
from bj_env.play.terminal.screen import Screen
from bj_env.play.terminal.session import Session

Play = Callable[..., list[str]]


def player(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Play:
    """Return a function that plays with typed lines and returns what was said; standard input is no terminal here."""

    def play(typed: str, *arguments: str, code: int = 0) -> list[str]:
        lines = "".join(f"{line}\n" for line in typed.split(";"))
        monkeypatch.setattr("sys.stdin", io.StringIO(lines if typed else ""))
        assert main(["play", "--save", str(tmp_path / "games"), *arguments]) == code
        said = capsys.readouterr()
        assert "Traceback" not in said.out + said.err
        return (said.out + said.err).splitlines()

    return play


def stacked(line: str, *, bankroll: int = 100, seats: tuple[str, ...] = ("you",), dealer: str = "house") -> Game:
    """Return a game whose next round has the cards of a line of notation."""
    house = line.partition(";")[0].strip()
    game = Game(Setup.checked(house, seats, dealer=dealer, bankroll=bankroll, seed=1))
    game.table.stack(written_cards(parse(line)))
    return game


def sit(game: Game, typed: str, capsys: pytest.CaptureFixture[str], *, plain: bool = True) -> list[str]:
    """Play a game with typed lines, and return what was said."""
    lines = iter(typed.split(";"))

    def ask(words: object) -> str:
        try:
            return next(lines)
        except StopIteration:
            raise EOFError from None

    Session(game, lambda game: None, Screen(plain=plain, symbols=False), ask, "bj play").play()
    return capsys.readouterr().out.splitlines()
