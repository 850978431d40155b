"""What `bj simulate` prints: a table of at most 80 columns for people, JSON for machines."""

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from decimal import Decimal, InvalidOperation
from itertools import pairwise
from math import inf, isfinite
from statistics import NormalDist
from time import perf_counter
from typing import Any, NamedTuple

from rich.console import Console
from rich.markup import escape
from rich.progress import Progress
from rich.table import Table

from bj_env.compiled.simulate import added_up, simulation_job
from bj_env.compiled.sums import Sums
from bj_env.errors import BlackjackError
from bj_env.game.decision import Decision
from bj_env.game.notation import house_text
from bj_env.game.rng import SEEDS
from bj_env.rules.houses import parse_rules, text
from bj_env.rules.terms import TICKS, Rules
from bj_env.strategies.counting import CountingDecision
from bj_env.strategies.registry import HI_LO, strategy

WIDTH = 80
MOST_ROUNDS = 10**15
"""What the engine can play at most, with blocks of many rounds, is less."""

MOST_SEATS = 100

PATIENCE = 2.0
"""For what takes longer than so many seconds a progress bar is shown."""

Z95 = NormalDist().inv_cdf(0.975)
"""Standard errors on either side of a 95 % interval."""


class _Job(NamedTuple):
    """What is to be played.

    Attributes:
        rules: the house's.
        names: of the strategies, as they are shown.
        lineups: who sits where, for each.
        rounds, seed: how many for each, from which shoes.
    """

    rules: Rules
    names: list[str]
    lineups: list[list[Decision]]
    rounds: int
    seed: int


def simulate_command(
    rules: Rules | str,
    strategies: Sequence[str],
    *,
    bar: Progress,
    ramp: str | None = None,
    seats: str = "1",
    rounds: str = "1e7",
    seed: str = "1",
    threads: str | None = None,
    stderr: str | None = None,
    as_json: bool = False,
) -> None:
    """Play whole rounds with one strategy, or with two on the same shoes, and print how they did.

    Args:
        rules, strategies: what is played; one or two names or policy folders.
        bar: shown while this takes long.
        ramp: the bets of hi-lo, as `ramp_from` reads them.
        seats: at how many seats a strategy sits.
        rounds, seed, threads, stderr: as for `bj_env.compiled.simulate.simulate`, as they are written.
        as_json: whether to print JSON.

    Raises:
        BlackjackError: if something is not valid.
        KeyboardInterrupt: if there was one, after printing what was done till then.
    """
    if not 1 <= len(strategies) <= 2:
        raise BlackjackError(f"strategy: expected one or two, got {len(strategies)}")
    named = list(_strategies(strategies, ramp))
    places = whole_number("seats", seats, 1, MOST_SEATS)
    job = _Job(
        rules=parse_rules(rules),
        names=[name for name, _ in named],
        lineups=[[decision] * places for _, decision in named],
        rounds=whole_number("rounds", rounds, 1, MOST_ROUNDS),
        seed=whole_number("seed", seed, 0, SEEDS - 1),
    )
    workers = None if threads is None else whole_number("threads", threads, 1, 1024)
    enough = 0.0 if stderr is None else _stderr(stderr)
    played, chunks = simulation_job(job.rules, job.lineups, job.rounds, seed=job.seed)
    done = added_up(played, chunks, threads=workers, stderr=enough)
    _play(job, done, bar, as_json)


def _play(job: _Job, done: Iterable[list[Sums]], bar: Progress, as_json: bool) -> None:
    """Play, and print what was done, however it ends."""
    sums: list[Sums] = []
    start = perf_counter()
    try:
        for sums in _watched(done, job, bar):  # noqa: B007 (the last ones count)
            pass
    finally:
        if bar.live.is_started:
            bar.stop()
        if sums:
            _show(job, _found(job, sums, perf_counter() - start), as_json)


def _watched(done: Iterable[list[Sums]], job: _Job, bar: Progress) -> Iterator[list[Sums]]:
    """Pass on sums, and show how far they are if that takes long."""
    start = perf_counter()
    task = bar.add_task("rounds", total=job.rounds)
    for sums in done:
        bar.update(task, completed=min(sums[0].rounds, job.rounds))
        if perf_counter() - start > PATIENCE and not bar.live.is_started:
            bar.start()
        yield sums


def _found(job: _Job, sums: list[Sums], seconds: float) -> list[dict[str, Any]]:
    """Return what is printed for each strategy, as names and values that JSON can hold."""
    unit = job.rules.min_bet * TICKS * len(job.lineups[0])
    found: list[dict[str, Any]] = [
        {
            "rules": text(job.rules),
            "strategy": name,
            "rounds": own.rounds,
            "ev": own.mean(unit),
            "stderr": _finite(own.stderr(unit)),
            "sd": own.sd(unit),
            "rounds_per_second": own.rounds * len(job.names) / seconds,
            "seed": job.seed,
        }
        for name, own in zip(job.names, sums, strict=False)
    ]
    if len(found) == 2:
        found[1]["difference"] = sums[2].mean(unit)
        found[1]["difference_stderr"] = _finite(sums[2].stderr(unit))
    return found


def _finite(value: float) -> float | None:
    return value if isfinite(value) else None


def _show(job: _Job, found: list[dict[str, Any]], as_json: bool) -> None:
    if as_json:
        print(json.dumps(found if len(found) > 1 else found[0]))
    else:
        Console(width=min(Console().width, WIDTH)).print(_table(job, found))


def _table(job: _Job, found: list[dict[str, Any]]) -> Table:
    paired = len(found) > 1
    seats = f", {len(job.lineups[0])} seats" if len(job.lineups[0]) > 1 else ""
    rounds = f"{found[0]['rounds']:,} rounds" + (" each" if paired else "")
    caption = "EV and sd in % of the smallest bet" + (", on the same shoes" if paired else "")
    table = Table(title=escape(f"{house_text(job.rules)}{seats}, {rounds}, seed {job.seed}"), caption=caption)
    table.add_column("strategy", overflow="fold")
    for heading in ("EV ± 95 %", *(["to the first"] if paired else []), "sd", "rounds/s"):
        table.add_column(heading, justify="right")
    for row in found:
        cells = [_percent(row["ev"], row["stderr"])]
        if paired:
            cells += [_percent(row["difference"], row["difference_stderr"]) if "difference" in row else "-"]
        table.add_row(escape(row["strategy"]), *cells, f"{100 * row['sd']:.1f}", f"{row['rounds_per_second']:,.0f}")
    return table


def _percent(mean: float, stderr: float | None) -> str:
    return f"{100 * mean:+.3f} ± " + ("?" if stderr is None else f"{100 * Z95 * stderr:.3f}")


def _strategies(names: Sequence[str], ramp: str | None) -> Iterator[tuple[str, Decision]]:
    """Yield what each strategy is called, and what it decides."""
    if ramp is not None and HI_LO not in names:
        raise BlackjackError(f"ramp: expected the strategy {HI_LO!r} to go with it, got {', '.join(names)}")
    for name in names:
        if ramp is not None and name == HI_LO:
            yield f"{name}, ramp {ramp}", CountingDecision(ramp=ramp_from(ramp))
        else:
            yield name, strategy(name)


def ramp_from(written: str) -> tuple[tuple[int, int], ...]:
    """Read a ramp of bets: true counts, and the multiple of the smallest bet from there on.

    Raises:
        BlackjackError: if it does not read, or does not rise.

    >>> ramp_from("1:2,2:4,3:8")
    ((1, 2), (2, 4), (3, 8))
    """
    steps = [re.fullmatch(r"\s*(-?[0-9]{1,3}):([0-9]{1,6})\s*", step) for step in written.split(",")]
    ramp = tuple((int(step[1]), int(step[2])) for step in steps if step)
    rising = all(one[0] < two[0] and one[1] <= two[1] for one, two in pairwise(ramp))
    if len(ramp) < len(steps) or not rising:
        raise BlackjackError(f"ramp: expected rising counts and bets, like 1:2,2:4,3:8, got {written!r}")
    return ramp


def whole_number(name: str, written: str, least: int, most: int) -> int:
    """Read a whole number, which may be written like 1e7 or 10_000_000.

    Raises:
        BlackjackError: if it is not one, or out of bounds.

    >>> whole_number("rounds", "1e7", 1, 10**15), whole_number("rounds", "10_000_000", 1, 10**15)
    (10000000, 10000000)
    """
    try:
        value = Decimal(written)
    except InvalidOperation:
        value = Decimal("nan")
    small = value.is_finite() and -20 < value.adjusted() < 21  # else it would take long to write it out
    number = int(value) if small else -1
    if not small or number != value or not least <= number <= most:
        raise BlackjackError(f"{name}: expected a whole number from {least} to {most}, got {written!r}")
    return number


def _stderr(written: str) -> float:
    try:
        value = float(written)
    except ValueError:
        value = 0.0
    if not 0 < value < inf:
        raise BlackjackError(f"stderr: expected a number of bets above 0, like 1e-4, got {written!r}")
    return value
