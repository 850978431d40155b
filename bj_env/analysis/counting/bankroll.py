"""What a win rate and a standard deviation mean for a bankroll: SCORE, N0, ruin, growth, the bankroll a risk needs.

All take ``win`` and ``sd`` per round and amounts of money in one unit. All but `log_growth` treat the bankroll as a
Brownian motion with drift: right while a single bet is a small part of it, and for fixed bets that are not lowered
as the bankroll shrinks.
"""

from math import exp, expm1, inf, log, sqrt
from statistics import NormalDist

from bj_env.errors import BlackjackError

_PHI = NormalDist().cdf


def score(win: float, sd: float) -> float:
    """Return dollars per 100 rounds for $10,000 at a 13.5 % risk of ruin: ``10**6 (win / sd)**2``; 0 for a loser.

    13.5 % is ``exp(-2)``, the ruin of full Kelly bets that are never resized, where the bankroll is ``sd**2 / win``
    (D. Schlesinger, "Blackjack Attack", chapter 10; www.qfit.com/book/ModernBlackjackPage99.htm).

    >>> round(score(0.02, 2.0), 6)
    100.0
    """
    return 1e6 * (win / sd) ** 2 if win > 0 else 0.0


def desirability(win: float, sd: float) -> float:
    """Return the desirability index (DI): ``1000 win / sd``, the square root of SCORE."""
    return 1000 * win / sd


def n0(win: float, sd: float) -> float:
    """Return the rounds after which the mean win is one standard deviation (B. Harris); infinite for a loser."""
    return (sd / win) ** 2 if win > 0 else inf


def certainty_equivalent(win: float, sd: float, bankroll: float, kelly: float = 1.0) -> float:
    """Return the sure income a round for which a ``kelly`` fraction bettor would give the game up.

    ``win - sd**2 / (2 kelly bankroll)``.

    >>> round(certainty_equivalent(0.02, 2.0, 200), 9)  # at full Kelly: half the win rate
    0.01
    """
    return win - sd**2 / (2 * kelly * _positive("bankroll", bankroll))


def log_growth(win: float, sd: float, bankroll: float) -> float:
    """Return the mean log growth of the bankroll a round, to second order (R. Canjar).

    ``f (win - f (sd**2 + win**2) / 2)``, f the unit's part of the bankroll. It stops being right where a bet is more
    than some percent of the bankroll.
    """
    fraction = 1 / _positive("bankroll", bankroll)
    return fraction * (win - fraction * (sd**2 + win**2) / 2)


def risk_of_ruin(win: float, sd: float, bankroll: float) -> float:
    """Return the chance ever to lose a bankroll: ``exp(-2 win bankroll / sd**2)``; 1 for a loser.

    >>> round(risk_of_ruin(0.02, 2.0, 200), 4)
    0.1353
    """
    return exp(-2 * win * _positive("bankroll", bankroll) / sd**2) if win > 0 else 1.0


def trip_ruin(win: float, sd: float, bankroll: float, rounds: float) -> float:
    """Return the chance to lose a bankroll within so many rounds: first passage of a Brownian motion.

    ``Phi((-B - w n) / (s sqrt n)) + exp(-2 w B / s**2) Phi((-B + w n) / (s sqrt n))`` (D. Schlesinger, "Blackjack
    Attack", p. 132).

    >>> trip_ruin(0.02, 2.0, 200, 1e12) == risk_of_ruin(0.02, 2.0, 200)
    True
    """
    _positive("bankroll", bankroll)
    root, drift = sd * sqrt(_positive("rounds", rounds)), win * rounds
    reflected = _PHI((drift - bankroll) / root)
    weight = -2 * win * bankroll / sd**2
    back = exp(weight + log(reflected)) if reflected > 0 else 0.0
    return min(1.0, _PHI((-bankroll - drift) / root) + back)


def ruin_before_goal(win: float, sd: float, bankroll: float, goal: float) -> float:
    """Return the chance to lose a bankroll before ``goal`` more than it is won (M. Hall, Blackjack Review).

    ``(1 - S**b) / (1 - S**(a + b))`` with ``S = P / (1 - P)``, ``P = 1/2 + win / (2 q)``, ``q**2 = sd**2 + win**2``,
    ``a`` and ``b`` the bankroll and the goal divided by q. His example gives 9.0 % with P rounded to 0.5038 and 8.9 %
    without.

    >>> round(ruin_before_goal(0.0151, sqrt(3.887 - 0.0151**2), 300, 300), 3)
    0.089
    """
    step = sqrt(sd**2 + win**2)
    chance = 0.5 + win / (2 * step)
    odds = chance / (1 - chance)
    steps, target = _positive("bankroll", bankroll) / step, _positive("goal", goal) / step
    if win == 0:
        return target / (steps + target)
    log_odds = log(odds)
    if log_odds * (steps + target) > 700:
        return exp(-steps * log_odds)
    return expm1(target * log_odds) / expm1((steps + target) * log_odds)


def bankroll_for(win: float, sd: float, risk: float) -> float:
    """Return the bankroll that a risk of ruin needs: ``-sd**2 ln(risk) / (2 win)``; infinite for a loser.

    >>> round(bankroll_for(0.02, 2.0, 0.01))
    461
    """
    if not 0 < risk < 1:
        raise BlackjackError(f"risk of ruin: expected a number between 0 and 1, got {risk!r}")
    return -(sd**2) * log(risk) / (2 * win) if win > 0 else inf


def chance_to_fall_to(part: float, kelly: float = 1.0) -> float:
    """Return the chance that proportional ``kelly`` bets ever bring a bankroll down to a part of itself.

    ``part ** (2 / kelly - 1)`` (W. Chin and M. Ingenoso, 2006).

    >>> chance_to_fall_to(0.5), chance_to_fall_to(0.5, 0.5)
    (0.5, 0.125)
    """
    if not 0 < part <= 1 or not 0 < kelly < 2:
        raise BlackjackError(f"kelly: expected a part from 0 to 1 and a fraction from 0 to 2, got {part!r}, {kelly!r}")
    return float(part ** (2 / kelly - 1))


def _positive(name: str, number: float) -> float:
    if not 0 < number < inf:
        raise BlackjackError(f"{name}: expected a number above 0, got {number!r}")
    return number
