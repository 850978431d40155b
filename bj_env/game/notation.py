"""Round notation: a round as one line of text, read into a `Line` and written from one.

    6D S17 ; D 6/T ; P1 10 8,8 P D S ; P2 10 A,K ; next 3,T,T,9   =>   P1 +30 P2 +15 ; D 6,T,9

Rules (a house's name or a text); the dealer's up card and hole card (the up card alone where none is dealt); each
seat: its bet, ``bank N`` if its money is limited, two cards, and its actions over its hands (S stand, H hit, D double,
P split, R surrender, I insure); ``next``: the cards drawn after the deal. After ``=>`` the nets, the final dealer hand,
and with ``left`` the cards of ``next`` that nobody drew. Suits may follow a rank (``Th``); T is any ten-value card.
"""

import re
from collections.abc import Sequence
from functools import cache
from typing import NamedTuple, NoReturn

from bj_env.errors import BlackjackError, NotationError, shortened
from bj_env.rules.houses import HOUSES, parse_rules, text
from bj_env.rules.numbered import deals_hole_card
from bj_env.rules.terms import ACTION_WORDS, TICKS, Action, Rules

RANKS = "A23456789TJQK"
"""The letter of rank 1 (ace) .. 13 (king)."""

SUITS = "cdhs"
"""The letter of suit 0 .. 3."""

ACTIONS = {words.letter: action for action, words in ACTION_WORDS.items() if words.letter}
"""The action of each letter; insurance that is not written is declined."""


class Face(NamedTuple):
    """A card as it is written: rank 1 .. 13 and suit 0 .. 3, or -1 if unsaid."""

    rank: int
    suit: int = -1

    def __str__(self) -> str:
        return RANKS[self.rank - 1] + (SUITS[self.suit] if self.suit >= 0 else "")


class SeatLine(NamedTuple):
    """A seat's part of a line: money in chips, ``columns`` where each action stands in the text (from 1)."""

    bet: int
    bank: float | None
    cards: tuple[Face, ...]
    actions: tuple[Action, ...]
    columns: tuple[int, ...] = ()


class Result(NamedTuple):
    """What stands after ``=>``: nets in ticks by seat (None: the round is void), dealer's cards, cards left over."""

    nets: tuple[int, ...] | None
    dealer: tuple[Face, ...]
    left: tuple[Face, ...] | None = None


class Line(NamedTuple):
    """A whole round as it is written."""

    rules: Rules
    upcard: Face
    hole: Face | None
    seats: tuple[SeatLine, ...]
    draws: tuple[Face, ...]
    result: Result | None = None


def parse_face(word: str) -> Face:
    """Read one card; a ten is ``T`` or ``10``.

    Raises:
        NotationError: if it is none.

    >>> parse_face("Th"), parse_face("10")
    (Face(rank=10, suit=2), Face(rank=10, suit=-1))
    """
    match = re.fullmatch(_CARD, word)
    if not match:
        raise NotationError(f"expected a card, one of {' '.join(RANKS)} and maybe c d h s, got {shortened(word)}")
    return _face(match[1], match[2])


_CARD = f"([{RANKS}]|10)([{SUITS}]?)"


def _face(rank: str, suit: str) -> Face:
    return Face(RANKS.index("T" if rank == "10" else rank) + 1, SUITS.index(suit) if suit else -1)


def parse_cards(text: str) -> tuple[Face, ...]:
    """Read cards as players write them: ``"T,6"``, ``"10 6"``, ``"A7"`` or ``"a7"``; suits may follow.

    Raises:
        NotationError: at what is no card.

    >>> parse_cards("A7") == parse_cards("a, 7"), len(parse_cards("1010"))
    (True, 2)
    """
    words = text.replace(",", " ").split()
    cards = []
    for word in words:
        found = re.findall(_CARD, word.upper().translate(_SUITS_LOWER)) if word.isascii() else []
        if not found or sum(len(rank) + len(suit) for rank, suit in found) < len(word):
            expected = f"expected a card, one of {' '.join(RANKS)} and maybe c d h s, like 'T,6'"
            raise NotationError(f"{expected}, got {shortened(text)}")
        cards += [_face(*card) for card in found]
    if not cards:
        raise NotationError(f"expected a card or more, like 'T,6', got {shortened(text)}")
    return tuple(cards)


_SUITS_LOWER = str.maketrans(SUITS.upper(), SUITS)


def parse(line: str) -> Line:
    """Read a line.

    Raises:
        NotationError: with the column at which the line stops making sense.

    >>> parse("6D ; D 6/T ; P1 10 8,8 P D S ; next 3,T,T,9").seats[0].actions[1].name
    'DOUBLE'
    """
    if not isinstance(line, str):
        raise NotationError(f"expected a line of notation, got {shortened(line)}")
    return _Reader(line).line()


class _Reader:
    """Reads one line part by part, knowing at which column it is."""

    def __init__(self, line: str) -> None:
        self.text = line
        self.column = 1

    def line(self) -> Line:
        if "\n" in self.text.strip():
            self.fail("a round is one line; got several")
        before, arrow, after = self.text.partition("=>")
        parts = self.split(before, ";", 0)
        if len(parts) < 3:
            self.fail("expected 'rules ; D up/hole ; P1 bet cards actions ; ... ; next cards'")
        rules = self.rules(*parts[0])
        upcard, hole = self.dealer(rules, *parts[1])
        draws: tuple[Face, ...] = ()
        if parts[-1][1].split()[:1] == ["next"]:
            draws = self.draws(*parts.pop())
        seats = tuple(self.seat(number, *part) for number, part in enumerate(parts[2:], start=1))
        if not any(seat.bet for seat in seats):
            self.fail("expected at least one seat with a bet")
        result = self.result(after, len(before) + 2, len(seats)) if arrow else None
        return Line(rules, upcard, hole, seats, draws, result)

    def fail(self, message: str) -> NoReturn:
        raise NotationError(f"column {self.column}: {message}")

    def split(self, text: str, at: str, start: int) -> list[tuple[int, str]]:
        """Cut the text at a mark, keeping with each part the index at which it starts."""
        parts = []
        for part in text.split(at):
            parts.append((start + len(part) - len(part.lstrip()), part.strip()))
            start += len(part) + len(at)
        return parts

    def words(self, start: int, text: str) -> list[tuple[int, str]]:
        return [(start + match.start(), match[0]) for match in re.finditer(r"\S+", text)]

    def rules(self, start: int, text: str) -> Rules:
        self.column = start + 1
        try:
            return parse_rules(text)
        except BlackjackError as error:
            self.fail(str(error))

    def face(self, start: int, word: str) -> Face:
        self.column = start + 1
        try:
            return parse_face(word)
        except NotationError as error:
            self.fail(str(error))

    def faces(self, start: int, text: str) -> tuple[Face, ...]:
        return tuple(self.face(*part) for part in self.split(text, ",", start)) if text else ()

    def dealer(self, rules: Rules, start: int, text: str) -> tuple[Face, Face | None]:
        self.column = start + 1
        words = self.words(start, text)
        if len(words) != 2 or words[0][1] != "D":
            self.fail(f"expected the dealer's cards, like 'D 6/T', got {shortened(text)}")
        cards = tuple(self.face(*part) for part in self.split(words[1][1], "/", words[1][0]))
        dealt = 2 if deals_hole_card(rules) else 1
        if len(cards) != dealt:
            self.column = words[1][0] + 1
            house = f"under {rules.hole_card.name} the dealer is dealt {dealt} card{'s' if dealt > 1 else ''}"
            self.fail(f"{house}, like 'D {'6/T' if dealt > 1 else '6'}', got {shortened(words[1][1])}")
        return cards[0], cards[1] if dealt > 1 else None

    def draws(self, start: int, text: str) -> tuple[Face, ...]:
        rest = text[len("next") :]
        return self.faces(start + len("next") + len(rest) - len(rest.lstrip()), rest.strip())

    def seat(self, number: int, start: int, text: str) -> SeatLine:
        self.column = start + 1
        words = self.words(start, text)
        if len(words) < 2 or words[0][1] != f"P{number}":
            self.fail(f"expected seat 'P{number} bet cards actions', got {shortened(text)}")
        bet = int(self.chips(*words[1], whole=True))
        bank = None
        rest = words[2:]
        if rest and rest[0][1] == "bank":
            if len(rest) < 2:
                self.fail("expected a number after 'bank'")
            bank, rest = self.chips(*rest[1], whole=False), rest[2:]
        return self.seat_play(number, bet, bank, rest)

    def seat_play(self, number: int, bet: int, bank: float | None, words: list[tuple[int, str]]) -> SeatLine:
        if bet == 0:
            if words:
                self.column = words[0][0] + 1
                self.fail(f"P{number} sits out with bet 0, so it has neither cards nor actions")
            return SeatLine(0, bank, (), ())
        cards = self.faces(*words[0]) if words else ()
        if len(cards) != 2:
            self.fail(
                f"expected two cards for P{number}, like 'T,6', got {shortened(words[0][1]) if words else 'none'}"
            )
        actions = tuple(self.action(*word) for word in words[1:])
        return SeatLine(bet, bank, cards, actions, tuple(start + 1 for start, _ in words[1:]))

    def chips(self, start: int, word: str, *, whole: bool) -> float:
        self.column = start + 1
        if not re.fullmatch(r"[0-9]{1,12}" if whole else r"[0-9]{1,12}(\.[0-9])?", word):
            self.fail(f"expected a number of chips{', whole' if whole else ''}, got {shortened(word)}")
        return float(word)

    def action(self, start: int, word: str) -> Action:
        self.column = start + 1
        if word not in ACTIONS:
            self.fail(f"expected an action, one of {' '.join(ACTIONS)}, got {shortened(word)}")
        return ACTIONS[word]

    def result(self, text: str, start: int, seats: int) -> Result:
        parts = self.split(text, ";", start)
        self.column = parts[0][0] + 1
        nets = None if parts[0][1] == "MISDEAL" else self.nets(seats, *parts[0])
        dealer: tuple[Face, ...] = ()
        left = None
        for begin, part in parts[1:]:
            words = self.words(begin, part)
            self.column = begin + 1
            if len(words) != 2 or words[0][1] not in ("D", "left"):
                self.fail(f"expected 'D cards' or 'left cards' in the result, got {shortened(part)}")
            if dealer if words[0][1] == "D" else left is not None:
                self.fail(f"expected {words[0][1]!r} once in the result, got it again in {shortened(part)}")
            if words[0][1] == "D":
                dealer = self.faces(*words[1])
            else:
                left = self.faces(*words[1])
        return Result(nets, dealer, left)

    def nets(self, seats: int, start: int, text: str) -> tuple[int, ...]:
        words = self.words(start, text)
        nets = []
        for number, (name, net) in enumerate(zip(words[::2], words[1::2], strict=False), start=1):
            self.column = name[0] + 1
            if name[1] != f"P{number}" or not re.fullmatch(r"[+-]?[0-9]{1,12}(\.[0-9])?", net[1]):
                self.fail(f"expected 'P{number} net' in the result, got {shortened(f'{name[1]} {net[1]}')}")
            nets.append(round(float(net[1]) * TICKS))
        if len(words) != 2 * seats:
            self.fail(
                f"expected the nets of {seats} seat{'s' if seats > 1 else ''} in the result, got {shortened(text)}"
            )
        return tuple(nets)


def write(line: Line) -> str:
    """Write a line that `parse` reads back to the same.

    >>> write(parse("six-deck ; D 5/6 ; P1 10 6,5 D ; next T,T => P1 0 ; D 5,6,T"))
    'six-deck ; D 5/6 ; P1 10 6,5 D ; next T,T => P1 0 ; D 5,6,T'
    """
    dealer = f"D {line.upcard}" + (f"/{line.hole}" if line.hole else "")
    seats = [_write_seat(number, seat) for number, seat in enumerate(line.seats, start=1)]
    parts = [house_text(line.rules), dealer, *seats]
    if line.draws:
        parts.append("next " + write_faces(line.draws))
    return " ; ".join(parts) + (f" => {write_result(line.result)}" if line.result else "")


@cache
def house_text(rules: Rules) -> str:
    """Return the house's name if the rules are a named house's, else their text.

    >>> house_text(parse_rules("6D LS S17")), house_text(parse_rules("7D"))
    ('six-deck', '7D S17 3:2 PEEK DOA DAS SP4 LS INS')
    """
    return _names().get(rules) or text(rules)


@cache
def _names() -> dict[Rules, str]:
    return {parse_rules(name): name for name in reversed(HOUSES)}


def write_faces(faces: Sequence[Face]) -> str:
    """Write cards, joined by commas.

    >>> write_faces([Face(1), Face(13, 2)])
    'A,Kh'
    """
    return ",".join(map(str, faces))


def _write_seat(number: int, seat: SeatLine) -> str:
    bank = [f"bank {chips_text(round(seat.bank * TICKS)).removeprefix('+')}"] if seat.bank is not None else []
    cards = [write_faces(seat.cards)] if seat.cards else []
    return " ".join(
        [f"P{number}", str(seat.bet), *bank, *cards, *(ACTION_WORDS[action].letter for action in seat.actions)]
    )


def write_result(result: Result) -> str:
    """Write what stands after the arrow.

    >>> write_result(Result((75, -100), (Face(9), Face(8))))
    'P1 +7.5 P2 -10 ; D 9,8'
    """
    nets = (
        "MISDEAL"
        if result.nets is None
        else " ".join(f"P{number} {chips_text(net)}" for number, net in enumerate(result.nets, start=1))
    )
    dealer = f" ; D {write_faces(result.dealer)}" if result.dealer else ""
    left = f" ; left {write_faces(result.left)}" if result.left else ""
    return nets + dealer + left


def chips_text(ticks: int) -> str:
    """Write a net of ticks in chips, with its sign.

    >>> chips_text(75), chips_text(-100), chips_text(0)
    ('+7.5', '-10', '0')
    """
    if ticks == 0:
        return "0"
    whole, tenths = divmod(abs(ticks), TICKS)
    return f"{'-' if ticks < 0 else '+'}{whole}" + (f".{tenths}" if tenths else "")
