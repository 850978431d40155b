"""The report of a run: learning curve and strategy chart as pictures, and ``report.md``."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import EngFormatter

from agents.run.config import Config
from agents.run.folder import config_text, write_file
from agents.run.training import LEARNED, Trained
from bj_env.analysis.pictures import NEAR_TIE, PER, png, strategy_picture
from bj_env.analysis.scores import Score
from bj_env.game.decision import Decision
from bj_env.game.notation import RANKS
from bj_env.rules.houses import words
from bj_env.rules.terms import Rules
from bj_env.statistics import Z95

LEAST_SHOWN = 1e-4
"""The least regret, in percent of a bet, that the logarithmic scale of the learning curve shows."""


def write_report(
    folder: Path, config: Config, trained: Trained, decision: Decision, scores: Sequence[Score], facts: dict[str, str]
) -> None:
    """Write ``learning_curve.png``, ``strategy_chart.png`` if its exact value is known, and ``report.md``."""
    rules = trained.profile.rules
    write_file(folder / "learning_curve.png", learning_curve(trained, scores))
    if any(score.name == LEARNED and score.exact_ev is not None for score in scores):
        write_file(folder / "strategy_chart.png", strategy_picture({LEARNED: decision}, rules))
    write_file(folder / "report.md", report_text(config, rules, scores, facts))


def learning_curve(trained: Trained, scores: Sequence[Score]) -> bytes:
    """Draw the exact regret of the greedy policy, where it is known, and below it the net of training rounds.

    Returns:
        A PNG.
    """
    known = any(point.regret == point.regret for point in trained.curve)
    figure = Figure(figsize=(8, 7 if known else 4), layout="constrained")
    *upper, lower = figure.subplots(1 + known, 1, sharex=True, squeeze=False)[:, 0]
    for axes in upper:
        _draw_regrets(axes, trained, scores)
    _draw_returns(lower, trained, scores)
    figure.supxlabel(f"{trained.unit} of training", fontsize="medium")
    lower.xaxis.set_major_formatter(EngFormatter(sep=""))
    return png(figure)


def _draw_returns(axes: Axes, trained: Trained, scores: Sequence[Score]) -> None:
    """Draw the mean net of training rounds, and what basic strategy and the best total-dependent play are worth."""
    done, mean, error = (np.array(part) for part in list(zip(*trained.curve, strict=True))[:3])
    mean, half = 100 * mean, 100 * Z95 * error
    axes.plot(done, mean, ".-", color="#0072b2", label="training rounds, exploration included; 95 % band")
    axes.fill_between(done, mean - half, mean + half, color="#0072b2", alpha=0.2)
    late = slice(len(mean) // 4, None)  # the first steps would leave the others no room
    shown = [*(mean - half)[late], *(mean + half)[late]]
    for value, style, label in _lines(scores):
        axes.axhline(value, color="black", linestyle=style, linewidth=1, label=f"{label}, exact")
        shown.append(value)
    room = 0.05 * (max(shown) - min(shown)) or 1.0
    axes.set(ylim=(min(shown) - room, max(shown) + room), ylabel="net of a training round, % of a bet")
    axes.set_title("Training return: explores on purpose, so it stays below the value of the policy", fontsize="medium")
    axes.grid(alpha=0.3)
    axes.legend(fontsize="small")


def _lines(scores: Sequence[Score]) -> list[tuple[float, str, str]]:
    """Return the exact values to compare with, in percent, with the style and the name of their lines."""
    exact = {score.name: score for score in scores if score.exact_ev is not None and score.regret is not None}
    if "basic" not in exact:
        return []
    basic = exact["basic"]
    assert basic.exact_ev is not None
    assert basic.regret is not None
    best = basic.exact_ev + basic.regret
    return [(100 * basic.exact_ev, "--", "basic"), (100 * best, "-", "best total-dependent play")]


def _draw_regrets(axes: Axes, trained: Trained, scores: Sequence[Score]) -> None:
    """Draw the exact regret of the greedy policy on a logarithmic scale, and basic strategy's."""
    points = [(point.done, 100 * point.regret) for point in trained.curve if point.regret == point.regret]
    done, regret = (np.array(part) for part in zip(*points, strict=True))
    axes.plot(done, np.maximum(regret, LEAST_SHOWN), "o-", color="#c1440e", markersize=4, label="greedy policy")
    axes.annotate(
        f"{regret[-1]:.4f} %", (done[-1], max(regret[-1], LEAST_SHOWN)), (0, 8), textcoords="offset points", ha="right"
    )
    for score in scores:
        if score.name == "basic" and score.regret is not None and 100 * score.regret > LEAST_SHOWN:
            axes.axhline(100 * score.regret, color="black", linestyle="--", linewidth=1, label="basic")
    axes.set(yscale="log", ylabel="exact regret, % of a bet")
    axes.set_title("Regret of the greedy policy, the one that is saved: lower is better", fontsize="medium")
    axes.yaxis.set_major_formatter("{x:g}")
    axes.grid(alpha=0.3)
    axes.legend(fontsize="small")


def report_text(config: Config, rules: Rules, scores: Sequence[Score], facts: dict[str, str]) -> str:
    """Write the report as Markdown."""
    learned = next(score for score in scores if score.name == LEARNED)
    return f"""# {config.name}

{_summary(learned)}

{_facts_table(facts)}

## The game

{" ".join(words(rules))} Seats: {", ".join(config.environment.seats)}.

## Benchmark

{scores[0].rounds:,} rounds each, on the same shoes. All values are percent of a bet a round. EV is the mean net
with its 95 % interval. Agrees: the share of decisions that are the best total-dependent ones, near-ties included. Exact
EV: from a fresh shoe, known where a strategy is total-dependent. Regret: exact, to the best total-dependent play, and
to the best composition-dependent play, which looks at all cards of the hand and gains a little more.

{_score_table(scores)}

## Learning

![learning curve](learning_curve.png)

{_curve_text(learned)}{_chart_text(learned)}{_mistake_table(learned)}## Configuration

```toml
{config_text(config)}```
"""


def _summary(learned: Score) -> str:
    """Say in a sentence how it went."""
    if learned.exact_ev is None or learned.regret is None:
        low, high = (100 * end for end in learned.interval())
        return f"The learned policy, played {learned.mode}, nets from {low:+.3f} to {high:+.3f} % of a bet a round."
    return (
        f"The learned policy, played {learned.mode}, is worth exactly {100 * learned.exact_ev:+.4f} % of a bet: "
        f"{100 * learned.regret:.4f} % less a round than the best total-dependent play."
    )


def _curve_text(learned: Score) -> str:
    """Explain the panels of the learning curve."""
    regret = "" if learned.exact_ev is None else "Judge the training by the regret, which is exact. "
    return f"""{regret}The training return is the mean net of
the rounds that the learner played while it explored, often from hands that are harder than those of a whole round. So
it lies below the value of the greedy policy all the time; a low curve there is no failure.

"""


def _chart_text(learned: Score) -> str:
    """Say how to read the strategy chart, if there is one."""
    if learned.exact_ev is None:
        return ""
    return f"""![strategy chart](strategy_chart.png)

A thick frame marks what is not the best play, and the number what it loses in {PER} rounds, in percent of a bet; a
dotted frame is a near-tie, which loses less than {100 * PER * NEAR_TIE:.1f}.

"""


def _facts_table(facts: dict[str, str]) -> str:
    return "\n".join(["| | |", "|---|---|", *(f"| {name} | {_cell(value)} |" for name, value in facts.items())])


def _cell(text: str) -> str:
    """Write a text so that it stays in its cell."""
    return text.replace("|", "\\|").replace("\n", " ")


def _mistake_table(learned: Score) -> str:
    """Show the costliest mistakes of the learned policy if its exact value is known, else nothing."""
    if not learned.costliest:
        return ""
    rows = ["| hand | up card | played | best | how often % | cost % |", "|---|---|---|---|---:|---:|"]
    for mistake in learned.costliest:
        upcard, often, cost = RANKS[mistake.upcard - 1], 100 * mistake.often, 100 * mistake.cost
        best = mistake.best if mistake.best != mistake.played else "the same, with its hands played better"
        rows.append(f"| {mistake.hand} | {upcard} | {mistake.played} | {best} | {often:.3f} | {cost:.4f} |")
    table = "\n".join(rows)
    return f"""## Costliest mistakes

How often they occur in a round, and what they cost per round against the best composition-dependent play. The costs of
all mistakes add up to the regret against that play.

{table}

"""


def _score_table(scores: Sequence[Score]) -> str:
    head = "| strategy | mode | EV % | to basic % | agrees | exact EV % | regret % | regret to all cards % |"
    rows = [head, "|---|---|---:|---:|---:|---:|---:|---:|"]
    for score in scores:
        exact = "-" if score.exact_ev is None else f"{100 * score.exact_ev:+.4f}"
        regrets = [
            "-" if value is None else f"{100 * value:.4f}"
            for value in (score.regret, score.composition_dependent_regret)
        ]
        cells = [
            _cell(score.name),
            score.mode,
            f"{100 * score.ev:+.3f} ± {100 * Z95 * score.stderr:.3f}",
            f"{100 * score.difference:+.3f} ± {100 * Z95 * score.difference_stderr:.3f}"
            if score.difference_stderr
            else "-",
            f"{score.agreement:.2%}",
            exact,
            *regrets,
        ]
        rows.append(f"| {' | '.join(cells)} |")
    return "\n".join(rows)
