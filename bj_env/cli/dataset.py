"""``bj dataset``: sessions of a mix of policies for offline learning, in Minari's format."""

import argparse
import json
import shlex

from rich.progress import Progress

from bj_env.cli.values import whole_number
from bj_env.rules.houses import parse_rules

MOST_ROUNDS = 10**9


def dataset_parser(parser: argparse.ArgumentParser) -> None:
    """Describe the command and its options."""
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.description = """\
Record sessions of 1000 rounds for offline learning, in Minari's format. The
policies take turns, a session each. Observations, actions, rewards, masks, nets
and the rounds in notation are kept; the same command gives the same data.

The data set goes where Minari looks: ~/.minari, or MINARI_DATASETS_PATH."""
    parser.epilog = """\
examples:
  bj dataset basic random runs/default/policy --rounds 1e6 --id some/mix-v0
  python -c 'import minari; print(minari.load_dataset("some/mix-v0"))'"""
    parser.add_argument("policies", nargs="+", metavar="POLICY", help="a strategy or the folder of a saved policy")
    parser.add_argument("--id", required=True, help="name of the data set, like blackjack/mix-v0")
    parser.add_argument("--rules", default="six-deck", help="a house, a rule text or a file (default: six-deck)")
    parser.add_argument("--seats", default="agent", help="who sits where, like basic,agent (default: agent)")
    parser.add_argument("--rounds", default="1e5", help="of all policies together (default: 1e5)")
    parser.add_argument("--seed", default="1", help="of the first session, below 2**32 (default: 1)")
    parser.add_argument("--json", action="store_true", help="machine-readable output")


def dataset_command(options: argparse.Namespace, bar: Progress) -> None:
    """Record a data set and say where it is.

    Raises:
        BlackjackError: if something is not valid, or Minari is missing.
    """
    from bj_env.analysis.dataset import SESSION, Mix, write_dataset  # only here: it takes minari

    mix = Mix(
        options.policies,
        parse_rules(options.rules),
        options.seats.split(","),
        whole_number("rounds", options.rounds, 1, MOST_ROUNDS),
        whole_number("seed", options.seed, 0, 2**32 - 1),
    )
    with bar:
        task = bar.add_task("rounds", total=mix.sessions * SESSION)
        folder = write_dataset(options.id, mix, command_of(options), lambda done: bar.advance(task, done))
    if options.json:
        print(json.dumps({"id": options.id, "folder": str(folder), "rounds": mix.sessions * SESSION}))
    else:
        print(f"{options.id}: {mix.sessions * SESSION:,} rounds in {folder}")


def command_of(options: argparse.Namespace) -> str:
    """Return the command that records the same data set.

    >>> given = argparse.Namespace(policies=["basic"], id="b-v0", rules="6D H17", seats="agent", rounds="1e3", seed="1")
    >>> command_of(given)
    "bj dataset basic --id b-v0 --rules '6D H17' --seats agent --rounds 1e3 --seed 1"
    """
    words = [f"--{name} {shlex.quote(getattr(options, name))}" for name in ("id", "rules", "seats", "rounds", "seed")]
    return " ".join(["bj dataset", shlex.join(options.policies), *words])
