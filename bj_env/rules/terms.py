"""The terms of the game: actions, phases, the variants of each rule, and `Rules`, one house's choice among them.

`bj_env.rules.numbered` says what these mean, rule by rule.
"""

from enum import IntEnum
from numbers import Integral
from typing import Annotated, Any, NamedTuple, Self, TypeGuard, get_type_hints

from bj_env.errors import BlackjackError, RulesError, choices, real_number, shortened
from bj_env.rules.fields import Choice, Field, Flag, Number, Share, annotated_fields

TICKS = 10
"""Ticks to a chip."""


DECK = 52
"""Cards of a deck."""

MOST_CHIPS = 10**9
"""No bet is larger."""

MOST_TICKS = 10**13
"""Nobody has more money."""


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


class ActionWords(NamedTuple):
    """How an action is written everywhere.

    Attributes:
        letter: in round notation and in strategy charts; empty for DECLINE, which notation leaves out.
        key: the key that a person presses, in lower case.
        verb: what a person does.
        third_person: what an event says that a seat does.
        label: what a button says.
    """

    letter: str
    key: str
    verb: str
    third_person: str
    label: str


ACTION_WORDS = {
    Action.STAND: ActionWords("S", "s", "stand", "stands", "Stand"),
    Action.HIT: ActionWords("H", "h", "hit", "hits", "Hit"),
    Action.DOUBLE: ActionWords("D", "d", "double", "doubles", "Double"),
    Action.SPLIT: ActionWords("P", "p", "split", "splits", "Split"),
    Action.SURRENDER: ActionWords("R", "r", "surrender", "surrenders", "Surrender"),
    Action.INSURE: ActionWords("I", "i", "insure", "insures", "Insurance"),
    Action.DECLINE: ActionWords("", "n", "decline", "declines", "No insurance"),
}
"""The words of each action."""


class Offer(NamedTuple):
    """What a seat is offered before it plays: one action takes the offer, DECLINE does not.

    Attributes:
        accept: the action that takes it.
        mask: both actions, as bits ``1 << action``.
    """

    accept: Action
    mask: int


OFFERS = {
    phase: Offer(accept, 1 << accept | 1 << Action.DECLINE)
    for phase, accept in ((Phase.EARLY_SURRENDER, Action.SURRENDER), (Phase.INSURANCE, Action.INSURE))
}
"""The offer of each phase that is one."""


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
    decks: Annotated[
        int,
        Number(
            0,
            16,
            "{}D",
            "decks in the shoe; `INF`: every card is drawn with replacement",
            labels=("infinite", *map(str, range(1, 17))),
            special={0: "INF"},
        ),
    ] = 6
    penetration: Annotated[
        float, Share("PEN{}", "0: shuffled before every round; else the percent dealt before the cut card")
    ] = 0.0
    burn_cards: Annotated[int, Number(0, 16 * DECK, "BURN{}", "cards burned after each shuffle", size=16 * DECK)] = 0
    dealer_hits_soft_17: Annotated[bool, Flag("S17", "H17", "the dealer hits a soft 17")] = False
    blackjack_payout: Annotated[
        Payout,
        Choice(
            Payout,
            {
                Payout.THREE_TO_TWO: "3:2",
                Payout.SIX_TO_FIVE: "6:5",
                Payout.SEVEN_TO_FIVE: "7:5",
                Payout.EVEN: "1:1",
                Payout.TWO_TO_ONE: "2:1",
            },
            {},
            "what a blackjack wins for each bet",
        ),
    ] = Payout.THREE_TO_TWO
    hole_card: Annotated[
        HoleCard,
        Choice(
            HoleCard,
            {member: member.name for member in HoleCard},
            {},
            "dealt and looked at behind an ace or ten; dealt, not looked at; not dealt; "
            "not dealt, and a dealer blackjack wins original bets only",
        ),
    ] = HoleCard.PEEK
    dealer_blackjack_beats_21: Annotated[bool, Flag("BJ21PUSH", "", "off: a drawn 21 ties a dealer blackjack")] = True
    blackjack_beats_21: Annotated[
        bool, Flag("NAT21", "", "off: a player's blackjack is an ordinary 21; its payout applies if it wins")
    ] = True
    act_on_21: Annotated[bool, Flag("", "ACT21", "21 and blackjacks take a turn")] = False
    double: Annotated[
        Double,
        Choice(
            Double,
            {member: member.name for member in Double},
            {
                "any": Double.DOA,
                "9-11": Double.D9,
                "10-11": Double.D10,
                "11": Double.D11,
                "none": Double.D0,
                False: Double.D0,
            },
            "any two cards; hard 9 to 11; hard 10 and 11; hard 11; any number of cards; none",
        ),
    ] = Double.DOA
    double_after_split: Annotated[bool, Flag("NDAS", "DAS", "a hand may be doubled after a split")] = True
    max_hands: Annotated[int, Number(1, 8, "SP{}", "hands of a seat in all; 1: no split")] = 4
    split_by: Annotated[
        SplitBy,
        Choice(
            SplitBy,
            {SplitBy.VALUE: "SPVAL", SplitBy.RANK: "SPRANK"},
            {},
            "what makes a pair: the same value (T,K), or the same rank",
        ),
    ] = SplitBy.VALUE
    resplit_aces: Annotated[bool, Flag("", "RSA", "split aces may be split again")] = False
    hit_split_aces: Annotated[bool, Flag("", "HSA", "split aces may draw")] = False
    surrender: Annotated[
        Surrender,
        Choice(
            Surrender,
            {Surrender.LATE: "LS", Surrender.NONE: "NS", Surrender.EARLY: "ES", Surrender.ES10: "ES10"},
            {False: Surrender.NONE, "late": Surrender.LATE, "none": Surrender.NONE, "early": Surrender.EARLY},
            "late; none; early; early but not against an ace",
        ),
    ] = Surrender.LATE
    insurance: Annotated[bool, Flag("NINS", "INS", "offered against an ace, for half the bet; it pays 2:1")] = True
    charlie: Annotated[int, Number(5, 21, "CH{}", "so many cards without a bust win at once; 0: none", zero=True)] = 0
    dealer_wins_ties: Annotated[bool, Flag("", "TIELOSE", "the dealer wins ties, but for two blackjacks")] = False
    min_bet: Annotated[int, Number(1, MOST_CHIPS, "MIN{}", "the smallest bet in chips", observed=False)] = 1
    max_bet: Annotated[int, Number(1, MOST_CHIPS, "MAX{}", "the largest bet in chips", observed=False)] = 1000
    round_payouts: Annotated[
        bool, Flag("", "WHOLE", "wins, insurance and surrender are paid in whole chips, rounded down")
    ] = False


FIELDS: dict[str, Field] = annotated_fields(get_type_hints(_Fields, include_extras=True))
"""The declaration of each rule, in the order of the record."""


class Rules(_Fields):
    """One house's rules: a frozen, hashable record that is checked when it is built.

    `FIELDS` declares every field: its type, its range, its tokens and its meaning; docs/rules.md shows them as a table.
    A variant is given by its enum member, its token or a plain word: ``surrender="late"``, ``double="D9"``.

    Raises:
        RulesError: if a field is unknown, of a wrong type, out of range, or at odds with another one.

    >>> Rules(decks=2, dealer_hits_soft_17=True, surrender="none").surrender.name
    'NONE'
    >>> Rules(decks=17)
    Traceback (most recent call last):
    bj_env.errors.RulesError: decks: expected a whole number from 0 to 16, got 17
    """

    __slots__ = ()

    def __new__(cls, *values: Any, **fields: Any) -> Self:  # noqa: D102
        for name in fields:
            if name not in cls._fields:
                raise RulesError(f"unknown rule {shortened(name)}; {choices(name, cls._fields)}")
        try:
            built = _Fields(*values, **fields)
        except TypeError as error:
            raise RulesError(f"rules: {error}") from None
        checked = (FIELDS[name].check(name, value) for name, value in zip(cls._fields, built, strict=True))
        rules = super()._make(checked)
        _check_together(rules)
        return rules

    @classmethod
    def _make(cls, iterable: Any) -> Self:  # type: ignore[override]
        return cls(*iterable)


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


def ticks(chips: object, what: str) -> int:
    """Turn chips into ticks.

    Raises:
        BlackjackError: if they are not a number of ticks from 0 up. A bool is no number.

    >>> ticks(7.5, "bankroll")
    75
    """
    amount = real_number(chips) * TICKS
    if not 0 <= amount <= MOST_TICKS or abs(round(amount) - amount) > 1e-6:
        raise BlackjackError(f"{what}: expected chips from 0 up, at most one decimal, got {shortened(chips)}")
    return round(amount)


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
    cards = cards if rules.decks > 0 else 16 * DECK  # an infinite shoe seats as many as the largest other one
    if 2 * needed > cards:
        raise BlackjackError(
            f"players: expected a first deal of at most half the shoe, got {seats} seats that need {needed} of {cards} "
            "cards"
        )
    if rules.burn_cards + needed > cards:
        raise BlackjackError(
            f"burn_cards: expected to leave the {needed} cards of a deal, got {rules.burn_cards} of {cards}"
        )


def is_whole(value: object) -> TypeGuard[int]:
    """Tell whether a value is a whole number, numpy's included; a bool is none.

    >>> is_whole(3), is_whole(True), is_whole(3.0)
    (True, False, False)
    """
    return isinstance(value, Integral) and not isinstance(value, bool)


def checked_number(name: str, came: object, least: int, most: int) -> int:
    """Return a whole number from ``least`` to ``most``, numpy's included; a bool is none.

    Raises:
        BlackjackError: if it is none.

    >>> checked_number("rounds", 0, 1, 10)
    Traceback (most recent call last):
    bj_env.errors.BlackjackError: rounds: expected a whole number from 1 to 10, got 0
    """
    if not is_whole(came) or not least <= int(came) <= most:
        raise BlackjackError(f"{name}: expected a whole number from {least} to {most}, got {shortened(came)}")
    return int(came)


def checked_bet(name: str, came: object, rules: Rules) -> int:
    """Return a bet in chips that a house takes: a whole number, 0 to sit out.

    Raises:
        BlackjackError: if it is none.

    >>> checked_bet("bet of P1", 5.0, Rules())
    Traceback (most recent call last):
    bj_env.errors.BlackjackError: bet of P1: expected 0 or 1 to 1000 whole chips, got 5.0
    """
    if not is_whole(came) or not (came == 0 or rules.min_bet <= came <= rules.max_bet):
        limits = f"0 or {rules.min_bet} to {rules.max_bet} whole chips"
        raise BlackjackError(f"{name}: expected {limits}, got {shortened(came)}")
    return int(came)
