"""Views: what a seat may see when it is asked."""

from collections.abc import Iterable
from typing import Any, NamedTuple, Self

from bj_env.errors import DecisionError
from bj_env.game.cards import Card, from_face
from bj_env.game.hand import Hand
from bj_env.game.notation import Face
from bj_env.game.rng import SeatRng, Stream
from bj_env.rules.terms import TICKS, Action, Phase, Rules


class HandView(NamedTuple):
    """One hand as everyone sees it; ``stake`` in chips."""

    cards: tuple[Card, ...]
    total: int
    soft: bool
    stake: float

    @classmethod
    def of(cls, hand: Hand) -> Self:
        """Return what everyone sees of a hand."""
        return cls(tuple(hand.cards), hand.total, hand.soft, hand.stake / TICKS)


class View(NamedTuple):
    """What a seat may see when it is asked: everything face up, its own money, and what is legal.

    Attributes:
        rules: the house's.
        phase: what is being asked.
        seat: the seat's number, from 0; -1 for the dealer's chair.
        hand: which of the seat's hands is in turn, from 0.
        cards, total, soft: that hand.
        pair: the card value of the pair that it is, or 0.
        upcard: the dealer's up card; None while bets are made.
        legal: the legal actions; empty while bets are made.
        bet: the seat's initial bet in chips.
        free: chips that the seat has not staked; None without limit.
        hands: the hands of every seat, by seat.
        seen: how many cards of value 1 (ace) .. 10 have been face up since the shuffle, index 0 unused.
        shuffle_pending: whether the shoe is shuffled before the next round.
        rng: the seat's own random numbers; see `bj_env.game.rng.SeatRng` for what they do not tell.
    """

    rules: Rules
    phase: Phase
    seat: int
    hand: int
    cards: tuple[Card, ...]
    total: int
    soft: bool
    pair: int
    upcard: Card | None
    legal: tuple[Action, ...]
    bet: float
    free: float | None
    hands: tuple[tuple[HandView, ...], ...]
    seen: tuple[int, ...]
    shuffle_pending: bool
    rng: SeatRng


_ASIDE = SeatRng(Stream(0))
"""Random numbers for the view of a decision that draws none."""


def total_dependent_view(
    rules: Rules,
    phase: Phase,
    *,
    cards: Iterable[int] | None,
    total: int,
    soft: bool,
    pair: int,
    upcard: int,
    legal: tuple[Action, ...],
) -> View:
    """Return the view of a total-dependent strategy: hand, up card, rules and legal actions, and nothing else.

    Args:
        cards: the values of the hand's cards; None leaves them unknown, so that a decision which looks at them fails.
        rules, phase, total, soft, pair, upcard, legal: as in a `View`, the up card by value, 0 while bets are made.

    >>> view = total_dependent_view(
    ...     Rules(), Phase.PLAY, cards=None, total=16, soft=False, pair=0, upcard=10, legal=(Action.STAND, Action.HIT)
    ... )
    >>> str(view.upcard)
    'T'
    >>> view.cards[0]
    Traceback (most recent call last):
    bj_env.errors.DecisionError: it looks at single cards, which a table by total has not
    """
    return View(
        rules=rules,
        phase=phase,
        seat=0,
        hand=0,
        cards=UNKNOWN_CARDS if cards is None else tuple(from_face(Face(value)) for value in cards),
        total=total,
        soft=soft,
        pair=pair,
        upcard=from_face(Face(upcard)) if upcard else None,
        legal=legal,
        bet=rules.min_bet,
        free=None,
        hands=((),),
        seen=(0,) * 11,
        shuffle_pending=True,
        rng=_ASIDE,
    )


class _UnknownCards(tuple[Card, ...]):
    """Cards that nobody may look at."""

    __slots__ = ()

    def __getitem__(self, index: Any) -> Any:
        raise DecisionError("it looks at single cards, which a table by total has not")

    def __iter__(self) -> Any:
        return self[0]

    def __len__(self) -> int:
        return int(self[0])

    __hash__ = None  # type: ignore[assignment]
    __eq__ = __contains__ = __getitem__


UNKNOWN_CARDS = _UnknownCards()
