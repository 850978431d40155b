"""What Gymnasium's other vector environments can: pictures, a limit of steps, attributes of every environment."""

from typing import Any

import gymnasium as gym
import numpy as np
import pytest

import bj_env  # noqa: F401 (registers the environment)
from bj_env.compiled.vector_env import BlackjackVectorEnv
from bj_env.env.env import BlackjackEnv
from bj_env.errors import BlackjackError, RenderModeError, UnknownArgument

ID = "Blackjack-multi-v0"


@pytest.mark.parametrize("mode", ["NextStep", "SameStep", "Disabled"])
def test_episodes_are_truncated_as_by_a_time_limit(mode: str) -> None:
    game: dict[str, Any] = {"episode": "session", "seats": ("agent", "basic"), "rules": "6D PEN75"}
    vector = gym.make_vec(ID, num_envs=3, max_episode_steps=3, autoreset_mode=mode, **game)
    singles = [gym.make(ID, max_episode_steps=3, **game) for _ in range(3)]
    shown, infos = vector.reset(seed=[1, 2, 3])
    single = [env.reset(seed=seed) for env, seed in zip(singles, (1, 2, 3), strict=True)]
    over = np.zeros(3, bool)
    truncations = 0
    for _ in range(14):
        actions = infos["action_mask"].argmax(axis=1)
        shown, rewards, terminated, truncated, infos = vector.step(actions)
        for i, env in enumerate(singles):
            if over[i] and mode == "NextStep":
                observation, info = env.reset()
                ends = (0.0, False, False)
            else:
                observation, reward, *flags, info = env.step(int(actions[i]))
                ends = (float(reward), *flags)
            assert (rewards[i], terminated[i], truncated[i]) == ends
            if any(ends[1:]) and mode == "SameStep":
                assert np.array_equal(infos["final_obs"][i], observation)
                observation, info = env.reset()
            assert np.array_equal(shown[i], observation)
            assert np.array_equal(infos["action_mask"][i], info["action_mask"])
        over = terminated | truncated
        truncations += truncated.sum()
        if mode == "Disabled" and over.any():
            shown, infos = vector.reset(options={"reset_mask": over})
            for i in np.flatnonzero(over):
                assert np.array_equal(singles[i].reset()[0], shown[i])
    assert truncations >= 9
    assert len(single) == 3


def test_pictures_of_the_tables_are_those_of_single_environments() -> None:
    pytest.importorskip("pygame")
    game: dict[str, Any] = {"seats": ("agent", "basic"), "rules": "6D PEN75", "bets": (1, 5), "bankroll": 100}
    vector = gym.make_vec(ID, num_envs=2, render_mode="rgb_array", autoreset_mode="Disabled", **game)
    singles = [gym.make(ID, render_mode="rgb_array", **game) for _ in range(2)]
    _, infos = vector.reset(seed=[1, 2])
    for env, seed in zip(singles, (1, 2), strict=True):
        env.reset(seed=seed)
    for _ in range(3):
        pictures: Any = vector.render()
        assert [picture.shape for picture in pictures] == [env.render().shape for env in singles]  # type: ignore[union-attr]
        assert all(len(np.unique(picture)) > 50 for picture in pictures)
        actions = infos["action_mask"].argmax(axis=1)
        infos = vector.step(actions)[4]
        for env, action in zip(singles, actions, strict=True):
            env.step(int(action))
        if not infos["action_mask"].all(axis=1).any():
            break
    assert gym.make_vec(ID, num_envs=2, render_mode=None).render_mode is None


def test_a_scene_is_what_the_single_environment_shows() -> None:
    from bj_env.compiled.records import scene_of

    game: dict[str, Any] = {"seats": ("agent", "basic"), "rules": "6D PEN75", "bets": (1, 5), "bankroll": 100}
    vector, single = BlackjackVectorEnv(1, autoreset_mode="Disabled", **game), BlackjackEnv(**game)
    vector.reset(seed=[4])
    single.reset(seed=4)

    def plain(scene: Any) -> str:
        return str(scene).replace("Card(rank=", "(").replace("suit=", "")

    for _ in range(8):
        theirs, ours = single._scene(), scene_of(vector.engine, 0)
        for name in ("rules", "shoe", "dealer_value", "legal", "end"):
            if hasattr(theirs, name):
                assert getattr(ours, name) == getattr(theirs, name)
        assert [(seat.name, seat.bank, seat.net, len(seat.hands)) for seat in ours.seats] == [
            (seat.name, seat.bank, seat.net, len(seat.hands)) for seat in theirs.seats
        ]
        mask = single.action_masks()
        if not mask.any():
            break
        single.step(int(mask.argmax()))
        vector.step(np.array([mask.argmax()]))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"render_mode": "human"}, "render_mode: got 'human'; valid for several tables: None, 'rgb_array'"),
        ({"num_envs": 65, "render_mode": "rgb_array"}, "render_mode: expected at most 64 tables to draw, got 65"),
        ({"max_episode_steps": 0}, "max_episode_steps: expected a whole number from 1 to 2147483647, got 0"),
        ({"max_episode_steps": True}, "max_episode_steps: expected a whole number from 1 to 2147483647, got True"),
    ],
)
def test_what_several_tables_cannot_do_is_said_in_one_line(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(BlackjackError) as refused:
        gym.make_vec(ID, **arguments)
    assert str(refused.value) == message
    assert isinstance(refused.value, RenderModeError) == ("render_mode" in arguments)


@pytest.mark.parametrize("kind", [BlackjackEnv, BlackjackVectorEnv])
def test_an_unknown_keyword_brings_the_nearest(kind: Any) -> None:
    with pytest.raises(UnknownArgument, match=r"^unexpected keyword argument 'rulse'; did you mean 'rules'\?$"):
        kind(rulse="6D")
    with pytest.raises(TypeError, match="unexpected keyword argument 'zzzz'; valid: 'rules', 'seats', "):
        kind(zzzz=1)


def test_attributes_and_methods_of_every_environment() -> None:
    env = BlackjackVectorEnv(3, seats=("agent",), bets=(1, 2))
    env.reset(seed=[1, 2, 3])
    assert env.get_attr("bets") == ((1, 2),) * 3
    assert env.get_attr("np_random_seed") == (1, 2, 3)
    assert np.array_equal(np.stack(env.call("action_masks")), env.action_masks())
    assert env.get_attr("action_space") == (env.single_action_space,) * 3
    with pytest.raises(AttributeError, match="did you mean 'rules'"):
        env.get_attr("rulez")
