"""The web table: what it tells and what it never tells, what it refuses, and that it outlasts its process."""

import json
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

import httpx2
import numpy as np
import pytest
from starlette.testclient import TestClient

from bj_env.game.replay import replay
from bj_env.play.setup import Setup
from bj_env.play.store import Store
from bj_env.play.web.menu import Menu
from bj_env.play.web.server import MOST_BYTES, application
from bj_env.play.web.tables import Tables
from bj_env.rules.houses import HOUSES
from bj_env.rules.terms import Action
from tests.web_client import ROOT, SEED, TableClient, save_policy, server

HERE = "http://127.0.0.1:8000"


class Web(NamedTuple):
    """An application in this process, and a client of it."""

    client: TestClient
    tables: Tables

    def forget(self, sitter: TableClient) -> None:
        """Let the server hold nothing in memory but the game itself."""
        live = self.tables._live[sitter.key]
        live.said, live.advice = {}, (-1, None)


def web_at(folder: Path, *policies: Path) -> Web:
    menu = Menu.of("six-deck", [str(policy) for policy in policies])
    tables = Tables(Store(folder / "tables.sqlite"), menu)
    return Web(TestClient(application(tables, 8000), base_url=HERE, raise_server_exceptions=False), tables)


@pytest.fixture(autouse=True)
def seeds(monkeypatch: pytest.MonkeyPatch) -> None:
    """Give every table that a page lays the same seed: with some, a blackjack ends the round before anyone is asked."""
    monkeypatch.setattr("bj_env.play.setup.randbits", lambda bits: SEED)


@pytest.fixture
def web(tmp_path: Path) -> Iterator[Web]:
    web = web_at(tmp_path)
    with web.client:
        yield web


@pytest.fixture
def client(web: Web) -> TestClient:
    return web.client


def begin(web: Web, setup: Setup) -> TableClient:
    """Sit down with a seed, which no page can choose."""
    assert web.client.portal is not None
    sitter = TableClient(web.client)
    sitter.sit(web.client.portal.call(web.tables.begin, setup))
    return sitter


# What is told


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
        told, table = traffic(), web.tables._live[sitter.key].game.shown
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
    sitter = begin(web, Setup.checked("six-deck", ["you"], seed=3))
    sitter.answer(10)
    assert sitter.state["dealer"]["cards"][1] is None
    while not sitter.state["history"]:
        sitter.answer(Action.STAND)
    assert None not in sitter.state["dealer"]["cards"]
    assert sitter.state["seats"][0]["hands"][0]["outcome"] in ("Win", "Lose", "Push")


def test_b166_balances_are_those_of_the_game_right_after_settlement(web: Web) -> None:
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


def test_b168_an_action_that_cannot_be_paid_says_what_it_needs(web: Web) -> None:
    sitter = begin(web, Setup.checked("1D NS NINS", ["you"], bankroll=15, seed=2))
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
    assert [house["name"] for house in houses] == list(HOUSES)
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
            assert None not in sitter.state["dealer"]["cards"]
        sitter.answer(5 if betting else Action.STAND)
    assert pending > 5


def test_a_dealer_who_is_asked_as_soon_as_the_cards_are_dealt_sees_them(web: Web) -> None:
    sitter = begin(web, Setup.checked("two-player", ["you:Ann"], dealer="you:Bob", seed=5))
    sitter.answer(5)
    assert sitter.state["prompt"] == "Bob (the dealer): hard 15. Hit or stand?"
    assert sitter.state["dealer"]["cards"] == ["5c", "Qs"]
    assert sitter.state["seats"][0]["hands"][0]["cards"] == ["As", "Ks"]
    sitter.answer(Action.STAND)
    assert sitter.state["seats"][0]["hands"][0]["outcome"] == "Blackjack"


def test_the_coach_values_and_grades_and_its_grades_last(tmp_path: Path) -> None:
    web = web_at(tmp_path)
    with web.client:
        sitter = begin(web, Setup.checked("six-deck", ["you"], seed=3))
        sitter.answer(100)
        said = web.client.get(sitter.path + "/coach").json()
        assert [policy["name"] for policy in said["policies"]] == ["basic"]
        assert said["count"].keys() == {"running", "true"}
        worst = said["values"][-1]
        sitter.answer(worst["action"])
        last = sitter.state["last"]
        assert (last["grade"], last["best"]) == ("mistake", said["values"][0]["label"])
        assert last["cost"] == pytest.approx(said["values"][0]["chips"] - worst["chips"], abs=0.02)
        graded = sitter.state["graded"]
        assert graded == {"best": 0, "near": 0, "mistake": 1, "lost": last["cost"]}
    again = web_at(tmp_path)
    assert again.client.get(sitter.path).json()["graded"] == graded


def test_who_does_not_ask_the_coach_is_not_graded(web: Web) -> None:
    sitter = begin(web, Setup.checked("six-deck", ["you"], seed=3))
    sitter.answer(10)
    sitter.answer(Action.STAND)
    assert sitter.state["last"] is None
    assert sum(sitter.state["graded"].values()) == 0


def test_asking_what_a_strategy_would_do_takes_nothing_from_anyones_chance(web: Web) -> None:
    sitter = begin(web, Setup.checked("six-deck", ["you", "random"], seed=3))
    sitter.answer(10)
    sitter.step()
    draws = web.tables._live[sitter.key].game.draws
    web.client.get(sitter.path + "/coach")
    assert web.tables._live[sitter.key].game.draws == draws


# What is offered and refused


def test_policies_are_chosen_by_name_and_no_path_is_told(tmp_path: Path) -> None:
    folder = save_policy(tmp_path / "mine" / "policy")
    web = web_at(tmp_path, folder)
    with web.client as client:
        assert "mine" in client.get("/api/menu").json()["strategies"]
        sitter = TableClient(client, seats=["you", "mine"])
        sitter.answer(10)
        sitter.step()
        said = client.get(sitter.path + "/coach").json()
        assert {"mine", "basic"} == {policy["name"] for policy in said["policies"]}
        everything = json.dumps([sitter.state, said, client.get("/api/menu").json()])
        assert str(tmp_path) not in everything
        assert sitter.state["seats"][1]["name"] == "mine"
        assert sitter.state["setup"]["seats"] == ["you", "mine"]
        twice = TableClient(client, seats=["you", "mine", "basic", "mine", "basic"])
        assert [seat["name"] for seat in twice.state["seats"]] == ["you", "mine 2", "basic 3", "mine 4", "basic 5"]


def test_a_policy_that_was_moved_away_costs_no_table_and_its_folder_is_not_told(tmp_path: Path) -> None:
    folder = save_policy(tmp_path / "mine" / "policy")
    web = web_at(tmp_path, folder)
    sitter = TableClient(web.client, seats=["you", "mine"])
    sitter.answer(10)
    folder.rename(tmp_path / "elsewhere")
    sitter.step()
    wanted = {"house": "six-deck", "seats": ["you", "mine"], "dealer": "house", "bankroll": 1000}
    web.tables._live.clear()
    for refused in (web.client.post("/api/tables", json=wanted), sitter.look()):
        assert (refused.status_code, str(tmp_path) in refused.text) == (400, False)
    (tmp_path / "elsewhere").rename(folder)
    assert sitter.look().json()["moves"] == 2


@pytest.mark.parametrize("seat", ["../../etc/passwd", "/etc", "runs/default/policy", "sampled:/etc", ".", "x.toml", ""])
def test_no_path_of_a_request_is_looked_at(seat: str, client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "bj_env.strategies.saved_policy.load_policy", lambda *_, **__: pytest.fail("a path of a request was opened")
    )
    wanted = {"house": "six-deck", "seats": ["you", seat], "dealer": "house", "bankroll": 100}
    answer = client.post("/api/tables", json=wanted)
    assert answer.status_code == 400
    assert repr(seat) in answer.json()["error"]


@pytest.mark.parametrize("house", ["/etc/passwd", "rules.toml", "../rules.toml", "", "six-dek", "6D S18", "6D\x00"])
def test_a_house_is_a_name_or_a_rule_text(house: str, client: TestClient) -> None:
    answer = client.post("/api/tables", json={"house": house, "seats": ["you"], "dealer": "house", "bankroll": 100})
    if house == "":  # the text that says nothing takes every default
        assert answer.status_code == 201
    else:
        assert (answer.status_code, "\n" in answer.json()["error"]) == (400, False)


HOSTILE = [
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "\"'`;--",
    "שלום עולם",
    "مرحبا",
    "W" * 40,
    "👑 🎰",
]


@pytest.mark.parametrize("name", HOSTILE)
def test_b164_a_hostile_name_is_a_name(name: str, client: TestClient) -> None:
    sitter = TableClient(client, seats=[f"you:{name}", "basic"])
    assert sitter.state["seats"][0]["name"] == name
    answer = sitter.look()
    assert answer.headers["content-type"] == "application/json"
    assert answer.headers["x-content-type-options"] == "nosniff"


@pytest.mark.parametrize("name", ["", "W" * 41, "a\nb", "\u202egnp.exe", "dealer", "you", "\ud800", "a\x00"])
def test_b164_a_bad_name_is_refused_in_one_line(name: str, client: TestClient) -> None:
    wanted = {"house": "six-deck", "seats": [f"you:{name}"], "dealer": "house", "bankroll": 100}
    answer = client.post(
        "/api/tables", content=json.dumps(wanted).encode(), headers={"Content-Type": "application/json"}
    )
    assert answer.status_code == 400
    assert "\n" not in answer.json()["error"]


BODIES = {
    "no JSON": b"{",
    "nothing": b"",
    "no UTF-8": b"\xff\xfe",
    "a list": b"[1]",
    "a field too many": b'{"seen": 0, "value": 10, "seed": 1}',
    "a field too few": b'{"seen": 0}',
    "a text for a number": b'{"seen": 0, "value": "10"}',
    "a truth for a number": b'{"seen": 0, "value": true}',
    "half a chip": b'{"seen": 0, "value": 10.5}',
    "no number": b'{"seen": 0, "value": NaN}',
    "nothing for a number": b'{"seen": 0, "value": null}',
    "a huge number": b'{"seen": 0, "value": 1' + b"0" * 5000 + b"}",
    "a negative bet": b'{"seen": 0, "value": -10}',
    "more than there is": b'{"seen": 0, "value": 1001}',
    "nobody else plays": b'{"seen": 0, "value": 0}',
    "deep": b"[" * 8000,
}


@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES)
def test_a_bad_body_is_refused_in_one_line_and_changes_nothing(body: bytes, client: TestClient) -> None:
    sitter = TableClient(client)
    before = sitter.look().content
    answer = client.post(f"{sitter.path}/answer", content=body, headers={"Content-Type": "application/json"})
    assert answer.status_code == 400
    assert answer.json().keys() == {"error"}
    assert "\n" not in answer.json()["error"]
    assert sitter.look().content == before


def test_a_huge_body_is_refused_before_it_is_read_whole(client: TestClient) -> None:
    def chunks() -> Iterator[bytes]:
        yield b"x" * (MOST_BYTES + 1)
        yield b"x"

    answer = client.post("/api/tables", content=chunks(), headers={"Content-Type": "application/json"})
    assert answer.status_code == 413


@pytest.mark.parametrize(
    "setup",
    [
        {"seats": []},
        {"seats": ["you"] * 8},
        {"seats": ["you"] * 1000},
        {"seats": [["you"]]},
        {"seats": ["you:" + "x" * 5000]},
        {"seats": ["basic"]},
        {"bankroll": 0},
        {"bankroll": 10**12},
        {"dealer": "basic"},
        {"house": "6D " * 3000},
    ],
    ids=str,
)
def test_a_table_that_cannot_be_laid_is_refused_in_one_line(setup: dict[str, Any], client: TestClient) -> None:
    wanted = {"house": "six-deck", "seats": ["you"], "dealer": "house", "bankroll": 1000} | setup
    answer = client.post("/api/tables", json=wanted)
    assert answer.status_code == 400
    assert "\n" not in answer.json()["error"]
    assert len(answer.text) < 1000


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("PUT", "/api/tables", 405),
        ("GET", "/api/tables", 405),
        ("DELETE", "/", 405),
        ("GET", "/static/../web.py", 404),
        ("GET", "/static/%2e%2e/web.py", 404),
        ("GET", "/static/..%2fweb.py", 404),
        ("GET", "/cards/../web.py.svg", 404),
        ("GET", "/cards/Zz.svg", 404),
        ("GET", "/api/tables/" + "A" * 32, 404),
        ("GET", "/api/tables/" + "A" * 32 + "/coach", 404),
        ("GET", "/api/tables/x' OR 1=1 --", 404),
        ("GET", "/nowhere", 404),
    ],
)
def test_what_is_not_there_is_not_found(method: str, path: str, status: int, client: TestClient) -> None:
    answer = client.request(method, path)
    assert answer.status_code == status
    assert answer.json().keys() == {"error"}


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Host": "evil.example:8000"}, 421),
        ({"Host": "127.0.0.1:9000"}, 421),
        ({"Host": "127.0.0.1"}, 421),
        ({"Origin": "http://evil.example"}, 403),
        ({"Origin": "null"}, 403),
        ({"Origin": "http://localhost:9000"}, 403),
        ({"Content-Type": "text/plain"}, 415),
        ({"Content-Type": "application/x-www-form-urlencoded"}, 415),
    ],
    ids=str,
)
def test_other_sites_are_kept_away(headers: dict[str, str], status: int, client: TestClient) -> None:
    wanted = json.dumps({"house": "six-deck", "seats": ["you"], "dealer": "house", "bankroll": 1000})
    sent = {"Content-Type": "application/json"} | headers
    assert client.post("/api/tables", content=wanted, headers=sent).status_code == status


def test_every_answer_forbids_scripts_that_are_not_ours(client: TestClient) -> None:
    paths = ["/", "/t/x", "/static/table.js", "/cards/back.svg", "/api/menu", "/nowhere"]
    for path in paths:
        policy = client.get(path).headers["content-security-policy"]
        assert "script-src 'self';" in policy
        assert "unsafe" not in policy
    page = client.get("/").text
    assert not re.search(r"\son\w+=", page)
    assert "<script>" not in page
    assert "style=" not in page
    assert "//" not in page.replace("<!doctype", "")


def test_all_cards_have_faces_and_a_back(client: TestClient) -> None:
    for rank in "A23456789TJQK":
        for suit in "cdhs":
            answer = client.get(f"/cards/{rank}{suit}.svg")
            assert answer.headers["content-type"] == "image/svg+xml"
            assert answer.text.startswith("<svg")
    assert client.get("/cards/back.svg").text.startswith("<svg")


# Once, and for good


def test_a_double_click_acts_once(client: TestClient) -> None:
    sitter = TableClient(client)
    first, second = (sitter.post("answer", seen=0, value=10) for _ in range(2))
    assert (first.status_code, second.status_code) == (200, 409)
    fresh = {key: told for key, told in first.json().items() if key != "table"}
    assert second.json()["state"] == fresh


def test_a_page_cannot_answer_for_a_strategy_nor_let_one_answer_for_a_person(client: TestClient) -> None:
    sitter = TableClient(client, seats=["basic", "you"])
    assert sitter.post("answer", seen=0, value=10).status_code == 400
    sitter.step()
    assert sitter.post("step", seen=1).status_code == 400


def test_tables_know_nothing_of_each_other(client: TestClient) -> None:
    one, two = TableClient(client), TableClient(client, seats=["you:Ann"])
    assert one.path != two.path
    one.answer(10)
    assert two.look().json()["moves"] == 0


def test_tables_that_fall_out_of_memory_are_there_again(web: Web, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bj_env.play.web.tables.MOST_LIVE", 3)
    sitters = [TableClient(web.client) for _ in range(6)]
    assert len(web.tables._live) == 3
    for sitter in sitters:
        sitter.answer(10)
    assert len(web.tables._live) == 3


def test_a_restart_resumes_every_hand_as_it_lay(tmp_path: Path) -> None:
    chance = np.random.default_rng(4)
    for move in range(30):
        web = web_at(tmp_path)
        if move == 0:
            sitter = TableClient(web.client, seats=["you", "random", "you:Ann"])
        sitter.client = web.client
        known = {key: told for key, told in sitter.state.items() if key not in ("table", "last")}
        assert known.items() <= sitter.look().json().items()
        sitter.move(7, chance)
        web.tables.store.close()


def test_of_two_servers_on_one_file_the_second_to_move_shows_how_the_table_lies(tmp_path: Path) -> None:
    first, second = web_at(tmp_path), web_at(tmp_path)
    sitter = TableClient(first.client)
    second.client.get(sitter.path)
    sitter.answer(10)
    late = second.client.post(f"{sitter.path}/answer", json={"seen": 0, "value": 20})
    assert (late.status_code, late.json()["state"]["moves"]) == (409, 1)
    assert sitter.key not in late.json()["error"]


def test_a_table_is_loaded_once_however_many_ask_for_it(web: Web) -> None:
    sitter = TableClient(web.client)
    web.tables._live.clear()
    path, body = f"{sitter.path}/answer", {"seen": 0, "value": 10}
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda _: web.client.post(path, json=body).status_code, range(8)))
    assert sorted(answers) == [200] + 7 * [409]


def test_a_game_is_played_until_the_money_is_gone_and_then_nobody_is_asked(client: TestClient) -> None:
    sitter = TableClient(client, house="campus-s17", bankroll=200)
    for _ in range(2000):
        if sitter.state["pending"] is None:
            break
        sitter.answer(100 if sitter.state["pending"]["betting"] else sitter.legal[0])
    assert sitter.state["seats"][0]["bankroll"] < 100
    assert sitter.state["prompt"].startswith("The game is over")
    assert sitter.post("answer", seen=sitter.state["moves"], value=100).status_code == 400


# The command


def test_the_server_ends_cleanly_and_a_killed_one_resumes(tmp_path: Path) -> None:
    save = tmp_path / "tables.sqlite"
    with server(save) as (process, address):
        sitter = TableClient(httpx2.Client(base_url=address))
        sitter.answer(10)
        process.kill()
    for number in (signal.SIGINT, signal.SIGTERM):
        with server(save) as (process, address):
            assert httpx2.get(address + sitter.path).json()["moves"] == 1
            assert address.startswith("http://127.0.0.1:")
            process.send_signal(number)
            _, errors = process.communicate(timeout=20)
            assert (process.returncode, errors) == (0, "")


def test_a_port_that_is_taken_is_refused_in_one_line(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        command = [sys.executable, "-m", "bj_env", "table", "--port", port, "--save", str(tmp_path / "x.sqlite")]
        run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert run.returncode == 1
    assert (
        run.stderr == f"bj table: port {port}: something else listens there; try another, or 0 for any that is free\n"
    )
