"""An episode: a table driven from one of the agent's decisions to the next, over one round or many."""

from collections.abc import Sequence

from bj_env.env.expected_reward import Known, expected_nets, known_after
from bj_env.env.start_states import Start
from bj_env.errors import IllegalAction
from bj_env.game.decision import Decision
from bj_env.game.events import DEALER
from bj_env.game.hand import Hand
from bj_env.game.participants import Dealer, Player
from bj_env.game.replay import play_written
from bj_env.game.round import Round
from bj_env.game.table import Table
from bj_env.rules.numbered import is_short
from bj_env.rules.terms import FIRST_BET, TICKS, Action, Phase, Rules

EPISODES = ("round", "shoe", "session")
"""How long an episode is: one round; until the shuffle; until the smallest bet cannot be placed."""


DEFAULT_START = Start()
"""The start of a round without options: a fresh deal."""


class Episode:
    """What the agent is asked next, at one table and its shoe, through one episode after another.

    Args:
        rules: the house's.
        decisions: who plays each seat, None for the agent.
        names: what each of them is called.
        bets: the sizes on offer to the agent in chips.
        kind: one of `EPISODES`.
        bankroll: chips of each agent seat at the start of an episode, None without limit.
        max_rounds: rounds after which an episode is truncated.
        expected: whether a round is paid by its expectation after the agent's last decision, where there is one.
        seed: of the table's random numbers.
        dealer: who sits in the dealer's chair; one that is played from outside is asked through `act` too.

    Attributes:
        table: the table.
        round: the round on it; None while bets are made.
        seat, hand_index: whose decision it is, or was last; `DEALER` for the dealer's chair.
        rounds: how many have ended in this episode.
        over, truncated: whether the episode has ended, and whether by its length alone.
        no_decision: whether it has ended without any decision, which is shown once before it is over.
        finished: the last round that ended since the agent's last decision.
        paid: what `pop_reward` last returned.
    """

    def __init__(
        self,
        rules: Rules,
        decisions: Sequence[Decision | None],
        *,
        names: Sequence[str],
        bets: Sequence[int],
        kind: str,
        bankroll: float | None,
        max_rounds: int,
        expected: bool,
        seed: int,
        dealer: Dealer | None = None,
    ) -> None:
        self.decisions, self.names = decisions, names
        self.agents = [seat for seat, decision in enumerate(decisions) if decision is None]
        self.bets = bets
        self.unit = min(bet for bet in bets if bet)
        self.kind = kind
        self.bankroll = bankroll
        self.max_rounds = max_rounds
        self.expected = expected
        players = [Player(f"P{seat + 1}", decision) for seat, decision in enumerate(decisions)]
        self.table = Table(rules, players, seed=seed, dealer=dealer)
        self.over = True

    def begin(self, start: Start) -> None:
        """Begin an episode, giving up the one before if it was not over."""
        self.abandon()
        if start.at is not None or start.cards is not None:
            start.apply(self.table)
        elif self.kind == "shoe":
            self.table.shoe.retire()
        self.refill()
        for seat, bank in enumerate(start.banks):
            if bank is not None:
                self.table.players[seat].refill(bank)
        self.round: Round | None = None
        self.finished: Round | None = None
        self.seat, self.hand_index = self.agents[0], 0
        self.truncated = self.no_decision = False
        self.paid: list[float] = [0] * len(self.decisions)
        self._won: list[float] = [0] * len(self.decisions)
        self._known: Known | None = None
        self._start = start
        self._placed: list[int] = []
        self.rounds = 0
        self._asked = False
        self.over = False
        self._go_on()
        if self.over and not self._asked:
            self.over, self.no_decision = False, True

    def refill(self) -> None:
        """Give every seat the money that it starts with."""
        for player, decision in zip(self.table.players, self.decisions, strict=True):
            player.refill(self.bankroll if decision is None else None)

    def act(self, action: int) -> None:
        """Take a legal action and go on to the next decision, or to the end of the episode."""
        if self.no_decision:
            self.over = True
            return
        self._go_on(action)

    def _take(self, action: int) -> None:
        if self.round is None:
            self._placed.append(self.bets[action - FIRST_BET])
        else:
            self.round.act(action)
            if self.expected:
                self._known = known_after(self.round, self.agents)
        self.finished = None

    def pop_reward(self) -> list[float]:
        """Return what each seat has won in rounds that ended since this was last asked, in ticks."""
        self.paid, self._won = self._won, [0] * len(self.decisions)
        return self.paid

    def _go_on(self, action: int | None = None) -> None:
        """Take an action, if one is given, and go to the next decision.

        An episode in which another seat's decision fails or is interrupted is over, and its stakes go back.
        """
        try:
            if action is not None:
                self._take(action)
            while not self.over:
                if self.round is None:
                    if not self._place_bets():
                        return
                    self._deal()
                if self.round is not None and not self.play_on(self.round):
                    return
                self.close_round()
        except IllegalAction:  # nothing has changed
            raise
        except BaseException:
            self.abandon()
            raise

    def abandon(self) -> None:
        """Give up the round on the table, and with it the episode."""
        self.over = True
        self.table.abandon()

    def _place_bets(self) -> bool:
        """Collect the bets seat by seat; tell whether all are made, or the agent must be asked first."""
        while len(self._placed) < len(self.decisions):
            seat = len(self._placed)
            if self._start.bets is not None:
                self._placed.append(self._start.bets[seat])
            elif self.decisions[seat] is not None:
                self._placed.append(self.table.ask_bet(seat))
            elif self.is_broke(seat):
                self._placed.append(0)
            elif len(sizes := self.bets_of(seat)) == 1:
                self._placed.append(sizes[0])
            else:
                self.seat, self.hand_index, self._asked = seat, 0, True
                return False
        return True

    def bets_of(self, seat: int) -> Sequence[int]:
        """Return the sizes on offer that a seat's money covers."""
        free = self.table.players[seat].free
        if free < 0:  # without limit
            return self.bets
        return [bet for bet in self.bets if not is_short(free, bet * TICKS)]

    def _deal(self) -> None:
        """Deal if anyone has bet; a round that all sit out passes without cards."""
        if any(self._placed):
            self.round = self.table.deal(self._placed)
            if self._start.line is not None:
                play_written(self.round, self._start.line, self._ask_other)
        self._start = DEFAULT_START

    def _ask_other(self, round: Round) -> bool:
        """Let the seat in turn decide if it is not the agent's; tell whether it was not."""
        if self.decisions[round.active_seat.number] is None:
            return False
        round.ask()
        return True

    def play_on(self, round: Round) -> bool:
        """Play up to the agent's next decision; tell whether the round is over instead."""
        while not round.over:
            if round.dealer_in_turn:
                self.seat, self.hand_index, self._asked = DEALER, 0, True
                return False
            seat = round.active_seat.number
            if self.decisions[seat] is None:
                self.seat, self.hand_index, self._asked = seat, round.hand_index, True
                return False
            round.ask()
        return True

    def close_round(self) -> None:
        """Take what a round has paid, and end the episode or clear the table for the next."""
        if self.round is not None:
            self.finished = self.round
            self._won = [won + net for won, net in zip(self._won, self._nets(self.round), strict=True)]
            self._known = None
        self.rounds += 1
        self.over = self.ends_here()
        if not self.over and self.rounds >= self.max_rounds:
            self.over = self.truncated = True
        if not self.over:
            self.round, self._placed = None, []

    def _nets(self, round: Round) -> list[float]:
        """Return what a round pays each seat, in ticks; the agent's by expectation, if that is known."""
        nets: list[float] = list(round.nets)
        if self._known is not None:
            expected = expected_nets(round, self.agents, self._known)
            for seat, net in zip(self.agents, expected or (), strict=expected is not None):
                nets[seat] = net
        return nets

    def ends_here(self) -> bool:
        """Tell whether the episode is over after the round that has just ended."""
        if self.kind == "round" or (self.kind == "shoe" and self.round is not None and self.table.shoe.shuffle_pending):
            return True
        return all(self.is_broke(seat) for seat in self.agents)

    def is_broke(self, seat: int) -> bool:
        """Tell whether a seat cannot place the smallest bet."""
        return is_short(self.table.players[seat].free, self.unit * TICKS)

    @property
    def phase(self) -> Phase:
        """What is being asked."""
        if self.over or self.no_decision:
            return Phase.ROUND_OVER
        return Phase.BET if self.round is None else self.round.phase

    @property
    def mask(self) -> int:
        """The legal actions as bits ``1 << action``; 0 once the episode is over."""
        if self.over:
            return 0
        if self.no_decision:
            return 1 << Action.STAND
        if self.round is not None:
            return self.round.mask
        return self.bet_mask(self.seat)

    def bet_mask(self, seat: int) -> int:
        """Return the bets that a seat's money covers as bits ``1 << action``."""
        covered = self.bets_of(seat)
        return sum(1 << FIRST_BET + place for place, bet in enumerate(self.bets) if bet in covered)

    @property
    def hand(self) -> Hand:
        """The hand that is or was in turn; an empty one while bets are made, or if the seat sat out."""
        return hand_of(self.round, self.seat, self.hand_index)


def hand_of(round: Round | None, seat: int, hand_index: int) -> Hand:
    """Return a seat's hand that is or was in turn; an empty one while bets are made, or if the seat sat out."""
    if round is not None and seat == DEALER:
        return round.dealer
    hands = round.seats[seat].hands if round is not None else []
    return hands[min(hand_index, len(hands) - 1)] if hands else Hand()
