"""Requests to the web table: what it offers, and what it refuses."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from bj_env.play.web.bodies import MOST_BYTES
from tests.web_client import TableClient, new_table, save_policy, web_at
from tests.web_client import sitter as sitter_of


def test_policies_are_chosen_by_name_and_no_path_is_told(tmp_path: Path) -> None:
    folder = save_policy(tmp_path / "mine" / "policy")
    web = web_at(tmp_path, folder)
    with web.client as client:
        assert "mine" in [strategy["name"] for strategy in client.get("/api/menu").json()["strategies"]]
        sitter = TableClient(client, seats=["you", "mine"])
        sitter.answer(10)
        sitter.step()
        said = client.get(sitter.path + "/coach").json()
        assert {"mine", "basic"} == {policy["name"] for policy in said["policies"]}
        everything = json.dumps([sitter.state, said, client.get("/api/menu").json()])
        assert str(tmp_path) not in everything
        assert sitter.state["seats"][1]["name"] == "mine"
        assert sitter.state["setup"]["seats"] == [sitter_of("you"), sitter_of("mine")]
        twice = TableClient(client, seats=["you", "mine", "basic", "mine", "basic"])
        assert [seat["name"] for seat in twice.state["seats"]] == ["You", "mine 2", "basic 3", "mine 4", "basic 5"]


def test_a_policy_that_was_moved_away_costs_no_table_and_its_folder_is_not_told(tmp_path: Path) -> None:
    folder = save_policy(tmp_path / "mine" / "policy")
    web = web_at(tmp_path, folder)
    sitter = TableClient(web.client, seats=["you", "mine"])
    sitter.answer(10)
    folder.rename(tmp_path / "elsewhere")
    sitter.step()
    wanted = new_table(seats=["you", "mine"])
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
    wanted = new_table(seats=["you", seat])
    answer = client.post("/api/tables", json=wanted)
    assert answer.status_code == 400
    assert repr(seat) in answer.json()["error"]


@pytest.mark.parametrize("house", ["/etc/passwd", "rules.toml", "../rules.toml", "", "six-dek", "6D S18", "6D\x00"])
def test_a_house_is_a_name_or_a_rule_text(house: str, client: TestClient) -> None:
    answer = client.post("/api/tables", json=new_table(house))
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
def test_a_hostile_name_is_a_name(name: str, client: TestClient) -> None:
    sitter = TableClient(client, seats=[f"you:{name}", "basic"])
    assert sitter.state["seats"][0]["name"] == name
    answer = sitter.look()
    assert answer.headers["content-type"] == "application/json"
    assert answer.headers["x-content-type-options"] == "nosniff"


@pytest.mark.parametrize("name", ["W" * 41, "a\nb", "\u202egnp.exe", "dealer", "you", "\ud800", "a\x00"])
def test_a_bad_name_is_refused_in_one_line(name: str, client: TestClient) -> None:
    wanted = new_table(seats=[f"you:{name}"])
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
        {"seats": [sitter_of("you")] * 8},
        {"seats": [sitter_of("you")] * 30},
        {"seats": ["you"]},
        {"seats": [["you"]]},
        {"seats": [{"who": "you", "name": "Ann", "bankroll": 7}]},
        {"seats": [{"name": "Ann"}]},
        {"seats": [sitter_of("you:" + "x" * 5000)]},
        {"seats": [sitter_of("basic")]},
        {"bankroll": 0},
        {"bankroll": 10**12},
        {"dealer": sitter_of("basic")},
        {"house": "6D " * 3000},
    ],
    ids=lambda value: str(value)[:60],
)
def test_a_table_that_cannot_be_laid_is_refused_in_one_line(setup: dict[str, Any], client: TestClient) -> None:
    wanted = new_table() | setup
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
        ({"Host": "evil.example:8000"}, 400),
        ({"Host": "127.0.0.1.evil.example"}, 400),
        ({"Host": ""}, 400),
        ({"Host": "127.0.0.1:9000"}, 201),
        ({"Origin": "http://evil.example"}, 403),
        ({"Origin": "null"}, 403),
        ({"Origin": "http://localhost:9000"}, 403),
        ({"Content-Type": "text/plain"}, 415),
        ({"Content-Type": "application/x-www-form-urlencoded"}, 415),
    ],
    ids=lambda value: str(value)[:60],
)
def test_other_sites_are_kept_away(headers: dict[str, str], status: int, client: TestClient) -> None:
    wanted = json.dumps(new_table())
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
