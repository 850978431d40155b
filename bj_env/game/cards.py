"""Cards: ranks, suits, and the 52 cards of a deck."""

from dataclasses import dataclass, field
from enum import IntEnum
from typing import Self

from bj_env.game.notation import RANKS, SUITS, Face, parse_face
from bj_env.rules.numbered import card_value

Rank = IntEnum("Rank", "ACE TWO THREE FOUR FIVE SIX SEVEN EIGHT NINE TEN JACK QUEEN KING")
Suit = IntEnum("Suit", "CLUBS DIAMONDS HEARTS SPADES", start=0)


@dataclass(frozen=True, slots=True)
class Card:
    """A card; without a suit it stands for any of its rank (and T for any ten-value card).

    >>> str(card("Ks")), card("Ks").value
    ('Ks', 10)
    """

    rank: Rank
    suit: Suit | None = None
    value: int = field(init=False, compare=False)
    text: str = field(init=False, compare=False, repr=False)  # worked out once: cards are written far more than made

    def __post_init__(self) -> None:
        object.__setattr__(self, "value", int(card_value(self.rank)))
        object.__setattr__(self, "text", RANKS[self.rank - 1] + ("" if self.suit is None else SUITS[self.suit]))

    def __str__(self) -> str:
        return self.text

    def __deepcopy__(self, memo: dict[int, object]) -> Self:
        return self


FACES = tuple(Card(rank, suit) for suit in Suit for rank in Rank)
"""The 52 cards of a deck."""

_BARE = {rank: Card(rank) for rank in Rank}


def card(text: str) -> Card:
    """Return the card that is written, like ``"8"`` or ``"Th"``.

    Raises:
        NotationError: if it is none.
    """
    return from_face(parse_face(text))


def from_face(face: Face) -> Card:
    """Return the card of a written face."""
    return _BARE[Rank(face.rank)] if face.suit < 0 else FACES[face.suit * 13 + face.rank - 1]


def to_face(card: Card) -> Face:
    """Return how the card is written, by its rank alone: a round's result depends on no suit."""
    return Face(int(card.rank))
