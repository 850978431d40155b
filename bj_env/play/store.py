"""The store of games: every move is saved in a SQLite file before the next decision point.

SQLite writes each move completely or not at all. A kill at any moment loses at most the move in progress.
"""

import json
import sqlite3
from itertools import count
from os.path import samestat
from pathlib import Path
from time import time

from bj_env.errors import BlackjackError, PolicyError
from bj_env.play.database import database_error, open_database
from bj_env.play.game import Game, Move
from bj_env.play.setup import Setup

_TABLES = """
CREATE TABLE IF NOT EXISTS games (id TEXT PRIMARY KEY, setup TEXT NOT NULL, draws TEXT NOT NULL, kept REAL NOT NULL);
CREATE TABLE IF NOT EXISTS moves (
    game TEXT NOT NULL, number INTEGER NOT NULL, seat INTEGER NOT NULL, value INTEGER NOT NULL, cost REAL,
    PRIMARY KEY (game, number)
) WITHOUT ROWID;
"""
_COLUMNS = {"games": "id setup draws kept", "moves": "game number seat value cost"}
_MOVES = "SELECT seat, value, cost FROM moves WHERE game = ?"


class PlayedOn(BlackjackError):
    """Raised when another process has saved moves of the same game."""


class Store:
    """A file of games.

    Args:
        path: the file. A damaged file is renamed, see `warnings`.

    Attributes:
        warnings: what was damaged and the name under which it is kept, as sentences for people.

    Raises:
        BlackjackError: if the file can be neither opened nor created.

    >>> from tempfile import mkdtemp
    >>> store, game = Store(Path(mkdtemp(), "games.sqlite")), Game(Setup.checked(seed=1))
    >>> game.answer(10)
    >>> store.keep("mine", game)
    >>> store.load("mine").moves == game.moves
    True
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.warnings: list[str] = []
        self._open()

    def _open(self) -> None:
        self._file, warning = open_database(self.path, "games", _COLUMNS, _TABLES)
        self._opened = self.path.stat()
        if warning:
            self.warnings.append(warning)

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def keep(self, game_id: str, game: Game) -> None:
        """Save the new moves of a game, without the one that was taken back; the whole game if the file was deleted.

        Raises:
            PlayedOn: if another process has saved moves of this game.
            BlackjackError: if the file cannot be written.
        """
        try:
            if not self._there():
                self._open_again()
            self._file.execute("BEGIN IMMEDIATE")
            with self._file:  # commits, or takes everything back
                self._write(game_id, game)
        except (OSError, sqlite3.Error) as error:
            raise database_error(self.path, "games", error) from None

    def _there(self) -> bool:
        """Return whether the open file is still the one at `path`."""
        try:
            return samestat(self.path.stat(), self._opened)
        except FileNotFoundError:
            return False

    def _open_again(self) -> None:
        self.close()
        self._open()
        self.warnings.append(f"{str(self.path)!r} was deleted; games in play are saved there again")

    def _write(self, game_id: str, game: Game) -> None:
        moves, setup = game.moves, json.dumps(game.setup)
        if game.taken_back is not None:
            gone = (game_id, len(moves), *game.taken_back[:2])
            self._file.execute("DELETE FROM moves WHERE game = ? AND number = ? AND seat = ? AND value = ?", gone)
        (newest,) = self._file.execute("SELECT max(number) FROM moves WHERE game = ?", (game_id,)).fetchone()
        known = 0 if newest is None else newest + 1
        last = self._file.execute(f"{_MOVES} AND number = ?", (game_id, known - 1)).fetchone()
        kept = self._file.execute("SELECT setup FROM games WHERE id = ?", (game_id,)).fetchone()
        if known > len(moves) or (last and last != moves[known - 1]) or kept not in (None, (setup,)):
            raise PlayedOn(f"game {game_id!r}: another process has played it; start again to see its state")
        self._file.execute(
            "INSERT INTO games VALUES (?, ?, ?, ?) ON CONFLICT (id) DO UPDATE "
            "SET draws = excluded.draws, kept = excluded.kept",
            (game_id, setup, json.dumps(game.draws), time()),
        )
        new = [(game_id, number, *moves[number]) for number in range(known, len(moves))]
        self._file.executemany("INSERT INTO moves VALUES (?, ?, ?, ?, ?)", new)

    def load(self, game_id: str) -> Game | None:
        """Return a game as it was; None if there is none, or it is damaged: it is put aside then, see `warnings`."""
        try:
            return self.read(game_id)
        except BlackjackError as error:  # a game that does not read never bars the table
            self.warnings.append(
                f"the game {game_id!r} does not read ({error}); it is kept as {self.rename(game_id)!r}"
            )
            return None

    def read(self, game_id: str) -> Game | None:
        """Return a game as it was; None if there is none.

        Raises:
            BlackjackError: if it does not read, now or ever; it stays as it is.
        """
        try:
            kept = self._file.execute("SELECT setup, draws FROM games WHERE id = ?", (game_id,)).fetchone()
            if kept is None:
                return None
            rows = self._file.execute(f"{_MOVES} ORDER BY number", (game_id,)).fetchall()
            last = self._file.execute("SELECT max(number) FROM moves WHERE game = ?", (game_id,)).fetchone()[0]
            if rows and last != len(rows) - 1:
                raise ValueError("a move is missing")
            return Game.restored(_setup(kept[0]), map(Move._make, rows), json.loads(kept[1]))
        except Exception as error:  # whatever is wrong with it
            raise BlackjackError(str(error)) from error

    def lacks(self, game_id: str) -> str:
        """Say which policy of a game is not to be had now, so that the game had better wait for it; empty if none."""
        kept = self._file.execute("SELECT setup FROM games WHERE id = ?", (game_id,)).fetchone()
        try:
            _setup(kept[0])
        except PolicyError as error:
            return str(error)
        except Exception:  # whatever else is wrong with it, `load` says
            return ""
        return ""

    def rename(self, game_id: str) -> str:
        """Give a game a name that nobody plays, and return that name.

        Raises:
            BlackjackError: if the file cannot be written.
        """
        try:
            aside = next(f"{game_id}.{number}" for number in count(1) if not self.has(f"{game_id}.{number}"))
            self._file.execute("BEGIN IMMEDIATE")
            with self._file:
                self._file.execute("UPDATE games SET id = ?, kept = 0 WHERE id = ?", (aside, game_id))
                self._file.execute("UPDATE moves SET game = ? WHERE game = ?", (aside, game_id))
        except sqlite3.Error as error:
            raise database_error(self.path, "games", error) from None
        return aside

    def latest(self) -> str | None:
        """Return the name of the game that was played last and not renamed; None if there is none."""
        row = self._file.execute("SELECT id FROM games WHERE kept > 0 ORDER BY kept DESC LIMIT 1").fetchone()
        return None if row is None else str(row[0])

    def has(self, game_id: str) -> bool:
        """Tell whether there is a game of that name."""
        return self._file.execute("SELECT 1 FROM games WHERE id = ?", (game_id,)).fetchone() is not None


def _setup(kept: str) -> Setup:
    """Return a kept setup, checked again: strategies and policies may be gone.

    Raises:
        ValueError: if it is none.
    """
    house, seats, dealer, bankroll, seed = json.loads(kept)
    return Setup.checked(house, seats, dealer=dealer, bankroll=bankroll, seed=seed)
