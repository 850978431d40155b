"""The table for several agents in PettingZoo's form: its own checks, the same rounds as the Gymnasium environment."""

import sys
from typing import Any

import gymnasium as gym
import numpy as np
import pettingzoo.test
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pettingzoo.utils import AECEnv

import bj_env
from bj_env.errors import BlackjackError, IllegalAction
from bj_env.multi.aec import BlackjackAEC
from bj_env.multi.tournament import TournamentSettings
from bj_env.rules.terms import Action, Phase

TABLES: dict[str, dict[str, Any]] = {
    "two agents": {"seats": ("agent", "agent")},
    "a strategy between": {"seats": ("agent", "basic", "agent"), "observation": ("hand", "table", "seen")},
    "a dealer who chooses": {"rules": "two-player", "seats": ("agent",), "dealer": "agent", "observation": ("table",)},
    "masks in observations": {"seats": ("agent", "agent"), "mask_in_observation": True},
    "bets and bankrolls": {
        "rules": "6D PEN75",
        "seats": ("agent", "agent"),
        "bets": (0, 1, 5),
        "episode": "session",
        "bankroll": 20,
        "max_rounds": 30,
        "observation": ("hand", "bankroll", "count"),
    },
    "a shoe": {"rules": "2D PEN50", "seats": ("agent", "agent"), "episode": "shoe", "encoding": "discrete"},
    "a tournament": {
        "seats": ("agent", "agent", "basic"),
        "bets": (1, 5, 25),
        "episode": "tournament",
        "tournament": TournamentSettings(rounds=4, bankroll=30, prizes=(3, 1), elimination=(2,)),
    },
}

each_table = pytest.mark.parametrize("arguments", TABLES.values(), ids=TABLES)


def play(env: BlackjackAEC, seed: int, *, legal: bool = True) -> dict[str, float]:
    """Play an episode at random; return what each agent was paid."""
    chance = np.random.default_rng(seed)
    paid = dict.fromkeys(env.possible_agents, 0.0)
    env.reset(seed=seed)
    for agent in env.agent_iter():
        _, reward, terminated, truncated, info = env.last()
        paid[agent] += reward
        mask = info["action_mask"]
        over = terminated or truncated
        env.step(None if over else int(chance.choice(np.flatnonzero(mask)) if legal else chance.integers(len(mask))))
    return paid


@each_table
@pytest.mark.filterwarnings("ignore:Observation space for each agent probably")
@pytest.mark.filterwarnings("ignore:Observation is not a NumPy array")
@pytest.mark.filterwarnings("ignore:Observation numpy array is all zeros")
@pytest.mark.filterwarnings("ignore:Action mask numpy array is all zeros")
@pytest.mark.filterwarnings("error")
def test_pettingzoos_own_checks_pass(arguments: dict[str, Any]) -> None:
    pettingzoo.test.api_test(bj_env.aec_env(**arguments), num_cycles=200)
    pettingzoo.test.seed_test(lambda: bj_env.aec_env(**arguments), num_cycles=100)


@pytest.mark.parametrize("arguments", TABLES.values(), ids=TABLES)
def test_a_game_without_a_seed_tells_the_one_that_repeats_it(arguments: dict[str, Any]) -> None:
    one, again = BlackjackAEC(**arguments), BlackjackAEC(**arguments)
    one.reset()
    seed = int(one.infos[one.agents[0]]["seed"])
    again.reset(seed=seed)
    for _ in range(40):
        if not one.agents:
            break
        agent = one.agent_selection
        assert agent == again.agent_selection
        gone = one.terminations[agent] or one.truncations[agent]
        action = None if gone else int(one.action_mask(agent).argmax())
        one.step(action)
        again.step(action)
        assert str(one.record) == str(again.record)
        assert one.record is None or one.record.seed == seed


def test_max_cycles_is_the_number_of_rounds_where_agents_only_bet() -> None:
    class Module:
        @staticmethod
        def arguments(max_cycles: int) -> dict[str, Any]:
            tournament = TournamentSettings(rounds=max_cycles, bankroll=1000, play="basic")
            return {"bets": (1, 2), "episode": "tournament", "tournament": tournament}

        def env(self, max_cycles: int) -> AECEnv[Any, Any, Any]:
            return bj_env.aec_env(**self.arguments(max_cycles))

        def parallel_env(self, max_cycles: int) -> Any:
            return bj_env.parallel_env(**self.arguments(max_cycles))

    pettingzoo.test.max_cycles_test(Module())


@pytest.mark.parametrize("arguments", [TABLES["two agents"], TABLES["a tournament"]], ids=["round", "tournament"])
def test_render_modes(arguments: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    monkeypatch.setitem(BlackjackAEC.metadata, "render_fps", 1000)
    monkeypatch.setitem(bj_env.env.env.BlackjackEnv.metadata, "render_fps", 1000)
    pettingzoo.test.render_test(lambda **mode: bj_env.aec_env(**arguments, **mode))


def test_performance_benchmark_runs(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    clock = iter(range(0, 10_000, 3))  # it would go on for five seconds
    monkeypatch.setattr(sys.modules["pettingzoo.test.performance_benchmark"].time, "time", lambda: next(clock))
    pettingzoo.test.performance_benchmark(bj_env.aec_env())
    assert "turns per second" in capsys.readouterr().out


@pytest.mark.parametrize("name", ["two agents", "a strategy between", "a shoe", "bets and bankrolls"])
@given(seed=st.integers(0, 2**32), legal=st.booleans())
def test_lockstep_with_the_gymnasium_environment(name: str, seed: int, legal: bool) -> None:
    arguments = {"illegal_action": "penalty"} | TABLES[name]
    ours, single = bj_env.aec_env(**arguments), gym.make("Blackjack-multi-v0", disable_env_checker=True, **arguments)
    chance = np.random.default_rng(seed)
    ours.reset(seed=seed)
    observation, info = single.reset(seed=seed)
    over = False
    while not over:
        while ours.terminations[ours.agent_selection]:  # one that is broke while the others play on
            ours.step(None)
        agent = ours.agent_selection
        seen, _, terminated, truncated, own = ours.last()
        assert agent == f"seat_{info['seat'] + 1}"
        assert not terminated
        assert not truncated
        np.testing.assert_array_equal(seen, observation)
        np.testing.assert_array_equal(own["action_mask"], info["action_mask"])
        masked = np.flatnonzero(info["action_mask"])
        action = int(chance.choice(masked) if legal else chance.integers(len(info["action_mask"])))
        ours.step(action)
        observation, reward, terminated, truncated, info = single.step(action)
        assert sum(ours.rewards.values()) == pytest.approx(reward)
        over = terminated or truncated
    assert all(ours.truncations.values()) == truncated
    if not truncated:
        assert all(ours.terminations.values())


@given(seed=st.integers(0, 2**32))
def test_each_agent_is_paid_the_net_of_its_own_seat(seed: int) -> None:
    env = bj_env.aec_env(seats=("agent", "basic", "agent"))
    paid = play(env, seed)
    nets = env.table_env.episode.finished.nets
    assert paid == {"seat_1": nets[0] / 10, "seat_3": nets[2] / 10}


@given(seed=st.integers(0, 2**32))
def test_the_agents_seats_and_the_dealers_chair_win_what_the_others_lose(seed: int) -> None:
    paid = play(bj_env.aec_env(rules="two-player", seats=("agent", "agent"), dealer="agent"), seed)
    assert sum(paid.values()) == 0


def test_a_dealer_who_chooses_may_stand_on_any_total() -> None:
    env = bj_env.aec_env(rules="two-player", seats=("agent",), dealer="agent")
    totals = set()
    for seed in range(60):
        env.reset(seed=seed)
        for agent in env.agent_iter():
            _, _, terminated, _, info = env.last()
            if agent == "dealer_1" and not terminated:
                assert np.flatnonzero(info["action_mask"]).tolist() == [Action.STAND, Action.HIT]
                totals.add(env.table_env.episode.round.dealer.total)
            env.step(None if terminated else Action.STAND)
    assert min(totals) < 12


def test_the_dealer_can_be_another_strategy() -> None:
    env = bj_env.aec_env(rules="6D S17", seats=("agent",), dealer="threshold:19")
    env.reset(seed=0)
    standing = set()
    for seed in range(40):
        env.reset(seed=seed)
        while env.agents:
            env.step(None if env.terminations[env.agent_selection] else Action.STAND)
        standing.add(env.table_env.episode.finished.dealer.total)
    assert not standing & {17, 18}


def test_what_an_agent_sees_does_not_say_what_is_hidden_and_shows_its_own_hand() -> None:
    env = bj_env.aec_env(seats=("agent", "agent"), encoding="discrete", observation=("hand",))
    env.reset(seed=3)
    hands = [seat.hands[0] for seat in env.table_env.episode.round.seats]
    in_turn, waiting = env.agents
    assert env.agent_selection == in_turn
    assert env.observe(in_turn)[0] == Phase.PLAY
    assert env.observe(waiting)[0] == Phase.ROUND_OVER
    assert [env.observe(agent)[1] for agent in env.agents] == [hand.total - 3 for hand in hands]
    assert not env.infos[waiting]["action_mask"].any()


def test_an_agent_that_is_broke_is_out_and_the_others_play_on() -> None:
    env = bj_env.aec_env(seats=("agent", "agent"), bets=(5, 10), episode="session", bankroll=10, max_rounds=500)
    outlived = 0
    for seed in range(30):
        env.reset(seed=seed)
        chance = np.random.default_rng(seed)
        for agent in env.agent_iter():
            _, _, terminated, truncated, info = env.last()
            if terminated and len(env.agents) > 1 and not all(env.terminations.values()):
                outlived += 1
                env.step(None)
                assert agent not in env.agents
                continue
            over = terminated or truncated
            env.step(None if over else int(chance.choice(np.flatnonzero(info["action_mask"]))))
    assert outlived > 5


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"seats": ("basic",)}, "expected at least one 'agent'"),
        ({"dealer": "agnet"}, "dealer: .*'house', 'agent'"),
        ({"episode": "tournament"}, "tournament: expected settings"),
        ({"tournament": TournamentSettings()}, "with episode='tournament' only"),
        ({"episode": "rounds"}, "did you mean 'round'"),
        ({"render_mode": "text"}, "render_mode"),
        ({"seat": ("agent",)}, "argument 'seat'; did you mean 'seats'"),
        ({"episode": "tournament", "tournament": 5}, "tournament: expected a TournamentSettings, got 5"),
    ],
)
def test_bad_arguments_are_refused(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(BlackjackError, match=message):
        bj_env.aec_env(**arguments)


@pytest.mark.parametrize("options", [5, "options", [1]])
def test_options_that_are_no_names_with_values_are_refused(options: Any) -> None:
    with pytest.raises(BlackjackError, match="options: expected names with values"):
        bj_env.aec_env().reset(seed=1, options=options)


def test_unknown_agents_and_steps_out_of_place_are_refused() -> None:
    env = bj_env.aec_env(seats=("agent", "basic"), illegal_action="raise")
    with pytest.raises(BlackjackError, match=r"call reset\(\)"):
        env.step(0)
    env.reset(seed=1)
    for method in (env.observe, env.observation_space, env.action_space):
        with pytest.raises(BlackjackError, match="'seat_2'; did you mean 'seat_1'"):
            method("seat_2")
    with pytest.raises(BlackjackError, match="one of seat_1, got None"):
        env.step(None)
    before = env.last()[0]
    with pytest.raises(IllegalAction, match="INSURE"):
        env.step(Action.INSURE)
    np.testing.assert_array_equal(env.last()[0], before)
    while not env.terminations["seat_1"]:
        env.step(Action.STAND)
    with pytest.raises(BlackjackError, match="seat_1 is out"):
        env.step(Action.STAND)


def test_without_pettingzoo_the_message_names_what_installs_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pettingzoo", None)
    monkeypatch.delitem(sys.modules, "bj_env.multi.aec")
    monkeypatch.delitem(vars(bj_env), "aec_env", raising=False)
    with pytest.raises(BlackjackError, match=r"pettingzoo is missing; install it with: pip install .*multi"):
        bj_env.aec_env  # noqa: B018
