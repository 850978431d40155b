"""Correlations of a count's tags with what cards are worth: for betting, for playing and for insurance."""

from collections.abc import Mapping, Sequence
from math import sqrt
from typing import NamedTuple

from bj_env.errors import BlackjackError
from bj_env.strategies.count_systems import System, system

DECK_WEIGHTS = (4,) * 9 + (16,)
"""Cards of each value A,2..9,T in a deck."""

GRIFFIN_BETTING = (-0.61, 0.38, 0.44, 0.55, 0.69, 0.46, 0.28, 0.00, -0.18, -0.51)
"""Effect on a round's value, in %, of removing one card of 52 (P. Griffin, "The Theory of Blackjack", p. 44)."""

GRIFFIN_PLAYING = system("griffin-playing").tags[1:]
"""Tags of the best single count for playing, one deck (P. Griffin, "The Theory of Blackjack", p. 46)."""

INSURANCE = (4.0,) * 9 + (-9.0,)
"""What removing a card does to the insurance bet, one deck: 4/51 bets up for a low card, 9/51 down for a ten."""

PLAYING_SLOPE, PLAYING_OFFSET = 1.160, 0.457
"""Published playing efficiencies of 20 systems lie on ``1.160 r - 0.457``, r the correlation with `GRIFFIN_PLAYING`.

Root mean square error 0.005, largest 0.012. It stops being right at other rules, decks and depths: there the gain of
perfect play itself changes (`bj_env.analysis.counting.limits`).
"""

LEAST_PLAYING_CORRELATION = 0.5
"""The line was fitted to correlations from 0.82 on; from far below it nothing can be said."""


class Efficiencies(NamedTuple):
    """How well a count's tags follow what cards are worth.

    Attributes:
        betting: betting correlation (BC).
        playing: playing efficiency (PE) in Griffin's single-deck sense; None for tags far from all that were measured.
        insurance: insurance correlation (IC).
    """

    betting: float
    playing: float | None
    insurance: float


def correlation(tags: Sequence[float], effects: Sequence[float]) -> float:
    """Return the correlation of two lists of ten numbers for A,2..9,T over the cards of a deck.

    Raises:
        BlackjackError: if there are not ten of each, or all of one list are equal.

    >>> round(correlation(system("hi-lo").tags[1:], INSURANCE), 4)
    0.7601
    """
    for name, numbers in (("tags", tags), ("effects", effects)):
        if len(numbers) != 10:
            raise BlackjackError(f"{name}: expected ten, for A,2..9,T, got {len(numbers)}")
        if max(numbers) == min(numbers):
            raise BlackjackError(f"{name}: expected some that differ, got ten equal ones")
    return _covariance(tags, effects) / sqrt(_covariance(tags, tags) * _covariance(effects, effects))


def _covariance(first: Sequence[float], second: Sequence[float]) -> float:
    means = [sum(w * x for w, x in zip(DECK_WEIGHTS, numbers, strict=True)) / 52 for numbers in (first, second)]
    pairs = zip(DECK_WEIGHTS, first, second, strict=True)
    return sum(weight * (x - means[0]) * (y - means[1]) for weight, x, y in pairs) / 52


def tags_of(source: System | str | Sequence[float]) -> tuple[float, ...]:
    """Return the ten tags for A,2..9,T of a system, its name, or tags themselves.

    >>> tags_of("hi-opt-i")
    (0.0, 0.0, 1.0, 1.0, 1.0, 1.0, 0.0, 0.0, 0.0, -1.0)
    """
    if isinstance(source, str):
        source = system(source)
    return tuple(source.tags[1:] if isinstance(source, System) else source)


def efficiencies(
    source: System | str | Sequence[float], effects: Mapping[int, float] | Sequence[float] = GRIFFIN_BETTING
) -> Efficiencies:
    """Return betting correlation, playing efficiency and insurance correlation of a count.

    Args:
        source: a system, its name, or ten tags for A,2..9,T.
        effects: effects of removal for betting; `bj_env.solver.effects_of_removal` gives those of any rules.

    >>> found = efficiencies("hi-lo")
    >>> round(found.betting, 3), round(found.playing, 3), round(found.insurance, 3)
    (0.968, 0.504, 0.76)
    """
    tags = tags_of(source)
    by_value = [effects[value] for value in range(1, 11)] if isinstance(effects, Mapping) else list(effects)
    playing = correlation(tags, GRIFFIN_PLAYING)
    efficiency = PLAYING_SLOPE * playing - PLAYING_OFFSET if playing >= LEAST_PLAYING_CORRELATION else None
    return Efficiencies(correlation(tags, by_value), efficiency, correlation(tags, INSURANCE))
