"""A hand, the dealer's hand and a seat's money, in kernels: cards given to them, and what the book says of them."""

from bj_env.compiled.arrays import OPEN, Record, Table
from bj_env.compiled.book import EMPTY, FULL, SHORT, Book
from bj_env.compiled.compiling import index, inlined
from bj_env.compiled.shoe import draw
from bj_env.rules.numbered import card_value, is_short


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
    t.state.seen[index(value)] += 1
    if t.counts.shape[0] > 0:
        t.counts[10 * place + value - 1] += 1


@inlined
def take_from_shoe(book: Book, t: Table) -> int:
    """Draw a card; 0, and the round is void, if there is none."""
    rank = draw(book, t)
    if rank == 0:
        t.state.void = 1
    else:
        note(t, rank)
    return rank


@inlined
def page_of(book: Book, t: Table, hand: int) -> Record:
    """Return what the book says of a hand, counted over all seats."""
    return book.hands[index(t.hands[index(hand)].state)]


@inlined
def add_to_hand(book: Book, t: Table, hand: int, rank: int) -> None:
    """Lay a card face up to a hand, counted over all seats."""
    h = t.hands[hand]
    see(t, 1 + hand, card_value(rank))
    state = index(h.state)
    if state == EMPTY:
        h.first = rank
    h.latest = rank
    h.state = book.hands[state].after[index(rank)]


@inlined
def add_to_dealer(book: Book, t: Table, rank: int) -> None:
    """Lay a card face up to the dealer."""
    s = t.state
    see(t, 0, card_value(rank))
    s.dealer_cards += 1
    s.dealer = book.dealer[index(s.dealer)].after[index(rank)]


@inlined
def draw_to(book: Book, t: Table, hand: int) -> None:
    """Draw a card to a hand after the deal."""
    rank = take_from_shoe(book, t)
    if rank > 0:
        add_to_hand(book, t, hand, rank)


@inlined
def move_hand(t: Table, old: int, new: int) -> None:
    """Move a hand to another place."""
    t.hands[new] = t.hands[old]
    if t.counts.shape[0] > 0:
        for value in range(10):
            t.counts[10 * (1 + new) + value] = t.counts[10 * (1 + old) + value]


@inlined
def clear_hand(hand: Record, state: int) -> None:
    """Begin a hand in a state."""
    hand.state = state
    hand.doubled = 0
    hand.fate = OPEN


@inlined
def begin_split_hand(book: Book, t: Table, hand: int, rank: int) -> None:
    """Begin a hand with one card of a pair, which everyone has seen."""
    h, value = t.hands[hand], card_value(rank)
    clear_hand(h, book.split_into[index(rank)])
    h.first = h.latest = rank
    if t.counts.shape[0] > 0:
        for other in range(10):
            t.counts[10 * (1 + hand) + other] = other == value - 1


@inlined
def pay(t: Table, seat: int, amount: int) -> None:
    """Put ticks of a seat's money on the table."""
    if t.seats[seat].free >= 0:
        t.seats[seat].free -= amount


@inlined
def limit(book: Book, t: Table, seat: int) -> None:
    """Note what limits a seat, now that it has paid or split."""
    money = t.seats[seat]
    full, short = money.hands >= book.max_hands, is_short(int(money.free), int(money.bet))
    money.limits = (FULL if full else 0) | (SHORT if short else 0)
