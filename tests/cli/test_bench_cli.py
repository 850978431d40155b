"""`bj bench`: its table, its JSON, its pictures, and one line for whatever is wrong."""

import json
import os
import pty
import re
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from bj_env.analysis.benchmark import Setting, compare
from bj_env.cli.main import main
from bj_env.extras import missing
from bj_env.rules.houses import HOUSES, parse_rules, text
from bj_env.statistics import Z95
from bj_env.strategies.counting import CountingDecision
from bj_env.strategies.saved_policy import save_policy
from tests.signals import heed
from tests.strategies.test_saved_policy import TABLE, table_tensors

KEYS = "name mode rounds ev stderr exact_ev regret agreement sd bankroll difference difference_stderr".split()


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    code = main(["bench", *arguments, "--threads", "1"])
    out, err = capsys.readouterr()
    compiling = "bj_env: compiling"  # which is said on a machine that has not done it yet
    return code, out, "".join(line for line in err.splitlines(keepends=True) if not line.startswith(compiling))


def found(capsys: pytest.CaptureFixture[str], *arguments: str) -> Any:
    return json.loads(run(capsys, *arguments, "--json")[1])


def test_json_has_the_setting_and_what_compare_returns(capsys: pytest.CaptureFixture[str]) -> None:
    said = found(capsys, "mimic", "random", "--rounds", "1e3", "--seed", "4", "--seats", "basic,agent")
    assert said["setting"] == {
        "rules": "6D S17 3:2 PEEK DOA DAS SP4 LS INS",
        "seats": ["basic", "agent"],
        "seed": 4,
        "half_width": None,
    }
    scores = compare(
        {"mimic": "mimic", "random": "random"}, Setting(parse_rules("six-deck"), ("basic", "agent"), 1000, seed=4)
    )
    expected = json.loads(json.dumps([score.as_json() for score in scores]))
    for score in [*said["scores"], *expected]:
        assert score.pop("rounds_per_second") > 100
    assert said["scores"] == expected
    assert all(set(KEYS) <= set(score) for score in said["scores"])


def test_as_many_rounds_as_some_seconds_allow(capsys: pytest.CaptureFixture[str]) -> None:
    assert found(capsys, "basic")["scores"][0]["rounds"] == 2_000_000


def test_rounds_go_on_until_every_interval_is_as_narrow_as_asked(capsys: pytest.CaptureFixture[str]) -> None:
    said = found(capsys, "mimic", "--half-width", "0.5")
    assert said["setting"]["half_width"] == 0.005
    assert len({score["rounds"] for score in said["scores"]}) == 1
    assert 0.0045 < Z95 * max(score["stderr"] for score in said["scores"]) <= 0.005


def test_rounds_that_end_before_are_said(capsys: pytest.CaptureFixture[str]) -> None:
    said = " ".join(run(capsys, "basic", "--half-width", "0.5", "--rounds", "20_000")[1].split())
    assert "20,000 rounds each" in said
    assert "the rounds ended before all intervals were down to ± 0.5" in said
    assert "rounds ended" not in run(capsys, "basic", "--half-width", "2", "--rounds", "20_000")[1]


@pytest.mark.parametrize("columns", ["80", "200"])
def test_the_table_fits_80_columns_and_says_the_mode(
    columns: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    save_policy(tmp_path / "policy", TABLE, table_tensors())
    names = [f"{kind}{tmp_path / 'policy'}" for kind in ("", "sampled:")]
    out = run(capsys, "random", *names, "--rounds", "10_000")[1]
    assert max(map(len, out.splitlines())) <= 80
    said = "".join(line.split("│")[1].strip() for line in out.splitlines() if line.startswith("│"))
    assert f"{tmp_path / 'policy'}(greedy)" in said.replace(" ", "")
    assert f"sampled:{tmp_path / 'policy'}(sampled)" in said.replace(" ", "")


def test_intervals_keep_two_digits_of_their_own(capsys: pytest.CaptureFixture[str]) -> None:
    assert " ± 0.0" in run(capsys, "basic", "--half-width", "0.09", "--rounds", "1e7")[1]


def test_pictures_are_drawn(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "bench.png"
    code, out, _ = run(capsys, "mimic", "random", "--rounds", "1000", "--png", str(path))
    assert code == 0
    assert "mimic" in out
    assert path.read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["mimik"], "did you mean 'mimic'"),
        (["mimic", "--seats", "basic"], "expected at least one 'agent'"),
        (["mimic", "--rounds", "0"], "rounds: expected a whole number from 2 to"),
        (["mimic", "--rounds", "1e12"], "rounds: expected at most 4294967296, got 1000000000000"),
        (["mimic", "--rounds", "many"], "rounds: expected a whole number"),
        (["mimic", "--half-width", "0"], "half-width: expected percents of a bet, like 0.05, got '0'"),
        (["mimic", "--half-width", "nan"], "got 'nan'"),
        (["mimic", "--half-width", "thin"], "got 'thin'"),
        (["mimic", "--half-width", "1e-4"], "takes about 5.0e+12 rounds, and a seed has shoes for 4.3e+09"),
        (["mimic", "--seed", "-1"], "seed: expected a whole number from 0 to 4294967295, got '-1'"),
        (["mimic", "--seed", str(1 << 32)], "seed: expected a whole number from 0 to 4294967295, got '4294967296'"),
        (["runs/none/policy"], "policy 'runs/none/policy': there is no such folder"),
        (["sampled:runs/none/policy"], "policy 'runs/none/policy': there is no such folder"),
        (["sampled:basic"], "policy 'basic': there is no such folder"),
        (["mimic", "--png", f"/tmp/{'x' * 300}.png"], "File name too long"),
        (["mimic", "--png", "/proc/bench.png"], "png: '/proc/bench.png': "),
        (["mimic", "--png", "bench.svg"], "png: expected a name that ends in .png, got 'bench.svg'"),
        (["mimic", "--png", "/none/bench.png"], "png: expected a folder that exists, got '/none'"),
        (["threshold:" + "9" * 5000], "unknown strategy"),
        (["a" * 5000], "unknown strategy"),
    ],
)
def test_what_is_wrong_is_said_in_one_line(
    arguments: list[str], expected: str, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, err = run(capsys, *arguments)
    assert (code, out) == (1, "")
    assert err.startswith("bj bench: ")
    assert err.count("\n") == 1
    assert expected in err


@pytest.mark.parametrize("threads", ["0", "1025", "9" * 30])
def test_more_or_less_threads_than_there_can_be_are_refused(threads: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", "mimic", "--threads", threads]) == 1
    expected = f"bj bench: threads: expected a whole number from 1 to 1024, got {threads!r}\n"
    assert capsys.readouterr().err == expected


def test_without_matplotlib_it_is_said_what_to_install(tmp_path: Path) -> None:
    """Before anything is played: a finder that finds no matplotlib stands in for a machine without it."""
    code = (
        "import sys\n"
        "class Nothing:\n"
        "    def find_spec(self, name, *_):\n"
        "        if name == 'matplotlib': raise ModuleNotFoundError(name=name)\n"
        "sys.meta_path.insert(0, Nothing())\n"
        "from bj_env.cli.main import main\n"
        f"sys.exit(main(['bench', 'mimic', '--png', {str(tmp_path / 'x.png')!r}]))\n"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (result.returncode, result.stdout) == (1, "")
    assert result.stderr == f"bj bench: png: {missing('matplotlib', 'play')}\n"


def test_matplotlib_is_imported_only_to_draw() -> None:
    imports = "import sys, bj_env.cli.main, bj_env.analysis.pictures"
    code = f"{imports}; sys.exit('matplotlib' in sys.modules or 'numba' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


@pytest.mark.parametrize("coding", ["ascii", "latin-1"])
def test_a_terminal_without_the_characters_gets_others(coding: str) -> None:
    command = [sys.executable, "-m", "bj_env", "bench", "mimic", "--rounds", "20", "--threads", "1"]
    env = os.environ | {"PYTHONIOENCODING": coding}
    result = subprocess.run(command, capture_output=True, env=env, check=False)
    assert (result.returncode, result.stderr) == (0, b"")


def test_help_teaches_with_examples_in_80_columns(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["bench", "--help"])
    assert ended.value.code == 0
    out = capsys.readouterr().out
    assert "bj bench threshold:15 random --half-width 0.05" in out
    assert max(map(len, out.splitlines())) <= 80


# --- counters --------------------------------------------------------------------------------------------------------


def test_a_ramp_is_that_of_the_counting_player_and_tells_the_bankroll(capsys: pytest.CaptureFixture[str]) -> None:
    """The figures of `bj simulate`, which this command has replaced: N0, SCORE and risk of ruin by the ramp."""
    given = ("hi-lo", "--rules", "6D H17 PEN80", "--rounds", "1e6", "--ramp", "1:2,2:4,3:8,4:12", "--seed", "2")
    basic, counter = found(capsys, *given)["scores"]
    player = CountingDecision(ramp=((1, 2), (2, 4), (3, 8), (4, 12)))
    setting = Setting(parse_rules("6D H17 PEN80"), ("agent",), 1_000_000, 2)
    same = compare({"ramp": player}, setting)[1]
    assert (counter["name"], counter["ev"], counter["sd"]) == ("hi-lo, ramp 1:2,2:4,3:8,4:12", same.ev, same.sd)
    assert same.bankroll is not None
    assert counter["bankroll"] == same.bankroll._asdict()
    assert basic["bankroll"] is None
    out = " ".join(run(capsys, *given)[1].split())
    assert f"N0 {same.bankroll.n0:,.0f} rounds, SCORE ${same.bankroll.score:.2f}, risk of ruin with 1,000 bets" in out


def test_a_ramp_may_begin_below_zero_without_an_equals_sign(capsys: pytest.CaptureFixture[str]) -> None:
    given = ("hi-lo", "--rules", "6D PEN75", "--rounds", "1e4", "--seats", "agent,basic", "--ramp", "-99:0,1:1")
    assert found(capsys, *given)["scores"][1]["name"] == "hi-lo, ramp -99:0,1:1"


def test_a_count_of_a_shoe_that_does_not_last_is_remarked(capsys: pytest.CaptureFixture[str]) -> None:
    said = "these rules shuffle before every round"
    assert said in run(capsys, "hi-lo", "--rounds", "100")[1]
    out = " ".join(run(capsys, "hi-lo", "--rounds", "1e4", "--rules", "6D PEN75")[1].split())
    assert said not in out
    assert "hi-lo: no N0, SCORE and risk of ruin" in out


@pytest.mark.parametrize(
    ("ramp", "expected"),
    [
        ("2:4,1:2", "ramp: expected rising counts and bets"),
        ("x", "like 1:2,2:4,3:8, got 'x'"),
        ("\u0661:2", "ramp: expected rising counts"),
    ],
)
def test_a_ramp_that_is_none_is_refused(ramp: str, expected: str, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = run(capsys, "hi-lo", "--ramp", ramp)
    assert (code, out, err.count("\n")) == (1, "", 1)
    assert expected in err


def test_a_ramp_needs_a_strategy_that_counts(capsys: pytest.CaptureFixture[str]) -> None:
    assert "ramp: expected a strategy that counts" in run(capsys, "basic", "--ramp", "1:2")[2]


def test_the_longest_rules_fit_80_columns(capsys: pytest.CaptureFixture[str]) -> None:
    longest = max(map(text, map(parse_rules, HOUSES)), key=len) + " PEN75 BURN3"
    out = run(capsys, "hi-lo", "mimic", "--rules", longest, "--rounds", "2e3", "--ramp", "1:2,2:4,3:8,4:12,5:16")[1]
    assert max(map(len, out.splitlines())) <= 80


# --- in a process of its own -----------------------------------------------------------------------------------------


def watched(*arguments: str, until: str = "", **env: str) -> tuple[int, str, str]:
    """Run the command with a terminal as its standard error, and press Ctrl-C once a match of ``until`` is seen there.

    Returns:
        The exit code, what was printed, and what was seen on the terminal.
    """
    mine, its = pty.openpty()
    command = [sys.executable, "-m", "bj_env", "bench", *arguments]
    env = {name: value for name, value in os.environ.items() if name != "NO_COLOR"} | {"TERM": "xterm-256color"} | env
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=its, text=True, env=env, preexec_fn=heed)
    os.close(its)
    seen = ""
    try:
        while some := os.read(mine, 4096):
            seen += some.decode(errors="replace")
            if until and re.search(until, seen):
                process.send_signal(signal.SIGINT)
                until = ""
    except OSError:  # how Linux says that nobody writes any more
        pass
    os.close(mine)
    out, _ = process.communicate(timeout=60)
    return process.returncode, out, seen


@pytest.mark.parametrize("plain", [False, True])
def test_an_interrupt_shows_what_is_done_so_far_and_colours_can_be_refused(plain: bool) -> None:
    env, form = ({"NO_COLOR": "1"}, ()) if plain else ({}, ("--json",))
    both_played = r"(?:[5-9]|[1-9][0-9])[0-9]{6}/8000000000"
    code, out, seen = watched("mimic", "--rounds", "4e9", "--threads", "2", *form, until=both_played, **env)
    assert code in (130, -signal.SIGINT)  # where Python was interrupted within C it ends by the signal itself
    assert (re.search(r"\x1b\[(?:[0-9]+;)*(?:3[0-7]|38|9[0-7])[;m]", seen) is None) is plain
    assert seen.endswith("bj bench: interrupted\r\n")
    if plain:
        assert "mimic" in out
    else:
        assert json.loads(out)["scores"][0]["exact_ev"] == pytest.approx(-0.00333216, abs=1e-8)
