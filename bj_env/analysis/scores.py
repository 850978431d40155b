"""Scores: how a policy did, what it is worth exactly and what it loses, and the bankroll that it takes."""

from collections.abc import Sequence
from dataclasses import dataclass, field, fields, replace
from math import ceil, exp, sqrt
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from bj_env.errors import BlackjackError, RulesError
from bj_env.game.decision import Decision
from bj_env.rules.terms import Rules
from bj_env.statistics import Z95, Sums, interval

if TYPE_CHECKING:
    from bj_env.analysis.policy_value import CostlyCell

TELLING_ROUNDS = 1_000
"""From so many rounds on a mean far from the exact value, or above the limit, means that something is wrong."""

ALARMING = 4.5
"""So many standard errors are far: at random one of 150,000 means is as far above its expectation."""

COSTLIEST = 12
"""How many of the costliest mistakes a score keeps."""

ROUNDING = 1e-9
"""By how much rounding may put a value above the best of its class."""

BANKROLL = 1_000
"""The bankroll, in smallest bets, whose risk of ruin is told."""


MARGIN = 1.02
"""Safety margin on the number of rounds, so that a few looks suffice."""

MOST_GROWTH = 30.0
"""No first guess at the standard deviation lets so many times the rounds be played without a second."""

Nets = NDArray[np.int64]
"""What some blocks won, each, in ticks."""


class Bankroll(NamedTuple):
    """What it takes to live on an advantage (Schlesinger, "Blackjack Attack").

    Attributes:
        n0: the rounds after which the expected win is one standard deviation, ``(sd / ev)**2``.
        score: the dollars that 100 rounds bring to a bankroll of 10,000 at the bet that lets it grow fastest, which is
            ``10**6 * (ev / sd)**2``.
        risk_of_ruin: the probability ever to lose `BANKROLL` smallest bets without raising them, ``exp(-2 * ev *
            BANKROLL / sd**2)``.

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


@dataclass(frozen=True)
class Score:
    """How one policy did.

    Attributes:
        name: the policy's.
        mode: ``"greedy"`` or ``"sampled"`` for a learned one, ``"rule"`` for any other.
        rounds: how many it played.
        ev: mean net of a round in bets.
        stderr: its standard error.
        difference: mean net less that of the baseline on the same shoes; 0 for the baseline itself.
        difference_stderr: its standard error.
        agreement: share of its decisions, as often as they came up, that are the best by total, pair and up card.
        exact_ev: the exact value of a round from a fresh shoe; None if it looks at more than its hand and the up card.
        composition_dependent_regret: regret against the composition-dependent optimal value, in bets a round; None
            likewise.
        regret: regret against the total-dependent optimal value, in bets a round; None likewise.
        costliest: its costliest mistakes; none where the exact value is None.
        rounds_per_second: how fast it was played, without compilation; two scores are equal whatever it is.
    """

    name: str
    mode: str
    rounds: int
    ev: float
    stderr: float
    difference: float
    difference_stderr: float
    agreement: float
    exact_ev: float | None = None
    composition_dependent_regret: float | None = None
    regret: float | None = None
    costliest: tuple["CostlyCell", ...] = ()
    rounds_per_second: float | None = field(default=None, compare=False)

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
        return interval(self.ev, self.stderr)

    def as_json(self) -> dict[str, Any]:
        """Return the score as names and values that JSON can hold."""
        values = {each.name: getattr(self, each.name) for each in fields(self)}
        return values | {
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
        regret, above = best_total_dependent(rules).ev - exact, composition_dependent_ev(rules) - exact
    except RulesError:  # which the solver cannot do exactly
        return score
    telling = rules.penetration == 0 and score.rounds >= TELLING_ROUNDS
    if regret < -ROUNDING or (telling and abs(score.ev - exact) > ALARMING * score.stderr):
        raise BlackjackError(
            f"alarm: {score.name} has the exact value {exact:.9f}, its class the best value {exact + regret:.9f}, "
            f"and it played {score.ev:.6f} with standard error {score.stderr:.6f}; one of these is wrong"
        )
    costliest = tuple(mistakes(decision, rules)[:COSTLIEST])
    return replace(
        score,
        exact_ev=exact,
        composition_dependent_regret=above,
        regret=regret,
        costliest=costliest,
    )


def check_limit(score: Score, decision: Decision, rules: Rules, seats: int) -> None:
    """Sound the alarm if a policy won more than any fair one can.

    Args:
        score: of the policy.
        decision: the policy.
        rules: the house's.
        seats: how many there are at the table.

    Raises:
        BlackjackError: if its mean is more than `ALARMING` standard errors above `bj_env.analysis.limit.limit`.
    """
    if score.rounds < TELLING_ROUNDS:
        return
    from bj_env.analysis.limit import limit  # only here: it needs numba

    most = limit(rules, decision, seats)
    if most is not None and score.ev > most + ALARMING * score.stderr:
        raise BlackjackError(
            f"alarm: {score.name} won {100 * score.ev:+.3f} % a round with standard error {100 * score.stderr:.3f} %, "
            f"and no fair play more than {100 * most:+.3f} %: it knows hidden cards, or the engine is wrong"
        )


class Tally(NamedTuple):
    """The sums of one policy.

    Attributes:
        net: of what it won.
        difference: of how much more that is than the baseline won on the same shoes.
        asked, same: how often it was asked, and gave the total-dependent optimal strategy's answer.
        seconds: how long that took.
    """

    net: Sums = Sums()
    difference: Sums = Sums()
    asked: int = 0
    same: int = 0
    seconds: float = 0.0

    def plus(self, nets: Nets, reference: Nets, rounds: int) -> Self:
        """Add the nets of some blocks of so many rounds; ``reference``: those of the baseline."""
        return self._replace(
            net=self.net.plus(nets, None, rounds), difference=self.difference.plus(nets - reference, None, rounds)
        )

    def score(self, name: str, mode: str, unit: int) -> Score:
        """Return the score that it makes, in units of so many ticks a round."""
        return Score(
            name,
            mode,
            rounds=self.net.rounds,
            ev=self.net.mean(unit),
            stderr=self.net.stderr(unit),
            difference=self.difference.mean(unit),
            difference_stderr=self.difference.stderr(unit),
            agreement=self.same / self.asked if self.asked else 1.0,
            rounds_per_second=self.net.rounds / self.seconds if self.seconds else None,
        )


def times_needed(scores: Sequence[Score], half_width: float) -> float:
    """Return how many times the rounds so far it takes till no interval is wider, by the standard deviation so far."""
    widest = max(max(score.stderr, score.difference_stderr) for score in scores)
    return (Z95 * widest / half_width) ** 2


def blocks_needed(scores: Sequence[Score], half_width: float, done: int) -> int:
    """Return how many blocks it takes till no interval is wider, as far as can be told after so many; ``done`` if none.

    That is Stein's way (1945): the standard deviation so far says how many it takes, and they are played, again if it
    has grown. The means have no say in it. A stopped interval contains the true value a little less often than its 95 %
    say, which vanishes as intervals shrink (Chow and Robbins, 1965); with so many first blocks it cannot be measured,
    see ``test_a_stopped_interval_contains_the_true_value_as_often_as_it_says``.

    >>> score = Score("x", "rule", 10_000, 0.0, stderr=0.01, difference=0.0, difference_stderr=0.0, agreement=1.0)
    >>> blocks_needed([score], 0.01, 10_000), blocks_needed([score], 0.02, 10_000)
    (39183, 10000)
    """
    share = times_needed(scores, half_width)
    return ceil(done * min(MOST_GROWTH, MARGIN * share)) if share > 1 else done
