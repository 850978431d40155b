"""Scenes: what everyone sees of a table and of a recorded round; notebooks show it."""

from collections import Counter
from random import Random
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bj_env.display.card_svg import card_svg
from bj_env.display.notebook import record_html
from bj_env.display.scene import Scene, record_scene, round_scene
from bj_env.game.cards import card
from bj_env.game.participants import Player
from bj_env.game.replay import replay
from bj_env.game.round import Round
from bj_env.game.table import Table
from bj_env.rules.terms import Action, HoleCard
from bj_env.strategies.charts import COLOURS, Chart, Code, chart, published
from tests.env.games import make
from tests.generators import rules

SPLIT = "six-deck ; D 6/T ; P1 10 8,8 P D S ; P2 10 A,K ; P3 0 ; next 3,T,T,9"


def seen(round: Round) -> Scene:
    return round_scene(round, [""] * len(round.seats), ())


def bare(scene: Scene) -> Scene:
    """Leave out what a record does not say: the shoe, whose turn it is, money not staked, that nobody is asked."""
    seats = tuple(
        seat._replace(bank=None, hands=tuple(hand._replace(to_act=False) for hand in seat.hands))
        for seat in scene.seats
    )
    return scene._replace(shoe="", seats=seats, legal=(), end="" if "over" in scene.end else scene.end)


@settings(max_examples=100, deadline=None)
@given(rules(min_bet=1, max_bet=100), st.integers(0, 10**6), st.sampled_from([None, 40]))
def test_a_record_shows_at_every_decision_what_was_seen_at_the_table(house: Any, seed: int, bank: int | None) -> None:
    env, chance = make(rules=house, seats=("agent", "random", "agent"), bets=(0, 1, 10), bankroll=bank), Random(seed)
    env.reset(seed=seed)
    while not env.episode.over:
        round = env.episode.round
        if round is not None:
            assert bare(record_scene(round.record())) == bare(seen(round))
        env.step(int(chance.choice(np.flatnonzero(env.action_masks()))))
    if env.episode.round is not None:
        assert bare(record_scene(env.episode.round.record())) == bare(seen(env.episode.round))


def test_a_hole_card_is_face_down_until_it_is_turned() -> None:
    line = "six-deck ; D 6/T ; P1 10 T,8"
    for mode, dealer in (("PEEK", (card("6"), None)), ("ENHC", (card("6"),))):
        table = Table(f"6D {mode} NS NINS", [Player("ann")], seed=1)
        table.stack([card(text) for text in "T68T"])
        round = table.deal([10])
        assert (round.rules.hole_card is HoleCard.PEEK) == (mode == "PEEK")
        assert seen(round).dealer == record_scene(round.record()).dealer == dealer
    over = replay(f"{line} S ; next 9")
    assert [str(face) for face in seen(over).dealer] == ["6", "T", "9"]


def test_results_are_win_lose_push_blackjack_and_surrender() -> None:
    over = seen(replay("six-deck ; D T/8 ; P1 10 T,9 S ; P2 10 T,7 S ; P3 10 T,8 S ; P4 10 A,K ; P5 10 T,6 R"))
    assert [(hand.result, hand.net) for seat in over.seats for hand in seat.hands] == [
        ("Win", 100),
        ("Lose", -100),
        ("Push", 0),
        ("Blackjack", 150),
        ("Surrender", -50),
    ]


def test_a_void_round_says_so() -> None:
    table = Table("1D NS NINS", [Player("ann")], seed=1)
    table.stack([card(text) for text in "T68T"], alone=True)
    round = table.deal([10])
    round.act(Action.HIT)
    assert round.void
    for scene in (seen(round), record_scene(round.record())):
        assert scene.end == "the round is void, all stakes go back"
        assert scene.seats[0].hands[0].result == ""


# --- notebooks ---


def parsed(html: str) -> ElementTree.Element:
    return ElementTree.fromstring(html)


def test_a_notebook_shows_the_cards_values_nets_and_the_line() -> None:
    record = replay(SPLIT).record()
    html = record_html(record)
    said = " ".join("".join(parsed(html).itertext()).split())
    words = ("bust with 25", "hard 21 · bet 20, doubled", "Win +20", "Blackjack +15", "net +30", "sits out")
    assert all(word in said for word in (*words, str(record)))
    shown = Counter(element.attrib["aria-label"] for element in parsed(html).iter() if "aria-label" in element.attrib)
    assert shown == Counter("six ten nine eight three ten eight ten ace king".split())


def test_a_notebook_shows_suits_and_hides_the_hole_card() -> None:
    table = Table("6D NS NINS", [Player("ann")], seed=1)
    table.stack([card(text) for text in ("Th", "6s", "8d", "9c")])
    html = record_html(table.deal([10]).record())
    assert card_svg(card("Th"), width=54) in html
    assert card_svg(None, width=54) in html
    assert "nine" not in html


@pytest.mark.parametrize("name", published())
def test_a_notebook_shows_a_chart_in_the_colours_of_its_actions(name: str) -> None:
    cells = list(parsed(f"<div>{chart(name)._repr_html_()}</div>").iter("td"))
    assert len(cells) == 10 * (15 + 8 + 10)
    colours = {cell.text: cell.attrib["style"].rpartition(":")[2] for cell in cells}
    assert colours["S"] == COLOURS[Action.STAND]
    assert colours["H"] == COLOURS[Action.HIT]
    assert colours["D"] == colours.get("T", colours["D"]) == COLOURS[Action.DOUBLE]
    assert colours["P"] == COLOURS[Action.SPLIT]


def test_the_name_of_a_chart_is_text_and_nothing_else() -> None:
    hostile = chart("s17_4to8_das")._replace(name="<script>alert('&')</script>")
    html = hostile._repr_html_()
    assert "<script" not in html
    assert parsed(f"<div>{html}</div>").find("b").text == hostile.name  # type: ignore[union-attr]


def test_rows_are_shown_from_the_highest_with_aces_first_among_pairs() -> None:
    one: Chart = chart("s17_4to8_das")
    assert [name for name, _ in one.rows("hard")] == [str(total) for total in range(19, 4, -1)]
    assert dict(one.rows("pair"))["8"] == (Code.SPLIT,) * 10
