"""The house's rules as tables over all hands: what is legal, and what each outcome of the dealer pays.

Every number here is an answer of a function of `bj_env.rules.numbered`; the kernels only add and multiply them.
"""

from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from bj_env.errors import RulesError
from bj_env.rules.numbered import (
    hand_net,
    is_blackjack,
    is_charlie,
    original_bet_net,
    play_mask,
    split_refusal,
    surrender_net,
)
from bj_env.rules.terms import TICKS, HoleCard, Rules
from bj_env.solver.draws import BLACKJACK
from bj_env.solver.hands import Floats, Ints, all_hands
from bj_env.solver.kernels import Losses

DEALT, SPLIT, SPLIT_ACES = range(3)
"""Where a hand comes from, which decides what it may do."""

_DEALER = ((17, False), (18, False), (19, False), (20, False), (21, False), (22, False), (21, True))
"""The dealer's total and whether it is a blackjack, for each outcome."""


class HouseTables(NamedTuple):
    """What the rules say of every hand, in bets; blackjack is the outcome that `settled_early` takes out.

    Attributes:
        net: of a hand that stands, by where it comes from (dealt or split), ``[2, H, 7]``.
        double_net: of a hand that has been doubled, ``[H, 7]``.
        mask: legal actions but for splitting, by where the hand comes from, ``[3, H]``.
        losses: of busts and surrender.
        early_net: of a hand that is surrendered before the dealer looks.
    """

    net: Floats
    double_net: Floats
    mask: Ints
    losses: Losses
    early_net: float

    def measured(self, measure: Callable[[Floats], Floats]) -> "HouseTables":
        """Return the tables of a function of what is won."""
        losses = Losses(*map(float, measure(np.array(self.losses))))
        early_net = float(measure(np.array([self.early_net]))[0])
        return HouseTables(measure(self.net), measure(self.double_net), self.mask, losses, early_net)

    def settled_early(self) -> "HouseTables":
        """Return the tables for a round in which dealer blackjacks are settled apart: they count 0."""
        net, double_net = self.net.copy(), self.double_net.copy()
        net[..., BLACKJACK] = double_net[..., BLACKJACK] = 0.0
        losses = self.losses._replace(bust_blackjack=0.0, double_bust_blackjack=0.0, surrender_blackjack=0.0)
        return HouseTables(net, double_net, self.mask, losses, self.early_net)


@lru_cache(maxsize=64)
def house_tables(rules: Rules) -> HouseTables:
    """Ask the rules about every hand.

    Raises:
        RulesError: where one bet only is lost to a dealer blackjack (OBO) and split hands may win or tie against it:
            what a seat then loses depends on all its hands together.

    >>> tables = house_tables(Rules())
    >>> from bj_env.solver.hands import find_hand
    >>> tables.net[DEALT, find_hand([1, 10])].tolist()
    [1.5, 1.5, 1.5, 1.5, 1.5, 1.5, 0.0]
    """
    may_not_lose = rules.charlie > 0 or not rules.dealer_blackjack_beats_21
    if rules.hole_card == HoleCard.OBO and rules.max_hands > 1 and may_not_lose:
        raise RulesError("the solver cannot do OBO exactly with splits and CH or BJ21PUSH; use SP1, or ENHC or PEEK")
    bet = rules.min_bet * TICKS
    return HouseTables(
        net=np.array([_nets(rules, bet, bet, from_split) for from_split in (False, True)]),
        double_net=_nets(rules, 2 * bet, bet, False),
        mask=np.array([_masks(rules, origin) for origin in (DEALT, SPLIT, SPLIT_ACES)]),
        losses=_losses(rules, bet),
        early_net=surrender_net(rules, bet, True, False) / bet,
    )


@lru_cache(maxsize=64)
def settled_tables(rules: Rules) -> HouseTables:
    """Return the tables with dealer blackjacks left out."""
    return house_tables(rules).settled_early()


def _total_dependent(answer: Callable[[int, bool, int], object]) -> list[object]:
    """Return the answer for each hand by its total, whether it is soft, and its number of cards."""
    hands = all_hands()
    keys = list(zip(hands.total.tolist(), hands.soft.tolist(), hands.cards.tolist(), strict=True))
    answers = {key: answer(*key) for key in set(keys)}
    return [answers[key] for key in keys]


def _nets(rules: Rules, stake: int, bet: int, from_split: bool) -> Floats:
    """Return what a hand nets with ``stake`` ticks on it, in bets, ``[H, 7]``."""

    def nets(total: int, soft: bool, cards: int) -> list[float]:
        blackjack, charlie = is_blackjack(total, cards, from_split), is_charlie(rules, total, cards)
        won = [hand_net(rules, stake, total, blackjack, charlie, dealer, beaten) for dealer, beaten in _DEALER]
        return [_final(rules, net, bet, beaten) for net, (_, beaten) in zip(won, _DEALER, strict=True)]

    return np.array(_total_dependent(nets))


def _final(rules: Rules, net: int, bet: int, dealer_blackjack: bool) -> float:
    return original_bet_net(rules, net, bet, dealer_blackjack, False) / bet


def _losses(rules: Rules, bet: int) -> Losses:
    amounts = (-bet, -2 * bet)
    busts = [_final(rules, net, bet, beaten) for net in amounts for beaten in (False, True)]
    surrender = [_final(rules, surrender_net(rules, bet, False, beaten), bet, beaten) for beaten in (False, True)]
    return Losses(*busts, *surrender)


def _masks(rules: Rules, origin: int) -> list[object]:
    """Return the legal actions of each hand that comes from ``origin``, splitting left out."""
    from_split, aces = origin != DEALT, origin == SPLIT_ACES
    hands = 2 if from_split else 1

    def mask(total: int, soft: bool, cards: int) -> int:
        if is_charlie(rules, total, cards):
            return 0
        return play_mask(rules, total, soft, cards, False, from_split, aces, hands, False)

    return _total_dependent(mask)


def hand_limit(rules: Rules, value: int) -> int:
    """Return how many hands a pair of this value may become; 1 if it may not be split.

    >>> hand_limit(Rules(max_hands=4), 8), hand_limit(Rules(max_hands=4), 1), hand_limit(Rules(max_hands=1), 8)
    (4, 2, 1)
    """
    hands = 1
    while split_refusal(rules, True, value == 1 and hands > 1, hands, False) == 0:
        hands += 1
    return hands
