"""Observers: what one seat sees of a table, as the observation that an environment hands over."""

from typing import Any, Self, TypeVar

from numpy.typing import NDArray

from bj_env.env.episode import hand_of
from bj_env.env.settings import Settings
from bj_env.game.events import DEALER
from bj_env.game.round import Round
from bj_env.game.shoe import Shoe
from bj_env.game.table import Table
from bj_env.observation import (
    rules_row,
    write_bankroll,
    write_card,
    write_composition,
    write_count,
    write_hand,
    write_seen,
    write_turn,
)
from bj_env.rules.terms import TICKS

Observation = NDArray[Any]
Question = TypeVar("Question")
Answer = TypeVar("Answer")


class Cache(dict[Question, Answer]):
    """Answers that never change, by question; copies of an environment share them."""

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self


class Observer:
    """Encodes what a seat sees of a table, in the parts and the encoding of an environment's settings.

    >>> from bj_env.game.participants import Player
    >>> observer = Observer(Settings.checked(seats=("agent",), encoding="discrete"))
    >>> table = Table("six-deck", [Player("ann")], seed=0)
    >>> round = table.deal([1])
    >>> observer.observe(table, round, seat=0, hand_index=0, phase=round.phase)
    array([ 3, 15,  0,  2,  1])
    """

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._stakes = settings.stakes
        self._rules_row = rules_row(settings.rules)
        self._observations: Cache[tuple[int, int, bool, int, int, int], Observation] = Cache()

    def observe(self, table: Table, round: Round | None, *, seat: int, hand_index: int, phase: int) -> Observation:
        """Return a fresh observation; those of the hand alone are remembered, since they repeat.

        Args:
            table: the table.
            round: the round on it; None while bets are made.
            seat: whose view it is; `DEALER` for the dealer's chair.
            hand_index: which of the seat's hands is in turn.
            phase: what the seat is asked.
        """
        hand = self._hand(round, seat, hand_index, phase)
        observation = self._observations.get(hand)
        if observation is None:
            observation = self._encoded(table, round, seat, hand_index, hand)
            if self._settings.layout.parts == ("hand",):
                self._observations[hand] = observation
        return observation.copy()

    def _hand(
        self, round: Round | None, seat: int, hand_index: int, phase: int
    ) -> tuple[int, int, bool, int, int, int]:
        """Return what `write_hand` writes: phase, total, soft, pair, up card and stake."""
        hand, upcard, stake = hand_of(round, seat, hand_index), 0, 0
        if round is not None:
            upcard = round.upcard.value
            stake = 0 if seat == DEALER else self._stakes[round.seats[seat].bet // TICKS]
        return phase, hand.total, hand.soft, hand.pair(self._settings.rules), upcard, stake

    def _encoded(
        self,
        table: Table,
        round: Round | None,
        seat: int,
        hand_index: int,
        hand: tuple[int, int, bool, int, int, int],
    ) -> Observation:
        layout = self._settings.layout
        row = [0] * len(layout.columns)
        for part, at in layout.starts.items():
            if part == "hand":
                write_hand(row, at, *hand)
            elif part == "rules":
                row[at : at + len(self._rules_row)] = self._rules_row
            elif part == "table":
                self._write_table(row, at, round, seat, hand_index)
            elif part == "bankroll":
                self._write_bankroll(row, at, table, seat)
            else:
                self._write_cards(part, row, at, table.shoe)
        return layout.encode(row)

    def _write_cards(self, part: str, row: list[int], at: int, shoe: Shoe) -> None:
        rules = self._settings.rules
        if part == "count":
            write_count(row, at, self._settings.count.value(rules, shoe.seen))
        elif part == "seen":
            write_seen(row, at, rules.decks, shoe.seen, shoe.shuffle_pending)
        elif part == "composition":
            write_composition(row, at, rules.decks, shoe.seen)

    def _write_bankroll(self, row: list[int], at: int, table: Table, seat: int) -> None:
        if seat != DEALER:  # the dealer's chair has no bankroll
            bets_left = table.players[seat].free // (self._settings.unit * TICKS)
            write_bankroll(row, at, self._settings.layout.columns[at].size - 1, bets_left)

    def _write_table(self, row: list[int], at: int, round: Round | None, seat: int, hand_index: int) -> None:
        write_turn(row, at, max(seat, 0), hand_index)
        if round is None:
            return
        most = self._settings.rules.max_hands
        for card in round.dealer.cards:
            write_card(row, at, most, DEALER, 0, card.value)
        for other in round.seats:
            for place, hand in enumerate(other.hands):
                for card in hand.cards:
                    write_card(row, at, most, other.number, place, card.value)
