"""``bj play`` as a command: where games are kept, and what cannot be played."""

import sys
from pathlib import Path

import pytest

from bj_env.extras import missing
from bj_env.play.store import Store
from bj_env.strategies.saved_policy import save_policy
from tests.strategies.test_saved_policy import TABLE, table_tensors
from tests.terminal_session import Play, player


@pytest.fixture
def play(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Play:
    """Return a function that plays with typed lines and returns what was said."""
    return player(tmp_path, monkeypatch, capsys)


def test_each_table_has_a_game_of_its_own_and_the_last_one_goes_on(play: Play, tmp_path: Path) -> None:
    play("10;h;q", "--seed", "1")
    play("play;q", "--house", "campus-s17", "--seed", "2")
    said = play("q")
    assert said[0] == "Blackjack at campus-s17"
    assert "The game goes on where it was left, after 0 rounds." in said
    said = play("q", "--seed", "1")
    hand = "five of diamonds, two of hearts, three of clubs, hard 10, 10 staked"
    assert f"You: {hand}. The dealer shows the seven of diamonds." in said
    said = play("q", "--seed", "1", "--new")
    assert "A new game begins; the one before is set aside." in said
    assert "You have 1000 chips." in said
    assert Store(tmp_path / "games").load("six-deck | you | house | 1000 | 1.1").moves[0].value == 10


def test_the_last_table_begun_anew_is_that_table(play: Play) -> None:
    play("play;q", "--house", "campus-s17", "--seed", "2")
    said = play("q", "--new")
    assert said[:2] == ["A new game begins; the one before is set aside.", "Blackjack at campus-s17"]
    assert play("q", "--house", "campus-s17", "--seed", "2")[0] == "Blackjack at campus-s17"


def test_a_game_whose_policy_is_gone_waits_for_it_and_another_table_is_there(play: Play, tmp_path: Path) -> None:
    policy = tmp_path / "policy"
    save_policy(policy, TABLE, table_tensors())
    play("10;q", "--seats", f"you,{policy}", "--seed", "1")
    policy.rename(tmp_path / "elsewhere")
    waits, *said = play("10;q")
    assert waits.startswith(f"The game 'six-deck | you,{policy} | house | 1000 | 1' waits: policy '{policy}'")
    assert said[2] == "You have 1000 chips."
    (tmp_path / "elsewhere").rename(policy)
    assert "The game goes on where it was left, after 0 rounds." in play("q", "--seats", f"you,{policy}", "--seed", "1")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--house", "six-dek"], "six-dek"),
        (["--seats", "basic"], "seats: expected a person, 'you' or 'you:NAME', in at least one of them"),
        (["--seats", "you,basicc"], "did you mean 'basic'?"),
        (["--seats", "me"], "or 'you' or 'you:NAME' for a person"),
        (["--seats", "you:ann,you:Ann"], "seats: expected names that differ, got 'Ann' twice"),
        (["--dealer", "basic"], "dealer: expected 'house', 'you' or 'you:NAME', got 'basic'"),
        (["--bankroll", "0"], "bankroll: expected a whole number from 1 to 1000000000, got '0'"),
        (["--bankroll", "50", "--house", "campus-s17"], "bankroll: expected at least the smallest bet, 100, got 50"),
        (["--seed", "-1"], "seed: expected a whole number from 0 to"),
        (["--rules", "6D H71"], "unknown rule 'H71' in '6D H71'; did you mean 'H17'?"),
        (["--rules", "rules.toml"], "rules.toml"),
        (["--save", "/"], "games '/': expected a file, got a folder"),
    ],
)
def test_what_cannot_be_played_is_refused_in_one_line(play: Play, arguments: list[str], message: str) -> None:
    (line,) = play("", *arguments, code=1)
    assert line.startswith("bj play: ")
    assert message in line


@pytest.mark.parametrize(
    ("toml", "message"),
    [
        ("dealer_hit_soft_17 = true", "dealer_hits_soft_17"),
        ('decks = "6"', "decks"),
        ("penetration = 75", "penetration: expected a share of the shoe from 0 to 0.99, got 75"),
    ],
)
def test_a_rules_file_that_means_something_else_is_refused(play: Play, tmp_path: Path, toml: str, message: str) -> None:
    """Report b170."""
    rules = tmp_path / "rules.toml"
    rules.write_text(toml)
    (line,) = play("", "--rules", str(rules), code=1)
    assert message in line


def test_a_rules_file_is_found_again_from_another_folder(
    play: Play, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "mine.toml").write_text("decks = 2\nmin_bet = 7")
    monkeypatch.chdir(tmp_path)
    assert "Your bet, 7 to 1000:" in play("q", "--rules", "mine.toml")
    monkeypatch.chdir("/")
    assert "Your bet, 7 to 1000:" in play("q")


def test_a_game_outlasts_its_rules_file(play: Play, tmp_path: Path) -> None:
    rules = tmp_path / "mine.toml"
    rules.write_text("decks = 2\nmin_bet = 7")
    play("10;q", "--rules", str(rules), "--seed", "1")
    before = play("q")
    rules.write_text("decks = 8\nmin_bet = 9")
    assert play("q") == before
    assert "Your bet, 9 to 1000:" in play("q", "--rules", str(rules))
    rules.unlink()
    assert play("q", "--rules", "2D MIN7", "--seed", "1")[2] == "You have 1000 chips."


def test_what_is_lacking_is_named_with_what_installs_it(play: Play, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "platformdirs", None)
    monkeypatch.delitem(sys.modules, "bj_env.play.terminal.session", raising=False)
    (line,) = play("", code=1)
    assert line == f"bj play: {missing('platformdirs', 'play')}"


def test_who_counts_a_shoe_without_a_cut_card_is_warned(play: Play) -> None:
    warning = "The shoe is shuffled before every round, so no count lasts: take a cut card, like 6D PEN75."
    assert warning in play("q", "--seats", "you,hi-lo")
    assert warning in play("q", "--count")
    assert warning not in play("q", "--count", "--rules", "6D PEN75")
    assert warning not in play("q", "--seats", "you")
