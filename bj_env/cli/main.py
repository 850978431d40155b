"""The command line: ``bj play | table | houses | rules | replay | solve | chart | bench``."""

import argparse
import io
import json
import os
import re
import sys
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from bj_env.cli.bench import bench_command
from bj_env.env.settings import AGENT
from bj_env.errors import BlackjackError
from bj_env.extras import missing
from bj_env.game.notation import chips_text
from bj_env.game.replay import cards_left, replay
from bj_env.game.round import Round
from bj_env.rules import houses
from bj_env.rules.terms import TICKS, checked_number


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return the exit code: 0, 1 for a refused input, 2 for wrong usage, 130 when interrupted."""
    options = _parser().parse_args(_ramp_as_one_word(sys.argv[1:] if arguments is None else arguments))
    if sys.stdout is None:  # it was closed before we began
        return 1
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")  # a terminal that cannot show a character shows a question mark
    try:
        options.run(options)
        sys.stdout.flush()
    except BlackjackError as error:
        print(f"bj {options.command}: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print(f"bj {options.command}: interrupted", file=sys.stderr)
        return 130
    except BrokenPipeError:  # whoever reads, like `head`, has seen enough
        _print_nowhere()
    except OSError as error:
        _print_nowhere()
        print(f"bj {options.command}: {error.filename or 'output'}: {error.strerror or error}", file=sys.stderr)
        return 1
    return 0


def _ramp_as_one_word(arguments: Sequence[str]) -> list[str]:
    """Join ``--ramp`` with a ramp that begins with a minus, which argparse would take for an option."""
    joined: list[str] = []
    for word in arguments:
        if joined and joined[-1] == "--ramp" and re.match("-[0-9]", word):
            joined[-1] = f"--ramp={word}"
        else:
            joined.append(word)
    return joined


def _print_nowhere() -> None:
    """Let what is still to be written to standard output vanish, so that the end of the process does not trip on it."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        "bj", description="Casino blackjack: rules in words, rounds replayed, strategies measured."
    )
    parser.add_argument("--version", action="version", version=f"bj {version('bj-env')}")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    _play_parser(commands.add_parser("play", help="sit down at a table in the terminal"))
    _table_parser(commands.add_parser("table", help="sit down at a table in the browser"))
    _houses_parser(commands.add_parser("houses", help="list the named houses"))
    _rules_parser(commands.add_parser("rules", help="say rules in words"))
    _replay_parser(commands.add_parser("replay", help="play a round that is written as a line"))
    _solve_parser(commands.add_parser("solve", help="exact values of a round, or of a hand"))
    _chart_parser(commands.add_parser("chart", help="the best strategy chart for any rules"))
    _bench_parser(commands.add_parser("bench", help="measure strategies against each other on the same shoes"))
    return parser


def _json_option(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="machine-readable output")


def _rules_option(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--rules", default="six-deck", help="a house, a rule text or a file (default: six-deck)")


def _play_parser(parser: argparse.ArgumentParser) -> None:
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.description = """\
Sit down at a blackjack table in the terminal. Come closer to 21 than the
dealer, without going over. At every prompt ? explains what is asked, hint asks
the coach, why explains the last result, q leaves; nothing needs to be known.

Every move is kept before the next question: bj play goes on where it was left,
even after a crash. Each table has a game of its own."""
    parser.epilog = """\
examples:
  bj play                                   you against the house
  bj play --house campus-s17                Play, Hit, Stand: the simplest game
  bj play --seats you,basic,runs/x/policy   beside strategies and learned policies
  bj play --seats you:Ann,you:Bob           two people at one keyboard
  bj play --house two-player --dealer you   somebody plays the dealer too
  bj play --rules '2D H17 DAS NS' --bankroll 500

textbook games: even-money, hit-stand, campus-s17, two-player, campus-h17.
bj houses lists all houses, bj rules NAME says one in words."""
    house = parser.add_mutually_exclusive_group()
    house.add_argument("--house", help="a named house (default: six-deck, or what was played last)")
    house.add_argument("--rules", dest="house", metavar="TEXT", help="a house, a rule text or a .toml file")
    parser.add_argument("--seats", help="who sits where: you, you:NAME, a strategy or a policy folder, with commas")
    parser.add_argument("--dealer", help="house (default), you or you:NAME")
    parser.add_argument("--bankroll", type=int, metavar="N", help="chips that each seat begins with (default: 1000)")
    parser.add_argument("--seed", type=int, metavar="N", help="seed of the shoe, for a game that can be dealt again")
    parser.add_argument("--save", type=Path, metavar="FILE", help="keep the games in this file")
    parser.add_argument("--new", action="store_true", help="begin anew; the game before is set aside")
    parser.add_argument("--plain", action="store_true", help="one event a line in words, for screen readers")
    parser.add_argument(
        "--no-practice", dest="practice", action="store_false", help="do not review decisions once they are made"
    )
    parser.set_defaults(run=_play)


def _play(options: argparse.Namespace) -> None:
    try:
        from bj_env.play.terminal.session import play_command  # only where it is used: it is an extra
    except ModuleNotFoundError as error:
        raise BlackjackError(missing(error.name or "a package", "play")) from None
    given = "house seats dealer bankroll seed save new plain practice".split()
    play_command(**{name: getattr(options, name) for name in given})


def _table_parser(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Lay a table in the browser: a page at an address of this computer that nobody else can reach. House, seats "
        "and money are chosen on the page; every game is kept, and goes on after a restart. Ctrl-C ends it."
    )
    parser.epilog = "example: bj table --house campus-h17 --policies runs/default/policy"
    parser.add_argument(
        "--port", type=int, default=8000, help="where to listen; 0 takes any that is free (default: 8000)"
    )
    parser.add_argument("--house", default="six-deck", help="the house that comes first (default: six-deck)")
    parser.add_argument(
        "--policies",
        nargs="+",
        default=[],
        metavar="FOLDER",
        help="saved policies for the seats, and for the coach to ask",
    )
    parser.add_argument("--save", type=Path, metavar="FILE", help="keep the games in this file")
    parser.set_defaults(run=_table)


def _table(options: argparse.Namespace) -> None:
    try:
        from bj_env.play.web.server import default_save, serve  # only where it is used: it needs the extra `play`
    except ModuleNotFoundError as error:
        raise BlackjackError(missing(error.name or "a package", "play")) from None

    port = checked_number("port", options.port, 0, 65535)
    serve(options.house, options.policies, port=port, save=options.save or default_save())


def _houses_parser(parser: argparse.ArgumentParser) -> None:
    parser.description = "List the named houses, each one line of rule text. Say one in words with: bj rules NAME"
    _json_option(parser)
    parser.set_defaults(run=_houses)


def _houses(options: argparse.Namespace) -> None:
    if options.json:
        print(json.dumps(houses.HOUSES))
        return
    width = max(map(len, houses.HOUSES))
    for name, line in houses.HOUSES.items():
        print(f"{name:<{width}}  {line}")


def _rules_parser(parser: argparse.ArgumentParser) -> None:
    parser.description = "Say rules in words: a house's name, a rule text like '6D H17 DAS LS', or a .toml file."
    parser.epilog = "tokens: " + " ".join(houses.tokens())
    parser.add_argument("rules", nargs="+", metavar="TEXT", help="a house, a rule text or a file")
    _json_option(parser)
    parser.set_defaults(run=_rules)


def _rules(options: argparse.Namespace) -> None:
    rules = houses.parse_rules(" ".join(options.rules))
    if options.json:
        print(json.dumps({"text": houses.text(rules), **rules._asdict()}))
        return
    print(houses.text(rules), *houses.words(rules), sep="\n")


def _replay_parser(parser: argparse.ArgumentParser) -> None:
    parser.description = "Play a round in notation and print every event, the totals and the nets."
    parser.epilog = "example: bj replay 'six-deck ; D 6/T ; P1 10 8,8 P D S ; next 3,T,T,9 => P1 +30 ; D 6,T,9'"
    parser.add_argument("line", metavar="LINE", help="the round; a result after => is checked")
    _json_option(parser)
    parser.set_defaults(run=_replay)


def _replay(options: argparse.Namespace) -> None:
    round = replay(options.line)
    if options.json:
        print(json.dumps(_replay_json(round)))
        return
    print(*round.events, sep="\n")
    print(f"dealer: {round.dealer}")
    for seat in round.seats:
        hands = " | ".join(map(str, seat.hands)) or "sits out"
        print(f"{seat.label}: {hands}: {chips_text(seat.net)}")
    if left := cards_left(round):
        print(f"cards left: {','.join(map(str, left))}")


def _replay_json(round: Round) -> dict[str, object]:
    return {
        "nets": {seat.label: seat.net / TICKS for seat in round.seats},
        "dealer": [str(card) for card in round.dealer.cards],
        "events": [str(event) for event in round.events],
        "cards_left": [str(card) for card in cards_left(round)],
    }


def _solve_parser(parser: argparse.ArgumentParser) -> None:
    parser.description = "Print the exact value of a round under the best play, or of each action for a hand."
    parser.epilog = "example: bj solve --rules '6D H17 DAS LS' --hand T,6 --upcard T"
    _rules_option(parser)
    parser.add_argument("--hand", help="the hand's cards, like T,6")
    parser.add_argument("--upcard", help="the dealer's card, like T")
    _shoe_option(parser)
    _json_option(parser)
    parser.set_defaults(run=_solve)


def _solve(options: argparse.Namespace) -> None:
    from bj_env.cli.solve import solve_command  # only where it is used: it needs numba

    solve_command(options.rules, hand=options.hand, upcard=options.upcard, shoe=options.shoe, as_json=options.json)


def _chart_parser(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Print the best total-dependent chart, its near-ties, and the hands that are better played otherwise."
    )
    _rules_option(parser)
    _shoe_option(parser)
    parser.add_argument("--picture", type=Path, help="write the chart to an .svg file instead")
    _json_option(parser)
    parser.set_defaults(run=_chart)


def _chart(options: argparse.Namespace) -> None:
    from bj_env.cli.solve import chart_command  # only where it is used: it needs numba

    chart_command(options.rules, shoe=options.shoe, as_json=options.json, picture=options.picture)


def _shoe_option(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--shoe", help="what the shoe holds: ten counts for A,2..9,T (default: full decks)")


def _bench_parser(parser: argparse.ArgumentParser) -> None:
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.description = """\
Measure strategies on the same shoes: net of a round in percent of a bet with
its 95 % interval, the paired difference to basic strategy, and, where a
strategy is total-dependent, its exact value and regret. Strategies that can be
compiled play millions of rounds a second.

A strategy is a name (basic, mimic, threshold:15, never-bust, random, hi-lo)
or the folder of a saved policy, which plays its best action; with sampled:
before it, it draws its actions as in training."""
    parser.epilog = """\
examples:
  bj bench runs/default/policy mimic
  bj bench runs/a/policy sampled:runs/a/policy --rules '6D H17 DAS LS'
  bj bench threshold:15 random --half-width 0.05   until all is known to ± 0.05
  bj bench runs/default/policy --png policy.png    its chart beside the best
  bj bench hi-lo --rules '6D H17 PEN75' --ramp 1:2,2:4,3:8,4:12
  bj bench mimic --rounds 1e7 --json

Ctrl-C shows what is done so far. In JSON every value is in smallest bets a
round, rounds_per_second apart; the table shows percents of a bet."""
    parser.add_argument("policies", nargs="+", metavar="STRATEGY", help="a name or a policy folder")
    _rules_option(parser)
    parser.add_argument("--seats", default=AGENT, help="who sits where, like basic,agent (default: agent)")
    parser.add_argument("--rounds", help="rounds for each strategy, like 1e6 (default: what some seconds allow)")
    parser.add_argument(
        "--half-width", metavar="PERCENT", help="play until no interval is wider to either side; --rounds is the most"
    )
    parser.add_argument(
        "--ramp",
        metavar="STEPS",
        help="bets of strategies that count: 1:2,3:8 bets 2 units from a count of 1, 8 from 3",
    )
    parser.add_argument(
        "--ray", nargs="?", const="auto", metavar="ADDRESS", help="play on a Ray cluster: this machine, or HOST:PORT"
    )
    parser.add_argument("--seed", default="1", help="seed of the shoes, below 2**32 (default: 1)")
    parser.add_argument("--threads", help="threads or processes (default: one a core)")
    parser.add_argument("--png", metavar="FILE", type=Path, help="draw values, and charts beside the best one")
    _json_option(parser)
    parser.set_defaults(run=_bench)


def _bench(options: argparse.Namespace) -> None:
    given = {
        name: getattr(options, name)
        for name in ("seats", "ramp", "rounds", "half_width", "seed", "threads", "ray", "png")
    }
    bench_command(options.rules, options.policies, **given, as_json=options.json, bar=progress_bar())


def progress_bar() -> Progress:
    """Return a progress bar on standard error, with the time that is left; silent where nobody watches."""
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    console = Console(stderr=True)
    return Progress(*columns, console=console, transient=True, disable=not console.is_terminal)
