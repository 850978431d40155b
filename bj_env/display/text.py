"""The table as text: who has which cards, what they come to, and what may be done."""

from bj_env.display.scene import HandScene, Scene, SeatScene
from bj_env.game.notation import chips_text
from bj_env.rules.terms import TICKS


def table_text(scene: Scene) -> str:
    """Draw the table in plain characters, at most 80 columns for ordinary hands."""
    lines = [f"{scene.house}   {scene.shoe}", _dealer_text(scene)]
    for seat in scene.seats:
        lines += _seat_lines(seat)
    lines.append("legal: " + ", ".join(scene.legal) if scene.legal else scene.end)
    return "\n".join(lines)


def _dealer_text(scene: Scene) -> str:
    cards = " ".join("?" if card is None else card.text for card in scene.dealer)
    return f"dealer{'':12}{cards:<20} {scene.dealer_value}".rstrip()


def _seat_lines(seat: SeatScene) -> list[str]:
    label = f"{seat.label} {seat.name[:13]}"
    if seat.sits_out:
        return [f"{label:<18}sits out"]
    lines = [_hand_line("" if place else label, hand) for place, hand in enumerate(seat.hands)] or [label]
    if seat.to_bet:
        lines[0] += f"{'':<{68 - len(label)}}<- to bet"
    if seat.insurance:
        lines.append(f"{'':<18}insurance {seat.insurance / TICKS:g}")
    if seat.bank is not None:
        lines.append(f"{'':<18}bank {seat.bank / TICKS:.10g}")
    if seat.net is not None:
        lines.append(f"{'':<18}net {chips_text(seat.net)}")
    return lines


def _hand_line(label: str, hand: HandScene) -> str:
    mark = "<- to act" if hand.to_act else hand.fate
    cards = " ".join(map(str, hand.cards))
    return f"{label:<18}{cards:<20} {hand.value:<13} bet {hand.stake / TICKS:<6g} {mark}".rstrip()
