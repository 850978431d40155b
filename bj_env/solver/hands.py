"""Every hand a player can hold without busting, each with what one more card makes of it.

A hand is a multiset of card values, so its index says all that the solver needs: the total, whether it is soft, how
many cards it has. Hands are numbered by the sum of their values, so a card always leads to a later hand.
"""

from collections.abc import Iterator, Sequence
from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bj_env.errors import NotationError
from bj_env.game.notation import parse_cards
from bj_env.rules.numbered import best_total, card_value, is_bust, is_soft

VALUES = range(1, 11)
"""Card values: 1 for an ace, 10 for every ten-value; arrays over values have value ``v`` at index ``v - 1``."""

BUST = -1
"""The child of a hand that one more card busts."""

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Flags = NDArray[np.bool_]


class Hands(NamedTuple):
    """All hands of 0 to 21 cards that are not bust, as arrays ``[H]`` or ``[H, 10]`` (by card value).

    Attributes:
        counts: how many cards of each value the hand has, ``[H, 10]``.
        child: the hand that one more card of each value makes, `BUST` if it busts, ``[H, 10]``.
        total: its total, an ace counted 11 where that fits.
        soft: whether an ace counts 11.
        cards: how many cards it has.
        pair: the value of the pair that it is, or 0.
    """

    counts: Ints
    child: Ints
    total: Ints
    soft: Flags
    cards: Ints
    pair: Ints


def multisets(points: int, highest: int = 10) -> Iterator[tuple[int, ...]]:
    """Yield every multiset of card values up to ``highest`` whose values sum to ``points``, highest value first.

    >>> list(multisets(3))
    [(3,), (2, 1), (1, 1, 1)]
    """
    if points == 0:
        yield ()
    for value in range(min(points, highest), 0, -1):
        for rest in multisets(points - value, value):
            yield (value, *rest)


@cache
def hand_index() -> dict[tuple[int, ...], int]:
    """Return the number of each hand, given as its card values from the highest down.

    >>> hand_index()[()], len(hand_index())
    (0, 3083)
    """
    hands = (hand for points in range(22) for hand in multisets(points))
    return {hand: number for number, hand in enumerate(hands)}


@cache
def all_hands() -> Hands:
    """Return the table of all hands.

    >>> hands = all_hands()
    >>> eights = find_hand([8, 8])
    >>> int(hands.total[eights]), int(hands.pair[eights]), int(hands.child[eights, 5 - 1]) == find_hand([8, 5, 8])
    (16, 8, True)
    """
    index = hand_index()
    hard = [sum(hand) for hand in index]
    return Hands(
        counts=np.array([[hand.count(value) for value in VALUES] for hand in index]),
        child=np.array([[index.get(_with(hand, value), BUST) for value in VALUES] for hand in index]),
        total=np.array([best_total(points, 1 in hand) for hand, points in zip(index, hard, strict=True)]),
        soft=np.array([is_soft(points, 1 in hand) for hand, points in zip(index, hard, strict=True)]),
        cards=np.array([len(hand) for hand in index]),
        pair=np.array([hand[0] if len(hand) == 2 and hand[0] == hand[1] else 0 for hand in index]),
    )


def _with(hand: tuple[int, ...], value: int) -> tuple[int, ...]:
    return tuple(sorted((*hand, value), reverse=True))


def find_hand(values: Sequence[int]) -> int:
    """Return the number of the hand with these card values, in any order.

    Raises:
        NotationError: if it is bust.
    """
    hand = tuple(sorted(values, reverse=True))
    if is_bust(sum(hand)):
        raise NotationError(f"hand: expected at most 21 points, got {hand_text(values)} with {sum(hand)}")
    return hand_index()[hand]


def parse_values(text: str) -> tuple[int, ...]:
    """Read cards like ``"T,6"``, ``"10,6"`` or ``"A7"`` as card values.

    Raises:
        NotationError: at what is no card.

    >>> parse_values("K,6"), parse_values("A7")
    ((10, 6), (1, 7))
    """
    return tuple(card_value(face.rank) for face in parse_cards(text))


def hand_text(values: Sequence[int]) -> str:
    """Write card values as ranks.

    >>> hand_text((10, 1, 6))
    'T,A,6'
    """
    return ",".join("A" if value == 1 else "T" if value == 10 else str(value) for value in values)
