"""Basic strategy, and any strategy chart, as decisions."""

from functools import cache

from bj_env.errors import RulesError
from bj_env.game.decision import Decision
from bj_env.game.view import View
from bj_env.rules.terms import Action, HoleCard, Rules
from bj_env.strategies.charts import Chart, answer_offer, published_chart


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

    total_dependent = True

    def __init__(self, chart: Chart | None = None) -> None:
        self.chart = chart

    def play(self, view: View) -> Action:
        """Look the hand up; in early surrender only the surrender cells apply."""
        chart = self.chart or basic_chart(view.rules)
        upcard = view.upcard.value if view.upcard else 0
        mask = sum(1 << action for action in view.legal)
        return answer_offer(view.phase, chart.action(view.total, view.soft, view.pair, upcard, mask))
