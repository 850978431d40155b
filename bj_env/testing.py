"""Helpers for tests, shipped with the library: the signature of the game. ``python -m bj_env.testing`` prints it."""

import argparse
import hashlib
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bj_env.env.env import BlackjackEnv
from bj_env.errors import BlackjackError, choices
from bj_env.game.events import Record
from bj_env.rules.houses import HOUSES, parse_rules

ENGINES = ("readable", "compiled")

SIGNED_RULES = (
    *HOUSES.values(),
    "1D PEN99 H17 DANY ES RSA HSA SP8 CH5 BURN3",
    "2D PEN50 OBO LS 7:5 SPRANK BJ21PUSH TIELOSE",
    "6D PEN75 ENHC ES10 2:1 D11 NDAS ACT21 WHOLE",
)
"""The rules whose rounds are signed: the named houses, and what none of them has."""

SEEDS = (2026, 2027, 2028, 2029)
"""Under each rules so many tables are played."""


def signature(rounds: int = 50, *, engine: str = "readable", threads: int = 1) -> str:
    """Return a hash over all that happens in many rounds, the agent's, random ones and mimics', under many rules.

    Every engine gives the same. It changes if and only if some dealt round does; commit messages name it when it has.

    Args:
        rounds: how many rounds of each table are signed.
        engine: who deals them, one of `ENGINES`.
        threads: how many threads share the tables of the compiled engine.

    Raises:
        BlackjackError: if there is no such engine.

    >>> len(signature(rounds=2))
    16
    """
    if engine not in ENGINES:
        raise BlackjackError(f"engine: got {engine!r}; {choices(engine, ENGINES)}")
    sign = hashlib.sha256()
    for text in SIGNED_RULES:
        arguments = _arguments(text)
        if engine == "readable":
            tables = [_readable_rounds(arguments, place, rounds) for place in range(len(SEEDS))]
        else:
            tables = _compiled_rounds(arguments, rounds, threads)
        for written in tables:
            sign.update("".join(f"{line}\n" for line in written).encode())
    return sign.hexdigest()[:16]


def _arguments(text: str) -> dict[str, Any]:
    """Return the arguments of an environment: bets to choose, and so little money that it often runs out."""
    low = parse_rules(text).min_bet
    return {
        "rules": text,
        "seats": ("random", "mimic", "agent", "random"),
        "bets": (low, 2 * low),
        "bankroll": 12.5 * low,
        "episode": "session",
    }


def _readable_rounds(arguments: dict[str, Any], place: int, rounds: int) -> list[str]:
    """Return so many rounds of one table in words, and where its shoe was after each."""
    env = BlackjackEnv(**arguments)
    env.reset(seed=SEEDS[place])
    written: list[str] = []
    step = 0
    while len(written) < rounds:
        action = _chosen(env.action_masks(), step, place)
        info = env.reset()[1] if env.episode.over else env.step(action)[4]
        if info["round_over"]:
            shoe = env.episode.table.shoe
            written.append(_signed(info["record"], shoe.rng.shoe, len(shoe.dealt)))
        step += 1
    return written


def _compiled_rounds(arguments: dict[str, Any], rounds: int, threads: int) -> list[list[str]]:
    """Return so many rounds of each table in words, and where its shoe was after each."""
    from bj_env.compiled import vector_env  # numba takes a second to import, which the readable engine need not

    env = vector_env.BlackjackVectorEnv(len(SEEDS), **arguments)
    env.engine.share(threads)
    env.reset(seed=SEEDS)
    written: list[list[str]] = [[] for _ in SEEDS]
    step = 0
    while min(map(len, written)) < rounds:
        actions = [_chosen(mask, step, place) for place, mask in enumerate(env.action_masks())]
        infos = env.step(np.array(actions))[4]
        tables = env.engine.tables
        for i in np.flatnonzero(infos["_nets"]).tolist():
            written[i].append(_signed(env.record(i), tables.state[i].shoe, tables.state[i].dealt))
        step += 1
    return [lines[:rounds] for lines in written]


def _signed(record: Record, shoe: int, dealt: int) -> str:
    """Return what is signed of a round: what everyone has seen, and how far the shoe is after it."""
    return f"{record} ; shoe {shoe}, {dealt} dealt"


def _chosen(mask: NDArray[np.int8], step: int, place: int) -> int:
    """Choose a legal action, not at random but by the number of the step and the place of the table; 0 if none is."""
    legal = np.flatnonzero(mask)
    return int(legal[((step + 1) * (2 * place + 1) * 0x9E3779B1 >> 16) % len(legal)]) if len(legal) else 0


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the signature."""
    parser = argparse.ArgumentParser("python -m bj_env.testing", description="Print the signature of the game.")
    parser.add_argument("--engine", choices=ENGINES, default="readable", help="who deals (default: %(default)s)")
    parser.add_argument("--threads", type=int, default=1, help="of the compiled engine (default: %(default)s)")
    parser.add_argument("--rounds", type=int, default=50, help="of each table (default: %(default)s)")
    options = parser.parse_args(arguments)
    print(signature(options.rounds, engine=options.engine, threads=options.threads))


if __name__ == "__main__":
    main()
