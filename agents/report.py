"""The report of a run: learning curve and strategy chart as pictures, and ``report.md``."""

from collections.abc import Sequence
from io import BytesIO
from pathlib import Path

import numpy as np
from matplotlib.colors import ListedColormap
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from agents.config import Config
from agents.run import config_text, write_file
from agents.training import LEARNED, Trained
from bj_env.benchmark import Z95, Score
from bj_env.decisions import ChartDecision, Decision
from bj_env.exact import first_choice
from bj_env.houses import words
from bj_env.terms import Action, Rules

UPCARDS = (2, 3, 4, 5, 6, 7, 8, 9, 10, 1)
HANDS = {
    "hard": [(10, total - 10) if total > 11 else (total - 2, 2) for total in range(19, 4, -1) if total != 4],
    "soft": [(1, other) for other in range(9, 1, -1)],
    "pairs": [(value, value) for value in (1, *range(10, 1, -1))],
}
"""The hands of each block of the strategy chart, as two card values."""

LETTERS = {Action.STAND: "S", Action.HIT: "H", Action.DOUBLE: "D", Action.SPLIT: "P", Action.SURRENDER: "R"}
COLOURS = ListedColormap(["#f4d35e", "#9bc1bc", "#5b8e7d", "#bc96e6", "#f2545b"])
"""Of the actions in `LETTERS`."""


def write_report(
    folder: Path, config: Config, trained: Trained, decision: Decision, scores: Sequence[Score], facts: dict[str, str]
) -> None:
    """Write ``learning_curve.png``, ``strategy_chart.png`` where there is one, and ``report.md``."""
    rules = trained.profile.rules
    write_file(folder / "learning_curve.png", learning_curve(trained, scores))
    if decision.by_hand:
        write_file(folder / "strategy_chart.png", strategy_chart(decision, rules))
    write_file(folder / "report.md", report_text(config, rules, decision, scores, facts))


def learning_curve(trained: Trained, scores: Sequence[Score]) -> bytes:
    """Draw the mean net of training rounds with its 95 % band, and basic strategy's as a line; return a PNG."""
    figure = Figure(figsize=(7, 4), layout="constrained")
    axes = figure.add_subplot()
    done, mean, error, _ = (np.array(part) for part in zip(*trained.curve, strict=True))
    mean, error = 100 * mean, 100 * error
    axes.plot(done, mean, label="training")
    axes.fill_between(done, mean - Z95 * error, mean + Z95 * error, alpha=0.25)
    exact = {score.name: score.exact_ev for score in scores if score.exact_ev is not None}
    for name, style in (("basic", "--"), ("learned", ":")):
        if name in exact:
            axes.axhline(100 * exact[name], color="black", linestyle=style, linewidth=1, label=f"{name}, exact value")
    axes.set(xlabel=trained.unit, ylabel="net of a round, % of a bet", title="Learning curve")
    axes.legend()
    return _png(figure)


def strategy_chart(decision: Decision, rules: Rules) -> bytes:
    """Draw what a decision plays with two cards, framed where basic strategy plays otherwise; return a PNG."""
    basic = ChartDecision()
    figure = Figure(figsize=(11, 6), layout="constrained")
    for axes, (block, hands) in zip(figure.subplots(1, len(HANDS)), HANDS.items(), strict=True):
        choices = [[first_choice(decision, rules, hand, upcard) for upcard in UPCARDS] for hand in hands]
        axes.imshow([[list(LETTERS).index(choice) for choice in row] for row in choices], COLOURS, vmin=0, vmax=4)
        for row, hand in enumerate(hands):
            for column, upcard in enumerate(UPCARDS):
                axes.text(column, row, LETTERS[choices[row][column]], ha="center", va="center", fontsize=8)
                if choices[row][column] is not first_choice(basic, rules, hand, upcard):
                    axes.add_patch(Rectangle((column - 0.45, row - 0.45), 0.9, 0.9, fill=False, linewidth=1.5))
        axes.set_xticks(range(10), [card_text(upcard) for upcard in UPCARDS])
        axes.set_yticks(range(len(hands)), [_label(block, hand) for hand in hands])
        axes.set(title=block, xlabel="dealer's up card")
    figure.suptitle(
        "On two cards: S stand, H hit, D double, P split, R surrender; framed where basic strategy plays otherwise"
    )
    return _png(figure)


def _label(block: str, hand: tuple[int, int]) -> str:
    if block == "hard":
        return str(sum(hand))
    return ",".join(map(card_text, hand))


def card_text(value: int) -> str:
    """Write a card's value."""
    return "A23456789T"[value - 1]


def _png(figure: Figure) -> bytes:
    content = BytesIO()
    figure.savefig(content, format="png")
    return content.getvalue()


def report_text(
    config: Config, rules: Rules, decision: Decision, scores: Sequence[Score], facts: dict[str, str]
) -> str:
    """Write the report as Markdown."""
    chart = "![strategy chart](strategy_chart.png)\n" if decision.by_hand else ""
    return f"""# {config.name}

{_facts_table(facts)}

## The game

{" ".join(words(rules))} Seats: {", ".join(config.environment.seats)}.

## Benchmark

Mean net of a round in percent of a bet, with its 95 % interval, on the same shoes; the exact value from a fresh shoe
and the regret to the best play by total, pair and up card, where the strategy looks at nothing else. The best play by
composition of the hand gains a little more; mistakes are priced against that, and add up to the regret to it.

{_score_table(scores)}

{_mistake_table(scores)}## Learning

![learning curve](learning_curve.png)

{chart}
## Configuration

```toml
{config_text(config)}```
"""


def _facts_table(facts: dict[str, str]) -> str:
    return "\n".join(["| | |", "|---|---|", *(f"| {name} | {value} |" for name, value in facts.items())])


def _mistake_table(scores: Sequence[Score]) -> str:
    """Show the costliest mistakes of the learned policy if its exact value is known, else nothing."""
    found = next(score.costliest for score in scores if score.name == LEARNED)
    if not found:
        return ""
    rows = ["| hand | up card | played | best | how often % | cost % |", "|---|---|---|---|---:|---:|"]
    for mistake in found:
        upcard, often, cost = card_text(mistake.upcard), 100 * mistake.often, 100 * mistake.cost
        rows.append(f"| {mistake.hand} | {upcard} | {mistake.played} | {mistake.best} | {often:.3f} | {cost:.4f} |")
    table = "\n".join(rows)
    return f"## Costliest mistakes\n\n{table}\n\n"


def _score_table(scores: Sequence[Score]) -> str:
    head = "| strategy | rounds | EV % | to basic % | agrees | exact EV % | regret % |"
    rows = [head, "|---|---:|---:|---:|---:|---:|---:|"]
    for score in scores:
        exact = "-" if score.exact_ev is None else f"{100 * score.exact_ev:+.4f}"
        regret = "-" if score.regret is None else f"{100 * score.regret:.4f}"
        difference = f"{100 * score.difference:+.3f} ± {100 * Z95 * score.difference_stderr:.3f}"
        rows.append(
            f"| {score.name} | {score.rounds:,} | {100 * score.ev:+.3f} ± {100 * Z95 * score.stderr:.3f} "
            f"| {difference} | {score.agreement:.2%} | {exact} | {regret} |"
        )
    return "\n".join(rows)
