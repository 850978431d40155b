"""Settlement: when the dealer must draw, and what each seat wins or loses."""

from collections.abc import Iterable, Sequence

from bj_env.game.events import Event, Kind
from bj_env.game.hand import Hand
from bj_env.game.participants import Seat
from bj_env.rules.numbered import (
    hand_net,
    in_play,
    insurance_net,
    original_bet_net,
    surrender_net,
    takes_second_card,
)
from bj_env.rules.terms import Rules, Surrender

_SETTLE = Kind.SETTLE  # until Python 3.12 a member of an enum is slow to look up


def any_in_play(rules: Rules, seats: Iterable[Seat]) -> bool:
    """Tell whether the dealer must draw against some hand."""
    for seat in seats:
        for hand in seat.hands:
            if in_play(rules, hand.total > 21, hand.surrendered, hand.charlie, hand.blackjack):
                return True
    return False


def second_card_due(rules: Rules, seats: Sequence[Seat], upcard: int, playing: bool) -> bool:
    """Tell whether a dealer without a hole card takes a second card; ``playing``: some hand is in play."""
    insured = any(seat.insurance for seat in seats)
    waiting = any(seat.hands[0].blackjack or _surrendered_late(rules, seat.hands[0]) for seat in seats)
    over_one_bet = any(sum(hand.stake for hand in seat.hands) > seat.bet for seat in seats)
    return takes_second_card(rules, upcard, playing, insured, waiting, over_one_bet)


def _surrendered_late(rules: Rules, hand: Hand) -> bool:
    return hand.surrendered and rules.surrender is Surrender.LATE


def settle(rules: Rules, seat: Seat, dealer: int, blackjack: bool, events: list[Event]) -> int:
    """Settle a seat hand by hand, its insurance too.

    Args:
        rules: the house's.
        seat: the seat, all its hands played.
        dealer: the dealer's total.
        blackjack: whether that is a blackjack.
        events: where each settlement is noted.

    Returns:
        The seat's net in ticks.
    """
    total, paid = 0, False
    for index, hand in enumerate(seat.hands):
        won = _hand_net(rules, seat, hand, dealer, blackjack, paid)
        paid = paid or won < 0
        total += won
        events.append(Event(_SETTLE, seat.number, index, None, None, hand.total, hand.soft, won))
    if seat.insurance:
        won = insurance_net(seat.insurance, blackjack)
        total += won
        events.append(Event(Kind.INSURANCE, seat.number, ticks=won))
    return total


def _hand_net(rules: Rules, seat: Seat, hand: Hand, dealer: int, dealer_blackjack: bool, paid: bool) -> int:
    if hand.surrendered:
        return surrender_net(rules, seat.bet, not _surrendered_late(rules, hand), dealer_blackjack)
    net = hand_net(rules, hand.stake, hand.total, hand.blackjack, hand.charlie, dealer, dealer_blackjack)
    return original_bet_net(rules, net, seat.bet, dealer_blackjack, paid)


def outcome(hand: Hand, won: int) -> str:
    """Say what a settled hand came to: Win, Blackjack (one that won), Push, Lose or Surrender.

    Args:
        hand: the hand.
        won: what it won, in ticks, as its SETTLE event has it.

    >>> from bj_env.game.cards import card
    >>> outcome(Hand(map(card, "AK")), 15), outcome(Hand(map(card, "AK")), 0), outcome(Hand(map(card, "T9")), -10)
    ('Blackjack', 'Push', 'Lose')
    """
    if hand.surrendered:
        return "Surrender"
    if won == 0:
        return "Push"
    return "Lose" if won < 0 else "Blackjack" if hand.blackjack else "Win"
