"""A game that people play: a sequence of decision points of people and strategies.

A game is its setup and its moves, so saving these saves the game: `Game.restored` continues it exactly.
"""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import NamedTuple, Self

from bj_env.errors import BlackjackError
from bj_env.game.decision import ask
from bj_env.game.events import DEALER, Kind
from bj_env.game.notation import chips_text
from bj_env.game.participants import Dealer, Player
from bj_env.game.rng import seat_stream
from bj_env.game.round import Round
from bj_env.game.table import Table
from bj_env.game.view import View
from bj_env.play.coach import grade
from bj_env.play.setup import HOUSE, Setup, is_person
from bj_env.rules.numbered import is_short
from bj_env.rules.terms import REFUSALS, TICKS, Action, Double, Phase, Refusal, Rules, Surrender
from bj_env.strategies.registry import strategy

_EARLY = (Surrender.EARLY, Surrender.ES10)


class Move(NamedTuple):
    """A decision that was made.

    Attributes:
        seat: whose it was; `DEALER` for the dealer's chair.
        value: the number of an action, or chips at a bet.
        cost: the loss against the best action, in chips; None if the coach was not asked.
    """

    seat: int
    value: int
    cost: float | None = None


class PendingDecision(NamedTuple):
    """A decision point that the game waits at.

    Attributes:
        seat: whose decision it is; `DEALER` for a person in the dealer's chair.
        person: whether a person decides, or the seat's strategy.
        view: what the seat may see. ``view.phase`` and ``view.legal`` say what there is to decide, except at a bet.
        least, most: the range of a bet in chips. A bet of 0 sits out if ``may_sit_out``.
        may_sit_out: whether another seat bets in this round.
    """

    seat: int
    person: bool
    view: View
    least: int = 0
    most: int = 0
    may_sit_out: bool = False

    @property
    def betting(self) -> bool:
        """Whether the decision is a bet."""
        return self.view.phase is Phase.BET


class Game:
    """A game that people play.

    Args:
        setup: who sits where.

    Attributes:
        setup: who sits where.
        rules: the rules.
        table: the table with its shoe, players and round.
        moves: all decisions, in order.
        history: the rounds that are over, as lines of notation. A line does not contain the decisions of a person in
            the dealer's chair, so it replays to another end if that person left the rule of the house.
        grades: how many graded decisions were ``"best"``, ``"near"`` and ``"mistake"``.
        lost: what graded decisions have lost against the best actions, in chips.
        bankrolls: the ticks of every seat after each round.
        last: the last round that is over; None before the first end of a round.
        pending: the decision point; None when nobody can bet any more.
        taken_back: the move that was taken back last; None once another one is made.
        trouble: why the last strategy failed; empty if it did not.

    >>> game = Game(Setup.checked(seed=1))
    >>> game.pending.person, game.pending.least, game.pending.most
    (True, 1, 1000)
    >>> game.answer(10)
    >>> print(game.round.where())
    P1 hand 1 (5d,2h hard 7) against 7d
    """

    def __init__(self, setup: Setup) -> None:
        self.setup, self.rules = setup, setup.rules
        self.table = self._new_table()
        self.decisions = [None if is_person(seat) else strategy(seat) for seat in setup.seats]
        self.moves: list[Move] = []
        self.history: list[str] = []
        self.grades = dict.fromkeys(("best", "near", "mistake"), 0)
        self.lost = 0.0
        self.bankrolls: list[tuple[int, ...]] = []
        self.last: Round | None = None
        self.trouble = ""
        self.taken_back: Move | None = None
        self._taken_back = 0  # how many moves
        self._revealed = True  # whether the last move has turned a card
        self._bets: list[int] = []
        self.pending = self._next()

    def _new_table(self) -> Table:
        """Return a table without decisions of its own: every seat is played from here."""
        setup = self.setup
        players = [Player(setup.name(seat), bankroll=setup.bankroll) for seat in range(len(setup.seats))]
        dealer = Dealer(name=setup.name(DEALER), external=setup.dealer != HOUSE)
        return Table(self.rules, players, dealer=dealer, seed=setup.seed)

    @classmethod
    def restored(cls, setup: Setup, moves: Iterable[Move], draws: Iterable[int] = ()) -> Self:
        """Return a game after these moves.

        Args:
            setup: who sits where.
            moves: as in `moves`.
            draws: how many numbers each seat's random stream had drawn, as in `draws`.

        Raises:
            BlackjackError: at the first move that cannot be made.
        """
        game = cls(setup)
        for number, move in enumerate(moves, start=1):
            if game.pending is None or game.pending.seat != move.seat:
                raise BlackjackError(f"move {number}: expected one of another seat, got one of seat {move.seat}")
            game.answer(move.value, move.cost)
        table = game.table
        for seat, drawn in enumerate(draws):
            table.streams[seat] = seat_stream(setup.seed, table.number, seat, draws=drawn)
        game.pending = game._next()  # whose view draws from these
        return game

    @property
    def draws(self) -> tuple[int, ...]:
        """How many numbers each seat's random stream has drawn; those of the shoe follow from the moves."""
        return tuple(stream.draws for stream in self.table.streams)

    @property
    def round(self) -> Round | None:
        """The round on the table, or the last one; None before the first."""
        return self.table.round

    @property
    def placed(self) -> tuple[int, ...]:
        """The bets for the next round that are made already, in chips by seat."""
        return tuple(self._bets)

    def answer(self, value: int, cost: float | None = None) -> None:
        """Make the pending decision: chips at a bet, else the number of an action; ``cost`` is saved with it.

        Raises:
            BlackjackError: if it is not possible, or no decision is pending; the game is unchanged.
        """
        pending = self.pending
        if pending is None:
            raise BlackjackError("the game is over: nobody has the chips for another bet")
        with self._restored_on_interrupt():
            turned = self._turned()
            if pending.betting:
                self._bet(pending, value)
            else:
                assert self.round is not None
                self.round.act(value)
                self._note_end()
            self._revealed, self.taken_back = self._turned() != turned, None
            self.moves.append(Move(pending.seat, value, cost))
            if cost is not None:
                self.grades[grade(cost / (pending.view.bet or 1))] += 1
                self.lost += cost
            self.pending = self._next()

    def _turned(self) -> tuple[Round | None, int]:
        """Return what changes when a card is turned or a hand is settled: the round, or its events but decisions."""
        events = [] if self.round is None else self.round.events
        return self.round, sum(event.kind is not Kind.ACTION for event in events)

    @property
    def can_undo(self) -> bool:
        """Whether the last move can be taken back: a person made it, and it has turned no card."""
        return bool(self.moves) and not self._revealed and self._is_persons(self.moves[-1].seat)

    def _is_persons(self, seat: int) -> bool:
        return seat == DEALER or self.decisions[seat] is None

    def undo(self) -> None:
        """Take the last move back.

        Raises:
            BlackjackError: if it has turned a card, or was not a person's; the game is unchanged.

        >>> game = Game(Setup.checked(seats=["you:Ann", "you:Bob"], seed=1))
        >>> game.answer(100)
        >>> game.undo()
        >>> game.pending.seat, game.moves, game.version
        (0, [], 2)
        """
        if not self.can_undo:
            raise BlackjackError("undo: expected a move of a person that has turned no card")
        *moves, last = self.moves
        self._replay(moves, self.draws)
        self.taken_back, self._taken_back = last, self._taken_back + 1

    def _replay(self, moves: list[Move], draws: tuple[int, ...]) -> None:
        """Become the game after these moves; the version never goes back."""
        taken_back = self._taken_back
        vars(self).update(vars(self.restored(self.setup, moves, draws)))
        self._taken_back = taken_back

    @property
    def version(self) -> int:
        """A number that grows with every move, and with every move that is taken back."""
        return len(self.moves) + 2 * self._taken_back

    @contextmanager
    def _restored_on_interrupt(self) -> Iterator[None]:
        """Put the game back as it was if anything but a refusal ends the block: Ctrl-C, or a fault in a strategy."""
        moves, draws = len(self.moves), self.draws
        try:
            yield
        except BlackjackError:
            raise
        except BaseException:
            self._replay(self.moves[:moves], draws)
            raise

    def ask_strategy(self) -> None:
        """Let the strategy in turn decide; if it fails, its seat sits out or stands, and `trouble` says why.

        Raises:
            BlackjackError: if no strategy is in turn.
        """
        pending = self.pending
        decision = None if pending is None else self.decisions[pending.seat]
        if pending is None or decision is None:
            raise BlackjackError("expected a strategy's turn, but no strategy is in turn")
        question = decision.bet if pending.betting else decision.answer
        self.trouble = ""
        try:
            with self._restored_on_interrupt():
                self.answer(ask(question, pending.view, lambda: self.setup.name(pending.seat)))
        except BlackjackError as error:
            self.trouble = str(error)
            self.answer(_safest(pending))

    def _bet(self, pending: PendingDecision, chips: int) -> None:
        if chips == 0 and not pending.may_sit_out:
            raise BlackjackError(f"bet: expected {pending.least} to {pending.most} chips, got 0: nobody else plays")
        self.table.place_bet(pending.seat, chips)
        bets = [*self._bets, chips]
        bets += [0] * self._broke_from(len(bets))
        if len(bets) < len(self.table.players):
            self._bets = bets
        elif any(bets):
            self.table.deal(bets)
            self._note_end()
            self._bets = []
        else:
            self._bets = []

    def _broke_from(self, seat: int) -> int:
        """Count the seats from this one on, up to the next that can bet, that cannot."""
        broke = 0
        for player in self.table.players[seat:]:
            if not is_short(player.free, self.rules.min_bet * TICKS):
                break
            broke += 1
        return broke

    def _note_end(self) -> None:
        """Add the round to the history if it has just ended."""
        if self.round is not None and self.round.over:
            self.history.append(str(self.round.record()))
            self.last = self.round
            self.bankrolls.append(tuple(player.free for player in self.table.players))

    def _next(self) -> PendingDecision | None:
        """Return the next decision point."""
        round = self.table.round
        if round is not None and round.dealer_in_turn:
            return PendingDecision(DEALER, True, round.view())
        if round is not None and not round.over:
            seat = round.active_seat.number
            return PendingDecision(seat, self.decisions[seat] is None, round.view())
        return self._next_bet()

    def _next_bet(self) -> PendingDecision | None:
        table, rules = self.table, self.rules
        if not self._bets:
            self._bets = [0] * self._broke_from(0)
        if self.over:
            return None
        seat = len(self._bets)
        player = table.players[seat]
        most = min(rules.max_bet, player.free // TICKS)
        later = len(table.players) > seat + 1 + self._broke_from(seat + 1)
        others = any(self._bets) or later
        return PendingDecision(seat, self.decisions[seat] is None, table.bet_view(seat), rules.min_bet, most, others)

    @property
    def over(self) -> bool:
        """Whether no person can bet any more; if the only person is the dealer, whether no seat can."""
        round = self.table.round
        if round is not None and not round.over:
            return False
        seats = [seat for seat, decision in enumerate(self.decisions) if decision is None]
        least = self.rules.min_bet * TICKS
        return all(is_short(self.table.players[seat].free, least) for seat in seats or range(len(self.decisions)))

    def unavailable(self) -> dict[Action, str]:
        """Return the actions of the house that are not legal now, and why; empty at a bet."""
        pending, round = self.pending, self.round
        if pending is None or pending.betting or round is None:
            return {}
        refused = [action for action in possible_actions(self.rules) if action not in pending.view.legal]
        if pending.seat == DEALER:
            return dict.fromkeys(refused, "the dealer draws or stands")
        return {action: self._reason(round.refusal(action), round) for action in refused}

    @staticmethod
    def _reason(refusal: Refusal, round: Round) -> str:
        early = round.rules.surrender in _EARLY and refusal is Refusal.NO_SURRENDER
        if round.phase is Phase.PLAY and (early or refusal is Refusal.NOT_ASKED):
            return "this table offers it only before the hands are played"
        if refusal is not Refusal.MONEY:
            return REFUSALS[refusal]
        seat = round.active_seat
        needs, left = (chips_text(ticks).removeprefix("+") for ticks in (seat.bet, seat.player.free))
        return f"needs {needs}, {left} left"


def _safest(pending: PendingDecision) -> int:
    """Return the decision that risks the least."""
    if pending.betting:
        return 0 if pending.may_sit_out else pending.least
    return Action.DECLINE if Action.DECLINE in pending.view.legal else Action.STAND


def possible_actions(rules: Rules) -> tuple[Action, ...]:
    """Return the actions that these rules can ever make legal: the buttons that a table needs.

    >>> [action.name for action in possible_actions(Setup.checked("campus-s17").rules)]
    ['STAND', 'HIT']
    """
    early = rules.surrender in _EARLY
    possible = {
        Action.DOUBLE: rules.double is not Double.D0,
        Action.SPLIT: rules.max_hands > 1,
        Action.SURRENDER: rules.surrender is not Surrender.NONE,
        Action.INSURE: rules.insurance,
        Action.DECLINE: rules.insurance or early,
    }
    return tuple(action for action in Action if possible.get(action, True))
