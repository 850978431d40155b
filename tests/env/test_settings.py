"""The arguments of an environment: one set of defaults, and what is made of them."""

from dataclasses import FrozenInstanceError
from functools import partial
from inspect import signature
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.envs.registration import EnvSpec

from bj_env.compiled.vector_env import BlackjackVectorEnv
from bj_env.env.env import BlackjackEnv
from bj_env.env.settings import Settings, fallback_action
from bj_env.errors import BlackjackError
from bj_env.game.decision import Decision
from bj_env.rules.houses import parse_rules
from bj_env.rules.terms import FIRST_BET, Action
from bj_env.strategies.count_systems import count_from


def test_the_environment_takes_them_with_the_same_defaults() -> None:
    ours = dict(signature(BlackjackEnv.__init__).parameters)
    del ours["self"], ours["render_mode"], ours["record_in_info"], ours["unknown"]
    assert ours == dict(signature(Settings.checked).parameters)


def test_the_vector_environment_takes_them_with_the_same_defaults() -> None:
    ours = dict(signature(BlackjackVectorEnv.__init__).parameters)
    for name in ("self", "num_envs", "autoreset_mode", "threads", "max_episode_steps", "render_mode", "unknown"):
        del ours[name]
    assert ours == dict(signature(Settings.checked).parameters)


def test_they_hold_what_was_checked() -> None:
    settings = Settings.checked(
        rules="2D PEN75",
        seats=("agent", "basic", "agent"),
        bets=(25, 0, 5),
        episode="shoe",
        bankroll=7.5,
        max_rounds=3,
        observation=("bankroll", "hand"),
        encoding="discrete",
        count="ko",
        reward="expected",
        illegal_action="penalty",
    )
    assert (settings.rules, settings.bets) == (parse_rules("2D PEN75"), (25, 0, 5))
    assert [isinstance(decision, Decision) for decision in settings.decisions] == [False, True, False]
    assert (settings.episode, settings.bankroll, settings.max_rounds) == ("shoe", 7.5, 3)
    assert (settings.layout.parts, settings.layout.encoding) == (("hand", "bankroll"), "discrete")
    assert (settings.count, settings.reward, settings.illegal_action) == (count_from("ko"), "expected", "penalty")
    assert (settings.agents, settings.unit, settings.actions) == ((0, 2), 5, FIRST_BET + 3)
    assert settings.stakes == {0: 0, 25: 1, 5: 2}
    assert [settings.action_name(action) for action in (0, 7, 8)] == ["STAND", "bet 25", "bet 0"]


def test_a_single_bet_is_no_action() -> None:
    settings = Settings.checked(seats=("agent",), bets=(5,))
    assert (settings.actions, settings.unit, settings.stakes) == (FIRST_BET, 5, {0: 0, 5: 1})


def test_nothing_changes_them() -> None:
    with pytest.raises(FrozenInstanceError):
        Settings.checked().bankroll = 5  # type: ignore[misc]


PLAY = 1 << Action.STAND | 1 << Action.HIT
INSURANCE = 1 << Action.INSURE | 1 << Action.DECLINE


@pytest.mark.parametrize(
    ("action", "mask", "total", "played"),
    [
        (Action.HIT, PLAY, 20, Action.HIT),  # which is legal
        (Action.DOUBLE, PLAY, 20, Action.HIT),
        (Action.SPLIT, PLAY, 16, Action.HIT),
        (Action.SPLIT, PLAY, 17, Action.STAND),
        (Action.DOUBLE, 1 << Action.STAND, 11, Action.STAND),
        (Action.SURRENDER, PLAY, 16, Action.STAND),
        (FIRST_BET, PLAY, 16, Action.STAND),
        (Action.HIT, INSURANCE, 16, Action.DECLINE),
        (Action.STAND, 0b110 << FIRST_BET, 0, FIRST_BET + 1),  # the first bet that the money covers
    ],
)
def test_what_is_played_in_place_of_an_illegal_action(action: int, mask: int, total: int, played: int) -> None:
    assert fallback_action(action, mask, total) == played


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"bets": range(1, 26)}, "bets: expected at most 24 sizes, got 25"),
        ({"max_rounds": 2**31}, "max_rounds: expected a whole number from 1 to 2147483647, got 2147483648"),
    ],
)
def test_what_machine_words_cannot_hold_is_refused(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(BlackjackError, match=message):
        Settings.checked(**arguments)


def test_numpy_numbers_are_numbers() -> None:
    settings = Settings.checked(bets=np.arange(1, 4), bankroll=np.int64(50), max_rounds=np.int32(7))  # type: ignore[arg-type]
    assert (settings.bets, settings.bankroll, settings.max_rounds) == ((1, 2, 3), 50, 7)
    assert all(type(bet) is int for bet in settings.bets)
    assert Settings.checked(bankroll=np.float32(7.5)).bankroll == 7.5
    env = BlackjackEnv(seats=("agent",), rules="6D PEN75")
    env.reset(seed=np.uint8(3), options={"count": np.float64(2)})  # type: ignore[arg-type]
    env.planning_copy(np.int64(3))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "arguments",
    [{"bets": (True,)}, {"bets": (1, np.True_)}, {"bankroll": True}, {"bankroll": np.True_}, {"max_rounds": True}],
    ids=str,
)
def test_bools_are_no_numbers(arguments: dict[str, Any]) -> None:
    with pytest.raises(BlackjackError, match=r"got .*True"):
        Settings.checked(**arguments)


@pytest.mark.parametrize("given", [{"seed": True}, {"options": {"count": True}}])
def test_bools_are_no_seeds_and_no_counts(given: dict[str, Any]) -> None:
    with pytest.raises(BlackjackError, match=r"got .*True"):
        BlackjackEnv(rules="6D PEN75").reset(**given)


def test_the_specification_of_an_environment_makes_it_again() -> None:
    rules = parse_rules("6D H17 DAS LS PEN75")
    made = gym.make("Blackjack-multi-v0", rules=rules, seats=("agent",), bets=(1, 5))
    assert made.spec is not None
    again: Any = gym.make(EnvSpec.from_json(made.spec.to_json()))
    assert again.unwrapped.rules == rules
    assert again.unwrapped.bets == (1, 5)


@pytest.mark.parametrize(
    "arguments",
    [
        {"bets": np.arange(1, 4)},
        {"bets": range(1, 3)},
        {"bankroll": np.float32(50.1), "max_rounds": np.int64(6)},
        {"observation": {"count", "hand"}, "count": count_from("ko whole true")},
        {"seats": np.array(["agent", "basic"]), "mask_in_observation": np.True_},
    ],
    ids=lambda arguments: "-".join(arguments),
)
@pytest.mark.parametrize("make", [gym.make, partial(gym.make_vec, num_envs=2)], ids=["make", "make_vec"])
def test_a_specification_holds_what_json_can(make: Any, arguments: dict[str, Any]) -> None:
    made = make("Blackjack-multi-v0", **({"seats": ("agent",)} | arguments))
    again = make(EnvSpec.from_json(made.spec.to_json()))
    one, other = made.unwrapped.settings, again.unwrapped.settings
    for name in ("bets", "bankroll", "max_rounds", "count", "names", "observation_keys"):
        assert getattr(one, name) == getattr(other, name)
    assert one.layout.names == other.layout.names


def test_a_line_with_a_false_result_is_refused_as_in_a_replay() -> None:
    env = BlackjackEnv(seats=("agent",))
    env.reset(seed=1)
    line = "six-deck ; D 6/T ; P1 1 T,9 S ; next 9 => P1 {} ; D 6,T,9"
    with pytest.raises(BlackjackError, match="the result differs"):
        env.reset(options={"line": line.format("-1")})
    assert not env.episode.over
    _, info = env.reset(options={"line": line.format("+1")})
    assert info["action_mask"].tolist() == [1, 0, 0, 0, 0, 0, 0]
