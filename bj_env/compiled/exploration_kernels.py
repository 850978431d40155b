"""Exploring, in kernels: rounds in which the agent's seats play by a table, try other actions, and note what comes.

The decisions of a seat form trees: hitting leads to the next decision of the same hand, splitting to the first ones of
two hands. What a hand wins is credited to its last decision; so the return of a decision is the sum over those below
it, whatever other hands win.

Letters: ``K`` situations (see `bj_env.compiled.information_states`), ``N`` decisions, ``R`` rounds.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from bj_env.compiled.arrays import Array, Table, Tables
from bj_env.compiled.book import DEALER_BLACKJACK, Book
from bj_env.compiled.compiling import called, index, inlined
from bj_env.compiled.episode import can_be_expected, note_known
from bj_env.compiled.expected import SCRATCH, Dealers, dealer_outcome, outcome_probabilities
from bj_env.compiled.hand import page_of
from bj_env.compiled.kernels import Blocks, sit_down, table_at
from bj_env.compiled.lookup_policies import Plans, bet_of, choose_at_random, decide, plan_place
from bj_env.compiled.round import INSURANCE_PHASE, SPLIT, deal, end, go_on, take
from bj_env.compiled.settlement import hand_won
from bj_env.compiled.shoe import LANES, work_ahead
from bj_env.game.rng import seat_key
from bj_env.rules.numbered import card_value, insurance_net
from bj_env.rules.terms import TICKS
from bj_env.solver.draws import OUTCOMES

PROBABILITY_SCALE = 1 << 16
"""Chances are given in so many parts."""

LOTS = 1 << 24
"""Starts are drawn with so many lots."""

MOST_DECISIONS = 512
"""No round has so many decisions."""

LAST, TRIED, INSURED = range(3)
"""Of each hand the last decision and whether it has tried something, of each seat the decision to insure."""


class Behaviour(NamedTuple):
    """How the agent's seats play.

    Attributes:
        greedy: the action in each situation, ``[K]``.
        tried: of which actions one, all equally likely, may be tried instead, as bits ``1 << action``; 0 for none,
            ``[K]``.
        probability: how likely something is tried, in `PROBABILITY_SCALE` parts.
        once: whether a hand goes on greedily when it has tried something, or may do so at every decision.
        starts: how likely each start is, by the values of the first card, the second and the up card in order; empty
            for those that chance deals alone, ``[1000]`` or ``[0]``.
        share: how many rounds start so, in `PROBABILITY_SCALE` parts; the others as chance deals them.
    """

    greedy: Array
    tried: Array
    probability: int
    once: bool
    starts: Array = np.zeros(0)
    share: int = 0


class Experience(NamedTuple):
    """The decisions of the agent's seats in some rounds, in order.

    Attributes:
        situation: see `bj_env.compiled.information_states`, ``[N]``.
        action: what was done, ``[N]``.
        parent: the decision that led to its hand, -1 for none, ``[N]``.
        tried: whether it was drawn and not looked up, ``[N]``.
        reward: what its hand or insurance has won, if it was the last decision about it, in bets, ``[N]``.
        weight: how many times as often chance deals such a round as it was dealt here, ``[N]``.
        nets: what the agent's seats have won in each round, in bets, ``[R]``.
    """

    situation: Array
    action: Array
    parent: Array
    tried: Array
    reward: Array
    weight: Array
    nets: Array


class Exploring(NamedTuple):
    """How rounds are explored, and the room for it.

    Attributes:
        numbers: see `bj_env.compiled.information_states.Situations`.
        behaviour: how the agent's seats play.
        bounds: of the lots of each start, ``[1000]`` or ``[0]``.
        weights: of each start, ``[1000]``.
        dealers: the dealer's draws.
        expected: whether hands win their expectation.
        space: see `bj_env.compiled.expected.SCRATCH`.
        hands: notes on each hand, ``[3, S * H]``: `LAST`, `TRIED`, `INSURED`.
    """

    numbers: Array
    behaviour: Behaviour
    bounds: Array
    weights: Array
    dealers: Dealers
    expected: bool
    space: Array
    hands: Array


@inlined
def sit_down_to_explore(book: Book, t: Table, plans: Plans, number: int) -> None:
    """Begin at a table of another number; the agent's seats draw lots too."""
    sit_down(book, t, plans, number)
    for seat in range(t.seats.shape[0]):
        if plans.seat[seat] < 0:
            low, high = seat_key(number, seat, int(t.state.key_low), int(t.state.key_high))
            t.seats[seat].chance_low = low
            t.seats[seat].chance_high = high


@inlined
def explorer(t: Table, plans: Plans) -> int:
    """Return the first seat of the agent's."""
    seat = 0
    while plans.seat[seat] >= 0:
        seat += 1
    return seat


@inlined
def draw_start(t: Table, seat: int, bounds: Array) -> int:
    """Draw the number of a start; ``bounds``: which lots it is for, up to and without, ``[1000]``."""
    lot, low, high = choose_at_random(t, seat, LOTS), 0, bounds.shape[0] - 1
    while low < high:
        middle = (low + high) // 2
        if bounds[middle] > lot:
            high = middle
        else:
            low = middle + 1
    return low


@called
def stack_start(book: Book, t: Table, plans: Plans, bounds: Array) -> None:
    """Put the cards of a start, two for the agent's first seat and an up card, on top of a fresh shoe."""
    s, seats, mine = t.state, t.seats.shape[0], explorer(t, plans)
    start = draw_start(t, mine, bounds)
    for place in range(t.front.shape[0]):
        t.front[place] = 0
    for card, place in enumerate((mine, seats + 1 + mine, seats)):
        value = 1 + (start // 100, start // 10 % 10, start % 10)[card]
        rank = value if value < 10 else 10 + choose_at_random(t, mine, 4)
        t.front[place] = rank
        if book.rules.decks > 0:  # it lies among the cards that are dealt next
            found = card
            while t.pool[found] != rank:
                found += 1
            t.pool[found] = t.pool[card]
            t.pool[card] = rank
    s.front_at = 0
    s.front_end = seats + 2 + mine
    s.stacked = 3
    s.kept = 1
    s.fresh = 0
    for value in range(11):
        t.state.seen[value] = 0


@inlined
def weight_of(book: Book, t: Table, plans: Plans, weights: Array) -> float:
    """Return the weight of a round that has just been dealt."""
    hand = index(explorer(t, plans) * book.max_hands)
    first, second = t.hands[hand].first, t.hands[hand].latest
    start = 100 * card_value(int(first)) + 10 * card_value(int(second)) + int(t.state.upcard) - 111
    return float(weights[index(start)])


@inlined
def draw_one_of(t: Table, seat: int, actions: int) -> int:
    """Return one of some actions, given as bits, all equally likely."""
    many = 0
    for action in range(7):
        many += actions >> action & 1
    left, chosen = choose_at_random(t, seat, many), 0
    for action in range(7):
        if actions >> action & 1:
            if left == 0:
                chosen = action
            left -= 1
    return chosen


@inlined
def situation_of(book: Book, t: Table, numbers: Array) -> int:
    """Return the situation of the hand in turn."""
    s = t.state
    hand = index(s.seat * book.max_hands + s.hand)
    row = int(page_of(book, t, hand).row)
    return index(numbers[index(plan_place(int(s.phase), row, int(s.upcard), int(s.mask)))])


@inlined
def decide_and_note(
    book: Book, t: Table, behaviour: Behaviour, situation: int, hands: Array, made: Experience, at: int
) -> int:
    """Decide for a seat of the agent's, note it as decision ``at``, and return the action."""
    seat = index(t.state.seat)
    hand = index(seat * book.max_hands + t.state.hand)
    action, among = int(behaviour.greedy[situation]), int(behaviour.tried[situation])
    may = among > 0 and not (behaviour.once and hands[TRIED, hand] > 0)
    tried = may and choose_at_random(t, seat, PROBABILITY_SCALE) < behaviour.probability
    if tried:
        action = draw_one_of(t, seat, among)
        hands[TRIED, hand] = 1
    made.situation[at] = situation
    made.action[at] = action
    made.tried[at] = tried
    made.parent[at] = hands[LAST, hand]
    made.reward[at] = 0.0
    hands[LAST, hand] = at
    if t.state.phase == INSURANCE_PHASE:
        hands[INSURED, seat] = at
    return action


@inlined
def split_notes(book: Book, t: Table, hands: Array) -> None:
    """Let the new hand of a split, right after its parent, go on from the same decision."""
    seat = index(t.state.seat)
    hand = index(seat * book.max_hands + t.state.hand)
    for later in range(seat * book.max_hands + int(t.seats[seat].hands), hand, -1):
        hands[LAST, later] = hands[LAST, later - 1]
        hands[TRIED, later] = hands[TRIED, later - 1]


@inlined
def credit(book: Book, t: Table, plans: Plans, hands: Array, rewards: Array, his: int, chance: float) -> None:
    """Credit what every hand wins against a total of the dealer's, times the chance of it, to its last decision."""
    unit = chance / (book.rules.min_bet * TICKS)
    for seat in range(t.seats.shape[0]):
        if plans.seat[seat] >= 0:
            continue
        first, paid = index(seat * book.max_hands), False
        for hand in range(first, first + index(t.seats[seat].hands)):
            won = hand_won(book, t, seat, hand, his, paid)
            paid = paid or won < 0
            if hands[LAST, hand] >= 0:
                rewards[hands[LAST, hand]] += unit * won
        if t.seats[seat].insurance > 0:
            rewards[hands[INSURED, seat]] += unit * insurance_net(int(t.seats[seat].insurance), his == DEALER_BLACKJACK)


@inlined
def credit_all(book: Book, t: Table, plans: Plans, exploring: Exploring, rewards: Array) -> None:
    """Credit what a round that has ended has come to, or is expected to."""
    space, hands = exploring.space, exploring.hands
    if t.state.void:
        return
    if exploring.expected and can_be_expected(book, t):
        outcome_probabilities(book, t, exploring.dealers, space)
        for outcome in range(OUTCOMES):
            chance = space[SCRATCH - OUTCOMES + outcome, 0]
            if chance > 0:
                credit(book, t, plans, hands, rewards, dealer_outcome(outcome), chance)
    else:
        his = int(book.dealer[index(t.state.dealer)].worth)
        credit(book, t, plans, hands, rewards, his, 1.0)


@inlined
def explore_round(
    book: Book,
    t: Table,
    plans: Plans,
    exploring: Exploring,
    made: Experience,
    at: int,
) -> int:
    """Play a round, note the agent's decisions from ``at`` on, and return where the next ones go."""
    hands = exploring.hands
    for place in range(hands.shape[1]):
        hands[LAST, place] = -1
        hands[TRIED, place] = 0
    for seat in range(t.seats.shape[0]):
        t.seats[seat].bet = book.rules.min_bet * TICKS if plans.seat[seat] < 0 else bet_of(book, t, plans, seat)
    deal(book, t)
    t.state.can_expect = 0
    weight, acted = weight_of(book, t, plans, exploring.weights), False
    while True:
        asked = go_on(book, t)
        if acted and exploring.expected:
            note_known(book, t, plans, asked)
        acted = False
        if not asked:
            break
        if plans.seat[t.state.seat] >= 0:
            take(book, t, decide(book, t, plans))
            continue
        situation = situation_of(book, t, exploring.numbers)
        action = decide_and_note(book, t, exploring.behaviour, situation, hands, made, at)
        made.weight[at] = weight
        at += 1
        if action == SPLIT:
            split_notes(book, t, hands)
        take(book, t, action)
        acted = True
    end(book, t)
    credit_all(book, t, plans, exploring, made.reward)
    return at


def make_explore_blocks(digest: str) -> Callable[..., int]:
    """Make the kernel that explores blocks of rounds, each at a table of its own.

    It returns how many decisions were made, or -1 if there is no room for them.
    """

    def explore_blocks(
        pages: Array,
        tables: Tables,
        plans: Plans,
        exploring: Exploring,
        blocks: Blocks,
        made: Experience,
    ) -> int:
        assert digest
        book, behaviour, rounds = pages[0], exploring.behaviour, blocks.rounds
        at, tables_played = 0, made.nets.shape[0] // rounds
        for start in range(0, tables_played, LANES):
            many = min(LANES, tables_played - start)
            for lane in range(many):
                t = table_at(tables, lane)
                sit_down_to_explore(book, t, plans, blocks.first + start + lane)
                mine = explorer(t, plans)
                if behaviour.share > 0 and choose_at_random(t, mine, PROBABILITY_SCALE) < behaviour.share:
                    stack_start(book, t, plans, exploring.bounds)
            work_ahead(book, tables, 0, many, blocks.lanes)
            for lane in range(many):
                t = table_at(tables, lane)
                for round in range(rounds):
                    if at > made.situation.shape[0] - MOST_DECISIONS:
                        return -1
                    at = explore_round(book, t, plans, exploring, made, at)
                    net = 0
                    for seat in range(t.seats.shape[0]):
                        if plans.seat[seat] < 0:
                            net += t.seats[seat].net
                    made.nets[(start + lane) * rounds + round] = net / (book.rules.min_bet * TICKS)
        return at

    return explore_blocks
