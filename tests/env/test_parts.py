"""The parts count, composition and bankroll of an observation."""

from typing import Any

import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

from bj_env.env.env import BlackjackEnv
from bj_env.errors import BlackjackError


def columns(env: BlackjackEnv, part: str, observation: Any) -> list[int]:
    start = env.layout.starts[part]
    size = sum(column.part == part for column in env.layout.columns)
    return list(observation[start : start + size])


def make(*parts: str, **game: Any) -> BlackjackEnv:
    return BlackjackEnv(**{"seats": ("agent",), "encoding": "discrete", "observation": parts, **game})


def test_composition_is_what_has_not_been_seen_whether_hole_card_or_shoe() -> None:
    env = make("seen", "composition", rules="2D NINS")
    observation, _ = env.reset(options={"shoe": "T,6,2,9"})
    seen, left = columns(env, "seen", observation)[:10], columns(env, "composition", observation)
    assert seen == [0, 1, 0, 0, 0, 1, 0, 0, 0, 1]
    assert [one + other for one, other in zip(seen, left, strict=True)] == [8] * 9 + [32]


@pytest.mark.parametrize(("system", "shown"), [("hi-lo", 20 + 1), ("ko", 20 - 1), ("hi-opt-i", 20 + 0)])
def test_count_is_rounded_down(system: str, shown: int) -> None:
    env = make("count", rules="2D NINS", count=system)
    observation, _ = env.reset(options={"shoe": "2,6,2,9"})  # sees 2, 6, 2 of 104 cards: +3, and KO starts at -4
    assert list(observation) == [shown]


def test_the_hole_card_counts_when_it_is_turned() -> None:
    env = make("count", rules="1D NINS PEN75", count="hi-lo", bets=(1, 2), episode="shoe")
    env.reset(options={"shoe": "T,7,9,T,2"})
    observation, *_ = env.step(7)
    assert list(observation) == [20 - 2]  # one ten in 49 cards: -1.06
    observation, *_ = env.step(0)
    assert list(observation) == [20 - 3]  # two tens in 48 cards: -2.17


def test_bankroll_counts_smallest_bets() -> None:
    env = make("bankroll", bankroll=100, bets=(5, 10), rules="6D NINS")
    observation, _ = env.reset(options={"shoe": "T,6,2,9"})
    assert list(observation) == [20]
    observation, *_ = env.step(8)
    assert list(observation) == [18]
    assert env.observation_space.contains(observation)


def test_gymnasium_accepts_all_parts_together() -> None:
    parts = ("hand", "table", "count", "seen", "composition", "bankroll", "rules")
    for encoding in ("features", "discrete"):
        env = make(*parts, encoding=encoding, bankroll=50, bets=(0, 1, 5), rules="2D PEN75", episode="session")
        check_env(env, skip_render_check=True)
        assert len(env.feature_names) == np.prod(env.observation_space.shape)


@pytest.mark.parametrize(
    ("game", "message"),
    [
        ({"observation": ("count",), "rules": "INF NINS"}, "'count' needs a number of decks"),
        ({"observation": ("composition",), "rules": "INF NINS"}, "'composition' needs a number of decks"),
        ({"observation": ("bankroll",)}, "'bankroll' needs a limited bankroll"),
        ({"count": "hilo"}, "unknown system 'hilo'; did you mean 'hi-lo'"),
        ({"reward": "mean"}, "reward: got 'mean'; valid: 'sampled', 'expected'"),
    ],
)
def test_what_makes_no_sense_is_refused_by_name(game: dict[str, Any], message: str) -> None:
    with pytest.raises(BlackjackError, match=message):
        BlackjackEnv(seats=("agent",), **game)


@pytest.mark.parametrize("system", ["hi-lo", "hi-opt-ii", "wong-halves", "zen"])
@pytest.mark.parametrize("count", [-6, -1, 0, 2, 5])
def test_an_exploring_start_at_a_count(system: str, count: int) -> None:
    env = BlackjackEnv(seats=("agent",), rules="6D PEN75 NINS", count=system, bets=(1, 2))
    for seed in range(5):
        env.reset(seed=seed, options={"hand": "T,6", "upcard": "9", "count": count})
        table = env.episode.table
        assert count <= env.count.value(env.rules, table.shoe.seen) < count + 1
        assert not table.shoe.infinite
        env.step(7)
        assert str(env.episode.hand) == "T,6 hard 16"
        everything = [*table.shoe.dealt]
        while table.shoe.left:
            everything.append(table.shoe.draw())
        assert sorted(card.value for card in everything) == sorted(card.value for card in table.shoe.cards)


def test_a_start_at_a_count_works_in_a_house_that_shuffles_every_round() -> None:
    env = BlackjackEnv(seats=("agent",), rules="6D NINS", observation=("count",), encoding="discrete", bets=(1, 2))
    observation, _ = env.reset(seed=1, options={"count": 4})
    assert list(observation) == [24]
    env.step(7)
    assert len(env.episode.table.shoe.dealt) > 52


@pytest.mark.parametrize("count", [99, "3", True, None])
def test_a_count_that_makes_no_sense_is_refused(count: Any) -> None:
    with pytest.raises(BlackjackError, match="count from -20 to 20"):
        BlackjackEnv(seats=("agent",)).reset(options={"count": count})
