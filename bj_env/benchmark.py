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
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from copy import copy
from functools import partial
from statistics import NormalDist
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bj_env.chance import SEEDS
from bj_env.decisions import Decision, View, decision_from
from bj_env.errors import BlackjackError, RulesError
from bj_env.participants import Player
from bj_env.rules import TICKS
from bj_env.settings import AGENT
from bj_env.table import Table
from bj_env.terms import Action, Rules

if TYPE_CHECKING:
    from bj_env.exact import Mistake

COMPILED, BATCHED, READABLE = ENGINES = ("compiled", "batched", "readable")
"""Who can play: see `engine_of`."""

ROUNDS = {COMPILED: 2_000_000, BATCHED: 200_000, READABLE: 20_000}
"""How many rounds take some seconds."""

TELLING_ROUNDS = 1_000
"""From so many rounds on a mean far from the exact value means that something is wrong."""

COSTLIEST = 12
"""How many of the costliest mistakes a score keeps."""

ROUNDING = 1e-9
"""By how much rounding may put a value above the best of its class."""

Z95 = NormalDist().inv_cdf(0.975)
"""Standard errors on either side of a 95 % interval."""


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


class Score(NamedTuple):
    """How one policy did.

    Attributes:
        name: the policy's.
        rounds: how many it played.
        ev: mean net of a round in bets.
        stderr: its standard error.
        difference: mean net less that of the baseline on the same shoes; 0 for the baseline itself.
        difference_stderr: its standard error.
        agreement: share of its decisions, as often as they occur, that are the baseline's.
        exact_ev: the exact value of a round from a fresh shoe; None if it looks at more than its hand and the up card.
        optimum_regret: by how much that is below the best value of all, by composition; None likewise.
        regret: by how much that is below the best value of its class, by total, pair and up card; None likewise.
        costliest: its costliest mistakes; none where the exact value is None.
    """

    name: str
    rounds: int
    ev: float
    stderr: float
    difference: float
    difference_stderr: float
    agreement: float
    exact_ev: float | None = None
    optimum_regret: float | None = None
    regret: float | None = None
    costliest: tuple["Mistake", ...] = ()

    def as_json(self) -> dict[str, Any]:
        """Return the score as names and values that JSON can hold."""
        return self._asdict() | {"costliest": [mistake._asdict() for mistake in self.costliest]}

    def interval(self) -> tuple[float, float]:
        """Return the ends of the 95 % interval of ``ev``."""
        return self.ev - Z95 * self.stderr, self.ev + Z95 * self.stderr


class _Watched(Decision):
    """Plays one decision and counts how often another would have done the same."""

    def __init__(self, inner: Decision, baseline: Decision) -> None:
        self.inner = inner
        self.baseline = baseline
        self.asked = self.same = 0

    def bet(self, view: View) -> int:
        return self.inner.bet(view)

    def insure(self, view: View) -> bool:
        insured = self.inner.insure(view)
        self._count(insured == self.baseline.insure(_aside(view)))
        return insured

    def play(self, view: View) -> Action:
        action = self.inner.play(view)
        self._count(action == self.baseline.play(_aside(view)))
        return action

    def _count(self, same: bool) -> None:
        self.asked += 1
        self.same += same


def _aside(view: View) -> View:
    """Let another look at a view without using up the seat's chance."""
    return view._replace(chance=copy(view.chance))


def engine_of(decision: Decision, baseline: Decision, setting: Setting) -> str:
    """Tell who plays a policy and asks a baseline whether it would do the same.

    Returns:
        ``"compiled"`` if tables can hold both and all other seats; ``"batched"`` if only the policy is none, but a
        learned one that draws no lots; else ``"readable"``.

    >>> from bj_env.decisions import ChartDecision, RandomLegal
    >>> engine_of(RandomLegal(), ChartDecision(), Setting(Rules(), ("agent",), rounds=100, seed=0))
    'compiled'
    """
    from bj_env.fast.batched import can_be_batched  # only here: they need numba
    from bj_env.fast.tabulating import can_be_tabulated

    others = [decision_from(seat) for seat in setting.seats if seat != AGENT]
    if not can_be_tabulated(setting.rules, [baseline, *others]):
        return READABLE
    if can_be_tabulated(setting.rules, [decision]):
        return COMPILED
    return BATCHED if can_be_batched(setting.rules, setting.seats, decision) else READABLE


def sensible_rounds(policies: Mapping[str, Decision | str], setting: Setting, baseline: str = "basic") -> int:
    """Return how many rounds `compare` plays in some seconds, for each policy.

    >>> sensible_rounds({"mimic": "mimic"}, Setting(Rules(), ("agent",), rounds=0, seed=0))
    2000000
    """
    judge = decision_from(policies.get(baseline, baseline))
    decisions = [judge, *map(decision_from, policies.values())]
    return min(ROUNDS[engine_of(decision, judge, setting)] for decision in decisions)


def compare(
    policies: Mapping[str, Decision | str],
    setting: Setting,
    *,
    baseline: str = "basic",
    workers: int = 1,
    progress: Callable[[int], None] | None = None,
) -> list[Score]:
    """Play every policy on the same shoes and score it against a baseline.

    Args:
        policies: by the name to show; names of decisions, decisions, or folders of saved policies.
        setting: what is played.
        baseline: the name of the policy that differences and agreement refer to; added if it is not there.
        workers: threads, or processes, to share the work; the result does not depend on it.
        progress: called with the number of rounds just played.

    Raises:
        BlackjackError: if the setting has no seat for the policies, or a name is unknown.

    >>> from bj_env.houses import rules_from
    >>> setting = Setting(rules_from("six-deck"), ("agent",), rounds=200, seed=1)
    >>> [score.name for score in compare({"mimic": "mimic"}, setting)]
    ['basic', 'mimic']
    """
    if AGENT not in setting.seats:
        raise BlackjackError(f"seats: expected at least one 'agent', got {setting.seats!r}")
    if isinstance(setting.seed, bool) or not isinstance(setting.seed, int) or not 0 <= setting.seed < SEEDS:
        raise BlackjackError(f"seed: expected a whole number from 0 to 2**64 - 1, got {setting.seed!r}")
    if setting.blocks < 2:
        raise BlackjackError(f"rounds: expected at least {setting.rounds_per_block + 1}, got {setting.rounds!r}")
    entries = {baseline: policies.get(baseline, baseline), **policies}
    decisions = {name: decision_from(source) for name, source in entries.items()}
    nets, agreements = {}, {}
    with _pool(workers) as run:
        for name, decision in decisions.items():
            parts = _play(decision, decisions[baseline], setting, workers, run)
            nets[name], agreements[name] = _gather(parts, setting, progress)
    scores = [_score(name, nets[name], nets[baseline], agreements[name], setting) for name in decisions]
    return [_with_exact(score, decisions[score.name], setting.rules) for score in scores]


def _with_exact(score: Score, decision: Decision, rules: Rules) -> Score:
    """Add the exact value and the regret to the best of its class.

    Raises:
        BlackjackError: if the exact value is above the best, or the simulated one too far from it: one is wrong.
    """
    if not decision.by_hand:
        return score
    from bj_env.exact import best_by_hand, exact_value, mistakes, optimum  # only here: they need numba

    try:
        exact = exact_value(decision, rules).ev
        regret, optimum_regret = best_by_hand(rules).ev - exact, optimum(rules) - exact
    except RulesError:  # which the solver cannot do exactly
        return score
    telling = rules.penetration == 0 and score.rounds >= TELLING_ROUNDS
    if regret < -ROUNDING or (telling and abs(score.ev - exact) > 4.5 * score.stderr):
        raise BlackjackError(
            f"alarm: {score.name} has the exact value {exact:.9f}, its class the best value {exact + regret:.9f}, "
            f"and it played {score.ev:.6f} with standard error {score.stderr:.6f}; one of these is wrong"
        )
    costliest = tuple(mistakes(decision, rules)[:COSTLIEST])
    return score._replace(exact_ev=exact, optimum_regret=optimum_regret, regret=regret, costliest=costliest)


Chunk = tuple[NDArray[np.int64], int, int]
"""Of some blocks: the net of each in ticks, how often the policy was asked, how often the baseline did the same."""

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


class _pool:  # noqa: N801
    """Gives a ``map`` over worker processes, or over none."""

    def __init__(self, workers: int) -> None:
        self._executor = worker_pool(workers) if workers > 1 else None

    def __enter__(self) -> Run:
        return self._executor.map if self._executor else map

    def __exit__(self, *error: object) -> None:
        if self._executor:
            self._executor.shutdown(cancel_futures=True)


def _play(decision: Decision, baseline: Decision, setting: Setting, workers: int, run: Run) -> Iterator[Chunk]:
    """Play all blocks, and yield what they bring, chunk by chunk."""
    engine = engine_of(decision, baseline, setting)
    if engine == READABLE:
        size = max(1, min(2000, -(-setting.blocks // 8)))
        chunks = [range(start, min(start + size, setting.blocks)) for start in range(0, setting.blocks, size)]
        return run(partial(_play_chunk, decision, baseline, setting), chunks)
    from bj_env.fast import agreement, batched  # only here: they need numba

    watched = agreement.watched if engine == COMPILED else batched.watched
    return watched(
        setting.rules,
        setting.seats,
        decision,
        baseline,
        setting.rounds,
        seed=setting.seed,
        threads=workers,
        block=setting.rounds_per_block,
    )


def _gather(
    parts: Iterator[Chunk], setting: Setting, progress: Callable[[int], None] | None
) -> tuple[NDArray[np.int64], float]:
    """Return the net of each block in ticks, and the agreement with the baseline."""
    nets, asked, same = [], 0, 0
    for net, part_asked, part_same in parts:
        nets.append(net)
        asked, same = asked + part_asked, same + part_same
        if progress:
            progress(len(net) * setting.rounds_per_block)
    return np.concatenate(nets), same / asked if asked else 1.0


def _play_chunk(decision: Decision, baseline: Decision, setting: Setting, blocks: range) -> Chunk:
    watched = _Watched(decision, baseline)
    seats = [watched if seat == AGENT else decision_from(seat) for seat in setting.seats]
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


def _score(
    name: str, nets: NDArray[np.int64], baseline: NDArray[np.int64], agreement: float, setting: Setting
) -> Score:
    seats = sum(seat == AGENT for seat in setting.seats)
    unit = setting.rules.min_bet * TICKS * setting.rounds_per_block * seats
    ev, stderr = _mean(nets / unit)
    difference, difference_stderr = _mean((nets - baseline) / unit)
    rounds = len(nets) * setting.rounds_per_block
    return Score(name, rounds, ev, stderr, difference, difference_stderr, agreement)


def _mean(values: NDArray[np.float64]) -> tuple[float, float]:
    """Return the mean and its standard error."""
    return float(values.mean()), float(values.std(ddof=1) / len(values) ** 0.5)
