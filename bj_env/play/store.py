"""Games that outlast the process: every move is in the store before the next one is asked for.

SQLite writes each move as a whole or not at all, so a kill at any moment loses at most the move that was being made.
"""

import json
import sqlite3
from itertools import count
from pathlib import Path
from time import time

from bj_env.errors import BlackjackError
from bj_env.play.game import Game, Move
from bj_env.play.setup import Setup

_TABLES = """
CREATE TABLE IF NOT EXISTS games (id TEXT PRIMARY KEY, setup TEXT NOT NULL, draws TEXT NOT NULL, kept REAL NOT NULL);
CREATE TABLE IF NOT EXISTS moves (
    game TEXT NOT NULL, number INTEGER NOT NULL, seat INTEGER NOT NULL, value INTEGER NOT NULL, cost REAL,
    PRIMARY KEY (game, number)
) WITHOUT ROWID;
"""
_MOVES = "SELECT seat, value, cost FROM moves WHERE game = ?"


class Store:
    """A file of games.

    Args:
        path: the file; a damaged one is put aside, see `warnings`.

    Attributes:
        warnings: what was damaged and where it was put, for people to read.

    Raises:
        BlackjackError: if the file can be neither opened nor made.

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
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            try:
                self._open()
            except sqlite3.DatabaseError as error:
                if not path.exists() or isinstance(error, sqlite3.OperationalError):
                    raise
                self._put_aside(error)
                self._open()
        except (OSError, sqlite3.Error) as error:
            raise BlackjackError(f"games {str(path)!r}: {getattr(error, 'strerror', None) or error}") from None

    def _open(self) -> None:
        self._file = sqlite3.connect(self.path, check_same_thread=False, isolation_level=None)
        self._file.execute("PRAGMA journal_mode = WAL")
        if self._file.execute("PRAGMA quick_check").fetchone() != ("ok",):
            raise sqlite3.DatabaseError("the file is damaged")
        self._file.executescript(_TABLES)

    def _put_aside(self, error: Exception) -> None:
        self._file.close()
        aside = next(
            aside for number in count(1) if not (aside := self.path.with_suffix(f".damaged-{number}")).exists()
        )
        self.path.rename(aside)
        for log in ("-wal", "-shm"):
            self.path.with_name(self.path.name + log).unlink(missing_ok=True)
        self.warnings.append(f"the games in {str(self.path)!r} do not read ({error}); they are kept in {str(aside)!r}")

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def keep(self, game_id: str, game: Game) -> None:
        """Keep what is new of a game.

        Raises:
            BlackjackError: if the file cannot be written, or if somebody else plays this game on.
        """
        try:
            self._file.execute("BEGIN IMMEDIATE")
            with self._file:  # commits, or takes everything back
                self._write(game_id, game)
        except sqlite3.Error as error:
            raise BlackjackError(f"games {str(self.path)!r}: {error}") from None

    def _write(self, game_id: str, game: Game) -> None:
        moves, setup = game.moves, json.dumps(game.setup)
        (known,) = self._file.execute("SELECT count(*) FROM moves WHERE game = ?", (game_id,)).fetchone()
        last = self._file.execute(f"{_MOVES} AND number = ?", (game_id, known - 1)).fetchone()
        kept = self._file.execute("SELECT setup FROM games WHERE id = ?", (game_id,)).fetchone()
        if known > len(moves) or (last and last != moves[known - 1]) or kept not in (None, (setup,)):
            raise BlackjackError(f"game {game_id!r}: it has been played on elsewhere; start again to see how it lies")
        self._file.execute(
            "INSERT INTO games VALUES (?, ?, ?, ?) ON CONFLICT (id) DO UPDATE "
            "SET draws = excluded.draws, kept = excluded.kept",
            (game_id, setup, json.dumps(game.draws), time()),
        )
        new = [(game_id, number, *moves[number]) for number in range(known, len(moves))]
        self._file.executemany("INSERT INTO moves VALUES (?, ?, ?, ?, ?)", new)

    def load(self, game_id: str) -> Game | None:
        """Return a game as it lay; None if there is none, or it is damaged: it is put aside then, see `warnings`."""
        try:
            kept = self._file.execute("SELECT setup, draws FROM games WHERE id = ?", (game_id,)).fetchone()
            if kept is None:
                return None
            rows = self._file.execute(f"{_MOVES} ORDER BY number", (game_id,))
            return Game.restored(_setup(kept[0]), map(Move._make, rows), json.loads(kept[1]))
        except (ValueError, TypeError, sqlite3.Error) as error:
            self.warnings.append(
                f"the game {game_id!r} does not read ({error}); it is kept as {self.rename(game_id)!r}"
            )
            return None

    def rename(self, game_id: str) -> str:
        """Give a game a name that nobody plays, and return that name."""
        aside = next(f"{game_id}.{number}" for number in count(1) if not self._has(f"{game_id}.{number}"))
        with self._file:
            self._file.execute("BEGIN IMMEDIATE")
            self._file.execute("UPDATE games SET id = ? WHERE id = ?", (aside, game_id))
            self._file.execute("UPDATE moves SET game = ? WHERE game = ?", (aside, game_id))
        return aside

    def _has(self, game_id: str) -> bool:
        return self._file.execute("SELECT 1 FROM games WHERE id = ?", (game_id,)).fetchone() is not None


def _setup(kept: str) -> Setup:
    """Return a kept setup, checked again: strategies and policies may be gone.

    Raises:
        ValueError: if it is none.
    """
    house, seats, dealer, bankroll, seed = json.loads(kept)
    return Setup.checked(house, seats, dealer=dealer, bankroll=bankroll, seed=seed)
