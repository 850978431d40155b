"""PPO without masks: the game replaces an illegal action in training, the mask rules it out in play."""

import numpy as np
import torch

from bj_env.analysis.policy_value import exact_value
from bj_env.rules.terms import Action
from bj_env.strategies.saved_policy import LearnedDecision
from tests.agents.test_sb3 import made


def test_illegal_actions_are_replaced_and_the_training_goes_on() -> None:
    learner = made("ppo-sb3")
    tables = learner.model.env
    tables.seed(1)
    tables.reset()
    masks = np.stack(tables.env_method("action_masks"))
    _, _, _, infos = tables.step(np.full(16, Action.SPLIT))
    replaced = ["illegal_action" in info for info in infos]
    assert replaced == [not mask[Action.SPLIT] for mask in masks]
    assert any(replaced)


def test_what_it_exports_plays_legal_actions_whatever_it_scores_highest() -> None:
    learner = made("ppo-sb3")
    with torch.no_grad():
        learner.model.policy.action_net.bias[Action.SPLIT] += 100
        learner.model.policy.action_net.bias[Action.STAND] += 50
    rules = learner.profile.rules
    policy = exact_value(LearnedDecision(learner.profile, learner.policy()), rules)
    assert -0.5 < policy.ev < -0.1  # stands on all it cannot split, and splits all it can
