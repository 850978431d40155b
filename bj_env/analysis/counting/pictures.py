"""Pictures of a count table: edge and frequency by count, bets by count, and a fan of bankrolls with its ruin."""

from io import BytesIO
from typing import Any

import numpy as np

from bj_env.analysis.counting.table import Bets, CountTable

FAN_ROUNDS, FAN_PATHS = 20_000, 400
"""Rounds and bankrolls of the fan."""


def count_picture(table: CountTable, bets: Bets) -> bytes:
    """Return a PNG of edge and frequency by count, bets by count, and bankrolls."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(11, 3.8), layout="constrained")
    left, middle, right = figure.subplots(1, 3)
    _edges(left, table)
    middle.step(table.whole, bets.bets, where="mid")
    middle.set(title="bet by count", xlabel="count", ylabel="smallest bets")
    _fan(right, bets)
    out = BytesIO()
    figure.savefig(out, format="png", dpi=110)
    return out.getvalue()


def _edges(axes: Any, table: CountTable) -> None:
    rows = table.rows
    edges, errors = [100 * row.edge for row in rows], [196 * row.edge_stderr for row in rows]
    axes.bar(table.whole, [100 * row.share for row in rows], color="#cccccc")
    axes.errorbar(table.whole, edges, yerr=errors, fmt="o-", ms=3)
    axes.axhline(0, lw=0.5, color="black")
    axes.set(title="edge (line) and share (bars)", xlabel="count", ylabel="%")


def _fan(axes: Any, bets: Bets) -> None:
    """Draw quantiles of bankrolls that stop at 0; rounds are taken in hundreds, which are nearly normal."""
    random = np.random.default_rng(1)
    steps = random.normal(100 * bets.win, 10 * bets.sd, (FAN_PATHS, FAN_ROUNDS // 100))
    paths = bets.bankroll + np.concatenate([np.zeros((FAN_PATHS, 1)), steps.cumsum(axis=1)], axis=1)
    ruined = np.logical_or.accumulate(paths <= 0, axis=1)
    paths[ruined] = 0
    rounds = 100 * np.arange(paths.shape[1])
    for low, high in ((5, 95), (25, 75)):
        axes.fill_between(rounds, *np.percentile(paths, (low, high), axis=0), alpha=0.3, color="#0072b2")
    axes.plot(rounds, np.median(paths, axis=0), color="#0072b2")
    axes.set(title=f"bankroll; ruin forever {bets.risk_of_ruin:.1%}", xlabel="rounds", ylabel="smallest bets")
