"""`bj simulate`: what it prints and when, and that the figures are those of `simulate` and of the blocks themselves."""

import json
import os
import pty
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bj_env.cli.main import main
from bj_env.cli.simulate import ramp_from, whole_number
from bj_env.compiled.simulate import played, simulate, simulate_paired
from bj_env.compiled.sums import Simulation, Sums
from bj_env.errors import BlackjackError
from bj_env.game.decision import Decision
from bj_env.rules.houses import HOUSES, parse_rules, text
from bj_env.rules.terms import TICKS
from bj_env.strategies import saved_policy
from bj_env.strategies.counting import CountingDecision
from tests.signals import heed
from tests.strategies.test_saved_policy import TABLE, table_tensors

KEYS = ["rules", "strategy", "rounds", "ev", "stderr", "sd", "rounds_per_second", "seed"]
CUT_CARD = "6D H17 DAS PEN75 MIN5"
HOURS = ("--rounds", "4e9", "--threads", "2")


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    code = main(["simulate", *arguments])
    out, err = capsys.readouterr()
    return code, out, err


def figures(simulation: Simulation) -> tuple[float, ...]:
    return simulation.rounds, simulation.ev, simulation.stderr, simulation.sd


def found(capsys: pytest.CaptureFixture[str], *arguments: str) -> Any:
    return json.loads(run(capsys, *arguments, "--json")[1])


@pytest.mark.parametrize("threads", ["1", "3"])
@pytest.mark.parametrize("rules", ["six-deck", CUT_CARD, "infinite"])
def test_one_strategy_has_what_simulate_returns(rules: str, threads: str, capsys: pytest.CaptureFixture[str]) -> None:
    said = found(capsys, "--rules", rules, "--strategy", "threshold:15", "--rounds", "2.5e3", "--threads", threads)
    assert list(said) == KEYS
    same = simulate(rules, ["threshold:15"], 2500, seed=1)
    assert (said["rounds"], said["ev"], said["stderr"], said["sd"]) == figures(same)
    assert (said["rules"], said["strategy"], said["seed"]) == (text(parse_rules(rules)), "threshold:15", 1)
    assert said["rounds_per_second"] > 100


def test_b132_a_run_names_its_strategy_and_index_plays_change_it(capsys: pytest.CaptureFixture[str]) -> None:
    given = ("--rules", CUT_CARD, "--rounds", "20_000", "--seed", "132", "--strategy")
    basic, counter = (found(capsys, *given, strategy) for strategy in ("basic", "hi-lo"))
    assert [basic["strategy"], counter["strategy"]] == ["basic", "hi-lo"]
    assert basic["ev"] != counter["ev"]


def test_several_seats_are_meant_together(capsys: pytest.CaptureFixture[str]) -> None:
    said = found(capsys, "--seats", "3", "--strategy", "mimic", "--rounds", "3000", "--seed", "7")
    assert (said["rounds"], said["ev"], said["stderr"], said["sd"]) == figures(
        simulate("six-deck", ["mimic"] * 3, 3000, seed=7)
    )


def nets(rules: str, decision: Decision | str, rounds: int, seed: int) -> Any:
    """Return the net of each block in smallest bets a round."""
    house = parse_rules(rules)
    chunks = list(played(house, [decision], rounds, seed=seed))
    return np.concatenate([net for net, _, _ in chunks]) / (house.min_bet * TICKS * chunks[0][2])


@pytest.mark.parametrize(("rules", "rounds"), [("single-deck", 2000), (CUT_CARD, 120_000)])
def test_the_difference_is_that_of_the_blocks(rules: str, rounds: int, capsys: pytest.CaptureFixture[str]) -> None:
    given = ("--rules", rules, "--rounds", str(rounds), "--seed", "4")
    one, two = found(capsys, *given, "--strategy", "mimic", "--strategy", "hi-lo", "--ramp", "1:2,3:8")
    assert (list(one), list(two)) == (KEYS, [*KEYS, "difference", "difference_stderr"])
    counter = CountingDecision(ramp=((1, 2), (3, 8)))
    difference = nets(rules, counter, rounds, 4) - nets(rules, "mimic", rounds, 4)
    assert two["difference"] == pytest.approx(difference.mean(), rel=1e-12)
    assert two["difference_stderr"] == pytest.approx(difference.std(ddof=1) / len(difference) ** 0.5, rel=1e-9)
    for said, decision in ((one, "mimic"), (two, counter)):
        assert (said["rounds"], said["ev"], said["stderr"], said["sd"]) == figures(
            simulate(rules, [decision], rounds, seed=4)
        )
    pair = simulate_paired(rules, ["mimic"], [counter], rounds, seed=4, threads=2)
    assert (pair.difference, pair.difference_stderr) == (two["difference"], two["difference_stderr"])
    assert (pair.first.ev, pair.second.ev) == (one["ev"], two["ev"])


def test_a_strategy_does_not_differ_from_itself(capsys: pytest.CaptureFixture[str]) -> None:
    _, two = found(capsys, "--strategy", "basic", "--strategy", "basic", "--rounds", "1000", "--stderr", "1")
    assert (two["rounds"], two["difference"], two["difference_stderr"]) == (1000, 0.0, 0.0)


def test_a_policy_folder_plays(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    saved_policy.save_policy(tmp_path / "policy", TABLE, table_tensors())
    said = found(capsys, "--strategy", str(tmp_path / "policy"), "--rounds", "500")
    assert said["ev"] == simulate("six-deck", [saved_policy.load_policy(tmp_path / "policy")], 500, seed=1).ev


def test_it_stops_at_the_standard_error_that_was_asked_for(capsys: pytest.CaptureFixture[str]) -> None:
    said = found(capsys, "--stderr", "4e-3", "--rounds", "1e9", "--threads", "1")
    assert said["rounds"] == 100_000  # whole chunks; with half as many it is 5e-3
    assert 3e-3 < said["stderr"] <= 4e-3
    _, two = found(capsys, "--stderr", "4e-3", "--rounds", "1e9", "--strategy", "basic", "--strategy", "mimic")
    assert two["rounds"] == 50_000
    assert two["difference_stderr"] <= 4e-3 < two["stderr"]


def test_a_single_block_has_no_standard_error(capsys: pytest.CaptureFixture[str]) -> None:
    assert found(capsys, "--rounds", "1")["stderr"] is None
    assert " ± ? " in run(capsys, "--rounds", "1")[1]


@pytest.mark.parametrize("columns", ["80", "200"])
def test_the_table_fits_80_columns(
    columns: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    longest = max(map(text, map(parse_rules, HOUSES)), key=len)
    code, out, _ = run(
        capsys, "--rules", longest + " PEN75 BURN3", "--rounds", "2e3", "--strategy", "hi-lo", "--strategy", "mimic",
        "--ramp", "1:2,2:4,3:8,4:12,5:16,6:20", "--seats", "2",
    )  # fmt: skip
    assert code == 0
    assert max(map(len, out.splitlines())) <= 80
    said = " ".join(out.split())
    assert all(word in said for word in ("2,000 rounds each", "2 seats", "seed 1", "ramp", "to the first", "rounds/s"))


def test_the_table_says_what_the_json_says(capsys: pytest.CaptureFixture[str]) -> None:
    said, out = found(capsys, "--rounds", "1e5"), run(capsys, "--rounds", "1e5")[1]
    assert f"{100 * said['ev']:+.3f} ± {196 * said['stderr']:.3f}"[:-1] in out
    assert f" {100 * said['sd']:.1f} " in out


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["--rounds", "1e"], "rounds: expected a whole number from 1 to"),
        (["--rounds", "2.5"], "got '2.5'"),
        (["--rounds", "0"], "got '0'"),
        (["--rounds", "1e999999999"], "got '1e999999999'"),
        (["--rounds", "1e15"], "rounds: expected"),
        (["--seed", "-1"], "seed: expected"),
        (["--threads", "none"], "threads: expected"),
        (["--threads", "0"], "threads: expected"),
        (["--seats", "0"], "seats: expected"),
        (["--seats", "100"], "seats"),
        (["--stderr", "nan"], "stderr: expected a number of bets above 0"),
        (["--stderr", "0"], "got '0'"),
        (["--rules", "six-dek"], "did you mean 'six-deck'"),
        (["--strategy", "mimik"], "did you mean 'mimic'"),
        (["--strategy", "runs/none/policy"], "there is no such folder"),
        (["--strategy", "basic", "--strategy", "mimic", "--strategy", "basic"], "expected one or two, got 3"),
        (["--ramp", "1:2"], "ramp: expected the strategy 'hi-lo'"),
        (["--strategy", "hi-lo", "--ramp", "2:4,1:2"], "ramp: expected rising counts and bets"),
        (["--strategy", "hi-lo", "--ramp", "x"], "like 1:2,2:4,3:8, got 'x'"),
        (["--strategy", "hi-lo", "--rules", "infinite"], "no true count"),
    ],
)
def test_what_is_wrong_is_said_in_one_line(
    arguments: list[str], expected: str, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, err = run(capsys, *arguments)
    assert (code, out) == (1, "")
    assert err.startswith("bj simulate: ")
    assert err.count("\n") == 1
    assert expected in err


@pytest.mark.parametrize("written", ["10000000", "1e7", "1E+7", "10_000_000", "0.1e8", " 1e7 "])
def test_numbers_are_written_in_many_ways(written: str) -> None:
    assert whole_number("rounds", written, 1, 10**9) == 10**7


def test_a_seed_of_twenty_digits_is_exact() -> None:
    assert whole_number("seed", str(2**64 - 1), 0, 2**64 - 1) == 2**64 - 1


def test_a_ramp_may_sit_out() -> None:
    assert ramp_from("-99:0, 1:1") == ((-99, 0), (1, 1))


def test_lineups_of_different_size_are_no_pair() -> None:
    with pytest.raises(BlackjackError, match="seats: expected as many of both, got 1, 2"):
        simulate_paired("six-deck", ["basic"], ["basic", "mimic"], 10)


@pytest.mark.parametrize("stderr", [-1.0, float("nan"), "1", True])
def test_a_standard_error_that_is_none_is_refused(stderr: Any) -> None:
    with pytest.raises(BlackjackError, match="stderr: expected a number from 0 on"):
        simulate("six-deck", ["basic"], 10, stderr=stderr)


def test_progress_sees_every_chunk() -> None:
    seen: list[Sums] = []
    result = simulate("six-deck", ["basic"], 120_000, seed=1, threads=2, progress=seen.append)
    assert [sums.rounds for sums in seen] == [50_000, 100_000, 120_000]
    assert seen[-1].mean(TICKS) == result.ev


# --- in a process of its own ------------------------------------------------------------------------------------------


def warm() -> None:
    """Compile, if that has not been done, so that what follows is not kept waiting."""
    simulate("six-deck", ["basic"], 1)


def watched(*arguments: str, until: str = "", **env: str) -> tuple[int, str, str]:
    """Run the command with a terminal as its standard error, and press Ctrl-C once ``until`` is seen there.

    Returns:
        The exit code, what was printed, and what was seen on the terminal.
    """
    mine, its = pty.openpty()
    command = [sys.executable, "-m", "bj_env", "simulate", *arguments]
    env = {name: value for name, value in os.environ.items() if name != "NO_COLOR"} | {"TERM": "xterm-256color"} | env
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=its, text=True, env=env, preexec_fn=heed)
    os.close(its)
    seen = ""
    try:
        while some := os.read(mine, 4096):
            seen += some.decode(errors="replace")
            if until and until in seen:
                process.send_signal(signal.SIGINT)
                until = ""
    except OSError:  # how Linux says that nobody writes any more
        pass
    os.close(mine)
    out, _ = process.communicate(timeout=60)
    return process.returncode, out, seen


def coloured(seen: str) -> bool:
    return re.search(r"\x1b\[(?:[0-9]+;)*(?:3[0-7]|38|9[0-7])[;m]", seen) is not None


def test_an_interrupt_shows_what_is_done_so_far() -> None:
    warm()
    code, out, seen = watched(*HOURS, "--json", "--strategy", "basic", "--strategy", "mimic", until="0/4000000000")
    assert code == 130
    assert coloured(seen)
    assert seen.endswith("bj simulate: interrupted\r\n")
    one, two = json.loads(out)
    assert (list(one), list(two)) == (KEYS, [*KEYS, "difference", "difference_stderr"])
    assert 0 < one["rounds"] == two["rounds"] < 4e9
    assert one["rounds"] % 50_000 == 0
    pair = simulate_paired("six-deck", ["basic"], ["mimic"], one["rounds"], seed=1)
    assert (pair.first.ev, pair.second.sd) == (one["ev"], two["sd"])
    assert (pair.difference, pair.difference_stderr) == (two["difference"], two["difference_stderr"])


def test_an_interrupted_table_has_the_same_form_and_colours_can_be_refused() -> None:
    warm()
    code, out, seen = watched(*HOURS, until="0/4000000000", NO_COLOR="1")
    assert code == 130
    assert not coloured(seen + out)
    assert re.search(r"│ basic +│ -0\.\d{3} ± 0\.\d{3} │ 11\d\.\d │ +[\d,]+ │", out)


def test_no_bar_is_shown_for_a_moment() -> None:
    warm()
    code, out, seen = watched("--rounds", "1000")
    assert (code, seen) == (0, "")
    assert "1,000 rounds" in out


def test_no_bar_is_shown_where_nobody_watches() -> None:
    warm()
    command = [sys.executable, "-m", "bj_env", "simulate", *HOURS]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, preexec_fn=heed)
    time.sleep(6)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert (process.returncode, err) == (130, "bj simulate: interrupted\n")


def test_help_teaches_with_an_example(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["simulate", "--help"])
    assert ended.value.code == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "example: bj simulate --rules '6D H17 DAS PEN75' --strategy basic --strategy hi-lo --ramp" in said
