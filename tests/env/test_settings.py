"""The arguments of an environment: one set of defaults, and what is made of them."""

from dataclasses import FrozenInstanceError
from inspect import signature
from typing import Any

import pytest

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
