"""The state of a game as JSON: what everyone at the table sees, as fields and as text that is ready to be shown.

Nothing here looks at the shoe or at a hole card. A card that lies face down has the face None.
"""

from collections.abc import Callable
from typing import Any

from bj_env.display.card_svg import card_name
from bj_env.display.scene import dealer_cards, nets_of
from bj_env.game.cards import Card
from bj_env.game.events import DEALER
from bj_env.game.hand import Hand
from bj_env.game.participants import Seat
from bj_env.game.round import Round
from bj_env.game.settlement import outcome
from bj_env.game.table import TablePhase
from bj_env.game.view import View
from bj_env.play.coach import Advice, Review, cell_name
from bj_env.play.count_drills import NO_COUNT, count_due, lasts
from bj_env.play.game import Game, PendingDecision, possible_actions
from bj_env.play.setup import HOUSE, PERSON, Setup, given_name, is_person
from bj_env.play.web.menu import felt_text
from bj_env.play.words import BUTTONS, chips_in_words, event_text, plain_reason
from bj_env.rules.houses import text, words
from bj_env.rules.terms import ACTION_WORDS, TICKS, Action, Phase

Naming = Callable[[str], str]
"""Returns how a seat's text is shown: the folder of a policy by the name under which it is offered."""

PHASES = {
    TablePhase.STARTED: "Started",
    TablePhase.BETS_PLACED: "Bets placed",
    TablePhase.CARDS_DEALT: "Cards dealt",
    TablePhase.END: "End",
}
ASSESSING = {"campus-h17"}
"""Houses of textbook games that say of each hand what it is and what it may count."""
LAST_LINES = 12
"""How many lines of the history come with every state; all of them have an address of their own."""


def serialize_game(game: Game, naming: Naming) -> dict[str, Any]:
    """Return the state of a game. It takes the same time after any number of rounds."""
    rules, round = game.rules, game.round
    return {
        "moves": game.version,
        "can_undo": game.can_undo,
        "house": game.setup.house,
        "rules": text(rules),
        "words": words(rules),
        "no_count": "" if lasts(rules) else NO_COUNT,
        "felt": felt_text(rules),
        "setup": serialize_setup(game.setup, naming),
        "stake": {"least": rules.min_bet, "most": rules.max_bet, "fixed": rules.min_bet == rules.max_bet},
        "phase": PHASES[game.table.phase],
        "phases": list(PHASES.values()),
        "rounds": len(game.history) + (round is not None and not round.over),
        "prompt": prompt(game, naming),
        "pending": _pending(game),
        "actions": _actions(game, naming),
        "dealer": _dealer(game),
        "seats": [_seat(game, seat, naming) for seat in range(len(game.setup.seats))],
        "events": _events(game),
        "history": game.history[-LAST_LINES:],
        "graded": serialize_grades(game),
        "trouble": game.trouble,
    }


def serialize_setup(setup: Setup, naming: Naming) -> dict[str, Any]:
    """Return a setup in the form in which a page sends one: without the seed, policies by name."""
    return {
        "house": setup.house,
        "seats": [_sitter(naming(seat)) for seat in setup.seats],
        "dealer": _sitter(setup.dealer),
        "bankroll": setup.bankroll,
    }


def _sitter(seat: str) -> dict[str, str]:
    return {"who": PERSON if is_person(seat) else seat, "name": given_name(seat)}


def label(setup: Setup, seat: int, naming: Naming) -> str:
    """Return what to call the one in a seat, -1 for the dealer's chair."""
    if seat == DEALER or naming(setup.seats[seat]) == setup.seats[seat]:
        return setup.name(seat)
    name = naming(setup.seats[seat])
    return name if setup.seats.count(setup.seats[seat]) == 1 else f"{name} {seat + 1}"


def prompt(game: Game, naming: Naming) -> str:
    """Return the sentence that says whose turn it is and what there is to decide."""
    pending = game.pending
    if pending is None:
        return game_over_text(game)
    who = label(game.setup, pending.seat, naming)
    subject = "You" if who == PERSON else who[:1].upper() + who[1:]
    if not pending.person:
        return f"{subject} is about to {'bet' if pending.betting else 'play'}."
    if pending.betting:
        fixed = pending.least == game.rules.max_bet
        limits = f"{pending.least} to {pending.most}" if pending.least < pending.most else f"{pending.least}"
        return f"{subject}: {'the bet is' if fixed else 'bet'} {limits} chip{'' if limits == '1' else 's'}."
    view, round = pending.view, game.round
    assert round is not None
    if pending.seat == DEALER:
        dealer = "The dealer" if game.setup.dealer == PERSON else f"{subject} (the dealer)"
        return f"{dealer}: {round.dealer.value_text()}. {_question(view)}"
    hands = view.hands[pending.seat]
    which = f"hand {view.hand + 1} of {len(hands)}, " if len(hands) > 1 else ""
    hand = round.active_seat.hands[view.hand].value_text()
    return f"{subject}: {which}{hand} against {_rank_word(round.upcard)}. {_question(view)}"


def game_over_text(game: Game) -> str:
    """Return why nobody can play on."""
    people = [seat for seat in game.setup.seats if is_person(seat)]
    least = chips_in_words(game.rules.min_bet * TICKS)
    if not people:
        return f"The game is over: no seat has the {least} for another bet."
    alone = "You are out of chips" if people == [PERSON] else "The game is over: everyone is out of chips"
    return f"{alone}. The smallest bet is {least}."


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
        "cell": _cell(pending),
        "count_due": count_due(game),
        "person_name": game.setup.name(pending.seat),
    }


def _cell(pending: PendingDecision) -> dict[str, str] | None:
    """Return where the hand stands in a strategy chart; None at a bet and for the dealer's chair."""
    view = pending.view
    if pending.betting or pending.seat == DEALER or view.upcard is None:
        return None
    kind = "pair" if Action.SPLIT in view.legal else "soft" if view.soft else "hard"
    hand, upcard = cell_name(kind, view.total, view.pair, view.upcard.value).removeprefix(f"{kind} ").split(" v ")
    return {"kind": kind, "hand": hand, "upcard": upcard}


def _actions(game: Game, naming: Naming) -> list[dict[str, Any]]:
    """Return the buttons that the house needs, and why each cannot be pressed now; empty if it can."""
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
            "why": plain_reason(reasons.get(action, "")),
        }
        for action in BUTTONS
        if action in possible
    ]


def _why_none(game: Game, naming: Naming) -> str:
    """Return why nobody at the page can take any action; empty if somebody can."""
    pending = game.pending
    if pending is None:
        return "the game is over"
    if pending.betting:
        return "place a bet first"
    return "" if pending.person else f"it is the turn of {label(game.setup, pending.seat, naming)}"


def serialize_card(card: Card | None) -> dict[str, Any]:
    """Return a card, None being one that lies face down, with its name in words."""
    return {"face": card and str(card), "name": "a card face down" if card is None else card_name(card)}


def _dealer(game: Game) -> dict[str, Any]:
    setup, round = game.setup, game.round
    cards = [] if round is None else dealer_cards(round.dealer.cards, round.hole is not None)
    value = "" if round is None else _value(round.dealer)
    if round is not None and len(round.dealer.cards) == 1:
        value = f"shows {value}"
    return {
        "name": setup.name(DEALER),
        "named": setup.dealer not in (HOUSE, PERSON),
        "person": is_person(setup.dealer),
        "cards": list(map(serialize_card, cards)),
        "value": value,
    }


def _value(hand: Hand) -> str:
    """Return what a hand counts; the rank of a single card."""
    return hand.value_text() if len(hand.cards) > 1 else _rank_word(hand.cards[0])


def _seat(game: Game, number: int, naming: Naming) -> dict[str, Any]:
    setup, round, player = game.setup, game.round, game.table.players[number]
    placed = game.placed
    seat = None if round is None else round.seats[number]
    who = setup.seats[number]
    return {
        "name": "You" if (name := label(setup, number, naming)) == PERSON else name,
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
            "cards": list(map(serialize_card, hand.cards)),
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


def _events(game: Game) -> list[str]:
    """Return the events of the round as sentences, with cards in words."""
    round = game.round
    return [] if round is None else [event_text(game.setup, round, index) for index in range(len(round.events))]


def serialize_grades(game: Game) -> dict[str, Any]:
    """Return how many decisions of this game were best, near-ties and mistakes, and their loss in chips."""
    return {**game.grades, "lost": round_chips(game.lost)}


def serialize_advice(advice: Advice, bet: float) -> dict[str, Any]:
    """Return the value of each action, the best first, in bets and in chips."""
    return {
        "values": [
            {
                "label": ACTION_WORDS[action].label,
                "action": int(action),
                "value": round(value, 4),
                "chips": round_chips(value * bet),
            }
            for action, value in advice.values.items()
        ],
        "counted": advice.counted,
    }


def serialize_review(review: Review, bet: float) -> dict[str, Any]:
    """Return the review of a decision: its grade, the value of each action, and what might have come."""
    return {
        "cell": review.cell,
        "action": int(review.action),
        "label": ACTION_WORDS[review.action].label,
        "grade": review.grade,
        "cost": round(review.cost, 4),
        "chips": round_chips(review.cost * bet),
        "best": ACTION_WORDS[review.advice.best].label,
        **serialize_advice(review.advice, bet),
        "bust": round(review.outlook.bust, 4),
        "dealer": {result: round(probability, 4) for result, probability in review.outlook.dealer.items()},
    }


def round_chips(chips: float) -> float:
    """Return chips as a page shows them, to a hundredth."""
    return round(chips, 2)
