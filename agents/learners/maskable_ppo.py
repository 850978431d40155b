"""MaskablePPO of sb3-contrib on ``Blackjack-multi-v0``: illegal actions have probability 0 in training and in play.

Input is one-hot (the ``features`` encoding): scaled numbers cost most of what there is to learn.
"""

from sb3_contrib import MaskablePPO as Algorithm

from agents.run.config import Config
from agents.run.settings import MaskablePPOSettings
from agents.shared.sb3 import SB3Learner, ppo_settings


class MaskablePPOLearner(SB3Learner):
    """Trains MaskablePPO."""

    def __init__(self, config: Config) -> None:
        assert isinstance(config.learner, MaskablePPOSettings)
        self.settings = config.learner
        self.falling = {"ent_coef": self.settings.entropy_coefficient}
        super().__init__(config, "tanh")

    def make_model(self) -> Algorithm:
        """Make the algorithm; its tables refuse what the mask forbids."""
        tables = self.make_tables(self.settings.num_envs, illegal_action="raise")
        return Algorithm("MlpPolicy", tables, seed=self.config.seed, **ppo_settings(self.settings, self.left))
