"""Many tables of the compiled engine for several agents: a reward for each agent seat."""

from typing import Any

import numpy as np
from gymnasium.vector import AutoresetMode, VectorWrapper
from numpy.typing import NDArray

from bj_env.compiled.vector_env import BlackjackVectorEnv
from bj_env.errors import BlackjackError


class SeatRewards(VectorWrapper):
    """Pays each agent seat its own net where ``gym.make_vec`` pays their sum.

    One agent decides at each table in a step: ``infos["seat"]``, ``[T]``, says which, and observations and masks are
    those of its seat. Rewards are ``[T, agents]``, with the agent seats in order, in units of the smallest bet on
    offer, when a round is settled.

    Args:
        env: from ``gym.make_vec("Blackjack-multi-v0", ...)``, with an episode a round.

    Attributes:
        agents: the numbers of the agent seats, from 0.

    Raises:
        BlackjackError: if the environment is another, plays more than a round, or pays penalties.

    >>> tables = SeatRewards(BlackjackVectorEnv(2, seats=("agent", "basic", "agent")))
    >>> _, infos = tables.reset(seed=1)
    >>> tables.step(infos["action_mask"].argmax(axis=1))[1].shape
    (2, 2)
    """

    def __init__(self, env: Any) -> None:
        base = env.unwrapped
        if not isinstance(base, BlackjackVectorEnv):
            raise BlackjackError(f"env: expected one of gym.make_vec's, got {type(base).__name__}")
        if base.settings.episode != "round":
            raise BlackjackError(f"episode: expected 'round' for rewards by seat, got {base.settings.episode!r}")
        if base.settings.illegal_action == "penalty":
            raise BlackjackError("illegal_action: expected 'fallback' or 'raise' for rewards by seat, got 'penalty'")
        super().__init__(env)
        self.agents = base.settings.agents
        self._unit = base.settings.unit
        self._same_step = base.autoreset_mode == AutoresetMode.SAME_STEP

    def step(self, actions: Any) -> tuple[Any, NDArray[np.float64], Any, Any, dict[str, Any]]:
        """Take an action at every table, as ``env.step``; rewards are float64 ``[T, agents]``."""
        seen, _, terminated, truncated, infos = self.env.step(actions)
        rewards = np.zeros((self.num_envs, len(self.agents)))
        ended = infos.get("final_info") if self._same_step else infos
        if ended is not None:
            nets = ended["nets"][:, self.agents] / self._unit
            rewards = np.where(terminated[:, None], nets, 0.0)
        return seen, rewards, terminated, truncated, infos
