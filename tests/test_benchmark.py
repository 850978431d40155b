"""The benchmark: the same shoes for all, the same result for any number of workers, exact values where they exist."""

import subprocess
import sys
import time
from pathlib import Path

import pytest

from bj_env.benchmark import Score, Setting, compare
from bj_env.decisions import Decision, View
from bj_env.errors import BlackjackError
from bj_env.houses import rules_from
from bj_env.terms import Action

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


def test_the_result_does_not_depend_on_the_workers() -> None:
    assert compare({"random": "random"}, SIX, workers=2) == compare({"random": "random"}, SIX, workers=1)


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
    """Says that it looks at its hand alone, and plays better than it is asked about."""

    by_hand = True

    def play(self, view: View) -> Action:
        asked_by_the_solver = view.hands == ((),)
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
