"""Exact values against one up card: the best play by composition, or any given play.

Everything is linear in the probabilities of the dealer's outcomes, so a value is kept as an *unconditional*
expectation. Where the dealer peeks, the part that he has a blackjack is settled before anyone plays: it counts 0 during
play and is added at the deal, and what a player sees after the peek is the rest divided by the probability that there
is none.

Split hands are played by their own cards alone: like unsplit ones ("zero memory", CDZ-) unless `SplitPlay` says
otherwise. In each of its classes the value of a split is exact, see `bj_env.solver.splits`.
"""

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from bj_env.rules.terms import Action, Rules
from bj_env.solver.dealer import peeked
from bj_env.solver.draws import BLACKJACK
from bj_env.solver.hands import VALUES, Flags, Floats, Ints, all_hands, find_hand
from bj_env.solver.kernels import ACTIONS, BEST, GIVEN, play, reached
from bj_env.solver.shoe import Composition
from bj_env.solver.splits import SplitPlay, best_split_value, split_value
from bj_env.solver.tables import DEALT, SPLIT, SPLIT_ACES, hand_limit
from bj_env.solver.upcard_state import (
    DEAL_INDEX,
    DEALS,
    Measure,
    UpcardState,
    blackjack_probabilities,
    deal_probabilities,
    insurance_worth,
    may_surrender_early,
    pair_share,
    settled_net,
    upcard_state,
)


class Plan(NamedTuple):
    """A zero-memory strategy against one up card.

    Attributes:
        choice: the action for each hand by where it comes from (dealt, split, split aces), ``[3, H]``; for a pair,
            what is played if it is not split.
        split: whether a pair of each value is split, ``[11]``.
        early: whether a dealt hand is surrendered before the dealer looks, ``[H]``.
        insure: whether it is insured, ``[H]``.
    """

    choice: Ints
    split: Flags
    early: Flags
    insure: Flags


class UpcardSolution(NamedTuple):
    """What is known against one up card; all values unconditional (see the module).

    Attributes:
        upcard: its value.
        peeked: whether the dealer looks at the hole card before anyone plays.
        possible: whether the shoe has the cards of each hand, ``[H]``.
        blackjack: the probability of a dealer blackjack given the hand, ``[H]``.
        action_values: of each action for each hand as dealt, ``[H, 5]``; SPLIT of pairs as well.
        after_split: the same for the hands of a split, ``[H, 5]``; empty for a given play.
        settled: what a dealt hand nets if the dealer's blackjack is settled before play, times its probability,
            ``[55]``.
        deals: the probability of each hand of two cards, ``[55]``.
        declined: what each hand of two cards is worth before the dealer looks if it is not surrendered, ``[55]``.
        early_net: what a hand nets that is.
        insurance: what insurance is worth for each hand of two cards, ``[55]``; 0 where it is not offered.
        worth: what each hand of two cards is worth before the dealer looks, ``[55]``.
        plan: the play that is worth that.
    """

    upcard: int
    peeked: bool
    possible: Flags
    blackjack: Floats
    action_values: Floats
    after_split: Floats
    settled: Floats
    deals: Floats
    declined: Floats
    early_net: float
    insurance: Floats
    worth: Floats
    plan: Plan

    def no_blackjack(self, hand: int) -> float:
        """Return the probability that the dealer has no blackjack, if that is known when the hand is played; else 1."""
        return 1.0 - float(self.blackjack[hand]) if self.peeked else 1.0

    @property
    def ev(self) -> float:
        """The value of a round, given the up card."""
        return float(self.deals @ self.worth)


def best_against(
    rules: Rules, shoe: Composition, upcard: int, how: SplitPlay = SplitPlay.ZERO_MEMORY
) -> UpcardSolution:
    """Work out the best play by composition against an up card.

    Args:
        rules: the house's.
        shoe: before the deal.
        upcard: the dealer's.
        how: how split hands are played.
    """
    state = upcard_state(rules, shoe, upcard)
    outcomes = state.outcomes(np.arange(len(all_hands().total)))
    dealt, choice = _best_play(state, outcomes, DEALT)
    split, split_choice = _best_play(state, outcomes, SPLIT) if rules.max_hands > 1 else (dealt, choice)
    choices = _choices(state, choice, split_choice)
    blackjack = outcomes[:, BLACKJACK]
    _write_splits(state, choices, dealt, blackjack, VALUES, how)
    return _choose(state, dealt, split, blackjack, choices)


def _choices(state: UpcardState, dealt: Ints, split: Ints) -> Ints:
    """Return the action of each hand by where it comes from, ``[3, H]``; split aces may have no choice."""
    masks = state.tables.mask
    return np.array([dealt, split, np.where(masks[SPLIT_ACES] == masks[SPLIT], split, Action.STAND)])


def _best_play(state: UpcardState, outcomes: Floats, origin: int) -> tuple[Floats, Ints]:
    """Return the action values and the best action for each hand."""
    hands, tables = all_hands(), state.tables
    count = len(hands.total)
    action_values, choice = np.zeros((count, ACTIONS)), np.zeros(count, np.int64)
    play(
        hands, state.base, state.step, state.hole, DEALS[0], outcomes, np.arange(count), tables.net[min(origin, SPLIT)],
        tables.double_net, tables.losses, tables.mask[origin], choice, BEST, np.ones(count, np.bool_),
        action_values, np.zeros(count),
    )  # fmt: skip
    return action_values, choice


def _write_splits(
    state: UpcardState,
    choices: Ints,
    action_values: Floats,
    blackjack: Floats,
    pairs: Iterable[int],
    how: SplitPlay | None,
) -> None:
    """Write what splitting each pair is worth, -inf where it cannot be done; ``how``: None plays as is given."""
    action_values[DEAL_INDEX, Action.SPLIT] = -np.inf
    for value in pairs:
        hand = find_hand((value, value))
        if hand_limit(state.rules, value) > 1 and state.base[value - 1] >= 1 + state.step:
            beaten = float(blackjack[hand])
            action_values[hand, Action.SPLIT] = (
                split_value(state, choices, value, beaten)
                if how is None
                else best_split_value(state, choices, value, beaten, how)
            )


def _choose(state: UpcardState, dealt: Floats, split: Floats, blackjack: Floats, choices: Ints) -> UpcardSolution:
    """Choose the best at the deal: split or not, early surrender, insurance."""
    hands = all_hands()
    chosen = dealt[DEAL_INDEX, choices[DEALT, DEAL_INDEX]]
    splits = np.zeros(11, np.bool_)
    splits[hands.pair[DEAL_INDEX]] |= dealt[DEAL_INDEX, Action.SPLIT] > chosen
    splits[0] = False
    insure = np.zeros(len(blackjack), np.bool_)
    insure[DEAL_INDEX] = insurance_worth(state, blackjack[DEAL_INDEX]) > 0
    plan = Plan(choices, splits, np.zeros(len(blackjack), np.bool_), insure)
    declined = _worth(state, dealt, blackjack, plan)
    early = state.all_tables.early_net
    plan.early[DEAL_INDEX] = (early > declined) & may_surrender_early(state)
    return _against(state, dealt, split, blackjack, plan)


def _against(state: UpcardState, dealt: Floats, split: Floats, blackjack: Floats, plan: Plan) -> UpcardSolution:
    """Put together what is known against the up card."""
    declined, early_net = _worth(state, dealt, blackjack, plan), state.all_tables.early_net
    return UpcardSolution(
        upcard=state.upcard,
        peeked=peeked(state.rules, state.upcard),
        possible=np.all(state.base >= state.step * all_hands().counts, axis=1),
        blackjack=blackjack,
        action_values=dealt,
        after_split=split,
        settled=settled_net(state, blackjack),
        deals=deal_probabilities(state),
        declined=declined,
        early_net=early_net,
        insurance=insurance_worth(state, blackjack[DEAL_INDEX]),
        worth=np.where(plan.early[DEAL_INDEX], early_net, declined),
        plan=plan,
    )


def _worth(state: UpcardState, dealt: Floats, blackjack: Floats, plan: Plan) -> Floats:
    """Return what each hand of two cards is worth before the dealer looks if it is not surrendered early, ``[55]``."""
    hands = all_hands()
    chosen = dealt[DEAL_INDEX, plan.choice[DEALT, DEAL_INDEX]]
    share = np.where(plan.split[hands.pair[DEAL_INDEX]], pair_share(state), 0.0)
    split = np.where(deal_probabilities(state) * share > 0, dealt[DEAL_INDEX, Action.SPLIT], 0.0)
    insured = np.where(plan.insure[DEAL_INDEX], insurance_worth(state, blackjack[DEAL_INDEX]), 0.0)
    return np.asarray((1 - share) * chosen + share * split + settled_net(state, blackjack) + insured)


def plan_against(
    rules: Rules, shoe: Composition, plan: Plan, upcard: int, measure: Measure | None = None
) -> UpcardSolution:
    """Work out what a given play is worth against an up card; ``measure``: of what is won, if not the money itself."""
    state = upcard_state(rules, shoe, upcard, measure)
    hands = all_hands()
    count = len(hands.total)
    dealt, value, row = np.zeros((count, ACTIONS)), np.zeros(count), np.zeros(count, np.int64)
    starts = DEAL_INDEX[~(plan.split[hands.pair[DEAL_INDEX]] & (pair_share(state) == 1))]
    comes_up, waits = reached(hands, plan.choice[DEALT], starts)
    row[waits] = np.arange(len(waits))
    outcomes = state.outcomes(waits)
    tables = state.tables
    play(
        hands, state.base, state.step, state.hole, DEALS[0], outcomes, row, tables.net[DEALT], tables.double_net,
        tables.losses, tables.mask[DEALT], plan.choice[DEALT].copy(), GIVEN, comes_up, dealt, value,
    )  # fmt: skip
    blackjack = np.zeros(count)
    blackjack[DEAL_INDEX] = blackjack_probabilities(state)
    _write_splits(state, plan.choice, dealt, blackjack, [pair for pair in VALUES if plan.split[pair]], None)
    return _against(state, dealt, np.zeros((0, ACTIONS)), blackjack, plan)
