"""The benchmark: the same shoes for all, the same result for any number of workers, exact values where they exist.

Who plays changes nothing: policies that are compiled or batched are played by the readable engine too, and compared.
"""

import subprocess
import sys
import time
from copy import deepcopy
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from bj_env.analysis.benchmark import (
    BATCHED,
    COMPILED,
    FIRST_ROUNDS,
    READABLE,
    Setting,
    compare,
    compared,
    engine_of,
    play_blocks,
    sensible_rounds,
)
from bj_env.analysis.policy_value import best_total_dependent, composition_dependent_ev
from bj_env.analysis.scores import Score, Tally, blocks_needed, check_limit
from bj_env.errors import BlackjackError
from bj_env.game.decision import Decision
from bj_env.game.table import Table
from bj_env.game.view import View
from bj_env.rules.houses import parse_rules
from bj_env.rules.terms import Action, Rules
from bj_env.statistics import Z95, Sums
from bj_env.strategies.basic import ChartDecision
from bj_env.strategies.counting import CountingDecision
from bj_env.strategies.registry import strategy
from bj_env.strategies.saved_policy import LearnedDecision, Profile, save_policy
from tests.strategies.test_saved_policy import NETWORK, TABLE, network_tensors, table_tensors

SIX = Setting(parse_rules("six-deck"), ("basic", "agent"), rounds=400, seed=5)


def by_name(scores: list[Score]) -> dict[str, Score]:
    return {score.name: score for score in scores}


def test_a_policy_against_itself_differs_by_nothing() -> None:
    scores = by_name(compare({"again": "basic"}, SIX))
    assert scores["again"].difference == scores["again"].difference_stderr == 0
    assert scores["again"].agreement == scores["basic"].agreement
    assert scores["again"].ev == scores["basic"].ev


def test_differences_are_paired() -> None:
    scores = by_name(compare({"mimic": "mimic"}, SIX._replace(rounds=2000)))
    mimic, basic = scores["mimic"], scores["basic"]
    assert mimic.difference == pytest.approx(mimic.ev - basic.ev)
    assert mimic.difference_stderr < (mimic.stderr**2 + basic.stderr**2) ** 0.5


class Asked(Decision):
    """Plays as another does, but is unknown to the compiled engine."""

    def __init__(self, inner: Decision) -> None:
        self.inner = inner

    def bet(self, view: View) -> int:
        return self.inner.bet(view)

    def insure(self, view: View) -> bool:
        return self.inner.insure(view)

    def play(self, view: View) -> Action:
        return self.inner.play(view)


def network(rules: str, seats: int, bets: tuple[int, ...], parts: tuple[str, ...]) -> LearnedDecision:
    profile = Profile("network", parse_rules(rules), seats, bets, parts)
    return LearnedDecision(profile, network_tensors(profile))


def table(rules: str, bets: tuple[int, ...]) -> LearnedDecision:
    columns = ("hand.phase", "hand.total", "seen.T")
    profile = Profile("table", parse_rules(rules), 1, bets, ("hand", "seen"), columns)
    sizes = {f"{column.part}.{column.name}": column.size for column in profile.layout(profile.rules, 1).columns}
    shape = (*(sizes[column] for column in columns), profile.actions)
    return LearnedDecision(profile, {"scores": np.random.default_rng(0).normal(size=shape).astype(np.float32)})


COUNTER = CountingDecision(ramp=((-99, 1), (1, 3), (2, 8)))
EVERYTHING = ("hand", "table", "seen", "composition", "rules")
PLAYED: dict[str, tuple[str, Decision | str, Setting, str]] = {
    "a chart": (COMPILED, "basic", Setting(parse_rules("6D LS"), ("agent",), 3000, 1), "mimic"),
    "chance among others": (
        COMPILED,
        "random",
        Setting(parse_rules("2D PEN75 H17 ES ENHC"), ("basic", "agent", "random"), 1500, 2),
        "basic",
    ),
    "chance against chance": (COMPILED, "random", Setting(parse_rules("INF"), ("agent", "agent"), 1500, 3), "random"),
    "a counter": (COMPILED, COUNTER, Setting(parse_rules("1D PEN50"), ("agent", "hi-lo"), 1500, 4), "hi-lo"),
    "a learned table of hands": (
        COMPILED,
        LearnedDecision(TABLE, table_tensors()),
        Setting(parse_rules("6D"), ("agent",), 2000, 5),
        "basic",
    ),
    "a network that sees cards": (
        BATCHED,
        LearnedDecision(NETWORK, network_tensors()),
        Setting(parse_rules("6D"), ("agent",), 18_000, 6),  # more blocks than are batched at a time
        "basic",
    ),
    "a network that bets and sees everything": (
        BATCHED,
        network("6D PEN75 BURN1", 3, (0, 5, 25), EVERYTHING),
        Setting(parse_rules("6D PEN75 BURN1"), ("random", "agent", "agent"), 1500, 7),
        "hi-lo",
    ),
    "a table that bets by the tens": (
        BATCHED,
        table("2D PEN75", (1, 5)),
        Setting(parse_rules("2D PEN75"), ("agent",), 3000, 8),
        "random",
    ),
}


@pytest.mark.parametrize(("engine", "policy", "setting", "judge"), PLAYED.values(), ids=PLAYED)
def test_every_engine_plays_the_same(engine: str, policy: Decision | str, setting: Setting, judge: str) -> None:
    decision = strategy(policy)
    assert (engine_of(decision, setting), engine_of(Asked(decision), setting)) == (engine, READABLE)
    some = range(setting.blocks // 3, setting.blocks)  # not from the first on
    quick, asked = (
        list(play_blocks(player, strategy(judge), setting, some, 1, map)) for player in (decision, Asked(decision))
    )
    assert np.concatenate([nets for nets, _, _ in quick]).any()
    np.testing.assert_array_equal(*(np.concatenate([nets for nets, _, _ in parts]) for parts in (quick, asked)))
    counts = [(sum(part[1] for part in parts), sum(part[2] for part in parts)) for parts in (quick, asked)]
    assert counts[0] == counts[1]
    assert counts[0][0] >= counts[0][1] > 0


def test_a_decision_that_looks_at_single_cards_is_asked() -> None:
    assert engine_of(Liar(), SIX) == READABLE
    assert engine_of(strategy("basic"), SIX._replace(seats=(Liar(), "agent"))) == READABLE


def test_a_policy_that_draws_lots_is_asked() -> None:
    sampled = LearnedDecision(NETWORK, network_tensors(), sampled=True)
    assert engine_of(sampled, SIX._replace(seats=("agent",))) == READABLE


def test_a_policy_of_another_table_is_asked_and_refused() -> None:
    wide = network("6D", 3, (1,), EVERYTHING)
    assert engine_of(wide, SIX) == READABLE
    with pytest.raises(BlackjackError, match=r"expected a table whose .* look as in training, 3 seats"):
        compare({"wide": wide}, SIX)


def test_as_many_rounds_as_take_some_seconds() -> None:
    setting = SIX._replace(seats=("agent",))
    seeing = LearnedDecision(NETWORK, network_tensors())
    rounds = [sensible_rounds({"one": "mimic", "two": policy}, setting) for policy in ("hi-lo", seeing, Liar())]
    assert rounds == [2_000_000, 200_000, 20_000]


@pytest.mark.parametrize("policy", ["random", Asked(strategy("random")), LearnedDecision(NETWORK, network_tensors())])
def test_the_result_does_not_depend_on_the_workers(policy: Decision | str) -> None:
    setting = SIX._replace(rounds=3000, seats=("agent",))
    assert compare({"it": policy}, setting, workers=2) == compare({"it": policy}, setting, workers=1)


# --- until an interval is narrow enough ------------------------------------------------------------------------------


def widest(scores: list[Score]) -> float:
    return Z95 * max(max(score.stderr, score.difference_stderr) for score in scores)


def stopped(setting: Setting, half_width: float, workers: int = 1) -> list[Score]:
    """Return the last scores of two strategies beside basic, without exact values."""
    return list(compared({"mimic": "mimic", "random": "random"}, setting, half_width=half_width, workers=workers))[-1]


@pytest.mark.parametrize("rules", ["six-deck", "6D PEN75"])
def test_play_stops_when_every_interval_is_narrow_enough(rules: str) -> None:
    setting = Setting(parse_rules(rules), ("agent",), rounds=10**9, seed=1)
    each = [
        compare({"mimic": "mimic", "random": "random"}, setting, half_width=0.008, workers=workers)
        for workers in (1, 2)
    ]
    assert each[0] == each[1]
    assert 0.007 < widest(each[0]) <= 0.008
    assert len({score.rounds for score in each[0]}) == 1


def test_a_stopped_benchmark_is_the_one_of_as_many_rounds() -> None:
    setting = Setting(parse_rules("six-deck"), ("agent",), rounds=10**9, seed=1)
    scores = stopped(setting, 0.02)
    assert scores == stopped(setting._replace(rounds=scores[0].rounds), 0)


def test_the_rounds_are_the_most_that_are_played() -> None:
    scores = stopped(SIX._replace(rounds=FIRST_ROUNDS + 500), 1e-6)
    assert scores[0].rounds == FIRST_ROUNDS + 500
    assert widest(scores) > 1e-6


def test_slow_policies_too_are_told_of_every_few_seconds() -> None:
    told = list(
        compared({"asked": Asked(strategy("mimic"))}, SIX._replace(rules=parse_rules("6D PEN75"), rounds=25_000))
    )
    assert [scores[0].rounds for scores in told] == [20_000, 25_000]


def test_what_is_found_on_the_way_is_told() -> None:
    setting = Setting(parse_rules("six-deck"), ("agent",), rounds=10**9, seed=1)
    told = list(compared({"mimic": "mimic"}, setting, half_width=0.01))
    rounds = [scores[0].rounds for scores in told]
    assert rounds[0] == FIRST_ROUNDS
    assert rounds == sorted(set(rounds))
    assert len(rounds) <= 4  # a few looks, not one after every round
    assert widest(told[-2]) > 0.01 >= widest(told[-1])


@pytest.mark.parametrize(("first", "enough"), [(10_000, 10_300), (10_000, 50_000), (100, 1_000)])
def test_a_stopped_interval_contains_the_true_value_as_often_as_it_says(first: int, enough: int) -> None:
    """Of 40,000 times 94.9 to 95.1 % with 10,000 first blocks; with 100 that are nearly enough, 94.6 %."""
    nets, shares = np.array([-20, -10, -5, 0, 10, 15, 20]), np.array([0.045, 0.395, 0.04, 0.09, 0.33, 0.045, 0.055])
    mean, deviation = nets @ shares, np.sqrt(nets**2 @ shares - (nets @ shares) ** 2)
    chance, half_width = np.random.default_rng(1), Z95 * deviation / enough**0.5
    held = []
    for _ in range(20_000):
        counts, done, needed = np.zeros(len(nets), np.int64), 0, first
        while needed > done:
            counts, done = counts + chance.multinomial(needed - done, shares), needed
            sums = Sums(done, done, int(counts @ nets), block_squares=float(counts @ nets**2))
            score = Tally(sums, sums).score("x", "rule", 1)
            needed = blocks_needed([score], half_width, done)
        assert Z95 * score.stderr <= half_width
        held.append(score.interval()[0] <= mean <= score.interval()[1])
    assert abs(np.mean(held) - 0.95) < 0.007  # 4.5 standard errors


# --- scores -----------------------------------------------------------------------------------------------------------


def test_a_greedy_and_a_sampled_policy_may_be_compared_and_say_what_they_are(tmp_path: Path) -> None:
    save_policy(tmp_path / "policy", TABLE, table_tensors())
    path = str(tmp_path / "policy")
    names = ["mimic", path, f"sampled:{path}"]
    scores = by_name(compare({name: name for name in names}, SIX._replace(rounds=4000)))
    assert [scores[name].mode for name in ("basic", *names)] == ["rule", "rule", "greedy", "sampled"]
    greedy, sampled = scores[path], scores[f"sampled:{path}"]
    assert greedy.exact_ev is not None
    assert sampled.exact_ev is None
    assert sampled.difference != greedy.difference
    assert [greedy.as_json()["mode"], sampled.as_json()["mode"]] == ["greedy", "sampled"]


class Partly(Decision):
    """Plays the best chart, but stands whenever it may against 2, 3 and 4."""

    total_dependent = True

    def __init__(self) -> None:
        self.best = ChartDecision(best_total_dependent(Rules()).chart)

    def play(self, view: View) -> Action:
        wrong = view.upcard is not None and view.upcard.value in (2, 3, 4)
        return Action.STAND if wrong and Action.STAND in view.legal else self.best.play(view)


def test_agreement_is_that_with_the_best_play_as_often_as_decisions_come_up() -> None:
    best = ChartDecision(best_total_dependent(Rules()).chart)
    scores = by_name(compare({"best": best, "partly": Partly()}, SIX._replace(rounds=20_000)))
    assert scores["best"].agreement == 1
    assert scores["best"].regret == pytest.approx(0, abs=1e-6)
    assert 0.98 < scores["basic"].agreement < 1  # it hits 16 of three cards against a ten
    assert 0.75 < scores["partly"].agreement < 0.95


def test_a_winner_is_told_the_bankroll_that_it_takes() -> None:
    """The ramp of `test_betting.py` wins; formulas of "Blackjack Attack" from mean and standard deviation."""
    player = CountingDecision(ramp=((-99, 0), (1, 1), (2, 4), (3, 8)))
    setting = Setting(parse_rules("6D PEN85"), ("agent", "basic"), 2_000_000, 104)
    scores = by_name(compare({"counter": player}, setting, workers=2))
    counter = scores["counter"]
    assert scores["basic"].bankroll is None
    assert counter.bankroll is not None
    assert counter.sd == pytest.approx(counter.stderr * counter.rounds**0.5)
    assert counter.bankroll.n0 == pytest.approx((counter.sd / counter.ev) ** 2)
    assert counter.bankroll.n0 * counter.bankroll.score == pytest.approx(1e6)
    assert counter.bankroll.risk_of_ruin == pytest.approx(np.exp(-2000 * counter.ev / counter.sd**2))
    assert counter.as_json()["bankroll"]["n0"] == counter.bankroll.n0


def test_the_standard_deviation_of_a_round_is_the_known_one() -> None:
    score = compare({}, Setting(parse_rules("1D H17 DAS SP2 NS"), ("agent",), 1_000_000, 3))[0]
    assert score.sd == pytest.approx(1.158741, abs=0.004)  # outcome_moments.csv


def test_rounds_from_a_lasting_shoe_are_played_in_blocks() -> None:
    setting = Setting(parse_rules("2D PEN75 NS NINS"), ("agent",), rounds=950, seed=1)
    score = compare({}, setting)[0]
    assert score.rounds == 1000
    assert abs(score.ev) < 0.2


def test_progress_counts_every_round_of_every_policy() -> None:
    told: list[int] = []
    compare({"mimic": "mimic"}, SIX, progress=told.append)
    assert sum(told) == 2 * SIX.rounds


def test_exact_values_where_a_decision_looks_at_its_hand_alone() -> None:
    scores = by_name(compare({"mimic": "mimic", "random": "random"}, SIX))
    assert scores["basic"].exact_ev == pytest.approx(-0.003332155595, abs=1e-9)  # overall_ev.csv, TD:s17_4to8_das
    assert scores["basic"].regret == pytest.approx(1.513e-5, abs=1e-7)
    assert scores["mimic"].exact_ev == pytest.approx(-0.056756475871, abs=1e-9)  # overall_ev.csv, TD:mimic
    assert scores["random"].exact_ev is None


class Liar(Decision):
    """Says that it looks at its hand alone, and plays better than it is asked about; no table can hold it."""

    total_dependent = True

    def play(self, view: View) -> Action:
        asked_by_the_solver = view.hands == ((),) and len(view.cards) > 0
        if Action.DECLINE in view.legal:
            return Action.DECLINE
        return Action.HIT if asked_by_the_solver and Action.HIT in view.legal and view.total < 21 else Action.STAND


class Seer(Decision):
    """Finds the table that asks it by going up the frames of the interpreter, and looks into its shoe."""

    def play(self, view: View) -> Action:
        if Action.DECLINE in view.legal:
            return Action.DECLINE
        frame = sys._getframe()
        while not isinstance(table := frame.f_locals.get("table"), Table):
            assert frame.f_back is not None
            frame = frame.f_back
        following = deepcopy(table.shoe).draw().value
        return Action.HIT if Action.HIT in view.legal and view.total + following <= 21 else Action.STAND


@pytest.mark.parametrize("seats", [("agent",), ("basic", "agent")])
def test_who_peeks_at_the_shoe_is_an_alarm(seats: tuple[str, ...]) -> None:
    with pytest.raises(BlackjackError, match=r"alarm: seer won \+.* no fair play more than"):
        compare({"seer": Seer()}, SIX._replace(seats=seats, rounds=3000))


@pytest.mark.parametrize("rules", ["6D PEN75", "2D H17 PEN65"])
def test_who_peeks_is_an_alarm_where_there_is_a_cut_card_too(rules: str) -> None:
    with pytest.raises(BlackjackError, match=r"alarm: seer won \+.* no fair play more than"):
        compare({"seer": Seer()}, Setting(parse_rules(rules), ("agent",), rounds=3000, seed=1))


def test_good_luck_within_the_interval_raises_no_alarm() -> None:
    rules = parse_rules("six-deck")
    best = composition_dependent_ev(rules)
    lucky = Score("lucky", "rule", 10_000, best + 4.4 * 0.01, 0.01, 0.0, 0.0, 1.0)
    check_limit(lucky, strategy("basic"), rules, seats=1)
    with pytest.raises(BlackjackError, match="alarm: lucky"):
        check_limit(replace(lucky, ev=best + 4.6 * 0.01), strategy("basic"), rules, seats=1)


def test_who_sits_out_is_no_alarm() -> None:
    """Sitting out wins 0, which is more than any play here."""
    player = CountingDecision(ramp=((-99, 0), (1, 1)))
    scores = by_name(compare({"waits": player}, SIX._replace(seats=("agent", "basic"), rounds=20_000)))
    assert abs(scores["waits"].ev) < 0.01


def test_a_value_that_play_contradicts_is_an_alarm() -> None:
    with pytest.raises(BlackjackError, match="alarm: liar has the exact value"):
        compare({"liar": Liar()}, SIX._replace(rounds=3000))


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        (SIX._replace(seats=("basic",)), "expected at least one 'agent'"),
        (SIX._replace(rounds=1), "rounds: expected at least 2"),
        (SIX._replace(rules=parse_rules("6D PEN75"), rounds=50), "rounds: expected at least 101, got 50"),
    ],
)
def test_bad_settings_are_refused(setting: Setting, message: str) -> None:
    with pytest.raises(BlackjackError, match=message):
        compare({}, setting)


def test_unknown_names_are_refused_with_the_nearest() -> None:
    with pytest.raises(BlackjackError, match="unknown strategy 'mimik'; did you mean 'mimic'"):
        compare({"mimik": "mimik"}, SIX)


def test_a_few_equal_rounds_are_no_alarm() -> None:
    assert compare({}, Setting(parse_rules("INF"), ("agent",), rounds=2, seed=1))[0].rounds == 2


def test_workers_end_with_a_process_that_was_killed() -> None:
    code = (
        "from bj_env.analysis.benchmark import worker_pool\nimport os, time\n"
        "if __name__ == '__main__':\n"
        "    pool = worker_pool(2)\n"
        "    print(*{pool.submit(os.getpid).result() for _ in range(20)}, flush=True)\n"
        "    os.kill(os.getpid(), 9)\n"
    )
    killed = subprocess.run([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True, check=False)
    deadline = time.monotonic() + 20
    workers = [int(word) for word in killed.stdout.split()]
    assert workers
    while any(Path(f"/proc/{worker}").exists() for worker in workers) and time.monotonic() < deadline:
        time.sleep(0.2)
    assert not any(Path(f"/proc/{worker}").exists() for worker in workers)
