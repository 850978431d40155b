"""The dealer who chooses: one player against one dealer who stands and hits at will, solved exactly.

The game is hit or stand with even money from an infinite shoe (`RULES`). The player sees the dealer's up card; the
dealer, who acts last, sees everything. It is a zero-sum game in which the dealer knows the whole state, so that
backward induction finds an equilibrium: the dealer's best play for every total of the player, and the player's best
play against it. `exploitability` says how much two given strategies together leave to opponents who know them.

A player's strategy is the chance to hit ``[22, 2, 11]`` by total, softness and up card; a dealer's ``[22, 22, 2]`` by
the player's total and the dealer's total and softness. An ace is card 1, and chances are those of 13 ranks.
"""

from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

RULES = "INF S17 1:1 NOPEEK BJ21PUSH NAT21 D0 SP1 NS NINS"
"""The rules of the game, beside ``dealer="agent"``."""

Floats = NDArray[np.float64]

_CHANCES = [(card, (4 if card == 10 else 1) / 13) for card in range(1, 11)]


class Equilibrium(NamedTuple):
    """What an equilibrium is.

    Attributes:
        value: the player's expected net in bets.
        player: the player's strategy.
        dealer: the dealer's strategy.
    """

    value: float
    player: Floats
    dealer: Floats


def drawn(total: int, soft: bool, card: int) -> tuple[int, bool]:
    """Return the total and softness after a card; a total above 21 is a bust.

    >>> drawn(16, True, 9), drawn(6, False, 1), drawn(15, False, 8)
    ((15, False), (17, True), (23, False))
    """
    hard = total - 10 * soft + card
    ace = soft or card == 1
    return (hard + 10, True) if ace and hard <= 11 else (hard, False)


def first_two(one: int, other: int) -> tuple[int, bool]:
    """Return the total and softness of two cards.

    >>> first_two(1, 1), first_two(10, 1)
    ((12, True), (21, True))
    """
    return drawn(*drawn(0, False, one), other)


class _Dealer:
    """The value of the dealer's hands to the player, for one of the player's totals."""

    def __init__(self, player_total: int, strategy: Floats | None) -> None:
        self.player, self.strategy = player_total, strategy
        self.hits = np.zeros((22, 2))
        self._values: dict[tuple[int, bool], float] = {}

    def value(self, total: int, soft: bool) -> float:
        """Return the player's expected net; of the dealer's best play if no strategy was given."""
        if total > 21:
            return 1.0
        if (total, soft) not in self._values:
            stand = float(np.sign(self.player - total))
            self._values[total, soft] = stand if total == 21 else self._choose(total, soft, stand)
        return self._values[total, soft]

    def _choose(self, total: int, soft: bool, stand: float) -> float:
        hit = sum(chance * self.value(*drawn(total, soft, card)) for card, chance in _CHANCES)
        if self.strategy is None:
            self.hits[total, int(soft)] = float(hit < stand)
            return min(hit, stand)
        share = self.strategy[self.player, total, int(soft)]
        return float(share * hit + (1 - share) * stand)


class _Player:
    """The value of the player's hands against one up card and a dealer."""

    def __init__(self, upcard: int, dealers: dict[int, _Dealer], strategy: Floats | None) -> None:
        self.upcard, self.dealers, self.strategy = upcard, dealers, strategy
        self.hits = np.zeros((22, 2))
        self._values: dict[tuple[int, bool], float] = {}

    def value(self, total: int, soft: bool) -> float:
        """Return the player's expected net; of the player's best play if no strategy was given."""
        if total > 21:
            return -1.0
        if (total, soft) not in self._values:
            stand = self._stand(total)
            self._values[total, soft] = stand if total == 21 else self._choose(total, soft, stand)
        return self._values[total, soft]

    def _stand(self, total: int) -> float:
        return sum(chance * self.dealers[total].value(*first_two(self.upcard, hole)) for hole, chance in _CHANCES)

    def _choose(self, total: int, soft: bool, stand: float) -> float:
        hit = sum(chance * self.value(*drawn(total, soft, card)) for card, chance in _CHANCES)
        if self.strategy is None:
            self.hits[total, int(soft)] = float(hit > stand)
            return max(hit, stand)
        share = self.strategy[total, int(soft), self.upcard]
        return float(share * hit + (1 - share) * stand)


def _solve(player: Floats | None, dealer: Floats | None) -> Equilibrium:
    """Return the value of two strategies; the best answer to the other takes the place of one that is None."""
    dealers = {total: _Dealer(total, dealer) for total in range(4, 22)}
    player_hits, value = np.zeros((22, 2, 11)), 0.0
    for upcard, chance in _CHANCES:
        side = _Player(upcard, dealers, player)
        for one, chance_one in _CHANCES:
            for other, chance_other in _CHANCES:
                value += chance * chance_one * chance_other * side.value(*first_two(one, other))
        player_hits[:, :, upcard] = side.hits
    dealer_hits = np.stack([dealers[total].hits if total in dealers else np.zeros((22, 2)) for total in range(22)])
    return Equilibrium(value, player_hits if player is None else player, dealer_hits if dealer is None else dealer)


@cache
def equilibrium() -> Equilibrium:
    """Return the equilibrium of the game.

    >>> round(equilibrium().value, 6) < 0  # who acts last, and sees everything, has the better of it
    True
    """
    return _solve(None, None)


def value(player: Floats, dealer: Floats) -> float:
    """Return the player's expected net when two given strategies meet."""
    return _solve(player, dealer).value


def best_player(dealer: Floats) -> Equilibrium:
    """Return the player's best answer to a dealer, and its value."""
    return _solve(None, dealer)


def best_dealer(player: Floats) -> Equilibrium:
    """Return the dealer's best answer to a player, and its value to the player."""
    return _solve(player, None)


def exploitability(player: Floats, dealer: Floats) -> float:
    """Return how much opponents who know the strategies would win together: 0 for an equilibrium, in bets.

    >>> found = equilibrium()
    >>> abs(exploitability(found.player, found.dealer)) < 1e-12
    True
    """
    return best_player(dealer).value - best_dealer(player).value
