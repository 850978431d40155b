"""What a table says to people, and what it understands: whole games, spoken plainly, from typed lines."""

import io
import re
from contextlib import redirect_stdout
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.cells import cell_len

from bj_env.cli.main import main
from bj_env.errors import BlackjackError
from bj_env.game.replay import replay
from bj_env.play.explanations import why
from bj_env.play.game import Game, possible_actions
from bj_env.play.setup import COMPANY, Setup
from bj_env.play.terminal.parsing import Command, read
from bj_env.play.terminal.screen import Screen
from bj_env.play.terminal.session import Session
from bj_env.rules.houses import HOUSES
from bj_env.rules.terms import ACTION_WORDS, Action
from tests.play.test_game import setups
from tests.terminal_session import Play, player, sit, stacked

TEXTBOOK = ("even-money", "hit-stand", "campus-s17", "two-player", "campus-h17")


@pytest.fixture
def play(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Play:
    """Return a function that plays with typed lines and returns what was said."""
    return player(tmp_path, monkeypatch, capsys)


# What is understood


@pytest.mark.parametrize(
    "typed", ["abc", "", "1e3", "10,5", "１０", "1" * 5000, "x" * 5000, "0", "-10", "10.5", "1001"]
)
def test_what_is_no_bet_is_refused_in_one_line_with_the_range(play: Play, typed: str) -> None:
    """Report b154."""
    said = play(f"{typed};status;q", "--seed", "1")
    (refusal,) = [line for line in said if line.startswith("expected")]
    assert "1 to 1000" in refusal
    assert len(refusal) < 100
    assert "You have 1000 chips." in said


def test_only_a_number_of_chips_is_a_bet_and_it_may_be_made_of_several(play: Play) -> None:
    """Report b154."""
    assert "You bet 10." in play(" 10 ;q", "--seed", "1")
    assert "You bet 160." in play("100 + 50+10;q", "--new", "--seed", "1")
    assert "You bet 10." not in play("?;q", "--new", "--seed", "1")


@pytest.mark.parametrize("typed", ["", "x", "N ", "no", "yes", "y", "   ", "10", "stay", "\t"])
def test_what_is_not_known_at_the_play_prompt_changes_nothing(typed: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Report b163."""
    game = stacked("six-deck ; D 6/T ; P1 10 8,8 ; next 3,T,T,9")
    game.answer(10)
    before = game.round.where()
    said = sit(game, f"{typed};status", capsys)
    assert any("expected one of stand, hit" in line for line in said)
    assert game.round.where() == before
    assert len(game.moves) == 1


@pytest.mark.parametrize(
    ("typed", "answer"),
    [
        ("N ", Action.DECLINE),
        ("no", Action.DECLINE),
        ("yes", Action.INSURE),
        ("y", Action.INSURE),
        ("I", Action.INSURE),
    ],
)
def test_insurance_is_a_question_of_yes_and_no(typed: str, answer: Action) -> None:
    """Report b163."""
    game = stacked("six-deck ; D A/T ; P1 10 8,8")
    game.answer(10)
    assert read(typed, game.pending) == answer
    for unknown in ("", "x", "maybe"):
        with pytest.raises(BlackjackError, match="expected one of insure, decline"):
            read(unknown, game.pending)


PROMPTS = [
    ("six-deck ; D 6/T ; P1 10 8,8", "house", [], "1 to 100"),
    ("6D ES ; D 6/T ; P1 10 8,8", "house", [10], "one of surrender, decline"),
    ("six-deck ; D A/9 ; P1 10 8,8", "house", [10], "one of insure, decline"),
    ("six-deck ; D 6/T ; P1 10 8,8", "house", [10], "one of stand, hit"),
    ("two-player ; D 6/T ; P1 10 8,8", "you", [10, Action.STAND], "one of stand, hit"),
    ("campus-s17 ; D 6/T ; P1 100 8,8", "house", [], "'play', to bet 100"),
]


@pytest.mark.parametrize(("line", "dealer", "answers", "expected"), PROMPTS)
def test_at_every_prompt_only_known_words_act(
    line: str, dealer: str, answers: list[int], expected: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Report b163."""
    game = stacked(line, dealer=dealer)
    for answer in answers:
        game.answer(answer)
    said = sit(game, ";   ;x;maybe;1e3;-", capsys)
    assert sum(line.startswith("expected ") and expected in line for line in said) == 6
    assert len(game.moves) == len(answers)


def test_empty_input_never_answers_anything(play: Play) -> None:
    """Report b163."""
    said = play(";;10;;;s;;q", "--seed", "1")
    assert sum("got nothing" in line for line in said) == 5
    assert sum(line == "You bet 10." for line in said) == 1


@pytest.mark.parametrize("house", HOUSES)
def test_every_key_and_word_means_one_action_and_short_forms_are_clear_or_refused(house: str) -> None:
    game = Game(Setup.checked(house, ["you"], seed=4, bankroll=10_000))
    game.answer(game.pending.least)
    while game.pending.betting:  # the first round may be over at once
        game.answer(game.pending.least)
    for action in possible_actions(game.rules):
        assert (
            read(ACTION_WORDS[action].key, game.pending)
            == read(ACTION_WORDS[action].verb.upper(), game.pending)
            == action
        )
    for command in Command:
        assert read(command.value, game.pending) is command
    assert read("q", game.pending) is Command.QUIT
    assert len({words.key for words in ACTION_WORDS.values()}) == len(Action)
    with pytest.raises(BlackjackError, match="'hi' may be hit or hint or history; which one"):
        read("hi", game.pending)
    with pytest.raises(BlackjackError, match="'st' may be stand or status"):
        read("st", game.pending)


def understood(typed: str, game: Game) -> int | Command | str:
    """Return what was understood, or the refusal."""
    try:
        return read(typed, game.pending)
    except BlackjackError as error:
        return str(error)


@given(st.text() | st.sampled_from(["st", "hi", "s ", "Ｓ", "ſ", "1+", "+1", "1++1", "?" * 9]), st.integers(1, 9))
def test_whatever_is_typed_is_understood_or_refused_in_one_short_line(typed: str, seed: int) -> None:
    game = Game(Setup.checked("double-deck", ["you"], seed=seed))
    for _ in range(2):
        said = understood(typed, game)
        if isinstance(said, str):
            assert len(said) < 150
            assert said.isprintable()
        else:
            assert typed.strip().isascii()
            assert isinstance(said, Command) or not game.pending.betting or 1 <= said <= 1000
        if game.pending.betting:
            game.answer(10)


LINES = st.lists(
    st.sampled_from("5 10 0 play s h d p u i n y ? why status count history stand hi zzz".split() + [""]),
    min_size=10,
    max_size=40,
)


@settings(max_examples=25)
@given(setups(), LINES, st.booleans(), st.sampled_from((40, 80)))
def test_whatever_is_typed_a_sitting_ends_in_words(setup: Setup, lines: list[str], plain: bool, width: int) -> None:
    said, typed = io.StringIO(), iter(lines)

    def ask(words: object) -> str:
        if (line := next(typed, None)) is None:
            raise EOFError
        return line

    with redirect_stdout(said):
        Session(Game(setup), lambda game: None, Screen(plain=plain, symbols=True, width=width), ask, "bj play").play()
    end = " ".join(said.getvalue().split())
    assert end.endswith(("`bj play` goes on with it.", "the game is over. `bj play` begins a new one."))
    assert plain or max(map(cell_len, said.getvalue().splitlines())) <= width or "history" in lines


# What is said


def test_a_split_and_insurance_are_told_one_event_a_line(capsys: pytest.CaptureFixture[str]) -> None:
    """Report b160."""
    game = stacked("six-deck ; D A/6 ; P1 10 8,8 I P S S ; next 3,T,T")
    said = sit(game, "10;i;p;status;s;s", capsys)
    assert "You: eight, eight, hard 16, 10 staked. The dealer shows the ace. Insurance for 5?" in said
    assert "i insure, n decline." in said
    assert "Not now: stand, hit, double, split, surrender: answer this first." in said
    pending = said.index("You, hand 1 of 2: eight, three, hard 11, 10 staked. The dealer shows the ace.")
    assert said[pending - 2 : pending] == ["You split.", "You draw the three on hand 1: hard 11."]
    assert said[pending + 1] == "s stand, h hit, d double."
    told = said[said.index("The dealer plays.") :]
    assert told[:7] == [
        "The dealer plays.",
        "The dealer turns over the six: soft 17.",
        "The round is over.",
        "Your hand 1, hard 11: lose, -10.",
        "Your hand 2, hard 18: win, +10.",
        "Your insurance loses 5.",
        "You lose 5 and have 95 chips.",
    ]
    assert not set("─│┌└╭╰━┃") & set("".join(said))
    assert all(line.isascii() for line in said)


def test_the_bankroll_is_right_at_once_after_each_settlement(capsys: pytest.CaptureFixture[str]) -> None:
    """Report b166."""
    rounds = [
        ("six-deck ; D T/7 ; P1 10 T,8", "10;s", "You win 10 and have 110 chips."),
        ("six-deck ; D T/8 ; P1 10 T,8", "10;s", "You have 110 chips."),
        ("six-deck ; D 9/8 ; P1 10 A,K", "10", "You win 15 and have 125 chips."),
    ]
    bankroll = 100
    for line, typed, said in rounds:
        game = stacked(line, bankroll=bankroll)
        lines = sit(game, typed, capsys)
        assert said in lines
        bankroll = int(game.table.players[0].bankroll)
        assert f"have {bankroll} chips." in said
    assert bankroll == 125


def test_cards_stand_in_the_order_of_the_deal_and_totals_explain_themselves(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Report b167."""
    said = sit(stacked("six-deck ; D T/7 ; P1 10 A,5 ; next 6,8"), "10;h;h;s", capsys)
    hands = [line.removeprefix("You: ").partition(", 10 staked")[0] for line in said if line.startswith("You: ")]
    assert hands == ["ace, five, soft 16", "ace, five, six, hard 12", "ace, five, six, eight, hard 20"]


def test_an_action_that_the_money_forbids_says_what_it_needs(capsys: pytest.CaptureFixture[str]) -> None:
    """Report b168."""
    said = sit(stacked("six-deck ; D T/7 ; P1 10 6,5 ; next 2", bankroll=15), "10;d;h;d", capsys)
    assert "Not now: double: needs 10, 5 left." in said
    assert "double: needs 10, 5 left; expected one of stand, hit, surrender" in said, (
        "typed all the same, it is refused with the reason"
    )
    assert "Not now: double: only the first two cards are doubled." in said
    assert "double: only the first two cards are doubled; expected one of stand, hit" in said


WHY = """
six-deck ; D T/9 ; P1 10 T,8 S                       | Your 18 against the dealer's 19 loses: -10.
six-deck ; D T/8 ; P1 10 T,8 S                       | Your 18 against the dealer's 18 is a tie; the bet comes back: 0.
six-deck ; D T/7 ; P1 10 T,8 S                       | Your 18 against the dealer's 17 wins: +10.
six-deck ; D T/7 ; P1 10 T,8 H ; next 5              | Your hand is bust with 23, whatever the dealer has: -10.
six-deck ; D T/6 ; P1 10 T,8 S ; next 9              | Your 18 stands, and the dealer is bust with 25: +10.
six-deck ; D T/7 ; P1 10 A,K                         | Your blackjack, 21 on the first two cards, wins 15 for 10: +15.
six-deck ; D T/A ; P1 10 A,K                         | Your blackjack against the dealer's blackjack is a tie
six-deck ; D T/A ; P1 10 T,9                         | Your 19 against the dealer's blackjack loses: -10.
six-deck ; D T/7 ; P1 10 T,6 R                       | Your hand was given up; half of the bet comes back: -5.
six-deck ; D A/T ; P1 10 T,9 I                       | Your insurance: the dealer had a blackjack: +10.
six-deck ; D A/T ; P1 10 T,9 I                       | You, in all: 0.
six-deck ; D A/7 ; P1 10 T,9 I S                     | Your insurance: the dealer had no blackjack: -5.
6D CH5 ; D T/7 ; P1 10 2,2 H H H ; next 2,2,2        | Your 5 cards without a bust win at once in this house: +10.
6D TIELOSE ; D T/8 ; P1 10 T,8 S                     | is a tie, which this house wins: -10.
6D OBO ; D T ; P1 10 8,8 P S S ; next T,T,A          | Hand 2: Your 18 against the dealer's blackjack
two-player ; D T/A ; P1 10 5,6 H ; next T            | Your 21 against the dealer's blackjack is a tie
six-deck ; D 6/T ; P1 10 8,8 P D S ; next 3,T,T,9    | Hand 1: Your 21 stands, and the dealer is bust with 25: +20.
"""


@pytest.mark.parametrize("case", [line for line in WHY.splitlines() if line])
def test_why_says_why_each_hand_won_or_lost(case: str) -> None:
    line, _, sentence = case.partition("|")
    assert sentence.strip() in "\n".join(why(Setup.checked(seed=1), replay(line.strip())))


@pytest.mark.parametrize(
    ("line", "typed", "closed"),
    [
        ("6D ; D A/9 ; P1 10 T,6 S", "10;n", "insure"),
        ("6D ES ; D 9/9 ; P1 10 T,6 S", "10;n", "surrender"),
    ],
)
def test_an_offer_that_was_declined_is_not_said_to_be_unknown_or_still_open(
    line: str, typed: str, closed: str, capsys: pytest.CaptureFixture[str]
) -> None:
    said = sit(stacked(line), typed, capsys)
    assert f"Not now: {closed}: this table offers it only before the hands are played." in said


def test_a_single_chip_is_said_to_be_one(capsys: pytest.CaptureFixture[str]) -> None:
    assert "You have 1 chip." in sit(stacked("6D ; D 6/T ; P1 1 T,6 S", bankroll=1), "", capsys)


def test_others_tell_what_they_do_by_their_names(play: Play) -> None:
    said = play("0;q", "--seats", "you,basic,mimic,mimic", "--seed", "3")
    assert not any(line.startswith("You bet") for line in said)
    for name in ("basic", "mimic 3", "mimic 4"):
        assert f"{name} bets 1." in said
        assert any(line.startswith(f"{name}'s hand") for line in said)


def test_the_question_is_explained_to_somebody_who_has_never_played(play: Play) -> None:
    said = play("?;10;help;count;history;why;hint;q", "--seed", "1")
    assert "Type a number: 1 to 1000." in said
    assert any("6 decks, shuffled before every round." in line for line in said)
    assert "h or hit: take one more card; over 21 the hand is bust and its stake lost." in said
    assert said.count("No round is over yet.") == 2
    assert any(line.startswith(("Running count -", "Running count +")) for line in said)
    best = said.index(
        "What each action is worth on average, per chip bet (the cards you have seen are taken into account):"
    )
    assert re.fullmatch(r"hit: -0\.[0-9]{3}, the best", said[best + 1])


def test_what_history_lists_is_played_again_by_replay(play: Play, capsys: pytest.CaptureFixture[str]) -> None:
    said = play("10;s;10;s;history;q", "--seed", "3")
    lines = [line for line in said if line.startswith("six-deck ;")]
    assert len(lines) == 2
    for line in lines:
        assert main(["replay", line]) == 0
    capsys.readouterr()


# The dealer's chair and the textbook games


def test_somebody_may_play_the_dealer(play: Play) -> None:
    said = play("10;s;?;hint;d;s;q", "--house", "two-player", "--dealer", "you:Dora", "--seed", "7")
    assert any(re.fullmatch(r"Dora: .*, (hard|soft) [0-9]+\.", line) for line in said)
    assert "You play the dealer's hand. Every hand of the seats that is not bust is compared with it." in said
    assert any(re.fullmatch(r"The dealer of this house would (hit|stand)\.", line) for line in said)
    assert "s stand, h hit." in said
    assert "expected one of stand, hit, or ? for help; got 'd'" in said
    assert "The round is over." in said


@pytest.mark.parametrize(
    ("line", "shown"),
    [
        ("six-deck ; D T/A ; P1 10 A,T", ["The dealer  T ??  hard 10", "You         A T   blackjack  10 staked"]),
        ("6D ENHC ; D 5 ; P1 10 A,T ; next 8,9", ["The dealer  5    hard 5", "You         A T  blackjack  10 staked"]),
    ],
)
def test_a_round_without_a_decision_shows_what_was_dealt(
    line: str, shown: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    said = sit(stacked(line), "10", capsys, plain=False)
    deal = said.index(next(text for text in said if text.startswith("Bets are placed")))
    assert [text.rstrip() for text in said[deal + 1 : deal + 3]] == shown
    assert any("The round is over" in text for text in said[deal + 3 :])


@pytest.mark.parametrize(
    ("typed", "noun"), [("d", "doubling"), ("split", "splitting"), ("sur", "surrender"), ("i", "insurance")]
)
def test_an_action_that_the_house_has_not_is_named(typed: str, noun: str, play: Play) -> None:
    said = play(f"play;{typed};q", "--house", "campus-s17", "--seed", "2")
    assert f"this table has no {noun}; expected one of stand, hit" in said


def test_the_dealer_is_told_of_no_stake(capsys: pytest.CaptureFixture[str]) -> None:
    said = sit(stacked("six-deck ; D 6/T ; P1 10 T,8", dealer="you:Dora"), "10;s;?", capsys)
    assert "h or hit: take one more card; over 21 the dealer is bust and every hand that is left wins." in said
    assert not any("its stake lost" in text for text in said)


def test_who_plays_the_dealer_sees_the_table_before_the_first_question(capsys: pytest.CaptureFixture[str]) -> None:
    game = stacked("two-player ; D 6/T ; P1 10 A,K", dealer="you:Dora")
    said = sit(game, "10;status;s", capsys)
    pending = said.index("Dora: six, ten, hard 16.")
    assert said.index("You get the king: blackjack.") < said.index("Dora turns over the ten: hard 16.") < pending
    assert "You: ace, king, blackjack, 10 staked." in said[pending:]  # status
    assert said.count("Round 1") == said.count("You bet 10.") == 1


@pytest.mark.parametrize("house", TEXTBOOK)
def test_a_textbook_game_is_played_until_the_money_is_gone(play: Play, house: str) -> None:
    money = "100" if house == "campus-s17" else "5"
    typed = ("play;" if house == "campus-s17" else f"{money};") + "h;h;h;h;h;h"
    said = play(";".join([typed] * 30), "--house", house, "--bankroll", money, "--seed", "12", "--seats", "you")
    phases = [line for line in said if line.startswith(("Bets are placed", "The round is over"))]
    assert phases[:2] == ["Bets are placed, cards are dealt.", "The round is over."]
    assert re.fullmatch(
        r"You have 0 chips\. The smallest bet is [0-9]+: the game is over\. `.*` begins a new one\.", said[-1]
    )
    assert "A new game begins; the one before is set aside." in play(
        "q", "--house", house, "--bankroll", money, "--seed", "12", "--seats", "you"
    )


@pytest.mark.parametrize(
    ("house", "actions"),
    [
        ("even-money", "s stand, h hit."),
        ("hit-stand", "s stand, h hit."),
        ("campus-s17", "s stand, h hit."),
        ("two-player", "s stand, h hit, d double"),
        ("campus-h17", "s stand, h hit."),
    ],
)
def test_a_textbook_game_has_exactly_its_actions(play: Play, house: str, actions: str) -> None:
    said = play("100;play;s;q", "--house", house, "--seed", "2", "--seats", "you")
    offered = {line for line in said if line.startswith("s stand")}
    assert all(line.startswith(actions) for line in offered)
    assert offered
    closed = {line for line in said if line.startswith("Not now")}
    assert closed == ({"Not now: split: only a pair on two cards is split."} if house == "two-player" else set())


def test_textbook_games_for_several_have_company(play: Play) -> None:
    for house, seats in COMPANY.items():
        said = play("5;q", "--house", house, "--seed", "2")
        assert [line for line in said if line.endswith(" has 1000 chips.")] == [
            f"{name} has 1000 chips." for name in seats[1:]
        ]


def test_money_is_written_in_full(capsys: pytest.CaptureFixture[str]) -> None:
    said = sit(stacked("six-deck ; D T/7 ; P1 10 T,8", bankroll=10**9), "1000;s", capsys)
    assert "You win 1000 and have 1000001000 chips." in said
