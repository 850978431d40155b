"""The command `bj table`: starting, stopping, and a port that is taken."""

import signal
import socket
import subprocess
import sys
from pathlib import Path

import httpx2

from tests.web_client import ROOT, TableClient, server


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
        run.stderr == f"bj table: port {port}: another program listens there; try another port, or 0 for a free one\n"
    )
