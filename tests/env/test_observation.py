"""Observations: which number stands where, in both encodings, and that nothing the seat may know is lost."""

from itertools import combinations
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bj_env.errors import BlackjackError
from bj_env.observation import PARTS, Layout, hand_value, rules_row
from bj_env.rules.houses import parse, parse_rules
from bj_env.rules.terms import Rules
from tests.env.games import episode, make
from tests.generators import rules

SETS = [parts for size in (1, 2, len(PARTS)) for parts in combinations(PARTS, size)]


def layout(parts: tuple[str, ...], encoding: str = "features", house: str = "six-deck", seats: int = 2) -> Layout:
    return Layout(parse_rules(house), seats=seats, bets=(1, 5), parts=parts, encoding=encoding, bankroll=50)


@pytest.mark.parametrize("asked", SETS, ids="+".join)
def test_parts_are_independent_and_stand_in_one_order(asked: tuple[str, ...]) -> None:
    for encoding in ("features", "discrete"):
        whole = layout(asked, encoding)
        assert whole.names == [name for part in asked for name in layout((part,), encoding).names]
        assert whole.names == layout(asked[::-1], encoding).names, "it is a set: the order asked for does not matter"


def test_features_are_one_hot_for_categories_and_a_share_for_counts() -> None:
    one = layout(("hand", "seen"))
    row = [3, hand_value(16, False), 8, 10, 2, *([4] * 10), 1]
    features = one.encode(row)
    said = {name: float(value) for name, value in zip(one.names, features, strict=True) if value}
    assert said == {
        "hand.phase=PLAY": 1,
        "hand.total=hard 16": 1,
        "hand.pair=8": 1,
        "hand.upcard=T": 1,
        "hand.stake=bet 5": 1,
        **{f"seen.{value}": pytest.approx(4 / 24) for value in "A23456789"},
        "seen.T": pytest.approx(4 / 96),
        "seen.shuffle pending": 1,
    }


@given(st.data())
def test_every_row_is_encoded_within_its_space_and_no_two_alike(data: st.DataObject) -> None:
    house = data.draw(rules(decks=2))
    encodings = [
        Layout(house, seats=1, bets=(1, 2), parts=PARTS, encoding=name, bankroll=50)
        for name in ("features", "discrete")
    ]
    cells = st.tuples(*[st.integers(0, column.size - 1) for column in encodings[0].columns])
    first, second = data.draw(cells), data.draw(cells)
    for one in encodings:
        rows = [one.encode(first), one.encode(second)]
        assert all(one.space.contains(row) for row in rows)
        assert np.array_equal(*rows) == (first == second)


@given(rules())
def test_the_rules_part_says_the_rules(house: Rules) -> None:
    one = Layout(house, seats=1, bets=(1,), parts=("rules",), encoding="discrete")
    assert one.space.contains(one.encode(rules_row(house)))


@pytest.mark.parametrize(
    ("one", "other"),
    [("6D", "8D"), ("S17", "H17"), ("3:2", "6:5"), ("PEEK", "OBO"), ("LS", "ES"), ("SP4", "SP2"), ("6D", "CH5")],
)
def test_the_rules_part_tells_houses_apart(one: str, other: str) -> None:
    assert rules_row(parse(one)) != rules_row(parse(other))


@pytest.mark.parametrize("house", ["2D PEN75 NINS", "INF NINS", "1D NINS CH5"])
def test_the_table_part_shows_all_cards_face_up_and_seen_counts_them(house: str) -> None:
    env = make(rules=house, seats=("random", "agent", "agent"), observation=("table", "seen"), encoding="discrete")
    chance = Random(2)
    names = env.feature_names
    for _ in range(150):
        for observation, _reward, _over, info in episode(env, chance):
            said = dict(zip(names, observation.tolist(), strict=True))
            round = env.episode.round
            assert round is not None
            for number, seat in enumerate(round.seats, 1):
                for place in range(env.rules.max_hands):
                    cards = seat.hands[place].cards if place < len(seat.hands) else []
                    counts = [said[f"table.P{number} hand {place + 1} {value}"] for value in "A23456789T"]
                    assert counts == [sum(card.value == value for card in cards) for value in range(1, 11)]
            dealer = [said[f"table.dealer {value}"] for value in "A23456789T"]
            assert dealer == [sum(card.value == value for card in round.dealer.cards) for value in range(1, 11)]
            assert said["table.seat in turn"] == info["seat"]
            on_table = sum(len(hand.cards) for seat in round.seats for hand in seat.hands) + len(round.dealer.cards)
            seen = sum(said[f"seen.{value}"] for value in "A23456789T")
            assert seen == on_table or env.rules.penetration


@pytest.mark.parametrize(
    ("parts", "encoding", "message"),
    [
        (("hands",), "features", r"observation: unknown part 'hands'; did you mean 'hand'\?"),
        ((), "features", "observation: expected at least one part"),
        ("hand", "features", r"observation: expected a set of parts like \('hand',\), got 'hand'"),
        (("hand",), "onehot", "encoding: got 'onehot'; valid: 'features', 'discrete'"),
    ],
)
def test_a_wrong_part_or_encoding_is_refused(parts: tuple[str, ...], encoding: str, message: str) -> None:
    with pytest.raises(BlackjackError, match=message):
        layout(parts, encoding)
