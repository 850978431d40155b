"""A control variate for values before the deal: a quadratic in the shares of the cards left, fitted to exact values."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bj_env.rules.terms import Rules

Floats = NDArray[np.float64]

TRAINED = 0.75
"""This part of the exact values fits, the rest measures the error out of sample; then all fit."""


def features(rules: Rules, seen: NDArray[Any]) -> Floats:
    """Return the regressors of shoes after cards by value 1..10 have been seen, ``[N, 11]`` to ``[N, F]``.

    1, the decks left and their inverse, the deviation of each share of cards A..9 from a full deck's, their products,
    and the deviations by the inverse of the decks left.

    >>> features(Rules(), np.zeros((2, 11))).shape
    (2, 66)
    """
    cards = 4.0 * rules.decks * np.array([1.0] * 9 + [4.0]) - seen[:, 1:]
    left = cards.sum(axis=1, keepdims=True)
    off = 52 * (cards[:, :9] / left - 1 / 13)
    upper = np.triu_indices(9)
    squares = (off[:, :, None] * off[:, None, :])[:, upper[0], upper[1]]
    one, inverse = np.ones_like(left), 52 / left
    return np.concatenate([one, left / 52, inverse, off, squares, off * inverse], axis=1)


class Fit(NamedTuple):
    """A fitted control variate.

    Attributes:
        weights: of the features, ``[F]``.
        error: the root mean square error out of sample, in bets.
        residuals: exact less fitted at the shoes it was fitted to, ``[K]``.
    """

    weights: Floats
    error: float
    residuals: Floats

    def at(self, rows: Floats) -> Floats:
        """Return the fitted values of rows of features."""
        return np.asarray(rows @ self.weights)


def fitted(rows: Floats, values: Floats) -> Fit:
    """Fit exact values by least squares, and measure the error on a part that was held out.

    >>> rows = np.random.default_rng(1).normal(size=(400, 3))
    >>> fitted(rows, rows @ np.array([1.0, 2.0, 3.0])).weights.round(6).tolist()
    [1.0, 2.0, 3.0]
    """
    cut = max(int(TRAINED * len(values)), 1)
    part = np.linalg.lstsq(rows[:cut], values[:cut], rcond=1e-10)[0]
    held_out = values[cut:] - rows[cut:] @ part
    weights: Floats = np.asarray(np.linalg.lstsq(rows, values, rcond=1e-10)[0], np.float64)
    error = float(np.sqrt(np.mean(held_out**2))) if len(held_out) else float("nan")
    return Fit(weights, error, values - rows @ weights)
