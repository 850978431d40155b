"""Replay: a line of notation played at a table."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import product

from bj_env.errors import BlackjackError, IllegalAction, NotationError
from bj_env.game.cards import Card, from_face, to_face
from bj_env.game.decision import names
from bj_env.game.notation import RANKS, Face, Line, Result, parse, write_faces, write_result
from bj_env.game.participants import Player
from bj_env.game.round import Round
from bj_env.game.table import Table
from bj_env.rules.terms import OFFERS, Action, Rules


def replay(source: str | Line) -> Round:
    """Play a line to its end and check the result that it gives, if it does.

    Raises:
        NotationError: if the line does not read, asks for cards that it does not give, or has actions left.
        IllegalAction: if an action is not legal, naming seat, hand, what was legal and the rule.

    >>> replay("six-deck ; D T/6 ; P1 10 T,6 S ; next 9").nets
    (100,)
    """
    line = source if isinstance(source, Line) else parse(source)
    round = start(line, alone=True)
    play_written(round, line)
    if not round.over:
        legal = names(round.legal)
        raise NotationError(f"the line stops at a decision: {round.where()}; legal: {legal}")
    if round.void and not (line.result and line.result.nets is None):
        raise NotationError(_too_short(line))
    _check_result(round, line)
    return round


def start(line: Line, *, alone: bool = False, seed: int = 0) -> Round:
    """Deal a line's round at a new table; below its cards lie the rest of the shoe, or (``alone``) nothing.

    Raises:
        BlackjackError: if the shoe does not hold the cards, or a bet cannot be made.
    """
    players = [Player(f"P{number}", bankroll=seat.bank) for number, seat in enumerate(line.seats, start=1)]
    table = Table(line.rules, players, seed=seed)
    table.stack(stacked(line), alone=alone)
    return table.deal([seat.bet for seat in line.seats])


def retrace(
    rules: Rules, bets: Sequence[int], banks: Sequence[int], faces: Iterable[Face], actions: Iterable[int]
) -> Round:
    """Play again what is known of a round by its bets, its cards in the order they were drawn, and its actions.

    ``banks`` are the seats' ticks before the bet, below 0 without limit.

    >>> faces = [Face(rank) for rank in (10, 6, 6, 10, 9)]
    >>> str(retrace(Rules(), [10], [-1], faces, [Action.STAND]).record())
    'six-deck ; D 6/T ; P1 10 T,6 S ; next 9 => P1 +10 ; D 6,T,9'
    """
    players = [Player(f"P{number}") for number in range(1, len(banks) + 1)]
    for player, bank in zip(players, banks, strict=True):
        player.free = bank
    table = Table(rules, players)
    table.stack([from_face(face) for face in faces], alone=True)
    round = table.deal(bets)
    for action in actions:
        round.act(action)
    return round


def stacked(line: Line) -> list[Card]:
    """Return a line's cards in the order of the deal, then the ones drawn."""
    active = [seat for seat in line.seats if seat.bet]
    hole = [line.hole] if line.hole else []
    first, second = ([seat.cards[index] for seat in active] for index in (0, 1))
    faces = [*first, line.upcard, *second, *hole, *line.draws]
    return [from_face(face) for face in faces]


def play_written(round: Round, line: Line, ask_other: Callable[[Round], bool] | None = None) -> None:
    """Play the actions that a line writes, until one is missing or the round is over.

    Args:
        round: the round that was dealt from the line.
        line: the line.
        ask_other: decides for the seat in turn when its actions are used up, and tells whether it did.

    Raises:
        IllegalAction: at the first that is not legal, with its column.
        NotationError: if actions are left when the round is over.
    """
    scripts = [list(zip(seat.actions, seat.columns or (0,) * len(seat.actions), strict=True)) for seat in line.seats]
    while not round.over:
        script = scripts[round.active_seat.number]
        offer = OFFERS.get(round.phase)
        if not script and ask_other is not None:
            if not ask_other(round):
                return
        elif offer is not None and (not script or script[0][0] is not offer.accept):
            round.act(Action.DECLINE)
        elif not script:
            return
        else:
            _act_written(round, *script.pop(0))
    for number, script in enumerate(scripts, start=1):
        if script and not round.void:
            action, column = script[0]
            raise NotationError(f"column {column}: P{number} has no turn left for {action.name}; the round is over")


def _act_written(round: Round, action: Action, column: int) -> None:
    try:
        round.act(action)
    except IllegalAction as error:
        raise IllegalAction(f"column {column}: {error}" if column else str(error)) from None


def _too_short(line: Line) -> str:
    """Say by how many cards ``next`` is too short: the fewest with which the written actions come to an end."""
    count = next((count for count, more in _fillings() if _ends(line, more)), 1)
    cards = write_faces(line.draws) or "none"
    return f"next is too short: {count} more card{'s' if count > 1 else ''} needed after {cards}"


def _fillings() -> Iterator[tuple[int, tuple[Face, ...]]]:
    for count, rank in product(range(1, 13), range(1, 11)):
        yield count, (Face(rank),) * count


def _ends(line: Line, more: tuple[Face, ...]) -> bool:
    try:
        round = start(line._replace(draws=line.draws + more), alone=True)
        play_written(round, line)
    except BlackjackError:
        return False
    return round.over and not round.void


def cards_left(round: Round) -> list[Card]:
    """Return the cards that were stacked and that nobody drew."""
    return round.shoe.stacked_left()


def _check_result(round: Round, line: Line) -> None:
    expected = line.result
    if expected is None:
        return
    nets = None if round.void else round.nets
    left = tuple(map(to_face, cards_left(round)))
    came = Result(nets, tuple(map(to_face, round.dealer.cards)), left)
    same_cards = not expected.dealer or _values(expected.dealer) == _values(came.dealer)
    same_left = expected.left is None or _values(expected.left) == _values(left)
    if expected.nets != nets or not same_cards or not same_left:
        raise NotationError(f"the result differs: expected {write_result(expected)}, got {write_result(came)}")


def _values(faces: tuple[Face, ...]) -> list[str]:
    return [RANKS[min(face.rank, 10) - 1] for face in faces]
