"""The coach: what each action is worth, given all that is face up, and how good an answer was."""

from collections.abc import Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from bj_env.errors import BlackjackError, RulesError
from bj_env.game.view import View
from bj_env.rules.terms import Action, Phase, Rules
from bj_env.strategies.count_systems import count_from

if TYPE_CHECKING:
    from bj_env.solver.result import Solution
    from bj_env.solver.shoe import Composition

CENTI_BET = 0.01
"""From what loss on, in bets, a mistake is called a costly one."""


class Advice(NamedTuple):
    """What the legal actions are worth.

    Attributes:
        values: in units of the bet, the best first.
        counted: whether the cards that were seen are taken into account, or a full shoe is.

    >>> Advice({Action.STAND: -0.54, Action.HIT: -0.53}).best.name
    'HIT'
    """

    values: Mapping[Action, float]
    counted: bool = True

    @property
    def best(self) -> Action:
        """The best action."""
        return max(self.values, key=lambda action: self.values[action])

    def cost(self, action: Action) -> float:
        """Return what an action is worth less than the best one, in units of the bet."""
        return self.values[self.best] - self.values[action]

    def grade(self, action: Action) -> str:
        """Say how good an action was: ``"best"``, ``"near"`` or ``"mistake"``."""
        return grade(self.cost(action))


def grade(cost: float) -> str:
    """Say how good an action was that cost so much, in units of the bet.

    >>> grade(0), grade(0.004), grade(0.05)
    ('best', 'near', 'mistake')
    """
    return "best" if cost <= 0 else "near" if cost < CENTI_BET else "mistake"


def advise(view: View) -> Advice:
    """Return what each action is worth to a seat that has seen every card that was face up since the shuffle.

    Values are the solver's: exact by composition, a split in its zero-memory class (`bj_env.solver`). Splitting a hand
    of a split once more is valued as if it were the first split. Where tens are pairs by rank, the solver takes no
    shoe with more of one ten than of another; the values are those of a full shoe then.

    Raises:
        BlackjackError: if nothing but a bet is asked, or if the solver cannot work these rules out.
    """
    from bj_env.solver.shoe import composition  # the solver is imported only where it is used: it needs numba

    if view.upcard is None or not view.legal:
        raise BlackjackError("advice: expected a hand against an up card, got none")
    upcard, hand, rules = view.upcard.value, tuple(card.value for card in view.cards), view.rules
    if rules.round_payouts:  # what is rounded down to whole chips depends on the bet
        rules = rules._replace(min_bet=int(view.bet), max_bet=int(view.bet))
    shoe = left = unseen(view, hand)
    try:
        solution = _solution(rules, shoe, upcard)
    except RulesError:
        shoe = composition(rules)
        solution = _solution(rules, shoe, upcard)
    if view.phase is Phase.INSURANCE:
        values = solution.insurance_values(hand, upcard)
    elif view.phase is Phase.EARLY_SURRENDER:
        values = solution.early_values(hand, upcard)
    else:
        values = _play_values(solution, hand, upcard, split=len(view.hands[view.seat]) > 1)
    legal = {action: values[action] for action in view.legal if action in values}
    return Advice(dict(sorted(legal.items(), key=lambda item: -item[1])), counted=shoe == left)


def _play_values(solution: "Solution", hand: tuple[int, ...], upcard: int, *, split: bool) -> dict[Action, float]:
    if not split:
        return solution.values(hand, upcard)
    values = solution.values(hand, upcard, after_split=True)
    if len(hand) == 2 and hand[0] == hand[1] and solution.rules.max_hands > 1:
        again = solution.values(hand, upcard)
        if Action.SPLIT in again:
            values[Action.SPLIT] = again[Action.SPLIT]
    return values


def unseen(view: View, hand: tuple[int, ...]) -> "Composition":
    """Return the shoe as the solver asks for it: all that was not face up, the hand in question and the up card."""
    from bj_env.solver.shoe import composition

    full = composition(view.rules)
    if full.replaced or view.upcard is None:
        return full
    counts = [count - seen for count, seen in zip(full.counts, view.seen[1:], strict=True)]
    for value in (*hand, view.upcard.value):
        counts[value - 1] += 1
    return full._replace(counts=tuple(counts))


@lru_cache(maxsize=128)
def _solution(rules: Rules, shoe: "Composition", upcard: int) -> "Solution":
    from bj_env.solver.result import solve_against

    return solve_against(rules, upcard, shoe)


class Counted(NamedTuple):
    """The running and the true count of all that was face up since the shuffle."""

    running: float
    true: float


def counted(view: View, system: str = "hi-lo") -> Counted | None:
    """Return the count by a system; None for an infinite shoe, which has none."""
    if view.rules.decks == 0:
        return None
    count = count_from(system)
    return Counted(count.system.running(view.rules.decks, view.seen), count.true(view.rules, view.seen))
