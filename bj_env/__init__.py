"""Casino blackjack for reinforcement learning: ``import bj_env; gym.make("Blackjack-multi-v0")``."""

import gymnasium

from bj_env.errors import BlackjackError
from bj_env.houses import rules_from
from bj_env.terms import Action, Phase, Rules

__all__ = ["Action", "BlackjackError", "Phase", "Rules", "__version__", "rules_from"]

__version__ = "0.1.0"

gymnasium.register(
    id="Blackjack-multi-v0",
    entry_point="bj_env.env:BlackjackEnv",
    vector_entry_point="bj_env.fast.vector_env:BlackjackVectorEnv",
)
