"""The table in the terminal: ``bj play``."""

import signal
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from os import environ
from pathlib import Path
from shlex import quote
from threading import Timer
from time import monotonic
from typing import Literal

from platformdirs import user_data_path

from bj_env.errors import BlackjackError
from bj_env.game.events import DEALER
from bj_env.play.coach import Advice, advise, review
from bj_env.play.count_drills import NO_COUNT, count_due, lasts
from bj_env.play.explanations import (
    advice_words,
    counted_words,
    explain_pending,
    game_over_message,
    leaving_message,
    review_words,
    why,
)
from bj_env.play.game import Game, PendingDecision
from bj_env.play.practice import PRACTICE, Attempt, PracticeLog
from bj_env.play.setup import is_person
from bj_env.play.store import Store
from bj_env.play.terminal.drill import checked_count_words
from bj_env.play.terminal.keyboard import Asks, keyboard
from bj_env.play.terminal.parsing import MEANINGS, Command, known_words, read
from bj_env.play.terminal.resume import Wish, locked, resumed
from bj_env.play.terminal.screen import PLAIN_TERMINALS, Screen, has_symbols
from bj_env.play.words import balance, money, plain_reason, question, who
from bj_env.rules.houses import words as rules_in_words
from bj_env.rules.terms import ACTION_WORDS, Action
from bj_env.strategies.registry import HI_LO
from bj_env.strategies.simple import HouseRule


@dataclass(frozen=True)
class Options:
    """How a game is played at a terminal.

    Attributes:
        save: the file that keeps the games; None for the one in the user's data folder.
        new: whether a new game is begun where one is kept.
        plain: whether to speak in plain lines, as is done anyway where nobody looks at a terminal.
        practice: whether every decision at a terminal is reviewed once it is made, and saved in the practice log.
        count: whether the running and the true count are asked for now and then, and saved in the practice log.
    """

    save: Path | None = None
    new: bool = False
    plain: bool = False
    practice: bool = True
    count: bool = False


def play_command(wish: Wish, options: Options) -> None:
    """Sit down and play until somebody leaves or the money is gone.

    Args:
        wish: what is to be played; if it says nothing, what was played last.
        options: how.

    Raises:
        BlackjackError: if the setup cannot be played, or the file is in use.
        KeyboardInterrupt: as it comes, once it is said what becomes of the stakes.
        SystemExit: at SIGTERM, likewise.
    """
    signal.signal(signal.SIGTERM, _leave)
    path = options.save or user_data_path("bj-env", appauthor=False) / "games.sqlite"
    wished = wish.setup()
    at_terminal = sys.stdout.isatty() and environ.get("TERM", "") not in PLAIN_TERMINALS
    screen = Screen(plain=options.plain or not at_terminal, symbols=has_symbols(sys.stdout.encoding))
    if screen.plain:  # else numba, which the coach uses, resets the terminal's colours at the end
        environ.setdefault("NUMBA_DISABLE_ERROR_MESSAGE_HIGHLIGHTING", "1")
    with locked(path):
        store = Store(path)
        name, game = resumed(store, wish, wished, new=options.new, say=screen.say)
        log = PracticeLog(path.with_name(PRACTICE)) if (options.practice and at_terminal) or options.count else None
        if log is not None and log.warning:
            screen.say(f"{log.warning}.")
        again = "bj play" if options.save is None else f"bj play --save {quote(str(options.save))}"
        session = Session(game, partial(store.keep, name), screen, keyboard(bare=screen.plain), again)
        session.practice = log if options.practice and at_terminal else None
        session.counts = log if options.count else None
        if (options.count or HI_LO in game.setup.seats) and not lasts(game.rules):
            screen.say(f"{NO_COUNT[0].upper()}{NO_COUNT[1:]}.", "yellow")
        session.play()
        store.close()
        if log is not None:
            log.close()


def _leave(number: int, frame: object) -> None:
    """Leave as at Ctrl-C, with the exit code that stands for the signal."""
    raise SystemExit(128 + number)


class Session:
    """People at a table, from when they sit down until they leave.

    Args:
        game: the game.
        keep: keeps it, after every move.
        screen: where everything is said.
        ask: asks for a line.
        again: the command that goes on with this game.

    Attributes:
        practice: where reviewed decisions are saved; None reviews none.
        counts: where counts that are asked for are saved; None asks for none.
    """

    def __init__(self, game: Game, keep: Callable[[Game], None], screen: Screen, ask: Asks, again: str) -> None:
        self.practice: PracticeLog | None = None
        self.counts: PracticeLog | None = None
        self._unsupported = ""
        self.game, self.keep, self.screen, self.ask, self.again = game, keep, screen, ask, again
        self._told = 0  # how many of the round's events were told
        self._advice: Advice | None = None

    def play(self) -> None:
        """Play until somebody leaves or the money is gone.

        Raises:
            KeyboardInterrupt, SystemExit: as they come, once it is said what becomes of the stakes.
        """
        self.keep(self.game)
        self._welcome()
        try:
            if self._play_on():
                self.screen.say(game_over_message(self.game, self.again), "bold")
                return
        except EOFError:
            pass
        except (KeyboardInterrupt, SystemExit):
            self.screen.say(leaving_message(self.game, self.again))
            raise
        self.screen.say(leaving_message(self.game, self.again))

    def _welcome(self) -> None:
        game = self.game
        self.screen.heading(f"Blackjack at {game.setup.house}")
        self.screen.say("? explains what is asked, hint asks the coach, q leaves; every word may be shortened.")
        if game.moves:
            rounds = f"{len(game.history)} round{'' if len(game.history) == 1 else 's'}"
            self.screen.say(f"The game goes on where it was left, after {rounds}.")
            self._told = len(game.round.events) if game.round else 0
        self._status()

    def _play_on(self) -> bool:
        """Play until somebody leaves, which is False, or the money is gone."""
        while (pending := self.game.pending) is not None and not self.game.over:
            if not pending.person:
                self._move(self.game.ask_strategy)
                if self.game.trouble:
                    self.screen.say(f"{who(self.game.setup, pending.seat)} failed: {self.game.trouble}", "yellow")
            elif (value := self._answer(pending)) is None:
                return False
            elif value is not Command.UNDO:
                self._review(pending, value)
                self._move(partial(self.game.answer, value, self._cost(pending, value)))
        return True

    def _move(self, move: Callable[[], None]) -> None:
        """Make a move, keep it, then tell what came of it."""
        pending, rounds = self.game.pending, len(self.game.history)
        betting = pending is not None and pending.betting
        move()
        self.keep(self.game)
        self._advice = None
        dealt = betting and (
            len(self.game.history) > rounds or self.game.pending is None or not self.game.pending.betting
        )
        if dealt:
            self._told = 0
            self.screen.heading(f"Round {rounds + 1}")
        self._tell()

    def _tell(self) -> None:
        """Tell what has happened in the round since it was last told."""
        game, round = self.game, self.game.round
        if round is None:
            return
        first, self._told = self._told, len(round.events)
        for index in range(first, len(round.events)):
            self.screen.tell(game, round, index)
        if round.over and first < len(round.events):
            for seat, sits in enumerate(game.setup.seats):
                if is_person(sits):
                    self.screen.say(balance(game.setup, game, round, seat), "bold")

    def _answer(self, pending: PendingDecision) -> int | Literal[Command.UNDO] | None:
        """Ask a person until there is an answer, or the last move is taken back; None if somebody leaves."""
        if self.counts is not None and count_due(self.game) and not self._ask_count(pending, self.counts):
            return None
        self._put(pending)
        while True:
            try:
                said = read(self.ask(list(known_words(pending))), pending)
                if said is Command.QUIT:
                    return None
                if said is Command.UNDO:
                    self._undo()
                    return said
                if isinstance(said, Command):
                    self._obey(said, pending)
                else:
                    self._check_open(said, pending)
                    return said
            except BlackjackError as error:
                self.screen.say(str(error), "yellow")

    def _undo(self) -> None:
        """Take the last move back.

        Raises:
            BlackjackError: if it cannot be.
        """
        self.game.undo()
        self.keep(self.game)
        self._told = len(self.game.round.events) if self.game.round else 0
        self.screen.say("The last move is taken back.")

    def _ask_count(self, pending: PendingDecision, log: PracticeLog) -> bool:
        """Ask for the running and the true count, and check them; False if somebody leaves."""
        self.screen.say("")
        self.screen.say("The running and the true count (hi-lo), like 4 1; Enter passes:", "bold")
        while (said := self.ask([]).strip().lower()) not in ("q", "quit"):
            if not said:
                return True
            try:
                for line, right in checked_count_words(said, pending, self.game.setup.name(pending.seat), log):
                    self.screen.say(line, "green" if right else "yellow")
                return True
            except BlackjackError as error:
                self.screen.say(str(error), "yellow")
        return False

    def _put(self, pending: PendingDecision) -> None:
        self._put_at = monotonic()
        if not self.screen.plain:
            self.screen.say("")
        self.screen.say(question(self.game, pending, self.screen.card_text), "bold")
        self.screen.options(self.game, pending)

    def _check_open(self, value: int, pending: PendingDecision) -> None:
        """Refuse an answer that is not open now.

        Raises:
            BlackjackError: saying why.
        """
        if pending.betting or value in pending.view.legal:
            return
        reason = plain_reason(self.game.unavailable()[Action(value)])
        expected = ", ".join(ACTION_WORDS[action].verb for action in pending.view.legal)
        raise BlackjackError(f"{ACTION_WORDS[Action(value)].verb}: {reason}; expected one of {expected}")

    def _review(self, pending: PendingDecision, value: int) -> None:
        """Review a decision once it is made: its price, what was best, and why; the coach is asked only now."""
        if self.practice is None or pending.betting or pending.seat == DEALER:
            return
        began = monotonic()
        try:
            self._advice = self._advise(pending)
        except BlackjackError as error:
            if str(error) != self._unsupported:
                self.screen.say(f"No review: {error}.", "dim")
            self._unsupported = str(error)
            return
        reviewed = review(pending.view, Action(value), self._advice)
        for number, line in enumerate(review_words(reviewed, pending.view.bet)):
            style = "dim" if number else {"best": "green", "near": "green", "mistake": "yellow"}[reviewed.grade]
            self.screen.say(line, style)
        names = reviewed.action.name.lower(), reviewed.advice.best.name.lower()
        person, seconds = self.game.setup.name(pending.seat), began - self._put_at
        self.practice.add(Attempt(person, "table", reviewed.kind, reviewed.cell, *names, reviewed.cost, seconds))

    def _advise(self, pending: PendingDecision) -> Advice:
        """Return the coach's values, and say that he works if that takes a while."""
        if self._advice is not None:
            return self._advice
        text = "The coach computes; the first time may take half a minute."
        notice = Timer(1.5, self.screen.say, (text, "dim"))
        notice.daemon = True
        notice.start()
        try:
            return advise(pending.view)
        except KeyboardInterrupt:
            self.screen.say("")  # the next sentence begins a line
            raise
        finally:
            notice.cancel()

    def _cost(self, pending: PendingDecision, value: int) -> float | None:
        """Say what an answer is worth less than the best one, in chips, if the coach was asked."""
        return None if self._advice is None else self._advice.cost(Action(value)) * pending.view.bet

    def _obey(self, command: Command, pending: PendingDecision) -> None:
        game, say = self.game, self.screen.say
        if command is Command.EXPLAIN:
            self._explain(pending)
        elif command is Command.HINT:
            self._hint(pending)
        elif command is Command.WHY:
            self._why()
        elif command is Command.STATUS:
            self._status()
        elif command is Command.COUNT:
            say(counted_words(pending.view))
        elif command is Command.HISTORY:
            for line in game.history or ["No round is over yet."]:
                self.screen.say_raw(line)

    def _status(self) -> None:
        self.screen.table(self.game)
        for seat in range(len(self.game.setup.seats)):
            self.screen.say(money(self.game.setup, self.game, seat))

    def _explain(self, pending: PendingDecision) -> None:
        for line in explain_pending(self.game, pending):
            self.screen.say(line)
        if pending.betting:
            self.screen.say("The rules of this house: " + " ".join(rules_in_words(self.game.rules)))
        for command, meaning in MEANINGS.items():
            self.screen.say(f"{command.value} {meaning}.", "dim")

    def _hint(self, pending: PendingDecision) -> None:
        if pending.betting:
            self.screen.say("The coach speaks of hands, not of bets: in the long run every bet costs a little.")
        elif pending.seat == DEALER:
            self.screen.say(f"The dealer of this house would {ACTION_WORDS[HouseRule().play(pending.view)].verb}.")
        else:
            self._advice = self._advise(pending)
            for number, line in enumerate(advice_words(self._advice)):
                self.screen.say(line, "bold green" if number == 1 else "")

    def _why(self) -> None:
        last = self.game.last
        for line in why(self.game.setup, last) if last is not None else ["No round is over yet."]:
            self.screen.say(line)
