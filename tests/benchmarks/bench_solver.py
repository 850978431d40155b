"""How long the solver takes: ``python tests/benchmarks/bench_solver.py`` prints a table (one core, best of ten)."""

import os
import resource
import subprocess
import sys
import tempfile
from collections.abc import Callable
from time import process_time

from rich.console import Console
from rich.table import Table

from bj_env.cli.solve import WIDTH
from bj_env.rules.houses import parse
from bj_env.solver import SplitPlay, best_chart, evaluate, outcome, solve

SIX_DECKS = parse("6D NS")
DEPLETED = (20, 24, 23, 19, 24, 22, 24, 24, 21, 88)
COLD = "from bj_env.solver import solve; solve('6D')"


def best_of(times: int, task: Callable[[], object]) -> float:
    """Return the shortest of some runs, in seconds of one core, after one that compiles."""
    task()
    found = []
    for _ in range(times):
        start = process_time()  # all of it runs on one core, whoever else is at work
        task()
        found.append(process_time() - start)
    return min(found)


def children_seconds() -> float:
    """Return the processor time of all child processes so far."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def cold_start() -> tuple[float, float]:
    """Return the seconds of a first `solve` with an empty cache, and of the next process with a full one."""
    with tempfile.TemporaryDirectory() as cache:
        environment = os.environ | {"NUMBA_CACHE_DIR": cache}
        seconds = []
        for _ in range(2):
            start = children_seconds()
            subprocess.run([sys.executable, "-c", COLD], check=True, env=environment)
            seconds.append(children_seconds() - start)
    return seconds[0], seconds[1]


def main() -> None:
    """Print the table."""
    solution = solve(SIX_DECKS)
    tasks: list[tuple[str, str, int, Callable[[], object]]] = [
        ("six decks, splits to four hands, every hand", "200 ms", 10, lambda: solve(SIX_DECKS)),
        ("the same, a depleted shoe", "200 ms", 10, lambda: solve(SIX_DECKS, DEPLETED)),
        ("the same, split hands as is best (CDP1)", "", 5, lambda: solve(SIX_DECKS, how=SplitPlay.FIRST_SPLIT)),
        ("infinite decks", "", 10, lambda: solve("infinite")),
        ("a fixed chart, six decks", "10 ms", 10, lambda: evaluate(SIX_DECKS, "s17_4to8_das")),
        ("the best play kept, a depleted shoe", "", 10, lambda: evaluate(SIX_DECKS, solution, DEPLETED)),
        ("the best chart by totals", "", 3, lambda: best_chart(SIX_DECKS)),
        ("standard deviation, four hands", "", 1, lambda: outcome(SIX_DECKS, "s17_4to8_das")),
    ]
    table = Table("what", "goal", "took")
    for name, goal, times, task in tasks:
        table.add_row(name, goal, f"{1000 * best_of(times, task):.1f} ms")
    first, second = cold_start()
    table.add_row("first use: compiling included", "15 s", f"{first:.1f} s")
    table.add_row("a new process with the cache", "", f"{second:.1f} s")
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    table.add_row("memory", "1024 MiB", f"{memory:.0f} MiB")
    Console(width=WIDTH).print(table)


if __name__ == "__main__":
    main()
