"""Tabular Monte Carlo: that it learns, that what it counts is unbiased, and that its orders of actions are the best."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agents.learners.monte_carlo import MonteCarloLearner
from agents.shared.cells import CELLS, ORDERS, best_orders, greedy_actions, rows_of, scores_of_cells
from agents.shared.returns import Returns, first_situations, open_starts
from bj_env.analysis.policy_value import best_total_dependent, exact_value
from bj_env.compiled.exploration_kernels import PROBABILITY_SCALE, Behaviour
from bj_env.compiled.explore import explore
from bj_env.compiled.hand_tables import hand_row
from bj_env.compiled.information_states import Situations, situations
from bj_env.env.settings import AGENT
from bj_env.rules.houses import parse_rules
from bj_env.rules.terms import Action, Phase, Rules
from bj_env.solver.dealer import dealer_distribution
from bj_env.strategies.saved_policy import LearnedDecision
from tests.agents.test_config import HIT_STAND, config, trained

EXPLORATIONS = ("exploring-starts", "epsilon-greedy")


def learner(exploration: str, *changes: str) -> MonteCarloLearner:
    return MonteCarloLearner(config("monte-carlo", *HIT_STAND, f"learner.exploration={exploration}", *changes))


def only(found: Situations, phase: Phase, row: int, upcard: int) -> int:
    """Return the one situation of a cell that is offered something."""
    (situation,) = np.flatnonzero((found.phase == phase) & (found.row == row) & (found.upcard == upcard))
    return int(situation)


@pytest.mark.parametrize(("exploration", "regret"), [("exploring-starts", 0.001), ("epsilon-greedy", 0.004)])
def test_it_learns_hit_and_stand_in_seconds(exploration: str, regret: float) -> None:
    one = learner(exploration)
    trained(one, 4)
    rules = one.profile.rules
    value = exact_value(LearnedDecision(one.profile, one.policy()), rules).ev
    assert best_total_dependent(rules).ev - regret < value


@pytest.mark.parametrize("exploration", EXPLORATIONS)
def test_it_gives_the_same_for_any_number_of_workers(exploration: str) -> None:
    one, two = (learner(exploration, f"workers={workers}") for workers in (1, 2))
    assert trained(one, 2) == trained(two, 2)
    np.testing.assert_array_equal(one.policy()["scores"], two.policy()["scores"])


@pytest.mark.parametrize("exploration", EXPLORATIONS)
def test_it_goes_on_from_its_state_to_the_same_table(exploration: str) -> None:
    straight, first, second = (learner(exploration) for _ in range(3))
    said = trained(straight, 3)
    trained(first, 1)
    second.restore(first.state())
    assert trained(second, 2) == said[1:]
    for name, part in straight.state().items():
        np.testing.assert_array_equal(part, second.state()[name])


def test_another_seed_gives_another_table() -> None:
    one, two = (learner("exploring-starts", f"seed={seed}") for seed in (1, 2))
    assert trained(one, 1) != trained(two, 1)


# --- what is counted ---


def stood(rules: Rules) -> np.ndarray:
    """Return a table that always stands, and declines what is offered."""
    return np.where(situations(rules).phase == Phase.PLAY, Action.STAND, Action.DECLINE)


@pytest.mark.parametrize("expected", [False, True])
def test_what_declining_insurance_returns_is_unbiased(expected: bool) -> None:
    """It ends at once if the dealer has a blackjack: counted only where nothing was tried later, it looked worse."""
    rules, start = parse_rules("INF NS"), np.zeros(1000)
    start[990] = 1.0  # T,T against an ace
    found, greedy = situations(rules), stood(rules)
    behaviour = Behaviour(
        greedy,
        found.legal,
        round(0.6 * PROBABILITY_SCALE),
        once=True,
        starts=start,
        share=round(0.9 * PROBABILITY_SCALE),
    )
    returns = Returns.none(len(greedy))
    for part in explore(
        rules, [AGENT], behaviour, 400_000, lambda played: Returns.of(played, greedy, True), seed=5, expected=expected
    ):
        returns = returns.plus(part)
    asked = only(found, Phase.INSURANCE, hand_row(20, False, 10), 1)
    chances = dealer_distribution(rules, 1, after_peek=False)
    stand = chances["bust"] + chances["17"] + chances["18"] + chances["19"] - chances["21"] - chances["blackjack"]
    mean, error = returns.means()[asked], returns.errors()[asked]
    assert error[Action.DECLINE] < 0.004
    assert abs(mean[Action.DECLINE] - stand) < 4.5 * error[Action.DECLINE]
    insured = stand + 0.5 * (3 * chances["blackjack"] - 1)
    assert abs(mean[Action.INSURE] - insured) < 4.5 * error[Action.INSURE]


@pytest.mark.parametrize("values", [(1, 6), (6, 1)])
def test_whether_a_hand_is_soft_goes_by_all_of_it(values: tuple[int, int]) -> None:
    """Report b110."""
    rules, starts = parse_rules("INF NS NINS"), np.zeros(1000)
    starts[(values[0] - 1) * 100 + (values[1] - 1) * 10 + 5] = 1.0
    found = situations(rules)
    hit = np.where((found.legal >> Action.HIT & 1) > 0, Action.HIT, Action.STAND)
    hit[found.phase != Phase.PLAY] = Action.DECLINE
    behaviour = Behaviour(hit, found.legal * 0, 0, once=False, starts=starts, share=PROBABILITY_SCALE)
    (played,) = explore(rules, [AGENT], behaviour, 500, lambda played: played, seed=1)
    rows, first = found.row[played.situation], played.parent < 0
    assert (rows[first] == hand_row(17, True, 0)).all()
    assert first.sum() == 500
    seconds = set(rows[np.isin(played.parent, np.flatnonzero(first))].tolist())
    hard, soft = ([hand_row(total, is_soft, 0) for total in range(12, 22)] for is_soft in (False, True))
    assert seconds == {*hard[:6], *soft[6:9]}  # hard 12 to 17, soft 18 to 20: all but 21


# --- starts ---


def test_starts_are_where_it_is_open_what_is_best() -> None:
    rules = parse_rules("6D")
    asked, tried = first_situations(rules), np.zeros(len(situations(rules).legal), np.int64)
    assert not open_starts(rules, tried).any()
    tried[asked[990, 1]] = 3 << Action.INSURE  # insurance of T,T against an ace
    assert np.flatnonzero(open_starts(rules, tried)).tolist() == [990]
    assert asked[90].tolist() == [-1, -1, -1]  # nobody with a blackjack is asked anything


# --- orders ---


@settings(max_examples=15)
@given(st.integers(0, 2**32), st.sampled_from(["6D", "6D ES10 RSA", "INF D9 NS"]))
def test_no_order_of_actions_is_worth_more_than_the_best_one(seed: int, text: str) -> None:
    found, chance = situations(parse_rules(text)), np.random.default_rng(seed)
    often, values = chance.integers(0, 3, len(found.legal)) * 1.0, chance.normal(size=(len(found.legal), len(Action)))
    scores = scores_of_cells(best_orders(found, often, values))[tuple(rows_of(np.arange(CELLS)).T)]
    played, cells = greedy_actions(found, scores.astype(np.float64)), found.cell()
    for cell in chance.choice(np.unique(cells), 12, replace=False):
        here = np.flatnonzero(cells == cell)
        legal = [[action for action in Action if found.legal[at] >> action & 1] for at in here]
        best = max(
            sum(
                often[at] * values[at, next(action for action in order if action in may)]
                for at, may in zip(here, legal, strict=True)
            )
            for order in ORDERS
            if all(set(order) & set(may) for may in legal)
        )
        assert (often[here] * values[here, played[here]]).sum() == pytest.approx(best, abs=1e-6)
