"""Copies to plan with: what is face up stays, what nobody can see is decided anew, with the right chances."""

from collections import Counter

import numpy as np
import pytest
from scipy.stats import chisquare

from bj_env.env.env import BlackjackEnv
from bj_env.rules.terms import Phase


def started(rules: str, shoe: str, **game: object) -> BlackjackEnv:
    env = BlackjackEnv(rules=rules, seats=("agent",), **game)  # type: ignore[arg-type]
    env.reset(seed=1, options={"shoe": shoe})
    return env


def test_what_can_be_seen_stays() -> None:
    env = BlackjackEnv(rules="6D PEN75", seats=("basic", "agent", "random"), observation=("hand", "table", "seen"))
    for seed in range(20):
        observation, info = env.reset(seed=seed)
        copy = env.planning_copy(seed + 100)
        np.testing.assert_array_equal(copy._observation(), observation)
        np.testing.assert_array_equal(copy.action_masks(), info["action_mask"])


def test_planning_changes_nothing_here() -> None:
    env, twin = (started("6D PEN75 BURN2", "T,6,2,9") for _ in range(2))
    copy = env.planning_copy(7)
    while copy.action_masks().any():
        copy.step(int(copy.action_masks()[1]))
    assert str(env.step(1)[4].get("record")) == str(twin.step(1)[4].get("record"))


def test_the_same_seed_gives_the_same_copy() -> None:
    env = started("6D", "T,6,2,9")
    ends = [env.planning_copy(seed).step(0)[4]["record"] for seed in (1, 1, 2, 3, 4)]
    assert str(ends[0]) == str(ends[1])
    assert len({str(end) for end in ends}) > 1


@pytest.mark.parametrize(("upcard", "excluded"), [("T", 1), ("A", 10), ("6", 0)])
def test_the_hole_card_is_any_that_the_peek_leaves(upcard: str, excluded: int) -> None:
    env = started("1D NINS", f"T,{upcard},6,9")
    assert env.episode.phase is Phase.PLAY
    holes = Counter(env.planning_copy(seed).episode.round.hole.value for seed in range(1500))  # type: ignore[union-attr]
    left = {value: 4 if value < 10 else 16 for value in range(1, 11)}
    for value in (10, 6, {"T": 10, "A": 1, "6": 6}[upcard]):
        left[value] -= 1
    left.pop(excluded, None)
    assert set(holes) == set(left)
    total = sum(left.values())
    assert chisquare([holes[value] for value in left], [1500 * left[value] / total for value in left]).pvalue > 1e-4


def test_cards_are_conserved() -> None:
    env = BlackjackEnv(rules="1D PEN75 BURN3", seats=("agent",))
    env.reset(seed=2)
    copy = env.planning_copy(5)
    shoe = copy.episode.table.shoe
    while shoe.left:
        shoe.draw()
    assert Counter(map(str, shoe.dealt)) == Counter(map(str, shoe.cards))


def test_an_infinite_shoe_has_holes_of_any_rank() -> None:
    env = BlackjackEnv(rules="INF NS NINS", seats=("agent",))
    env.reset(seed=3, options={"hand": "T,6", "upcard": "6"})
    holes = {str(env.planning_copy(seed).episode.round.hole)[0] for seed in range(300)}  # type: ignore[union-attr]
    assert len(holes) == 13
