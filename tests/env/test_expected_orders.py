"""Expected rewards where the cards run out: over all orders of the unseen cards their mean is that of sampled ones."""

from collections import Counter
from collections.abc import Callable, Iterator
from itertools import permutations
from random import Random
from typing import Any

import numpy as np
import pytest

from bj_env.compiled.vector_env import BlackjackVectorEnv
from bj_env.env.env import BlackjackEnv
from bj_env.errors import BlackjackError
from bj_env.rules.terms import Action, Rules
from bj_env.solver.dealer import dealer_distribution
from bj_env.solver.shoe import Composition

DECK = Counter({**dict.fromkeys("A23456789", 4), "T": 16})
Policy = Callable[[int, np.ndarray], int]
"""Chooses an action by how many decisions were made before it, and the mask."""


def orders(cards: str) -> Iterator[tuple[str, ...]]:
    """Return the different orders of cards, every one as likely as any other."""
    return iter(sorted(set(permutations(cards))))


def rounds_before(last: str, hole_card: bool) -> tuple[list[str], int, int]:
    """Return the cards of rounds that leave just ``last`` in a deck, how often the first hits, and how many they are.

    Every dealer stands on two cards, and the player gets what remains.
    """
    left = DECK - Counter(last)
    dealers = [("T", "T")] * (left["T"] // 2)
    dealers += [("T", "7")] * (left["T"] % 2)
    dealers += [("9", "8")] * min(left["9"], left["8"])
    rounds, more = divmod(sum(left.values()), 4)
    dealers = dealers[:rounds]
    assert len(dealers) == rounds
    players = sorted((left - Counter([one for pair in dealers for one in pair])).elements(), key="A23456789T".index)
    dealt: list[str] = []
    for number, (upcard, hole) in enumerate(dealers):
        hits = players[2 * rounds :] if number == 0 else []
        dealt += [players[2 * number], upcard, players[2 * number + 1]]
        dealt += [hole, *hits] if hole_card else [*hits, hole]
    return dealt, more, rounds


def paid(engine: str, shoe: list[str], policy: Policy, **game: Any) -> tuple[float, str]:
    """Return the reward of the last step of an episode, and the record of its last round."""
    made = 0
    if engine == "readable":
        env = BlackjackEnv(**game)
        _, info = env.reset(seed=1, options={"shoe": shoe})
        while True:
            _, reward, over, cut, info = env.step(policy(made, info["action_mask"]))
            made += 1
            if over or cut:
                return reward, str(info["record"])
    vector = BlackjackVectorEnv(1, **game, autoreset_mode="Disabled")
    _, infos = vector.reset(seed=[1], options={"shoe": shoe})
    while True:
        _, rewards, over, cut, infos = vector.step(np.array([policy(made, infos["action_mask"][0])]))
        made += 1
        if over[0] or cut[0]:
            return float(rewards[0]), str(vector.record(0))


def compared(engine: str, shoes: list[list[str]], policy: Policy, **game: Any) -> tuple[list[float], list[str]]:
    """Play every order under both rewards, compare the means, and return the expected rewards and the records."""
    sampled = [paid(engine, shoe, policy, reward="sampled", **game) for shoe in shoes]
    expected = [paid(engine, shoe, policy, reward="expected", **game) for shoe in shoes]
    assert [record for _, record in sampled] == [record for _, record in expected]
    rewards = [reward for reward, _ in expected]
    assert np.mean(rewards) == pytest.approx(np.mean([reward for reward, _ in sampled]), abs=1e-12)
    return rewards, [record for _, record in expected]


def stand_after(hits: int) -> Policy:
    """Hit so often at first, and stand from then on."""
    return lambda made, mask: int(Action.HIT if made < hits else Action.STAND)


ENGINES = ("readable", "compiled")


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(
    ("rules", "cards", "upcard", "unseen"),
    [
        ("1D PEN99 NS NINS", "86", "7", "A23"),  # runs out in two orders of six, and is shuffled again midway
        ("1D PEN99 NS NINS", "86", "7", "A234"),  # 17 points with the up card: cannot run out
        ("1D PEN99 NS NINS H17", "86", "A", "2A2"),
        ("1D PEN99 NS NINS NOPEEK", "86", "T", "A24"),
        ("1D PEN99 NS NINS ENHC", "86", "5", "2334"),
        ("1D PEN99 NS NINS OBO CH5", "86", "5", "A2245"),
    ],
)
def test_every_order_of_the_last_cards_of_a_shoe(engine: str, rules: str, cards: str, upcard: str, unseen: str) -> None:
    hole_card = "ENHC" not in rules and "OBO" not in rules
    dealt, hits, rounds = rounds_before(cards + upcard + unseen, hole_card)
    shoes = []
    for order in orders(unseen):
        hole = [order[0]] if hole_card else []
        shoes.append([*dealt, cards[0], upcard, cards[1], *hole, *order[len(hole) :]])
    rewards, _ = compared(
        engine, shoes, stand_after(hits), rules=rules, seats=("agent",), episode="session", max_rounds=rounds + 1
    )
    points = sum("A23456789T".index(each) + 1 for each in upcard + unseen)
    exact = points > 16 and upcard not in "AT"  # where a peek may end the round at once
    assert len({round(reward, 12) for reward in rewards}) == 1 or not exact, "paid by expectation where it is known"


def crowded(order: tuple[str, ...], seed: int) -> list[str]:
    """Return a deck for twelve seats, ``order`` the dealer's hole card and the last cards, the draws shuffled."""
    seen = (DECK - Counter(order)) - Counter("7")
    cards = sorted(seen.elements(), key="A23456789T".index)
    draws = cards[24:]
    Random(seed).shuffle(draws)
    return [*cards[:12], "7", *cards[12:24], order[0], *draws, *order[1:]]


class TakeAllBut:
    """Hits until so many cards have been drawn, whoever's turn it is."""

    def __init__(self, draws: int) -> None:
        self.draws = draws
        self.drawn = 0

    def __call__(self, made: int, mask: np.ndarray) -> int:
        self.drawn = 0 if made == 0 else self.drawn
        hits = self.drawn < self.draws and mask[Action.HIT]
        self.drawn += bool(hits)
        return int(Action.HIT if hits else Action.STAND)

    def takes_all(self, shoe: list[str], **game: Any) -> bool:
        """Tell whether so many cards can be drawn from a shoe."""
        paid("readable", shoe, self, **game)
        return self.drawn == self.draws


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(
    ("last_seat", "unseen", "exact"),
    [
        ("agent", "A223", False),  # the dealer may want a card that is not there
        ("agent", "A22T", True),
        ("mimic", "A22334", False),  # the neighbour may leave the dealer too few
        ("mimic", "A2TTTT", True),  # 30 points, which no dealer and neighbour hold together and want more
    ],
)
def test_every_order_where_no_discards_are_left(engine: str, last_seat: str, unseen: str, exact: bool) -> None:
    """Twelve seats take all other cards of one deck, so that the round becomes void if more are wanted."""
    policy = TakeAllBut(52 - 26 - (len(unseen) - 1))
    game: dict[str, Any] = {"rules": "1D NS NINS", "seats": (*("agent",) * 11, last_seat), "episode": "round"}
    seed = next(seed for seed in range(500) if policy.takes_all(crowded(tuple(unseen), seed), **game))
    shoes = [crowded(order, seed) for order in orders(unseen)]
    rewards, records = compared(engine, shoes, policy, **game)
    assert any("MISDEAL" in record for record in records) != exact
    assert len({round(reward, 12) for reward in rewards}) == 1 or not exact


@pytest.mark.parametrize(
    ("upcard", "left"), [(7, {1: 1, 2: 1, 3: 1}), (10, {1: 1, 2: 2}), (2, {2: 2, 3: 2}), (1, {2: 2, 1: 1})]
)
def test_a_distribution_that_does_not_sum_to_one_is_an_error(upcard: int, left: dict[int, int]) -> None:
    shoe = Composition(tuple(float(left.get(value, 0) + (value == upcard)) for value in range(1, 11)))
    with pytest.raises(BlackjackError, match=r"^shoe: expected cards that last until the dealer stands, got .*%"):
        dealer_distribution(Rules(decks=1), upcard, shoe)
    more = Composition(tuple(count + (value == 10) * 4 for value, count in enumerate(shoe.counts, start=1)))
    assert sum(dealer_distribution(Rules(decks=1), upcard, more).values()) == pytest.approx(1)


def test_cards_that_stop_the_dealer_in_every_order_are_enough() -> None:
    shoe = Composition((1.0, *[0.0] * 5, 1.0, 0.0, 0.0, 0.0))  # a 7 up and an ace: soft 18
    assert dealer_distribution(Rules(decks=1), 7, shoe)["18"] == 1
