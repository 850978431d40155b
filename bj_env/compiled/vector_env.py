"""The compiled environment: many tables at once, which `gymnasium.make_vec` gives for ``Blackjack-multi-v0``."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from copy import deepcopy
from dataclasses import fields
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.envs.registration import EnvSpec
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from bj_env.compiled.arrays import Array
from bj_env.compiled.engine import Engine
from bj_env.compiled.kernels import BEGIN, GO, NEVER, NEXT_STEP, SAME_STEP, SHOW, Out, kernels
from bj_env.compiled.records import last_round, refused, scene_of
from bj_env.compiled.start_states import apply_start
from bj_env.compiled.vector_arguments import (
    MOST_THREADS,
    checked_actions,
    checked_mode,
    checked_options,
    checked_render_mode,
    checked_seed,
    cores,
    without_records,
)
from bj_env.env.settings import AGENT, MOST_ROUNDS, Settings, check_keywords, portable_spec
from bj_env.env.start_states import Start
from bj_env.errors import BlackjackError, choices
from bj_env.game.decision import Decision
from bj_env.game.events import Record
from bj_env.rules.terms import Rules, checked_number
from bj_env.strategies.count_systems import Count

Observations = Any  # an array, or a dictionary of two
Infos = dict[str, Any]

MOST_TABLES = 1 << 24

_AUTORESETS = {
    AutoresetMode.NEXT_STEP: NEXT_STEP,
    AutoresetMode.SAME_STEP: SAME_STEP,
    AutoresetMode.DISABLED: NEVER,
}


class BlackjackVectorEnv(VectorEnv[Observations, Array, Array]):
    """Many tables of `bj_env.env.env.BlackjackEnv`, played by compiled code; ``T`` tables, ``A`` actions, ``S`` seats.

    Table ``i`` of seed ``s`` deals shoes that no other table and no other seed deals; table 0 deals those of the single
    environment with that seed. A list of seeds gives each table what the single environment with its seed has.

    Args:
        num_envs: how many tables.
        autoreset_mode: when a new episode begins: ``"NextStep"``, with the step after the last, whose action is not
            used; ``"SameStep"``, with the last step, which shows the end in ``infos["final_obs"]`` and ``final_info``;
            ``"Disabled"``, by ``reset(options={"reset_mask": mask})`` alone. An `AutoresetMode` or its value.
        threads: how many threads share the tables; None is one a core. Results do not depend on it.
        max_episode_steps: steps after which an episode is truncated, as by Gymnasium's ``TimeLimit``; None is without.
        render_mode: ``"rgb_array"`` has `render` return a picture of each table, for at most 64 tables; or None.

    All other arguments are those of `bj_env.env.env.BlackjackEnv`. Other seats are played by decisions that can be
    compiled to lookup tables.

    ``infos`` hold ``action_mask`` ``[T, A]``, ``seat`` ``[T]``, ``illegal_action`` ``[T]`` and, where a round has ended
    (``_nets``), the last one's ``nets`` in chips ``[T, S]`` and ``dealer``, the ranks of his cards, ``[T, 17]``, 0 for
    none; those of a reset hold the ``seed`` of each table ``[T]``.
    They say of which tables as Gymnasium's own vector environments do, but are always arrays; so is
    ``final_obs``, and ``action_mask``, ``seat`` and observations are those of every table after a reset of some too.

    Raises:
        BlackjackError: if an argument is not valid; says what is.

    >>> env = BlackjackVectorEnv(3, seats=("agent",))
    >>> observations, infos = env.reset(seed=0)
    >>> observations.shape, infos["action_mask"].shape
    ((3, 58), (3, 7))
    >>> observations, rewards, terminated, truncated, infos = env.step(np.zeros(3, np.int64))
    >>> str(env.record(0))
    'six-deck ; D 2/9 ; P1 1 8,T S ; next 5,K => P1 +1 ; D 2,9,5,K'
    """

    _spec: EnvSpec | None = None

    def __init__(
        self,
        num_envs: int = 1,
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
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        threads: int | None = None,
        max_episode_steps: int | None = None,
        render_mode: str | None = None,
        **unknown: Any,
    ) -> None:
        check_keywords(without_records(unknown), BlackjackVectorEnv)
        self.settings = settings = Settings.checked(
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
        self.num_envs = checked_number("num_envs", num_envs, 1, MOST_TABLES)
        self.autoreset_mode = checked_mode(autoreset_mode)
        threads = checked_number("threads", cores() if threads is None else threads, 1, MOST_THREADS)
        self.max_episode_steps = None
        if max_episode_steps is not None:
            self.max_episode_steps = checked_number("max_episode_steps", max_episode_steps, 1, MOST_ROUNDS)
        self.render_mode = checked_render_mode(render_mode, self.num_envs)
        self.metadata = {"render_modes": ["rgb_array"], "render_fps": 2, "autoreset_mode": self.autoreset_mode}
        self.single_observation_space = settings.observation_space
        self.single_action_space = spaces.Discrete(settings.actions)
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self.action_space = batch_space(self.single_action_space, self.num_envs)
        self.engine = Engine(settings, self.num_envs, threads, self.max_episode_steps or 0)
        self._seeds = np.zeros(self.num_envs, np.uint64), np.zeros(self.num_envs, np.int64)
        self._seeded = False

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
        return self.settings.layout.names

    def reset(
        self, *, seed: int | Sequence[int] | None = None, options: Mapping[str, Any] | None = None
    ) -> tuple[Observations, Infos]:
        """Begin an episode at every table: at new tables if a seed is given, else with the shoes as they lie.

        Args:
            seed: one for all tables, which share no shoe; or one for each, as the single environment takes it.
            options: as in `BlackjackEnv.reset`, the same for every table; and ``reset_mask``, the tables to reset,
                booleans ``[T]``.

        Raises:
            BlackjackError: if the seed or an option is not valid; the episodes before go on then.
        """
        given = checked_options(options)
        which = self._checked_reset_mask(given.pop("reset_mask", None))
        settings = self.settings
        start = Start()
        if given:
            start = Start.read(given, settings.rules, len(settings.decisions), settings.agents[0], settings.count)
            settings.check_offered(start.bets or ())
        seeds = self._checked_seeds(seed, which)
        out = self.engine.new_out()
        before = deepcopy(self.engine.tables) if given else None
        try:
            self._begin(which, seeds, start, out)
        except BaseException:
            self._seeded = self._seeded and before is not None  # what was interrupted half way needs another reset
            if before is not None:
                self.engine.tables = before
            raise
        self._seeded = True
        self._note_seeds(which, seeds)
        where = self._only(which)
        infos = self._infos(out, where) | {"seed": self._seeds[0].astype(np.int64), "_seed": where.copy()}
        return self._observations(out), infos

    def _note_seeds(self, which: Array, seeds: tuple[Array, Array] | None) -> None:
        """Note the seed of each table, and its number among the tables of that seed."""
        if seeds is None:
            return
        for noted, given in zip(self._seeds, seeds, strict=True):
            noted[which] = given
        one = self.np_random_seed
        if isinstance(one, int):
            super().reset(seed=one)

    @property
    def np_random_seed(self) -> Any:
        """The seed with which `reset` deals these games again: one for all tables, or a tuple of one for each."""
        seeds, numbers = self._seeds
        if not self._seeded:
            return super().np_random_seed
        if np.array_equal(numbers, np.arange(self.num_envs)) and (seeds == seeds[0]).all():
            return int(seeds[0])
        return tuple(seeds.tolist())

    def _begin(self, which: Array, seeds: tuple[Array, Array] | None, start: Start, out: Out) -> None:
        if seeds is not None:
            self.engine.reseed(which, *seeds)
        codes = np.full(self.num_envs, SHOW)
        if start == Start():
            codes[which] = BEGIN
        else:
            codes[which] = GO
            self.engine.begin(which)
            apply_start(self.engine, which.tolist(), start)
        self.engine.run(codes, out)

    def _only(self, which: Array) -> Array:
        """Return booleans that are true at these tables."""
        only = np.zeros(self.num_envs, np.bool_)
        only[which] = True
        return only

    def _checked_reset_mask(self, mask: Any) -> Array:
        """Return the tables to reset."""
        if mask is None:
            return np.arange(self.num_envs)
        if not isinstance(mask, np.ndarray) or mask.dtype != np.bool_ or mask.shape != (self.num_envs,):
            came = f"{mask.dtype} {mask.shape}" if isinstance(mask, np.ndarray) else repr(mask)
            raise BlackjackError(f"options: expected an array reset_mask of booleans ({self.num_envs},), got {came}")
        if not mask.any():
            raise BlackjackError("options: expected a reset_mask with at least one True, got none")
        if not self._seeded and not mask.all():
            raise BlackjackError("options: expected a reset of all environments before one of some")
        return np.flatnonzero(mask)

    def _checked_seeds(self, seed: int | Sequence[int] | None, which: Array) -> tuple[Array, Array] | None:
        """Return the seed and the number of each table; None if they go on with the shoes as they lie."""
        if seed is None and self._seeded:
            return None
        if seed is None or isinstance(seed, int | np.integer):
            one = int(self.np_random.integers(1 << 63)) if seed is None else checked_seed(seed)
            return np.full(len(which), one, np.uint64), which
        if not isinstance(seed, Sequence | np.ndarray) or isinstance(seed, str | bytes) or np.ndim(seed) != 1:
            raise BlackjackError(f"seed: expected a whole number, or one for each environment, got {seed!r}")
        seeds = [checked_seed(each) for each in seed]
        if len(seeds) != self.num_envs:
            raise BlackjackError(f"seed: expected one for each of {self.num_envs} environments, got {len(seeds)}")
        return np.array(seeds, np.uint64)[which], np.zeros(len(which), np.int64)

    def step(self, actions: Array) -> tuple[Observations, Array, Array, Array, Infos]:
        """Take an action at every table and go on to the next decision there, or to the end of the episode.

        Args:
            actions: whole numbers ``[T]``.

        Raises:
            BlackjackError: if they are not that, or an episode is over and mode ``"Disabled"``.
            IllegalAction: if one is not legal and ``illegal_action`` is ``"raise"``. No table has changed then.
        """
        if not self._seeded:
            raise BlackjackError("step: expected reset() before it")
        codes, autoreset = checked_actions(actions, self.num_envs), _AUTORESETS[self.autoreset_mode]
        wrong = self.engine.first_illegal(codes, autoreset=autoreset == NEXT_STEP)
        if wrong >= 0:
            raise refused(self.engine, wrong, int(codes[wrong]))
        out = self.engine.new_out(ends=autoreset == SAME_STEP)
        try:
            self.engine.run(codes, out, autoreset=autoreset)
        except BlackjackError:  # another thread is in the step: nothing has changed
            raise
        except BaseException:
            self._seeded = False  # what is interrupted half way needs a reset
            raise
        now, ends = _halves(out, self.num_envs)
        infos = self._infos(now, np.ones(self.num_envs, np.bool_))
        if ends is not None and (over := now.terminated | now.truncated).any():
            infos |= {"final_obs": self._observations(ends), "_final_obs": over}
            infos |= {"final_info": self._infos(ends, over), "_final_info": over.copy()}
        return self._observations(now), now.reward, now.terminated, now.truncated, infos

    def _observations(self, out: Out) -> Observations:
        observations = out.features if len(out.features) else out.columns
        return self.settings.with_mask(observations, out.mask.copy())

    def _infos(self, out: Out, where: Array) -> Infos:
        """Return infos, all in arrays of their own, that speak of the tables ``where`` is true."""
        return {
            "action_mask": out.mask,
            "_action_mask": where.copy(),
            "seat": out.seat,
            "_seat": where.copy(),
            "nets": out.nets,
            "_nets": out.finished & where,
            "dealer": out.dealer,
            "_dealer": out.finished & where,
            "illegal_action": out.illegal,
            "_illegal_action": out.illegal & where,
        }

    def action_masks(self) -> NDArray[np.int8]:
        """Return which actions are legal now, ``[T, A]``; all zero where the episode is over."""
        masks = self.engine.tables.state["mask"][:, None] >> np.arange(self.settings.actions) & 1
        return masks.astype(np.int8)

    def record(self, index: int) -> Record:
        """Return the last round that has ended in an environment, as everyone has seen it.

        Raises:
            BlackjackError: if there is no such environment, or no round has ended there.
        """
        index = checked_number("record", index, 0, self.num_envs - 1)
        return last_round(self.engine, index).record(int(self._seeds[0][index]))

    def render(self) -> tuple[NDArray[np.uint8], ...] | None:
        """Return a picture of each table, uint8 ``[height, width, 3]``; Gymnasium's wrappers lay them out as a grid."""
        if self.render_mode is None:
            gymnasium.logger.warn("render() needs render_mode='rgb_array' when the environments are made")
            return None
        if not self._seeded:
            raise BlackjackError("render: expected reset() before it")
        from bj_env.display.picture import draw, pixels  # only here: it needs pygame

        return tuple([pixels(draw(scene_of(self.engine, i))) for i in range(self.num_envs)])

    def get_attr(self, name: str) -> tuple[Any, ...]:
        """Return an attribute of each environment, as `gymnasium.vector.SyncVectorEnv` does.

        Raises:
            AttributeError: if tables have none of that name.
        """
        return self.call(name)

    def call(self, name: str, *arguments: Any, **named: Any) -> tuple[Any, ...]:
        """Return what a method of each environment returns, or an attribute of each.

        Raises:
            AttributeError: if tables have none of that name.
        """
        each: dict[str, Callable[..., Any]] = {
            "action_masks": self.action_masks,
            "record": lambda: [self.record(i) for i in range(self.num_envs)],
            "render": lambda: self.render() or [None] * self.num_envs,
            "np_random_seed": lambda: self._seeds[0].tolist(),
        }
        if name in each:
            return tuple(each[name](*arguments, **named))
        shared: dict[str, Any] = {
            "action_space": self.single_action_space,
            "observation_space": self.single_observation_space,
        }
        shared |= {field.name: getattr(self.settings, field.name) for field in fields(self.settings)}
        shared |= {"feature_names": self.feature_names, "render_mode": self.render_mode, "settings": self.settings}
        if name not in shared:
            raise AttributeError(f"tables have no {name!r}; {choices(name, [*each, *shared])}")
        return (shared[name],) * self.num_envs


def _halves(out: Out, tables: int) -> tuple[Out, Out | None]:
    """Return what a step has shown of each table, and beside it the ends of episodes, if there are rows for them."""
    if len(out.reward) == tables:
        return out, None
    return Out(*(array[:tables] for array in out)), Out(*(array[tables:] for array in out))


def sample_legal(masks: NDArray[np.int8], rng: np.random.Generator) -> Array:
    """Draw a legal action for each row of masks, all equally likely; 0 where none is legal.

    Args:
        masks: ``[T, A]``, 1 for a legal action.
        rng: where random numbers come from.

    >>> sample_legal(np.array([[0, 1, 0], [0, 0, 0]], np.int8), np.random.default_rng(0)).tolist()
    [1, 0]
    """
    if not isinstance(rng, np.random.Generator):
        raise BlackjackError(f"rng: expected a numpy Generator, got {rng!r}")
    if not isinstance(masks, np.ndarray) or masks.ndim != 2 or masks.dtype != np.int8:
        raise BlackjackError(f"masks: expected int8 numbers [T, A], got {masks!r}")
    actions = np.empty(len(masks), np.int64)
    kernels().sample(np.require(masks, requirements=("C", "W")), rng.random(len(masks)), actions)
    return actions
