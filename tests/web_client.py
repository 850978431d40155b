"""Web tables for tests: a table that is played by requests alone, and a real server in a process of its own."""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from bj_env.rules.houses import parse_rules
from bj_env.strategies import saved_policy
from bj_env.strategies.saved_policy import Profile
from tests.signals import heed

ROOT = Path(__file__).parents[1]
COLUMNS = ("hand.phase", "hand.total", "hand.pair", "hand.upcard")


class TableClient:
    """Whoever sits at one table of a server: knows its key and the last state, which every answer replaces."""

    def __init__(self, client: Any, **setup: Any) -> None:
        self.client = client
        wanted = {"house": "six-deck", "seats": ["you"], "dealer": "house", "bankroll": 1000} | setup
        answer = client.post("/api/tables", json=wanted)
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
"""Of every table that a page lays in tests: else a blackjack ends some round before anyone is asked."""

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
