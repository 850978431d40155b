"""Settlement, in kernels: what the dealer owes an answer to, and what each seat wins or loses in the end.

``his`` is what the dealer's hand is worth, see `bj_env.compiled.book`.
"""

from bj_env.compiled.arrays import SURRENDERED, Table
from bj_env.compiled.book import DEALER_BLACKJACK, PAYS, Book, worth_net
from bj_env.compiled.compiling import called, index, inlined, rare
from bj_env.compiled.hand import page_of
from bj_env.rules.numbered import insurance_net, original_bet_net, surrender_net, takes_second_card


@inlined
def any_in_play(book: Book, t: Table) -> bool:
    """Tell whether the dealer must draw against some hand."""
    for seat in range(t.seats.shape[0]):
        first = index(seat * book.max_hands)
        for hand in range(first, first + index(t.seats[seat].hands)):
            if t.hands[hand].fate != SURRENDERED and page_of(book, t, hand).in_play:
                return True
    return False


@called
def second_card_due(book: Book, t: Table, playing: bool) -> bool:
    """Tell whether a dealer without a hole card takes a second card; ``playing``: some hand is in play."""
    insured = waiting = over_one_bet = False
    for seat in range(t.seats.shape[0]):
        hands = int(t.seats[seat].hands)
        if hands > 0:
            first = index(seat * book.max_hands)
            insured = insured or t.seats[seat].insurance > 0
            waiting = waiting or page_of(book, t, first).natural > 0 or surrendered_late(book, t, first)
            over_one_bet = over_one_bet or hands > 1 or t.hands[first].doubled > 0
    return takes_second_card(book.rules, int(t.state.upcard), playing, insured, waiting, over_one_bet)


@inlined
def surrendered_late(book: Book, t: Table, hand: int) -> bool:
    """Tell whether a hand was surrendered in its turn."""
    return bool(t.hands[hand].fate == SURRENDERED and book.late > 0)


@inlined
def hand_won(book: Book, t: Table, seat: int, hand: int, his: int, paid: bool) -> int:
    """Return what a hand has won or lost, in ticks; ``paid``: an earlier hand of the seat has lost."""
    h, bet = t.hands[hand], int(t.seats[seat].bet)
    blackjack = his == DEALER_BLACKJACK
    if h.fate == SURRENDERED:
        return surrender_net(book.rules, bet, not surrendered_late(book, t, hand), blackjack)
    won = worth_net(book.rules, bet << int(h.doubled), int(page_of(book, t, hand).worth), his)
    return original_bet_net(book.rules, won, bet, blackjack, paid)


@inlined
def settle(book: Book, t: Table, seat: int, his: int) -> int:
    """Return what a seat has won or lost with all its hands and its insurance, in ticks: by the book where it can."""
    first, net, bet = index(seat * book.max_hands), 0, int(t.seats[seat].bet)
    special = book.original_bet > 0 or t.seats[seat].insurance > 0
    for hand in range(first, first + index(t.seats[seat].hands)):
        h = t.hands[hand]
        result = int(book.result[index(32 * page_of(book, t, hand).worth + his)])
        special = special or result == PAYS or h.fate == SURRENDERED
        net += result * (bet << int(h.doubled))
    if rare(special):
        return settle_special(book, t, seat, his)
    return net


@called
def settle_special(book: Book, t: Table, seat: int, his: int) -> int:
    """Settle a seat hand by hand: one with a blackjack that wins, a surrender, insurance, or under OBO."""
    first, net, paid = index(seat * book.max_hands), 0, False
    for hand in range(first, first + index(t.seats[seat].hands)):
        won = hand_won(book, t, seat, hand, his, paid)
        paid = paid or won < 0
        net += won
    insured = int(t.seats[seat].insurance)
    return net + insurance_net(insured, his == DEALER_BLACKJACK) if insured > 0 else net


@inlined
def staked(book: Book, t: Table, seat: int) -> int:
    """Return all that a seat has on the table, in ticks."""
    first, bets = index(seat * book.max_hands), 0
    for hand in range(first, first + index(t.seats[seat].hands)):
        bets += 1 + int(t.hands[hand].doubled)
    return bets * int(t.seats[seat].bet) + int(t.seats[seat].insurance)
