"""Events: what happens in a round, as everyone at the table sees it, in order."""

from dataclasses import dataclass
from enum import IntEnum
from typing import NamedTuple

from bj_env.game.cards import Card, to_face
from bj_env.game.notation import Face, Line, Result, SeatLine, chips_text, write
from bj_env.rules.terms import ACTION_WORDS, TICKS, Action, Rules

DEALER = -1
"""The dealer's place in events and views."""


class Kind(IntEnum):
    """What happened."""

    SHUFFLE = 0
    BURN = 1
    BET = 2
    DEAL = 3
    HOLE_CARD = 4
    ACTION = 5
    DRAW = 6
    PEEK = 7
    TURN = 8
    INSURANCE = 9
    SETTLE = 10
    MISDEAL = 11


class Event(NamedTuple):
    """One event; what does not apply is 0, None or False.

    Attributes:
        kind: what happened.
        seat: to whom, from 0; `DEALER` for the dealer.
        hand: to which of the seat's hands, from 0.
        card: the card that was turned up.
        action: what the seat decided.
        total, soft: the hand after it.
        ticks: money: a bet, a stake, or what was won; for PEEK 1 if the dealer has a blackjack.
    """

    kind: Kind
    seat: int = DEALER
    hand: int = 0
    card: Card | None = None
    action: Action | None = None
    total: int = 0
    soft: bool = False
    ticks: int = 0

    def __str__(self) -> str:
        return _WORDS[self.kind].format(
            who=self._who(),
            s="" if self.seat == DEALER else "s",
            card=self.card,
            does=ACTION_WORDS[self.action].third_person if self.action is not None else "",
            total=total_text(self.total, self.soft),
            chips=chips_text(self.ticks).removeprefix("+"),
            net=chips_text(self.ticks),
            found="a blackjack" if self.ticks else "no blackjack",
        )

    def _who(self) -> str:
        if self.seat == DEALER:
            return "dealer"
        return f"P{self.seat + 1}" + (f" hand {self.hand + 1}" if self.hand else "")


def card_event(kind: Kind, seat: int, hand: int, card: Card, total: int, soft: bool) -> Event:
    """Return the event of a card that is turned up.

    It is the same as ``Event(...)`` in half the time, which counts: there is one for every card.

    >>> from bj_env.game.cards import card
    >>> str(card_event(Kind.DRAW, 0, 0, card("6h"), 16, False))
    'P1 draws 6h: hard 16'
    """
    return tuple.__new__(Event, (kind, seat, hand, card, None, total, soft, 0))


def total_text(total: int, soft: bool) -> str:
    """Say a total.

    >>> total_text(16, True), total_text(23, False)
    ('soft 16', 'bust with 23')
    """
    if total > 21:
        return f"bust with {total}"
    return f"{'soft' if soft else 'hard'} {total}"


SHUFFLED, BURNED, HOLE_CARD = Event(Kind.SHUFFLE), Event(Kind.BURN), Event(Kind.HOLE_CARD)
PEEKED = Event(Kind.PEEK), Event(Kind.PEEK, ticks=1)
"""The events that are always the same; `PEEKED` by whether the dealer has found a blackjack."""

_WORDS = {
    Kind.SHUFFLE: "the shoe is shuffled",
    Kind.BURN: "a card is burned",
    Kind.BET: "{who} bets {chips}",
    Kind.DEAL: "{who} gets {card}: {total}",
    Kind.HOLE_CARD: "dealer takes a hole card",
    Kind.ACTION: "{who} {does}",
    Kind.DRAW: "{who} draws {card}: {total}",
    Kind.PEEK: "dealer looks at the hole card: {found}",
    Kind.TURN: "dealer turns {card}: {total}",
    Kind.INSURANCE: "{who} insurance: {net}",
    Kind.SETTLE: "{who}: {net}",
    Kind.MISDEAL: "the shoe has run out: the round is void, all stakes go back",
}


@dataclass(frozen=True, slots=True)
class Record:
    """All that everyone has seen of a round; as text it is the round in notation.

    A record without events stands for no round: it is false, and its text is empty. Libraries that walk through trees
    of arrays take a record for a leaf.

    Attributes:
        rules: the house's.
        banks: each seat's money before its bet in ticks, below 0 if without limit.
        events: what happened, in order.
        seed: of the table, from which `reset` or `Table` deals all its rounds again; None if there is none to tell.

    >>> from bj_env.game.replay import replay
    >>> str(replay("six-deck ; D 5/6 ; P1 10 6,5 D ; next T,T").record())
    'six-deck ; D 5/6 ; P1 10 6,5 D ; next T,T => P1 0 ; D 5,6,T'
    """

    rules: Rules
    banks: tuple[int, ...] = ()
    events: tuple[Event, ...] = ()
    seed: int | None = None

    def line(self) -> Line:
        """Return the round as a line of notation, with its result if it is over."""
        dealer = [to_face(event.card) for event in self.events if event.card and event.seat == DEALER]
        hole = self._faces(Kind.TURN)
        seats = tuple(self._seat_line(seat, bank) for seat, bank in enumerate(self.banks))
        return Line(
            self.rules, dealer[0], hole[0] if hole else None, seats, self._faces(Kind.DRAW), self._result(dealer)
        )

    def _faces(self, kind: Kind, seat: int | None = None) -> tuple[Face, ...]:
        return tuple(
            to_face(event.card)
            for event in self.events
            if event.kind is kind and event.card and seat in (None, event.seat)
        )

    def _seat_line(self, seat: int, bank: int) -> SeatLine:
        mine = [event for event in self.events if event.seat == seat]
        bet = sum(event.ticks for event in mine if event.kind is Kind.BET) // TICKS
        taken = tuple(event.action for event in mine if event.action not in (None, Action.DECLINE))
        return SeatLine(bet, bank / TICKS if bank >= 0 else None, self._faces(Kind.DEAL, seat), taken)

    def _result(self, dealer: list[Face]) -> Result | None:
        kinds = {event.kind for event in self.events}
        if Kind.MISDEAL in kinds:
            return Result(None, tuple(dealer))
        if Kind.SETTLE not in kinds:
            return None
        nets = [0] * len(self.banks)
        for event in self.events:
            if event.kind in (Kind.SETTLE, Kind.INSURANCE):
                nets[event.seat] += event.ticks
        return Result(tuple(nets), tuple(dealer))

    def __bool__(self) -> bool:
        return bool(self.events)

    def __str__(self) -> str:
        return write(self.line()) if self.events else ""

    def __repr__(self) -> str:
        return f"Record({str(self)!r})"
