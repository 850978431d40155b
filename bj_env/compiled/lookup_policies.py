"""Decisions as tables: what a seat does in every situation that can come up, asked once and looked up ever after.

A decision that goes by its own hand, the up card and what is legal is a table over these; one that counts too has such
a table for each whole count. Letters: ``P`` plans, ``C`` counts, ``S`` seats.
"""

from typing import NamedTuple

from bj_env.compiled.arrays import Array, Table
from bj_env.compiled.book import Book
from bj_env.compiled.compiling import index, inlined
from bj_env.compiled.hand import page_of
from bj_env.compiled.hand_tables import ROWS
from bj_env.compiled.round import DECLINE, EARLY_SURRENDER, INSURANCE_PHASE, INSURE
from bj_env.compiled.shoe import shuffle_pending
from bj_env.game.rng import bounded, philox
from bj_env.rules.numbered import is_short
from bj_env.rules.terms import DECK, TICKS
from bj_env.strategies.count_systems import estimated_decks, running_count

LOOKED_UP, RANDOM = range(2)
"""How a plan finds its actions."""

PHASES, UPCARDS, MASKS = 3, 10, 16


class Plans(NamedTuple):
    """What every seat does.

    Attributes:
        seat: the plan of each seat, -1 for one that is played from outside, ``[S]``.
        kind: `LOOKED_UP` or `RANDOM`, ``[P]``.
        actions: by count and by `plan_place`, ``[P, C, 3 * 40 * 10 * 16]``.
        bets: in chips, by count, ``[P, C]``.
        points: the counts from which on something is done otherwise than below, ``[P, C - 1]``.
        counts: how many counts are told apart: one more than these, ``[P]``.
        tags: of the count, by card value, ``[P, 11]``.
        start: where the running count starts, ``[P]``.
        step: to which part of a deck the decks left are rounded, ``[P]``.
        ties_up: whether upwards, ``[P]``.
        true: whether the count is a true count, ``[P]``.
    """

    seat: Array
    kind: Array
    actions: Array
    bets: Array
    points: Array
    counts: Array
    tags: Array
    start: Array
    step: Array
    ties_up: Array
    true: Array


@inlined
def plan_place(phase: int, row: int, upcard: int, mask: int) -> int:
    """Return the place of a situation in a plan; ``phase`` counts from `EARLY_SURRENDER`."""
    return (((phase - EARLY_SURRENDER) * ROWS + row) * UPCARDS + upcard - 1) * MASKS + (mask >> 1 & 15)


@inlined
def place_of_count(book: Book, plans: Plans, plan: int, seen: Array, fresh: bool) -> int:
    """Return between which of a plan's turning points the count lies; ``fresh``: nothing is seen yet."""
    count, dealt = plans.start[plan], 0
    if not fresh:
        count = running_count(plans.start[plan], plans.tags[plan], seen)
        for value in range(1, 11):
            dealt += seen[value]
    if plans.true[plan]:
        count = count / estimated_decks(book.rules.decks * DECK - dealt, plans.step[plan], plans.ties_up[plan] > 0)
    place = 0
    while place < plans.counts[plan] - 1 and plans.points[plan, place] <= count:
        place += 1
    return place


@inlined
def choose_at_random(t: Table, seat: int, n: int) -> int:
    """Return a number below ``n`` from the seat's own random numbers."""
    money = t.seats
    while True:
        used = int(money[seat].choices)
        low, high = int(money[seat].chance_low), int(money[seat].chance_high)
        words = philox(used >> 2, 0, int(t.state.number), seat + 1, low, high)
        money[seat].choices += 1
        number = bounded(words[used & 3], n)
        if number >= 0:
            return number


@inlined
def random_action(t: Table) -> int:
    """Choose among the legal actions, all equally likely."""
    s, legal = t.state, 0
    mask = int(s.mask)
    if s.phase == INSURANCE_PHASE:
        return INSURE if choose_at_random(t, int(s.seat), 2) == 1 else DECLINE
    for action in range(7):
        legal += mask >> action & 1
    left = choose_at_random(t, int(s.seat), legal)
    for action in range(7):
        if mask >> action & 1:
            if left == 0:
                return action
            left -= 1
    return 0


@inlined
def decide(book: Book, t: Table, plans: Plans) -> int:
    """Return what the seat in turn does."""
    s, seat = t.state, index(t.state.seat)
    plan = index(plans.seat[seat])
    if plans.kind[plan] == RANDOM:
        return random_action(t)
    count = place_of_count(book, plans, plan, t.state.seen, False) if plans.counts[plan] > 1 else 0
    hand = index(seat * book.max_hands + s.hand)
    row = int(page_of(book, t, hand).row)
    place = plan_place(int(s.phase), row, int(s.upcard), int(s.mask))
    return int(plans.actions[plan, index(count), index(place)])


@inlined
def bet_of(book: Book, t: Table, plans: Plans, seat: int) -> int:
    """Return the bet of a seat in ticks: what its plan says, as far as house and money allow; 0 if it is broke."""
    free = int(t.seats[seat].free)
    if is_short(free, book.rules.min_bet * TICKS):
        return 0
    plan, count = index(plans.seat[seat]), 0
    if plans.counts[plan] > 1:
        count = place_of_count(book, plans, plan, t.state.seen, shuffle_pending(book, t))
    chips = min(int(plans.bets[plan, count]), int(book.rules.max_bet))
    return TICKS * (min(chips, free // TICKS) if free >= 0 else chips)
