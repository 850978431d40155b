"""Decisions: who or what plays a seat. A `Decision` is asked with a `View`: what its seat may see, and no more."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from typing import TypeVar

import numpy as np

from bj_env.errors import DecisionError, shortened
from bj_env.game.view import View
from bj_env.rules.terms import Action, Phase

Answer = TypeVar("Answer")


class Decision(ABC):
    """A strategy: only `play` must be written. One object may play several seats, so it keeps no state of a round.

    ``total_dependent`` says that nothing but the own hand, the up card and the rules decide; then its exact value is
    known. ``mode`` says how it chooses its answers: by a ``"rule"``, or, if it is learned, ``"greedy"`` or
    ``"sampled"``.
    """

    total_dependent = False
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
            if not isinstance(wants, bool | np.bool_):
                raise DecisionError(f"insure: expected True or False, got {shortened(wants)}")
            return Action.INSURE if wants else Action.DECLINE
        return self.play(view)


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
