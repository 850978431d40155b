"""`bj bench`: a table of at most 80 columns for people, machine-readable output, a picture."""

import json
import os
from collections.abc import Iterable, Iterator, Sequence
from math import sqrt
from pathlib import Path
from time import perf_counter
from typing import Any, NamedTuple

from rich.console import Console
from rich.markup import escape
from rich.progress import Progress
from rich.table import Table

from bj_env.analysis.benchmark import BENCH_SEEDS, Setting, compared, exactly, sensible_rounds
from bj_env.analysis.pictures import bench_picture, check_matplotlib
from bj_env.analysis.scores import BANKROLL, Score, blocks_needed, times_needed
from bj_env.cli.files import check_target, write_file
from bj_env.cli.values import percents, ramp_from, whole_number
from bj_env.errors import BlackjackError
from bj_env.game.decision import Decision
from bj_env.game.notation import RANKS, house_text
from bj_env.game.rng import TABLES
from bj_env.rules.houses import parse_rules, text
from bj_env.statistics import Z95, percent_interval
from bj_env.strategies.counting import CountingDecision
from bj_env.strategies.registry import strategy

WIDTH = 80

MOST_ROUNDS = 10**15
"""What can be played at most is less; `bj_env.analysis.benchmark` says how much."""

PATIENCE = 2.0
"""A progress bar is shown for what takes longer than so many seconds."""


class Options(NamedTuple):
    """The options of `bj bench`, as they are written.

    Attributes:
        rules, seats: what is played.
        rounds: how many; None is as many as some seconds allow, or as it takes to the half-width.
        half_width: in percent of a bet; None is any.
        seed, threads, ray: as for `bj_env.analysis.benchmark.compare`.
        ramp: the bets of the strategies that count, as `ramp_from` reads them.
        png: the picture to write, if any.
        json: whether to print JSON.
    """

    rules: str = "six-deck"
    seats: str = "agent"
    rounds: str | None = None
    half_width: str | None = None
    seed: str = "1"
    threads: str | None = None
    ray: str | None = None
    ramp: str | None = None
    png: Path | None = None
    json: bool = False


class Job(NamedTuple):
    """What `bj bench` plays: the policies by name, the setting, the half-width in bets, threads, a cluster."""

    policies: dict[str, Decision | str]
    setting: Setting
    half_width: float
    threads: int
    ray: str | None

    @classmethod
    def of(cls, names: Sequence[str], options: Options) -> "Job":
        """Read the options.

        Raises:
            BlackjackError: if one is not valid.
        """
        policies = _policies(names, options.ramp)
        seed = whole_number("seed", options.seed, 0, BENCH_SEEDS - 1)
        setting = Setting(parse_rules(options.rules), tuple(options.seats.split(",")), 0, seed)
        half_width = 0.0 if options.half_width is None else percents("half-width", options.half_width)
        if options.rounds is not None:
            rounds = whole_number("rounds", options.rounds, 2, MOST_ROUNDS)
        else:
            rounds = TABLES * setting.rounds_per_block if half_width else sensible_rounds(policies, setting)
        threads = os.cpu_count() or 1 if options.threads is None else whole_number("threads", options.threads, 1, 1024)
        return cls(policies, setting._replace(rounds=rounds), half_width, threads, options.ray)


def bench_command(names: Sequence[str], options: Options, bar: Progress) -> None:
    """Play policies on the same shoes, and print, and draw, how they did.

    Args:
        names: strategies and policy folders.
        options: as they are written.
        bar: shown while this takes long.

    Raises:
        BlackjackError: if something is not valid, or a value is contradicted.
        KeyboardInterrupt: if there was one, after printing what was done till then.
    """
    if options.png:
        check_matplotlib()
        check_target("png", options.png, ".png")
    job = Job.of(names, options)
    scores: list[Score] = []
    try:
        for scores in _watched(job, bar):  # noqa: B007 (the last ones count)
            pass
    finally:
        if scores:
            scores = exactly(scores, job.policies, job.setting)
            _show(scores, job, options.json)
    if options.png:
        write_file(options.png, bench_picture(scores, job.policies, job.setting.rules))


def _policies(names: Sequence[str], ramp: str | None) -> dict[str, Decision | str]:
    """Return the policies by the name to show; those that count bet by the ramp."""
    if ramp is None:
        return {name: name for name in names}
    steps, policies, ramped = ramp_from(ramp), dict[str, Decision | str](), False
    for name in names:
        player = strategy(name)
        if isinstance(player, CountingDecision):
            policies[f"{name}, ramp {ramp}"], ramped = player.with_ramp(steps), True
        else:
            policies[name] = name
    if not ramped:
        raise BlackjackError(f"ramp: expected a strategy that counts to go with it, like hi-lo, got {', '.join(names)}")
    return policies


def _watched(job: Job, bar: Progress) -> Iterator[list[Score]]:
    """Pass on scores, and show how many rounds of all that it will take have been played if that takes long."""
    setting, start = job.setting, perf_counter()
    each, count = setting.rounds_per_block, len({"basic", *job.policies})
    task = bar.add_task("rounds", total=None if job.half_width else setting.blocks * each * count)

    def advance(done: int) -> None:
        bar.advance(task, done)
        if perf_counter() - start > PATIENCE and not bar.live.is_started:
            bar.start()

    try:
        for scores in compared(
            job.policies, setting, half_width=job.half_width, workers=job.threads, cluster=job.ray, progress=advance
        ):
            if job.half_width:
                _check_reach(scores, setting, job.half_width)
                needed = blocks_needed(scores, job.half_width, scores[0].rounds // each)
                bar.update(task, total=min(setting.blocks, needed) * each * count)
            yield scores
    finally:
        if bar.live.is_started:
            bar.stop()


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


def _show(scores: Sequence[Score], job: Job, as_json: bool) -> None:
    if as_json:
        print(json.dumps(scores_json(scores, job.setting, job.half_width)))
        return
    console = Console(width=min(Console().width, WIDTH))
    console.print(score_table(scores, job.setting), *map(escape, _notes(scores, job)), sep="\n")


def scores_json(scores: Sequence[Score], setting: Setting, half_width: float = 0.0) -> dict[str, Any]:
    """Return scores, and what was played, as names and values that JSON can hold; amounts are in bets."""
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
        difference = percent_interval(score.difference, score.difference_stderr) if score.difference_stderr else "-"
        exact = [f"{100 * value:.3f}" if value is not None else "-" for value in (score.exact_ev, score.regret)]
        ev = percent_interval(score.ev, score.stderr)
        table.add_row(escape(score.label), ev, difference, f"{score.agreement:.1%}", *exact)
    return table


_CAPTION = (
    "all in % of the smallest bet a round; ± 95 % intervals, same shoes\n"
    "agrees: share of decisions like the total-dependent optimal strategy's\n"
    "regret: loss against the total-dependent optimal value, fresh shoe"
)


def _notes(scores: Sequence[Score], job: Job) -> Iterator[str]:
    """Yield the lines below the table."""
    widest = Z95 * max(max(score.stderr, score.difference_stderr) for score in scores)
    if job.half_width and widest > job.half_width:
        yield f"the rounds ended before all intervals were down to ± {100 * job.half_width:g}"
    yield from mistake_lines(scores)
    yield from bankroll_lines(scores)
    counters = [name for name, policy in job.policies.items() if isinstance(strategy(policy), CountingDecision)]
    if counters and not job.setting.rules.penetration:
        yield "these rules shuffle before every round: no count lasts. Add a cut card, like --rules '6D PEN75'"
    for score in scores:
        if score.name in counters and job.setting.rules.penetration and not score.bankroll:
            yield f"{score.name}: no N0, SCORE and risk of ruin, since its interval is not above 0"


def mistake_lines(scores: Iterable[Score]) -> list[str]:
    """Name the three costliest mistakes of each strategy that makes any worth a thousandth of a percent.

    >>> from bj_env.analysis.policy_value import CostlyCell
    >>> costly = CostlyCell("hard 16", 10, "HIT", "STAND", often=0.01, cost=3e-5)
    >>> score = Score("own", "rule", 100, 0.0, 0.1, 0.0, 0.0, 1.0, costliest=(costly,))
    >>> print(*mistake_lines([score]))
    Costliest mistakes of own (against the composition-dependent optimal value): hits hard 16 v T, should stand, 0.003 %
    """
    lines = []
    for score in scores:
        costly = [mistake for mistake in score.costliest[:3] if mistake.cost >= 1e-5 and mistake.played != mistake.best]
        phrases = [
            f"{_VERBS[mistake.played]} {mistake.hand} v {RANKS[mistake.upcard - 1]}, should {mistake.best.lower()}, "
            f"{100 * mistake.cost:.3f} %"
            for mistake in costly
        ]
        if phrases:
            against = "against the composition-dependent optimal value"
            lines.append(f"Costliest mistakes of {score.name} ({against}): " + "; ".join(phrases))
    return lines


_VERBS = {
    "STAND": "stands on",
    "HIT": "hits",
    "DOUBLE": "doubles",
    "SPLIT": "splits",
    "SURRENDER": "surrenders",
    "INSURE": "insures",
    "DECLINE": "declines",
}


def bankroll_lines(scores: Iterable[Score]) -> list[str]:
    """Say what bankroll each strategy takes that wins.

    >>> bankroll_lines([Score("hi-lo", "rule", 10**8, 0.02, 0.0003, 0.0, 0.0, 1.0)])
    ['hi-lo wins: standard deviation 3.00 bets, N0 22,500 rounds, SCORE $44.44, risk of ruin with 1,000 bets 1.2%']
    """
    return [
        f"{score.name} wins: standard deviation {score.sd:.2f} bets, N0 {score.bankroll.n0:,.0f} rounds, "
        f"SCORE ${score.bankroll.score:.2f}, risk of ruin with {BANKROLL:,} bets {score.bankroll.risk_of_ruin:.1%}"
        for score in scores
        if score.bankroll
    ]
