"""The environment's contracts: checkers, spaces, observations, masks, and strategies of other seats that fail."""

from importlib import import_module
from itertools import product
from random import Random
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from stable_baselines3.common.env_checker import check_env as sb3_check_env

import bj_env
from bj_env.env.env import BlackjackEnv
from bj_env.errors import BlackjackError, DecisionError
from bj_env.game.decision import Decision
from bj_env.game.view import View
from bj_env.rules.houses import HOUSES
from bj_env.rules.terms import Action, Phase
from tests.env.games import PARTS, SEATS, episode, make, state


def test_gymnasium_makes_it() -> None:
    for name in ("Blackjack-multi-v0", "bj_env:Blackjack-multi-v0"):
        env = gym.make(name)
        assert isinstance(env.unwrapped, BlackjackEnv)
        env.close()
    assert bj_env.__version__


@pytest.mark.parametrize("encoding", ["features", "discrete"])
@pytest.mark.parametrize("parts", [("hand",), ("table", "seen"), PARTS], ids="+".join)
@pytest.mark.parametrize("seats", SEATS, ids=len)
@pytest.mark.parametrize("house", ["six-deck", "single-deck", "eight-deck-europe", "6D ES PEN75 MIN5", "sutton-barto"])
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_both_checkers_pass(house: str, seats: tuple[str, ...], parts: tuple[str, ...], encoding: str) -> None:
    """Report b080."""
    env = gym.make("Blackjack-multi-v0", rules=house, seats=seats, observation=parts, encoding=encoding)
    check_env(env.unwrapped, skip_render_check=True)
    sb3_check_env(env.unwrapped)


@pytest.mark.parametrize("house", HOUSES)
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_the_checkers_pass_in_every_house(house: str) -> None:
    """Report b080."""
    env = make(rules=house, bets=(10, 25), observation=PARTS, render_mode="ansi")
    check_env(env)
    sb3_check_env(env)


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_the_smallest_table_passes() -> None:
    """Report b081."""
    check_env(make(rules="1D D0 SP1 NS NINS"), skip_render_check=True)


@pytest.mark.slow
@pytest.mark.parametrize("encoding", ["features", "discrete"])
@pytest.mark.parametrize("learner", ["PPO", "A2C", "DQN", "MaskablePPO"])
@pytest.mark.filterwarnings("ignore")
def test_learners_take_it_as_it_is(learner: str, encoding: str) -> None:
    """Report b082."""
    module = import_module("sb3_contrib" if learner == "MaskablePPO" else "stable_baselines3")
    short = {"n_steps": 128, "n_epochs": 1} if "PPO" in learner else {}
    env = gym.make("Blackjack-multi-v0", encoding=encoding)
    model = getattr(module, learner)("MlpPolicy", env, seed=1, device="cpu", **short)
    assert model.learn(256).num_timesteps >= 256


@pytest.mark.parametrize("encoding", ["features", "discrete"])
@pytest.mark.parametrize("seats", [("agent",) * n for n in (1, 2, 7)], ids=len)
@pytest.mark.parametrize("kind", ["round", "shoe", "session"])
def test_every_observation_is_in_its_space(kind: str, seats: tuple[str, ...], encoding: str) -> None:
    """Report b079."""
    env = make(
        rules="2D PEN75 CH5 DANY ES RSA HSA", seats=seats, observation=PARTS, encoding=encoding, episode=kind,
        bets=(0, 1, 5), bankroll=12, max_rounds=20,
    )  # fmt: skip
    chance, space = Random(7), env.observation_space
    for _ in range(30):
        for observation, reward, _over, info in episode(env, chance):
            assert space.contains(observation)
            assert observation.dtype == space.dtype
            assert len(observation) == len(env.feature_names)
            assert type(reward) is float
            assert (info["action_mask"].dtype, info["action_mask"].shape) == (np.int8, (env.action_space.n,))


@pytest.mark.parametrize("house", HOUSES)
def test_while_a_decision_is_due_some_action_is_legal_and_there_is_a_choice(house: str) -> None:
    """Report b083."""
    env = make(rules=house, seats=("random", "agent", "agent"), illegal_action="raise")
    chance = Random(11)
    for _ in range(300):
        for observation, _reward, over, info in episode(env, chance):
            mask = info["action_mask"]
            assert set(mask) <= {0, 1}
            assert np.array_equal(mask, env.action_masks())
            if over:
                assert not mask.any(), "the terminal mask is all zero"
            elif env.episode.no_decision:
                assert list(np.flatnonzero(mask)) == [Action.STAND]
            else:
                assert mask.sum() >= 2
                assert mask[env.action_space.sample(mask)]
            assert observation[:5].sum() == 1, "the phase is always in it"


@pytest.mark.slow
@pytest.mark.parametrize("house", HOUSES)
def test_ten_thousand_random_rounds_in_every_house(house: str) -> None:
    env = make(rules=house, seats=("agent",), illegal_action="raise", encoding="discrete")
    chance, taken = Random(3), set()
    for _ in range(10_000):
        for observation, _reward, over, info in episode(env, chance):
            if not over:
                taken |= {(int(observation[0]), int(action)) for action in np.flatnonzero(info["action_mask"])}
    rules = env.rules
    offered = {(Phase.PLAY, Action.STAND), (Phase.PLAY, Action.HIT)}
    offered |= {(Phase.PLAY, Action.DOUBLE)} if rules.double.name != "D0" else set()
    offered |= {(Phase.PLAY, Action.SPLIT)} if rules.max_hands > 1 else set()
    offered |= {(Phase.PLAY, Action.SURRENDER)} if rules.surrender.name == "LATE" else set()
    offered |= {(Phase.INSURANCE, Action.INSURE), (Phase.INSURANCE, Action.DECLINE)} if rules.insurance else set()
    offered |= {(Phase.ROUND_OVER, Action.STAND)} if not rules.act_on_21 or rules.hole_card.name == "PEEK" else set()
    assert taken == {(int(phase), int(action)) for phase, action in offered}


def test_the_mask_is_the_same_wherever_it_is_read() -> None:
    """Report b086."""
    env = gym.make("Blackjack-multi-v0")
    _, info = env.reset(seed=4)
    for _ in range(50):
        assert np.array_equal(info["action_mask"], env.get_wrapper_attr("action_masks")())
        assert np.array_equal(info["action_mask"], env.unwrapped.action_masks())  # type: ignore[attr-defined]
        if not info["action_mask"].any():
            _, info = env.reset()
        else:
            _, _, _, _, info = env.step(env.action_space.sample(info["action_mask"]))


def test_observations_masks_and_infos_are_fresh() -> None:
    """Report b089."""
    env = make(observation=PARTS)
    observation, info = env.reset(seed=8)
    before, mask = observation.tobytes(), info["action_mask"].tobytes()
    kept = state(env)
    observation[:] = 1
    info["action_mask"][:] = 1
    assert state(env) == kept
    assert env.action_masks().tobytes() == mask
    other, info = env.reset(seed=8)
    assert (other.tobytes(), info["action_mask"].tobytes()) == (before, mask)
    env.step(1)
    assert (other.tobytes(), info["action_mask"].tobytes()) == (before, mask)


def test_actions_keep_their_numbers() -> None:
    names = "STAND HIT DOUBLE SPLIT SURRENDER INSURE DECLINE".split()
    assert [action.name for action in Action] == names
    assert make().action_space == gym.spaces.Discrete(7)
    assert make(bets=(0, 1, 5)).action_space == gym.spaces.Discrete(10)


def test_feature_names_are_unique_and_as_many_as_the_entries() -> None:
    for parts, encoding in product([("hand",), PARTS], ["features", "discrete"]):
        env = make(seats=("agent", "basic"), observation=parts, encoding=encoding)
        names = env.feature_names
        assert len(set(names)) == len(names) == env.observation_space.shape[0]  # type: ignore[index]


class Broken(Decision):
    def __init__(self, answer: Any) -> None:
        self.wrong = answer

    def play(self, view: View) -> Action:
        if self.wrong == "raise":
            raise RuntimeError("out of order")
        return self.wrong


@pytest.mark.parametrize("answer", ["raise", None, "HIT", 7, -1, Action.INSURE], ids=str)
def test_a_broken_decision_is_reported_with_seat_and_hand(answer: Any) -> None:
    env = make(seats=("agent", Broken(answer)))
    env.reset(options={"shoe": "2,T,7,3,6,T"})
    with pytest.raises(DecisionError, match=r"P2 hand 1 \(T,6 hard 16\) against 7"):
        env.step(Action.STAND)


def test_after_a_broken_decision_the_agent_does_not_play_its_hand() -> None:
    env = make(seats=("agent", Broken("raise")))
    env.reset(options={"shoe": "2,T,7,3,6,T"})
    for _ in range(2):
        with pytest.raises(BlackjackError):
            env.step(Action.STAND)
    env.episode.decisions[1].wrong = Action.STAND  # type: ignore[union-attr]
    env.reset(seed=1)
    assert env.action_masks().any()


@pytest.mark.parametrize("chips", [-3, 1.5, None, "1", 10**6], ids=repr)
def test_a_nonsense_bet_of_another_seat_ends_the_episode(chips: Any) -> None:
    class Bets(Broken):
        def bet(self, view: View) -> int:
            return chips

    env = make(seats=("agent", Bets(Action.STAND)))
    with pytest.raises(DecisionError, match="bet of P2"):
        env.reset(seed=1)
    with pytest.raises(BlackjackError, match=r"call reset\(\)"):
        env.step(Action.STAND)
