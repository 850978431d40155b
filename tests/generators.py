"""What the property tests draw from: sensible rules, tables of seats with money; and random play at such a table."""

from collections import Counter
from copy import deepcopy
from random import Random
from typing import Any

from hypothesis import strategies as st

from bj_env.game.participants import Player
from bj_env.game.round import Round
from bj_env.game.table import Table
from bj_env.rules.terms import Double, HoleCard, Payout, Rules, SplitBy, Surrender
from bj_env.strategies.simple import RandomLegal

booleans = st.booleans()
seeds = st.integers(0, 2**64 - 1)


@st.composite
def rules(draw: st.DrawFn, **fixed: Any) -> Rules:
    """Draw a house; ``fixed`` fields are as given."""
    decks = draw(st.sampled_from((0, 1, 1, 2, 6, 16))) if "decks" not in fixed else fixed["decks"]
    min_bet = draw(st.sampled_from((1, 5, 25)))
    fields = {
        "decks": decks,
        "penetration": draw(st.sampled_from((0, 0.5, 0.75, 0.99))) if decks else 0,
        "burn_cards": draw(st.sampled_from((0, 0, 1, 5))) if decks else 0,
        "dealer_hits_soft_17": draw(booleans),
        "blackjack_payout": draw(st.sampled_from(Payout)),
        "hole_card": draw(st.sampled_from(HoleCard)),
        "dealer_blackjack_beats_21": draw(booleans),
        "blackjack_beats_21": draw(booleans),
        "act_on_21": draw(booleans),
        "double": draw(st.sampled_from(Double)),
        "double_after_split": draw(booleans),
        "max_hands": draw(st.sampled_from((1, 2, 3, 4, 8))),
        "split_by": draw(st.sampled_from(SplitBy)),
        "resplit_aces": draw(booleans),
        "hit_split_aces": draw(booleans),
        "surrender": draw(st.sampled_from(Surrender)),
        "insurance": draw(booleans),
        "charlie": draw(st.sampled_from((0, 0, 5, 6))),
        "dealer_wins_ties": draw(booleans),
        "min_bet": min_bet,
        "max_bet": draw(st.integers(min_bet, 1000)),
        "round_payouts": draw(booleans),
    }
    return Rules(**fields | fixed)


@st.composite
def tables(draw: st.DrawFn, house: st.SearchStrategy[Rules] | None = None, most_seats: int = 7) -> Table:
    """Draw a table of one to seven seats, played at random, some with little money."""
    house_rules = draw(rules() if house is None else house)
    low = house_rules.min_bet
    money = st.one_of(st.none(), st.integers(0, 80 * low).map(lambda tenths: tenths / 10))
    banks = draw(st.lists(money, min_size=1, max_size=most_seats))
    players = [Player(f"P{seat}", RandomLegal(), bankroll=bank) for seat, bank in enumerate(banks, 1)]
    return Table(house_rules, players, seed=draw(seeds))


def bets_for(table: Table, chance: Random) -> list[int]:
    """Choose each seat's bet among 0, the minimum, twice that and an odd one, as far as its money goes."""
    low, high = table.rules.min_bet, table.rules.max_bet
    bets = []
    for player in table.players:
        bank = float("inf") if player.bankroll is None else player.bankroll
        sizes = [bet for bet in (low, min(2 * low, high), min(low + 3, high)) if bet <= bank]
        bets.append(chance.choice([*sizes, *sizes, 0]))
    return bets


def deal(table: Table, chance: Random) -> Round | None:
    """Deal a round; None if every seat sits out."""
    bets = bets_for(table, chance)
    return table.deal(bets) if any(bets) else None


def play_out(round: Round, chance: Random) -> Round:
    """Take legal actions at random until the round is over, rather splitting and hitting than giving up."""
    while not round.over:
        weights = [(1, 3, 2, 4, 1, 1, 1)[action] for action in round.legal]
        round.act(chance.choices(round.legal, weights)[0])
    return round


def undealt(table: Table) -> Counter[str]:
    """Count the cards that lie in the shoe, in no order."""
    shoe = deepcopy(table.shoe)
    return Counter(str(shoe.draw()) for _ in range(shoe.left))


def on_table(round: Round) -> Counter[str]:
    """Count the cards in hands, the hidden hole card too."""
    cards = [card for seat in round.seats for hand in seat.hands for card in hand.cards]
    hidden = [round.hole] if round.hole and len(round.dealer.cards) == 1 else []
    return Counter(map(str, [*cards, *round.dealer.cards, *hidden]))


def snapshot(place: Table | Round) -> tuple[Any, ...]:
    """Return all that can change at a table or in a round, hidden things too, as plain values."""
    if isinstance(place, Round):
        round, streams, players = place, place._streams, [seat.player for seat in place.seats]
    else:
        round, streams, players = place.round, place.streams, place.players
    shoe = place.shoe
    chance = [(stream.draws, stream.shoe) for stream in (shoe.rng, *streams)]
    common = (chance, tuple(shoe.dealt), shoe.left, tuple(shoe.seen), [player.free for player in players])
    if round is None:
        return common
    seats = [(seat.bet, seat.insurance, seat.net, [hand_state(hand) for hand in seat.hands]) for seat in round.seats]
    place = (round.phase, round.mask, round.hand_index, round.void, round.hole)
    return (*common, place, seats, hand_state(round.dealer), tuple(round.events))


def hand_state(hand: Any) -> tuple[Any, ...]:
    """Return all that can change in a hand."""
    marks = (hand.doubled, hand.surrendered, hand.charlie, hand.finished, hand.from_split)
    return (tuple(hand.cards), hand.total, hand.soft, hand.stake, marks)
