"""Bettors for tournaments: basic strategy with a way to bet."""

from bj_env.errors import BlackjackError, real_number, shortened
from bj_env.game.view import View
from bj_env.rules.terms import MOST_CHIPS, checked_number
from bj_env.strategies.basic import ChartDecision


def _within_limits(view: View, chips: float) -> int:
    """Return whole chips within the limits of the house and the seat's money; 0 if it cannot bet at all."""
    most = view.rules.max_bet if view.free is None else min(view.rules.max_bet, int(view.free))
    return min(max(int(chips), view.rules.min_bet), most) if most >= view.rules.min_bet else 0


class FlatBettor(ChartDecision):
    """Plays basic strategy and always bets the same number of chips, or all it has left.

    Raises:
        BlackjackError: if that is no number of chips.
    """

    def __init__(self, chips: int) -> None:
        super().__init__()
        self.chips = checked_number("chips", chips, 1, MOST_CHIPS)

    def bet(self, view: View) -> int:
        """Return the bet in chips."""
        return _within_limits(view, self.chips)


class ProportionalBettor(ChartDecision):
    """Plays basic strategy and bets a fixed share of the chips it has, rounded down to whole chips.

    Raises:
        BlackjackError: if that is no share.
    """

    def __init__(self, share: float) -> None:
        super().__init__()
        self.share = real_number(share)
        if not 0 < self.share <= 1:
            raise BlackjackError(f"share: expected a number above 0 and up to 1, got {shortened(share)}")

    def bet(self, view: View) -> int:
        """Return the bet in chips."""
        return _within_limits(view, self.share * (view.free or 0.0))
