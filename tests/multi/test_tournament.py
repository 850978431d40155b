"""Tournaments: chips, ranks, prizes, elimination, and the order of bets that rotates."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bj_env
from bj_env.errors import BlackjackError
from bj_env.multi.aec import BlackjackAEC
from bj_env.multi.bettors import FlatBettor, ProportionalBettor
from bj_env.multi.tournament import TournamentSettings

SETTINGS = TournamentSettings(rounds=6, bankroll=30, prizes=(5, 2), elimination=(3,))


def made(settings: TournamentSettings = SETTINGS, **given: Any) -> BlackjackAEC:
    arguments = {"seats": ("agent", "agent", "agent"), "bets": (1, 5, 20)} | given
    return bj_env.aec_env(episode="tournament", tournament=settings, **arguments)


def play(env: BlackjackAEC, seed: int) -> dict[str, float]:
    chance, paid = np.random.default_rng(seed), dict.fromkeys(env.possible_agents, 0.0)
    env.reset(seed=seed)
    for agent in env.agent_iter():
        _, reward, terminated, truncated, info = env.last()
        assert not truncated
        paid[agent] += reward
        env.step(None if terminated else int(chance.choice(np.flatnonzero(info["action_mask"]))))
    return paid


@given(seed=st.integers(0, 2**32))
def test_the_prizes_are_paid_once_and_by_rank(seed: int) -> None:
    env = made()
    paid = play(env, seed)
    episode = env.table_env.episode
    standings = {f"seat_{seat + 1}": episode.out.get(seat, (99, episode.chips(seat))) for seat in range(3)}
    assert sum(paid.values()) == pytest.approx(7)
    for one in paid:
        for other in paid:
            if standings[one] == standings[other]:
                assert paid[one] == paid[other]
            elif standings[one] > standings[other]:
                assert paid[one] >= paid[other]


@given(seed=st.integers(0, 2**32))
def test_chips_are_conserved_between_the_seats_and_the_house(seed: int) -> None:
    env = made(TournamentSettings(rounds=4, bankroll=50))
    play(env, seed)
    episode = env.table_env.episode
    assert sum(episode.chips(seat) for seat in range(3)) == 1500 + _won(env, seed)


def _won(env: BlackjackAEC, seed: int) -> int:
    """Play the same tournament again; return the ticks that its rounds paid."""
    chance, total = np.random.default_rng(seed), 0
    env.reset(seed=seed)
    for _ in env.agent_iter():
        _, _, terminated, _, info = env.last()
        if terminated:
            env.step(None)
            continue
        env.step(int(chance.choice(np.flatnonzero(info["action_mask"]))))
        total += int(sum(env.table_env.episode.paid))
    return total


def test_the_first_bet_moves_by_one_seat_every_round_and_begins_anywhere() -> None:
    env = made(TournamentSettings(rounds=7, bankroll=1000, play="basic"))
    begun = set()
    for seed in range(12):
        env.reset(seed=seed)
        asked = []
        for agent in env.agent_iter():
            terminated = env.terminations[agent]
            if not terminated:
                asked.append(agent)
            env.step(None if terminated else 7)
        begun.add(asked[0])
        first, names = int(asked[0][-1]) - 1, ["seat_1", "seat_2", "seat_3"]
        assert asked == [names[(first + turn + place) % 3] for turn in range(7) for place in range(3)]
    assert begun == {"seat_1", "seat_2", "seat_3"}


def test_a_later_seat_sees_the_bets_before_its_own_and_all_chips() -> None:
    env = made(TournamentSettings(rounds=3, bankroll=100, play="basic"), bets=(10, 50))
    env.reset(seed=1)
    standing = env.observe(env.agent_selection)[-14:]
    np.testing.assert_allclose(standing, [1, 2 / 3, *[0.25, 0.5, 0, 1] * 3], rtol=1e-6)
    env.step(8)
    standing = env.observe(env.agent_selection)[-14:]
    np.testing.assert_allclose(standing, [1, 1 / 3, 0.25, 0.5, 0, 1, 0.25, 0.5, 0, 1, 0.25, 0.5, 1, 1], rtol=1e-6)


def test_elimination_takes_the_seat_with_fewest_chips_out() -> None:
    out = 0
    for seed in range(30):
        env = made(TournamentSettings(rounds=6, bankroll=1000, elimination=(2, 4), play="basic"))
        env.reset(seed=seed)
        while env.agents:
            env.step(None if env.terminations[env.agent_selection] else 7 + seed % 3)
        numbers = sorted(number for number, _ in env.table_env.episode.out.values())
        assert set(numbers) <= {2, 4}
        out += len(numbers)
    assert out > 20


def test_strategies_have_the_same_chips_as_agents_and_bet_their_own_way() -> None:
    env = made(
        TournamentSettings(rounds=2, bankroll=100, play="basic"),
        seats=("agent", FlatBettor(7), ProportionalBettor(0.2)),
    )
    env.reset(seed=0)
    env.step(7)
    bets = {env.table_env.episode.order_before[seat.number]: seat.bet for seat in env.table_env.episode.finished.seats}
    assert bets == {0: 10, 1: 70, 2: 200}


def test_a_tournament_ends_while_the_agent_is_not_asked_whatever_the_others_bet() -> None:
    env = made(TournamentSettings(rounds=8, bankroll=40, play="basic"), seats=("agent", FlatBettor(7), FlatBettor(16)))
    short = 0
    for seed in range(40):
        env.reset(seed=seed)
        asked = 0
        for _ in env.agent_iter():
            _, _, terminated, _, info = env.last()
            asked += not terminated
            env.step(None if terminated else int(np.flatnonzero(info["action_mask"])[-1]))
        assert env.table_env.episode.over or env.table_env.episode.is_out(0)
        short += asked < 8
    assert short > 5


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: TournamentSettings(rounds=0), "rounds"),
        (lambda: TournamentSettings(prizes=()), "prizes: expected at least one"),
        (lambda: TournamentSettings(prizes=1.0), "prizes: expected numbers by rank"),  # type: ignore[arg-type]
        (lambda: TournamentSettings(prizes=(1.0, float("nan"))), "prizes: expected at least one"),
        (lambda: TournamentSettings(elimination=3), "elimination: expected numbers"),  # type: ignore[arg-type]
        (lambda: TournamentSettings(rounds=5, elimination=(6,)), "elimination"),
        (lambda: TournamentSettings(play="bassic"), "basic"),
        (lambda: made(seats=("agent",)), "a tournament takes at least two"),
        (lambda: made(encoding="discrete"), "observed as 'features'"),
        (lambda: made(bets=(50, 100)), "bankroll: expected"),
        (lambda: FlatBettor(0), "chips: expected a whole number"),
        (lambda: ProportionalBettor(1.5), "share: expected a number"),
    ],
)
def test_bad_settings_are_refused(make: Any, message: str) -> None:
    with pytest.raises(BlackjackError, match=message):
        make()
