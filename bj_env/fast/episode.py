"""An episode, in kernels: one table driven from one of the agent's decisions to the next (as `bj_env.episode` does)."""

from typing import NamedTuple

from bj_env.fast.arrays import (
    ACTED,
    ASKED,
    ASKED_HAND,
    ASKED_SEAT,
    BET,
    FINISHED,
    FREE,
    HAND,
    KNOWN,
    MASK,
    NET,
    ON_TABLE,
    OVER,
    PHASE,
    PLACED,
    ROUNDS,
    SEAT,
    SHOWN,
    SHUFFLED,
    SPENT,
    TRUNCATED,
    UPCARD,
    VOID,
    Array,
    Tables,
)
from bj_env.fast.compiling import inlined
from bj_env.fast.expected import Dealers, expected_net
from bj_env.fast.plans import Plans, bet_of, decide
from bj_env.fast.round import ROUND_OVER, STAND, deal, dealer_result, end, go_on, take
from bj_env.fast.shoe import shuffle_pending
from bj_env.rules import dealer_peeks, is_short
from bj_env.settings import EPISODES
from bj_env.terms import FIRST_BET, TICKS, Phase, Rules

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
def begin_episode(t: Tables, i: int, plans: Plans, game: Game) -> None:
    """Begin an episode, giving up the one before if it was not over."""
    s = t.state
    if game.episode == SHOE_LONG:
        s[i, SPENT] = 1
    for seat in range(t.seats.shape[1]):
        t.seats[i, seat, FREE] = game.bankroll if plans.seat[seat] < 0 else -1
    s[i, ASKED_SEAT] = game.first_agent
    s[i, ASKED_HAND] = 0
    s[i, OVER] = s[i, TRUNCATED] = s[i, SHOWN] = s[i, ASKED] = 0
    s[i, ON_TABLE] = s[i, FINISHED] = s[i, PLACED] = s[i, ROUNDS] = 0
    s[i, ACTED] = s[i, KNOWN] = 0
    t.won[i] = 0.0


@inlined
def show_unasked(t: Tables, i: int) -> None:
    """Show an episode that was over before the agent was asked anything, once, before it is over."""
    s = t.state
    if s[i, OVER] and not s[i, ASKED]:
        s[i, OVER] = 0
        s[i, SHOWN] = 1
        s[i, MASK] = 1 << STAND


@inlined
def act(rules: Rules, t: Tables, i: int, game: Game, action: int) -> None:
    """Take a legal action of the agent's."""
    s = t.state
    if s[i, SHOWN]:
        s[i, OVER] = 1
        s[i, MASK] = 0
        return
    s[i, FINISHED] = 0
    if s[i, PHASE] == BETTING:
        t.seats[i, s[i, PLACED], BET] = game.bets[action - FIRST_BET] * TICKS
        s[i, PLACED] += 1
    else:
        take(rules, t, i, action)
        s[i, ACTED] = 1


@inlined
def advance(rules: Rules, t: Tables, i: int, plans: Plans, game: Game, dealers: Dealers, space: Array) -> None:
    """Go to the agent's next decision, or to the end of the episode."""
    s = t.state
    while not s[i, OVER]:
        if not s[i, ON_TABLE]:
            if not place_bets(rules, t, i, plans, game):
                return
            deal_if_any_bet(rules, t, i)
        if s[i, ON_TABLE]:
            if play(rules, t, i, plans, game):
                return
            end(rules, t, i)
        close_round(rules, t, i, plans, game, dealers, space)


@inlined
def place_bets(rules: Rules, t: Tables, i: int, plans: Plans, game: Game) -> bool:
    """Collect the bets seat by seat; tell whether all are made, or the agent must be asked first."""
    s = t.state
    while s[i, PLACED] < t.seats.shape[1]:
        seat = int(s[i, PLACED])
        if plans.seat[seat] >= 0:
            bet = bet_of(rules, t, i, plans, seat)
        elif is_broke(t, i, seat, game):
            bet = 0
        else:
            mask, only = bets_of(t, i, seat, game)
            if mask & (mask - 1):
                s[i, PHASE] = BETTING
                s[i, MASK] = mask
                s[i, ASKED_SEAT] = seat
                s[i, ASKED_HAND] = 0
                s[i, ASKED] = 1
                return False
            bet = only
        t.seats[i, seat, BET] = bet
        s[i, PLACED] += 1
    return True


@inlined
def is_broke(t: Tables, i: int, seat: int, game: Game) -> bool:
    """Tell whether a seat cannot make the smallest bet."""
    return is_short(int(t.seats[i, seat, FREE]), game.unit * TICKS)


@inlined
def bets_of(t: Tables, i: int, seat: int, game: Game) -> tuple[int, int]:
    """Return the bets that a seat's money covers, as bits of their actions, and the last of them in ticks."""
    free, mask, last = int(t.seats[i, seat, FREE]), 0, 0
    for place in range(game.bets.shape[0]):
        bet = int(game.bets[place]) * TICKS
        if not is_short(free, bet):
            mask |= 1 << FIRST_BET + place
            last = bet
    return mask, last


@inlined
def deal_if_any_bet(rules: Rules, t: Tables, i: int) -> None:
    """Deal if anyone has bet; a round that all sit out passes without cards."""
    any_bet = False
    for seat in range(t.seats.shape[1]):
        any_bet = any_bet or t.seats[i, seat, BET] > 0
    if any_bet:
        t.state[i, ON_TABLE] = 1
        t.state[i, KNOWN] = 0
        deal(rules, t, i)


@inlined
def play(rules: Rules, t: Tables, i: int, plans: Plans, game: Game) -> bool:
    """Play up to the agent's next decision; tell whether there is one, or the dealer's turn has come."""
    s = t.state
    while True:
        asked = go_on(rules, t, i)
        if s[i, ACTED]:
            s[i, ACTED] = 0
            if game.expected:
                note_known(t, i)
        if not asked:
            return False
        if plans.seat[s[i, SEAT]] < 0:
            s[i, ASKED_SEAT] = s[i, SEAT]
            s[i, ASKED_HAND] = s[i, HAND]
            s[i, ASKED] = 1
            return True
        take(rules, t, i, decide(rules, t, i, plans))


@inlined
def note_known(t: Tables, i: int) -> None:
    """Note what everyone has seen now that the agent has acted."""
    t.state[i, KNOWN] = 1
    for value in range(11):
        t.known[i, value] = t.seen[i, value]


@inlined
def close_round(rules: Rules, t: Tables, i: int, plans: Plans, game: Game, dealers: Dealers, space: Array) -> None:
    """Count a round that has ended, and end the episode if that is due."""
    s = t.state
    if s[i, ON_TABLE]:
        s[i, FINISHED] = 1
        t.won[i] += pay_for_round(rules, t, i, plans, game, dealers, space)
    s[i, ROUNDS] += 1
    if ends_here(rules, t, i, plans, game):
        s[i, OVER] = 1
    elif s[i, ROUNDS] >= game.max_rounds:
        s[i, OVER] = s[i, TRUNCATED] = 1
    else:
        s[i, ON_TABLE] = s[i, PLACED] = 0
    if s[i, OVER]:
        s[i, PHASE] = ROUND_OVER
        s[i, MASK] = 0


@inlined
def ends_here(rules: Rules, t: Tables, i: int, plans: Plans, game: Game) -> bool:
    """Tell whether the episode ends with this round."""
    if game.episode == ROUND_LONG:
        return True
    if game.episode == SHOE_LONG and t.state[i, ON_TABLE] and shuffle_pending(rules, t, i):
        return True
    broke = True
    for seat in range(t.seats.shape[1]):
        broke = broke and (plans.seat[seat] >= 0 or is_broke(t, i, seat, game))
    return broke


@inlined
def pay_for_round(rules: Rules, t: Tables, i: int, plans: Plans, game: Game, dealers: Dealers, space: Array) -> float:
    """Return what a round pays the agent's seats, in ticks: the net, or its expectation where that is asked and known.

    It is not known of a round that is void or was reshuffled midway, and nothing is left to expect where the peek has
    found a blackjack.
    """
    s = t.state
    _, blackjack = dealer_result(t, i)
    found = blackjack and dealer_peeks(rules, int(s[i, UPCARD]))
    if game.expected and s[i, KNOWN] and not (s[i, VOID] or s[i, SHUFFLED] or found):
        return expected_net(rules, t, i, plans, dealers, space)
    net = 0
    for seat in range(t.seats.shape[1]):
        if plans.seat[seat] < 0 and t.seats[i, seat, BET] > 0:
            net += t.seats[i, seat, NET]
    return float(net)
