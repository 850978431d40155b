"""PPO of Stable-Baselines3 on ``Blackjack-multi-v0``: no masks, so the game plays a legal action for an illegal one.

An illegal DOUBLE is played as HIT, SPLIT as HIT under 17, all else as STAND or DECLINE (``illegal_action="fallback"``):
PPO takes the illegal action for another name of the legal one. The exported policy never asks for it, since a
`LearnedDecision` looks at the scores of legal actions alone; which of them came second in training is then what counts.
"""

from stable_baselines3 import PPO

from agents.run.config import Config
from agents.run.settings import SB3PPOSettings
from agents.shared.sb3 import SB3Learner, ppo_settings


class SB3PPOLearner(SB3Learner):
    """Trains PPO."""

    def __init__(self, config: Config) -> None:
        assert isinstance(config.learner, SB3PPOSettings)
        self.settings = config.learner
        self.falling = {"ent_coef": self.settings.entropy_coefficient}
        super().__init__(config, "tanh")

    def make_model(self) -> PPO:
        """Make the algorithm; its tables replace illegal actions."""
        tables = self.make_tables(self.settings.num_envs, illegal_action="fallback")
        return PPO("MlpPolicy", tables, seed=self.config.seed, **ppo_settings(self.settings, self.left))
