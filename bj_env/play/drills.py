"""Drills: hands to decide one after the other, of one type or those that a person got wrong before.

The values are exact for the rules and a full shoe; decisions go to the practice log like those at a table.
"""

import re
from collections.abc import Sequence
from typing import NamedTuple

from bj_env.errors import BlackjackError, choices
from bj_env.game.cards import FACES, Card
from bj_env.game.rng import Stream
from bj_env.play.coach import Advice, Review, cell_name, full_shoe_advice, hand_kind, outlook_of
from bj_env.rules.numbered import best_total, is_soft
from bj_env.rules.terms import Action, Phase, Rules

DRILLS = {
    "mixed": "hard, soft and pair hands",
    "hard": "hard hands of 8 to 17",
    "soft": "soft hands of 13 to 20",
    "pair": "pairs",
    "mistakes": "hands that you got wrong, again after 10 minutes, 1, 3 and 7 days",
}
"""Each drill, and what it asks."""

_TOTALS = {"hard": range(8, 18), "soft": range(13, 21), "pair": range(1, 11)}
_CELL = re.compile(r"(hard|soft|pair) (\w+)(?:,\w+)? v (\w+)")
_VALUES = {"A": 1, "T": 10}


class Question(NamedTuple):
    """A hand against an upcard.

    Attributes:
        rules: the rules.
        cards: the hand.
        upcard: the dealer's.
    """

    rules: Rules
    cards: tuple[Card, ...]
    upcard: Card

    @property
    def values(self) -> tuple[int, ...]:
        """The card values of the hand."""
        return tuple(card.value for card in self.cards)

    def advice(self) -> Advice:
        """Return the value of each action, the best first.

        Raises:
            BlackjackError: if the solver does not support the rules.
        """
        return full_shoe_advice(self.rules, self.values, self.upcard.value)

    @property
    def cell(self) -> tuple[str, str]:
        """The type of the hand, and the cell of the strategy chart."""
        values, advice = self.values, self.advice()
        total, soft = best_total(sum(values), 1 in values), is_soft(sum(values), 1 in values)
        kind = hand_kind(Phase.PLAY, soft=soft, pair=Action.SPLIT in advice.values)
        return kind, cell_name(kind, total, values[0], self.upcard.value)

    def review(self, action: Action) -> Review:
        """Return the review of a decision.

        Raises:
            BlackjackError: if the action is not legal for the hand.
        """
        from bj_env.solver.shoe import composition

        advice = self.advice()
        if action not in advice.values:
            legal = ", ".join(legal.name.lower() for legal in advice.values)
            raise BlackjackError(f"drill: expected one of {legal}, got {action.name.lower()}")
        shoe = composition(self.rules)
        return Review(
            *self.cell, action, advice, outlook_of(self.rules, shoe, self.values, self.upcard.value, peeked=True)
        )


def question(rules: Rules, drill: str, stream: Stream, due: Sequence[str] = ()) -> Question:
    """Return the next question of a drill.

    Args:
        rules: the rules.
        drill: one of `DRILLS`.
        stream: the random numbers.
        due: for ``"mistakes"``, the cells to repeat, as in `bj_env.play.practice.PracticeLog.due`.

    Raises:
        BlackjackError: if there is no such drill, or nothing to repeat.

    >>> asked = question(Rules(), "hard", Stream(7))
    >>> sum(asked.values), len(asked.cards)
    (15, 2)
    """
    if drill not in DRILLS:
        raise BlackjackError(f"unknown drill {drill!r}; {choices(drill, list(DRILLS))}")
    if drill == "mistakes":
        kind, number, upcard = _of_cell(rules, due, stream)
    else:
        kinds = [drill] if drill != "mixed" else [kind for kind in _TOTALS if kind != "pair" or rules.max_hands > 1]
        if drill == "pair" and rules.max_hands == 1:
            raise BlackjackError("drill 'pair': this house does not split")
        kind = kinds[stream.below(len(kinds))]
        number, upcard = _TOTALS[kind][stream.below(len(_TOTALS[kind]))], 1 + stream.below(10)
    values = hands_of_cell(kind, number)
    return Question(
        rules,
        tuple(card_of_value(value, stream) for value in values[stream.below(len(values))]),
        card_of_value(upcard, stream),
    )


def _of_cell(rules: Rules, due: Sequence[str], stream: Stream) -> tuple[str, int, int]:
    """Return the hand and the upcard of a cell that is due."""
    cells = []
    for cell in due:
        match = _CELL.fullmatch(cell)
        if match and (match[1] != "pair" or rules.max_hands > 1):
            number, upcard = (_VALUES.get(text) or int(text) for text in match.groups()[1:])
            if hands_of_cell(match[1], number):
                cells.append((match[1], number, upcard))
    if not cells:
        raise BlackjackError("drill 'mistakes': you have no mistakes to repeat now; play, or take another drill")
    return cells[stream.below(min(3, len(cells)))]


def hands_of_cell(kind: str, number: int) -> list[tuple[int, ...]]:
    """Return the hands of a cell as card values: two cards, or three where two make no such hand."""
    if kind == "pair":
        return [(number, number)]
    if kind == "soft":
        return [(1, number - 11)] if 13 <= number <= 20 else []
    two: list[tuple[int, ...]] = [(low, number - low) for low in range(2, 11) if low < number - low <= 10]
    return two or [(2, 8, 10)] * (number == 20)


def card_of_value(value: int, stream: Stream) -> Card:
    """Return a card of a value, of any rank and suit."""
    cards = [card for card in FACES if card.value == value and card.suit is not None]
    return cards[stream.below(len(cards))]
