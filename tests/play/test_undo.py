"""Moves that are taken back: only those that have turned no card, wherever the game is played and kept."""

from pathlib import Path

import pytest
from hypothesis import given

from bj_env.errors import BlackjackError
from bj_env.game.events import Kind
from bj_env.play.game import Game
from bj_env.play.setup import Setup
from bj_env.play.store import PlayedOn, Store
from bj_env.rules.terms import Action
from tests.play.test_game import Random, chances, games, move, setups, state
from tests.terminal_session import Play, player
from tests.web_client import Web


def cards_seen(game: Game) -> tuple[int, list[object]]:
    """Return all that anybody at the table knows of the cards."""
    events = [] if game.round is None else game.round.events
    return len(game.history), [event for event in events if event.kind not in (Kind.ACTION, Kind.BET)]


@games
@given(setups(), chances)
def test_a_move_is_taken_back_exactly_where_a_person_made_it_and_no_card_was_turned(
    setup: Setup, chance: Random
) -> None:
    game = Game(setup)
    for _ in range(20):
        if game.pending is None:
            break
        before, seen, version, persons = state(game), cards_seen(game), game.version, game.pending.person
        round = game.round
        move(game, chance)
        assert game.can_undo == (persons and game.round is round and cards_seen(game) == seen)
        if game.can_undo:
            game.undo()
            assert state(game) == before
            assert game.version > version + 1
            move(game, chance)
        else:
            after = state(game)
            with pytest.raises(BlackjackError, match="undo: expected a move of a person that has turned no card"):
                game.undo()
            assert state(game) == after


def two_bets(**setup: object) -> Game:
    game = Game(Setup.checked(seats=["you:Ann", "you:Bob"], seed=1, **setup))
    game.answer(100)
    return game


def test_what_was_taken_back_is_not_in_the_file_and_another_move_takes_its_place(tmp_path: Path) -> None:
    store, game = Store(tmp_path / "games.sqlite"), two_bets()
    store.keep("mine", game)
    game.undo()
    store.keep("mine", game)
    assert store.load("mine").moves == []
    game.answer(10)
    store.keep("mine", game)
    assert [move.value for move in store.load("mine").moves] == [10]


def test_a_move_of_another_process_is_never_taken_out_of_the_file(tmp_path: Path) -> None:
    store, game = Store(tmp_path / "games.sqlite"), two_bets()
    store.keep("mine", game)
    other = store.load("mine")
    other.answer(7)
    store.keep("mine", other)
    game.undo()
    with pytest.raises(PlayedOn):
        store.keep("mine", game)
    assert [move.value for move in store.load("mine").moves] == [100, 7]


def test_a_page_takes_a_bet_back_and_others_see_it(web: Web) -> None:
    sitter = web.begin(Setup.checked(seats=["you:Ann", "you:Bob"], seed=1))
    assert not sitter.state["can_undo"]
    sitter.answer(100)
    assert sitter.state["can_undo"]
    undone = sitter.post("undo", seen=sitter.state["moves"]).json()
    assert (undone["pending"]["seat"], undone["seats"][0]["placed"]) == (0, None)
    assert undone["moves"] > sitter.state["moves"]
    assert sitter.post("undo", seen=sitter.state["moves"]).status_code == 409
    refused = sitter.post("undo", seen=undone["moves"])
    assert (refused.status_code, refused.json()["error"][:5]) == (400, "undo:")
    sitter.state = undone
    sitter.answer(10)
    sitter.answer(10)
    assert sitter.post("undo", seen=sitter.state["moves"]).status_code == 400
    web.tables._live.clear()
    assert sitter.look().json()["seats"][0]["hands"][0]["stake"] == 10


def test_the_terminal_takes_a_bet_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    play: Play = player(tmp_path, monkeypatch, capsys)
    said = play("undo;100;undo;10;20;undo;s;undo;q", "--seats", "you:Ann,you:Bob", "--seed", "1", "--rules", "6D NINS")
    refusal = "undo: expected a move of a person that has turned no card"
    assert said.count("The last move is taken back.") == 2
    assert said.count(refusal) == 2
    assert "Ann bets 10." in said
    assert "Ann bets 100." not in said


def test_a_stand_is_taken_back_before_the_next_seat_plays() -> None:
    game = two_bets(house="6D NINS")
    game.answer(10)
    hand = game.round.where()
    assert not game.can_undo
    game.answer(Action.STAND)
    assert game.pending.seat == 1
    game.undo()
    assert game.round.where() == hand
