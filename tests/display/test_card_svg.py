"""Card faces: pictures without text or fonts, which show what the card is."""

import re
from io import BytesIO
from xml.etree import ElementTree

import numpy as np
import pygame
import pytest

from bj_env.display.card_svg import BLACK, RED, SUIT_PATHS, card_name, card_svg
from bj_env.display.chips import CHIPS, chip_svg, pile
from bj_env.game.cards import FACES, Card, Rank, card

ALL = (None, *FACES, *map(Card, Rank))
NUMBERS = [face for face in FACES if Rank.ACE < face.rank <= Rank.TEN]


def raster(svg: str, width: int = 100) -> np.ndarray:
    """Return the pixels of a picture on green, [width, height, 3]."""
    image = pygame.image.load_sized_svg(BytesIO(svg.encode()), (width, round(1.4 * width)))
    ground = pygame.Surface(image.size)
    ground.fill("#14603c")
    ground.blit(image, (0, 0))
    return pygame.surfarray.array3d(ground).astype(int)


@pytest.mark.parametrize("face", ALL, ids=str)
def test_a_face_is_well_formed_and_made_of_shapes_alone(face: Card | None) -> None:
    root = ElementTree.fromstring(card_svg(face))
    tags = {element.tag.rpartition("}")[2] for element in root.iter()}
    assert tags <= {"svg", "g", "path", "rect", "circle", "ellipse"}
    assert not any(name in {"id", "href", "style"} for element in root.iter() for name in element.attrib)
    assert root.attrib["aria-label"] == card_name(face)


def test_no_two_cards_look_alike_even_when_small() -> None:
    seen = {raster(card_svg(face), 40).tobytes() for face in ALL}
    assert len(seen) == len(ALL) == 66


@pytest.mark.parametrize("face", NUMBERS, ids=str)
def test_a_number_card_has_as_many_pips_as_it_counts_and_one_in_each_corner(face: Card) -> None:
    assert face.suit is not None
    assert card_svg(face).count(SUIT_PATHS[face.suit]) == face.value + 2
    assert not any(path in card_svg(face) for suit, path in SUIT_PATHS.items() if suit is not face.suit)


@pytest.mark.parametrize("suit", "cdhs")
def test_the_red_suits_are_red_and_the_black_ones_black(suit: str) -> None:
    ink = RED if suit in "dh" else BLACK
    used = set(re.findall(r'(?:fill|stroke)="(#\w+)"', card_svg(card("9" + suit))))
    assert ink in used
    assert not {RED, BLACK} - {ink} & used
    wanted = np.array([int(ink[at : at + 2], 16) for at in (1, 3, 5)])
    assert (np.abs(raster(card_svg(card("A" + suit))) - wanted).max(axis=-1) < 12).sum() > 500


@pytest.mark.parametrize("name", ["Tc", "4h", "2s", "9d", "Ks", "Qh", "Jd"])
def test_a_card_looks_the_same_upside_down(name: str) -> None:
    upright = raster(card_svg(card(name)))
    middle = np.abs(upright - upright[::-1, ::-1]).max(axis=-1)
    odd = name == "9d"  # its middle pip stands upright
    assert (middle > 100).mean() < (0.02 if odd else 0.005)


def test_a_card_without_a_suit_shows_none_and_says_its_rank() -> None:
    for rank in Rank:
        drawn = card_svg(Card(rank))
        assert not any(path in drawn for path in SUIT_PATHS.values())
    assert card_name(Card(Rank.QUEEN)) == "queen"


def test_the_width_is_in_pixels_and_the_height_follows() -> None:
    assert 'width="100" height="140"' in card_svg(card("As"), width=100)
    assert card_svg(card("As")).partition("role")[2] == card_svg(card("As"), width=100).partition("role")[2]


@pytest.mark.parametrize("chips", [0, 1, 7, 685, 999, 12345])
def test_a_pile_is_worth_the_amount_in_as_few_chips_as_can_be(chips: int) -> None:
    assert sum(pile(10 * chips)) == chips
    assert pile(10 * chips) == sorted(pile(10 * chips), reverse=True)
    assert all(pile(10 * chips).count(size) < above // size for above, size in zip(CHIPS, [*CHIPS][1:], strict=False))


def test_half_chips_are_left_out_of_a_pile() -> None:
    assert pile(75) == [5, 1, 1]


def test_no_two_chips_look_alike() -> None:
    for size in CHIPS:
        ElementTree.fromstring(chip_svg(size))
    assert len({raster(chip_svg(size), 24).tobytes() for size in CHIPS}) == len(CHIPS)
