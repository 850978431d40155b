"""Tournaments: a fixed number of rounds between seats that begin with the same chips; the reward goes by rank.

Seats at one table otherwise meet only through the shoe, and nobody's play changes what another may expect. In a
tournament it does: what counts is to have more chips than the others at the end.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import inf, isfinite
from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from bj_env.env.episode import Episode
from bj_env.env.settings import Settings
from bj_env.errors import BlackjackError, items_of, real_number, shortened
from bj_env.game.decision import Decision
from bj_env.game.round import Round
from bj_env.rules.terms import TICKS, checked_number
from bj_env.strategies.registry import strategy

TOURNAMENT = "tournament"
"""The name of a tournament among the kinds of episodes."""

MOST_SHARE = 4
"""Observed chips stop at so many times the chips of the start, and leads at plus and minus half as many."""


@dataclass(frozen=True, kw_only=True)
class TournamentSettings:
    """What a tournament is played for.

    Attributes:
        rounds: how many are played.
        bankroll: chips that every seat starts with.
        prizes: by rank, the first for the winner; ranks without one get 0. Seats with equal ranks share theirs.
        elimination: after these rounds the seat with the fewest chips is out, unless several have equally few.
        play: who plays the agents' hands, so that an agent only bets; None for the agents themselves.

    Raises:
        BlackjackError: if a value is not valid.

    >>> TournamentSettings(rounds=20, bankroll=100, play="basic").prizes
    (1.0,)
    """

    rounds: int = 20
    bankroll: int = 100
    prizes: tuple[float, ...] = (1.0,)
    elimination: tuple[int, ...] = ()
    play: Decision | str | None = None
    decision: Decision | None = field(init=False, repr=False)

    def __post_init__(self) -> None:
        checked_number("rounds", self.rounds, 1, 1_000_000)
        checked_number("bankroll", self.bankroll, 1, 1_000_000_000)
        for number in items_of("elimination", self.elimination, "numbers of rounds, like (8, 16)"):
            checked_number("elimination", number, 1, self.rounds)
        prizes = items_of("prizes", self.prizes, "numbers by rank, like (6.0, 3.0)")
        if not prizes or not all(isfinite(real_number(prize)) for prize in prizes):
            raise BlackjackError(f"prizes: expected at least one, by rank, like (1.0,), got {shortened(prizes)}")
        object.__setattr__(self, "prizes", tuple(map(real_number, prizes)))
        object.__setattr__(self, "decision", None if self.play is None else strategy(self.play))

    def prize(self, ranks: range) -> float:
        """Return the prize of a seat that shares these ranks, from 0.

        >>> TournamentSettings(prizes=(6, 3)).prize(range(1, 3))
        1.5
        """
        return sum(self.prizes[rank] for rank in ranks if rank < len(self.prizes)) / len(ranks)

    def space(self, of_table: spaces.Space[Any], seats: int) -> spaces.Box:
        """Return the space of observations: that of the table, and then the standings.

        Raises:
            BlackjackError: if the table's observations are not features.
        """
        if not isinstance(of_table, spaces.Box):
            raise BlackjackError("encoding: a tournament is observed as 'features', got 'discrete'")
        return spaces.Box(0.0, 1.0, (of_table.shape[0] + 2 + 4 * seats,), np.float32)


class Tournament(Episode):
    """An episode that is a tournament; the seat that bets and acts first moves by one every round.

    Attributes:
        order: the seat at each position of the table in this round; positions bet and act in their order.
        order_before: the same in the round that ended last.
        out: for each seat that is out of the tournament, after which round, and with how many ticks.
    """

    def __init__(self, settings: Settings, tournament: TournamentSettings) -> None:
        self.tournament = tournament
        super().__init__(
            settings.rules,
            settings.decisions,
            names=settings.names,
            bets=settings.bets,
            kind=TOURNAMENT,
            bankroll=tournament.bankroll,
            max_rounds=tournament.rounds + 1,
            expected=False,
            seed=0,
        )
        self._seats = list(zip(self.decisions, self.names, self.table.players, strict=True))
        if len(self._seats) < 2:
            raise BlackjackError("seats: a tournament takes at least two, got 1")
        if tournament.bankroll < self.unit:
            raise BlackjackError(
                f"bankroll: expected at least the smallest bet, {self.unit}, got {tournament.bankroll}"
            )
        if tournament.decision is not None:
            for decision, _, player in self._seats:
                player.decision = decision or tournament.decision
        self._most_bet = max(self.bets)
        self._arrange(range(len(self._seats)))

    def _arrange(self, order: Sequence[int]) -> None:
        """Seat everyone: the seat at each position."""
        self.order = list(order)
        arranged = [self._seats[seat] for seat in order]
        self.decisions = [decision for decision, _, _ in arranged]
        self.names = [name for _, name, _ in arranged]
        self.table.players = [player for _, _, player in arranged]
        self.agents = [position for position, decision in enumerate(self.decisions) if decision is None]

    def refill(self) -> None:
        """Give every seat its chips, and draw who bets first."""
        first, seats = self.table.streams[-1].below(len(self._seats)), range(len(self._seats))
        self._arrange([*seats[first:], *seats[:first]])
        self.order_before = list(self.order)
        self.out: dict[int, tuple[int, int]] = {}
        for player in self.table.players:
            player.refill(self.bankroll)

    def play_on(self, round: Round) -> bool:
        """Play up to an agent's next decision; tell whether the round is over instead."""
        if self.tournament.decision is None:
            return super().play_on(round)
        while not round.over:
            round.ask()
        return True

    def close_round(self) -> None:
        """Take what a round has paid, put seats out, and move the first bet to the next seat."""
        self.order_before = list(self.order)
        self._put_out()
        super().close_round()
        if not self.over:
            self._arrange([*self.order[1:], self.order[0]])
            self.seat = (self.seat - 1) % len(self.order)  # whose decision was last sits elsewhere now

    def _put_out(self) -> None:
        number = self.rounds + 1
        for position, seat in enumerate(self.order):
            if seat not in self.out and self.is_broke(position):
                self.out[seat] = number, self.chips(seat)
        left = sorted((seat for seat in self.order if seat not in self.out), key=self.chips)
        if number in self.tournament.elimination and len(left) > 1 and self.chips(left[0]) < self.chips(left[1]):
            self.out[left[0]] = number, self.chips(left[0])
            self._seats[left[0]][2].refill(0)

    def ends_here(self) -> bool:
        """Tell whether all rounds are played, or one seat alone is left."""
        left = [seat for seat in self.order if seat not in self.out]
        return self.rounds >= self.tournament.rounds or len(left) < 2

    def chips(self, seat: int) -> int:
        """Return the ticks of a seat that are not staked."""
        return self._seats[seat][2].free

    def is_out(self, seat: int) -> bool:
        """Tell whether a seat is out of the tournament."""
        return seat in self.out

    def ranks(self, seat: int) -> range:
        """Return the ranks that a seat has, from 0; more than one if it shares them.

        Seats that are out come after all that are in, the one that was first out last; seats that are in, and those
        that went out after the same round, rank by their chips.
        """
        standings = [self.out.get(other, (inf, self.chips(other))) for other in range(len(self._seats))]
        above = sum(other > standings[seat] for other in standings)
        return range(above, above + standings.count(standings[seat]))

    def reward_of(self, seat: int) -> float:
        """Return the prize of a seat, once it is out or the tournament over; 0 before."""
        return self.tournament.prize(self.ranks(seat)) if self.over or self.is_out(seat) else 0.0

    def with_standings(self, seen: NDArray[Any], position: int) -> NDArray[np.float32]:
        """Append the standings to an observation, as a seat at a position sees them.

        They are: the share of the rounds that are left; how many seats bet after this one, as a share; and for each
        seat from this one on, in the order of bets: its chips, its lead over this one (0.5 for none), its bet as a
        share of the largest on offer, and whether it is in.
        """
        seats = len(self.order)
        standings = [1 - min(self.rounds / self.tournament.rounds, 1), (seats - 1 - position) / seats]
        mine = self._chips_with_stakes(position)
        for place in range(position, position + seats):
            other, start = place % seats, MOST_SHARE * self.tournament.bankroll * TICKS
            chips = self._chips_with_stakes(other)
            lead = min(max(0.5 + (chips - mine) / start, 0.0), 1.0)
            standings += [min(chips / start, 1.0), lead, self._bet(other), self.order[other] not in self.out]
        return np.concatenate([seen, np.array(standings, np.float32)])

    def _chips_with_stakes(self, position: int) -> int:
        round = self.round
        staked = round.seats[position].staked if round is not None and not round.over else 0
        return self.table.players[position].free + staked

    def _bet(self, position: int) -> float:
        """Return a seat's bet in this round as a share of the largest on offer."""
        if self.round is not None:
            bet = self.round.seats[position].bet / TICKS
        else:
            bet = self._placed[position] if position < len(self._placed) else 0
        return min(bet / self._most_bet, 1.0)
