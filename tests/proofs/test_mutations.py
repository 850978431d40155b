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
    ("dealer-stands-on-soft-17", "book", "dealer_hits(rules, state.total, state.soft)", "state.total < 17"),
    ("dealer-draws-to-21", "book", "state.total < 21 and dealer_hits(", "state.total <= 21 or dealer_hits("),
    ("dealer-counts-aces-as-1", "book", "dealer_with(state, rank)]", "dealer_with(state, max(rank, 2))]"),
    ("dealer-has-no-blackjack", "book", "dealer.worth = DEALER_BLACKJACK if", "dealer.worth = 21 if"),
    ("hole-card-seen-early", "round", "s.hole = rank", "s.hole = rank; s.seen[card_value(rank)] += 1"),
    ("hole-card-on-show", "round", "s.hole = rank", "s.hole = rank; t.counts[card_value(rank) - 1] += 1"),
    ("peek-before-insurance", "round", "if book.offers[", "if not peek_finds_blackjack(book, t) and book.offers["),
    ("peek-behind-a-ten-only", "book", "if finds and dealer_peeks(", "if upcard != 1 and finds and dealer_peeks("),
    ("nothing-offered-before-the-hands-play", "book", "page.offers[upcard] = 0 in offers", "page.offers[upcard] = 0"),
    ("insurance-for-a-seat-short-of-money", "round", "is_short(int(t.seats[seat].free), stake))", "False)"),
    ("insured-1:1", "settlement", "return net + insurance_net(", "return net + (lambda a, b: a if b else -a)("),
    ("three-cards-doubled", "book", "state.total, state.soft, state.cards, pair,", "state.total, state.soft, 2, pair,"),
    ("split-limit-by-branch", "hand", "money.hands >= book.max_hands", "money.hands > 1"),
    ("money-never-short", "hand", "is_short(int(money.free), int(money.bet))", "False"),
    ("split-aces-draw", "book", "2 if ace else 1)", "1)"),
    ("split-for-nothing", "round", "pay(t, seat, int(t.seats[seat].bet))\n        split(", "split("),
    ("split-over-the-next-hand", "round", "+ int(t.seats[seat].hands), hand + 1, -1)", "+ 0, hand + 1, -1)"),
    ("split-into-a-fresh-hand", "book", "number[after_split(rank)]", "number[hand_with(rules, states[EMPTY], rank)]"),
    ("split-21-is-a-blackjack", "book", "state.cards, state.origin > 0)", "state.cards, False)"),
    ("pair-by-value-under-sprank", "book", "is_pair(rules, state.", "is_pair(Rules(), state."),
    ("charlie-not-after-a-split", "book", "WORTH_CHARLIE if charlie", "WORTH_CHARLIE if charlie and not state.origin"),
    ("charlie-plays-on", "book", "if state.cards < 2 or is_charlie(", "if state.cards < 2 or 0 > is_charlie("),
    ("dealer-draws-against-a-charlie", "book", "False, charlie, natural)", "False, False, natural)"),
    ("surrender-half-back-against-a-blackjack", "settlement", "not surrendered_late(book, t, hand)", "True"),
    ("surrenders-settled-by-the-book", "settlement", " or h.fate == SURRENDERED\n", "\n"),
    ("double-pays-once", "settlement", "result * (bet << int(h.doubled))", "result * bet"),
    ("blackjack-pays-2:1", "settlement", "special or result == PAYS", "special or False"),
    ("ties-lose", "book", "LOSES if net < 0 else TIES", "LOSES"),
    ("obo-loses-all-bets", "settlement", "won, bet, blackjack, paid)", "won, bet, False, paid)"),
    ("obo-loses-a-bet-for-each-hand", "settlement", "paid = paid or won < 0", "paid = False"),
    ("void-round-is-settled", "round", "net = 0 if s.void else settle(", "net = settle("),
    ("cut-card-off-by-one", "book", "if shuffle_due(rules, dealt, ", "if shuffle_due(rules, dealt - 1, "),
    ("nothing-burned", "shoe", "range(book.rules.burn_cards)", "range(0)"),
    ("cards-on-the-table-reshuffled", "shoe", "fill(t, start)", "fill(t, int(s.dealt))"),
    ("draws-go-on-in-the-next-shoe", "shoe", "state.draws = 0", "pass"),
    ("seats-share-their-chance", "lookup_policies", "seat + 1, low, high)", "1, low, high)"),
    ("one-round-too-many", "episode", "s.rounds >= game.max_rounds", "s.rounds > game.max_rounds"),
    ("expectation-knows-too-much", "episode", "if s.acted:", "if True:"),
    ("shuffle-not-announced", "observation_kernels", ", shuffle_pending(book, t))", ", False)"),
    ("penalty-forgotten", "kernels", "- options.penalty * illegal", ""),
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
