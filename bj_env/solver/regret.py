"""What a strategy loses to the best play, exactly, and where: its costliest mistakes.

The value of the best play less that of a strategy is the sum over all hands of how often the strategy reaches a hand,
times what its action there is worth less than the best one, the rest of the hand played at its best. (Kakade and
Langford, 2002, lemma 6.1: the performance difference.) What goes wrong after a split is one sum for each pair.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from bj_env.rules.houses import parse_rules
from bj_env.rules.terms import Action, Phase, Rules
from bj_env.solver.exact import Plan, UpcardSolution, plan_against
from bj_env.solver.hands import Floats, all_hands, hand_index
from bj_env.solver.kernels import ACTIONS, weigh
from bj_env.solver.result import Shoe, Solution, solve
from bj_env.solver.strategy import Strategy, plan
from bj_env.solver.tables import DEALT
from bj_env.solver.upcard_state import DEAL_INDEX, DEALS, pair_share, upcard_state

_SAME = 1e-13


class Mistake(NamedTuple):
    """A decision that costs something.

    Attributes:
        hand: its card values, from the highest down.
        upcard: the dealer's.
        phase: what was asked.
        played: what the strategy does; SPLIT where the loss lies in how the split hands are played.
        best: what is best; SPLIT likewise.
        often: how often it comes up in a round.
        cost: what it costs per round, in initial bets; below 0 where split hands are played better than like unsplit
            ones, as the best play of the solver's class does.
    """

    hand: tuple[int, ...]
    upcard: int
    phase: Phase
    played: Action
    best: Action
    often: float
    cost: float


class Regret(NamedTuple):
    """What a strategy loses.

    Attributes:
        ev: what it is worth.
        best: what the best play by composition is worth (see its `Solution` for the class).
        mistakes: the costliest first; their costs add up to ``best - ev``.
    """

    ev: float
    best: float
    mistakes: tuple[Mistake, ...]


def regret(rules: Rules | str, strategy: Strategy, shoe: Shoe = None) -> Regret:
    """Return what a strategy loses to the best play, and where.

    >>> found = regret("6D NS NINS", "s17_4to8_das")
    >>> found.mistakes[0].hand, found.mistakes[0].upcard, found.mistakes[0].best.name
    ((7, 5, 4), 10, 'STAND')
    >>> bool(abs(sum(m.cost for m in found.mistakes) - (found.best - found.ev)) < 1e-12)
    True
    """
    rules = parse_rules(rules)
    solution = solve(rules, shoe)
    mistakes: list[Mistake] = []
    ev = 0.0
    for upcard, best in solution.against.items():
        course = _Course(solution, best, plan(rules, strategy, upcard, solution.shoe))
        share = solution.shoe.share(upcard)
        ev += share * course.played.ev
        mistakes += (m._replace(often=share * m.often, cost=share * m.cost) for m in course.mistakes())
    mistakes.sort(key=lambda mistake: -mistake.cost)
    return Regret(ev, solution.ev, tuple(mistakes))


class _Course:
    """The course of a strategy against one up card, beside the best play."""

    def __init__(self, solution: Solution, best: UpcardSolution, mine: Plan) -> None:
        self.state = upcard_state(solution.rules, solution.shoe, best.upcard)
        self.best, self.mine = best, mine
        self.played = plan_against(solution.rules, solution.shoe, mine, best.upcard)
        hands = all_hands()
        self.share = np.where(mine.split[hands.pair[DEAL_INDEX]], pair_share(self.state), 0.0)
        self.often = self._often()

    def _often(self) -> Floats:
        """Return how often each hand comes up and is not split."""
        hands, state = all_hands(), self.state
        often = np.zeros(len(hands.total))
        often[DEAL_INDEX] = self.best.deals * (1 - self.share) * ~self.mine.early[DEAL_INDEX]
        cells, nothing = np.zeros((2, 22, 32, ACTIONS + 1)), np.zeros_like(state.tables.mask[DEALT])
        weigh(hands, state.base, state.step, self.mine.choice[DEALT], nothing, self.best.action_values, often, cells)
        return often

    def _best_action(self, hand: int) -> Action:
        pair = int(all_hands().pair[hand])
        unsplit = Action(int(self.best.plan.choice[DEALT, hand]))
        return Action.SPLIT if pair and self.best.plan.split[pair] else unsplit

    def _best_value(self, hand: int) -> float:
        """Return what a hand that is not split is worth at its best: a pair could be split, two tens perhaps not."""
        values, plan, pair = self.best.action_values[hand], self.best.plan, int(all_hands().pair[hand])
        unsplit = float(values[plan.choice[DEALT, hand]])
        if not pair or not plan.split[pair] or self.mine.split[pair]:
            return unsplit
        share = float(pair_share(self.state)[DEALS.index(hand)])
        return (1 - share) * unsplit + share * float(values[Action.SPLIT])

    def mistakes(self) -> Iterator[Mistake]:
        """Yield every mistake, given the up card."""
        yield from self._in_play()
        for row, hand in enumerate(DEALS):
            if self.best.deals[row] > 0:
                yield from self._at_the_deal(row, hand)

    def _in_play(self) -> Iterator[Mistake]:
        values, index = self.best.action_values, list(hand_index())
        for hand in np.flatnonzero(self.often * (self.state.tables.mask[DEALT] != 0) > 0).tolist():
            played, often = Action(int(self.mine.choice[DEALT, hand])), float(self.often[hand])
            cost = often * (self._best_value(hand) - float(values[hand, played]))
            if cost > _SAME:
                yield Mistake(index[hand], self.best.upcard, Phase.PLAY, played, self._best_action(hand), often, cost)

    def _at_the_deal(self, row: int, hand: int) -> Iterator[Mistake]:
        """Yield what is lost by early surrender, insurance and splits."""
        best, mine, often = self.best, self.mine, float(self.best.deals[row])
        cards = list(hand_index())[hand]
        if mine.early[hand] or best.plan.early[hand]:
            cost = often * float(best.worth[row] - (best.early_net if mine.early[hand] else best.declined[row]))
            answers = (Action.SURRENDER, Action.DECLINE) if mine.early[hand] else (Action.DECLINE, Action.SURRENDER)
            if cost > _SAME:
                yield Mistake(cards, best.upcard, Phase.EARLY_SURRENDER, *answers, often, cost)
        if mine.early[hand]:
            return
        if mine.insure[hand] != best.plan.insure[hand]:
            answers = (Action.INSURE, Action.DECLINE) if mine.insure[hand] else (Action.DECLINE, Action.INSURE)
            cost = often * abs(float(best.insurance[row]))
            yield Mistake(cards, best.upcard, Phase.INSURANCE, *answers, often, cost)
        if self.share[row] > 0:
            yield from self._split(row, hand, cards)

    def _split(self, row: int, hand: int, cards: tuple[int, ...]) -> Iterator[Mistake]:
        often = float(self.best.deals[row] * self.share[row])
        values, split = self.best.action_values[hand], Action.SPLIT
        best = self._best_action(hand)
        for better, cost in (
            (best, values[best] - values[split]),
            (split, values[split] - self.played.action_values[hand, split]),
        ):
            if abs(often * cost) > _SAME:
                yield Mistake(cards, self.best.upcard, Phase.PLAY, split, better, often, float(often * cost))
