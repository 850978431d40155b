"""The table: rules, a shoe that lasts from round to round, players with money, and a dealer.

`bj_env.round.Round` states what happens in a round.
"""

from collections.abc import Sequence

from bj_env.cards import Card, Shoe
from bj_env.chance import seat_stream
from bj_env.decisions import View, ask
from bj_env.errors import BlackjackError, DecisionError
from bj_env.events import BURNED, SHUFFLED, Event
from bj_env.houses import rules_from
from bj_env.participants import Dealer, Player
from bj_env.round import Round
from bj_env.rules import early_surrender_refusal, insurance_refusal, is_short
from bj_env.terms import TICKS, Phase, Refusal, Rules


class Table:
    """A table: rules, a shoe that lasts from round to round, players with money, and a dealer.

    Args:
        rules: a house, a rule text, a TOML file or a `Rules`.
        players: who sits where, in the order of the seats.
        dealer: who sits in the dealer's chair.
        seed: of all chance at this table.
        number: which of several tables with that seed this is; they share no shoe.
        shoe: cards of another composition than the decks of the rules.

    Raises:
        BlackjackError: if nobody sits there, or if the first deal would need over half the shoe.

    >>> table = Table("six-deck", [Player("ann")], seed=1)
    >>> round = table.deal([10])
    >>> len(round.seats[0].hands[0].cards)
    2
    """

    def __init__(
        self,
        rules: Rules | str,
        players: Sequence[Player],
        *,
        dealer: Dealer | None = None,
        seed: int = 0,
        number: int = 0,
        shoe: Sequence[Card] | None = None,
    ) -> None:
        self.rules = rules_from(rules)
        self.offers = tuple(_offers(self.rules, upcard) for upcard in range(11))
        self.players = list(players)
        self.dealer = dealer or Dealer()
        self.number = number
        self._cards = shoe
        self.reseed(seed)
        self._check_size()

    def reseed(self, seed: int) -> None:
        """Start anew: a new shoe and new chance for everyone, no round on the table.

        Raises:
            BlackjackError: if the seed is none; nothing has changed then.
        """
        self.shoe = Shoe(self.rules, seed, table=self.number, cards=self._cards)
        self.streams = [seat_stream(seed, self.number, seat) for seat in range(len(self.players) + 1)]
        self.seen = [0] * 11
        self.round: Round | None = None
        self._fresh = True

    def _check_size(self) -> None:
        if not self.players:
            raise BlackjackError("players: expected at least one, got none")
        needed, size = 2 * len(self.players) + 2, len(self.shoe.cards)
        burned = self.rules.burn_cards
        if not self.shoe.infinite and burned + needed > size:
            raise BlackjackError(f"burn_cards: expected to leave the {needed} cards of a deal, got {burned} of {size}")
        if not self.shoe.infinite and 2 * needed > size:
            raise BlackjackError(
                f"players: expected a first deal of at most half the shoe, "
                f"got {len(self.players)} seats that need {needed} of {size} cards"
            )

    @property
    def shuffle_pending(self) -> bool:
        """Whether the shoe is shuffled before the next round."""
        return self._fresh or self.shoe.shuffle_pending

    def check_bets(self, bets: Sequence[int]) -> None:
        """Refuse bets that cannot be made.

        Raises:
            BlackjackError: at the first bet that is not 0, within the house's limits and covered, by seat.
        """
        if len(bets) != len(self.players):
            raise BlackjackError(f"bets: expected one for each of {len(self.players)} seats, got {len(bets)}")
        rules = self.rules
        for seat, player in enumerate(self.players):
            bet = bets[seat]
            whole = isinstance(bet, int) and not isinstance(bet, bool)
            if not whole or not (bet == 0 or rules.min_bet <= bet <= rules.max_bet):
                limits = f"0 or {rules.min_bet} to {rules.max_bet} chips"
                raise BlackjackError(f"bet of P{seat + 1}: expected {limits}, got {bet!r}")
            if is_short(player.free, bet * TICKS):
                raise BlackjackError(
                    f"bet of P{seat + 1}: expected at most the {player.bankroll:g} chips it has, got {bet}"
                )
        if not any(bets):
            raise BlackjackError("bets: expected at least one above 0")

    def deal(self, bets: Sequence[int]) -> Round:
        """Start a round: bets in chips by seat, 0 sits out.

        Raises:
            BlackjackError: if a bet cannot be made, or a round is still being played.
        """
        if self.round is not None and not self.round.over:
            raise BlackjackError("deal: expected the round before to be over")
        self.check_bets(bets)
        self.round = Round(self, bets)
        return self.round

    def abandon(self) -> None:
        """Give up a round in the middle: all stakes go back, its cards are discards."""
        if self.round is not None and not self.round.over:
            for seat in self.round.active:
                seat.player.receive(seat.staked)
        self.round = None

    def play_round(self) -> Round:
        """Play a whole round, asking every player's decision for bets and actions.

        Raises:
            DecisionError: if a decision fails or answers nonsense.
        """
        round = self.deal([self.ask_bet(seat) for seat in range(len(self.players))])
        while not round.over:
            round.ask()
        return round

    def ask_bet(self, seat: int) -> int:
        """Ask a player's decision for its bet in chips; one that cannot cover the minimum sits out."""
        player = self.players[seat]
        if player.decision is None:
            raise DecisionError(f"P{seat + 1} has no decision to ask")
        if is_short(player.free, self.rules.min_bet * TICKS):
            return 0
        return ask(player.decision.bet, self.bet_view(seat), lambda: f"bet of P{seat + 1}")

    def bet_view(self, seat: int) -> View:
        """Return what a seat may see while bets are made."""
        return View(
            self.rules, Phase.BET, seat, 0, (), 0, False, 0, None, (), 0, self.players[seat].bankroll,
            ((),) * len(self.players), tuple(self.seen), self.shuffle_pending, self.streams[seat],
        )  # fmt: skip

    def prepare_shoe(self, events: list[Event]) -> None:
        """Shuffle and burn if due."""
        if self.shoe.shuffle_pending:
            self.shoe.shuffle()
            self._fresh = True
        if self._fresh:
            self._fresh = False
            self.seen = [0] * 11
            events.append(SHUFFLED)
            for _ in range(self.rules.burn_cards):
                self.shoe.draw()
                events.append(BURNED)
        self.shoe.begin_round()

    def stack(self, cards: Sequence[Card | None], *, alone: bool = False) -> None:
        """Put given cards on top of a fresh shoe, as if shuffled so; ``alone`` leaves nothing below them.

        None stands for a card that chance draws.

        Raises:
            BlackjackError: if the shoe does not hold these cards.
        """
        self.shoe.stack(cards, alone=alone)
        self.seen = [0] * 11
        self._fresh = False

    def see_only(self, cards: Sequence[Card]) -> None:
        """Forget what was seen before a shuffle in mid-round, but not the cards on the table."""
        self.seen = [0] * 11
        for card in cards:
            self.seen[card.value] += 1


def _offers(rules: Rules, upcard: int) -> tuple[Phase, ...]:
    """Tell in which phases before play some seat may be asked, so that a round need not try each in the others."""
    early = early_surrender_refusal(rules, upcard, blackjack=False)
    insurance = insurance_refusal(rules, upcard, stake=TICKS, short=False)
    refusals = {Phase.EARLY_SURRENDER: early, Phase.INSURANCE: insurance}
    return tuple(phase for phase, refusal in refusals.items() if refusal == Refusal.LEGAL)
