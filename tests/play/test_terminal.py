"""The table in the terminal, as a person meets it: the real program behind a real pseudo-terminal."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from bj_env.play.practice import PracticeLog
from tests.terminals import Terminal

SEED = ("--seed", "1")  # its first round: 5,2 against a 7; a 3 and an ace come next


def test_a_round_is_played_at_the_keyboard(tmp_path: Path) -> None:
    with Terminal(tmp_path / "games", *SEED) as table:
        assert "Your bet, 1 to 1000:" in table.text
        assert "You: 5♦ 2♥, hard 7, 10 staked. The dealer shows 7♦.\ns stand   h hit   d double   r surrender" in (
            table.type("10")
        )
        assert "\nnot now: split: only a pair on two cards is split" in table.text
        assert "You draw 3♣: hard 10." in table.type("h")
        assert "You  5♦ 2♥ 3♣  hard 10  lose, -10\nYou lose 10 and have 990 chips." in table.type("stand")
        assert "Your 10 against the dealer's 20 loses: -10." in table.type("why")
        said = f"The game is kept: `bj play --save {tmp_path}/games` goes on with it."
        assert squeezed(said) in squeezed(table.type("q"))
        assert table.exit_code == 0


def squeezed(text: str) -> str:
    """Return a text without spaces and ends of lines, which a narrow terminal sets as it must."""
    return re.sub(r"\s", "", text)


def test_history_and_completion_help_typing(tmp_path: Path) -> None:
    with Terminal(tmp_path / "games", *SEED) as table:
        table.type("25")
        table.process.send("his\t")  # the only word that begins so
        assert "No round is over yet." in table.type("")
        table.type("s")
        table.process.send("\x1b[A\x1b[A\x1b[A")  # up, over stand and history, to the bet
        assert "25 staked" in table.type("")


@pytest.mark.parametrize(("key", "code"), [("c", 130), ("d", 0)])
@pytest.mark.parametrize("plain", [(), ("--plain",)])
def test_ctrl_c_and_the_end_of_input_say_what_becomes_of_the_stake(
    tmp_path: Path, key: str, code: int, plain: tuple[str, ...]
) -> None:
    with Terminal(tmp_path / "games", *SEED, *plain) as table:
        table.type("10")
        said = f"The hand is kept, with 10 chips staked: `bj play --save {tmp_path}/games` goes on with it."
        assert squeezed(said) in squeezed(table.press(key))
        assert "Traceback" not in table.text
        assert table.exit_code == code


@pytest.mark.parametrize("plain", [(), ("--plain",)])
def test_sigterm_is_heeded_and_says_what_becomes_of_the_stake(tmp_path: Path, plain: tuple[str, ...]) -> None:
    with Terminal(tmp_path / "games", *SEED, *plain) as table:
        table.type("10")
        said = f"The hand is kept, with 10 chips staked: `bj play --save {tmp_path}/games` goes on with it."
        table.process.kill(15)
        table.wait()
        assert squeezed(said) in squeezed(table.text)
        assert "Traceback" not in table.text
        assert table.exit_code == 128 + 15


def test_a_hand_is_on_the_table_again_after_a_kill(tmp_path: Path) -> None:
    """Report b169."""
    with Terminal(tmp_path / "games", *SEED) as table:
        table.type("10", "h")
        table.kill()
    with Terminal(tmp_path / "games") as table:
        assert "The game goes on where it was left, after 0 rounds." in table.text
        assert "You: 5♦ 2♥ 3♣, hard 10, 10 staked. The dealer shows 7♦." in table.text
        assert "You have 990 chips." in table.text, "the stake lies on the table"
        table.type("s")
        table.kill()
    with Terminal(tmp_path / "games") as table:
        assert "You have 990 chips." in table.text
        assert "Your 10 against the dealer's 20 loses: -10." in table.type("why")
        assert "Round 2" in table.type("10"), "a new deal works"


def test_a_kill_between_two_hands_of_a_split_or_after_a_bust_goes_on_with_the_next_hand(tmp_path: Path) -> None:
    """Report b169."""
    arguments = ("--house", "two-player", "--seats", "you:Ann,basic,you:Bob", "--seed", "7")
    with Terminal(tmp_path / "games", *arguments) as table:
        table.type("100", "5", "p", "s")
        table.kill()
    with Terminal(tmp_path / "games", *arguments) as table:
        assert "Ann, hand 2 of 2: J♦ 10♣, hard 20, 100 staked." in table.text
        assert "Ann draws 5♠ on hand 2: bust with 25." in table.type("h")
        table.kill()
    with Terminal(tmp_path / "games", *arguments) as table:
        assert "bust with 25" in table.text
        assert "Bob: 8♣ A♦, soft 19, 5 staked. The dealer shows 3♣." in table.text


def test_the_window_may_be_made_narrow_in_mid_hand(tmp_path: Path) -> None:
    with Terminal(tmp_path / "games", *SEED) as table:
        table.resize(40)
        assert "You: 5♦ 2♥, hard 7, 10 staked. The\ndealer shows 7♦.\n" in table.type("10")
        table.resize(100)
        assert "You: 5♦ 2♥ 3♣, hard 10, 10 staked. The dealer shows 7♦." in table.type("h")


def test_forty_columns_leave_nothing_out(tmp_path: Path) -> None:
    letters = "Maximiliana-Wilhelmina von Hohenstaufen"
    arguments = ("--seats", f"you:{letters},basic,random", *SEED)
    with Terminal(tmp_path / "games", *arguments, columns=40) as table:
        table.type("100")
        while "The round is over" not in table.text:
            table.type("s")
        shown = re.sub(r"\s", "", table.text)
        assert "…" not in shown
        assert max(map(len, table.text.splitlines())) <= 40
        for words in ("lose,-100", f"{letters}loses100andhas900chips.", "surrendernotnow:"):
            assert re.sub(r"\s", "", words) in shown


@pytest.mark.parametrize(
    ("env", "colours", "symbols"),
    [
        ({}, True, True),
        ({"NO_COLOR": "1"}, False, True),
        ({"LANG": "C"}, True, False),
        ({"LANG": "de_DE.ISO-8859-1", "PYTHONIOENCODING": "latin-1"}, True, False),
    ],
)
def test_colours_and_suits_are_shown_only_where_they_may_be(
    tmp_path: Path, env: dict[str, str], colours: bool, symbols: bool
) -> None:
    with Terminal(tmp_path / "games", *SEED, env=env) as table:
        table.type("10")
        rendition = re.compile(rb"\x1b\[([0-9;]+)m")
        used = {int(number) for found in rendition.findall(table.raw) for number in found.split(b";") if number}
        assert (31 in used) == colours
        assert ("5♦ 2♥" in table.text) == symbols
        assert ("5d 2h" in table.text) != symbols
        assert symbols or table.text.isascii()


@pytest.mark.parametrize(("env", "arguments"), [({"TERM": "dumb"}, ()), ({}, ("--plain",))])
def test_a_dumb_terminal_and_a_plain_one_draw_nothing(
    tmp_path: Path, env: dict[str, str], arguments: tuple[str, ...]
) -> None:
    with Terminal(tmp_path / "games", *SEED, *arguments, columns=100, env=env) as table:
        table.type("10", "h", "s", "q")
        assert b"\x1b" not in table.raw
        assert table.text.isascii()
        assert "You draw the three of clubs: hard 10.\n" in table.text
        assert table.exit_code == 0


def test_two_at_once_on_one_file_are_told_apart_in_one_line(tmp_path: Path) -> None:
    with Terminal(tmp_path / "games") as first, Terminal(tmp_path / "games") as second:
        said = f"bj play: games '{tmp_path}/games': another `bj play` is using it; --save FILE takes another"
        assert squeezed(second.text) == squeezed(said)
        assert second.exit_code == 1
        assert "Round 1" in first.type("10")


def damage_nothing(path: Path) -> None:
    path.write_bytes(b"")


def damage_half(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


@pytest.mark.parametrize("damage", [damage_nothing, damage_half])
def test_a_damaged_file_never_bars_the_table(tmp_path: Path, damage: Callable[[Path], None]) -> None:
    """Report b171."""
    path = tmp_path / "games.sqlite"
    with Terminal(path, *SEED) as table:
        table.type("10", "h", "q")
    damage(path)
    with Terminal(path, *SEED) as table:
        aside = re.search(r"(?:is|are)kept(?:in|as)'([^']*)'", squeezed(table.text))
        assert aside, table.text
        assert "/" not in aside[1] or Path(aside[1]).exists()
        assert "You have 1000 chips." in table.text
        assert "Round 1" in table.type("10")
        assert "kept" in table.type("q")
    with Terminal(path, *SEED) as table:
        assert "You: 5♦ 2♥, hard 7, 10 staked." in table.text


def test_a_decision_is_reviewed_once_it_is_made_and_kept_in_the_practice_log(tmp_path: Path) -> None:
    with Terminal(tmp_path / "games", *SEED) as table:
        assert "the best" not in table.type("10")
        said = table.type("s")
        assert re.search(r"stand on hard 7 v 7: a mistake\. Better: hit, by 0\.\d{3} bets, [\d.]+ chips\.", said)
        assert "Another card busts the hand: 0%. The dealer ends with: 17 " in said
    log = PracticeLog(tmp_path / "practice.sqlite")
    assert log.summary("you").total.decisions == 1
    with Terminal(tmp_path / "more", *SEED, "--no-practice") as table:
        table.type("10")
        assert "Better" not in table.type("s")


@pytest.mark.parametrize(("columns", "rows"), [(80, 24), (40, 15)])
def test_a_session_fits_a_small_terminal(columns: int, rows: int, tmp_path: Path) -> None:
    with Terminal(tmp_path / "games", *SEED, columns=columns, rows=rows) as table:
        table.type("10", "h", "s", "why", "?", "q")
        assert max(map(len, table.text.splitlines())) <= columns
        assert "a mistake" in re.sub(r"\s+", " ", table.text)
        assert table.exit_code == 0
