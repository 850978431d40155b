"""How a round's net result is spread: mean, standard deviation, and the whole distribution for up to two hands.

All of it is exact for a given play. One hand is easy: the probability of each net is the value of the play if that net
pays 1 and every other 0. The hands of a split share the shoe and the dealer, so two of them are taken together: for
each pair of final hands, what is left of the shoe decides the dealer. Busts are not listed; they are what is left over,
so a hand's value is written as that of a bust, plus a correction for each way to end otherwise.
"""

from collections import defaultdict
from functools import cached_property
from itertools import product
from math import sqrt
from typing import NamedTuple

import numpy as np

from bj_env.errors import RulesError
from bj_env.rules.houses import parse_rules
from bj_env.rules.terms import Action, HoleCard, Rules, SplitBy
from bj_env.solver.dealer import peeked
from bj_env.solver.draws import BLACKJACK, OUTCOMES, dealer_outcomes
from bj_env.solver.exact import Plan, UpcardSolution, plan_against
from bj_env.solver.hands import Floats, Ints, all_hands, find_hand
from bj_env.solver.kernels import compiled, count_paths
from bj_env.solver.result import Shoe, Solution, check_solvable, kept_plan, upcards
from bj_env.solver.shoe import Composition, composition
from bj_env.solver.splits import again_probabilities, split_ends, without_the_value
from bj_env.solver.strategy import Strategy
from bj_env.solver.tables import SPLIT, SPLIT_ACES, hand_limit
from bj_env.solver.upcard_state import DEAL_INDEX, UpcardState, pair_share, upcard_state

_FILLED, _MIXED = 0, 1
"""Two hands whose second cards are both of another value than the pair's, or one of each."""


class Outcome(NamedTuple):
    """The spread of a round's net result in initial bets.

    Attributes:
        mean: the value of a round.
        deviation: the standard deviation.
        distribution: the probability of each net, if no seat can have more than two hands; else None.
    """

    mean: float
    deviation: float
    distribution: dict[float, float] | None


def outcome(rules: Rules | str, strategy: Strategy | Solution, shoe: Shoe = None) -> Outcome:
    """Return how the net result of a round is spread under a strategy (see `bj_env.solver.evaluate`).

    Raises:
        RulesError: if the play insures, or splits tens under SPRANK: these are not done.

    >>> result = outcome("6D NS NINS SP1", "mimic")
    >>> round(result.deviation, 6), result.distribution[1.5].__round__(6)
    (0.977589, 0.045323)
    """
    rules = parse_rules(rules)
    cards = composition(rules, shoe)
    check_solvable(rules, cards)
    mean = square = 0.0
    spread: defaultdict[float, float] | None = defaultdict(float)
    for upcard in upcards(cards):
        round_ = _Round(rules, cards, upcard, kept_plan(rules, strategy, upcard, cards))
        share = cards.share(upcard)
        mean += share * round_.money.ev
        square += share * round_.square()
        distribution = round_.distribution()
        spread = None if distribution is None else spread
        for net, probability in (distribution or {}).items():
            if spread is not None:
                spread[net] += share * probability
    whole = None if spread is None else {net: spread[net] for net in sorted(spread) if spread[net] > 0}
    return Outcome(mean, sqrt(square - mean**2), whole)


class _Round:
    """A round against one up card under a given play."""

    def __init__(self, rules: Rules, shoe: Composition, upcard: int, play: Plan) -> None:
        self.rules, self.shoe, self.upcard, self.play = rules, shoe, upcard, play
        self.state = upcard_state(rules, shoe, upcard)
        self._known_twins: dict[int, _Twins] = {}
        self.money = self._measured(play, None)
        shares = np.where(play.split[all_hands().pair[DEAL_INDEX]], pair_share(self.state), 0.0)
        self.split_deals = self.money.deals * shares
        if (play.insure[DEAL_INDEX] & (self.money.deals > 0)).any():
            raise RulesError("the spread of a play that insures cannot be done; use NINS or a play that declines")
        if self.split_deals[-1] > 0 and rules.split_by == SplitBy.RANK:
            raise RulesError("the spread of a play that splits tens cannot be done under SPRANK; use SPVAL")

    def _measured(self, play: Plan, net: float | None, square: bool = False) -> UpcardSolution:
        def measure(won: Floats) -> Floats:
            return won**2 if net is None else np.asarray(np.abs(won - net) < 1e-9, np.float64)

        money = net is None and not square
        return plan_against(self.rules, self.shoe, play, self.upcard, None if money else measure)

    def _twins(self, value: int) -> "_Twins":
        """Return two hands of a split of this value."""
        if value not in self._known_twins:
            self._known_twins[value] = _Twins(self.state, self.play, value)
        return self._known_twins[value]

    def _pairs(self) -> list[tuple[int, float]]:
        """Return the values of the pairs that are split, and how often."""
        pairs = all_hands().pair[DEAL_INDEX]
        return [(int(pairs[row]), float(deal)) for row, deal in enumerate(self.split_deals) if deal > 0]

    def square(self) -> float:
        """Return the mean square of the net."""
        square = self._measured(self.play, None, square=True).ev
        return square + sum(deal * self._twins(value).cross() for value, deal in self._pairs())

    def distribution(self) -> dict[float, float] | None:
        """Return the probability of each net, or None if a pair can become more than two hands."""
        if any(hand_limit(self.rules, value) > 2 for value, _ in self._pairs()):
            return None
        probabilities: defaultdict[float, float] = defaultdict(float)
        unsplit = self.play._replace(split=np.zeros_like(self.play.split))
        for net in self._nets():
            worth = self._measured(unsplit, net).worth
            probabilities[net] += float((self.money.deals - self.split_deals) @ worth)
        for value, deal in self._pairs():
            for net, probability in self._split_nets(value).items():
                probabilities[net] += deal * probability
        return probabilities

    def _nets(self) -> list[float]:
        tables = self.state.all_tables
        parts = (tables.net, tables.double_net, np.array(tables.losses), np.array([tables.early_net]))
        return [float(net) for net in np.unique(np.concatenate([part.ravel() for part in parts]))]

    def _split_nets(self, value: int) -> dict[float, float]:
        """Return the probability of each net of a split of this value into two hands."""
        nets = self._twins(value).nets()
        blackjack = float(self.money.blackjack[find_hand((value, value))])
        if peeked(self.rules, self.upcard) or self.rules.hole_card == HoleCard.OBO:
            nets[self.state.all_tables.losses.bust_blackjack] += blackjack
        return nets


@compiled
def _add_pairs(joint: Floats, ways: Floats, column: Ints, kind: Ints, union: Ints, probabilities: Floats) -> None:
    """Add the probabilities of all pairs of ends, each in both orders, to ``joint``; ``union`` numbers them by rows."""
    at = 0
    for one in range(ways.shape[0]):
        for two in range(one, ways.shape[0]):
            weight = ways[one] * ways[two]
            again = column[one] + column[two]
            for outcome in range(probabilities.shape[1]):
                probability = weight * probabilities[union[at], outcome]
                joint[again, kind[one], kind[two], outcome] += probability
                if two > one:
                    joint[again, kind[two], kind[one], outcome] += probability
            at += 1


class _Twins:
    """Two hands of one split, taken together.

    A way to end is a hand, with what it pays and what it would pay as a bust, from which it is told apart: the first
    two cards pay as a bust whatever becomes of them, a hand that stands pays its net less that, and so on.
    """

    def __init__(self, state: UpcardState, play: Plan, value: int) -> None:
        self.state, self.value, self.tables = state, value, state.split_tables
        self.limit = hand_limit(state.rules, value)
        hands, start = all_hands(), find_hand((value,))
        choice = play.choice[SPLIT_ACES if value == 1 else SPLIT]
        paths = count_paths(hands, start, choice, value)
        self.kinds: dict[tuple[bytes, bytes], int] = {}
        self.ends: list[tuple[int, int, int, int]] = []
        bust, double_bust = self._bust(double=False), self._bust(double=True)
        first = np.zeros_like(paths[0])
        first[hands.child[start]] = paths[0, hands.child[start]]
        for hand, column in np.argwhere(first):
            self._add(hand, column, 1, bust, None)
        for hand, column in np.argwhere(paths[1]):
            self._add(hand, column, paths[1, hand, column], self.tables.net[SPLIT, hand], bust)
        for hand, column in np.argwhere((choice == Action.DOUBLE)[:, None] & (paths[0] > 0)):
            self._add(hand, column, paths[0, hand, column], double_bust, bust)
        for hand, column in np.argwhere(paths[2]):
            self._add(hand, column, paths[2, hand, column], self.tables.double_net[hand], double_bust)

    def _bust(self, double: bool) -> Floats:
        losses = self.tables.losses
        plain, beaten = (
            (losses.double_bust, losses.double_bust_blackjack) if double else (losses.bust, losses.bust_blackjack)
        )
        return np.array([plain] * BLACKJACK + [beaten])

    def _add(self, hand: int, column: int, ways: int, pays: Floats, less: Floats | None) -> None:
        key = pays.tobytes(), b"" if less is None else less.tobytes()
        self.ends.append((hand, column, int(ways), self.kinds.setdefault(key, len(self.kinds))))

    def _signed(self) -> list[tuple[Floats, Floats | None]]:
        """Return what each kind of end pays, and what it pays less."""
        return [(np.frombuffer(pays), np.frombuffer(less) if less else None) for pays, less in self.kinds]

    @cached_property
    def joint(self) -> Floats:
        """The weight of two kinds of ends and an outcome of the dealer, ``[A, columns, kind, kind, 7]``.

        First axis: how many other cards of the value are out, from 0. Columns: how many of the two hands drew it again.
        """
        hand, column, ways, kind = np.array(self.ends).T
        counts = all_hands().counts[hand]
        key = counts @ (23 ** np.arange(10))
        one, two = np.triu_indices(len(hand))
        _, first, union = np.unique(key[one] + key[two], return_index=True, return_inverse=True)
        both = counts[one[first]] + counts[two[first]]
        kinds, most = len(self.kinds), 2 * self.limit - 3
        joint = np.zeros((most, 3, kinds, kinds, OUTCOMES))
        for out in range(most):
            if self.state.step == 0 and out > 0:
                joint[out] = joint[0]
            else:
                _add_pairs(joint[out], ways.astype(np.float64), column, kind, union, self._chances(both, out))
        return joint

    def _chances(self, both: Ints, out: int) -> Floats:
        """Return the probability of one order of the cards of two hands, and of each outcome of the dealer then."""
        state, value = self.state, self.value - 1
        left = state.base.copy()
        left[value] -= state.step * (2 + out)
        drawn = both.copy()
        drawn[:, value] -= 2
        if left[value] < 0:
            return np.zeros((len(both), OUTCOMES))
        orders = _falling(left.sum(), state.step)[drawn.sum(axis=1)]
        probability = np.where(orders > 0, 1.0, 0.0) / np.where(orders > 0, orders, 1.0)
        for index in range(10):
            probability *= _falling(left[index], state.step)[drawn[:, index]]
        outcomes = dealer_outcomes(state.tree, np.maximum(left - state.step * drawn, 0.0), state.step, state.hole)
        if peeked(state.rules, state.upcard) or state.rules.hole_card == HoleCard.OBO:
            outcomes[:, BLACKJACK] = 0.0  # settled apart
        return np.asarray(probability[:, None] * outcomes)

    def cross(self) -> float:
        """Return the mean of the products of the nets of any two hands, each pair counted twice."""
        worth = np.array([pays - (0.0 if less is None else less) for pays, less in self._signed()])
        products = np.einsum("acklo,ko,lo->ac", self.joint, worth, worth)
        again = again_probabilities(
            len(products) + 1, self.state.base[self.value - 1], self.state.base.sum(), self.state.step
        )
        known = without_the_value(again, np.concatenate([np.zeros((1, 3)), products]))
        ends = split_ends(self.limit, again)
        return sum(
            float(probability) * _pairs_of(known, again, int(count), int(filled)) for probability, count, filled in ends
        )

    def nets(self) -> defaultdict[float, float]:
        """Return the probability of each net of two hands, dealer blackjacks that are settled apart left out."""
        joint = self.joint[0].sum(axis=0)
        nets: defaultdict[float, float] = defaultdict(float)
        for (one, (pays, less)), (two, (pays_two, less_two)) in product(enumerate(self._signed()), repeat=2):
            for outcome in range(OUTCOMES):
                weight = float(joint[one, two, outcome])
                for mine, sign in ((pays, 1), (less, -1)):
                    for others, other_sign in ((pays_two, 1), (less_two, -1)):
                        if mine is not None and others is not None and weight:
                            nets[float(mine[outcome] + others[outcome])] += sign * other_sign * weight
        return nets


def _falling(count: float, step: float) -> Floats:
    """Return the products count, count * (count - step), ... of 0 to 45 factors, 0 from where it runs out."""
    factors = np.maximum(count - step * np.arange(45), 0.0)
    return np.concatenate([[1.0], np.cumprod(factors)])


def _pairs_of(known: Floats, again: Floats, count: int, filled: int) -> float:
    """Add up the products over ordered pairs of ``count`` hands, ``filled`` of them by another value."""
    out, rest = count - 1, count - filled
    total = 0.0
    if filled > 1:
        probability = (1 - again[out, filled - 2]) * (1 - again[out, filled - 1])
        total += filled * (filled - 1) * known[out, filled - 2, _FILLED] / probability
    if filled and rest:
        mixed = known[out, filled - 1, _FILLED] + known[out, filled - 1, _MIXED] / 2
        total += 2 * filled * rest * mixed / (1 - again[out, filled - 1])
    if rest > 1:
        total += rest * (rest - 1) * known[out, filled].sum()
    return float(total)
