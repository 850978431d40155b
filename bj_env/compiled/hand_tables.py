"""Tables over hands: every hand by its row, and what R17 lets it do, asked once and looked up ever after."""

from functools import lru_cache
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bj_env.compiled.compiling import inlined
from bj_env.observation import hand_value
from bj_env.rules.numbered import play_mask
from bj_env.rules.terms import Rules

ROWS = 40
"""30 hand values, and 10 pairs."""

ORIGINS, MOST_HANDS, MOST_OF_HAND = 3, 9, 23
"""Where a hand is from (dealt, split, split aces); more than the hands of a seat; more than the cards of a hand."""


@inlined
def hand_row(total: int, soft: bool, pair: int) -> int:
    """Return the row of a hand in tables over hands: its value, or the card value of the pair that it is.

    >>> hand_row(20, False, 0), hand_row(20, False, 10)
    (17, 39)
    """
    return 29 + pair if pair > 0 else hand_value(total, soft)


@inlined
def legal_place(row: int, cards: int, origin: int, hands: int, short: int) -> int:
    """Return the place in `legal_actions` of a hand by its row, its cards, its origin, and its seat's hands and money.

    >>> bin(legal_actions(Rules())[legal_place(hand_row(16, False, 8), 2, 0, 1, 0)])
    '0b11111'
    """
    return (((row * MOST_OF_HAND + cards) * ORIGINS + origin) * MOST_HANDS + hands) * 2 + short


def table_hands() -> list[tuple[int, bool, int]]:
    """List the hands of tables over hands: every hard total, soft total and pair, with the card value of the pair.

    >>> len(table_hands())
    38
    """
    hard = [(total, False, 0) for total in range(4, 22)]
    soft = [(total, True, 0) for total in range(12, 22)]
    return [*hard, *soft, *((12 if value == 1 else 2 * value, value == 1, value) for value in range(1, 11))]


@lru_cache(maxsize=64)
def legal_actions(rules: Rules) -> NDArray[Any]:
    """Ask R17 about every hand in its turn; 0 where the hand gets none.

    >>> legal_actions(Rules()).sum() > 0
    np.True_
    """
    legal = np.zeros((ROWS, MOST_OF_HAND, ORIGINS, MOST_HANDS, 2), np.uint8)
    for total, soft, pair in table_hands():
        here = legal[hand_row(total, soft, pair)]
        for cards in (2,) if pair else (2, 3):  # R17 tells two cards from more, but not how many more they are
            for origin, hands, short in product(range(ORIGINS), range(1, rules.max_hands + 1), (0, 1)):
                mask = play_mask(rules, total, soft, cards, pair > 0, origin > 0, origin == 2, hands, short > 0)
                here[cards : 3 if cards == 2 else None, origin, hands, short] = mask
    return legal.ravel()
