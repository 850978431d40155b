"""Explanations for people who have never played: what is asked, why it came to what it came to, what the coach says."""

from collections.abc import Iterator

from bj_env.game.events import DEALER, Event, Kind
from bj_env.game.notation import chips_text
from bj_env.game.round import Round
from bj_env.game.table import TablePhase
from bj_env.game.view import View
from bj_env.play.coach import Advice, Review, counted
from bj_env.play.game import Game, PendingDecision, possible_actions
from bj_env.play.setup import Setup, is_person
from bj_env.play.words import bet_range, chips, chips_in_words, money, not_now, who, whose
from bj_env.rules.terms import ACTION_WORDS, TICKS, Action, Phase

_PAID = (Kind.SETTLE, Kind.INSURANCE)

MEANINGS = {
    Action.STAND: "take no more cards",
    Action.HIT: "take one more card; over 21 the hand is bust and its stake lost",
    Action.DOUBLE: "stake as much again, take exactly one more card, then stand",
    Action.SPLIT: "make two hands of the pair; the new one gets a stake of its own",
    Action.SURRENDER: "give the hand up and get half of the bet back",
    Action.INSURE: "bet half as much again that the dealer has a blackjack; it pays 2 to 1",
    Action.DECLINE: "say no to the offer",
}
"""What each action does, for somebody who has never played."""

DEALER_MEANINGS = {
    Action.STAND: "take no more cards; the dealer's hand is compared with the others",
    Action.HIT: "take one more card; over 21 the dealer is bust and every hand that is left wins",
}
"""What each action does in the dealer's chair, which has no stake."""


def explain_pending(game: Game, pending: PendingDecision) -> Iterator[str]:
    """Explain what is asked to somebody who has never played."""
    if pending.betting:
        yield "Bet chips on the next round: you win as many if your hand comes closer to 21 than the dealer's."
        yield "A hand over 21 is bust and loses. Tens and faces count 10, an ace 11, or 1 where 11 would bust."
        yield "A tie is called a push: the bet comes back."
        yield f"Type a number: {bet_range(pending)}."
        return
    if pending.seat == DEALER:
        yield "You play the dealer's hand. Every hand of the seats that is not bust is compared with it."
    elif pending.view.phase is Phase.INSURANCE:
        yield "The dealer shows an ace. Insurance is a side bet that the dealer's other card counts ten."
    elif pending.view.phase is Phase.EARLY_SURRENDER:
        yield "Before anyone plays you may give the hand up and get half of the bet back."
    else:
        yield "Come closer to 21 than the dealer, without going over."
        yield "In a soft hand an ace counts 11 and may yet be 1; a hard hand has none that does."
    meanings = DEALER_MEANINGS if pending.seat == DEALER else MEANINGS
    for action in possible_actions(game.rules):
        if action in pending.view.legal:
            yield f"{ACTION_WORDS[action].key} or {ACTION_WORDS[action].verb}: {meanings[action]}."
    for line in not_now(game):
        yield f"Not now: {line}."


def why(setup: Setup, round: Round) -> Iterator[str]:
    """Explain what each hand of a round that is over came to."""
    if round.void:
        yield "The round was void: all stakes went back."
        return
    for seat in round.active:
        paid = [event for event in round.events if event.seat == seat.number and event.kind in _PAID]
        for event in paid:
            which = f"Hand {event.hand + 1}: " if len(seat.hands) > 1 and event.kind is Kind.SETTLE else ""
            yield f"{which}{_because(setup, round, event)}: {chips_text(event.ticks)}."
        if len(paid) > 1:
            yield f"{who(setup, seat.number)}, in all: {chips_text(seat.net)}."


def _because(setup: Setup, round: Round, event: Event) -> str:
    """Say why a hand won or lost, by what it came to, and never by a rule of our own."""
    whose_ = whose(setup, event.seat)
    if event.kind is Kind.INSURANCE:
        return f"{whose_} insurance: the dealer had {'a' if event.ticks > 0 else 'no'} blackjack"
    hand, won, dealer = round.seats[event.seat].hands[event.hand], event.ticks, round.dealer
    if hand.surrendered:
        return f"{whose_} hand was given up" + ("; half of the bet comes back" if -won < hand.stake else "")
    if hand.charlie:
        return f"{whose_} {len(hand.cards)} cards without a bust win at once in this house"
    if hand.total > 21:
        return f"{whose_} hand is bust with {hand.total}, whatever the dealer has"
    if hand.blackjack and won > 0:
        return f"{whose_} blackjack, 21 on the first two cards, wins {chips(won)} for {chips(hand.stake)}"
    own = f"{whose_} {'blackjack' if hand.blackjack else hand.total}"
    if dealer.total > 21:
        return f"{own} stands, and the dealer is bust with {dealer.total}"
    against = f"{own} against the dealer's {'blackjack' if dealer.blackjack else dealer.total}"
    if won == 0:
        return f"{against} is a tie; the bet comes back"
    if won > 0:
        return f"{against} wins"
    only = ", but only the first bet is lost" if -won < hand.stake else ""
    ties = hand.total == dealer.total and dealer.blackjack == hand.blackjack
    return f"{against} {'is a tie, which this house wins' if ties else 'loses'}{only}"


def leaving_message(game: Game, again: str) -> str:
    """Say what becomes of the stakes when somebody leaves, and how to go on.

    Args:
        game: the game.
        again: the command that goes on with it.
    """
    round, people = game.round, [seat for seat, who in enumerate(game.setup.seats) if is_person(who)]
    if round is not None and game.table.phase is TablePhase.CARDS_DEALT:
        staked = sum(seat.staked for seat in round.seats if seat.number in people)
        return f"The hand is kept, with {chips_in_words(staked)} staked: `{again}` goes on with it."
    return f"The game is kept: `{again}` goes on with it."


def game_over_message(game: Game, again: str) -> str:
    """Say why a game is over, and how to begin anew."""
    people = [seat for seat, who in enumerate(game.setup.seats) if is_person(who)]
    least = chips(game.rules.min_bet * TICKS)
    left = " ".join(money(game.setup, game, seat) for seat in people) or "Nobody has the chips for another bet."
    return f"{left} The smallest bet is {least}: the game is over. `{again}` begins a new one."


def counted_words(view: View) -> str:
    """Say the count of the cards that were face up since the shuffle."""
    count = counted(view)
    if count is None:
        return "This shoe never ends: there is nothing to count."
    if view.phase is Phase.BET and view.shuffle_pending:
        return "The shoe is shuffled before the next round: the count begins at 0."
    return (
        f"Running count {count.running:+g}, true count {count.true:+.1f} (hi-lo), of all cards seen since the shuffle."
    )


def advice_words(advice: Advice) -> Iterator[str]:
    """Say what the coach says: each action's value, the best first, and how much less the others are worth."""
    shoe = "the cards you have seen are taken into account" if advice.counted else "for a full shoe"
    yield f"What each action is worth on average, per chip bet ({shoe}):"
    for action, value in advice.values.items():
        cost = advice.cost(action)
        mark = "the best" if cost <= 0 else f"{cost:.3f} less" if cost >= 0.0005 else "as good, nearly"
        yield f"{ACTION_WORDS[action].verb}: {value:+.3f}, {mark}"


def review_words(review: Review, bet: float | None) -> Iterator[str]:
    """Say how good a decision was: its price, the value of each action, and what might have come.

    Args:
        review: the review.
        bet: the seat's bet in chips, for the price in chips; None in a drill, which has none.
    """
    action, best = ACTION_WORDS[review.action].verb, ACTION_WORDS[review.advice.best].verb
    if review.grade == "best":
        yield f"{action} on {review.cell}: the best."
    else:
        grade = "a near-tie" if review.grade == "near" else "a mistake"
        in_chips = "" if bet is None else f", {chips_in_words(round(review.cost * bet * TICKS))}"
        price = f"{review.cost:.3f} bets{in_chips}"
        yield f"{action} on {review.cell}: {grade}. Better: {best}, by {price}."
    yield ", ".join(f"{ACTION_WORDS[action].verb} {value:+.3f}" for action, value in review.advice.values.items()) + "."
    dealer = ", ".join(f"{result} {share:.0%}" for result, share in review.outlook.dealer.items() if share > 0)
    yield f"Another card busts the hand: {review.outlook.bust:.0%}. The dealer ends with: {dealer}."
