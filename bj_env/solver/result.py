"""`solve` and `evaluate`: the value of a round under the best play and under any given one."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from time import perf_counter
from typing import TYPE_CHECKING, NamedTuple

from bj_env.errors import BlackjackError, RulesError, items_of, shortened
from bj_env.rules.houses import parse_rules, text
from bj_env.rules.numbered import early_surrender_refusal, insurance_refusal, insurance_stake, is_blackjack
from bj_env.rules.terms import DECK, TICKS, Action, Rules, is_whole
from bj_env.solver.exact import Plan, UpcardSolution, best_against, plan_against
from bj_env.solver.hands import VALUES, all_hands, find_hand, hand_text, parse_values
from bj_env.solver.shoe import MOST_POINTS, Composition, composition
from bj_env.solver.splits import SplitPlay
from bj_env.solver.strategy import Strategy, plan, strategy_name
from bj_env.solver.tables import DEALT, SPLIT, hand_limit, house_tables
from bj_env.solver.upcard_state import DEALS
from bj_env.strategies.charts import Chart

if TYPE_CHECKING:
    from bj_env.solver.chart import BestChart

Cards = str | Iterable[int]
"""Cards as text (``"T,6"``) or as values, 1 for an ace."""
Shoe = Composition | str | Iterable[float] | None
"""A composition, or what `bj_env.solver.shoe.composition` makes one of."""


@dataclass(frozen=True, eq=False)
class Solution:
    """The best play for a house and a shoe, and what it is worth, per unit of the initial bet.

    Attributes:
        rules: the house's.
        shoe: what is in the shoe before the deal.
        ev: the value of a round.
        ev_by_upcard: the value of a round given the up card.
        strategy_class: among which strategies this is the best.
        seconds: how long it took.
        against: everything that is known against each up card; its values are unconditional.
    """

    rules: Rules
    shoe: Composition
    ev: float
    ev_by_upcard: Mapping[int, float]
    strategy_class: str
    seconds: float
    against: Mapping[int, UpcardSolution] = field(repr=False)

    def values(self, hand: Cards, upcard: str | int, *, after_split: bool = False) -> dict[Action, float]:
        """Return what each legal action is worth for a hand in turn, after the dealer's peek if there is one.

        Args:
            hand: the cards of the hand.
            upcard: the dealer's.
            after_split: the hand comes from a split, and may not be split again.

        Raises:
            BlackjackError: if the shoe has no such cards, or the hand is bust or has fewer than two cards.
        """
        index, known = self._find(hand, upcard)
        actions = known.after_split if after_split else known.action_values
        rest = known.no_blackjack(index)
        if rest <= 0:
            raise RulesError(f"a dealer who shows {hand_text([known.upcard])} has a blackjack for sure in this shoe")
        return {action: float(actions[index, action] / rest) for action in self._legal(index, after_split)}

    def best(self, hand: Cards, upcard: str | int, *, after_split: bool = False) -> Action:
        """Return the best action for a hand in turn; the first of those that are equally good."""
        values = self.values(hand, upcard, after_split=after_split)
        return max(values, key=lambda action: values[action])

    def early_values(self, hand: Cards, upcard: str | int) -> dict[Action, float]:
        """Return what early surrender and declining it are worth before the dealer looks; empty if not offered."""
        index, known = self._find(hand, upcard)
        blackjack = is_blackjack(int(all_hands().total[index]), int(all_hands().cards[index]), False)
        if index not in DEALS or early_surrender_refusal(self.rules, known.upcard, blackjack):
            return {}
        row = DEALS.index(index)
        return {Action.SURRENDER: known.early_net, Action.DECLINE: float(known.declined[row])}

    def insurance_values(self, hand: Cards, upcard: str | int = "A") -> dict[Action, float]:
        """Return what insurance and declining it are worth, in initial bets; empty if it is not offered."""
        index, known = self._find(hand, upcard)
        stake = insurance_stake(self.rules, self.rules.min_bet * TICKS)
        if index not in DEALS or insurance_refusal(self.rules, known.upcard, stake, False):
            return {}
        return {Action.INSURE: float(known.insurance[DEALS.index(index)]), Action.DECLINE: 0.0}

    def _find(self, hand: Cards, upcard: str | int) -> tuple[int, UpcardSolution]:
        cards, up = to_values(hand), one_value(upcard)
        if len(cards) < 2 or not all(card in VALUES for card in cards):
            raise BlackjackError(f"hand: expected two or more cards, values from 1 to 10, got {hand!r}")
        self.shoe.without((up, *cards))
        return find_hand(cards), self.against[up]

    def _legal(self, hand: int, after_split: bool) -> list[Action]:
        mask = int(house_tables(self.rules).mask[SPLIT if after_split else DEALT, hand])
        pair = int(all_hands().pair[hand])
        if pair and not after_split and hand_limit(self.rules, pair) > 1:
            mask |= 1 << Action.SPLIT
        return [action for action in Action if mask >> action & 1] or [Action.STAND]

    @cached_property
    def best_chart(self) -> "BestChart":
        """The best total-dependent chart, its value and its near-ties."""
        from bj_env.solver.chart import best_chart  # it evaluates charts with this module

        return best_chart(self.rules, self.shoe)

    @cached_property
    def ev_total_dependent(self) -> float:
        """The value of a round under the best total-dependent chart."""
        return self.best_chart.ev

    @property
    def chart(self) -> Chart:
        """The best total-dependent chart."""
        return self.best_chart.chart

    @property
    def plans(self) -> dict[int, Plan]:
        """The best play as a strategy, which `evaluate` takes for another shoe."""
        return {upcard: known.plan for upcard, known in self.against.items()}


def to_values(cards: Cards | int) -> tuple[int, ...]:
    """Return card values, 1 for an ace, of cards given as text or as values.

    >>> to_values("K,6"), to_values(10), to_values([10, 6])
    ((10, 6), (10,), (10, 6))
    """
    if isinstance(cards, str):
        return parse_values(cards)
    if is_whole(cards):
        return (int(cards),)
    return tuple(int(card) if is_whole(card) else 0 for card in items_of("hand", cards, "cards like 'T,6' or (10, 6)"))


def one_value(card: str | int) -> int:
    """Return the value of one card, the up card.

    Raises:
        BlackjackError: if it is no card, or more than one.
    """
    values = to_values(card) if isinstance(card, str) or is_whole(card) else ()
    if len(values) != 1 or values[0] not in VALUES:
        raise BlackjackError(f"up card: expected one card, like 'T' or 10, got {shortened(card)}")
    return values[0]


class Evaluation(NamedTuple):
    """What a given strategy is worth, per unit of the initial bet.

    Attributes:
        rules: the house's.
        shoe: what is in the shoe before the deal.
        strategy: its name.
        ev: the value of a round.
        ev_by_upcard: the value of a round given the up card.
        against: what is known against each up card.
    """

    rules: Rules
    shoe: Composition
    strategy: str
    ev: float
    ev_by_upcard: Mapping[int, float]
    against: Mapping[int, UpcardSolution]


def solve(rules: Rules | str, shoe: Shoe = None, *, how: SplitPlay = SplitPlay.ZERO_MEMORY) -> Solution:
    """Return the best play by composition and its exact value.

    Values are of one round from the given shoe, freshly shuffled, for one seat, per unit of a bet of ``min_bet``
    chips (which matters under WHOLE only); penetration and burnt cards do not change them.

    Args:
        rules: a `Rules`, a house's name or a rule text.
        shoe: what it holds, if not full decks: ten counts for A,2..9,T.
        how: how split hands are played, which is the class of strategies among which the best is found.

    Raises:
        RulesError: if the shoe makes no sense, or the rules cannot be solved exactly; it says why.

    >>> round(solve("infinite").ev, 11)
    -0.00511733637
    """
    start = perf_counter()
    rules = parse_rules(rules)
    cards = composition(rules, shoe)
    check_solvable(rules, cards)
    against = {upcard: best_against(rules, cards, upcard, how) for upcard in upcards(cards)}
    by_upcard = {upcard: known.ev for upcard, known in against.items()}
    ev, within = _mean(cards, by_upcard), strategy_class(rules, cards, how) + small_shoe(rules, cards)
    return Solution(rules, cards, ev, by_upcard, within, perf_counter() - start, against)


def solve_against(
    rules: Rules | str, upcard: str | int, shoe: Shoe = None, *, how: SplitPlay = SplitPlay.ZERO_MEMORY
) -> Solution:
    """Return the best play against one up card alone, at a tenth of the work of `solve`; its ``ev`` is given that card.

    Raises:
        RulesError: as `solve` does, or if the shoe has no such card.

    >>> round(solve_against("infinite", "T").values("T,6", "T")[Action.HIT], 4)
    -0.5398
    """
    start = perf_counter()
    rules, value = parse_rules(rules), one_value(upcard)
    cards = composition(rules, shoe)
    check_solvable(rules, cards)
    cards.without([value])
    known = best_against(rules, cards, value, how)
    within = strategy_class(rules, cards, how) + small_shoe(rules, cards)
    return Solution(rules, cards, known.ev, {value: known.ev}, within, perf_counter() - start, {value: known})


def evaluate(rules: Rules | str, strategy: Strategy | Solution, shoe: Shoe = None) -> Evaluation:
    """Return the exact value of a given strategy.

    A strategy is a `Chart`, the name of a published one, ``"mimic"``, ``"never-bust"``, a function of a
    `bj_env.solver.strategy.Situation`, a table, or a `Solution` (its play is kept, whatever the shoe). Split hands are
    played by their own cards alone; a pair that is split is split again while it may.

    Raises:
        BlackjackError: if the strategy is none, or answers what is not legal; as `solve` otherwise.

    >>> round(evaluate("6D NS NINS D0 SP1", "mimic").ev, 9)
    -0.056756476
    """
    rules = parse_rules(rules)
    cards = composition(rules, shoe)
    check_solvable(rules, cards)
    against = {}
    for upcard in upcards(cards):
        against[upcard] = plan_against(rules, cards, kept_plan(rules, strategy, upcard, cards), upcard)
    by_upcard = {upcard: known.ev for upcard, known in against.items()}
    name = "optimal" if isinstance(strategy, Solution) else strategy_name(strategy)
    return Evaluation(rules, cards, name, _mean(cards, by_upcard), by_upcard, against)


def kept_plan(rules: Rules, strategy: Strategy | Solution, upcard: int, shoe: Composition) -> Plan:
    """Return a strategy's plan against an up card; a solution keeps its own.

    Raises:
        RulesError: if a solution was for a shoe without such a card, or for other rules.
    """
    if not isinstance(strategy, Solution):
        return plan(rules, strategy, upcard, shoe)
    if strategy.rules != rules:
        raise RulesError(f"strategy: a solution plays by its own rules, {text(strategy.rules)}, got {text(rules)}")
    if upcard not in strategy.against:
        raise RulesError(f"strategy: the solution was for a shoe without the up card {hand_text([upcard])}")
    return strategy.against[upcard].plan


def upcards(shoe: Composition) -> list[int]:
    """Return the values that the shoe can turn up."""
    return [value for value in VALUES if shoe.share(value) > 0]


def _mean(shoe: Composition, by_upcard: Mapping[int, float]) -> float:
    return sum(shoe.share(upcard) * ev for upcard, ev in by_upcard.items())


def check_solvable(rules: Rules, shoe: Composition) -> None:
    """Refuse what cannot be done exactly, by name.

    Raises:
        RulesError: saying what, and what to do instead.
    """
    house_tables(rules)
    ten_ranks = shoe.counts[9] % 4
    if rules.split_by and rules.max_hands > 1 and not shoe.replaced and ten_ranks:
        raise RulesError(f"shoe: under SPRANK expected as many T as J, Q and K, got {shoe.counts[9]:g} tens in all")


def strategy_class(rules: Rules, shoe: Composition, how: SplitPlay = SplitPlay.ZERO_MEMORY) -> str:
    """Say among which strategies the solver's is the best, and how far that can be from the best of all.

    >>> strategy_class(Rules(max_hands=1), composition(Rules()))
    'optimal: every decision by the cards of the hand and the up card'
    """
    if rules.max_hands == 1 or shoe.replaced:
        return "optimal: every decision by the cards of the hand and the up card"
    like, cost = _CLASSES[how]
    size = f"about {cost * (DECK / shoe.cards) ** 2:.0e} of a bet"
    return (
        f"optimal by composition, but split hands are played {like}, and a drawn pair is split again while it may;"
        f" exact in this class, which costs {size} against the best play of all"
    )


def small_shoe(rules: Rules, shoe: Composition) -> str:
    """Say that splits could run the shoe out of cards, where so many hands could; nothing else.

    >>> small_shoe(Rules(), composition(Rules()))
    ''
    """
    points = sum(value * count for value, count in zip(VALUES, shoe.counts, strict=True))
    if shoe.replaced or rules.max_hands == 1 or points > MOST_POINTS + _BUST_POINTS * (rules.max_hands - 1):
        return ""
    return "; the shoe is so small that a split could run it out of cards, which is left out of account"


_BUST_POINTS = 30
"""A hand that is finished has at most so many points: 20, and a ten."""
_CLASSES = {
    SplitPlay.ZERO_MEMORY: ("like unsplit ones (zero memory, CDZ-)", 1.4e-5),
    SplitPlay.FIRST_SPLIT: ("as is best after the first split (CDP1)", 8e-6),
    SplitPlay.PAIR_COUNT: ("as is best for the number of cards of the pair that are out (CDP)", 8e-6),
}
"""How split hands are played, and what that costs.

One deck, H17, DAS, two hands: best of all -0.000361000 (Farmer), CDP1 and CDP -0.000369050, CDZ- -0.000374835. With
more decks the difference falls about as 1 / decks**2.
"""
