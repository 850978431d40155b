"""The terms of the game: actions, phases, the variants of each rule, and `Rules`, one house's choice among them.

`bj_env.rules.numbered` says what these mean, rule by rule.
"""

from enum import IntEnum
from numbers import Integral
from typing import Any, NamedTuple, Self

from bj_env.errors import BlackjackError, RulesError, choices

TICKS = 10
"""Ticks to a chip."""


DECK = 52
"""Cards of a deck."""


class Action(IntEnum):
    """What a seat may do; the numbers never change. Bets follow: ``FIRST_BET + i`` is the i-th size on offer."""

    STAND = 0
    HIT = 1
    DOUBLE = 2
    SPLIT = 3
    SURRENDER = 4
    INSURE = 5
    DECLINE = 6


FIRST_BET = 7


class Phase(IntEnum):
    """What a seat is being asked."""

    BET = 0
    EARLY_SURRENDER = 1
    INSURANCE = 2
    PLAY = 3
    ROUND_OVER = 4


class HoleCard(IntEnum):
    """How the dealer's second card is handled."""

    PEEK = 0
    NOPEEK = 1
    ENHC = 2
    OBO = 3


class Double(IntEnum):
    """Which hands may be doubled."""

    DOA = 0
    D9 = 1
    D10 = 2
    D11 = 3
    DANY = 4
    D0 = 5


class SplitBy(IntEnum):
    """What makes two cards a pair."""

    VALUE = 0
    RANK = 1


class Surrender(IntEnum):
    """When half the bet may be bought back."""

    LATE = 0
    NONE = 1
    EARLY = 2
    ES10 = 3


class Payout(IntEnum):
    """What a blackjack wins, in ticks for each chip that was bet."""

    THREE_TO_TWO = 15
    SIX_TO_FIVE = 12
    SEVEN_TO_FIVE = 14
    EVEN = 10
    TWO_TO_ONE = 20


class _Fields(NamedTuple):
    decks: int = 6
    penetration: float = 0.0
    burn_cards: int = 0
    dealer_hits_soft_17: bool = False
    blackjack_payout: Payout = Payout.THREE_TO_TWO
    hole_card: HoleCard = HoleCard.PEEK
    dealer_blackjack_beats_21: bool = True
    blackjack_beats_21: bool = True
    act_on_21: bool = False
    double: Double = Double.DOA
    double_after_split: bool = True
    max_hands: int = 4
    split_by: SplitBy = SplitBy.VALUE
    resplit_aces: bool = False
    hit_split_aces: bool = False
    surrender: Surrender = Surrender.LATE
    insurance: bool = True
    charlie: int = 0
    dealer_wins_ties: bool = False
    min_bet: int = 1
    max_bet: int = 1000
    round_payouts: bool = False


MOST_CHIPS = 10**9
_RANGES = {
    "decks": (0, 16),
    "burn_cards": (0, 16 * DECK),
    "max_hands": (1, 8),
    "min_bet": (1, MOST_CHIPS),
    "max_bet": (1, MOST_CHIPS),
}


class Rules(_Fields):
    """One house's rules: a frozen, hashable record that is checked when it is built.

    Fields (default first): ``decks`` 6 (1..16; 0 = infinite); ``penetration`` 0.0 (shuffled before every round; else
    the share of the shoe, in whole percents, dealt before the cut card); ``burn_cards``; ``dealer_hits_soft_17``;
    ``blackjack_payout`` (a `Payout`); ``hole_card`` (a `HoleCard`); ``dealer_blackjack_beats_21``;
    ``blackjack_beats_21``; ``act_on_21``; ``double`` (a `Double`); ``double_after_split``; ``max_hands`` 4 (1..8, per
    seat); ``split_by`` (a `SplitBy`); ``resplit_aces``; ``hit_split_aces``; ``surrender`` (a `Surrender`);
    ``insurance``; ``charlie`` 0 (or 5..21); ``dealer_wins_ties``; ``min_bet``; ``max_bet``; ``round_payouts``.

    Raises:
        RulesError: if a field is unknown, of a wrong type, out of range, or at odds with another one.

    >>> Rules(decks=2, dealer_hits_soft_17=True).decks
    2
    >>> Rules(decks=17)
    Traceback (most recent call last):
    bj_env.errors.RulesError: decks: expected a whole number from 0 to 16, got 17
    """

    __slots__ = ()

    def __new__(cls, *values: Any, **fields: Any) -> Self:  # noqa: D102
        for name in fields:
            if name not in cls._fields:
                raise RulesError(f"unknown rule {name!r}; {choices(name, cls._fields)}")
        try:
            built = _Fields(*values, **fields)
        except TypeError as error:
            raise RulesError(f"rules: {error}") from None
        checked = (_checked(name, value) for name, value in zip(cls._fields, built, strict=True))
        rules = super()._make(checked)
        _check_together(rules)
        return rules

    @classmethod
    def _make(cls, iterable: Any) -> Self:  # type: ignore[override]
        return cls(*iterable)


def _checked(name: str, value: Any) -> Any:
    """Return the field's value in its own type."""
    default = _Fields._field_defaults[name]
    if isinstance(default, bool):
        if not isinstance(value, bool):
            raise RulesError(f"{name}: expected true or false, got {value!r}")
        return value
    if isinstance(default, IntEnum):
        kind = type(default)
        if isinstance(value, bool) or not isinstance(value, int) or value not in list(kind):
            valid = ", ".join(f"{kind.__name__}.{member.name}" for member in kind)
            raise RulesError(f"{name}: expected one of {valid}, got {value!r}")
        return kind(value)
    if name == "penetration":
        return _checked_penetration(value)
    if name == "charlie":
        low, high = 5, 21
        if value == 0 and isinstance(value, int) and not isinstance(value, bool):
            return 0
    else:
        low, high = _RANGES[name]
    if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
        zero = "0 or " if name == "charlie" else ""
        raise RulesError(f"{name}: expected {zero}a whole number from {low} to {high}, got {value!r}")
    return int(value)


def _checked_penetration(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < 1:
        raise RulesError(f"penetration: expected a share of the shoe from 0 to 0.99, got {value!r}")
    if abs(value * 100 - round(value * 100)) > 1e-9:
        raise RulesError(f"penetration: expected whole percents, like 0.75, got {value!r}")
    return round(value * 100) / 100


def _check_together(rules: Rules) -> None:
    """Refuse what makes no sense together."""
    if rules.decks == 0 and rules.penetration > 0:
        raise RulesError("penetration: an infinite shoe has no cut card, so it must be 0")
    if rules.decks == 0 and rules.burn_cards > 0:
        raise RulesError("burn_cards: an infinite shoe burns nothing, so it must be 0")
    if rules.decks > 0 and rules.burn_cards >= rules.decks * DECK:
        raise RulesError(f"burn_cards: expected fewer than {rules.decks * DECK} cards, got {rules.burn_cards}")
    if rules.min_bet > rules.max_bet:
        raise RulesError(f"min_bet: expected at most max_bet, {rules.max_bet}, got {rules.min_bet}")


class Refusal(IntEnum):
    """Why an action is not legal; 0 means that it is. `REFUSALS` has the words."""

    LEGAL = 0
    NOT_ASKED = 1
    NO_SURRENDER = 2
    SURRENDER_ACE = 3
    SURRENDER_BLACKJACK = 4
    FIRST_TWO_CARDS = 5
    NO_INSURANCE = 6
    NO_ACE = 7
    TOO_SMALL_TO_INSURE = 8
    MONEY = 9
    SPLIT_ACES = 10
    NO_DOUBLE = 11
    DOUBLE_CARDS = 12
    DOUBLE_AFTER_SPLIT = 13
    DOUBLE_TOTAL = 14
    NO_SPLIT = 15
    NOT_A_PAIR = 16
    MAX_HANDS = 17
    RESPLIT_ACES = 18


REFUSALS = {
    Refusal.NOT_ASKED: "is not an answer to what is being asked",
    Refusal.NO_SURRENDER: "the house takes no surrender here (R9, R15)",
    Refusal.SURRENDER_ACE: "the house takes no early surrender against an ace (R9)",
    Refusal.SURRENDER_BLACKJACK: "a blackjack is not surrendered (R9, R15)",
    Refusal.FIRST_TWO_CARDS: "only a seat's first two cards are surrendered (R15)",
    Refusal.NO_INSURANCE: "the house offers no insurance (R10)",
    Refusal.NO_ACE: "insurance needs an ace up (R10)",
    Refusal.TOO_SMALL_TO_INSURE: "half the bet is less than a chip (R10)",
    Refusal.MONEY: "the seat has not enough money left (R16)",
    Refusal.SPLIT_ACES: "split aces get one card each (R12)",
    Refusal.NO_DOUBLE: "the house does not let anyone double (R13)",
    Refusal.DOUBLE_CARDS: "only the first two cards are doubled (R13)",
    Refusal.DOUBLE_AFTER_SPLIT: "the house does not double after a split (R13)",
    Refusal.DOUBLE_TOTAL: "the house does not double this total (R13)",
    Refusal.NO_SPLIT: "the house does not split (R14)",
    Refusal.NOT_A_PAIR: "only a pair on two cards is split (R14)",
    Refusal.MAX_HANDS: "the seat has as many hands as the house allows (R14)",
    Refusal.RESPLIT_ACES: "split aces are not split again (R14)",
}
"""Why each refused action is refused, in words."""


def ticks(chips: float, what: str) -> int:
    """Turn chips into ticks.

    Raises:
        BlackjackError: if they are not a number of ticks from 0 up.

    >>> ticks(7.5, "bankroll")
    75
    """
    number = isinstance(chips, int | float) and not isinstance(chips, bool)
    if not number or not 0 <= chips <= 10**12 or abs(round(chips * TICKS) - chips * TICKS) > 1e-6:
        raise BlackjackError(f"{what}: expected chips from 0 up, at most one decimal, got {chips!r}")
    return round(chips * TICKS)


def check_first_deal(rules: Rules, seats: int, cards: int) -> None:
    """Refuse a table whose first deal is too much for its shoe of so many cards.

    Raises:
        BlackjackError: if nobody sits there, or the deal would need over half the shoe, or what is not burned.

    >>> check_first_deal(Rules(burn_cards=310), 1, 312)
    Traceback (most recent call last):
    bj_env.errors.BlackjackError: burn_cards: expected to leave the 4 cards of a deal, got 310 of 312
    """
    if seats < 1:
        raise BlackjackError("players: expected at least one, got none")
    needed = 2 * seats + 2
    if rules.decks > 0 and 2 * needed > cards:
        raise BlackjackError(
            f"players: expected a first deal of at most half the shoe, got {seats} seats that need {needed} of {cards} "
            "cards"
        )
    if rules.decks > 0 and rules.burn_cards + needed > cards:
        raise BlackjackError(
            f"burn_cards: expected to leave the {needed} cards of a deal, got {rules.burn_cards} of {cards}"
        )


def checked_number(name: str, came: object, least: int, most: int) -> int:
    """Return a whole number from ``least`` to ``most``.

    Raises:
        BlackjackError: if it is none.

    >>> checked_number("rounds", 0, 1, 10)
    Traceback (most recent call last):
    bj_env.errors.BlackjackError: rounds: expected a whole number from 1 to 10, got 0
    """
    if isinstance(came, bool) or not isinstance(came, Integral) or not least <= int(came) <= most:
        raise BlackjackError(f"{name}: expected a whole number from {least} to {most}, got {came!r}")
    return int(came)
