"""The practice log: graded decisions and counting answers by person, in a SQLite file; exportable and deletable.

A cell is a decision as a strategy chart lists it: ``"hard 16 v T"``. A decision is right if it loses less than
`bj_env.play.coach.NEAR_TIE` bets against the best action.
"""

import csv
import io
import sqlite3
from collections.abc import Mapping, Sequence
from contextlib import closing
from pathlib import Path
from time import time
from typing import NamedTuple

from bj_env.play.coach import NEAR_TIE
from bj_env.play.database import database_error, open_database

_COLUMNS = {
    "attempts": "person at source kind cell action best cost seconds",
    "counts": "person at drill question answered answer correct seconds",
}
_TABLES = """
CREATE TABLE IF NOT EXISTS attempts (
    person TEXT NOT NULL, at REAL NOT NULL, source TEXT NOT NULL, kind TEXT NOT NULL, cell TEXT NOT NULL,
    action TEXT NOT NULL, best TEXT NOT NULL, cost REAL NOT NULL, seconds REAL
);
CREATE INDEX IF NOT EXISTS attempts_of_a_person ON attempts (person, at);
CREATE TABLE IF NOT EXISTS counts (
    person TEXT NOT NULL, at REAL NOT NULL, drill TEXT NOT NULL, question TEXT NOT NULL, answered TEXT NOT NULL,
    answer TEXT NOT NULL, correct INTEGER NOT NULL, seconds REAL
);
CREATE INDEX IF NOT EXISTS counts_of_a_person ON counts (person, at);
"""

PRACTICE = "practice.sqlite"
"""The name of the file, beside the file of games."""

INTERVALS = (0.0, 600.0, 86_400.0, 3 * 86_400.0, 7 * 86_400.0)
"""Seconds until a missed cell is asked again, by the number of right answers since the mistake (spaced repetition).

A cell with as many right answers in a row as there are intervals is learned and not asked again.
"""

MOST_CELLS = 8
"""How many of the costliest cells a summary lists."""


class Attempt(NamedTuple):
    """One graded decision.

    Attributes:
        person: whose decision it was.
        source: ``"table"`` or ``"drill"``.
        kind: ``"hard"``, ``"soft"``, ``"pair"``, ``"insurance"`` or ``"early surrender"``.
        cell: the cell of the strategy chart.
        action, best: names of the action taken and of the best action.
        cost: the loss against the best action, in units of the bet.
        seconds: how long the decision took; None if unknown.
        at: when it was made, in seconds since 1970.
    """

    person: str
    source: str
    kind: str
    cell: str
    action: str
    best: str
    cost: float
    seconds: float | None = None
    at: float = 0.0


class CountAttempt(NamedTuple):
    """One answer of a counting drill.

    Attributes:
        person: whose answer it was.
        drill: the drill, or ``"play"`` for a count that was asked for at a table.
        question: what was asked.
        answered, answer: what was answered, and the exact answer, as text.
        correct: whether it was right.
        seconds: how long it took; None if unknown.
        at: when it was given, in seconds since 1970.
    """

    person: str
    drill: str
    question: str
    answered: str
    answer: str
    correct: bool
    seconds: float | None = None
    at: float = 0.0


class CountTally(NamedTuple):
    """The answers of one counting drill, added up.

    Attributes:
        name: the drill.
        answers: how many there were.
        right: how many of them were right.
        seconds: the mean time of the right ones; None if unknown.
        fastest: the shortest time of a right one; None if unknown.
    """

    name: str
    answers: int
    right: int
    seconds: float | None
    fastest: float | None


class Tally(NamedTuple):
    """Decisions of one kind, one day or one cell, added up.

    Attributes:
        name: which kind, day (``"2026-12-01"``) or cell.
        decisions: how many there were.
        right: how many of them were right.
        cost: what all of them lost, in units of the bet.

    >>> Tally("hard", 4, 3, 0.1).accuracy
    0.75
    """

    name: str
    decisions: int
    right: int
    cost: float

    @property
    def accuracy(self) -> float:
        """The share of right decisions."""
        return self.right / self.decisions if self.decisions else 0.0


class Summary(NamedTuple):
    """What a person has practised.

    Attributes:
        total: all decisions.
        kinds: by type of hand.
        days: by day (UTC), the first one first.
        cells: the cells that have cost most, the costliest first.
        streak: right decisions in a row, up to now.
        longest_streak: the longest such row ever.
        due: how many cells are due for repetition.
        counts: the answers of counting drills, by drill.
    """

    total: Tally
    kinds: Sequence[Tally]
    days: Sequence[Tally]
    cells: Sequence[Tally]
    streak: int
    longest_streak: int
    due: int
    counts: Sequence[CountTally]


class PracticeLog:
    """The file of graded decisions.

    Args:
        path: the file. A damaged file is renamed, see `warning`.

    Attributes:
        warning: what was damaged and the name under which it is kept; empty if nothing was.

    Raises:
        BlackjackError: if the file can be neither opened nor created.

    >>> from tempfile import mkdtemp
    >>> log = PracticeLog(Path(mkdtemp(), "practice.sqlite"))
    >>> log.add(Attempt("Ann", "drill", "hard", "hard 16 v T", "stand", "hit", 0.02, at=1.0))
    >>> log.add(Attempt("Ann", "drill", "hard", "hard 12 v 4", "stand", "stand", 0.0, at=2.0))
    >>> summary = log.summary("Ann")
    >>> summary.total, summary.streak, log.due("Ann")
    (Tally(name='all', decisions=2, right=1, cost=0.02), 1, ['hard 16 v T'])
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._file, self.warning = open_database(path, "practice", _COLUMNS, _TABLES)

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def add(self, attempt: Attempt) -> None:
        """Save a decision.

        Raises:
            BlackjackError: if the file cannot be written.
        """
        self._insert("attempts", attempt._replace(at=attempt.at or time())._asdict())

    def add_count(self, attempt: CountAttempt) -> None:
        """Save an answer of a counting drill.

        Raises:
            BlackjackError: if the file cannot be written.
        """
        self._insert("counts", attempt._replace(at=attempt.at or time())._asdict())

    def _insert(self, table: str, row: Mapping[str, object]) -> None:
        try:
            names, marks = ", ".join(row), ", ".join(f":{name}" for name in row)
            self._file.execute(f"INSERT INTO {table} ({names}) VALUES ({marks})", row)
        except sqlite3.Error as error:
            raise database_error(self.path, "practice", error) from None

    def summary(self, person: str) -> Summary:
        """Return what a person has practised, over all sessions."""
        streak, longest = self._streaks(person)
        total = self._tallies(person, "'all'")
        return Summary(
            total[0] if total else Tally("all", 0, 0, 0.0),
            self._tallies(person, "kind"),
            self._tallies(person, "date(at, 'unixepoch')"),
            [tally for tally in self._tallies(person, "cell", "4 DESC")[:MOST_CELLS] if tally.right < tally.decisions],
            streak,
            longest,
            len(self.due(person)),
            self._count_tallies(person),
        )

    def _count_tallies(self, person: str) -> list[CountTally]:
        rows = self._file.execute(
            "SELECT drill, count(*), sum(correct), avg(CASE WHEN correct THEN seconds END), "
            "min(CASE WHEN correct THEN seconds END) FROM counts WHERE person = ? GROUP BY 1 ORDER BY 1",
            (person,),
        )
        return [CountTally(*row) for row in rows]

    def _tallies(self, person: str, group: str, order: str = "1") -> list[Tally]:
        """Add up a person's decisions by an SQL expression, which is never text from outside."""
        query = f"SELECT {group}, count(*), sum(cost < ?), sum(cost) FROM attempts WHERE person = ? GROUP BY 1 ORDER BY"
        rows = self._file.execute(f"{query} {order}", (NEAR_TIE, person))
        return [Tally(name, decisions, right, round(cost, 6)) for name, decisions, right, cost in rows]

    def _streaks(self, person: str) -> tuple[int, int]:
        streak = longest = 0
        for (cost,) in self._file.execute("SELECT cost FROM attempts WHERE person = ? ORDER BY at, rowid", (person,)):
            streak = streak + 1 if cost < NEAR_TIE else 0
            longest = max(longest, streak)
        return streak, longest

    def due(self, person: str, now: float | None = None) -> list[str]:
        """Return the cells that a person has missed and should repeat now, the longest overdue first."""
        now = time() if now is None else now
        box: dict[str, tuple[int, float]] = {}
        rows = self._file.execute("SELECT cell, cost, at FROM attempts WHERE person = ? ORDER BY at, rowid", (person,))
        for cell, cost, at in rows:
            if cost >= NEAR_TIE:
                box[cell] = 0, at
            elif cell in box:
                right, before = box[cell]
                waited = right < len(INTERVALS) and at >= before + INTERVALS[right]
                box[cell] = (right + 1, at) if waited else (right, before)
        times = {cell: at + INTERVALS[right] for cell, (right, at) in box.items() if right < len(INTERVALS)}
        return sorted((cell for cell, at in times.items() if at <= now), key=lambda cell: times[cell])

    def people(self) -> list[str]:
        """Return everyone who has practised, in alphabetical order."""
        return [
            person
            for (person,) in self._file.execute(
                "SELECT person FROM attempts UNION SELECT person FROM counts ORDER BY 1"
            )
        ]

    def export(self, person: str, *, counts: bool = False) -> str:
        """Return a person's decisions, or the answers of counting drills, as CSV with a header, the first one first."""
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        query = f"SELECT * FROM {'counts' if counts else 'attempts'} WHERE person = ? ORDER BY at, rowid"
        with closing(self._file.execute(query, (person,))) as rows:
            writer.writerow(column[0] for column in rows.description)
            writer.writerows(rows)
        return text.getvalue()

    def delete(self, person: str) -> int:
        """Delete all that is kept of a person, and return how many decisions and answers there were.

        Raises:
            BlackjackError: if the file cannot be written.
        """
        try:
            self._file.execute("BEGIN IMMEDIATE")
            with self._file:  # commits, or takes everything back
                return sum(
                    self._file.execute(f"DELETE FROM {table} WHERE person = ?", (person,)).rowcount
                    for table in ("attempts", "counts")
                )
        except sqlite3.Error as error:
            raise database_error(self.path, "practice", error) from None
