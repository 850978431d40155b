"""What ``info`` holds: the same keys with numpy types at every step, and the seed that deals the game again."""

from collections.abc import Iterator
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

from bj_env.compiled.vector_env import BlackjackVectorEnv
from bj_env.env.env import BlackjackEnv
from bj_env.errors import BlackjackError
from bj_env.game.events import Record
from bj_env.rules.terms import Action


def played(env: BlackjackEnv, steps: int = 60) -> Iterator[tuple[Any, dict[str, Any]]]:
    """Return what resets and steps return, playing the first legal action."""
    yield env.reset(seed=4)
    for _ in range(steps):
        mask = env.action_masks()
        observation, *_, info = env.step(int(mask.argmax())) if mask.any() else env.reset()
        yield observation, info


@pytest.mark.parametrize("episode", ["round", "session"])
def test_keys_and_types_are_the_same_at_every_step(episode: str) -> None:
    env = BlackjackEnv(seats=("basic", "agent"), bets=(0, 1, 5), episode=episode)
    forms = {
        tuple(
            (name, type(value), getattr(value, "shape", None), getattr(value, "dtype", None))
            for name, value in sorted(info.items())
        )
        for _, info in played(env)
    }
    assert len(forms) == 1
    (form,) = forms
    assert [name for name, kind, *_ in form if kind is Record] == ["record"]
    assert all(dtype is not None for name, _, _, dtype in form if name != "record")


def test_without_records_it_is_numpy_alone() -> None:
    for _, info in played(BlackjackEnv(record_in_info=False)):
        assert "record" not in info
        assert all(isinstance(value, np.ndarray | np.generic) for value in info.values())
    with pytest.raises(BlackjackError, match="record_in_info: expected True or False, got 1"):
        BlackjackEnv(record_in_info=1)  # type: ignore[arg-type]


def test_a_record_is_empty_and_false_until_a_round_has_ended() -> None:
    env = BlackjackEnv(seats=("agent",))
    _, info = env.reset(options={"shoe": "T,6,9,T,9"})
    assert (bool(info["record"]), str(info["record"]), info["round_over"]) == (False, "", np.False_)
    assert not info["nets"].any()
    assert not info["dealer"].any()
    *_, info = env.step(Action.STAND)
    assert info["record"]
    assert info["round_over"]
    assert str(info["record"]) == "six-deck ; D 6/T ; P1 1 T,9 S ; next 9 => P1 +1 ; D 6,T,9"
    assert info["dealer"].tolist() == [6, 10, 9, *[0] * 14]


def test_trees_of_arrays_take_a_record_for_a_leaf() -> None:
    torch_tree = pytest.importorskip("torch.utils._pytree")
    env = BlackjackEnv(seats=("agent",))
    env.reset(options={"shoe": "T,6,9,T,9"})
    info = env.step(Action.STAND)[4]
    leaves, _ = torch_tree.tree_flatten(info)
    assert info["record"] in [leaf for leaf in leaves if isinstance(leaf, Record)]


def test_an_unseeded_game_tells_the_seed_that_deals_it_again() -> None:
    first, again = (gym.make("Blackjack-multi-v0", seats=("agent",)) for _ in range(2))
    base: Any = first.unwrapped
    shown, info = first.reset()
    same, _ = again.reset(seed=base.np_random_seed)
    assert info["seed"] == base.np_random_seed < 1 << 63
    lines = []
    for env, observation in ((first, shown), (again, same)):
        lines.append([observation.tolist()])
        for _ in range(20):
            observation, _, over, _, info = env.step(0)
            lines[-1].append((observation.tolist(), str(info["record"])))
            if over:
                assert info["record"].seed == base.np_random_seed
                env.reset()
    assert lines[0] == lines[1]


def test_two_unseeded_games_differ() -> None:
    assert len({int(BlackjackEnv().reset()[1]["seed"]) for _ in range(5)}) == 5


def test_the_vector_environment_tells_its_seeds() -> None:
    one, other = (BlackjackVectorEnv(3, seats=("agent",)) for _ in range(2))
    shown, infos = one.reset()
    assert np.array_equal(other.reset(seed=one.np_random_seed)[0], shown)
    assert infos["seed"].tolist() == [one.np_random_seed] * 3
    shown, infos = one.reset(seed=[3, 4, 5])
    assert one.np_random_seed == (3, 4, 5) == tuple(infos["seed"].tolist())
    assert np.array_equal(other.reset(seed=one.np_random_seed)[0], shown)
    one.reset(seed=9)
    assert one.np_random_seed == 9
    one.step(np.zeros(3, np.int64))
    while not one.step(np.zeros(3, np.int64))[2].all():
        pass
    assert one.record(1).seed == 9


@pytest.mark.parametrize("names", [True, ("observations", "action_mask"), ("obs", "mask")])
@pytest.mark.parametrize("encoding", ["features", "discrete"])
def test_the_mask_may_be_in_the_observation(names: Any, encoding: str) -> None:
    arguments: dict[str, Any] = {"seats": ("basic", "agent"), "encoding": encoding}
    env, bare = BlackjackEnv(mask_in_observation=names, **arguments), BlackjackEnv(**arguments)
    name, mask = ("observation", "action_mask") if names is True else names
    for (observation, info), (plain, _) in zip(played(env), played(bare), strict=True):
        assert observation in env.observation_space
        assert np.array_equal(observation[name], plain)
        assert np.array_equal(observation[mask], info["action_mask"])
    check_env(BlackjackEnv(mask_in_observation=names, **arguments), skip_render_check=True)


@pytest.mark.parametrize("mode", ["NextStep", "SameStep", "Disabled"])
def test_the_mask_may_be_in_the_observations_of_the_vector_environment(mode: str) -> None:
    env = BlackjackVectorEnv(5, mask_in_observation=("obs", "mask"), autoreset_mode=mode)
    bare = BlackjackVectorEnv(5, autoreset_mode=mode)
    (shown, infos), (plain, _) = env.reset(seed=1), bare.reset(seed=1)
    for _ in range(20):
        assert shown in env.observation_space
        assert np.array_equal(shown["obs"], plain)
        assert np.array_equal(shown["mask"], infos["action_mask"])
        actions = shown["mask"].argmax(axis=1)
        shown, _, terminated, _, infos = env.step(actions)
        plain = bare.step(actions)[0]
        if "final_obs" in infos:
            assert not infos["final_obs"]["mask"][terminated].any()
        if mode == "Disabled" and terminated.any():
            (shown, infos), (plain, _) = [each.reset(options={"reset_mask": terminated}) for each in (env, bare)]


@pytest.mark.parametrize("names", ["obs", ("obs",), ("obs", "obs"), (1, 2), None, 1, ("", "mask")])
def test_other_names_for_the_mask_are_refused(names: Any) -> None:
    for kind in (BlackjackEnv, BlackjackVectorEnv):
        with pytest.raises(BlackjackError, match="mask_in_observation: expected True, False or two names like"):
            kind(mask_in_observation=names)
