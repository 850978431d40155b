"""The compiled environment and bad input, hidden cards and copies: refused in one line, never told, going on alike."""

import copy
import pickle
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from bj_env.compiled.engine import FEWEST_A_THREAD
from bj_env.compiled.kernels import SHOW, Out
from bj_env.compiled.vector_env import BlackjackVectorEnv, sample_legal
from bj_env.errors import BlackjackError, IllegalAction
from bj_env.game.decision import Decision
from bj_env.game.view import View
from bj_env.observation import PARTS
from bj_env.rules.numbered import card_value
from bj_env.rules.terms import Action, HoleCard, Phase
from bj_env.strategies import saved_policy
from bj_env.strategies.basic import ChartDecision
from bj_env.strategies.counting import CountingDecision
from bj_env.strategies.simple import HitDecision, RandomLegal, Scripted
from tests.lockstep import Pair, everything, suitless
from tests.strategies.test_saved_policy import TABLE, table_tensors


def make(tables: int, **keywords: Any) -> BlackjackVectorEnv:
    return BlackjackVectorEnv(tables, **{"seats": ("agent",)} | keywords)


def refused(env: BlackjackVectorEnv, call: Callable[[], Any], message: str) -> str:
    """Check that a call is refused in one line, and that nothing has changed then; return the line."""
    before = everything(env)
    with pytest.raises(BlackjackError, match=message) as caught:
        call()
    assert everything(env) == before
    text = str(caught.value)
    assert "\n" not in text
    assert text[0].islower() or not text[0].isalpha()
    return text


# --- actions ---


@pytest.mark.parametrize(
    "actions",
    [
        None, 1, [0, 1], [0, 1, 1, 1], [[0, 1, 1]], [[0], [1, 1], [0]], [0.0, 1.0, 1.0], [True, False, True], "011",
        ["0", "1", "1"], np.zeros((3, 1), int), np.zeros(3, np.float32), np.zeros(3, object), np.int64(1), {0, 1, 2},
    ],
    ids=repr,
)  # fmt: skip
@pytest.mark.parametrize("mode", ["NextStep", "SameStep", "Disabled"])
def test_what_are_no_actions_is_refused(mode: str, actions: Any) -> None:
    env = make(3, autoreset_mode=mode)
    env.reset(seed=1)
    refused(env, lambda: env.step(actions), r"actions: expected whole numbers \(3,\), got ")


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int32, np.uint64, np.int64])
def test_whole_numbers_of_any_kind_are_actions(dtype: Any) -> None:
    env, other = make(3), make(3)
    env.reset(seed=1), other.reset(seed=1)
    assert np.array_equal(env.step(np.array([1, 0, 1], dtype))[0], other.step([1, 0, 1])[0])  # type: ignore[arg-type]


@pytest.mark.parametrize("action", [-1, 7, 2**40, -(2**63)])
@pytest.mark.parametrize("illegal", ["fallback", "penalty", "raise"])
def test_an_action_out_of_range_is_refused_in_every_mode(illegal: str, action: int) -> None:
    env = make(3, illegal_action=illegal)
    env.reset(seed=1)
    message = f"environment 1: action: expected a whole number from 0 to 6, got {action}"
    refused(env, lambda: env.step(np.array([0, action, action])), message)


def test_a_step_before_any_reset_is_refused() -> None:
    env = make(2)
    refused(env, lambda: env.step(np.zeros(2, np.int64)), r"step: expected reset\(\) before it")


def test_a_step_after_the_end_is_refused_if_nobody_resets() -> None:
    """Report b072."""
    env = make(2, autoreset_mode="Disabled")
    env.reset(seed=1)
    over = np.zeros(2, np.bool_)
    while not over.any():
        _, _, over, _, _ = env.step(np.array([1, 0]))
    first = int(np.flatnonzero(over)[0])
    message = rf"environment {first}: step: expected an episode that goes on, but none does; call reset\(\)"
    refused(env, lambda: env.step(np.zeros(2, np.int64)), message)
    env.reset(options={"reset_mask": over})
    assert env.action_masks().any(axis=1).all()


def test_an_illegal_action_says_where_whose_turn_what_was_legal_and_the_rule() -> None:
    env = make(3, illegal_action="raise")
    env.reset(seed=1, options={"hand": "T,6", "upcard": "9"})
    message = (
        r"environment 2: P1 hand 1 \(T,6 hard 16\) against 9: "
        r"expected one of STAND, HIT, DOUBLE, SURRENDER, got SPLIT: only a pair on two cards is split \(R14\)"
    )
    with pytest.raises(IllegalAction, match=message):
        env.step(np.array([0, 0, Action.SPLIT]))
    refused(env, lambda: env.step(np.array([0, 0, Action.SPLIT])), message)


@pytest.mark.parametrize(
    "keywords",
    [
        {"seats": ("random", "agent", "agent"), "rules": "2D ES PEN75 SP4", "observation": ("table",)},
        {"seats": ("agent",), "bets": (0, 1, 5), "bankroll": 9, "episode": "session", "rules": "1D NOPEEK PEN75"},
        {"seats": ("agent",) * 5, "rules": "1D PEN99 DANY RSA HSA SP8", "bankroll": 3.5},
        {"seats": ("basic", "agent"), "rules": "INF LS", "episode": "session", "max_rounds": 4},
    ],
    ids=lambda keywords: keywords["rules"],
)
def test_an_illegal_action_is_refused_in_the_readable_environments_words(keywords: dict[str, Any]) -> None:
    """At every decision of some hundred steps, every illegal action at one of the tables."""
    pair, chance, tried = Pair(keywords | {"illegal_action": "raise"}, [1, 2]), Random(6), set()
    pair.reset()
    for _ in range(150):
        actions, i = pair.legal(chance), chance.randrange(2)
        for wrong in np.flatnonzero(pair.singles[i].action_masks() == 0).tolist():
            with pytest.raises(IllegalAction) as single:
                pair.singles[i].step(wrong)
            changed = np.where(np.arange(2) == i, wrong, actions)
            with pytest.raises(IllegalAction) as many:
                pair.vector.step(changed)
            assert str(many.value) == f"environment {i}: {suitless(str(single.value))}"
            tried.add((pair.singles[i].episode.phase, wrong))
        over = pair.step(actions)
        if any(over):
            pair.reset(seeds=False, which=np.flatnonzero(over).tolist())
    assert len(tried) >= 10


def test_a_refused_action_is_not_played_at_other_tables_either() -> None:
    pair = Pair({"seats": ("random", "agent"), "illegal_action": "raise"}, [1, 2, 3])
    pair.reset()
    for _ in range(10):
        refused(pair.vector, lambda: pair.vector.step(np.array([0, 1, 5])), "environment ")
        over = pair.step(pair.legal(Random(2)))
        if any(over):
            pair.reset(seeds=False, which=np.flatnonzero(over).tolist())


# --- arguments ---


@pytest.mark.parametrize(
    ("keywords", "message"),
    [
        ({"num_envs": 0}, "num_envs: expected a whole number from 1 to 16777216, got 0"),
        ({"num_envs": -1}, "num_envs: expected"),
        ({"num_envs": 2.0}, "num_envs: expected"),
        ({"num_envs": True}, "num_envs: expected"),
        ({"num_envs": "3"}, "num_envs: expected"),
        ({"num_envs": 1 << 60}, "num_envs: expected"),
        ({"threads": 0}, "threads: expected a whole number from 1 to 1024, got 0"),
        ({"threads": 1.5}, "threads: expected"),
        ({"threads": True}, "threads: expected"),
        ({"autoreset_mode": "NextStpe"}, r"autoreset_mode: got 'NextStpe'; did you mean 'NextStep'\?"),
        ({"autoreset_mode": None}, "autoreset_mode: got None; valid: 'NextStep', 'SameStep', 'Disabled'"),
        ({"autoreset_mode": 1}, "autoreset_mode: got 1"),
        ({"rules": "six-dek"}, r"unknown house 'six-dek'; did you mean 'six-deck'\?"),
        ({"seats": ("basic",)}, "seats: expected at least one 'agent'"),
        ({"bets": (0,)}, "bets: expected"),
        ({"episode": "rounds"}, "episode: got 'rounds'"),
        ({"observation": ("hands",)}, "observation: unknown part 'hands'"),
        ({"illegal_action": "ignore"}, "illegal_action: got 'ignore'"),
    ],
    ids=str,
)
def test_a_wrong_argument_gets_one_clear_line(keywords: dict[str, Any], message: str) -> None:
    with pytest.raises(BlackjackError, match=message) as caught:
        BlackjackVectorEnv(**{"num_envs": 2} | keywords)
    assert "\n" not in str(caught.value)


def test_an_unknown_keyword_is_refused_by_name() -> None:
    with pytest.raises(TypeError, match="render_mode"):
        BlackjackVectorEnv(2, render_mode="ansi")  # type: ignore[call-arg]


def test_infos_of_several_tables_hold_no_records() -> None:
    assert "record" not in BlackjackVectorEnv(2, record_in_info=False).reset(seed=1)[1]
    with pytest.raises(
        BlackjackError, match=r"record_in_info: infos of several tables hold no records; record\(index\)"
    ):
        BlackjackVectorEnv(2, record_in_info=True)


class LooksAtCards(Decision):
    total_dependent = True  # which is not true

    def play(self, view: View) -> Action:
        return Action.STAND if view.cards[0].value > 5 else Action.HIT


class Counts(Decision):
    def play(self, view: View) -> Action:
        return Action.STAND


class Counter(CountingDecision):
    def play(self, view: View) -> Action:
        return view.legal[0]


class Fails(ChartDecision):
    def play(self, view: View) -> Action:
        raise RuntimeError("out of order")


class Stubborn(RandomLegal):
    def play(self, view: View) -> Action:
        return Action.STAND


@pytest.mark.parametrize(
    "decision",
    [Scripted([Action.STAND]), Counts(), Counter(), Stubborn(), LooksAtCards(), Fails()],
    ids=lambda it: type(it).__name__,
)
def test_a_seat_that_no_table_can_hold_is_refused_by_name(decision: Decision) -> None:
    with pytest.raises(BlackjackError, match=f"the compiled engine cannot ask .*{type(decision).__name__}") as caught:
        make(2, seats=("agent", decision))
    assert "gymnasium.make" in str(caught.value), "the alternative"
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("chips", [-3, 1.5, None, "1", True, 2000], ids=repr)
def test_a_nonsense_bet_of_another_seat_is_refused_at_once(chips: Any) -> None:
    class Bets(ChartDecision):
        def bet(self, view: View) -> int:
            return chips

    with pytest.raises(
        BlackjackError, match=r"the compiled engine cannot ask this Bets: bet: expected 0 or 1 to 1000 whole chips"
    ):
        make(2, seats=("agent", Bets()))


def test_another_seat_may_bet_a_number_of_numpy() -> None:
    class Bets(ChartDecision):
        def bet(self, view: View) -> int:
            return np.int64(5)  # type: ignore[return-value]

    env = make(1, seats=("agent", Bets()))
    env.reset(seed=1)
    infos = env.step(np.zeros(1, np.int64))[4]
    assert infos["nets"][0, 1] % 2.5 == 0


def test_a_sampled_policy_is_refused_and_a_greedy_one_plays(tmp_path: Path) -> None:
    saved_policy.save_policy(tmp_path / "policy", TABLE, table_tensors())
    with pytest.raises(BlackjackError, match="the compiled engine cannot ask a LearnedDecision"):
        make(2, seats=("agent", saved_policy.load_policy(tmp_path / "policy", sampled=True)))
    pair = Pair({"seats": (str(tmp_path / "policy"), "agent")}, [1, 2])
    pair.play(40, Random(1))


def test_decisions_of_ones_own_play_as_they_do_elsewhere() -> None:
    class Own(ChartDecision):
        def bet(self, view: View) -> int:
            return 7

    hit = HitDecision(lambda total, soft, upcard: total < 12 + upcard % 4)
    Pair({"seats": (hit, "agent", Own())}, [1, 2]).play(40, Random(1))


# --- seeds and resets ---


@pytest.mark.parametrize(
    ("seed", "message"),
    [
        (-1, "seed: expected a whole number from 0 to"),
        (2**64, "seed: expected a whole number"),
        (1.5, "seed: expected a whole number"),
        (True, "seed: expected a whole number"),
        ("1", "seed: expected a whole number"),
        ("12", "seed: expected a whole number"),
        ([1], "seed: expected one for each of 2 environments, got 1"),
        ([1, 2, 3], "seed: expected one for each of 2"),
        ([], "seed: expected one for each of 2"),
        ([1, None], "seed: expected a whole number from 0 to .*, got None"),
        ([1, -2], "seed: expected a whole number"),
        ([1, 2.0], "seed: expected a whole number"),
        (np.array([1.0, 2.0]), "seed: expected a whole number"),
    ],
    ids=str,
)
def test_a_wrong_seed_is_refused(seed: Any, message: str) -> None:
    env = make(2)
    env.reset(seed=1)
    refused(env, lambda: env.reset(seed=seed), message)
    refused(env, lambda: env.reset(seed=seed, options={"hand": "T,6"}), message)


@pytest.mark.parametrize(
    ("mask", "message"),
    [
        ([True, False], "reset_mask of booleans"),
        (np.array([1, 0]), "reset_mask of booleans"),
        (np.array([True]), "reset_mask of booleans"),
        (np.ones((2, 1), bool), "reset_mask of booleans"),
        (np.zeros(2, bool), "at least one True"),
        (5, "reset_mask of booleans"),
    ],
    ids=str,
)
def test_a_wrong_mask_is_refused(mask: Any, message: str) -> None:
    env = make(2)
    env.reset(seed=1)
    refused(env, lambda: env.reset(options={"reset_mask": mask}), f"options: expected a {message}|{message}")


def test_the_first_reset_is_one_of_all() -> None:
    env = make(2)
    half = np.array([True, False])
    refused(env, lambda: env.reset(seed=1, options={"reset_mask": half}), "a reset of all environments before one of")
    env.reset(seed=1, options={"reset_mask": ~np.zeros(2, bool)})


@pytest.mark.parametrize("index", [-1, 2, True, 0.0, None, "0"], ids=repr)
def test_a_record_that_is_not_there_is_refused(index: Any) -> None:
    env = make(2)
    env.reset(seed=1)
    refused(env, lambda: env.record(index), "record: expected a whole number from 0 to 1, got")
    refused(env, lambda: env.record(0), "record: expected a round that has ended in environment 0, but none has")


# --- nothing leaks ---


def shown(env: BlackjackVectorEnv) -> list[bytes]:
    """Return all that the environment tells of its tables as they stand."""
    out: Out = env.engine.new_out()
    env.engine.run(np.full(env.num_envs, SHOW), out)
    return [array.tobytes() for array in out]


def permute(env: BlackjackVectorEnv, i: int, rng: np.random.Generator) -> None:
    """Shuffle what nobody has seen at a table; the hole card stays a blackjack, or none, if the dealer has looked."""
    t, rules = env.engine.tables, env.settings.rules
    state = t.state[i]
    rest = t.pool[i, state.dealt + state.stacked : state.pool_end]
    rng.shuffle(rest)
    if state.hole == 0:
        return

    def makes_blackjack(rank: int) -> bool:
        return bool(card_value(int(rank)) + state.upcard == 11)

    looked = rules.hole_card is HoleCard.PEEK and state.phase == Phase.PLAY
    fits = [at for at, rank in enumerate(rest) if not looked or makes_blackjack(rank) == makes_blackjack(state.hole)]
    at = rng.choice(fits)
    state.hole, rest[at] = int(rest[at]), state.hole


@pytest.mark.parametrize("house", ["2D PEN75 ES", "1D NOPEEK PEN50", "2D ENHC PEN75"])
def test_nothing_hidden_reaches_the_agent(house: str) -> None:
    parts = [part for part in PARTS if part != "bankroll"]
    env = make(60, rules=house, seats=("agent", "agent"), observation=parts, autoreset_mode="SameStep")
    rng, moved = np.random.default_rng(2), 0
    env.reset(seed=3)
    for _ in range(25):
        told, hidden = shown(env), env.engine.tables.pool.copy()
        for i in np.flatnonzero(env.engine.tables.state["phase"] != Phase.ROUND_OVER):
            permute(env, i, rng)
        moved += int((hidden != env.engine.tables.pool).sum())
        assert shown(env) == told
        env.step(sample_legal(env.action_masks(), rng))
    assert moved > 10_000


# --- copies ---


@pytest.mark.parametrize("kind", ["round", "shoe", "session"])
def test_a_deep_copy_and_a_pickle_play_the_same(kind: str) -> None:
    env = make(2 * FEWEST_A_THREAD, rules="2D PEN75", seats=("random", "agent"), episode=kind, max_rounds=9, threads=2)
    env.reset(seed=5)
    told = actions_of(env, 3)
    assert told
    envs = [env, copy.deepcopy(env), pickle.loads(pickle.dumps(env))]
    stories = [actions_of(each, 10) for each in envs]
    assert stories[0] == stories[1] == stories[2]
    assert everything(envs[0]) == everything(envs[1]) == everything(envs[2])
    assert len({each.reset()[0].tobytes() for each in envs}) == 1


def actions_of(env: BlackjackVectorEnv, steps: int) -> list[bytes]:
    """Play on at random; return what the agent is told."""
    rng, told = np.random.default_rng(1), []
    for _ in range(steps):
        shown: tuple[NDArray[Any], ...] = env.step(sample_legal(env.action_masks(), rng))[:-1]
        told += [array.tobytes() for array in shown]
    return told


def test_a_copy_is_nobody_elses() -> None:
    env = make(4)
    env.reset(seed=5)
    before, twin = everything(env), copy.deepcopy(env)
    actions_of(twin, 5)
    twin.reset(seed=9)
    assert everything(env) == before
