"""Observations: what a seat may see, as numbers: one table of columns, one writer for each part, for both engines.

An observation is a row of whole numbers, one for each `Column`. The encoding ``discrete`` hands it over as it is;
``features`` spreads a category over as many 0/1 features as it has values, and divides a count by its largest value.
"""

from collections.abc import Iterable, Sequence
from math import floor
from typing import Any, NamedTuple

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from bj_env.errors import BlackjackError, choices, items_of, one_of, shortened
from bj_env.rules.fields import Choice, Field, Flag, Share
from bj_env.rules.numbered import cards_of_value
from bj_env.rules.terms import FIELDS, Phase, Rules

PARTS = ("hand", "table", "count", "seen", "composition", "bankroll", "rules")
"""The parts of an observation, in the order in which they follow each other."""

ENCODINGS = ("features", "discrete")

MOST_CARDS = 21
"""Counts of cards in one hand, and of cards seen from an infinite shoe, stop here."""

MOST_COUNT = 20
"""True counts stop here, and at minus as much."""

MOST_DEALER_CARDS = 17
"""The most cards that a dealer can hold: a hard 16 of sixteen cards, and one more."""

_VALUES = ("A", "2", "3", "4", "5", "6", "7", "8", "9", "T")
_NONE_OR_VALUE = ("none", *_VALUES)
HAND_VALUES = ("none", *(f"hard {n}" for n in range(4, 22)), *(f"soft {n}" for n in range(12, 22)), "bust")
"""The categories of a hand's total; `hand_value` gives the index."""


class Column(NamedTuple):
    """One number of an observation.

    Attributes:
        part: the part it belongs to.
        name: what it is.
        size: its values are 0 .. ``size - 1``.
        labels: what each value means, for a category; empty for a count.
    """

    part: str
    name: str
    size: int
    labels: tuple[str, ...] = ()

    @property
    def width(self) -> int:
        """How many features it takes: one for a count or a yes/no, else one for each value."""
        return self.size if self.labels and self.size > 2 else 1


def _check_sense(parts: Sequence[str], rules: Rules, bankroll: float | None) -> None:
    """Refuse parts that have nothing to show."""
    for part in ("count", "composition"):
        if part in parts and rules.decks == 0:
            raise BlackjackError(f"observation: {part!r} needs a number of decks; got an infinite shoe")
    if "bankroll" in parts and bankroll is None:
        raise BlackjackError("observation: 'bankroll' needs a limited bankroll; got bankroll=None")


def _category(part: str, name: str, labels: Iterable[str]) -> Column:
    labels = tuple(labels)
    return Column(part, name, len(labels), labels)


def _flag(part: str, name: str) -> Column:
    return _category(part, name, ("no", "yes"))


class Layout:
    """Which number stands where, for the parts and the encoding that were asked for.

    Args:
        rules: the house's.
        seats: how many seats the table has.
        bets: the bet sizes on offer, in chips.
        parts: any of `PARTS`.
        encoding: one of `ENCODINGS`.
        bankroll: chips that a seat starts with, None without limit; the scale of ``bankroll``.

    Attributes:
        columns: every column, in order.
        names: the name of each entry of an observation.
        space: the Gymnasium space of the observations.
        starts: the index of each part's first column.

    Raises:
        BlackjackError: at an unknown part or encoding, naming the valid ones.

    >>> from bj_env.rules.houses import parse_rules
    >>> layout = Layout(parse_rules("six-deck"), seats=1, bets=(1,), parts=("hand",))
    >>> layout.space.shape, layout.names[20]
    ((58,), 'hand.total=hard 18')
    """

    def __init__(
        self,
        rules: Rules,
        *,
        seats: int,
        bets: Sequence[int],
        parts: Iterable[str] = ("hand",),
        encoding: str = "features",
        bankroll: float | None = None,
    ) -> None:
        self.parts = _checked_parts(parts)
        _check_sense(self.parts, rules, bankroll)
        self.encoding = one_of("encoding", encoding, ENCODINGS)
        makers = {
            "hand": lambda: hand_columns(bets),
            "table": lambda: table_columns(rules, seats),
            "count": count_columns,
            "seen": lambda: seen_columns(rules),
            "composition": lambda: composition_columns(rules),
            "bankroll": lambda: bankroll_columns(bets, bankroll or 0),
            "rules": rules_columns,
        }
        self.columns: list[Column] = []
        self.starts: dict[str, int] = {}
        for part in self.parts:
            self.starts[part] = len(self.columns)
            self.columns += makers[part]()
        self.spread: list[tuple[int, int]] = []  # for each column the first feature, and the largest count (0: one-hot)
        self.width = 0
        for column in self.columns:
            self.spread.append((self.width, 0 if column.width > 1 else column.size - 1))
            self.width += column.width
        self.space = self._space()
        self.names = self._names()

    def _space(self) -> spaces.Space[Any]:
        if self.encoding == "discrete":
            return spaces.MultiDiscrete([column.size for column in self.columns], dtype=np.int64)
        return spaces.Box(0.0, 1.0, (self.width,), np.float32)

    def _names(self) -> list[str]:
        if self.encoding == "discrete":
            return [f"{column.part}.{column.name}" for column in self.columns]
        names = []
        for column in self.columns:
            name = f"{column.part}.{column.name}"
            names += [f"{name}={label}" for label in column.labels] if column.width > 1 else [name]
        return names

    def encode(self, row: Sequence[int]) -> NDArray[Any]:
        """Return a fresh observation from a row of column values.

        >>> from bj_env.rules.houses import parse_rules
        >>> layout = Layout(parse_rules("six-deck"), seats=1, bets=(1,), encoding="discrete")
        >>> layout.encode([3, 13, 8, 10, 1])
        array([ 3, 13,  8, 10,  1])
        """
        if self.encoding == "discrete":
            return np.array(row, np.int64)
        features = np.zeros(self.width, np.float32)
        for value, (start, most) in zip(row, self.spread, strict=True):
            if not most:
                features[start + value] = 1.0
            elif value:
                features[start] = value / most
        return features


def _checked_parts(parts: Iterable[str]) -> tuple[str, ...]:
    asked = items_of("observation", parts, "a set of parts like ('hand',)")
    for part in asked:
        if not isinstance(part, str) or part not in PARTS:
            raise BlackjackError(f"observation: unknown part {shortened(part)}; {choices(part, PARTS)}")
    if not asked:
        raise BlackjackError(f"observation: expected at least one part; {choices('', PARTS)}")
    return tuple(part for part in PARTS if part in asked)


# --- the columns of each part, and the writer that fills them -------------------------------------------------------


def hand_columns(bets: Sequence[int]) -> list[Column]:
    """List the columns of ``hand``: what is asked, the hand in turn, the up card, and which bet lies on it."""
    sizes = [f"bet {bet}" for bet in bets if bet]
    return [
        _category("hand", "phase", (phase.name for phase in Phase)),
        _category("hand", "total", HAND_VALUES),
        _category("hand", "pair", _NONE_OR_VALUE),
        _category("hand", "upcard", _NONE_OR_VALUE),
        _category("hand", "stake", ("none", *sizes)),
    ]


def hand_value(total: int, soft: bool) -> int:
    """Tell the index of a total in `HAND_VALUES`; a total of 0 is no hand.

    >>> HAND_VALUES[hand_value(16, False)], HAND_VALUES[hand_value(21, True)], HAND_VALUES[hand_value(26, False)]
    ('hard 16', 'soft 21', 'bust')
    """
    if total == 0:
        return 0
    if total > 21:
        return 29
    return total + 7 if soft else total - 3


def write_hand(row: Any, at: int, phase: int, total: int, soft: bool, pair: int, upcard: int, stake: int) -> None:
    """Write ``hand``: card values 1..10 or 0 for none; ``stake`` the place of the bet among those on offer, from 1."""
    row[at] = phase
    row[at + 1] = hand_value(total, soft)
    row[at + 2] = pair
    row[at + 3] = upcard
    row[at + 4] = stake


def table_columns(rules: Rules, seats: int) -> list[Column]:
    """List the columns of ``table``: whose turn it is, the dealer's face-up cards, and every hand's, by card value."""
    columns = [
        _category("table", "seat in turn", (f"P{seat + 1}" for seat in range(seats))),
        _category("table", "hand in turn", (f"hand {hand + 1}" for hand in range(rules.max_hands))),
        *(Column("table", f"dealer {value}", MOST_CARDS + 1) for value in _VALUES),
    ]
    for seat in range(seats):
        for hand in range(rules.max_hands):
            columns += [Column("table", f"P{seat + 1} hand {hand + 1} {value}", MOST_CARDS + 1) for value in _VALUES]
    return columns


def write_turn(row: Any, at: int, seat: int, hand: int) -> None:
    """Write whose turn it is, the first two columns of ``table``."""
    row[at] = seat
    row[at + 1] = hand


def write_card(row: Any, at: int, max_hands: int, seat: int, hand: int, value: int) -> None:
    """Count one face-up card in ``table``; seat -1 is the dealer."""
    hands_before = 0 if seat < 0 else 1 + seat * max_hands + hand
    place = at + 2 + 10 * hands_before + value - 1
    if row[place] < MOST_CARDS:
        row[place] += 1


def seen_columns(rules: Rules) -> list[Column]:
    """List the columns of ``seen``: cards seen since the shuffle by value, and whether a shuffle is due next."""
    sizes = [MOST_CARDS if rules.decks == 0 else rules.decks * cards_of_value(value) for value in range(1, 11)]
    counts = [Column("seen", value, size + 1) for value, size in zip(_VALUES, sizes, strict=True)]
    return [*counts, _flag("seen", "shuffle pending")]


def write_seen(row: Any, at: int, decks: int, seen: Any, shuffle_pending: bool) -> None:
    """Write ``seen``, counts by card value 1..10 (index 0 unused)."""
    for value in range(1, 11):
        most = MOST_CARDS if decks == 0 else decks * cards_of_value(value)
        row[at + value - 1] = min(seen[value], most)
    row[at + 10] = 1 if shuffle_pending else 0


def count_columns() -> list[Column]:
    """List the column of ``count``: the count, rounded down to a whole number from -20 to 20, and 20 more."""
    return [Column("count", "count + 20", 2 * MOST_COUNT + 1)]


def write_count(row: Any, at: int, count: float) -> None:
    """Write ``count``."""
    row[at] = min(max(floor(count), -MOST_COUNT), MOST_COUNT) + MOST_COUNT


def composition_columns(rules: Rules) -> list[Column]:
    """List the columns of ``composition``: how many cards of each value have not been seen, wherever they lie."""
    sizes = [rules.decks * cards_of_value(value) for value in range(1, 11)]
    return [Column("composition", value, size + 1) for value, size in zip(_VALUES, sizes, strict=True)]


def write_composition(row: Any, at: int, decks: int, seen: Any) -> None:
    """Write ``composition`` from the counts seen by card value 1..10 (index 0 unused)."""
    for value in range(1, 11):
        row[at + value - 1] = decks * cards_of_value(value) - seen[value]


def bankroll_columns(bets: Sequence[int], bankroll: float) -> list[Column]:
    """List the column of ``bankroll``: how many smallest bets the seat has left, up to ten times what it began with."""
    return [Column("bankroll", "smallest bets left", int(10 * bankroll // min(bet for bet in bets if bet)) + 1)]


def write_bankroll(row: Any, at: int, most: int, bets_left: int) -> None:
    """Write ``bankroll``; ``most`` is the column's largest value."""
    row[at] = min(bets_left, most)


def rules_columns() -> list[Column]:
    """List the columns of ``rules``: every rule but the size of bets, in the order of `FIELDS`."""
    return [_rule_column(name, field) for name, field in FIELDS.items() if getattr(field, "observed", True)]


def _rule_column(name: str, field: Field) -> Column:
    if isinstance(field, Flag):
        return _flag("rules", name)
    if isinstance(field, Choice):
        return _category("rules", name, (member.name for member in field.kind))
    if isinstance(field, Share):
        return Column("rules", name, 101)
    if field.labels:
        return _category("rules", name, field.labels)
    return Column("rules", name, field.size or field.high + 1)


def rules_row(rules: Rules) -> list[int]:
    """Return the values of the columns of ``rules``, which do not change while a table stands.

    >>> len(rules_row(Rules())) == len(rules_columns())
    True
    """
    return [_rule_value(rules, column.name) for column in rules_columns()]


def _rule_value(rules: Rules, name: str) -> int:
    """Return the value of a rule's column, found by the rule's name."""
    field, value = FIELDS[name], getattr(rules, name)
    if isinstance(field, Choice):
        return list(field.kind).index(value)
    return round(value * 100) if isinstance(field, Share) else int(value)
