"""The table for several agents at once: PettingZoo's ``ParallelEnv``."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray
from pettingzoo import ParallelEnv

from bj_env.errors import BlackjackError, IllegalAction, choices, shortened
from bj_env.multi.aec import AgentObservation, BlackjackAEC
from bj_env.rules.terms import Action, Phase

Parallel = tuple[
    dict[str, AgentObservation], dict[str, float], dict[str, bool], dict[str, bool], dict[str, dict[str, Any]]
]


class BlackjackParallel(ParallelEnv[str, Any, Any]):
    """Casino blackjack for several agents, of whom every one gives an action at every step.

    All agents bet in one step, without a view of each other's bets. Seats act one after another, because a seat sees
    the cards of those before it; in such a step the action of the agent in turn alone counts. An agent that waits
    sees the phase ROUND_OVER and a mask in which STAND alone is legal, as where a round asks nothing.

    Args:
        arguments: those of `bj_env.multi.aec.BlackjackAEC`.

    Raises:
        BlackjackError: if an argument is not valid; says what is.

    >>> env = BlackjackParallel(seats=("agent", "agent"), bets=(1, 5), episode="session")
    >>> observations, infos = env.reset(seed=3)
    >>> _, rewards, _, _, infos = env.step({"seat_1": 7, "seat_2": 8})
    >>> {agent: int(info["action_mask"].sum()) for agent, info in infos.items()}
    {'seat_1': 4, 'seat_2': 1}
    """

    metadata = BlackjackAEC.metadata

    def __init__(self, **arguments: Any) -> None:
        self.aec = BlackjackAEC(**arguments)
        self.render_mode = self.aec.render_mode
        self.possible_agents = self.aec.possible_agents
        self.agents: list[str] = []

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """Return the space of an agent's observations, always the same object."""
        return self.aec.observation_space(agent)

    def action_space(self, agent: str) -> spaces.Space[Any]:
        """Return the space of an agent's actions, always the same object."""
        return self.aec.action_space(agent)

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, AgentObservation], dict[str, dict[str, Any]]]:
        """Begin an episode, as `BlackjackAEC.reset` does."""
        self.aec.reset(seed=seed, options=options)
        self.agents = list(self.aec.agents)
        return self._observations(self.agents), self._infos(self.agents)

    def step(self, actions: dict[str, Any]) -> Parallel:
        """Take the bets of all agents, or the action of the one in turn, and go on to the next decision.

        Raises:
            BlackjackError: if there is not exactly one action for each agent, or one that counts is not in its space.
        """
        self._check(actions)
        agents, rewards = self.agents, dict.fromkeys(self.agents, 0.0)
        betting = self._betting()
        for agent in self._bettors() if betting else [self.aec.agent_selection]:
            if betting and not (self._betting() and self.aec.in_turn(agent)):
                break
            self.aec.step(actions[agent])
            for paid, reward in self.aec.rewards.items():
                rewards[paid] += reward
        terminations = {agent: self.aec.terminations[agent] for agent in agents}
        truncations = {agent: self.aec.truncations[agent] for agent in agents}
        observations, infos = self._observations(agents), self._infos(agents)
        while self.aec.agents and (gone := self.aec.agent_selection) and self._is_gone(gone):
            self.aec.step(None)
        self.agents = list(self.aec.agents)
        return observations, rewards, terminations, truncations, infos

    def _check(self, actions: dict[str, Any]) -> None:
        if not self.agents:
            raise BlackjackError("step: expected an episode that goes on, but none does; call reset()")
        if not isinstance(actions, Mapping):
            raise BlackjackError(f"actions: expected one of each agent by name, got {shortened(actions)}")
        for agent in actions:
            if agent not in self.agents:
                raise BlackjackError(f"actions: got one of {agent!r}; {choices(agent, self.agents)}")
        for agent in self.agents:
            if agent not in actions:
                raise BlackjackError(f"actions: expected one of each agent, got none of {agent!r}")
        if self._betting():
            for agent in self._bettors():
                self._check_bet(agent, self.aec.table_env.checked_action(actions[agent]))

    def _check_bet(self, agent: str, action: int) -> None:
        """Refuse an illegal bet, where it is an error, before any bet of the step is made."""
        env = self.aec.table_env
        legal = env.episode.bet_mask(self.aec.position(agent))
        if env.illegal_action == "raise" and not legal >> action & 1:
            expected = env.settings.legal_names(legal)
            raise IllegalAction(f"{agent}: expected one of {expected}, got {env.settings.action_name(action)}")

    def _betting(self) -> bool:
        return self.aec.table_env.episode.phase is Phase.BET

    def _bettors(self) -> list[str]:
        """Return the agents that are asked for a bet in this step, in their order."""
        return sorted((agent for agent in self.agents if self._is_bettor(agent)), key=self.aec.position)

    def _is_bettor(self, agent: str) -> bool:
        position, episode = self.aec.position(agent), self.aec.table_env.episode
        return position >= episode.seat and len(episode.bets_of(position)) > 1

    def _is_gone(self, agent: str) -> bool:
        return self.aec.terminations[agent] or self.aec.truncations[agent]

    def _observations(self, agents: list[str]) -> dict[str, AgentObservation]:
        return {agent: self._observe(agent) for agent in agents}

    def _observe(self, agent: str) -> AgentObservation:
        seen = self.aec.view(agent, self._is_asked(agent))
        if isinstance(seen, dict) and (keys := self.aec.table_env.settings.observation_keys):
            seen[keys[1]] = self._mask(agent)
        return seen

    def _is_asked(self, agent: str) -> bool:
        return self._is_bettor(agent) if self._betting() else self.aec.in_turn(agent)

    def _mask(self, agent: str) -> NDArray[np.int8]:
        if self._is_gone(agent):
            return np.zeros_like(self.aec.action_mask(agent))
        if self._betting() and self._is_bettor(agent):
            return self.aec.table_env.mask_array(self.aec.table_env.episode.bet_mask(self.aec.position(agent)))
        mask = self.aec.action_mask(agent)
        if not mask.any():
            mask[Action.STAND] = 1
        return mask

    def _infos(self, agents: list[str]) -> dict[str, dict[str, Any]]:
        return {agent: self.aec.infos[agent] | {"action_mask": self._mask(agent)} for agent in agents}

    def render(self) -> str | NDArray[np.uint8] | None:
        """Return or show the table as `BlackjackEnv.render` does."""
        return self.aec.render()

    def close(self) -> None:
        """Close the window, if there is one."""
        self.aec.close()


parallel_env = BlackjackParallel
