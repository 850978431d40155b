"""What policies lose under rule sets that no training has seen: ``python tests/benchmarks/unseen_rules.py POLICY ...``.

A policy is a folder or the name of a strategy. Every regret is exact: the best value of any play by total, pair and up
card under the rules, less the policy's, in percent of a bet. It takes about two seconds a rule set.
"""

import argparse
import json
import sys
from collections.abc import Sequence
from itertools import islice
from time import perf_counter

import numpy as np
from rich.console import Console
from rich.progress import track
from rich.table import Column, Table

from agents.shared.random_rules import rule_sets
from bj_env.analysis.policy_value import best_total_dependent, exact_value
from bj_env.analysis.scores import ROUNDING
from bj_env.errors import BlackjackError
from bj_env.rules.houses import text
from bj_env.rules.terms import Rules
from bj_env.strategies.registry import strategy

SHOWN = 10


def regrets(policies: Sequence[str], sets: Sequence[Rules]) -> dict[str, list[float]]:
    """Return what each policy loses under each rule set, in percent.

    Raises:
        BlackjackError: if a policy plays better than is possible: then a value is wrong.
    """
    decisions = {policy: strategy(policy) for policy in policies}
    found: dict[str, list[float]] = {policy: [] for policy in policies}
    for rules in track(sets, "rule sets", console=Console(stderr=True), transient=True):
        best = best_total_dependent(rules).ev
        for policy, decision in decisions.items():
            regret = best - exact_value(decision, rules).ev
            if regret < -ROUNDING:
                raise BlackjackError(f"alarm: under {text(rules)!r} {policy} beats the best play by {-regret:g}")
            found[policy].append(100 * regret)
    return found


def tables_of(found: dict[str, list[float]], sets: Sequence[Rules]) -> list[Table]:
    """Return a table of all policies, and for each one of the rule sets under which it loses most."""
    summary = Table("regret, % of a bet", *(Column(name, justify="right") for name in ("mean", "median", "worst")))
    tables = [summary]
    for policy, losses in found.items():
        numbers = (np.mean(losses), np.median(losses), np.max(losses))
        summary.add_row(policy, *(f"{number:.4f}" for number in numbers))
        worst = Table(f"where {policy} loses most", Column("%", justify="right"))
        for place in np.argsort(losses)[::-1][:SHOWN]:
            worst.add_row(text(sets[place]), f"{losses[place]:.4f}")
        tables.append(worst)
    return tables


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the tables, or JSON; return the exit code."""
    options = argparse.ArgumentParser("unseen_rules.py", description=__doc__.splitlines()[0])
    options.add_argument("policies", nargs="+", metavar="POLICY", help="like runs/rule-conditioned/policy or basic")
    options.add_argument("--sets", type=int, default=100, help="how many rule sets (default: 100)")
    options.add_argument("--seed", type=int, default=1, help="of their drawing (default: 1)")
    options.add_argument("--json", action="store_true", help="every regret by rule text, for machines")
    chosen = options.parse_args(arguments)
    started, sets = perf_counter(), list(islice(rule_sets(chosen.seed, held_out=True), chosen.sets))
    try:
        found = regrets(chosen.policies, sets)
    except BlackjackError as error:
        print(f"unseen_rules.py: {error}", file=sys.stderr)
        return 1
    seconds = round(perf_counter() - started, 1)
    if chosen.json:
        by_text = {policy: dict(zip(map(text, sets), losses, strict=True)) for policy, losses in found.items()}
        print(json.dumps({"seed": chosen.seed, "seconds": seconds, "regret_percent": by_text}, indent=2))
        return 0
    console = Console(width=120)
    for table in tables_of(found, sets):
        console.print(table)
    console.print(f"{len(sets)} rule sets of seed {chosen.seed}, none of which a training sees; {seconds} s")
    return 0


if __name__ == "__main__":
    sys.exit(main())
