"""Helpers for tests, shipped with the library: the signature of the game. ``python -m bj_env.testing`` prints it."""

import hashlib

from bj_env.decisions import decision_from
from bj_env.houses import HOUSES
from bj_env.participants import Player
from bj_env.table import Table

SIGNED_RULES = (
    *HOUSES.values(),
    "1D PEN99 H17 DANY ES RSA HSA SP8 CH5 BURN3",
    "2D PEN50 OBO LS 7:5 SPRANK BJ21PUSH TIELOSE",
    "6D PEN75 ENHC ES10 2:1 D11 NDAS ACT21 WHOLE",
)
"""The rules whose rounds are signed: the named houses, and what none of them has."""


def signature(rounds: int = 200) -> str:
    """Return a hash over all that happens in many rounds, random ones and basic strategy's, under many rules.

    It changes if and only if some dealt round does; commit messages name it when it has.

    >>> len(signature(rounds=2))
    16
    """
    sign = hashlib.sha256()
    for text in SIGNED_RULES:
        seats = ("random", "basic", "random")
        players = [Player(f"P{number}", decision_from(name)) for number, name in enumerate(seats, start=1)]
        table = Table(text, players, seed=2026)
        for _ in range(rounds):
            for event in table.play_round().events:
                sign.update(str(event).encode() + b"\n")
    return sign.hexdigest()[:16]


if __name__ == "__main__":
    print(signature())
