"""Chance: published answers, the same source compiled, unbiased numbers, uniform and independent shoes."""

from collections import Counter
from itertools import combinations, product
from typing import Any

import numba
import numpy as np
import pytest
from scipy.stats import chi2, chisquare

from bj_env.errors import BlackjackError
from bj_env.game.cards import FACES
from bj_env.game.rng import MASK, SEEDS, SeatRng, Stream, bounded, philox
from bj_env.game.shoe import Shoe
from bj_env.rules.houses import parse_rules

SINGLE = parse_rules("1D")


def order(seed: int, *, table: int = 0, shoe: int = 0, length: int = 52) -> list[int]:
    """Return which cards a fresh single deck deals, as places in `FACES`."""
    fresh = Shoe(SINGLE, seed, table=table)
    for _ in range(shoe):
        fresh.shuffle()
    place = {card: index for index, card in enumerate(FACES)}
    return [place[fresh.draw()] for _ in range(length)]


# The known answers of Random123 1.14 (kat_vectors, philox4x32 with 10 rounds): counter, key, answer.
KNOWN = [
    ("00000000 00000000 00000000 00000000", "00000000 00000000", "6627e8d5 e169c58d bc57ac4c 9b00dbd8"),
    ("ffffffff ffffffff ffffffff ffffffff", "ffffffff ffffffff", "408f276d 41c83b0e a20bc7c6 6d5451fd"),
    ("243f6a88 85a308d3 13198a2e 03707344", "a4093822 299f31d0", "d16cfe09 94fdcceb 5001e420 24126ea1"),
]


@pytest.mark.parametrize(("counter", "key", "answer"), KNOWN)
def test_philox_gives_its_published_answers(counter: str, key: str, answer: str) -> None:
    words = philox(*(int(word, 16) for word in f"{counter} {key}".split()))
    assert words == tuple(int(word, 16) for word in answer.split())


def test_the_same_source_compiled_gives_the_same_numbers() -> None:
    compiled, compiled_bounded = numba.njit(philox), numba.njit(bounded)
    edges = (0, 1, 2**31 - 1, 2**31, MASK)
    for words in [*product(edges[::2], repeat=6)][::7] + [(edges * 2)[at : at + 6] for at in range(5)]:
        assert compiled(*words) == philox(*words)
        for word, n in product(philox(*words), (1, 2, 13, 52, 312, 832)):
            assert compiled_bounded(word, n) == bounded(word, n)


@pytest.mark.parametrize("n", [1, 2, 3, 13, 51, 52, 312, 832])
def test_bounded_draws_are_unbiased(n: int) -> None:
    """As many words lead to each number: count the words of each by its first and its last."""
    kept = {number: (first_word(number, n), first_word(number + 1, n) - 1) for number in (0, n // 2, n - 1)}
    sizes = {last - first + 1 - refused(first, n) for first, last in kept.values()}
    assert sizes == {(1 << 32) // n}


def first_word(number: int, n: int) -> int:
    """Return the first 32-bit word that is scaled to this number."""
    return -(-(number << 32) // n)


def refused(first: int, n: int) -> int:
    """Count the words from the first one on that are refused; they stand together at the start of a number."""
    count = 0
    while bounded(first + count, n) < 0:
        count += 1
    return count


@pytest.mark.parametrize("n", [1, 2, 3, 52, 312])
def test_bounded_draws_stay_below_n(n: int) -> None:
    for word in (0, 1, n, MASK // 2, MASK - 1, MASK):
        assert -1 <= bounded(word, n) < n
    stream = Stream(5)
    assert {stream.below(n) for _ in range(20 * n)} <= set(range(n))


@pytest.mark.slow
def test_every_card_is_as_likely_at_every_position() -> None:
    """Report b056, b067.

    Report b053.
    """
    shoes = 50_000
    counts = np.zeros((52, 52), int)  # position, card
    shoe = Shoe(SINGLE, 2026)
    place = {card: index for index, card in enumerate(FACES)}
    for _ in range(shoes):
        for position in range(52):
            counts[position, place[shoe.draw()]] += 1
        shoe.shuffle()
    worst = chi2.ppf(1 - 1e-3 / 52, 51)
    for position, row in enumerate(counts):
        assert chisquare(row).statistic < worst, f"position {position}: {row}"
    means = np.arange(52) @ counts / shoes
    assert np.all(np.abs(means - 25.5) < 4 * np.sqrt((52**2 - 1) / 12 / shoes)), "mean final index of each card"
    assert counts.max() / shoes < 0.04, "no face is above about 4 % at any index"


def test_pairs_of_neighbours_are_uniform() -> None:
    pairs = Counter(tuple(order(seed, length=2)) for seed in range(8000))
    both_red = sum(count for (first, second), count in pairs.items() if first // 26 == second // 26)
    expected = 25 / 51
    assert abs(both_red / 8000 - expected) < 4 * (expected * (1 - expected) / 8000) ** 0.5
    assert all(first != second for first, second in pairs)


KEYS = [
    {"seed": 0},
    {"seed": 1},
    {"seed": 1 << 32},
    {"seed": SEEDS - 1},
    {"seed": 0, "table": 1},
    {"seed": 0, "shoe": 1},
    {"seed": 0, "table": 1, "shoe": 1},
]


@pytest.mark.parametrize(("one", "other"), list(combinations(KEYS, 2)), ids=str)
def test_shoes_of_other_seeds_tables_and_numbers_are_independent(one: dict[str, int], other: dict[str, int]) -> None:
    a, b = order(**one), order(**other)
    same = sum(first == second for first, second in zip(a, b, strict=True))
    assert a != b
    assert same <= 7, "the number of fixed points is about Poisson(1)"


def test_no_shoe_comes_twice_among_many() -> None:
    firsts = Counter(tuple(order(seed, table=table, length=12)) for seed in range(1000) for table in range(3))
    assert max(firsts.values()) == 1


def test_neighbouring_seeds_are_uncorrelated() -> None:
    first = np.array([order(seed, length=1)[0] for seed in range(4000)], float)
    for lag in (1, 2, 64):
        correlation = np.corrcoef(first[:-lag], first[lag:])[0, 1]
        assert abs(correlation) < 4 / len(first) ** 0.5


def test_a_stream_goes_on_where_it_is_and_starts_anew_with_the_next_shoe() -> None:
    stream, other = Stream(3), Stream(3, shoe=1)
    [stream.below(10) for _ in range(7)]
    stream.next_shoe()
    assert [stream.below(52) for _ in range(20)] == [other.below(52) for _ in range(20)]


@pytest.mark.parametrize("n", [0, -1, True, 1.5, "6", 2**32 + 1, 2**40, None])
def test_a_seat_that_asks_for_a_number_below_nonsense_is_refused(n: Any) -> None:
    """Above 2**32 the draw never came to an end."""
    rng = SeatRng(Stream(7))
    with pytest.raises(BlackjackError, match="below: expected a whole number from 1 to 4294967296, got"):
        rng.below(n)
    assert rng.below(2**32) == SeatRng(Stream(7)).below(2**32)
    assert 0 <= rng.below(np.uint8(200)) < 200  # type: ignore[arg-type]
