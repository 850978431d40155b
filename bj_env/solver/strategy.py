"""Strategies as plans: a chart, a decision, a table or a function is asked once about every hand that can come up."""

from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from bj_env.errors import BlackjackError, shortened
from bj_env.game.decision import Decision
from bj_env.game.view import View, total_dependent_view
from bj_env.rules.numbered import early_surrender_refusal, insurance_refusal, insurance_stake, is_blackjack
from bj_env.rules.terms import OFFERS, TICKS, Action, Phase, Rules
from bj_env.solver.exact import Plan
from bj_env.solver.hands import VALUES, Flags, Ints, all_hands, find_hand, hand_index, hand_text
from bj_env.solver.shoe import Composition
from bj_env.solver.tables import DEALT, SPLIT, SPLIT_ACES, hand_limit, house_tables
from bj_env.solver.upcard_state import DEALS
from bj_env.strategies.basic import ChartDecision
from bj_env.strategies.charts import Chart
from bj_env.strategies.registry import strategy as named


class Situation(NamedTuple):
    """What a strategy is asked: a hand against an up card, and what is legal.

    Attributes:
        rules: the house's.
        phase: early surrender, insurance or play.
        hand: the values of the hand's cards, from the highest down.
        total: its total.
        soft: whether an ace counts 11.
        pair: the value of the pair that it is, or 0.
        upcard: the dealer's up card, 1 for an ace.
        mask: the legal actions as bits ``1 << action``.
    """

    rules: Rules
    phase: Phase
    hand: tuple[int, ...]
    total: int
    soft: bool
    pair: int
    upcard: int
    mask: int

    @property
    def legal(self) -> tuple[Action, ...]:
        """The legal actions."""
        return tuple(action for action in Action if self.mask >> action & 1)

    def view(self) -> View:
        """Return it as a total-dependent `Decision` is asked it."""
        return total_dependent_view(
            self.rules,
            self.phase,
            cards=self.hand,
            total=self.total,
            soft=self.soft,
            pair=self.pair,
            upcard=self.upcard,
            legal=self.legal,
        )


Play = Callable[[Situation], Action]
"""A strategy as a function; it may depend on every card of the hand."""
Table = Mapping[tuple[tuple[int, ...], int], Action | Iterable[Action]]
"""A strategy as a table: hand (values from the highest down) and up card to an action, or several in order."""
Strategy = Chart | Decision | str | Play | Table


def strategy_name(strategy: Strategy) -> str:
    """Return what to call a strategy in a report.

    >>> from bj_env.strategies.charts import chart
    >>> strategy_name("mimic"), strategy_name(chart("s17_4to8_das"))
    ('mimic', 's17_4to8_das')
    """
    if isinstance(strategy, str):
        return strategy
    if isinstance(strategy, Chart):
        return strategy.name
    return str(getattr(strategy, "__name__", type(strategy).__name__))


def plan(rules: Rules, strategy: Strategy, upcard: int, shoe: Composition | None = None) -> Plan:
    """Ask a strategy about every hand against an up card.

    Args:
        rules: the house's.
        strategy: a chart or a name (see `bj_env.strategies.registry`) is asked about every total, anything else about
            the hands that it can reach.
        upcard: the dealer's.
        shoe: hands that it cannot deal are not asked about.

    Raises:
        BlackjackError: if it is no strategy, does not know a hand, or answers with what is not legal.
    """
    if isinstance(strategy, str):
        decision = named(strategy)
        chart = decision.chart if isinstance(decision, ChartDecision) else None
        if chart is None:
            return _Asker(rules, _from_decision(decision), upcard).plan(by_total=True)
        strategy = chart
    if isinstance(strategy, Chart):
        return _by_chart(rules, strategy, upcard)
    return _Asker(rules, _as_function(strategy), upcard, shoe).plan(by_total=False)


@lru_cache(maxsize=256)
def _by_chart(rules: Rules, chart: Chart, upcard: int) -> Plan:
    return _Asker(rules, _from_decision(ChartDecision(chart)), upcard).plan(by_total=True)


def _as_function(strategy: Decision | Play | Table) -> Play:
    if isinstance(strategy, Decision):
        return _from_decision(strategy)
    if isinstance(strategy, Mapping):
        return _from_table(strategy)
    if not callable(strategy):
        expected = "expected a Chart, a Decision, a name, a function or a table"
        raise BlackjackError(f"strategy: {expected}, got {shortened(strategy)}")
    return strategy


def _from_decision(decision: Decision) -> Play:
    if not decision.total_dependent:
        name = type(decision).__name__
        raise BlackjackError(f"exact value: expected a total-dependent strategy, got {name}")
    return lambda at: decision.answer(at.view())


def _from_table(table: Table) -> Play:
    """Play the first action of the hand's entry that is legal; decline what is offered unless it is in there."""

    def play(at: Situation) -> Action:
        if (at.hand, at.upcard) not in table:
            raise BlackjackError(f"strategy: expected an entry for {hand_text(at.hand)} against {at.upcard}, got none")
        entry = table[at.hand, at.upcard]
        actions = [entry] if isinstance(entry, Action) else list(entry)
        legal = [action for action in actions if at.mask >> action & 1]
        if at.phase is not Phase.PLAY:
            return legal[0] if legal else Action.DECLINE
        return legal[0] if legal else actions[0]

    return play


class _Asker:
    """Asks a strategy about hands against one up card."""

    def __init__(self, rules: Rules, strategy: Play, upcard: int, shoe: Composition | None = None) -> None:
        self.rules, self.strategy, self.upcard = rules, strategy, upcard
        self.hands, self.masks, self.index = all_hands(), house_tables(rules).mask, list(hand_index())
        self.possible = np.ones(len(self.index), np.bool_)
        if shoe and not shoe.replaced:
            self.possible = np.all(self.hands.counts <= np.array(shoe.without([upcard]).counts), axis=1)

    def ask(self, hand: int, mask: int, phase: Phase = Phase.PLAY) -> Action:
        """Ask about one hand; a hand without a turn stands."""
        if mask == 0:
            return Action.STAND
        total, soft, pair = (int(self.hands.total[hand]), bool(self.hands.soft[hand]), int(self.hands.pair[hand]))
        at = Situation(self.rules, phase, self.index[hand], total, soft, pair, self.upcard, mask)
        action = self.strategy(at)
        if not mask >> action & 1:
            where = f"{hand_text(at.hand)} against {hand_text([self.upcard])}"
            expected = ", ".join(legal.name for legal in at.legal)
            raise BlackjackError(f"strategy: expected one of {expected} for {where}, got {action!r}")
        return action

    def plan(self, by_total: bool) -> Plan:
        """Ask about every hand that can come up; ``by_total``: hands that look the same are asked about once."""
        count = len(self.index)
        choice, nothing = np.zeros((3, count), np.int64), np.zeros(count, np.bool_)
        plan = Plan(choice, np.zeros(11, np.bool_), nothing.copy(), nothing.copy())
        for hand in DEALS:
            if self.possible[hand]:
                self._ask_at_the_deal(hand, plan)
        for origin in (DEALT, SPLIT, SPLIT_ACES):
            choice[origin] = self._by_total(origin) if by_total else self._total_dependent(origin, plan)
        return plan

    def _by_total(self, origin: int) -> Ints:
        """Return the answers for all hands, asking once for those that look the same."""
        first, group = _groups(self.rules, origin)
        return np.array([self.ask(hand, int(self.masks[origin, hand])) for hand in first.tolist()])[group]

    def _total_dependent(self, origin: int, plan: Plan) -> Ints:
        """Return the answers for the hands that the strategy itself can come to."""
        choice, comes_up = np.zeros(len(self.index), np.int64), self._starts(origin, plan)
        for hand in range(DEALS[0], len(self.index)):
            if comes_up[hand] and self.possible[hand]:
                choice[hand] = self.ask(hand, int(self.masks[origin, hand]))
                if choice[hand] == Action.HIT:
                    child = self.hands.child[hand]
                    comes_up[child[child >= 0]] = True
        return choice

    def _starts(self, origin: int, plan: Plan) -> Flags:
        """Tell which hands of two cards there are, as dealt or after a split that the strategy makes."""
        starts = np.zeros(len(self.index), np.bool_)
        if origin == DEALT:
            starts[list(DEALS)] = True
        for value in VALUES:
            if plan.split[value] and origin == (SPLIT_ACES if value == 1 else SPLIT):
                starts[self.hands.child[find_hand((value,))]] = True
        return starts

    def _ask_at_the_deal(self, hand: int, plan: Plan) -> None:
        """Ask whether to split, to surrender early and to insure a hand of two cards; write it into the plan."""
        value = int(self.hands.pair[hand])
        if value and hand_limit(self.rules, value) > 1:
            mask = int(self.masks[DEALT, hand]) | 1 << Action.SPLIT
            plan.split[value] = self.ask(hand, mask) is Action.SPLIT
        blackjack = is_blackjack(int(self.hands.total[hand]), 2, False)
        if early_surrender_refusal(self.rules, self.upcard, blackjack) == 0:
            mask = OFFERS[Phase.EARLY_SURRENDER].mask
            plan.early[hand] = self.ask(hand, mask, Phase.EARLY_SURRENDER) is Action.SURRENDER
        stake = insurance_stake(self.rules, self.rules.min_bet * TICKS)
        if insurance_refusal(self.rules, self.upcard, stake, False) == 0:
            mask = OFFERS[Phase.INSURANCE].mask
            plan.insure[hand] = self.ask(hand, mask, Phase.INSURANCE) is Action.INSURE


@lru_cache(maxsize=64)
def _groups(rules: Rules, origin: int) -> tuple[Ints, Ints]:
    """Return a hand of each group that looks the same by its total, and the group of each hand.

    Hands of fewer than two cards are never asked about: they share the group of the first dealt hand.
    """
    hands = all_hands()
    key = ((hands.total * 2 + hands.soft) * 11 + hands.pair) * 128 + house_tables(rules).mask[origin]
    _, first, group = np.unique(key[DEALS[0] :], return_index=True, return_inverse=True)
    return first + DEALS[0], np.concatenate([np.full(DEALS[0], group[0]), group])
