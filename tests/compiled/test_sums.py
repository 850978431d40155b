"""Simulations that were played in parts: merged, they are the whole, and what does not belong together is refused."""

from itertools import pairwise
from random import Random

import pytest
from hypothesis import given
from hypothesis import settings as effort
from hypothesis import strategies as st

import bj_env
from bj_env.compiled.simulate import simulate
from bj_env.compiled.sums import Simulation
from bj_env.errors import BlackjackError
from bj_env.strategies.counting import CountingDecision

COUNTER = CountingDecision(ramp=((1, 2), (3, 8)))


def part(first: int, stop: int, **given: object) -> Simulation:
    arguments = {"rules": "6D PEN75", "decisions": [COUNTER, "basic"], "seed": 7, "block": 20} | given
    return simulate(blocks=range(first, stop), **arguments)


@effort(max_examples=25)
@given(st.lists(st.integers(1, 59), max_size=6, unique=True), st.randoms(use_true_random=False))
def test_parts_in_any_order_merge_to_the_whole_to_the_bit(cuts: list[int], chance: Random) -> None:
    edges = [0, *sorted(cuts), 60]
    parts = [part(first, stop) for first, stop in pairwise(edges)]
    chance.shuffle(parts)
    whole = simulate("6D PEN75", [COUNTER, "basic"], 1200, seed=7, block=20)
    assert Simulation.merge(parts) == whole
    assert whole.blocks == (range(60),)


def test_merged_parts_may_have_gaps_and_can_be_merged_again() -> None:
    outer = Simulation.merge([part(0, 10), part(20, 30)])
    assert outer.blocks == (range(10), range(20, 30))
    assert Simulation.merge([part(10, 20), outer]) == part(0, 30)


@pytest.mark.parametrize(
    ("other", "message"),
    [
        ({"seed": 8}, "expected simulations of .*seed 7.* got one of .*seed 8"),
        ({"rules": "6D PEN75 H17"}, "H17"),
        ({"decisions": ["basic", "basic"]}, "basic,basic"),
        ({"decisions": [CountingDecision(ramp=((1, 2), (3, 9))), "basic"]}, "expected simulations of"),
        ({"block": 10}, "expected simulations of"),
        ({}, "expected every block once, got 9 twice"),
    ],
)
def test_parts_of_different_games_and_blocks_played_twice_are_refused(other: dict[str, object], message: str) -> None:
    with pytest.raises(BlackjackError, match=message):
        Simulation.merge([part(0, 10), part(9, 12, **other)])


def test_nothing_merges_to_nothing_and_plus_is_refused() -> None:
    with pytest.raises(BlackjackError, match="at least one"):
        Simulation.merge([])
    with pytest.raises(TypeError):
        part(0, 1) + part(1, 2)  # type: ignore[operator]


@pytest.mark.parametrize("blocks", [range(3, 3), range(0, 10, 2), range(-1, 5), [1, 2], range(2**33)])
def test_blocks_that_are_none_are_refused(blocks: object) -> None:
    with pytest.raises(BlackjackError, match="blocks: expected a range"):
        simulate("6D", ["basic"], blocks=blocks)  # type: ignore[arg-type]


def test_rounds_or_blocks_not_both() -> None:
    for given_ in ({}, {"rounds": 10, "blocks": range(3)}):
        with pytest.raises(BlackjackError, match="either a number of rounds or a range of blocks"):
            bj_env.simulate("6D", ["basic"], **given_)


def test_an_unknown_backend_is_refused() -> None:
    with pytest.raises(BlackjackError, match="backend: got 'rai'; did you mean 'ray'"):
        simulate("6D", ["basic"], 10, backend="rai")
