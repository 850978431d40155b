"""The order of a round, in kernels: what `bj_env.round` says of one table's objects, said of one table's rows.

This is the one thing that is written twice; every rule in it is the function of `bj_env.rules`. A card that cannot be
drawn makes the round void; from then on nothing more is dealt.
"""

from bj_env.fast.arrays import (
    BANK,
    BET,
    CARDS,
    CHARLIE,
    DEALER_CARDS,
    DEALER_SOFT,
    DEALER_TOTAL,
    DOUBLED,
    FATE,
    FIRST,
    FREE,
    FROM_SPLIT,
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
    SOFT,
    SPENT,
    STANDS,
    SURRENDERED,
    TOTAL,
    UPCARD,
    VOID,
    Table,
)
from bj_env.fast.compiling import called, index, inlined
from bj_env.fast.hands import hand_row, legal_place
from bj_env.fast.shoe import draw, prepare_shoe
from bj_env.rules import (
    best_total,
    card_value,
    dealer_hits,
    dealer_peeks,
    early_surrender_refusal,
    hand_net,
    in_play,
    insurance_net,
    insurance_refusal,
    insurance_stake,
    is_blackjack,
    is_charlie,
    is_pair,
    is_short,
    is_soft,
    original_bet_net,
    surrender_net,
    takes_second_card,
)
from bj_env.terms import TICKS, Action, HoleCard, Phase, Rules, Surrender

EARLY_SURRENDER, INSURANCE_PHASE, PLAY, ROUND_OVER = (
    Phase.EARLY_SURRENDER.value,
    Phase.INSURANCE.value,
    Phase.PLAY.value,
    Phase.ROUND_OVER.value,
)
STAND, HIT, DOUBLE, SPLIT, SURRENDER, INSURE, DECLINE = (action.value for action in Action)
SURRENDER_OR_DECLINE = 1 << SURRENDER | 1 << DECLINE
INSURE_OR_DECLINE = 1 << INSURE | 1 << DECLINE


# --- cards ----------------------------------------------------------------------------------------------------------


@inlined
def note(t: Table, entry: int) -> None:
    """Write an entry to the log, where one is kept."""
    if t.log.shape[1] > 0:
        s = t.state
        t.log[index(s[LOG]), index(s[LOGGED])] = entry
        s[LOGGED] += 1


@inlined
def see(t: Table, place: int, value: int) -> None:
    """Count a card that is face up; place 0 is the dealer, then follow all hands."""
    t.seen[value] += 1
    if t.counts.shape[0] > 0:
        t.counts[10 * place + value - 1] += 1


@inlined
def take_from_shoe(rules: Rules, t: Table) -> int:
    """Draw a card; 0, and the round is void, if there is none."""
    rank = draw(rules, t)
    if rank == 0:
        t.state[VOID] = 1
    else:
        note(t, rank)
    return rank


@inlined
def add_to_hand(t: Table, hand: int, rank: int) -> None:
    """Lay a card face up to a hand, counted over all seats."""
    h, value = t.hands, card_value(rank)
    cards = index(h[hand, CARDS])
    h[hand, FIRST + min(cards, 2)] = rank
    hard, has_ace = with_card(int(h[hand, TOTAL]), h[hand, SOFT] > 0, value)
    total = best_total(hard, has_ace)
    h[hand, TOTAL] = total
    h[hand, SOFT] = is_soft(hard, has_ace)
    h[hand, CARDS] = cards + 1
    h[hand, NATURAL] = is_blackjack(total, cards + 1, h[hand, FROM_SPLIT] > 0)
    see(t, 1 + hand, value)


@inlined
def with_card(total: int, soft: bool, value: int) -> tuple[int, bool]:
    """Return what a hand's cards sum to with one more, aces as 1, and whether an ace may count 11."""
    return (total - 10 if soft else total) + value, soft or value == 1


@inlined
def add_to_dealer(t: Table, rank: int) -> None:
    """Lay a card face up to the dealer."""
    s, value = t.state, card_value(rank)
    hard, has_ace = with_card(int(s[DEALER_TOTAL]), s[DEALER_SOFT] > 0, value)
    s[DEALER_TOTAL] = best_total(hard, has_ace)
    s[DEALER_SOFT] = is_soft(hard, has_ace)
    s[DEALER_CARDS] += 1
    see(t, 0, value)


@inlined
def draw_to(rules: Rules, t: Table, hand: int) -> None:
    """Draw a card to a hand after the deal; that may make a charlie."""
    rank = take_from_shoe(rules, t)
    if rank > 0:
        add_to_hand(t, hand, rank)
        if is_charlie(rules, int(t.hands[hand, TOTAL]), int(t.hands[hand, CARDS])):
            t.hands[hand, FATE] = CHARLIE


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
        if first or rules.hole_card == HoleCard.PEEK or rules.hole_card == HoleCard.NOPEEK:
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


@inlined
def pay(t: Table, seat: int, amount: int) -> None:
    """Put ticks of a seat's money on the table."""
    if t.seats[seat, FREE] >= 0:
        t.seats[seat, FREE] -= amount


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
    return dealer_peeks(rules, int(s[UPCARD])) and s[UPCARD] + card_value(int(s[HOLE])) == 11


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


@inlined
def hand_mask(rules: Rules, t: Table, seat: int, hand: int) -> int:
    """Tell the legal actions of a hand in turn, as bits; 0 if it gets none (a bust, for one)."""
    h, money = t.hands, t.seats
    row = hand_row(int(h[hand, TOTAL]), h[hand, SOFT] > 0, pair_of(rules, t, hand))
    aces = h[hand, FIRST] == 1
    origin = (2 if aces else 1) if h[hand, FROM_SPLIT] else 0
    short = is_short(int(money[seat, FREE]), int(money[seat, BET]))
    place = legal_place(row, int(h[hand, CARDS]), origin, int(money[seat, HANDS]), int(short))
    return int(t.legal[index(place)])


@inlined
def pair_of(rules: Rules, t: Table, hand: int) -> int:
    """Return the card value of the pair that a hand is, or 0."""
    h = t.hands
    first = int(h[hand, FIRST])
    return card_value(first) if h[hand, CARDS] == 2 and is_pair(rules, first, int(h[hand, SECOND])) else 0


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


@inlined
def move_hand(t: Table, old: int, new: int) -> None:
    """Move a hand to another place."""
    for place in range(HANDS_WIDTH):
        t.hands[new, place] = t.hands[old, place]
    if t.counts.shape[0] > 0:
        for value in range(10):
            t.counts[10 * (1 + new) + value] = t.counts[10 * (1 + old) + value]


@inlined
def begin_split_hand(t: Table, hand: int, rank: int) -> None:
    """Begin a hand with one card of a pair, which everyone has seen."""
    h, value = t.hands, card_value(rank)
    for place in range(HANDS_WIDTH):
        h[hand, place] = 0
    hard, has_ace = with_card(0, False, value)
    h[hand, TOTAL] = best_total(hard, has_ace)
    h[hand, SOFT] = is_soft(hard, has_ace)
    h[hand, CARDS] = 1
    h[hand, FIRST] = rank
    h[hand, FROM_SPLIT] = 1
    if t.counts.shape[0] > 0:
        for other in range(10):
            t.counts[10 * (1 + hand) + other] = other == value - 1


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
def dealer_result(t: Table) -> tuple[int, bool]:
    """Return the dealer's total, and whether it is a blackjack."""
    s = t.state
    total = int(s[DEALER_TOTAL])
    return total, is_blackjack(total, int(s[DEALER_CARDS]), False)


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


@inlined
def any_in_play(rules: Rules, t: Table) -> bool:
    """Tell whether the dealer must draw against some hand."""
    h = t.hands
    for seat in range(t.seats.shape[0]):
        first = index(seat * rules.max_hands)
        for hand in range(first, first + index(t.seats[seat, HANDS])):
            fate = h[hand, FATE]
            if in_play(rules, h[hand, TOTAL] > 21, fate == SURRENDERED, fate == CHARLIE, t.hands[hand, NATURAL] > 0):
                return True
    return False


@inlined
def second_card_due(rules: Rules, t: Table, playing: bool) -> bool:
    """Tell whether a dealer without a hole card takes a second card; ``playing``: some hand is in play."""
    insured = waiting = over_one_bet = False
    for seat in range(t.seats.shape[0]):
        hands = int(t.seats[seat, HANDS])
        if hands > 0:
            first = index(seat * rules.max_hands)
            insured = insured or t.seats[seat, INSURANCE] > 0
            waiting = waiting or t.hands[first, NATURAL] > 0 or surrendered_late(rules, t, first)
            over_one_bet = over_one_bet or hands > 1 or t.hands[first, DOUBLED] > 0
    return takes_second_card(rules, int(t.state[UPCARD]), playing, insured, waiting, over_one_bet)


@inlined
def surrendered_late(rules: Rules, t: Table, hand: int) -> bool:
    """Tell whether a hand was surrendered in its turn."""
    return t.hands[hand, FATE] == SURRENDERED and rules.surrender == Surrender.LATE


@inlined
def settle(rules: Rules, t: Table, seat: int, dealer_total: int, dealer_blackjack: bool) -> int:
    """Return what a seat has won or lost with all its hands and its insurance, in ticks."""
    h, bet = t.hands, int(t.seats[seat, BET])
    first, net, paid = index(seat * rules.max_hands), 0, False
    for hand in range(first, first + index(t.seats[seat, HANDS])):
        fate = h[hand, FATE]
        if fate == SURRENDERED:
            won = surrender_net(rules, bet, not surrendered_late(rules, t, hand), dealer_blackjack)
        else:
            total, stake = int(h[hand, TOTAL]), bet << int(h[hand, DOUBLED])
            blackjack = t.hands[hand, NATURAL] > 0
            won = hand_net(rules, stake, total, blackjack, fate == CHARLIE, dealer_total, dealer_blackjack)
            won = original_bet_net(rules, won, bet, dealer_blackjack, paid)
        paid = paid or won < 0
        net += won
    insured = int(t.seats[seat, INSURANCE])
    return net + insurance_net(insured, dealer_blackjack) if insured > 0 else net


@inlined
def staked(rules: Rules, t: Table, seat: int) -> int:
    """Return all that a seat has on the table, in ticks."""
    first, bets = index(seat * rules.max_hands), 0
    for hand in range(first, first + index(t.seats[seat, HANDS])):
        bets += 1 + int(t.hands[hand, DOUBLED])
    return bets * int(t.seats[seat, BET]) + int(t.seats[seat, INSURANCE])
