"""Index numbers of any count under any rules, from the solver's exact values at constructed compositions."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from math import ceil
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from bj_env.errors import BlackjackError
from bj_env.game.notation import RANKS
from bj_env.rules.houses import parse_rules
from bj_env.rules.terms import Action, Rules, Surrender
from bj_env.solver.exact import UpcardSolution, best_against
from bj_env.solver.hands import VALUES, all_hands
from bj_env.solver.indices import shoe_at
from bj_env.solver.shoe import Composition
from bj_env.solver.tables import hand_limit
from bj_env.solver.upcard_state import DEAL_INDEX
from bj_env.strategies.basic import basic_chart
from bj_env.strategies.charts import PREFERENCES, Code
from bj_env.strategies.count_systems import Count, count_from
from bj_env.strategies.counting import IndexPlay

Floats = NDArray[np.float64]

GRID = np.arange(-12.0, 13.0)
"""True counts before the hand is dealt, for Hi-Lo; those of other systems are stretched by the spread of their tags."""

WORTH_INDEXING = 10.0
"""Plays whose index is farther than so many Hi-Lo points from 0 are left out."""

HALF_WAY = 0.5
"""Index numbers are for a shoe of which this part of the penetration has been dealt."""


@dataclass(frozen=True)
class Index:
    """A play that depends on the count.

    Attributes:
        kind: ``"hard"``, ``"soft"``, ``"pair"`` or ``"insurance"``.
        number: the total, or the value of the pair's card; 0 for insurance.
        upcard: the dealer's, by value.
        action: what is played at high counts.
        instead: what is played at low counts.
        index: the count at which both are worth the same, with the hand and the up card counted.
        threshold: the whole count from which the first is played.
        slope: what a point of the count changes in the gain, in bets, per hand in which it comes up.
        frequency: how often a round begins with such a hand.
        gain: about what playing by the index adds to a flat bet a round.
    """

    kind: str
    number: int
    upcard: int
    action: Action
    instead: Action
    index: float
    threshold: int
    slope: float
    frequency: float
    gain: float

    @property
    def name(self) -> str:
        """The play as people write it.

        >>> Index("hard", 16, 10, Action.STAND, Action.HIT, 0.1, 0, 0.01, 0.03, 0.001).name
        '16 v T'
        """
        if self.kind == "insurance":
            return "insurance"
        hand = RANKS[self.number - 1] * 2 if self.kind == "pair" else str(self.number)
        return f"{'soft ' if self.kind == 'soft' else ''}{hand} v {RANKS[self.upcard - 1]}"


def index_set(rules: Rules | str, count: Count | str) -> tuple[Index, ...]:
    """Return every play that depends on the count, the most gainful first.

    The shoe is what it holds on average at a count (`bj_env.solver.shoe_at`), half of the way to the cut card. The hand
    and the up card are counted before the index is read. Gains assume that the count is normal with the variance it has
    there; they rank plays and are not exact.

    Raises:
        BlackjackError: for an infinite shoe.

    >>> found = {play.name: play for play in index_set("6D S17 DAS LS PEN75", "hi-lo")}
    >>> found["insurance"].threshold, round(found["15 v T"].frequency, 4)  # three kinds of 15, against a ten
    (3, 0.0219)
    """
    house = parse_rules(rules)
    if house.decks == 0:
        raise BlackjackError("index: expected a number of decks, got an infinite shoe, which has no true count")
    return _index_set(house, count_from(count))


@lru_cache(maxsize=64)
def _index_set(rules: Rules, count: Count) -> tuple[Index, ...]:
    workings = _Workings(rules, count)
    found = [*workings.plays(), *workings.insurance()]
    return tuple(sorted(found, key=lambda play: -play.gain))


class _Workings:
    """The gains of actions over a grid of counts."""

    def __init__(self, rules: Rules, count: Count) -> None:
        self.rules, self.count = rules, count
        self.chart = basic_chart(rules)
        tags = np.array(count.system.tags[1:])
        weights = np.array([1.0] * 9 + [4.0]) / 13
        self.mean = float(tags @ weights)
        variance = float(weights @ (tags - self.mean) ** 2)
        self.scale = float(np.sqrt(variance / (10 / 13)))  # Hi-Lo has 10/13
        self.tags = tags
        dealt = HALF_WAY * rules.penetration
        self.cards = 52 * rules.decks * (1 - dealt)
        whole = 52 * rules.decks
        running = variance * self.cards * (whole - self.cards) / (whole - 1)
        self.deviation = max(np.sqrt(running) * 52 / self.cards, 0.2 * self.scale)
        self.grid = self._possible(GRID * self.scale)
        self.shoes = [self._shoe(at) for at in self.grid]

    def _possible(self, grid: Floats) -> Floats:
        """Leave out counts that no shoe can have."""
        possible = []
        for at in grid:
            try:
                shoe_at(self.rules, tuple(self.tags), float(at))
            except BlackjackError:
                continue
            possible.append(float(at))
        return np.array(possible)

    def _shoe(self, at: float) -> Composition:
        shoe = shoe_at(self.rules, tuple(self.tags), at)
        factor = self.cards / shoe.cards
        return Composition(tuple(count * factor for count in shoe.counts))

    def counted(self, hand: NDArray[np.int64], upcard: int) -> Floats:
        """Return what the player counts at each point of the grid, with a hand and an up card seen."""
        own = float((self.tags - self.mean) @ hand + self.tags[upcard - 1] - self.mean)
        left = (self.cards - hand.sum() - 1) / 52
        true = (self.grid * self.cards / 52 + own) / left
        if self.count.system.sum_per_deck == 0:
            return np.asarray(true)
        pivot = self.count.system.sum_per_deck
        if self.count.true_counted:
            return np.asarray(true)  # both are 0 off the top
        return np.asarray(true * left - pivot * left + pivot)

    def plays(self) -> Iterable[Index]:
        """Yield the index plays against every up card."""
        for upcard in VALUES:
            known = [best_against(self.rules, shoe, upcard) for shoe in self.shoes]
            for kind, number in [("hard", total) for total in range(8, 18)] + [
                *(("soft", total) for total in range(13, 21)),
                *(("pair", value) for value in VALUES if hand_limit(self.rules, value) > 1),
            ]:
                yield from self._at_cell(kind, number, upcard, known)

    def _at_cell(self, kind: str, number: int, upcard: int, known: list[UpcardSolution]) -> Iterable[Index]:
        hands = all_hands()
        two = DEAL_INDEX
        if kind == "pair":
            chosen = hands.pair[two] == number
        else:
            chosen = (hands.total[two] == number) & (hands.soft[two] == (kind == "soft")) & (hands.pair[two] == 0)
        if not chosen.any():
            return
        middle = known[len(known) // 2]
        rows, weights = two[chosen], middle.deals[chosen]
        for action, instead in self._choices(kind, number, upcard):
            gains = np.zeros(len(self.grid))
            counted = np.zeros(len(self.grid))
            for row, weight in zip(rows, weights / weights.sum(), strict=True):
                pairs = [each.action_values[row] for each in known]
                base = [_best_other(values, action, instead) for values in pairs]
                gains += weight * np.array([float(values[action]) - b for values, b in zip(pairs, base, strict=True)])
                counted += weight * self.counted(hands.counts[row], upcard)
            frequency = float(weights.sum()) * (4 if upcard == 10 else 1) / 13
            yield from self._index(kind, number, upcard, action, instead, counted, gains, frequency)

    def _choices(self, kind: str, number: int, upcard: int) -> Iterable[tuple[Action, Action]]:
        """Yield pairs of actions whose order may depend on the count; the first is for high counts mostly."""
        if kind == "pair":
            yield Action.SPLIT, Action.HIT if number < 7 else Action.STAND
            return
        if kind == "hard":
            if number >= 12:
                yield Action.STAND, Action.HIT
            if number <= 11:
                yield Action.DOUBLE, Action.HIT
            if number >= 14 and self.rules.surrender == Surrender.LATE:
                yield Action.SURRENDER, Action.HIT
            return
        yield Action.DOUBLE, Action.HIT if number <= 17 else Action.STAND

    def _index(
        self, kind: str, number: int, upcard: int, action: Action, instead: Action,
        counted: Floats, gains: Floats, frequency: float,
    ) -> Iterable[Index]:  # fmt: skip
        """Yield the index where the gain turns positive as the count rises, if it is near enough."""
        if not np.isfinite(gains).all():
            return
        order = np.argsort(counted)
        counted, gains = counted[order], gains[order]
        turns = np.flatnonzero((gains[:-1] <= 0) & (gains[1:] > 0))
        if not len(turns):
            return
        at = int(min(turns, key=lambda place: abs(self.grid[place])))
        step = counted[at + 1] - counted[at]
        slope = float((gains[at + 1] - gains[at]) / step)
        index = float(counted[at] - gains[at] / slope)
        if abs(self.grid[at]) > WORTH_INDEXING * self.scale:
            return
        middle = float(np.interp(0.0, self.grid, counted))
        spread = self.deviation * (1 if self.count.by_decks else self.cards / 52)
        gain = frequency * slope * spread * _loss(abs(index - middle) / spread)
        threshold = ceil(index - 0.5)
        yield Index(kind, number, upcard, action, instead, index, threshold, slope, frequency, gain)

    def insurance(self) -> Iterable[Index]:
        """Yield the index of insurance, if it is offered."""
        if not self.rules.insurance:
            return
        gains = np.array([0.5 * (3 * shoe.without([1]).share(10) - 1) for shoe in self.shoes])
        hand = np.zeros(10, np.int64)
        counted = self.counted(hand, 1)
        yield from self._index("insurance", 0, 1, Action.INSURE, Action.DECLINE, counted, gains, 1 / 13)


def _best_other(values: Floats, action: Action, instead: Action) -> float:
    """Return what is worth most in place of an action; a hand that stands is compared with one that hits."""
    if action is Action.STAND:
        return float(values[instead])
    others = [other for other in (Action.STAND, Action.HIT, Action.DOUBLE) if other is not action]
    return float(max(values[other] for other in others if np.isfinite(values[other]) and values[other] != 0))


def _loss(distance: float) -> float:
    """Return the unit normal loss integral: the mean excess of a standard normal over a distance."""
    normal = NormalDist()
    return normal.pdf(distance) - distance * (1 - normal.cdf(distance))


CODES = {
    (Action.STAND, Action.HIT): (Code.STAND, Code.HIT),
    (Action.DOUBLE, Action.HIT): (Code.DOUBLE_ELSE_HIT, Code.HIT),
    (Action.DOUBLE, Action.STAND): (Code.DOUBLE_ELSE_STAND, Code.STAND),
    (Action.SURRENDER, Action.HIT): (Code.SURRENDER_ELSE_HIT, Code.HIT),
    (Action.SPLIT, Action.HIT): (Code.SPLIT, Code.AS_TOTAL),
    (Action.SPLIT, Action.STAND): (Code.SPLIT, Code.AS_TOTAL),
}
"""What a chart would say at high and at low counts."""

SURRENDERS = (Code.SURRENDER_ELSE_HIT, Code.SURRENDER_ELSE_STAND)


def index_plays(rules: Rules | str, count: Count | str, only: Iterable[IndexPlay] | None = None) -> list[IndexPlay]:
    """Return an index set as plays of a counting player; ``only``: those at the cells of other plays.

    Raises:
        BlackjackError: for an infinite shoe.
    """
    house, counted = parse_rules(rules), count_from(count)
    cells = None if only is None else {(play.kind, play.number, play.upcard) for play in only}
    chart = basic_chart(house)
    plays: list[IndexPlay] = []
    surrendered = set()
    found = sorted(index_set(house, counted), key=lambda play: play.action is not Action.SURRENDER)
    for play in found:
        cell = play.kind, play.number, play.upcard
        if play.kind == "insurance" or (cells is not None and cell not in cells):
            continue
        high, low = CODES[play.action, play.instead]
        rows = {"hard": chart.hard, "soft": chart.soft, "pair": chart.pair}[play.kind]
        basic = rows[play.number][play.upcard - 1]
        if play.action is Action.SURRENDER:
            surrendered.add(cell)
            plays.append(IndexPlay(*cell, high, play.threshold))
            continue
        if basic in SURRENDERS or cell in surrendered:
            high = {Code.STAND: Code.SURRENDER_ELSE_STAND}.get(high, high) if basic in SURRENDERS else high
        plays.append(IndexPlay(*cell, high, play.threshold))
        if PREFERENCES[basic][0] != PREFERENCES[low][0] and basic not in SURRENDERS:
            plays.append(IndexPlay(*cell, low, play.threshold, below=True))
    return plays


def insurance_index(rules: Rules | str, count: Count | str) -> int | None:
    """Return the whole count from which insurance pays; None if it is not offered or never pays."""
    found = (play.threshold for play in index_set(rules, count) if play.kind == "insurance")
    return next(found, None)
