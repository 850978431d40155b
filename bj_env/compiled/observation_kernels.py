"""Observations, in kernels: the columns of `bj_env.observation`, written by its own functions, and their encoding."""

from typing import NamedTuple

import numpy as np

from bj_env.compiled.arrays import Array, Table
from bj_env.compiled.book import Book
from bj_env.compiled.compiling import called, index, inlined
from bj_env.compiled.episode import Game
from bj_env.compiled.hand import page_of
from bj_env.compiled.shoe import shuffle_pending
from bj_env.env.settings import Settings
from bj_env.observation import (
    PARTS,
    rules_row,
    write_bankroll,
    write_card,
    write_composition,
    write_count,
    write_hand,
    write_seen,
    write_turn,
)
from bj_env.rules.terms import DECK, TICKS
from bj_env.strategies.count_systems import ESTIMATES, estimated_decks, running_count, true_count


class Scheme(NamedTuple):
    """Which number of an observation stands where, see `bj_env.observation.Layout`.

    Attributes:
        hand_at, table_at, ...: the first column of each part, -1 for one that is not observed.
        first: the first feature of each column, ``[C]``.
        most: the largest value of a count, 0 for a category, ``[C]``.
        rules_row: the columns of ``rules``.
        tags, start, step, ties_up, true, pivot: of the count, see `bj_env.compiled.lookup_policies.Plans`.
    """

    hand_at: int
    table_at: int
    count_at: int
    seen_at: int
    composition_at: int
    bankroll_at: int
    rules_at: int
    first: Array
    most: Array
    rules_row: Array
    tags: Array
    start: float
    step: float
    ties_up: bool
    true: bool
    pivot: float


def scheme(settings: Settings) -> Scheme:
    """Return the scheme of an environment's observations.

    >>> scheme(Settings.checked()).first.tolist()
    [0, 5, 35, 46, 57]
    """
    layout, count = settings.layout, settings.count
    starts = {f"{part}_at": layout.starts.get(part, -1) for part in PARTS}
    first, most = zip(*layout.spread, strict=True)
    return Scheme(
        **starts,
        first=np.array(first),
        most=np.array(most),
        rules_row=np.array(rules_row(settings.rules)),
        tags=np.array(count.system.tags, np.float64),
        start=count.system.start(settings.rules.decks),
        step=ESTIMATES[count.estimate],
        ties_up=count.ties == "up",
        true=count.by_decks,
        pivot=count.pivot,
    )


@inlined
def write_row(book: Book, t: Table, game: Game, scheme: Scheme, row: Array) -> None:
    """Write the columns of what the agent sees."""
    if scheme.hand_at >= 0:
        write_own_hand(book, t, game, scheme, row)
    if scheme.table_at >= 0:
        write_whole_table(book, t, scheme, row)
    if scheme.count_at >= 0:
        write_count(row, scheme.count_at, count_of(book, t, scheme))
    if scheme.seen_at >= 0:
        write_seen(row, scheme.seen_at, book.rules.decks, t.state.seen, shuffle_pending(book, t))
    if scheme.composition_at >= 0:
        write_composition(row, scheme.composition_at, book.rules.decks, t.state.seen)
    if scheme.bankroll_at >= 0:
        left = int(t.seats[t.state.asked_seat].free) // (game.unit * TICKS)
        write_bankroll(row, scheme.bankroll_at, int(scheme.most[scheme.bankroll_at]), left)
    if scheme.rules_at >= 0:
        for place in range(scheme.rules_row.shape[0]):
            row[scheme.rules_at + place] = scheme.rules_row[place]


@inlined
def write_own_hand(book: Book, t: Table, game: Game, scheme: Scheme, row: Array) -> None:
    """Write the part ``hand``."""
    s, seat = t.state, index(t.state.asked_seat)
    phase, hands = int(s.phase), int(t.seats[seat].hands)
    if not s.on_table:
        write_hand(row, scheme.hand_at, phase, 0, False, 0, 0, 0)
    elif t.seats[seat].bet == 0:
        write_hand(row, scheme.hand_at, phase, 0, False, 0, int(s.upcard), 0)
    else:
        hand = index(seat * book.max_hands + min(int(s.asked_hand), hands - 1))
        page = page_of(book, t, hand)
        stake = place_of_bet(game, int(t.seats[seat].bet))
        write_hand(row, scheme.hand_at, phase, int(page.total), page.soft > 0, int(page.pair), int(s.upcard), stake)


@inlined
def place_of_bet(game: Game, bet: int) -> int:
    """Return the place of a bet in ticks among those on offer that are bets, from 1."""
    place = 0
    for size in game.bets:
        if size > 0:
            place += 1
            if size * TICKS == bet:
                return place
    return 0


@called
def write_whole_table(book: Book, t: Table, scheme: Scheme, row: Array) -> None:
    """Write the part ``table``."""
    s, at = t.state, scheme.table_at
    write_turn(row, at, int(s.asked_seat), int(s.asked_hand))
    places = 1 + t.hands.shape[0]
    for column in range(at + 2, at + 2 + 10 * places):
        row[column] = 0
    if not s.on_table:
        return
    for value in range(1, 11):
        for _ in range(int(t.counts[value - 1])):
            write_card(row, at, book.max_hands, -1, 0, value)
        for seat in range(t.seats.shape[0]):
            for hand in range(int(t.seats[seat].hands)):
                for _ in range(int(t.counts[10 * (1 + seat * book.max_hands + hand) + value - 1])):
                    write_card(row, at, book.max_hands, seat, hand, value)


@inlined
def count_of(book: Book, t: Table, scheme: Scheme) -> float:
    """Return the count of all cards seen."""
    running, seen = running_count(scheme.start, scheme.tags, t.state.seen), 0
    for value in range(1, 11):
        seen += t.state.seen[value]
    if scheme.true:
        decks_left = estimated_decks(book.rules.decks * DECK - seen, scheme.step, scheme.ties_up)
        return true_count(running, scheme.pivot, decks_left)
    return running


@inlined
def encode(scheme: Scheme, row: Array, features: Array, i: int) -> None:
    """Spread the columns over an observation of features."""
    for place in range(features.shape[1]):
        features[i, place] = 0.0
    for column in range(row.shape[0]):
        value, most = row[column], scheme.most[column]
        if most == 0:
            features[i, index(scheme.first[column] + value)] = 1.0
        elif value > 0:
            features[i, index(scheme.first[column])] = value / most
