"""`bj bench`: its table, its JSON, its pictures, and one line for whatever is wrong."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from bj_env.analysis.benchmark import Setting, compare
from bj_env.analysis.pictures import check_picture
from bj_env.analysis.scores import Z95
from bj_env.cli.main import main
from bj_env.errors import BlackjackError
from bj_env.extras import missing
from bj_env.rules.houses import parse_rules
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
    assert all(set(KEYS) <= set(score) for score in said["scores"])
    returned = json.loads(json.dumps([score.as_json() for score in scores]))
    for score in (*said["scores"], *returned):
        assert score.pop("rounds_per_second") > 0
    assert said["scores"] == returned


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
        (["mimic", "--rounds", "0"], "rounds: expected at least 2, got 0"),
        (["mimic", "--rounds", "1e12"], "rounds: expected at most 4294967296, got 1000000000000"),
        (["mimic", "--rounds", "many"], "rounds: expected a whole number"),
        (["mimic", "--half-width", "0"], "half-width: expected percents of a bet, like 0.05, got '0'"),
        (["mimic", "--half-width", "nan"], "got 'nan'"),
        (["mimic", "--half-width", "thin"], "got 'thin'"),
        (["mimic", "--half-width", "1e-4"], "takes about 5.0e+12 rounds, and a seed has shoes for 4.3e+09"),
        (["mimic", "--seed", "-1"], "seed: expected a whole number from 0 to"),
        (
            ["mimic", "--seed", str(1 << 32)],
            "expected one below 4294967296, where trainings begin, got",
        ),
        (["runs/none/policy"], "policy 'runs/none/policy': there is no such folder"),
        (["sampled:runs/none/policy"], "policy 'runs/none/policy': there is no such folder"),
        (["sampled:basic"], "policy 'basic': there is no such folder"),
        (["mimic", "--png", f"/tmp/{'x' * 300}.png"], "File name too long"),
        (["mimic", "--png", "/proc/bench.png"], "png: '/proc/bench.png': No such file or directory"),
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


@pytest.mark.parametrize("workers", ["0", "1025", "9" * 30])
def test_more_or_less_workers_than_there_can_be_are_refused(workers: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", "mimic", "--threads", workers]) == 1
    expected = f"bj bench: threads: expected a whole number from 1 to 1024, got {workers!r}\n"
    assert capsys.readouterr().err == expected


def test_a_folder_is_no_picture_and_nothing_is_left_where_one_could_be(tmp_path: Path) -> None:
    (tmp_path / "folder.png").mkdir()
    with pytest.raises(BlackjackError, match="Is a directory"):
        check_picture(tmp_path / "folder.png")
    check_picture(tmp_path / "new.png")
    assert [path.name for path in tmp_path.iterdir()] == ["folder.png"]


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


def test_an_interrupt_shows_what_is_done_so_far() -> None:
    command = [sys.executable, "-m", "bj_env", "bench", "basic", "--half-width", "0.004", "--json", "--threads", "1"]
    process = subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=heed,
    )
    time.sleep(8)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert (process.returncode, err) == (130, "bj bench: interrupted\n")
    assert json.loads(out)["scores"][0]["exact_ev"] == pytest.approx(-0.00333216, abs=1e-8)


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


def test_a_ramp_gives_counters_their_bets_and_winners_their_bankroll(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ("hi-lo", "mimic", "--rules", "6D H17 PEN80", "--ramp", "1:2,2:4,3:8,4:12", "--rounds", "3e6", "--json")
    _, out, _ = run(capsys, *arguments)
    scores = {score["name"]: score for score in json.loads(out)["scores"]}
    assert list(scores) == ["basic", "hi-lo, ramp 1:2,2:4,3:8,4:12", "mimic"]
    counter = scores["hi-lo, ramp 1:2,2:4,3:8,4:12"]
    assert counter["bankroll"]["score"] == pytest.approx(1e6 * (counter["ev"] / counter["sd"]) ** 2)
    assert {"name", "ev", "stderr", "rounds", "rounds_per_second", "exact_ev", "regret", "agreement"} <= set(counter)
    assert counter["rounds_per_second"] > 10_000


def test_a_ramp_may_begin_with_a_minus_and_needs_somebody_who_counts(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "hi-lo", "--rules", "6D PEN75", "--ramp", "-99:1,2:4", "--rounds", "2000", "--json")
    assert (code, json.loads(out)["scores"][1]["name"]) == (0, "hi-lo, ramp -99:1,2:4")
    code, _, err = run(capsys, "mimic", "--ramp", "1:2")
    assert (code, err) == (1, "bj bench: ramp: expected a strategy that counts, like 'hi-lo', got mimic\n")
