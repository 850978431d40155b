"""What holds of every round, whatever the rules are."""

import re
from collections import Counter
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bj_env.errors import IllegalAction
from bj_env.game.events import Event, Kind
from bj_env.game.participants import Player
from bj_env.game.replay import replay
from bj_env.game.round import Round
from bj_env.game.table import Table
from bj_env.rules.terms import Action, HoleCard, Phase, Refusal, Rules
from bj_env.strategies.simple import RandomLegal
from tests.generators import deal, on_table, play_out, rules, seeds, snapshot, tables, undealt


@given(tables(), st.integers(0, 10**6))
def test_chips_are_conserved(table: Table, seed: int) -> None:
    chance = Random(seed)
    for _ in range(4):
        before = [player.free for player in table.players]
        round = deal(table, chance)
        if round is None:
            return
        while not round.over:
            for player, bank, seat in zip(table.players, before, round.seats, strict=True):
                assert not player.limited or 0 <= player.free == bank - seat.staked, "what is staked is in escrow"
            round.act(chance.choice(round.legal))
        for player, bank, net in zip(table.players, before, round.nets, strict=True):
            assert player.free == (bank + net if player.limited else -1)
            assert player.free >= -1
        house = -sum(event.ticks for event in round.events if event.kind in (Kind.SETTLE, Kind.INSURANCE))
        assert sum(round.nets) + house == 0


@given(tables(rules().filter(lambda house: house.decks in (1, 2))), st.integers(0, 10**6))
def test_cards_are_conserved_after_every_step(table: Table, seed: int) -> None:
    chance, full = Random(seed), Counter(map(str, table.shoe.cards))
    for _ in range(8):
        round = deal(table, chance)
        while round is not None:
            dealt = Counter(map(str, table.shoe.dealt))
            if shuffled_midway(round):
                assert on_table(round) + undealt(table) == full, "all that was not on the table is in the shoe"
            else:
                assert dealt + undealt(table) == full
                assert on_table(round) <= dealt, "no card lies on the table twice"
            if round.over:
                break
            round.act(chance.choice(round.legal))


def shuffled_midway(round: Round) -> bool:
    kinds = [event.kind for event in round.events]
    return Kind.DEAL in kinds and Kind.SHUFFLE in kinds[kinds.index(Kind.DEAL) :]


@given(tables(), st.integers(0, 10**6))
def test_every_legal_action_works_and_every_other_is_refused_and_changes_nothing(table: Table, seed: int) -> None:
    chance = Random(seed)
    for _ in range(3):
        round = deal(table, chance)
        while round is not None and not round.over:
            before = snapshot(table)
            for action in (*Action, -1, 7, True, None, "HIT", 0.0):
                if type(action) is Action and action in round.legal:
                    assert round.refusal(action) is Refusal.LEGAL
                    continue
                with pytest.raises(IllegalAction, match="expected one of"):
                    round.act(action)  # type: ignore[arg-type]
            assert snapshot(table) == before
            round.act(chance.choice(round.legal))
        if round is not None:
            with pytest.raises(IllegalAction, match="the round is over"):
                round.act(Action.STAND)


@given(tables(), st.integers(0, 10**6))
def test_every_refusal_has_its_reason_and_a_reason_means_refusal(table: Table, seed: int) -> None:
    round = deal(table, Random(seed))
    while round is not None and not round.over:
        assert [action for action in Action if round.refusal(action) is Refusal.LEGAL] == list(round.legal)
        round.act(Random(seed).choice(round.legal))


@given(tables(), st.integers(0, 10**6))
def test_nobody_is_asked_without_a_choice(table: Table, seed: int) -> None:
    chance = Random(seed)
    for _ in range(3):
        round = deal(table, chance)
        while round is not None and not round.over:
            hand = round.active_seat.hands[round.hand_index]
            assert len(round.legal) >= 2
            assert hand.total < 21 or table.rules.act_on_21 or round.phase is Phase.INSURANCE
            assert hand.total <= 21
            assert not any((hand.finished, hand.doubled, hand.surrendered, hand.charlie))
            round.act(chance.choice(round.legal))


@given(tables(), st.integers(0, 10**6))
def test_r14_a_seat_never_has_more_hands_than_the_house_allows(table: Table, seed: int) -> None:
    chance = Random(seed)
    for _ in range(5):
        round = deal(table, chance)
        if round is not None:
            play_out(round, chance)
            assert all(len(seat.hands) <= table.rules.max_hands for seat in round.seats)
            assert all(hand.stake in (seat.bet, 2 * seat.bet) for seat in round.active for hand in seat.hands)


@given(tables(), st.integers(0, 10**6))
def test_r19_the_dealer_never_draws_when_nothing_is_in_play(table: Table, seed: int) -> None:
    chance = Random(seed)
    for _ in range(5):
        round = deal(table, chance)
        if round is None or play_out(round, chance).void:
            continue
        hands = [hand for seat in round.active for hand in seat.hands]
        waits = [
            hand
            for hand in hands
            if hand.total <= 21
            and not (hand.surrendered or hand.charlie)
            and not (hand.blackjack and table.rules.blackjack_beats_21)
        ]
        cards = len(round.dealer.cards)
        assert waits or cards <= 2
        assert cards == 2 or waits or table.rules.hole_card in (HoleCard.ENHC, HoleCard.OBO)
        if waits:
            assert round.dealer.total >= 17
        assert sum(card.value for card in round.dealer.cards[:-1]) < 17


@given(rules(), st.integers(1, 5), seeds)
def test_the_same_seed_gives_the_same_events(house: Rules, seats: int, seed: int) -> None:
    def events() -> list[Event]:
        table = Table(house, [Player("", RandomLegal()) for _ in range(seats)], seed=seed)
        return [event for _ in range(4) for event in table.play_round().events]

    assert events() == events()


@given(tables(), st.integers(0, 10**6))
def test_a_record_replays_to_the_same_nets_and_dealer_hand(table: Table, seed: int) -> None:
    chance = Random(seed)
    for _ in range(3):
        round = deal(table, chance)
        if round is None or play_out(round, chance).void:
            return
        again = replay(str(round.record()))
        assert again.nets == round.nets
        assert [card.value for card in again.dealer.cards] == [card.value for card in round.dealer.cards]
        told = [event for event in round.events if event.kind not in (Kind.SHUFFLE, Kind.BURN)]
        assert list(map(str, again.events)) == [without_suit(str(event)) for event in told]


def without_suit(text: str) -> str:
    return re.sub(r"([A2-9TJQK])[cdhs]:", r"\1:", text)
