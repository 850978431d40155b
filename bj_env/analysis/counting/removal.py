"""Effects of removal on a decision: what one card more or less changes in the gain of an action over another."""

from collections.abc import Sequence
from typing import NamedTuple

from bj_env.analysis.counting.efficiencies import correlation
from bj_env.errors import BlackjackError, choices
from bj_env.rules.houses import parse_rules
from bj_env.rules.terms import Action, Rules
from bj_env.solver.exact import best_against
from bj_env.solver.hands import VALUES, find_hand, hand_text
from bj_env.solver.result import Cards, Shoe, one_value, solve_against, to_values
from bj_env.solver.shoe import Composition, composition


class DecisionEffects(NamedTuple):
    """How the gain of an action over another depends on the cards left.

    Attributes:
        hand, upcard: where the decision is, as text.
        action, instead: the two actions.
        gain: what the first gains in a full shoe, in bets, after the dealer's peek.
        effects: what removing one card of each value A,2..9,T changes, in bets.
    """

    hand: str
    upcard: str
    action: Action
    instead: Action
    gain: float
    effects: tuple[float, ...]

    def correlation(self, tags: Sequence[float]) -> float:
        """Return the correlation of a count's ten tags with the effects."""
        return correlation(tags, self.effects)


def decision_effects(
    rules: Rules | str, hand: Cards, upcard: str | int, action: Action, instead: Action, shoe: Shoe = None
) -> DecisionEffects:
    """Return exact effects of removal on a decision.

    The hand is dealt from the shoe without the removed card.

    Raises:
        BlackjackError: if the hand cannot be, or an action is not legal for it.

    >>> found = decision_effects("6D S17 DAS LS", "T,6", "T", Action.STAND, Action.HIT)
    >>> round(100 * found.gain, 6), [round(100 * effect, 3) for effect in found.effects[4:6]]
    (-0.627888, [0.426, -0.288])
    """
    rules = parse_rules(rules)
    cards, up, full = to_values(hand), one_value(upcard), composition(rules, shoe)
    legal = solve_against(rules, up, full).values(cards, up)
    for name, given in (("action", action), ("instead", instead)):
        if given not in legal:
            expected = choices(str(given), [other.name for other in legal])
            raise BlackjackError(f"{name}: {getattr(given, 'name', given)} is not legal for this hand; {expected}")

    def gain(cards_left: Composition) -> float:
        return gain_at(rules, cards_left, cards, up, action, instead)

    before = gain(full)
    effects = tuple(gain(full.without([value])) - before for value in VALUES)
    return DecisionEffects(hand_text(cards), hand_text([up]), action, instead, before, effects)


def gain_at(
    rules: Rules, shoe: Composition, cards: Sequence[int], upcard: int, action: Action, instead: Action
) -> float:
    """Return what an action gains over another for a hand dealt from a shoe, in bets, after the dealer's peek."""
    known, found = best_against(rules, shoe, upcard), find_hand(cards)
    values = known.action_values[found]
    return float(values[action] - values[instead]) / known.no_blackjack(found)
