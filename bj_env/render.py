"""The table as text: who has which cards, what they come to, and what may be done."""

from collections.abc import Sequence

from bj_env.hand import Hand
from bj_env.notation import chips_text, house_text
from bj_env.round import Round
from bj_env.table import Table
from bj_env.terms import TICKS


def table_text(table: Table, round: Round | None, decisions: Sequence[object], legal: Sequence[str]) -> str:
    """Draw the table in plain characters, at most 80 columns for ordinary hands.

    Args:
        table: the table.
        round: the round on it, None while bets are made.
        decisions: who plays each seat, None for the agent.
        legal: the names of the legal actions.
    """
    left = "infinite shoe" if table.shoe.infinite else f"{table.shoe.left} cards left in the shoe"
    lines = [f"{house_text(table.rules)}   {left}", _dealer_text(round)]
    for number, decision in enumerate(decisions):
        name = "agent" if decision is None else type(decision).__name__
        lines += _seat_lines(round, number, name)
    lines.append("legal: " + ", ".join(legal) if legal else "the round is over")
    return "\n".join(lines)


def _dealer_text(round: Round | None) -> str:
    if round is None or not round.dealer.cards:
        return "dealer"
    hidden = " ?" if round.hole is not None and len(round.dealer.cards) == 1 else ""
    value = round.dealer.value_text() if len(round.dealer.cards) > 1 else ""
    return f"dealer{'':12}{' '.join(map(str, round.dealer.cards)) + hidden:<20} {value}".rstrip()


def _seat_lines(round: Round | None, number: int, name: str) -> list[str]:
    label = f"P{number + 1} {name[:13]}"
    if round is None:
        return [label]
    seat = round.seats[number]
    if not seat.hands:
        return [f"{label:<18}sits out"]
    turn = None if round.over else round.active_seat
    lines = []
    for index, hand in enumerate(seat.hands):
        mark = "<- to act" if turn is seat and index == round.hand_index else _fate(hand)
        cards = " ".join(map(str, hand.cards))
        stake = f"{hand.stake / TICKS:g}"
        lines.append(
            f"{label if index == 0 else '':<18}{cards:<20} {hand.value_text():<13} bet {stake:<6} {mark}".rstrip()
        )
    if seat.insurance:
        lines.append(f"{'':<18}insurance {seat.insurance / TICKS:g}")
    if round.over:
        lines.append(f"{'':<18}net {chips_text(seat.net)}")
    return lines


def _fate(hand: Hand) -> str:
    marks = (("surrendered", hand.surrendered), ("charlie", hand.charlie), ("doubled", hand.doubled))
    return ", ".join(mark for mark, applies in marks if applies)
