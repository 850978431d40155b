"""The options of every command, and what each command runs; whatever is heavy is imported by the one that needs it."""

import argparse
import json
from dataclasses import fields
from importlib.metadata import version

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from bj_env.cli.bench import Options, bench_command
from bj_env.cli.dataset import dataset_command, dataset_parser
from bj_env.cli.practice import drill_parser, practice_parser
from bj_env.cli.values import file_path, whole_number
from bj_env.errors import BlackjackError
from bj_env.extras import missing
from bj_env.game.notation import chips_text
from bj_env.game.replay import cards_left, replay
from bj_env.game.rng import SEEDS
from bj_env.game.round import Round
from bj_env.play.titles import grouped_houses
from bj_env.rules import houses
from bj_env.rules.terms import MOST_CHIPS, TICKS


def command_parsers() -> tuple[argparse.ArgumentParser, dict[str, argparse.ArgumentParser]]:
    """Return the parser of ``bj``, and those of its commands by name."""
    parser = argparse.ArgumentParser(
        "bj",
        description="Casino blackjack: rules in words, rounds replayed, strategies measured. "
        "Results are in percent of the smallest bet a round on the screen, and in bets with --json.",
        epilog="bj COMMAND --help explains a command, with examples.",
    )
    parser.add_argument("--version", action="version", version=f"bj {version('bj-env')}")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    _play_parser(commands.add_parser("play", help="play in the terminal"))
    _table_parser(commands.add_parser("table", help="play in the browser"))
    drill_parser(commands.add_parser("drill", help="practise hands and counting in the terminal"))
    practice_parser(commands.add_parser("practice", help="what you have practised"))
    _houses_parser(commands.add_parser("houses", help="list the named houses"))
    _rules_parser(commands.add_parser("rules", help="say rules in words"))
    _replay_parser(commands.add_parser("replay", help="play a round that is written as a line"))
    _solve_parser(commands.add_parser("solve", help="exact values of a round, or of a hand"))
    _chart_parser(commands.add_parser("chart", help="the best strategy chart for any rules"))
    _bench_parser(commands.add_parser("bench", help="measure strategies against each other on the same shoes"))
    _count_parser(commands.add_parser("count", help="what a card counter wins and risks"))
    _dataset_parser(commands.add_parser("dataset", help="record rounds for offline learning"))
    return parser, dict(commands.choices)


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
    parser.add_argument("--bankroll", metavar="N", help="chips that each seat begins with (default: 1000)")
    parser.add_argument("--seed", metavar="N", help="seed of the shoe, for a game that can be dealt again")
    parser.add_argument("--save", type=file_path, metavar="FILE", help="keep the games in this file")
    parser.add_argument("--new", action="store_true", help="begin anew; the game before is set aside")
    parser.add_argument("--plain", action="store_true", help="one event a line in words, for screen readers")
    parser.add_argument(
        "--no-practice", dest="practice", action="store_false", help="do not review decisions once they are made"
    )
    parser.add_argument("--count", action="store_true", help="ask for the Hi-Lo count now and then")
    parser.set_defaults(run=_play)


def _play(options: argparse.Namespace) -> None:
    try:
        from bj_env.play.terminal.resume import Wish  # only where it is used: it is an extra
        from bj_env.play.terminal.session import Options as PlayOptions
        from bj_env.play.terminal.session import play_command
    except ModuleNotFoundError as error:
        raise BlackjackError(missing(error.name or "a package", "play")) from None
    numbers = {}
    for name, (least, most) in {"bankroll": (1, MOST_CHIPS), "seed": (0, SEEDS - 1)}.items():
        written = getattr(options, name)
        numbers[name] = None if written is None else whole_number(name, written, least, most)
    wish = Wish(options.house, options.seats, options.dealer, **numbers)
    play_command(wish, PlayOptions(**{field.name: getattr(options, field.name) for field in fields(PlayOptions)}))


def _table_parser(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Serve a table for the browser: a page at an address of this computer that nobody else can reach, unless "
        "--host is given. House, seats and money are chosen on the page; every game is kept, and goes on after a "
        "restart. Ctrl-C ends it."
    )
    parser.epilog = "example: bj table --house campus-h17 --policies runs/default/policy"
    parser.add_argument("--port", default="8000", help="where to listen; 0 takes any that is free (default: 8000)")
    parser.add_argument(
        "--host",
        metavar="ADDRESS",
        help="serve a network too, at this IP address of this computer, to those who have the link with its key; "
        "not encrypted: docs/table.md names the risks",
    )
    parser.add_argument("--house", default="six-deck", help="the house that comes first (default: six-deck)")
    parser.add_argument(
        "--policies",
        nargs="+",
        default=[],
        metavar="FOLDER",
        help="saved policies for the seats, and for the coach to ask",
    )
    parser.add_argument("--save", type=file_path, metavar="FILE", help="keep the games in this file")
    parser.set_defaults(run=_table)


def _table(options: argparse.Namespace) -> None:
    try:
        from bj_env.play.web.server import (  # only where it is used: it needs the extra `play`
            Address,
            default_save,
            serve,
        )
    except ModuleNotFoundError as error:
        raise BlackjackError(missing(error.name or "a package", "play")) from None

    address = Address.checked(options.host, whole_number("port", options.port, 0, 65535))
    serve(options.house, options.policies, address=address, save=options.save or default_save())


def _houses_parser(parser: argparse.ArgumentParser) -> None:
    parser.description = "List the named houses by group, each with its rule text. Say one in words with: bj rules NAME"
    _json_option(parser)
    parser.set_defaults(run=_houses)


def _houses(options: argparse.Namespace) -> None:
    if options.json:
        print(json.dumps(houses.HOUSES))
        return
    width, group = max(map(len, houses.HOUSES)), ""
    for kind, name, title in grouped_houses():
        if kind != group:
            print(kind)
            group = kind
        print(f"  {name:<{width}}  {title}", f"  {'':<{width}}  {houses.HOUSES[name]}", sep="\n")


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
    parser.epilog = (
        "example: bj solve --rules '6D H17 DAS LS' --hand T,6 --upcard T. --json: ev, ev_by_upcard, "
        "ev_total_dependent, values, early, insurance and split_by_class are in initial bets; seconds are seconds."
    )
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
    parser.add_argument("--picture", type=file_path, help="write the chart to an .svg file instead")
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
Measure strategies on the same shoes: the mean net of a round in percent of the
smallest bet with its 95 % interval, the paired difference to basic strategy,
and, where a strategy is total-dependent, its exact value and regret. Whatever
can be compiled is: millions of rounds a second.

A strategy is a name (basic, mimic, threshold:15, never-bust, random, hi-lo)
or the folder of a saved policy, which plays its best action; with sampled:
before it, it draws its actions as in training."""
    parser.epilog = """\
examples:
  bj bench runs/default/policy mimic
  bj bench runs/a/policy sampled:runs/a/policy --rules '6D H17 DAS LS'
  bj bench threshold:15 random --half-width 0.05   until all is known to ± 0.05
  bj bench runs/default/policy --png policy.png    its chart beside the best
  bj bench hi-lo --ramp 1:2,2:4,3:8 --rules '6D H17 PEN75' --rounds 1e7
  bj bench hi-lo --ramp -99:0,1:1,2:4 --seats agent,basic --rules '6D PEN80'

Numbers may be written like 1e7 or 10_000_000. Ctrl-C shows what is done so far.

--json prints the setting and, for each strategy, name, mode, rounds; in bets a
round: ev, stderr, difference, difference_stderr, exact_ev, regret,
composition_dependent_regret, sd; agreement (a share); rounds_per_second;
costliest (often a round, cost in bets); bankroll (n0 in rounds, score in $,
risk_of_ruin)."""
    parser.add_argument("policies", nargs="+", metavar="STRATEGY", help="a name or a policy folder")
    _rules_option(parser)
    parser.add_argument("--seats", default="agent", help="who sits where, like basic,agent (default: agent)")
    parser.add_argument("--rounds", help="rounds for each strategy, like 1e6 (default: what some seconds allow)")
    parser.add_argument(
        "--half-width", metavar="PERCENT", help="play until no interval is wider to either side; --rounds is the most"
    )
    parser.add_argument(
        "--ramp", help="bets of the strategies that count: from true count 1 on 2 bets, ..., else 1, like 1:2,2:4,3:8"
    )
    parser.add_argument("--seed", default="1", help="of the shoes, below 2**32 (default: 1)")
    parser.add_argument("--threads", help="threads or processes (default: one a core)")
    parser.add_argument(
        "--ray", nargs="?", const="auto", metavar="ADDRESS", help="play on a Ray cluster: this machine, or HOST:PORT"
    )
    parser.add_argument("--png", metavar="FILE", type=file_path, help="draw values, and charts beside the best one")
    _json_option(parser)
    parser.set_defaults(run=_bench)


def _bench(options: argparse.Namespace) -> None:
    given = Options(**{name: getattr(options, name) for name in Options._fields})
    bench_command(options.policies, given, progress_bar())


def _dataset_parser(parser: argparse.ArgumentParser) -> None:
    dataset_parser(parser)
    parser.set_defaults(run=lambda options: dataset_command(options, progress_bar()))


def _count_parser(parser: argparse.ArgumentParser) -> None:
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.description = """\
What a card counter wins and risks: how often each count stands before the
deal, the edge there, the best bets within a spread, and what they come to:
SCORE, win per hour, standard deviation, N0, risk of ruin.

Edges are exact values of shoes met in play, carried to all rounds by a fitted
control variate, with standard errors. docs/counting.md explains every figure."""
    parser.epilog = """\
examples:
  bj count --rules '6D S17 DAS LS PEN75' --spread 1-8
  bj count --rules '2D H17 DAS NS PEN65' --system zen --indices full
  bj count --spread 1-12 --unit 25 --bankroll 20000 --trip 2000 --goal 10000
  bj count --ramp 1:2,2:4,3:8 --json        bets of your own
  bj count --spread 0-8                      sit out where there is no edge
  bj count --half-width 1                    SCORE to 1 %, 95 % interval"""
    parser.add_argument(
        "--rules", default="6D S17 DAS LS PEN75", help="a house, a rule text or a file (default: 6D S17 DAS LS PEN75)"
    )
    parser.add_argument("--system", default="hi-lo", help="a counting system, like ko or 'hi-lo half' (default: hi-lo)")
    parser.add_argument("--indices", default="i18", help="none, i18 (and Fab 4, insurance) or full (default: i18)")
    parser.add_argument("--spread", default="1-8", help="smallest and largest bet; 0-8 sits out (default: 1-8)")
    parser.add_argument("--ramp", help="bets of your own in place of the best: from count 1 on 2, ..., like 1:2,3:8")
    parser.add_argument("--others", metavar="SEATS", help="who else plays, like basic,basic")
    parser.add_argument("--unit", default="1", help="the smallest bet in money (default: 1)")
    parser.add_argument("--bankroll", help="in money (default: 1000 units)")
    parser.add_argument("--rounds-per-hour", default="100", help="default: 100")
    parser.add_argument("--kelly", default="1", help="fraction of full Kelly (default: 1)")
    parser.add_argument("--risk", metavar="PERCENT", help="tell the bankroll that this risk of ruin takes")
    parser.add_argument("--trip", metavar="ROUNDS", help="tell the risk of ruin within so many rounds")
    parser.add_argument("--goal", metavar="MONEY", help="tell the risk of ruin before so much is won")
    parser.add_argument("--rounds", default="3e7", help="rounds to play (default: 3e7)")
    parser.add_argument("--shoes", default="1200", help="shoes to work out exactly (default: 1200)")
    parser.add_argument("--half-width", metavar="PERCENT", help="go on until SCORE is known to this, 95 %% interval")
    parser.add_argument("--seed", default="1", help="of the shoes, below 2**32 (default: 1)")
    parser.add_argument("--csv", metavar="FILE", type=file_path, help="write the count table")
    parser.add_argument("--png", metavar="FILE", type=file_path, help="draw edge, frequency, bets and bankrolls")
    _json_option(parser)
    parser.set_defaults(run=_count)


def _count(options: argparse.Namespace) -> None:
    from bj_env.cli.count import count_command  # only where it is used: it needs numba

    count_command(options, progress_bar())


def progress_bar() -> Progress:
    """Return a progress bar on standard error, with the time that is left; silent where nobody watches."""
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    console = Console(stderr=True)
    return Progress(*columns, console=console, transient=True, disable=not console.is_terminal)
