"""The benchmark: policies against each other on the same shoes, with intervals; every figure is per round.

Rounds are played in blocks: block ``b`` is table ``b`` of the seed, the same for every policy, so that differences are
paired. Blocks are independent, which is what the intervals rest on; within a block a shoe may last over many rounds.

Who plays them changes nothing but the time: decisions that a table can hold are compiled; a learned policy that looks
at more is asked for many tables at once, a network's scores being the same but for rounding; whatever else there is, is
asked one by one, on several processes.
"""

import multiprocessing
import os
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from copy import copy
from functools import partial
from math import inf
from typing import NamedTuple

import numpy as np

from bj_env.analysis.scores import Nets, Score, Tally, blocks_needed, check_limit, with_exact_value
from bj_env.env.settings import AGENT
from bj_env.errors import BlackjackError, RulesError, real_number, shortened
from bj_env.game.decision import Decision
from bj_env.game.participants import Player
from bj_env.game.rng import TABLES
from bj_env.game.table import Table
from bj_env.game.view import View
from bj_env.rules.terms import TICKS, Action, Rules, checked_number
from bj_env.strategies.basic import ChartDecision
from bj_env.strategies.registry import strategy

COMPILED, BATCHED, READABLE = ENGINES = ("compiled", "batched", "readable")
"""Who can play: see `engine_of`."""

ROUNDS = {COMPILED: 2_000_000, BATCHED: 200_000, READABLE: 20_000}
"""How many rounds take some seconds."""

BENCH_SEEDS = 1 << 32
"""Seeds of benchmarks are 0 .. ``BENCH_SEEDS - 1``; the shoes of those above are for training alone."""

FIRST_ROUNDS = 10_000
"""After so many rounds it is known well enough how many it takes to an interval that is asked for."""


class Setting(NamedTuple):
    """What is played.

    Attributes:
        rules: the house's.
        seats: who sits where, as names or decisions; ``"agent"`` for the seats of the policy that is measured.
        rounds: how many rounds each policy plays.
        seed: of all tables.
    """

    rules: Rules
    seats: tuple[Decision | str, ...]
    rounds: int
    seed: int

    @property
    def rounds_per_block(self) -> int:
        """One where every round has a fresh shoe, else enough to go through some shoes."""
        return 1 if self.rules.penetration == 0 else 100

    @property
    def blocks(self) -> int:
        """How many blocks there are, the last one whole too."""
        return -(-self.rounds // self.rounds_per_block)

    @property
    def unit(self) -> int:
        """The smallest bets of the agent's seats in a round, in ticks."""
        return self.rules.min_bet * TICKS * sum(seat == AGENT for seat in self.seats)


class _Watched(Decision):
    """Plays one decision and counts how often another would have done the same."""

    def __init__(self, inner: Decision, judge: Decision) -> None:
        self.inner = inner
        self.judge = judge
        self.asked = self.same = 0

    def bet(self, view: View) -> int:
        return self.inner.bet(view)

    def insure(self, view: View) -> bool:
        insured = self.inner.insure(view)
        self._count(insured == self.judge.insure(_aside(view)))
        return insured

    def play(self, view: View) -> Action:
        action = self.inner.play(view)
        self._count(action == self.judge.play(_aside(view)))
        return action

    def _count(self, same: bool) -> None:
        self.asked += 1
        self.same += same


def _aside(view: View) -> View:
    """Let another look at a view without using up the seat's random numbers."""
    return view._replace(rng=copy(view.rng))


def engine_of(decision: Decision, setting: Setting) -> str:
    """Tell who plays a policy.

    Returns:
        ``"compiled"`` if tables can hold it and all other seats; ``"batched"`` if only the policy is none for a table,
        but a learned one that is not sampled; else ``"readable"``.

    >>> from bj_env.strategies.simple import RandomLegal
    >>> engine_of(RandomLegal(), Setting(Rules(), ("agent",), rounds=100, seed=0))
    'compiled'
    """
    from bj_env.compiled.batched import can_be_batched  # only here: they need numba
    from bj_env.compiled.tabulation import can_be_tabulated

    others = [strategy(seat) for seat in setting.seats if seat != AGENT]
    if not can_be_tabulated(setting.rules, others):
        return READABLE
    if can_be_tabulated(setting.rules, [decision]):
        return COMPILED
    return BATCHED if can_be_batched(setting.rules, setting.seats, decision) else READABLE


def sensible_rounds(policies: Mapping[str, Decision | str], setting: Setting, baseline: str = "basic") -> int:
    """Return how many rounds `compare` plays in some seconds, for each policy.

    >>> sensible_rounds({"mimic": "mimic"}, Setting(Rules(), ("agent",), rounds=0, seed=0))
    2000000
    """
    return min(ROUNDS[engine_of(decision, setting)] for decision in _decisions(policies, baseline).values())


def compare(
    policies: Mapping[str, Decision | str],
    setting: Setting,
    *,
    baseline: str = "basic",
    half_width: float = 0.0,
    workers: int = 1,
    cluster: str | None = None,
    progress: Callable[[int], None] | None = None,
) -> list[Score]:
    """Play every policy on the same shoes, score it against a baseline, and add exact values where there are any.

    Args:
        policies: by the name to show; names of decisions, decisions, or folders of saved policies.
        setting: what is played.
        baseline: the name of the policy that differences refer to; added if it is not there.
        half_width: stop as soon as no 95 % interval, of a mean or of a difference, is wider than this to either side,
            in bets; ``setting.rounds`` is then the most that are played. All play equally many rounds.
        workers: threads, or processes, to share the work; the result does not depend on it.
        cluster: the address of a Ray cluster to play on instead, see `bj_env.compiled.cluster`, or ``"auto"``.
        progress: called with the number of rounds just played.

    Raises:
        BlackjackError: if the setting has no seat for the policies, a name is unknown, or play contradicts a value.

    >>> from bj_env.rules.houses import parse_rules
    >>> setting = Setting(parse_rules("six-deck"), ("agent",), rounds=200, seed=1)
    >>> [score.name for score in compare({"mimic": "mimic"}, setting)]
    ['basic', 'mimic']
    """
    played = compared(
        policies,
        setting,
        baseline=baseline,
        half_width=half_width,
        workers=workers,
        cluster=cluster,
        progress=progress,
    )
    scores = deque(played, maxlen=1)[0]
    return exactly(scores, policies, setting, baseline=baseline)


def exactly(
    scores: Sequence[Score], policies: Mapping[str, Decision | str], setting: Setting, *, baseline: str = "basic"
) -> list[Score]:
    """Add to scores the exact values of their policies.

    Raises:
        BlackjackError: if play contradicts a value.
    """
    decisions = _decisions(policies, baseline)
    for score in scores:
        check_limit(score, decisions[score.name], setting.rules, len(setting.seats))
    return [with_exact_value(score, decisions[score.name], setting.rules) for score in scores]


def compared(
    policies: Mapping[str, Decision | str],
    setting: Setting,
    *,
    baseline: str = "basic",
    half_width: float = 0.0,
    workers: int = 1,
    cluster: str | None = None,
    progress: Callable[[int], None] | None = None,
) -> Iterator[list[Score]]:
    """Yield what `compare` has found so far, every few seconds, without exact values."""
    check_setting(setting)
    checked_number("workers", workers, 1, 1024)
    if not 0 <= real_number(half_width) < inf:
        raise BlackjackError(f"half-width: expected a number of bets from 0 on, got {shortened(half_width)}")
    batch = max(1, sensible_rounds(policies, setting, baseline) // setting.rounds_per_block)
    decisions, judge = _decisions(policies, baseline), _judge(setting.rules)
    tallies = {name: Tally() for name in decisions}
    done, planned = 0, setting.blocks
    if half_width:
        planned = min(planned, max(2, FIRST_ROUNDS // setting.rounds_per_block))
    with _mapping(workers) as run:
        while done < planned:
            blocks = range(done, min(planned, done + batch))
            reference: Nets | None = None
            for name, decision in decisions.items():  # the baseline first
                if cluster is None:
                    parts = play_blocks(decision, judge, setting, blocks, workers, run)
                else:
                    parts = _on_cluster(decision, judge, setting, blocks, cluster)
                nets, tallies[name] = _gather(parts, setting, tallies[name], progress)
                reference = nets if reference is None else reference
                tallies[name] = tallies[name].plus(nets, reference, setting.rounds_per_block)
            done = blocks.stop
            scores = [tallies[name].score(name, decision.mode, setting.unit) for name, decision in decisions.items()]
            yield scores
            if half_width and done == planned:
                planned = min(setting.blocks, blocks_needed(scores, half_width, done))


def check_setting(setting: Setting) -> None:
    """Refuse what cannot be played.

    Raises:
        BlackjackError: if there is no seat for the policies, the seed may be one of a training, or the rounds are too
            few or too many.
    """
    if AGENT not in setting.seats:
        raise BlackjackError(f"seats: expected at least one 'agent', got {setting.seats!r}")
    checked_number("seed", setting.seed, 0, BENCH_SEEDS - 1)
    if setting.blocks < 2:
        raise BlackjackError(f"rounds: expected at least {setting.rounds_per_block + 1}, got {setting.rounds!r}")
    if setting.blocks > TABLES:
        raise BlackjackError(f"rounds: expected at most {TABLES * setting.rounds_per_block}, got {setting.rounds!r}")


def _decisions(policies: Mapping[str, Decision | str], baseline: str) -> dict[str, Decision]:
    """Return all decisions by name, the baseline first."""
    entries = {baseline: policies.get(baseline, baseline), **policies}
    return {name: strategy(source) for name, source in entries.items()}


def _judge(rules: Rules) -> Decision:
    """Return the best play by total, pair and up card; basic strategy where the solver cannot tell."""
    from bj_env.analysis.policy_value import best_total_dependent  # only here: it needs numba

    try:
        return ChartDecision(best_total_dependent(rules).chart)
    except RulesError:
        return ChartDecision()


Chunk = tuple[Nets, int, int]
"""Of some blocks: the net of each in ticks, how often the policy was asked, how often the judge did the same."""

Run = Callable[[Callable[[range], Chunk], Sequence[range]], Iterator[Chunk]]


def worker_pool(workers: int) -> ProcessPoolExecutor:
    """Return a pool of spawned processes that end when this one does, however it ends."""
    spawn = multiprocessing.get_context("spawn")
    return ProcessPoolExecutor(workers, mp_context=spawn, initializer=_end_with, initargs=(os.getpid(),))


def _end_with(parent: int) -> None:
    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(1)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


@contextmanager
def _mapping(workers: int) -> Iterator[Run]:
    """Provide a ``map`` over worker processes, or the plain one for a single worker."""
    if workers == 1:
        yield map
        return
    executor = worker_pool(workers)
    try:
        yield executor.map
    finally:
        executor.shutdown(cancel_futures=True)


def play_blocks(
    decision: Decision, judge: Decision, setting: Setting, blocks: range, workers: int, run: Run
) -> Iterator[Chunk]:
    """Play some blocks, and yield what they bring, chunk by chunk.

    Args:
        decision: who plays.
        judge: who is asked what he would have done.
        setting: what is played.
        blocks: which.
        workers: threads, of the engines that take them.
        run: a ``map`` over processes, for the others.
    """
    engine = engine_of(decision, setting)
    if engine == READABLE:
        size = max(1, min(2000, -(-len(blocks) // 8)))
        chunks = [blocks[start : start + size] for start in range(0, len(blocks), size)]
        return run(partial(_play_chunk, decision, judge, setting), chunks)
    from bj_env.compiled import agreement, batched  # only here: they need numba

    watched = agreement.watched if engine == COMPILED else batched.watched
    return watched(
        setting.rules,
        setting.seats,
        decision,
        judge,
        len(blocks) * setting.rounds_per_block,
        seed=setting.seed,
        threads=workers,
        block=setting.rounds_per_block,
        first=blocks.start,
    )


def _on_cluster(decision: Decision, judge: Decision, setting: Setting, blocks: range, cluster: str) -> Iterator[Chunk]:
    """Play some blocks on a Ray cluster, in chunks that `play_blocks` would play too."""
    from bj_env.compiled.batched import TABLES_OF_A_CHUNK  # only here: they need numba, or ray
    from bj_env.compiled.cluster import on_cluster

    rounds = {COMPILED: 50_000, READABLE: 1000}.get(engine_of(decision, setting))
    size = TABLES_OF_A_CHUNK if rounds is None else max(1, rounds // setting.rounds_per_block)
    chunks = (blocks[start : start + size] for start in range(0, len(blocks), size))
    return on_cluster(partial(_play_alone, decision, judge, setting), chunks, address=cluster)


def _play_alone(decision: Decision, judge: Decision, setting: Setting, blocks: range) -> Chunk:
    nets, tally = _gather(play_blocks(decision, judge, setting, blocks, 1, map), setting, Tally(), None)
    return nets, tally.asked, tally.same


def _gather(
    parts: Iterator[Chunk], setting: Setting, tally: Tally, progress: Callable[[int], None] | None
) -> tuple[Nets, Tally]:
    """Return the net of each block, and the tally with its answers and the time that they took."""
    nets, start = [], time.perf_counter()
    for net, asked, same in parts:
        nets.append(net)
        tally = tally._replace(asked=tally.asked + asked, same=tally.same + same)
        if progress:
            progress(len(net) * setting.rounds_per_block)
    return np.concatenate(nets), tally._replace(seconds=tally.seconds + time.perf_counter() - start)


def _play_chunk(decision: Decision, judge: Decision, setting: Setting, blocks: range) -> Chunk:
    watched = _Watched(decision, judge)
    seats = [watched if seat == AGENT else strategy(seat) for seat in setting.seats]
    mine = [number for number, seat in enumerate(setting.seats) if seat == AGENT]
    nets = np.zeros(len(blocks), np.int64)
    for place, block in enumerate(blocks):
        table = Table(
            setting.rules,
            [Player(f"P{number + 1}", seat) for number, seat in enumerate(seats)],
            seed=setting.seed,
            number=block,
        )
        for _ in range(setting.rounds_per_block):
            round = table.play_round()
            nets[place] += sum(round.seats[number].net for number in mine)
    return nets, watched.asked, watched.same
