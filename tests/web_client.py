"""Web tables for tests: an application in this process, a client that plays one table, and a server process."""

import os
import re
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from starlette.testclient import TestClient

from bj_env.play.practice import PracticeLog
from bj_env.play.setup import Setup
from bj_env.play.store import Store
from bj_env.play.web.api import application
from bj_env.play.web.menu import Menu
from bj_env.play.web.server import HOSTS
from bj_env.play.web.tables import Tables
from bj_env.rules.houses import parse_rules
from bj_env.strategies import saved_policy
from bj_env.strategies.saved_policy import Profile
from tests.signals import heed

ROOT = Path(__file__).parents[1]
COLUMNS = ("hand.phase", "hand.total", "hand.pair", "hand.upcard")


def sitter(seat: str) -> dict[str, str]:
    """Return a seat as a page sends it: ``"you:Ann"`` is a person named Ann."""
    who, _, name = seat.partition(":") if seat.startswith("you:") else (seat, "", "")
    return {"who": who, "name": name}


def new_table(
    house: str = "six-deck", seats: Sequence[str] = ("you",), dealer: str = "house", bankroll: int = 1000
) -> dict[str, Any]:
    """Return the body of a request for a new table."""
    return {"house": house, "seats": list(map(sitter, seats)), "dealer": sitter(dealer), "bankroll": bankroll}


class Web(NamedTuple):
    """An application in this process, and a client of it."""

    client: TestClient
    tables: Tables

    def forget(self, sitter: "TableClient") -> None:
        """Let the server hold nothing in memory but the game itself."""
        live = self.tables._live[sitter.key]
        live.coached, live.advice = {}, (-1, None)

    def begin(self, setup: Setup) -> "TableClient":
        """Open a table with a seed, which no page can choose."""
        assert self.client.portal is not None
        sitter = TableClient(self.client)
        sitter.sit(self.client.portal.call(self.tables.begin, setup))
        return sitter


def web_at(folder: Path, *policies: Path) -> Web:
    """Return an application with its files in a folder."""
    menu = Menu.of("six-deck", [str(policy) for policy in policies])
    tables = Tables(Store(folder / "tables.sqlite"), menu, PracticeLog(folder / "practice.sqlite"))
    client = TestClient(application(tables, HOSTS), base_url="http://127.0.0.1:8000", raise_server_exceptions=False)
    return Web(client, tables)


class TableClient:
    """A client at one table of a server. It knows the table's key and its last state."""

    def __init__(self, client: Any, **setup: Any) -> None:
        self.client = client
        answer = client.post("/api/tables", json=new_table(**setup))
        assert answer.status_code == 201, answer.text
        self.sit(answer.json())

    def sit(self, state: dict[str, Any]) -> None:
        """Sit down at a table that has been set."""
        self.state = state
        self.key = state["table"]
        self.path = f"/api/tables/{self.key}"

    def post(self, what: str, **body: Any) -> Any:
        return self.client.post(f"{self.path}/{what}", json=body)

    def look(self) -> Any:
        return self.client.get(self.path)

    @property
    def legal(self) -> list[int]:
        return [button["action"] for button in self.state["actions"] if not button["why"]]

    def answer(self, value: int) -> None:
        answer = self.post("answer", seen=self.state["moves"], value=value)
        assert answer.status_code == 200, answer.text
        self.state = answer.json()

    def step(self) -> None:
        answer = self.post("step", seen=self.state["moves"])
        assert answer.status_code == 200, answer.text
        self.state = answer.json()

    def move(self, bet: int, chance: np.random.Generator) -> None:
        """Make one move, whoever is asked: a person bets so much, and acts by chance."""
        pending = self.state["pending"]
        if not pending["person"]:
            self.step()
        else:
            self.answer(min(bet, pending["most"]) if pending["betting"] else int(chance.choice(self.legal)))


def save_policy(folder: Path) -> Path:
    """Save a policy that plays nonsense, and return its folder."""
    profile = Profile("table", parse_rules("six-deck"), 1, (1,), ("hand",), COLUMNS, provenance={"command": "test"})
    scores = np.random.default_rng(1).normal(size=(5, 30, 11, 11, 7)).astype(np.float32)
    saved_policy.save_policy(folder, profile, {"scores": scores})
    return folder


SEED = 3
"""The seed of every table in tests: with some seeds a blackjack ends the round before anyone may act."""

SEEDED = f"""
import sys
from bj_env.cli.main import main
from bj_env.play import setup
setup.randbits = lambda bits: {SEED}
sys.exit(main(sys.argv[1:]))
"""


@contextmanager
def server(save: Path, *arguments: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """Run `bj table` at a free port, and give the process and its address."""
    command = [sys.executable, "-c", SEEDED, "table", "--port", "0", "--save", str(save), *arguments]
    pipe = subprocess.PIPE
    process = subprocess.Popen(command, cwd=ROOT, env=os.environ, stdout=pipe, stderr=pipe, text=True, preexec_fn=heed)
    try:
        assert process.stdout is not None
        line = process.stdout.readline()
        found = re.search(r"http://\S+:\d+", line)
        assert found, line + (process.stderr.read() if process.stderr else "")
        yield process, found[0]
    finally:
        process.kill()
        process.communicate()
