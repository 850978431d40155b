"""Simulation: the same rounds as the readable engine, sums that do not depend on who adds them, honest errors."""

from collections.abc import Sequence
from pathlib import Path
from statistics import fmean, pvariance
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bj_env.analysis.policy_value import exact_value
from bj_env.compiled.simulate import played, simulate, simulate_paired
from bj_env.compiled.sums import Simulation
from bj_env.errors import BlackjackError
from bj_env.game.decision import Decision
from bj_env.game.participants import Player
from bj_env.game.table import Table
from bj_env.game.view import View
from bj_env.rules.houses import parse_rules
from bj_env.rules.terms import TICKS, Action
from bj_env.solver import outcome
from bj_env.statistics import Sums
from bj_env.strategies import saved_policy
from bj_env.strategies.counting import CountingDecision
from bj_env.strategies.registry import strategy
from bj_env.strategies.simple import HitDecision, Scripted
from tests.strategies.test_saved_policy import TABLE, table_tensors

COUNTER = CountingDecision("hi-lo half down", ramp=((-99, 1), (1, 3), (2, 8)))
SEATS: dict[str, tuple[str, Sequence[Decision | str]]] = {
    "one seat": ("6D LS", ["basic"]),
    "a cut card and chance": ("2D PEN75 H17 ES RSA SP8", ["random", "basic", "random"]),
    "infinite": ("INF NOPEEK BJ21PUSH ACT21", ["never-bust", "random", "threshold:12"]),
    "counters": ("6D PEN75 H17 LS", ["hi-lo", COUNTER, CountingDecision("ko", ramp=((-99, 1), (0, 2)))]),
    "no hole card": ("1D PEN50 OBO SP3 BURN1", [COUNTER, "mimic"]),
    "a shoe that runs out": ("1D PEN99 SP8 RSA HSA", [HitDecision(lambda total, soft, upcard: total < 21)] * 12),
    "other limits": ("8D ENHC 6:5 MIN25 MAX100 CH5 WHOLE PEN80", [COUNTER, "random"]),
}


def readable(rules: str, seats: Sequence[Decision | str], *, seed: int, number: int, rounds: int) -> list[int]:
    """Return what all seats win in each round at a table of the readable engine, in ticks."""
    players = [Player("", strategy(seat)) for seat in seats]
    table = Table(rules, players, seed=seed, number=number)
    return [sum(seat.net for seat in table.play_round().seats) for _ in range(rounds)]


def assert_same_rounds(rules: str, seats: Sequence[Decision | str], tables: int = 12, rounds: int = 40) -> None:
    """Compare the first rounds one by one, and the sum and the squares of all."""
    seed = 2**40 + 3
    expected = [readable(rules, seats, seed=seed, number=table, rounds=rounds) for table in range(tables)]
    for first in (1, 2, 3, rounds):
        parts = list(played(parse_rules(rules), seats, tables * first, seed=seed, block=first))
        nets, squares = (np.concatenate([part[place] for part in parts]) for place in (0, 1))
        assert nets.tolist() == [sum(table[:first]) for table in expected]
        assert squares.tolist() == [sum(net * net for net in table[:first]) for table in expected]


@pytest.mark.parametrize(("rules", "seats"), SEATS.values(), ids=SEATS)
def test_the_same_rounds_as_the_readable_engine(rules: str, seats: Sequence[Decision | str]) -> None:
    assert_same_rounds(rules, seats)


def test_a_saved_policy_plays_the_same_rounds(tmp_path: Path) -> None:
    saved_policy.save_policy(tmp_path / "policy", TABLE, table_tensors())
    assert_same_rounds("6D LS PEN75", [str(tmp_path / "policy")])


def test_some_seats_alone_can_be_counted() -> None:
    rules, seats = parse_rules("6D PEN75"), ["basic", "random", "mimic"]
    alone, both = (next(played(rules, seats, 100, mine=mine))[0] for mine in ([1], [0, 2]))
    assert (alone + both).tolist() == next(played(rules, seats, 100))[0].tolist()
    assert alone.any()
    assert both.any()


# --- sums ---


@pytest.mark.parametrize("rules", ["6D", "2D PEN75"])
def test_the_result_does_not_depend_on_the_threads(rules: str) -> None:
    results = [simulate(rules, ["random", COUNTER], 230_000, seed=3, threads=threads) for threads in (1, 2, 3)]
    assert results == results[:1] * 3


@given(st.lists(st.lists(st.integers(-(10**6), 10**6), min_size=1, max_size=5), min_size=1), st.data())
def test_sums_of_parts_are_the_sums_of_the_whole(blocks: list[list[int]], data: Any) -> None:
    blocks = [(block * 5)[:5] for block in blocks]
    nets = np.array([sum(block) for block in blocks])
    squares = np.array([float(sum(net * net for net in block)) for block in blocks])
    cuts = sorted(data.draw(st.lists(st.integers(0, len(blocks)))))
    sums = Sums()
    for start, stop in zip([0, *cuts], [*cuts, len(blocks)], strict=True):
        sums = sums.plus(nets[start:stop], squares[start:stop], 5)
    assert sums == Sums().plus(nets, squares, 5)
    assert sums.net == sum(map(sum, blocks))
    assert sums.mean(10) == pytest.approx(np.array(blocks).mean() / 10)
    assert sums.sd(10) == pytest.approx(np.array(blocks).std() / 10, abs=1e-3)
    if len(blocks) > 1:
        assert sums.stderr(10) == pytest.approx(nets.std(ddof=1) / len(nets) ** 0.5 / 50, abs=1e-3)


def test_one_block_says_nothing_of_its_error() -> None:
    assert Sums().plus(np.array([5]), np.array([25.0]), 1).stderr(1) == float("inf")


def test_it_stops_at_the_error_that_is_wanted() -> None:
    results = {simulate("6D", ["mimic"], 10**9, seed=1, threads=threads, stderr=0.003) for threads in (1, 2)}
    (result,) = results
    assert 0.0025 < result.stderr <= 0.003
    assert result.rounds < 200_000


def test_progress_tells_what_has_been_added_up_so_far() -> None:
    told: list[Sums] = []
    result = simulate("6D", ["mimic"], 120_000, progress=told.append)
    assert [sums.rounds for sums in told] == [50_000, 100_000, 120_000]
    assert told[-1].mean(TICKS) == result.ev


def test_whole_blocks_are_played() -> None:
    assert simulate("6D PEN75", ["mimic"], 1001).rounds == 2000
    assert simulate("6D PEN75", ["mimic"], 1001, block=7).rounds == 1001


# --- what is found ---


@pytest.mark.parametrize(("rules", "name"), [("6D NS NINS", "s17_4to8_das"), ("1D NS NINS", "mimic")])
def test_the_spread_of_rounds_is_that_of_the_solver(rules: str, name: str) -> None:
    found = simulate(rules, ["basic" if name != "mimic" else name], 2_000_000, seed=8)
    exact = outcome(rules, name)
    assert abs(found.ev - exact.mean) < 4 * found.stderr
    assert found.sd == pytest.approx(exact.deviation, abs=0.003)  # the squares spread by about 1.5 a round


def z_scores(rules: str, decision: Decision | str, value: float, rounds: int, **keywords: Any) -> list[float]:
    """Return by how many of its standard errors each of many results is off."""
    results = [simulate(rules, [decision], rounds, seed=seed, **keywords) for seed in range(100)]
    return [(result.ev - value) / result.stderr for result in results]


def test_errors_are_honest() -> None:
    scores = z_scores("6D NS", "mimic", exact_value("mimic", "6D NS").ev, 10_000)
    assert 0.6 < pvariance(scores, 0) < 1.55  # four of its own standard errors on either side are 0.43 and 1.57
    assert abs(fmean(scores)) < 0.4


def test_errors_are_honest_where_rounds_share_a_shoe() -> None:
    """Whoever bets high in one round does so in the next; errors rest on what whole blocks have won."""
    ramp = CountingDecision(ramp=((-99, 1), (1, 20)))
    value = simulate("1D PEN75 NS", [ramp], 4_000_000, seed=1000).ev
    scores = z_scores("1D PEN75 NS", ramp, value, 20_000, block=100)
    assert 0.6 < pvariance(scores, 0) < 1.55


# --- refusals ---


class Hunch(Decision):
    def play(self, view: View) -> Action:
        return view.legal[0]


class Peeker(Decision):
    total_dependent = True

    def play(self, view: View) -> Action:
        return Action.STAND if view.cards[0].value > 5 else Action.HIT


@pytest.mark.parametrize(
    ("seats", "message"),
    [
        (
            [Hunch()],
            "cannot ask a Hunch; expected a decision by its own hand .*`bj bench` ask any",
        ),
        (["basic", Scripted([])], "cannot ask a Scripted"),
        (
            [Peeker()],
            "cannot ask this Peeker: total .* it looks at single cards, .*; `gymnasium.make` and",
        ),
        (["mimik"], "unknown strategy 'mimik'; did you mean 'mimic'"),
        ([], "expected at least one"),
        ([CountingDecision(ramp=((-99, 0), (1, 1)))] * 2, "bets: expected a seat that bets in every round"),
        (["basic"] * 13, "first deal of at most half the shoe, got 13 seats"),
    ],
)
def test_who_cannot_play_is_refused_by_name(seats: list[Decision | str], message: str) -> None:
    with pytest.raises(BlackjackError, match=message):
        simulate("1D", seats, 10)


def test_a_seat_may_sit_out_where_another_bets() -> None:
    absent = CountingDecision(ramp=((-99, 0), (1, 1)))
    assert_same_rounds("1D PEN75", ["mimic", absent])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"rounds": 0}, "rounds: expected a whole number from 1 to 4294967296, got 0"),
        ({"rounds": 1.5}, "rounds: .* got 1.5"),
        ({"rounds": True}, "rounds: .* got True"),
        ({"rounds": 2**32 + 1}, "rounds: "),
        ({"seed": -1}, "seed: expected a whole number from 0 to"),
        ({"seed": 2**64}, "seed: "),
        ({"threads": 0}, "threads: expected a whole number from 1 to 1024, got 0"),
        ({"backend": 5}, "backend: got 5; valid: 'threads', 'ray'"),
        ({"block": 0}, "block: expected a whole number from 1 to"),
        ({"rules": "7D H71"}, "did you mean 'H17'"),
    ],
)
def test_bad_arguments_are_refused(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(BlackjackError, match=message):
        simulate(**{"rules": "6D", "decisions": ["mimic"], "rounds": 10} | arguments)


def test_the_largest_seed_is_one() -> None:
    assert isinstance(simulate("6D", ["mimic"], 10, seed=2**64 - 1), Simulation)


def test_lineups_of_different_size_are_no_pair() -> None:
    with pytest.raises(BlackjackError, match="seats: expected as many of both, got 1, 2"):
        simulate_paired("six-deck", ["basic"], ["basic", "mimic"], 10)


@pytest.mark.parametrize("stderr", [-1.0, -(10**400), float("nan"), "1", True, np.complex64(1)])
def test_a_standard_error_that_is_none_is_refused(stderr: Any) -> None:
    with pytest.raises(BlackjackError, match="stderr: expected a number from 0 on"):
        simulate("six-deck", ["basic"], 10, stderr=stderr)


def test_progress_sees_every_chunk() -> None:
    seen: list[Sums] = []
    result = simulate("six-deck", ["basic"], 120_000, seed=1, threads=2, progress=seen.append)
    assert [sums.rounds for sums in seen] == [50_000, 100_000, 120_000]
    assert seen[-1].mean(TICKS) == result.ev
