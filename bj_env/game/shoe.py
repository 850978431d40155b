"""The shoe: cards in an order that is decided one card at a time, as they are drawn."""

from collections.abc import Callable, Iterable, Sequence

from bj_env.errors import BlackjackError
from bj_env.game.cards import FACES, Card, Rank
from bj_env.game.discards import Discards
from bj_env.game.rng import SEEDS, Stream
from bj_env.rules.numbered import shuffle_due
from bj_env.rules.terms import Rules, checked_number


class OutOfCards(Exception):
    """Raised when a card is asked for and there is none."""


class Shoe:
    """The cards still to come, in an order that is decided one card at a time, as they are drawn.

    A shoe always shuffles back to its own full composition: the decks of the rules, or ``cards``. The order is a
    Fisher-Yates shuffle over that composition, kept as the few places that differ from it.

    Args:
        rules: for the decks (0: every card is drawn with replacement) and the cut card.
        seed: of the random numbers that shuffle it.
        table: which of several tables with that seed it lies on.
        cards: the composition, if not the decks of the rules.

    Attributes:
        cards: the composition.
        rng: the random numbers that shuffle it.
        dealt: the cards drawn since the shuffle, in order.
        seen: how many cards of each value 1..10 have been face up since the shuffle (index 0 unused).
        infinite: whether every card is drawn with replacement.
    """

    __slots__ = (
        "_at",
        "_burned",
        "_fresh",
        "_front",
        "_kept",
        "_moved",
        "_pool",
        "_round_start",
        "_spent",
        "cards",
        "dealt",
        "infinite",
        "rng",
        "rules",
        "seen",
    )

    def __init__(self, rules: Rules, seed: int, *, table: int = 0, cards: Sequence[Card] | None = None) -> None:
        seed = checked_number("seed", seed, 0, SEEDS - 1)
        self.rules = rules
        self.infinite = rules.decks == 0
        self.cards = tuple(cards) if cards is not None else FACES * max(rules.decks, 1)
        self.rng = Stream(seed, table=table)
        self._spent = self._kept = False
        self._fresh = True
        self.seen = [0] * 11
        self._fill(self.cards)

    def _fill(self, pool: Sequence[Card]) -> None:
        self._pool = pool
        self._front: list[Card | None] = []
        self._at = 0
        self._burned = 0
        self._moved: dict[int, int] = {}
        self.dealt: list[Card] = []
        self._round_start = 0

    @property
    def shuffle_pending(self) -> bool:
        """Whether the next round begins with a shuffle: the shoe is new, or the cut card or the cards are out."""
        return self._fresh or self._shuffle_due

    @property
    def _shuffle_due(self) -> bool:
        if self._kept:
            return False
        return self._spent or (bool(self.dealt) and shuffle_due(self.rules, len(self.dealt), len(self.cards)))

    @property
    def left(self) -> int:
        """How many cards can be drawn before the shoe is out (of an infinite one: of the cards stacked on top)."""
        return len(self._front) + (0 if self.infinite else len(self._pool) - self._at)

    def shuffle(self) -> None:
        """Bring all cards back and start a new order."""
        self._fill(self.cards)
        self.rng.next_shoe()
        self._spent = False

    def shuffle_discards(self) -> bool:
        """Start a new order of the discards, the table's cards excluded; tell whether there were any."""
        discards = self.dealt[: self._round_start]
        if not discards:
            return False
        self._fill(discards)
        self.rng.next_shoe()
        self._spent = True
        return True

    def stacked_left(self) -> list[Card]:
        """Return the stacked cards that nobody has drawn, the next one first."""
        return [card for card in reversed(self._front) if card is not None]

    def ranks(self) -> tuple[list[int], list[int], list[int]]:
        """Return the ranks of the cards dealt, in order, of those stacked (0: drawn at random), and of the rest."""
        stacked = [int(card.rank) if card else 0 for card in reversed(self._front)]
        return [int(card.rank) for card in self.dealt], stacked, [int(card.rank) for card in self._rest()]

    def _rest(self) -> list[Card]:
        return [self._pool[self._moved.get(at, at)] for at in range(self._at, len(self._pool))]

    def retire(self) -> None:
        """Have the shoe shuffled before the next round, wherever its cut card is."""
        self._spent = True

    def begin_round(self) -> int | None:
        """Shuffle and burn cards if due; what was dealt until now are discards.

        Returns:
            How many cards were burned after a shuffle; None if there was no shuffle.
        """
        if self._shuffle_due:
            self.shuffle()
            self._fresh = True
        burned = self.rules.burn_cards if self._fresh else None
        if self._fresh:
            self._fresh = False
            self.seen = [0] * 11
            for _ in range(self.rules.burn_cards):
                self.burn()
        self._round_start = len(self.dealt)
        self._kept = False
        return burned

    def see_only(self, cards: Iterable[Card]) -> None:
        """Forget what was seen before a shuffle in mid-round, but not the cards on the table."""
        self.seen = [0] * 11
        for card in cards:
            self.seen[card.value] += 1

    def burn(self) -> None:
        """Draw a card that nobody sees; it is a discard."""
        self.draw()
        self._burned += 1

    def reshuffle_unseen(self, seed: int, hole: Card | None, fits: Callable[[Card], bool]) -> Card | None:
        """Decide anew, by another seed, what nobody has seen: burned cards, the hole card, the order of the rest.

        Args:
            seed: of the new random numbers.
            hole: the hole card that is face down now.
            fits: tells which cards it may be, for all that is known.

        Returns:
            The new hole card.
        """
        burned, dealt, start = self._burned, self.dealt, self._round_start
        rest = self._rest()
        hidden = [hole] if hole is not None else []
        self.rng = Stream(seed, table=self.rng.table, shoe=self.rng.shoe)
        self._fill(self.cards if self.infinite else [*self.stacked_left(), *rest, *dealt[:burned], *hidden])
        new = self._take(hole, fits)
        self.dealt = [self.draw() for _ in range(burned)] + dealt[burned:]
        self._burned, self._round_start = burned, start
        if hole in dealt and new is not None:
            self.dealt[len(dealt) - 1 - dealt[::-1].index(hole)] = new
        return new

    def _take(self, hole: Card | None, fits: Callable[[Card], bool]) -> Card | None:
        """Take a card that fits out of the pool, all such being equally likely."""
        if hole is None:
            return None
        places = [place for place, card in enumerate(self._pool) if fits(card)]
        chosen = places[self.rng.below(len(places))]
        if not self.infinite:
            self._moved[chosen] = 0
            self._at = 1
        return self._pool[chosen]

    def draw(self) -> Card:
        """Return the next card.

        Raises:
            OutOfCards: if there is none.
        """
        drawn = self._front.pop() if self._front else None
        if drawn is None:
            at = self._at
            left = len(self._pool) - at
            if left == 0:
                raise OutOfCards
            chosen = at + self.rng.below(left)
            drawn = self._pool[self._moved.get(chosen, chosen)]
            if not self.infinite:
                self._moved[chosen] = self._moved.get(at, at)
                self._at = at + 1
        self.dealt.append(drawn)
        return drawn

    def stack(self, cards: Iterable[Card | None], *, alone: bool = False) -> None:
        """Put given cards on top of a fresh order of the rest, or (``alone``) leave nothing below them.

        None stands for a card that is drawn at random from the rest.

        Raises:
            BlackjackError: if the shoe does not hold these cards.
        """
        front = list(cards)
        known = [card for card in front if card is not None]
        rest = self.cards if self.infinite else _without(self.cards, known)
        self._fill([] if alone else rest)
        self._spent, self._kept, self._fresh = False, True, False
        self._front = front[::-1]
        self.seen = [0] * 11

    def discard_at(self, tags: Sequence[float], sum_at: Callable[[int], float]) -> None:
        """Lay a quarter to three quarters of a fresh order among the discards, given the sum of their tags.

        Args:
            tags: of each card value 1..10 (index 0 unused).
            sum_at: returns that sum for a number of discards.

        Raises:
            BlackjackError: if no such number of discards can have its sum.
        """
        front = self._front
        discards, rest = self.discards_at(tags, sum_at).draw(self.rng)
        self._fill(rest)
        self._front, self.dealt, self._kept = front, discards, True
        self.see_only(discards)

    def discards_at(self, tags: Sequence[float], sum_at: Callable[[int], float]) -> Discards[Card]:
        """Return the discards that `discard_at` draws from."""
        tag_of_each = [tags[card.value] for card in self._pool]
        quarter, size = self.left // 4, self.left
        return Discards(self._pool, tag_of_each, range(quarter, size - quarter + 1), sum_at)


def _without(pool: Sequence[Card], taken: Sequence[Card]) -> Sequence[Card]:
    """Return the pool without the cards taken; one without a suit takes any of its rank, T any ten-value card."""
    rest = list(pool)
    for card in sorted(taken, key=_looseness):
        match = next((other for other in rest if _fits(card, other)), None)
        if match is None and _looseness(card) == 2:
            match = next((other for other in rest if other.value == card.value), None)
        if match is None:
            raise BlackjackError(f"expected cards that the shoe holds, got one {card} more than it has")
        rest.remove(match)
    return rest


def _looseness(card: Card) -> int:
    """Tell how many kinds of cards could stand for this one: those that one only can are taken first."""
    return 0 if card.suit is not None else 2 if card.rank is Rank.TEN else 1


def _fits(card: Card, other: Card) -> bool:
    return other == card if card.suit is not None else other.rank is card.rank
