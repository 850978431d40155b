"""A game that people sit at: somebody is asked, answers, and the next one is asked; nothing waits in between.

A game is its setup and its moves. Whoever keeps both can put it back on the table exactly as it was (`Game.restored`).
"""

from collections.abc import Callable, Iterable
from copy import deepcopy
from typing import NamedTuple, Self

from bj_env.errors import BlackjackError, DecisionError
from bj_env.game.decision import Decision, ask
from bj_env.game.events import DEALER
from bj_env.game.notation import chips_text
from bj_env.game.participants import Dealer, Player
from bj_env.game.rng import seat_stream
from bj_env.game.round import Round
from bj_env.game.table import Table
from bj_env.game.view import View
from bj_env.play.setup import HOUSE, Setup, is_person
from bj_env.rules.numbered import is_short
from bj_env.rules.terms import REFUSALS, TICKS, Action, Double, Phase, Refusal, Rules, Surrender
from bj_env.strategies.registry import strategy

_EARLY = (Surrender.EARLY, Surrender.ES10)


class Move(NamedTuple):
    """What somebody has answered.

    Attributes:
        seat: whose answer it is; `DEALER` for the dealer's chair.
        value: an action's number, or chips while bets are made.
        cost: what it was worth less than the best answer, in chips; None if the coach was not pending.
    """

    seat: int
    value: int
    cost: float | None = None


class Graded(NamedTuple):
    """A decision that the coach has graded.

    Attributes:
        seat: whose it was.
        chips: what it was worth less than the best one, in chips.
        bets: the same in units of the seat's bet.
    """

    seat: int
    chips: float
    bets: float


class PendingDecision(NamedTuple):
    """Who is asked, and what.

    Attributes:
        seat: whose answer is due; `DEALER` for a person in the dealer's chair.
        person: whether a person gives it, or the seat's strategy.
        view: what that one may see; ``view.phase`` and ``view.legal`` say what is asked, save for bets.
        least, most: while bets are made, the chips that may be bet; 0 sits out where ``may_sit_out``.
        may_sit_out: whether somebody else may bet.
    """

    seat: int
    person: bool
    view: View
    least: int = 0
    most: int = 0
    may_sit_out: bool = False

    @property
    def betting(self) -> bool:
        """Whether a bet is asked for, and not an action."""
        return self.view.phase is Phase.BET


class Chair(Decision):
    """A person in the dealer's chair: gives the answers that are known, and notes the table where they end."""

    def __init__(self, answers: Iterable[int], table: Table) -> None:
        self._answers = list(answers)
        self._table = table
        self.table: Table | None = None
        self.view: View | None = None

    def play(self, view: View) -> Action:
        """Give the next answer.

        Raises:
            DecisionError: if it is not known yet.
        """
        if self._answers:
            return Action(self._answers.pop(0))
        self.view, self.table = view, deepcopy(self._table)
        raise DecisionError("the dealer has not answered yet")


class Game:
    """A game that people sit at.

    Args:
        setup: who sits where.

    Attributes:
        setup: who sits where.
        rules: what is played.
        moves: all that was answered, in order.
        history: the rounds that are over, as lines of notation. Those of a person in the dealer's chair who left the
            rule of the house are not played again to the same end: notation has no actions of the dealer.
        graded: the decisions among the moves that were made with a cost.
        last: the last round that is over; None before it.
        pending: whose answer is due; None when nobody can bet any more.
        trouble: what went wrong with a strategy that was asked last; empty if nothing did.

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
        self.graded: list[Graded] = []
        self.last: Round | None = None
        self.trouble = ""
        self._bets: list[int] = []
        self._dealer_answers: list[int] = []
        self._due: Callable[[Table], None] | None = None
        self._waiting: Chair | None = None
        self.pending = self._next()

    def _new_table(self) -> Table:
        """Return a table with nobody's decision at it: everyone is asked from here."""
        setup = self.setup
        players = [Player(setup.name(seat), bankroll=setup.bankroll) for seat in range(len(setup.seats))]
        return Table(self.rules, players, dealer=Dealer(name=setup.name(DEALER)), seed=setup.seed)

    @classmethod
    def restored(cls, setup: Setup, moves: Iterable[Move], draws: Iterable[int] = ()) -> Self:
        """Return a game as it was after these moves.

        Args:
            setup: who sits where.
            moves: as in `moves`.
            draws: how far each seat's own chance had been drawn, as in `draws`.

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
        """How far the chance of each seat's strategy has been drawn; that of the shoe follows from the moves."""
        return tuple(stream.draws for stream in self.table.streams)

    @property
    def shown(self) -> Table:
        """The table as everyone sees it now, money too."""
        return self._waiting.table if self._waiting is not None and self._waiting.table is not None else self.table

    @property
    def round(self) -> Round | None:
        """The round on the table, or the last one; None before the first."""
        return self.shown.round

    @property
    def placed(self) -> tuple[int, ...]:
        """The bets for the coming round that are known already, in chips by seat."""
        return tuple(self._bets)

    def answer(self, value: int, cost: float | None = None) -> None:
        """Give the answer that is due: chips while bets are made, else an action; ``cost`` is noted with it.

        Raises:
            BlackjackError: if it cannot be given, or nobody is asked; nothing has changed then.
        """
        pending = self.pending
        if pending is None:
            raise BlackjackError("the game is over: nobody has the chips for another bet")
        if pending.betting:
            self._bet(pending, value)
        elif pending.seat == DEALER:
            self._answer_for_dealer(value)
        else:
            action = self._checked(value)
            self._make(lambda table: _round(table).act(action))
        self.moves.append(Move(pending.seat, value, cost))
        if cost is not None:
            self.graded.append(Graded(pending.seat, cost, cost / (pending.view.bet or 1)))
        self.pending = self._next()

    def _checked(self, value: int) -> int:
        _round(self.table).check(value)
        return value

    def ask_strategy(self) -> None:
        """Let the strategy of the seat that is asked answer; if it fails, it sits out or stands, and `trouble` says so.

        Raises:
            BlackjackError: if no strategy is asked.
        """
        pending = self.pending
        decision = None if pending is None else self.decisions[pending.seat]
        if pending is None or decision is None:
            raise BlackjackError("expected a strategy's turn, but no strategy is asked")
        question = decision.bet if pending.betting else decision.answer
        self.trouble = ""
        try:
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
            self._make(lambda table: _deal(table, bets))
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

    def _answer_for_dealer(self, value: int) -> None:
        if value not in (Action.HIT, Action.STAND):
            raise BlackjackError(f"dealer: expected one of STAND, HIT, got {value!r}")
        assert self._due is not None
        self._make(self._due, [*self._dealer_answers, value])

    def _make(self, move: Callable[[Table], None], answers: list[int] | None = None) -> None:
        """Make a move; with a person in the dealer's chair, at a copy, which is kept once it needs no more answers."""
        if self.setup.dealer == HOUSE:
            move(self.table)
        else:
            self._try(move, answers or [])
        round = self.table.round
        if self._waiting is None and round is not None and round.over:
            self.history.append(str(round.record()))
            self.last = round

    def _try(self, move: Callable[[Table], None], answers: list[int]) -> None:
        trial = deepcopy(self.table)
        trial.dealer.decision = chair = Chair(answers, trial)
        try:
            move(trial)
        except DecisionError:
            if chair.view is None:
                raise
            self._due, self._dealer_answers, self._waiting = move, answers, chair
            return
        trial.dealer.decision = None
        self.table, self._due, self._dealer_answers, self._waiting = trial, None, [], None

    def _next(self) -> PendingDecision | None:
        """Find who is asked next."""
        if self._waiting is not None and self._waiting.view is not None:
            return PendingDecision(DEALER, True, self._waiting.view)
        round = self.table.round
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
        """Whether no person can bet any more; with people in the dealer's chair alone, whether nobody can."""
        round = self.table.round
        if self._waiting is not None or (round is not None and not round.over):
            return False
        seats = [seat for seat, decision in enumerate(self.decisions) if decision is None]
        least = self.rules.min_bet * TICKS
        return all(is_short(self.table.players[seat].free, least) for seat in seats or range(len(self.decisions)))

    def unavailable(self) -> dict[Action, str]:
        """Return why each action that the house knows cannot be taken now, if it cannot; empty while bets are made."""
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
            return "it is offered only before the hands are played"
        if refusal is not Refusal.MONEY:
            return REFUSALS[refusal]
        seat = round.active_seat
        needs, left = (chips_text(ticks).removeprefix("+") for ticks in (seat.bet, seat.player.free))
        return f"needs {needs}, {left} left"


def _safest(pending: PendingDecision) -> int:
    """Return the answer that risks the least."""
    if pending.betting:
        return 0 if pending.may_sit_out else pending.least
    return Action.DECLINE if Action.DECLINE in pending.view.legal else Action.STAND


def possible_actions(rules: Rules) -> tuple[Action, ...]:
    """Return the actions that can ever be taken under these rules: the buttons that a table needs.

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


def _round(table: Table) -> Round:
    assert table.round is not None
    return table.round


def _deal(table: Table, bets: list[int]) -> None:
    table.deal(bets)
