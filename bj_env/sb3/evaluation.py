"""Evaluation of a Stable-Baselines3 model by whole rounds, once or as a callback while it trains."""

from inspect import signature
from typing import Any, NamedTuple

import gymnasium as gym
import numpy as np
from numpy.typing import NDArray
from stable_baselines3.common.base_class import BaseAlgorithm
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.vec_env import VecCheckNan, VecEnvWrapper, VecMonitor, VecNormalize

from bj_env.env.env import BlackjackEnv
from bj_env.env.settings import MOST_ROUNDS
from bj_env.errors import BlackjackError
from bj_env.game.rng import SEEDS
from bj_env.rules.terms import checked_number
from bj_env.statistics import Z95

NEVER_TRAINED = SEEDS - (1 << 32)
"""The first of the seeds that neither SB3 nor our training application gives to tables that train."""

MOST_ENVIRONMENTS = 1 << 16

UNCHANGED = (VecMonitor, VecCheckNan)
"""Wrappers that leave observations as they are."""


class Evaluated(NamedTuple):
    """How a model did: rounds, mean net of a round in bets, its standard error, the share of illegal actions."""

    rounds: int
    ev: float
    stderr: float
    illegal: float

    def interval(self) -> tuple[float, float]:
        """Return the ends of the 95 % interval of ``ev``."""
        return self.ev - Z95 * self.stderr, self.ev + Z95 * self.stderr


def evaluate_rounds(
    model: BaseAlgorithm, *, rounds: int, environments: int = 16, seed: int = 0, **game: Any
) -> Evaluated:
    """Play a model greedily in environments of its own.

    A model that takes masks is given them; for another one the environment replaces illegal actions, and their share is
    returned. Observations of a model that was trained with ``VecNormalize`` are normalised by its statistics, which do
    not change here.

    Args:
        model: any SB3 algorithm trained on the game.
        rounds: in all; each environment plays the same share, rounded up.
        environments: how many there are.
        seed: of the first; the others follow.
        game: keyword arguments of ``Blackjack-multi-v0``.

    Raises:
        BlackjackError: if a number is out of range, or it is not known which observations the model was trained on: it
            has no environment, or other wrappers change what it observes.
    """
    rounds = checked_number("rounds", rounds, 2, MOST_ROUNDS)
    environments = checked_number("environments", environments, 1, MOST_ENVIRONMENTS)
    seed = checked_number("seed", seed, 0, SEEDS - environments)
    normalizer = observation_normalizer(model)
    envs = [BlackjackEnv(**game) for _ in range(environments)]
    each = -(-rounds // environments)
    states = [env.reset(seed=seed + number) for number, env in enumerate(envs)]
    nets: list[float] = []
    played, decisions, illegal = [0] * environments, 0, 0
    current = [0.0] * environments
    while open_ := [number for number in range(environments) if played[number] < each]:
        actions = _actions(model, normalizer, [states[number] for number in open_])
        for number, action in zip(open_, actions, strict=True):
            observation, reward, terminated, truncated, info = envs[number].step(action)
            decisions, illegal = decisions + 1, illegal + bool(info["illegal_action"])
            current[number] += reward
            if terminated or truncated:
                nets.append(current[number])
                played[number], current[number] = played[number] + 1, 0.0
                observation, info = envs[number].reset()
            states[number] = observation, info
    values = np.array(nets)
    return Evaluated(len(nets), float(values.mean()), float(values.std(ddof=1) / len(nets) ** 0.5), illegal / decisions)


def observation_normalizer(model: BaseAlgorithm) -> VecNormalize | None:
    """Return what normalises the observations of a model, None if it sees them as the game gives them.

    Raises:
        BlackjackError: if the model has no environment, or other wrappers change what it observes.
    """
    env: Any = model.env
    if env is None:
        raise BlackjackError("model: expected one with its environment, as of PPO.load(path, env=...), got one without")
    normalizer = None
    while isinstance(env, VecEnvWrapper):
        if isinstance(env, VecNormalize) and env.norm_obs and normalizer is not None:
            raise BlackjackError("model: expected one VecNormalize of its observations, got one in another")
        if isinstance(env, VecNormalize):
            normalizer = env if env.norm_obs else normalizer
        elif not isinstance(env, UNCHANGED):
            raise BlackjackError(f"model: {type(env).__name__} changes what it observes; expected VecNormalize or none")
        env = env.venv
    for wrapper in (gym.ObservationWrapper, gym.wrappers.FrameStackObservation):
        if any(env.env_is_wrapped(wrapper)):
            raise BlackjackError("model: a gymnasium wrapper changes what it observes; expected VecNormalize or none")
    return normalizer


def _actions(
    model: BaseAlgorithm, normalizer: VecNormalize | None, states: list[tuple[NDArray[Any], dict[str, Any]]]
) -> NDArray[np.int64]:
    observations: Any = np.stack([observation for observation, _ in states])
    if normalizer is not None:
        observations = normalizer.normalize_obs(observations)
    masks: dict[str, Any] = {}
    if "action_masks" in signature(model.predict).parameters:
        masks = {"action_masks": np.stack([info["action_mask"] for _, info in states])}
    actions: NDArray[np.int64] = model.predict(observations, deterministic=True, **masks)[0]
    return actions


class EvaluateRounds(BaseCallback):
    """Evaluates every so many steps and logs ``eval/ev``, its interval, and ``eval/illegal``.

    Args:
        every: training steps between evaluations.
        rounds: of each evaluation.
        seed: of its environments, the same each time so that evaluations are paired.
        game: keyword arguments of ``Blackjack-multi-v0``.
    """

    def __init__(self, *, every: int, rounds: int, seed: int = NEVER_TRAINED, **game: Any) -> None:
        super().__init__()
        self.every = checked_number("every", every, 1, MOST_ROUNDS)
        self.rounds = checked_number("rounds", rounds, 2, MOST_ROUNDS)
        self.seed = seed
        self.game = game
        self.history: list[tuple[int, Evaluated]] = []

    def _on_step(self) -> bool:
        due = len(self.history) + 1
        if self.num_timesteps >= due * self.every:
            result = evaluate_rounds(self.model, rounds=self.rounds, seed=self.seed, **self.game)
            self.history.append((self.num_timesteps, result))
            low, high = result.interval()
            for name, value in (("ev", result.ev), ("ev_low", low), ("ev_high", high), ("illegal", result.illegal)):
                self.logger.record(f"eval/{name}", value)
        return True
