"""Words for people: what is asked, what has happened, and why it came to what it came to; no table prints others."""

import re
from collections.abc import Callable, Iterator

from bj_env.display.card_svg import card_name
from bj_env.game.cards import Card, Suit
from bj_env.game.events import DEALER, Event, Kind, total_text
from bj_env.game.notation import chips_text
from bj_env.game.round import Round
from bj_env.game.settlement import outcome
from bj_env.game.table import TablePhase
from bj_env.play.game import Game, PendingDecision
from bj_env.play.setup import PERSON, Setup
from bj_env.rules.numbered import insurance_stake
from bj_env.rules.terms import ACTION_WORDS, TICKS, Action, Phase

CardText = Callable[[Card], str]
"""How a table shows a card."""

BUTTONS = (
    Action.HIT, Action.STAND, Action.DOUBLE, Action.SPLIT, Action.SURRENDER, Action.INSURE, Action.DECLINE,
)  # fmt: skip
"""The order of the actions' buttons."""

_SYMBOLS = {Suit.CLUBS: "♣", Suit.DIAMONDS: "♦", Suit.HEARTS: "♥", Suit.SPADES: "♠"}


def card_symbols(card: Card) -> str:
    """Write a card with the symbol of its suit.

    >>> from bj_env.game.cards import card
    >>> card_symbols(card("Th")), card_symbols(card("Ks"))
    ('10♥', 'K♠')
    """
    rank = card.text[0].replace("T", "10")
    return rank if card.suit is None else rank + _SYMBOLS[card.suit]


def chips_in_words(ticks: int) -> str:
    """Say an amount of ticks in chips.

    >>> chips_in_words(10), chips_in_words(25)
    ('1 chip', '2.5 chips')
    """
    return f"{chips(ticks)} chip{'' if ticks == TICKS else 's'}"


def chips(ticks: int) -> str:
    """Write an amount of ticks in chips.

    >>> chips(75), chips(10_000_000)
    ('7.5', '1000000')
    """
    return chips_text(ticks).removeprefix("+")


def who(setup: Setup, seat: int) -> str:
    """Say who sits there, as a sentence begins.

    >>> setup = Setup.checked("even-money", seed=1)
    >>> [who(setup, seat) for seat in (0, 1, -1)]
    ['You', 'mimic', 'The dealer']
    """
    name = setup.name(seat)
    if seat == DEALER and name == "dealer":
        return "The dealer"
    return name.capitalize() if name == PERSON or name.startswith("player ") else name


def whose(setup: Setup, seat: int) -> str:
    """Say whose something is, as a sentence begins.

    >>> whose(Setup.checked(seats=["you", "basic"], seed=1), 1)
    "basic's"
    """
    return "Your" if setup.name(seat) == PERSON else f"{who(setup, seat)}'s"


def _does(setup: Setup, seat: int, verb: str) -> str:
    """Say that somebody does something: ``"You hit"``, ``"ann hits"``."""
    if setup.name(seat) == PERSON:
        return f"{who(setup, seat)} {verb}"
    ending = "es" if verb.endswith(("s", "ch")) else "s"
    return f"{who(setup, seat)} {'has' if verb == 'have' else verb + ending}"


def phase_before(events: list[Event], index: int) -> str:
    """Say which part of a round begins with an event; empty if none does.

    >>> phase_before([Event(Kind.BET, 0), Event(Kind.DEAL, 0)], 1)
    'Bets are placed, cards are dealt.'
    """
    event, before = events[index], {(event.kind, event.seat) for event in events[:index]}
    if event.kind is Kind.DEAL and events[index - 1].kind is not Kind.DEAL:
        return "Bets are placed, cards are dealt."
    if (event.kind is Kind.TURN or (event.kind, event.seat) == (Kind.DRAW, DEALER)) and not before & {
        (Kind.TURN, DEALER),
        (Kind.DRAW, DEALER),
    }:
        return "The dealer plays."
    if event.kind in (Kind.SETTLE, Kind.MISDEAL) and event.kind not in {kind for kind, _ in before}:
        return "The round is over."
    return ""


def event_text(setup: Setup, round: Round, index: int, card_text: CardText = card_name) -> str:
    """Tell one of a round's events as a sentence.

    Args:
        setup: who sits where.
        round: the round.
        index: which of ``round.events``.
        card_text: how cards are said.
    """
    event = round.events[index]
    verb = ACTION_WORDS[event.action or Action.STAND].verb
    seat, card = event.seat, "" if event.card is None else card_text(event.card)
    the = "the " if card_text is card_name else ""
    said: dict[Kind, Callable[[], str]] = {
        Kind.SHUFFLE: lambda: "The shoe is shuffled.",
        Kind.BURN: lambda: "A card is burned.",
        Kind.BET: lambda: f"{_does(setup, seat, 'bet')} {chips(event.ticks)}.",
        Kind.DEAL: lambda: f"{_does(setup, seat, 'get')} {the}{card}: {_deal_total(event)}.",
        Kind.HOLE_CARD: lambda: f"{_does(setup, seat, 'take')} a hole card, face down.",
        Kind.ACTION: lambda: f"{_does(setup, seat, verb)}{_on_hand(round, index)}.",
        Kind.DRAW: lambda: f"{_does(setup, seat, 'draw')} {the}{card}{_on_hand(round, index)}: {_total(event)}.",
        Kind.PEEK: lambda: f"{_does(setup, seat, 'look')} at the hole card: {'a' if event.ticks else 'no'} blackjack.",
        Kind.TURN: lambda: f"{_does(setup, seat, 'turn')} over {the}{card}: {_deal_total(event)}.",
        Kind.INSURANCE: lambda: f"{whose(setup, seat)} insurance {_won(event.ticks)}.",
        Kind.SETTLE: lambda: f"{_settled_hand(setup, round, event)}: {result(round, event)}.",
        Kind.MISDEAL: lambda: "The shoe has run out: the round is void, all stakes go back.",
    }
    return said[event.kind]()


def _total(event: Event) -> str:
    return total_text(event.total, event.soft)


def _deal_total(event: Event) -> str:
    """Say what two cards come to: 21 with them is a blackjack."""
    return "blackjack" if event.total == 21 else _total(event)


def _has_split(round: Round, seat: int, index: int) -> bool:
    return any(event.seat == seat and event.action is Action.SPLIT for event in round.events[:index])


def _on_hand(round: Round, index: int) -> str:
    event = round.events[index]
    on = event.seat != DEALER and _has_split(round, event.seat, index)
    return f" on hand {event.hand + 1}" if on else ""


def _won(ticks: int) -> str:
    return "ties" if ticks == 0 else f"{'wins' if ticks > 0 else 'loses'} {chips(abs(ticks))}"


def _settled_hand(setup: Setup, round: Round, event: Event) -> str:
    seat = round.seats[event.seat]
    which = f" {event.hand + 1}" if len(seat.hands) > 1 else ""
    return f"{whose(setup, event.seat)} hand{which}, {seat.hands[event.hand].value_text()}"


def result(round: Round, event: Event) -> str:
    """Say what a settled hand came to: ``"win, +10"``."""
    hand = round.seats[event.seat].hands[event.hand]
    return f"{outcome(hand, event.ticks).lower()}, {chips_text(event.ticks)}"


def money(setup: Setup, game: Game, seat: int) -> str:
    """Say how many chips a seat has."""
    return f"{_does(setup, seat, 'have')} {chips_in_words(game.table.players[seat].free)}."


def balance(setup: Setup, game: Game, round: Round, seat: int) -> str:
    """Say what a seat won or lost in a round that is over, and how many chips it has now."""
    net = round.seats[seat].net
    has = f"{'have' if setup.name(seat) == PERSON else 'has'} {chips_in_words(game.table.players[seat].free)}"
    if net == 0:
        return money(setup, game, seat)
    return f"{_does(setup, seat, 'win' if net > 0 else 'lose')} {chips(abs(net))} and {has}."


def separated(cards: list[Card] | tuple[Card, ...], card_text: CardText) -> str:
    """Write cards in a row, with commas between words."""
    return (", " if card_text is card_name else " ").join(map(card_text, cards))


def question(game: Game, pending: PendingDecision, card_text: CardText = card_name) -> str:
    """Say who is asked, and what: the seat, the hand, its total and stake, the dealer's card."""
    setup, view = game.setup, pending.view
    if pending.betting:
        if pending.least == pending.most:
            return f"{whose(setup, pending.seat)} bet is {bet_range(pending)}: type play."
        return f"{whose(setup, pending.seat)} bet, {bet_range(pending)}:"
    hand = f"{separated(view.cards, card_text)}, {total_text(view.total, view.soft)}"
    if pending.seat == DEALER:
        return f"{who(setup, DEALER)}: {hand}."
    hands = view.hands[pending.seat]
    which = f", hand {view.hand + 1} of {len(hands)}" if len(hands) > 1 else ""
    staked = f"{chips(round(hands[view.hand].stake * TICKS))} staked"
    the = "the " if card_text is card_name else ""
    upcard = "" if view.upcard is None else f"The dealer shows {the}{card_text(view.upcard)}."
    return f"{who(setup, pending.seat)}{which}: {hand}, {staked}. {upcard}{_offer(pending)}"


def _offer(pending: PendingDecision) -> str:
    if pending.view.phase is Phase.INSURANCE:
        stake = insurance_stake(pending.view.rules, round(pending.view.bet * TICKS))
        return f" Insurance for {chips(stake)}?"
    return " Surrender before the dealer plays on?" if pending.view.phase is Phase.EARLY_SURRENDER else ""


def bet_range(pending: PendingDecision) -> str:
    """Say which bets are possible: ``"1 to 990"``."""
    sizes = f"{pending.least} to {pending.most}" if pending.most > pending.least else f"{pending.least}"
    return f"{sizes}, or 0 to sit out" if pending.may_sit_out else sizes


def not_now(game: Game) -> list[str]:
    """Say which of the house's actions are not open, and why: ``"split: only a pair on two cards is split"``."""
    if game.pending is None or game.pending.seat == DEALER:  # whose chair knows two actions, both of them open
        return []
    reasons: dict[str, list[str]] = {}
    for action, reason in game.unavailable().items():
        if action is not Action.DECLINE:  # it is an answer to offers, and nothing to look forward to
            reasons.setdefault(plain_reason(reason), []).append(ACTION_WORDS[action].verb)
    return [f"{', '.join(verbs)}: {reason}" for reason, verbs in reasons.items()]


def plain_reason(reason: str) -> str:
    """Leave out the numbers of rules.

    >>> plain_reason("only a pair on two cards is split (R14)")
    'only a pair on two cards is split'
    """
    return re.sub(r" \(R[^)]*\)", "", reason).replace("is not an answer to what is being asked", "answer this first")


def places(game: Game, card_text: CardText) -> Iterator[tuple[str, str, str, str]]:
    """Say what lies on the table: who, the cards, what they come to, the stake; the dealer first."""
    setup, round = game.setup, game.round
    if round is None or game.table.phase is not TablePhase.CARDS_DEALT:
        return
    hidden = round.hole is not None and len(round.dealer.cards) == 1
    dealer = separated(round.dealer.cards, card_text)
    if hidden:
        dealer += ", a card face down" if card_text is card_name else " ??"
    yield who(setup, DEALER), dealer, round.dealer.value_text(), ""
    for seat in round.active:
        for index, hand in enumerate(seat.hands):
            which = f", hand {index + 1}" if len(seat.hands) > 1 else ""
            cards = separated(hand.cards, card_text)
            yield f"{who(setup, seat.number)}{which}", cards, hand.value_text(), f"{chips(hand.stake)} staked"


def ends_deal(events: list[Event], index: int) -> bool:
    """Tell whether the last card of the deal is dealt by an event.

    >>> deal = [Event(Kind.BET, 0), Event(Kind.DEAL, 0), Event(Kind.HOLE_CARD, DEALER), Event(Kind.PEEK, DEALER)]
    >>> [ends_deal(deal, index) for index in range(4)]
    [False, False, True, False]
    """
    dealing = (Kind.DEAL, Kind.HOLE_CARD)
    return events[index].kind in dealing and (index + 1 == len(events) or events[index + 1].kind not in dealing)


def dealt(setup: Setup, round: Round, card_text: CardText) -> Iterator[tuple[str, str, str, str]]:
    """Say what was dealt, as `places` says what lies on the table; a round may be over before anyone decides."""
    deals = [event for event in round.events if event.kind is Kind.DEAL]
    hole = any(event.kind is Kind.HOLE_CARD for event in round.events)
    for seat in (DEALER, *(seat.number for seat in round.active)):
        own = [event for event in deals if event.seat == seat]
        if not own:  # the shoe has run out
            continue
        cards = separated([event.card for event in own if event.card is not None], card_text)
        staked = next((f"{chips(event.ticks)} staked" for event in round.events if event[:2] == (Kind.BET, seat)), "")
        hidden = (", a card face down" if card_text is card_name else " ??") if hole and seat == DEALER else ""
        yield who(setup, seat), cards + hidden, _deal_total(own[-1]), staked
