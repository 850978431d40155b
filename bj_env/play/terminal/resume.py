"""Which game is played: a kept one that goes on, or a new one; and the lock on the file of games."""

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from filelock import FileLock, Timeout

from bj_env.errors import BlackjackError
from bj_env.play.database import check_file
from bj_env.play.game import Game
from bj_env.play.setup import BANKROLL, HOUSE, Setup
from bj_env.play.store import Store
from bj_env.rules.houses import without_file
from bj_env.strategies.registry import SAMPLED


class Wish(NamedTuple):
    """What somebody wants to play, as on the command line; None is the default of `Setup.checked`.

    Attributes:
        house, dealer, bankroll, seed: as in `Setup`.
        seats: as in `Setup`, with commas.
    """

    house: str | None = None
    seats: str | None = None
    dealer: str | None = None
    bankroll: int | None = None
    seed: int | None = None

    def setup(self) -> Setup:
        """Return the setup.

        Raises:
            BlackjackError: if it cannot be played.
        """
        return Setup.checked(
            without_file(self.house or "six-deck"),
            None if self.seats is None else [_here(seat.strip()) for seat in self.seats.split(",")],
            dealer=self.dealer or HOUSE,
            bankroll=BANKROLL if self.bankroll is None else self.bankroll,
            seed=self.seed,
        )


def _here(text: str) -> str:
    """Return a policy's folder as an absolute path, and anything else as it is."""
    sampled, path = text.startswith(SAMPLED), text.removeprefix(SAMPLED)
    if "/" not in path or not Path(path).exists():
        return text
    return SAMPLED * sampled + str(Path(path).resolve())


def locked(path: Path) -> FileLock:
    """Lock the file of games until this process ends.

    Raises:
        BlackjackError: if another process holds it.
    """
    check_file(path, "games")
    lock = path.with_name(path.name + ".lock")
    check_file(lock, "lock")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        return FileLock(lock).acquire(timeout=0).lock
    except Timeout:
        raise BlackjackError(f"games {str(path)!r}: another `bj play` is using it; --save FILE takes another") from None
    except OSError as error:
        raise BlackjackError(f"games {str(path)!r}: {error.strerror or error}") from None


def _name(setup: Setup, *, seeded: bool) -> str:
    """Name a game by all that was wished: who plays the same game again goes on with it."""
    name = f"{setup.house} | {','.join(setup.seats)} | {setup.dealer} | {setup.bankroll}"
    return f"{name} | {setup.seed}" if seeded else name


def resumed(store: Store, wish: Wish, wished: Setup, *, new: bool, say: Callable[[str], None]) -> tuple[str, Game]:
    """Return the game to play and its name: the one kept for this wish, or a new one.

    Args:
        store: the kept games.
        wish: what is wanted; if it says nothing, the game that was played last goes on.
        wished: the setup of the wish.
        new: whether a new game is begun where one is kept.
        say: says a sentence.
    """
    names = [_name(wished, seeded=wish.seed is not None)]
    if wish == Wish() and (latest := store.latest()):
        names.insert(0, latest)
    name, game = names[-1], None
    for name in names:
        if lacking := store.lacks(name):
            say(f"The game {name!r} waits: {lacking}.")
            continue
        game = store.load(name)
        if game is not None:
            break
    for warning in store.warnings:
        say(f"{warning}.")
    if game is None:
        return name, Game(wished)
    if not game.over and not new:
        return name, game
    say("A new game begins; the one before is set aside.")
    store.rename(name)
    seeded = name == _name(game.setup, seeded=True)
    return name, Game(game.setup if seeded else game.setup._replace(seed=wished.seed))
