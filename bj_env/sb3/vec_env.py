"""Compiled tables as a ``VecEnv`` of Stable-Baselines3."""

from collections.abc import Iterable, Sequence
from functools import partial
from operator import attrgetter
from typing import Any

import numpy as np
from gymnasium.vector import AutoresetMode
from numpy.typing import NDArray
from stable_baselines3.common.vec_env import VecEnv
from stable_baselines3.common.vec_env.base_vec_env import VecEnvIndices

from bj_env.compiled.vector_env import BlackjackVectorEnv
from bj_env.errors import BlackjackError, choices

Observations = NDArray[Any]
Infos = dict[str, Any]
Step = tuple[Observations, NDArray[np.float32], NDArray[np.bool_], list[Infos]]

SHARED = {
    "action_space": "single_action_space",
    "observation_space": "single_observation_space",
    **{name: name for name in ("feature_names", "metadata", "render_mode", "settings", "spec")},
    **{name: f"settings.{name}" for name in ("bets", "count", "illegal_action", "layout", "rules")},
}
"""The attributes of a single environment that all tables share, and where the vector environment has them."""


def compiled_vec_env(num_envs: int, *, skip_undecided: bool = False, **game: Any) -> "CompiledVecEnv":
    """Make a `CompiledVecEnv` of keyword arguments of ``Blackjack-multi-v0``.

    >>> env = compiled_vec_env(4, seats=("agent",))
    >>> env.seed(7)
    [7, 7, 7, 7]
    >>> env.reset().shape, env.env_method("action_masks", indices=2)
    ((4, 58), [array([1, 1, 1, 1, 1, 0, 0], dtype=int8)])
    """
    tables = BlackjackVectorEnv(num_envs, autoreset_mode=AutoresetMode.SAME_STEP, **game)
    return CompiledVecEnv(tables, skip_undecided=skip_undecided)


class CompiledVecEnv(VecEnv):
    """A `BlackjackVectorEnv` as an SB3 ``VecEnv``, which PPO, A2C, DQN and MaskablePPO take as it is.

    Args:
        tables: the vector environment, in mode ``"SameStep"``: SB3 wants the next episode's first observation with the
            last step, and would learn from the step that mode ``"NextStep"`` puts between two episodes.
        skip_undecided: whether to leave out rounds in which the agent has nothing to decide, from which nothing can be
            learned. The mean return is then no longer the value of a round.

    The dicts of a step hold ``TimeLimit.truncated``; where an episode has ended ``terminal_observation``; where a round
    has ended ``nets``, in chips by seat; ``illegal_action`` where another action was played. Masks are had by
    ``env_method("action_masks")``, from all tables at once.

    Raises:
        BlackjackError: if it is another environment, or in another mode.
    """

    def __init__(self, tables: BlackjackVectorEnv, *, skip_undecided: bool = False) -> None:
        if not isinstance(tables, BlackjackVectorEnv):
            raise BlackjackError(f"tables: expected a BlackjackVectorEnv, got {tables!r}")
        if tables.autoreset_mode is not AutoresetMode.SAME_STEP:
            expected, got = AutoresetMode.SAME_STEP.value, tables.autoreset_mode.value
            raise BlackjackError(f"autoreset_mode: Stable-Baselines3 needs {expected!r}, got {got!r}")
        self.tables = tables
        self.skip_undecided = skip_undecided
        self._attributes: list[dict[str, Any]] = [{} for _ in range(tables.num_envs)]
        self._one_seed = True
        self._actions: Any = None
        super().__init__(tables.num_envs, tables.single_observation_space, tables.single_action_space)

    # --- episodes ---------------------------------------------------------------------------------------------------

    def seed(self, seed: int | Sequence[int] | None = None) -> Sequence[int | None]:
        """Set the seed of the next reset; None draws one, as SB3 does.

        Args:
            seed: one for all tables. SB3 gives environment ``i`` the seed ``seed + i``, so that runs with seeds 1 and
                2 share nearly all their environments; here no two tables and no two seeds share a shoe. Or a list:
                each table then has what a single environment with its seed has.

        Returns:
            The seed of each table.
        """
        self._one_seed = not isinstance(seed, Iterable)
        if isinstance(seed, Iterable):
            self._seeds = list(seed)
        else:
            self._seeds = [super().seed()[0] if seed is None else seed] * self.num_envs
        return self._seeds

    def reset(self) -> Observations:
        """Begin an episode at every table, with the seeds and options that were set since the last time.

        Raises:
            BlackjackError: if a seed or an option is not valid.
        """
        observations, infos = self._decided(*self._begin(self._seeds[0] if self._one_seed else self._seeds))
        self._note_reset(infos, np.arange(self.num_envs))
        self._one_seed = True
        self._reset_seeds()
        self._reset_options()
        return observations

    def _begin(self, seed: Any) -> tuple[Observations, Infos]:
        options = self._options
        if all(each == options[0] for each in options):
            return self.tables.reset(seed=seed, options=options[0])
        shown = self.tables.reset(seed=seed)
        for place in [place for place, each in enumerate(options) if each]:
            only = np.arange(self.num_envs) == place
            shown = self.tables.reset(seed=seed, options={**options[place], "reset_mask": only})
        return shown

    def step_async(self, actions: NDArray[np.int64]) -> None:
        """Take note of an action for each table."""
        self._actions = actions

    def step_wait(self) -> Step:
        """Take the actions; return observations, rewards, which episodes are over, and a dict for each table.

        Raises:
            BlackjackError: if an action is not in the action space.
            IllegalAction: if one is not legal and ``illegal_action`` is ``"raise"``; nothing has changed then.
        """
        observations, rewards, terminated, truncated, shown = self.tables.step(self._actions)
        infos = _step_infos(truncated & ~terminated, shown)
        dones = terminated | truncated
        if "final_obs" in shown:
            observations, shown = self._decided(observations, shown)
            self._note_reset(shown, dones.nonzero()[0])
        return observations, rewards.astype(np.float32), dones, infos

    def _decided(self, observations: Observations, infos: Infos) -> tuple[Observations, Infos]:
        """Go on to rounds with a decision, if the others are to be left out: standing is all that is legal there."""
        while self.skip_undecided and (undecided := infos["action_mask"].sum(1) == 1).any():
            observations, infos = self.tables.reset(options={"reset_mask": undecided})
        return observations, infos

    def _note_reset(self, infos: Infos, places: NDArray[np.intp]) -> None:
        """Note what these tables showed as their episodes began, as SB3's own environments do."""
        masks, seats = infos["action_mask"][places], infos["seat"][places].tolist()
        for place, mask, seat in zip(places.tolist(), masks, seats, strict=True):
            self.reset_infos[place] = {"action_mask": mask, "seat": seat}

    def close(self) -> None:
        """Close the tables."""
        self.tables.close()

    # --- what SB3 asks of single environments -----------------------------------------------------------------------

    def env_method(
        self, method_name: str, *method_args: Any, indices: VecEnvIndices = None, **method_kwargs: Any
    ) -> list[Any]:
        """Call a method of tables: ``action_masks``, ``record``, or one that was set."""
        if method_name == "action_masks":
            masks = self.tables.action_masks()
            return list(masks if indices is None else masks[list(self._get_indices(indices))])
        return [method(*method_args, **method_kwargs) for method in self.get_attr(method_name, indices)]

    def get_attr(self, attr_name: str, indices: VecEnvIndices = None) -> list[Any]:
        """Return an attribute of tables: one that was set, or one of the game, which all share."""
        return [self._attribute(attr_name, index) for index in self._get_indices(indices)]

    def _attribute(self, name: str, index: int) -> Any:
        own = {"action_masks": partial(self._mask, index), "record": partial(self.tables.record, index)}
        if name in SHARED:
            return attrgetter(SHARED[name])(self.tables)
        try:
            return (own | self._attributes[index])[name]
        except KeyError:
            raise AttributeError(f"environment {index} has no {name!r}; {choices(name, [*SHARED, *own])}") from None

    def _mask(self, index: int) -> NDArray[np.int8]:
        mask: NDArray[np.int8] = self.tables.action_masks()[index]
        return mask

    def set_attr(self, attr_name: str, value: Any, indices: VecEnvIndices = None) -> None:
        """Set an attribute of tables, for `get_attr` and `env_method` to find.

        Raises:
            BlackjackError: if it is one of the game, which is fixed when the tables are made.
        """
        if attr_name in (*SHARED, "action_masks", "record"):
            raise BlackjackError(f"set_attr: {attr_name!r} is fixed when the environments are made")
        for index in self._get_indices(indices):
            self._attributes[index][attr_name] = value

    def env_is_wrapped(self, wrapper_class: type[Any], indices: VecEnvIndices = None) -> list[bool]:
        """Tell whether tables are wrapped: they never are."""
        return [False for _ in self._get_indices(indices)]


def _step_infos(late: NDArray[np.bool_], shown: Infos) -> list[Infos]:
    """Make the dict of each table, where ``late`` episodes were truncated; none shares an array with another."""
    infos: list[Infos] = [{"TimeLimit.truncated": each} for each in late.tolist()]
    over = shown.get("_final_obs", np.zeros(len(infos), np.bool_))
    _add_played(infos, shown, ~over)
    if "final_info" in shown:  # before the next episode began
        _add_played(infos, shown["final_info"], over)
    if "final_obs" in shown:
        for place, observation in zip(over.nonzero()[0].tolist(), shown["final_obs"][over], strict=True):
            infos[place]["terminal_observation"] = observation
    return infos


def _add_played(infos: list[Infos], played: Infos, where: NDArray[np.bool_]) -> None:
    """Add what was played in a step at the tables ``where`` is true."""
    ended = (played["_nets"] & where).nonzero()[0]
    for place, nets in zip(ended.tolist(), played["nets"][ended].tolist(), strict=True):
        infos[place]["nets"] = tuple(nets)
    for place in (played["_illegal_action"] & where).nonzero()[0].tolist():
        infos[place]["illegal_action"] = True
