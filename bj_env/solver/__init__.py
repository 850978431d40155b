"""The exact solver: what every action, the best play and any given strategy are worth, without luck.

Start with `solve` and `evaluate`. Importing this package imports numba.
"""

from bj_env.solver.chart import best_chart, exceptions
from bj_env.solver.dealer import bust_probability, dealer_distribution
from bj_env.solver.indices import effects_of_removal, index_number, shoe_at
from bj_env.solver.moments import outcome
from bj_env.solver.regret import Mistake, Regret, regret
from bj_env.solver.result import Evaluation, Solution, evaluate, solve
from bj_env.solver.shoe import Composition
from bj_env.solver.splits import SplitPlay
from bj_env.solver.strategy import Situation

__all__ = [
    "Composition",
    "Evaluation",
    "Mistake",
    "Regret",
    "Situation",
    "Solution",
    "SplitPlay",
    "best_chart",
    "bust_probability",
    "dealer_distribution",
    "effects_of_removal",
    "evaluate",
    "exceptions",
    "index_number",
    "outcome",
    "regret",
    "shoe_at",
    "solve",
]
