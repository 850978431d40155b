"""SQLite files: opened so that no move is lost, and renamed with all that belongs to them if they are damaged."""

import sqlite3
from collections.abc import Mapping
from contextlib import closing
from itertools import count
from pathlib import Path

from bj_env.errors import BlackjackError


def open_database(path: Path, what: str, columns: Mapping[str, str], schema: str) -> tuple[sqlite3.Connection, str]:
    """Open a SQLite file, or create it; a damaged file is renamed first.

    Args:
        path: the file.
        what: what messages call it, as in ``"games"``.
        columns: the columns of each table, separated by blanks.
        schema: the SQL that creates the tables.

    Returns:
        The connection, and a warning that says what was damaged and under which name it is kept, or an empty text.

    Raises:
        BlackjackError: if the file can be neither opened nor created.
    """
    check_file(path, what)
    warning = ""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        if damage := _damage(path, columns):
            warning = _put_aside(path, what, damage)
        file = sqlite3.connect(path, check_same_thread=False, isolation_level=None)
        file.execute("PRAGMA journal_mode = WAL")
        file.execute("PRAGMA synchronous = NORMAL")  # a kill loses nothing, a power cut perhaps the last moves
        file.executescript(schema)
    except (OSError, sqlite3.Error) as error:
        raise database_error(path, what, error) from None
    return file, warning


def database_error(path: Path, what: str, error: Exception) -> BlackjackError:
    """Return the one-line error for a file that cannot be read or written."""
    return BlackjackError(f"{what} {str(path)!r}: {getattr(error, 'strerror', None) or error}")


def check_file(path: Path, what: str) -> None:
    """Refuse a path that cannot be a database, before anything is renamed or created.

    Raises:
        BlackjackError: saying what the path is: a folder, a device or a pipe.
    """
    if path.is_dir():
        raise BlackjackError(f"{what} {str(path)!r}: expected a file, got a folder")
    try:
        if path.exists() and not path.is_file():
            raise BlackjackError(f"{what} {str(path)!r}: expected a file, got a device or a pipe")
    except OSError as error:
        raise database_error(path, what, error) from None


def _with_logs(path: Path) -> tuple[Path, Path, Path]:
    """Return a SQLite file, its write-ahead log and the log's index, which belong together."""
    return path, path.with_name(f"{path.name}-wal"), path.with_name(f"{path.name}-shm")


def _put_aside(path: Path, what: str, damage: str) -> str:
    """Rename a file and its logs together, so that SQLite still finds the logs of the renamed file."""
    names = (path.with_suffix(f".damaged-{number}") for number in count(1))
    aside = next(name for name in names if not any(map(Path.exists, _with_logs(name))))
    for old, new in zip(_with_logs(path), _with_logs(aside), strict=True):
        if old.exists():
            old.rename(new)
    return f"the file of {what} {str(path)!r} is damaged ({damage}); it is kept as {aside.name!r}"


def _damage(path: Path, columns: Mapping[str, str]) -> str:
    """Return why a file cannot be read; empty if it can, or if there is none.

    The file is opened read-only: closing a connection that may write merges the write-ahead log into a damaged file.
    """
    if not path.exists():
        return "its write-ahead log has lost the file" if _with_logs(path)[1].exists() else ""
    if path.stat().st_size == 0:
        return "the file is empty"
    try:
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as file:
            if file.execute("PRAGMA quick_check").fetchone() != ("ok",):
                return "SQLite finds damaged pages"
            for table, expected in columns.items():
                found = " ".join(row[1] for row in file.execute(f"PRAGMA table_info({table})"))
                if found not in ("", expected):
                    return f"the table {table!r} has other columns than {expected}"
    except sqlite3.OperationalError:
        raise
    except sqlite3.DatabaseError as error:
        return str(error)
    return ""
