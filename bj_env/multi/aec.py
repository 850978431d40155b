"""The table for several agents, one after another: PettingZoo's ``AECEnv``."""

from collections.abc import Iterable, Mapping, Sequence
from copy import deepcopy
from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from bj_env.env.env import BlackjackEnv
from bj_env.env.observer import Observation
from bj_env.env.settings import AGENT, check_keywords
from bj_env.errors import BlackjackError, choices, shortened
from bj_env.extras import missing
from bj_env.game.decision import Decision
from bj_env.game.events import DEALER, Record
from bj_env.game.participants import Dealer
from bj_env.multi.tournament import TOURNAMENT, Tournament, TournamentSettings
from bj_env.rules.terms import TICKS, Phase, Rules
from bj_env.strategies.count_systems import Count
from bj_env.strategies.registry import strategy

try:
    from pettingzoo import AECEnv
except ImportError:
    raise BlackjackError(missing("pettingzoo", "multi")) from None

DEALER_AGENT = "dealer_1"
"""The name of the agent in the dealer's chair."""

HOUSE = "house"
"""The dealer that follows the house's rule."""

AgentObservation = Observation | dict[str, NDArray[Any]]


def agent_name(seat: int) -> str:
    """Return the name of the agent that plays a seat.

    >>> agent_name(0), agent_name(DEALER)
    ('seat_1', 'dealer_1')
    """
    return DEALER_AGENT if seat == DEALER else f"seat_{seat + 1}"


class BlackjackAEC(AECEnv[str, Any, Any]):
    """Casino blackjack for several agents: one for each agent seat, and one for the dealer's chair if asked for.

    The agents are ``seat_1``, ``seat_2``, ... by their seats, and ``dealer_1``. The one in turn is in
    ``agent_selection``; the order of decisions, the cards, the observations and the masks are those of
    `bj_env.env.env.BlackjackEnv` with the same arguments, seed and actions. An agent's reward is its own seat's net
    in units of the smallest bet on offer, paid when the round is settled; the dealer's is minus the sum of all seats'.
    An agent that is broke is terminated, and the others play on.

    Args:
        seats: who sits where: ``"agent"`` for an agent of its own, else a `Decision` or a strategy's name.
        dealer: ``"house"`` for the rule of the house; ``"agent"`` for an agent that stands or hits at its own choice;
            or a `Decision` or its name.
        episode: ``"round"``, ``"shoe"``, ``"session"``, or ``"tournament"``, see `bj_env.multi.tournament`.
        tournament: the settings of a tournament.
        illegal_action: as for `BlackjackEnv`; a penalty is paid by the agent in turn.
        rules, bets, bankroll, max_rounds, observation, encoding, count, mask_in_observation, render_mode: as for
            `BlackjackEnv`.

    Raises:
        BlackjackError: if an argument is not valid; says what is.

    >>> env = BlackjackAEC(seats=("agent", "basic", "agent"))
    >>> env.reset(seed=3)
    >>> for agent in env.agent_iter():
    ...     observation, reward, terminated, truncated, info = env.last()
    ...     print(agent, reward, terminated)
    ...     env.step(None if terminated or truncated else 0)
    seat_1 0.0 False
    seat_3 0.0 False
    seat_1 1.0 True
    seat_3 1.0 True
    """

    metadata = {  # noqa: RUF012 (PettingZoo's own form)
        "name": "blackjack_multi_v0",
        "render_modes": BlackjackEnv.metadata["render_modes"],
        "render_fps": BlackjackEnv.metadata["render_fps"],
        "is_parallelizable": True,
    }

    def __init__(
        self,
        *,
        rules: Rules | str = "six-deck",
        seats: Sequence[Decision | str] = (AGENT, AGENT),
        dealer: Decision | str = HOUSE,
        bets: Iterable[int] | None = None,
        episode: str = "round",
        tournament: TournamentSettings | None = None,
        bankroll: float | None = None,
        max_rounds: int = 1000,
        observation: Iterable[str] = ("hand",),
        encoding: str = "features",
        count: Count | str = "hi-lo",
        mask_in_observation: bool | Sequence[str] = False,
        illegal_action: str = "fallback",
        render_mode: str | None = None,
        **unknown: Any,
    ) -> None:
        super().__init__()
        check_keywords(unknown, BlackjackAEC)
        if not (tournament is None or isinstance(tournament, TournamentSettings)):
            raise BlackjackError(f"tournament: expected a TournamentSettings, got {shortened(tournament)}")
        if (tournament is not None) != (episode == TOURNAMENT):
            raise BlackjackError(f"tournament: expected settings with episode='tournament' only, got {tournament!r}")
        self.table_env = BlackjackEnv(
            rules=rules,
            seats=seats,
            bets=bets,
            episode="session" if episode == TOURNAMENT else episode,
            bankroll=tournament.bankroll if tournament else bankroll,
            max_rounds=tournament.rounds if tournament else max_rounds,
            observation=observation,
            encoding=encoding,
            count=count,
            illegal_action=illegal_action,
            mask_in_observation=mask_in_observation,
            render_mode=render_mode,
        )
        if tournament:
            self.table_env.episode = Tournament(self.table_env.settings, tournament)
        self.render_mode = render_mode
        self._set_dealer(dealer)
        agents = [*self.table_env.settings.agents, *([DEALER] if self._dealer_is_agent else [])]
        self._seats = {agent_name(seat): seat for seat in agents}
        self.possible_agents = list(self._seats)
        self.agents: list[str] = []
        self._make_spaces(tournament)

    def _set_dealer(self, dealer: Decision | str) -> None:
        self._dealer_is_agent = dealer == AGENT
        if self._dealer_is_agent:
            self.table_env.episode.table.dealer = Dealer(external=True)
        elif dealer != HOUSE:
            try:
                self.table_env.episode.table.dealer = Dealer(strategy(dealer))
            except BlackjackError as error:
                raise BlackjackError(f"dealer: {error}; or 'house', 'agent'") from None

    def _make_spaces(self, tournament: TournamentSettings | None) -> None:
        settings = self.table_env.settings
        space: spaces.Space[Any] = settings.layout.space
        if tournament:
            space = tournament.space(space, len(settings.decisions))
        if settings.observation_keys is not None:
            name, mask = settings.observation_keys
            space = spaces.Dict({name: space, mask: spaces.Box(0, 1, (settings.actions,), np.int8)})
        self.observation_spaces = {agent: deepcopy(space) for agent in self.possible_agents}
        self.action_spaces = {agent: spaces.Discrete(settings.actions) for agent in self.possible_agents}

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """Return the space of an agent's observations, always the same object."""
        self._seat(agent)
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        """Return the space of an agent's actions, always the same object."""
        self._seat(agent)
        return self.action_spaces[agent]

    def _seat(self, agent: str) -> int:
        """Return the seat of an agent, or refuse a name that no agent has."""
        if agent not in self._seats:
            raise BlackjackError(f"agent: got {agent!r}; {choices(agent, self.possible_agents)}")
        return self._seats[agent]

    @property
    def record(self) -> Record | None:
        """The record of the last round that ended at the last step; None if none did."""
        finished = self.table_env.episode.finished
        return finished.record(self.table_env.np_random_seed) if finished is not None else None

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begin an episode: at a new table if a seed is given, else with the shoe as it lies.

        Args:
            seed: fixes the shoe, the other seats and everything else.
            options: as for `BlackjackEnv.reset`. The name ``"options"``, which PettingZoo's checkers pass, is ignored.

        Raises:
            BlackjackError: if the seed or an option is not valid; the episode before goes on then.
        """
        given = options
        if isinstance(options, Mapping):
            given = {name: value for name, value in options.items() if name != "options"}
        self.table_env.reset(seed=seed, options=given)
        self.agents = list(self.possible_agents)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self._skip_agent_selection = None
        self._go_to_next(over=False, truncated=False)

    def step(self, action: int | None) -> None:
        """Take the action of the agent in turn, None if it is terminated or truncated, and go on to the next.

        Raises:
            BlackjackError: if the episode is over, or the action is not in the action space.
            IllegalAction: if it is not legal and ``illegal_action`` is ``"raise"``; nothing has changed then.
        """
        if not self.agents:
            raise BlackjackError("step: expected an episode that goes on, but none does; call reset()")
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            if action is not None:
                raise BlackjackError(f"action: expected None, because {agent} is out of the episode, got {action!r}")
            self._was_dead_step(None)
            return
        if action is None:
            raise BlackjackError(f"action: expected one of {agent}, got None")
        _, _, terminated, truncated, info = self.table_env.step(action)
        self._cumulative_rewards[agent] = 0.0
        self._pay()
        if info["illegal_action"] and self.table_env.illegal_action == "penalty":
            self.rewards[agent] -= 1.0
        self._go_to_next(over=terminated, truncated=truncated)
        self._accumulate_rewards()

    def _pay(self) -> None:
        """Set every agent's reward for what has ended since the last decision."""
        episode = self.table_env.episode
        if isinstance(episode, Tournament):
            won = {agent: episode.reward_of(seat) for agent, seat in self._seats.items()}
        else:
            scale = episode.unit * TICKS
            won = {agent: episode.paid[seat] / scale for agent, seat in self._seats.items() if seat != DEALER}
            won[DEALER_AGENT] = -sum(episode.paid) / scale
        self.rewards = {agent: float(won[agent]) for agent in self.agents}

    def _go_to_next(self, *, over: bool, truncated: bool) -> None:
        """Select the next agent: first those that are out of the episode, then the one in turn."""
        episode = self.table_env.episode
        for agent in self.agents:
            self.truncations[agent] = truncated
            self.terminations[agent] = over or (not truncated and self._is_out(self._seats[agent]))
        self.infos = {agent: self._info(agent) for agent in self.agents}
        in_turn = agent_name(self._agent_seat(episode.seat))
        self.agent_selection = self.agents[0] if over or truncated else in_turn
        self._deads_step_first()

    def _is_out(self, seat: int) -> bool:
        """Tell whether an agent cannot bet any more while others play on."""
        episode = self.table_env.episode
        if isinstance(episode, Tournament):
            return episode.is_out(seat)
        return seat != DEALER and episode.round is None and episode.is_broke(seat)

    def _agent_seat(self, position: int) -> int:
        """Return the seat of the agent at a position of the table; they differ in tournaments, where seats rotate."""
        episode = self.table_env.episode
        return episode.order[position] if isinstance(episode, Tournament) else position

    def position(self, agent: str) -> int:
        """Return where an agent sits in this round, from 0; -1 for the dealer's chair."""
        seat, episode = self._seat(agent), self.table_env.episode
        return episode.order.index(seat) if isinstance(episode, Tournament) else seat

    def in_turn(self, agent: str) -> bool:
        """Tell whether an agent is asked for an action now."""
        return not self.table_env.episode.over and self.position(agent) == self.table_env.episode.seat

    def action_mask(self, agent: str) -> NDArray[np.int8]:
        """Return which actions an agent may take now, 1 or 0 for each; all zero if it is not in turn."""
        mask = self.table_env.action_masks()
        return mask if self.in_turn(agent) else np.zeros_like(mask)

    def _info(self, agent: str) -> dict[str, Any]:
        episode = self.table_env.episode
        net, finished = 0, episode.finished
        if finished is not None:
            nets = finished.nets
            net = -sum(nets) if self._seats[agent] == DEALER else nets[self._position_then(agent)]
        return {
            "action_mask": self.action_mask(agent),
            "seed": np.uint64(self.table_env.np_random_seed),
            "net": np.float64(net / TICKS),
            "round_over": np.bool_(finished is not None),
        }

    def _position_then(self, agent: str) -> int:
        """Return where an agent sat in the round that ended last."""
        episode = self.table_env.episode
        seat = self._seats[agent]
        return episode.order_before.index(seat) if isinstance(episode, Tournament) else seat

    def observe(self, agent: str) -> AgentObservation:
        """Return what an agent sees; while it is not in turn, the phase is ROUND_OVER and the hand its first."""
        return self.view(agent, self.in_turn(agent))

    def view(self, agent: str, asked: bool) -> AgentObservation:
        """Return what an agent sees if it is asked for an action, or if it waits."""
        episode, position = self.table_env.episode, self.position(agent)
        seen = self.table_env.observer.observe(
            episode.table,
            episode.round,
            seat=position,
            hand_index=episode.hand_index if asked else 0,
            phase=episode.phase if asked else Phase.ROUND_OVER,
        )
        if isinstance(episode, Tournament):
            seen = episode.with_standings(seen, position)
        observation: AgentObservation = self.table_env.settings.with_mask(seen, self.action_mask(agent))
        return observation

    def render(self) -> str | NDArray[np.uint8] | None:
        """Return or show the table as `BlackjackEnv.render` does."""
        return self.table_env.render()

    def close(self) -> None:
        """Close the window, if there is one."""
        self.table_env.close()


aec_env = BlackjackAEC
