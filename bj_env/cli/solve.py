"""What `bj solve` and `bj chart` print: tables of at most 80 columns for people, machine-readable JSON."""

import json
from collections.abc import Callable
from io import StringIO
from pathlib import Path
from time import perf_counter
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from bj_env.cli.files import check_target, write_file
from bj_env.errors import BlackjackError
from bj_env.rules.houses import parse_rules, text, words
from bj_env.rules.terms import Action, Rules
from bj_env.solver.chart import CodeTie, HandException, exceptions
from bj_env.solver.hands import hand_text
from bj_env.solver.result import Shoe, Solution, one_value, solve, solve_against, to_values
from bj_env.solver.splits import SplitPlay
from bj_env.strategies.charts import KINDS, LEGEND, LETTERS, UPCARDS, Chart

WIDTH = 80
_Printer = Callable[[Console, dict[str, Any]], None]
_COLOURS = dict(zip("SHDTRUPQ", "red green blue blue white white yellow yellow".split(), strict=True))
_SHOWN_EXCEPTIONS = 12


def solve_command(
    rules: Rules | str,
    *,
    hand: str | None = None,
    upcard: str | None = None,
    shoe: Shoe = None,
    as_json: bool = False,
    console: Console | None = None,
) -> None:
    """Print the value of a round, or of every action for a hand against an up card.

    Raises:
        BlackjackError: if only one of hand and up card is given, or as `solve` does.
    """
    if (hand is None) != (upcard is None):
        raise BlackjackError("expected both a hand and an up card, or neither, like --hand T,6 --upcard T")
    console = console or Console(width=WIDTH)
    house = parse_rules(rules)
    if hand is None or upcard is None:
        _show(console, round_json(house, shoe), as_json, _print_round)
    else:
        _show(console, hand_json(house, hand, upcard, shoe), as_json, _print_hand)


def chart_command(
    rules: Rules | str,
    *,
    shoe: Shoe = None,
    as_json: bool = False,
    picture: Path | None = None,
    console: Console | None = None,
) -> None:
    """Print the best total-dependent chart in colours, or write it as a picture (SVG).

    Raises:
        BlackjackError: as `solve` does, or if the picture cannot be written.
    """
    if picture:
        check_target("picture", picture, ".svg")
    console = console or Console(width=WIDTH)
    solution = solve(rules, shoe)
    if as_json:
        console.print_json(json.dumps(chart_json(solution)))
        return
    canvas = Console(width=WIDTH, record=True, file=StringIO()) if picture else console
    _print_chart(canvas, solution)
    if picture:
        _write_picture(canvas, picture, solution)


def _write_picture(canvas: Console, picture: Path, solution: Solution) -> None:
    write_file(picture, canvas.export_svg(title=text(solution.rules)).encode())


def _show(console: Console, result: dict[str, Any], as_json: bool, printer: _Printer) -> None:
    if as_json:
        console.print_json(json.dumps(result))
    else:
        printer(console, result)


def _about(solution: Solution) -> dict[str, Any]:
    """Return what every report says first."""
    return {
        "rules": text(solution.rules),
        "rules_in_words": words(solution.rules),
        "value_of": f"one round from a freshly shuffled shoe, per unit of a bet of {solution.rules.min_bet}",
        "shoe": list(solution.shoe.counts),
        "strategy_class": solution.strategy_class,
    }


def round_json(rules: Rules | str, shoe: Shoe = None) -> dict[str, Any]:
    """Return the value of a round as a dictionary.

    >>> sorted(round_json("INF NS SP1"))[:4]
    ['ev', 'ev_by_upcard', 'ev_total_dependent', 'rules']
    """
    start = perf_counter()
    solution = solve(rules, shoe)
    return _about(solution) | {
        "ev": solution.ev,
        "ev_by_upcard": {hand_text([value]): solution.ev_by_upcard.get(value) for value in UPCARDS},
        "ev_total_dependent": solution.ev_total_dependent,
        "seconds": perf_counter() - start,
    }


def hand_json(rules: Rules | str, hand: str, upcard: str, shoe: Shoe = None) -> dict[str, Any]:
    """Return the values of every action for a hand as a dictionary.

    ``best`` is what to do first: early surrender, where it is offered and better, comes before the play.

    >>> hand_json("6D", "T,6", "T")["best"]
    'SURRENDER'
    """
    start = perf_counter()
    solution = solve_against(rules, upcard, shoe)
    values = solution.values(hand, upcard)
    early = solution.early_values(hand, upcard)
    best = max(early, key=early.__getitem__) if early else Action.DECLINE
    result = _about(solution) | {
        "hand": hand_text(to_values(hand)),
        "upcard": hand_text([one_value(upcard)]),
        "after_peek": solution.against[one_value(upcard)].peeked,
        "values": _named(values),
        "best": (solution.best(hand, upcard) if best is Action.DECLINE else best).name,
    }
    for key, offered in (("early", early), ("insurance", solution.insurance_values(hand, upcard))):
        if offered:
            result[key] = _named(offered)
    if Action.SPLIT in values:
        result["split_by_class"] = {
            how.name: solve_against(rules, upcard, shoe, how=how).values(hand, upcard)[Action.SPLIT]
            for how in SplitPlay
        }
    return result | {"seconds": perf_counter() - start}


def _named(values: dict[Action, float]) -> dict[str, float]:
    return {action.name: value for action, value in values.items()}


def chart_json(solution: Solution) -> dict[str, Any]:
    """Return the best total-dependent chart, its near-ties and exceptions, as a dictionary."""
    best = solution.best_chart
    return _about(solution) | {
        "upcards": [hand_text([value]) for value in UPCARDS],
        "chart": {kind: _letters(best.chart, kind) for kind in KINDS},
        "ev_total_dependent": best.ev,
        "ev": solution.ev,
        "near_ties": [_tie_json(tie) for tie in best.near_ties],
        "exceptions": [_exception_json(result) for result in exceptions(solution.rules, best.chart, solution.shoe)],
    }


def _tie_json(tie: CodeTie) -> dict[str, Any]:
    kind, number = tie.cell
    return {
        "cell": f"{kind} {hand_text([number]) if kind == 'pair' else number}",
        "upcard": hand_text([tie.upcard]),
        "code": LETTERS[tie.code],
        "other": LETTERS[tie.other],
        "margin": tie.margin,
    }


def _exception_json(exception: HandException) -> dict[str, Any]:
    return {
        "hand": hand_text(exception.hand),
        "upcard": hand_text([exception.upcard]),
        "chart": exception.chart.name,
        "best": exception.best.name,
        "gain": exception.gain,
    }


def _letters(chart: Chart, kind: str) -> dict[str, str]:
    return {name: "".join(LETTERS[code] for code in codes) for name, codes in chart.rows(kind)}


def _heading(console: Console, about: dict[str, Any]) -> None:
    console.print(Text(about["rules"], style="bold"))
    for sentence in about["rules_in_words"]:
        console.print(Text(f"  {sentence}", style="dim"))
    console.print(Text(f"Play: {about['strategy_class']}."))
    console.print(Text(f"Value of {about['value_of']}."))


def _percent(value: float | None) -> str:
    return "-" if value is None else f"{100 * value:+.5f} %"


def _print_round(console: Console, result: dict[str, Any]) -> None:
    _heading(console, result)
    table = Table()
    table.add_column("up card")
    table.add_column("value", justify="right")
    for upcard, value in result["ev_by_upcard"].items():
        table.add_row(upcard, _percent(value))
    table.add_section()
    table.add_row("all", _percent(result["ev"]), style="bold")
    table.add_row("best chart by totals", _percent(result["ev_total_dependent"]))
    console.print(table)
    console.print(f"{result['seconds']:.2f} s")


def _print_hand(console: Console, result: dict[str, Any]) -> None:
    _heading(console, result)
    given = " (the dealer has looked: no blackjack)" if result["after_peek"] else ""
    console.print(Text(f"{result['hand']} against {result['upcard']}{given}", style="italic"))
    table = Table()
    table.add_column("action")
    table.add_column("value", justify="right")
    table.add_column("worse by", justify="right")
    best = max(result["values"].values())
    for action, value in sorted(result["values"].items(), key=lambda item: -item[1]):
        table.add_row(action.lower(), f"{value:+.6f}", f"{best - value:.6f}" if value < best else "best")
    console.print(table)
    for key, label in (("early", "before the dealer looks"), ("insurance", "insurance, in initial bets")):
        if key in result:
            console.print(
                f"{label}: " + ", ".join(f"{name.lower()} {value:+.6f}" for name, value in result[key].items())
            )
    for name, value in result.get("split_by_class", {}).items():
        console.print(f"split, its hands played by {name.lower().replace('_', ' ')}: {value:+.6f}")
    console.print(f"best: [bold]{result['best'].lower()}[/bold]   {result['seconds']:.2f} s")


def _print_chart(console: Console, solution: Solution) -> None:
    result = chart_json(solution)
    _heading(console, result)
    for kind, rows in result["chart"].items():
        console.print(Text(kind, style="italic"))
        table = Table()
        table.add_column("")
        for upcard in result["upcards"]:
            table.add_column(upcard, justify="center")
        for name, letters in rows.items():
            table.add_row(name, *(Text(letter, style=_style(letter)) for letter in letters))
        console.print(table)
    for line in LEGEND:
        console.print(line)
    console.print(f"value {_percent(result['ev_total_dependent'])}; best play by composition {_percent(result['ev'])}")
    _print_notes(console, result)


def _style(letter: str) -> str:
    return f"black on {_COLOURS[letter]}" if letter in _COLOURS else "dim"


def _print_notes(console: Console, result: dict[str, Any]) -> None:
    for tie in result["near_ties"]:
        codes = f"{tie['code']} is better than {tie['other']} by {tie['margin']:.6f}"
        console.print(f"near-tie: {tie['cell']} against {tie['upcard']}: {codes}")
    for number, exception in enumerate(result["exceptions"]):
        if number == _SHOWN_EXCEPTIONS:
            console.print(f"... and {len(result['exceptions']) - number} more exceptions (--json lists them)")
            return
        hand = f"{exception['hand']} against {exception['upcard']}"
        console.print(f"exception: {hand}: {exception['best'].lower()} gains {exception['gain']:.6f}")
