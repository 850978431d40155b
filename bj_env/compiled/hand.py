"""A hand, the dealer's hand and a seat's money, in kernels: cards given to them, and what R17 lets a hand do."""

from bj_env.compiled.arrays import CHARLIE, Record, Table
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
        t.log[index(s.half), index(s.logged)] = entry
        s.logged += 1


@inlined
def see(t: Table, place: int, value: int) -> None:
    """Count a card that is face up; place 0 is the dealer, then follow all hands."""
    t.state.seen[value] += 1
    if t.counts.shape[0] > 0:
        t.counts[10 * place + value - 1] += 1


@inlined
def take_from_shoe(rules: Rules, t: Table) -> int:
    """Draw a card; 0, and the round is void, if there is none."""
    rank = draw(rules, t)
    if rank == 0:
        t.state.void = 1
    else:
        note(t, rank)
    return rank


@inlined
def add_to_hand(t: Table, hand: int, rank: int) -> None:
    """Lay a card face up to a hand, counted over all seats."""
    h, value = t.hands, card_value(rank)
    cards = index(h[hand].cards)
    if cards == 0:
        h[hand].first = rank
    elif cards == 1:
        h[hand].second = rank
    hard, has_ace = with_card(int(h[hand].total), h[hand].soft > 0, value)
    total = best_total(hard, has_ace)
    h[hand].total = total
    h[hand].soft = is_soft(hard, has_ace)
    h[hand].cards = cards + 1
    h[hand].natural = is_blackjack(total, cards + 1, h[hand].from_split > 0)
    see(t, 1 + hand, value)


@inlined
def with_card(total: int, soft: bool, value: int) -> tuple[int, bool]:
    """Return what a hand's cards sum to with one more, aces as 1, and whether an ace may count 11."""
    return (total - 10 if soft else total) + value, soft or value == 1


@inlined
def add_to_dealer(t: Table, rank: int) -> None:
    """Lay a card face up to the dealer."""
    s, value = t.state, card_value(rank)
    hard, has_ace = with_card(int(s.dealer_total), s.dealer_soft > 0, value)
    s.dealer_total = best_total(hard, has_ace)
    s.dealer_soft = is_soft(hard, has_ace)
    s.dealer_cards += 1
    see(t, 0, value)


@inlined
def draw_to(rules: Rules, t: Table, hand: int) -> None:
    """Draw a card to a hand after the deal; that may make a charlie."""
    rank = take_from_shoe(rules, t)
    if rank > 0:
        add_to_hand(t, hand, rank)
        if is_charlie(rules, int(t.hands[hand].total), int(t.hands[hand].cards)):
            t.hands[hand].fate = CHARLIE


@inlined
def hand_mask(rules: Rules, t: Table, seat: int, hand: int) -> int:
    """Tell the legal actions of a hand in turn, as bits; 0 if it gets none (a bust, for one)."""
    h, money = t.hands, t.seats
    row = hand_row(int(h[hand].total), h[hand].soft > 0, pair_of(rules, t, hand))
    aces = h[hand].first == 1
    origin = (2 if aces else 1) if h[hand].from_split else 0
    short = is_short(int(money[seat].free), int(money[seat].bet))
    place = legal_place(row, int(h[hand].cards), origin, int(money[seat].hands), int(short))
    return int(t.legal[index(place)])


@inlined
def pair_of(rules: Rules, t: Table, hand: int) -> int:
    """Return the card value of the pair that a hand is, or 0."""
    h = t.hands
    first = int(h[hand].first)
    return card_value(first) if h[hand].cards == 2 and is_pair(rules, first, int(h[hand].second)) else 0


@inlined
def move_hand(t: Table, old: int, new: int) -> None:
    """Move a hand to another place."""
    t.hands[new] = t.hands[old]
    if t.counts.shape[0] > 0:
        for value in range(10):
            t.counts[10 * (1 + new) + value] = t.counts[10 * (1 + old) + value]


@inlined
def clear_hand(hand: Record) -> None:
    """Take all cards from a hand."""
    hand.total = hand.soft = hand.cards = hand.first = hand.second = 0
    hand.from_split = hand.natural = hand.doubled = hand.fate = 0


@inlined
def begin_split_hand(t: Table, hand: int, rank: int) -> None:
    """Begin a hand with one card of a pair, which everyone has seen."""
    h, value = t.hands, card_value(rank)
    clear_hand(h[hand])
    hard, has_ace = with_card(0, False, value)
    h[hand].total = best_total(hard, has_ace)
    h[hand].soft = is_soft(hard, has_ace)
    h[hand].cards = 1
    h[hand].first = rank
    h[hand].from_split = 1
    if t.counts.shape[0] > 0:
        for other in range(10):
            t.counts[10 * (1 + hand) + other] = other == value - 1


@inlined
def pay(t: Table, seat: int, amount: int) -> None:
    """Put ticks of a seat's money on the table."""
    if t.seats[seat].free >= 0:
        t.seats[seat].free -= amount
