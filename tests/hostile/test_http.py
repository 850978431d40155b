"""Hostile HTTP: mutated and broken-off requests to a real server, idle connections, and more of them than allowed."""

import json
import socket
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from random import Random
from typing import NamedTuple

import httpx2
import pytest
import uvicorn

from bj_env.play.web import connections
from bj_env.play.web.connections import LimitedConnection, Limits
from bj_env.play.web.server import Address, _config, _listening
from tests.web_client import TableClient, new_table, server, web_at

PATHS = (
    "/ /t/x /api/menu /api/rules /api/tables /static/table.js /cards/As.svg /static/../server.py /api/tables/KEY "
    "/api/tables/KEY/answer /api/tables/KEY/step /api/tables/KEY/coach /api/tables/KEY/history /api/tables/KEY/changes"
).split()
BODIES = (
    new_table(),
    new_table("6D H17 ES", ["you:Ann", "basic"]),
    {"rules": "2D H17"},
    {"seen": 0, "value": 10},
    {"seen": 1, "value": 0, "seconds": 2.5},
    {"seen": 10**30, "value": -(10**30)},
    [[[[]]]],
    "text",
    None,
)
HEADERS = (
    "Origin: null",
    "Content-Length: 5",
    "Transfer-Encoding: chunked",
    "Upgrade: websocket\r\nConnection: Upgrade",
    "Expect: 100-continue",
    "Cookie: " + "x" * 5000,
    "Range: bytes=0-1",
    "X\x00Y: 1",
)


def request(chance: Random, host: str, key: str) -> bytes:
    """Return a request that is nearly right, mutated in up to three places and perhaps cut off."""
    path = chance.choice(PATHS).replace("KEY", key)
    body = json.dumps(chance.choice(BODIES)).encode()
    lines = [f"{chance.choice(('GET', 'POST', 'POST', 'PUT', 'HEAD', 'OPTIONS', 'G T'))} {path} HTTP/1.1"]
    lines += [f"Host: {host}", "Connection: close", "Content-Type: application/json", f"Content-Length: {len(body)}"]
    lines += chance.sample(HEADERS, chance.choice((0, 0, 1, 2)))
    data = bytearray("\r\n".join(lines).encode() + b"\r\n\r\n" + body)
    for _ in range(chance.choice((0, 1, 3))):
        at = chance.randrange(len(data))
        kind = chance.randrange(3)
        if kind == 0:
            data[at] = chance.randrange(256)
        elif kind == 1:
            del data[at : at + chance.randrange(1, 20)]
        else:
            data[at:at] = chance.randbytes(chance.randrange(1, 20))
    return bytes(data[: chance.randrange(len(data) + 1)] if chance.random() < 0.3 else data)


def send(address: tuple[str, int], data: bytes) -> bytes:
    """Send bytes and return the start of what comes back; a request that is incomplete is broken off."""
    with socket.create_connection(address, timeout=5) as connection:
        connection.sendall(data)
        connection.settimeout(0.3)
        try:
            return connection.recv(4096)
        except (TimeoutError, ConnectionError):
            return b""


def attack(folder: Path, count: int) -> None:
    """Send so many requests to one server, and check that it answers none with a fault and prints nothing."""
    with server(folder / "tables.sqlite") as (process, url):
        host = url.removeprefix("http://")
        address = (host.split(":")[0], int(host.split(":")[1]))
        sitter = TableClient(httpx2.Client(base_url=url))
        with ThreadPoolExecutor(16) as pool:
            requests = [request(Random(seed), host, sitter.key) for seed in range(count)]
            answers = list(pool.map(lambda data: send(address, data), requests))
        faults = [sent for sent, answer in zip(requests, answers, strict=True) if answer.startswith(b"HTTP/1.1 5")]
        assert faults == []
        fresh = TableClient(httpx2.Client(base_url=url))
        fresh.answer(10)
        assert fresh.state["moves"] == 1
        process.terminate()
        _, errors = process.communicate(timeout=20)
        assert errors == ""
    print(f"{count} hostile requests, {sum(map(bool, answers))} answered")
    assert sum(map(bool, answers)) > count // 2


def test_no_request_makes_the_server_fail_or_print(tmp_path: Path) -> None:
    attack(tmp_path, 400)


@pytest.mark.slow
def test_no_request_of_many_makes_the_server_fail_or_print(tmp_path: Path) -> None:
    attack(tmp_path, 20_000)


class Running(NamedTuple):
    """A server in a thread of this process, with short time limits."""

    address: tuple[str, int]

    def open(self, data: bytes = b"") -> socket.socket:
        connection = socket.create_connection(self.address, timeout=10)
        connection.sendall(data)
        return connection


@contextmanager
def running(folder: Path, monkeypatch: pytest.MonkeyPatch, limits: Limits, seconds: float = 0.2) -> Iterator[Running]:
    """Run a server with limits of its own; by default a connection has a fifth of a second for its request."""
    monkeypatch.setattr(connections, "REQUEST_SECONDS", seconds)
    monkeypatch.setattr(LimitedConnection, "limits", limits)
    monkeypatch.setattr(LimitedConnection, "last_warning", -connections.WARNING_SECONDS)
    address = Address.checked(None, 0)
    with _listening(address) as listening:
        web = uvicorn.Server(_config(web_at(folder).tables, address))
        thread = threading.Thread(target=web.run, kwargs={"sockets": [listening]}, daemon=True)
        thread.start()
        deadline = time.monotonic() + 20
        while not web.started and time.monotonic() < deadline:
            time.sleep(0.01)
        try:
            yield Running(listening.getsockname())
        finally:
            web.should_exit = True
            thread.join(10)


HEAD = b"POST /api/tables HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
PARTS = {"idle": b"", "half a head": HEAD, "half a body": HEAD + b"Content-Length: 100\r\n\r\n{"}


@pytest.mark.parametrize("sent", PARTS.values(), ids=PARTS)
@pytest.mark.parametrize("drip", [False, True], ids=["silent", "drip by drip"])
def test_a_connection_without_a_complete_request_is_closed(
    sent: bytes, drip: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with running(tmp_path, monkeypatch, Limits(100, 10)) as web, web.open(sent) as connection:
        began, connection_open = time.monotonic(), True
        connection.settimeout(0.05)
        while connection_open and time.monotonic() < began + 10:
            try:
                if drip and sent:
                    connection.sendall(b"a")
                connection_open = connection.recv(100) != b""
            except TimeoutError:
                continue
            except ConnectionError:
                connection_open = False
        assert not connection_open
        assert time.monotonic() < began + 5


def test_a_waiting_page_is_never_cut_off(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with running(tmp_path, monkeypatch, Limits(100, 10)) as web:
        url = f"http://127.0.0.1:{web.address[1]}"
        sitter = TableClient(httpx2.Client(base_url=url))
        stream = f"GET {sitter.path}/changes HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".encode()
        with web.open(stream) as connection:
            time.sleep(1)
            sitter.answer(10)
            time.sleep(0.2)
            events = connection.recv(65536).decode()
        assert "data: 0" in events
        assert "data: 1" in events


def test_more_connections_than_allowed_are_refused_with_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    with running(tmp_path, monkeypatch, Limits(10, 64), seconds=30) as web:
        many = [web.open() for _ in range(40)]
        refused = 0
        for connection in many:
            connection.settimeout(0.5)
            try:
                refused += connection.recv(100).startswith(b"HTTP/1.1 503")
            except TimeoutError:
                continue
        for connection in many:
            connection.close()
        assert refused == 30
        sitter = TableClient(httpx2.Client(base_url=f"http://127.0.0.1:{web.address[1]}"))
        sitter.answer(10)
    lines = [line for line in capfd.readouterr().err.splitlines() if line.strip()]
    assert lines == ["ERROR:    10 connections are open; more are refused until some close"]
