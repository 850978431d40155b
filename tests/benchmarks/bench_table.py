"""Response times of the web table: many tables at one server, a decision each second at each.

    python tests/benchmarks/bench_table.py --tables 200 --seconds 30

`bj table` runs in a process of its own, keeping every move in a file; this one plays all tables. ``--coach`` lets each
page ask the coach before it decides, as a page does that shows values or grades.
"""

import argparse
import asyncio
import json
import sys
from pathlib import Path
from random import Random
from statistics import quantiles
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Any, NamedTuple

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))

from tests.web_client import new_table, server  # noqa: E402


class Times(NamedTuple):
    """Seconds of each answer, by what was asked, and what went wrong."""

    decisions: list[float]
    coach: list[float]
    errors: list[str]


class Page:
    """One connection that stays open, as a browser's does, and costs this process next to nothing."""

    def __init__(self, host: str, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.host, self.reader, self.writer = host, reader, writer

    @classmethod
    async def open(cls, address: str) -> "Page":
        """Connect to a server at ``http://host:port``."""
        host = address.removeprefix("http://")
        name, port = host.split(":")
        return cls(host, *await asyncio.open_connection(name, int(port)))

    async def ask(self, path: str, sent: dict[str, Any] | None = None) -> dict[str, Any]:
        """Get a path, or post to it, and return what comes.

        Raises:
            ValueError: if the server refuses.
        """
        body = b"" if sent is None else json.dumps(sent).encode()
        head = f"{'GET' if sent is None else 'POST'} {path} HTTP/1.1\r\nHost: {self.host}\r\n"
        head += f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
        self.writer.write(head.encode() + body)
        answer = await self.reader.readuntil(b"\r\n\r\n")
        length = int(answer.lower().partition(b"content-length:")[2].split(b"\r\n")[0])
        told: dict[str, Any] = json.loads(await self.reader.readexactly(length))
        if not answer.startswith(b"HTTP/1.1 20"):
            raise ValueError(f"{answer.splitlines()[0]!r}: {told}")
        return told


async def sit(address: str, number: int, options: argparse.Namespace, times: Times) -> None:
    """Play one table: a decision each second, by chance among what is legal."""
    page, chance = await Page.open(address), Random(number)
    setup = new_table(options.house, options.seats.split(","), bankroll=10**6)
    state = await page.ask("/api/tables", setup)
    path = f"/api/tables/{state['table']}"
    await asyncio.sleep(2 + chance.random())  # until all tables are open
    for _ in range(options.seconds):
        began = perf_counter()
        try:
            if options.coach and state["pending"]["person"] and not state["pending"]["betting"]:
                await page.ask(f"{path}/coach")
                times.coach.append(perf_counter() - began)
            started = perf_counter()
            state = await decide(page, path, state, chance)
            times.decisions.append(perf_counter() - started)
        except (OSError, EOFError, ValueError, KeyError) as error:
            times.errors.append(repr(error))
        await asyncio.sleep(max(0.0, 1 - (perf_counter() - began)))
    page.writer.close()


async def decide(page: Page, path: str, state: dict[str, Any], chance: Random) -> dict[str, Any]:
    """Make one move, whoever is asked, and return what the server tells then."""
    if not state["pending"]["person"]:
        return await page.ask(f"{path}/step", {"seen": state["moves"]})
    legal = [button["action"] for button in state["actions"] if not button["why"]]
    value = 10 if state["pending"]["betting"] else chance.choice(legal)
    return await page.ask(f"{path}/answer", {"seen": state["moves"], "value": value})


async def load(address: str, options: argparse.Namespace) -> Times:
    """Play all tables at once."""
    times = Times([], [], [])
    await asyncio.gather(*(sit(address, number, options, times) for number in range(options.tables)))
    return times


def show(what: str, seconds: list[float]) -> None:
    """Print a line of one kind's times."""
    if len(seconds) > 1:
        cuts = quantiles(seconds, n=100)
        median, p95, p99 = (1000 * cuts[at - 1] for at in (50, 95, 99))
        print(f"{what:<10} {len(seconds):>6}  median {median:6.1f} ms  p95 {p95:6.1f}  p99 {p99:6.1f}")


def main() -> None:
    """Run the server, the load, and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tables", type=int, default=200)
    parser.add_argument("--seconds", type=int, default=30)
    parser.add_argument("--house", default="six-deck")
    parser.add_argument("--seats", default="you")
    parser.add_argument("--coach", action="store_true")
    options = parser.parse_args()
    with TemporaryDirectory() as folder, server(Path(folder) / "tables.sqlite") as (_, address):
        times = asyncio.run(load(address, options))
    print(f"{options.tables} tables, {options.seconds} s, seats {options.seats}, {options.house}")
    show("decisions", times.decisions)
    show("coach", times.coach)
    print(f"errors     {len(times.errors):>6}  {sorted(set(times.errors))[:3] or ''}")


if __name__ == "__main__":
    main()
