"""The table as a picture: every fact of a scene is seen in it, and nothing overlaps."""

from itertools import combinations, pairwise
from typing import Any

import numpy as np
import pytest
from pygame import Rect

from bj_env.display.picture import SIZE, _boxes, _card_width, draw, pixels
from bj_env.display.scene import HandScene, Scene, SeatScene, record_scene
from bj_env.game.cards import card
from bj_env.game.replay import replay
from bj_env.rules.houses import parse_rules

HAND = HandScene((card("Th"), card("6c")), "hard 16", 100, "", to_act=False, net=None, result="")
SEAT = SeatScene("P1", "agent", (HAND, HAND), 900, 50, None, to_bet=False, sits_out=False)
SCENE = Scene(
    parse_rules("six-deck"), "300 cards left in the shoe", (card("As"), None), "", (SEAT, SEAT), ("HIT", "STAND"), ""
)


def with_hand(**change: Any) -> Scene:
    return with_seat(hands=(HAND._replace(**change), HAND))


def with_seat(**change: Any) -> Scene:
    return SCENE._replace(seats=(SEAT._replace(**change), SEAT))


CHANGES = {
    "rules": SCENE._replace(rules=parse_rules("six-five")),
    "one more rule": SCENE._replace(rules=parse_rules("6D PEN75")),
    "shoe": SCENE._replace(shoe="299 cards left in the shoe"),
    "the up card's suit": SCENE._replace(dealer=(card("Ah"), None)),
    "no hole card": SCENE._replace(dealer=(card("As"),)),
    "hole card turned": SCENE._replace(dealer=(card("As"), card("Ks"))),
    "dealer's value": SCENE._replace(dealer_value="soft 17"),
    "legal": SCENE._replace(legal=("HIT",)),
    "over": SCENE._replace(legal=(), end="the round is over"),
    "void": SCENE._replace(legal=(), end="the round is void, all stakes go back"),
    "card": with_hand(cards=(card("Th"), card("6d"))),
    "third card": with_hand(cards=(card("Th"), card("6c"), card("2c"))),
    "value": with_hand(value="soft 17"),
    "stake": with_hand(stake=105),
    "chips": with_hand(stake=200),
    "fate": with_hand(fate="doubled"),
    "in turn": with_hand(to_act=True),
    "win": with_hand(net=100, result="Win"),
    "blackjack": with_hand(net=100, result="Blackjack"),
    "lose": with_hand(net=-100, result="Lose"),
    "push": with_hand(net=0, result="Push"),
    "surrender": with_hand(net=-50, result="Surrender"),
    "one hand": with_seat(hands=(HAND,)),
    "no bet yet": with_seat(hands=()),
    "to bet": with_seat(hands=(), to_bet=True),
    "sits out": with_seat(hands=(), sits_out=True),
    "label": with_seat(label="P9"),
    "name": with_seat(name="basic"),
    "bank": with_seat(bank=1000),
    "no insurance": with_seat(insurance=0),
    "net": with_seat(net=100),
    "lost": with_seat(net=-100),
    "seats": SCENE._replace(seats=(SEAT,)),
}


def test_every_fact_is_seen() -> None:
    pictures = {name: pixels(draw(scene)).tobytes() for name, scene in {"as it is": SCENE, **CHANGES}.items()}
    for (name, one), (other, two) in combinations(pictures.items(), 2):
        assert one != two, f"{name} looks like {other}"


def test_keys_are_shown_beside_the_actions() -> None:
    assert (pixels(draw(SCENE, "hs")) != pixels(draw(SCENE))).any()


def test_the_same_scene_is_the_same_picture() -> None:
    assert (pixels(draw(SCENE)) == pixels(draw(SCENE))).all()


@pytest.mark.parametrize(("seats", "rows"), [(1, 1), (3, 1), (7, 1), (8, 2), (15, 3)])
def test_a_picture_is_an_array_with_an_even_size_that_depends_on_the_seats_alone(seats: int, rows: int) -> None:
    shapes = set()
    for hands in (1, 4, 8):
        picture = pixels(draw(SCENE._replace(seats=(SEAT._replace(hands=(HAND,) * hands),) * seats)))
        assert picture.dtype == np.uint8
        shapes.add(picture.shape)
    ((height, width, colours),) = shapes
    assert (width, colours) == (SIZE[0], 3)
    assert height >= rows * 400
    assert height % 2 == width % 2 == 0, "video encoders want even sizes"


@pytest.mark.parametrize("hands", range(1, 9))
@pytest.mark.parametrize("width", [168, 240, 290], ids="{} wide".format)
def test_hands_of_a_seat_do_not_overlap_and_can_be_read(width: int, hands: int) -> None:
    area = Rect(20, 250, width, 376)
    boxes = _boxes(area, hands)
    assert len(boxes) == hands
    assert all(area.contains(box) for box in boxes)
    assert not any(one.colliderect(other) for one, other in combinations(boxes, 2))
    assert all(_card_width(box, 1, 1) >= 24 for box in boxes)
    assert all((one.top, one.left) < (other.top, other.left) for one, other in pairwise(boxes)), "in reading order"


@pytest.mark.parametrize("name", ["", "x" * 5000, "<script>alert(1)</script>", "a\0b\nc", "\u202eאבג", "😀" * 30])
def test_any_name_is_drawn_as_text_that_stays_on_its_plate(name: str) -> None:
    plain, drawn = (pixels(draw(with_seat(name=one))).astype(int) for one in ("agent", name))
    ys, xs, _ = np.nonzero(plain != drawn)
    assert len(xs) == 0 or (xs.max() - xs.min() < 300 and ys.max() - ys.min() < 58)


def test_many_bets_stay_within_the_picture() -> None:
    scene = SCENE._replace(legal=tuple(f"bet {size}" for size in range(977, 1001)))
    edges = pixels(draw(scene, "1" * 24))[-50:, [8, -9]]
    assert (edges == edges[:1]).all()


def test_a_hand_of_many_cards_stays_within_its_box() -> None:
    long = SCENE._replace(seats=(SEAT._replace(hands=(HAND._replace(cards=(card("As"),) * 21),)),) * 7)
    short = SCENE._replace(seats=(SEAT._replace(hands=(HAND._replace(cards=(card("As"),)),)),) * 7)
    columns = np.nonzero((pixels(draw(long)) != pixels(draw(short))).any(axis=(0, 2)))[0]
    assert columns.min() > 14
    assert columns.max() < SIZE[0] - 14


def test_a_record_can_be_drawn() -> None:
    scene = record_scene(replay("six-deck ; D 6/T ; P1 10 8,8 P D S ; P2 10 A,K ; next 3,T,T,9").record())
    assert pixels(draw(scene)).any()
