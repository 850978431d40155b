"""Casino blackjack for reinforcement learning: ``import bj_env; gym.make("Blackjack-multi-v0")``.

The names in ``__all__`` are the public interface. Each is imported when it is first used.
"""

import sys
from importlib import import_module
from typing import TYPE_CHECKING, Any

import gymnasium

if TYPE_CHECKING:
    from bj_env.analysis.benchmark import compare as compare
    from bj_env.analysis.policy_value import exact_value as exact_value
    from bj_env.compiled.explore import explore as explore
    from bj_env.compiled.simulate import simulate as simulate
    from bj_env.env.legacy import LegacyBlackjack as LegacyBlackjack
    from bj_env.errors import BlackjackError as BlackjackError
    from bj_env.game.cards import Card as Card
    from bj_env.game.decision import Decision as Decision
    from bj_env.game.events import Record as Record
    from bj_env.game.participants import Dealer as Dealer
    from bj_env.game.participants import Player as Player
    from bj_env.game.replay import replay as replay
    from bj_env.game.table import Table as Table
    from bj_env.game.view import View as View
    from bj_env.multi.aec import aec_env as aec_env
    from bj_env.multi.parallel import parallel_env as parallel_env
    from bj_env.multi.tournament import TournamentSettings as TournamentSettings
    from bj_env.rules.houses import houses as houses
    from bj_env.rules.houses import parse_rules as parse_rules
    from bj_env.rules.terms import Action as Action
    from bj_env.rules.terms import Phase as Phase
    from bj_env.rules.terms import Rules as Rules
    from bj_env.solver import best_chart as best_chart
    from bj_env.solver import evaluate as evaluate
    from bj_env.solver import regret as regret
    from bj_env.solver import solve as solve
    from bj_env.strategies.charts import Chart as Chart
    from bj_env.strategies.counting import CountingDecision as CountingDecision
    from bj_env.strategies.registry import strategy as strategy
    from bj_env.strategies.saved_policy import load_policy as load_policy
    from bj_env.strategies.saved_policy import save_policy as save_policy

__version__ = "0.1.0"

_HOME = {
    "Action": "rules.terms",
    "BlackjackError": "errors",
    "Card": "game.cards",
    "Chart": "strategies.charts",
    "CountingDecision": "strategies.counting",
    "Dealer": "game.participants",
    "Decision": "game.decision",
    "LegacyBlackjack": "env.legacy",
    "Phase": "rules.terms",
    "Player": "game.participants",
    "Record": "game.events",
    "Rules": "rules.terms",
    "Table": "game.table",
    "View": "game.view",
    "TournamentSettings": "multi.tournament",
    "aec_env": "multi.aec",
    "best_chart": "solver",
    "compare": "analysis.benchmark",
    "evaluate": "solver",
    "exact_value": "analysis.policy_value",
    "explore": "compiled.explore",
    "houses": "rules.houses",
    "load_policy": "strategies.saved_policy",
    "parallel_env": "multi.parallel",
    "parse_rules": "rules.houses",
    "regret": "solver",
    "replay": "game.replay",
    "save_policy": "strategies.saved_policy",
    "simulate": "compiled.simulate",
    "solve": "solver",
    "strategy": "strategies.registry",
}
"""The module that each public name comes from."""

__all__ = [*_HOME, "__version__"]


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used, so that ``import bj_env`` stays light."""
    if name not in _HOME:
        raise AttributeError(f"module 'bj_env' has no attribute {name!r}")
    value = getattr(import_module(f"bj_env.{_HOME[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """List the public names."""
    return sorted(__all__)


def _show_rounds_in_notebooks() -> None:
    """Have IPython draw a `Record` as a picture of the round."""
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    if shell is not None:
        html = shell.display_formatter.formatters["text/html"]
        html.for_type_by_name("bj_env.game.events", "Record", _record_html)


def _record_html(record: "Record") -> str:
    from bj_env.display.notebook import record_html

    return record_html(record)


gymnasium.register(
    id="Blackjack-multi-v0",
    entry_point="bj_env.env.env:BlackjackEnv",
    vector_entry_point="bj_env.compiled.vector_env:BlackjackVectorEnv",
)
_show_rounds_in_notebooks()
