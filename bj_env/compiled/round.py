"""The order of a round, in kernels: what `bj_env.game.round` says of one table's objects, said of one table's rows.

This is the one thing that is written twice; every rule in it is the function of `bj_env.rules.numbered`. A card that
cannot be drawn makes the round void; from then on nothing more is dealt.
"""

from bj_env.compiled.arrays import NEW_ACTION, OPEN, STANDS, SURRENDERED, Table
from bj_env.compiled.book import EMPTY, Book
from bj_env.compiled.compiling import called, index, inlined
from bj_env.compiled.hand import (
    add_to_dealer,
    add_to_hand,
    begin_split_hand,
    clear_hand,
    draw_to,
    limit,
    move_hand,
    note,
    page_of,
    pay,
    take_from_shoe,
)
from bj_env.compiled.settlement import (
    any_in_play,
    second_card_due,
    settle,
    staked,
)
from bj_env.compiled.shoe import prepare_shoe
from bj_env.rules.numbered import (
    card_value,
    early_surrender_refusal,
    insurance_refusal,
    insurance_stake,
    is_short,
)
from bj_env.rules.terms import TICKS, Action, Phase

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
def deal(book: Book, t: Table) -> None:
    """Take the bets, shuffle if due, and deal."""
    s, seats = t.state, t.seats.shape[0]
    clear(t)
    for seat in range(seats):
        stake_bet(book, t, seat)
    prepare_shoe(book, t)
    for first in (True, False):
        for seat in range(seats):
            if t.seats[seat].bet > 0:
                rank = take_from_shoe(book, t)
                if rank > 0:
                    add_to_hand(book, t, index(seat * book.max_hands), rank)
        if first or book.hole_dealt:
            rank = take_from_shoe(book, t)
            if rank > 0 and first:
                add_to_dealer(book, t, rank)
                s.upcard = card_value(rank)
            elif rank > 0:
                s.hole = rank


@inlined
def clear(t: Table) -> None:
    """Clear the table for a new round."""
    s = t.state
    s.phase = EARLY_SURRENDER
    s.seat = 0
    s.hand = 0
    s.upcard = 0
    s.hole = 0
    s.dealer = 0
    s.dealer_cards = 0
    s.void = 0
    s.logged = 0
    for place in range(t.counts.shape[0]):
        t.counts[place] = 0


@inlined
def stake_bet(book: Book, t: Table, seat: int) -> None:
    """Stake a seat's bet on a new hand; a seat that bets nothing has none."""
    money = t.seats
    bet = money[seat].bet
    money[seat].bank = money[seat].free
    money[seat].insurance = 0
    money[seat].net = 0
    money[seat].hands = 0
    if bet > 0:
        pay(t, seat, bet)
        money[seat].hands = 1
        clear_hand(t.hands[index(seat * book.max_hands)], EMPTY)
        limit(book, t, seat)


# --- whose turn it is -------------------------------------------------------------------------------------------------


@inlined
def go_on(book: Book, t: Table) -> bool:
    """Go to the next decision; tell whether there is one, or the dealer's turn has come."""
    s = t.state
    if s.void:
        return False
    if s.phase != PLAY:
        if book.offers[index(s.upcard)] and ask_before_play(book, t):
            return True
        s.phase = PLAY
        s.seat = 0
        if peek_finds_blackjack(book, t):
            s.phase = INSURANCE_PHASE
            return False
    return find_hand(book, t)


@called
def ask_before_play(book: Book, t: Table) -> bool:
    """Go to the next decision before the hands play; tell whether there is one."""
    s = t.state
    while s.phase != PLAY:
        if ask_next_seat(book, t):
            return True
        s.seat = 0
        s.phase += 1
    return False


@inlined
def ask_next_seat(book: Book, t: Table) -> bool:
    """Go to the next seat to which early surrender or insurance is open."""
    s, upcard = t.state, int(t.state.upcard)
    early = s.phase == EARLY_SURRENDER
    if early and early_surrender_refusal(book.rules, upcard, False) != 0:
        return False  # to nobody, so that no seat need be looked at
    if not early and insurance_refusal(book.rules, upcard, TICKS, False) != 0:
        return False
    for seat in range(int(s.seat), t.seats.shape[0]):
        if t.seats[seat].bet > 0 and offer_refusal(book, t, seat) == 0:
            s.seat = seat
            s.hand = 0
            s.mask = SURRENDER_OR_DECLINE if early else INSURE_OR_DECLINE
            return True
    return False


@inlined
def offer_refusal(book: Book, t: Table, seat: int) -> int:
    """Tell why a seat is not asked about early surrender or insurance (0: it is)."""
    hand, upcard = index(seat * book.max_hands), int(t.state.upcard)
    if t.state.phase == EARLY_SURRENDER:
        return early_surrender_refusal(book.rules, upcard, page_of(book, t, hand).natural > 0)
    if t.hands[hand].fate == SURRENDERED:
        return -1
    stake = insurance_stake(book.rules, int(t.seats[seat].bet))
    return insurance_refusal(book.rules, upcard, stake, is_short(int(t.seats[seat].free), stake))


@inlined
def peek_finds_blackjack(book: Book, t: Table) -> bool:
    """Let the dealer look at the hole card where the house does; tell whether that ends the round."""
    found = book.peek[index(t.state.upcard)]
    return bool(found > 0 and found == card_value(int(t.state.hole)))


@inlined
def find_hand(book: Book, t: Table) -> bool:
    """Go to the next hand that has a choice, filling split hands on the way."""
    s, h = t.state, t.hands
    while s.seat < t.seats.shape[0]:
        seat = index(s.seat)
        while s.hand < t.seats[seat].hands:
            hand = index(seat * book.max_hands + s.hand)
            if h[hand].fate == OPEN:
                if page_of(book, t, hand).one_card:
                    draw_to(book, t, hand)
                if s.void:
                    return False
                mask = page_of(book, t, hand).legal[index(t.seats[seat].limits)]
                if mask:
                    s.mask = mask
                    return True
            s.hand += 1
        s.seat += 1
        s.hand = 0
    return False


# --- actions ----------------------------------------------------------------------------------------------------------


@inlined
def take(book: Book, t: Table, action: int) -> None:
    """Take a legal action of the seat in turn."""
    s, h = t.state, t.hands
    seat = index(s.seat)
    hand = index(seat * book.max_hands + s.hand)
    note(t, NEW_ACTION + action)
    if action == STAND:
        h[hand].fate = STANDS
    elif action in (HIT, DOUBLE):
        if action == DOUBLE:
            pay(t, seat, int(t.seats[seat].bet))
            limit(book, t, seat)
            h[hand].doubled = 1
            h[hand].fate = STANDS
        draw_to(book, t, hand)
    elif action == SPLIT:
        pay(t, seat, int(t.seats[seat].bet))
        split(book, t, seat, hand)
        limit(book, t, seat)
    elif action == SURRENDER:
        h[hand].fate = SURRENDERED
    elif action == INSURE:
        stake = insurance_stake(book.rules, int(t.seats[seat].bet))
        t.seats[seat].insurance = stake
        pay(t, seat, stake)
        limit(book, t, seat)
    if s.phase != PLAY:
        s.seat += 1


@called
def split(book: Book, t: Table, seat: int, hand: int) -> None:
    """Make two hands of a pair; the new one goes right after it, and all later ones one further."""
    h = t.hands
    for later in range(seat * book.max_hands + int(t.seats[seat].hands), hand + 1, -1):
        move_hand(t, later - 1, later)
    t.seats[seat].hands += 1
    begin_split_hand(book, t, hand + 1, int(h[hand].latest))
    begin_split_hand(book, t, hand, int(h[hand].first))


# --- the end ----------------------------------------------------------------------------------------------------------


@inlined
def end(book: Book, t: Table) -> None:
    """Let the dealer play and settle, or give the stakes back if the round is void."""
    s = t.state
    if not s.void:
        dealer_plays(book, t)
    turn_hole_card(book, t)  # of a round that became void before the dealer's turn
    if s.void:
        s.spent = 1
    his = int(book.dealer[index(s.dealer)].worth)
    for seat in range(t.seats.shape[0]):
        if t.seats[seat].bet > 0:
            net = 0 if s.void else settle(book, t, seat, his)
            t.seats[seat].net = net
            if t.seats[seat].free >= 0:
                t.seats[seat].free += staked(book, t, seat) + net
    s.phase = ROUND_OVER
    s.mask = 0
    keep_log(t)


@inlined
def keep_log(t: Table) -> None:
    """Make this round the last one, where a log is kept."""
    s, money = t.state, t.seats
    if t.log.shape[1] > 0:
        s.last_logged = s.logged
        s.last_dealer = s.dealer_cards
        s.last_void = s.void
        s.half ^= 1
        for seat in range(money.shape[0]):
            money[seat].last_bet = money[seat].bet
            money[seat].last_bank = money[seat].bank
            money[seat].last_net = money[seat].net


@inlined
def turn_hole_card(book: Book, t: Table) -> None:
    """Turn the hole card, if there is one and it is still hidden."""
    hole = int(t.state.hole)
    if hole > 0:
        t.state.hole = 0
        add_to_dealer(book, t, hole)


@inlined
def dealer_plays(book: Book, t: Table) -> None:
    """Turn the hole card, or draw a second card where one is due, and draw on while some hand is in play."""
    s = t.state
    playing = any_in_play(book, t)
    drawing = s.hole == 0 and second_card_due(book, t, playing)
    turn_hole_card(book, t)
    while drawing or (playing and book.dealer[index(s.dealer)].draws):
        rank = take_from_shoe(book, t)
        if rank == 0:
            return
        add_to_dealer(book, t, rank)
        drawing = False
