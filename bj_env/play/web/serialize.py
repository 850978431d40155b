"""What a page is told of a game: what everyone at the table sees, in numbers and words ready to be shown.

Nothing here looks at the shoe or at a hole card; a card that is face down is told as None.
"""

from collections.abc import Callable
from typing import Any

from bj_env.display.scene import dealer_cards, nets_of
from bj_env.game.cards import Card
from bj_env.game.events import DEALER
from bj_env.game.hand import Hand
from bj_env.game.participants import Seat
from bj_env.game.round import Round
from bj_env.game.settlement import outcome
from bj_env.game.table import TablePhase
from bj_env.game.view import View
from bj_env.play.coach import grade
from bj_env.play.game import Game, possible_actions
from bj_env.play.setup import PERSON, Setup, given_name, is_person
from bj_env.rules.houses import text, words
from bj_env.rules.terms import ACTION_WORDS, TICKS, Action, Phase

Naming = Callable[[str], str]
"""How a seat's text is shown: a policy's folder by the name under which it is offered."""

PHASES = {
    TablePhase.STARTED: "Started",
    TablePhase.BETS_PLACED: "Bets placed",
    TablePhase.CARDS_DEALT: "Cards dealt",
    TablePhase.END: "End",
}
ASSESSING = {"campus-h17"}
"""Houses of textbook games that say of each hand what it is and what it may count."""
LAST_LINES = 12
"""How many lines of the history come with every answer; all of them have an address of their own."""

BUTTONS = (Action.HIT, *(action for action in Action if action is not Action.HIT))
"""The buttons in their order."""


def serialize_game(game: Game, naming: Naming) -> dict[str, Any]:
    """Return what is shown of a game, made of what JSON knows."""
    rules, round = game.rules, game.round
    return {
        "moves": len(game.moves),
        "house": game.setup.house,
        "rules": text(rules),
        "words": words(rules),
        "setup": serialize_setup(game.setup, naming),
        "stake": {"least": rules.min_bet, "most": rules.max_bet},
        "phase": PHASES[game.shown.phase],
        "phases": list(PHASES.values()),
        "rounds": len(game.history) + (round is not None and not round.over),
        "prompt": prompt(game, naming),
        "pending": _pending(game),
        "actions": _actions(game, naming),
        "dealer": _dealer(game),
        "seats": [_seat(game, seat, naming) for seat in range(len(game.setup.seats))],
        "events": [] if round is None else list(map(str, round.events)),
        "history": game.history[-LAST_LINES:],
        "graded": _session(game),
        "trouble": game.trouble,
    }


def serialize_setup(setup: Setup, naming: Naming) -> dict[str, Any]:
    """Return a setup as a page may know it, and send it back for another game: without the seed, policies by name."""
    return {
        "house": setup.house,
        "seats": list(map(naming, setup.seats)),
        "dealer": setup.dealer,
        "bankroll": setup.bankroll,
    }


def label(setup: Setup, seat: int, naming: Naming) -> str:
    """Return what to call the one in a seat, -1 for the dealer's chair."""
    if seat == DEALER or naming(setup.seats[seat]) == setup.seats[seat]:
        return setup.name(seat)
    name = naming(setup.seats[seat])
    return name if setup.seats.count(setup.seats[seat]) == 1 else f"{name} {seat + 1}"


def prompt(game: Game, naming: Naming) -> str:
    """Say who is asked, and what."""
    pending = game.pending
    if pending is None:
        return "The game is over: nobody who plays here has the chips for another bet."
    who = label(game.setup, pending.seat, naming)
    subject = "You" if who == PERSON else who[:1].upper() + who[1:]
    if not pending.person:
        return f"{subject} is about to {'bet' if pending.betting else 'play'}."
    if pending.betting:
        fixed = pending.least == game.rules.max_bet
        return f"{subject}: " + (
            f"the bet is {pending.least} chips." if fixed else f"bet {_limits(pending.least, pending.most)}."
        )
    view, round = pending.view, game.round
    assert round is not None
    if pending.seat == DEALER:
        return f"{subject} (the dealer): {round.dealer.value_text()}. {_question(view)}"
    hands = view.hands[pending.seat]
    which = f"hand {view.hand + 1} of {len(hands)}, " if len(hands) > 1 else ""
    hand = round.active_seat.hands[view.hand].value_text()
    return f"{subject}: {which}{hand} against {_rank_word(round.upcard)}. {_question(view)}"


def _limits(least: int, most: int) -> str:
    return f"{least} chips" if least == most else f"{least} to {most} chips"


def _rank_word(card: Card) -> str:
    word = {1: "an ace", 8: "an 8"}.get(card.value)
    return word or f"a {'ten' if card.value == 10 else card.value}"


def _question(view: View) -> str:
    if view.phase is Phase.INSURANCE:
        return "Insurance?"
    if view.phase is Phase.EARLY_SURRENDER:
        return "Surrender half the bet?"
    *first, last = (ACTION_WORDS[action].label.lower() for action in BUTTONS if action in view.legal)
    return (f"{', '.join(first)} or {last}?" if first else f"{last}?").capitalize()


def _pending(game: Game) -> dict[str, Any] | None:
    pending = game.pending
    if pending is None:
        return None
    return {
        "seat": pending.seat,
        "hand": pending.view.hand,
        "person": pending.person,
        "betting": pending.betting,
        "least": pending.least,
        "most": pending.most,
        "sit_out": pending.may_sit_out,
    }


def _actions(game: Game, naming: Naming) -> list[dict[str, Any]]:
    """Return the buttons that the house needs, and why one cannot be pressed now; empty if it can."""
    why = _why_none(game, naming)
    possible = possible_actions(game.rules)
    reasons = dict.fromkeys(possible, why) if why else game.unavailable()
    early = game.pending is not None and game.pending.view.phase is Phase.EARLY_SURRENDER
    keeps = early or not game.rules.insurance
    return [
        {
            "action": int(action),
            "key": ACTION_WORDS[action].key,
            "label": "No surrender" if keeps and action is Action.DECLINE else ACTION_WORDS[action].label,
            "why": reasons.get(action, ""),
        }
        for action in BUTTONS
        if action in possible
    ]


def _why_none(game: Game, naming: Naming) -> str:
    """Say why no action can be taken by anyone at the page, if that is so."""
    pending = game.pending
    if pending is None:
        return "the game is over"
    if pending.betting:
        return "first comes the bet"
    return "" if pending.person else f"it is the turn of {label(game.setup, pending.seat, naming)}"


def _dealer(game: Game) -> dict[str, Any]:
    setup, round = game.setup, game.round
    cards = [] if round is None else dealer_cards(round.dealer.cards, round.hole is not None)
    value = "" if round is None else _value(round.dealer)
    if round is not None and len(round.dealer.cards) == 1:
        value = f"shows {value}"
    told = [card and str(card) for card in cards]
    return {"name": setup.name(DEALER), "person": is_person(setup.dealer), "cards": told, "value": value}


def _value(hand: Hand) -> str:
    """Say what a hand counts; of a single card, which it is."""
    return hand.value_text() if len(hand.cards) > 1 else _rank_word(hand.cards[0])


def _seat(game: Game, number: int, naming: Naming) -> dict[str, Any]:
    setup, round, player = game.setup, game.round, game.shown.players[number]
    placed = game.placed
    seat = None if round is None else round.seats[number]
    who = setup.seats[number]
    return {
        "name": label(setup, number, naming),
        "person": is_person(who),
        "named": bool(given_name(who)),
        "bankroll": player.bankroll,
        "placed": placed[number] if number < len(placed) else None,
        "insurance": seat.insurance / TICKS if seat else 0,
        "hands": _hands(game, round, seat) if round and seat else [],
        "net": seat.net / TICKS if round and seat and round.over and seat.bet else None,
        "out": round is not None and not round.over and not (seat and seat.bet),
    }


def _hands(game: Game, round: Round, seat: Seat) -> list[dict[str, Any]]:
    won = nets_of(round.events, seat.number)
    pending = game.pending
    turn = pending.view.hand if pending is not None and not pending.betting and pending.seat == seat.number else None
    return [
        {
            "cards": list(map(str, hand.cards)),
            "value": _value(hand),
            "detail": _assessment(hand) if game.setup.house in ASSESSING else "",
            "stake": hand.stake / TICKS,
            "turn": index == turn,
            "outcome": "Void" if round.void else outcome(hand, won[index]) if index in won else "",
            "net": won[index] / TICKS if index in won else None,
        }
        for index, hand in enumerate(seat.hands)
    ]


def _assessment(hand: Hand) -> str:
    return f"{hand.assessment.name.replace('_', ' ').lower()}: {' or '.join(map(str, hand.values))}"


def _session(game: Game) -> dict[str, Any]:
    """Add up what the coach has graded."""
    grades = [grade(graded.bets) for graded in game.graded]
    counts = {name: grades.count(name) for name in ("best", "near", "mistake")}
    return {**counts, "lost": round_chips(sum(graded.chips for graded in game.graded))}


def round_chips(chips: float) -> float:
    """Return chips as a page shows them, to a hundredth."""
    return round(chips, 2)
