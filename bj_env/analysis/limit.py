"""The most that any fair policy can win: the alarm of the benchmark compares means with it."""

from bj_env.errors import RulesError
from bj_env.game.decision import Decision
from bj_env.rules.terms import DECK, Rules
from bj_env.strategies.counting import CountingDecision
from bj_env.strategies.saved_policy import LearnedDecision

OTHER_CARDS = 0.01
"""What the cards of other seats in the same round are worth at most, in bets: an allowance, well above what is known of
full tables with a single deck. The solver knows of no other seats."""


SEEN_CARDS = 1.4
"""What all cards seen are worth at most, in bets times the cards left. The mean optimal value of 60 random shoes of one
or two decks is 0.02 to 0.03 with 26 cards left, 0.05 to 0.06 with 16, 0.08 with 12 and 0.13 to 0.15 with 9."""

MOST_SEEN = 0.15
"""No cut card makes them worth more over a whole shoe: with fewer than 9 cards left hardly a round begins."""


def limit(rules: Rules, decision: Decision, seats: int = 1) -> float | None:
    """Return the most that a decision can win a round by what its seat may see, in smallest bets; None if unknown.

    With a fresh shoe for every round that is the composition-dependent optimum, times the best of all bets for a
    decision whose bets vary. With a cut card it is more by an allowance for what the cards seen tell, and unknown for a
    decision whose bets vary.

    >>> from bj_env.rules.houses import parse_rules
    >>> from bj_env.strategies.counting import CountingDecision
    >>> from bj_env.strategies.simple import Mimic
    >>> (
    ...     round(limit(parse_rules("infinite"), Mimic()), 9),
    ...     limit(parse_rules("6D PEN75"), CountingDecision(ramp=((1, 2),))),
    ... )
    (-0.005117336, None)
    """
    from bj_env.analysis.policy_value import composition_dependent_ev  # only here: it needs numba

    varied = bets_vary(decision, rules)
    if rules.penetration and varied:
        return None
    try:
        best = composition_dependent_ev(rules)
    except RulesError:  # the solver does not support the rules
        return None
    if varied:
        best = max(0.0, best * rules.max_bet / rules.min_bet)
    return best + cards_seen(rules) + (OTHER_CARDS if seats > 1 else 0.0)


def cards_seen(rules: Rules) -> float:
    """Return an allowance for what perfect play gains, a round, from all cards seen since the shuffle, in bets.

    It is what is gained at the cut card: the optimal value of a random shoe depends on how many cards are left, and
    hardly on how many there were.

    >>> from bj_env.rules.houses import parse_rules
    >>> [round(cards_seen(parse_rules(text)), 3) for text in ("6D", "6D PEN75", "1D PEN50", "1D PEN99")]
    [0.0, 0.018, 0.054, 0.15]
    """
    if not rules.penetration:
        return 0.0
    left = rules.decks * DECK * (1 - rules.penetration)
    return min(MOST_SEEN, SEEN_CARDS / left)


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
