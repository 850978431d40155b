"""What people read in place of names: titles of houses by group, a line on each strategy, and switches for rules."""

from collections.abc import Sequence
from typing import NamedTuple

from bj_env.rules.houses import HOUSES, text
from bj_env.rules.terms import Rules

GROUPS = {
    "Casino games": {
        "six-deck": "Six decks, dealer stands on soft 17",
        "six-deck-h17": "Six decks, dealer hits soft 17",
        "double-deck": "Two decks, dealer hits soft 17",
        "single-deck": "One deck, double on 10 and 11 only",
        "eight-deck-europe": "Europe: eight decks, no hole card",
        "six-five": "Six decks, blackjack pays only 6 to 5",
        "infinite": "Endless shoe, cards drawn with replacement",
    },
    "Textbook games": {
        "even-money": "Even money: hit or stand, in company",
        "hit-stand": "Hit or stand, blackjack pays 3 to 2",
        "campus-s17": "Campus: play, hit, stand for 100 chips",
        "two-player": "Two players, one in the dealer's chair",
        "campus-h17": "Campus: bets from 5, hand assessment",
    },
    "Gymnasium": {
        "sutton-barto": "Blackjack-v1 as gym.make gives it",
        "gymnasium-natural": "Blackjack-v1 with natural=True",
        "gymnasium-plain": "Blackjack-v1 with sab=False",
    },
}
"""The title of each named house, by group."""


def grouped_houses() -> list[tuple[str, str, str]]:
    """Return every named house as its group, name and title; one without a title has its name for one.

    >>> grouped_houses()[0]
    ('Casino games', 'six-deck', 'Six decks, dealer stands on soft 17')
    """
    titles = {house: (group, house, title) for group, houses in GROUPS.items() for house, title in houses.items()}
    groups = list(GROUPS)
    known = [titles.get(house, (groups[0], house, house)) for house in HOUSES]
    return sorted(known, key=lambda one: groups.index(one[0]))


class Switch(NamedTuple):
    """One rule that a form can change.

    Attributes:
        title: what the form calls it.
        options: the token of a rule text and its title, by option; an empty token says nothing.
    """

    title: str
    options: Sequence[tuple[str, str]]


SWITCHES = (
    Switch("Decks", [(f"{n}D", str(n)) for n in (1, 2, 4, 6, 8)] + [("INF", "endless")]),
    Switch("Cut card", [("", "shuffle every round"), ("PEN50", "at 50 %"), ("PEN75", "at 75 %"), ("PEN85", "at 85 %")]),
    Switch("Soft 17", [("S17", "dealer stands"), ("H17", "dealer hits")]),
    Switch("Blackjack pays", [("3:2", "3 to 2"), ("6:5", "6 to 5"), ("7:5", "7 to 5"), ("1:1", "1 to 1")]),
    Switch(
        "Hole card",
        [
            ("PEEK", "looked at first"),
            ("NOPEEK", "looked at last"),
            ("ENHC", "none"),
            ("OBO", "none, original bet"),
        ],
    ),
    Switch(
        "Double",
        [("DOA", "any two cards"), ("D9", "hard 9 to 11"), ("D10", "hard 10, 11"), ("D11", "hard 11"), ("D0", "never")],
    ),
    Switch("Double after split", [("DAS", "yes"), ("NDAS", "no")]),
    Switch("Hands by splitting", [("SP1", "no splits"), ("SP2", "2"), ("SP3", "3"), ("SP4", "4")]),
    Switch("Resplit aces", [("", "no"), ("RSA", "yes")]),
    Switch("Hit split aces", [("", "no"), ("HSA", "yes")]),
    Switch("Surrender", [("NS", "none"), ("LS", "late"), ("ES", "early"), ("ES10", "early, not against an ace")]),
    Switch("Insurance", [("INS", "yes"), ("NINS", "no")]),
)
"""The rules that the form of the web table shows, each with the tokens of `bj_env.rules.houses`."""


def chosen_options(rules: Rules) -> list[str | None]:
    """Return the token that each switch shows for these rules; None if the form has no such option.

    >>> chosen_options(Rules(decks=2, penetration=0.75))[:3]
    ['2D', 'PEN75', 'S17']
    """
    said = set(text(rules).split())
    return [
        next((token for token, _ in switch.options if token in said), "" if ("" in dict(switch.options)) else None)
        for switch in SWITCHES
    ]
