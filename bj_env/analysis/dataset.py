"""Data sets for offline learning: sessions that any strategy has played, written with Minari."""

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import gymnasium as gym
import numpy as np

from bj_env.env.env import BlackjackEnv
from bj_env.errors import BlackjackError, shortened
from bj_env.extras import missing
from bj_env.game.decision import Decision, ask
from bj_env.game.notation import house_text
from bj_env.game.rng import SEEDS
from bj_env.rules.terms import Rules
from bj_env.strategies.registry import strategy

try:
    import minari
    from minari.data_collector import EpisodeBuffer
    from minari.dataset.minari_dataset import parse_dataset_id
    from minari.namespace import create_namespace, list_local_namespaces
    from minari.storage.datasets_root_dir import get_dataset_path
except ImportError:
    raise BlackjackError(missing("minari", "dataset")) from None

SESSION = 1000
"""Rounds of a session, which is an episode of the data set."""

ROOT = "MINARI_DATASETS_PATH"
"""The environment variable by which Minari finds its data sets."""

RECORDED = ("action_mask", "seat", "round_over", "nets")
"""What is kept of ``info``, beside the text of ``record``."""


class Mix(NamedTuple):
    """What a data set is made of.

    Attributes:
        policies: names of strategies and folders of saved policies; they play equally many sessions in turn.
        rules: of the house.
        seats: who sits where; the policies play ``"agent"``.
        rounds: of all policies together, rounded up to whole sessions of `SESSION` rounds for each.
        seed: of the first session; the others follow it.
    """

    policies: Sequence[str]
    rules: Rules
    seats: Sequence[str]
    rounds: int
    seed: int

    @property
    def sessions(self) -> int:
        """How many sessions there are."""
        return len(self.policies) * -(-self.rounds // (SESSION * len(self.policies)))


def played(env: BlackjackEnv, decision: Decision, seed: int) -> EpisodeBuffer:
    """Play a session by a strategy and return it as Minari's buffer.

    Observations and infos have one entry more than actions. ``record`` is the round that has ended, in notation, or
    empty. A round that asks nothing passes between two decisions: its net is in the next reward.

    Args:
        env: of one agent seat, with sessions of one bet.
        decision: plays that seat.
        seed: of the table.
    """
    observation, info = env.reset(seed=seed)
    observations, infos, actions, rewards, over = [observation], [info], list[int](), list[float](), False
    terminated = truncated = False
    while not over:
        actions.append(_answer(env, decision))
        observation, reward, terminated, truncated, info = env.step(actions[-1])
        over = terminated or truncated
        observations.append(observation)
        infos.append(info)
        rewards.append(float(reward))
    ends = [False] * (len(actions) - 1)
    kept: dict[str, Any] = {name: np.array([each[name] for each in infos]) for name in RECORDED}
    return EpisodeBuffer(
        seed=seed,
        observations=np.array(observations),
        actions=np.array(actions),
        rewards=rewards,
        terminations=[*ends, terminated],
        truncations=[*ends, truncated],
        infos=kept | {"record": [str(each["record"]) for each in infos]},
    )


def _answer(env: BlackjackEnv, decision: Decision) -> int:
    round = env.episode.round
    assert round is not None  # only bets are asked between rounds, and there is one size of them
    return int(ask(decision.answer, round.view(), round.where))


def write_dataset(name: str, mix: Mix, command: str, progress: Callable[[int], None]) -> Path:
    """Play a mix of policies and write their sessions with Minari, whole or not at all.

    Args:
        name: of the data set, like ``"blackjack/mix-v0"``.
        mix: what is played.
        command: that writes it again, kept in the data set.
        progress: called with the rounds just played.

    Returns:
        Its folder, in the one of ``MINARI_DATASETS_PATH``.

    Raises:
        BlackjackError: if the name is not Minari's, there is such a data set, or the mix cannot be played.
    """
    folder = free_folder(name)
    env = gym.make("bj_env:Blackjack-multi-v0", **_arguments(mix))
    base: Any = env.unwrapped
    if len(base.settings.agents) != 1:
        raise BlackjackError(f"seats: expected one agent seat, got {len(base.settings.agents)}")
    decisions = [strategy(policy) for policy in mix.policies]
    with TemporaryDirectory(dir=get_dataset_path(), prefix=".bj-dataset-") as made:
        with _root(made):
            for number, buffer in enumerate(_sessions(base, decisions, mix)):
                _write(name, number, buffer, env, mix, command)
                progress(SESSION)
        if (space := parse_dataset_id(name)[0]) and space not in list_local_namespaces():
            create_namespace(space)
        os.replace(Path(made, name), folder)
    return folder


def free_folder(name: str) -> Path:
    """Return where a data set is going to be.

    Raises:
        BlackjackError: if the name is not one of Minari's, or there is such a data set.
    """
    try:
        parse_dataset_id(name)
    except (TypeError, ValueError):
        raise BlackjackError(f"id: expected a name like blackjack/mix-v0, got {shortened(name)}") from None
    folder = Path(get_dataset_path(name))
    if folder.exists():
        raise BlackjackError(f"id: expected a new name, but {folder} is there; raise the number after -v")
    return folder


@contextmanager
def _root(folder: str) -> Iterator[None]:
    """Let Minari write into a folder."""
    before = os.environ.get(ROOT)
    os.environ[ROOT] = folder
    try:
        yield
    finally:
        if before is None:
            del os.environ[ROOT]
        else:
            os.environ[ROOT] = before


def _write(name: str, number: int, buffer: EpisodeBuffer, env: gym.Env[Any, Any], mix: Mix, command: str) -> None:
    """Write a session: the first makes the data set, the others are added to it."""
    if number == 0:
        dataset = minari.create_dataset_from_buffers(name, [buffer], env=env, eval_env=env, **_facts(mix, command))
    else:
        dataset = minari.load_dataset(name)
        dataset.storage.update_episodes([buffer])
    dataset.storage.update_episode_metadata([{"policy": mix.policies[number % len(mix.policies)]}], [number])


def _arguments(mix: Mix) -> dict[str, Any]:
    return {
        "rules": house_text(mix.rules),
        "seats": tuple(mix.seats),
        "episode": "session",
        "max_rounds": SESSION,
        "illegal_action": "raise",
    }


def _sessions(env: BlackjackEnv, decisions: Sequence[Decision], mix: Mix) -> Iterator[EpisodeBuffer]:
    for number in range(mix.sessions):
        yield played(env, decisions[number % len(decisions)], (mix.seed + number) % SEEDS)


def _facts(mix: Mix, command: str) -> dict[str, Any]:
    return {
        "algorithm_name": ", ".join(mix.policies),
        "author": "bj dataset",
        "author_email": "none",
        "code_permalink": "none",
        "description": f"{mix.sessions} sessions of {SESSION} rounds by {', '.join(mix.policies)}; {command}",
    }
