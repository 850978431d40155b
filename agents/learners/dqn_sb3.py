"""DQN of Stable-Baselines3, which has no masks, with legal actions alone in exploring, in targets and in play.

The idea takes four small classes, and nothing of SB3's own code is written again:

1. `MaskShown`: the tables show the mask beside the features. So it lies in the replay buffer too, that of the next
   state as well.
2. `LegalQNetwork` (made by `LegalPolicy`): its layers look at the features, and illegal actions score `ILLEGAL`. The
   greedy action and the maximum in a target are then over legal actions, wherever SB3 takes them.
3. `LegalDQN`: exploring draws from the mask, table by table.
4. What is saved are the layers; a `LearnedDecision` takes the legal action that they score highest.

A total-dependent state shows neither that insurance was paid for nor the second hand of a split pair, so that its value
is not what comes of insuring or splitting: with targets of one step DQN takes insurance whenever it is offered. Here
targets reach ``n_steps`` ahead, mostly to the end of the round, whose return has everything in it. That is the return
of play that explores, which is why exploring becomes rare.
"""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import torch
from gymnasium import spaces
from numpy.typing import NDArray
from sb3_contrib.common.maskable.utils import get_action_masks
from stable_baselines3 import DQN
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor
from stable_baselines3.common.vec_env import VecEnv, VecEnvWrapper
from stable_baselines3.dqn.policies import DQNPolicy, QNetwork

from agents.run.config import Config
from agents.run.settings import SB3DQNSettings
from agents.shared.sb3 import SB3Learner

ILLEGAL = -1e8
"""The score of an illegal action; not minus infinity, which times 0 in the target of a last step is not a number."""

BETS = 8.0
"""How many bets a reward of 1 is.

SB3's loss grows with the square of an error up to 1 and with the error itself beyond (Huber, 1964), where it learns
something between the mean and the median. In units of eight bets, all that four doubled hands can win, hardly an error
is so large.
"""


class MaskShown(VecEnvWrapper):
    """Shows features and mask as one row of zeros and ones, ``[T, W + A]``, and rewards in units of `BETS`."""

    def __init__(self, tables: VecEnv) -> None:
        assert isinstance(tables.action_space, spaces.Discrete)
        self.actions = int(tables.action_space.n)
        width = tables.observation_space.shape[0] + self.actions  # type: ignore[index]
        super().__init__(tables, spaces.Box(0, 1, (width,), np.uint8))  # bytes: a quarter of the memory

    def reset(self) -> NDArray[np.uint8]:
        """Begin new episodes."""
        return self._shown(self.venv.reset())

    def step_wait(self) -> Any:
        """Return the step; after the last one of an episode no action is legal."""
        features, rewards, dones, infos = self.venv.step_wait()
        for place in dones.nonzero()[0]:
            ended = infos[place]["terminal_observation"]
            infos[place]["terminal_observation"] = np.append(ended, np.zeros(self.actions)).astype(np.uint8)
        return self._shown(features), rewards / BETS, dones, infos

    def _shown(self, features: Any) -> NDArray[np.uint8]:
        return np.hstack([features, get_action_masks(self.venv)]).astype(np.uint8)


class FeaturesAlone(BaseFeaturesExtractor):
    """Keeps the mask from the layers."""

    def __init__(self, observation_space: spaces.Box, actions: int) -> None:
        super().__init__(observation_space, observation_space.shape[0] - actions)

    def forward(self, shown: torch.Tensor) -> torch.Tensor:
        """Return the features, ``[T, W]``."""
        return shown[:, : self.features_dim]


class LegalQNetwork(QNetwork):
    """Scores illegal actions with `ILLEGAL`."""

    def forward(self, obs: Any) -> torch.Tensor:
        """Return the scores, ``[T, A]``."""
        return super().forward(obs).masked_fill(obs[:, self.features_dim :] == 0, ILLEGAL)


class LegalPolicy(DQNPolicy):
    """Makes networks of `LegalQNetwork`, for scores and for targets."""

    def make_q_net(self) -> LegalQNetwork:
        """Make one."""
        arguments = self._update_features_extractor(self.net_args, features_extractor=None)
        return LegalQNetwork(**arguments).to(self.device)


class LegalDQN(DQN):
    """Explores with legal actions, and each table by itself: SB3 explores at all of them or at none."""

    def predict(
        self, observation: Any, state: Any = None, episode_start: Any = None, deterministic: bool = False
    ) -> tuple[NDArray[np.int64], Any]:
        """Return the actions that score highest, or random ones with probability `exploration_rate`."""
        actions, state = self.policy.predict(observation, state, episode_start, deterministic=True)
        if not deterministic:
            masks = torch.as_tensor(observation[..., self.q_net.features_dim :], dtype=torch.float32)
            drawn = torch.multinomial(masks, 1).squeeze(-1).numpy()
            actions = np.where(torch.rand(actions.shape).numpy() < self.exploration_rate, drawn, actions)
        return actions, state

    def _sample_action(self, learning_starts: int, action_noise: Any = None, n_envs: int = 1) -> Any:
        """Choose actions, also while the buffer fills, when SB3 would draw from all there are."""
        actions, _ = self.predict(self._last_obs)
        return actions, actions


class SB3DQNLearner(SB3Learner):
    """Trains DQN."""

    bets = BETS

    def __init__(self, config: Config) -> None:
        assert isinstance(config.learner, SB3DQNSettings)
        self.settings = config.learner
        super().__init__(config, "relu")

    def make_model(self) -> LegalDQN:
        """Make the algorithm, whose target network follows at every step."""
        settings = self.settings
        tables = self.make_tables(settings.num_envs, illegal_action="raise")
        model = LegalDQN(
            LegalPolicy,
            MaskShown(tables),
            buffer_size=settings.buffer_size,
            learning_starts=settings.learning_starts,
            train_freq=1,
            gradient_steps=settings.gradient_steps,
            batch_size=settings.batch_size,
            learning_rate=lambda of_interval: settings.learning_rate * self.left(of_interval),
            gamma=1.0,
            n_steps=settings.n_steps,
            tau=settings.tau,
            target_update_interval=settings.num_envs,
            policy_kwargs={
                "net_arch": settings.hidden_sizes,
                "features_extractor_class": FeaturesAlone,
                "features_extractor_kwargs": {"actions": self.profile.actions},
            },
            seed=self.config.seed,
            device="cpu",
        )
        model.exploration_schedule = self.exploration_rate
        return model

    def exploration_rate(self, _of_interval: float = 1) -> float:
        """Return the probability of a random action: 1 at first, that of the settings from a fifth of the run on."""
        return max(self.settings.exploration_rate, 5 * self.left() - 4)

    def train_interval(self, progress: Callable[[int], None]) -> Mapping[str, float]:
        """Train until the next checkpoint, with an empty replay buffer at first: no checkpoint needs to hold it."""
        self.model.replay_buffer.reset()
        self.model.learning_starts = self.done + self.settings.learning_starts
        self.model.exploration_rate = self.exploration_rate()
        return super().train_interval(progress)
