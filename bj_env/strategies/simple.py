"""Simple strategies: hit up to a total, mimic the dealer, the house's own rule, random play, a script."""

from collections.abc import Callable, Iterable

from bj_env.errors import BlackjackError, DecisionError, shortened
from bj_env.game.decision import Decision, names
from bj_env.game.view import View
from bj_env.rules.numbered import dealer_hits
from bj_env.rules.terms import Action, Phase, is_whole


class HitDecision(Decision):
    """Plays by one question, hit or not; the adapter for logics written as ``hit(total, soft, upcard) -> bool``.

    Args:
        hit: asked with the total, whether it is soft, and the up card's value (1 for an ace).
    """

    total_dependent = True

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
        if not is_whole(stand_on) or not 4 <= stand_on <= 22:
            raise BlackjackError(f"threshold: expected a total from 4 to 22, got {shortened(stand_on)}")
        self.stand_on = int(stand_on)
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

    total_dependent = True

    def play(self, view: View) -> Action:
        """Hit or stand by R18."""
        return Action.HIT if dealer_hits(view.rules, view.total, view.soft) else Action.STAND


class RandomLegal(Decision):
    """Chooses among the legal actions, all equally likely; insures half the time."""

    def insure(self, view: View) -> bool:
        """Toss a coin."""
        return view.rng.below(2) == 1

    def play(self, view: View) -> Action:
        """Draw one of the legal actions."""
        return view.legal[view.rng.below(len(view.legal))]


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
