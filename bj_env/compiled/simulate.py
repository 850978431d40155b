"""Simulation: whole rounds by decisions that a table can hold, at the speed of the machine.

Rounds are played in blocks: block ``b`` is table ``b`` of the seed, as in `bj_env.analysis.benchmark`, so that two
strategies meet the same shoes. Blocks are independent and standard errors rest on them; rounds of one block may share
a shoe, and the hands of one round share a dealer. Sums are whole numbers, exact up to 2**53, and are kept chunk by
chunk in a fixed order: no result depends on the threads, on the machines, or on how blocks are shared out.
"""

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from itertools import pairwise
from pickle import PicklingError, dumps
from typing import Any

import numpy as np

from bj_env.compiled.arrays import Array
from bj_env.compiled.blocks import Played, chunks_of_blocks, in_order, player
from bj_env.compiled.sums import Paired, Simulation
from bj_env.errors import BlackjackError, choices, real_number, shortened
from bj_env.game.decision import Decision
from bj_env.game.rng import SEEDS, TABLES
from bj_env.rules.houses import parse_rules, text
from bj_env.rules.terms import TICKS, Rules, checked_number
from bj_env.statistics import Sums

THREADS, RAY = BACKENDS = ("threads", "ray")
"""Who may play the blocks of a simulation."""


def simulate(
    rules: Rules | str,
    decisions: Sequence[Decision | str],
    rounds: int | None = None,
    *,
    seed: int = 0,
    blocks: range | None = None,
    threads: int | None = None,
    stderr: float = 0.0,
    block: int | None = None,
    progress: Callable[[Sums], None] | None = None,
    backend: str = THREADS,
) -> Simulation:
    """Play whole rounds at tables of one seat for each decision, and return how the seats did together.

    Args:
        rules: a house, a rule text, a TOML file or a `Rules`.
        decisions: who sits where, as decisions, their names or policy folders; ones that a table can hold.
        rounds: how many to play, rounded up to whole blocks.
        seed: of all tables.
        blocks: in place of ``rounds``: which blocks of the seed to play; `Simulation.merge` puts parts together.
        threads: how many threads share the work; None is one a core. The result does not depend on it.
        stderr: stop as soon as the standard error is down to this.
        block: rounds at one table; None is 1 where every round has a shoe of its own, else `ROUNDS_OF_A_BLOCK`.
        progress: called with all that has been added up so far, from time to time.
        backend: ``"threads"``; or ``"ray"`` for a cluster, ``"ray:HOST:PORT"`` for that one, see
            `bj_env.compiled.cluster`. The result is the same.

    Raises:
        BlackjackError: if an argument is not valid, or a decision goes by more than a table can hold.

    >>> simulate("6D NS NINS", ["basic"], 1000, seed=1).rounds
    1000
    """
    job, chunks = simulation_job(rules, [decisions], rounds, seed=seed, blocks=blocks, block=block)
    sums = Sums()
    for (sums,) in added_up(job, chunks, threads=threads, stderr=stderr, backend=backend):
        if progress:
            progress(sums)
    first = blocks.start if blocks is not None else 0
    return Simulation(sums, job.unit, job.played, (range(first, first + sums.blocks),))


def simulate_paired(
    rules: Rules | str,
    first: Sequence[Decision | str],
    second: Sequence[Decision | str],
    rounds: int,
    *,
    seed: int = 0,
    threads: int | None = None,
    stderr: float = 0.0,
) -> Paired:
    """Play whole rounds twice on the same shoes, with these decisions and with those.

    Args:
        rules, rounds, seed, threads: as for `simulate`.
        first, second: who sits where, as many each time.
        stderr: stop as soon as the standard error of the difference is down to this.

    Raises:
        BlackjackError: as `simulate`, or if they are not as many.

    >>> simulate_paired("6D NS NINS", ["mimic"], ["basic"], 20_000).difference > 0
    True
    """
    job, chunks = simulation_job(rules, [first, second], rounds, seed=seed)
    done = added_up(job, chunks, threads=threads, stderr=stderr)
    one, other, difference = deque(done, maxlen=1)[0]
    unit = job.unit
    return Paired(Simulation(one, unit), Simulation(other, unit), difference.mean(unit), difference.stderr(unit))


@dataclass(frozen=True)
class SimulationJob:
    """What plays blocks: a callable that can be sent to other processes, and compiles where it is first called.

    Attributes:
        rules: the house's.
        lineups: who sits where; of two lineups, which play the same shoes, the differences are known too.
        seed: of all tables.
        rounds: of a block.
    """

    rules: Rules
    lineups: tuple[tuple[Decision | str, ...], ...]
    seed: int
    rounds: int

    @property
    def unit(self) -> int:
        """The ticks that the seats of a lineup bet together at least."""
        return self.rules.min_bet * TICKS * len(self.lineups[0])

    @property
    def played(self) -> tuple[Any, ...]:
        """What is played, in values that can be compared and shown."""
        lineups = [[seat if isinstance(seat, str) else _named(seat) for seat in lineup] for lineup in self.lineups]
        return text(self.rules), *(",".join(lineup) for lineup in lineups), f"seed {self.seed}", self.rounds

    @cached_property
    def _players(self) -> list[Callable[[range], Played]]:
        return [player(self.rules, lineup, self.seed, self.rounds) for lineup in self.lineups]

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name != "_players"}

    def compile(self) -> None:
        """Compile the kernel, and check that the lineups can be played.

        Raises:
            BlackjackError: if one cannot.
        """
        self._players  # noqa: B018 (made on first use)

    def __call__(self, blocks: range) -> list[Sums]:
        """Play blocks; return the sums of each lineup, and of the differences, second less first."""
        won = [play(blocks) for play in self._players]
        won += [_differences(one, two) for one, two in pairwise(won)]
        return [Sums().plus(nets, squares, self.rounds) for nets, squares in won]


def _named(seat: Decision) -> str:
    """Return a name that two seats share only if they decide alike, as far as can be told."""
    try:
        digest = sha256(dumps(seat)).hexdigest()[:16]
    except (AttributeError, PicklingError, TypeError):  # a local function, which only this process knows
        digest = str(id(seat))
    return f"{type(seat).__name__}:{digest}"


def simulation_job(
    rules: Rules | str,
    lineups: Sequence[Sequence[Decision | str]],
    rounds: int | None,
    *,
    seed: int = 0,
    blocks: range | None = None,
    block: int | None = None,
) -> tuple[SimulationJob, Iterator[range]]:
    """Return what plays one or two lineups on the same shoes, and which blocks, chunk by chunk.

    Args:
        rules, rounds, seed, blocks, block: as for `simulate`.
        lineups: who sits where.

    Raises:
        BlackjackError: as `simulate`, or if the second lineup has not as many seats.
    """
    for lineup in lineups:
        if not isinstance(lineup, Sequence) or isinstance(lineup, str):
            raise BlackjackError(f"decisions: expected one for each seat, like ['basic'], got {lineup!r}")
    if len({len(lineup) for lineup in lineups}) != 1:
        raise BlackjackError(f"seats: expected as many of both, got {', '.join(str(len(each)) for each in lineups)}")
    house = parse_rules(rules)
    if (rounds is None) == (blocks is None):
        raise BlackjackError("rounds: expected either a number of rounds or a range of blocks")
    each, chunks = chunks_of_blocks(house, 1 if rounds is None else rounds, block)
    if blocks is not None:
        first, stop = _checked_blocks(blocks)
        each, chunks = chunks_of_blocks(house, (stop - first) * each, block, first=first)
    job = SimulationJob(house, tuple(map(tuple, lineups)), checked_number("seed", seed, 0, SEEDS - 1), each)
    return job, chunks


def _checked_blocks(blocks: Any) -> tuple[int, int]:
    if not isinstance(blocks, range) or blocks.step != 1 or not 0 <= blocks.start < blocks.stop <= TABLES:
        raise BlackjackError(f"blocks: expected a range like range(0, 1000), up to {TABLES}, got {blocks!r}")
    return blocks.start, blocks.stop


def added_up(
    job: SimulationJob,
    chunks: Iterator[range],
    *,
    threads: int | None = None,
    stderr: float = 0.0,
    backend: str = THREADS,
) -> Iterator[list[Sums]]:
    """Compile, then play chunks of blocks, and yield all that has been added up so far.

    Args:
        job, chunks: from `simulation_job`.
        threads, backend: as for `simulate`.
        stderr: stop as soon as the standard error of the last sums is down to this.

    Returns:
        The sums of the lineup; or of the first, of the second, and of their differences, second less first.

    Raises:
        BlackjackError: as `simulate`.
    """
    enough = checked_stderr(stderr) * job.unit
    if backend == THREADS:
        job.compile()
        return _so_far(in_order(job, chunks, threads), enough)
    name, _, address = backend.partition(":") if isinstance(backend, str) else (backend, "", "")
    if name != RAY:
        raise BlackjackError(f"backend: got {shortened(backend)}; {choices(backend, BACKENDS)}")
    from bj_env.compiled.cluster import AUTO, on_cluster  # only here: it takes ray

    return _so_far(on_cluster(job, chunks, address=address or AUTO), enough)


def _so_far(won: Iterator[list[Sums]], enough: float) -> Iterator[list[Sums]]:
    """Yield the sums so far, until the last has so small a standard error, in ticks."""
    sums: list[Sums] = []
    for chunk in won:
        sums = [old.with_sums(new) for old, new in zip(sums, chunk, strict=True)] if sums else chunk
        yield sums
        if 0 < sums[-1].stderr(1) <= enough:
            return


def _differences(first: Played, second: Played) -> Played:
    """Return what the second won more in each block; the differences of single rounds are not known."""
    return second[0] - first[0], np.full(len(first[0]), np.nan)


def played(
    rules: Rules,
    decisions: Sequence[Decision | str],
    rounds: int,
    *,
    seed: int = 0,
    threads: int | None = None,
    mine: Sequence[int] | None = None,
    block: int | None = None,
) -> Iterator[tuple[Array, Array, int]]:
    """Play rounds, and yield them chunk by chunk: what each block won, the squares of its rounds, rounds a block.

    Args:
        rules, decisions, rounds, seed, threads, block: as for `simulate`.
        mine: the seats whose nets count; None is all.

    Raises:
        BlackjackError: as `simulate`.
    """
    each, chunks = chunks_of_blocks(rules, rounds, block)
    for nets, squares in in_order(player(rules, decisions, seed, each, mine), chunks, threads):
        yield nets, squares, each


def checked_stderr(came: Any) -> float:
    """Return a standard error to reach."""
    number = real_number(came)
    if not number >= 0:
        raise BlackjackError(f"stderr: expected a number from 0 on, got {shortened(came)}")
    return number
