"""The menu of a page: houses, strategies, and the saved policies that the server was started with.

A page chooses among these names. No path that it sends reaches the file system.
"""

import sys
from collections.abc import Mapping, Sequence
from functools import cache
from itertools import count
from pathlib import Path
from re import fullmatch
from typing import Any, NamedTuple, Self

from bj_env.display.chips import CHIPS
from bj_env.errors import BlackjackError, PolicyError, choices
from bj_env.game.decision import Decision
from bj_env.play.count_drills import COUNT_DRILLS, RAMP
from bj_env.play.drills import DRILLS
from bj_env.play.setup import BANKROLL, COMPANY, HOUSE, MOST_LETTERS, MOST_SEATS, PERSON, STAKES, Setup, is_person
from bj_env.play.titles import SWITCHES, chosen_options, grouped_houses
from bj_env.play.web.bodies import Sitter
from bj_env.rules.houses import HOUSES, painted, parse, parse_rules, text, words
from bj_env.rules.terms import ACTION_WORDS, Rules
from bj_env.strategies.count_systems import systems
from bj_env.strategies.registry import SAMPLED, STRATEGIES, strategy

_THRESHOLD = r"threshold:\d{1,2}"


class Menu(NamedTuple):
    """What a page may choose from.

    Attributes:
        house: the house that is selected first.
        folders: the folders of the saved policies, by the names under which they are offered.
        decisions: the same policies, loaded once, for the coach to ask.
        notice: what every page should say first; empty if nothing.

    >>> Menu.of("six-deck").house
    'six-deck'
    """

    house: str
    folders: Mapping[str, str]
    decisions: Mapping[str, Decision]
    notice: str = ""

    @classmethod
    def of(cls, house: str, folders: Sequence[str] = (), notice: str = "") -> Self:
        """Return a menu.

        Args:
            house: a house, a rule text or a TOML file.
            folders: of saved policies, ``sampled:`` before one that draws its actions.
            notice: what every page should say first.

        Raises:
            BlackjackError: if a house or a policy cannot be read.
        """
        rules = parse_rules(house)
        named = policy_names(folders)
        decisions = {name: strategy(folder) for name, folder in named.items()}
        return cls(house if house in HOUSES else text(rules), named, decisions, notice)

    def serialize(self) -> dict[str, Any]:
        """Return what a page shows to choose from."""
        return {
            "houses": [
                {"name": name, "group": group, "title": title, **serialize_house(name)}
                for group, name, title in grouped_houses()
            ],
            "house": self.house,
            "person": PERSON,
            "dealer": HOUSE,
            "strategies": [
                *({"name": name, "line": named.description} for name, named in STRATEGIES.items()),
                *({"name": name, "line": ""} for name in self.folders),
            ],
            "switches": [
                {
                    "title": switch.title,
                    "options": [{"token": token, "title": title} for token, title in switch.options],
                }
                for switch in SWITCHES
            ],
            "drills": [{"name": name, "text": text} for name, text in DRILLS.items()],
            "count_drills": [{"name": name, "text": text} for name, text in COUNT_DRILLS.items()],
            "systems": list(systems()),
            "ramp": RAMP,
            "most_seats": MOST_SEATS,
            "most_letters": MOST_LETTERS,
            "bankroll": BANKROLL,
            "chips": [size for size in CHIPS if size > 1],
            "keys": [{"key": words.key, "label": words.label} for words in ACTION_WORDS.values()],
            "notice": self.notice,
        }

    def setup(self, house: str, seats: Sequence[Sitter], dealer: Sitter, bankroll: int) -> Setup:
        """Return the setup that a page asks for.

        Raises:
            BlackjackError: naming what is wrong.
        """
        known = house if house in HOUSES else text(parse(house))
        try:
            return Setup.checked(known, list(map(self._seat, seats)), dealer=_person(dealer), bankroll=bankroll)
        except PolicyError as error:
            print(f"bj table: {error}", file=sys.stderr)  # the path of a policy is not sent to a page
            raise BlackjackError("seats: a policy there does not load any more; the terminal says more") from None

    def _seat(self, sitter: Sitter) -> str:
        wanted = sitter.who.strip()
        if wanted == PERSON:
            return _person(sitter)
        if wanted in STRATEGIES or fullmatch(_THRESHOLD, wanted):
            return wanted
        if wanted in self.folders:
            return self.folders[wanted]
        raise BlackjackError(f"seats: got {wanted!r}; {choices(wanted, [PERSON, *STRATEGIES, *self.folders])}")

    def name(self, seat: str) -> str:
        """Return how a seat's text is shown: a policy by its name, everything else unchanged."""
        for name, folder in self.folders.items():
            if folder == seat:
                return name
        return Path(seat).name if "/" in seat and not is_person(seat) else seat


def _person(sitter: Sitter) -> str:
    """Return the text of a person's seat: ``"you:Ann"`` with a name; anything else unchanged."""
    return f"{PERSON}:{sitter.name}" if sitter.who == PERSON and sitter.name else sitter.who


def serialize_house(house: str) -> dict[str, Any]:
    """Return what a page shows of a house.

    >>> serialize_house("campus-s17")["words"][-1], [seat["who"] for seat in serialize_house("even-money")["seats"]]
    ('Every bet is 100 chips.', ['you', 'mimic', 'basic'])
    """
    stake = STAKES.get(house)
    rules = parse(HOUSES.get(house, house))
    if stake:
        rules = rules._replace(min_bet=stake, max_bet=stake)
    return {
        "rules": HOUSES.get(house) or text(rules),
        "words": words(rules),
        "switches": chosen_options(rules),
        "seats": [{"who": seat, "name": ""} for seat in COMPANY.get(house, (PERSON,))],
    }


@cache
def felt_text(rules: Rules) -> list[str]:
    """Return what casinos print on the felt.

    >>> felt_text(Rules())
    ['blackjack pays 3 to 2', 'dealer draws to 16 and stands on a soft 17']
    """
    return [sentence.removeprefix("A ").removeprefix("The ").removesuffix(".") for sentence in painted(rules)]


def policy_names(folders: Sequence[str]) -> dict[str, str]:
    """Return folders, made absolute, by short names that differ from each other and from every strategy.

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
