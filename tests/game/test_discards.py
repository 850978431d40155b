"""Discards at a given count: the exact distribution, against an enumeration of all sets of cards."""

from collections import Counter
from collections.abc import Callable
from itertools import combinations

import pytest
from scipy.stats import chisquare

from bj_env.errors import BlackjackError
from bj_env.game.cards import FACES, Card, card
from bj_env.game.discards import Discards
from bj_env.game.rng import Stream
from bj_env.strategies.count_systems import Count, system, systems

POOL = [card(face) for face in "2,3,5,6,8,9,T,K,A,A".split(",")]


def enumerated(tags: tuple[float, ...], numbers: range, sum_at: Callable[[int], float]) -> dict[tuple[int, ...], float]:
    """Return the probability of each set of places in the pool, given the sum of its tags."""
    chances: dict[tuple[int, ...], float] = {}
    for number in numbers:
        sets = list(combinations(range(len(POOL)), number))
        for places in sets:
            if sum(tags[POOL[place].value] for place in places) == sum_at(number):
                chances[places] = 1 / len(sets)
    total = sum(chances.values())
    return {places: chance / total for places, chance in chances.items()}


def by_place(cards: list[Card]) -> tuple[int, ...]:
    """Return the places of cards in the pool; both aces look alike, so they are told apart as they are met."""
    return tuple(sorted(Counter(POOL.index(one) for one in cards).elements()))


@pytest.mark.parametrize("name", ["hi-lo", "wong-halves", "ko", "uston-apc"])
def test_every_set_of_cards_with_the_sum_is_drawn_as_often_as_chance_would_deal_it(name: str) -> None:
    tags, numbers = system(name).tags, range(2, 8)
    sum_at: Callable[[int], float] = lambda number: number // 4  # noqa: E731 - a sum that depends on the number
    expected: Counter[tuple[int, ...]] = Counter()
    for places, chance in enumerated(tags, numbers, sum_at).items():
        expected[by_place([POOL[place] for place in places])] += chance  # type: ignore[assignment]
    counted = Discards(POOL, [tags[one.value] for one in POOL], numbers, sum_at)
    rng, drawn = Stream(seed=11), Counter[tuple[int, ...]]()
    rounds = 4000
    for _ in range(rounds):
        discards, rest = counted.draw(rng)
        assert by_place(discards + rest) == by_place(POOL)
        drawn[by_place(discards)] += 1
    assert drawn.keys() <= expected.keys()
    often = [places for places, chance in expected.items() if chance * rounds >= 5]
    observed = [drawn[places] for places in often] + [sum(drawn[places] for places in expected.keys() - set(often))]
    wanted = [rounds * expected[places] for places in often]
    wanted.append(rounds - sum(wanted))
    if wanted[-1] < 1:
        observed, wanted = observed[:-1], [share * sum(observed[:-1]) / sum(wanted[:-1]) for share in wanted[:-1]]
    assert chisquare(observed, wanted).pvalue > 1e-3


def test_a_sum_that_only_some_numbers_of_discards_can_have_takes_these() -> None:
    tags = system("thorp-ten-count").tags
    counted = Discards(FACES, [tags[one.value] for one in FACES], range(13, 40), lambda number: 0)
    for seed in range(20):
        discards, _ = counted.draw(Stream(seed))
        assert len(discards) in (13, 26, 39)
        assert sum(tags[one.value] for one in discards) == 0


@pytest.mark.parametrize("name", [name for name in systems() if name != "griffin-playing"])
def test_every_system_that_people_count_can_start_at_a_count_in_eight_decks(name: str) -> None:
    count = Count(system(name))
    pool = FACES * 8
    tags = [count.system.tags[one.value] for one in pool]
    counted = Discards(pool, tags, range(104, 313), lambda number: count.tags_seen_at(8, 0, number))
    discards, rest = counted.draw(Stream(3))
    assert len(discards) + len(rest) == len(pool)
    assert sum(count.system.tags[one.value] for one in discards) == count.tags_seen_at(8, 0, len(discards))


def test_what_cannot_be_is_refused() -> None:
    tags = system("hi-lo").tags
    with pytest.raises(BlackjackError, match="expected one that 2 to 4 discards can have, got tags that sum to 9 to 9"):
        Discards(POOL, [tags[one.value] for one in POOL], range(2, 5), lambda number: 9)
    tags, pool = system("griffin-playing").tags, FACES * 8
    with pytest.raises(BlackjackError, match="system with small tags"):
        Discards(pool, [tags[one.value] for one in pool], range(9, 99), lambda number: 0)
