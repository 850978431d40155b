"""The compiled environment for Stable-Baselines3: its learners take it, and it plays what SB3's own would play."""

from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode
from numpy.typing import NDArray
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.utils import get_action_masks, is_masking_supported
from stable_baselines3 import A2C, DQN, PPO
from stable_baselines3.common.evaluation import evaluate_policy
from stable_baselines3.common.monitor import Monitor
from stable_baselines3.common.vec_env import DummyVecEnv, VecCheckNan, VecEnv, VecMonitor, VecNormalize

from bj_env.compiled.vector_env import BlackjackVectorEnv, sample_legal
from bj_env.env.env import BlackjackEnv
from bj_env.errors import BlackjackError, IllegalAction
from bj_env.rules.terms import Phase
from bj_env.sb3 import CompiledVecEnv, compiled_vec_env
from tests.sb3.test_evaluation import LEARNERS

SEEDS = [5, 6, 7, 2**40]
SESSION: dict[str, Any] = {
    "seats": ("basic", "agent", "agent"),
    "episode": "session",
    "bets": (0, 1, 5),
    "bankroll": 20,
    "max_rounds": 3,
    "observation": ("hand", "bankroll", "table"),
    "encoding": "discrete",
}
GAMES: list[dict[str, Any]] = [
    {"rules": "six-deck", "seats": ("agent",)},
    {"rules": "single-deck", "seats": ("agent", "random", "agent"), "illegal_action": "penalty", "reward": "expected"},
    SESSION,
]


def masks_of(env: VecEnv) -> NDArray[np.int8]:
    return np.stack(env.env_method("action_masks"))


def dummy(game: dict[str, Any], seeds: list[int]) -> DummyVecEnv:
    """Make SB3's own, each environment with its seed."""
    made = DummyVecEnv([lambda: BlackjackEnv(**game)] * len(seeds))
    made._seeds = list(seeds)
    return made


def compiled(game: dict[str, Any], seeds: list[int]) -> CompiledVecEnv:
    made = compiled_vec_env(len(seeds), **game)
    made.seed(seeds)
    return made


# --- learners ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("encoding", ["features", "discrete"])
@pytest.mark.parametrize("algorithm", [PPO, A2C, DQN, MaskablePPO], ids=lambda algorithm: algorithm.__name__)
def test_learners_take_it_as_it_is_and_a_seed_says_everything(algorithm: type, encoding: str) -> None:
    """Report b082."""

    def learnt() -> dict[str, Any]:
        env = compiled_vec_env(4, seats=("agent",), encoding=encoding)
        model = algorithm("MlpPolicy", env, seed=3, device="cpu", **LEARNERS[algorithm])
        return dict(model.learn(400).policy.state_dict())

    first, again = learnt(), learnt()
    assert all(tensor.equal(again[name]) for name, tensor in first.items())


def test_sb3s_own_wrappers_and_evaluation_take_it() -> None:
    env = VecNormalize(
        VecCheckNan(VecMonitor(compiled(GAMES[0], SEEDS), info_keywords=("nets",)), raise_exception=True)
    )
    model = PPO("MlpPolicy", env, n_steps=32, batch_size=32, device="cpu").learn(256)
    assert {"r", "l", "t", "nets"} <= set(model.ep_info_buffer[-1])
    returns, lengths = evaluate_policy(model, env, n_eval_episodes=20, return_episode_rewards=True, warn=False)
    assert len(returns) == len(lengths) == 20


def test_dqn_stores_the_end_of_an_episode_and_not_the_next_beginning() -> None:
    env = compiled(SESSION, SEEDS)
    model = DQN("MlpPolicy", env, learning_starts=1000, buffer_size=1000, optimize_memory_usage=False, device="cpu")
    model.learn(400)
    buffer = model.replay_buffer
    assert buffer is not None
    stored = buffer.pos
    assert 0 < buffer.timeouts[:stored].sum() <= buffer.dones[:stored].sum()
    on_table = buffer.next_observations[:stored, :, 0][buffer.dones[:stored] > 0]
    assert (on_table == 4).all()  # ROUND_OVER


# --- the contract -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("game", GAMES, ids=["round", "penalty", "session"])
def test_it_plays_the_rounds_of_sb3s_own_around_the_single_environment(game: dict[str, Any]) -> None:
    ours, theirs = compiled(game, SEEDS), dummy(game, SEEDS)
    assert (ours.observation_space, ours.action_space) == (theirs.observation_space, theirs.action_space)
    np.testing.assert_array_equal(ours.reset(), theirs.reset())
    chance = np.random.default_rng(1)
    for _ in range(300):
        masks = masks_of(ours)
        np.testing.assert_array_equal(masks, masks_of(theirs))
        assert masks.any(1).all()
        actions = sample_legal(masks, chance) if chance.random() < 0.9 else chance.integers(masks.shape[1], size=4)
        same_step(ours.step(actions), theirs.step(actions))
        for mine, other in zip(ours.reset_infos, theirs.reset_infos, strict=True):
            np.testing.assert_array_equal(mine["action_mask"], other["action_mask"])
            assert mine["seat"] == other["seat"]


def same_step(ours: Any, theirs: Any) -> None:
    """Compare what a step returns, down to types; our infos leave out what did not happen."""
    for mine, other in zip(ours[:3], theirs[:3], strict=True):
        np.testing.assert_array_equal(mine, other)
        assert (mine.dtype, mine.shape) == (other.dtype, other.shape)
    for mine, other in zip(ours[3], theirs[3], strict=True):
        told = {"TimeLimit.truncated", "terminal_observation"} & other.keys()
        told |= {"nets"} if other["round_over"] else set()
        told |= {"illegal_action"} if other["illegal_action"] else set()
        expected = {name: other[name] for name in told}
        assert set(mine) == set(expected)
        for name, value in expected.items():
            np.testing.assert_array_equal(mine[name], value)


def test_terminal_observation_and_next_reset_observation() -> None:
    env, single = compiled(GAMES[0], [9]), BlackjackEnv(**GAMES[0])
    env.reset()
    single.reset(seed=9)
    ends = 0
    while ends < 20:
        observation, rewards, dones, infos = env.step(np.zeros(1, np.int64))
        last, reward, terminated, _, _ = single.step(0)
        assert ("terminal_observation" in infos[0]) == dones[0] == terminated
        assert rewards[0] == np.float32(reward)
        if terminated:
            ends += 1
            np.testing.assert_array_equal(infos[0]["terminal_observation"], last)
            last, info = single.reset()
            np.testing.assert_array_equal(env.env_method("action_masks")[0], info["action_mask"])
        np.testing.assert_array_equal(observation[0], last)


def test_sessions_that_are_cut_short_say_so_and_those_that_end_do_not() -> None:
    env = compiled(SESSION | {"bankroll": 3, "max_rounds": 4}, list(range(16)))
    env.reset()
    chance, seen = np.random.default_rng(2), set()
    for _ in range(300):
        _, _, dones, infos = env.step(sample_legal(masks_of(env), chance))
        assert all(done or not info["TimeLimit.truncated"] for done, info in zip(dones, infos, strict=True))
        seen |= {info["TimeLimit.truncated"] for done, info in zip(dones, infos, strict=True) if done}
    assert seen == {True, False}


def test_what_is_returned_is_nobody_elses() -> None:
    """Report b089."""
    env = compiled(GAMES[0], SEEDS)
    first = env.reset()
    kept, masks = first.copy(), env.env_method("action_masks")
    for mask in masks:
        mask[:] = 9
    for info in env.reset_infos:
        info["action_mask"][:] = 9
    for _ in range(30):
        observations, _, _, infos = env.step(np.zeros(4, np.int64))
        before = observations.copy()
        for info in infos:
            info.get("terminal_observation", first[0].copy())[:] = 9
            info["TimeLimit.truncated"] = info["nets"] = None
        np.testing.assert_array_equal(observations, before)
    np.testing.assert_array_equal(first, kept)
    assert masks_of(env).max() == 1
    assert len({id(info) for info in infos}) == 4


# --- seeds and options ------------------------------------------------------------------------------------------------


def test_one_seed_gives_every_table_shoes_of_its_own_and_no_other_seed_does() -> None:
    def rounds(seed: int | list[int]) -> list[str]:
        env = compiled_vec_env(8, seats=("agent",))
        env.seed(seed)
        env.reset()
        for _ in range(12):
            env.step(np.zeros(8, np.int64))
        return [str(record) for record in env.env_method("record")]

    one, next_one = rounds(1), rounds(2)
    assert one == rounds(1)
    assert len(set(one + next_one)) == 16
    assert rounds([1] * 8) == [one[0]] * 8


def test_seeds_are_used_once_and_none_draws_one() -> None:
    env = compiled(GAMES[0], SEEDS)
    first = env.reset()
    assert not np.array_equal(first, env.reset())
    assert list(env.seed(4)) == [4] * 4
    np.random.seed(0)  # noqa: NPY002 (where SB3 draws it)
    drawn = env.seed()
    assert len(set(drawn)) == 1
    assert isinstance(drawn[0], int)
    assert not np.array_equal(env.reset(), env.reset())


@pytest.mark.parametrize(
    ("seed", "expected"),
    [([1, 2], "one for each of 4 environments, got 2"), (-1, "got -1"), (True, "got True")],
)
def test_bad_seeds_are_refused_by_the_reset(seed: Any, expected: str) -> None:
    env = compiled_vec_env(4)
    env.seed(seed)
    with pytest.raises(BlackjackError, match=f"seed: expected .*{expected}"):
        env.reset()


def test_options_for_all_and_for_each() -> None:
    env, other = compiled(GAMES[0], SEEDS), dummy(GAMES[0], SEEDS)
    for each in ({"hand": "A,7", "upcard": "3"}, [{"hand": "8,8", "upcard": "6"}, {}, {"shoe": "T,6,9"}, {}]):
        env.seed(SEEDS)
        other._seeds = list(SEEDS)
        for vec_env in (env, other):
            vec_env.set_options(each)  # type: ignore[arg-type]
        np.testing.assert_array_equal(env.reset(), other.reset())
    assert env._options == [{}] * 4


# --- attributes and methods -------------------------------------------------------------------------------------------


def test_masks_as_sb3_contrib_asks_for_them() -> None:
    env = compiled(GAMES[0], SEEDS)
    env.reset()
    masks = env.tables.action_masks()
    assert is_masking_supported(env)
    assert is_masking_supported(VecMonitor(env))
    np.testing.assert_array_equal(get_action_masks(VecMonitor(env)), masks)
    np.testing.assert_array_equal(env.env_method("action_masks", indices=[2, 0]), masks[[2, 0]])
    np.testing.assert_array_equal(env.env_method("action_masks", indices=-1), masks[[-1]])
    np.testing.assert_array_equal([mask() for mask in env.get_attr("action_masks")], masks)


def test_attributes_are_those_of_the_single_environment() -> None:
    env, single = compiled(GAMES[1], SEEDS), BlackjackEnv(**GAMES[1])
    for name in ("rules", "bets", "illegal_action", "feature_names", "render_mode", "observation_space"):
        assert env.get_attr(name, [0, 3]) == [getattr(single, name)] * 2
    assert not env.has_attr("nonsense")
    with pytest.raises(AttributeError, match="no 'ruls'; did you mean 'rules'"):
        env.get_attr("ruls")
    assert env.env_is_wrapped(Monitor, [1, 2]) == [False, False]
    assert env.render_mode is None


def test_set_attributes_stay_with_their_table_and_the_games_own_are_fixed() -> None:
    env = compiled(GAMES[0], SEEDS)
    env.set_attr("note", 5)
    env.set_attr("note", lambda more: 7 + more, indices=[1])
    assert env.get_attr("note", 0) == [5]
    assert env.env_method("note", 1, indices=1) == [8]
    for name in ("rules", "action_masks"):
        with pytest.raises(BlackjackError, match=f"set_attr: '{name}' is fixed"):
            env.set_attr(name, 1)


# --- refusals ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", [AutoresetMode.NEXT_STEP, AutoresetMode.DISABLED])
def test_other_modes_are_refused_by_name(mode: AutoresetMode) -> None:
    """Report b087."""
    with pytest.raises(BlackjackError, match=f"needs 'SameStep', got '{mode.value}'"):
        CompiledVecEnv(BlackjackVectorEnv(2, autoreset_mode=mode))


def test_another_environment_is_refused() -> None:
    with pytest.raises(BlackjackError, match="expected a BlackjackVectorEnv"):
        CompiledVecEnv(gym.make("Blackjack-multi-v0"))  # type: ignore[arg-type]


def test_make_vec_makes_one_that_is_taken() -> None:
    tables = gym.make_vec("Blackjack-multi-v0", num_envs=3, autoreset_mode="SameStep")
    env = CompiledVecEnv(tables)  # type: ignore[arg-type]
    assert env.reset().shape == (3, 58)
    assert env.get_attr("spec")[0].id == "Blackjack-multi-v0"
    env.close()


def test_steps_that_cannot_be_taken_say_why() -> None:
    env = compiled({**GAMES[0], "illegal_action": "raise"}, SEEDS)
    with pytest.raises(BlackjackError, match=r"expected reset\(\)"):
        env.step(np.zeros(4, np.int64))
    env.reset()
    before = masks_of(env)
    with pytest.raises(IllegalAction, match="environment 0"):
        env.step(np.full(4, 5))
    np.testing.assert_array_equal(masks_of(env), before)


# --- rounds without a decision ----------------------------------------------------------------------------------------


class SkipUndecided(gym.Wrapper[Any, Any, Any, Any]):
    """Skips rounds in which the agent has nothing to decide, in the single environment."""

    def reset(self, **options: Any) -> tuple[Any, dict[str, Any]]:
        observation, info = self.env.reset(**options)
        while self.env.unwrapped.episode.phase is Phase.ROUND_OVER:  # type: ignore[attr-defined]
            observation, info = self.env.reset()
        return observation, info


def test_rounds_without_a_decision_are_left_out_if_asked_for() -> None:
    env = compiled_vec_env(4, skip_undecided=True, **GAMES[1])
    env.seed(SEEDS)
    others = DummyVecEnv([lambda: SkipUndecided(BlackjackEnv(**GAMES[1]))] * 4)
    others._seeds = list(SEEDS)
    np.testing.assert_array_equal(env.reset(), others.reset())
    over = env.get_attr("feature_names")[0].index("hand.phase=ROUND_OVER")
    chance = np.random.default_rng(3)
    for _ in range(400):
        actions = sample_legal(masks_of(env), chance)
        ours = env.step(actions)
        same_step(ours, others.step(actions))
        assert not ours[0][:, over].any()
