"""Situations: all that a seat can be asked that goes by its own hand, the up card and what is legal; ``K`` of them."""

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from bj_env.compiled.arrays import Array
from bj_env.compiled.hand_tables import ROWS, hand_row, table_hands
from bj_env.compiled.lookup_policies import PHASES, UPCARDS, plan_place
from bj_env.compiled.tabulation import SITUATIONS, masks_of
from bj_env.rules.terms import OFFERS, Action, Phase, Rules

CELLS = PHASES * ROWS * UPCARDS
"""Phases by hands by up cards."""


class Situations(NamedTuple):
    """What is asked, the hand, the up card, and what is legal.

    Attributes:
        number: of each place in a plan, -1 for none, ``[3 * 40 * 10 * 16]``.
        phase: from `Phase.EARLY_SURRENDER` on, ``[K]``.
        row: of the hand, see `bj_env.compiled.hand_tables.hand_row`, ``[K]``.
        upcard: its value, ``[K]``.
        legal: the actions as bits ``1 << action``, ``[K]``.
    """

    number: Array
    phase: Array
    row: Array
    upcard: Array
    legal: Array

    def cell(self) -> Array:
        """Return the cell of each, from 0 to `CELLS` - 1: phase, hand and up card, whatever is legal, ``[K]``."""
        cells: Array = ((self.phase - Phase.EARLY_SURRENDER) * ROWS + self.row) * UPCARDS + self.upcard - 1
        return cells

    def mask(self) -> Array:
        """Return what is legal as booleans, ``[K, A]``."""
        legal: Array = (self.legal[:, None] >> np.arange(len(Action)) & 1) > 0
        return legal


@lru_cache(maxsize=64)
def situations(rules: Rules) -> Situations:
    """Return the situations that rules allow.

    >>> found = situations(Rules())
    >>> int(found.number.max()) + 1 == len(found.legal)
    True
    """
    listed = []
    for total, soft, pair in table_hands():
        offered = [(phase.value, offer.mask) for phase, offer in OFFERS.items()]
        asked = [(Phase.PLAY.value, mask) for mask in masks_of(rules, total, soft, pair)]
        row = hand_row(total, soft, pair)
        listed += [(phase, row, upcard, mask) for phase, mask in offered + asked for upcard in range(1, UPCARDS + 1)]
    phase, row, upcard, legal = np.array(sorted(listed)).T
    number = np.full(SITUATIONS, -1, np.int16)
    number[plan_place(phase, row, upcard, legal)] = np.arange(len(listed))
    return Situations(number, phase, row, upcard, legal)
