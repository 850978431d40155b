"""Batched play: a learned policy asked for many tables at once, as the vector environment shows them."""

from collections.abc import Iterator, Sequence

import numpy as np

from bj_env.compiled.agreement import kernels
from bj_env.compiled.arrays import Array
from bj_env.compiled.blocks import chunks_of_blocks
from bj_env.compiled.compiling import told_if_compiling
from bj_env.compiled.engine import Engine
from bj_env.compiled.kernels import BEGIN, SKIP, Out
from bj_env.compiled.lookup_policies import Plans
from bj_env.compiled.tabulation import plans
from bj_env.env.settings import Settings
from bj_env.errors import BlackjackError
from bj_env.game.decision import Decision
from bj_env.rules.terms import TICKS, Phase, Rules
from bj_env.strategies.saved_policy import LearnedDecision

TABLES_OF_A_CHUNK = 1 << 14
"""So many tables are played at a time."""


def can_be_batched(rules: Rules, seats: Sequence[Decision | str], decision: Decision) -> bool:
    """Tell whether a decision can be asked for many tables at once: a learned one that is not sampled.

    >>> from bj_env.strategies.basic import ChartDecision
    >>> can_be_batched(Rules(), ("agent",), ChartDecision())
    False
    """
    if not isinstance(decision, LearnedDecision) or decision.sampled:
        return False
    try:
        _settings(rules, seats, decision, rounds=1)
        decision.settle_in(rules, len(seats))
    except BlackjackError:
        return False
    return True


def _settings(rules: Rules, seats: Sequence[Decision | str], decision: LearnedDecision, rounds: int) -> Settings:
    """Return the environment in which a policy sees what it has been trained to see, for so many rounds a table."""
    profile = decision.profile
    return Settings.checked(
        rules=rules,
        seats=seats,
        bets=profile.bets if len(profile.bets) > 1 else None,
        episode="session",
        max_rounds=rounds,
        observation=profile.parts,
        encoding="discrete" if profile.kind == "table" else "features",
    )


def watched(
    rules: Rules,
    seats: Sequence[Decision | str],
    decision: Decision,
    baseline: Decision,
    rounds: int,
    *,
    seed: int,
    threads: int,
    block: int,
    first: int = 0,
) -> Iterator[tuple[Array, int, int]]:
    """Play rounds at the tables of `bj_env.compiled.agreement.watched`, of a decision that `can_be_batched`.

    Args:
        rules, seats, decision, baseline, rounds, seed, threads, block, first: as there.

    Yields:
        The same.
    """
    assert isinstance(decision, LearnedDecision)
    settings = _settings(rules, seats, decision, block)
    _, chunks = chunks_of_blocks(rules, rounds, block, TABLES_OF_A_CHUNK, first)
    batch = _Batch(settings, decision, baseline, min(-(-rounds // block), TABLES_OF_A_CHUNK), threads)
    for blocks in chunks:
        yield batch.play(blocks, seed)


class _Batch:
    """So many tables, and the policy that plays at all of them."""

    def __init__(
        self, settings: Settings, decision: LearnedDecision, baseline: Decision, tables: int, threads: int
    ) -> None:
        self.engine = Engine(settings, tables, threads)
        self.decision = decision
        self.baseline = _everywhere(settings, baseline)
        self.unit = settings.unit * TICKS
        self.asked = self.same = 0

    def play(self, blocks: range, seed: int) -> tuple[Array, int, int]:
        """Play a block at each of as many tables."""
        self.asked = self.same = 0
        out, won = self._begin(blocks, seed), np.zeros(len(blocks))
        while len(going := np.flatnonzero(self.engine.tables.state["over"] == 0)):
            actions = self._choose(out, going)
            self._compare(going, actions)
            out.reward[:] = 0
            self._run(going, actions, out)
            won += out.reward[: len(blocks)]
        return np.rint(won * self.unit).astype(np.int64), self.asked, self.same

    def _begin(self, blocks: range, seed: int) -> Out:
        """Begin each block at a table of its number."""
        which, out = np.arange(len(blocks)), self.engine.new_out()
        self.engine.reseed(which, np.full(len(blocks), seed, np.uint64), which + blocks.start)
        self._run(which, BEGIN, out)
        return out

    def _run(self, which: Array, codes: Array | int, out: Out) -> None:
        given = np.full(len(self.engine), SKIP)
        given[which] = codes
        self.engine.run(given, out)

    def _choose(self, out: Out, going: Array) -> Array:
        """Return the legal action with the highest score for each table."""
        observations = out.features if len(out.features) else out.columns
        scores = self.decision.scores_of(observations[going])
        best: Array = np.where(out.mask[going] > 0, scores, -np.inf).argmax(axis=1)
        return best

    def _compare(self, going: Array, actions: Array) -> None:
        """Count what the baseline would do too: not bets, nor rounds that were over before anything was asked."""
        state = self.engine.tables.state[going]
        deciding = (state["phase"] != Phase.BET.value) & (state["shown"] == 0)
        which = going[deciding]
        answers, ask = np.zeros(len(which), np.int64), kernels().answers
        with told_if_compiling(ask):
            ask(self.engine.pages, self.engine.tables, self.baseline, which, answers)
        self.asked += len(which)
        self.same += int((answers == actions[deciding]).sum())


def _everywhere(settings: Settings, decision: Decision) -> Plans:
    """Return plans with a decision in every seat."""
    made = plans(settings.rules, [decision])
    return made._replace(seat=np.zeros(len(settings.decisions), np.int64))
