"""Answers: what somebody typed, understood or refused in one line; nothing is guessed."""

import re
from enum import Enum

from bj_env.errors import BlackjackError
from bj_env.game.events import DEALER
from bj_env.play.game import PendingDecision, possible_actions
from bj_env.play.words import bet_range
from bj_env.rules.terms import ACTION_WORDS, OFFERS, Action

_SHOWN = 20  # letters of an answer that a refusal quotes


class Command(Enum):
    """What can be said at every prompt and is no answer."""

    EXPLAIN = "?"
    HINT = "hint"
    WHY = "why"
    STATUS = "status"
    COUNT = "count"
    HISTORY = "history"
    UNDO = "undo"
    QUIT = "quit"


MEANINGS = {
    Command.EXPLAIN: "explains what is asked",
    Command.HINT: "asks the coach what each action is worth",
    Command.WHY: "explains the last result",
    Command.STATUS: "shows the table",
    Command.COUNT: "shows the running and the true count of the cards seen",
    Command.HISTORY: "lists the rounds, as lines for `bj replay`",
    Command.UNDO: "takes the last move back, as long as it has turned no card",
    Command.QUIT: "leaves; the game is kept",
}
_COMMANDS = {command.value: command for command in Command if command is not Command.EXPLAIN} | {
    "help": Command.EXPLAIN
}
_PLAY = "play"


def known_words(pending: PendingDecision) -> dict[str, int | Command]:
    """Return the words that are known while this is asked: those of every action of the house, and the commands.

    >>> from bj_env.play.game import Game
    >>> from bj_env.play.setup import Setup
    >>> list(known_words(Game(Setup.checked("campus-s17", seed=1)).pending))[:3]
    ['play', 'hint', 'why']
    """
    return {**_answers(pending), **_COMMANDS}


def _answers(pending: PendingDecision) -> dict[str, int]:
    if pending.betting:
        return {_PLAY: pending.least} if pending.least == pending.most else {}
    actions = (Action.STAND, Action.HIT) if pending.seat == DEALER else possible_actions(pending.view.rules)
    said = {ACTION_WORDS[action].verb: int(action) for action in actions}
    offered = OFFERS.get(pending.view.phase)
    return said if offered is None else said | {"yes": int(offered.accept), "no": int(Action.DECLINE)}


def read(text: str, pending: PendingDecision) -> int | Command:
    """Understand what was typed: a command, an action's number, or chips while bets are made.

    Raises:
        BlackjackError: in one line, if it is nothing that is known, or more than one thing.

    >>> from bj_env.play.game import Game
    >>> from bj_env.play.setup import Setup
    >>> game = Game(Setup.checked(seed=1))
    >>> read(" 10 ", game.pending), read("q", game.pending)
    (10, <Command.QUIT: 'quit'>)
    >>> read("ten", game.pending)
    Traceback (most recent call last):
    bj_env.errors.BlackjackError: expected a bet in chips, 1 to 1000, or ? for help; got 'ten'
    """
    word, known = text.strip().lower(), known_words(pending)
    if word == Command.EXPLAIN.value:
        return Command.EXPLAIN
    if pending.betting and re.fullmatch(r"[0-9]{1,10}( ?\+ ?[0-9]{1,10}){,9}", word):
        return _checked_bet(word, pending)
    keys = {words.key: int(action) for action, words in ACTION_WORDS.items() if int(action) in known.values()}
    found = keys.get(word, known.get(word))
    if found is not None:
        return found
    meant = [candidate for candidate in known if word and candidate.startswith(word)]
    if len({known[candidate] for candidate in meant}) > 1:
        raise BlackjackError(f"{word!r} may be {' or '.join(meant)}; which one?")
    if not meant:
        _check_absent(word, pending)
        raise BlackjackError(f"expected {_expected(pending)}, or ? for help; got {quoted(text)}")
    return known[meant[0]]


_NOUNS = {
    Action.DOUBLE: "doubling",
    Action.SPLIT: "splitting",
    Action.SURRENDER: "surrender",
    Action.INSURE: "insurance",
}


def _check_absent(word: str, pending: PendingDecision) -> None:
    """Say that the house does not have an action that somebody has named.

    Raises:
        BlackjackError: if the word or key is that of such an action.
    """
    for action, noun in _NOUNS.items():
        words = ACTION_WORDS[action]
        named = word == words.key or (len(word) > 1 and words.verb.startswith(word))
        if named and not pending.betting and action not in possible_actions(pending.view.rules):
            raise BlackjackError(f"this table has no {noun}; expected {_expected(pending)}")


def _checked_bet(word: str, pending: PendingDecision) -> int:
    """Add up chips like ``100+50``."""
    chips = sum(map(int, word.split("+")))
    if pending.least <= chips <= pending.most or (chips == 0 and pending.may_sit_out):
        return chips
    raise BlackjackError(f"expected {_expected(pending)}; got {quoted(word)}")


def _expected(pending: PendingDecision) -> str:
    if pending.betting:
        return (
            f"a bet in chips, {bet_range(pending)}"
            if pending.most > pending.least
            else f"'{_PLAY}', to bet {bet_range(pending)}"
        )
    return "one of " + ", ".join(ACTION_WORDS[action].verb for action in pending.view.legal)


def quoted(text: str) -> str:
    """Return typed text in quotes, cut short if it is long.

    >>> quoted("a" * 5000)
    "'aaaaaaaaaaaaaaaaaaaa...'"
    """
    if not text.strip():
        return "nothing"
    shown = text if len(text) <= _SHOWN else text[:_SHOWN] + "..."
    return repr(shown) if len(repr(shown)) <= 2 * _SHOWN else ascii(text[:2])[:-1] + "...'"
