"""The compiled engine is the readable one: state by state, under any rules, seats, bets, money and actions."""

from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import settings as effort
from hypothesis import strategies as st

from tests.generators import seeds
from tests.lockstep import Pair, settings

GAMES = (settings(), st.lists(seeds, min_size=2, max_size=2), st.randoms(use_true_random=False))


@given(*GAMES)
@effort(max_examples=120, deadline=None)
def test_both_engines_agree_after_every_step(arguments: dict[str, Any], seeds: list[int], chance: Random) -> None:
    Pair(arguments, seeds).play(25, chance, illegal=0.2)


@pytest.mark.slow
@given(*GAMES)
@effort(max_examples=1_500, deadline=None)
def test_both_engines_agree_after_many_steps(arguments: dict[str, Any], seeds: list[int], chance: Random) -> None:
    Pair(arguments, seeds).play(25, chance, illegal=0.2)
