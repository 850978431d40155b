"""The benchmark: the same shoes for all, the same result for any number of workers, exact values where they exist.

Who plays changes nothing: policies that are compiled or batched are played by the readable engine too, and compared.
"""

import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from bj_env.benchmark import BATCHED, COMPILED, READABLE, Score, Setting, compare, engine_of, sensible_rounds
from bj_env.counter import CountingDecision
from bj_env.decisions import Decision, View, decision_from
from bj_env.errors import BlackjackError
from bj_env.houses import rules_from
from bj_env.learned import LearnedDecision, Profile
from bj_env.terms import Action
from tests.test_learned import NETWORK, TABLE, network_tensors, table_tensors

SIX = Setting(rules_from("six-deck"), ("basic", "agent"), rounds=400, seed=5)


def by_name(scores: list[Score]) -> dict[str, Score]:
    return {score.name: score for score in scores}


def test_a_policy_against_itself_differs_by_nothing() -> None:
    scores = by_name(compare({"again": "basic"}, SIX))
    assert scores["again"].difference == scores["again"].difference_stderr == 0
    assert scores["again"].agreement == 1
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
    profile = Profile("network", rules_from(rules), seats, bets, parts)
    return LearnedDecision(profile, network_tensors(profile))


def table(rules: str, bets: tuple[int, ...]) -> LearnedDecision:
    columns = ("hand.phase", "hand.total", "seen.T")
    profile = Profile("table", rules_from(rules), 1, bets, ("hand", "seen"), columns)
    sizes = {f"{column.part}.{column.name}": column.size for column in profile.layout(profile.rules, 1).columns}
    shape = (*(sizes[column] for column in columns), profile.actions)
    return LearnedDecision(profile, {"scores": np.random.default_rng(0).normal(size=shape).astype(np.float32)})


COUNTER = CountingDecision(ramp=((-99, 1), (1, 3), (2, 8)))
EVERYTHING = ("hand", "table", "seen", "composition", "rules")
PLAYED: dict[str, tuple[str, Decision | str, Setting, str]] = {
    "a chart": (COMPILED, "basic", Setting(rules_from("6D LS"), ("agent",), 3000, 1), "mimic"),
    "chance among others": (
        COMPILED,
        "random",
        Setting(rules_from("2D PEN75 H17 ES ENHC"), ("basic", "agent", "random"), 1500, 2),
        "basic",
    ),
    "chance against chance": (COMPILED, "random", Setting(rules_from("INF"), ("agent", "agent"), 1500, 3), "random"),
    "a counter": (COMPILED, COUNTER, Setting(rules_from("1D PEN50"), ("agent", "hi-lo"), 1500, 4), "hi-lo"),
    "a learned table of hands": (
        COMPILED,
        LearnedDecision(TABLE, table_tensors()),
        Setting(rules_from("6D"), ("agent",), 2000, 5),
        "basic",
    ),
    "a network that sees cards": (
        BATCHED,
        LearnedDecision(NETWORK, network_tensors()),
        Setting(rules_from("6D"), ("agent",), 18_000, 6),  # more blocks than are batched at a time
        "basic",
    ),
    "a network that bets and sees everything": (
        BATCHED,
        network("6D PEN75 BURN1", 3, (0, 5, 25), EVERYTHING),
        Setting(rules_from("6D PEN75 BURN1"), ("random", "agent", "agent"), 1500, 7),
        "hi-lo",
    ),
    "a table that bets by the tens": (
        BATCHED,
        table("2D PEN75", (1, 5)),
        Setting(rules_from("2D PEN75"), ("agent",), 3000, 8),
        "random",
    ),
}


@pytest.mark.parametrize(("engine", "policy", "setting", "baseline"), PLAYED.values(), ids=PLAYED)
def test_every_engine_plays_the_same(engine: str, policy: Decision | str, setting: Setting, baseline: str) -> None:
    decision, judge = decision_from(policy), decision_from(baseline)
    assert engine_of(decision, judge, setting) == engine
    assert engine_of(Asked(decision), judge, setting) == READABLE
    scores = by_name(compare({"quick": decision, "asked": Asked(decision)}, setting, baseline=baseline))
    quick, asked = (scores[name]._asdict() for name in ("quick", "asked"))
    same = ("rounds", "ev", "stderr", "difference", "difference_stderr", "agreement")
    assert [quick[name] for name in same] == [asked[name] for name in same]
    assert quick["difference_stderr"] > 0 or policy == baseline


@pytest.mark.parametrize("policy", ["random", COUNTER])
def test_every_block_is_won_the_same(policy: Decision | str) -> None:
    decision = decision_from(policy)
    setting = Setting(rules_from("6D PEN75"), ("mimic", "agent"), 2000, 9)
    score = by_name(compare({"quick": decision, "asked": Asked(decision)}, setting, baseline="quick"))["asked"]
    assert score.difference == score.difference_stderr == 0
    assert score.stderr > 0


def test_a_decision_that_looks_at_single_cards_is_asked() -> None:
    assert engine_of(Liar(), decision_from("basic"), SIX) == READABLE
    assert engine_of(decision_from("basic"), Liar(), SIX) == READABLE
    assert engine_of(decision_from("basic"), decision_from("mimic"), SIX._replace(seats=(Liar(), "agent"))) == READABLE


def test_a_policy_that_draws_lots_is_asked() -> None:
    sampled = LearnedDecision(NETWORK, network_tensors(), sampled=True)
    assert engine_of(sampled, decision_from("basic"), SIX._replace(seats=("agent",))) == READABLE


def test_a_policy_of_another_table_is_asked_and_refused() -> None:
    wide = network("6D", 3, (1,), EVERYTHING)
    assert engine_of(wide, decision_from("basic"), SIX) == READABLE
    with pytest.raises(BlackjackError, match=r"expected a table whose .* look as in training, 3 seats"):
        compare({"wide": wide}, SIX)


def test_as_many_rounds_as_take_some_seconds() -> None:
    setting = SIX._replace(seats=("agent",))
    seeing = LearnedDecision(NETWORK, network_tensors())
    rounds = [sensible_rounds({"one": "mimic", "two": policy}, setting) for policy in ("hi-lo", seeing, Liar())]
    assert rounds == [2_000_000, 200_000, 20_000]


@pytest.mark.parametrize(
    "policy", ["random", Asked(decision_from("random")), LearnedDecision(NETWORK, network_tensors())]
)
def test_the_result_does_not_depend_on_the_workers(policy: Decision | str) -> None:
    setting = SIX._replace(rounds=3000, seats=("agent",))
    assert compare({"it": policy}, setting, workers=2) == compare({"it": policy}, setting, workers=1)


def test_rounds_from_a_lasting_shoe_are_played_in_blocks() -> None:
    setting = Setting(rules_from("2D PEN75 NS NINS"), ("agent",), rounds=950, seed=1)
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

    by_hand = True

    def play(self, view: View) -> Action:
        asked_by_the_solver = view.hands == ((),) and len(view.cards) > 0
        if Action.DECLINE in view.legal:
            return Action.DECLINE
        return Action.HIT if asked_by_the_solver and Action.HIT in view.legal and view.total < 21 else Action.STAND


def test_a_value_that_play_contradicts_is_an_alarm() -> None:
    with pytest.raises(BlackjackError, match="alarm: liar has the exact value"):
        compare({"liar": Liar()}, SIX._replace(rounds=3000))


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        (SIX._replace(seats=("basic",)), "expected at least one 'agent'"),
        (SIX._replace(rounds=1), "rounds: expected at least 2"),
        (SIX._replace(rules=rules_from("6D PEN75"), rounds=50), "rounds: expected at least 101, got 50"),
    ],
)
def test_bad_settings_are_refused(setting: Setting, message: str) -> None:
    with pytest.raises(BlackjackError, match=message):
        compare({}, setting)


def test_unknown_names_are_refused_with_the_nearest() -> None:
    with pytest.raises(BlackjackError, match="unknown decision 'mimik'; did you mean 'mimic'"):
        compare({"mimik": "mimik"}, SIX)


def test_a_few_equal_rounds_are_no_alarm() -> None:
    assert compare({}, Setting(rules_from("INF"), ("agent",), rounds=2, seed=1))[0].rounds == 2


def test_workers_end_with_a_process_that_was_killed() -> None:
    code = (
        "from bj_env.benchmark import worker_pool\nimport os, time\n"
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
