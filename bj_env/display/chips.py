"""Chips: their sizes and colours, the pile that makes an amount, and what one looks like."""

from bj_env.display.card_svg import digits
from bj_env.rules.terms import TICKS

CHIPS = {500: "#d9578f", 100: "#22242a", 50: "#23824a", 10: "#2460b8", 5: "#c4232f", 1: "#8e949e"}
"""The colour of each chip, the largest first: pink, black, green, blue, red; and grey for what is less than 5."""


def pile(ticks: int) -> list[int]:
    """Return the chips of an amount, the largest first; what is less than a whole chip is left out.

    >>> pile(6675)
    [500, 100, 50, 10, 5, 1, 1]
    """
    left, chips = ticks // TICKS, []
    for size in CHIPS:
        chips += [size] * (left // size)
        left %= size
    return chips


def chip_svg(size: int, *, width: int = 100) -> str:
    """Draw a chip as a stand-alone SVG of a width in pixels."""
    colour, number = CHIPS[size], digits(str(size), "#fff", _SCALES[len(str(size))])
    edge = "".join(
        f'<path d="M-9-48L9-48L7-36L-7-36Z" fill="#fff" transform="rotate({60 * turn})"/>' for turn in range(6)
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="-50 -50 100 100" width="{width}" height="{width}" role="img"'
        f' aria-label="chip of {size}"><circle r="48" fill="{colour}" stroke="#0d1410" stroke-width="3"/>{edge}'
        f'<circle r="34" fill="{colour}" stroke="#fff" stroke-width="3"/>{number}</svg>'
    )


_SCALES = {1: 0.36, 2: 0.3, 3: 0.23}
