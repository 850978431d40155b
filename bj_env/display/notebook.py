"""What a notebook shows of a round: cards, hands, values, results, and the line in notation, as HTML."""

from collections.abc import Iterable
from html import escape

from bj_env.display.card_svg import card_svg
from bj_env.display.scene import HandScene, SeatScene, record_scene
from bj_env.game.cards import Card
from bj_env.game.events import Record
from bj_env.game.notation import chips_text
from bj_env.rules.terms import TICKS

_FRAME = (
    "display:inline-block;max-width:100%;box-sizing:border-box;background:#14603c;color:#f4ecd2;border-radius:12px;"
    "padding:12px 16px;font:14px/1.4 sans-serif"
)
_SEAT = "border-top:1px solid #3d8a62;padding-top:8px;margin-top:8px;display:flex;flex-wrap:wrap;gap:8px 24px"
_COLOURS = {
    "Win": "#9af0bb",
    "Blackjack": "#ffd76a",
    "Push": "#f4ecd2",
    "Lose": "#ffb3b3",
    "Surrender": "#ffc9a3",
    "": "#f4ecd2",
}


def record_html(record: Record) -> str:
    """Draw a round.

    >>> from bj_env.game.replay import replay
    >>> drawn = record_html(replay("six-deck ; D 5/6 ; P1 10 6,5 D ; next T,T").record())
    >>> drawn.count("<svg"), "Push 0" in drawn, "=&gt; P1 0" in drawn
    (6, True, True)
    """
    scene = record_scene(record)
    dealer = f"<div>{_title('dealer')}{_fan(scene.dealer)}<div>{escape(scene.dealer_value)}</div></div>"
    seats = "".join(_seat_html(seat) for seat in scene.seats)
    end = f"<div>{escape(scene.end)}</div>" if scene.end else ""
    line = f'<code style="color:inherit;background:none;white-space:pre-wrap">{escape(str(record))}</code>'
    return f'<div style="{_FRAME}">{dealer}{seats}<div style="{_SEAT}">{end}{line}</div></div>'


def _seat_html(seat: SeatScene) -> str:
    notes = ["sits out"] if seat.sits_out else []
    notes += [f"insurance {seat.insurance / TICKS:g}"] if seat.insurance else []
    notes += [f"net {chips_text(seat.net)}"] if seat.net is not None and not seat.sits_out else []
    hands = "".join(map(_hand_html, seat.hands))
    about = f"<div>{_title(seat.label)}{''.join(f'<div>{escape(it)}</div>' for it in notes)}</div>"
    return f'<div style="{_SEAT}">{about}{hands}</div>'


def _hand_html(hand: HandScene) -> str:
    bet = f"bet {hand.stake / TICKS:.10g}" + (f", {hand.fate}" if hand.fate else "")
    result = f"{hand.result} {chips_text(hand.net)}" if hand.net is not None else ""
    shown = f'<b style="color:{_COLOURS[hand.result]}">{escape(result)}</b>'
    return f"<div>{_fan(hand.cards)}<div>{escape(hand.value)} · {escape(bet)}</div>{shown}</div>"


def _title(text: str) -> str:
    return f'<div style="font-weight:bold;min-width:56px">{escape(text)}</div>'


def _fan(cards: Iterable[Card | None]) -> str:
    return f'<div style="display:flex;gap:3px">{"".join(card_svg(card, width=54) for card in cards)}</div>'
