"""The environment: `BlackjackEnv`, which Gymnasium knows as ``Blackjack-multi-v0``."""

from collections.abc import Iterable, Sequence
from copy import deepcopy
from importlib.util import find_spec
from operator import index
from typing import Any, SupportsIndex

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.envs.registration import EnvSpec
from numpy.typing import NDArray

from bj_env.display.scene import Scene, round_scene, table_scene
from bj_env.display.text import table_text
from bj_env.display.window import Window
from bj_env.env.episode import DEFAULT_START, Episode
from bj_env.env.observer import Cache, Observation, Observer
from bj_env.env.settings import AGENT, Settings, check_keywords, fallback_action, portable_spec
from bj_env.env.start_states import Start
from bj_env.errors import BlackjackError, IllegalAction, RenderModeError, choices, flag_of, shortened
from bj_env.extras import missing
from bj_env.game.cards import Card
from bj_env.game.decision import Decision
from bj_env.game.events import Record
from bj_env.game.notation import house_text
from bj_env.game.rng import SEEDS
from bj_env.game.round import Round
from bj_env.observation import MOST_DEALER_CARDS
from bj_env.rules.terms import FIRST_BET, TICKS, Rules, checked_number
from bj_env.strategies.count_systems import Count

Info = dict[str, Any]


_NO_DEALER = np.zeros(MOST_DEALER_CARDS, np.int8)


def _ranks(cards: Sequence[Card]) -> NDArray[np.int8]:
    """Return the ranks of the dealer's cards, filled up with zeros."""
    ranks = bytearray(MOST_DEALER_CARDS)
    ranks[: len(cards)] = bytes([card.rank for card in cards])
    return np.frombuffer(ranks, np.int8)


class BlackjackEnv(gymnasium.Env[Any, np.int64]):
    """Casino blackjack: several seats, a real shoe, and every common house rule.

    Args:
        rules: a house's name, a rule text, a TOML file or a `Rules`.
        seats: who sits where: ``"agent"`` for a seat that is played through `step`, else a `Decision`, its name
            (``"basic"``, ``"mimic"``, ``"threshold:15"``, ``"never-bust"``, ``"random"``, ``"hi-lo"``) or a saved
            policy's folder.
        bets: the bet sizes on offer in chips, 0 to sit out; None is the house's minimum alone. With more than one,
            every round begins with a betting decision for each agent seat.
        episode: ``"round"``; ``"shoe"`` until the shuffle; ``"session"`` until the smallest bet cannot be placed.
        bankroll: chips of each agent seat, refilled at every reset; None is without limit.
        max_rounds: rounds after which a shoe or a session is truncated.
        observation: the parts to observe, any of ``"hand"``, ``"table"``, ``"count"``, ``"seen"``, ``"composition"``,
            ``"bankroll"``, ``"rules"``.
        count: for the part ``count``: a system, its deck estimate and tie rule, like ``"hi-lo half down"``.
        reward: ``"sampled"``, the net as it falls; or ``"expected"``, its exact expectation over the dealer's hand.
        encoding: ``"features"`` (a float32 Box in [0, 1]) or ``"discrete"`` (a MultiDiscrete).
        illegal_action: what an illegal action does: ``"fallback"`` plays HIT for DOUBLE, HIT under 17 else STAND for
            SPLIT, STAND or DECLINE for the rest; ``"penalty"`` does the same and costs one bet; ``"raise"`` raises.
        mask_in_observation: True to have observations be dictionaries of ``"observation"`` and ``"action_mask"``; or
            the two names, as a library wants them: ``("observations", "action_mask")`` for RLlib, ``("obs", "mask")``
            for Tianshou.
        record_in_info: whether ``info`` holds ``record``; without it ``info`` is numpy numbers and arrays alone.
        render_mode: ``"human"`` shows the table in a window at every reset and step, ``"rgb_array"`` is that picture
            (both need the extra ``play``), ``"ansi"`` is the table as text; or None.

    Actions: 0 STAND, 1 HIT, 2 DOUBLE, 3 SPLIT, 4 SURRENDER, 5 INSURE, 6 DECLINE, 7.. the bets on offer. The legal ones
    are in ``info["action_mask"]`` and `action_masks`. The reward is the net over the agent's seats in units of the
    smallest bet on offer, paid when a round ends. A round in which the agent has no decision is, in ``"round"``
    episodes, shown once in the phase ROUND_OVER with STAND as the only action, so that the mean return is the value
    of a round.

    Every ``info`` holds ``action_mask`` int8 ``[A]``; ``seat``, whose decision it is; ``illegal_action``, whether
    another action was played; ``seed``, with which `reset` deals this game again (from 2**63 on less 2**64, because
    libraries of tensors want int64); ``round_over``, whether a round has ended since the last decision, and of that
    round ``nets``, chips by seat ``[S]``, ``dealer``, the ranks of the dealer's cards int8 ``[17]``, and ``record``.
    While no round has ended these are zeros and an empty `Record`.

    ``-v0`` promises that dynamics, observations, rewards and action numbers do not change; any change is a new version.
    History: v0 (0.1.0), the first.

    Raises:
        BlackjackError: if an argument is not valid; says what is.

    >>> env = BlackjackEnv(seats=("agent",))
    >>> observation, info = env.reset(seed=0)
    >>> observation, reward, terminated, truncated, info = env.step(0)
    >>> str(info["record"])
    'six-deck ; D 2/9 ; P1 1 8,T S ; next 5,K => P1 +1 ; D 2,9,5,K'
    """

    metadata = {"render_modes": ["human", "rgb_array", "ansi"], "render_fps": 2}  # noqa: RUF012 (Gymnasium's own form)

    _spec: EnvSpec | None = None

    def __init__(
        self,
        *,
        rules: Rules | str = "six-deck",
        seats: Sequence[Decision | str] = ("basic", AGENT, "basic"),
        bets: Iterable[int] | None = None,
        episode: str = "round",
        bankroll: float | None = None,
        max_rounds: int = 1000,
        observation: Iterable[str] = ("hand",),
        encoding: str = "features",
        count: Count | str = "hi-lo",
        reward: str = "sampled",
        illegal_action: str = "fallback",
        mask_in_observation: bool | Sequence[str] = False,
        record_in_info: bool = True,
        render_mode: str | None = None,
        **unknown: Any,
    ) -> None:
        check_keywords(unknown, BlackjackEnv)
        settings = Settings.checked(
            rules=rules,
            seats=seats,
            bets=bets,
            episode=episode,
            bankroll=bankroll,
            max_rounds=max_rounds,
            observation=observation,
            encoding=encoding,
            count=count,
            reward=reward,
            illegal_action=illegal_action,
            mask_in_observation=mask_in_observation,
        )
        modes = self.metadata["render_modes"]
        if not (render_mode is None or (isinstance(render_mode, str) and render_mode in modes)):
            raise RenderModeError(f"render_mode: got {shortened(render_mode)}; {choices(render_mode, modes)}")
        if render_mode in ("human", "rgb_array") and find_spec("pygame") is None:
            raise RenderModeError(f"render_mode {render_mode!r}: {missing('pygame-ce', 'play')}")
        self.render_mode = render_mode
        self._window = Window()
        self.settings = settings
        self.rules, self.bets, self.illegal_action = settings.rules, settings.bets, settings.illegal_action
        self.layout, self.count = settings.layout, settings.count
        self.observation_space = settings.observation_space
        self._actions = settings.actions
        self.action_space = spaces.Discrete(self._actions)
        self.episode = Episode(
            self.rules,
            settings.decisions,
            names=settings.names,
            bets=self.bets,
            kind=settings.episode,
            bankroll=settings.bankroll,
            max_rounds=settings.max_rounds,
            expected=settings.reward == "expected",
            seed=0,
        )
        self._seeded = False
        self.observer = Observer(settings)
        self._masks: Cache[int, NDArray[np.int8]] = Cache()
        self._no_nets = np.zeros(len(settings.decisions))
        self._no_record = Record(self.rules) if flag_of("record_in_info", record_in_info) else None

    @property
    def spec(self) -> EnvSpec | None:
        """What Gymnasium makes such an environment of; its JSON makes it again."""
        return self._spec

    @spec.setter
    def spec(self, spec: EnvSpec | None) -> None:
        self._spec = portable_spec(spec)

    @property
    def feature_names(self) -> list[str]:
        """The name of each entry of an observation."""
        return self.layout.names

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, Info]:
        """Begin an episode: at a new table if a seed is given, else with the shoe as it lies.

        Args:
            seed: fixes the shoe, the other seats and everything else.
            options: ``{"line": notation}`` plays what the line writes and stops there; ``{"shoe": cards}`` deals these
                cards first, in order, like ``"T,6,9"``; ``{"hand": "T,6", "upcard": "T"}`` starts the first agent seat
                so, the rest at random; ``"count": 3`` beside them, or alone, starts from a shoe that is partly
                dealt, at that count. Each begins a new shoe.

        Raises:
            BlackjackError: if the seed or an option is not valid; the episode before goes on then.
        """
        start = DEFAULT_START if options is None else self._read(options)
        if seed is not None:
            seed = checked_number("seed", seed, 0, SEEDS - 1)
        if start.line is not None or start.at is not None:
            deepcopy(self)._begin(seed, start)  # it may turn out not to work, and then nothing has changed
        self._begin(seed, start)
        if self.render_mode == "human":
            self.render()
        return self._observation(), self._info()

    def _read(self, options: dict[str, Any]) -> Start:
        episode = self.episode
        start = Start.read(options, self.rules, len(episode.decisions), episode.agents[0], self.count)
        self.settings.check_offered(start.bets or ())
        return start

    def _begin(self, seed: int | None, start: Start) -> None:
        if seed is None and not self._seeded:
            seed = int(self.np_random.integers(1 << 63))  # one that reset takes, so that the game can be dealt again
        try:
            if seed is not None:
                self.episode.table.reseed(seed)
                self._seed = np.uint64(seed)
                super().reset(seed=seed)
                self._seeded = True
            self.episode.begin(start)
        except BaseException:
            self.episode.abandon()  # an interrupt leaves no episode half begun
            raise

    def planning_copy(self, seed: int) -> "BlackjackEnv":
        """Return a copy to plan with, in which all that the agent cannot see is decided anew by another seed.

        Everything face up, and what the dealer's peek has told, is as here; burned cards, hole card, the order of the
        shoe and the random numbers of the other seats are not. Averages over such copies are what the agent can know.
        """
        seed = checked_number("seed", seed, 0, SEEDS - 1)
        copy = deepcopy(self)
        if copy.render_mode == "human":
            copy.render_mode = None  # nobody watches plans
        copy.episode.table.reshuffle_unseen(seed)
        return copy

    def step(self, action: SupportsIndex) -> tuple[Any, float, bool, bool, Info]:
        """Take the agent's action and go on to its next decision, or to the end of the episode.

        Raises:
            BlackjackError: if the episode is over, or the action is not in the action space.
            IllegalAction: if it is not legal and ``illegal_action`` is ``"raise"``; nothing has changed then.
        """
        episode = self.episode
        if episode.over:
            raise BlackjackError("step: expected an episode that goes on, but none does; call reset()")
        asked = self.checked_action(action)
        taken = self._fallback_action(asked)
        episode.act(taken)
        won = episode.pop_reward()
        reward = sum([won[seat] for seat in episode.agents]) / (episode.unit * TICKS)
        if taken != asked:
            reward -= self.illegal_action == "penalty"
        if self.render_mode == "human":
            self.render()
        info = self._info(taken != asked)
        return self._observation(), reward, episode.over and not episode.truncated, episode.truncated, info

    def checked_action(self, action: SupportsIndex) -> int:
        """Return an action as a plain number.

        Raises:
            BlackjackError: if it is not in the action space.
        """
        try:
            asked = -1 if action is True or action is False else index(action)
        except TypeError:
            asked = -1
        if not 0 <= asked < self._actions:
            raise BlackjackError(
                f"action: expected a whole number from 0 to {self._actions - 1}, got {shortened(action)}"
            )
        return asked

    def _fallback_action(self, action: int) -> int:
        """Return the action, or what is played in place of an illegal one."""
        mask = self.episode.mask
        if mask >> action & 1:
            return action
        if self.illegal_action == "raise":
            raise IllegalAction(self._why_illegal(action, mask))
        return fallback_action(action, mask, self.episode.hand.total)

    def _why_illegal(self, action: int, mask: int) -> str:
        round = self.episode.round
        if round is not None and not round.over and action < FIRST_BET:
            try:
                round.check(action)
            except IllegalAction as error:
                return str(error)
        legal = self.settings.legal_names(mask)
        return f"P{self.episode.seat + 1}: expected one of {legal}, got {self.settings.action_name(action)}"

    def action_masks(self) -> NDArray[np.int8]:
        """Return which actions are legal now, 1 or 0 for each; all zero once the episode is over."""
        return self.mask_array(self.episode.mask)

    def mask_array(self, mask: int) -> NDArray[np.int8]:
        """Return bits ``1 << action`` as an array, 1 or 0 for each action."""
        bits = self._masks.get(mask)
        if bits is None:
            bits = self._masks[mask] = np.array([mask >> action & 1 for action in range(self._actions)], np.int8)
        return bits.copy()

    def _observation(self) -> Any:
        episode = self.episode
        observation = self.observer.observe(
            episode.table, episode.round, seat=episode.seat, hand_index=episode.hand_index, phase=episode.phase
        )
        return observation if self.settings.observation_keys is None else self._with_mask(observation)

    def _with_mask(self, observation: Observation) -> Any:
        return self.settings.with_mask(observation, self.action_masks())

    def _info(self, illegal: bool = False) -> Info:
        episode = self.episode
        finished = None if episode.no_decision and not episode.over else episode.finished
        info: Info = {
            "action_mask": self.action_masks(),
            "seat": np.int64(episode.seat),
            "illegal_action": np.True_ if illegal else np.False_,
            "seed": self._seed.astype(np.int64),
            "round_over": np.False_ if finished is None else np.True_,
            "nets": self._no_nets.copy() if finished is None else np.array(finished.nets) / TICKS,
            "dealer": _NO_DEALER.copy() if finished is None else _ranks(finished.dealer.cards),
        }
        if self._no_record is not None:
            info["record"] = self._no_record if finished is None else finished.record(int(self._seed))
        return info

    def render(self) -> str | NDArray[np.uint8] | None:
        """Return the table as text or as a picture uint8 [height, width, 3], or show it; changes nothing.

        ``"human"`` shows a round that has ended since the last decision before what is asked now.

        Raises:
            RenderModeError: if ``"human"`` has no screen.
        """
        if self.render_mode is None:
            gymnasium.logger.warn("render() needs a render_mode when the environment is made, like 'human' or 'ansi'")
            return None
        if not self._seeded:
            raise BlackjackError("render: expected reset() before it")
        if self.render_mode == "ansi":
            return table_text(self._scene())
        from bj_env.display.picture import draw, pixels  # only here: it takes pygame

        if self.render_mode == "rgb_array":
            return pixels(draw(self._scene(), self._keys()))
        title, per_second = f"Blackjack: {house_text(self.rules)}", self.metadata["render_fps"]
        finished = self.episode.finished
        if finished is not None and finished is not self.episode.round:
            self._window.show(draw(self._scene(finished)), title, per_second)
        self._window.show(draw(self._scene(), self._keys()), title, per_second)
        return None

    def _scene(self, finished: Round | None = None) -> Scene:
        """Return what everyone sees: now, or at the end of a round before this one."""
        episode, names = self.episode, self.episode.names
        if finished is not None:
            return round_scene(finished, names, ())
        legal = [self.settings.action_name(action) for action in self._legal()]
        return table_scene(episode.table, episode.round, names, legal, episode.seat)

    def _legal(self) -> list[int]:
        mask = self.episode.mask
        return [action for action in range(self._actions) if mask >> action & 1]

    def _keys(self) -> list[str]:
        return [self.settings.key(action) for action in self._legal()]

    def get_keys_to_action(self) -> dict[tuple[int, ...], int]:
        """Return the action of each key, as `gymnasium.utils.play` asks for it; play with ``wait_on_player=True``.

        S stands, H hits, D doubles, P splits, R surrenders, I insures, N declines; 1, 2, ... are the bets on offer.
        """
        return {(ord(self.settings.key(action)),): action for action in range(self._actions)}

    def close(self) -> None:
        """Close the window, if there is one."""
        self._window.close()
