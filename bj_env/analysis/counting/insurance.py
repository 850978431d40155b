"""Insurance by count: exact gains by cards left, and exact thresholds by running count and cards left."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from fractions import Fraction
from math import comb
from typing import NamedTuple

from bj_env.analysis.counting.efficiencies import tags_of
from bj_env.errors import BlackjackError
from bj_env.rules.terms import checked_number
from bj_env.strategies.count_systems import System

ACE_UP = 1 / 13
"""The chance that the dealer shows an ace."""

BREAK_EVEN = Fraction(1, 3)
"""Insurance at 2 to 1 pays from this share of tens on; there it costs nothing."""

TEN = 9
"""The place of the ten-values among A,2..9,T."""

Cards = tuple[int, ...]


class InsuranceGain(NamedTuple):
    """What insurance adds to a round when half the bet is insured whenever it pays, in initial bets.

    Attributes:
        decks, cards_left: the shoe, and the cards not seen once the dealer shows an ace.
        perfect: with the share of tens known.
        counted: with a running count known.
    """

    decks: int
    cards_left: int
    perfect: float
    counted: float

    @property
    def efficiency(self) -> float:
        """The part of the perfect gain that the count gets; 0 if there is none to get."""
        return self.counted / self.perfect if self.perfect else 0.0


def insurance_gain(source: System | str | Sequence[float], decks: int, cards_left: int) -> InsuranceGain:
    """Return the exact gain of insurance by a count and by perfect knowledge.

    Args:
        source: a system, its name, or ten tags.
        decks: of the shoe.
        cards_left: how many cards are not seen, the hole card among them; only the dealer's ace is known of the rest.

    Raises:
        BlackjackError: if a number is out of range.

    >>> found = insurance_gain("hi-lo", 6, 52)
    >>> round(100 * found.perfect, 8), round(found.efficiency, 6)
    (0.15324223, 0.623467)
    """
    decks = checked_number("decks", decks, 1, 16)
    shoe = shoe_without(decks, [1])
    left = checked_number("cards left", cards_left, 1, sum(shoe))
    chances, tens = _by_sum_of_tags(shoe, tags_of(source), left)
    counted = ACE_UP * sum(max(0.0, 0.5 * (3 * tens[at] / left - chances[at])) for at in chances)
    return InsuranceGain(decks, left, ACE_UP * _perfect(shoe, left), float(counted))


def _perfect(shoe: Cards, left: int) -> float:
    rest, tens = sum(shoe) - shoe[TEN], shoe[TEN]
    ways = [(held, comb(tens, held) * comb(rest, left - held)) for held in range(min(tens, left) + 1)]
    return sum(max(0.0, 0.5 * (3 * held / left - 1)) * (way / comb(rest + tens, left)) for held, way in ways)


def shoe_without(decks: int, cards: Iterable[int]) -> Cards:
    """Return what is left of full decks without some cards, by value A,2..9,T.

    >>> shoe_without(1, [1, 10])
    (3, 4, 4, 4, 4, 4, 4, 4, 4, 15)
    """
    counts = [4 * decks] * 9 + [16 * decks]
    for card in cards:
        counts[card - 1] -= 1
    if min(counts) < 0:
        raise BlackjackError(f"hand: expected cards of {decks} decks, got too many of one value")
    return tuple(counts)


Table = dict[float, float]


def _by_sum_of_tags(shoe: Cards, tags: Sequence[float], left: int) -> tuple[Table, Table]:
    """Return, by the sum of the tags of so many unseen cards, its chance, and the chance times the mean tens held."""
    chances: Table = defaultdict(float)
    tens: Table = defaultdict(float)
    whole = comb(sum(shoe), left)
    for held in range(min(shoe[TEN], left) + 1):
        for total, ways in ways_of_sums(shoe[:TEN], tuple(tags[:TEN]), left - held).items():
            chance = float(comb(shoe[TEN], held) * ways / whole)
            at = round(total + held * tags[TEN], 6)
            chances[at] += chance
            tens[at] += chance * held
    return chances, tens


def ways_of_sums(shoe: Cards, tags: tuple[float, ...], cards: int) -> dict[float, int]:
    """Return in how many ways so many cards can be taken out, by the sum of their tags; exact integers.

    >>> ways_of_sums((2, 1), (1.0, -1.0), 2)
    {0.0: 2, 2.0: 1}
    """
    return _all_sums(shoe, tags).get(cards, {})


_SUMS: dict[tuple[Cards, tuple[float, ...]], dict[int, dict[float, int]]] = {}
"""The last shoe's ways; they serve every number of cards."""


def _all_sums(shoe: Cards, tags: tuple[float, ...]) -> dict[int, dict[float, int]]:
    key = shoe, tags
    if key not in _SUMS:
        _SUMS.clear()
        groups: dict[float, int] = defaultdict(int)
        for count, tag in zip(shoe, tags, strict=True):
            groups[tag] += count  # cards with one tag are one kind here
        _SUMS[key] = _ways(groups)
    return _SUMS[key]


def _ways(groups: dict[float, int]) -> dict[int, dict[float, int]]:
    ways: dict[int, dict[float, int]] = {0: {0.0: 1}}
    for tag, count in groups.items():
        more: dict[int, dict[float, int]] = defaultdict(lambda: defaultdict(int))
        for cards, sums in ways.items():
            for total, number in sums.items():
                for taken in range(count + 1):
                    more[cards + taken][total + tag * taken] += number * comb(count, taken)
        ways = more
    return {cards: dict(sorted(sums.items())) for cards, sums in ways.items()}


class Threshold(NamedTuple):
    """From how few cards on insurance pays at a running count.

    Attributes:
        running: the running count, with the hand and the dealer's ace counted.
        cards_left: the most cards not seen at which it pays; 0 if at none.
        true_count: the true count there.
    """

    running: float
    cards_left: int
    true_count: float


def tens_share(system: System, decks: int, hand: Sequence[int], running: float, cards_left: int) -> Fraction:
    """Return the exact chance that the hole card is a ten, given the running count and the cards left.

    Args:
        system: how is counted; ``running`` includes its start, the hand and the dealer's ace.
        decks: of the shoe.
        hand: the values of the player's cards.
        running: the running count.
        cards_left: how many cards are not seen, the hole card among them.

    Raises:
        BlackjackError: if no shoe has such a count with so many cards left.

    >>> from bj_env.strategies.count_systems import system
    >>> [tens_share(system("hi-lo"), 6, (2, 3), 1, left) >= BREAK_EVEN for left in (15, 17)]
    [True, False]
    """
    others = shoe_without(decks, [1, *hand])
    tags = system.tags[1:]
    unseen = round(system.start(decks) + decks * system.sum_per_deck - running, 6)
    ways = tens = 0
    for held in range(min(others[TEN], cards_left) + 1):
        rest = round(unseen - held * tags[TEN], 6)
        number = comb(others[TEN], held) * ways_of_sums(others[:TEN], tuple(tags[:TEN]), cards_left - held).get(rest, 0)
        ways, tens = ways + number, tens + held * number
    if not ways:
        raise BlackjackError(f"running count: no shoe of {decks} decks stands at {running:g} with {cards_left} left")
    return Fraction(tens, ways * cards_left)


def insurance_threshold(system: System, decks: int, hand: Sequence[int], running: float) -> Threshold:
    """Return from how few unseen cards on insurance pays at a running count, exactly.

    Raises:
        BlackjackError: if the hand is not two cards of the shoe.

    >>> from bj_env.strategies.count_systems import system
    >>> insurance_threshold(system("hi-lo"), 6, (2, 3), 9).cards_left
    151
    """
    if len(hand) != 2 or not all(card in range(1, 11) for card in hand):
        raise BlackjackError(f"hand: expected two cards, values from 1 to 10, got {hand!r}")
    for left in range(52 * decks - 3, 0, -1):
        try:
            share = tens_share(system, decks, hand, running, left)
        except BlackjackError:
            continue
        if share >= BREAK_EVEN:
            decks_left = left / 52
            return Threshold(running, left, running / decks_left)
    return Threshold(running, 0, 0.0)
