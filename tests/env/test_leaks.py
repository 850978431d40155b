"""Nothing hidden reaches the agent."""

from random import Random
from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from bj_env.env.env import BlackjackEnv
from bj_env.game.cards import FACES
from bj_env.observation import PARTS as ALL
from tests.env.games import PARTS, make, permuted
from tests.generators import rules


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


def test_the_bet_knows_nothing_of_the_cards_to_come() -> None:
    """Report b137."""

    def at_the_bet(shoe: str) -> tuple[bytes, bytes]:
        env = make(bets=(1, 5), observation=PARTS, rules="6D PEN75", episode="session")
        observation, info = env.reset(options={"shoe": shoe}, seed=1)
        return observation.tobytes(), info["action_mask"].tobytes()

    assert at_the_bet("A,9,K,8") == at_the_bet("5,9,6,8")
