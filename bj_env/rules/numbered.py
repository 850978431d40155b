"""THE RULES of casino blackjack: every rule once, as a plain function of numbers.

Each rule has a number (R1, R2, ...); tests and error messages name it. The readable engine, the compiled engine and
the solver all call these functions, which stay within what numba compiles: ints, bools, ifs.

Money is counted in *ticks*, ten to a chip, which makes 3:2, 6:5, 7:5, half bets and half refunds exact integers.
A card's *value* is 1 for an ace, 2..9, and 10 for T, J, Q, K. A hand is described by its *total* (an ace counts 11
where that fits), whether it is *soft* (an ace does count 11), and the number of its *cards*.
"""

from bj_env.rules.terms import TICKS, Double, HoleCard, Refusal, Rules, SplitBy, Surrender

# --- what a hand is -------------------------------------------------------------------------------------------------


def card_value(rank: int) -> int:
    """R1. Tell the value of a rank 1 (ace) .. 13 (king): tens and pictures count 10.

    >>> card_value(1), card_value(9), card_value(13)
    (1, 9, 10)
    """
    return 10 if rank > 10 else rank


def cards_of_value(value: int) -> int:
    """R28. Tell how many cards of a value a deck has.

    >>> cards_of_value(1), cards_of_value(10)
    (4, 16)
    """
    return 16 if value == 10 else 4


def best_total(hard: int, has_ace: bool) -> int:
    """R2. Tell the total of a hand whose values sum to ``hard``: one ace counts 11 where it fits.

    >>> best_total(7, True), best_total(12, True), best_total(16, False)
    (17, 12, 16)
    """
    return hard + 10 if has_ace and hard <= 11 else hard


def is_soft(hard: int, has_ace: bool) -> bool:
    """R3. Tell whether an ace counts 11, so that one more card cannot bust the hand.

    >>> is_soft(7, True), is_soft(12, True)
    (True, False)
    """
    return has_ace and hard <= 11


def is_bust(total: int) -> bool:
    """R4. Tell whether the hand has lost by going over 21.

    >>> is_bust(21), is_bust(22)
    (False, True)
    """
    return total > 21


def is_blackjack(total: int, cards: int, from_split: bool) -> bool:
    """R5. Tell a blackjack: 21 on the first two cards, not after a split.

    >>> is_blackjack(21, 2, False), is_blackjack(21, 3, False), is_blackjack(21, 2, True)
    (True, False, False)
    """
    return total == 21 and cards == 2 and not from_split


def is_charlie(rules: Rules, total: int, cards: int) -> bool:
    """R6. Tell a charlie: enough cards without a bust win at once, whatever the dealer has.

    >>> is_charlie(Rules(charlie=5), 18, 5), is_charlie(Rules(charlie=5), 18, 4), is_charlie(Rules(), 18, 5)
    (True, False, False)
    """
    return rules.charlie > 0 and cards >= rules.charlie and total <= 21


def is_pair(rules: Rules, first_rank: int, second_rank: int) -> bool:
    """R7. Tell a pair: two cards of the same value, or of the same rank where the house says so.

    >>> is_pair(Rules(), 10, 13), is_pair(Rules(split_by=SplitBy.RANK), 10, 13)
    (True, False)
    """
    if rules.split_by == SplitBy.RANK:
        return first_rank == second_rank
    return card_value(first_rank) == card_value(second_rank)


# --- the shoe, and what is offered before anyone plays ---------------------------------------------------------------


def shuffle_due(rules: Rules, dealt: int, size: int) -> bool:
    """R8. Tell whether the shoe is shuffled before the next round: always, or once the cut card is out.

    The cut card lies behind the share ``penetration`` of the ``size`` cards, rounded to the nearest card.

    >>> shuffle_due(Rules(), 4, 312)
    True
    >>> cut = Rules(penetration=0.75)
    >>> shuffle_due(cut, 233, 312), shuffle_due(cut, 234, 312)
    (False, True)
    """
    return rules.penetration == 0 or dealt >= int(rules.penetration * size + 0.5)


def early_surrender_refusal(rules: Rules, upcard: int, blackjack: bool) -> int:
    """R9. Tell why early surrender is not offered, before the dealer looks at anything (0: it is offered).

    >>> early_surrender_refusal(Rules(surrender=Surrender.EARLY), 1, False)
    0
    >>> Refusal(early_surrender_refusal(Rules(surrender=Surrender.ES10), 1, False)).name
    'SURRENDER_ACE'
    """
    if rules.surrender != Surrender.EARLY and rules.surrender != Surrender.ES10:
        return Refusal.NO_SURRENDER.value
    if rules.surrender == Surrender.ES10 and upcard == 1:
        return Refusal.SURRENDER_ACE.value
    if blackjack:
        return Refusal.SURRENDER_BLACKJACK.value
    return Refusal.LEGAL.value


def insurance_refusal(rules: Rules, upcard: int, stake: int, short: bool) -> int:
    """R10. Tell why insurance for ``stake`` ticks is not offered (0: it is); a blackjack may insure: even money.

    >>> insurance_refusal(Rules(), 1, 5, False), insurance_refusal(Rules(insurance=False), 1, 5, False)
    (0, 6)
    """
    if not rules.insurance:
        return Refusal.NO_INSURANCE.value
    if upcard != 1:
        return Refusal.NO_ACE.value
    if stake == 0:
        return Refusal.TOO_SMALL_TO_INSURE.value
    if short:
        return Refusal.MONEY.value
    return Refusal.LEGAL.value


def dealer_peeks(rules: Rules, upcard: int) -> bool:
    """R11. Tell whether the dealer looks at the hole card: under PEEK, behind an ace or a ten.

    >>> dealer_peeks(Rules(), 10), dealer_peeks(Rules(), 9), dealer_peeks(Rules(hole_card=HoleCard.NOPEEK), 10)
    (True, False, False)
    """
    return rules.hole_card == HoleCard.PEEK and (upcard == 1 or upcard == 10)


def deals_hole_card(rules: Rules) -> bool:
    """R26. Tell whether the dealer deals himself a hole card.

    >>> deals_hole_card(Rules()), deals_hole_card(Rules(hole_card=HoleCard.ENHC))
    (True, False)
    """
    return rules.hole_card == HoleCard.PEEK or rules.hole_card == HoleCard.NOPEEK


def completes_blackjack(upcard: int, hole: int) -> bool:
    """R27. Tell whether up card and hole card, by value, are a blackjack.

    >>> completes_blackjack(1, 10), completes_blackjack(10, 1), completes_blackjack(5, 6)
    (True, True, False)
    """
    return (upcard == 1 and hole == 10) or (upcard == 10 and hole == 1)


# --- what a hand may do ---------------------------------------------------------------------------------------------


def hit_refusal(rules: Rules, split_aces: bool) -> int:
    """R12. Tell why a hand may not hit (0: it may): split aces get one card each unless the house lets them draw.

    >>> hit_refusal(Rules(), True), hit_refusal(Rules(hit_split_aces=True), True)
    (10, 0)
    """
    return Refusal.SPLIT_ACES.value if split_aces and not rules.hit_split_aces else Refusal.LEGAL.value


def double_refusal(
    rules: Rules, total: int, soft: bool, cards: int, from_split: bool, split_aces: bool, short: bool
) -> int:
    """R13. Tell why a hand may not double its bet for exactly one more card (0: it may).

    >>> nine = dict(soft=False, from_split=False, split_aces=False, short=False)
    >>> double_refusal(Rules(double=Double.D9), total=9, cards=2, **nine)
    0
    >>> Refusal(double_refusal(Rules(double=Double.D10), total=9, cards=2, **nine)).name
    'DOUBLE_TOTAL'
    """
    if rules.double == Double.D0:
        return Refusal.NO_DOUBLE.value
    if split_aces and not rules.hit_split_aces:
        return Refusal.SPLIT_ACES.value
    if cards != 2 and rules.double != Double.DANY:
        return Refusal.DOUBLE_CARDS.value
    if from_split and not rules.double_after_split:
        return Refusal.DOUBLE_AFTER_SPLIT.value
    if rules.double == Double.D9 or rules.double == Double.D10 or rules.double == Double.D11:
        lowest = 9 if rules.double == Double.D9 else 10 if rules.double == Double.D10 else 11
        if soft or total < lowest or total > 11:
            return Refusal.DOUBLE_TOTAL.value
    if short:
        return Refusal.MONEY.value
    return Refusal.LEGAL.value


def split_refusal(rules: Rules, pair: bool, split_aces: bool, hands: int, short: bool) -> int:
    """R14. Tell why a hand may not be split (0: it may); ``pair`` is of just two cards, ``hands`` the seat's so far.

    >>> split_refusal(Rules(), pair=True, split_aces=False, hands=1, short=False)
    0
    >>> Refusal(split_refusal(Rules(max_hands=2), pair=True, split_aces=False, hands=2, short=False)).name
    'MAX_HANDS'
    """
    if rules.max_hands == 1:
        return Refusal.NO_SPLIT.value
    if not pair:
        return Refusal.NOT_A_PAIR.value
    if hands >= rules.max_hands:
        return Refusal.MAX_HANDS.value
    if split_aces and not rules.resplit_aces:
        return Refusal.RESPLIT_ACES.value
    if short:
        return Refusal.MONEY.value
    return Refusal.LEGAL.value


def late_surrender_refusal(rules: Rules, cards: int, from_split: bool, blackjack: bool) -> int:
    """R15. Tell why a hand in turn may not be surrendered (0: it may); early surrender is not offered again.

    >>> late_surrender_refusal(Rules(), 2, False, False), late_surrender_refusal(Rules(), 3, False, False)
    (0, 5)
    """
    if rules.surrender != Surrender.LATE:
        return Refusal.NO_SURRENDER.value
    if blackjack:
        return Refusal.SURRENDER_BLACKJACK.value
    if cards != 2 or from_split:
        return Refusal.FIRST_TWO_CARDS.value
    return Refusal.LEGAL.value


def is_short(free: int, needed: int) -> bool:
    """R16. Tell whether ``needed`` ticks are more than the seat has free; ``free`` below 0 means without limit.

    >>> is_short(100, 100), is_short(90, 100), is_short(-1, 100)
    (False, True, False)
    """
    return 0 <= free < needed


def play_mask(
    rules: Rules, total: int, soft: bool, cards: int, pair: bool,
    from_split: bool, split_aces: bool, hands: int, short: bool,
) -> int:  # fmt: skip
    """R17. Tell the legal actions of a hand, as bits ``1 << action``; 0 if the hand gets no turn.

    A bust, a charlie's hand and a doubled one are not asked here. A hand of 21, blackjacks included, stands by itself
    unless the house lets it act; so does a hand that could do nothing but stand.

    >>> bin(play_mask(Rules(), 16, False, 2, True, False, False, 1, False))
    '0b11111'
    >>> play_mask(Rules(), 21, True, 2, False, False, False, 1, False)
    0
    """
    if total > 21 or (total == 21 and not rules.act_on_21):
        return 0
    mask = 0
    if hit_refusal(rules, split_aces) == 0:
        mask |= 2
    if double_refusal(rules, total, soft, cards, from_split, split_aces, short) == 0:
        mask |= 4
    if split_refusal(rules, pair, split_aces, hands, short) == 0:
        mask |= 8
    if late_surrender_refusal(rules, cards, from_split, is_blackjack(total, cards, from_split)) == 0:
        mask |= 16
    return mask | 1 if mask else 0


# --- the dealer -----------------------------------------------------------------------------------------------------


def dealer_hits(rules: Rules, total: int, soft: bool) -> bool:
    """R18. Tell whether the house's dealer draws: below 17, and on a soft 17 under H17.

    >>> dealer_hits(Rules(), 16, False), dealer_hits(Rules(), 17, True)
    (True, False)
    >>> dealer_hits(Rules(dealer_hits_soft_17=True), 17, True)
    True
    """
    return total < 17 or (total == 17 and soft and rules.dealer_hits_soft_17)


def in_play(rules: Rules, bust: bool, surrendered: bool, charlie: bool, blackjack: bool) -> bool:
    """R19. Tell whether the dealer must draw against the hand; a blackjack needs it only where it is no more than 21.

    >>> in_play(Rules(), False, False, False, True), in_play(Rules(blackjack_beats_21=False), False, False, False, True)
    (False, True)
    """
    return not (bust or surrendered or charlie or (blackjack and rules.blackjack_beats_21))


def takes_second_card(
    rules: Rules, upcard: int, any_in_play: bool, insured: bool, waiting: bool, over_one_bet: bool
) -> bool:
    """R20. Tell whether a dealer who dealt himself no hole card takes a second card at the end.

    ``waiting``: a blackjack or a late surrender depends on it; ``over_one_bet``: some seat staked more than one bet,
    which it gets back under OBO if the dealer has a blackjack.

    >>> takes_second_card(Rules(hole_card=HoleCard.ENHC), 9, False, False, True, False)
    False
    >>> takes_second_card(Rules(hole_card=HoleCard.ENHC), 10, False, False, True, False)
    True
    """
    ace_or_ten = upcard == 1 or upcard == 10
    return any_in_play or insured or (waiting and ace_or_ten) or (rules.hole_card == HoleCard.OBO and over_one_bet)


# --- money ----------------------------------------------------------------------------------------------------------


def whole_chips(rules: Rules, ticks: int) -> int:
    """R21. Round an amount that the house pays, or lets a seat insure for, down to whole chips where it says so.

    >>> whole_chips(Rules(), 75), whole_chips(Rules(round_payouts=True), 75)
    (75, 70)
    """
    return ticks // TICKS * TICKS if rules.round_payouts else ticks


def insurance_stake(rules: Rules, bet: int) -> int:
    """R22. Tell the price of insurance: half the bet. It pays 2:1 if the dealer has a blackjack.

    >>> insurance_stake(Rules(), 50)
    25
    """
    return whole_chips(rules, bet // 2)


def insurance_net(stake: int, dealer_blackjack: bool) -> int:
    """R22. Tell what an insurance of ``stake`` ticks brings.

    >>> insurance_net(25, True), insurance_net(25, False)
    (50, -25)
    """
    return 2 * stake if dealer_blackjack else -stake


def surrender_net(rules: Rules, bet: int, early: bool, dealer_blackjack: bool) -> int:
    """R23. Tell what a surrendered hand loses: half, or all if it came late and the dealer has a blackjack.

    >>> surrender_net(Rules(), 100, False, False), surrender_net(Rules(), 100, False, True)
    (-50, -100)
    """
    if dealer_blackjack and not early:
        return -bet
    return whole_chips(rules, bet // 2) - bet


def hand_net(
    rules: Rules, stake: int, total: int, blackjack: bool, charlie: bool, dealer_total: int, dealer_blackjack: bool
) -> int:
    """R24. Tell what a hand that was not surrendered wins or loses, in ticks, with ``stake`` ticks on it.

    In order: a bust loses; a charlie wins; a dealer blackjack beats all but a blackjack (and a drawn 21 where the
    house says so); a blackjack beats all else and wins its payout; then the higher total wins, a dealer bust is 0.
    Where the dealer wins ties, two blackjacks still tie.

    >>> hand_net(Rules(), 100, 21, True, False, 21, False), hand_net(Rules(), 100, 21, False, False, 21, True)
    (150, -100)
    """
    if total > 21:
        return -stake
    if charlie:
        return stake
    mine, dealers = total, dealer_total if dealer_total <= 21 else 0
    if dealer_blackjack and rules.dealer_blackjack_beats_21 and not blackjack:
        dealers = 22
    if blackjack and rules.blackjack_beats_21 and not dealer_blackjack:
        mine = 22
    if mine > dealers:
        return whole_chips(rules, stake * rules.blackjack_payout // TICKS) if blackjack else stake
    if mine < dealers or (rules.dealer_wins_ties and not (blackjack and dealer_blackjack)):
        return -stake
    return 0


def original_bet_net(rules: Rules, net: int, bet: int, dealer_blackjack: bool, paid: bool) -> int:
    """R25. Limit what a seat loses to a dealer blackjack under OBO: one bet in all (``paid``: it has lost it already).

    >>> original_bet_net(Rules(hole_card=HoleCard.OBO), -200, 100, True, False)
    -100
    >>> original_bet_net(Rules(hole_card=HoleCard.OBO), -200, 100, True, True)
    0
    """
    if rules.hole_card != HoleCard.OBO or not dealer_blackjack or net >= 0:
        return net
    return 0 if paid else -bet
