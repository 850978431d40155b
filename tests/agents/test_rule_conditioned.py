"""The learner for all rules: which rule sets it sees, that it learns, what it counts, and what it keeps."""

from itertools import islice
from pathlib import Path

import numpy as np
import pytest
import torch

from agents.learners.rule_conditioned import (
    ReplayBuffer,
    RuleConditionedLearner,
    asked,
    features_of_rules,
    in_question,
    pairs,
)
from agents.run.config import Config, load_config
from agents.shared.cells import ACTIONS, rows_of
from agents.shared.random_rules import is_held_out, rule_sets
from bj_env.analysis.policy_value import best_total_dependent, exact_value
from bj_env.compiled.information_states import situations
from bj_env.observation import rules_row
from bj_env.rules.houses import parse, text
from bj_env.rules.terms import Action, Payout, Phase, Rules
from bj_env.solver.tables import house_tables
from bj_env.strategies.saved_policy import LearnedDecision

CONFIG = Path(__file__).parents[2] / "configs" / "rule-conditioned.toml"
SMALL = [
    "learner.checkpoints=3",
    "learner.iterations_per_checkpoint=2",
    "learner.rule_sets=2",
    "learner.gradient_steps=4",
    "learner.buffer_size=5",
]
SMALL += ["learner.rounds=24_000", "learner.hidden_sizes=[16]"]


def config(*changes: str) -> Config:
    return load_config(CONFIG, (*SMALL, *changes))


def nothing(done: int) -> None:
    """Show no progress."""


def some_sets(many: int, *seed: int, held_out: bool = False) -> list[Rules]:
    return list(islice(rule_sets(*seed, held_out=held_out), many))


def played(rules: Rules) -> str:
    """Return what matters in play."""
    return text(rules._replace(blackjack_payout=Payout.THREE_TO_TWO, insurance=True))


@pytest.mark.parametrize("held_out", [False, True])
def test_every_drawn_rule_set_is_one_that_texts_say_and_the_solver_solves(held_out: bool) -> None:
    for rules in some_sets(60, 1, held_out=held_out):
        assert parse(text(rules)) == rules
        house_tables(rules)  # refuses what cannot be solved exactly


def test_a_seed_says_which_rule_sets_are_drawn() -> None:
    assert some_sets(20, 1, 5) == some_sets(20, 1, 5)
    assert not set(some_sets(20, 1, 5)) & set(some_sets(20, 1, 6))


def test_no_training_sees_the_game_of_a_test() -> None:
    trained = {played(rules) for seed in range(3) for rules in some_sets(1000, seed, 0)}
    tested = {played(rules) for rules in some_sets(200, 0, held_out=True)}
    assert not trained & tested
    assert all(is_held_out(parse(said)) for said in tested)


def test_all_that_is_drawn_comes_up() -> None:
    drawn = some_sets(1000, 2)
    for field, least in {"decks": 6, "hole_card": 4, "double": 6, "surrender": 4, "max_hands": 4, "charlie": 4}.items():
        assert len({getattr(rules, field) for rules in drawn}) == least
    assert 0.07 < np.mean([rules.act_on_21 for rules in drawn]) < 0.13


def test_it_learns_to_play_under_rules_that_it_has_not_seen() -> None:
    learner = RuleConditionedLearner(
        config(
            "learner.rounds=300_000",
            "learner.iterations_per_checkpoint=5",
            "learner.gradient_steps=30",
            "learner.hidden_sizes=[64]",
        )
    )
    rules = next(rules for rules in rule_sets(1, held_out=True) if rules.max_hands == 1)
    best, before = best_total_dependent(rules).ev, learner.policy()
    for _ in range(3):
        learner.train_interval(nothing)
    untrained, trained = (
        best - exact_value(LearnedDecision(learner.profile, tensors), rules).ev
        for tensors in (before, learner.policy())
    )
    assert trained < 0.05 < 0.2 < untrained


def test_it_goes_on_from_its_state_to_the_same_network() -> None:
    straight, first, second = (RuleConditionedLearner(config()) for _ in range(3))
    for _ in range(3):
        straight.train_interval(nothing)
    first.train_interval(nothing)
    second.restore(first.state())
    for _ in range(2):
        second.train_interval(nothing)
    assert second.done == straight.done == 24_000
    for name, tensor in straight.state().items():
        np.testing.assert_array_equal(tensor, second.state()[name])


def test_what_is_saved_plays_as_the_network_does_under_rules_of_another_house() -> None:
    learner = RuleConditionedLearner(config())
    learner.train_interval(nothing)
    decision = LearnedDecision(learner.profile, learner.policy())
    for rules in some_sets(3, 1, held_out=True):
        decision.settle_in(rules, 1)
        rows = [[*row, 1, *rules_row(rules)] for row in rows_of(asked()).tolist()]
        expected = np.stack([decision.scores(row) for row in rows])
        np.testing.assert_allclose(learner.values(rules)[asked()], expected, rtol=1e-4, atol=1e-5)


def test_rules_make_a_difference_to_the_saved_policy() -> None:
    learner = RuleConditionedLearner(config())
    one, other = (learner.values(rules) for rules in some_sets(2, 1))
    assert np.abs(one - other).max() > 0


def test_every_legal_action_of_every_rule_set_has_a_place() -> None:
    for rules in some_sets(10, 4):
        found = situations(rules)
        offered = {Phase.EARLY_SURRENDER: rules.surrender >= 2, Phase.INSURANCE: rules.insurance, Phase.PLAY: True}
        at, action = np.nonzero(found.mask())
        comes_up = np.array([offered[Phase(phase)] for phase in found.phase])[at]
        comes_up &= (found.phase[at] != Phase.INSURANCE) | (found.upcard[at] == 1)
        assert np.isin(found.cell()[at] * ACTIONS + action, pairs())[comes_up].all()


def test_a_hand_that_could_surrender_says_nothing_about_one_that_could_not() -> None:
    found = situations(parse("6D LS"))
    hard_16_against_ten = (found.phase == Phase.PLAY) & (found.row == 13) & (found.upcard == 10)
    may_surrender = hard_16_against_ten & (found.legal >> Action.SURRENDER & 1 > 0)
    candidates = np.where(may_surrender, 1 << Action.SURRENDER, 1 << Action.HIT | 1 << Action.STAND)
    counted = in_question(found, candidates)
    assert not counted[may_surrender][:, [Action.HIT, Action.STAND]].any()
    assert counted[may_surrender][:, Action.SURRENDER].all()
    assert counted[hard_16_against_ten & ~may_surrender][:, [Action.HIT, Action.STAND]].all()
    assert counted[hard_16_against_ten][:, Action.DOUBLE].all()  # it is played nowhere, so it counts everywhere


def test_the_older_half_of_the_rule_sets_is_forgotten() -> None:
    buffer, chance = ReplayBuffer(room=6, width=1), np.random.default_rng(1)
    for number in range(20):
        buffer.rules[number % 6] = number
        drawn = buffer.some(number + 1, 200, chance)[0].unique().tolist()
        assert drawn == list(range(max((number + 1) // 2, number - 5), number + 1))


def test_means_count_by_the_number_of_their_returns() -> None:
    learner = RuleConditionedLearner(config("learner.iterations_per_checkpoint=1", "learner.rule_sets=1"))
    learner.train_interval(nothing)
    features, means, counts = learner.buffer.some(1, 1, np.random.default_rng(1))
    (rules,) = some_sets(1, 1, 0)
    torch.testing.assert_close(features[0], torch.from_numpy(features_of_rules(learner.layout, rules)))
    assert (means[counts == 0] == 0).all()
    assert 0 < counts.max() <= 1000
    assert means.abs().max() <= 8
