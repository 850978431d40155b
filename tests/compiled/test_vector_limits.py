"""The vector environment at its limits: most bets, one round, grown money, two threads at once, odd layouts."""

from random import Random
from threading import Thread

import numpy as np

from bj_env.compiled.kernels import kernels
from bj_env.compiled.vector_env import BlackjackVectorEnv, sample_legal
from bj_env.errors import BlackjackError
from bj_env.rules.terms import Phase
from tests.lockstep import Pair


def test_as_many_bets_as_may_be_are_in_lockstep() -> None:
    arguments = {"seats": ("agent",), "bets": tuple(range(24, 0, -1)), "bankroll": 20, "episode": "session"}
    Pair(arguments, [1, 2, 3]).play(60, Random(1), illegal=0.2)


def test_a_second_thread_in_the_same_tables_is_refused() -> None:
    env = BlackjackVectorEnv(2000, seats=("random", "agent"))
    env.reset(seed=1)
    refused = []

    def play() -> None:
        for _ in range(200):
            try:
                env.step(np.zeros(2000, np.int64))
            except BlackjackError as error:
                refused.append(str(error))

    threads = [Thread(target=play) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=60)
        assert not thread.is_alive()
    assert set(refused) <= {"step: expected one thread at a time, but another one is in it"}
    env.step(np.zeros(2000, np.int64))


def test_a_bankroll_that_has_grown_beyond_what_one_may_begin_with_is_recorded() -> None:
    env = BlackjackVectorEnv(
        20, rules="6D MIN1000000000 MAX1000000000", seats=("agent",), episode="session", bankroll=10**12
    )
    env.reset(seed=1)
    for _ in range(30):
        env.step(np.zeros(20, np.int64))
    assert any(" bank 100" in str(env.record(i)) for i in range(20))


def test_kernels_are_compiled_for_one_layout_of_actions() -> None:
    env = BlackjackVectorEnv(4, seats=("agent",))
    _, infos = env.reset(seed=1)
    env.step(sample_legal(infos["action_mask"], np.random.default_rng(1)))
    compiled = len(kernels().run.signatures), len(kernels().sample.signatures)
    read_only = np.zeros(4, np.int64)
    read_only.flags.writeable = False
    for actions in (read_only, np.zeros(8, np.int64)[::2], np.broadcast_to(np.int64(0), 4), np.zeros(4, np.uint8)):
        env.step(actions)
    sample_legal(np.asfortranarray(infos["action_mask"]), np.random.default_rng(1))
    assert (len(kernels().run.signatures), len(kernels().sample.signatures)) == compiled


def test_the_step_that_begins_an_episode_never_ends_one() -> None:
    """A blackjack may end the only round of a session before anyone is asked; that is shown before it is truncated."""
    env = BlackjackVectorEnv(500, seats=("agent",), episode="session", max_rounds=1)
    env.reset(seed=1)
    over, shown = np.zeros(500, np.bool_), 0
    for _ in range(6):
        observations, _, terminated, truncated, _ = env.step(np.zeros(500, np.int64))
        shown += int((observations[over, Phase.ROUND_OVER] == 1).sum())
        assert not (terminated | truncated)[over].any()
        over = terminated | truncated
    assert shown > 0
