"""A round, from the deal to the settlement: the readable engine, which states the order of events.

A round never looks ahead: `Round.act` takes one action of the seat in turn and goes on to the next decision, or to the
end. All that anyone may know of it stands in `Round.events` and in the `View` of a seat.
"""

from collections.abc import Sequence

from bj_env.errors import DecisionError, IllegalAction, shortened
from bj_env.game.cards import Card
from bj_env.game.decision import ask, names
from bj_env.game.events import BURNED, DEALER, HOLE_CARD, PEEKED, SHUFFLED, Event, Kind, Record, card_event
from bj_env.game.hand import Hand
from bj_env.game.participants import Dealer, Seat
from bj_env.game.rng import SeatRng, Stream
from bj_env.game.settlement import any_in_play, second_card_due, settle
from bj_env.game.shoe import OutOfCards, Shoe
from bj_env.game.view import HandView, View
from bj_env.rules.numbered import (
    completes_blackjack,
    dealer_hits,
    dealer_peeks,
    deals_hole_card,
    early_surrender_refusal,
    insurance_refusal,
    insurance_stake,
    is_charlie,
    is_short,
)
from bj_env.rules.terms import OFFERS, REFUSALS, TICKS, Action, Phase, Refusal, Rules, is_whole

# Names of the members, because until Python 3.12 they are slow to look up in their enums.
_EARLY_SURRENDER, _INSURANCE, _PLAY = Phase.EARLY_SURRENDER, Phase.INSURANCE, Phase.PLAY
_ROUND_OVER, _ACTIONS = Phase.ROUND_OVER, tuple(Action)
_STAND, _HIT, _DOUBLE, _SPLIT = Action.STAND, Action.HIT, Action.DOUBLE, Action.SPLIT
_SURRENDER, _INSURE = Action.SURRENDER, Action.INSURE
_BET, _DEAL, _DRAW, _TURN, _ACTION = Kind.BET, Kind.DEAL, Kind.DRAW, Kind.TURN, Kind.ACTION

_LEGAL = tuple(tuple(action for action in Action if mask >> action & 1) for mask in range(1 << len(Action)))


class Round:
    """One round, from the deal to the settlement.

    Args:
        rules: the house's.
        shoe: where the cards come from.
        seats: every seat, with its bet; those that sit out too.
        chair: who sits in the dealer's chair.
        streams: the random numbers of each seat's strategy, and of the dealer's.
        offers: by the value of the up card, the phases before play in which some seat may be asked.

    Attributes:
        phase: what the seat in turn is being asked; `Phase.ROUND_OVER` at the end.
        seats: every seat, those that sit out too.
        hand_index: which of its hands is in turn.
        mask: the legal actions as bits ``1 << action``; 0 when the round is over.
        dealer: the dealer's hand, as far as its cards are face up.
        hole: the dealer's hole card, hidden until it is turned.
        events: what has happened, as everyone sees it.
        void: whether the stakes went back, after a misdeal or because the dealer's chair failed.
        dealer_in_turn: whether the dealer is asked to stand or hit; only a dealer that is played from outside is.
    """

    def __init__(
        self,
        rules: Rules,
        shoe: Shoe,
        seats: Sequence[Seat],
        chair: Dealer,
        streams: Sequence[Stream],
        offers: Sequence[tuple[Phase, ...]],
    ) -> None:
        self.rules, self.shoe, self.chair = rules, shoe, chair
        self.events: list[Event] = []
        self.seats = list(seats)
        self.active = [seat for seat in self.seats if seat.bet]
        self.dealer = Hand()
        self.hole: Card | None = None
        self.phase = _EARLY_SURRENDER
        self._streams, self._offers_by_upcard = streams, offers
        self._offers: tuple[Phase, ...] = ()
        self._at = self.hand_index = self.mask = 0
        self.void = False
        self.dealer_in_turn = self._dealer_may_draw = False

    def deal(self) -> None:
        """Take the bets, deal, and go on to the first decision."""
        self._advance(None)

    def _begin(self) -> None:
        for seat in self.active:
            seat.player.pay(seat.bet)
            seat.hands.append(Hand(stake=seat.bet))
            self.events.append(Event(_BET, seat.number, ticks=seat.bet))
        burned = self.shoe.begin_round()
        if burned is not None:
            self.events += [SHUFFLED, *[BURNED] * burned]
        self._deal_cards()

    def _deal_cards(self) -> None:
        for seat in self.active:
            self._show(self._draw(), seat.hands[0], seat.number, _DEAL)
        self._show(self._draw(), self.dealer, DEALER, _DEAL)
        for seat in self.active:
            self._show(self._draw(), seat.hands[0], seat.number, _DEAL)
        if deals_hole_card(self.rules):
            self.hole = self._draw()
            self.events.append(HOLE_CARD)
        self._offers = self._offers_by_upcard[self.upcard.value]

    def _go_on(self) -> None:
        """Go to the next decision; when there is none left, end the round."""
        while self.phase is not _PLAY:
            if self.phase in self._offers and self._ask_next_seat():
                return
            self._at = 0
            if self.phase is _INSURANCE and self._peek():
                break
            self.phase = _PLAY if self.phase is _INSURANCE else _INSURANCE
        if self.phase is not _PLAY or not self._find_hand():
            self._end()

    def _ask_next_seat(self) -> bool:
        """Go to the next seat to which early surrender or insurance is open."""
        for at in range(self._at, len(self.active)):
            if self._offer_refusal(self.active[at]) == Refusal.LEGAL:
                self._at, self.mask = at, OFFERS[self.phase].mask
                return True
        return False

    def _offer_refusal(self, seat: Seat) -> int:
        hand = seat.hands[0]
        if self.phase is _EARLY_SURRENDER:
            return early_surrender_refusal(self.rules, self.upcard.value, hand.blackjack)
        return Refusal.NOT_ASKED if hand.surrendered else self._insurance_refusal(seat)

    def _insurance_refusal(self, seat: Seat) -> int:
        stake = insurance_stake(self.rules, seat.bet)
        return insurance_refusal(self.rules, self.upcard.value, stake, is_short(seat.player.free, stake))

    def _peek(self) -> bool:
        """Let the dealer look at the hole card where the house does; tell whether that ends the round."""
        if not dealer_peeks(self.rules, self.upcard.value) or self.hole is None:
            return False
        self.events.append(PEEKED[found := completes_blackjack(self.upcard.value, self.hole.value)])
        return found

    def _find_hand(self) -> bool:
        """Go to the next hand that has a choice, filling split hands on the way."""
        while self._at < len(self.active):
            seat = self.active[self._at]
            while self.hand_index < len(seat.hands):
                hand = seat.hands[self.hand_index]
                if len(hand.cards) == 1:
                    self._draw_to(hand, seat.number)
                if not hand.finished:
                    self.mask = hand.mask(self.rules, len(seat.hands), is_short(seat.player.free, seat.bet))
                    if self.mask:
                        return True
                    hand.finished = True
                self.hand_index += 1
            self._at, self.hand_index = self._at + 1, 0
        return False

    def act(self, action: int) -> None:
        """Take the action of the seat in turn and go on to the next decision, or to the end.

        Raises:
            IllegalAction: if it is not legal; nothing has changed then.
        """
        self.check(action)
        self._advance(_ACTIONS[action])

    def _advance(self, action: Action | None) -> None:
        """Deal, or take an action, and go on to the next decision; void the round if that fails, or is interrupted."""
        try:
            if action is None:
                self._begin()
            elif self.dealer_in_turn and action is _HIT:
                self._draw_to(self.dealer, DEALER)
            elif self.dealer_in_turn:
                self._dealer_may_draw = False
            else:
                self._take(action)
            self._go_on()
        except OutOfCards:
            self._void()
            self.events.append(Event(Kind.MISDEAL))
        except BaseException:
            self._void()
            raise

    def _take(self, action: Action) -> None:
        seat = self.active[self._at]
        hand = seat.hands[self.hand_index]
        self.events.append(Event(_ACTION, seat.number, self.hand_index, None, action))
        if action is _HIT:
            self._draw_to(hand, seat.number)
        elif action is _STAND:
            hand.finished = True
        elif action is _DOUBLE:
            seat.player.pay(seat.bet)
            hand.stake += seat.bet
            hand.doubled = hand.finished = True
            self._draw_to(hand, seat.number)
        elif action is _SPLIT:
            seat.player.pay(seat.bet)
            seat.hands[self.hand_index : self.hand_index + 1] = hand.split()
        elif action is _SURRENDER:
            hand.surrendered = hand.finished = True
        elif action is _INSURE:
            seat.insurance = insurance_stake(self.rules, seat.bet)
            seat.player.pay(seat.insurance)
        if self.phase is not _PLAY:
            self._at += 1

    def _end(self) -> None:
        """Let the dealer play, then settle; a dealer who is played from outside is waited for."""
        if not self.dealer_in_turn:
            self._turn_dealer_up()
        if self._dealer_may_draw and self.dealer.total < 21 and self.chair.external:
            self.dealer_in_turn, self.mask = True, 1 << _STAND | 1 << _HIT
            return
        while self._dealer_may_draw and self.dealer.total < 21 and self._dealer_hits():
            self._draw_to(self.dealer, DEALER)
        self._settle()

    def _turn_dealer_up(self) -> None:
        """Turn the hole card, or draw the second card where one is due."""
        playing = any_in_play(self.rules, self.active)
        if self.hole is not None:
            self._show(self.hole, self.dealer, DEALER, _TURN)
        elif second_card_due(self.rules, self.active, self.upcard.value, playing):
            self._draw_to(self.dealer, DEALER)
        self._dealer_may_draw = playing and not self.dealer.blackjack

    def _settle(self) -> None:
        self.phase, self.mask, self.dealer_in_turn = _ROUND_OVER, 0, False
        dealer = self.dealer
        for seat in self.active:
            seat.net = settle(self.rules, seat, dealer.total, dealer.blackjack, self.events)
        for seat in self.active:  # only now: an interrupt before has all stakes go back
            seat.close()

    def _dealer_hits(self) -> bool:
        decision = self.chair.decision
        if decision is None:
            return dealer_hits(self.rules, self.dealer.total, self.dealer.soft)
        action = ask(decision.play, self._dealer_view(), self._where_dealer)
        if not is_whole(action) or action not in (Action.HIT, Action.STAND):
            raise DecisionError(f"{self._where_dealer()}: expected HIT or STAND, got {shortened(action)}")
        return action == Action.HIT

    def _where_dealer(self) -> str:
        return f"dealer ({self.dealer})"

    def _void(self) -> None:
        """Give all stakes back: the cards have run out on and off the table, or the dealer's chair failed."""
        if self.hole is not None and len(self.dealer.cards) == 1:
            self._show(self.hole, self.dealer, DEALER, Kind.TURN)
        self.void = True
        self.phase, self.mask, self.dealer_in_turn = _ROUND_OVER, 0, False
        self.shoe.retire()
        self.give_back()

    def give_back(self) -> None:
        """Give every seat its stakes back."""
        for seat in self.active:
            seat.give_back()

    def _draw(self) -> Card:
        try:
            return self.shoe.draw()
        except OutOfCards:
            if not self.shoe.shuffle_discards():
                raise
        self.events.append(SHUFFLED)
        self.shoe.see_only(self._face_up())
        return self.shoe.draw()

    def _face_up(self) -> list[Card]:
        hands = [hand for seat in self.active for hand in seat.hands]
        return [card for hand in (self.dealer, *hands) for card in hand.cards]

    def _show(self, card: Card, hand: Hand, seat: int, kind: Kind) -> None:
        hand.add(card)
        self.shoe.seen[card.value] += 1
        self.events.append(card_event(kind, seat, self.hand_index, card, hand.total, hand.soft))

    def _draw_to(self, hand: Hand, seat: int) -> None:
        """Draw a card after the deal; that may make a charlie."""
        self._show(self._draw(), hand, seat, _DRAW)
        if seat != DEALER and is_charlie(self.rules, hand.total, len(hand.cards)):
            hand.charlie = hand.finished = True

    @property
    def over(self) -> bool:
        """Whether the round has ended."""
        return self.phase is _ROUND_OVER

    @property
    def upcard(self) -> Card:
        """The dealer's up card."""
        return self.dealer.cards[0]

    @property
    def active_seat(self) -> Seat:
        """The seat that is being asked.

        Raises:
            IllegalAction: if the round is over, which asks nobody, or the dealer is in turn.
        """
        if self.phase is _ROUND_OVER or self.dealer_in_turn:
            raise IllegalAction("the dealer is in turn" if self.dealer_in_turn else "the round is over; it asks nobody")
        return self.active[self._at]

    @property
    def legal(self) -> tuple[Action, ...]:
        """The legal actions."""
        return _LEGAL[self.mask]

    def refusal(self, action: int) -> Refusal:
        """Tell why the seat in turn may not take an action; `Refusal.LEGAL` if it may."""
        if self.over or action not in list(Action):
            return Refusal.NOT_ASKED
        if self.dealer_in_turn or self.phase is not Phase.PLAY:
            return Refusal.LEGAL if self.mask >> action & 1 else Refusal.NOT_ASKED
        seat = self.active_seat
        if action == Action.INSURE:
            return Refusal(self._insurance_refusal(seat) or Refusal.NOT_ASKED)
        hand, short = seat.hands[self.hand_index], is_short(seat.player.free, seat.bet)
        return Refusal(hand.refusal(self.rules, Action(action), len(seat.hands), short))

    def check(self, action: int) -> None:
        """Refuse an action that is not legal now.

        Raises:
            IllegalAction: naming the seat, the hand, what is legal, and the rule.
        """
        if self.phase is _ROUND_OVER:
            raise IllegalAction(f"the round is over; expected no action, got {shortened(action)}")
        if not is_whole(action) or not 0 <= action < len(_ACTIONS):
            raise IllegalAction(f"{self.where()}: expected one of {names(self.legal)}, got {shortened(action)}")
        if not self.mask >> action & 1:
            reason = REFUSALS[self.refusal(action)]
            expected = f"expected one of {names(self.legal)}, got {Action(action).name}"
            raise IllegalAction(f"{self.where()}: {expected}: {reason}")

    def where(self) -> str:
        """Say whose turn it is: the seat, the hand and the dealer's card."""
        if self.dealer_in_turn:
            return self._where_dealer()
        seat = self.active_seat
        hand = seat.hands[self.hand_index]
        return f"{seat.label} hand {self.hand_index + 1} ({hand}) against {self.upcard}"

    def view(self) -> View:
        """Return what the seat in turn may see."""
        if self.dealer_in_turn:
            return self._dealer_view()
        seat = self.active_seat
        return self._view(seat.number, self.hand_index, seat.hands[self.hand_index], seat, self.legal)

    def _dealer_view(self) -> View:
        return self._view(DEALER, 0, self.dealer, None, (Action.STAND, Action.HIT))

    def _view(self, number: int, index: int, hand: Hand, seat: Seat | None, legal: tuple[Action, ...]) -> View:
        free = seat.player.bankroll if seat else None
        hands = tuple([tuple([HandView.of(hand) for hand in seat.hands]) for seat in self.seats])
        return View(
            self.rules, self.phase, number, index, tuple(hand.cards), hand.total, hand.soft, hand.pair(self.rules),
            self.upcard, legal, seat.bet / TICKS if seat else 0, free, hands, tuple(self.shoe.seen),
            self.shoe.shuffle_pending, SeatRng(self._streams[number]),
        )  # fmt: skip

    def ask(self) -> None:
        """Ask the decision of the seat in turn, and act on its answer.

        Raises:
            DecisionError: if it fails or its answer is not legal; the round stands as before.
        """
        decision = self.active_seat.player.decision
        if decision is None:
            raise DecisionError(f"{self.where()}: the seat has no decision to ask")
        action = ask(decision.answer, self.view(), self.where)
        try:
            self.act(action)
        except IllegalAction as error:
            raise DecisionError(f"{type(decision).__name__} answered what is not legal; {error}") from None

    @property
    def nets(self) -> tuple[int, ...]:
        """What each seat has won or lost, in ticks, once the round is over."""
        return tuple([seat.net for seat in self.seats])

    def record(self, seed: int | None = None) -> Record:
        """Return all that everyone has seen of the round; ``seed`` is the table's, where it shall be told."""
        return Record(self.rules, tuple([seat.bank for seat in self.seats]), tuple(self.events), seed)
