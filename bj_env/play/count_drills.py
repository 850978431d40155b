"""Counting drills: count down a deck, read the discard tray, true counts, index plays, and bets by a ramp.

A question follows from its seed alone, so that whoever checks an answer needs nothing but the seed.
"""

from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

from bj_env.errors import BlackjackError, choices
from bj_env.game.cards import FACES, Card
from bj_env.game.rng import Stream
from bj_env.game.view import View, total_dependent_view
from bj_env.play.coach import Counted, cell_name, counted
from bj_env.play.drills import Question, card_of_value, hands_of_cell
from bj_env.play.game import Game
from bj_env.play.words import BUTTONS
from bj_env.rules.numbered import best_total, is_soft
from bj_env.rules.terms import ACTION_WORDS, DECK, Action, Phase, Rules
from bj_env.strategies.count_systems import Count, count_from, true_count
from bj_env.strategies.counting import HI_LO_PLAYS, INSURANCE_INDEX, CountingDecision, IndexPlay

COUNT_DRILLS = {
    "deck": "count down a deck",
    "tray": "decks left, from the discard tray",
    "true": "true count, from the running count and the tray",
    "index": "index plays: what to do at a true count",
    "bet": "the bet of a ramp, from the running count and the tray",
}
"""Each counting drill, and what it asks."""

RAMP = ((1, 2), (2, 4), (3, 8))
"""The ramp of the drill ``bet`` unless another is given: 1 unit, 2 from a true count of 1 on, 4 from 2, 8 from 3."""

SEEDS = 2**32
"""Seeds of questions are below."""

ROUNDS_BETWEEN = 3
"""After how many rounds the count is asked for at a table."""

_TOLERANCE = {"deck": 0.0, "tray": 0.25, "true": 0.9999, "index": 0.0, "bet": 0.0}
"""How far a right answer may be from the exact one: a quarter of a deck, and less than 1 for a true count.

Players round a true count down, to the nearest, or towards 0, and estimate the decks left to a half: all are right.
"""


class Player(NamedTuple):
    """How a person counts and bets.

    Attributes:
        rules: the rules.
        system: the name of a counting system, as in `bj_env.strategies.count_systems`.
        ramp: as in `bj_env.strategies.counting.CountingDecision`.
    """

    rules: Rules
    system: str = "hi-lo"
    ramp: Sequence[tuple[int, int]] = RAMP

    @property
    def how(self) -> Count:
        """How the person counts."""
        return count_from(self.system)

    def checked_decks(self) -> int:
        """Return the number of decks.

        Raises:
            BlackjackError: for an infinite shoe.
        """
        if self.rules.decks == 0:
            raise BlackjackError("count: expected a number of decks, got an infinite shoe, which has no count")
        return self.rules.decks


class CountCheck(NamedTuple):
    """A count that was asked for at a table, and how good the answer was.

    Attributes:
        counted: the exact running and true count.
        running, true: whether these were right.
    """

    counted: Counted
    running: bool
    true: bool

    @property
    def right(self) -> bool:
        """Whether both were right."""
        return self.running and self.true


def lasts(rules: Rules) -> bool:
    """Tell whether a count lasts from one round to the next: the shoe has a cut card.

    >>> lasts(Rules()), lasts(Rules(penetration=0.75))
    (False, True)
    """
    return rules.decks > 0 and rules.penetration > 0


NO_COUNT = "the shoe is shuffled before every round, so no count lasts: take a cut card, like 6D PEN75"
"""What to say where somebody wants to count a shoe without a cut card."""


def count_due(game: Game) -> bool:
    """Tell whether a person who counts is asked for the count now: at a bet after every third round of a shoe."""
    pending, rounds = game.pending, len(game.history)
    if pending is None or not (pending.person and pending.betting) or pending.view.shuffle_pending:
        return False
    return rounds > 0 and rounds % ROUNDS_BETWEEN == 0 and game.rules.decks > 0


def check_count(view: View, running: float, true: float, system: str = "hi-lo") -> CountCheck:
    """Check a running and a true count that somebody kept at a table.

    Raises:
        BlackjackError: for an infinite shoe.
    """
    exact = counted(view, system)
    if exact is None:
        raise BlackjackError("count: expected a number of decks, got an infinite shoe, which has no count")
    return CountCheck(exact, running == exact.running, abs(true - exact.true) <= _TOLERANCE["true"])


class CountQuestion(NamedTuple):
    """A question of a counting drill.

    Attributes:
        text: what is asked.
        answer: the exact answer: a count, decks, chips, or the number of an action.
        tolerance: how far a right answer may be from it.
        why: why that is the answer.
        cards: the cards to count, or the hand.
        upcard: the dealer's; None if the question has none.
        decks, discarded: decks of the shoe, and cards in the discard tray; 0 decks if the question shows no tray.
        actions: the actions to choose from; empty if the answer is a number.
    """

    text: str
    answer: float
    tolerance: float
    why: str
    cards: tuple[Card, ...] = ()
    upcard: Card | None = None
    decks: int = 0
    discarded: int = 0
    actions: tuple[Action, ...] = ()

    def is_right(self, value: float) -> bool:
        """Tell whether an answer is right.

        >>> CountQuestion("Decks left?", 3.4, 0.25, "").is_right(3.5)
        True
        """
        return abs(value - self.answer) <= self.tolerance + 1e-9

    @property
    def answer_text(self) -> str:
        """The exact answer in words."""
        return self.answer_words(self.answer)

    def answer_words(self, value: float) -> str:
        """Say an answer: the name of an action, or a number."""
        if self.actions and value in list(Action):
            return ACTION_WORDS[Action(int(value))].label.lower()
        return f"{round(value, 2) + 0.0:g}"


def count_question(drill: str, seed: int, player: Player) -> CountQuestion:
    """Return the question of a drill with a seed.

    Raises:
        BlackjackError: if there is no such drill, or it has no questions for these rules and this system.

    >>> asked = count_question("deck", 7, Player(Rules()))
    >>> len(asked.cards), asked.answer
    (50, -2.0)
    """
    questions = {"deck": _deck, "tray": _tray, "true": _true, "index": _index, "bet": _bet}
    if drill not in questions:
        raise BlackjackError(f"unknown drill {drill!r}; {choices(drill, list(COUNT_DRILLS))}")
    return questions[drill](player, Stream(seed))


def _deck(player: Player, stream: Stream) -> CountQuestion:
    """Ask for the running count of most of a deck; the cards left out keep the answer from being known."""
    cards = list(FACES)
    for last in range(len(cards) - 1, 0, -1):
        other = stream.below(last + 1)
        cards[last], cards[other] = cards[other], cards[last]
    shown = tuple(cards[1 + stream.below(8) :])
    seen = [sum(card.value == value for card in shown) for value in range(11)]
    running = player.how.system.running(1, seen)
    why = f"{DECK - len(shown)} of the {DECK} cards were left out."
    return CountQuestion("The running count?", running, _TOLERANCE["deck"], why, shown)


def _discards(player: Player, stream: Stream) -> tuple[int, int, float]:
    """Return decks, cards in the discard tray, and the decks left: at least half a deck is left, a quarter is out."""
    decks = player.checked_decks()
    discarded = DECK // 4 + stream.below(DECK * decks - 3 * DECK // 4)
    return decks, discarded, decks - discarded / DECK


def _tray(player: Player, stream: Stream) -> CountQuestion:
    decks, discarded, left = _discards(player, stream)
    why = f"{discarded / DECK:.2f} of {decks} decks are in the tray."
    return CountQuestion("How many decks are left?", left, _TOLERANCE["tray"], why, decks=decks, discarded=discarded)


def _running(left: float, stream: Stream) -> int:
    """Return a running count whose true count is between -5 and 5."""
    most = int(5 * left)
    return stream.below(2 * most + 1) - most


def _true(player: Player, stream: Stream) -> CountQuestion:
    count = player.how
    if not count.by_decks:
        raise BlackjackError(f"drill 'true': {player.system} is not divided by the decks left; take a balanced system")
    decks, discarded, left = _discards(player, stream)
    running = _running(left, stream)
    true = true_count(running, count.pivot, left)
    text = f"The running count is {running:+d}. The true count?"
    why = f"{running:+d} divided by {left:.2f} decks left."
    return CountQuestion(text, true, _TOLERANCE["true"], why, decks=decks, discarded=discarded)


def _bet(player: Player, stream: Stream) -> CountQuestion:
    """Ask for a bet where the exact decks and decks to a half give the same one."""
    rules, count = player.rules, player.how
    decision, half = CountingDecision(count, ramp=player.ramp), count._replace(estimate="half")
    while True:
        decks, discarded, left = _discards(player, stream)
        running = _running(left, stream)
        exact, rough = (
            true_count(running, count.pivot, how.decks_left(round(left * DECK))) if count.by_decks else float(running)
            for how in (count, half)
        )
        bets = [decision.bet_at(rules, value) for value in (exact, rough)]
        if bets[0] == bets[1]:
            break
    steps = ", ".join(f"{rules.min_bet * multiple} from {least:+d}" for least, multiple in player.ramp)
    text = f"The running count is {running:+d}. Your ramp: {rules.min_bet}, {steps}. The bet?"
    why = f"The true count is {exact:+.1f}." if count.by_decks else "The ramp goes by the running count."
    return CountQuestion(text, bets[0], _TOLERANCE["bet"], why, decks=decks, discarded=discarded)


def _index(player: Player, stream: Stream) -> CountQuestion:
    if player.how.system.name != "hi-lo":
        raise BlackjackError(f"drill 'index': expected the system hi-lo, got {player.system!r}")
    rules = player.rules
    plays = _index_plays(rules)
    number = stream.below(len(plays) + rules.insurance)
    if number == len(plays):
        return _insurance(stream)
    play = plays[number]
    asked, view = _cell(rules, play, stream)
    count = play.threshold + stream.below(5) - 2
    action = CountingDecision().play_at(view, count)
    index = f"Below {play.threshold:+d}" if play.below else f"From {play.threshold:+d} on"
    other = CountingDecision().play_at(view, play.threshold - play.below)
    why = f"{index}: {ACTION_WORDS[other].label.lower()}."
    text = f"{cell_name(play.kind, play.number, play.number, play.upcard)}, true count {count:+d}. What do you do?"
    return CountQuestion(text, int(action), _TOLERANCE["index"], why, asked.cards, asked.upcard, actions=view.legal)


def _insurance(stream: Stream) -> CountQuestion:
    count = INSURANCE_INDEX + stream.below(5) - 2
    action = Action.INSURE if count >= INSURANCE_INDEX else Action.DECLINE
    cards = tuple(card_of_value(2 + stream.below(8), stream) for _ in range(2))
    text = f"The dealer shows an ace, true count {count:+d}. Insurance?"
    why = f"From {INSURANCE_INDEX:+d} on: insurance."
    offer = (Action.INSURE, Action.DECLINE)
    return CountQuestion(text, int(action), _TOLERANCE["index"], why, cards, card_of_value(1, stream), actions=offer)


@cache
def _index_plays(rules: Rules) -> tuple[IndexPlay, ...]:
    """Return the Hi-Lo index plays that change what is played under these rules."""

    def changes(play: IndexPlay) -> bool:
        if play.kind == "pair" and rules.max_hands == 1:
            return False
        _, view = _cell(rules, play, Stream(0))
        return len({CountingDecision().play_at(view, play.threshold - below) for below in (0, 1)}) == 2

    return tuple(filter(changes, HI_LO_PLAYS))


def _cell(rules: Rules, play: IndexPlay, stream: Stream) -> tuple[Question, View]:
    """Return a hand of an index play's cell, and the view of its decision point."""
    hands = hands_of_cell(play.kind, play.number)
    values = hands[stream.below(len(hands))]
    asked = Question(rules, tuple(card_of_value(value, stream) for value in values), card_of_value(play.upcard, stream))
    total, ace, values_of = sum(values), 1 in values, asked.advice().values
    view = total_dependent_view(
        rules,
        Phase.PLAY,
        cards=values,
        total=best_total(total, ace),
        soft=is_soft(total, ace),
        pair=values[0] if len(set(values)) == 1 else 0,
        upcard=play.upcard,
        legal=tuple(action for action in BUTTONS if action in values_of),
    )
    return asked, view
