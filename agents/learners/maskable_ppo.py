"""MaskablePPO of sb3-contrib on ``Blackjack-multi-v0``: illegal actions have probability 0 in training and in play.

Input is one-hot (the ``features`` encoding): scaled numbers cost most of what there is to learn.
"""

import torch
from sb3_contrib import MaskablePPO as Algorithm

from agents.run.config import Config
from agents.run.learners import MaskablePPO
from agents.shared.sb3 import SB3Learner, actor_layers, ppo_settings


class MaskablePPOLearner(SB3Learner):
    """Trains MaskablePPO."""

    def __init__(self, config: Config) -> None:
        assert isinstance(config.learner, MaskablePPO)
        self.settings = config.learner
        self.falling = {"ent_coef": self.settings.entropy}
        super().__init__(config, "tanh")

    def make_model(self) -> Algorithm:
        """Make the algorithm; its tables refuse what the mask forbids."""
        tables = self.make_tables(self.settings.environments, illegal_action="raise")
        return Algorithm("MlpPolicy", tables, seed=self.config.seed, **ppo_settings(self.settings, self.left))

    def layers(self) -> list[torch.nn.Linear]:
        """Return the layers of the actor."""
        return actor_layers(self.model)
