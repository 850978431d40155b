"""The screen of the terminal's table: the same sentences, arranged for eyes, or plainly, one by one, for ears."""

import os
from collections.abc import Iterable, Sequence
from itertools import zip_longest

from rich.console import Console
from rich.rule import Rule
from rich.table import Table
from rich.text import Text

from bj_env.display.card_svg import card_name
from bj_env.game.events import DEALER, Kind
from bj_env.game.round import Round
from bj_env.play.game import Game, PendingDecision
from bj_env.play.setup import is_person
from bj_env.play.words import (
    card_symbols,
    chips,
    dealt,
    ends_deal,
    event_text,
    not_now,
    phase_before,
    places,
    result,
    who,
)
from bj_env.rules.terms import ACTION_WORDS

_LAID_OUT = (Kind.BET, Kind.DEAL, Kind.HOLE_CARD, Kind.SETTLE)  # what a table of the round says better than sentences
PLAIN_TERMINALS = ("", "dumb", "unknown")
"""What ``TERM`` says where nothing can be drawn."""
_WIDE = 60  # columns from which on rows of cells are easy to read
_RED_CARDS = r"\b([0-9AJQK]+[♥♦]|[2-9TJQKA][dh]\b)"
_WINS, _LOSES, _QUIET = "bold green", "red", "dim"


class Screen:
    """Where everything is said.

    Args:
        plain: whether each event is a line of its own, in words, with nothing drawn.
        symbols: whether the terminal can show suits.
        width: of the terminal in letters, if it is not to be asked.
    """

    def __init__(self, *, plain: bool, symbols: bool, width: int | None = None) -> None:
        self.plain, self.symbols = plain, symbols
        self.card_text = card_name if plain else card_symbols if symbols else str
        self._console = Console(highlight=False, markup=False, emoji=False, width=width)

    def say(self, text: str, style: str = "") -> None:
        """Say a sentence."""
        said = Text(text, style="" if self.plain else style, overflow="fold")
        said.highlight_regex(_RED_CARDS, "" if self.plain else "bold red")
        self._console.print(said, soft_wrap=self.plain)

    def say_raw(self, text: str) -> None:
        """Say what will be copied: nothing is broken into lines."""
        self._console.print(Text(text), soft_wrap=True)

    def heading(self, text: str) -> None:
        """Begin something new."""
        if self.plain:
            self.say(text)
        else:
            self._console.print()
            self._console.print(Rule(text, characters="─" if self.symbols else "-", style="green", align="left"))

    def rows(self, rows: Iterable[Sequence[str]], styles: Sequence[str] = ()) -> None:
        """Say rows of words, one below the other; plainly, or where there is little room, each is a sentence."""
        if self.plain or self._console.width < _WIDE:
            for row, style in zip_longest(rows, styles, fillvalue=""):
                first, *rest = (cell for cell in row if cell)
                self.say(f"{first}: {', '.join(rest)}.", style)
            return
        grid, rows = Table.grid(padding=(0, 2, 0, 0), pad_edge=False), list(rows)
        if not rows:
            return
        for number, row in enumerate(rows):
            for _ in row if number == 0 else ():
                grid.add_column(overflow="fold")
            grid.add_row(*map(self._cell, row), style=styles[number] if number < len(styles) else "")
        self._console.print(grid)

    @staticmethod
    def _cell(text: str) -> Text:
        cell = Text(text, overflow="fold")
        cell.highlight_regex(_RED_CARDS, "bold red")
        return cell

    def tell(self, game: Game, round: Round, index: int) -> None:
        """Tell an event of a round."""
        event = round.events[index]
        if phase := phase_before(round.events, index):
            self.say(phase if self.plain or event.kind is not Kind.DEAL else self._bets(game, round), _QUIET)
        if not self.plain and event.kind in _LAID_OUT:
            if ends_deal(round.events, index):
                self.rows(dealt(game.setup, round, self.card_text))
            if phase and event.kind is Kind.SETTLE:
                self._results(game, round)
            return
        typed = event.kind is Kind.ACTION and event.seat != DEALER and is_person(game.setup.seats[event.seat])
        if self.plain or not typed:
            self.say(event_text(game.setup, round, index, self.card_text))

    def _bets(self, game: Game, round: Round) -> str:
        bets = ", ".join(
            f"{game.setup.name(event.seat)} {chips(event.ticks)}" for event in round.events if event.kind is Kind.BET
        )
        return f"Bets are placed ({bets}), cards are dealt."

    def _results(self, game: Game, round: Round) -> None:
        rows, styles = [], []
        for event in round.events:
            if event.kind is Kind.SETTLE:
                hands = round.seats[event.seat].hands
                which = f", hand {event.hand + 1}" if len(hands) > 1 else ""
                hand = hands[event.hand]
                cards = " ".join(map(self.card_text, hand.cards))
                rows.append((who(game.setup, event.seat) + which, cards, hand.value_text(), result(round, event)))
                styles.append(_WINS if event.ticks > 0 else _LOSES if event.ticks < 0 else "")
        self.rows(rows, styles)

    def table(self, game: Game) -> None:
        """Show what lies on the table."""
        self.rows(places(game, self.card_text))

    def options(self, game: Game, pending: PendingDecision) -> None:
        """Say what may be answered, with its keys, and why the rest may not."""
        if pending.betting:
            return
        said = [f"{ACTION_WORDS[action].key} {ACTION_WORDS[action].verb}" for action in pending.view.legal]
        self.say((", " if self.plain else "   ").join(said) + ("." if self.plain else ""), "bold cyan")
        closed = not_now(game)
        if self.plain:
            for line in closed:
                self.say(f"Not now: {line}.")
        elif closed:
            self.say("not now: " + "; ".join(closed), _QUIET)


def has_symbols(encoding: str | None) -> bool:
    """Tell whether suits can be shown: the terminal's locale, if it says one, and its encoding know them."""
    if os.name == "nt":
        return "utf" in (encoding or "").lower()
    said = [os.environ.get(name, "") for name in ("LC_ALL", "LC_CTYPE", "LANG")]
    if said[1] == "C.UTF-8" and not said[0]:  # Python itself says so where LANG is C
        said[1] = ""
    locale = next(filter(None, said), "C")
    return "utf" in locale.lower() and "utf" in (encoding or "").lower()
