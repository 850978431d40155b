"""The dealer who chooses, solved: the engine plays the same game, linear programming finds the same value."""

from functools import partial
from itertools import product

import numpy as np
import pytest
from scipy.optimize import linprog

import bj_env
from agents import self_play
from bj_env.multi import dealer_game
from bj_env.multi.aec import BlackjackAEC
from bj_env.multi.dealer_game import best_dealer, best_player, equilibrium, exploitability, value


def house() -> np.ndarray:
    """Return the dealer that hits below 17."""
    hits = np.zeros((22, 22, 2))
    hits[:, :17] = 1
    return hits


def test_no_pair_of_strategies_does_better_against_the_equilibrium() -> None:
    found = equilibrium()
    chance = np.random.default_rng(0)
    for _ in range(5):
        player, dealer = chance.random((22, 2, 11)), chance.random((22, 22, 2))
        assert value(player, found.dealer) <= found.value <= value(found.player, dealer)
        assert exploitability(player, dealer) > 0
    assert exploitability(found.player, found.dealer) == pytest.approx(0, abs=1e-12)


def test_against_the_rule_of_the_house_the_best_player_is_the_solvers() -> None:
    best = best_player(house())
    assert best.value == pytest.approx(bj_env.best_chart(bj_env.parse_rules(dealer_game.RULES)).ev, abs=1e-9)
    assert value(equilibrium().player, house()) < best.value
    assert best_dealer(best.player).value < equilibrium().value


def test_linear_programming_over_thresholds_finds_the_same_value() -> None:
    """A matrix game: hard and soft thresholds of the player, and of the dealer above or at the player's total."""
    players = [_player(hard, soft) for hard, soft in product((15, 16, 17, 18), (17, 18, 19))]
    players.append(equilibrium().player)
    dealers = [_dealer(margin, least) for margin, least in product((0, 1), (12, 15, 17))]
    dealers.append(equilibrium().dealer)
    payoffs = np.array([[value(player, dealer) for dealer in dealers] for player in players])
    rows = np.hstack([-payoffs.T, np.ones((len(dealers), 1))])
    found = linprog(
        c=[0] * len(players) + [-1],
        A_ub=rows,
        b_ub=np.zeros(len(dealers)),
        A_eq=[[1] * len(players) + [0]],
        b_eq=[1],
        bounds=[(0, 1)] * len(players) + [(None, None)],
    )
    assert -found.fun == pytest.approx(equilibrium().value, abs=1e-9)


def _player(hard: int, soft: int) -> np.ndarray:
    hits = np.zeros((22, 2, 11))
    hits[:hard, 0], hits[:soft, 1] = 1, 1
    return hits


def _dealer(margin: int, least: int) -> np.ndarray:
    hits = np.zeros((22, 22, 2))
    for player in range(22):
        hits[player, : max(player + margin, least)] = 1
    hits[:, 21] = 0
    return hits


def test_the_engine_plays_the_game_that_was_solved() -> None:
    found, rounds = equilibrium(), 4000
    env = bj_env.aec_env(rules=dealer_game.RULES, seats=("agent",), dealer="agent")
    paid = np.array([_play(env, 1 if number == 0 else None, found) for number in range(rounds)])
    assert abs(paid.mean() - found.value) < 4 * paid.std() / rounds**0.5


def _play(env: BlackjackAEC, seed: int | None, found: dealer_game.Equilibrium) -> float:
    env.reset(seed=seed)
    while not env.terminations["seat_1"]:
        round = env.table_env.episode.round
        hand, dealer = round.seats[0].hands[0], round.dealer
        if env.agent_selection == "dealer_1":
            action = found.dealer[hand.total, dealer.total, int(dealer.soft)]
        else:
            action = 0 if round.over else found.player[hand.total, int(hand.soft), round.upcard.value]
        env.step(int(action))
    return env.rewards["seat_1"]


@pytest.mark.parametrize("deal", [partial(dealer_game.first_two, 1), partial(dealer_game.first_two, 10)])
def test_totals_are_those_of_hands(deal: partial[tuple[int, bool]]) -> None:
    from bj_env.game.cards import card
    from bj_env.game.hand import Hand

    first = "A" if deal.args == (1,) else "T"
    for other, rank in enumerate("A23456789T", start=1):
        hand = Hand([card(first), card(rank)])
        assert deal(other) == (hand.total, hand.soft)


def test_a_card_face_up_weighs_as_much_as_a_fact_in_the_networks_of_self_play() -> None:
    table = self_play.BlackjackAEC(**self_play.DEALER_GAME)
    seen = self_play.dealer_game_observation(table, [10, 3], [10, 6])
    weights = (seen * np.array(self_play.scales(table)))[seen > 0]
    assert np.allclose(weights, 4)
