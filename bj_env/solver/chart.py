"""The best total-dependent chart for any rules, found by exact improvement, and where it is not quite the best play.

A hand passes through a cell of the chart at most once: totals only rise, and a soft hand that turns hard stays hard. So
with all other cells fixed, the value of a round is linear in what one cell says, and one pass over all hands tells the
exact gain of every change of one cell. Passes are repeated until no cell wants to change. Up cards do not mix.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from bj_env.rules.houses import parse_rules, text
from bj_env.rules.numbered import early_surrender_refusal
from bj_env.rules.terms import Action, Rules
from bj_env.solver.draws import BLACKJACK, cards_left
from bj_env.solver.exact import Plan, UpcardSolution, best_against, plan_against
from bj_env.solver.hands import VALUES, Floats, all_hands, find_hand, hand_index
from bj_env.solver.kernels import (
    ACTIONS,
    ALL_ACTIONS,
    play,
    reached,
    weigh,
)
from bj_env.solver.shoe import Composition, composition
from bj_env.solver.splits import split_weights
from bj_env.solver.strategy import Strategy, plan
from bj_env.solver.tables import DEALT, SPLIT, SPLIT_ACES, hand_limit
from bj_env.solver.upcard_state import DEALS, pair_share, settled_net, upcard_state
from bj_env.strategies.charts import Chart, Code, build, chart, chart_action

_START = "s17_4to8_das"
NEAR = 1e-4
"""Closer than this, per hand that comes up in the cell, two codes are called nearly equal."""
_SAME = 1e-13
_TOTAL_CODES = (
    Code.STAND,
    Code.HIT,
    Code.DOUBLE_ELSE_HIT,
    Code.DOUBLE_ELSE_STAND,
    Code.SURRENDER_ELSE_HIT,
    Code.SURRENDER_ELSE_STAND,
)
_PAIR_CODES = (Code.AS_TOTAL, Code.SPLIT, Code.SURRENDER_ELSE_SPLIT, *_TOTAL_CODES)
Cell = tuple[str, int]
"""A cell of a column: hard, soft or pair, and the total or the pair's value."""
_TOTALS: tuple[Cell, ...] = (
    *(("hard", total) for total in range(4, 22)),
    *(("soft", total) for total in range(12, 22)),
)
_PAIRS: tuple[Cell, ...] = tuple(("pair", value) for value in VALUES)


class CodeTie(NamedTuple):
    """Two codes that are nearly equal in a cell; ``margin`` per hand that comes up there."""

    cell: Cell
    upcard: int
    code: Code
    other: Code
    margin: float


class HandException(NamedTuple):
    """A hand that is better played otherwise than its total; ``gain`` per hand."""

    hand: tuple[int, ...]
    upcard: int
    chart: Action
    best: Action
    gain: float


class BestChart(NamedTuple):
    """The best total-dependent chart, its value, and its cells in which another code is nearly as good."""

    chart: Chart
    ev: float
    near_ties: tuple[CodeTie, ...]


def best_chart(rules: Rules | str, shoe: Composition | None = None) -> BestChart:
    """Return the best total-dependent chart: no change of a single cell makes it better.

    >>> round(best_chart(Rules(decks=0, max_hands=1)).ev, 6)
    -0.009936
    """
    rules = parse_rules(rules)
    cards = composition(rules, shoe)
    columns = {value: _Column(rules, cards, value).best() for value in VALUES if cards.share(value) > 0}
    rows: dict[Cell, tuple[Code, ...]] = {}
    for cell in (*_TOTALS, *_PAIRS):
        rows[cell] = tuple(columns[up].codes[cell] if up in columns else Code.STAND for up in VALUES)
    ev = sum(cards.share(upcard) * column.ev for upcard, column in columns.items())
    ties = (tie for column in columns.values() for tie in column.near_ties)
    return BestChart(build(f"best for {text(rules)}", rows), ev, tuple(sorted(ties, key=lambda tie: tie.margin)))


def exceptions(
    rules: Rules | str, strategy: Strategy, shoe: Composition | None = None, *, cards: int = 2
) -> list[HandException]:
    """Return the hands of up to ``cards`` cards that the best play by composition plays otherwise than a strategy.

    >>> from bj_env.rules.houses import parse
    >>> [(found.hand, found.upcard, found.best.name) for found in exceptions(parse("6D NS"), "s17_4to8_das")]
    [((10, 2), 4, 'HIT')]
    """
    found = []
    rules = parse_rules(rules)
    decks = composition(rules, shoe)
    for upcard in (value for value in VALUES if decks.share(value) > 0):
        best = best_against(rules, decks, upcard)
        found += list(_exceptions(rules, best, plan(rules, strategy, upcard, decks), cards))
    return sorted(found, key=lambda exception: -exception.gain)


def _exceptions(rules: Rules, best: UpcardSolution, by_total: Plan, cards: int) -> Iterator[HandException]:
    hands = all_hands()
    comes_up, _ = reached(hands, by_total.choice[DEALT], np.array(DEALS))
    for values, hand in hand_index().items():
        if not comes_up[hand] or not best.possible[hand] or hands.cards[hand] > cards:
            continue
        played, optimal = (_played(plan, hand) for plan in (by_total, best.plan))
        gain = best.action_values[hand, optimal] - best.action_values[hand, played]
        if played != optimal and gain > _SAME:
            yield HandException(values, best.upcard, played, optimal, float(gain / best.no_blackjack(hand)))


def _played(plan: Plan, hand: int) -> Action:
    pair = int(all_hands().pair[hand])
    return Action.SPLIT if pair and plan.split[pair] else Action(int(plan.choice[DEALT, hand]))


class _Found(NamedTuple):
    codes: dict[Cell, Code]
    ev: float
    near_ties: list[CodeTie]


class _Column:
    """One up card's column of the chart while it is being improved."""

    def __init__(self, rules: Rules, shoe: Composition, upcard: int) -> None:
        self.rules, self.shoe, self.upcard = rules, shoe, upcard
        self.state = upcard_state(rules, shoe, upcard)
        self.outcomes = self.state.outcomes(np.arange(len(all_hands().total)))
        known = plan_against(rules, shoe, plan(rules, _START, upcard), upcard)
        self.deals, self.declined_early = known.deals, settled_net(self.state, self.outcomes[:, BLACKJACK])
        self.early_net = known.early_net
        self.splits = [_Splits(self, value) for value in VALUES if self._can_split(value)]

    def _can_split(self, value: int) -> bool:
        return hand_limit(self.rules, value) > 1 and bool(self.state.base[value - 1] >= 1 + self.state.step)

    def best(self) -> _Found:
        """Improve a published chart's column until no cell wants to change."""
        codes = _column(chart(_START), self.upcard)
        ev = self._ev(codes)
        while True:
            wanted = self._pass(codes)
            together = {cell: code for cell, (code, _, _) in wanted.items()}
            after = self._ev(together)
            gain = max(gain for _, gain, _ in wanted.values())
            if abs(after - ev) <= _SAME or gain <= _SAME:
                return _Found(together, after, [tie for _, _, tie in wanted.values() if tie and tie.margin < NEAR])
            if after <= ev:  # changes that get into each other's way are made one at a time
                cell = max(wanted, key=lambda cell: wanted[cell][1])
                together = codes | {cell: wanted[cell][0]}
                after = self._ev(together)
                if after <= ev:  # where a shoe is so small that splits could run out, a gain may not be one
                    return _Found(codes, ev, [])
            codes, ev = together, after

    def _chart(self, codes: dict[Cell, Code]) -> Chart:
        return build("column", {cell: (code,) * 10 for cell, code in codes.items()})

    def _ev(self, codes: dict[Cell, Code]) -> float:
        return plan_against(self.rules, self.shoe, plan(self.rules, self._chart(codes), self.upcard), self.upcard).ev

    def _pass(self, codes: dict[Cell, Code]) -> dict[Cell, tuple[Code, float, CodeTie | None]]:
        """Return for each cell the best code, what it gains over the present one, and the next best one if near."""
        played = plan(self.rules, self._chart(codes), self.upcard)
        cells = np.zeros((2, 22, 32, ACTIONS + 1))
        values = self._weigh_dealt(codes, played, cells)
        for split in self.splits:
            split.work_out(played)
            if played.split[split.value]:
                split.add_to(cells, played, self.deals[DEALS.index(split.pair)])
        wanted = {cell: self._choose(cell, codes[cell], _total_worths(cells, cell)) for cell in _TOTALS}
        for cell in _PAIRS:
            wanted[cell] = self._choose(cell, codes[cell], self._pair_worths(cell[1], codes, values))
        return wanted

    def _weigh_dealt(self, codes: dict[Cell, Code], played: Plan, cells: Floats) -> Floats:
        """Add the hands as dealt to the cells; return their action values, early surrender among them."""
        hands, state = all_hands(), self.state
        choice, mask = played.choice[DEALT].copy(), state.tables.mask[DEALT].copy()
        values, value, count = np.zeros((len(mask), ACTIONS)), np.zeros(len(mask)), len(mask)
        play(
            hands, state.base, state.step, state.hole, DEALS[0], self.outcomes, np.arange(count),
            state.tables.net[DEALT], state.tables.double_net, state.tables.losses, mask, choice, ALL_ACTIONS,
            np.ones(count, np.bool_), values, value,
        )  # fmt: skip
        for row, hand in enumerate(DEALS):
            if early_surrender_refusal(self.rules, self.upcard, bool(hands.total[hand] == 21)) == 0:
                mask[hand] |= 1 << Action.SURRENDER
                values[hand, Action.SURRENDER] = self.early_net - self.declined_early[row]
        choice[played.early] = Action.SURRENDER
        as_totals, as_pairs = self._dealt_weights(codes, played)
        weigh(hands, state.base, state.step, choice, mask, values, as_totals, cells)
        own = np.where(hands.pair > 0, 0, mask)
        weigh(hands, state.base, state.step, choice, own, values, as_pairs, cells)
        self.mask = mask
        return values

    def _dealt_weights(self, codes: dict[Cell, Code], played: Plan) -> tuple[Floats, Floats]:
        """Return how often each hand is dealt that plays by its total, and that plays by a pair's own code."""
        as_totals, as_pairs = np.zeros(len(all_hands().total)), np.zeros(len(all_hands().total))
        shares = pair_share(self.state)
        for row, hand in enumerate(DEALS):
            value = int(all_hands().pair[hand])
            by_code = shares[row] if value and codes["pair", value] != Code.AS_TOTAL else 0.0
            as_totals[hand] = self.deals[row] * (1 - by_code)
            as_pairs[hand] = 0.0 if played.split[value] else self.deals[row] * by_code
        return as_totals, as_pairs

    def _pair_worths(self, value: int, codes: dict[Cell, Code], values: Floats) -> "_Worths":
        """Return what each code is worth for a pair, and what it plays."""
        pair = find_hand((value, value))
        total = codes["soft" if value == 1 else "hard", int(all_hands().total[pair])]
        mask, worth = int(self.mask[pair]), values[pair].copy()
        for split in self.splits:
            if split.value == value:
                mask, worth[Action.SPLIT] = mask | 1 << Action.SPLIT, split.total
        plays: dict[Code, tuple[int, ...]] = {code: (chart_action(code, total, mask),) for code in _PAIR_CODES}
        fallbacks = {code: chart_action(code, total, mask & ~(1 << Action.SURRENDER)) for code in _PAIR_CODES}
        by_fallback = dict(sorted(plays.items(), key=lambda play: -worth[fallbacks[play[0]]]))
        return _Worths({code: float(worth[action]) for code, (action,) in by_fallback.items()}, plays, (1.0,))

    def _choose(self, cell: Cell, now: Code, worths: "_Worths") -> tuple[Code, float, CodeTie | None]:
        """Return the best code, what it gains over the present one, and the next best that plays otherwise."""
        if not worths.weights:
            return now, 0.0, None
        code = worths.best()
        other = worths.next_to(code)
        gain = worths.worth[code] - worths.worth[now]
        if other is None:
            return code, gain, None
        return code, gain, CodeTie(cell, self.upcard, code, other, worths.margin(code, other))


class _Worths(NamedTuple):
    """What the codes of a cell are worth, what they play in each situation, and how often that comes up."""

    worth: dict[Code, float]
    plays: dict[Code, tuple[int, ...]]
    weights: tuple[float, ...]

    def best(self) -> Code:
        """Return the best code, the first of those that are equally good: the simplest, or with the best fallback."""
        most = max(self.worth.values())
        return next(code for code, worth in self.worth.items() if worth >= most - _SAME)

    def next_to(self, best: Code) -> Code | None:
        """Return the next best code that plays otherwise."""
        others = [code for code in self.worth if self.plays[code] != self.plays[best]]
        return max(others, key=lambda code: self.worth[code], default=None)

    def margin(self, code: Code, other: Code) -> float:
        """Return by how much one is better than the other, per hand that they play differently."""
        plays = zip(self.weights, self.plays[code], self.plays[other], strict=True)
        weight = sum(weight for weight, mine, others in plays if mine != others)
        return (self.worth[code] - self.worth[other]) / weight


def _total_worths(cells: Floats, cell: Cell) -> _Worths:
    """Return what each code is worth in a total's cell, and what it plays."""
    by_mask = cells[int(cell[0] == "soft"), cell[1]]
    masks = [int(mask) for mask in np.flatnonzero(np.abs(by_mask[:, ACTIONS]) > _SAME)]
    plays = {code: tuple(chart_action(code, code, mask) for mask in masks) for code in _TOTAL_CODES}
    worth = {
        code: float(sum(by_mask[mask, action] for mask, action in zip(masks, actions, strict=True)))
        for code, actions in plays.items()
    }
    return _Worths(worth, plays, tuple(float(by_mask[mask, ACTIONS]) for mask in masks))


def _column(chart: Chart, upcard: int) -> dict[Cell, Code]:
    """Return a chart's column."""
    rows = {"hard": chart.hard, "soft": chart.soft, "pair": chart.pair}
    return {(kind, number): rows[kind][number][upcard - 1] for kind, number in (*_TOTALS, *_PAIRS)}


class _Splits:
    """The hands of a split pair, for every number of other cards of its value that can be out."""

    def __init__(self, column: _Column, value: int) -> None:
        self.state, self.value, self.pair = column.state, value, find_hand((value, value))
        hands, state = all_hands(), column.state
        self.origin = SPLIT_ACES if value == 1 else SPLIT
        self.weights = split_weights(state, value)
        self.constant = state.split_constant(float(column.outcomes[self.pair, BLACKJACK]))
        self.share = float(pair_share(state)[DEALS.index(self.pair)])
        chosen = np.flatnonzero(hands.counts[:, value - 1])
        self.row = np.zeros(len(hands.total), np.int64)
        self.row[chosen] = np.arange(len(chosen))
        self.comes_up = hands.counts[:, value - 1] > 0
        self.out = [out for out in range(1, len(self.weights)) if self.weights[out].any()]
        self.outcomes = {}
        for out in self.out if state.step else self.out[:1]:
            self.outcomes[out] = state._replace(base=self._base(out)).outcomes(chosen)

    def _base(self, out: int) -> Floats:
        base = self.state.base.copy()
        base[self.value - 1] -= self.state.step * out
        return base

    def work_out(self, played: Plan) -> None:
        """Work out every action's value, and what the split is worth."""
        hands, state, start = all_hands(), self.state, find_hand((self.value,))
        tables = state.split_tables
        count = len(hands.total)
        self.values: dict[int, Floats] = {}
        self.starts: dict[int, Floats] = {}
        self.total = self.constant
        for out in self.out:
            values, value = np.zeros((count, ACTIONS)), np.zeros(count)
            base = self._base(out)
            play(
                hands, base, state.step, state.hole, start, self.outcomes.get(out, self.outcomes[self.out[0]]),
                self.row, tables.net[SPLIT], tables.double_net, tables.losses, tables.mask[self.origin],
                played.choice[self.origin].copy(), ALL_ACTIONS, self.comes_up, values, value,
            )  # fmt: skip
            self.values[out], self.starts[out] = values, np.zeros(count)
            left = cards_left(hands, np.array([start]), base, state.step)[0]
            column = np.arange(10) == self.value - 1
            self.starts[out][hands.child[start]] = left / left.sum() * self.weights[out][column.astype(int)]
            self.total += float(self.starts[out] @ value)

    def add_to(self, cells: Floats, played: Plan, deal: float) -> None:
        """Add the hands of the split to the cells."""
        state, mask = self.state, self.state.tables.mask[self.origin]
        for out in self.out:
            weight = self.starts[out] * deal * self.share
            weigh(
                all_hands(), self._base(out), state.step, played.choice[self.origin], mask, self.values[out], weight,
                cells,
            )  # fmt: skip
