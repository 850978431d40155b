"""The tables of a server: every move is made once and is never lost."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from starlette.testclient import TestClient

from tests.web_client import TableClient, Web, web_at


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
    assert sitter.state["prompt"] == "You are out of chips. The smallest bet is 100 chips."
    assert sitter.post("answer", seen=sitter.state["moves"], value=100).status_code == 400
