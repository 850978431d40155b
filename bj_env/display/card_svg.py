"""What a card looks like: a picture of each in SVG, made of plain shapes.

Signs and figures are paths, not text, so that no font is needed and every reader of SVG (browsers, pygame) shows the
same card. A card is `WIDTH` by `HEIGHT` units; ``_at`` puts a shape that is drawn around (0, 0) somewhere on it.
"""

from functools import cache

from bj_env.game.cards import Card, Rank, Suit

WIDTH, HEIGHT = 250, 350
"""The size of a card in its own units."""

RED, BLACK, SLATE = "#c8102e", "#17181c", "#3c4858"
"""The colours of the suits, and of a card without one."""

_PAPER, _EDGE, _SKIN, _GOLD, _BLUE = "#fffefb", "#b8b2a4", "#f6d9bd", "#e8b93a", "#1f4e96"
_MIDDLE = (WIDTH // 2, HEIGHT // 2)

SUIT_PATHS = {
    Suit.CLUBS: (
        "M-23-26A23 23 0 1 1 23-26A23 23 0 1 1-23-26ZM-48 10A23 23 0 1 1-2 10A23 23 0 1 1-48 10Z"
        "M2 10A23 23 0 1 1 48 10A23 23 0 1 1 2 10ZM-15-4A15 15 0 1 1 15-4A15 15 0 1 1-15-4Z"
        "M-4 0C-4 28-8 42-19 50L19 50C8 42 4 28 4 0Z"
    ),
    Suit.DIAMONDS: "M0-52C10-34 24-16 39 0C24 16 10 34 0 52C-10 34-24 16-39 0C-24-16-10-34 0-52Z",
    Suit.HEARTS: (
        "M0 50C-12 30-48 6-48-20C-48-37-36-46-24-46C-12-46-3-38 0-25C3-38 12-46 24-46"
        "C36-46 48-37 48-20C48 6 12 30 0 50Z"
    ),
    Suit.SPADES: (
        "M0-52C12-30 46-8 46 17C46 31 36 39 26 39C16 39 8 34 4 26C5 36 9 44 19 50L-19 50C-9 44-5 36-4 26"
        "C-8 34-16 39-26 39C-36 39-46 31-46 17C-46-8-12-30 0-52Z"
    ),
}
"""Outlines in a box of about 100 by 100."""

_DIGITS = {
    "0": "M0-50C19-50 27-30 27 0C27 30 19 50 0 50C-19 50-27 30-27 0C-27-30-19-50 0-50Z",
    "1": "M-14-34L4-50L4 50",
    "2": "M-27-24C-27-59 28-59 28-22C28 4-20 22-28 50L30 50",
    "3": "M-25-50L27-50L-3-11C18-13 30 2 30 20C30 58-22 60-29 28",
    "4": "M15 50L15-50L-30 22L32 22",
    "5": "M25-50L-19-50L-23-7C-10-18 29-18 29 18C29 58-22 60-29 30",
    "6": ("M19-50C-8-44-29-14-29 17C-29 39-16 50 0 50C16 50 29 39 29 18C29-3 16-13 0-13C-16-13-29-2-29 17"),
    "7": "M-28-50L28-50C8-20-6 14-8 50",
    "8": (
        "M0-6C-15-6-24-15-24-28C-24-41-15-50 0-50C15-50 24-41 24-28C24-15 15-6 0-6C-18-6-29 5-29 22"
        "C-29 40-18 50 0 50C18 50 29 40 29 22C29 5 18-6 0-6Z"
    ),
    "9": "M-19 50C8 44 29 14 29-17C29-39 16-50 0-50C-16-50-29-39-29-18C-29 3-16 13 0 13C16 13 29 2 29-17",
}
"""Strokes in a box of about 60 by 100."""

_LETTERS = {
    Rank.ACE: "M-31 50L0-50L31 50M-19 16L19 16",
    Rank.JACK: "M0-50L30-50M17-50L17 22C17 59-26 59-28 22",
    Rank.QUEEN: "M0-50C19-50 30-32 30 0C30 32 19 50 0 50C-19 50-30 32-30 0C-30-32-19-50 0-50ZM6 22L32 54",
    Rank.KING: "M-26-50L-26 50M28-50L-26 10M-8-10L30 50",
}

_SIDES, _FOUR = (-1, 1), (0.0, 1 / 3, 2 / 3, 1.0)
_OUTER = {
    number: [(side, height) for side in _SIDES for height in heights]
    for numbers, heights in (((4, 5), (0.0, 1.0)), ((6, 7, 8), (0.0, 0.5, 1.0)), ((9, 10), _FOUR))
    for number in numbers
}
_INNER = {2: (0.0, 1.0), 3: (0.0, 0.5, 1.0), 5: (0.5,), 7: (0.25,), 8: (0.25, 0.75), 9: (0.5,), 10: (1 / 6, 5 / 6)}
_COLUMN, _TOP, _BOTTOM = 38, 64, 286


@cache
def card_svg(card: Card | None, *, width: int = WIDTH) -> str:
    """Draw a card as a stand-alone SVG of a width in pixels; None is one that lies face down.

    >>> from bj_env.game.cards import card
    >>> card_svg(card("Th"), width=100)[:74]
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 250 350" width="100" '
    """
    size = f'width="{width}" height="{round(width * HEIGHT / WIDTH)}"'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" {size} role="img"'
    paper = _rect(1.5, WIDTH - 3, HEIGHT - 3, 18, f'fill="{_PAPER}" stroke="{_EDGE}" stroke-width="3"')
    return f'{head} aria-label="{card_name(card)}">{paper}{_back() if card is None else _face(card)}</svg>'


def card_name(card: Card | None) -> str:
    """Say a card in words.

    >>> from bj_env.game.cards import card
    >>> card_name(card("As")), card_name(card("T")), card_name(None)
    ('ace of spades', 'ten', 'a card face down')
    """
    if card is None:
        return "a card face down"
    return card.rank.name.lower() + ("" if card.suit is None else f" of {card.suit.name.lower()}")


def digits(text: str, colour: str, scale: float) -> str:
    """Draw digits around (0, 0), 100 units high before they are scaled."""
    left = -31 * (len(text) - 1)
    shapes = (
        f'<path transform="translate({left + 62 * at} 0)" d="{_DIGITS[digit]}"/>' for at, digit in enumerate(text)
    )
    return f'<g transform="scale({scale})" {_stroke(colour, 15)}>{"".join(shapes)}</g>'


def _face(card: Card) -> str:
    ink = SLATE if card.suit is None else RED if card.suit in (Suit.DIAMONDS, Suit.HEARTS) else BLACK
    corner = _at(31, 45, _rank(card.rank, ink, 0.5))
    if card.suit is not None:
        corner += _at(31, 97, _suit(card.suit, ink, 0.36))
    if card.rank > Rank.TEN:
        middle = _court(card, ink)
    elif card.suit is None:
        middle = _ring(ink) + _at(*_MIDDLE, _rank(card.rank, ink, 1.1))
    elif card.rank is Rank.ACE:
        middle = _ring(ink) + _at(*_MIDDLE, _suit(card.suit, ink, 1.15))
    else:
        middle = _pips(card, card.suit, ink)
    return middle + _both_ways(corner)


def _both_ways(shape: str) -> str:
    """Draw a shape, and once more upside down."""
    return f'{shape}<g transform="rotate(180 {WIDTH / 2:g} {HEIGHT / 2:g})">{shape}</g>'


def _pips(card: Card, suit: Suit, ink: str) -> str:
    """Draw as many pips as the card counts, those of the lower half upside down."""
    number = int(card.rank)
    places = [*_OUTER.get(number, ()), *((0, height) for height in _INNER.get(number, ()))]
    drawn = ""
    for column, height in places:
        x, y = WIDTH / 2 + column * _COLUMN, _TOP + height * (_BOTTOM - _TOP)
        drawn += _at(x, y, _suit(suit, ink, -0.4 if height > 0.5 else 0.4))
    return drawn


def _ring(ink: str) -> str:
    """Draw what is around an ace: two rings and eight pearls."""
    x, y = _MIDDLE
    circles = (
        f'<circle cx="{x}" cy="{y}" r="86" {_stroke(ink, 3)}/><circle cx="{x}" cy="{y}" r="78" {_stroke(ink, 1)}/>'
    )
    pearls = "".join(
        f'<circle cx="0" cy="-95" r="4" fill="{ink}" transform="translate({x} {y}) rotate({45 * turn})"/>'
        for turn in range(8)
    )
    return circles + pearls


def _back() -> str:
    """Draw the back: a lattice in a frame, and a medallion."""
    x, y = _MIDDLE
    low, right, bottom, lines = 16, WIDTH - 16, HEIGHT - 16, ""
    for start in range(low - (bottom - low), right, 17):
        first, last = max(low, start), min(right, start + bottom - low)
        lines += f"M{first} {low + first - start}L{last} {low + last - start}"
        lines += f"M{WIDTH - first} {low + first - start}L{WIDTH - last} {low + last - start}"
    return (
        _rect(low, WIDTH - 2 * low, HEIGHT - 2 * low, 10, f'fill="{_BLUE}"')
        + f'<path d="{lines}" stroke="#8fb0e0" stroke-width="2.2" fill="none"/>'
        + _rect(low, WIDTH - 2 * low, HEIGHT - 2 * low, 10, f'fill="none" stroke="{_BLUE}" stroke-width="5"')
        + f'<circle cx="{x}" cy="{y}" r="46" fill="{_BLUE}" stroke="{_PAPER}" stroke-width="4"/>'
        + _at(x, y, _suit(Suit.SPADES, _PAPER, 0.52))
    )


def _court(card: Card, ink: str) -> str:
    """Draw a jack, a queen or a king: half a figure in a frame, and once more upside down."""
    robe, trim = (RED, _BLUE) if ink == RED else (_BLUE, RED) if ink == BLACK else (SLATE, "#8a96a8")
    figure = _robe(robe, trim) + _HEADS[card.rank](robe, trim)
    if card.suit is not None:
        figure += _at(-44, -104, _suit(card.suit, ink, 0.36))
    sash = f'<path d="M-64-5L64-5L64 5L-64 5Z" fill="{_GOLD}" {_OUTLINE}/>'
    beads = "".join(f'<circle cx="{x}" cy="0" r="3" fill="{trim}"/>' for x in range(-52, 53, 13))
    frame = f'<path d="M-64-132L64-132L64 132L-64 132Z" fill="#fbf3df" stroke="{ink}" stroke-width="2"/>'
    turned = f'<g transform="scale(-1)">{figure}</g>'
    return _at(*_MIDDLE, frame + figure + turned + sash + beads)


_OUTLINE = f'stroke="{BLACK}" stroke-width="1.6" stroke-linejoin="round"'


def _robe(robe: str, trim: str) -> str:
    """Draw shoulders with a gold panel and a white collar."""
    lozenges = "".join(f"M0 {y - 8}L7 {y}L0 {y + 8}L-7 {y}Z" for y in (-36, -18))
    folds = "M-50-40C-44-28-42-14-42 0M50-40C44-28 42-14 42 0"
    return (
        f'<path d="M-63 0L-63-26C-52-48-30-56-18-60L18-60C30-56 52-48 63-26L63 0Z" fill="{robe}" {_OUTLINE}/>'
        f'<path d="{folds}" fill="none" stroke="{_GOLD}" stroke-width="4"/>'
        f'<path d="M-17-60L17-60L25 0L-25 0Z" fill="{_GOLD}" {_OUTLINE}/><path d="{lozenges}" fill="{trim}"/>'
        f'<path d="M-36-54C-20-40 20-40 36-54L22-66L-22-66Z" fill="{_PAPER}" {_OUTLINE}/>'
    )


def _head(hair: str, colour: str) -> str:
    """Draw hair, and a face on it."""
    return (
        f'<path d="{hair}" fill="{colour}" {_OUTLINE}/>'
        f'<ellipse cx="0" cy="-82" rx="17" ry="22" fill="{_SKIN}" {_OUTLINE}/>'
        f'<circle cx="-7" cy="-86" r="2.1" fill="{BLACK}"/><circle cx="7" cy="-86" r="2.1" fill="{BLACK}"/>'
        f'<path d="M-11-92L-4-93M4-93L11-92M0-85L-2-77L1-77" {_stroke(BLACK, 1.5)}/>'
        f'<path d="M-5-70C-2-67 2-67 5-70" {_stroke(RED, 2.2)}/>'
    )


def _king(robe: str, trim: str) -> str:
    beard = "M-17-80C-19-56-8-44 0-42C8-44 19-56 17-80C12-73 6-75 0-75C-6-75-12-73-17-80Z"
    points = "".join(
        f'<circle cx="{x}" cy="{y}" r="4" fill="{trim}" {_OUTLINE}/>' for x, y in ((-30, -122), (0, -125), (30, -122))
    )
    return (
        f'<path d="M43-124L49-116L49-30L37-30L37-116Z" fill="#d7dde4" {_OUTLINE}/>'
        f'<path d="M30-34L56-34L56-28L30-28Z" fill="{_GOLD}" {_OUTLINE}/>'
        + _head("M-23-96C-32-76-26-62-31-54L31-54C26-62 32-76 23-96Z", "#8d6a48")
        + f'<path d="{beard}" fill="#8d6a48" {_OUTLINE}/><path d="M-5-66C-2-63 2-63 5-66" {_stroke(RED, 2.2)}/>'
        f'<path d="M-24-98L-30-121L-13-109L0-124L13-109L30-121L24-98Z" fill="{_GOLD}" {_OUTLINE}/>{points}'
        f'<path d="M-24-103L24-103" {_stroke(robe, 3)}/>'
    )


def _queen(robe: str, trim: str) -> str:
    pearls = "".join(
        f'<circle cx="{x}" cy="{y}" r="4.5" fill="{_PAPER}" {_OUTLINE}/>'
        for x, y in ((-22, -113), (-11, -118), (0, -121), (11, -118), (22, -113))
    )
    petals = "".join(
        f'<circle cx="45" cy="-103" r="6" fill="{trim}" {_OUTLINE} transform="rotate({72 * turn} 45 -97)"/>'
        for turn in range(5)
    )
    return (
        f'<path d="M45-94C46-70 42-50 34-34" {_stroke("#3c8a4d", 3)}/>{petals}'
        f'<circle cx="45" cy="-97" r="4" fill="{_GOLD}"/>'
        + _head("M-21-98C-36-84-26-60-33-48C-24-44-18-50-16-60L16-60C18-50 24-44 33-48C26-60 36-84 21-98Z", "#d9a441")
        + f'<path d="M-22-98C-24-104-25-108-25-112L25-112C25-108 24-104 22-98Z" fill="{_GOLD}" {_OUTLINE}/>{pearls}'
        f'<path d="M-22-103L22-103" {_stroke(robe, 3)}/><path d="M-15-57C-8-47 8-47 15-57" {_stroke(trim, 2.5)}/>'
    )


def _jack(robe: str, trim: str) -> str:
    return (
        f'<path d="M44-122C52-108 52-98 44-90C36-98 36-108 44-122Z" fill="#d7dde4" {_OUTLINE}/>'
        f'<path d="M44-90L42-30" {_stroke("#7a5230", 4)}/>'
        + _head("M-21-98C-30-80-24-66-29-56L29-56C24-66 30-80 21-98Z", "#b5793b")
        + f'<path d="M-29-100C-34-116-12-125 4-123C22-121 33-112 27-98C10-103-12-103-29-100Z" fill="{robe}"'
        f" {_OUTLINE}/>"
        f'<path d="M-27-101C-10-104 10-104 26-100" {_stroke(_GOLD, 4)}/>'
        f'<path d="M-22-108C-34-112-34-126-20-129C-22-120-18-114-12-110Z" fill="{trim}" {_OUTLINE}/>'
    )


_HEADS = {Rank.JACK: _jack, Rank.QUEEN: _queen, Rank.KING: _king}


def _suit(suit: Suit, ink: str, scale: float) -> str:
    return f'<path d="{SUIT_PATHS[suit]}" fill="{ink}" transform="scale({scale})"/>'


def _rank(rank: Rank, ink: str, scale: float) -> str:
    if rank in _LETTERS:
        return f'<path d="{_LETTERS[rank]}" transform="scale({scale})" {_stroke(ink, 15)}/>'
    return digits(str(int(rank)), ink, scale if rank < Rank.TEN else 0.8 * scale)


def _stroke(colour: str, width: float) -> str:
    return f'fill="none" stroke="{colour}" stroke-width="{width}" stroke-linecap="round" stroke-linejoin="round"'


def _rect(inset: float, width: float, height: float, radius: float, style: str) -> str:
    return f'<rect x="{inset}" y="{inset}" width="{width}" height="{height}" rx="{radius}" {style}/>'


def _at(x: float, y: float, shape: str) -> str:
    return f'<g transform="translate({x:g} {y:g})">{shape}</g>'
