"""Exploring: the rounds of the readable engine, decision by decision; whatever is tried, weighted and shared out."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from bj_env.compiled import explore as exploring
from bj_env.compiled.exploration_kernels import PROBABILITY_SCALE, Behaviour, Experience
from bj_env.compiled.explore import explore, returns_of, start_probabilities
from bj_env.compiled.hand_tables import hand_row
from bj_env.compiled.information_states import Situations, situations
from bj_env.compiled.lookup_policies import plan_place
from bj_env.compiled.tabulation import tabulated
from bj_env.compiled.vector_env import BlackjackVectorEnv
from bj_env.env.settings import AGENT
from bj_env.errors import BlackjackError
from bj_env.game.decision import Decision
from bj_env.game.participants import Player
from bj_env.game.table import Table
from bj_env.game.view import View
from bj_env.rules.houses import parse_rules
from bj_env.rules.terms import TICKS, Action, Rules
from bj_env.strategies.registry import strategy
from tests import generators

TABLES: dict[str, tuple[str, Sequence[str]]] = {
    "one seat": ("6D", [AGENT]),
    "two of three seats": ("6D H17", [AGENT, "random", AGENT]),
    "many splits": ("1D RSA HSA SP8 NS", ["mimic", AGENT]),
    "a dealer without a hole card": ("8D ENHC NS", [AGENT]),
    "original bets only": ("2D OBO", ["basic", AGENT, AGENT]),
    "early surrender": ("6D ES10", [AGENT]),
    "whole payouts": ("6D 6:5 WHOLE MIN5", [AGENT]),
    "a cut card": ("2D PEN75", [AGENT, "hi-lo"]),
    "infinite": ("INF NOPEEK BJ21PUSH ACT21 CH5 TIELOSE", [AGENT]),
}
SEED = 2**35 + 7
STARTS = np.zeros(1000)
STARTS[[999, 990, 779, 779 - 9, 60, 655]] = 0.5, 0.1, 0.1, 0.1, 0.1, 0.1  # T,T v T; T,T v A; 8,8 v T; 8,8 v A; A,7 v A


def greedy_of(rules: Rules, decision: Decision | str) -> NDArray[np.uint8]:
    """Return what a decision does in each situation."""
    number = situations(rules).number
    greedy = np.zeros(number.max() + 1, np.uint8)
    greedy[number[number >= 0]] = tabulated(strategy(decision), rules).actions[0, number >= 0]
    return greedy


def anything(rules: Rules, probability: float = 0.5, **how: Any) -> Behaviour:
    """Play basic strategy, and try whatever is legal."""
    return Behaviour(
        greedy_of(rules, "basic"),
        situations(rules).legal,
        round(probability * PROBABILITY_SCALE),
        **{"once": False} | how,
    )


def explored(rules: Rules, seats: Sequence[str], behaviour: Behaviour, rounds: int, **how: Any) -> Experience:
    """Return all chunks as one; parents count on from chunk to chunk."""
    parts, before = [], 0
    for part in explore(rules, seats, behaviour, rounds, lambda played: played, **{"seed": SEED, "threads": 1} | how):
        parts.append(part._replace(parent=np.where(part.parent >= 0, part.parent + before, -1)))
        before += len(part.action)
    return Experience(*map(np.concatenate, zip(*parts, strict=True)))


class Repeater(Decision):
    """Does what was explored, and looks whether it is asked the same."""

    def __init__(self, found: Situations, played: Experience, order: Iterator[int]) -> None:
        self.found, self.played, self.order = found, played, order
        self.asked: list[int] = []

    def answer(self, view: View) -> Action:
        at = next(self.order)
        assert view.upcard is not None
        row, mask = hand_row(view.total, view.soft, view.pair), sum(1 << action for action in view.legal)
        assert self.found.number[plan_place(view.phase, row, view.upcard.value, mask)] == self.played.situation[at]
        self.asked.append(at)
        return Action(self.played.action[at])

    insure = play = answer  # type: ignore[assignment]


class Repeated(NamedTuple):
    """A round: what each of the agent's seats was asked, and won in bets."""

    asked: list[list[int]]
    nets: list[float]


def repeated(
    rules: Rules, seats: Sequence[str], played: Experience, tables: int, rounds: int, each: int = 1
) -> list[Repeated]:
    """Play the first rounds of each table with the readable engine, doing what was explored."""
    found, order, done = situations(rules), iter(range(len(played.action))), []
    mine = [place for place, seat in enumerate(seats) if seat == AGENT]
    for number in range(tables):
        players = [Repeater(found, played, order) if seat == AGENT else strategy(seat) for seat in seats]
        table = Table(rules, [Player("", player) for player in players], seed=SEED, number=number)
        for _ in range(rounds):
            for place in mine:
                players[place].asked = []  # type: ignore[attr-defined]
            round = table.play_round()
            nets = [round.seats[place].net / (rules.min_bet * TICKS) for place in mine]
            done.append(Repeated([players[place].asked for place in mine], nets))  # type: ignore[attr-defined]
    return done


def assert_same_rounds(rules: Rules, seats: Sequence[str], behaviour: Behaviour, tables: int = 60) -> None:
    """Compare every decision, the net of every round, and what each seat's decisions are credited with."""
    each = 1000 if rules.penetration else 1  # rounds at a table
    tables, rounds = (1, 40) if rules.penetration else (tables, 1)
    played = explored(rules, seats, behaviour, tables * each)
    done = repeated(rules, seats, played, tables, rounds)
    np.testing.assert_allclose([sum(round.nets) for round in done], played.nets[: len(done)], rtol=1e-6)
    for round in done:
        for asked, net in zip(round.asked, round.nets, strict=True):
            if asked:
                assert played.reward[asked].sum() == pytest.approx(net, abs=1e-6)
                assert [at for at in asked if played.parent[at] < 0] == asked[:1]
                assert set(played.parent[asked[1:]]) <= set(asked)
    if not rules.penetration:
        assert sum(len(asked) for round in done for asked in round.asked) == len(played.action)


@pytest.mark.parametrize("probability", [0.0, 0.7], ids=["greedy", "trying"])
@pytest.mark.parametrize(("text", "seats"), TABLES.values(), ids=TABLES)
def test_the_same_rounds_as_the_readable_engine(text: str, seats: Sequence[str], probability: float) -> None:
    rules = parse_rules(text)
    assert_same_rounds(rules, seats, anything(rules, probability), 150)


@settings(max_examples=12)
@given(generators.rules(), st.lists(st.sampled_from([AGENT, "random"]), min_size=1, max_size=3), generators.booleans)
def test_the_same_rounds_under_any_rules(rules: Rules, seats: list[str], once: bool) -> None:
    assert_same_rounds(rules, [*seats, AGENT], anything(rules, once=once), 25)


def test_where_nothing_is_tried_a_chart_plays_as_in_a_simulation() -> None:
    from bj_env.compiled.simulate import played as simulated

    rules = parse_rules("2D PEN75")
    chart = explored(rules, [AGENT, "random"], anything(rules, 0), 5000)
    (nets, squares, each), *_ = simulated(rules, ["basic", "random"], 5000, seed=SEED, mine=[0])
    np.testing.assert_allclose(chart.nets.reshape(-1, each).sum(axis=1) * TICKS, nets, rtol=1e-5)
    np.testing.assert_allclose(np.square(chart.nets * TICKS).reshape(-1, each).sum(axis=1), squares, rtol=1e-5)
    assert not chart.tried.any()


# --- expected rewards ---


@pytest.mark.parametrize("text", ["6D", "1D SP8 RSA HSA", "6D OBO", "8D ENHC NS", "INF NOPEEK CH5", "2D ES10 WHOLE"])
def test_expected_rewards_are_what_the_environment_pays(text: str) -> None:
    rules, tables = parse_rules(text), 400
    played = explored(rules, [AGENT], anything(rules), tables, expected=True)
    asked = [round.asked[0] for round in repeated(rules, [AGENT], played, tables, 1)]
    env = BlackjackVectorEnv(tables, rules=rules, seats=(AGENT,), reward="expected", threads=1)
    env.reset(seed=SEED)
    paid = np.zeros(tables)
    for step in range(max(map(len, asked))):
        actions = [played.action[each[step]] if step < len(each) else Action.STAND for each in asked]
        _, rewards, *_ = env.step(np.array(actions, np.int64))
        going = np.array([step < len(each) for each in asked])
        paid[going] += rewards[going]
    expected = [played.reward[each].sum() for each in asked if each]
    np.testing.assert_allclose(expected, paid[[bool(each) for each in asked]], atol=1e-5)


def test_expected_rewards_have_the_same_mean_and_less_variance() -> None:
    rules = parse_rules("6D")
    sampled, expected = (
        explored(rules, [AGENT], anything(rules, 0.2), 60_000, expected=expected) for expected in (False, True)
    )
    np.testing.assert_array_equal(sampled.action, expected.action)
    np.testing.assert_array_equal(sampled.nets, expected.nets)
    roots = sampled.parent < 0
    first, second = (returns_of(part, anything(rules).greedy).net[roots] for part in (sampled, expected))
    gap = first - second
    assert abs(gap.mean()) < 4.5 * gap.std() / len(gap) ** 0.5
    assert second.var() < 0.7 * first.var()


# --- starts ---


def weighted(played: Experience, rules: Rules) -> tuple[float, float]:
    """Return the mean over rounds of what came of their first decisions by weight, and its standard error."""
    roots = played.parent < 0
    net = returns_of(played, anything(rules).greedy).net[roots] * played.weight[roots]
    mean, rounds = net.sum() / len(played.nets), len(played.nets)
    return mean, float((np.square(net).sum() / rounds - mean**2) / rounds) ** 0.5


@pytest.mark.parametrize("text", ["6D", "1D NS", "INF ES"])
def test_rounds_with_given_starts_count_as_much_as_chance_would_deal_them(text: str) -> None:
    rules, rounds = parse_rules(text), 200_000
    natural = explored(rules, [AGENT], anything(rules), rounds)
    starts = explored(
        rules, [AGENT], anything(rules, starts=STARTS, share=PROBABILITY_SCALE // 2), rounds, seed=SEED + 1
    )
    assert (natural.weight == 1).all()
    (mean, error), (other, other_error) = weighted(natural, rules), weighted(starts, rules)
    assert abs(mean - other) < 4.5 * np.hypot(error, other_error)

    first = [part.situation[part.parent < 0] for part in (natural, starts)]
    weight = starts.weight[starts.parent < 0].astype(float)
    asked, error = len(first[0]) / rounds, (np.square(weight).sum() / rounds**2) ** 0.5
    assert abs(weight.sum() / rounds - asked) < 4.5 * np.hypot(error, (asked / rounds) ** 0.5)
    often = np.bincount(first[0], minlength=len(situations(rules).legal)) / rounds
    counted = np.bincount(first[1], weight, len(often)) / rounds
    spread = np.bincount(first[1], weight**2, len(often)) / rounds**2
    assert (np.abs(often - counted) < 5.5 * np.sqrt(often / rounds + spread) + 1e-4).all()


def test_the_mean_weight_of_all_rounds_is_one() -> None:
    rules = parse_rules("INF ACT21 NOPEEK NS D0 SP1 NINS")  # in every round there is something to decide
    played = explored(rules, [AGENT], anything(rules, starts=STARTS, share=PROBABILITY_SCALE // 2), 100_000)
    weight = played.weight[played.parent < 0].astype(float)
    assert len(weight) == 100_000
    assert weight.mean() == pytest.approx(1, abs=4.5 * weight.std() / len(weight) ** 0.5)


def test_a_start_is_dealt_as_often_as_asked() -> None:
    rules = parse_rules("6D NS NINS")
    played = explored(rules, [AGENT], anything(rules, 0, starts=STARTS, share=PROBABILITY_SCALE), 20_000)
    found, first = situations(rules), played.situation[played.parent < 0]
    shown = {(hand_row(20, False, 10), 10): 0.5, (hand_row(20, False, 10), 1): 0.1, (hand_row(16, False, 8), 10): 0.1}
    for (row, upcard), share in shown.items():
        often = float(((found.row[first] == row) & (found.upcard[first] == upcard)).sum()) / 20_000
        probabilities = {10: 23 / 309, 1: 92 / 309}[upcard] if row == 39 else {10: 24 / 309}[upcard]
        assert often == pytest.approx(share * (1 - probabilities), abs=0.02)  # the dealer had no blackjack


@pytest.mark.parametrize("text", ["6D", "1D", "INF"])
def test_chances_of_starts_are_those_of_the_shoe(text: str) -> None:
    rules = parse_rules(text)
    probabilities = start_probabilities(rules)
    assert probabilities.sum() == pytest.approx(1)
    cards = 52 * rules.decks
    tens = [16 * rules.decks - number for number in range(3)] if cards else [4] * 3
    left = [cards - number for number in range(3)] if cards else [13] * 3
    assert probabilities[999] == pytest.approx(np.prod(tens) / np.prod(left))


# --- what may be tried ---


@pytest.mark.parametrize("once", [False, True])
def test_only_what_may_be_tried_is(once: bool) -> None:
    rules = parse_rules("6D")
    rng = np.random.default_rng(1)
    tried = situations(rules).legal & rng.integers(0, 128, len(situations(rules).legal))
    behaviour = anything(rules, 0.4, once=once)._replace(tried=tried)
    played = explored(rules, [AGENT, AGENT], behaviour, 20_000)
    legal, among = situations(rules).legal[played.situation], tried[played.situation]
    assert (legal >> played.action & 1).all()
    assert (among >> played.action & 1)[played.tried].all()
    assert (played.action == behaviour.greedy[played.situation])[~played.tried].all()
    before = np.zeros(len(played.action), np.int64)  # tries on the way to each decision, its own among them
    for at, parent in enumerate(played.parent):
        before[at] = played.tried[at] + (before[parent] if parent >= 0 else 0)
    assert (before.max() == 1) == once
    could = among[played.parent < 0] != 0
    assert played.tried[played.parent < 0][could].mean() == pytest.approx(0.4, abs=0.02)


def test_each_action_is_tried_equally_often() -> None:
    rules = parse_rules("6D")
    played = explored(
        rules, [AGENT], anything(rules, 1, starts=STARTS * 0 + np.eye(1000)[779], share=PROBABILITY_SCALE), 30_000
    )
    first = played.action[played.parent < 0]
    assert played.tried.all()
    counts = np.bincount(first, minlength=7)
    assert counts[:5] / len(first) == pytest.approx([0.2] * 5, abs=0.015)


# --- what the result does not depend on ---


def assert_same(first: Experience, second: Experience) -> None:
    for one, other in zip(first, second, strict=True):
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("text", ["6D", "2D PEN75"])
def test_the_result_does_not_depend_on_threads_or_room(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    rules, seats = parse_rules(text), [AGENT, "random"]
    how: Mapping[str, Any] = {} if rules.penetration else {"starts": STARTS, "share": PROBABILITY_SCALE // 3}
    one, two = (explored(rules, seats, anything(rules, **how), 120_000, threads=threads) for threads in (1, 2))
    assert_same(one, two)
    monkeypatch.setattr(exploring, "DECISIONS_OF_A_ROUND", 0)
    assert_same(one, explored(rules, seats, anything(rules, **how), 120_000))


def test_a_seed_says_everything_and_another_one_something_else() -> None:
    rules = parse_rules("6D")
    one, same, other = (explored(rules, [AGENT], anything(rules), 500, seed=seed) for seed in (1, 1, 2))
    assert_same(one, same)
    assert one.nets.tolist() != other.nets.tolist()
    shoes = (explored(rules, [AGENT], anything(rules, 0), 500, seed=1).nets, one.nets)
    assert 0.2 < (shoes[0] == shoes[1]).mean() < 1  # tries change what is played, and not what is dealt


def test_other_types_of_the_same_numbers_play_the_same() -> None:
    rules = parse_rules("6D")
    given = anything(rules)
    wide = given._replace(greedy=given.greedy.astype(np.int64), tried=given.tried.astype(np.uint8))
    assert_same(explored(rules, [AGENT], given, 100), explored(rules, [AGENT], wide, 100))


# --- what is refused ---


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"seats": ["basic"]}, "seats: expected at least one 'agent', got"),
        ({"seats": "agent"}, "seats: expected at least one 'agent', got 'agent'"),
        ({"seats": [AGENT, "mimik"]}, "did you mean 'mimic'"),
        ({"rules": Rules(penetration=0.75), "share": 1}, "starts: expected rules with a fresh shoe"),
        ({"greedy": np.zeros(3, np.int64)}, r"greedy: expected whole numbers \(\d+,\), got int64 \(3,\)"),
        ({"greedy": lambda right: right * 1.0}, "greedy: expected whole numbers .*, got float64"),
        ({"greedy": lambda right: right * 0 + 3}, "greedy: expected SURRENDER, DECLINE only in situation 0, got 3"),
        ({"greedy": lambda right: right.astype(np.int64) - 9}, "greedy: .* only in situation 0, got -"),
        ({"greedy": lambda right: right * 0 + 200}, "greedy: .* only in situation 0, got 200"),
        ({"tried": np.zeros((2, 2), np.int64)}, r"tried: expected whole numbers \(\d+,\), got int64 \(2, 2\)"),
        ({"tried": lambda right: right * 0 + 1}, "tried: expected SURRENDER, DECLINE only in situation 0, got 1"),
        ({"tried": lambda right: right - 1000}, "tried: .* only in situation 0, got -"),
        ({"probability": PROBABILITY_SCALE + 1}, "probability: expected a whole number from 0 to 65536, got 65537"),
        ({"probability": 0.5}, "probability: .* got 0.5"),
        ({"share": -1}, "share: expected a whole number from 0 to 65536, got -1"),
        ({"starts": np.ones(999)}, r"starts: expected floating-point numbers \(1000,\), got float64 \(999,\)"),
        ({"starts": np.zeros(1000)}, "starts: expected probabilities from 0 on, got 0 to 0"),
        ({"starts": -STARTS}, "starts: expected probabilities from 0 on, got -0.5 to"),
        ({"starts": STARTS * np.nan}, "starts: expected probabilities from 0 on, got nan"),
        ({"seed": -1}, "seed: expected a whole number from 0"),
        ({"rounds": 0}, "rounds: expected a whole number from 1"),
        ({"threads": 0}, "threads: expected a whole number from 1"),
    ],
)
def test_bad_input_is_refused_in_one_line(change: dict[str, Any], message: str) -> None:
    rules = change.get("rules", parse_rules("6D"))
    right = anything(rules, starts=STARTS, share=0 if "rules" in change else 9)._asdict()
    how = {name: value(right[name]) if callable(value) else value for name, value in change.items() if name in right}
    rest = {name: change.get(name, value) for name, value in {"seed": 1, "threads": 1}.items()}
    seats, rounds = change.get("seats", [AGENT]), change.get("rounds", 10)
    with pytest.raises(BlackjackError, match=message) as caught:
        list(explore(rules, seats, Behaviour(**right | how), rounds, len, **rest))
    assert "\n" not in str(caught.value)
