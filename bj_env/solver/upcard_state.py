"""The state of a round once the up card is known: the rules, and what is left of the shoe behind it."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from bj_env.rules.numbered import (
    early_surrender_refusal,
    insurance_net,
    insurance_refusal,
    insurance_stake,
)
from bj_env.rules.terms import TICKS, HoleCard, Rules, SplitBy
from bj_env.solver.dealer import dealer_groups, dealer_tree, hole_value, peeked
from bj_env.solver.draws import BLACKJACK, Tree, cards_left, dealer_outcomes, outcomes_without
from bj_env.solver.hands import VALUES, Flags, Floats, Ints, all_hands, find_hand
from bj_env.solver.shoe import Composition
from bj_env.solver.tables import DEALT, HouseTables, house_tables, settled_tables

DEALS = tuple(find_hand((high, low)) for high in VALUES for low in VALUES if low <= high)
"""The 55 hands of two cards."""
DEAL_INDEX = np.array(DEALS)
_HIGH = np.array([high - 1 for high in VALUES for low in VALUES if low <= high])
_LOW = np.array([low - 1 for high in VALUES for low in VALUES if low <= high])
TEN_RANKS = 4
"""Ranks that share the value ten; the solver takes them as equally many."""


Measure = Callable[[Floats], Floats]
"""A function of what a hand wins, in bets: its square, for one."""


class UpcardState(NamedTuple):
    """The state of a round once the up card is known: the rules, and what is left of the shoe behind it.

    Attributes:
        rules: the house's.
        upcard: the dealer's up card.
        base: cards left by value, ``[10]``.
        step: what drawing a card takes from its count, 1 or 0.
        hole: index of the value that makes a dealer blackjack, or -1.
        tree: the dealer's draws.
        tables: what the rules say, dealer blackjacks left out if he peeks.
        all_tables: what the rules say, dealer blackjacks included.
        split_tables: for split hands; where one bet only is lost to a dealer blackjack, he is left out too.
    """

    rules: Rules
    upcard: int
    base: Floats
    step: float
    hole: int
    tree: Tree
    tables: HouseTables
    all_tables: HouseTables
    split_tables: HouseTables

    def split_constant(self, blackjack: float) -> float:
        """Return what `split_tables` leave out, given the probability of a dealer blackjack."""
        one_bet = self.rules.hole_card == HoleCard.OBO
        return self.all_tables.losses.bust_blackjack * blackjack if one_bet else 0.0

    @property
    def ten_ranks(self) -> list[tuple[float, float]]:
        """The ranks of the tens: how many cards there are of the rank, and how many ways to hold two, for each kind.

        The up card, if it is a ten, has taken one of its own rank.
        """
        each = (float(self.base[9]) + (self.step if self.upcard == 10 else 0.0)) / TEN_RANKS
        kinds = [(each, TEN_RANKS - 1), (each - self.step, 1)] if self.upcard == 10 else [(each, TEN_RANKS)]
        return [(count, ranks * count * max(count - self.step, 0.0)) for count, ranks in kinds]

    def outcomes(self, chosen: Ints) -> Floats:
        """Return the probabilities of the dealer's outcomes against each of the chosen hands, ``[B, 7]``."""
        if self.step == 0:
            same = dealer_outcomes(self.tree, self.base[np.newaxis], self.step, self.hole)
            return np.repeat(same, len(chosen), axis=0)
        left = cards_left(all_hands(), chosen, self.base, self.step)
        return dealer_outcomes(self.tree, left, self.step, self.hole)

    def outcomes_without(self, value: int, most: int, chosen: Ints) -> Floats:
        """Return the same when 1 .. ``most`` more cards of a value are out, ``[most, B, 7]``."""
        if self.step == 0:
            return np.repeat(self.outcomes(chosen)[np.newaxis], most, axis=0)
        groups = dealer_groups(self.rules, self.upcard, value)
        left = cards_left(all_hands(), chosen, self.base, self.step)
        return outcomes_without(self.tree, groups, value, left, self.step, self.hole, most)

    def cards_behind(self, cards: int) -> float:
        """Tell how many cards are left behind the up card and a hand of so many cards."""
        return float(self.base.sum() - self.step * cards)


def upcard_state(rules: Rules, shoe: Composition, upcard: int, measure: Measure | None = None) -> UpcardState:
    """Turn the up card; ``measure``: of what is won, if not the money itself."""
    everything, apart = house_tables(rules), settled_tables(rules)
    if measure:
        everything = everything.measured(measure)
        apart = everything.settled_early()
    left = shoe.without([upcard])
    in_play = apart if peeked(rules, upcard) else everything
    return UpcardState(
        rules=rules,
        upcard=upcard,
        base=np.array(left.counts, dtype=np.float64),
        step=left.step,
        hole=hole_value(upcard) - 1,
        tree=dealer_tree(rules, upcard),
        tables=in_play,
        all_tables=everything,
        split_tables=apart if rules.hole_card == HoleCard.OBO else in_play,
    )


def deal_probabilities(state: UpcardState) -> Floats:
    """Return the probability of each hand of two cards behind the up card, ``[55]``."""
    ways = state.base[_HIGH] * (state.base[_LOW] - state.step * (_HIGH == _LOW)) * np.where(_HIGH == _LOW, 1, 2)
    return np.asarray(np.maximum(ways, 0.0) / (state.cards_behind(0) * state.cards_behind(1)))


def blackjack_probabilities(state: UpcardState) -> Floats:
    """Return the probability of a dealer blackjack behind each hand of two cards, ``[55]``."""
    if state.hole < 0:
        return np.zeros(len(DEALS))
    holes = state.base[state.hole] - state.step * all_hands().counts[DEAL_INDEX, state.hole]
    return np.asarray(np.maximum(holes, 0.0) / state.cards_behind(2))


def settled_net(state: UpcardState, blackjack: Floats) -> Floats:
    """Return what the dealer's blackjack takes from each hand of two cards before it is played, ``[55]``."""
    before = state.all_tables.net[DEALT, DEAL_INDEX, BLACKJACK] * blackjack[DEAL_INDEX]
    return before if peeked(state.rules, state.upcard) else np.zeros(len(DEALS))


def pair_share(state: UpcardState) -> Floats:
    """Return the probability that two cards of one value are a pair, ``[55]``: 1 unless tens differ by rank."""
    share = np.ones(len(DEALS))
    tens = float(state.base[9])
    if state.rules.split_by == SplitBy.RANK and tens > state.step:
        share[-1] = sum(ways for _, ways in state.ten_ranks) / (tens * (tens - state.step))
    return share


def insurance_worth(state: UpcardState, blackjack: Floats) -> Floats:
    """Return what insurance is worth for each probability of a dealer blackjack, in bets; 0 where there is none."""
    bet = state.rules.min_bet * TICKS
    stake = insurance_stake(state.rules, bet)
    if insurance_refusal(state.rules, state.upcard, stake, False):
        return np.zeros(len(blackjack))
    won, lost = insurance_net(stake, True) / bet, insurance_net(stake, False) / bet
    return blackjack * won + (1 - blackjack) * lost


def may_surrender_early(state: UpcardState) -> Flags:
    """Tell which hands of two cards may be surrendered before the dealer looks, ``[55]``."""
    plain = early_surrender_refusal(state.rules, state.upcard, False) == 0
    blackjack = early_surrender_refusal(state.rules, state.upcard, True) == 0
    return np.where(all_hands().total[DEAL_INDEX] == 21, blackjack, plain)
