"""A hand: its cards and what the rules say of them."""

from collections.abc import Iterable
from enum import IntEnum
from functools import lru_cache

from bj_env.game.cards import Card
from bj_env.rules.numbered import (
    best_total,
    double_refusal,
    hit_refusal,
    is_blackjack,
    is_bust,
    is_pair,
    is_soft,
    late_surrender_refusal,
    play_mask,
    split_refusal,
)
from bj_env.rules.terms import Action, Refusal, Rules

_play_mask = lru_cache(maxsize=1 << 14)(play_mask)  # hands repeat, and the rule asks many questions of each


class Assessment(IntEnum):
    """What a hand is, in four words."""

    INSUFFICIENT_CARDS = 0
    BLACKJACK = 1
    BUST = 2
    NORMAL = 3


class Hand:
    """Cards that are played together, with the stake that lies on them.

    Attributes:
        cards: in the order they were dealt.
        total: an ace counts 11 where that fits.
        soft: whether an ace does.
        stake: in ticks.
        from_split: whether the hand came from a split, which makes its 21 no blackjack.
        doubled, surrendered, charlie, finished: what has become of it.

    >>> from bj_env.game.cards import card
    >>> str(Hand(map(card, "A56")))
    'A,5,6 hard 12'
    """

    __slots__ = (
        "_hard",
        "_has_ace",
        "cards",
        "charlie",
        "doubled",
        "finished",
        "from_split",
        "soft",
        "stake",
        "surrendered",
        "total",
    )

    def __init__(self, cards: Iterable[Card] = (), *, stake: int = 0, from_split: bool = False) -> None:
        self.cards: list[Card] = []
        self.stake = stake
        self.from_split = from_split
        self.doubled = self.surrendered = self.charlie = self.finished = False
        self._hard, self._has_ace = 0, False
        self.total, self.soft = 0, False
        for card in cards:
            self.add(card)

    def add(self, card: Card) -> None:
        """Take one more card."""
        self.cards.append(card)
        value = card.value
        self._hard = hard = self._hard + value
        self._has_ace = has_ace = self._has_ace or value == 1
        self.total = best_total(hard, has_ace)
        self.soft = is_soft(hard, has_ace)

    @property
    def blackjack(self) -> bool:
        """Whether it is a blackjack."""
        return is_blackjack(self.total, len(self.cards), self.from_split)

    @property
    def values(self) -> tuple[int, ...]:
        """The one or two totals that the hand may be counted as: with every ace as 1, and with one as 11.

        >>> from bj_env.game.cards import card
        >>> Hand(map(card, "A6")).values, Hand(map(card, "T6")).values
        ((7, 17), (16,))
        """
        return (self._hard, self.total) if self.soft else (self._hard,)

    @property
    def assessment(self) -> Assessment:
        """What the hand is."""
        if len(self.cards) < 2:
            return Assessment.INSUFFICIENT_CARDS
        if self.blackjack:
            return Assessment.BLACKJACK
        return Assessment.BUST if is_bust(self.total) else Assessment.NORMAL

    @property
    def split_aces(self) -> bool:
        """Whether it came from a split pair of aces."""
        return self.from_split and self.cards[0].value == 1

    def pair(self, rules: Rules) -> int:
        """Return the card value of the pair that the hand is, or 0."""
        cards = self.cards
        return cards[0].value if len(cards) == 2 and is_pair(rules, cards[0].rank, cards[1].rank) else 0

    def mask(self, rules: Rules, hands: int, short: bool) -> int:
        """Return the legal actions in turn as bits ``1 << action``; ``hands`` the seat's, ``short`` of another bet."""
        cards = len(self.cards)
        pair = self.pair(rules) > 0
        return _play_mask(rules, self.total, self.soft, cards, pair, self.from_split, self.split_aces, hands, short)

    def refusal(self, rules: Rules, action: Action, hands: int, short: bool) -> int:
        """Return why the hand may not take an action in turn, a `Refusal`."""
        cards, aces = len(self.cards), self.split_aces
        if action is Action.STAND:
            return Refusal.LEGAL
        if action is Action.HIT:
            return hit_refusal(rules, aces)
        if action is Action.DOUBLE:
            return double_refusal(rules, self.total, self.soft, cards, self.from_split, aces, short)
        if action is Action.SPLIT:
            return split_refusal(rules, self.pair(rules) > 0, aces, hands, short)
        if action is Action.SURRENDER:
            return late_surrender_refusal(rules, cards, self.from_split, self.blackjack)
        return Refusal.NOT_ASKED

    def split(self) -> tuple["Hand", "Hand"]:
        """Return the two hands that the pair's cards begin, each with the same stake."""
        first, second = (Hand([card], stake=self.stake, from_split=True) for card in self.cards)
        return first, second

    def value_text(self) -> str:
        """Say the total: ``"soft 16"``, ``"hard 12"``, ``"blackjack"``, ``"bust with 23"``."""
        if self.blackjack:
            return "blackjack"
        if is_bust(self.total):
            return f"bust with {self.total}"
        return f"{'soft' if self.soft else 'hard'} {self.total}"

    def __str__(self) -> str:
        return f"{','.join(map(str, self.cards))} {self.value_text()}"
