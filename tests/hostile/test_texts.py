"""Rule texts, rules files, cards and round notation that were written by nobody: read, or refused in one short line.

A short run is in ``make test``, a long one is marked slow; both print how many inputs they tried.
"""

from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest

from bj_env.errors import BlackjackError
from bj_env.game.notation import parse, parse_cards, write, write_faces
from bj_env.game.replay import replay
from bj_env.rules.houses import HOUSES, parse_rules, text, tokens
from bj_env.rules.terms import FIELDS, Rules

SHORT, LONG = 2_000, 200_000
LONGEST_MESSAGE = 1_000

LINES = (
    "six-deck ; D 6/T ; P1 10 8,8 P D S ; next 3,T,T,9",
    "6D S17 ; D 6/T ; P1 10 8,8 P D S ; P2 10 A,K ; next 3,T,T,9 => P1 +30 P2 +15 ; D 6,T,9",
    "8D S17 ENHC SP4 NS NINS ; D T ; P1 10 bank 35.5 9,9 P S S ; next T,T,8",
    "6D ES ; D A/T ; P1 10 T,6 R ; P2 0 => P1 -5 P2 0 ; D A,T",
)
PIECES = (
    *"0123456789+-_.,;:/=>%!?*#\"'\\()[]{}<>|~ \t\n\r\0",
    *(
        "10",
        "1_0",
        "+4",
        "-0",
        "1e9",
        "0x1",
        "\u0664",
        "\u00b2",
        "\u017f17",
        "\u212a",
        "NaN",
        "inf",
        "=>",
        "next",
        "bank",
        "left",
    ),
    *("MISDEAL", "P1", "P2", "P9", "D", "A,K", "Th", "T,T", "9" * 400, "x" * 2000, "\U0001f0a1", "\u202e", "\ud800"),
)
VALUES = (
    0,
    1,
    -1,
    15,
    10**30,
    2.5,
    -0.0,
    float("nan"),
    float("inf"),
    True,
    False,
    None,
    "",
    "late",
    "none",
    "3:2",
    "D9",
    [],
    {},
    b"LS",
)


def spoiled(words: str, draw: Random) -> str:
    """Return a text with a few pieces put in, left out, doubled or moved."""
    for _ in range(draw.randint(1, 4)):
        place, end = sorted(draw.randint(0, len(words)) for _ in range(2))
        match draw.randrange(6):
            case 0 | 1:
                words = words[:place] + draw.choice(PIECES) + words[place:]
            case 2:
                words = words[:place] + words[end:]
            case 3:
                words = words[:place] + words[place:end] * 2 + words[end:]
            case 4:
                words = words[:place] + draw.choice(PIECES) + words[place + 1 :]
            case _:
                words = words[:place] + words[place:end].swapcase() + words[end:]
    return words


def check(read: Callable[[], object], came: object) -> bool:
    """Read something; tell whether it reads, and check that it is refused in one short line otherwise."""
    message = ""
    try:
        read()
    except BlackjackError as error:
        message = str(error)
    assert "\n" not in message, ascii(came)
    assert len(message) <= LONGEST_MESSAGE, ascii(came)
    return not message


def read_rules(words: str) -> None:
    rules = parse_rules(words)
    assert parse_rules(text(rules)) == rules


def read_line(words: str) -> None:
    line = parse(words)
    assert parse(write(line)) == line._replace(seats=parse(write(line)).seats)
    replay(line)


def read_cards(words: str) -> None:
    cards = parse_cards(words)
    assert parse_cards(write_faces(cards)) == cards


def try_texts(tries: int, seed: int) -> dict[str, list[int]]:
    """Try so many texts of each kind; return of each kind how many were tried and how many were read."""
    draw, counts = Random(seed), {"rules": [0, 0], "notation": [0, 0], "cards": [0, 0], "fields": [0, 0]}

    def count(kind: str, read: Callable[[], object], came: object) -> None:
        counts[kind][0] += 1
        counts[kind][1] += check(read, came)

    words = [token.replace("n", str(number)) for token in tokens() for number in (0, 1, 5, 75)]
    for _ in range(tries):
        rules = draw.choice((draw.choice(list(HOUSES)), " ".join(draw.sample(words, draw.randint(1, 5)))))
        rules = rules if draw.random() < 0.1 else spoiled(rules, draw)
        if not rules.endswith(".toml"):
            count("rules", lambda rules=rules: read_rules(rules), rules)  # type: ignore[misc]
        line = spoiled(draw.choice(LINES), draw)
        count("notation", lambda line=line: read_line(line), line)  # type: ignore[misc]
        cards = spoiled(draw.choice(("T,6", "10,6", "A7", "8h 8d", "K", "a7")), draw)
        count("cards", lambda cards=cards: read_cards(cards), cards)  # type: ignore[misc]
        fields = {draw.choice([*FIELDS, "deck", "x" * 300]): draw.choice(VALUES) for _ in range(draw.randint(1, 3))}
        count("fields", lambda fields=fields: Rules(**fields), fields)  # type: ignore[misc]
    return counts


def try_files(folder: Path, tries: int, seed: int) -> int:
    """Try so many rules files; return how many were read."""
    draw, path, read = Random(seed), folder / "rules.toml", 0
    good = 'decks = 2\npenetration = 0.75\nsurrender = "none"\ndouble = "D9"\ndealer_hits_soft_17 = true\n'
    for _ in range(tries):
        content = bytearray(spoiled(good, draw).encode("utf-8", "surrogatepass"))
        if content and draw.random() < 0.5:
            content[draw.randrange(len(content))] ^= 1 << draw.randrange(8)
        path.write_bytes(content)
        read += check(lambda: parse_rules(path), bytes(content))
    return read


@pytest.mark.parametrize("tries", [SHORT, pytest.param(LONG, marks=pytest.mark.slow)])
def test_spoiled_texts_are_read_or_refused_in_one_line(tries: int) -> None:
    counts = try_texts(tries, seed=tries)
    for kind, (tried, read) in counts.items():
        print(f"{tried} inputs of {kind}: {read} read, the others refused")
        assert 0 < read < tried


@pytest.mark.parametrize("tries", [SHORT // 10, pytest.param(LONG // 10, marks=pytest.mark.slow)])
def test_spoiled_rules_files_are_read_or_refused_in_one_line(tmp_path: Path, tries: int) -> None:
    read = try_files(tmp_path, tries, seed=tries)
    print(f"{tries} rules files: {read} read, the others refused")
    assert 0 < read < tries


@pytest.mark.parametrize("word", ["\u017f17", "1_0D", "+4D", "\u0664D", "PEN\u0667\u0665", "MIN1e3", "S1\u0667"])
def test_numbers_and_letters_as_python_reads_them_are_no_rules(word: str) -> None:
    with pytest.raises(BlackjackError, match="unknown rule"):
        parse_rules(f"6D {word}")
