"""The table for several agents at once: PettingZoo's checks, bets at once, SuperSuit and SB3."""

from typing import Any

import numpy as np
import pettingzoo.test
import pytest

import bj_env
from bj_env.errors import BlackjackError, IllegalAction
from bj_env.multi.aec import BlackjackAEC
from bj_env.rules.terms import Action, Phase
from tests.multi.test_aec import each_table


def is_betting(env: BlackjackAEC) -> bool:
    return env.table_env.episode.phase is Phase.BET


@each_table
def test_pettingzoos_own_checks_pass(arguments: dict[str, Any]) -> None:
    pettingzoo.test.parallel_api_test(bj_env.parallel_env(**arguments), num_cycles=200)
    pettingzoo.test.parallel_seed_test(lambda: bj_env.parallel_env(**arguments), num_cycles=100)


@each_table
def test_it_pays_what_the_agents_in_turn_are_paid(arguments: dict[str, Any]) -> None:
    chance = np.random.default_rng(1)
    env = bj_env.parallel_env(**arguments)
    twin = bj_env.aec_env(**arguments)
    for seed in range(5):
        _, infos = env.reset(seed=seed)
        twin.reset(seed=seed)
        paid, twins = dict.fromkeys(env.agents, 0.0), dict.fromkeys(env.agents, 0.0)
        while env.agents:
            actions = {agent: int(chance.choice(np.flatnonzero(infos[agent]["action_mask"]))) for agent in env.agents}
            asked = set(env.agents)
            _, rewards, _, _, infos = env.step(actions)
            for agent, reward in rewards.items():
                paid[agent] += reward
            while (agent := twin.agent_selection) in asked:
                betting = is_betting(twin)
                twin.step(actions[agent])
                for name, reward in twin.rewards.items():
                    twins[name] += reward
                asked = asked - {agent} if betting and is_betting(twin) else set()
            while twin.agents and (twin.terminations[twin.agent_selection] or twin.truncations[twin.agent_selection]):
                twin.step(None)
            assert env.agents == twin.agents
        assert paid == twins


def test_bets_are_made_at_once_and_unseen() -> None:
    env = bj_env.parallel_env(bets=(1, 5), episode="session", observation=("hand", "table"))
    observations, infos = env.reset(seed=1)
    for agent in env.agents:
        assert np.flatnonzero(infos[agent]["action_mask"]).tolist() == [7, 8]
    assert set(observations) == {"seat_1", "seat_2"}
    env.step({"seat_1": 8, "seat_2": 7})
    assert [seat.bet for seat in env.aec.table_env.episode.round.seats] == [50, 10]


def test_an_agent_that_waits_may_only_stand_which_changes_nothing() -> None:
    env = bj_env.parallel_env()
    for seed in range(10):
        _, infos = env.reset(seed=seed)
        round = env.aec.table_env.episode.round
        in_turn = env.aec.agent_selection
        waiting = next(agent for agent in env.agents if agent != in_turn)
        if round.over:
            continue
        assert np.flatnonzero(infos[waiting]["action_mask"]).tolist() == [Action.STAND]
        events = len(round.events)
        env.step({in_turn: Action.STAND, waiting: Action.HIT})
        assert [event.action for event in round.events[events:] if event.action is not None] == [Action.STAND]


def test_actions_that_are_missing_unknown_or_illegal_are_refused_and_change_nothing() -> None:
    env = bj_env.parallel_env(bets=(1, 2, 5), episode="session", bankroll=4, illegal_action="raise")
    with pytest.raises(BlackjackError, match=r"call reset\(\)"):
        env.step({})
    env.reset(seed=1)
    for actions, message in [
        ({"seat_1": 7}, "got none of 'seat_2'"),
        ({"seat_1": 7, "seat_2": 7, "seat_3": 7}, "'seat_3'; did you mean"),
        ({"seat_1": 7, "seat_2": 99}, "whole number from 0 to 9"),
    ]:
        with pytest.raises(BlackjackError, match=message):
            env.step(actions)
    with pytest.raises(IllegalAction, match="seat_2: expected one of bet 1, bet 2, got bet 5"):
        env.step({"seat_1": 7, "seat_2": 9})
    assert env.aec.agent_selection == "seat_1"


@pytest.mark.filterwarnings("ignore")
def test_supersuit_makes_a_vector_environment_from_which_sb3_learns() -> None:
    supersuit = pytest.importorskip("supersuit")
    sb3 = pytest.importorskip("stable_baselines3")
    tables = supersuit.pettingzoo_env_to_vec_env_v1(bj_env.parallel_env())
    tables = supersuit.concat_vec_envs_v1(tables, 2, num_cpus=1, base_class="stable_baselines3")
    learner = sb3.PPO("MlpPolicy", tables, n_steps=64, batch_size=64, n_epochs=1)
    before = [weights.clone() for weights in learner.policy.parameters()]
    learner.learn(512)
    assert any(not old.equal(new) for old, new in zip(before, learner.policy.parameters(), strict=True))
