"""Pictures: how policies did, and their strategy charts beside the best one.

matplotlib is imported where something is drawn: it takes a while, and the library does without it.
"""

from collections.abc import Callable, Mapping, Sequence
from io import BytesIO
from math import sqrt
from statistics import NormalDist
from typing import TYPE_CHECKING, NamedTuple

from bj_env.analysis.scores import Score
from bj_env.errors import BlackjackError
from bj_env.extras import missing
from bj_env.game.decision import Decision
from bj_env.game.notation import RANKS
from bj_env.rules.terms import ACTION_WORDS, Action, Rules
from bj_env.statistics import Z95
from bj_env.strategies.basic import ChartDecision
from bj_env.strategies.charts import COLOURS, UPCARDS
from bj_env.strategies.registry import strategy

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure

"""What stands in a cell."""

LOUD, FAINT = "#c1440e", "#666666"
"""Frames of errors and of near-ties."""

NEAR_TIE = 3e-5
"""What costs less a round, in bets, is a near-tie: basic strategy, which nobody calls wrong, has one of 2e-5."""

PER = 100
"""Prices are told for so many rounds."""

GAP = 1
"""Empty rows between the blocks of a chart."""


class Row(NamedTuple):
    """A row of a chart: its label, its cell as in a `Mistake`, and two cards of that cell."""

    label: str
    cell: str
    hand: tuple[int, int]


def chart_rows(rules: Rules) -> list[list[Row]]:
    """Return the rows of a chart in its blocks: hard hands, soft ones, and pairs where they may be split.

    >>> [[block[0].cell, block[-1].label] for block in chart_rows(Rules())]
    [['hard 19', '5'], ['soft 20', 'A,2'], ['pair A,A', '2,2']]
    """
    hard = [(10, total - 10) if total > 11 else (total - 2, 2) for total in range(19, 4, -1)]
    blocks = [[Row(str(sum(hand)), f"hard {sum(hand)}", hand) for hand in hard]]
    blocks.append([Row(f"A,{other}", f"soft {11 + other}", (1, other)) for other in range(9, 1, -1)])
    if rules.max_hands > 1:
        names = [(value, RANKS[value - 1]) for value in (1, *range(10, 1, -1))]
        blocks.append([Row(f"{name},{name}", f"pair {name},{name}", (value, value)) for value, name in names])
    return blocks


def check_matplotlib() -> None:
    """Refuse to draw without matplotlib, before hours are spent on what is to be drawn.

    Raises:
        BlackjackError: if it is not installed.
    """
    try:
        import matplotlib  # noqa: F401
    except ImportError:
        raise BlackjackError(f"png: {missing('matplotlib', 'play')}") from None


def bench_picture(scores: Sequence[Score], policies: Mapping[str, Decision | str], rules: Rules) -> bytes:
    """Return the picture of a benchmark, a PNG.

    Values with their intervals; below them, where a shoe lasts, what a bet is worth at each count, and the bankrolls of
    those who win; at the bottom the charts of the policies with an exact value.
    """
    from matplotlib.figure import Figure

    decisions = {name: strategy(source) for name, source in policies.items()}
    exact = {score.name for score in scores if score.exact_ev is not None}
    total_dependent = {name: decision for name, decision in decisions.items() if name in exact}
    baseline = scores[0].name
    counted = {baseline: strategy(policies.get(baseline, baseline)), **decisions}
    counts, winners = values_by_count(counted, rules), [score for score in scores if score.bankroll]
    charts = _chart_size(len(total_dependent)) if total_dependent else (0.0, 0.0)
    panels: list[tuple[float, Callable[[SubFigure], None]]] = []
    panels.append((1.6 + 0.34 * len(scores), lambda part: _draw_values(part, scores, rules)))
    if counts or winners:
        panels.append((3.6, lambda part: _draw_money(part, counts, winners)))
    if total_dependent:
        panels.append((charts[1], lambda part: _draw_charts(part, total_dependent, rules)))
    heights = [height for height, _ in panels]
    figure = Figure(figsize=(max(9.0, charts[0]), sum(heights)), layout="constrained")
    cells = figure.add_gridspec(len(panels), 1, height_ratios=heights)
    for place, (_, draw) in enumerate(panels):
        draw(figure.add_subfigure(cells[place]))
    return png(figure)


COUNTS = range(-6, 9)
"""True counts at which the value of a bet is drawn; few shoes ever have others."""


def values_by_count(decisions: Mapping[str, Decision], rules: Rules) -> dict[str, list[float]]:
    """Return what a bet is worth at each of `COUNTS`; nothing where every round has a fresh shoe.

    Decisions of which the solver cannot tell are left out.

    >>> values_by_count({"basic": ChartDecision()}, Rules())
    {}
    """
    if not rules.penetration:
        return {}
    from bj_env.analysis.policy_value import value_at  # only here: it needs numba

    values = {}
    for name, decision in decisions.items():
        try:
            values[name] = [value_at(decision, rules, count) for count in COUNTS]
        except BlackjackError:
            continue
    return values


def _draw_money(figure: "SubFigure", counts: Mapping[str, Sequence[float]], winners: Sequence[Score]) -> None:
    """Draw what a bet is worth at each count, and beside it the bankrolls of those who win."""
    panels = iter(figure.subplots(1, bool(counts) + bool(winners), squeeze=False)[0])
    if counts:
        axes = next(panels)
        for name, values in counts.items():
            axes.plot(COUNTS, [100 * value for value in values], marker=".", label=_short(name))
        axes.axhline(0, color=FAINT, linewidth=0.8)
        axes.set(xlabel="true count", ylabel="% of a bet", title="value of a bet by the count, exact")
    if winners:
        axes = next(panels)
        for score in winners:
            _draw_fan(axes, score)
        axes.axhline(0, color=FAINT, linewidth=0.8)
        axes.set(xlabel="rounds", ylabel="smallest bets won", title="bankrolls: half, and 19 of 20, end in the fan")
        axes.locator_params(axis="x", nbins=5)
        axes.xaxis.set_major_formatter("{x:,.0f}")
    for axes in figure.axes:
        axes.grid(alpha=0.3)
        axes.legend(fontsize="small")


def _draw_fan(axes: "Axes", score: Score) -> None:
    """Draw how a bankroll spreads with the rounds: its mean, and the normal's middle half and 95 %, till four N0."""
    assert score.bankroll is not None
    rounds = [4 * score.bankroll.n0 * step / 100 for step in range(101)]
    (line,) = axes.plot(rounds, [score.ev * played for played in rounds], label=_short(score.label))
    for width in (NormalDist().inv_cdf(0.75), Z95):
        low, high = ([score.ev * n + sign * width * score.sd * sqrt(n) for n in rounds] for sign in (-1, 1))
        axes.fill_between(rounds, low, high, color=line.get_color(), alpha=0.15, linewidth=0)


def strategy_picture(decisions: Mapping[str, Decision], rules: Rules) -> bytes:
    """Draw the charts of total-dependent strategies beside the best one; return a PNG."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=_chart_size(len(decisions)), layout="constrained")
    _draw_charts(figure, decisions, rules)
    return png(figure)


def png(figure: "Figure") -> bytes:
    """Return a figure as a PNG."""
    content = BytesIO()
    figure.savefig(content, format="png", dpi=110)
    return content.getvalue()


def _draw_values(figure: "Figure | SubFigure", scores: Sequence[Score], rules: Rules) -> None:
    """Draw means with their intervals, exact values, and exact regrets on a scale of their own."""
    left, right = figure.subplots(1, 2, width_ratios=(3, 2), sharey=True)
    places, exact = range(len(scores)), [score.exact_ev for score in scores]
    ev, half = [100 * score.ev for score in scores], [100 * Z95 * score.stderr for score in scores]
    left.errorbar(ev, places, xerr=half, fmt="o", color="#0072b2", capsize=4, label="mean, 95 % interval")
    known = [(100 * value, place) for place, value in enumerate(exact) if value is not None]
    if known:
        left.plot(*zip(*known, strict=True), "D", color=LOUD, markersize=5, label="exact value, fresh shoe")
    if max(ev) - min(ev) > 10:  # else a random player leaves no room for the differences of all others
        left.set_xscale("symlog", linthresh=1)
        left.xaxis.set_major_formatter("{x:g}")
    left.set_yticks(places, [_short(score.label) for score in scores])
    left.set(xlabel="net of a round, % of a bet", title=f"{scores[0].rounds:,} rounds each, on the same shoes")
    left.legend(fontsize="small")
    left.set_ylim(len(scores) - 0.5, -0.6)
    _draw_regrets(right, scores)
    for axes in (left, right):
        axes.grid(axis="x", alpha=0.3)


def _draw_regrets(axes: "Axes", scores: Sequence[Score]) -> None:
    """Draw exact regrets on a logarithmic scale, and say where there are none."""
    regrets = {place: 100 * score.regret for place, score in enumerate(scores) if score.regret is not None}
    least, most = 1e-4, max([1.0, *regrets.values()])
    for place in range(len(scores)):
        if place not in regrets:
            axes.text(least * 2, place, "looks at more", va="center", color=FAINT, fontsize="small")
            continue
        shown = max(regrets[place], least)
        axes.plot([least, shown], [place, place], color=LOUD, linewidth=4, alpha=0.5, solid_capstyle="butt")
        axes.text(shown * 1.3, place, f"{regrets[place]:.4f}", va="center", fontsize="small")
    axes.set(xscale="log", xlim=(least, most * 20), xlabel="% of a bet", title="exact regret")
    axes.xaxis.set_major_formatter("{x:g}")


def _short(name: str) -> str:
    """Keep the end of a long name, where paths differ."""
    return name if len(name) <= LONGEST_NAME else "…" + name[-LONGEST_NAME:]


LONGEST_NAME = 32


def _chart_size(policies: int) -> tuple[float, float]:
    """Return the size of the charts of so many policies and the best one, in inches."""
    return 4.3 * (policies + 1), 11.2


def _draw_charts(figure: "Figure | SubFigure", decisions: Mapping[str, Decision], rules: Rules) -> None:
    """Draw charts side by side, the best one last, and say what their signs mean."""
    from bj_env.analysis.policy_value import best_total_dependent, exact_value  # only here: they need numba

    best = best_total_dependent(rules)
    marks: Marks = {}
    *charts, last = figure.subplots(1, len(decisions) + 1)
    for axes, (name, decision) in zip(charts, decisions.items(), strict=True):
        ev, marks = exact_value(decision, rules).ev, marks_of(decision, rules)
        _draw_chart(axes, decision, rules, marks, priced=True)
        if insurance := marks.get(INSURANCE):
            axes.set_xlabel(
                f"insurance, wrongly answered, loses {PER * 100 * insurance:.1f}", color=LOUD, weight="bold"
            )
        axes.set_title(f"{_short(name)}\n{100 * ev:+.4f} %, regret {100 * (best.ev - ev):.4f} %", fontsize=11)
    _draw_chart(last, ChartDecision(best.chart), rules, marks if len(charts) == 1 else {}, priced=False)
    last.set_title(f"best by total, pair and up card\n{100 * best.ev:+.4f} %", fontsize=11)
    figure.supxlabel(_LEGEND, fontsize=9)


INSURANCE = ("insurance", 1)
"""The cell, with its up card, that stands in no row."""

Marks = Mapping[tuple[str, int], float]
"""Cells, with up cards, that are played otherwise than is best, and what that costs a round, in bets."""


def marks_of(decision: Decision, rules: Rules) -> Marks:
    """Return where a decision plays otherwise than the best chart, with two cards or else at a price that counts.

    >>> from bj_env.strategies.basic import ChartDecision
    >>> marks_of(ChartDecision(), Rules())
    {}
    """
    from bj_env.analysis.policy_value import best_total_dependent, first_choice, prices  # only here: they need numba

    best, costs = ChartDecision(best_total_dependent(rules).chart), prices(decision, rules)
    marked = {cell: cost for cell, cost in costs.items() if cost >= NEAR_TIE}
    for row in (row for block in chart_rows(rules) for row in block):
        for upcard in UPCARDS:
            chosen = [first_choice(either, rules, row.hand, upcard) for either in (decision, best)]
            if chosen[0] is not chosen[1]:
                marked[row.cell, upcard] = costs.get((row.cell, upcard), 0.0)
    return marked


_LEGEND = (
    "S stand   H hit   D double   P split   R surrender, with two cards, if money is no matter\n"
    "thick frame: not the best play; the number is what it loses in 100 rounds, in % of a bet\n"
    "(where the letter is the same: with more cards, or after a split)\n"
    f"dotted frame: a near-tie, which loses less than {PER * 100 * NEAR_TIE:.1f}"
)


def _draw_chart(axes: "Axes", decision: Decision, rules: Rules, marks: Marks, *, priced: bool) -> None:
    """Draw what a decision plays with two cards, and frame the cells that are marked."""
    from bj_env.analysis.policy_value import first_choice  # only here: it needs numba

    top, places, labels = 0, [], []
    for block in chart_rows(rules):
        for place, row in enumerate(block, start=top):
            places.append(place)
            labels.append(row.label)
            for column, upcard in enumerate(UPCARDS):
                action = first_choice(decision, rules, row.hand, upcard)
                _draw_cell(axes, column, place, action, marks.get((row.cell, upcard)), priced)
        top += len(block) + GAP
    axes.set(xlim=(-0.5, len(UPCARDS) - 0.5), ylim=(top - GAP - 0.5, -0.5))
    axes.set_xticks(range(len(UPCARDS)), [RANKS[upcard - 1] for upcard in UPCARDS])
    axes.set_yticks(places, labels)
    axes.tick_params(length=0, labeltop=True)
    axes.set_frame_on(False)


def _draw_cell(axes: "Axes", column: int, row: int, action: Action, cost: float | None, priced: bool) -> None:
    """Draw a cell: an error loud and with its price, a near-tie faint, all else plain."""
    from matplotlib.patches import Rectangle

    loud = cost is not None and cost >= NEAR_TIE
    weight, aside = ("bold", 0.22 if priced else 0.0) if loud else ("normal", 0.0)
    axes.add_patch(Rectangle((column - 0.5, row - 0.5), 1, 1, facecolor=COLOURS[action], edgecolor="white"))
    axes.text(column - aside, row, ACTION_WORDS[action].letter, ha="center", va="center", fontsize=9, weight=weight)
    if cost is None:
        return
    frame = Rectangle((column - 0.44, row - 0.42), 0.88, 0.84, fill=False)
    frame.set(edgecolor=LOUD if loud else FAINT, linewidth=1.8 if loud else 1.0, linestyle="-" if loud else ":")
    axes.add_patch(frame)
    if loud and priced:
        price = PER * 100 * cost
        text = f"{price:.1f}" if price < 9.95 else f"{price:.0f}"
        axes.text(column + 0.16, row, text, ha="center", va="center", fontsize=7, color=LOUD, weight="bold")
