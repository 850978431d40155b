"""Games that outlast the process: nothing is lost, and nothing damaged bars the way."""

import json
import os
import sqlite3
from collections.abc import Callable
from pathlib import Path
from random import Random
from shutil import copy

import pytest
from hypothesis import given, settings

from bj_env.errors import BlackjackError
from bj_env.play.game import Game
from bj_env.play.setup import Setup
from bj_env.play.store import Store
from tests.play.test_game import chances, move, setups, state


@settings(max_examples=7)
@given(setups(), chances)
def test_whoever_comes_back_finds_the_game_as_it_lay(
    tmp_path_factory: pytest.TempPathFactory, setup: Setup, chance: Random
) -> None:
    path, game = tmp_path_factory.mktemp("store") / "games", Game(setup)
    store = Store(path)
    for _ in range(8):
        store.keep("mine", game)
        again = Store(path)
        assert state(again.load("mine")) == state(game)
        again.close()
        if game.pending is None:
            break
        move(game, chance)
    assert not store.warnings
    store.close()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Return a file with a game of three moves."""
    store, game = Store(tmp_path / "games.sqlite"), Game(Setup.checked(seed=1))
    for answer in (10, 1, 0):
        game.answer(answer)
        store.keep("mine", game)
    store.close()
    return tmp_path / "games.sqlite"


def change(path: Path, sql: str, *values: object) -> None:
    """Change the file behind the store's back."""
    file = sqlite3.connect(path)
    with file:
        file.execute(sql, values)
    file.close()


@pytest.mark.parametrize(
    "setup",
    [
        "",
        "{}",
        "null",
        '"you"',
        json.dumps(["six-deck", ["you"], "house", 1000]),
        json.dumps(["six-deck", ["you"], None, 1000, 1]),
        json.dumps(["six-deck", [7], "house", 1000, 1]),
        json.dumps([["six-deck"], ["you"], "house", 1000, 1]),
        json.dumps(["six-dek", ["you"], "house", 1000, 1]),
        json.dumps(["six-deck", ["you", "runs/gone/policy"], "house", 1000, 1]),
        json.dumps(["six-deck", ["you"], "house", 1e300, 1]),
    ],
)
def test_a_setup_that_does_not_read_is_put_aside(path: Path, setup: str) -> None:
    """Report b171."""
    change(path, "UPDATE games SET setup = ?", setup)
    fresh_start(path)


@pytest.mark.parametrize("draws", ["", "7", "[0, 0, 0, 0, 0, 0]", '{"a": 1}', '["x", 0]'])
def test_draws_that_do_not_read_are_put_aside(path: Path, draws: str) -> None:
    """Report b171."""
    change(path, "UPDATE games SET draws = ?", draws)
    fresh_start(path)


@pytest.mark.parametrize("number", [0, 1])
def test_a_game_that_lacks_a_move_is_put_aside(path: Path, number: int) -> None:
    """Report b171."""
    change(path, "DELETE FROM moves WHERE number = ?", number)
    fresh_start(path)


@pytest.mark.parametrize(("column", "value"), [("seat", 3), ("value", 99), ("value", "x"), ("value", -1)])
def test_a_move_that_cannot_be_made_is_put_aside(path: Path, column: str, value: object) -> None:
    """Report b171."""
    change(path, f"UPDATE moves SET {column} = ? WHERE number = 1", value)
    fresh_start(path)


def fresh_start(path: Path) -> None:
    """Check that the damaged game is kept under another name, and that a new one takes its place."""
    store = Store(path)
    assert store.load("mine") is None
    (warning,) = store.warnings
    assert warning.startswith("the game 'mine' does not read (")
    assert warning.endswith("it is kept as 'mine.1'")
    assert store.has("mine.1")
    assert store.latest() is None
    store.keep("mine", Game(Setup.checked(seed=2)))
    assert store.latest() == "mine"
    store.close()


def cut(share: float) -> Callable[[Path], object]:
    """Return what leaves only the first part of a file."""
    return lambda path: path.write_bytes(path.read_bytes()[: int(path.stat().st_size * share)])


@pytest.mark.parametrize(
    "damage",
    [
        cut(0),
        cut(0.5),
        lambda path: path.write_bytes(b"{}"),
        lambda path: path.write_bytes(bytes(5000)),
        lambda path: path.write_bytes(path.read_bytes()[:100] + bytes(4096) + path.read_bytes()[4196:]),
        lambda path: change(path, "ALTER TABLE games DROP COLUMN draws"),
        lambda path: change(path, "ALTER TABLE moves DROP COLUMN cost"),
    ],
)
def test_a_damaged_file_is_kept_aside_and_named(path: Path, damage: Callable[[Path], object]) -> None:
    """Report b171."""
    damage(path)
    left = path.read_bytes()
    for number in (1, 2):
        store = Store(path)
        (warning,) = store.warnings
        aside = path.with_suffix(f".damaged-{number}")
        assert warning.startswith(f"the file of games {str(path)!r} is damaged (")
        assert warning.endswith(f"it is kept as {aside.name!r}")
        assert number > 1 or aside.read_bytes() == left
        assert store.load("mine") is None
        store.keep("mine", Game(Setup.checked(seed=2)))
        store.close()
        path.write_bytes(b"damaged again, not a file of games")


def killed(path: Path) -> dict[str, bytes]:
    """Leave a file of games as a killed process does, its last moves in the write-ahead log; return all its files."""
    store, alive = Store(path), path.with_name("alive.sqlite")
    game = store.load("mine")
    game.answer(10)
    store.keep("mine", game)
    for name in (path.name, f"{path.name}-wal", f"{path.name}-shm"):
        copy(path.with_name(name), alive.with_name(name.replace(path.name, alive.name)))
    store.close()
    for file in alive.parent.glob("alive.sqlite*"):
        file.rename(file.with_name(file.name.replace(alive.name, path.name)))
    path.write_bytes(b"x" * 100 + path.read_bytes()[100:])
    return {file.name.removeprefix(path.name): file.read_bytes() for file in path.parent.glob(f"{path.name}*")}


def test_the_write_ahead_log_of_a_damaged_file_is_kept_with_it(path: Path) -> None:
    files = killed(path)
    assert len(files["-wal"]) > 1000
    store = Store(path)
    aside = path.with_suffix(".damaged-1")
    assert {log: aside.with_name(aside.name + log).read_bytes() for log in ("", "-wal")} == {
        log: files[log] for log in ("", "-wal")
    }
    assert store.load("mine") is None
    store.close()


def test_a_log_whose_file_was_deleted_is_kept_aside(path: Path) -> None:
    files = killed(path)
    path.unlink()
    store = Store(path)
    assert path.with_name(f"{path.stem}.damaged-1-wal").read_bytes() == files["-wal"]
    assert len(store.warnings) == 1
    store.close()


def test_moves_in_the_log_of_a_killed_process_are_read(path: Path) -> None:
    Store(path).close()
    before = path.read_bytes()
    killed(path)
    path.write_bytes(before)
    store = Store(path)
    assert store.warnings == []
    assert store.load("mine").moves[-1].value == 10
    store.close()


def test_somebody_who_plays_the_same_game_elsewhere_is_refused_before_anything_is_lost(path: Path) -> None:
    first, second = Store(path), Store(path)
    mine, theirs = first.load("mine"), second.load("mine")
    mine.answer(10)
    first.keep("mine", mine)
    theirs.answer(20)
    with pytest.raises(BlackjackError, match="another process has played it"):
        second.keep("mine", theirs)
    assert first.load("mine").moves == mine.moves
    first.close()
    second.close()


def test_the_latest_game_is_the_one_that_was_played_last(path: Path) -> None:
    store = Store(path)
    store.keep("other", Game(Setup.checked("campus-s17", seed=3)))
    assert store.latest() == "other"
    store.keep("mine", store.load("mine"))
    assert store.latest() == "mine"
    assert store.rename("mine") == "mine.1"
    assert store.latest() == "other"
    store.close()


def test_what_cannot_be_written_is_refused_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for bad in (tmp_path, tmp_path / "file" / "games"):
        with pytest.raises(BlackjackError, match="games '"):
            Store(bad)


@pytest.mark.parametrize("gone", ["the file", "its folder", "replaced"])
def test_a_file_that_is_taken_away_in_play_is_laid_again_with_the_whole_game(tmp_path: Path, gone: str) -> None:
    path, game = tmp_path / "kept" / "games.sqlite", Game(Setup.checked(seed=1))
    store = Store(path)
    game.answer(10)
    store.keep("mine", game)
    path.parent.rename(tmp_path / "away")
    if gone != "its folder":
        path.parent.mkdir()
    if gone == "replaced":
        Store(path).close()
    game.answer(0)
    store.keep("mine", game)
    assert [str(path) in warning for warning in store.warnings] == [True]
    store.close()
    again = Store(path).load("mine")
    assert again is not None
    assert again.moves == game.moves


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="pipes with names are of Unix")
def test_what_is_no_file_is_refused_and_stays_where_it_is(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with pytest.raises(BlackjackError, match="expected a file, got a device or a pipe"):
        Store(pipe)
    assert list(tmp_path.iterdir()) == [pipe]
