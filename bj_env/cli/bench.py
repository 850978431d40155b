"""What `bj bench` prints: a table of at most 80 columns for people, JSON for machines, a picture for both."""

import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import sqrt
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.progress import Progress
from rich.table import Table

from bj_env.analysis.benchmark import Setting, compared, exactly, sensible_rounds
from bj_env.analysis.pictures import bench_picture, check_picture
from bj_env.analysis.scores import BANKROLL, Z95, Score, blocks_needed, times_needed
from bj_env.cli.values import percents, ramp_from, whole_number
from bj_env.env.settings import AGENT
from bj_env.errors import BlackjackError
from bj_env.game.decision import Decision
from bj_env.game.notation import RANKS, house_text
from bj_env.game.rng import SEEDS, TABLES
from bj_env.rules.houses import parse_rules, text
from bj_env.strategies.counting import CountingDecision
from bj_env.strategies.registry import HI_LO, strategy

WIDTH = 80
MOST_THREADS = 1024
MOST_ROUNDS = 10**15
"""What can be played at most is less; `bj_env.analysis.benchmark` says how much."""


def bench_command(
    rules: str,
    policies: Sequence[str],
    *,
    bar: Progress,
    seats: str = AGENT,
    ramp: str | None = None,
    rounds: str | None = None,
    half_width: str | None = None,
    seed: str = "1",
    threads: str | None = None,
    ray: str | None = None,
    as_json: bool = False,
    png: Path | None = None,
) -> None:
    """Play strategies on the same shoes, and print, and draw, how they did.

    Args:
        rules: a house, a rule text or a file.
        policies: names of strategies, or policy folders.
        bar: shown meanwhile.
        seats: who sits where, with commas.
        ramp: the bets of the strategies that count, as `ramp_from` reads them.
        rounds: how many; None is as many as some seconds allow, or as it takes to the half-width.
        half_width: in percent of a bet; None is any.
        seed: of the shoes.
        threads: threads or processes; None is one a core.
        ray: the address of a Ray cluster, or ``"auto"``; see `bj_env.analysis.benchmark.compare`.
        as_json: whether to print JSON.
        png: the picture to write, if any.

    Raises:
        BlackjackError: if something is not valid, or a value is contradicted.
        KeyboardInterrupt: if there was one, after printing what was done till then.
    """
    if png:
        check_picture(png)
    width = 0.0 if half_width is None else percents("half-width", half_width)
    workers = os.cpu_count() or 1 if threads is None else whole_number("threads", threads, 1, MOST_THREADS)
    named = _named(policies, ramp)
    game = Setting(parse_rules(rules), tuple(seats.split(",")), 0, whole_number("seed", seed, 0, SEEDS - 1))
    setting = _setting(game, named, rounds, width)
    scores: list[Score] = []
    try:
        for scores in _watched(named, setting, width, workers, ray, bar):  # noqa: B007 (the last ones count)
            pass
    finally:
        if scores:
            scores = exactly(scores, named, setting)
            _show(scores, setting, width, as_json)
    if png:
        bench_picture(png, scores, named, setting.rules)


def _named(policies: Sequence[str], ramp: str | None) -> dict[str, Decision]:
    """Return the strategies by the name to show; a ramp gives those that count their bets."""
    decisions = {name: strategy(name) for name in policies}
    if ramp is None:
        return decisions
    steps = ramp_from(ramp)
    counting = {name: one.with_ramp(steps) for name, one in decisions.items() if isinstance(one, CountingDecision)}
    if not counting:
        raise BlackjackError(f"ramp: expected a strategy that counts, like {HI_LO!r}, got {', '.join(policies)}")
    return {
        f"{name}, ramp {ramp}" if name in counting else name: counting.get(name, decisions[name]) for name in decisions
    }


def _setting(setting: Setting, policies: Mapping[str, Decision], rounds: str | None, half_width: float) -> Setting:
    """Return the setting with as many rounds as are wanted, or else are sensible."""
    if rounds is not None:
        return setting._replace(rounds=whole_number("rounds", rounds, 0, MOST_ROUNDS))
    most = TABLES * setting.rounds_per_block if half_width else sensible_rounds(policies, setting)
    return setting._replace(rounds=most)


def _watched(
    policies: Mapping[str, Decision], setting: Setting, half_width: float, workers: int, ray: str | None, bar: Progress
) -> Iterator[list[Score]]:
    """Pass on scores, and show how many rounds of all that it will take have been played."""
    each, count = setting.rounds_per_block, len({"basic", *policies})
    with bar:
        task = bar.add_task("rounds", total=None if half_width else setting.blocks * each * count)
        played = compared(
            policies,
            setting,
            half_width=half_width,
            workers=workers,
            cluster=ray,
            progress=lambda done: bar.advance(task, done),
        )
        for scores in played:
            if half_width:
                _check_reach(scores, setting, half_width)
                needed = blocks_needed(scores, half_width, scores[0].rounds // each)
                bar.update(task, total=min(setting.blocks, needed) * each * count)
            yield scores


def _check_reach(scores: Sequence[Score], setting: Setting, half_width: float) -> None:
    """Refuse what takes more rounds than a seed has shoes for, unless fewer were asked for: they all would be in vain.

    Raises:
        BlackjackError: if it does, saying how many it takes, and how near all of them come.
    """
    most = TABLES * setting.rounds_per_block
    needed = scores[0].rounds * times_needed(scores, half_width)
    if setting.rounds == most < needed:
        reached = f"{100 * half_width * sqrt(needed / most):.2g}"
        raise BlackjackError(
            f"half-width: ± {100 * half_width:g} takes about {needed:.1e} rounds, and a seed has shoes for {most:.1e}, "
            f"which come to ± {reached}; take a wider one, or give --rounds"
        )


def _show(scores: Sequence[Score], setting: Setting, half_width: float, as_json: bool) -> None:
    if as_json:
        print(json.dumps(scores_json(scores, setting, half_width)))
        return
    console = Console(width=min(Console().width, WIDTH))
    console.print(score_table(scores, setting), *map(escape, _notes(scores, half_width)), sep="\n")


def scores_json(scores: Sequence[Score], setting: Setting, half_width: float = 0.0) -> dict[str, Any]:
    """Return scores, and what was played, as names and values that JSON can hold."""
    about = {
        "rules": text(setting.rules),
        "seats": [str(seat) for seat in setting.seats],
        "seed": setting.seed,
        "half_width": half_width or None,
    }
    return {"setting": about, "scores": [score.as_json() for score in scores]}


def score_table(scores: Sequence[Score], setting: Setting) -> Table:
    """Lay scores out as a table of 80 columns, in percent of a bet."""
    seats = ",".join(map(str, setting.seats))
    title = f"{house_text(setting.rules)}, seats {seats}, {scores[0].rounds:,} rounds each, seed {setting.seed}"
    table = Table(title=escape(title), caption=_CAPTION)
    table.add_column("strategy", overflow="fold")
    for heading in ("EV", "to basic", "agrees", "exact EV", "regret"):
        table.add_column(heading, justify="right", no_wrap=True)
    for score in scores:
        difference = _percent(score.difference, score.difference_stderr) if score.difference_stderr else "-"
        exact = [f"{100 * value:.3f}" if value is not None else "-" for value in (score.exact_ev, score.regret)]
        ev = _percent(score.ev, score.stderr)
        table.add_row(escape(score.label), ev, difference, f"{score.agreement:.1%}", *exact)
    return table


_CAPTION = (
    "net of a round in % of the smallest bet; ± 95 % intervals, on the same shoes\n"
    "agrees: share of decisions that are the best total-dependent ones\n"
    "exact EV: from a fresh shoe; regret: loss against the best total-dependent play"
)


def _notes(scores: Sequence[Score], half_width: float) -> Iterator[str]:
    """Say what there is to say below the table."""
    widest = Z95 * max(max(score.stderr, score.difference_stderr) for score in scores)
    if half_width and widest > half_width:
        yield f"the rounds ended before all intervals were down to ± {100 * half_width:g}"
    yield from mistake_lines(scores)
    yield from bankroll_lines(scores)


def mistake_lines(scores: Iterable[Score]) -> list[str]:
    """Name the three costliest mistakes of each strategy that makes any worth a thousandth of a percent."""
    lines = []
    for score in scores:
        costly = [mistake for mistake in score.costliest[:3] if mistake.cost >= 1e-5 and mistake.played != mistake.best]
        said = [
            f"{mistake.hand} v {RANKS[mistake.upcard - 1]} {mistake.played}, best {mistake.best}, {mistake.cost:.3%}"
            for mistake in costly
        ]
        lines += (
            [f"Costliest mistakes of {score.name} (against the best play with all cards): {'; '.join(said)}"]
            if said
            else []
        )
    return lines


def bankroll_lines(scores: Iterable[Score]) -> list[str]:
    """Say what bankroll each strategy takes that wins.

    >>> bankroll_lines([Score("hi-lo", "rule", 10**8, 0.02, 0.0003, 0.0, 0.0, 1.0)])
    ['hi-lo wins: standard deviation 3.00 bets a round, N0 22,500 rounds, SCORE $44.44, risk to lose 1,000 bets 1.2 %']
    """
    return [
        f"{score.name} wins: standard deviation {score.sd:.2f} bets a round, N0 {score.bankroll.n0:,.0f} rounds, "
        f"SCORE ${score.bankroll.score:.2f}, risk to lose {BANKROLL:,} bets {100 * score.bankroll.risk_of_ruin:.1f} %"
        for score in scores
        if score.bankroll
    ]


def _percent(mean: float, stderr: float) -> str:
    half = 100 * Z95 * stderr
    digits = 2 if half >= 0.1 else 3  # two of the interval's own
    return f"{100 * mean:+.{digits}f} ± {half:.{digits}f}"
