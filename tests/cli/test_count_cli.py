"""``bj count``: machine-readable figures, files, and one line for what is wrong."""

import csv
import json
from pathlib import Path

import pytest

from bj_env.cli.main import main

QUICK = ["--rounds", "1e6", "--shoes", "160"]


def test_the_json_has_every_figure_and_the_count_table(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table, picture = tmp_path / "counts.csv", tmp_path / "counts.png"
    asked = ["--rules", "6D S17 DAS LS PEN75", "--system", "hi-lo", "--indices", "i18", "--spread", "1-8", "--json"]
    assert main(["count", *asked, *QUICK, "--trip", "1000", "--csv", str(table), "--png", str(picture)]) == 0
    record = json.loads(capsys.readouterr().out)
    keys = {"score", "score_stderr", "win_per_100", "sd", "mean_bet", "n0", "risk_of_ruin", "trip_ruin", "counts"}
    assert keys <= set(record)
    assert {"count", "share", "edge", "edge_stderr", "bet"} <= set(record["counts"][0])
    assert sum(row["share"] for row in record["counts"]) == pytest.approx(1)
    assert record["score"] == pytest.approx(24.1, abs=3 * record["score_stderr"] + 0.03 * 24.1)
    assert record["variance_ratio"] > 20
    with table.open() as file:
        assert len(list(csv.DictReader(file))) == len(record["counts"])
    assert picture.read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--spread", "0.5-8"], "spread: expected"),
        (["--spread", "8-1"], "spread: expected"),
        (["--spread", "x"], "spread: expected"),
        (["--bankroll", "-1"], "bankroll: expected"),
        (["--rules", "6D"], "cut card"),
        (["--rules", "INF"], "infinite"),
        (["--system", "hilo"], "unknown system"),
        (["--indices", "all"], "unknown set"),
        (["--ramp", "1:8,2:4"], "ramp: expected rising"),
        (["--ramp", "x"], "ramp: expected"),
        (["--rounds", "5"], "rounds: expected"),
        (["--spread", "-1-8"], "spread: expected"),
        (["--seed", str(1 << 32)], "seed: expected a whole number from 0 to 4294967295"),
        (["--unit", "+4"], "unit: expected a number from"),
        (["--kelly", "1__0"], "kelly: expected a number from"),
        (["--rounds", "\u0663e7"], "rounds: expected a number from"),
        (["--trip", "nan"], "trip: expected a number from"),
        (["--half-width", "0"], "half-width: expected"),
        (["--risk", "100"], "risk: expected"),
        (["--csv", "/nowhere/x.csv"], "folder that exists"),
    ],
)
def test_what_is_wrong_is_said_in_one_line(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["count", *arguments]) == 1
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1
