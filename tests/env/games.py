"""Environments for tests, played with random legal actions, and all that can change in them."""

from collections.abc import Iterator
from random import Random
from typing import Any

import numpy as np

from bj_env.env.env import BlackjackEnv
from bj_env.rules.terms import HoleCard, Phase
from tests.generators import snapshot

PARTS = ("hand", "table", "seen", "rules")
SEATS = (("agent",), ("agent", "basic"), ("basic", "random", "agent", "mimic", "agent", "never-bust", "threshold:15"))


def make(**keywords: Any) -> BlackjackEnv:
    return BlackjackEnv(**{"seats": ("agent",)} | keywords)


def episode(env: BlackjackEnv, chance: Random, **reset: Any) -> Iterator[tuple[Any, float, bool, dict[str, Any]]]:
    """Play an episode with random legal actions; yield observation, reward, whether it ended, and info."""
    observation, info = env.reset(**reset)
    yield observation, 0.0, False, info
    over = False
    while not over:
        action = chance.choice(np.flatnonzero(info["action_mask"]))
        observation, reward, terminated, truncated, info = env.step(action)
        over = terminated or truncated
        yield observation, reward, over, info


def story(env: BlackjackEnv, seed: int, steps: int) -> list[Any]:
    """Play on with random legal actions; return all that the agent is told."""
    chance, told = Random(seed), []
    while len(told) < steps:
        told += [
            (observation.tobytes(), reward, over, info["action_mask"].tobytes(), str(info.get("record")))
            for observation, reward, over, info in episode(env, chance)
        ]
    return told[:steps]


def state(env: BlackjackEnv) -> Any:
    """Return all that can change in an environment."""
    held = env.episode
    return snapshot(held.table), held.phase, held.mask, held.over, held.truncated, held.seat, held.hand_index


def permuted(order: list[Any], env: BlackjackEnv, chance: Random) -> list[Any]:
    """Shuffle what the seats have not seen; the hole card stays a blackjack, or none, if the dealer has looked."""
    round, held = env.episode.round, env.episode
    assert round is not None
    dealt = len(held.table.shoe.dealt)
    hidden = list(range(dealt, 52))
    hole = 2 * len(held.decisions) + 1 if round.hole is not None else None
    if hole is not None and round.phase in (Phase.PLAY,) and round.rules.hole_card is HoleCard.PEEK:
        wanted = order[hole].value + round.upcard.value == 11
        fits = [at for at in hidden if (order[at].value + round.upcard.value == 11) == wanted]
    else:
        fits = hidden
    other = list(order)
    if hole is not None and fits:
        swap = chance.choice(fits)
        other[hole], other[swap] = other[swap], other[hole]
    rest = [other[at] for at in hidden]
    chance.shuffle(rest)
    for at, card in zip(hidden, rest, strict=True):
        other[at] = card
    return other
