"""An episode in kernels: one table driven from one decision of the agent to the next, as in `bj_env.env.episode`."""

from typing import NamedTuple

from bj_env.compiled.arrays import Array, Table
from bj_env.compiled.book import DEALER_BLACKJACK, Book
from bj_env.compiled.compiling import index, inlined
from bj_env.compiled.expected import Dealers, can_last, expected_net
from bj_env.compiled.lookup_policies import Plans, bet_of, decide
from bj_env.compiled.round import ROUND_OVER, STAND, deal, end, go_on, take
from bj_env.compiled.shoe import shuffle_pending
from bj_env.env.episode import EPISODES
from bj_env.rules.numbered import dealer_peeks, is_short
from bj_env.rules.terms import FIRST_BET, TICKS, Phase

BETTING = Phase.BET.value
ROUND_LONG, SHOE_LONG = EPISODES.index("round"), EPISODES.index("shoe")


class Game(NamedTuple):
    """What the agent plays.

    Attributes:
        episode: the place of its kind in `EPISODES`.
        bets: the sizes on offer in chips, ``[K]``.
        unit: the smallest of them that is a bet.
        bankroll: ticks of each of its seats at the start, below 0 without limit.
        max_rounds: rounds after which an episode is truncated.
        first_agent: its first seat.
        expected: whether rounds are paid by their expectation.
    """

    episode: int
    bets: Array
    unit: int
    bankroll: int
    max_rounds: int
    first_agent: int
    expected: bool


@inlined
def begin_episode(t: Table, plans: Plans, game: Game) -> None:
    """Begin an episode, giving up the one before if it was not over."""
    s = t.state
    if game.episode == SHOE_LONG:
        s.spent = 1
    for seat in range(t.seats.shape[0]):
        t.seats[seat].free = game.bankroll if plans.seat[seat] < 0 else -1
    s.asked_seat = game.first_agent
    s.asked_hand = 0
    s.over = s.truncated = s.shown = s.asked = 0
    s.on_table = s.finished = s.placed = s.rounds = 0
    s.acted = s.can_expect = s.steps = 0
    t.state.won = 0.0


@inlined
def show_unasked(t: Table) -> None:
    """Show an episode that was over before the agent was asked anything, once, before it is over."""
    s = t.state
    if s.over and not s.asked:
        s.over = 0
        s.shown = 1
        s.mask = 1 << STAND


@inlined
def act(book: Book, t: Table, game: Game, action: int) -> None:
    """Take a legal action of the agent's."""
    s = t.state
    if s.shown:
        s.over = 1
        s.mask = 0
        return
    s.finished = 0
    if s.phase == BETTING:
        t.seats[s.placed].bet = game.bets[action - FIRST_BET] * TICKS
        s.placed += 1
    else:
        take(book, t, action)
        s.acted = 1


@inlined
def advance(book: Book, t: Table, plans: Plans, game: Game, dealers: Dealers, space: Array) -> None:
    """Go to the agent's next decision, or to the end of the episode."""
    s = t.state
    while not s.over:
        if not s.on_table:
            if not place_bets(book, t, plans, game):
                return
            deal_if_any_bet(book, t)
        if s.on_table:
            if play(book, t, plans, game):
                return
            end(book, t)
        close_round(book, t, plans, game, dealers, space)


@inlined
def place_bets(book: Book, t: Table, plans: Plans, game: Game) -> bool:
    """Collect the bets seat by seat; tell whether all are made, or the agent must be asked first."""
    s = t.state
    while s.placed < t.seats.shape[0]:
        seat = int(s.placed)
        if plans.seat[seat] >= 0:
            bet = bet_of(book, t, plans, seat)
        elif is_broke(t, seat, game):
            bet = 0
        else:
            mask, only = bets_of(t, seat, game)
            if mask & (mask - 1):
                s.phase = BETTING
                s.mask = mask
                s.asked_seat = seat
                s.asked_hand = 0
                s.asked = 1
                return False
            bet = only
        t.seats[seat].bet = bet
        s.placed += 1
    return True


@inlined
def is_broke(t: Table, seat: int, game: Game) -> bool:
    """Tell whether a seat cannot make the smallest bet."""
    return is_short(int(t.seats[seat].free), game.unit * TICKS)


@inlined
def bets_of(t: Table, seat: int, game: Game) -> tuple[int, int]:
    """Return the bets that a seat's money covers, as bits of their actions, and the last of them in ticks."""
    free, mask, last = int(t.seats[seat].free), 0, 0
    for place in range(game.bets.shape[0]):
        bet = int(game.bets[place]) * TICKS
        if not is_short(free, bet):
            mask |= 1 << FIRST_BET + place
            last = bet
    return mask, last


@inlined
def deal_if_any_bet(book: Book, t: Table) -> None:
    """Deal if anyone has bet; a round that all sit out passes without cards."""
    any_bet = False
    for seat in range(t.seats.shape[0]):
        any_bet = any_bet or t.seats[seat].bet > 0
    if any_bet:
        t.state.on_table = 1
        t.state.can_expect = 0
        deal(book, t)


@inlined
def play(book: Book, t: Table, plans: Plans, game: Game) -> bool:
    """Play up to the agent's next decision; tell whether there is one, or the dealer's turn has come."""
    s = t.state
    while True:
        asked = go_on(book, t)
        if s.acted:
            s.acted = 0
            if game.expected:
                note_known(book, t, plans, asked)
        if not asked:
            return False
        if plans.seat[s.seat] < 0:
            s.asked_seat = s.seat
            s.asked_hand = s.hand
            s.asked = 1
            return True
        take(book, t, decide(book, t, plans))


@inlined
def note_known(book: Book, t: Table, plans: Plans, asked: bool) -> None:
    """Note what everyone has seen now that the agent has acted, and whether that tells what to expect."""
    t.state.can_expect = can_last(book, t, plans, asked)
    for value in range(11):
        t.state.known[value] = t.state.seen[value]


@inlined
def close_round(book: Book, t: Table, plans: Plans, game: Game, dealers: Dealers, space: Array) -> None:
    """Count a round that has ended, and end the episode if that is due."""
    s = t.state
    if s.on_table:
        s.finished = 1
        t.state.won += pay_for_round(book, t, plans, game, dealers, space)
    s.rounds += 1
    if ends_here(book, t, plans, game):
        s.over = 1
    elif s.rounds >= game.max_rounds:
        s.over = s.truncated = 1
    else:
        s.on_table = s.placed = 0
    if s.over:
        s.phase = ROUND_OVER
        s.mask = 0


@inlined
def ends_here(book: Book, t: Table, plans: Plans, game: Game) -> bool:
    """Tell whether the episode ends with this round."""
    if game.episode == ROUND_LONG:
        return True
    if game.episode == SHOE_LONG and t.state.on_table and shuffle_pending(book, t):
        return True
    broke = True
    for seat in range(t.seats.shape[0]):
        broke = broke and (plans.seat[seat] >= 0 or is_broke(t, seat, game))
    return broke


@inlined
def can_be_expected(book: Book, t: Table) -> bool:
    """Tell whether a round that has ended can be paid by its expectation after the agent's last decision.

    Only if the cards could not run out after that, so that the choice depends on nothing that was drawn later; not if
    they had before; and nothing is left to expect where the peek has found a blackjack.
    """
    s = t.state
    blackjack = book.dealer[index(s.dealer)].worth == DEALER_BLACKJACK
    found = blackjack and dealer_peeks(book.rules, int(s.upcard))
    return bool(s.can_expect) and not (s.void or s.shuffled or found)


@inlined
def pay_for_round(book: Book, t: Table, plans: Plans, game: Game, dealers: Dealers, space: Array) -> float:
    """Return what a round pays the agent's seats, in ticks: the net, or its expectation where that is asked."""
    if game.expected and can_be_expected(book, t):
        return expected_net(book, t, plans, dealers, space)
    net = 0
    for seat in range(t.seats.shape[0]):
        if plans.seat[seat] < 0 and t.seats[seat].bet > 0:
            net += t.seats[seat].net
    return float(net)
