"""The compiled environment's contracts: Gymnasium's way of being many, spaces, masks, autoreset, aliasing and seeds."""

from collections.abc import Iterator
from copy import deepcopy
from random import Random
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode, SyncVectorEnv
from gymnasium.vector.utils import batch_space
from gymnasium.wrappers import vector as wrappers
from scipy.stats import chisquare

from bj_env.compiled.arrays import NEW_ACTION
from bj_env.compiled.book import hand_states
from bj_env.compiled.engine import FEWEST_A_THREAD
from bj_env.compiled.vector_env import BlackjackVectorEnv, sample_legal
from bj_env.env.env import BlackjackEnv
from bj_env.errors import BlackjackError
from bj_env.game.notation import RANKS
from tests.lockstep import everything, without_words

MODES = [mode.value for mode in AutoresetMode]
KINDS: dict[str, dict[str, Any]] = {
    "round": {"seats": ("random", "agent", "basic")},
    "shoe": {"seats": ("agent", "agent"), "rules": "2D PEN75 LS", "bets": (0, 1, 5), "encoding": "discrete"},
    "session": {"seats": ("agent", "basic"), "bets": (1, 2), "bankroll": 8, "max_rounds": 6},
}


def make(tables: int, **keywords: Any) -> BlackjackVectorEnv:
    return BlackjackVectorEnv(tables, **{"seats": ("agent",)} | keywords)


def play(env: Any, steps: int, seed: int = 0) -> Iterator[tuple[Any, ...]]:
    """Play on with random legal actions; yield what each step returns."""
    rng = np.random.default_rng(seed)
    for _ in range(steps):
        yield env.step(sample_legal(env.unwrapped.action_masks(), rng))


def arrays(shown: Any) -> list[Any]:
    """List the arrays in what an environment returns, those in infos too."""
    if isinstance(shown, np.ndarray):
        return [shown]
    parts = shown.values() if isinstance(shown, dict) else shown
    return [array for part in parts for array in arrays(part)]


def same(one: Any, other: Any) -> bool:
    """Tell whether two things that environments have returned are equal, byte by byte."""
    return [array.tobytes() for array in arrays(one)] == [array.tobytes() for array in arrays(other)]


# --- gymnasium ---


def test_gymnasium_makes_it() -> None:
    for name in ("Blackjack-multi-v0", "bj_env:Blackjack-multi-v0"):
        env = gym.make_vec(name, num_envs=3, seats=("agent", "basic"), observation=("hand", "table"))
        assert isinstance(env.unwrapped, BlackjackVectorEnv)
        assert (env.num_envs, env.spec.id) == (3, "Blackjack-multi-v0")  # type: ignore[union-attr]
        env.close()


def test_other_ways_of_being_many_are_there_too() -> None:
    env = gym.make_vec("Blackjack-multi-v0", num_envs=2, vectorization_mode="sync", seats=("agent",))
    env.reset(seed=1)
    assert isinstance(env, SyncVectorEnv)


def test_vector_kwargs_are_refused() -> None:
    with pytest.raises((gym.error.Error, ValueError), match="vector_kwargs"):
        gym.make_vec("Blackjack-multi-v0", num_envs=2, vector_kwargs={"copy": False})


@pytest.mark.parametrize("mode", [*MODES, *AutoresetMode], ids=str)
def test_the_autoreset_mode_stands_in_the_metadata(mode: Any) -> None:
    env = gym.make_vec("Blackjack-multi-v0", num_envs=2, autoreset_mode=mode)
    assert env.metadata["autoreset_mode"] is AutoresetMode(mode)


@pytest.mark.parametrize("kind", KINDS)
def test_spaces_are_batches_of_the_readable_environments(kind: str) -> None:
    env, single = make(5, episode=kind, **KINDS[kind]), BlackjackEnv(episode=kind, **KINDS[kind])
    assert env.single_observation_space == single.observation_space
    assert env.single_action_space == single.action_space
    assert env.observation_space == batch_space(single.observation_space, 5)
    assert env.action_space == batch_space(single.action_space, 5)
    assert env.feature_names == single.feature_names
    observations, _ = env.reset(seed=1)
    shown = [observations, *(step[0] for step in play(env, 60))]
    assert all(env.observation_space.contains(each) for each in shown)


@pytest.mark.parametrize("mode", ["NextStep", "Disabled"])  # they refuse the third, or count wrongly in older versions
def test_wrappers_of_gymnasium_work(mode: str) -> None:
    env: Any = wrappers.RecordEpisodeStatistics(make(4, autoreset_mode=mode))
    env = wrappers.TransformObservation(env, lambda observations: observations * 0.5)
    env = wrappers.ClipReward(wrappers.NormalizeReward(env), -5, 5)
    bare = make(4, autoreset_mode=mode)
    env.reset(seed=3), bare.reset(seed=3)
    ended = 0
    for wrapped, plainly in zip(play(env, 60), play(bare, 60), strict=True):
        over, infos = wrapped[2], wrapped[4]
        ended += over.sum()
        assert np.array_equal(wrapped[0], plainly[0] * 0.5)
        if over.any():
            assert np.array_equal(infos["_episode"], over)
            assert np.array_equal(infos["episode"]["r"][over], plainly[1][over]), "a round is paid when it ends"
        if over.any() and mode == "Disabled":
            env.reset(options={"reset_mask": over}), bare.reset(options={"reset_mask": over})
    assert ended > 60


@pytest.mark.parametrize("mode", MODES)
def test_infos_as_a_list_are_those_of_each(mode: str) -> None:
    env: Any = wrappers.DictInfoToList(make(4, autoreset_mode=mode))
    env.reset(seed=3)
    for _, _, over, _, infos in play(env, 60):
        same_step = mode == "SameStep"
        assert ["final_info" in info for info in infos] == (over & same_step).tolist()
        last = [info.get("final_info", {}) if same_step else info for info in infos]
        assert ["nets" in info for info in last] == ["dealer" in info for info in last]
        assert all("nets" in last[i] for i in np.flatnonzero(over))
        if mode == "Disabled" and over.any():
            env.reset(options={"reset_mask": over})


def test_the_action_space_samples_legal_actions_of_masks() -> None:
    env = make(50, bets=(1, 5), episode="session", autoreset_mode="SameStep", illegal_action="raise")
    env.action_space.seed(1)
    _, infos = env.reset(seed=1)
    for _ in range(40):
        actions = env.action_space.sample(tuple(infos["action_mask"]))  # type: ignore[arg-type]
        *_, infos = env.step(actions)  # an illegal one would raise


def test_sampling_is_legal_and_uniform() -> None:
    masks = np.array([[0, 1, 1, 0, 1], [1, 0, 0, 0, 0], [1, 1, 1, 1, 1], [0, 0, 0, 0, 0], [0, 0, 0, 1, 1]], np.int8)
    rng = np.random.default_rng(5)
    drawn = np.array([sample_legal(masks, rng) for _ in range(20_000)])
    for row, actions in zip(masks, drawn.T, strict=True):
        legal = np.flatnonzero(row)
        counts = np.bincount(actions, minlength=5)
        assert counts.sum() == counts[legal].sum() if len(legal) else counts[0] == 20_000
        assert len(legal) < 2 or chisquare(counts[legal]).pvalue > 0.001


@pytest.mark.parametrize(
    "masks", [None, [[0, 1]], np.ones(3, np.int8), np.ones((2, 3)), np.ones((2, 3), bool)], ids=repr
)
def test_what_are_no_masks_is_refused(masks: Any) -> None:
    with pytest.raises(BlackjackError, match=r"masks: expected int8 numbers \[T, A\], got"):
        sample_legal(masks, np.random.default_rng(1))
    with pytest.raises(BlackjackError, match="rng: expected a numpy Generator, got 1"):
        sample_legal(np.ones((1, 1), np.int8), 1)  # type: ignore[arg-type]


# --- autoreset ---


ALWAYS_THERE = {"nets": "round_over", "dealer": "round_over", "illegal_action": "illegal_action"}
"""What infos of single environments always hold, and what says where it means something."""


def assert_same_infos(ours: dict[str, Any], theirs: dict[str, Any]) -> None:
    """Compare infos with what Gymnasium makes of single ones; ours are dense and hold no record."""
    alone = {"record", "round_over", "seed"}  # ours say a round's end by ``_nets``, and the seed at a reset
    assert {name for name in theirs if name.removeprefix("_") not in alone} <= set(ours)
    for name in ours:
        if name.startswith("_"):
            continue
        there = ALWAYS_THERE.get(name, f"_{name}")
        where = np.asarray(theirs.get(there, np.zeros(len(ours[f"_{name}"]))), np.bool_)
        assert np.array_equal(ours[f"_{name}"], where), name
        if name == "final_info":
            assert_same_infos(ours[name], theirs[name])
            continue
        for i in np.flatnonzero(where):
            assert plain(name, ours[name][i]) == plain(name, theirs[name][i]), (name, i)


def plain(name: str, value: Any) -> list[Any]:
    """Return what both ways of saying it have in common."""
    if name == "dealer" and isinstance(value, str):
        return [RANKS.index(card[0]) + 1 for card in value.split(",")]
    numbers = np.asarray(value).ravel().tolist()
    return [rank for rank in numbers if rank] if name == "dealer" else numbers


def some_actions(env: BlackjackVectorEnv, rng: np.random.Generator) -> Any:
    """Choose legal actions, and now and then any."""
    anything = rng.integers(env.settings.actions, size=env.num_envs)
    return np.where(rng.random(env.num_envs) < 0.1, anything, sample_legal(env.action_masks(), rng))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("mode", MODES)
def test_every_mode_is_gymnasiums_own(mode: str, kind: str) -> None:
    """Reports b087, b088."""
    keywords, seeds, rng = {"episode": kind} | KINDS[kind], [5, 6, 7, 2**64 - 1, 0], np.random.default_rng(1)
    env = BlackjackVectorEnv(5, autoreset_mode=mode, **keywords)
    other: Any = SyncVectorEnv([lambda: BlackjackEnv(**keywords)] * 5, autoreset_mode=AutoresetMode(mode))
    ours, theirs = env.reset(seed=seeds), other.reset(seed=seeds)
    ended = 0
    for _ in range(250):
        for one, another in zip(ours[:-1], theirs[:-1], strict=True):
            assert one.dtype == another.dtype
            assert np.array_equal(one, another)
        assert_same_infos(ours[-1], theirs[-1])
        over = ours[2] | ours[3] if len(ours) == 5 else np.zeros(5, np.bool_)
        ended += over.sum()
        if mode == "Disabled" and over.any():
            ours, theirs = env.reset(options={"reset_mask": over}), other.reset(options={"reset_mask": over.copy()})
        else:
            actions = some_actions(env, rng)
            ours, theirs = env.step(actions), other.step(actions)
    assert ended > 10


def test_the_step_after_the_last_is_a_fresh_round_for_nothing() -> None:
    """Report b087."""
    env = make(2, autoreset_mode="NextStep")
    env.reset(seed=1)
    terminated = np.zeros(2, np.bool_)
    while not terminated[0]:
        *_, terminated, _, _ = env.step(np.zeros(2, np.int64))
    _, rewards, terminated, truncated, infos = env.step(np.ones(2, np.int64))
    assert (rewards[0], terminated[0], truncated[0]) == (0, False, False)
    assert infos["action_mask"][0].any()
    assert not infos["_nets"][0]
    state = hand_states(env.settings.rules)[env.engine.tables.hands[0, 0].state]
    assert state.cards == 2, "the action was not taken"


@pytest.mark.parametrize("mode", MODES)
def test_the_mask_describes_the_state_in_the_observation(mode: str) -> None:
    """Reports b086, b088."""
    env = make(40, autoreset_mode=mode)
    _, infos = env.reset(seed=2)
    for observations, _, terminated, _, infos in play(env, 30):
        assert np.array_equal(infos["action_mask"], env.action_masks())
        phase_over = observations[:, env.feature_names.index("hand.phase=ROUND_OVER")] > 0
        shown = terminated if mode != "SameStep" else np.zeros(40, np.bool_)
        assert np.array_equal(infos["action_mask"].any(axis=1), ~shown)
        assert (infos["action_mask"].sum(axis=1)[phase_over & ~shown] == 1).all(), "shown once, with STAND alone"
        if mode == "SameStep" and terminated.any():
            assert not infos["final_info"]["action_mask"][terminated].any()
            assert infos["final_info"]["_nets"][terminated].all()
        if mode == "Disabled" and terminated.any():
            env.reset(options={"reset_mask": terminated})


def test_while_a_decision_is_due_some_action_is_legal() -> None:
    """Report b083."""
    env = make(
        300, seats=("random", "agent", "agent"), rules="2D PEN75", illegal_action="raise", autoreset_mode="SameStep"
    )
    env.reset(seed=8)
    for *_, infos in play(env, 60):
        assert set(np.unique(infos["action_mask"])) <= {0, 1}
        assert infos["action_mask"].any(axis=1).all()


def test_a_reset_of_some_speaks_of_them_and_shows_all() -> None:
    env = make(6, autoreset_mode="Disabled")
    observations, _ = env.reset(seed=2)
    mask = np.array([True, False, False, True, False, False])
    after, infos = env.reset(options={"reset_mask": mask})
    assert np.array_equal(after[~mask], observations[~mask])
    assert np.array_equal(infos["_action_mask"], mask)
    assert np.array_equal(infos["action_mask"], env.action_masks())


# --- aliasing ---


@pytest.mark.parametrize("mode", MODES)
def test_what_is_returned_never_changes_and_is_nobodys_memory(mode: str) -> None:
    """Report b089."""
    env, other = (make(8, autoreset_mode=mode, observation=("hand", "table", "seen")) for _ in range(2))
    kept = [env.reset(seed=4)]
    copies = deepcopy(kept)
    other.reset(seed=4)
    for ours, theirs in zip(play(env, 12), play(other, 12), strict=True):
        assert same(ours, theirs)
        for array in arrays(theirs):
            array.fill(1)  # which the other environment must not notice
        kept.append(ours)
        copies.append(deepcopy(ours))
        if mode == "Disabled":
            reset = {"reset_mask": ours[2] | ours[3] | True}
            kept.append(env.reset(options=reset))
            copies.append(deepcopy(kept[-1]))
            other.reset(options=reset)
    assert same(kept, copies)
    every = [*arrays(kept), *env.engine.tables]
    assert not any(np.shares_memory(one, another) for k, one in enumerate(every) for another in every[:k])
    assert not np.shares_memory(env.action_masks(), env.engine.tables.state)


def test_actions_are_not_changed() -> None:
    env = make(3)
    env.reset(seed=1)
    actions = np.full(3, 3)  # illegal, so that another is played
    env.step(actions)
    assert actions.tolist() == [3, 3, 3]


# --- seeds ---


def first_cards(env: BlackjackVectorEnv) -> list[bytes]:
    """Return the first cards of each table's shoe as they were dealt."""
    return [bytes(row[row < NEW_ACTION])[:15] for row in env.engine.tables.log[:, 0]]


def test_base_seeds_share_no_shoe() -> None:
    dealt = []
    for seed in (0, 1, 2, 1 << 32, (1 << 64) - 1):
        env = make(1000, seats=("agent",) * 7)
        env.reset(seed=seed)
        dealt += first_cards(env)
    assert all(len(cards) == 15 for cards in dealt)
    assert len(set(dealt)) == len(dealt)


@pytest.mark.parametrize("mode", MODES[:2])
def test_results_do_not_depend_on_threads(mode: str) -> None:
    tables = 3 * FEWEST_A_THREAD + 17
    envs = [make(tables, threads=threads, autoreset_mode=mode, seats=("random", "agent")) for threads in (1, 2, 3)]
    assert [env.engine.threads for env in envs] == [1, 2, 3]
    assert len({envs[k].reset(seed=9)[0].tobytes() for k in range(3)}) == 1
    for one, two, three in zip(*(play(env, 8) for env in envs), strict=True):
        assert same(one, two)
        assert same(one, three)
    assert everything(envs[0])[:-1] == everything(envs[1])[:-1] == everything(envs[2])[:-1]


def test_a_list_of_seeds_gives_each_what_the_readable_environment_has() -> None:
    seeds = [3, 2**64 - 1, 3, 0]
    observations, _ = make(4, observation=("hand", "table")).reset(seed=seeds)
    for seed, row in zip(seeds, observations, strict=True):
        assert np.array_equal(BlackjackEnv(seats=("agent",), observation=("hand", "table")).reset(seed=seed)[0], row)
    base, _ = make(4, observation=("hand", "table")).reset(seed=3)
    assert np.array_equal(base[0], observations[0]), "table 0 is the single environment"


@pytest.mark.parametrize(
    "seed", [np.int64(5), np.uint64(5), np.int8(5), [5, 5], np.array([5, 5]), (5, np.uint8(5))], ids=repr
)
def test_numpy_numbers_and_any_sequence_are_seeds(seed: Any) -> None:
    plain_seed = 5 if isinstance(seed, np.integer) else [5, 5]
    assert same(make(2).reset(seed=seed), make(2).reset(seed=plain_seed))


def test_unseeded_environments_differ_and_go_on_with_their_shoes() -> None:
    def shoes(seed: int | None) -> list[bytes]:
        env = make(20, seats=("agent",) * 7, rules="6D PEN75")
        env.reset(seed=seed)
        first = first_cards(env)
        env.reset()
        assert (env.engine.tables.state["dealt"] == 32).all(), "the shoe goes on"
        return first

    assert shoes(None) != shoes(None)
    assert shoes(7) == shoes(7)


def test_the_seed_is_gymnasiums_own_too() -> None:
    env = make(2)
    env.reset(seed=11)
    assert env.np_random_seed == 11
    drawn = env.np_random.random()
    env.reset(seed=11)
    assert env.np_random.random() == drawn


@pytest.mark.parametrize("seed", [None, 4, list(range(100, 109))], ids=str)
def test_a_reset_of_some_leaves_the_others_as_they_are(seed: Any) -> None:
    env = make(9, seats=("random", "agent"), autoreset_mode="Disabled")
    env.reset(seed=1)
    mask = np.arange(9) % 3 == 1
    before = deepcopy(env.engine.tables)
    env.reset(seed=seed, options={"reset_mask": mask})
    for name, old in before._asdict().items():
        new = getattr(env.engine.tables, name)
        if name == "state":  # but for which words are worked out already
            old, new = without_words(old), without_words(new)
        if len(old) == 9:
            assert np.array_equal(old[~mask], new[~mask])
    changed = without_words(before.state) != without_words(env.engine.tables.state)
    assert changed.tolist() == mask.tolist()


def test_other_seats_and_shoes_are_seeded_apart_from_anything_global() -> None:
    def told() -> list[bytes]:
        env = make(3, seats=("random", "agent"))
        env.reset(seed=1)
        return [step[0].tobytes() for step in play(env, 20)]

    np.random.seed(1)  # noqa: NPY002
    before = told()
    Random(1).random()
    np.random.seed(2)  # noqa: NPY002
    assert told() == before
