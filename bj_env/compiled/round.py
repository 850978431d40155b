"""The order of a round, in kernels: what `bj_env.game.round` says of one table's objects, said of one table's rows.

This is the one thing that is written twice; every rule in it is the function of `bj_env.rules.numbered`. A card that
cannot be drawn makes the round void; from then on nothing more is dealt.
"""

from bj_env.compiled.arrays import (
    BANK,
    BET,
    CARDS,
    DEALER_CARDS,
    DEALER_SOFT,
    DEALER_TOTAL,
    DOUBLED,
    FATE,
    FIRST,
    FREE,
    HAND,
    HANDS,
    HANDS_WIDTH,
    HOLE,
    INSURANCE,
    LAST_BANK,
    LAST_BET,
    LAST_DEALER,
    LAST_LOGGED,
    LAST_NET,
    LAST_VOID,
    LOG,
    LOGGED,
    MASK,
    NATURAL,
    NET,
    NEW_ACTION,
    OPEN,
    PHASE,
    SEAT,
    SECOND,
    SPENT,
    STANDS,
    SURRENDERED,
    UPCARD,
    VOID,
    Table,
)
from bj_env.compiled.compiling import called, index, inlined
from bj_env.compiled.hand import (
    add_to_dealer,
    add_to_hand,
    begin_split_hand,
    draw_to,
    hand_mask,
    move_hand,
    note,
    pay,
    take_from_shoe,
)
from bj_env.compiled.settlement import (
    any_in_play,
    dealer_result,
    second_card_due,
    settle,
    staked,
)
from bj_env.compiled.shoe import prepare_shoe
from bj_env.rules.numbered import (
    card_value,
    completes_blackjack,
    dealer_hits,
    dealer_peeks,
    deals_hole_card,
    early_surrender_refusal,
    insurance_refusal,
    insurance_stake,
    is_short,
)
from bj_env.rules.terms import TICKS, Action, Phase, Rules

EARLY_SURRENDER, INSURANCE_PHASE, PLAY, ROUND_OVER = (
    Phase.EARLY_SURRENDER.value,
    Phase.INSURANCE.value,
    Phase.PLAY.value,
    Phase.ROUND_OVER.value,
)
STAND, HIT, DOUBLE, SPLIT, SURRENDER, INSURE, DECLINE = (action.value for action in Action)
SURRENDER_OR_DECLINE = 1 << SURRENDER | 1 << DECLINE
INSURE_OR_DECLINE = 1 << INSURE | 1 << DECLINE


# --- the deal ---------------------------------------------------------------------------------------------------------


@inlined
def deal(rules: Rules, t: Table) -> None:
    """Take the bets, shuffle if due, and deal."""
    s, seats = t.state, t.seats.shape[0]
    clear(t)
    for seat in range(seats):
        stake_bet(rules, t, seat)
    prepare_shoe(rules, t)
    for first in (True, False):
        for seat in range(seats):
            if t.seats[seat, BET] > 0:
                rank = take_from_shoe(rules, t)
                if rank > 0:
                    add_to_hand(t, index(seat * rules.max_hands), rank)
        if first or deals_hole_card(rules):
            rank = take_from_shoe(rules, t)
            if rank > 0 and first:
                add_to_dealer(t, rank)
                s[UPCARD] = card_value(rank)
            elif rank > 0:
                s[HOLE] = rank


@inlined
def clear(t: Table) -> None:
    """Clear the table for a new round."""
    s = t.state
    s[PHASE] = EARLY_SURRENDER
    s[SEAT] = 0
    s[HAND] = 0
    s[UPCARD] = 0
    s[HOLE] = 0
    s[DEALER_TOTAL] = 0
    s[DEALER_SOFT] = 0
    s[DEALER_CARDS] = 0
    s[VOID] = 0
    s[LOGGED] = 0
    for place in range(t.counts.shape[0]):
        t.counts[place] = 0


@inlined
def stake_bet(rules: Rules, t: Table, seat: int) -> None:
    """Stake a seat's bet on a new hand; a seat that bets nothing has none."""
    money = t.seats
    bet = money[seat, BET]
    money[seat, BANK] = money[seat, FREE]
    money[seat, INSURANCE] = 0
    money[seat, NET] = 0
    money[seat, HANDS] = 0
    if bet > 0:
        pay(t, seat, bet)
        money[seat, HANDS] = 1
        for place in range(HANDS_WIDTH):
            t.hands[index(seat * rules.max_hands), place] = 0


# --- whose turn it is -------------------------------------------------------------------------------------------------


@inlined
def go_on(rules: Rules, t: Table) -> bool:
    """Go to the next decision; tell whether there is one, or the dealer's turn has come."""
    s = t.state
    if s[VOID]:
        return False
    while s[PHASE] != PLAY:
        if ask_next_seat(rules, t):
            return True
        s[SEAT] = 0
        if s[PHASE] == INSURANCE_PHASE and peek_finds_blackjack(rules, t):
            return False
        s[PHASE] += 1
    return find_hand(rules, t)


@inlined
def ask_next_seat(rules: Rules, t: Table) -> bool:
    """Go to the next seat to which early surrender or insurance is open."""
    s, upcard = t.state, int(t.state[UPCARD])
    early = s[PHASE] == EARLY_SURRENDER
    if early and early_surrender_refusal(rules, upcard, False) != 0:
        return False  # to nobody, so that no seat need be looked at
    if not early and insurance_refusal(rules, upcard, TICKS, False) != 0:
        return False
    for seat in range(int(s[SEAT]), t.seats.shape[0]):
        if t.seats[seat, BET] > 0 and offer_refusal(rules, t, seat) == 0:
            s[SEAT] = seat
            s[HAND] = 0
            s[MASK] = SURRENDER_OR_DECLINE if early else INSURE_OR_DECLINE
            return True
    return False


@inlined
def offer_refusal(rules: Rules, t: Table, seat: int) -> int:
    """Tell why a seat is not asked about early surrender or insurance (0: it is)."""
    hand, upcard = index(seat * rules.max_hands), int(t.state[UPCARD])
    if t.state[PHASE] == EARLY_SURRENDER:
        return early_surrender_refusal(rules, upcard, t.hands[hand, NATURAL] > 0)
    if t.hands[hand, FATE] == SURRENDERED:
        return -1
    stake = insurance_stake(rules, int(t.seats[seat, BET]))
    return insurance_refusal(rules, upcard, stake, is_short(int(t.seats[seat, FREE]), stake))


@inlined
def peek_finds_blackjack(rules: Rules, t: Table) -> bool:
    """Let the dealer look at the hole card where the house does; tell whether that ends the round."""
    s = t.state
    return dealer_peeks(rules, int(s[UPCARD])) and completes_blackjack(int(s[UPCARD]), card_value(int(s[HOLE])))


@inlined
def find_hand(rules: Rules, t: Table) -> bool:
    """Go to the next hand that has a choice, filling split hands on the way."""
    s, h = t.state, t.hands
    while s[SEAT] < t.seats.shape[0]:
        seat = index(s[SEAT])
        while s[HAND] < t.seats[seat, HANDS]:
            hand = index(seat * rules.max_hands + s[HAND])
            if h[hand, CARDS] == 1:
                draw_to(rules, t, hand)
            if s[VOID]:
                return False
            if h[hand, FATE] == OPEN:
                s[MASK] = hand_mask(rules, t, seat, hand)
                if s[MASK]:
                    return True
                h[hand, FATE] = STANDS
            s[HAND] += 1
        s[SEAT] += 1
        s[HAND] = 0
    return False


# --- actions ----------------------------------------------------------------------------------------------------------


@inlined
def take(rules: Rules, t: Table, action: int) -> None:
    """Take a legal action of the seat in turn."""
    s, h = t.state, t.hands
    seat = index(s[SEAT])
    hand = index(seat * rules.max_hands + s[HAND])
    note(t, NEW_ACTION + action)
    if action == STAND:
        h[hand, FATE] = STANDS
    elif action in (HIT, DOUBLE):
        if action == DOUBLE:
            pay(t, seat, int(t.seats[seat, BET]))
            h[hand, DOUBLED] = 1
            h[hand, FATE] = STANDS
        draw_to(rules, t, hand)
    elif action == SPLIT:
        pay(t, seat, int(t.seats[seat, BET]))
        split(rules, t, seat, hand)
    elif action == SURRENDER:
        h[hand, FATE] = SURRENDERED
    elif action == INSURE:
        stake = insurance_stake(rules, int(t.seats[seat, BET]))
        t.seats[seat, INSURANCE] = stake
        pay(t, seat, stake)
    if s[PHASE] != PLAY:
        s[SEAT] += 1


@called
def split(rules: Rules, t: Table, seat: int, hand: int) -> None:
    """Make two hands of a pair; the new one goes right after it, and all later ones one further."""
    h = t.hands
    for later in range(seat * rules.max_hands + int(t.seats[seat, HANDS]), hand + 1, -1):
        move_hand(t, later - 1, later)
    t.seats[seat, HANDS] += 1
    second = h[hand, SECOND]
    begin_split_hand(t, hand + 1, int(second))
    begin_split_hand(t, hand, int(h[hand, FIRST]))


# --- the end ----------------------------------------------------------------------------------------------------------


@inlined
def end(rules: Rules, t: Table) -> None:
    """Let the dealer play and settle, or give the stakes back if the round is void."""
    s = t.state
    if not s[VOID]:
        dealer_plays(rules, t)
    turn_hole_card(t)  # of a round that became void before the dealer's turn
    if s[VOID]:
        s[SPENT] = 1
    total, blackjack = dealer_result(t)
    for seat in range(t.seats.shape[0]):
        if t.seats[seat, BET] > 0:
            net = 0 if s[VOID] else settle(rules, t, seat, total, blackjack)
            t.seats[seat, NET] = net
            if t.seats[seat, FREE] >= 0:
                t.seats[seat, FREE] += staked(rules, t, seat) + net
    s[PHASE] = ROUND_OVER
    s[MASK] = 0
    keep_log(t)


@inlined
def keep_log(t: Table) -> None:
    """Make this round the last one, where a log is kept."""
    s, money = t.state, t.seats
    if t.log.shape[1] > 0:
        s[LAST_LOGGED] = s[LOGGED]
        s[LAST_DEALER] = s[DEALER_CARDS]
        s[LAST_VOID] = s[VOID]
        s[LOG] ^= 1
        for seat in range(money.shape[0]):
            money[seat, LAST_BET] = money[seat, BET]
            money[seat, LAST_BANK] = money[seat, BANK]
            money[seat, LAST_NET] = money[seat, NET]


@inlined
def turn_hole_card(t: Table) -> None:
    """Turn the hole card, if there is one and it is still hidden."""
    hole = int(t.state[HOLE])
    if hole > 0:
        t.state[HOLE] = 0
        add_to_dealer(t, hole)


@inlined
def dealer_plays(rules: Rules, t: Table) -> None:
    """Turn the hole card, or draw a second card where one is due, and draw on while some hand is in play."""
    s = t.state
    playing = any_in_play(rules, t)
    drawing = s[HOLE] == 0 and second_card_due(rules, t, playing)
    turn_hole_card(t)
    while drawing or (playing and dealer_draws(rules, t)):
        rank = take_from_shoe(rules, t)
        if rank == 0:
            return
        add_to_dealer(t, rank)
        drawing = False


@inlined
def dealer_draws(rules: Rules, t: Table) -> bool:
    """Tell whether the dealer draws one more card."""
    s = t.state
    total = int(s[DEALER_TOTAL])
    return total < 21 and dealer_hits(rules, total, s[DEALER_SOFT] > 0)
