"""The solver proved from outside: by every deal of tiny shoes, played out by the readable engine, and by expectimax.

The enumeration plays the solver's own play and must give the solver's value exactly, splits included. The expectimax
chooses at every information set, whatever all hands of the seat show: without splits it must equal the solver, with
them it may only be better, because the solver's split hands play by their own cards alone.
"""

from collections.abc import Callable, Iterator, Sequence
from functools import cache
from random import Random
from typing import NamedTuple

import pytest

from bj_env.game.cards import Card, Rank
from bj_env.game.participants import Player
from bj_env.game.round import Round
from bj_env.game.table import Table
from bj_env.rules.houses import parse, text
from bj_env.rules.numbered import (
    best_total,
    dealer_hits,
    dealer_peeks,
    early_surrender_refusal,
    hand_net,
    insurance_net,
    insurance_refusal,
    insurance_stake,
    is_blackjack,
    is_charlie,
    is_pair,
    is_soft,
    original_bet_net,
    play_mask,
    surrender_net,
)
from bj_env.rules.terms import TICKS, Action, Phase, Rules
from bj_env.solver import Situation, SplitPlay, evaluate, outcome, solve
from bj_env.solver.hands import find_hand
from bj_env.solver.tables import DEALT, SPLIT, SPLIT_ACES

Counts = tuple[int, ...]
"""How many cards of each value, an ace first."""

# --- every deal, through the readable engine ------------------------------------------------------------------------


class OutOfScript(Exception):
    """The round wants a card that the script has not."""


class Script:
    """A shoe that deals written cards."""

    shuffle_pending = False
    infinite = False

    def __init__(self, cards: list[Card]) -> None:
        self.cards, self.dealt, self.seen = cards, 0, [0] * 11

    def draw(self) -> Card:
        if self.dealt == len(self.cards):
            raise OutOfScript
        self.dealt += 1
        return self.cards[self.dealt - 1]

    def begin_round(self) -> None:
        """Shuffle nothing."""

    def retire(self) -> None:
        """Do nothing: a round that is void gives its shoe up."""


Decide = Callable[[Round], Action]


def play(rules: Rules, cards: list[Card], decide: Decide) -> Round:
    table = Table(rules, [Player("one")])
    table.shoe = Script(cards)  # type: ignore[assignment]
    round_ = table.deal([rules.min_bet])
    while not round_.over:
        round_.act(decide(round_))
    assert not round_.void
    return round_


def deals(
    rules: Rules, left: dict[Card, int], decide: Decide, first: Sequence[Card] = ()
) -> Iterator[tuple[float, float]]:
    """Yield the chance and the net of every deal that makes a difference, given the first cards."""
    open_deals: list[tuple[float, list[Card]]] = [(1.0, list(first))]
    while open_deals:
        chance, cards = open_deals.pop()
        try:
            round_ = play(rules, cards, decide)
        except OutOfScript:
            rest = {card: count - cards.count(card) for card, count in left.items()}
            total = sum(rest.values())
            open_deals += [(chance * n / total, [*cards, card]) for card, n in rest.items() if n]
        else:
            yield chance, round_.nets[0] / (rules.min_bet * TICKS)


def by_plans(rules: Rules, shoe: Counts) -> Decide:
    """Return the solver's own play."""
    plans = solve(rules, shoe).plans

    def decide(round_: Round) -> Action:
        view, hand = round_.view(), round_.seats[0].hands[round_.hand_index]
        plan = plans[view.upcard.value]
        index = find_hand([card.value for card in view.cards])
        if view.phase is Phase.EARLY_SURRENDER:
            return Action.SURRENDER if plan.early[index] else Action.DECLINE
        if view.phase is Phase.INSURANCE:
            return Action.INSURE if plan.insure[index] else Action.DECLINE
        if Action.SPLIT in view.legal and plan.split[view.pair]:
            return Action.SPLIT
        origin = SPLIT_ACES if hand.split_aces else SPLIT if hand.from_split else DEALT
        return Action(int(plan.choice[origin, index]))

    return decide


def as_cards(shoe: Counts) -> dict[Card, int]:
    return {Card(Rank(value)): count for value, count in enumerate(shoe, start=1) if count}


SLOW = ["1D SP3 LS", "1D H17 ENHC NDAS SP3 RSA NS", "1D OBO HSA SP3 ES", "1D NOPEEK DANY CH5 SP3 INS"]
EIGHTS = (0, 0, 2, 0, 0, 0, 0, 4, 0, 6)
ACES = (4, 0, 0, 0, 0, 3, 0, 0, 0, 6)
THREES = (1, 0, 4, 0, 0, 0, 3, 0, 0, 7)
MIXED = (3, 0, 2, 0, 2, 0, 0, 4, 0, 7)
GRID = [
    ("1D D0 SP1 NS NINS", EIGHTS),
    ("1D H17 LS INS SP2", ACES),
    ("1D SP3 LS", EIGHTS),
    ("1D SP4 NDAS ENHC LS", EIGHTS),
    ("1D NOPEEK SP3 RSA", ACES),
    ("1D OBO SP3 LS INS RSA", ACES),
    ("1D OBO D10 SP2", EIGHTS),
    ("1D ES SP2", ACES),
    ("1D ES10 ENHC SP2", ACES),
    ("1D HSA RSA ENHC BJ21PUSH SP2", ACES),
    ("1D DANY CH5 SP3 NS", THREES),
    ("1D TIELOSE 6:5 NDAS SP2 DANY NS", THREES),
    ("1D NAT21 BJ21PUSH NOPEEK ACT21 NS NINS SP2", ACES),
    ("1D OBO SP1 BJ21PUSH CH5", THREES),
    ("1D WHOLE MIN3 LS SP2 7:5", ACES),
    *(pytest.param(house, MIXED, marks=pytest.mark.slow) for house in SLOW),
]


@pytest.mark.parametrize(("house", "shoe"), GRID)
def test_every_deal_of_a_tiny_shoe(house: str, shoe: Counts) -> None:
    """R9..R25: the solver's value is the mean over every deal, and so is its standard deviation."""
    rules = parse(house)
    found = list(deals(rules, as_cards(shoe), by_plans(rules, shoe)))
    mean = sum(chance * net for chance, net in found)
    solution = solve(rules, shoe)
    assert sum(chance for chance, _ in found) == pytest.approx(1, abs=1e-12)
    assert solution.ev == pytest.approx(mean, abs=1e-12)
    assert evaluate(rules, solution, shoe).ev == pytest.approx(mean, abs=1e-12)
    if not any((known.plan.insure & known.possible).any() for known in solution.against.values()):
        spread = outcome(rules, solution, shoe)
        square = sum(chance * net**2 for chance, net in found)
        assert spread.deviation == pytest.approx((square - mean**2) ** 0.5, abs=1e-10)


def split_tens(at: Situation) -> Action:
    if at.pair == 10 and Action.SPLIT in at.legal:
        return Action.SPLIT
    return Action.STAND if at.total > 11 else Action.HIT


@pytest.mark.parametrize("by", ["SPVAL", "SPRANK"])
def test_tens_of_different_ranks_are_no_pair(by: str) -> None:
    """R7: tens that are split and drawn again, by value and by rank; an up card of the same rank takes one away."""
    rules = parse(f"1D NS NINS D0 SP3 {by}")
    ranks = {Card(Rank(rank)): 3 for rank in (10, 11, 12, 13)}
    shoe, left = (0, 0, 0, 0, 0, 3, 0, 0, 0, 12), ranks | {Card(Rank.SIX): 3}
    solver = evaluate(rules, split_tens, shoe)
    ten, jack, six = Card(Rank.TEN), Card(Rank.JACK), Card(Rank.SIX)

    def split(upcard: Card) -> float:
        found = list(deals(rules, left, lambda round_: split_tens(round_.view()), [ten, upcard, ten]))
        assert sum(chance for chance, _ in found) == pytest.approx(1, abs=1e-10)
        return sum(chance * net for chance, net in found)

    pair = find_hand([10, 10])
    against_ten = split(jack) if by == "SPVAL" else (18 * split(jack) + 2 * split(ten)) / 20
    assert solver.against[6].action_values[pair, Action.SPLIT] == pytest.approx(split(six), abs=1e-10)
    assert solver.against[10].action_values[pair, Action.SPLIT] == pytest.approx(against_ten, abs=1e-10)


# --- expectimax -----------------------------------------------------------------------------------------------------


class Done(NamedTuple):
    """A hand that is finished, with its stake in bets."""

    total: int
    stake: int
    blackjack: bool
    charlie: bool


class Expectimax:
    """The best play of a whole round at every information set; unconditional values, in bets."""

    def __init__(self, rules: Rules, upcard: int) -> None:
        self.rules, self.upcard, self.bet = rules, upcard, rules.min_bet * TICKS
        self.peeked = dealer_peeks(rules, upcard)
        self.seat = cache(self._seat)
        self.dealer = cache(self._dealer)

    def _dealer(self, cards: tuple[int, ...], left: Counts) -> dict[tuple[int, bool], float]:
        """Return the chance of each final total, and whether it is a blackjack."""
        total = best_total(sum(cards), 1 in cards)
        blackjack = is_blackjack(total, len(cards), False)
        if len(cards) > 1 and not dealer_hits(self.rules, total, is_soft(sum(cards), 1 in cards)):
            return {(total, blackjack): 1.0}
        found: dict[tuple[int, bool], float] = {}
        for card, chance, rest in draws(left):
            for end, share in self.dealer(tuple(sorted((*cards, card))), rest).items():
                found[end] = found.get(end, 0.0) + chance * share
        return found

    def settle(self, done: tuple[Done, ...], left: Counts) -> float:
        value = 0.0
        for (total, blackjack), chance in self.dealer((self.upcard,), left).items():
            if not (blackjack and self.peeked):
                value += chance * self.nets(done, total, blackjack)
        return value

    def nets(self, done: tuple[Done, ...], total: int, blackjack: bool) -> float:
        won, paid = 0, False
        for hand in done:
            net = hand_net(
                self.rules, hand.stake * self.bet, hand.total, hand.blackjack, hand.charlie, total, blackjack
            )
            net = original_bet_net(self.rules, net, self.bet, blackjack, paid)
            paid = paid or net < 0
            won += net
        return won / self.bet

    def _seat(self, done: tuple[Done, ...], hand: Counts, waiting: int, from_split: int, left: Counts) -> float:
        """Return what a seat is worth: hands done, the hand in turn, how many cards ``from_split`` wait for another."""
        if len(hand) == 1:
            return sum(
                c * self.seat(done, tuple(sorted((*hand, x))), waiting, from_split, r) for x, c, r in draws(left)
            )
        rules, total, hands = self.rules, best_total(sum(hand), 1 in hand), len(done) + 1 + waiting
        charlie = is_charlie(rules, total, len(hand))
        pair = len(hand) == 2 and is_pair(rules, *hand)
        soft, aces = is_soft(sum(hand), 1 in hand), from_split == 1
        mask = play_mask(rules, total, soft, len(hand), pair, from_split > 0, aces, hands, False)
        if charlie or mask == 0:
            return self.next(done, hand, 1, waiting, from_split, left)
        worth = [self.next(done, hand, 1, waiting, from_split, left)]
        if mask >> Action.HIT & 1:
            worth.append(
                sum(c * self.seat(done, tuple(sorted((*hand, x))), waiting, from_split, r) for x, c, r in draws(left))
            )
        if mask >> Action.DOUBLE & 1:
            worth.append(sum(c * self.next(done, (*hand, x), 2, waiting, from_split, r) for x, c, r in draws(left)))
        if mask >> Action.SPLIT & 1:
            worth.append(self.seat(done, hand[:1], waiting + 1, hand[0], left))
        if mask >> Action.SURRENDER & 1:
            worth.append(self.surrender(left))
        return max(worth)

    def surrender(self, left: Counts) -> float:
        nets = [surrender_net(self.rules, self.bet, False, beaten) / self.bet for beaten in (False, True)]
        beaten = self.blackjack(left)
        return (1 - beaten) * nets[0] + (0.0 if self.peeked else beaten * nets[1])

    def blackjack(self, left: Counts) -> float:
        return sum(chance for (_, beaten), chance in self.dealer((self.upcard,), left).items() if beaten)

    def next(
        self, done: tuple[Done, ...], hand: Counts, stake: int, waiting: int, from_split: int, left: Counts
    ) -> float:
        """Finish the hand in turn and go on to the next, or to the end."""
        total = best_total(sum(hand), 1 in hand)
        blackjack, charlie = is_blackjack(total, len(hand), from_split > 0), is_charlie(self.rules, total, len(hand))
        done = tuple(sorted((*done, Done(total, stake, blackjack, charlie))))
        if waiting:
            return self.seat(done, (from_split,), waiting - 1, from_split, left)
        return self.settle(done, left)

    def deal(self, hand: Counts, left: Counts) -> float:
        """Return what a dealt hand is worth before the dealer looks."""
        rules, beaten = self.rules, self.blackjack(left)
        total = best_total(sum(hand), 1 in hand)
        blackjack = is_blackjack(total, 2, False)
        value = self.seat((), hand, 0, 0, left)
        if self.peeked:
            value += beaten * self.nets((Done(total, 1, blackjack, False),), 21, True)
        stake = insurance_stake(rules, self.bet)
        if insurance_refusal(rules, self.upcard, stake, False) == 0:
            insured = beaten * insurance_net(stake, True) + (1 - beaten) * insurance_net(stake, False)
            value += max(0.0, insured / self.bet)
        if early_surrender_refusal(rules, self.upcard, blackjack) == 0:
            value = max(value, surrender_net(rules, self.bet, True, False) / self.bet)
        return value


def draws(left: Counts) -> Iterator[tuple[int, float, Counts]]:
    """Yield each value that can be drawn, its chance, and what is left then."""
    total = sum(left)
    for index, count in enumerate(left):
        if count:
            yield index + 1, count / total, (*left[:index], count - 1, *left[index + 1 :])


def best_round(rules: Rules, shoe: Counts) -> float:
    """Return the value of a round under the best play of all."""
    value = 0.0
    for upcard, chance, left in draws(shoe):
        round_ = Expectimax(rules, upcard)
        for first, share, rest in draws(left):
            for second, part, last in draws(rest):
                value += chance * share * part * round_.deal(tuple(sorted((first, second))), last)
    return value


def random_house(chance: Random, hands: int) -> Rules:
    """Return a house with random rules; those that the solver refuses left out."""
    pick = chance.choice
    hole = pick(["PEEK", "NOPEEK", "ENHC", "OBO"])
    extras = [pick([token, ""]) for token in ("BJ21PUSH", "NAT21", "ACT21", "RSA", "HSA", "TIELOSE", "CH5")]
    if hole == "OBO" and hands > 1:
        extras = [token for token in extras if token not in ("BJ21PUSH", "CH5")]
    tokens = [pick(choice.split()) for choice in ("S17 H17", "3:2 6:5 1:1", "DOA D9 D10 D11 DANY D0", "DAS NDAS")]
    tokens += [pick("LS NS ES ES10".split()), pick(["INS", "NINS"]), hole, f"SP{hands}"]
    return parse(" ".join(["1D", *tokens, *extras]))


SMALL = (2, 1, 1, 0, 0, 2, 0, 1, 0, 4)


@pytest.mark.parametrize("seed", range(12))
def test_no_play_is_better_without_splits(seed: int) -> None:
    """R9..R25: expectimax at every information set equals the solver."""
    rules = random_house(Random(seed), 1)
    assert solve(rules, SMALL).ev == pytest.approx(best_round(rules, SMALL), abs=1e-12), text(rules)


@pytest.mark.parametrize("seed", range(12))
def test_splits_cost_little(seed: int) -> None:
    """With splits the best play of all is never worse than the solver's class, and better by next to nothing."""
    rules = random_house(Random(seed), 2)
    shoe = (2, 0, 2, 0, 0, 2, 0, 3, 0, 4)
    best = best_round(rules, shoe)
    assert solve(rules, shoe).ev <= best + 1e-12, text(rules)
    assert solve(rules, shoe, how=SplitPlay.FIRST_SPLIT).ev <= best + 1e-12, text(rules)
    assert best - solve(rules, shoe).ev < 0.02, text(rules)
