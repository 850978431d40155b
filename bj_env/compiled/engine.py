"""The engine: the arrays of many tables, and the kernels that move them, shared out over threads.

Letters: ``T`` tables, ``S`` seats.
"""

import os
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from threading import Lock
from typing import Any

import numpy as np

from bj_env.compiled.arrays import STATE, Array, allocate
from bj_env.compiled.book import SHOE_ROOM, rules_book
from bj_env.compiled.compiling import told_if_compiling
from bj_env.compiled.episode import Game, begin_episode
from bj_env.compiled.expected import SCRATCH, dealers
from bj_env.compiled.kernels import NEVER, Job, Options, Out, kernels, table_at
from bj_env.compiled.observation_kernels import scheme
from bj_env.compiled.shoe import ROOM
from bj_env.compiled.tabulation import plans
from bj_env.env.episode import EPISODES
from bj_env.env.settings import Settings
from bj_env.errors import BlackjackError
from bj_env.game.rng import MASK as WORD
from bj_env.game.rng import seat_key
from bj_env.observation import MOST_DEALER_CARDS
from bj_env.rules.terms import DECK, ticks

FEWEST_A_THREAD = 8192
"""With fewer tables a thread more costs more than it brings."""


class Engine:
    """The tables of one environment, and the kernels that move them.

    Args:
        settings: what is played.
        tables: how many tables.
        threads: how many threads share them; results do not depend on it.
        most_steps: of an episode, 0 for any number.

    Attributes:
        tables: their arrays.
        pages: their rules book, in an array of one; book: the same.
        plans, options: what kernels are told besides.
    """

    def __init__(self, settings: Settings, tables: int, threads: int, most_steps: int = 0) -> None:
        seats = len(settings.decisions)
        self.settings = settings
        self.pages = rules_book(settings.rules)
        self.book = self.pages[0]
        self.tables = allocate(settings.rules, tables, seats, logged=True, counted="table" in settings.layout.parts)
        self.tables.state["over"] = 1
        self.plans = plans(settings.rules, settings.decisions)
        penalty = 1.0 if settings.illegal_action == "penalty" else 0.0
        self.options = Options(game(settings), dealers(settings.rules), scheme(settings), penalty, most_steps)
        self._busy = Lock()
        self.share(max(1, min(threads, tables // FEWEST_A_THREAD)))

    def __len__(self) -> int:
        return len(self.tables.state)

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__ | {"_pool": None, "_busy": None}  # threads and locks are neither copied nor pickled

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__ |= state | {"_busy": Lock()}

    def share(self, threads: int) -> None:
        """Share the tables among so many threads, whether that pays or not."""
        self.threads = threads
        self._rows = np.zeros((threads, len(self.settings.layout.columns)), np.int64)
        self._space = np.zeros((threads, SCRATCH, 1))
        self._lanes = np.zeros((threads, ROOM), np.int64)
        self._bounds = [len(self) * worker // threads for worker in range(threads + 1)]
        self._pool: ThreadPoolExecutor | None = None
        self._process = os.getpid()
        self._ran = False

    def new_out(self, *, ends: bool = False) -> Out:
        """Return fresh arrays for what a step returns, and for the ends of episodes beside it."""
        many, layout = len(self) * (1 + ends), self.settings.layout
        room = np.zeros if ends else np.empty  # where no episode has ended, nothing is written
        features = layout.encoding == "features"
        return Out(
            features=room((many if features else 0, layout.width), np.float32),
            columns=room((0 if features else many, len(layout.columns)), np.int64),
            reward=room(many),
            terminated=room(many, np.bool_),
            truncated=room(many, np.bool_),
            mask=room((many, self.settings.actions), np.int8),
            seat=room(many, np.int64),
            finished=room(many, np.bool_),
            nets=np.zeros((many, len(self.settings.decisions))),
            dealer=np.zeros((many, MOST_DEALER_CARDS), np.int8),
            illegal=room(many, np.bool_),
        )

    def run(self, codes: Array, out: Out, *, autoreset: int = NEVER) -> None:
        """Do at each table what its code says: an action, or one of `SKIP`, `SHOW`, `BEGIN`, `GO`; fill in ``out``."""
        run = kernels().run

        def part(worker: int) -> None:
            job = Job(
                codes,
                self._bounds[worker],
                self._bounds[worker + 1],
                autoreset,
                self._rows[worker],
                self._space[worker],
                self._lanes[worker],
            )
            run(self.pages, self.tables, self.plans, self.options, job, out)

        if not self._busy.acquire(blocking=False):
            raise BlackjackError("step: expected one thread at a time, but another one is in it")
        try:
            self._run(run, part)
        finally:
            self._busy.release()

    def _run(self, run: Any, part: Callable[[int], None]) -> None:
        if not self._ran:
            with told_if_compiling(run):
                for worker in range(self.threads):
                    part(worker)
            self._ran = True
        elif self.threads == 1:
            part(0)
        else:
            others = [self._workers().submit(part, worker) for worker in range(1, self.threads)]
            try:
                part(0)
            finally:
                until_done(others)

    def _workers(self) -> ThreadPoolExecutor:
        """Return the threads, new ones in a forked process, which inherits none."""
        if self._pool is None or self._process != os.getpid():
            self._pool, self._process = ThreadPoolExecutor(self.threads - 1), os.getpid()
        return self._pool

    def begin(self, which: Array) -> None:
        """Begin episodes at tables, so that a start can be applied there."""
        for i in which.tolist():
            begin_episode(table_at(self.tables, i), self.plans, self.options.game)

    def first_illegal(self, actions: Array, *, autoreset: bool) -> int:
        """Return the first table whose action cannot be taken, or -1."""
        only_legal = self.settings.illegal_action == "raise"
        return kernels().first_illegal(self.tables.state, actions, self.settings.actions, autoreset, only_legal)

    def reseed(self, which: Array, seeds: Array, numbers: Array) -> None:
        """Give tables new shoes and new random numbers for their seats.

        Args:
            which: the tables.
            seeds: of each, from 0 to 2**64 - 1, as ``uint64``.
            numbers: which of the tables with that seed each is.
        """
        t = self.tables
        low, high = (seeds & np.uint64(WORD)).astype(np.int64), (seeds >> np.uint64(32)).astype(np.int64)
        for seat in range(t.seats.shape[1]):
            own_low, own_high = seat_key(numbers, seat, low, high)
            t.seats["chance_low"][which, seat], t.seats["chance_high"][which, seat] = own_low, own_high
            t.seats["choices"][which, seat] = 0
        fresh = np.zeros(len(which), STATE)
        fresh["words_for"] = -1
        fresh["key_low"], fresh["key_high"], fresh["number"] = low, high, numbers
        t.state[which] = fresh
        t.state["fresh"][which] = t.state["over"][which] = 1
        t.state["pool_end"][which] = DECK * max(self.settings.rules.decks, 1)
        cards = min(t.pool.shape[1], SHOE_ROOM)
        t.pool[which, :cards] = self.book.full[:cards]


def until_done(futures: Sequence[Future[Any]]) -> None:
    """Wait until all threads are done, however often an interrupt comes meanwhile, and then pass the interrupt on.

    They write to the tables, so nobody else may before they are done.
    """
    interrupt = None
    while True:
        try:
            wait(futures)
            break
        except KeyboardInterrupt as error:
            interrupt = error
    if interrupt is not None:
        raise interrupt
    for future in futures:
        future.result()


def game(settings: Settings) -> Game:
    """Return what the agent plays, as kernels take it.

    >>> game(Settings.checked(bets=(0, 5, 25))).unit
    5
    """
    return Game(
        episode=EPISODES.index(settings.episode),
        bets=np.array(settings.bets),
        unit=settings.unit,
        bankroll=-1 if settings.bankroll is None else ticks(settings.bankroll, "bankroll"),
        max_rounds=settings.max_rounds,
        first_agent=settings.agents[0],
        expected=settings.reward == "expected",
    )
