"""Decisions: who or what plays a seat. A `Decision` is asked with a `View`: what its seat may see, and no more."""

import os
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from functools import cache
from typing import TypeVar

from bj_env.charts import Chart, published_chart
from bj_env.errors import BlackjackError, DecisionError, RulesError, UnknownDecision, choices
from bj_env.rules import dealer_hits
from bj_env.terms import Action, HoleCard, Phase, Rules
from bj_env.view import HandView as HandView
from bj_env.view import View as View

Answer = TypeVar("Answer")


class Decision(ABC):
    """A strategy: only `play` must be written. One object may play several seats, so it keeps no state of a round.

    ``by_hand`` says that nothing but the own hand, the up card and the rules decide; then its exact value is known.
    ``mode`` says how it comes to its answers: by a ``"rule"``, or, if it is learned, ``"greedy"`` or ``"sampled"``.
    """

    by_hand = False
    mode = "rule"

    def bet(self, view: View) -> int:
        """Return the bet for the coming round in chips, 0 to sit out; the house's minimum unless overridden."""
        return view.rules.min_bet

    def insure(self, view: View) -> bool:
        """Tell whether to insure; never unless overridden."""
        return False

    @abstractmethod
    def play(self, view: View) -> Action:
        """Return one of ``view.legal``; asked for each hand in turn, and for early surrender (SURRENDER or DECLINE)."""

    def answer(self, view: View) -> Action:
        """Return the action for whatever is being asked, except bets."""
        if view.phase is Phase.INSURANCE:
            wants = self.insure(view)
            if not isinstance(wants, bool):
                raise DecisionError(f"insure: expected True or False, got {wants!r}")
            return Action.INSURE if wants else Action.DECLINE
        return self.play(view)


class HitDecision(Decision):
    """Plays by one question, hit or not; the adapter for logics written as ``hit(total, soft, upcard) -> bool``.

    Args:
        hit: asked with the total, whether it is soft, and the up card's value (1 for an ace).
    """

    by_hand = True

    def __init__(self, hit: Callable[[int, bool, int], bool]) -> None:
        self.hit = hit

    def play(self, view: View) -> Action:
        """Hit if the logic says so and it is legal; else stand, or decline what is offered."""
        if Action.DECLINE in view.legal:
            return Action.DECLINE
        upcard = view.upcard.value if view.upcard else 0
        wants = Action.HIT in view.legal and self.hit(view.total, view.soft, upcard)
        return Action.HIT if wants else Action.STAND


class Threshold(HitDecision):
    """Hits below a total, whatever the dealer shows.

    Raises:
        BlackjackError: unless the total is from 4 to 22.
    """

    def __init__(self, stand_on: int = 17) -> None:
        if isinstance(stand_on, bool) or not isinstance(stand_on, int) or not 4 <= stand_on <= 22:
            raise BlackjackError(f"threshold: expected a total from 4 to 22, got {stand_on!r}")
        self.stand_on = stand_on
        super().__init__(self._below)

    def _below(self, total: int, soft: bool, upcard: int) -> bool:
        return total < self.stand_on


class NeverBust(HitDecision):
    """Hits only where no card can bust the hand: hard totals up to 11, and soft ones below 18."""

    def __init__(self) -> None:
        super().__init__(self._safe)

    @staticmethod
    def _safe(total: int, soft: bool, upcard: int) -> bool:
        return total < (18 if soft else 12)


class Mimic(HitDecision):
    """Mimics the dealer: draws to 16 and stands on 17, a soft one too, as the published figures for it do.

    It never doubles, splits or surrenders.
    """

    def __init__(self) -> None:
        super().__init__(self._to_16)

    @staticmethod
    def _to_16(total: int, soft: bool, upcard: int) -> bool:
        return total < 17


class HouseRule(Decision):
    """The rule of the house for its dealer, as a decision for that chair: draws to 16, under H17 on a soft 17 too."""

    by_hand = True

    def play(self, view: View) -> Action:
        """Hit or stand by R18."""
        return Action.HIT if dealer_hits(view.rules, view.total, view.soft) else Action.STAND


class RandomLegal(Decision):
    """Chooses among the legal actions, all equally likely; insures half the time."""

    def insure(self, view: View) -> bool:
        """Toss a coin."""
        return view.chance.below(2) == 1

    def play(self, view: View) -> Action:
        """Draw one of the legal actions."""
        return view.legal[view.chance.below(len(view.legal))]


@cache
def basic_chart(rules: Rules) -> Chart:
    """Return basic strategy: the published chart for the rules, or the solver's best where none was made for them.

    >>> basic_chart(Rules()).name, basic_chart(Rules(decks=0, max_hands=1)).name
    ('s17_4to8_das', 'best for INF S17 3:2 PEEK DOA DAS SP1 LS INS')
    """
    if (published := published_chart(rules)) is not None:
        return published
    from bj_env.solver.chart import best_chart  # only here: it needs numba

    try:
        return best_chart(rules).chart
    except RulesError:  # what it cannot do exactly under OBO plays as with a peek, which is worth the same
        return best_chart(rules._replace(hole_card=HoleCard.PEEK)).chart


class ChartDecision(Decision):
    """Plays a strategy chart; without one, basic strategy for the rules of the table."""

    by_hand = True

    def __init__(self, chart: Chart | None = None) -> None:
        self.chart = chart

    def play(self, view: View) -> Action:
        """Look the hand up; in early surrender the surrender cells alone speak."""
        chart = self.chart or basic_chart(view.rules)
        upcard = view.upcard.value if view.upcard else 0
        mask = sum(1 << action for action in view.legal)
        action = chart.action(view.total, view.soft, view.pair, upcard, mask)
        return Action.DECLINE if view.phase is Phase.EARLY_SURRENDER and action is not Action.SURRENDER else action


class Scripted(Decision):
    """Plays a list of actions, then refuses to guess: insurance not written is declined, as in notation.

    Raises:
        DecisionError: when asked for more than was written.
    """

    def __init__(self, actions: Iterable[Action], *, bets: Iterable[int] = ()) -> None:
        self.actions = list(actions)
        self.bets = list(bets)

    def bet(self, view: View) -> int:
        """Return the next bet of the script, the minimum when there is none."""
        return self.bets.pop(0) if self.bets else view.rules.min_bet

    def insure(self, view: View) -> bool:
        """Insure if that is the next action written."""
        return self._take(Action.INSURE)

    def play(self, view: View) -> Action:
        """Return the next action written."""
        if view.phase is Phase.EARLY_SURRENDER:
            return Action.SURRENDER if self._take(Action.SURRENDER) else Action.DECLINE
        if not self.actions:
            raise DecisionError(f"the script has no action left; legal: {names(view.legal)}")
        return self.actions.pop(0)

    def _take(self, action: Action) -> bool:
        """Use up the next action if it is this one."""
        if self.actions[:1] == [action]:
            self.actions.pop(0)
            return True
        return False


class Prompt(Decision):
    """Asks a person, through a function that is given a view and returns an action, or chips while bets are made."""

    def __init__(self, ask: Callable[[View], int]) -> None:
        self.ask = ask

    def bet(self, view: View) -> int:
        """Ask for the chips."""
        return self.ask(view)

    def insure(self, view: View) -> bool:
        """Ask whether to insure."""
        return Action(self.ask(view)) is Action.INSURE

    def play(self, view: View) -> Action:
        """Ask for the action."""
        return Action(self.ask(view))


def ask(question: Callable[[View], Answer], view: View, where: Callable[[], str]) -> Answer:
    """Ask a decision, turning whatever it raises into an error that says who failed and where.

    Raises:
        DecisionError: if the decision raises anything.
    """
    try:
        return question(view)
    except DecisionError as error:
        raise DecisionError(f"{where()}: {error}") from None
    except Exception as error:
        raise DecisionError(f"{where()}: the decision failed with {type(error).__name__}: {error}") from error


def names(actions: Iterable[Action]) -> str:
    """Write actions for a message.

    >>> names([Action.STAND, Action.HIT])
    'STAND, HIT'
    """
    return ", ".join(action.name for action in actions)


_NAMED: dict[str, Callable[[], Decision]] = {
    "basic": ChartDecision,
    "mimic": Mimic,
    "threshold": Threshold,
    "never-bust": NeverBust,
    "random": RandomLegal,
}


HI_LO = "hi-lo"
"""The name of the counting player."""

STRATEGIES = (*_NAMED, HI_LO)
"""The names that `decision_from` knows; a total may follow ``threshold``."""

SAMPLED = "sampled:"
"""What stands before the folder of a policy that is to draw its actions."""


def decision_from(source: "Decision | str") -> Decision:
    """Return the decision that a name stands for; ``threshold:15`` stands on 15, a path loads a saved policy.

    A saved policy plays its best action; ``sampled:`` before its path lets it draw among them as it did in training.

    Raises:
        BlackjackError: if it is neither a decision, nor a known name, nor the folder of a saved policy.

    >>> type(decision_from("mimic")).__name__
    'Mimic'
    """
    if isinstance(source, Decision):
        return source
    if not isinstance(source, str):
        raise BlackjackError(f"decision: expected a Decision, a name or a policy folder, got {source!r}")
    if source in _NAMED:
        return _NAMED[source]()
    if source == HI_LO:
        from bj_env.counter import CountingDecision  # which is a Decision itself

        return CountingDecision()
    kind, _, number = source.partition(":")
    if kind == "threshold" and re.fullmatch("[0-9]{1,9}", number):
        return Threshold(int(number))
    sampled, path = source.startswith(SAMPLED), source.removeprefix(SAMPLED)
    if sampled or "/" in path or (path and os.path.exists(path)):
        from bj_env.learned import load  # only where a path is given: needs numpy and safetensors

        return load(path, sampled=sampled)
    raise UnknownDecision(
        f"unknown decision {source!r}; {choices(source, STRATEGIES)}, or a policy folder like 'runs/x/policy'"
    )
