"""Scores: how a policy did, what it is worth exactly and what it loses, and the bankroll that it takes."""

from collections.abc import Sequence
from math import ceil, exp, sqrt
from statistics import NormalDist
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from bj_env.errors import BlackjackError, RulesError
from bj_env.game.decision import Decision
from bj_env.rules.terms import Rules

if TYPE_CHECKING:
    from bj_env.analysis.policy_value import Mistake

Z95 = NormalDist().inv_cdf(0.975)
"""Standard errors on either side of a 95 % interval."""

TELLING_ROUNDS = 1_000
"""From so many rounds on a mean far from the exact value means that something is wrong."""

ALARM = 4.5
"""A mean so many standard errors away from an exact value means that something is wrong."""

OTHER_CARDS = 0.005
"""In bets: more than the cards of the other seats can be worth in a round from a fresh shoe."""

COSTLIEST = 12
"""How many of the costliest mistakes a score keeps."""

ROUNDING = 1e-9
"""By how much rounding may put a value above the best of its class."""

BANKROLL = 1_000
"""The bankroll, in smallest bets, whose risk of ruin is told."""


MARGIN = 1.02
"""So much more than it seems to take is played, lest it be nearly enough again and again."""

MOST_GROWTH = 30.0
"""No first guess at the spread lets so many times the rounds be played without a second."""

Nets = NDArray[np.int64]
"""What some blocks won, each, in ticks."""


class Bankroll(NamedTuple):
    """What it takes to live on an advantage (Schlesinger, "Blackjack Attack").

    Attributes:
        n0: the rounds after which the expected win is one standard deviation, ``(sd / ev)**2``.
        score: the dollars that 100 rounds bring to a bankroll of 10,000 at the bet that lets it grow fastest, which is
            ``10**6 * (ev / sd)**2``.
        risk_of_ruin: the chance ever to lose `BANKROLL` smallest bets without raising them, ``exp(-2 * ev * BANKROLL /
            sd**2)``.

    >>> Bankroll.of(ev=0.02, sd=2.0)
    Bankroll(n0=10000.0, score=100.0, risk_of_ruin=4.5399929762484854e-05)
    """

    n0: float
    score: float
    risk_of_ruin: float

    @classmethod
    def of(cls, ev: float, sd: float) -> Self:
        """Return the figures of a win rate and a standard deviation per round, in smallest bets."""
        return cls((sd / ev) ** 2, 1e6 * (ev / sd) ** 2, exp(-2 * ev * BANKROLL / sd**2))


class Score(NamedTuple):
    """How one policy did.

    Attributes:
        name: the policy's.
        mode: ``"greedy"`` or ``"sampled"`` for a learned one, ``"rule"`` for any other.
        rounds: how many it played.
        ev: mean net of a round in bets.
        stderr: its standard error.
        difference: mean net less that of the baseline on the same shoes; 0 for the baseline itself.
        difference_stderr: its standard error.
        agreement: share of its decisions that are the best total-dependent ones, weighted by how often they come up.
        rounds_per_second: how fast it was played, on all threads together.
        exact_ev: the exact value of a round from a fresh shoe; None if it looks at more than its hand and the up card.
        composition_dependent_regret: by how much that is below the best value of all, by composition; None likewise.
        regret: by how much that is below the best value of its class, by total, pair and up card; None likewise.
        costliest: its costliest mistakes; none where the exact value is None.
    """

    name: str
    mode: str
    rounds: int
    ev: float
    stderr: float
    difference: float
    difference_stderr: float
    agreement: float
    rounds_per_second: float = 0.0
    exact_ev: float | None = None
    composition_dependent_regret: float | None = None
    regret: float | None = None
    costliest: tuple["Mistake", ...] = ()

    @property
    def label(self) -> str:
        """The name, and how a learned policy was played.

        >>> Score("runs/x/policy", "greedy", 2, 0.0, 1.0, 0.0, 0.0, 1.0).label
        'runs/x/policy (greedy)'
        """
        return self.name if self.mode == "rule" else f"{self.name} ({self.mode})"

    @property
    def sd(self) -> float:
        """The standard deviation of a round in the long run: with what the rounds of one shoe have in common."""
        return self.stderr * sqrt(self.rounds)

    @property
    def bankroll(self) -> Bankroll | None:
        """What bankroll it takes, if it wins by more than its interval."""
        return Bankroll.of(self.ev, self.sd) if self.interval()[0] > 0 else None

    def interval(self) -> tuple[float, float]:
        """Return the ends of the 95 % interval of ``ev``."""
        return self.ev - Z95 * self.stderr, self.ev + Z95 * self.stderr

    def as_json(self) -> dict[str, Any]:
        """Return the score as names and values that JSON can hold."""
        return self._asdict() | {
            "costliest": [mistake._asdict() for mistake in self.costliest],
            "sd": self.sd,
            "bankroll": self.bankroll._asdict() if self.bankroll else None,
        }


def with_exact_value(score: Score, decision: Decision, rules: Rules) -> Score:
    """Add the exact value, and the regret to the best of its class, where the decision has one.

    Raises:
        BlackjackError: if the exact value is above the best, or the simulated one too far from it: one is wrong.
    """
    if not decision.total_dependent:
        return score
    from bj_env.analysis.policy_value import (  # only here: they need numba
        best_total_dependent,
        composition_dependent_ev,
        exact_value,
        mistakes,
    )

    try:
        exact = exact_value(decision, rules).ev
        regret, composition_dependent_regret = (
            best_total_dependent(rules).ev - exact,
            composition_dependent_ev(rules) - exact,
        )
    except RulesError:  # which the solver cannot do exactly
        return score
    telling = rules.penetration == 0 and score.rounds >= TELLING_ROUNDS
    if regret < -ROUNDING or (telling and abs(score.ev - exact) > ALARM * score.stderr):
        raise BlackjackError(
            f"alarm: {score.name} has the exact value {exact:.9f}, its class the best value {exact + regret:.9f}, "
            f"and it played {score.ev:.6f} with standard error {score.stderr:.6f}; one of these is wrong"
        )
    costliest = tuple(mistakes(decision, rules)[:COSTLIEST])
    return score._replace(
        exact_ev=exact, composition_dependent_regret=composition_dependent_regret, regret=regret, costliest=costliest
    )


def check_against_optimum(score: Score, decision: Decision, rules: Rules, seats: int) -> None:
    """Refuse a mean above the value of the composition-dependent optimum: whoever plays so sees what is hidden.

    The optimal value is that of a fresh shoe, so shoes that last over several rounds are not checked. A strategy that
    bets more than the minimum, or sits out, is compared with the best of all bets. The cards of other seats tell
    something, too; `OTHER_CARDS` is more than that is worth.

    Raises:
        BlackjackError: if the mean is above the optimal value by `ALARM` standard errors.
    """
    from bj_env.analysis.policy_value import composition_dependent_ev  # only here: it needs numba

    if rules.penetration or score.rounds < TELLING_ROUNDS:
        return
    try:
        best = composition_dependent_ev(rules)
    except RulesError:  # which the solver cannot do exactly
        return
    if type(decision).bet is not Decision.bet:
        best = max(0.0, best * rules.max_bet / rules.min_bet)
    if seats > 1:
        best += OTHER_CARDS
    if score.ev > best + ALARM * score.stderr:
        raise BlackjackError(
            f"alarm: {score.name} won {score.ev:+.4f} bets a round with standard error {score.stderr:.4f}, and no "
            f"strategy is worth more than {best:+.4f} from a fresh shoe; it sees what is hidden, or the engine is wrong"
        )


class Tally(NamedTuple):
    """What the blocks of one policy add up to.

    Attributes:
        blocks: how many.
        net, difference: what was won, and how much more than by the baseline, in ticks.
        squares, difference_squares: of both, block by block.
        asked, same: how often the policy was asked, and made the best total-dependent decision.
        seconds: how long that took.
    """

    blocks: int = 0
    net: int = 0
    squares: float = 0.0
    difference: int = 0
    difference_squares: float = 0.0
    asked: int = 0
    same: int = 0
    seconds: float = 0.0

    def plus(self, nets: Nets, differences: Nets, asked: int, same: int, seconds: float = 0.0) -> Self:
        """Add some blocks."""
        return type(self)(
            self.blocks + len(nets),
            self.net + int(nets.sum()),
            self.squares + float(np.square(nets, dtype=np.float64).sum()),
            self.difference + int(differences.sum()),
            self.difference_squares + float(np.square(differences, dtype=np.float64).sum()),
            self.asked + asked,
            self.same + same,
            self.seconds + seconds,
        )

    def score(self, name: str, mode: str, unit: int, rounds: int) -> Score:
        """Return the score that it makes, in units of so many ticks a block, which has so many rounds."""
        ev, stderr = _mean(self.blocks, self.net, self.squares)
        difference, difference_stderr = _mean(self.blocks, self.difference, self.difference_squares)
        agreement = self.same / self.asked if self.asked else 1.0
        means = (ev / unit, stderr / unit, difference / unit, difference_stderr / unit)
        played = self.blocks * rounds
        return Score(name, mode, played, *means, agreement, played / self.seconds if self.seconds else 0.0)


def _mean(count: int, total: int, squares: float) -> tuple[float, float]:
    """Return the mean of so many numbers, and its standard error."""
    spread = max(squares - total * (total / count), 0.0)
    return total / count, sqrt(spread / (count - 1) / count)


def times_needed(scores: Sequence[Score], half_width: float) -> float:
    """Return how many times the rounds so far it takes till no interval is wider, by the spread so far."""
    widest = max(max(score.stderr, score.difference_stderr) for score in scores)
    return (Z95 * widest / half_width) ** 2


def blocks_needed(scores: Sequence[Score], half_width: float, done: int) -> int:
    """Return how many blocks it takes till no interval is wider, as far as can be told after so many; ``done`` if none.

    That is Stein's way (1945): the spread so far says how many it takes, and they are played, again if the spread has
    grown. The means have no say in it. A stopped interval holds the truth a little less often than its 95 % say, which
    vanishes as intervals shrink (Chow and Robbins, 1965); with so many first blocks it cannot be measured, see
    ``test_a_stopped_interval_holds_the_truth_as_often_as_it_says``.

    >>> score = Score("x", "rule", 10_000, 0.0, stderr=0.01, difference=0.0, difference_stderr=0.0, agreement=1.0)
    >>> blocks_needed([score], 0.01, 10_000), blocks_needed([score], 0.02, 10_000)
    (39183, 10000)
    """
    share = times_needed(scores, half_width)
    return ceil(done * min(MOST_GROWTH, MARGIN * share)) if share > 1 else done
