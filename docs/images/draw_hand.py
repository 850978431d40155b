"""Draw ``hand.webp``, the animated hand of README: ``python docs/images/draw_hand.py``."""

from pathlib import Path

import gymnasium as gym
from PIL import Image

from bj_env import Action

LINE = "six-deck ; D 6/T ; P1 10 8,8 ; next 3,T,T,9"
MOVES = (Action.SPLIT, Action.DOUBLE, Action.STAND)
FRAME_MILLISECONDS = 1500
LAST_MILLISECONDS = 4000


def frames() -> list[Image.Image]:
    """Return a picture of the table at each decision point of the hand and at its end."""
    env = gym.make("bj_env:Blackjack-multi-v0", rules="six-deck", seats=("agent",), bets=(10,), render_mode="rgb_array")
    env.reset(seed=1, options={"line": LINE})
    pictures = [env.render()]
    for move in MOVES:
        env.step(int(move))
        pictures.append(env.render())
    return [Image.fromarray(picture) for picture in pictures]


if __name__ == "__main__":
    first, *others = [picture.resize((picture.width * 4 // 5, picture.height * 4 // 5)) for picture in frames()]
    durations = [FRAME_MILLISECONDS] * len(others) + [LAST_MILLISECONDS]
    target = Path(__file__).with_name("hand.webp")
    first.save(target, save_all=True, append_images=others, duration=durations, loop=0, quality=80)
