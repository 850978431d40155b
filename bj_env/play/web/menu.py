"""What a page may choose from: houses, strategies, and the saved policies that the server was started with.

A page names these; no path that it sends ever reaches the file system.
"""

import sys
from collections.abc import Mapping, Sequence
from itertools import count
from pathlib import Path
from re import fullmatch
from typing import Any, NamedTuple, Self

from bj_env.errors import BlackjackError, PolicyError, choices
from bj_env.game.decision import Decision
from bj_env.play.setup import BANKROLL, COMPANY, HOUSE, MOST_SEATS, PERSON, STAKES, Setup, is_person
from bj_env.rules.houses import HOUSES, parse, parse_rules, text, words
from bj_env.strategies.registry import SAMPLED, STRATEGIES, strategy

_THRESHOLD = r"threshold:\d{1,2}"


class Menu(NamedTuple):
    """What a page may choose from.

    Attributes:
        house: the house that comes first.
        folders: the folders of the saved policies, by the names under which they are offered.
        decisions: the same policies, loaded for the coach.

    >>> Menu.of("six-deck").house
    'six-deck'
    """

    house: str
    folders: Mapping[str, str]
    decisions: Mapping[str, Decision]

    @classmethod
    def of(cls, house: str, folders: Sequence[str] = ()) -> Self:
        """Return an offer.

        Args:
            house: a house, a rule text or a TOML file.
            folders: of saved policies, perhaps with ``sampled:`` before them.

        Raises:
            BlackjackError: at a house or a policy that does not read.
        """
        rules = parse_rules(house)
        named = policy_names(folders)
        decisions = {name: strategy(folder) for name, folder in named.items()}
        return cls(house if house in HOUSES else text(rules), named, decisions)

    def menu(self) -> dict[str, Any]:
        """Return what a page shows to choose from."""
        return {
            "houses": [{"name": name, **serialize_house(name)} for name in HOUSES],
            "house": self.house,
            "strategies": [*STRATEGIES, *self.folders],
            "seats": MOST_SEATS,
            "bankroll": BANKROLL,
        }

    def setup(self, *, house: str, seats: Sequence[str], dealer: str, bankroll: int) -> Setup:
        """Return the setup that a page asks for.

        Raises:
            BlackjackError: naming what is wrong.
        """
        known = house if house in HOUSES else text(parse(house))
        try:
            return Setup.checked(known, list(map(self._seat, seats)), dealer=dealer, bankroll=bankroll)
        except PolicyError as error:
            print(f"bj table: {error}", file=sys.stderr)  # where a policy lies is nothing that a page is told
            raise BlackjackError("seats: a policy there does not load any more; the terminal says more") from None

    def _seat(self, wanted: str) -> str:
        wanted = wanted.strip()
        if is_person(wanted) or wanted in STRATEGIES or fullmatch(_THRESHOLD, wanted):
            return wanted
        if wanted in self.folders:
            return self.folders[wanted]
        raise BlackjackError(f"seats: got {wanted!r}; {choices(wanted, [PERSON, *STRATEGIES, *self.folders])}")

    def name(self, seat: str) -> str:
        """Return how a seat's text is shown: a policy by its name, everything else as it is."""
        for name, folder in self.folders.items():
            if folder == seat:
                return name
        return Path(seat).name if "/" in seat and not is_person(seat) else seat


def serialize_house(house: str) -> dict[str, Any]:
    """Return what a page tells of a house: its rules as text and in words, and who sits there by itself.

    >>> serialize_house("campus-s17")["stake"], serialize_house("even-money")["seats"]
    (100, ['you', 'mimic', 'basic'])
    """
    rules = parse(HOUSES.get(house, house))
    return {
        "rules": HOUSES.get(house) or text(rules),
        "words": words(rules),
        "seats": list(COMPANY.get(house, (PERSON,))),
        "dealer": HOUSE,
        "stake": STAKES.get(house),
    }


def policy_names(folders: Sequence[str]) -> dict[str, str]:
    """Return folders, made absolute, by short names that differ from each other and from every other seat's.

    >>> list(policy_names(["runs/a/policy", "runs/b/policy", "sampled:runs/b/policy", "basic"]))
    ['a', 'b', 'b, sampled', 'basic 2']
    """
    named: dict[str, str] = {}
    taken = {PERSON, HOUSE, *STRATEGIES}
    for folder in folders:
        sampled, path = folder.startswith(SAMPLED), Path(folder.removeprefix(SAMPLED)).absolute()
        short = path.parent.name if path.name == "policy" else path.name
        short += ", sampled" if sampled else ""
        name = next(name for n in count(1) if (name := short if n == 1 else f"{short} {n}") not in taken)
        taken.add(name)
        named[name] = (SAMPLED if sampled else "") + str(path)
    return named
