"""A hand, the dealer's hand and a seat's money, in kernels: cards given to them, and what R17 lets a hand do."""

from bj_env.compiled.arrays import (
    BET,
    CARDS,
    CHARLIE,
    DEALER_CARDS,
    DEALER_SOFT,
    DEALER_TOTAL,
    FATE,
    FIRST,
    FREE,
    FROM_SPLIT,
    HANDS,
    HANDS_WIDTH,
    LOG,
    LOGGED,
    NATURAL,
    SECOND,
    SOFT,
    TOTAL,
    VOID,
    Table,
)
from bj_env.compiled.compiling import index, inlined
from bj_env.compiled.hand_tables import hand_row, legal_place
from bj_env.compiled.shoe import draw
from bj_env.rules.numbered import (
    best_total,
    card_value,
    is_blackjack,
    is_charlie,
    is_pair,
    is_short,
    is_soft,
)
from bj_env.rules.terms import Rules


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


@inlined
def pay(t: Table, seat: int, amount: int) -> None:
    """Put ticks of a seat's money on the table."""
    if t.seats[seat, FREE] >= 0:
        t.seats[seat, FREE] -= amount
