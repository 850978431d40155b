"""The table as a picture, drawn from its scene with pygame: green felt, cards, chips, values and results.

Nothing here needs a screen. Shapes are SVG, rasterised once for each size, so that their edges are smooth; only text is
drawn by pygame's own font.
"""

import os
from collections.abc import Sequence
from functools import lru_cache
from io import BytesIO
from math import ceil

import numpy as np
from numpy.typing import NDArray

from bj_env.display.card_svg import HEIGHT, WIDTH, card_svg
from bj_env.display.chips import chip_svg, pile
from bj_env.display.scene import HandScene, Scene, SeatScene
from bj_env.errors import RenderModeError
from bj_env.extras import missing
from bj_env.game.cards import Card
from bj_env.game.notation import chips_text
from bj_env.rules.houses import painted, text
from bj_env.rules.terms import TICKS

os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")  # its greeting would stand in the output of programs

try:
    import pygame
    from pygame import Rect, Surface

    pygame.image.load_sized_svg  # noqa: B018 (the older pygame has none)
except (ImportError, AttributeError):
    raise RenderModeError(f"render_mode: {missing('pygame-ce', 'play')}") from None

SIZE = (1280, 800)
"""The size of a picture in pixels; each further row of seats makes it taller by `_ROW`."""

_IN_A_ROW = 7
_ROW, _SEATS_TOP, _ARC, _PLATE, _BAR, _MARGIN = 456, 288, 40, 58, 56, 14
_WIDEST_SEAT, _WIDEST_CARD, _DEALERS_CARD = 300, 116, 98
_FAN, _RATIO, _PILED = 0.46, HEIGHT / WIDTH, 8

_WHITE, _CREAM, _GOLD, _INK, _DIM = "#ffffff", "#f4ecd2", "#f2c84b", "#16221b", "#a9c4b2"
_RESULTS = {"Win": "#1f9d55", "Blackjack": "#d99a0b", "Push": "#5d6b78", "Lose": "#b3262e", "Surrender": "#8a4f2a"}


def draw(scene: Scene, keys: Sequence[str] = ()) -> Surface:
    """Draw a scene.

    Args:
        scene: what to draw; what is not in it cannot be seen.
        keys: the key of each legal action, if there are keys.
    """
    rows = ceil(len(scene.seats) / _IN_A_ROW)
    surface = Surface((SIZE[0], SIZE[1] + (rows - 1) * _ROW))
    surface.blit(_sprite(_felt_svg(*surface.size), surface.size), (0, 0))
    _draw_house(surface, scene)
    _draw_dealer(surface, scene)
    for row in range(rows):
        _draw_row(surface, scene.seats[row * _IN_A_ROW :][:_IN_A_ROW], _SEATS_TOP + row * _ROW)
    _draw_bar(surface, scene, keys)
    return surface


def pixels(picture: Surface) -> NDArray[np.uint8]:
    """Return a picture as an array [height, width, 3]."""
    return np.ascontiguousarray(pygame.surfarray.array3d(picture).swapaxes(0, 1))


def _draw_house(surface: Surface, scene: Scene) -> None:
    """Draw the house's rules, its shoe, and what is painted on its felt."""
    title, tokens = scene.house, text(scene.rules)
    lines = [] if title == tokens else _wrapped(tokens, 40)
    if title == tokens:
        title, *lines = _wrapped(tokens, 30)
    _write(surface, title, 30, _GOLD, (30, 36), "left", 370)
    for number, line in enumerate(lines):
        _write(surface, line, 19, _DIM, (30, 68 + 22 * number), "left")
    right = surface.width - 30
    if scene.shoe:
        for step in range(3):
            surface.blit(_card(None, 44), (right - 44 - 5 * step, 26 + 3 * step))
        _write(surface, scene.shoe, 20, _CREAM, (right, 112), "right")
    pays, draws = painted(scene.rules)
    _write(surface, pays.rstrip(".").upper(), 25, _GOLD, (surface.width // 2, 244), "center")
    _write(surface, draws, 19, _DIM, (surface.width // 2, 272), "center")


def _draw_dealer(surface: Surface, scene: Scene) -> None:
    middle, top = surface.width // 2, 46
    _write(surface, "DEALER", 22, _CREAM, (middle, 28), "center")
    if not scene.dealer:
        where = Rect(0, 0, _DEALERS_CARD, round(_DEALERS_CARD * _RATIO))
        where.midtop = (middle, top)
        surface.blit(_box(where.size, "none", "#6f9c80", 10), where)
        return
    _draw_fan(surface, scene.dealer, Rect(middle - 230, top, 460, 140), _DEALERS_CARD)
    if scene.dealer_value:
        _pill(surface, scene.dealer_value, 22, (middle, top + 152), _INK, _WHITE)


def _draw_row(surface: Surface, seats: Sequence[SeatScene], top: int) -> None:
    """Draw seats along an arc, the outer ones higher."""
    width = min(_WIDEST_SEAT, (surface.width - 2 * _MARGIN) // len(seats))
    left, centre = (surface.width - width * len(seats)) // 2, (len(seats) - 1) / 2
    for place, seat in enumerate(seats):
        rise = round(_ARC * (abs(place - centre) / 3) ** 2)
        _draw_seat(surface, seat, Rect(left + place * width + 5, top - rise, width - 10, _ROW - 12))


def _draw_seat(surface: Surface, seat: SeatScene, area: Rect) -> None:
    plate = Rect(area.left, area.bottom - _PLATE, area.width, _PLATE)
    to_act = seat.to_bet or any(hand.to_act for hand in seat.hands)
    surface.blit(_box(plate.size, "#0c3a26", _GOLD if to_act else "#3d7a5a", 12), plate)
    name = f"{seat.label} {seat.name}".strip()
    label, colour = _money(seat)
    line = plate.top + 18 if label else plate.centery
    _write(surface, name, 22, _GOLD if to_act else _WHITE, (plate.centerx, line), "center", plate.width - 12)
    _write(surface, label, 19, colour, (plate.centerx, plate.top + 41), "center", plate.width - 12)
    hands = Rect(area.left, area.top, area.width, area.height - _PLATE - 10)
    if seat.hands:
        for hand, box in zip(seat.hands, _boxes(hands, len(seat.hands)), strict=True):
            _draw_hand(surface, hand, box)
        return
    circle = Rect(0, 0, 92, 92)
    circle.midbottom = (hands.centerx, hands.bottom - 20)
    surface.blit(_box(circle.size, "none", _GOLD if seat.to_bet else "#6f9c80", 46), circle)


def _money(seat: SeatScene) -> tuple[str, str]:
    """Return the second line of a seat's plate, and its colour."""
    words = [f"insurance {seat.insurance / TICKS:g}"] if seat.insurance else []
    words += [f"bank {seat.bank / TICKS:.10g}"] if seat.bank is not None else []
    if seat.sits_out:
        words = ["sits out", *words]
    elif seat.net is not None:
        words = [f"net {chips_text(seat.net)}", *words]
        return " · ".join(words), "#7fe0a7" if seat.net > 0 else "#ff9c9c" if seat.net < 0 else _CREAM
    return " · ".join(words), _CREAM


def _boxes(area: Rect, hands: int) -> list[Rect]:
    """Share an area among hands, in the number of columns that makes the cards largest; rows lie at its bottom."""
    columns = max(range(1, hands + 1), key=lambda number: _card_width(area, number, ceil(hands / number)))
    rows = ceil(hands / columns)
    width, height = area.width // columns, area.height // rows
    height = min(height, _tallest(_card_width(Rect(0, 0, width, height), 1, 1)))
    top, boxes = area.bottom - rows * height, []
    for place in range(hands):
        row, column = divmod(place, columns)
        missing = columns - min(columns, hands - row * columns)
        boxes.append(Rect(area.left + column * width + missing * width // 2, top + row * height, width, height))
    return boxes


def _card_width(area: Rect, columns: int, rows: int) -> float:
    """Return how wide cards can be where two of them, and three lines of text, fit into each box."""
    wide, high = (area.width / columns - 12) / (1 + _FAN), area.height / rows
    return min(_WIDEST_CARD, wide, (high - 24 - 2 * _line(high)) / _RATIO)


def _line(height: float) -> float:
    """Return the height of a line of text in a box of a height."""
    return max(16.0, min(30.0, height / 7))


def _tallest(card: float) -> int:
    return round(card * _RATIO + 24 + 60)


def _draw_hand(surface: Surface, hand: HandScene, box: Rect) -> None:
    """Draw cards, their value on their lower edge, what is staked, and the result across the cards."""
    line, card = round(_line(box.height)), int(_card_width(box, 1, 1))
    if hand.to_act:
        surface.blit(_box(box.size, "#f2c84b2e", _GOLD, 14), box)
    cards = Rect(box.left + 6, box.top + 9, box.width - 12, round(card * _RATIO))
    _draw_fan(surface, hand.cards, cards, card)
    size, wide = round(0.78 * line), box.width - 8
    fill, ink = (_GOLD, _INK) if hand.to_act else (_INK, _WHITE)
    if hand.value:
        _pill(surface, hand.value, size, (box.centerx, cards.bottom + 4 + line // 2), fill, ink, wide)
    _draw_stake(surface, hand, Rect(box.left + 4, cards.bottom + 9 + line, wide, line), size)
    if hand.net is not None:
        label, colour = f"{hand.result} {chips_text(hand.net)}", _RESULTS[hand.result]
        _pill(surface, label, round(1.1 * size), (box.centerx, cards.bottom - line // 2 - 4), colour, _WHITE, wide)


def _draw_stake(surface: Surface, hand: HandScene, area: Rect, size: int) -> None:
    """Draw the chips, as close together as they must be, beside the amount and what has become of the hand."""
    chips, wide = pile(hand.stake)[:_PILED], round(1.15 * area.height)
    label = _text(f"{hand.stake / TICKS:.10g} {hand.fate}".strip(), size, _CREAM)
    free = area.width - label.width - 6 - wide
    if free < -0.4 * label.width:
        chips = []  # the amount says it
    step = max(2, min(wide // 4, free // max(1, len(chips) - 1)))
    length = wide + step * (len(chips) - 1) if chips else 0
    label = _shrunk(label, area.width - length - 6)
    left = area.centerx - (length + 6 + label.width) // 2
    for place, chip in enumerate(chips):
        surface.blit(_sprite(chip_svg(chip, width=wide), (wide, wide)), (left + step * place, area.centery - wide // 2))
    surface.blit(label, label.get_rect(midleft=(left + length + 6, area.centery)))


def _draw_fan(surface: Surface, cards: Sequence[Card | None], area: Rect, width: int) -> None:
    """Draw cards that overlap as much as they must, in the middle of an area."""
    step = _FAN * width if len(cards) < 2 else min(_FAN * width, (area.width - width) / (len(cards) - 1))
    if None in cards:
        step = width + 8  # only the dealer's up card lies beside one that is face down
    left = area.centerx - (width + step * (len(cards) - 1)) / 2
    for place, card in enumerate(cards):
        surface.blit(_card(card, width), (round(left + step * place), area.top))


def _draw_bar(surface: Surface, scene: Scene, keys: Sequence[str]) -> None:
    """Draw the legal actions with their keys, or how the round ended, along the lower edge."""
    centre = (surface.width // 2, surface.height - _BAR // 2)
    if not scene.legal:
        _write(surface, scene.end, 24, _CREAM, centre, "center")
        return
    labels = [f"{key.upper()}  {name}" for key, name in zip(keys, scene.legal, strict=True)] if keys else scene.legal
    lines = [labels] if len(labels) <= 9 else [labels[: len(labels) // 2], labels[len(labels) // 2 :]]
    for number, line in enumerate(lines):
        size = 24 if len(lines) == 1 else 17
        pills = [_pill_of(label, size, _CREAM, _INK) for label in line]
        left = centre[0] - (sum(pill.width for pill in pills) + 12 * (len(pills) - 1)) // 2
        for pill in pills:
            middle = centre[1] + (2 * number - len(lines) + 1) * 13
            surface.blit(pill, (left, middle - pill.height // 2))
            left += pill.width + 12


def _pill(
    surface: Surface, label: str, size: int, centre: tuple[int, int], fill: str, ink: str, room: int = 400
) -> None:
    """Draw text on a rounded ground, made smaller if there is not so much room."""
    pill = _shrunk(_pill_of(label, size, fill, ink), room)
    surface.blit(pill, pill.get_rect(center=centre))


@lru_cache(512)
def _pill_of(label: str, size: int, fill: str, ink: str) -> Surface:
    words = _text(label, size, ink)
    pill = _box((words.width + round(0.9 * size), round(1.35 * size)), fill, fill, round(0.6 * size)).copy()
    pill.blit(words, words.get_rect(center=pill.get_rect().center))
    return pill


def _write(
    surface: Surface, label: str, size: int, colour: str, at: tuple[int, int], side: str, room: int = 600
) -> None:
    """Draw text whose left end, centre or right end is at a place."""
    words = _shrunk(_text(label, size, colour), room)
    place = words.get_rect(center=at)
    if side != "center":
        setattr(place, side, at[0])
    surface.blit(words, place)


def _shrunk(image: Surface, room: int) -> Surface:
    """Return an image that is no wider than the room."""
    if image.width <= room:
        return image
    room = max(1, room)
    return pygame.transform.smoothscale(image, (room, max(1, image.height * room // image.width)))


@lru_cache(1024)
def _text(label: str, size: int, colour: str) -> Surface:
    if not pygame.font.get_init():
        pygame.font.init()
    label = "".join(letter for letter in label if letter.isprintable())
    label = label if len(label) <= _LONGEST else label[: _LONGEST - 1] + "…"
    large = pygame.font.Font(None, round(2.7 * size)).render(label, True, colour)
    return pygame.transform.smoothscale(large, (ceil(large.width / 2), ceil(large.height / 2)))  # evener letters


_LONGEST = 100


def _wrapped(label: str, length: int) -> list[str]:
    lines = [""]
    for word in label.split():
        if lines[-1] and len(lines[-1]) + len(word) >= length:
            lines.append("")
        lines[-1] = f"{lines[-1]} {word}".strip()
    return lines


def _card(card: Card | None, width: int) -> Surface:
    return _sprite(card_svg(card), (width, round(width * _RATIO)))


@lru_cache(1024)
def _sprite(svg: str, size: tuple[int, int]) -> Surface:
    return pygame.image.load_sized_svg(BytesIO(svg.encode()), size)


def _box(size: tuple[int, int], fill: str, edge: str, radius: int) -> Surface:
    """Return a rounded rectangle; the last two of eight digits of a fill are its opacity."""
    wide, high = size
    colour, opacity = (fill[:7], int(fill[7:], 16) / 255) if len(fill) == 9 else (fill, 1)
    return _sprite(
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {wide} {high}"><rect x="1" y="1" width="{wide - 2}"'
        f' height="{high - 2}" rx="{radius}" fill="{colour}" fill-opacity="{opacity:g}" stroke="{edge}"'
        ' stroke-width="2"/></svg>',
        size,
    )


def _felt_svg(wide: int, high: int) -> str:
    """Draw the felt: lighter in the middle, with a wooden rim and the arc of a table."""
    arc = f'<path d="M30 128C{wide // 4} 366 {3 * wide // 4} 366 {wide - 30} 128"'
    middle = f'cx="{wide / 2}" cy="{high * 0.4}" r="{wide * 0.7}" gradientUnits="userSpaceOnUse"'
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {wide} {high}"><defs><radialGradient id="felt"'
        f' {middle}><stop offset="0" stop-color="#1c7a4c"/>'
        f'<stop offset="1" stop-color="#0b4229"/></radialGradient></defs>'
        f'<rect width="{wide}" height="{high}" fill="url(#felt)"/>{arc} fill="none" stroke="#2f8a5d" stroke-width="3"/>'
        f'<rect x="3" y="3" width="{wide - 6}" height="{high - 6}" rx="14" fill="none" stroke="#5b3a21"'
        ' stroke-width="6"/>'
        f'<rect y="{high - _BAR}" width="{wide}" height="{_BAR}" fill="#08301e"/></svg>'
    )
