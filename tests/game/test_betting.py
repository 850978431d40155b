"""Bets follow the count: after 200 low cards (case B104) it is high, a counting player bets more, and that pays."""

from typing import Any

import numpy as np

from bj_env.compiled.simulate import simulate
from bj_env.compiled.vector_env import BlackjackVectorEnv
from bj_env.env.env import BlackjackEnv
from bj_env.rules.terms import FIRST_BET, Phase
from bj_env.strategies.counting import CountingDecision

RAMP = CountingDecision(ramp=((-99, 1), (2, 8)))
LOW = ",".join([*"23456789" * 24, *"A" * 8])
"""200 cards of six decks: nearly all that is left are tens."""

GAME: dict[str, Any] = {
    "rules": "6D PEN75 NS",
    "seats": ("agent", RAMP),
    "bets": (1, 8),
    "episode": "session",
    "observation": ("hand", "count", "seen"),
    "encoding": "discrete",
}
PHASE, COUNT, SEEN = 0, 5, slice(6, 16)
"""The columns of what is asked, of the count and of the cards seen."""


def first_legal(masks: np.ndarray) -> np.ndarray:
    """Return the smallest bet, to stand, or to insure."""
    return masks.argmax(axis=-1)


def is_after_low_cards(observations: np.ndarray) -> np.ndarray:
    """Tell whether a bet is asked for that follows the low cards."""
    return (observations[..., SEEN].sum(axis=-1) >= 200) & (observations[..., PHASE] == Phase.BET)


def test_the_observation_tells_in_both_environments() -> None:
    """Report b104."""
    env, vector = BlackjackEnv(**GAME), BlackjackVectorEnv(2, **GAME)
    (fresh, info), (many, infos) = env.reset(seed=1, options={"shoe": LOW}), vector.reset(seed=[1, 1])
    many, infos = vector.reset(options={"shoe": LOW})
    assert (fresh[COUNT], fresh[SEEN].sum()) == (20, 0)  # a count of 0
    after = fresh
    while not is_after_low_cards(after):
        assert after.tolist() == many[0].tolist() == many[1].tolist()
        after, _, _, _, info = env.step(int(first_legal(info["action_mask"])))
        many, _, _, _, infos = vector.step(first_legal(infos["action_mask"]))
    assert after.tolist() == many[0].tolist() == many[1].tolist()
    assert after[COUNT] == 40  # 20 or more
    assert after[SEEN][1:9].tolist() == [24] * 8


def bets_of_counter(options: dict[str, Any] | None) -> list[str]:
    """Return what the counting neighbour bets in the next round, in the single environment and in the compiled one."""
    env, vector = BlackjackEnv(**GAME), BlackjackVectorEnv(1, **GAME)
    after, info = env.reset(seed=1, options=options)
    vector.reset(seed=[1], options=options)
    while options and not is_after_low_cards(after):
        action = int(first_legal(info["action_mask"]))
        after, _, _, _, info = env.step(action)
        vector.step(np.array([action]))
    while True:
        action = int(first_legal(info["action_mask"]))
        after, _, _, _, info = env.step(action)
        vector.step(np.array([action]))
        if info["round_over"]:
            return [str(record).split(" ; ")[3].split()[1] for record in (info["record"], vector.record(0))]


def test_a_counting_player_bets_more_in_both_environments() -> None:
    """Report b104."""
    assert bets_of_counter(None) == ["1", "1"]
    assert bets_of_counter({"shoe": LOW}) == ["8", "8"]


def won_after_low_cards(bet: int, tables: int) -> np.ndarray:
    """Return what the agent wins in the first round after the low cards at each table, with one of the bets."""
    env = BlackjackVectorEnv(tables, **GAME | {"seats": ("agent",)})
    observations, infos = env.reset(seed=104, options={"shoe": LOW})
    won, has_bet = np.full(tables, np.nan), np.zeros(tables, np.bool_)
    while np.isnan(won).any():
        now = is_after_low_cards(observations) & ~has_bet
        actions = np.where(now, FIRST_BET + bet, first_legal(infos["action_mask"]))
        observations, _, _, _, infos = env.step(actions)
        has_bet |= now
        over = infos["_nets"] & has_bet & np.isnan(won)
        won[over] = infos["nets"][over, 0]
    return won


def test_to_bet_more_pays_then() -> None:
    """Report b104."""
    small, large = (won_after_low_cards(bet, tables=4000) for bet in (0, 1))
    assert large.tolist() == (8 * small).tolist()
    gain = large - small
    assert gain.mean() > 4 * gain.std() / len(gain) ** 0.5


def test_to_bet_by_the_count_pays() -> None:
    flat, ramp = (simulate("6D PEN75", [player], 2_000_000, seed=104) for player in ("hi-lo", RAMP))
    assert ramp.ev > max(flat.ev, 0) + 4 * ramp.stderr
