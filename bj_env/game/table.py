"""The table: rules, a shoe that lasts from round to round, players with money, and a dealer.

`bj_env.game.round.Round` states what happens in a round.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from enum import IntEnum

from bj_env.errors import BlackjackError, DecisionError, shortened
from bj_env.game.cards import Card
from bj_env.game.decision import Decision, ask
from bj_env.game.participants import Dealer, Participant, Player, Seat
from bj_env.game.rng import SEEDS, TABLES, SeatRng, seat_stream
from bj_env.game.round import Round
from bj_env.game.shoe import Shoe
from bj_env.game.view import View
from bj_env.rules.houses import parse_rules
from bj_env.rules.numbered import (
    completes_blackjack,
    dealer_peeks,
    early_surrender_refusal,
    insurance_refusal,
    is_short,
)
from bj_env.rules.terms import TICKS, Phase, Refusal, Rules, check_first_deal, checked_bet, checked_number


class TablePhase(IntEnum):
    """Where a table stands: nothing yet, bets on it, cards dealt, a round over."""

    STARTED = 0
    BETS_PLACED = 1
    CARDS_DEALT = 2
    END = 3


def _check_arguments(players: object, dealer: object, shoe: object) -> None:
    if not isinstance(players, Iterable) or isinstance(players, str):
        raise BlackjackError(f"players: expected a list of Players, got {shortened(players)}")
    for player in players:
        if not isinstance(player, Player):
            raise BlackjackError(f"players: expected a Player, got {shortened(player)}")
    if not isinstance(dealer, Dealer | None):
        raise BlackjackError(f"dealer: expected a Dealer, got {shortened(dealer)}")
    if shoe is not None and not (isinstance(shoe, Sequence) and all(isinstance(card, Card) for card in shoe)):
        raise BlackjackError(f"shoe: expected a list of Cards, got {shortened(shoe)}")


def _check_decision(participant: Participant) -> None:
    """Refuse a participant that is played by anything but a `Decision`."""
    decision = participant.decision
    if not isinstance(decision, Decision | None):
        hint = f"; bj_env.strategy({shortened(decision)}) makes one of a name" if isinstance(decision, str) else ""
        raise BlackjackError(f"{participant.name}: expected a Decision, got {shortened(decision)}{hint}")


class Table:
    """A table: rules, a shoe that lasts from round to round, players with money, and a dealer.

    Args:
        rules: a house, a rule text, a TOML file or a `Rules`.
        players: who sits where, in the order of the seats.
        dealer: who sits in the dealer's chair.
        seed: of all random numbers at this table.
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
        self.rules = parse_rules(rules)
        self.offers = tuple(_offers(self.rules, upcard) for upcard in range(11))
        _check_arguments(players, dealer, shoe)
        self.players = list(players)
        self.dealer = dealer or Dealer()
        for participant in (*self.players, self.dealer):
            _check_decision(participant)
        self.number = checked_number("number", number, 0, TABLES - 1)
        self._cards = shoe
        self.reseed(seed)
        self._check_size()

    def reseed(self, seed: int) -> None:
        """Start anew: a new shoe and new random numbers for everyone, no round on the table.

        Raises:
            BlackjackError: if the seed is none; nothing has changed then.
        """
        seed = checked_number("seed", seed, 0, SEEDS - 1)
        self.shoe = Shoe(self.rules, seed, table=self.number, cards=self._cards)
        self.streams = [seat_stream(seed, self.number, seat) for seat in range(len(self.players) + 1)]
        self.round: Round | None = None
        self._bets = [0] * len(self.players)

    def _check_size(self) -> None:
        check_first_deal(self.rules, len(self.players), len(self.shoe.cards))

    def checked_bets(self, bets: Iterable[int]) -> list[int]:
        """Return bets that can be made, one for each seat.

        Raises:
            BlackjackError: at the first bet that is not 0, within the house's limits and covered, by seat.
        """
        if not isinstance(bets, Iterable) or isinstance(bets, str | Set | Mapping):
            raise BlackjackError(f"bets: expected one for each seat, like [10, 0], got {shortened(bets)}")
        given = list(bets)
        if len(given) != len(self.players):
            raise BlackjackError(f"bets: expected one for each of {len(self.players)} seats, got {len(given)}")
        checked = [self._checked_bet(seat, bet) for seat, bet in enumerate(given)]
        if not any(checked):
            raise BlackjackError("bets: expected at least one above 0")
        return checked

    def _checked_bet(self, seat: int, bet: int) -> int:
        rules, player = self.rules, self.players[seat]
        bet = checked_bet(f"bet of P{seat + 1}", bet, rules)
        if is_short(player.free, bet * TICKS):
            raise BlackjackError(
                f"bet of P{seat + 1}: expected at most the {player.bankroll:g} chips it has, got {bet}"
            )
        return bet

    @property
    def phase(self) -> TablePhase:
        """Where the table stands."""
        if self.round is not None and not self.round.over:
            return TablePhase.CARDS_DEALT
        if any(self._bets):
            return TablePhase.BETS_PLACED
        return TablePhase.STARTED if self.round is None else TablePhase.END

    def place_bet(self, seat: int, chips: int) -> None:
        """Place a seat's bet for the coming round; another one replaces it, 0 takes it back.

        Raises:
            BlackjackError: if a round is being played, or the bet cannot be made; the one before stands then.
        """
        self._refuse_in_round("place_bet")
        seat = checked_number("seat", seat, 0, len(self.players) - 1)
        self._bets[seat] = self._checked_bet(seat, chips)

    def deal(self, bets: Iterable[int] | None = None) -> Round:
        """Start a round: bets in chips by seat, 0 sits out; without them, those that were placed.

        Raises:
            BlackjackError: if a bet cannot be made, or a round is still being played.
        """
        self._refuse_in_round("deal")
        chips = self.checked_bets(self._bets if bets is None else bets)
        seats = [Seat(number, player, chips[number] * TICKS) for number, player in enumerate(self.players)]
        try:
            self.round = Round(self.rules, self.shoe, seats, self.dealer, self.streams, self.offers)
            self.round.deal()
        except BaseException:
            self.abandon()  # an interrupt leaves no round half dealt
            raise
        self._bets = [0] * len(self.players)
        return self.round

    def _refuse_in_round(self, what: str) -> None:
        if self.round is not None and not self.round.over:
            raise BlackjackError(f"{what}: expected the round before to be over")

    def abandon(self) -> None:
        """Give up a round in the middle: all stakes go back, its cards are discards."""
        if self.round is not None and not self.round.over:
            self.round.give_back()
        self.round = None

    def play_round(self) -> Round:
        """Play a whole round, asking every player's decision for bets and actions.

        A round in which a decision fails or is interrupted is abandoned.

        Raises:
            DecisionError: if a decision fails or answers nonsense.
        """
        bets = [self.ask_bet(seat) for seat in range(len(self.players))]
        try:
            round = self.deal(bets)
            while not round.over:
                round.ask()
        except BaseException:
            self.abandon()
            raise
        return round

    def ask_bet(self, seat: int) -> int:
        """Ask a player's decision for its bet in chips; one that cannot cover the minimum sits out."""
        player = self.players[seat]
        if player.decision is None:
            raise DecisionError(f"P{seat + 1} has no decision to ask")
        if is_short(player.free, self.rules.min_bet * TICKS):
            return 0
        bet = ask(player.decision.bet, self.bet_view(seat), lambda: f"bet of P{seat + 1}")
        try:
            return self._checked_bet(seat, bet)
        except BlackjackError as error:
            raise DecisionError(f"{type(player.decision).__name__} answered what is no bet; {error}") from None

    def bet_view(self, seat: int) -> View:
        """Return what a seat may see while bets are made."""
        return View(
            self.rules, Phase.BET, seat, 0, (), 0, False, 0, None, (), 0, self.players[seat].bankroll,
            ((),) * len(self.players), tuple(self.shoe.seen), self.shoe.shuffle_pending, SeatRng(self.streams[seat]),
        )  # fmt: skip

    def stack(self, cards: Sequence[Card | None], *, alone: bool = False) -> None:
        """Put given cards on top of a fresh shoe, as if shuffled so; ``alone`` leaves nothing below them.

        None stands for a card that is drawn at random.

        Raises:
            BlackjackError: if the shoe does not hold these cards.
        """
        self.shoe.stack(cards, alone=alone)

    def stack_at(self, cards: Sequence[Card | None], tags: Sequence[float], sum_at: Callable[[int], float]) -> None:
        """Stack cards on a shoe that is partly dealt, such that the discards have a given sum of tags.

        ``sum_at`` returns that sum for a number of discards. A quarter to three quarters of the shoe are among the
        discards; every number of them is equally likely but for the sum, and so is every set of cards.

        Raises:
            BlackjackError: if the shoe does not hold the cards, or cannot have the count.
        """
        self.stack(cards)
        self.shoe.discard_at(tags, sum_at)

    def reshuffle_unseen(self, seed: int) -> None:
        """Decide anew, by another seed, all that nobody has seen, as a player must imagine it.

        Burned cards, the hole card (but for what the peek has told), the order of the shoe and the other seats' random
        numbers; what is face up stays as it is.
        """
        seed = checked_number("seed", seed, 0, SEEDS - 1)
        round = self.round
        hole = None
        if round is not None and not round.over and len(round.dealer.cards) == 1:
            hole, upcard = round.hole, round.upcard.value
            known = dealer_peeks(self.rules, upcard) and round.phase is Phase.PLAY
            round.hole = self.shoe.reshuffle_unseen(
                seed, hole, lambda card: not (known and completes_blackjack(upcard, card.value))
            )
        else:
            self.shoe.reshuffle_unseen(seed, None, lambda card: True)
        self.streams[:] = [seat_stream(seed, self.number, seat) for seat in range(len(self.streams))]


def _offers(rules: Rules, upcard: int) -> tuple[Phase, ...]:
    """Tell in which phases before play some seat may be asked, so that a round need not try each in the others."""
    early = early_surrender_refusal(rules, upcard, blackjack=False)
    insurance = insurance_refusal(rules, upcard, stake=TICKS, short=False)
    refusals = {Phase.EARLY_SURRENDER: early, Phase.INSURANCE: insurance}
    return tuple(phase for phase, refusal in refusals.items() if refusal == Refusal.LEGAL)
