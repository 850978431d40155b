"""The practice log and the drills: what is kept, repeated, exported and deleted; reasons against the solver."""

import csv
import io
from pathlib import Path
from random import Random

import pytest

from bj_env.errors import BlackjackError
from bj_env.game.rng import Stream
from bj_env.play.coach import advise, outlook, review
from bj_env.play.drills import DRILLS, Question, question
from bj_env.play.game import Game
from bj_env.play.practice import INTERVALS, Attempt, PracticeLog
from bj_env.play.setup import Setup
from bj_env.rules.houses import parse_rules
from bj_env.rules.terms import Action, Rules
from bj_env.solver import dealer_distribution

DAY = 86_400.0


@pytest.fixture
def log(tmp_path: Path) -> PracticeLog:
    return PracticeLog(tmp_path / "practice.sqlite")


def attempt(cell: str, cost: float, at: float, person: str = "Ann") -> Attempt:
    return Attempt(person, "drill", cell.split()[0], cell, "hit", "stand", cost, 1.5, at)


def test_a_summary_adds_up_by_kind_day_and_cell_and_counts_streaks(log: PracticeLog) -> None:
    costs = [
        ("hard 16 v T", 0.0),
        ("soft 18 v 9", 0.2),
        ("hard 16 v T", 0.005),
        ("hard 12 v 4", 0.0),
        ("pair 8,8 v T", 0.5),
    ]
    for number, (cell, cost) in enumerate([*costs, ("hard 12 v 4", 0.0)]):
        log.add(attempt(cell, cost, at=1 + number * DAY / 2))
    log.add(attempt("hard 16 v T", 9.0, at=5.0, person="Bob"))
    summary = log.summary("Ann")
    assert (summary.total.decisions, summary.total.right) == (6, 4)
    assert summary.total.cost == pytest.approx(0.705)
    assert [(kind.name, kind.decisions, kind.right) for kind in summary.kinds] == [
        ("hard", 4, 4),
        ("pair", 1, 0),
        ("soft", 1, 0),
    ]
    assert [day.decisions for day in summary.days] == [2, 2, 2]
    assert [cell.name for cell in summary.cells] == ["pair 8,8 v T", "soft 18 v 9"]
    assert (summary.streak, summary.longest_streak) == (1, 2)
    assert log.people() == ["Ann", "Bob"]


def test_a_missed_cell_is_due_at_growing_intervals_until_it_is_learned(log: PracticeLog) -> None:
    cell, now = "hard 16 v T", 1000.0
    log.add(attempt(cell, 0.3, at=now))
    for interval in INTERVALS:
        assert log.due("Ann", now + interval - 1) == []
        assert log.due("Ann", now + interval) == [cell]
        now += interval
        log.add(attempt(cell, 0.0, at=now))
    assert log.due("Ann", now + 1000 * DAY) == []
    log.add(attempt(cell, 0.3, at=now + 1))
    assert log.due("Ann", now + 1) == [cell]


def test_right_answers_before_a_cell_is_due_do_not_count(log: PracticeLog) -> None:
    log.add(attempt("hard 16 v T", 0.3, at=0.5))
    for at in range(1, 20):
        log.add(attempt("hard 16 v T", 0.0, at=float(at)))
    assert log.due("Ann", 20.0) == []
    assert log.due("Ann", INTERVALS[1] + 20) == ["hard 16 v T"]


def test_a_log_is_exported_as_csv_and_deleted_for_one_person(log: PracticeLog) -> None:
    log.add(attempt("hard 16 v T", 0.3, at=1.0, person='A "quoted", name'))
    log.add(attempt("hard 16 v T", 0.3, at=2.0))
    (row,) = csv.DictReader(io.StringIO(log.export('A "quoted", name')))
    assert (row["person"], row["cell"], row["cost"]) == ('A "quoted", name', "hard 16 v T", "0.3")
    assert log.delete("Ann") == 1
    assert log.people() == ['A "quoted", name']


def test_a_log_survives_its_process_and_a_damaged_one_is_kept_aside(tmp_path: Path) -> None:
    path = tmp_path / "practice.sqlite"
    log = PracticeLog(path)
    log.add(attempt("hard 16 v T", 0.3, at=1.0))
    log.close()
    assert PracticeLog(path).people() == ["Ann"]
    path.write_bytes(b"no database")
    assert "practice.damaged-1" in PracticeLog(path).warning


@pytest.mark.parametrize("house", ["six-deck", "2D H17 NDAS ENHC NS", "INF NS NINS SP1", "1D D10"])
@pytest.mark.parametrize("drill", ["mixed", "hard", "soft", "pair"])
def test_every_question_of_a_drill_is_of_its_kind_and_can_be_reviewed(house: str, drill: str) -> None:
    rules, stream = parse_rules(house), Stream(5)
    if drill == "pair" and rules.max_hands == 1:
        with pytest.raises(BlackjackError, match="this house does not split"):
            question(rules, drill, stream)
        return
    for _ in range(12):
        asked = question(rules, drill, stream)
        kind, cell = asked.cell
        assert cell.startswith(kind)
        assert drill in ("mixed", kind)
        advice = asked.advice()
        for action in advice.values:
            reviewed = asked.review(action)
            assert reviewed.cost == pytest.approx(advice.values[advice.best] - advice.values[action])
            assert sum(reviewed.outlook.dealer.values()) == pytest.approx(1)
        with pytest.raises(BlackjackError, match="drill: expected one of"):
            asked.review(Action.INSURE)


def test_mistakes_are_drilled_as_the_cells_that_were_missed() -> None:
    due = ["hard 20 v A", "pair A,A v T", "soft 18 v 9", "insurance 12 v A"]
    seen = {question(Rules(), "mistakes", Stream(seed), due).cell[1] for seed in range(40)}
    assert seen == set(due[:3])
    with pytest.raises(BlackjackError, match="no mistakes to repeat"):
        question(Rules(), "mistakes", Stream(1), ["insurance 12 v A"])
    with pytest.raises(BlackjackError, match="unknown drill 'sotf'; did you mean 'soft'"):
        question(Rules(), "sotf", Stream(1))
    assert set(DRILLS) == {"mixed", "hard", "soft", "pair", "mistakes"}


def test_the_outlook_is_the_solvers_and_the_next_card_obeys_the_peek() -> None:
    chance, checked = Random(1), 0
    game = Game(Setup.checked("1D PEN60 NS", seed=3))
    while checked < 15:
        pending = game.pending
        assert pending is not None
        if pending.betting:
            game.answer(1)
            continue
        view = pending.view
        if view.phase.name == "PLAY":
            hand = [card.value for card in view.cards]
            counts = [4 - seen for seen in view.seen[1:10]] + [16 - view.seen[10]]
            for value in (*hand, view.upcard.value):
                counts[value - 1] += 1
            expected = dealer_distribution(game.rules, view.upcard.value, counts, removed=hand, after_peek=True)
            assert outlook(view).dealer == pytest.approx(expected)
            assert review(view, Action.STAND, advise(view)).kind in ("hard", "soft", "pair")
            checked += 1
        game.answer(chance.choice(view.legal))


def test_the_chance_to_bust_is_exact_by_enumeration() -> None:
    from bj_env.play.coach import outlook_of
    from bj_env.solver.shoe import composition

    rules, hand, upcard = Rules(decks=1), (10, 6), 10
    left = list(composition(rules).without((*hand, upcard)).counts)
    bust = total = 0.0
    for hole in range(1, 11):
        for card in range(1, 11):
            ways = left[hole - 1] * (left[card - 1] - (hole == card))
            if hole != 1:  # the dealer has looked: no ace below the ten
                total += ways
                bust += ways * (card > 5)
    found = outlook_of(rules, composition(rules), hand, upcard, peeked=True)
    assert found.bust == pytest.approx(bust / total)


def test_a_question_takes_cards_of_any_suit() -> None:
    asked = question(Rules(), "hard", Stream(9))
    assert isinstance(asked, Question)
    assert all(card.suit is not None for card in (*asked.cards, asked.upcard))
