"""Arguments of the environment and of `reset` that are wrong: one clear line, and nothing has changed."""

from typing import Any

import numpy as np
import pytest

from bj_env.errors import BlackjackError
from bj_env.rules.terms import Action
from tests.env.games import make, state


@pytest.mark.parametrize(
    ("keywords", "message"),
    [
        ({"rules": "six-dek"}, r"unknown house 'six-dek'; did you mean 'six-deck'\?"),
        ({"rules": "6D H71"}, r"unknown rule 'H71' in '6D H71'; did you mean 'H17'\?"),
        ({"rules": 6}, "rules: expected a house, a rule text"),
        ({"seats": ("basic",)}, "seats: expected at least one 'agent'"),
        ({"seats": ()}, "seats: expected at least one 'agent'"),
        ({"seats": "agent"}, "seats: expected a sequence"),
        ({"seats": ("agent", "basik")}, r"unknown strategy 'basik'; did you mean 'basic'\?"),
        ({"seats": ("agent", "threshold:99")}, "threshold: expected a total from 4 to 22"),
        ({"seats": ("agent", 3)}, "strategy: expected a Decision"),
        ({"seats": ("agent",) * 13, "rules": "1D"}, "at most half the shoe"),
        ({"seats": 3}, "seats: expected"),
        ({"seats": None}, "seats: expected"),
        ({"bets": 5}, "bets: expected"),
        ({"observation": None}, "observation: expected"),
        ({"bets": ()}, "bets: expected"),
        ({"bets": (0,)}, "bets: expected"),
        ({"bets": (5, 5)}, "bets: expected different sizes"),
        ({"bets": (2000,)}, "bets: expected 0 or 1 to 1000 whole chips, got 2000"),
        ({"bets": (1,), "rules": "6D MIN5"}, "bets: expected 0 or 5 to 1000 whole chips, got 1"),
        ({"bets": (1.5,)}, "bets: expected"),
        ({"bets": (True, 5)}, "bets: expected"),
        ({"bets": (5.0,)}, "bets: expected 0 or 1 to 1000 whole chips, got 5.0"),
        ({"episode": "rounds"}, r"episode: got 'rounds'; did you mean 'round'\?"),
        ({"episode": "shoe"}, "episode: 'shoe' needs a cut card"),
        ({"bankroll": 0}, "bankroll: expected at least the smallest bet"),
        ({"bankroll": -5}, "bankroll: expected chips from 0 up"),
        ({"bankroll": "100"}, "bankroll: expected chips from 0 up"),
        ({"bankroll": float("nan")}, "bankroll: expected chips from 0 up"),
        ({"bankroll": 10**400}, "bankroll: expected chips from 0 up"),
        ({"max_rounds": 0}, "max_rounds: expected a whole number from 1 to 2147483647"),
        ({"max_rounds": 1.5}, "max_rounds: expected a whole number from 1 to 2147483647"),
        ({"observation": ("hands",)}, r"observation: unknown part 'hands'; did you mean 'hand'\?"),
        ({"observation": "hand"}, "observation: expected a set of parts"),
        ({"observation": ()}, "observation: expected at least one part"),
        ({"encoding": "feature"}, r"encoding: got 'feature'; did you mean 'features'\?"),
        ({"illegal_action": "ignore"}, "illegal_action: got 'ignore'; valid: 'fallback', 'penalty', 'raise'"),
        ({"render_mode": "asci"}, r"render_mode: got 'asci'; did you mean 'ansi'\?"),
    ],
)
def test_a_wrong_argument_gets_one_clear_line(keywords: dict[str, Any], message: str) -> None:
    with pytest.raises(BlackjackError, match=message) as caught:
        make(**keywords)
    assert_one_lower_case_line(str(caught.value))


def test_what_is_on_or_off_may_be_a_bool_of_numpy() -> None:
    env = make(mask_in_observation=np.True_, record_in_info=np.False_)
    observation, info = env.reset(seed=1)
    assert (set(observation), "record" in info) == ({"action_mask", "observation"}, False)


@pytest.mark.parametrize("action", [True, False, np.True_])
def test_a_bool_is_no_action(action: Any) -> None:
    env = make()
    env.reset(seed=1)
    with pytest.raises(BlackjackError, match="action: expected a whole number from 0 to 6, got"):
        env.step(action)


def assert_one_lower_case_line(text: str) -> None:
    assert "\n" not in text
    assert text[0].islower() or not text[0].isalpha()


@pytest.mark.parametrize(
    ("seed", "options", "message"),
    [
        (-1, None, "seed: expected a whole number"),
        (1.5, None, "seed: expected a whole number"),
        ("1", None, "seed: expected a whole number"),
        (True, None, "seed: expected a whole number"),
        (2**64, None, "seed: expected a whole number"),
        (1, {"lines": "x"}, r"unknown option 'lines'; did you mean 'line'\?"),
        (1, {"line": "single-deck ; D 6/T ; P1 1 T,6"}, "expected a line under 'six-deck', got 'single-deck'"),
        (1, {"line": "six-deck ; D 6/T ; P1 1 T,6 ; P2 1 T,6"}, "expected a line with 1 seats, got 2"),
        (1, {"line": "six-deck ; D 6/T ; P1 1 T,5 P"}, "only a pair"),
        (1, {"line": "six-deck ; D 6/T ; P1 1 T,16"}, "column 27: expected a card"),
        (1, {"line": "six-deck ; D 6/T ; P1 1 A,K S"}, "no turn left"),
        (1, {"line": "x", "hand": "T,6"}, "stand alone"),
        (1, {"line": 5}, "expected a line of notation, got 5"),
        (1, {"shoe": None}, "expected cards for 'shoe'"),
        (1, {"shoe": ""}, "expected a card"),
        (1, {"hand": "T"}, "expected two cards for 'hand'"),
        (1, {"hand": "T,1"}, "expected a card"),
        (1, {"hand": 5}, "expected cards for 'hand'"),
        (1, {"upcard": "T,T"}, "expected one card for 'upcard'"),
        (1, {"shoe": ",".join("A" * 25)}, "expected cards that the shoe holds"),
        (1, {"shoe": "A,X"}, "expected a card"),
        (1, {"shoe": {"T": 1}}, "expected cards for 'shoe'"),
        (1, {"hand": {"T"}}, "expected cards for 'hand'"),
        (1, {"count": 10**400}, "expected a count from"),
        (1, ["line"], "options"),
    ],
    ids=str,
)
def test_a_wrong_reset_is_refused_and_the_episode_before_goes_on(seed: Any, options: Any, message: str) -> None:
    env = make(bankroll=20)
    env.reset(options={"hand": "T,6", "upcard": "7"}, seed=9)
    before = state(env)
    with pytest.raises(BlackjackError, match=message) as caught:
        env.reset(seed=seed, options=options)
    assert_one_lower_case_line(str(caught.value))
    assert state(env) == before
    env.step(Action.STAND)
    assert env.episode.over
