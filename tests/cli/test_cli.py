"""The command line: what it prints, its JSON, and one line without a traceback for whatever is wrong."""

import csv
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from bj_env.cli.main import main
from bj_env.rules.houses import HOUSES

LINE = "six-deck ; D 6/T ; P1 10 8,8 P D S ; P2 10 A,K ; next 3,T,T,9,2"


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    code = main(arguments)
    out, err = capsys.readouterr()
    return code, out, err


def test_houses_lists_every_house(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "houses")
    assert code == 0
    named = [line.split(maxsplit=1) for line in out.splitlines() if re.match("  [a-z]", line)]
    assert sorted(name for name, _ in named) == sorted(HOUSES)
    assert ["six-five", "Six decks, blackjack pays only 6 to 5"] in named
    assert max(map(len, out.splitlines())) <= 80
    assert all(f" {line}\n" in out for line in HOUSES.values())
    assert json.loads(run(capsys, "houses", "--json")[1]) == HOUSES


@pytest.mark.parametrize("house", HOUSES)
def test_rules_in_words(house: str, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "rules", house)
    assert code == 0
    assert all(line.endswith(".") for line in out.splitlines()[1:])
    assert json.loads(run(capsys, "rules", house, "--json")[1])["text"] == out.splitlines()[0]


def test_replay_prints_every_event_and_the_nets(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "replay", LINE + " => P1 +30 P2 +15 ; D 6,T,9")
    assert code == 0
    assert out.splitlines()[-3:] == [
        "P1: 8,3,T hard 21 | 8,T hard 18: +30",
        "P2: A,K blackjack: +15",
        "cards left: 2",
    ]


def test_replay_json(capsys: pytest.CaptureFixture[str]) -> None:
    said = json.loads(run(capsys, "replay", "--json", LINE)[1])
    assert said["nets"] == {"P1": 30.0, "P2": 15.0}
    assert said["dealer"] == ["6", "T", "9"]
    assert said["cards_left"] == ["2"]
    assert said["events"][0] == "P1 bets 10"


def test_replay_of_every_shared_case(capsys: pytest.CaptureFixture[str]) -> None:
    with (Path(__file__).parents[1] / "data" / "rounds.csv").open() as file:
        for case in csv.DictReader(file):
            illegal = case["result"].startswith("illegal")
            line = case["line"] if illegal else f"{case['line']} => {case['result']}"
            assert run(capsys, "replay", line)[0] == int(illegal), case["id"]


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["rules", "6D", "H71"], "did you mean 'H17'"),
        (["rules", "six-dek"], "did you mean 'six-deck'"),
        (["replay", "nonsense"], "column 1"),
        (["replay", "six-deck ; D 6/T ; P1 10 8,8 P D S ; next 3"], "3 more cards"),
        (["replay", LINE + " => P1 +20 P2 +15"], "the result differs: expected P1 +20"),
    ],
)
def test_what_is_wrong_is_said_in_one_line(
    arguments: list[str], expected: str, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, err = run(capsys, *arguments)
    assert (code, out) == (1, "")
    assert err.startswith(f"bj {arguments[0]}: ")
    assert err.count("\n") == 1
    assert expected in err


def test_a_reader_that_goes_away_is_no_error() -> None:
    command = f"{sys.executable} -m bj_env houses | head -1"
    result = subprocess.run(["bash", "-o", "pipefail", "-c", command], capture_output=True, text=True, check=False)
    assert (result.returncode, result.stderr) == (0, "")
    assert result.stdout == "Casino games\n"


def test_a_full_disk_and_a_closed_output_are_said_and_not_tripped_over() -> None:
    full = subprocess.run(
        ["bash", "-c", f"{sys.executable} -m bj_env houses > /dev/full"], capture_output=True, text=True, check=False
    )
    assert (full.returncode, full.stderr) == (1, "bj houses: output: No space left on device\n")
    closed = subprocess.run(
        ["bash", "-c", f"{sys.executable} -m bj_env houses >&-"], capture_output=True, text=True, check=False
    )
    assert (closed.returncode, closed.stderr) == (1, "")


def test_a_rules_file_nested_without_end_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "deep.toml"
    path.write_text("a = " + "[" * 5000 + "]" * 5000)
    code, _, err = run(capsys, "rules", str(path))
    assert code == 1
    assert "is not TOML" in err


@pytest.mark.parametrize("coding", ["ascii", "latin-1"])
def test_a_terminal_without_the_characters_gets_others(coding: str) -> None:
    command = [sys.executable, "-m", "bj_env", "bench", "mimic", "--rounds", "20", "--threads", "1"]
    env = os.environ | {"PYTHONIOENCODING": coding}
    result = subprocess.run(command, capture_output=True, env=env, check=False)
    said = [line for line in result.stderr.splitlines() if not line.startswith(b"bj_env: compiling")]
    assert (result.returncode, said) == (0, [])
