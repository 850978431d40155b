"""Reset options: where an episode starts, if not with a random deal."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from functools import partial
from typing import Any, NamedTuple, Self

import numpy as np

from bj_env.errors import BlackjackError, choices, items_of, real_number, shortened
from bj_env.game.cards import Card, card, from_face
from bj_env.game.notation import Line, house_text, parse, parse_cards
from bj_env.game.participants import Player
from bj_env.game.replay import replay, stacked
from bj_env.game.rng import Stream
from bj_env.game.shoe import Shoe
from bj_env.game.table import Table
from bj_env.observation import MOST_COUNT
from bj_env.rules.numbered import deals_hole_card
from bj_env.rules.terms import Rules
from bj_env.strategies.count_systems import Count

OPTIONS = ("line", "shoe", "hand", "upcard", "count")


class ShoeState(NamedTuple):
    """A shoe by the ranks of its cards.

    Attributes:
        dealt: the discards, in the order in which they were dealt.
        stacked: the cards to come first, 0 for one that is drawn at random.
        rest: the cards that random ones are drawn from.
        seen: how many of each value 1..10 have been seen (index 0 unused).
    """

    dealt: list[int]
    stacked: list[int]
    rest: list[int]
    seen: list[int]


class Start(NamedTuple):
    """How the first round of an episode begins.

    Attributes:
        cards: dealt first, in order, None for one that is drawn at random; None in place of all if nothing is given.
        bets: in chips by seat, if they are given.
        banks: chips by seat, None where it is as always.
        line: the line whose actions are played first.
        at: how it is counted and at which count the round begins, if that is given.
    """

    cards: list[Card | None] | None = None
    bets: tuple[int, ...] | None = None
    banks: tuple[float | None, ...] = ()
    line: Line | None = None
    at: tuple[Count, float] | None = None

    @classmethod
    def read(cls, options: Mapping[str, Any] | None, rules: Rules, seats: int, agent: int, count: Count) -> Self:
        """Read ``reset(options=)`` for a table of so many seats, ``agent`` the first that the agent plays.

        Raises:
            BlackjackError: at an unknown, contradictory or senseless option.
        """
        if options is not None and not isinstance(options, Mapping):
            raise BlackjackError(f"options: expected names with values, like {{'hand': 'T,6'}}, got {options!r}")
        given = dict(options or {})
        for name in given:
            if name not in OPTIONS:
                raise BlackjackError(f"options: unknown option {name!r}; {choices(name, OPTIONS)}")
        if ("line" in given and len(given) > 1) or ("shoe" in given and len(given) > 1):
            raise BlackjackError(f"options: 'line' and 'shoe' stand alone, got {', '.join(map(repr, given))}")
        if "line" in given:
            start = cls._of_line(given["line"], rules, seats)
        elif "shoe" in given:
            start = cls(cards=list(_cards("shoe", given["shoe"])))
        else:
            start = cls(cards=_start_cards(given, rules, seats, agent) if given else None)
        if "count" in given:
            start = start._replace(at=(count, _checked_count(given["count"], rules)))
        if start.cards is not None:
            Shoe(rules, 0).stack(start.cards)  # raises if no shoe of the house holds the cards
        return start

    def shoe_states(self, rules: Rules, streams: Iterable[Stream]) -> Iterator[ShoeState]:
        """Return the shoe of the start for each of several tables, given the random numbers of their shoes.

        >>> next(Start(cards=[None, card("T")]).shoe_states(Rules(decks=1), [Stream(0)])).stacked
        [0, 10]
        """
        table = Table(rules, [Player("P1")])
        table.stack(self.cards or ())
        dealt, stacked, rest = table.shoe.ranks()
        if self.at is None:
            for _ in streams:
                yield ShoeState(dealt, stacked, rest, table.shoe.seen)
            return
        discards = table.shoe.discards_at(*self._counted(rules))
        for stream in streams:
            discarded, left = discards.draw(stream)
            seen = np.bincount([card.value for card in discarded], minlength=11).tolist()
            yield ShoeState([int(card.rank) for card in discarded], stacked, [int(card.rank) for card in left], seen)

    def apply(self, table: Table) -> None:
        """Stack the cards of the start on a table's shoe, at the count that it asks for."""
        if self.at is None:
            table.stack(self.cards or ())
        else:
            table.stack_at(self.cards or (), *self._counted(table.rules))

    def _counted(self, rules: Rules) -> tuple[Sequence[float], Callable[[int], float]]:
        """Return the tags, and what the tags of so many discards sum to at the count that the start asks for."""
        assert self.at is not None, "the start asks for no count"
        count, value = self.at
        return count.system.tags, partial(count.tags_seen_at, rules.decks, value)

    @classmethod
    def _of_line(cls, text: str, rules: Rules, seats: int) -> Self:
        line = parse(text)
        if line.rules != rules:
            raise BlackjackError(
                f"options: expected a line under {house_text(rules)!r}, got {house_text(line.rules)!r}"
            )
        if len(line.seats) != seats:
            raise BlackjackError(f"options: expected a line with {seats} seats, got {len(line.seats)}")
        if line.result is not None:
            replay(line)  # raises if the result is not that of the round
        bets, banks = tuple(seat.bet for seat in line.seats), tuple(seat.bank for seat in line.seats)
        return cls(list(stacked(line)), bets, banks, line)


def _checked_count(count: Any, rules: Rules) -> float:
    number = real_number(count)
    if not -MOST_COUNT <= number <= MOST_COUNT:
        raise BlackjackError(f"options: expected a count from {-MOST_COUNT} to {MOST_COUNT}, got {shortened(count)}")
    if rules.decks == 0:
        raise BlackjackError("options: 'count' needs a number of decks; got an infinite shoe")
    return number


def _start_cards(given: Mapping[str, Any], rules: Rules, seats: int, agent: int) -> list[Card | None]:
    """Lay out a hand and an up card in the order of the deal, when every seat plays."""
    hole = 1 if deals_hole_card(rules) else 0
    cards: list[Card | None] = [None] * (2 * seats + 1 + hole)
    if "hand" in given:
        hand = _cards("hand", given["hand"])
        if len(hand) != 2:
            raise BlackjackError(f"options: expected two cards for 'hand', like 'T,6', got {given['hand']!r}")
        cards[agent], cards[seats + 1 + agent] = hand
    if "upcard" in given:
        upcard = _cards("upcard", given["upcard"])
        if len(upcard) != 1:
            raise BlackjackError(f"options: expected one card for 'upcard', got {given['upcard']!r}")
        cards[seats] = upcard[0]
    return cards


def _cards(name: str, given: Any) -> tuple[Card, ...]:
    if isinstance(given, str):
        return tuple(map(from_face, parse_cards(given)))
    expected = f"cards for {name!r}, like 'T,6'"
    if isinstance(given, Set | Mapping):  # which have no order
        raise BlackjackError(f"options: expected {expected}, got {shortened(given)}")
    words = items_of("options", given, expected)
    return tuple(word if isinstance(word, Card) else card(str(word).strip()) for word in words)
