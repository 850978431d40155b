"""A counting player at a count that does not change: a total-dependent strategy, which can be solved and tabulated."""

from bj_env.game.decision import Decision
from bj_env.game.view import View
from bj_env.rules.terms import Action
from bj_env.strategies.counting import CountingDecision


class FixedCount(Decision):
    """Plays a counting player's actions at one count, whatever cards have been seen.

    Args:
        player: the counting player.
        count: the count at which it plays, a true count for a balanced system.
    """

    total_dependent = True

    def __init__(self, player: CountingDecision, count: float) -> None:
        self.player = player
        self.count = count

    def bet(self, view: View) -> int:
        """Return the player's bet at the count."""
        return self.player.bet_at(view.rules, self.count)

    def insure(self, view: View) -> bool:
        """Tell whether the player insures at the count."""
        return self.player.insure_at(self.count)

    def play(self, view: View) -> Action:
        """Return the player's action at the count."""
        return self.player.play_at(view, self.count)
