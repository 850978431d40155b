"""What `bj count` prints: the count table, the bets, and what they win and risk; JSON and CSV for programs."""

import csv
import json
import os
import sys
from argparse import Namespace
from collections.abc import Sequence
from dataclasses import dataclass
from io import StringIO
from math import isfinite
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.progress import Progress
from rich.table import Table

from bj_env.analysis.benchmark import BENCH_SEEDS
from bj_env.analysis.counting import bankroll as money
from bj_env.analysis.counting.player import counting_player
from bj_env.analysis.counting.ramp import Spread, given_ramp
from bj_env.analysis.counting.table import Bets, CountTable, count_table, countable
from bj_env.cli.files import check_target, write_file
from bj_env.cli.values import number, whole_number
from bj_env.game.notation import house_text

WIDTH = 80


@dataclass(frozen=True)
class Wanted:
    """What was asked for on the command line, checked.

    Attributes:
        spread: the smallest and the largest bet.
        bankroll: in smallest bets; None for what the Kelly fraction or the risk of ruin says.
        unit: the smallest bet in money.
        hour: rounds an hour.
        kelly: the fraction of full Kelly.
        risk: the risk of ruin that the bankroll is told for.
        trip, goal: rounds of a trip; smallest bets to win.
    """

    spread: Spread
    bankroll: float
    unit: float
    hour: float
    kelly: float
    risk: float | None
    trip: float | None
    goal: float | None


def count_command(options: Namespace, bar: Progress) -> None:
    """Sample a game by count, and print what bets by the count win and risk.

    Raises:
        BlackjackError: if an option is not valid; before anything is played or written.
    """
    wanted = _wanted(options)
    for name, path in (("csv", options.csv), ("png", options.png)):
        if path is not None:
            check_target(name, path, f".{name}")
    if options.ramp is not None:
        given_ramp(options.ramp, ())
    countable(options.rules)
    player = counting_player(options.rules, options.system, options.indices)
    others = [name for name in (options.others or "").split(",") if name]
    rounds, shoes = int(number("rounds", options.rounds, 1e5, 2e9)), int(number("shoes", options.shoes, 150, 20_000))
    half_width = None if options.half_width is None else number("half-width", options.half_width, 1e-3, 100)
    with bar:
        table = count_table(
            options.rules,
            player,
            others=others,
            spread=wanted.spread,
            rounds=rounds,
            shoes=shoes,
            half_width=half_width,
            seed=whole_number("seed", options.seed, 0, BENCH_SEEDS - 1),
            workers=os.cpu_count() or 1,
            told=_Teller(bar),
            announced=_announce,
        )
    found = table.bets(options.ramp or table.optimal(wanted.spread), bankroll=wanted.bankroll, kelly=wanted.kelly)
    record = as_record(table, found, wanted)
    if options.csv is not None:
        write_file(options.csv, _as_csv(record["counts"]).encode())
    if options.png is not None:
        from bj_env.analysis.counting.pictures import count_picture  # it needs matplotlib

        write_file(options.png, count_picture(table, found))
    if options.json:
        print(json.dumps(record))
    else:
        _show(table, found, record)


class _Teller:
    """Shows progress, with the time that is left."""

    def __init__(self, bar: Progress) -> None:
        self.bar = bar
        self.tasks: dict[str, Any] = {}

    def __call__(self, what: str, done: float, whole: float) -> None:
        if what not in self.tasks or done < (self.bar.tasks[self.tasks[what]].completed or 0):
            self.tasks[what] = self.bar.add_task(what, total=whole)
        self.bar.update(self.tasks[what], completed=min(done, whole))


def _announce(_what: str, rounds: float, shoes: float) -> None:
    print(f"this precision takes {rounds:,.0f} rounds and {shoes:,.0f} exact values", file=sys.stderr, flush=True)


def _wanted(options: Namespace) -> Wanted:
    unit = number("unit", options.unit, 1e-6, 1e9)
    tiny = 1e-9
    bankroll = 1000 * unit if options.bankroll is None else number("bankroll", options.bankroll, tiny, 1e15)
    risk = None if options.risk is None else number("risk", options.risk, tiny, 100 - tiny) / 100
    return Wanted(
        spread=Spread.of(options.spread),
        bankroll=bankroll / unit,
        unit=unit,
        hour=number("rounds-per-hour", options.rounds_per_hour, 1, 100_000),
        kelly=number("kelly", options.kelly, 0.01, 1.99),
        risk=risk,
        trip=None if options.trip is None else number("trip", options.trip, 1, 1e12),
        goal=None if options.goal is None else number("goal", options.goal, tiny, 1e15) / unit,
    )


def as_record(table: CountTable, found: Bets, wanted: Wanted) -> dict[str, Any]:
    """Return everything that `bj count` tells, by name."""
    win, sd = found.win, found.sd
    record = table.as_json(found) | {
        "spread": list(wanted.spread),
        "unit": wanted.unit,
        "win_per_hour": win * wanted.hour * wanted.unit,
        "kelly": wanted.kelly,
    }
    if wanted.risk is not None:
        needed = money.bankroll_for(win, sd, wanted.risk)
        record["bankroll_for_risk"] = needed if isfinite(needed) else None
    if wanted.trip is not None:
        record["trip_ruin"] = money.trip_ruin(win, sd, found.bankroll, wanted.trip)
        record["trip_win"], record["trip_sd"] = win * wanted.trip, sd * wanted.trip**0.5
    if wanted.goal is not None:
        record["ruin_before_goal"] = money.ruin_before_goal(win, sd, found.bankroll, wanted.goal)
    return record


def _as_csv(rows: Sequence[dict[str, Any]]) -> str:
    out = StringIO()
    writer = csv.DictWriter(out, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue()


def _show(table: CountTable, found: Bets, record: dict[str, Any]) -> None:
    console = Console(width=min(Console().width, WIDTH))
    console.print(_count_rows(table, found))
    console.print(_figures(record))


def _count_rows(table: CountTable, found: Bets) -> Table:
    player = table.player.count.system.name
    rows = Table(title=escape(f"{house_text(table.rules)}: {player}, {table.rounds:,} rounds"))
    for heading in ("count", "share %", "edge %", "± 95 %", "variance", "bet"):
        rows.add_column(heading, justify="right")
    first, last = table.rows[0].count, table.rows[-1].count
    for row, bet in zip(table.rows, found.bets, strict=True):
        name = f"≤ {first}" if row.count == first else f"≥ {last}" if row.count == last else str(row.count)
        cells = (f"{100 * row.share:.2f}", f"{100 * row.edge:+.3f}", f"{196 * row.edge_stderr:.3f}")
        rows.add_row(name, *cells, f"{row.variance:.3f}", f"{bet:.2f}")
    return rows


def _figures(record: dict[str, Any]) -> Table:
    """Return what the bets win and risk; in smallest bets."""
    figures = Table(title="per round seen, in smallest bets", show_header=False)
    figures.add_column()
    figures.add_column(justify="right")
    for name, key, form in _FIGURES:
        if record.get(key) is not None:
            value = form.format(record[key])
            if f"{key}_stderr" in record:
                value += f" ± {1.96 * record[f'{key}_stderr']:.2g}"
            figures.add_row(name, value)
    return figures


_FIGURES = (
    ("SCORE ± 95 %", "score", "{:.2f}"),
    ("win per 100 rounds ± 95 %", "win_per_100", "{:.3f}"),
    ("win per hour, in money", "win_per_hour", "{:,.2f}"),
    ("standard deviation of a round", "sd", "{:.3f}"),
    ("mean bet", "mean_bet", "{:.3f}"),
    ("edge on money bet", "edge", "{:.3%}"),
    ("desirability index (DI)", "di", "{:.2f}"),
    ("N0, rounds", "n0", "{:,.0f}"),
    ("bankroll", "bankroll", "{:,.0f}"),
    ("risk of ruin, forever", "risk_of_ruin", "{:.2%}"),
    ("risk of ruin, in the trip", "trip_ruin", "{:.2%}"),
    ("ruin before the goal", "ruin_before_goal", "{:.2%}"),
    ("bankroll for the risk", "bankroll_for_risk", "{:,.0f}"),
    ("bankroll of Kelly bets", "kelly_bankroll", "{:,.0f}"),
    ("certainty equivalent of a round", "certainty_equivalent", "{:.4f}"),
    ("log growth of a round", "log_growth", "{:.2e}"),
    ("variance ratio of exact values", "variance_ratio", "{:.0f}"),
)
"""What is shown, in order: name, key and form."""
