"""Charts: published cells, fallbacks that are always legal, and which chart fits which rules."""

from itertools import product

import pytest

from bj_env.errors import RulesError
from bj_env.rules.houses import parse, parse_rules
from bj_env.rules.numbered import play_mask
from bj_env.rules.terms import Action, Rules
from bj_env.strategies.basic import basic_chart
from bj_env.strategies.charts import LETTERS, Chart, Code, chart, chart_action, published, published_chart

S, H, D, P, R = Action.STAND, Action.HIT, Action.DOUBLE, Action.SPLIT, Action.SURRENDER
ALL = 0b11111


def mask(*actions: Action) -> int:
    return sum(1 << action for action in actions)


@pytest.mark.parametrize(
    ("total", "soft", "pair", "upcard", "action"),
    [
        (16, False, 0, 10, R), (16, False, 0, 9, R), (16, False, 0, 1, R), (16, False, 0, 7, H), (16, False, 0, 6, S),
        (15, False, 0, 10, R), (15, False, 0, 9, H), (12, False, 0, 3, H), (12, False, 0, 4, S), (11, False, 0, 10, D),
        (11, False, 0, 1, H), (10, False, 0, 9, D), (10, False, 0, 10, H), (9, False, 0, 2, H), (9, False, 0, 3, D),
        (8, False, 0, 6, H), (5, False, 0, 6, H), (17, False, 0, 10, S), (20, False, 10, 6, S), (18, True, 0, 2, S),
        (18, True, 0, 3, D), (18, True, 0, 9, H), (19, True, 0, 6, S), (17, True, 0, 2, H), (13, True, 0, 5, D),
        (12, True, 1, 1, P), (16, False, 8, 10, P), (18, False, 9, 7, S), (18, False, 9, 8, P), (10, False, 5, 9, D),
        (8, False, 4, 5, P), (8, False, 4, 4, H), (4, False, 2, 7, P), (4, False, 2, 8, H), (14, False, 7, 8, H),
    ],
)  # fmt: skip
def test_the_published_chart_for_six_decks_s17_das(
    total: int, soft: bool, pair: int, upcard: int, action: Action
) -> None:
    assert basic_chart(parse_rules("six-deck")).action(total, soft, pair, upcard, ALL) is action


@pytest.mark.parametrize(
    ("total", "soft", "pair", "upcard", "legal", "action"),
    [
        (18, True, 0, 3, mask(S, H, D), D),  # two cards
        (18, True, 0, 3, mask(S, H), S),  # three cards, or too little money to double
        (16, False, 8, 10, mask(S, H, R), R),  # no money to split: 16 without a pair
        (16, False, 8, 10, mask(S, H), H),
        (11, False, 0, 6, mask(S, H), H),
        (12, True, 1, 6, mask(S, H), H),  # B185: soft 12 is never told to stand
        (12, True, 1, 6, mask(S, P), P),
        (12, True, 1, 6, mask(S), S),
    ],
)
def test_a_first_choice_that_is_not_legal_has_its_own_fallback(
    total: int, soft: bool, pair: int, upcard: int, legal: int, action: Action
) -> None:
    """Report b190."""
    assert basic_chart(parse_rules("six-deck")).action(total, soft, pair, upcard, legal) is action


@pytest.mark.parametrize("name", published())
def test_every_cell_of_every_chart_gives_a_legal_action_whatever_is_legal(name: str) -> None:
    masks = {ALL & bits | 1 for bits in range(32)}
    for code, by_total, legal in product(Code, Code, masks):
        assert legal >> chart_action(code, by_total, legal) & 1
    one = chart(name)
    for total, upcard, legal in product(range(4, 22), range(1, 11), masks):
        assert legal >> one.action(total, False, 0, upcard, legal) & 1
        assert legal >> one.action(max(total, 12), True, 0, upcard, legal) & 1
    for pair, upcard, legal in product(range(1, 11), range(1, 11), masks):
        assert legal >> one.action(12 if pair == 1 else 2 * pair, pair == 1, pair, upcard, legal) & 1


@pytest.mark.parametrize("name", published())
def test_every_chart_says_the_plain_things(name: str) -> None:
    one: Chart = chart(name)
    for upcard in range(1, 11):
        assert one.action(20, False, 10, upcard, ALL) is S
        assert one.action(20, True, 0, upcard, ALL) is S
        assert one.action(17, False, 0, upcard, mask(S, H)) is S
        assert one.action(8, False, 0, upcard, mask(S, H)) is H
        assert one.action(17, True, 0, upcard, mask(S, H)) is H
        assert one.action(12, True, 1, upcard, ALL) is P
    assert all(len(row) == 10 for rows in (one.hard, one.soft, one.pair) for row in rows)
    assert len(LETTERS) == len(Code)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("6D S17 DAS", "s17_4to8_das"),
        ("6D S17 NDAS", "s17_4to8_ndas"),
        ("8D H17 DAS", "h17_4to8_das"),
        ("5D S17 DAS PEN75 6:5 NINS RSA SP2", "s17_4to8_das"),
        ("1D H17 NDAS", "TDopt-1D-H17-NDAS"),
        ("2D S17 DAS", "TDopt-2D-S17-DAS"),
    ],
)
def test_basic_picks_its_chart_by_decks_soft_17_and_doubling_after_a_split(text: str, name: str) -> None:
    assert basic_chart(parse(text)).name == name


@pytest.mark.parametrize(
    "text", ["INF", "3D", "2D H17 NDAS", "6D ENHC", "6D ES", "6D D10", "6D SP1", "6D CH5", "1D OBO CH5"]
)
def test_where_no_chart_was_published_basic_is_the_solvers(text: str) -> None:
    assert published_chart(parse(text)) is None
    assert basic_chart(parse(text)).name.startswith("best for ")


def test_an_unknown_chart_names_the_nearest() -> None:
    with pytest.raises(RulesError, match=r"unknown chart 's17_4to8_da'; did you mean 's17_4to8_das'\?"):
        chart("s17_4to8_da")


def test_the_chart_honours_the_mask_of_the_rules() -> None:
    rules = Rules()
    legal = play_mask(rules, 11, False, 3, False, False, False, 1, False)
    assert basic_chart(rules).action(11, False, 0, 6, legal) is H
