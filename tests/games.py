"""Games that both engines play in lockstep: few, fixed, and so chosen that each rule of a round comes up in them.

``python -m tests.games`` plays them, says the first difference, and exits with `DIFFERENT` if there is one.
"""

import sys
import traceback
from random import Random
from typing import Any

from bj_env.rules.terms import Action
from tests.lockstep import Pair

DIFFERENT = 3
ALL = ("hand", "table", "seen", "composition")
_ACTIONS = {"S": Action.STAND, "H": Action.HIT, "D": Action.DOUBLE, "P": Action.SPLIT, "R": Action.SURRENDER}

ROUNDS: list[tuple[dict[str, Any], str | None, str]] = [
    ({"rules": "6D CH5"}, "8,6,8,T,2,3,2,2,T,5", "PHHHS"),  # a charlie after a split, against a 21
    ({"rules": "6D CH5"}, "2,6,2,T,2,2,2", "HHH"),  # against a charlie alone the dealer draws no card
    ({"rules": "6D OBO SP3"}, "8,T,8,8,2,3,4,A", "PPSSS"),  # three hands against a dealer's blackjack
    ({"rules": "6D OBO SP3"}, "8,T,8,8,T,3,T,A", "PPSDS"),  # one of them doubled
    ({"rules": "6D SP3"}, "8,6,8,T,8,8,8,8,T", "PPSSS"),  # as many hands as may be, of pairs
    ({"rules": "6D SP3 RSA"}, "A,6,A,T,A,T,9,2,T", "PP"),  # split aces get one card, a 21 is no blackjack
    ({"rules": "6D SPRANK"}, "T,6,K,T,5", "S"),  # a ten and a king are no pair by rank
    ({"rules": "6D NOPEEK"}, "T,T,6,A", "R"),  # a late surrender against a blackjack
    # the cards run out on and off the table:
    ({"rules": "1D SP8 RSA HSA", "seats": ("agent",) * 12}, None, "HHHHHHHHHHHHHPHHHHHHHHPPP"),
]
"""Rounds of which every card and action is given, or (None) chance deals the cards of seed 0."""

GAMES: dict[str, tuple[int, dict[str, Any]]] = {
    "little money": (
        150,
        {
            "rules": "2D NOPEEK MIN4 MAX90",
            "seats": ("agent", "mimic", "agent"),
            "bets": (0, 4, 8),
            "bankroll": 9,
            "episode": "session",
            "max_rounds": 3,
            "observation": (*ALL, "bankroll"),
            "illegal_action": "penalty",
        },
    ),
    "one seat, a cut card": (60, {"rules": "1D PEN75 H17 D10 NDAS", "seats": ("agent",), "episode": "shoe"}),
    "splits": (100, {"rules": "1D BURN2 SP3 RSA HSA", "seats": ("agent", "random", "agent")}),
    "no hole card": (60, {"rules": "2D PEN50 OBO SP8 NS 2:1", "seats": ("agent", "agent"), "episode": "session"}),
    "no peek": (60, {"rules": "1D PEN50 NOPEEK LS BJ21PUSH", "seats": ("random", "agent"), "encoding": "discrete"}),
    "a full table": (
        60,
        {"rules": "1D PEN99 SP2 NS ACT21", "seats": ("agent",) * 5 + ("random",) * 7, "episode": "session"},
    ),
    "expectations": (10, {"rules": "6D ES10 SPRANK", "seats": ("agent", "random"), "reward": "expected"}),
}
"""Games of so many steps, which are played at random."""


def play_round(arguments: dict[str, Any], shoe: str | None, actions: str) -> None:
    """Play a round from its first card to its end."""
    pair = Pair({"seats": ("agent",), "observation": ALL} | arguments, [0])
    pair.reset(options={"shoe": shoe} if shoe else None)
    ends = [pair.step([_ACTIONS[letter]]) for letter in actions]
    assert ends[-1] == [True], "the round goes on after its last action"


def play_game(name: str) -> None:
    """Play one of the games."""
    steps, arguments = GAMES[name]
    Pair({"observation": ALL} | arguments, [1, 2, 3]).play(steps, Random(name), illegal=0.1)


def play_all() -> None:
    """Play all rounds and games."""
    for round in ROUNDS:
        play_round(*round)
    for name in GAMES:
        play_game(name)


def main() -> int:
    """Play until something differs."""
    try:
        play_all()
    except AssertionError:
        traceback.print_exc()
        return DIFFERENT
    return 0


if __name__ == "__main__":
    sys.exit(main())
