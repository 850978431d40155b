"""The commands of practice: ``bj drill`` and ``bj practice``."""

import argparse
import json
from typing import Any

from bj_env.cli.files import check_target, write_file
from bj_env.cli.values import file_path, person_name, ramp_from, whole_number
from bj_env.errors import BlackjackError, shortened
from bj_env.extras import missing
from bj_env.game.rng import SEEDS
from bj_env.rules.houses import parse_rules


def drill_parser(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``bj drill``."""
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.description = """\
Ask one question after the other, and review each answer at once: hands with
exact values for the rules and a full shoe, or card counting.

hands:    mixed, hard, soft, pair, mistakes (only what you got wrong, spaced)
counting: deck (count one down), tray (decks left), true (the true count),
          index (index plays), bet (by your ramp)"""
    parser.epilog = """\
examples:
  bj drill soft --clock 5
  bj drill mistakes --person Ann
  bj drill deck --system ko
  bj drill bet --rules '6D PEN75 MIN5' --ramp 1:2,2:4,3:8"""
    parser.add_argument("drill", nargs="?", default="mixed", help="which drill (default: mixed)")
    parser.add_argument("--rules", default="six-deck", help="a house, a rule text or a file (default: six-deck)")
    parser.add_argument(
        "--person", type=person_name, default="you", help="whose practice log is written (default: you)"
    )
    parser.add_argument("--clock", metavar="SECONDS", help="an answer that takes longer does not count")
    parser.add_argument("--questions", metavar="N", help="how many are asked (default: until you leave)")
    parser.add_argument("--system", default="hi-lo", help="the counting system (default: hi-lo)")
    parser.add_argument("--ramp", default="1:2,2:4,3:8", help="for the drill bet (default: 1:2,2:4,3:8)")
    parser.add_argument("--seed", metavar="N", help="seed of the questions, to ask the same ones again")
    parser.add_argument("--log", type=file_path, metavar="FILE", help="the practice log (default: the one of bj play)")
    parser.add_argument("--plain", action="store_true", help="plain lines in words, for screen readers")
    parser.set_defaults(run=_drill)


def _drill(options: argparse.Namespace) -> None:
    try:
        from bj_env.play.count_drills import Player
        from bj_env.play.terminal.drill import Drilling, drill_command  # only where it is used: it is an extra
    except ModuleNotFoundError as error:
        raise BlackjackError(missing(error.name or "a package", "play")) from None
    limits = {"clock": (1, 3600), "questions": (1, 10**6), "seed": (0, SEEDS - 1)}
    numbers = {
        name: None if (written := getattr(options, name)) is None else whole_number(name, written, *bounds)
        for name, bounds in limits.items()
    }
    player = Player(parse_rules(options.rules), options.system, ramp_from(options.ramp))
    drill_command(Drilling(options.drill, player, options.person, **numbers), save=options.log, plain=options.plain)


def practice_parser(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``bj practice``."""
    parser.description = "Add up the practice log: decisions by type of hand, cell and day, and counting drills."
    parser.epilog = (
        "examples: bj practice; bj practice --person Ann --csv ann.csv; bj practice --delete Ann. --json: costs are in "
        "bets, seconds are seconds, right and answers are numbers of decisions and answers, due are cells to repeat."
    )
    parser.add_argument("--person", type=person_name, default="you", help="whose (default: you)")
    parser.add_argument("--csv", type=file_path, metavar="FILE", help="write all decisions to a .csv file")
    parser.add_argument("--counts-csv", type=file_path, metavar="FILE", help="write the answers of counting drills")
    parser.add_argument("--delete", type=person_name, metavar="PERSON", help="delete all that is kept of a person")
    parser.add_argument("--log", type=file_path, metavar="FILE", help="the practice log (default: the one of bj play)")
    parser.add_argument("--json", action="store_true", help="machine-readable output")
    parser.set_defaults(run=_practice)


def _practice(options: argparse.Namespace) -> None:
    try:
        from bj_env.play.terminal.drill import practice_log, summary_lines
    except ModuleNotFoundError as error:
        raise BlackjackError(missing(error.name or "a package", "play")) from None
    targets = {"csv": options.csv, "counts-csv": options.counts_csv}
    for name, path in targets.items():
        if path is not None:
            check_target(name, path, ".csv")
    log = practice_log(options.log)
    if options.delete is not None:
        print(f"{log.delete(options.delete)} decisions and answers of {shortened(options.delete)} deleted")
        return
    for name, path in targets.items():
        if path is not None:
            write_file(path, log.export(options.person, counts=name == "counts-csv").encode())
    summary = log.summary(options.person)
    if options.json:
        print(json.dumps(_fields(summary)))
    else:
        print(*summary_lines(options.person, summary), sep="\n")


def _fields(value: Any) -> Any:
    """Return named tuples as JSON objects."""
    if hasattr(value, "_asdict"):
        return {name: _fields(part) for name, part in value._asdict().items()}
    return list(map(_fields, value)) if isinstance(value, (list, tuple)) else value
