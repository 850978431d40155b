"""Rendering an environment: Gymnasium's conventions hold, nothing changes by it, and nothing hidden is seen."""

import copy
import os
import pickle
import subprocess
import sys
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Any

import gymnasium as gym
import numpy as np
import pygame
import pytest
from gymnasium.utils.env_checker import check_env
from gymnasium.utils.play import play
from gymnasium.wrappers import RecordVideo, RenderCollection
from hypothesis import given, settings
from hypothesis import strategies as st
from stable_baselines3.common.env_util import make_vec_env

from bj_env.display.picture import SIZE
from bj_env.display.window import Window
from bj_env.env.env import BlackjackEnv
from bj_env.extras import missing
from bj_env.game.cards import FACES
from bj_env.rules.terms import Action
from tests.env.games import make, permuted, state
from tests.generators import rules

MODES = BlackjackEnv.metadata["render_modes"]


@pytest.fixture(autouse=True)
def no_screen_and_no_waiting(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    monkeypatch.setitem(BlackjackEnv.metadata, "render_fps", 1000)
    yield
    pygame.quit()


def on_screen() -> np.ndarray:
    return pygame.surfarray.array3d(pygame.display.get_surface()).swapaxes(0, 1)


def random_legal(env: BlackjackEnv, chance: Random) -> int:
    return int(chance.choice(np.flatnonzero(env.action_masks())))


# --- Gymnasium's conventions ---


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_the_checker_passes_in_every_mode(mode: str) -> None:
    env = gym.make("Blackjack-multi-v0", render_mode=mode, bets=(5, 10))
    check_env(env.unwrapped)
    env.close()


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("mode", MODES)
def test_each_mode_returns_what_gymnasium_says(mode: str) -> None:
    env = gym.make("Blackjack-multi-v0", render_mode=mode)  # whose wrappers check it, with warnings
    env.reset(seed=1)
    drawn = env.render()
    env.step(0)
    if mode == "human":
        assert drawn is None
    elif mode == "ansi":
        assert isinstance(drawn, str)
    else:
        assert (drawn.shape, drawn.dtype) == ((SIZE[1], SIZE[0], 3), np.uint8)
    env.close()


def test_the_human_window_shows_the_picture_by_itself_at_reset_and_step() -> None:
    shown, drawn = make(render_mode="human"), make(render_mode="rgb_array")
    for env in (shown, drawn):
        env.reset(seed=1)
    assert (on_screen() == drawn.render()).all()
    for env in (shown, drawn):
        env.step(Action.HIT)
    assert (on_screen() == drawn.render()).all()
    shown.close()


def test_a_window_is_closed_and_may_be_opened_again() -> None:
    env = make(render_mode="human")
    env.close()
    env.reset(seed=1)
    assert env._window.is_open
    env.close()
    env.close()
    assert not env._window.is_open
    env.reset()
    pygame.quit()  # as `gymnasium.utils.play` does
    env.reset()
    assert env._window.is_open
    env.close()


def test_environments_take_turns_in_the_window_and_one_outlives_another() -> None:
    one, two = make(render_mode="human", seats=("agent",) * 9), make(render_mode="human")
    one.reset(seed=1)
    two.reset(seed=1)
    before = on_screen()
    one.render()
    assert on_screen().shape > before.shape
    one.close()
    two.render()
    assert (on_screen() == before).all()
    two.close()


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))], ids=["copy", "pickle"])
def test_an_environment_with_an_open_window_is_copied_without_it(copied: Any) -> None:
    env = make(render_mode="human", seats=("basic", "agent"))
    env.reset(seed=1)
    twin = copied(env)
    assert env._window.is_open
    assert not twin._window.is_open
    assert state(twin) == state(env)
    for one in (twin, env):
        one.step(0)
    assert state(twin) == state(env)
    twin.close()
    env.close()


def test_plans_are_not_shown() -> None:
    env = make(render_mode="human")
    env.reset(seed=1)
    plan = env.planning_copy(seed=1)
    plan.step(0)
    assert not plan._window.is_open
    env.close()


def test_a_round_that_ends_within_an_episode_is_shown_before_the_next(monkeypatch: pytest.MonkeyPatch) -> None:
    shown: list[np.ndarray] = []
    really_show = Window.show

    def show(window: Window, picture: Any, *how: Any) -> None:
        really_show(window, picture, *how)
        shown.append(pygame.surfarray.array3d(picture))

    monkeypatch.setattr(Window, "show", show)
    env = make(render_mode="human", episode="session", rules="6D PEN75")
    env.reset(options={"shoe": "T,6,8,T,9,5,6,5,T"})
    assert len(shown) == 1
    env.step(Action.STAND)
    assert len(shown) == 3
    assert (shown[1] != shown[2]).any()
    env.close()


def test_render_before_reset_says_so() -> None:
    for mode in MODES:
        with pytest.raises(ValueError, match=r"render: expected reset\(\) before it"):
            make(render_mode=mode).render()


# --- nothing changes, nothing leaks ---


@settings(max_examples=12, deadline=None)
@given(rules(min_bet=1), st.sampled_from(["round", "session"]), st.integers(0, 10**6), st.sampled_from(MODES))
def test_a_rendered_game_is_the_game_that_is_not(house: Any, kind: str, seed: int, mode: str) -> None:
    told = []
    for render_mode in (None, mode):
        env = make(rules=house, episode=kind, seats=("basic", "agent"), render_mode=render_mode)
        chance, drawing = Random(seed), Random(seed)
        observation, info = env.reset(seed=seed)
        told.append([(observation.tobytes(), str(info))])
        for _ in range(8):
            if env.episode.over:
                observation, info = env.reset()
            for _ in range(drawing.randrange(3) if render_mode else 0):
                before = state(env)
                env.render()
                assert state(env) == before
            observation, reward, *over, info = env.step(random_legal(env, chance))
            told[-1].append((observation.tobytes(), reward, over, str(info)))
        env.close()
    assert told[0] == told[1]


@settings(max_examples=15, deadline=None)
@given(rules(decks=1, burn_cards=0, penetration=0, min_bet=1), st.integers(1, 3), st.integers(0, 10**6))
def test_permuting_what_is_hidden_changes_no_pixel(house: Any, seats: int, seed: int) -> None:
    chance = Random(seed)
    order, actions = chance.sample(FACES, 52), []
    env = make(rules=house, seats=("agent",) * seats, render_mode="rgb_array", bankroll=1000)
    picture = pixels_after(env, order, actions)
    while not (env.episode.no_decision or env.episode.over):
        other = permuted(order, env, chance)
        assert (pixels_after(env, other, actions) == picture).all()
        pixels_after(env, order, actions)
        actions.append(random_legal(env, chance))
        picture = pixels_after(env, order, actions)


def pixels_after(env: BlackjackEnv, order: list[Any], actions: list[int]) -> np.ndarray:
    env.reset(options={"shoe": order})
    for action in actions:
        env.step(action)
    picture = env.render()
    assert isinstance(picture, np.ndarray)
    return picture


def test_the_hole_card_is_seen_when_it_is_turned() -> None:
    env = make(render_mode="rgb_array")
    pictures = []
    for hole in ("9s", "8s"):
        pictures.append(pixels_after(env, ["Th", "6d", "8c", hole, "9c", "Kc"], [Action.STAND]))
    assert (pictures[0] != pictures[1]).any()


# --- videos, playing, Stable-Baselines3 ---


def test_frames_of_an_episode_are_collected() -> None:
    env = RenderCollection(gym.make("Blackjack-multi-v0", render_mode="rgb_array"))
    env.reset(options={"shoe": "T,2,T,6,8,3,9,T,5,6"})
    env.step(Action.HIT)
    env.step(Action.STAND)
    frames = env.render()
    assert len(frames) == 3
    assert {frame.shape for frame in frames} == {(SIZE[1], SIZE[0], 3)}
    assert all((one != other).any() for one, other in pairwise(frames))


def test_a_video_is_recorded(tmp_path: Path) -> None:
    pytest.importorskip("moviepy", reason="it asks for an older Pillow than everything else here")
    env = RecordVideo(gym.make("Blackjack-multi-v0", render_mode="rgb_array"), str(tmp_path))
    env.reset(seed=1)
    env.step(0)
    env.close()
    (video,) = tmp_path.glob("*.mp4")
    assert video.stat().st_size > 1000


def test_gymnasiums_play_takes_the_keys() -> None:
    told: list[tuple[int, float]] = []

    def once(before: Any, after: Any, action: int, reward: float, *_: Any) -> None:
        told.append((action, reward))
        pygame.event.post(pygame.event.Event(pygame.QUIT))

    env = gym.make("Blackjack-multi-v0", render_mode="rgb_array", seats=("agent",))
    pygame.display.init()
    pygame.event.post(pygame.event.Event(pygame.KEYDOWN, key=pygame.K_h))
    play(env, fps=100, seed=3, callback=once, wait_on_player=True)
    assert [action for action, _ in told] == [Action.HIT]
    env.reset(seed=3)
    assert env.render().any(), "play() has quit pygame, and pictures are drawn all the same"


def test_every_action_has_a_key_of_its_own() -> None:
    bets = (0, *range(1, 24))
    keys = make(bets=bets).get_keys_to_action()
    assert sorted(keys.values()) == list(range(7 + len(bets)))
    assert [chr(key) for (key,), action in keys.items() if action in (Action.STAND, Action.HIT, 7, 16)] == list("sh10")
    assert all(getattr(pygame, f"K_{chr(key)}") == key for (key,) in keys)


def test_sb3_draws_its_tables_side_by_side() -> None:
    tables = make_vec_env("Blackjack-multi-v0", n_envs=2)
    tables.reset()
    picture = tables.render()
    assert picture is not None
    assert picture.shape[1] == SIZE[0] or picture.shape[0] == 2 * SIZE[1]
    tables.close()


# --- what is missing ---


def run(code: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code],
        env=os.environ | environment,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize("mode", ["human", "rgb_array"])
def test_without_pygame_one_line_says_what_to_install(mode: str) -> None:
    no_pygame = "import sys; sys.modules['pygame'] = None; from bj_env.env.env import BlackjackEnv\n"
    last = run(f"{no_pygame}BlackjackEnv(render_mode={mode!r})").stderr.splitlines()[-1]
    wanted = f"render_mode {mode!r}: {missing('pygame-ce', 'play')}"
    assert last == f"bj_env.errors.RenderModeError: {wanted}"
    text = run(f"{no_pygame}env = BlackjackEnv(render_mode='ansi'); env.reset(seed=1); print(env.render())")
    assert text.stdout.startswith("six-deck"), text.stderr


def test_the_older_pygame_is_refused_in_one_line() -> None:
    old = "import sys, types; sys.modules['pygame'] = old = types.ModuleType('pygame'); old.image = old\n"
    last = run(f"{old}old.Rect = old.Surface = None\nimport bj_env.display.picture").stderr.splitlines()[-1]
    wanted = f"render_mode: {missing('pygame-ce', 'play')}"
    assert last == f"bj_env.errors.RenderModeError: {wanted}"


def test_without_a_screen_one_line_says_what_to_do() -> None:
    code = "from bj_env.env.env import BlackjackEnv; BlackjackEnv(render_mode='human').reset(seed=1)"
    failed = run(code, SDL_VIDEODRIVER="nonsense")
    assert failed.stderr.splitlines()[-1].startswith(
        "bj_env.errors.RenderModeError: render_mode: 'human' takes a screen"
    )
    assert failed.stdout == "", "pygame's greeting would stand in the output of programs"


def test_nothing_is_imported_before_something_is_drawn() -> None:
    code = "import sys; from bj_env.env.env import BlackjackEnv; BlackjackEnv(render_mode='rgb_array').reset(seed=1)"
    assert run(f"{code}; sys.exit('pygame' in sys.modules)").returncode == 0
