"""The most that any fair policy can win: the alarm of the benchmark compares means with it."""

from bj_env.errors import RulesError
from bj_env.game.decision import Decision
from bj_env.rules.terms import Rules
from bj_env.strategies.counting import CountingDecision
from bj_env.strategies.saved_policy import LearnedDecision

OTHER_CARDS = 0.01
"""What the cards of other seats in the same round are worth at most, in bets: an allowance, well above what is known of
full tables with a single deck. The solver knows of no other seats."""


def limit(rules: Rules, decision: Decision, seats: int = 1) -> float | None:
    """Return the most that a decision can win a round by what its seat may see, in smallest bets; None if unknown.

    With a fresh shoe for every round that is the composition-dependent optimum, times the best of all bets for a
    decision whose bets vary. With a cut card it is what perfect play and perfect bets win over a whole shoe, which is
    not known here.

    >>> from bj_env.rules.houses import parse_rules
    >>> from bj_env.strategies.simple import Mimic
    >>> round(limit(parse_rules("infinite"), Mimic()), 9), limit(parse_rules("6D PEN75"), Mimic())
    (-0.005117336, None)
    """
    from bj_env.analysis.policy_value import composition_dependent_ev  # only here: it needs numba

    if rules.penetration:
        return None
    try:
        best = composition_dependent_ev(rules)
    except RulesError:  # the solver does not support the rules
        return None
    if bets_vary(decision, rules):
        best = max(0.0, best * rules.max_bet / rules.min_bet)
    return best if seats == 1 else best + OTHER_CARDS


def bets_vary(decision: Decision, rules: Rules) -> bool:
    """Tell whether a decision may bet anything but the house's minimum.

    >>> [bets_vary(player, Rules()) for player in (CountingDecision(), CountingDecision(ramp=((1, 2),)))]
    [False, True]
    """
    if isinstance(decision, CountingDecision):
        return any(multiple != 1 for _, multiple in decision.ramp)
    if isinstance(decision, LearnedDecision):
        return set(decision.profile.bets) != {rules.min_bet}
    return type(decision).bet is not Decision.bet
