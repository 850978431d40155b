"""Strategy charts: a code for each total or pair against each up card, with its fallbacks.

The published charts lie in ``charts.csv`` beside this file, with their source in the last column: charts for 4 to 8
decks as published, and for one and two decks the exact total-dependent ones.
"""

import csv
from collections.abc import Iterator
from enum import IntEnum
from functools import cache
from html import escape
from importlib.resources import files
from typing import NamedTuple

from bj_env.errors import RulesError, choices
from bj_env.game.notation import RANKS
from bj_env.rules.terms import OFFERS, Action, Phase, Rules, Surrender


class Code(IntEnum):
    """What a cell of a chart says; a chart writes one of ``SHDTRUPQ.`` for it."""

    STAND = 0
    HIT = 1
    DOUBLE_ELSE_HIT = 2
    DOUBLE_ELSE_STAND = 3
    SURRENDER_ELSE_HIT = 4
    SURRENDER_ELSE_STAND = 5
    SPLIT = 6
    SURRENDER_ELSE_SPLIT = 7
    AS_TOTAL = 8


LETTERS = "SHDTRUPQ."
"""The letter of each `Code`."""

_AS_TOTAL = 31  # no action's number: play by the total
PREFERENCES = (
    (Action.STAND.value, Action.STAND.value),
    (Action.HIT.value, Action.STAND.value),
    (Action.DOUBLE.value, Action.HIT.value),
    (Action.DOUBLE.value, Action.STAND.value),
    (Action.SURRENDER.value, Action.HIT.value),
    (Action.SURRENDER.value, Action.STAND.value),
    (Action.SPLIT.value, _AS_TOTAL),
    (Action.SURRENDER.value, Action.SPLIT.value),
    (_AS_TOTAL, _AS_TOTAL),
)
"""For each `Code` the first choice and the second; `chart_action` adds the total's own."""

LEGEND = (
    "S stand · H hit · D double, else hit · T double, else stand · P split",
    "surrender, else: R hit · U stand · Q split      a pair's dot: as its total",
)
"""What the letters mean."""

COLOURS = {
    Action.STAND: "#f6d9a8",
    Action.HIT: "#cfe8f7",
    Action.DOUBLE: "#8fd0b6",
    Action.SPLIT: "#f7f0a1",
    Action.SURRENDER: "#e3bcd3",
}
"""Okabe and Ito's colours, which the colour-blind tell apart, made light enough for letters."""

UPCARDS = (2, 3, 4, 5, 6, 7, 8, 9, 10, 1)
"""The up cards by value, in the order in which charts show them."""

KINDS = {"hard": range(19, 4, -1), "soft": range(20, 12, -1), "pair": (1, *range(10, 1, -1))}
"""The blocks of a chart that is shown, and their rows: totals, and the values of a pair's card."""


def chart_action(code: int, total_code: int, mask: int) -> int:
    """Tell which legal action a cell means: its choices in order, then those of the total, then standing.

    Args:
        code: the cell of the hand, which may be a pair's.
        total_code: the cell of the hand's total, for a pair that cannot be split.
        mask: the legal actions as bits ``1 << action``.

    >>> chart_action(Code.SPLIT, Code.SURRENDER_ELSE_HIT, 0b00011)
    1
    >>> chart_action(Code.DOUBLE_ELSE_STAND, Code.DOUBLE_ELSE_STAND, 0b00011)
    0
    """
    first, second = PREFERENCES[code]
    if mask >> first & 1:
        return first
    if mask >> second & 1:
        return second
    first, second = PREFERENCES[total_code]
    if mask >> first & 1:
        return first
    return second if mask >> second & 1 else 0


def answer_offer(phase: Phase, action: Action) -> Action:
    """Return what the action of a chart means in a phase: an offer is declined unless the action accepts it.

    >>> answer_offer(Phase.EARLY_SURRENDER, Action.HIT), answer_offer(Phase.PLAY, Action.HIT)
    (<Action.DECLINE: 6>, <Action.HIT: 1>)
    """
    offer = OFFERS.get(phase)
    return action if offer is None or action is offer.accept else Action.DECLINE


Row = tuple[Code, ...]
"""The cells of one hand by the up card's value: index 0 an ace, 1 a two, ..., 9 a ten."""


class Chart(NamedTuple):
    """A total-dependent strategy: rows by hard total 0..21, by soft total 0..21, by the value 1..10 of a pair's card.

    Totals that no hand can have are filled too, so that every index is valid.
    """

    name: str
    hard: tuple[Row, ...]
    soft: tuple[Row, ...]
    pair: tuple[Row, ...]

    def codes(self, total: int, soft: bool, pair: int, upcard: int) -> tuple[Code, Code]:
        """Return the hand's code and its total's code (the same unless ``pair``, a card's value, is above 0).

        >>> chart("s17_4to8_das").codes(16, False, 8, 10)
        (<Code.SPLIT: 6>, <Code.SURRENDER_ELSE_HIT: 4>)
        """
        by_total = (self.soft if soft else self.hard)[total][upcard - 1]
        return (self.pair[pair][upcard - 1] if pair else by_total), by_total

    def action(self, total: int, soft: bool, pair: int, upcard: int, mask: int) -> Action:
        """Return the legal action that the chart means.

        >>> chart("s17_4to8_das").action(18, True, 0, 3, 0b00011)
        <Action.STAND: 0>
        """
        code, by_total = self.codes(total, soft, pair, upcard)
        return Action(chart_action(code, by_total, mask))

    def rows(self, kind: str) -> Iterator[tuple[str, tuple[Code, ...]]]:
        """Yield the name and the codes of each row that matters of a kind (hard, soft or pair), as they are shown.

        >>> [name for name, _ in chart("s17_4to8_das").rows("pair")][:3]
        ['A', 'T', '9']
        """
        cells = {"hard": self.hard, "soft": self.soft, "pair": self.pair}[kind]
        for number in KINDS[kind]:
            name = RANKS[number - 1] if kind == "pair" else str(number)
            yield name, tuple(cells[number][upcard - 1] for upcard in UPCARDS)

    def _repr_html_(self) -> str:
        """Return the chart as a notebook shows it."""
        blocks = "".join(self._block(kind) for kind in KINDS)
        legend = "<br/>".join(map(escape, LEGEND))
        side_by_side = "display:flex;flex-wrap:wrap;align-items:flex-start;gap:16px"
        return f'<b>{escape(self.name)}</b><div style="{side_by_side}">{blocks}</div>{legend}'

    def _block(self, kind: str) -> str:
        head = "".join(f"<th>{RANKS[upcard - 1]}</th>" for upcard in UPCARDS)
        rows = "".join(f"<tr><th>{name}</th>{''.join(map(_cell, codes))}</tr>" for name, codes in self.rows(kind))
        return f'<table style="border-collapse:collapse"><tr><th>{kind}</th>{head}</tr>{rows}</table>'


def _cell(code: Code) -> str:
    style = "text-align:center;padding:2px 7px;border:1px solid #fff"
    if code is not Code.AS_TOTAL:
        style += f";color:#000;background:{COLOURS[Action(PREFERENCES[code][0])]}"
    return f'<td style="{style}">{LETTERS[code]}</td>'


_FALLBACK = {"hard": Code.HIT, "soft": Code.HIT, "pair": Code.AS_TOTAL}
_COLUMNS = ("upA", "up2", "up3", "up4", "up5", "up6", "up7", "up8", "up9", "upT")


def build(name: str, rows: dict[tuple[str, int], Row]) -> Chart:
    """Build a chart from its rows by kind (hard, soft, pair) and number.

    A total below the lowest row of its kind hits, one above the highest stands, a pair without a row plays as its
    total.

    >>> build("always double eleven", {("hard", 11): (Code.DOUBLE_ELSE_HIT,) * 10}).hard[12][0].name
    'STAND'
    """
    return Chart(name, *(_filled(rows, kind, size) for kind, size in (("hard", 22), ("soft", 22), ("pair", 11))))


def _filled(rows: dict[tuple[str, int], Row], kind: str, size: int) -> tuple[Row, ...]:
    highest = max((number for row_kind, number in rows if row_kind == kind), default=0)
    filled = []
    for number in range(size):
        above = kind != "pair" and number > highest
        blank = Code.STAND if above else _FALLBACK[kind]
        filled.append(rows.get((kind, number), (blank,) * 10))
    return tuple(filled)


@cache
def published() -> dict[str, Chart]:
    """Return the charts of ``charts.csv`` by name.

    >>> sorted(published())[-2:]
    ['s17_4to8_das', 's17_4to8_ndas']
    """
    rows: dict[str, dict[tuple[str, int], Row]] = {}
    with (files("bj_env.strategies") / "charts.csv").open(encoding="utf-8") as file:
        for line in csv.DictReader(file):
            number = {"A": 1, "T": 10}.get(line["hand"]) or int(line["hand"])
            cells = tuple(Code(LETTERS.index(line[column])) for column in _COLUMNS)
            rows.setdefault(line["chart"], {})[line["kind"], number] = cells
    return {name: build(name, cells) for name, cells in rows.items()}


def chart(name: str) -> Chart:
    """Return a published chart.

    Raises:
        RulesError: if there is none of that name.
    """
    if name not in published():
        raise RulesError(f"unknown chart {name!r}; {choices(name, published())}")
    return published()[name]


def published_chart(rules: Rules) -> Chart | None:
    """Return the published chart that was made for rules like these, or None.

    >>> from bj_env.rules.houses import parse_rules
    >>> published_chart(parse_rules("six-deck")).name, published_chart(parse_rules("eight-deck-europe"))
    ('s17_4to8_das', None)
    """
    soft_17 = "H17" if rules.dealer_hits_soft_17 else "S17"
    after_split = "DAS" if rules.double_after_split else "NDAS"
    ordinary = Rules(
        decks=rules.decks,
        dealer_hits_soft_17=rules.dealer_hits_soft_17,
        double_after_split=rules.double_after_split,
        **{name: getattr(rules, name) for name in _NO_MATTER},
    )
    if rules != ordinary or rules.surrender not in (Surrender.LATE, Surrender.NONE) or rules.max_hands == 1:
        return None
    name = (
        f"{soft_17}_4to8_{after_split}".lower()
        if 4 <= rules.decks <= 8
        else f"TDopt-{rules.decks}D-{soft_17}-{after_split}"
    )
    return published().get(name)


_NO_MATTER = (
    "penetration burn_cards blackjack_payout act_on_21 max_hands resplit_aces surrender insurance "
    "min_bet max_bet round_payouts"
).split()
"""Rules that change no published chart, within what `published_chart` asks of them."""
