"""The count table of a game and a player, and what a spread wins on it: `count_table` and `bets_on`."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property
from math import exp, isfinite, sqrt
from typing import Any, NamedTuple

import numpy as np

from bj_env.analysis.counting import bankroll as money
from bj_env.analysis.counting.exact_values import Floats
from bj_env.analysis.counting.ramp import Spread, given_ramp, in_chips, optimal_ramp
from bj_env.analysis.counting.sampling import Found, Sampler, Seating, Told
from bj_env.errors import BlackjackError
from bj_env.game.decision import Decision
from bj_env.rules.houses import parse_rules, text
from bj_env.rules.terms import Rules, checked_number
from bj_env.strategies.counting import CountingDecision

WHOLE = range(-60, 61)
"""The whole counts that are told apart; what lies beyond goes with the ends."""

LEAST_SHARE = 0.001
"""Counts at the ends that stand less often than this are taken together."""

PILOT_ROUNDS, PILOT_SHOES = 2_000_000, 240
"""What is played and worked out before it is known how much it takes."""

ROUNDS, SHOES = 30_000_000, 1200
"""What is played and worked out unless told otherwise."""

MOST_ROUNDS, MOST_SHOES = 2_000_000_000, 20_000

BANKROLL = 1000.0
"""The bankroll, in smallest bets, unless told otherwise."""


@dataclass(frozen=True)
class CountRow:
    """What a count stands for before the deal.

    Attributes:
        count: the whole count; the first stands for all below too, the last for all above.
        share: the share of rounds at it.
        share_stderr: its standard error.
        edge: the mean win of a bet of 1.
        edge_stderr: its standard error.
        variance: of the win of a bet of 1.
        played_edge: the edge in the rounds that were played, without exact values: a check.
    """

    count: int
    share: float
    share_stderr: float
    edge: float
    edge_stderr: float
    variance: float
    played_edge: float


class Bets(NamedTuple):
    """What some bets by count win; all amounts in the smallest bet, per round seen.

    Attributes:
        bets: the bet at each row of the table.
        win, win_stderr: the mean win of a round.
        sd: its standard deviation.
        mean_bet: the mean bet.
        edge: win by mean bet (IBA).
        score, score_stderr: `bj_env.analysis.counting.bankroll.score`.
        variance_ratio: by how much exact values have divided the variance of ``win``.
        bankroll: in smallest bets.
        kelly: the fraction of full Kelly that values certainty.
    """

    bets: tuple[float, ...]
    win: float
    win_stderr: float
    sd: float
    mean_bet: float
    edge: float
    score: float
    score_stderr: float
    variance_ratio: float
    bankroll: float = BANKROLL
    kelly: float = 1.0

    @property
    def risk_of_ruin(self) -> float:
        """The chance ever to lose the bankroll with bets that are never lowered."""
        return money.risk_of_ruin(self.win, self.sd, self.bankroll)

    def as_json(self) -> dict[str, Any]:
        """Return every figure by its name."""
        win, sd = self.win, self.sd
        return {
            "score": self.score,
            "score_stderr": self.score_stderr,
            "c_score": self.score,
            "win_per_100": 100 * win,
            "win_per_100_stderr": 100 * self.win_stderr,
            "sd": sd,
            "mean_bet": self.mean_bet,
            "edge": self.edge,
            "di": money.desirability(win, sd),
            "n0": _finite(money.n0(win, sd)),
            "bankroll": self.bankroll,
            "risk_of_ruin": self.risk_of_ruin,
            "kelly_bankroll": _finite(money.bankroll_for(win, sd, exp(-2.0 / self.kelly))),
            "certainty_equivalent": money.certainty_equivalent(win, sd, self.bankroll, self.kelly),
            "log_growth": money.log_growth(win, sd, self.bankroll),
            "variance_ratio": self.variance_ratio,
        }


def _finite(number: float) -> float | None:
    return float(number) if isfinite(number) else None


@dataclass(frozen=True, eq=False)
class CountTable:
    """How often each count stands before the deal, and what a bet is worth there.

    Attributes:
        rules: the house's.
        player: who counts and plays.
        found: what sampling has found; its counts are those of ``rows``.
        whole: the whole counts of ``rows``.
        shoes: how many exact values it rests on.
    """

    rules: Rules
    player: CountingDecision
    found: Found = field(repr=False)
    whole: tuple[int, ...]
    shoes: int

    @cached_property
    def rows(self) -> tuple[CountRow, ...]:
        """The rows, from low counts to high."""
        found = self.found
        parts = found.sums[:, :, 0] / found.sums[:, :, 0].sum(axis=1, keepdims=True)
        errors = parts.std(axis=0, ddof=1) / np.sqrt(len(parts)) if len(parts) > 1 else np.full(len(self.whole), np.inf)
        columns = (found.shares, errors, found.edges, found.edge_stderrs, found.variances, found.played_edges)
        values = zip(self.whole, *(column.tolist() for column in columns), strict=True)
        return tuple(CountRow(*row) for row in values)

    @property
    def rounds(self) -> int:
        """How many rounds were played."""
        return int(self.found.sums[:, :, 0].sum())

    def optimal(self, spread: Spread | str) -> Floats:
        """Return the bets within a spread that make SCORE highest."""
        found = self.found
        return optimal_ramp(found.shares, found.edges, found.variances, Spread.of(spread))

    def bets(self, bets: Floats | str, *, bankroll: float = BANKROLL, kelly: float = 1.0) -> Bets:
        """Return what bets at the rows of the table win; a text is a ramp like ``"1:2,3:8"``.

        Raises:
            BlackjackError: if there are not as many bets as rows, or none is above 0.
        """
        by_row = given_ramp(bets, self.whole) if isinstance(bets, str) else np.asarray(bets, np.float64)
        if by_row.shape != (len(self.whole),) or by_row.min() < 0 or by_row.max() <= 0:
            raise BlackjackError(f"bets: expected one for each of {len(self.whole)} counts, some above 0, got {bets!r}")
        found = self.found
        win, mean = found.win(by_row), float(by_row @ found.shares)
        return Bets(
            bets=tuple(by_row.tolist()),
            win=win,
            win_stderr=found.win_stderr(by_row),
            sd=found.sd(by_row),
            mean_bet=mean,
            edge=win / mean,
            score=money.score(win, found.sd(by_row)),
            score_stderr=found.score_stderr(by_row),
            variance_ratio=found.variance_ratio(by_row),
            bankroll=bankroll,
            kelly=kelly,
        )

    def as_json(self, bets: Bets) -> dict[str, Any]:
        """Return the table and what some bets win on it."""
        whole = in_chips(np.array(bets.bets))
        rows = [
            asdict(row) | {"bet": bet, "chips": chips}
            for row, bet, chips in zip(self.rows, bets.bets, whole.tolist(), strict=True)
        ]
        return {
            "rules": text(self.rules),
            "system": self.player.count.system.name,
            "rounds": self.rounds,
            "exact_shoes": self.shoes,
            "fit_error": self.found.fit.error,
            **bets.as_json(),
            "rounded": self.bets(whole, bankroll=bets.bankroll, kelly=bets.kelly).as_json(),
            "counts": rows,
        }


def no_progress(_what: str, _done: float, _whole: float) -> None:
    """Tell nobody."""


def count_table(
    rules: Rules | str,
    player: CountingDecision,
    *,
    others: Sequence[Decision | str] = (),
    spread: Spread | str = "1-8",
    rounds: int = ROUNDS,
    shoes: int = SHOES,
    half_width: float | None = None,
    seed: int = 0,
    workers: int = 1,
    told: Told = no_progress,
    announced: Told = no_progress,
) -> CountTable:
    """Sample a game, and return its count table.

    Args:
        rules: the house's; a shoe with a cut card.
        player: who counts and plays; the bets do not matter.
        others: who else sits at the table; the player sits first, so that he sees least.
        spread: exact values are taken mostly where bets of this spread are large.
        rounds, shoes: how many rounds are played and how many shoes are worked out exactly.
        half_width: instead, go on until the 95 % interval of SCORE is no wider than this to either side, in %.
        seed: of the shoes.
        workers: threads for rounds, and processes for exact values.
        told: called with what is being done, how much is done and how much there is to do.
        announced: called with how many rounds and shoes a half-width takes, before they are played.

    Raises:
        BlackjackError: if the shoe is infinite or shuffled every round, or an argument is not valid.

    >>> found = count_table("6D PEN75", CountingDecision(), rounds=200_000, shoes=150)
    >>> found.rows[-1].edge > 0 > found.rows[0].edge
    True
    """
    house = countable(rules)
    least = Spread.of(spread)
    rounds = checked_number("rounds", rounds, 100_000, MOST_ROUNDS)
    shoes = checked_number("shoes", shoes, 150, MOST_SHOES)
    flat = player.with_ramp([(-99, 1)])
    seating = Seating(house, [flat, *others], (0,), player.count, WHOLE)
    sampler = Sampler(seating, flat, seed, workers)
    sampler.play(min(rounds, PILOT_ROUNDS), told)
    sampler.work_out(min(shoes, PILOT_SHOES), np.ones(len(WHOLE)), told)
    pilot = sampler.found()
    bets = optimal_ramp(pilot.shares, pilot.edges, pilot.variances, least)
    if half_width is not None:
        rounds, shoes = _needed(sampler, pilot, bets, half_width)
        announced("rounds and exact values", rounds, shoes)
    if rounds > sampler.rounds:
        sampler.play(rounds - sampler.rounds, told)
    if shoes > len(sampler.exact):
        sampler.work_out(shoes - len(sampler.exact), np.maximum(bets, 0.5), told)
    found, whole = merged(sampler.found())
    return CountTable(house, flat, found, whole, len(sampler.exact))


def _needed(sampler: Sampler, pilot: Found, bets: Floats, half_width: float) -> tuple[int, int]:
    """Return how many rounds and exact values a half-width of SCORE takes, half of the variance for each."""
    if not 0 < half_width <= 100:
        raise BlackjackError(f"half-width: expected % of SCORE above 0 and up to 100, got {half_width!r}")
    win = pilot.win(bets)
    if win <= 0:
        return ROUNDS, SHOES
    allowed = half_width / 100 / 1.96 / 2 / sqrt(2)  # of the win, for each of the two sources
    fit = pilot.fit_part(bets) / win
    whole = pilot.score_stderr(bets) / pilot.win(bets) ** 2 * pilot.sd(bets) ** 2 / 2e6
    sampled = sqrt(max(whole**2 - fit**2, 0.0))
    rounds = int(sampler.rounds * (sampled / allowed) ** 2)
    shoes = int(len(sampler.exact) * (fit / allowed) ** 2)
    return min(max(rounds, PILOT_ROUNDS), MOST_ROUNDS), min(max(shoes, PILOT_SHOES), MOST_SHOES)


def countable(rules: Rules | str) -> Rules:
    """Return rules under which a count tells something.

    Raises:
        BlackjackError: if the shoe is infinite or shuffled every round.
    """
    house = parse_rules(rules)
    if house.decks == 0:
        raise BlackjackError("count: expected a number of decks, got an infinite shoe, which has no true count")
    if house.penetration == 0:
        raise BlackjackError(
            "count: expected a shoe with a cut card, like '6D PEN75', got one shuffled before every round"
        )
    return house


def merged(found: Found) -> tuple[Found, tuple[int, ...]]:
    """Take the rare counts at both ends together."""
    shares = found.shares
    common = np.flatnonzero(shares >= LEAST_SHARE)
    first, last = int(common[0]), int(common[-1])
    own = np.minimum(np.maximum(np.arange(len(shares)), first), last) - first
    to = np.zeros((len(shares), last - first + 1))
    to[np.arange(len(shares)), own] = 1.0
    sums = np.einsum("kcs,cd->kds", found.sums, to)
    rounds = to.T @ shares
    stderr = np.sqrt(to.T @ (shares * found.fit_stderr) ** 2) / rounds
    values = Found(sums, found.sampled @ to, found.values @ to, found.fit, stderr)
    return values, tuple(WHOLE[first : last + 1])
