"""Participants: the players and the dealer, who decides for them, and the money each player has."""

from typing import TYPE_CHECKING

from bj_env.game.hand import Hand
from bj_env.rules.terms import TICKS, ticks

if TYPE_CHECKING:
    from bj_env.game.decision import Decision


class Participant:
    """Someone at the table: a name, and the decision that plays for it (None: it is played from outside)."""

    __slots__ = ("decision", "name")

    def __init__(self, name: str, decision: "Decision | None" = None) -> None:
        self.name = name
        self.decision = decision


class Dealer(Participant):
    """The dealer; without a decision of its own it follows the house's rule.

    ``external``: whether it is played from outside, by `Round.act`, whenever `Round.dealer_in_turn`.
    """

    __slots__ = ("external",)

    def __init__(self, decision: "Decision | None" = None, name: str = "dealer", *, external: bool = False) -> None:
        super().__init__(name, decision)
        self.external = external


class Player(Participant):
    """A player with money: ``free`` ticks that are not staked, below 0 if without limit.

    >>> player = Player("ann", bankroll=100)
    >>> player.pay(250)
    >>> player.free, player.bankroll
    (750, 75.0)
    """

    __slots__ = ("free",)

    def __init__(self, name: str, decision: "Decision | None" = None, *, bankroll: float | None = None) -> None:
        super().__init__(name, decision)
        self.refill(bankroll)

    def refill(self, bankroll: float | None) -> None:
        """Set the money that is not staked, in chips; None is without limit."""
        self.free = -1 if bankroll is None else ticks(bankroll, "bankroll")

    @property
    def limited(self) -> bool:
        """Whether the player's money can run out."""
        return self.free >= 0

    @property
    def bankroll(self) -> float | None:
        """The money that is not staked, in chips; None without limit."""
        return self.free / TICKS if self.limited else None

    def pay(self, amount: int) -> None:
        """Put ``amount`` ticks on the table; the caller has checked that they are there."""
        if self.limited:
            self.free -= amount

    def receive(self, amount: int) -> None:
        """Take ``amount`` ticks from the table."""
        if self.limited:
            self.free += amount


class Seat:
    """A player's place in one round: what is bet, the hands, and what it came to, all in ticks.

    Attributes:
        number: counted from 0; people see it as ``P1``, ``P2``, ...
        bet: the initial bet; 0 sits out.
        bank: the player's money before the bet, below 0 if without limit.
        hands: in the order in which they are played.
        insurance: the stake on insurance.
        net: the change of the player's money over the round.
        closed: whether the player has been paid.
    """

    __slots__ = ("bank", "bet", "closed", "hands", "insurance", "net", "number", "player")

    def __init__(self, number: int, player: Player, bet: int) -> None:
        self.number = number
        self.player = player
        self.bet = bet
        self.bank = player.free
        self.hands: list[Hand] = []
        self.insurance = 0
        self.net = 0
        self.closed = False

    @property
    def staked(self) -> int:
        """All that the seat has on the table, in ticks."""
        return self.insurance + sum([hand.stake for hand in self.hands])

    def close(self) -> None:
        """Pay the player what lies on the table and what it has won; to do so again changes nothing."""
        if not self.closed:
            self.closed = True
            self.player.receive(self.staked + self.net)

    def give_back(self) -> None:
        """Give the player the stakes back, and take back what was won if that was paid."""
        if self.closed:
            self.player.receive(-self.net)
        self.net = 0
        self.close()

    @property
    def label(self) -> str:
        """The seat's name in notation."""
        return f"P{self.number + 1}"
