"""The counting player: a chart with index plays, insurance by the count, and bets that follow it."""

from collections.abc import Sequence
from copy import copy
from typing import NamedTuple, Self

from bj_env.errors import BlackjackError, shortened
from bj_env.game.decision import Decision
from bj_env.game.view import View
from bj_env.rules.terms import Action, Rules, is_whole
from bj_env.strategies.basic import basic_chart
from bj_env.strategies.charts import LETTERS, Chart, Code, answer_offer, chart_action
from bj_env.strategies.count_systems import Count, count_from


class IndexPlay(NamedTuple):
    """A play that differs from the chart, and the count from which it does, or (``below``) below which.

    Attributes:
        kind: ``"hard"``, ``"soft"`` or ``"pair"``.
        number: the total, or the value of the pair's card.
        upcard: the dealer's, by value.
        code: what is played instead.
        threshold: the whole count, rounded as the player rounds, that it takes.
        below: whether it takes less than that.
    """

    kind: str
    number: int
    upcard: int
    code: Code
    threshold: int
    below: bool = False

    def applies(self, whole: int) -> bool:
        """Tell whether the play is made at a whole count.

        >>> nine = IndexPlay("hard", 9, 2, Code.DOUBLE_ELSE_HIT, 1)
        >>> [nine.applies(count) for count in (0, 1, 2)]
        [False, True, True]
        """
        return (whole >= self.threshold) is not self.below


def _plays(text: str) -> tuple[IndexPlay, ...]:
    plays = []
    for line in text.split(";"):
        kind, number, upcard, letter, sign, index = line.split()
        values = {"A": 1, "T": 10}
        number_value, up = values.get(number) or int(number), values.get(upcard) or int(upcard)
        plays.append(IndexPlay(kind, number_value, up, Code(LETTERS.index(letter)), int(index), sign == "<"))
    return tuple(plays)


HI_LO_PLAYS = _plays(
    "hard 15 T H < 0; hard 15 T U >= 4; hard 16 T U >= 0; hard 16 9 U >= 5; hard 14 T R >= 3; hard 15 9 R >= 2;"
    "hard 15 A R >= 1; pair T 5 P >= 5; pair T 6 P >= 4; hard 10 T D >= 4; hard 10 A D >= 4; hard 11 A D >= 1;"
    "hard 9 2 D >= 1; hard 9 7 D >= 3; hard 12 2 S >= 3; hard 12 3 S >= 2; hard 12 4 H < 0; hard 12 5 H < -2;"
    "hard 12 6 H < -1; hard 13 2 H < -1; hard 13 3 H < -2"
)
"""The Illustrious 18 and the Fab 4 for Hi-Lo (Schlesinger, "Blackjack Attack"), as play and true count."""

LARGEST_STEP = 10**6
"""Counts and multiples of a ramp go as far."""

INSURANCE_INDEX = 3
"""The Hi-Lo true count from which insurance pays."""


class CountingDecision(Decision):
    """Counts, and plays, insures and bets by the count.

    Args:
        count: how it counts.
        plays: where it leaves the chart; the first that applies counts.
        insurance: the count from which it insures, whatever its hand; None never.
        ramp: bets as pairs of a count and a multiple of the house's minimum, from low counts to high.
        chart: what it plays else; None is basic strategy for the rules.

    Raises:
        BlackjackError: if the ramp is not whole counts with whole multiples.

    >>> CountingDecision().ramp
    ((-99, 1),)
    """

    def __init__(
        self,
        count: Count | str = "hi-lo",
        *,
        plays: Sequence[IndexPlay] = HI_LO_PLAYS,
        insurance: int | None = INSURANCE_INDEX,
        ramp: Sequence[tuple[int, int]] = ((-99, 1),),
        chart: Chart | None = None,
    ) -> None:
        self.count = count_from(count)
        self.plays: dict[tuple[str, int, int], list[IndexPlay]] = {}
        for play in plays:
            self.plays.setdefault((play.kind, play.number, play.upcard), []).append(play)
        self.insurance = insurance
        self.ramp = _checked_ramp(ramp)
        self.chart = chart

    def with_ramp(self, ramp: Sequence[tuple[int, int]]) -> Self:
        """Return the same strategy with other bets.

        >>> CountingDecision().with_ramp([(1, 2), (3, 8)]).ramp
        ((1, 2), (3, 8))
        """
        other = copy(self)
        other.ramp = _checked_ramp(ramp)
        return other

    def value(self, view: View) -> float:
        """Return the count, of all that the seat has seen."""
        return self.count.value(view.rules, view.seen)

    @property
    def turning_points(self) -> set[int]:
        """The whole counts from which on something is done otherwise than below them."""
        plays = {play.threshold for plays in self.plays.values() for play in plays}
        return plays | {least for least, _ in self.ramp} | (set() if self.insurance is None else {self.insurance})

    def bet(self, view: View) -> int:
        """Return the bet of the highest step of the ramp that the count reaches, as far as house and money allow.

        The count before a shuffle says nothing of the shoe after it: then it is that of a fresh one.
        """
        rules = view.rules
        seen = (0,) * 11 if view.shuffle_pending else view.seen
        most = rules.max_bet if view.free is None else min(rules.max_bet, int(view.free))
        return min(self.bet_at(rules, self.count.value(rules, seen)), most)

    def bet_at(self, rules: Rules, count: float) -> int:
        """Return what it would bet at a count, in chips.

        >>> [CountingDecision(ramp=((-99, 1), (2, 8))).bet_at(Rules(min_bet=5), count) for count in (1.9, 2.0)]
        [5, 40]
        """
        reached = [step for step in self.ramp if self.count.whole(count) >= step[0]]
        return rules.min_bet * (max(reached)[1] if reached else 1)

    def insure(self, view: View) -> bool:
        """Insure from the insurance index on."""
        return self.insure_at(self.value(view))

    def insure_at(self, count: float) -> bool:
        """Tell whether it insures at a count."""
        return self.insurance is not None and self.count.whole(count) >= self.insurance

    def play(self, view: View) -> Action:
        """Play the chart, or an index play in place of its cell."""
        return self.play_at(view, self.value(view))

    def play_at(self, view: View, count: float) -> Action:
        """Return what it plays at a count."""
        upcard = view.upcard.value if view.upcard else 0
        chart = self.chart or basic_chart(view.rules)
        code, by_total = chart.codes(view.total, view.soft, view.pair, upcard)
        by_total = self._code(("soft" if view.soft else "hard", view.total, upcard), count, by_total)
        code = self._code(("pair", view.pair, upcard), count, code) if view.pair else by_total
        action = Action(chart_action(code, by_total, sum(1 << action for action in view.legal)))
        return answer_offer(view.phase, action)

    def has_index_play(self, total: int, soft: bool, pair: int, upcard: int) -> bool:
        """Tell whether the play of a hand against an up card depends on the count."""
        return ("soft" if soft else "hard", total, upcard) in self.plays or ("pair", pair, upcard) in self.plays

    def _code(self, cell: tuple[str, int, int], count: float, code: Code) -> Code:
        return next((play.code for play in self.plays.get(cell, ()) if play.applies(self.count.whole(count))), code)


def _checked_ramp(ramp: Sequence[tuple[int, int]]) -> tuple[tuple[int, int], ...]:
    """Return a ramp of whole counts and multiples."""
    try:
        steps = tuple((least, multiple) for least, multiple in ramp)
    except (TypeError, ValueError):
        raise BlackjackError(
            f"ramp: expected counts with multiples, like ((1, 2), (3, 8)), got {shortened(ramp)}"
        ) from None
    for least, multiple in steps:
        whole = is_whole(least) and is_whole(multiple)
        if not whole or abs(least) > LARGEST_STEP or not 0 <= multiple <= LARGEST_STEP:
            came = f"{shortened(least)}: {shortened(multiple)}"
            raise BlackjackError(f"ramp: expected a whole count and a multiple from 0 to {LARGEST_STEP}, got {came}")
    return tuple((int(least), int(multiple)) for least, multiple in steps)
