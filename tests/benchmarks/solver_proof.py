"""The simulator against the solver: ``python tests/benchmarks/solver_proof.py --rounds 1000000000`` prints a table.

The exact value is that of a round from a fresh shoe, which is what is simulated; ``--cut-card`` deals to a cut card
instead, and shows what that costs a fixed strategy.
"""

import argparse
from collections.abc import Sequence

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table

from bj_env.analysis.policy_value import exact_value
from bj_env.compiled.simulate import simulate
from bj_env.compiled.sums import Simulation
from bj_env.rules.houses import parse_rules, text
from bj_env.statistics import Sums

HOUSES = (
    ("six-deck", "basic"),
    ("six-five", "basic"),
    ("double-deck", "basic"),
    ("single-deck", "mimic"),
    ("eight-deck-europe", "basic"),
    ("infinite", "basic"),
)
"""Rules that differ in decks, dealer, payout, doubling, hole card and surrender; and what is played."""

CUT_CARD = (("1D PEN75 S17 NS", "basic"), ("6D PEN75 S17 NS", "basic"))
BLOCK = 10_000
"""Rounds at one table where a shoe lasts: a table that is left in mid-shoe would hide what the cut card does."""


def simulated(rules: str, decision: str, rounds: int, seed: int) -> Simulation:
    """Simulate, showing how far it is."""
    columns = (TextColumn("{task.description}"), BarColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task(rules, total=rounds)

        def advance(sums: Sums) -> None:
            progress.update(task, completed=sums.rounds)

        block = BLOCK if parse_rules(rules).penetration else None
        return simulate(rules, [decision], rounds, seed=seed, block=block, progress=advance)


def proof(houses: Sequence[tuple[str, str]], rounds: int, seed: int) -> Table:
    """Play and print the table, in percent of a bet."""
    table = Table(title=f"{rounds:,} rounds each, seed {seed}; % of a bet", show_edge=False)
    table.add_column("rules")
    table.add_column("strategy")
    for heading in ("exact EV", "simulated", "stderr", "difference", "z"):
        table.add_column(heading, justify="right")
    for rules, decision in houses:
        found, exact = simulated(rules, decision, rounds, seed), exact_value(decision, rules).ev
        off = found.ev - exact
        values = [f"{100 * value:+.5f}" for value in (exact, found.ev)]
        errors = [f"{100 * found.stderr:.5f}", f"{100 * off:+.5f}", f"{off / found.stderr:+.2f}"]
        table.add_row(text(parse_rules(rules)), decision, *values, *errors)
    return table


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=10_000_000, help="for each (default: 10000000)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--cut-card", action="store_true", help="deal to a cut card")
    options = parser.parse_args()
    houses = CUT_CARD if options.cut_card else HOUSES
    Console(width=110).print(proof(houses, options.rounds, options.seed))


if __name__ == "__main__":
    main()
