"""Scenes: what everyone at the table sees at one moment. Texts and pictures of a table are drawn from one alone.

What is not in a scene cannot be shown: the hole card is None in it until it is turned.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from bj_env.game.cards import Card
from bj_env.game.events import DEALER, Event, Kind, Record
from bj_env.game.hand import Hand
from bj_env.game.notation import house_text
from bj_env.game.settlement import outcome
from bj_env.rules.numbered import insurance_stake, is_charlie
from bj_env.rules.terms import Action, Rules

if TYPE_CHECKING:
    from bj_env.game.round import Round
    from bj_env.game.table import Table


class HandScene(NamedTuple):
    """A hand: its cards, what they come to ("soft 17"), what has become of it ("doubled"), and its result at the end.

    ``stake`` and ``net`` are ticks; ``net`` and ``result`` ("Win") are None and "" before.
    """

    cards: tuple[Card, ...]
    value: str
    stake: int
    fate: str
    to_act: bool
    net: int | None
    result: str


class SeatScene(NamedTuple):
    """A seat: its label, who plays it, and its money in ticks: not staked (None: no limit), on insurance, won."""

    label: str
    name: str
    hands: tuple[HandScene, ...]
    bank: int | None
    insurance: int
    net: int | None
    to_bet: bool
    sits_out: bool


class Scene(NamedTuple):
    """A table: the house, what is said of the shoe, the dealer's cards (None: face down), the seats, what is legal."""

    rules: Rules
    shoe: str
    dealer: tuple[Card | None, ...]
    dealer_value: str
    seats: tuple[SeatScene, ...]
    legal: tuple[str, ...]
    end: str

    @property
    def house(self) -> str:
        """The house's name or rules."""
        return house_text(self.rules)


def table_scene(table: "Table", round: "Round | None", names: Sequence[str], legal: Sequence[str], asked: int) -> Scene:
    """Return what everyone sees at a table.

    Args:
        table: the table.
        round: the round on it, None while bets are made.
        names: who plays each seat.
        legal: the names of the legal actions.
        asked: the seat that is asked for its bet, while bets are made.
    """
    if round is None:
        scene = betting_scene(table.rules, names, [player.free for player in table.players], legal, asked)
    else:
        scene = round_scene(round, names, legal)
    shoe = "infinite shoe" if table.shoe.infinite else f"{table.shoe.left} cards left in the shoe"
    return scene._replace(shoe=shoe)


def round_scene(round: "Round", names: Sequence[str], legal: Sequence[str]) -> Scene:
    """Return what everyone sees of a round, but for the shoe."""
    dealer = dealer_cards(round.dealer.cards, round.hole is not None)
    seats = tuple(_seat(round, number, name) for number, name in enumerate(names))
    value = "" if len(round.dealer.cards) < 2 else round.dealer.value_text()
    return Scene(round.rules, "", dealer, value, seats, tuple(legal), "" if legal else _end(round))


def betting_scene(rules: Rules, names: Sequence[str], banks: Sequence[int], legal: Sequence[str], asked: int) -> Scene:
    """Return a table without cards; ``banks`` are ticks, below 0 without limit, and ``asked`` is asked for its bet."""
    money = [bank if bank >= 0 else None for bank in banks]
    seats = tuple(_betting_seat(number, name, money[number], asked) for number, name in enumerate(names))
    return Scene(rules, "", (), "", seats, tuple(legal), "" if legal else _end(None))


def _end(round: "Round | None") -> str:
    return "the round is void, all stakes go back" if round is not None and round.void else "the round is over"


def dealer_cards(cards: Sequence[Card], has_hole: bool) -> tuple[Card | None, ...]:
    """Return the dealer's cards as everyone sees them: None for one that is face down."""
    return (*cards, None) if has_hole and len(cards) == 1 else tuple(cards)


def _betting_seat(number: int, name: str, bank: int | None, asked: int) -> SeatScene:
    return SeatScene(f"P{number + 1}", name, (), bank, 0, None, to_bet=number == asked, sits_out=False)


def _seat(round: "Round", number: int, name: str) -> SeatScene:
    seat = round.seats[number]
    bank = seat.player.free if seat.player.limited else None
    in_turn = not round.over and not round.dealer_in_turn and round.active_seat is seat
    turn = round.hand_index if in_turn else None
    hands = _hands(seat.hands, nets_of(round.events, number), turn)
    net = seat.net if round.over and hands else None
    if round.over and bank is not None:
        bank = seat.bank + seat.net  # which is not what is there once the next bet is made
    return SeatScene(f"P{number + 1}", name, hands, bank, seat.insurance, net, to_bet=False, sits_out=not hands)


def nets_of(events: Sequence[Event], seat: int) -> dict[int, int]:
    """Return what each hand of a seat has won, by its place; nothing before the round is settled."""
    return {event.hand: event.ticks for event in events if event.kind is Kind.SETTLE and event.seat == seat}


def _hands(hands: Sequence[Hand], nets: dict[int, int], turn: int | None) -> tuple[HandScene, ...]:
    return tuple(
        HandScene(
            tuple(hand.cards),
            hand.value_text() if hand.cards else "",
            hand.stake,
            _fate(hand),
            place == turn,
            nets.get(place),
            outcome(hand, nets[place]) if place in nets else "",
        )
        for place, hand in enumerate(hands)
    )


def _fate(hand: Hand) -> str:
    marks = (("surrendered", hand.surrendered), ("charlie", hand.charlie), ("doubled", hand.doubled))
    return ", ".join(mark for mark, applies in marks if applies)


def record_scene(record: Record) -> Scene:
    """Return what everyone saw at the end of a recorded round, or as far as it was recorded.

    >>> from bj_env.game.replay import replay
    >>> scene = record_scene(replay("six-deck ; D 6/T ; P1 10 8,8 P D S ; next 3,T,T,9").record())
    >>> [(hand.value, hand.stake, hand.result) for hand in scene.seats[0].hands], scene.dealer_value
    ([('hard 21', 200, 'Win'), ('hard 18', 100, 'Win')], 'bust with 25')
    """
    dealer, kinds = Hand(), {event.kind for event in record.events}
    for event in record.events:
        if event.seat == DEALER and event.card is not None:
            dealer.add(event.card)
    cards = dealer_cards(dealer.cards, Kind.HOLE_CARD in kinds)
    seats = tuple(_recorded_seat(record, number) for number in range(len(record.banks)))
    end = "the round is void, all stakes go back" if Kind.MISDEAL in kinds else ""
    value = dealer.value_text() if len(dealer.cards) > 1 else ""
    return Scene(record.rules, "", cards, value, seats, (), end)


def _recorded_seat(record: Record, number: int) -> SeatScene:
    """Play a seat's events on its hands."""
    hands: list[Hand] = []
    bet, insurance, net = 0, 0, 0
    settled = any(event.kind in (Kind.SETTLE, Kind.MISDEAL) for event in record.events)
    for event in record.events:
        if event.seat != number:
            continue
        if event.kind is Kind.BET:
            bet, hands = event.ticks, [Hand(stake=event.ticks)]
        elif event.kind is Kind.ACTION:
            _take(event, bet, hands)
            insurance = insurance_stake(record.rules, bet) if event.action is Action.INSURE else insurance
        elif event.card is not None:
            hand = hands[event.hand]
            hand.add(event.card)
            hand.charlie = event.kind is Kind.DRAW and is_charlie(record.rules, hand.total, len(hand.cards))
        elif event.kind in (Kind.SETTLE, Kind.INSURANCE):
            net += event.ticks
    shown = _hands(hands, nets_of(record.events, number), None)
    return SeatScene(f"P{number + 1}", "", shown, None, insurance, net if settled and hands else None, False, not hands)


def _take(event: Event, bet: int, hands: list[Hand]) -> None:
    hand = hands[event.hand]
    if event.action is Action.DOUBLE:
        hand.doubled, hand.stake = True, hand.stake + bet
    elif event.action is Action.SPLIT:
        hands[event.hand : event.hand + 1] = hand.split()
    elif event.action is Action.SURRENDER:
        hand.surrendered = True
