"""The state of a web table: what it tells, and what it never tells."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from starlette.testclient import TestClient

from bj_env.game.replay import replay
from bj_env.play.setup import Setup
from bj_env.play.titles import grouped_houses
from bj_env.rules.houses import HOUSES
from bj_env.rules.terms import Action
from tests.web_client import TableClient, Web, web_at


def faces(hand: dict[str, Any]) -> list[str | None]:
    """Return the faces of a hand's cards, None for one that lies face down."""
    return [card["face"] for card in hand["cards"]]


TOLD = [
    {"house": "six-deck", "seats": ["you", "you:Ann", "basic"]},
    {"house": "2D H17 ES INS PEN60 BURN2", "seats": ["you", "hi-lo"]},
    {"house": "8D ENHC NINS NS", "seats": ["you"]},
    {"house": "two-player", "seats": ["you:Ann"], "dealer": "you:Bob"},
    {"house": "1D NOPEEK RSA HSA SP8", "seats": ["you", "random", "you:Ann"]},
]


@pytest.mark.parametrize("setup", TOLD, ids=lambda setup: setup["house"])
def test_nothing_hidden_is_ever_sent(setup: dict[str, Any], web: Web) -> None:
    sitter, chance, permuted = TableClient(web.client, **setup), np.random.default_rng(1), 0

    def traffic() -> list[Any]:
        web.forget(sitter)
        answers = [web.client.get(sitter.path + what) for what in ("", "/coach", "/history")]
        return [(answer.content, sorted(answer.headers.items())) for answer in answers]

    for move in range(60):
        if sitter.state["pending"] is None:
            break
        sitter.move(10, chance)
        told, table = traffic(), web.tables._live[sitter.key].game.table
        hidden = table.round.hole if table.round and not table.round.over else None
        for seed in (move, 1000 + move):
            table.reshuffle_unseen(seed)
            permuted += table.round is not None and table.round.hole != hidden
            assert traffic() == told
        assert "seed" not in str(sitter.state)
    assert permuted > 10 or "ENHC" in setup["house"]


def test_an_answer_tells_what_a_look_tells(web: Web) -> None:
    sitter, chance = TableClient(web.client, seats=["you", "basic"]), np.random.default_rng(2)
    for _ in range(40):
        sitter.move(5, chance)
        assert sitter.look().json() == {key: told for key, told in sitter.state.items() if key != "table"}


def test_a_card_that_is_face_down_is_told_as_none_until_it_is_turned(web: Web) -> None:
    sitter = web.begin(Setup.checked("six-deck", ["you"], seed=3))
    sitter.answer(10)
    assert sitter.state["dealer"]["cards"][1] == {"face": None, "name": "a card face down"}
    while not sitter.state["history"]:
        sitter.answer(Action.STAND)
    assert None not in faces(sitter.state["dealer"])
    assert sitter.state["seats"][0]["hands"][0]["outcome"] in ("Win", "Lose", "Push")


def test_balances_are_those_of_the_game_right_after_settlement(web: Web) -> None:
    sitter, chance = TableClient(web.client, bankroll=100), np.random.default_rng(3)
    for _ in range(60):
        if sitter.state["pending"] is None:
            break
        sitter.move(10, chance)
        lines = web.client.get(sitter.path + "/history").text.splitlines()
        nets = sum(replay(line).nets[0] for line in lines) / 10
        staked = 0 if sitter.state["pending"] is None or sitter.state["pending"]["betting"] else None
        if staked == 0:
            assert sitter.state["seats"][0]["bankroll"] == 100 + nets
    assert lines


def test_an_action_that_cannot_be_paid_says_what_it_needs(web: Web) -> None:
    sitter = web.begin(Setup.checked("1D NS NINS", ["you"], bankroll=15, seed=2))
    sitter.answer(10)
    reasons = {button["label"]: button["why"] for button in sitter.state["actions"]}
    assert reasons["Double"] == "needs 10, 5 left"
    assert reasons["Hit"] == reasons["Stand"] == ""


@pytest.mark.parametrize(
    ("house", "buttons"),
    [
        ("even-money", ["Hit", "Stand"]),
        ("hit-stand", ["Hit", "Stand"]),
        ("campus-s17", ["Hit", "Stand"]),
        ("two-player", ["Hit", "Stand", "Double", "Split"]),
        ("campus-h17", ["Hit", "Stand"]),
        ("six-deck", ["Hit", "Stand", "Double", "Split", "Surrender", "Insurance", "No insurance"]),
        ("6D ES NINS", ["Hit", "Stand", "Double", "Split", "Surrender", "No surrender"]),
    ],
)
def test_a_house_has_the_buttons_that_it_knows(house: str, buttons: list[str], client: TestClient) -> None:
    assert [button["label"] for button in TableClient(client, house=house).state["actions"]] == buttons


def test_every_house_is_offered_with_its_words(client: TestClient) -> None:
    houses = client.get("/api/menu").json()["houses"]
    assert [house["name"] for house in houses] == [name for _, name, _ in grouped_houses()]
    assert {house["name"] for house in houses} == set(HOUSES)
    assert all(house["words"] for house in houses)
    own = client.post("/api/rules", json={"rules": "2D H17"}).json()
    assert own["words"][0] == "2 decks, shuffled before every round."


def test_a_person_in_the_dealers_chair_hits_and_stands(web: Web) -> None:
    sitter, pending = TableClient(web.client, house="two-player", seats=["you:Ann"], dealer="you:Bob"), 0
    for _ in range(80):
        betting = sitter.state["pending"]["betting"]
        if sitter.state["pending"]["seat"] == -1:
            pending += 1
            assert sitter.state["prompt"].startswith("Bob (the dealer): ")
            assert sitter.legal == [Action.HIT, Action.STAND]
            assert None not in faces(sitter.state["dealer"])
        sitter.answer(5 if betting else Action.STAND)
    assert pending > 5


def test_a_dealer_who_is_asked_as_soon_as_the_cards_are_dealt_sees_them(web: Web) -> None:
    sitter = web.begin(Setup.checked("two-player", ["you:Ann"], dealer="you:Bob", seed=5))
    sitter.answer(5)
    assert sitter.state["prompt"] == "Bob (the dealer): hard 15. Hit or stand?"
    assert faces(sitter.state["dealer"]) == ["5c", "Qs"]
    assert faces(sitter.state["seats"][0]["hands"][0]) == ["As", "Ks"]
    sitter.answer(Action.STAND)
    assert sitter.state["seats"][0]["hands"][0]["outcome"] == "Blackjack"


def test_the_coach_values_and_grades_and_its_grades_last(tmp_path: Path) -> None:
    web = web_at(tmp_path)
    with web.client:
        sitter = web.begin(Setup.checked("six-deck", ["you"], seed=3))
        sitter.answer(100)
        said = web.client.get(sitter.path + "/coach").json()
        assert [policy["name"] for policy in said["policies"]] == ["basic"]
        assert said["count"].keys() == {"running", "true", "lasts"}
        worst = said["values"][-1]
        sitter.answer(worst["action"])
        last = sitter.state["last"]
        assert (last["grade"], last["best"]) == ("mistake", said["values"][0]["label"])
        assert last["chips"] == pytest.approx(said["values"][0]["chips"] - worst["chips"], abs=0.02)
        graded = sitter.state["graded"]
        assert graded == {"best": 0, "near": 0, "mistake": 1, "lost": last["chips"]}
    again = web_at(tmp_path)
    assert again.client.get(sitter.path).json()["graded"] == graded


def test_who_does_not_ask_the_coach_is_not_graded(web: Web) -> None:
    sitter = web.begin(Setup.checked("six-deck", ["you"], seed=3))
    sitter.answer(10)
    sitter.answer(Action.STAND)
    assert sitter.state["last"] is None
    assert sum(sitter.state["graded"].values()) == 0


def test_asking_what_a_strategy_would_do_takes_nothing_from_anyones_chance(web: Web) -> None:
    sitter = web.begin(Setup.checked("six-deck", ["you", "random"], seed=3))
    sitter.answer(10)
    sitter.step()
    draws = web.tables._live[sitter.key].game.draws
    web.client.get(sitter.path + "/coach")
    assert web.tables._live[sitter.key].game.draws == draws
