"""Play over a network: only with the key of the link, and no faster than the rates."""

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest
from starlette.testclient import TestClient

from bj_env.errors import BlackjackError
from bj_env.play.web.api import application
from bj_env.play.web.network import COOKIE, NEW_TABLES, REQUESTS
from bj_env.play.web.server import Address
from tests.web_client import ROOT, new_table, server, web_at

KEY = "k" * 32


@pytest.fixture
def client(tmp_path: Path) -> Iterator[TestClient]:
    """Return a client of an application that is served to a network."""
    app = application(web_at(tmp_path).tables, ("*",), KEY)
    with TestClient(app, base_url="http://192.168.1.5:8000", raise_server_exceptions=False) as client:
        yield client


@pytest.mark.parametrize(
    "path", ["/", "/t/x", "/api/menu", "/static/table.js", "/cards/As.svg", "/?key=wrong", "/?key="]
)
def test_nothing_is_told_to_a_browser_without_the_key(path: str, client: TestClient) -> None:
    for cookie in ({}, {COOKIE: "wrong"}, {COOKIE: ""}, {COOKIE: "é"}):
        headers = {"Cookie": "; ".join(f"{name}={value}" for name, value in cookie.items()).encode("latin-1")}
        refused = client.get(path, headers=headers)
        assert (refused.status_code, list(refused.json())) == (403, ["error"])
        assert KEY not in refused.text


def test_the_link_gives_the_cookie_with_which_everything_works(client: TestClient) -> None:
    opened = client.get(f"/t/abc?key={KEY}", follow_redirects=False)
    assert (opened.status_code, opened.headers["location"]) == (303, "/t/abc")
    assert re.search(r"HttpOnly.*SameSite=lax", opened.headers["set-cookie"])
    assert client.post("/api/tables", json=new_table()).status_code == 201
    foreign = client.post("/api/tables", json=new_table(), headers={"Origin": "http://evil.example"})
    assert foreign.status_code == 403


def test_new_tables_and_requests_have_a_rate(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    client.get(f"/?key={KEY}")
    codes = [client.post("/api/tables", json=new_table()).status_code for _ in range(NEW_TABLES.burst + 3)]
    assert codes.count(201) == NEW_TABLES.burst
    assert codes[-1] == 429
    monkeypatch.setattr("bj_env.play.web.network.LinkOnly._fits", lambda *_: False)
    codes = [client.get("/api/menu").status_code for _ in range(REQUESTS.burst + 200)]
    assert {403, 429} == set(codes)


def test_a_server_at_an_address_takes_the_key_and_one_at_the_default_needs_none(tmp_path: Path) -> None:
    with server(tmp_path / "a.sqlite", "--host", "127.0.0.2") as (process, address):
        assert address.startswith("http://127.0.0.2:")
        assert httpx2.get(address).status_code == 403
        assert process.stdout is not None
        assert "not encrypted" in process.stdout.readline()
        with pytest.raises(httpx2.ConnectError):
            httpx2.get(address.replace("127.0.0.2", "127.0.0.1"))
    with server(tmp_path / "b.sqlite") as (_, address):
        assert httpx2.get(address).status_code == 200
        with pytest.raises(httpx2.ConnectError):
            httpx2.get(address.replace("127.0.0.1", "127.0.0.2"))


def test_the_link_names_the_address_and_has_the_key() -> None:
    assert Address.checked(None, 8000) == ("127.0.0.1", 8000, "")
    first, second = (Address.checked("192.168.1.5", 0) for _ in range(2))
    assert first.key != second.key
    assert first.link(8000) == f"http://192.168.1.5:8000/?key={first.key}"
    assert Address.checked("::1", 0).link(1).startswith("http://[::1]:1/?key=")
    with pytest.raises(BlackjackError, match="expected an IP address of this computer"):
        Address.checked("my-computer", 8000)


def test_an_address_of_another_computer_is_refused_in_one_line(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "bj_env", "table", "--host", "203.0.113.7", "--save", str(tmp_path / "x.sqlite")]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert (run.returncode, run.stderr) == (1, "bj table: host: 203.0.113.7 is no address of this computer\n")
