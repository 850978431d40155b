"""Faults that lockstep must find: each is planted alone in a copy of the kernels, which run as plain Python."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.games import DIFFERENT

ROOT = Path(__file__).parents[2]

FAULTS = [
    ("dealer-draws-when-all-are-bust", "round", "drawing or (playing and ", "drawing or (True and "),
    ("dealer-stands-on-soft-17", "round", "dealer_hits(rules, total, ", "dealer_hits(rules, total, False and "),
    ("hole-card-seen-early", "round", "s.hole = rank", "s.hole = rank; s.seen[card_value(rank)] += 1"),
    ("hole-card-on-show", "round", "s.hole = rank", "s.hole = rank; t.counts[card_value(rank) - 1] += 1"),
    ("peek-before-insurance", "round", "s.phase == INSURANCE_PHASE and peek", "s.phase == EARLY_SURRENDER and peek"),
    ("insurance-for-a-seat-short-of-money", "round", "is_short(int(t.seats[seat].free), stake))", "False)"),
    ("insured-1:1", "settlement", "return net + insurance_net(", "return net + (lambda a, b: a if b else -a)("),
    ("three-cards-doubled", "hand", "row, int(h[hand].cards), origin", "row, 2, origin"),
    ("split-limit-by-branch", "hand", "int(money[seat].hands),", "1 + int(h[hand].from_split),"),
    ("split-aces-draw", "hand", "(2 if aces else 1)", "1"),
    ("split-for-nothing", "round", "pay(t, seat, int(t.seats[seat].bet))\n        split(", "split("),
    ("split-over-the-next-hand", "round", "+ int(t.seats[seat].hands), hand + 1, -1)", "+ 0, hand + 1, -1)"),
    ("split-21-is-a-blackjack", "hand", ", h[hand].from_split > 0)", ", False)"),
    ("charlie-not-after-a-split", "hand", "if is_charlie(", "if t.hands[hand].from_split == 0 and is_charlie("),
    ("surrender-half-back-against-a-blackjack", "settlement", "not surrendered_late(rules, t, hand)", "True"),
    ("double-pays-once", "settlement", "bet << int(h[hand].doubled)", "bet"),
    ("obo-loses-all-bets", "settlement", "won, bet, dealer_blackjack, paid)", "won, bet, False, paid)"),
    ("obo-loses-a-bet-for-each-hand", "settlement", "paid = paid or won < 0", "paid = False"),
    ("void-round-is-settled", "round", "net = 0 if s.void else settle(", "net = settle("),
    ("cut-card-off-by-one", "shoe", "shuffle_due(rules, int(s.dealt),", "shuffle_due(rules, int(s.dealt) - 1,"),
    ("nothing-burned", "shoe", "range(rules.burn_cards)", "range(0)"),
    ("cards-on-the-table-reshuffled", "shoe", "fill(t, start)", "fill(t, int(s.dealt))"),
    ("draws-go-on-in-the-next-shoe", "shoe", "state.draws = 0", "pass"),
    ("seats-share-their-chance", "lookup_policies", "seat + 1, low, high)", "1, low, high)"),
    ("one-round-too-many", "episode", "s.rounds >= game.max_rounds", "s.rounds > game.max_rounds"),
    ("expectation-knows-too-much", "episode", "if s.acted:", "if True:"),
    ("shuffle-not-announced", "observation_kernels", ", shuffle_pending(rules, t))", ", False)"),
    ("penalty-forgotten", "kernels", "- penalty * out.illegal[i]", ""),
]  # fmt: skip


def play(package: Path) -> subprocess.CompletedProcess[str]:
    """Play the games with the copy of the library that lies in a folder."""
    environment = os.environ | {"NUMBA_DISABLE_JIT": "1", "PYTHONPATH": f"{package}{os.pathsep}{ROOT}"}
    command = [sys.executable, "-m", "tests.games"]
    return subprocess.run(command, cwd=package, env=environment, capture_output=True, text=True)


@pytest.fixture
def copied(tmp_path: Path) -> Path:
    """Copy the library to a folder, and return that."""
    shutil.copytree(ROOT / "bj_env", tmp_path / "bj_env", ignore=shutil.ignore_patterns("__pycache__"))
    return tmp_path


def test_kernels_without_a_fault_pass(copied: Path) -> None:
    ran = play(copied)
    assert (ran.returncode, ran.stderr) == (0, "")


@pytest.mark.parametrize(("module", "old", "new"), [pytest.param(*fault, id=name) for name, *fault in FAULTS])
def test_a_fault_is_found(copied: Path, module: str, old: str, new: str) -> None:
    path = copied / "bj_env" / "compiled" / f"{module}.py"
    text = path.read_text()
    assert text.count(old) == 1
    path.write_text(text.replace(old, new))
    ran = play(copied)
    assert ran.returncode == DIFFERENT, ran.stdout + ran.stderr
