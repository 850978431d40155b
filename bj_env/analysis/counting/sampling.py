"""Sampling of a game by count: compiled rounds say how often each count stands, exact values say what it is worth.

The value of a round before the deal is worked out exactly for some of the shoes that were met. A quadratic fitted to
these values (`bj_env.analysis.counting.regression`) is averaged over all the shoes, and the mean residual at each count
is added. That leaves out the luck of the cards, which has a hundred times the variance of the shoes.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import hypot, sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bj_env.analysis.counting.exact_values import Floats, Player, Shoes, values_of
from bj_env.analysis.counting.regression import Fit, features, fitted
from bj_env.compiled.by_count import NET, ROUNDS, SQUARE, by_count
from bj_env.game.decision import Decision
from bj_env.rules.terms import Rules
from bj_env.strategies.count_systems import Count

Told = Callable[[str, float, float], None]
"""Told what is being done, how much is done, and how much there is to do."""

POOL = 200_000
"""So many shoes are kept to choose from."""

KEPT_OF_A_CHUNK = 400
LEAST_RESIDUALS = 3
"""From so many exact values on, the mean residual of a count is added."""


@dataclass(frozen=True)
class Seating:
    """Who sits at the table, and by which count its rounds are told apart.

    Attributes:
        rules: the house's.
        decisions: who sits where.
        mine: the seats of the player.
        count: the count before the deal.
        whole: the whole counts.
    """

    rules: Rules
    decisions: Sequence[Decision | str]
    mine: tuple[int, ...]
    count: Count
    whole: range


class Sampler:
    """Adds up rounds and exact values until they are enough; letters: ``K`` chunks, ``C`` counts, ``F`` features."""

    def __init__(self, seating: Seating, player: Player, seed: int, workers: int = 1) -> None:
        self.seating, self.player, self.seed, self.workers = seating, player, seed, workers
        self.sums: list[Floats] = []
        self.sampled: list[Floats] = []
        self.rows: list[Floats] = []
        self.pool: list[tuple[Shoes, NDArray[np.int64]]] = []
        self.pooled = 0
        self.blocks = 0
        self.exact = np.zeros(0)
        self.exact_seen = np.zeros((0, 11), np.int16)
        self.exact_places = np.zeros(0, np.int64)
        self.random = np.random.default_rng([seed, 16])

    @property
    def rounds(self) -> int:
        """How many rounds have been played."""
        return int(sum(part[:, ROUNDS].sum() for part in self.sums))

    def play(self, rounds: int, told: Told) -> None:
        """Play more rounds."""
        seats = self.seating
        chunks = by_count(
            seats.rules, seats.decisions, seats.count, seats.whole, rounds,
            seed=self.seed, threads=self.workers, mine=seats.mine, first=self.blocks,
        )  # fmt: skip
        done = 0.0
        for chunk in chunks:
            self._add(chunk.sums, chunk.seen, chunk.places)
            done += chunk.sums[:, ROUNDS].sum()
            told("rounds", done, rounds)
        each = 1 if seats.rules.penetration == 0 else 1000
        self.blocks += -(-rounds // each)

    def _add(self, sums: Floats, seen: Shoes, places: NDArray[np.int64]) -> None:
        size = len(self.seating.whole)
        one_hot = np.zeros((size, len(places)))
        one_hot[places, np.arange(len(places))] = 1.0
        self.sums.append(sums)
        self.sampled.append(one_hot.sum(axis=1))
        self.rows.append(one_hot @ features(self.seating.rules, seen))
        if self.pooled < POOL:
            kept = self.random.choice(len(places), min(KEPT_OF_A_CHUNK, len(places)), replace=False)
            self.pool.append((seen[kept], places[kept]))
            self.pooled += len(kept)

    def work_out(self, shoes: int, importance: Floats, told: Told) -> None:
        """Work out exact values of more shoes, chosen by the importance of their count, ``[C]``."""
        seen = np.concatenate([part[0] for part in self.pool])
        places = np.concatenate([part[1] for part in self.pool])
        weights = importance[places]
        chosen = self.random.choice(len(places), shoes, replace=True, p=weights / weights.sum())
        values = []
        for value in values_of(self.seating.rules, self.player, seen[chosen], self.workers):
            values.append(value)
            told("exact values", len(values), shoes)
        self.exact = np.concatenate([self.exact, values])
        self.exact_seen = np.concatenate([self.exact_seen, seen[chosen]])
        self.exact_places = np.concatenate([self.exact_places, places[chosen]])

    def found(self) -> "Found":
        """Return what is known so far."""
        rules = self.seating.rules
        fit = fitted(features(rules, self.exact_seen), self.exact)
        freedom = max(len(self.exact) - len(fit.weights), 1)
        deviation = float(np.sqrt(np.sum(fit.residuals**2) / freedom))
        size = len(self.seating.whole)
        many = np.bincount(self.exact_places, minlength=size)
        mean = np.bincount(self.exact_places, fit.residuals, minlength=size) / np.maximum(many, 1)
        added = np.where(many >= LEAST_RESIDUALS, mean, 0.0)
        stderr = deviation / np.sqrt(np.maximum(many, 1))
        fits = np.stack(self.rows) @ fit.weights + np.stack(self.sampled) * added
        return Found(np.stack(self.sums), np.stack(self.sampled), fits, fit, stderr)


class Found(NamedTuple):
    """What sampling has found; letters as in `Sampler`.

    Attributes:
        sums: rounds, net and squared net, ``[K, C, 3]``.
        sampled: shoes that the control variate was averaged over, ``[K, C]``.
        values: their values, added up, ``[K, C]``.
        fit: the control variate.
        fit_stderr: what the fit adds to the standard error of the edge at a count, ``[C]``.
    """

    sums: Floats
    sampled: Floats
    values: Floats
    fit: Fit
    fit_stderr: Floats

    @property
    def shares(self) -> Floats:
        """The share of rounds at each count."""
        rounds = self.sums[:, :, ROUNDS].sum(axis=0)
        return np.asarray(rounds / rounds.sum())

    @property
    def edges(self) -> Floats:
        """The mean value of a bet of 1 at each count."""
        return np.asarray(self.values.sum(axis=0) / np.maximum(self.sampled.sum(axis=0), 1))

    @property
    def edge_stderrs(self) -> Floats:
        """The standard errors of `edges`."""
        off = self.values - self.edges * self.sampled
        spread = np.sqrt((off**2).sum(axis=0)) / np.maximum(self.sampled.sum(axis=0), 1)
        return np.asarray(np.hypot(spread, self.fit_stderr))

    @property
    def variances(self) -> Floats:
        """The variance of a bet of 1 at each count, from the rounds played."""
        rounds = np.maximum(self.sums[:, :, ROUNDS].sum(axis=0), 1)
        return np.asarray(self.sums[:, :, SQUARE].sum(axis=0) / rounds - self.edges**2)

    @property
    def played_edges(self) -> Floats:
        """The mean net of the rounds played, without exact values."""
        return np.asarray(self.sums[:, :, NET].sum(axis=0) / np.maximum(self.sums[:, :, ROUNDS].sum(axis=0), 1))

    def win(self, bets: Floats) -> float:
        """Return the mean win of a round."""
        return float((bets * self.shares) @ self.edges)

    def win_stderr(self, bets: Floats) -> float:
        """Return its standard error: of the shoes met, and of the fit."""
        return hypot(_stderr(self._wins(bets)), self.fit_part(bets))

    def fit_part(self, bets: Floats) -> float:
        """Return what the fit adds to the standard error of the mean win."""
        return float(np.sqrt(np.sum((bets * self.shares * self.fit_stderr) ** 2)))

    def _wins(self, bets: Floats) -> Floats:
        return np.asarray((self.values @ bets) / self.sampled.sum(axis=1))

    def _played(self, bets: Floats) -> Floats:
        rounds = self.sums[:, :, ROUNDS].sum(axis=1)
        return np.asarray(self.sums[:, :, NET] @ bets / rounds)

    def _squares(self, bets: Floats) -> Floats:
        rounds = self.sums[:, :, ROUNDS].sum(axis=1)
        return np.asarray(self.sums[:, :, SQUARE] @ bets**2 / rounds)

    def sd(self, bets: Floats) -> float:
        """Return the standard deviation of a round's win."""
        squares = float((bets**2 * self.shares) @ (self.variances + self.edges**2))
        return sqrt(max(squares - self.win(bets) ** 2, 0.0))

    def score_stderr(self, bets: Floats) -> float:
        """Return the standard error of ``10**6 (win / sd)**2``, by linearising chunk by chunk."""
        win, sd = self.win(bets), self.sd(bets)
        if win <= 0:
            return 0.0
        parts = 2 * self._wins(bets) / win - self._squares(bets) / sd**2
        fit = 2 * self.fit_part(bets) / win
        return 1e6 * (win / sd) ** 2 * hypot(_stderr(parts), fit)

    def variance_ratio(self, bets: Floats) -> float:
        """Return by what the control variate divides the variance of the mean win of the same rounds."""
        return float((_stderr(self._played(bets)) / self.win_stderr(bets)) ** 2)


def _stderr(parts: Floats) -> float:
    return float(np.std(parts, ddof=1) / np.sqrt(len(parts))) if len(parts) > 1 else float("inf")
