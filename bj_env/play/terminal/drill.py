"""Drills in the terminal: ``bj drill`` asks one question after the other, and ``bj practice`` adds the answers up."""

import sys
from collections.abc import Callable, Iterator, Sequence
from os import environ
from pathlib import Path
from secrets import randbits
from time import monotonic
from typing import NamedTuple

from platformdirs import user_data_path

from bj_env.errors import BlackjackError, choices
from bj_env.game.cards import Card
from bj_env.game.rng import Stream
from bj_env.play.count_drills import COUNT_DRILLS, SEEDS, CountQuestion, Player, check_count, count_question
from bj_env.play.drills import DRILLS, question
from bj_env.play.explanations import review_words
from bj_env.play.game import PendingDecision
from bj_env.play.practice import PRACTICE, Attempt, CountAttempt, PracticeLog, Summary
from bj_env.play.terminal.keyboard import Asks, keyboard
from bj_env.play.terminal.parsing import quoted
from bj_env.play.terminal.screen import PLAIN_TERMINALS, Screen, has_symbols
from bj_env.play.words import BUTTONS, separated
from bj_env.rules.terms import ACTION_WORDS, DECK, Action

CARDS_AT_ONCE = 2
"""How many cards of a deck are shown at once."""
_TRAY = 36  # columns of the picture of a discard tray


class Drilling(NamedTuple):
    """What is drilled, by whom.

    Attributes:
        drill: one of `DRILLS` or `COUNT_DRILLS`.
        player: the rules, and how the person counts and bets.
        person: whose practice log is written.
        clock: seconds for each answer; None without a clock.
        questions: how many are asked; None for as many as are wanted.
        seed: of the questions; None for one that nobody can guess.
    """

    drill: str
    player: Player
    person: str
    clock: int | None = None
    questions: int | None = None
    seed: int | None = None


class _Leave(Exception):
    """Raised when somebody types q."""


def drill_command(drilling: Drilling, *, save: Path | None = None, plain: bool = False) -> None:
    """Ask questions until somebody leaves.

    Args:
        drilling: what is asked.
        save: the file of the practice log; None for the one beside the games.
        plain: whether to speak in plain lines.

    Raises:
        BlackjackError: if there is no such drill, or it has no questions for the rules.
    """
    if drilling.drill not in (*DRILLS, *COUNT_DRILLS):
        raise BlackjackError(f"unknown drill {drilling.drill!r}; {choices(drilling.drill, [*DRILLS, *COUNT_DRILLS])}")
    at_terminal = sys.stdout.isatty() and environ.get("TERM", "") not in PLAIN_TERMINALS
    screen = Screen(plain=plain or not at_terminal, symbols=has_symbols(sys.stdout.encoding))
    log = practice_log(save)
    if log.warning:
        screen.say(f"{log.warning}.")
    Drill(drilling, screen, keyboard(bare=screen.plain), log).run()
    log.close()


def practice_log(save: Path | None = None) -> PracticeLog:
    """Open the practice log at a path, or the one beside the games.

    Raises:
        BlackjackError: if it cannot be opened.
    """
    return PracticeLog(save or user_data_path("bj-env", appauthor=False) / PRACTICE)


class Drill:
    """Questions for a person at a terminal.

    Args:
        drilling: what is asked.
        screen: where everything is said.
        ask: asks for a line.
        log: where answers are saved.
    """

    def __init__(self, drilling: Drilling, screen: Screen, ask: Asks, log: PracticeLog) -> None:
        self.drilling, self.screen, self.ask, self.log = drilling, screen, ask, log
        self._stream = Stream(randbits(64) if drilling.seed is None else drilling.seed)
        self._asked = self._right = 0

    def run(self) -> None:
        """Ask until somebody leaves, or all questions are answered; then say how many answers were right."""
        drill = self.drilling.drill
        self.screen.heading(f"Drill: {({**DRILLS, **COUNT_DRILLS})[drill]}")
        self.screen.say("q leaves. Answers go to the practice log: bj practice adds them up.")
        try:
            while self.drilling.questions is None or self._asked < self.drilling.questions:
                self.screen.say("")
                right = self._count() if drill in COUNT_DRILLS else self._hand()
                self._asked += 1
                self._right += right
        except (EOFError, _Leave):
            pass
        if self._asked:
            self.screen.say(f"{self._right} of {self._asked} right.", "bold")

    def _hand(self) -> bool:
        """Ask about a hand, review the decision, and tell whether it was right: the best, or a near-tie."""
        drilling = self.drilling
        due = self.log.due(drilling.person) if drilling.drill == "mistakes" else ()
        asked = question(drilling.player.rules, drilling.drill, self._stream, due)
        actions = [action for action in BUTTONS if action in asked.advice().values]
        self._deal(asked.upcard, asked.cards)
        value, seconds = self._timed(f"{asked.cell[1]}: what do you do?", lambda text: _action(text, actions), actions)
        if value is None:
            return False
        reviewed = asked.review(Action(int(value)))
        for number, line in enumerate(review_words(reviewed, None)):
            self.screen.say(line, "dim" if number else "yellow" if reviewed.grade == "mistake" else "green")
        names = reviewed.action.name.lower(), reviewed.advice.best.name.lower()
        attempt = Attempt(drilling.person, "drill", reviewed.kind, reviewed.cell, *names, reviewed.cost, seconds)
        self.log.add(attempt)
        return reviewed.grade != "mistake"

    def _count(self) -> bool:
        """Ask a question of a counting drill, and tell whether the answer was right."""
        drilling, began = self.drilling, monotonic()
        asked = count_question(drilling.drill, self._stream.below(SEEDS // 2), drilling.player)
        self._show(asked)
        read: Callable[[str], float] = (lambda text: _action(text, asked.actions)) if asked.actions else _number
        value, seconds = self._timed(asked.text, read, asked.actions)
        if value is None:
            return False
        if drilling.drill == "deck":
            seconds = monotonic() - began
        right, said = asked.is_right(value), asked.answer_words(value)
        self.screen.say(f"{'Right' if right else 'Not right'}: {asked.answer_text}.", "green" if right else "yellow")
        self.screen.say(f"{asked.why} {seconds:.1f} seconds.", "dim")
        answer = asked.answer_text
        self.log.add_count(
            CountAttempt(drilling.person, drilling.drill, asked.text, said, answer, right, round(seconds, 2))
        )
        return right

    def _show(self, asked: CountQuestion) -> None:
        if asked.decks:
            full = asked.discarded / (DECK * asked.decks)
            filled = round(_TRAY * full)
            said = f"Discard tray of {asked.decks} deck{'' if asked.decks == 1 else 's'}"
            self.screen.say(f"{said}, {full:.0%} full." if self.screen.plain else f"{said}:")
            if not self.screen.plain:
                self.screen.say(f"[{'#' * filled}{'.' * (_TRAY - filled)}]")
        if asked.upcard is not None:
            self._deal(asked.upcard, asked.cards)
        elif asked.cards:
            self._turn_over(asked.cards)

    def _turn_over(self, cards: Sequence[Card]) -> None:
        self.screen.say(f"{len(cards)} cards, {CARDS_AT_ONCE} at once: Enter shows the next.")
        for at in range(0, len(cards), CARDS_AT_ONCE):
            self.screen.say("  ".join(map(self.screen.card_text, cards[at : at + CARDS_AT_ONCE])), "bold")
            self._line([])

    def _deal(self, upcard: Card, cards: Sequence[Card]) -> None:
        text = self.screen.card_text
        self.screen.rows([("The dealer", text(upcard)), ("You", separated(tuple(cards), text))])

    def _timed(self, text: str, read: Callable[[str], float], actions: Sequence[Action]) -> tuple[float | None, float]:
        """Ask until an answer is understood; return it with the seconds it took, None if it came too late."""
        self.screen.say(text, "bold")
        if actions:
            keys = (f"{ACTION_WORDS[action].key} {ACTION_WORDS[action].verb}" for action in actions)
            self.screen.say((", " if self.screen.plain else "   ").join(keys), "bold cyan")
        began = monotonic()
        while True:
            try:
                value = read(self._line([ACTION_WORDS[action].verb for action in actions]))
                break
            except BlackjackError as error:
                self.screen.say(str(error), "yellow")
        seconds, clock = monotonic() - began, self.drilling.clock
        if clock is not None and seconds > clock and self.drilling.drill != "deck":
            self.screen.say(f"Too late: {seconds:.1f} seconds of {clock}.", "yellow")
            return None, seconds
        return value, seconds

    def _line(self, words: Sequence[str]) -> str:
        said = self.ask([*words, "quit"]).strip().lower()
        if said in ("q", "quit"):
            raise _Leave
        return said


def _action(text: str, actions: Sequence[Action]) -> int:
    """Understand an action by its key or a beginning of its word.

    Raises:
        BlackjackError: if it is none of them, or more than one.
    """
    meant = [
        action
        for action in actions
        if text == ACTION_WORDS[action].key or (len(text) > 1 and ACTION_WORDS[action].verb.startswith(text))
    ]
    if len(meant) != 1:
        words = ", ".join(ACTION_WORDS[action].verb for action in actions)
        raise BlackjackError(f"expected one of {words}, or q to leave; got {quoted(text)}")
    return int(meant[0])


def checked_count_words(
    said: str, pending: PendingDecision, person: str, log: PracticeLog
) -> Iterator[tuple[str, bool]]:
    """Check a running and a true count that were typed at a table, save the answer, and say how good each was.

    Raises:
        BlackjackError: if two numbers were not typed.
    """
    words = said.replace(",", " ").split()
    if len(words) != 2:
        raise BlackjackError(f"expected two numbers, like 4 1, or q to leave; got {quoted(said)}")
    check = check_count(pending.view, _number(words[0]), _number(words[1]))
    exact = f"{check.counted.running:g}, {check.counted.true:.2f}"
    log.add_count(CountAttempt(person, "play", "running and true count", ", ".join(words), exact, check.right))
    for name, right, value in (
        ("Running count", check.running, f"{check.counted.running:+g}"),
        ("True count", check.true, f"{check.counted.true:+.1f}"),
    ):
        yield f"{name} {value}: {'right' if right else 'not right'}.", right


def _number(text: str) -> float:
    """Understand a number.

    Raises:
        BlackjackError: if it is none.
    """
    try:
        if len(text) <= 12 and text.isascii() and "_" not in text:
            value = float(text.replace(",", "."))
            if abs(value) < 1e9:  # which is false for nan
                return value
    except ValueError:
        pass
    raise BlackjackError(f"expected a number, like -3 or 2.5, or q to leave; got {quoted(text)}")


def summary_lines(person: str, summary: Summary) -> list[str]:
    """Return what a person has practised, as lines of at most 80 columns.

    >>> from bj_env.play.practice import Tally
    >>> nothing = Summary(Tally("all", 0, 0, 0.0), [], [], [], 0, 0, 0, [])
    >>> summary_lines("Ann", nothing)
    ['Nothing is kept of Ann yet. Play with bj play, or take a drill with bj drill.']
    """
    if not summary.total.decisions and not summary.counts:
        return [f"Nothing is kept of {person} yet. Play with bj play, or take a drill with bj drill."]
    total = summary.total
    decisions = f"{total.decisions} decision{'' if total.decisions == 1 else 's'}"
    lines = [
        f"{person}: {decisions} at the table and in drills, {total.accuracy:.0%} right.",
        f"What they lost against the best actions: {total.cost:.2f} bets.",
        f"Right in a row: {summary.streak}, longest {summary.longest_streak}. Cells to repeat: {summary.due}.",
    ]
    for title, tallies in (
        ("by type of hand", summary.kinds),
        ("costliest cells", summary.cells),
        ("by day (UTC)", summary.days[-14:]),
    ):
        if tallies:
            lines += ["", f"{title:<24} decisions  right   cost in bets"]
            lines += [f"  {one.name:<22} {one.decisions:9}  {one.accuracy:5.0%} {one.cost:14.2f}" for one in tallies]
    if summary.counts:
        lines += ["", f"{'counting drills':<24}   answers  right     mean  fastest"]
        for one in summary.counts:
            times = f"{_time(one.seconds)} {_time(one.fastest)}"
            lines.append(f"  {one.name:<22} {one.answers:9}  {one.right / one.answers:5.0%} {times}")
    return lines


def _time(seconds: float | None) -> str:
    return f"{'':>8}" if seconds is None else f"{seconds:6.1f} s"
