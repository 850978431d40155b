"""Setups: who sits down to play, at which house, with what money."""

from collections.abc import Sequence
from secrets import randbits
from typing import NamedTuple, Self

from bj_env.errors import BlackjackError, UnknownStrategy
from bj_env.game.rng import SEEDS
from bj_env.rules.houses import parse_rules
from bj_env.rules.terms import DECK, Rules, check_first_deal, checked_number
from bj_env.strategies.registry import strategy

PERSON = "you"
"""What stands for a person in a list of seats; ``you:ann`` gives the person a name."""
HOUSE = "house"
"""What stands for the house's own dealer."""
MOST_SEATS = 7
MOST_LETTERS = 40
BANKROLL = 1000

STAKES = {"campus-s17": 100}
"""Houses of textbook games in which every bet is the same, in chips."""
COMPANY = {"even-money": (PERSON, "mimic", "basic"), "hit-stand": (PERSON, "mimic", "basic")}
"""Houses of textbook games for several players, and who sits there if nobody is named."""


class Setup(NamedTuple):
    """Who sits down to play, at which house, with what money; texts and numbers only, so that it can be kept.

    Attributes:
        house: the house's name, a rule text or a TOML file.
        seats: who sits where: ``"you"`` or ``"you:NAME"`` for a person, else a strategy's name or a policy folder.
        dealer: ``"house"``, or a person.
        bankroll: the chips that each seat begins with.
        seed: of all chance.
    """

    house: str
    seats: tuple[str, ...]
    dealer: str
    bankroll: int
    seed: int

    @classmethod
    def checked(
        cls,
        house: str = "six-deck",
        seats: Sequence[str] | None = None,
        *,
        dealer: str = HOUSE,
        bankroll: int = BANKROLL,
        seed: int | None = None,
    ) -> Self:
        """Return a setup that can be played; without a seed, one that nobody can guess.

        Raises:
            BlackjackError: naming what is wrong, a name in quotes.

        >>> Setup.checked("even-money", seed=1).seats
        ('you', 'mimic', 'basic')
        >>> Setup.checked(seats=["you:Ann", "you: ann"])
        Traceback (most recent call last):
        bj_env.errors.BlackjackError: seats: expected names that differ, got 'ann' twice
        """
        seats = COMPANY.get(house, (PERSON,)) if seats is None else tuple(map(str.strip, seats))
        if not 1 <= len(seats) <= MOST_SEATS:
            raise BlackjackError(f"seats: expected 1 to {MOST_SEATS}, got {len(seats)}")
        if seed is None:
            seed = randbits(64)
        setup = cls(
            house,
            seats,
            dealer.strip(),
            checked_number("bankroll", bankroll, 1, 10**9),
            checked_number("seed", seed, 0, SEEDS - 1),
        )
        setup._check()
        return setup

    def _check(self) -> None:
        rules = self.rules
        check_first_deal(rules, len(self.seats), DECK * rules.decks)
        if self.bankroll < rules.min_bet:
            raise BlackjackError(f"bankroll: expected at least the smallest bet, {rules.min_bet}, got {self.bankroll}")
        for seat in self.seats:
            if not is_person(seat):
                _check_strategy(seat)
        if self.dealer != HOUSE and not is_person(self.dealer):
            raise BlackjackError(f"dealer: expected {HOUSE!r}, {PERSON!r} or '{PERSON}:NAME', got {self.dealer!r}")
        if not any(map(is_person, (*self.seats, self.dealer))):
            raise BlackjackError(f"seats: expected a person, {PERSON!r} or '{PERSON}:NAME', in at least one of them")
        for seat in (*self.seats, self.dealer):
            if seat.startswith(f"{PERSON}:"):
                _check_name(given_name(seat))
        _check_differ([self.name(seat) for seat in (*range(len(self.seats)), -1)])

    @property
    def rules(self) -> Rules:
        """The rules that are played."""
        rules = parse_rules(self.house)
        stake = STAKES.get(self.house)
        return rules._replace(min_bet=stake, max_bet=stake) if stake else rules

    def name(self, seat: int) -> str:
        """Return what to call the one in a seat, -1 for the dealer's chair: a name, or the strategy's.

        >>> [Setup.checked(seats=["you", "basic", "you:Ann"]).name(seat) for seat in (0, 1, 2, -1)]
        ['you', 'basic', 'Ann', 'dealer']
        """
        who = self.dealer if seat < 0 else self.seats[seat]
        if given := given_name(who):
            return given
        if seat < 0:
            return "dealer"
        alone = self.seats.count(who) == 1
        if who == PERSON:
            return who if alone else f"player {seat + 1}"
        short = "/".join(who.split("/")[-2:])
        return short if alone else f"{short} {seat + 1}"


def is_person(seat: str) -> bool:
    """Tell whether a seat's text stands for a person."""
    return seat == PERSON or seat.startswith(f"{PERSON}:")


def given_name(seat: str) -> str:
    """Return the name that a seat's text gives to a person; empty if it gives none."""
    return seat.partition(":")[2].strip() if seat.startswith(f"{PERSON}:") else ""


def _check_strategy(seat: str) -> None:
    """Refuse what nobody is called, and say that people sit down too."""
    try:
        strategy(seat)
    except UnknownStrategy as error:
        raise UnknownStrategy(f"{error}, or {PERSON!r} or '{PERSON}:NAME' for a person") from None


def _check_name(name: str) -> None:
    """Refuse a name that says nothing, or the wrong thing."""
    if not name:
        raise BlackjackError(f"seats: expected a name after '{PERSON}:', got {name!r}")
    if name.casefold() in (PERSON, "dealer"):
        raise BlackjackError(f"seats: expected a name other than {PERSON!r} and the dealer's, got {name!r}")
    if len(name) > MOST_LETTERS or not name.isprintable():
        raise BlackjackError(f"seats: expected a name of at most {MOST_LETTERS} printable letters, got {name!r}")


def _check_differ(names: Sequence[str]) -> None:
    """Refuse names that cannot be told apart, a strategy's too; which results are whose goes by seat, not by name."""
    taken: set[str] = set()
    for name in names:
        if name.casefold() in taken:
            raise BlackjackError(f"seats: expected names that differ, got {name!r} twice")
        taken.add(name.casefold())
