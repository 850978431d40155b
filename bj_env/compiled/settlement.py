"""Settlement, in kernels: what the dealer owes an answer to, and what each seat wins or loses in the end."""

from bj_env.compiled.arrays import CHARLIE, SURRENDERED, Table
from bj_env.compiled.compiling import index, inlined
from bj_env.rules.numbered import (
    hand_net,
    in_play,
    insurance_net,
    is_blackjack,
    original_bet_net,
    surrender_net,
    takes_second_card,
)
from bj_env.rules.terms import Rules, Surrender


@inlined
def dealer_result(t: Table) -> tuple[int, bool]:
    """Return the dealer's total, and whether it is a blackjack."""
    s = t.state
    total = int(s.dealer_total)
    return total, is_blackjack(total, int(s.dealer_cards), False)


@inlined
def any_in_play(rules: Rules, t: Table) -> bool:
    """Tell whether the dealer must draw against some hand."""
    h = t.hands
    for seat in range(t.seats.shape[0]):
        first = index(seat * rules.max_hands)
        for hand in range(first, first + index(t.seats[seat].hands)):
            fate = h[hand].fate
            if in_play(rules, h[hand].total > 21, fate == SURRENDERED, fate == CHARLIE, t.hands[hand].natural > 0):
                return True
    return False


@inlined
def second_card_due(rules: Rules, t: Table, playing: bool) -> bool:
    """Tell whether a dealer without a hole card takes a second card; ``playing``: some hand is in play."""
    insured = waiting = over_one_bet = False
    for seat in range(t.seats.shape[0]):
        hands = int(t.seats[seat].hands)
        if hands > 0:
            first = index(seat * rules.max_hands)
            insured = insured or t.seats[seat].insurance > 0
            waiting = waiting or t.hands[first].natural > 0 or surrendered_late(rules, t, first)
            over_one_bet = over_one_bet or hands > 1 or t.hands[first].doubled > 0
    return takes_second_card(rules, int(t.state.upcard), playing, insured, waiting, over_one_bet)


@inlined
def surrendered_late(rules: Rules, t: Table, hand: int) -> bool:
    """Tell whether a hand was surrendered in its turn."""
    return t.hands[hand].fate == SURRENDERED and rules.surrender == Surrender.LATE


@inlined
def hand_won(
    rules: Rules, t: Table, seat: int, hand: int, dealer_total: int, dealer_blackjack: bool, paid: bool
) -> int:
    """Return what a hand has won or lost, in ticks; ``paid``: an earlier hand of the seat has lost."""
    h, bet = t.hands, int(t.seats[seat].bet)
    fate = h[hand].fate
    if fate == SURRENDERED:
        return surrender_net(rules, bet, not surrendered_late(rules, t, hand), dealer_blackjack)
    total, stake = int(h[hand].total), bet << int(h[hand].doubled)
    blackjack = h[hand].natural > 0
    won = hand_net(rules, stake, total, blackjack, fate == CHARLIE, dealer_total, dealer_blackjack)
    return original_bet_net(rules, won, bet, dealer_blackjack, paid)


@inlined
def settle(rules: Rules, t: Table, seat: int, dealer_total: int, dealer_blackjack: bool) -> int:
    """Return what a seat has won or lost with all its hands and its insurance, in ticks."""
    first, net, paid = index(seat * rules.max_hands), 0, False
    for hand in range(first, first + index(t.seats[seat].hands)):
        won = hand_won(rules, t, seat, hand, dealer_total, dealer_blackjack, paid)
        paid = paid or won < 0
        net += won
    insured = int(t.seats[seat].insurance)
    return net + insurance_net(insured, dealer_blackjack) if insured > 0 else net


@inlined
def staked(rules: Rules, t: Table, seat: int) -> int:
    """Return all that a seat has on the table, in ticks."""
    first, bets = index(seat * rules.max_hands), 0
    for hand in range(first, first + index(t.seats[seat].hands)):
        bets += 1 + int(t.hands[hand].doubled)
    return bets * int(t.seats[seat].bet) + int(t.seats[seat].insurance)
