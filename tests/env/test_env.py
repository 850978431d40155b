"""The environment's contracts: checkers, spaces, seeds, masks, illegal actions, copies, and nothing that leaks."""

import copy
import os
import pickle
import subprocess
import sys
from collections.abc import Iterator
from importlib import import_module
from itertools import product
from random import Random
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from hypothesis import given, settings
from hypothesis import strategies as st
from stable_baselines3.common.env_checker import check_env as sb3_check_env

import bj_env
from bj_env.env.env import BlackjackEnv
from bj_env.errors import BlackjackError, DecisionError, IllegalAction
from bj_env.game.cards import FACES
from bj_env.game.decision import Decision
from bj_env.game.replay import replay
from bj_env.game.view import View
from bj_env.observation import PARTS as ALL
from bj_env.rules.houses import HOUSES
from bj_env.rules.terms import Action, HoleCard, Phase
from tests.generators import rules, snapshot

PARTS = ("hand", "table", "seen", "rules")
SEATS = (("agent",), ("agent", "basic"), ("basic", "random", "agent", "mimic", "agent", "never-bust", "threshold:15"))


def make(**keywords: Any) -> BlackjackEnv:
    return BlackjackEnv(**{"seats": ("agent",)} | keywords)


def episode(env: BlackjackEnv, chance: Random, **reset: Any) -> Iterator[tuple[Any, float, bool, dict[str, Any]]]:
    """Play an episode with random legal actions; yield observation, reward, whether it ended, and info."""
    observation, info = env.reset(**reset)
    yield observation, 0.0, False, info
    over = False
    while not over:
        action = chance.choice(np.flatnonzero(info["action_mask"]))
        observation, reward, terminated, truncated, info = env.step(action)
        over = terminated or truncated
        yield observation, reward, over, info


def story(env: BlackjackEnv, seed: int, steps: int) -> list[Any]:
    """Play on with random legal actions; return all that the agent is told."""
    chance, told = Random(seed), []
    while len(told) < steps:
        told += [
            (observation.tobytes(), reward, over, info["action_mask"].tobytes(), str(info.get("record")))
            for observation, reward, over, info in episode(env, chance)
        ]
    return told[:steps]


def state(env: BlackjackEnv) -> Any:
    """Return all that can change in an environment."""
    held = env.episode
    return snapshot(held.table), held.phase, held.mask, held.over, held.truncated, held.seat, held.hand_index


# --- the checkers ---


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


# --- spaces, observations, masks ---


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


# --- seeds ---


def test_a_seed_fixes_the_resets_after_it_but_they_are_not_all_equal() -> None:
    """Report b076."""

    def openings() -> list[bytes]:
        env = make(seats=("agent", "random"), observation=("hand", "table"))
        return [env.reset(seed=5)[0].tobytes(), *(env.reset()[0].tobytes() for _ in range(20))]

    assert openings() == openings()
    assert len(set(openings())) > 15


def test_the_seeds_of_environment_and_action_space_fix_all() -> None:
    """Report b074."""

    def sampled(seed: int | None) -> list[int]:
        env = make()
        env.reset(seed=1)
        if seed is not None:
            env.action_space.seed(seed)
        return [int(env.action_space.sample()) for _ in range(100)]

    assert sampled(1) == sampled(1)
    assert sampled(None) != sampled(None)


def test_without_a_seed_two_environments_differ() -> None:
    def openings() -> list[bytes]:
        env = make(observation=("hand", "table"))
        return [env.reset()[0].tobytes() for _ in range(10)]

    assert openings() != openings()


def test_nothing_global_is_touched_and_nothing_global_matters() -> None:
    before = np.random.get_state()[1].tobytes()  # type: ignore[union-attr]  # noqa: NPY002
    first = story(make(seats=("random", "agent")), seed=1, steps=50)
    env = make(seats=("random", "agent"))
    env.reset(seed=3)
    one = story(env, 1, 50)
    np.random.seed(77)  # noqa: NPY002
    env.reset(seed=3)
    assert story(env, 1, 50) == one != first
    np.random.seed(78)  # noqa: NPY002
    env.reset(seed=3)
    assert story(env, 1, 50) == one
    assert before


@pytest.mark.parametrize("seed", [0, 1, 2**31, 2**32, 2**63, 2**64 - 1])
def test_any_seed_will_do(seed: int) -> None:
    assert make().reset(seed=seed)[0].tobytes() == make().reset(seed=np.uint64(seed))[0].tobytes()  # type: ignore[arg-type]


SCRIPT = """
from random import Random
from bj_env.env.env import BlackjackEnv
env = BlackjackEnv(rules="2D PEN75", seats=("random", "agent", "basic"), observation=("hand", "table", "seen", "rules"))
env.reset(seed=123)
chance = Random(5)
for _ in range(200):
    _, info = env.reset()
    while info["action_mask"].any():
        legal = [action for action, may in enumerate(info["action_mask"]) if may]
        observation, reward, _, _, info = env.step(chance.choice(legal))
    print(hash(observation.tobytes()) if 0 else observation.tobytes().hex(), reward, info["record"])
"""


def test_a_fresh_process_with_another_hash_seed_gives_the_same() -> None:
    def output(hash_seed: str) -> str:
        environ = os.environ | {"PYTHONHASHSEED": hash_seed}
        command = [sys.executable, "-c", SCRIPT]
        return subprocess.run(command, env=environ, capture_output=True, text=True, check=True).stdout

    assert output("1") == output("4242") != ""


# --- copies ---


def duplicates(env: BlackjackEnv) -> list[BlackjackEnv]:
    return [copy.deepcopy(env), pickle.loads(pickle.dumps(env))]


@pytest.mark.parametrize("kind", ["round", "shoe", "session"])
def test_a_deep_copy_and_a_pickle_play_the_same(kind: str) -> None:
    env = make(
        rules="2D PEN75",
        seats=("random", "agent", "basic"),
        observation=PARTS,
        episode=kind,
        bankroll=50,
        bets=(0, 1, 5),
    )
    env.reset(seed=12)
    for _ in range(5):
        env.step(int(np.flatnonzero(env.action_masks())[-1]))
        if not env.action_masks().any():
            env.reset()
    copies = duplicates(env)
    assert state(copies[0]) == state(copies[1]) == state(env)

    def play_on(one: BlackjackEnv) -> list[Any]:
        chance, told = Random(1), []
        for _ in range(200):
            mask = one.action_masks()
            told.append((mask.tobytes(), *([one.reset()[0].tobytes()] if not mask.any() else [])))
            if mask.any():
                observation, reward, *_, info = one.step(chance.choice(np.flatnonzero(mask)))
                told.append((observation.tobytes(), reward, str(info.get("record"))))
        return told

    before = state(env)
    stories = [play_on(one) for one in copies]
    assert state(env) == before, "playing a copy leaves its owner alone"
    assert stories == [play_on(env)] * 2


def test_three_renders_change_nothing() -> None:
    env = make(rules="6D PEN75", seats=("basic", "agent"), render_mode="ansi", bets=(1, 5))
    env.reset(seed=2)
    for _ in range(60):
        before = state(env)
        assert env.render() == env.render() == env.render() != ""
        assert state(env) == before
        mask = env.action_masks()
        if mask.any():
            env.step(int(np.flatnonzero(mask)[0]))
        else:
            env.reset()


# --- illegal actions ---


def illegal_now(env: BlackjackEnv) -> list[int]:
    return [int(action) for action in np.flatnonzero(env.action_masks() == 0)]


def meant(action: int, total: int, mask: Any) -> int:
    """Return what is played in place of an illegal action."""
    if mask[Action.DECLINE]:
        return Action.DECLINE
    if not mask[: Action.DECLINE].any():
        return int(np.argmax(mask))  # the first bet on offer that the seat can make
    draws = action == Action.DOUBLE or (action == Action.SPLIT and total < 17)
    return Action.HIT if draws and mask[Action.HIT] else Action.STAND


@pytest.mark.parametrize("mode", ["fallback", "penalty"])
def test_an_illegal_action_is_replaced_and_flagged(mode: str) -> None:
    env = make(rules="6D D10 ES RSA PEN75", illegal_action=mode, bets=(2, 4), episode="session", bankroll=100)
    chance = Random(3)
    env.reset(seed=3)
    flagged = 0
    for _ in range(600):
        mask = env.action_masks()
        if not mask.any():
            env.reset()
            continue
        action = chance.randrange(env.action_space.n)
        twin = copy.deepcopy(env)
        _, reward, _, _, info = env.step(action)
        if mask[action]:
            assert not info["illegal_action"]
            continue
        flagged += 1
        assert info["illegal_action"]
        _, same_reward, *_ = twin.step(meant(action, twin.episode.hand.total, mask))
        assert state(twin) == state(env)
        assert reward == same_reward - (mode == "penalty")
    assert flagged > 100


def test_in_raise_mode_an_illegal_action_is_refused_and_changes_nothing() -> None:
    env = make(rules="6D ES PEN75", illegal_action="raise", bets=(2, 4), seats=("agent", "agent"), bankroll=30)
    chance = Random(5)
    for _ in range(100):
        env.reset(seed=chance.randrange(1000))
        while env.action_masks().any():
            before = state(env)
            for action in illegal_now(env):
                with pytest.raises(IllegalAction, match="expected one of"):
                    env.step(action)
            assert state(env) == before
            env.step(chance.choice(np.flatnonzero(env.action_masks())))


@pytest.mark.parametrize("mode", ["fallback", "penalty", "raise"])
@pytest.mark.parametrize("action", [-1, 7, 1.0, "HIT", None, np.array([1, 2]), 10**20], ids=str)
def test_what_is_no_action_is_refused_in_every_mode(mode: str, action: Any) -> None:
    env = make(illegal_action=mode)
    env.reset(seed=1)
    before = state(env)
    with pytest.raises(BlackjackError, match=r"^action: expected a whole number from 0 to 6, got "):
        env.step(action)
    assert state(env) == before


@pytest.mark.parametrize("action", [1, np.int64(1), np.int32(1), np.array(1), Action.HIT], ids=repr)
def test_whole_numbers_of_any_kind_are_actions(action: Any) -> None:
    env = make()
    env.reset(options={"hand": "2,3", "upcard": "7"}, seed=1)
    env.step(action)
    assert len(env.episode.hand.cards) == 3


def test_stepping_on_after_the_end_is_a_clear_error_and_draws_no_card() -> None:
    """Report b072."""
    env = make()
    env.reset(seed=0)
    while env.action_masks().any():
        env.step(int(env.action_masks()[Action.HIT]))
    before = state(env)
    for _ in range(51):
        with pytest.raises(BlackjackError, match=r"call reset\(\)"):
            env.step(1)
    assert state(env) == before
    with pytest.raises(BlackjackError, match=r"call reset\(\)"):
        make().step(0)


# --- rewards and infos ---


def test_two_seats_are_paid_each_once_and_under_the_right_name() -> None:
    """Report b093."""
    env = make(seats=("agent", "agent"), bets=(10,))
    env.reset(options={"line": "six-deck ; D T/7 ; P1 10 T,6 ; P2 10 T,9 ; next K"})
    _, reward, over, *_ = env.step(Action.HIT)
    assert (reward, over) == (0, False)
    _, reward, over, _, info = env.step(Action.STAND)
    assert (info["nets"].tolist(), reward, over) == ([-10, 10], 0, True)


def test_a_blackjack_at_the_deal_leaves_the_others_to_act() -> None:
    """Report b094."""
    env = make(seats=("agent", "agent", "agent"))
    shoe = "A,T,9,T,K,6,9,7"
    _, info = env.reset(options={"shoe": shoe})
    assert info["seat"] == 1
    assert not env.episode.over
    _, _, over, _, info = env.step(Action.STAND)
    assert (over, info["seat"]) == (False, 2)
    _, reward, over, _, info = env.step(Action.STAND)
    assert (over, info["nets"].tolist(), reward) == (True, [1.5, -1, 1], 1.5)


def test_the_last_info_has_the_dealers_hand_and_the_hand_part_the_up_card_alone() -> None:
    """Report b102."""
    env = make(encoding="discrete")
    before, _ = env.reset(options={"line": "six-deck ; D 2/3 ; P1 1 T,8 ; next 2,3,8"})
    after, _, _, _, info = env.step(Action.STAND)
    assert info["dealer"].tolist() == [2, 3, 2, 3, 8, *[0] * 12]
    assert str(info["record"]).endswith("=> P1 0 ; D 2,3,2,3,8")
    assert after[3] == before[3] == 2


@pytest.mark.parametrize("kind", ["round", "shoe", "session"])
@pytest.mark.parametrize("seats", SEATS, ids=len)
def test_rewards_add_up_to_the_change_of_the_bankrolls(kind: str, seats: tuple[str, ...]) -> None:
    """Report b093."""
    env = make(rules="6D PEN75", seats=seats, episode=kind, bets=(0, 2, 4), bankroll=200, max_rounds=25)
    chance = Random(6)
    for _ in range(40 if kind == "round" else 6):
        total = sum(reward for _, reward, _, _ in episode(env, chance))
        money = sum(env.episode.table.players[seat].bankroll or 0 for seat in env.episode.agents)
        assert total * 2 == money - 200 * len(env.episode.agents)


@pytest.mark.parametrize("kind", ["round", "shoe", "session"])
def test_rewards_add_up_with_one_bet_too(kind: str) -> None:
    """With one bet a round without a decision leaves no step of its own, even the first."""
    env = make(rules="6D PEN75 NINS", episode=kind, bankroll=200, max_rounds=6)
    chance = Random(6)
    for _ in range(200):
        total = sum(reward for _, reward, _, _ in episode(env, chance))
        assert total == (env.episode.table.players[0].bankroll or 0) - 200


def test_the_record_of_every_round_replays_to_its_nets() -> None:
    env = make(seats=("basic", "agent", "random"), rules="2D ES H17 RSA HSA DANY CH5")
    chance = Random(2)
    for _ in range(200):
        *_, (_, reward, _, info) = episode(env, chance)
        assert [net / 10 for net in replay(str(info["record"])).nets] == info["nets"].tolist()
        assert reward == info["nets"][1]


def test_rounds_on_a_shoe_that_runs_out_pay_what_they_say() -> None:
    """One deck to its last card, twelve seats that split and draw: shuffles in mid-round, and rounds that are void."""
    env = make(rules="1D PEN99 DANY RSA HSA SP8", seats=("agent",) * 12, bankroll=100)
    records: list[str] = []
    env.reset(seed=1)
    for _ in range(100):
        env.reset()
        reward = 0.0
        while env.action_masks().any():
            legal = env.action_masks()
            wished = [action for action in (Action.SPLIT, Action.HIT, Action.DECLINE) if legal[action]]
            _, reward, _, _, info = env.step(wished[0] if wished else Action.STAND)
        records.append(str(info["record"]))
        assert reward == sum(info["nets"])
        assert replay(records[-1]).void == ("MISDEAL" in records[-1])
        assert [player.bankroll for player in env.episode.table.players] == [100 + net for net in info["nets"]]
        assert "MISDEAL" not in records[-1] or reward == 0
    assert any("MISDEAL" in record for record in records)


def test_a_bet_is_the_unit_of_reward() -> None:
    env = make(bets=(4, 8))
    env.reset(options={"shoe": "T,5,9,6,9"}, seed=1)
    env.step(8)
    _, reward, *_ = env.step(Action.STAND)
    assert reward == -2


# --- nothing leaks ---


@settings(max_examples=60)
@given(rules(decks=1, burn_cards=0, penetration=0, min_bet=1), st.integers(1, 3), st.integers(0, 10**6))
def test_nothing_hidden_reaches_the_agent(house: Any, seats: int, seed: int) -> None:
    """Permute the hole card and the order of the shoe at every decision: all that is told stays the same."""
    chance = Random(seed)
    order = chance.sample(FACES, 52)
    agents = make(rules=house, seats=("agent",) * seats, observation=ALL, render_mode="ansi", bankroll=1000)
    actions: list[int] = []
    told = play_told(agents, order, actions)
    while not told[-1][-1]:
        other = permuted(order, agents, chance)
        assert play_told(agents, other, actions) == told
        play_told(agents, order, actions)
        actions.append(int(chance.choice(np.flatnonzero(agents.action_masks()))))
        told = play_told(agents, order, actions)


def play_told(env: BlackjackEnv, order: list[Any], actions: list[int]) -> list[tuple[Any, ...]]:
    observation, info = env.reset(options={"shoe": order})
    told = [tell(env, observation, 0.0, False, info)]
    for action in actions:
        observation, reward, over, _, info = env.step(action)
        told.append(tell(env, observation, reward, over, info))
    return told


def tell(env: BlackjackEnv, observation: Any, reward: float, over: bool, info: dict[str, Any]) -> tuple[Any, ...]:
    round = env.episode.round
    view, events = None, None
    if round is not None:
        events = tuple(round.events)
        view = None if round.over else round.view()._replace(rng=None)  # type: ignore[arg-type]
    shown = env.episode.no_decision or over  # the round is over: nothing is hidden any more
    told = observation.tobytes(), info["action_mask"].tobytes(), str(info), view, events
    return *told, env.render(), env._scene(), reward, shown  # all pictures are drawn from the scene


def permuted(order: list[Any], env: BlackjackEnv, chance: Random) -> list[Any]:
    """Shuffle what the seats have not seen; the hole card stays a blackjack, or none, if the dealer has looked."""
    round, held = env.episode.round, env.episode
    assert round is not None
    dealt = len(held.table.shoe.dealt)
    hidden = list(range(dealt, 52))
    hole = 2 * len(held.decisions) + 1 if round.hole is not None else None
    if hole is not None and round.phase in (Phase.PLAY,) and round.rules.hole_card is HoleCard.PEEK:
        wanted = order[hole].value + round.upcard.value == 11
        fits = [at for at in hidden if (order[at].value + round.upcard.value == 11) == wanted]
    else:
        fits = hidden
    other = list(order)
    if hole is not None and fits:
        swap = chance.choice(fits)
        other[hole], other[swap] = other[swap], other[hole]
    rest = [other[at] for at in hidden]
    chance.shuffle(rest)
    for at, card in zip(hidden, rest, strict=True):
        other[at] = card
    return other


def test_the_bet_knows_nothing_of_the_cards_to_come() -> None:
    """Report b137."""

    def at_the_bet(shoe: str) -> tuple[bytes, bytes]:
        env = make(bets=(1, 5), observation=PARTS, rules="6D PEN75", episode="session")
        observation, info = env.reset(options={"shoe": shoe}, seed=1)
        return observation.tobytes(), info["action_mask"].tobytes()

    assert at_the_bet("A,9,K,8") == at_the_bet("5,9,6,8")


# --- decisions that fail ---


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


# --- arguments ---


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
        ({"bets": (2000,)}, "bets: expected 0 or 1 to 1000 chips, got 2000"),
        ({"bets": (1,), "rules": "6D MIN5"}, "bets: expected 0 or 5 to 1000 chips, got 1"),
        ({"bets": (1.5,)}, "bets: expected"),
        ({"bets": (True, 5)}, "bets: expected"),
        ({"episode": "rounds"}, r"episode: got 'rounds'; did you mean 'round'\?"),
        ({"episode": "shoe"}, "episode: 'shoe' needs a cut card"),
        ({"bankroll": 0}, "bankroll: expected at least the smallest bet"),
        ({"bankroll": -5}, "bankroll: expected chips from 0 up"),
        ({"bankroll": "100"}, "bankroll: expected chips from 0 up"),
        ({"bankroll": float("nan")}, "bankroll: expected chips from 0 up"),
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
