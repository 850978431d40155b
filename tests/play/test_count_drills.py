"""Counting drills: questions against the definitions of counting, what is refused, and the log of answers."""

import csv
import io
from pathlib import Path

import pytest

from bj_env.errors import BlackjackError
from bj_env.play.count_drills import (
    COUNT_DRILLS,
    ROUNDS_BETWEEN,
    CountQuestion,
    Player,
    check_count,
    count_due,
    count_question,
)
from bj_env.play.game import Game
from bj_env.play.practice import CountAttempt, PracticeLog
from bj_env.play.setup import Setup
from bj_env.rules.houses import parse_rules
from bj_env.rules.terms import Action, Rules
from bj_env.strategies.counting import HI_LO_PLAYS
from tests.web_client import Web

HI_LO = {1: -1, 2: 1, 3: 1, 4: 1, 5: 1, 6: 1, 7: 0, 8: 0, 9: 0, 10: -1}


def questions(drill: str, house: str = "6D S17 DAS LS PEN75", **player: object) -> list[CountQuestion]:
    return [count_question(drill, seed, Player(parse_rules(house), **player)) for seed in range(60)]


def test_a_deck_is_counted_down_to_the_sum_of_its_tags() -> None:
    asked = questions("deck")
    for question in asked:
        assert question.answer == sum(HI_LO[card.value] for card in question.cards)
        assert 44 <= len(question.cards) <= 51
        assert len(set(question.cards)) == len(question.cards)
    assert len({question.answer for question in asked}) > 5


@pytest.mark.parametrize("decks", [1, 2, 8])
def test_the_tray_holds_what_is_not_left(decks: int) -> None:
    for question in questions("tray", f"{decks}D"):
        assert question.answer == pytest.approx(decks - question.discarded / 52)
        assert 0.5 <= question.answer <= decks - 0.25
        half = round(2 * question.answer) / 2
        assert question.is_right(half)
        assert not question.is_right(half + 0.51)


def test_every_way_to_round_a_true_count_is_right_and_a_count_off_by_more_is_not() -> None:
    for question in questions("true"):
        exact = question.answer
        for rounded in (exact // 1, round(exact), int(exact)):
            assert question.is_right(rounded)
        assert not question.is_right(exact + 1)


def test_an_index_play_is_made_from_its_index_on() -> None:
    plays = {(play.kind, play.number, play.upcard): play for play in HI_LO_PLAYS}
    for question in questions("index"):
        assert question.answer in question.actions
        assert question.upcard is not None
        count = int(question.text.partition("true count ")[2].split(".")[0].rstrip("?"))
        if Action.INSURE in question.actions:
            assert (question.answer == Action.INSURE) == (count >= 3)
        elif "hard 16 v 9" in question.text:
            assert plays["hard", 16, 9].threshold == 5
            assert question.answer == Action.SURRENDER
        elif "hard 12 v 3" in question.text:
            assert (question.answer == Action.STAND) == (count >= 2)
    assert {question.answer for question in questions("index")} > {Action.HIT, Action.STAND, Action.DOUBLE}


def test_a_bet_follows_the_ramp() -> None:
    for question in questions("bet", "6D MIN5", ramp=((1, 2), (2, 6))):
        running = int(question.text.split("is ")[1].split(".")[0])
        true = running / (6 - question.discarded / 52)
        assert question.answer == 5 * (6 if true >= 2 else 2 if true >= 1 else 1)


@pytest.mark.parametrize(
    ("drill", "house", "system", "message"),
    [
        ("tray", "INF", "hi-lo", "got an infinite shoe"),
        ("true", "6D", "ko", "ko is not divided by the decks left"),
        ("index", "6D", "zen", "expected the system hi-lo, got 'zen'"),
        ("dekc", "6D", "hi-lo", "did you mean 'deck'"),
        ("deck", "6D", "hilo2", "unknown system"),
    ],
)
def test_what_has_no_question_is_refused(drill: str, house: str, system: str, message: str) -> None:
    with pytest.raises(BlackjackError, match=message):
        count_question(drill, 1, Player(parse_rules(house), system))


def test_an_unbalanced_system_bets_by_its_running_count() -> None:
    assert {question.answer for question in questions("bet", system="ko")} == {1, 2, 4, 8}
    assert {question.answer for question in questions("bet", system="hi-lo half down")} == {1, 2, 4, 8}
    assert set(COUNT_DRILLS) == {"deck", "tray", "true", "index", "bet"}


def test_the_count_is_asked_for_after_every_third_round_of_a_shoe() -> None:
    game, due = Game(Setup.checked("6D PEN75", seed=1)), []
    while len(game.history) < 8 and game.pending is not None:
        if game.pending.betting:
            due.append((len(game.history), count_due(game)))
        game.answer(1 if game.pending.betting else game.pending.view.legal[-1 if game.pending.view.legal[0] else 0])
    assert {rounds for rounds, asked in due if asked} == {ROUNDS_BETWEEN, 2 * ROUNDS_BETWEEN}
    assert not any(count_due(Game(Setup.checked(house, seed=1))) for house in ("6D", "INF"))


def test_a_kept_count_is_checked_exactly_and_its_true_count_within_one() -> None:
    game = Game(Setup.checked("6D PEN75", seed=1))
    game.answer(10)
    view = game.pending.view
    running = sum(HI_LO[value] * view.seen[value] for value in range(1, 11))
    exact = running / (6 - sum(view.seen) / 52)
    assert check_count(view, running, exact // 1).right
    assert not check_count(view, running + 1, exact).running
    assert not check_count(view, running, exact + 1.5).true
    with pytest.raises(BlackjackError, match="infinite"):
        check_count(view._replace(rules=Rules(decks=0)), 0, 0)


def test_answers_are_kept_added_up_exported_and_deleted(tmp_path: Path) -> None:
    log = PracticeLog(tmp_path / "practice.sqlite")
    for seconds, right in ((30.0, True), (20.0, True), (5.0, False)):
        log.add_count(CountAttempt("Ann", "deck", "The running count?", "3", "4", right, seconds))
    (tally,) = log.summary("Ann").counts
    assert tally == ("deck", 3, 2, 25.0, 20.0)
    assert log.people() == ["Ann"]
    rows = list(csv.DictReader(io.StringIO(log.export("Ann", counts=True))))
    assert [row["correct"] for row in rows] == ["1", "1", "0"]
    assert log.delete("Ann") == 3
    assert log.summary("Ann").counts == []


def test_a_log_from_before_the_counting_drills_is_still_read(tmp_path: Path) -> None:
    path = tmp_path / "practice.sqlite"
    log = PracticeLog(path)
    log._file.execute("DROP TABLE counts")
    log.close()
    again = PracticeLog(path)
    assert again.warning == ""
    again.add_count(CountAttempt("Ann", "deck", "The running count?", "3", "3", True))


def test_a_drill_of_the_page_is_answered_by_its_seed_alone(web: Web) -> None:
    for drill in COUNT_DRILLS:
        asked = web.client.post("/api/count-drill", json={"drill": drill, "house": "6D PEN75"}).json()
        assert "answer" not in asked
        seed = asked["question"]["seed"]
        exact = count_question(drill, seed, Player(parse_rules("6D PEN75")))
        answer = {**asked["question"], "value": exact.answer, "person": "Ann", "seconds": 1.5}
        said = web.client.post("/api/count-drill/answer", json=answer).json()
        assert said == {"right": True, "answer": exact.answer_text, "why": exact.why}
    counts = web.client.get("/api/practice?person=Ann").json()["counts"]
    assert [tally["name"] for tally in counts] == sorted(COUNT_DRILLS)
    assert web.client.get("/api/practice.csv?person=Ann&of=counts").text.count("\n") == 6


@pytest.mark.parametrize(
    "wrong",
    [
        {"drill": "dekc"},
        {"house": "6D S18"},
        {"system": "x"},
        {"seed": -1},
        {"value": "x"},
        {"ramp": [[1]]},
        {"ramp": [[1, -2]], "drill": "bet"},
        {"more": 1},
    ],
)
def test_a_wrong_answer_body_is_refused_in_one_line(wrong: dict[str, object], web: Web) -> None:
    body = {"drill": "deck", "house": "6D", "seed": 1, "value": 1, "person": "Ann"} | wrong
    answer = web.client.post("/api/count-drill/answer", json=body)
    assert answer.status_code == 400
    assert "\n" not in answer.json()["error"]


def test_the_count_of_a_table_is_checked_and_logged(web: Web) -> None:
    sitter = web.begin(Setup.checked("6D PEN75", seed=1))
    sitter.answer(10)
    path, seen = f"{sitter.path}/count", sitter.state["moves"]
    check = web.client.post(path, json={"seen": seen, "running": 40, "true": 0}).json()
    assert not check["running_right"]
    again = web.client.post(path, json={"seen": seen, "running": check["running"], "true": check["true"]}).json()
    assert (again["running_right"], again["true_right"]) == (True, True)
    assert web.client.post(path, json={"seen": seen - 1, "running": 0, "true": 0}).status_code == 409
    (tally,) = web.client.get("/api/practice?person=you").json()["counts"]
    assert (tally["name"], tally["answers"], tally["right"]) == ("play", 2, 1)
