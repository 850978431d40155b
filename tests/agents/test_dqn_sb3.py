"""DQN with masks: legal actions alone in exploring, in targets and in play; and whole returns, their errors squared."""

from typing import Any

import numpy as np
import pytest
import torch

from agents.learners.dqn_sb3 import BETS, SB3DQNLearner
from bj_env.rules.terms import Action
from tests.agents.test_sb3 import made, silent

ACTIONS = 7


def learner(*changes: str) -> SB3DQNLearner:
    got = made("dqn-sb3", *changes)
    assert isinstance(got, SB3DQNLearner)
    return got


def prefer(model: Any, action: Action) -> None:
    """Let the layers score an action far above the others."""
    with torch.no_grad():
        for network in (model.q_net, model.q_net_target):
            network.q_net[-1].bias[action] += 50


def shown(model: Any) -> Any:
    """Return what the tables show now."""
    model.env.seed(3)
    return model.env.reset()


def scored(network: Any, row: Any) -> torch.Tensor:
    """Return what the layers score, the mask left aside."""
    with torch.no_grad():
        scores: torch.Tensor = network.q_net(torch.tensor(row[:-ACTIONS]).float())
    return scores


def masks_of(rows: Any) -> Any:
    return rows[..., -ACTIONS:]


# --- exploring --------------------------------------------------------------------------------------------------------


def test_every_action_in_the_replay_buffer_is_legal() -> None:
    trained = learner(
        "learner.steps=2048", "learner.checkpoints=2", "learner.buffer_size=2048", "learner.exploration_rate=0.5"
    )
    prefer(trained.model, Action.SPLIT)
    trained.train_interval(silent)
    buffer = trained.model.replay_buffer
    masks = masks_of(buffer.observations[: buffer.pos])
    taken = np.take_along_axis(masks, buffer.actions[: buffer.pos], axis=2)
    assert taken.size == 1024
    assert (taken == 1).all()
    assert len(np.unique(buffer.actions[: buffer.pos])) == ACTIONS  # INSURE and DECLINE, SPLIT and SURRENDER among them


def test_exploring_draws_all_legal_actions_alike_at_each_table_by_itself() -> None:
    model = learner().model
    rows = shown(model)
    model.set_random_seed(1)
    model.exploration_rate = 1.0
    drawn = np.stack([model.predict(rows)[0] for _ in range(1000)])
    for table, mask in enumerate(masks_of(rows)):
        often = np.bincount(drawn[:, table], minlength=ACTIONS) / 1000
        np.testing.assert_allclose(often, mask / mask.sum(), atol=0.06)
    model.exploration_rate = 0.5
    greedy = model.predict(rows, deterministic=True)[0]
    explored = (model.predict(np.repeat(rows, 20, axis=0))[0] != np.repeat(greedy, 20)).mean()
    assert 0.2 < explored < 0.5  # half, less those that drew the greedy action


def test_the_return_while_exploring_always_is_that_of_random_play() -> None:
    """Report b125."""
    random = learner(
        "environment.rules=gymnasium-plain",
        "learner.exploration_rate=1.0",
        "learner.steps=8192",
        "learner.checkpoints=1",
    )
    scalars = random.train_interval(silent)
    assert scalars["exploration_rate"] == 1
    assert abs(scalars["return"] + 0.396) < 4 * scalars["return_stderr"] + 0.001


# --- targets ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("done", [False, True])
def test_a_target_takes_the_best_legal_action_of_the_next_state(done: bool) -> None:
    model = learner("learner.learning_rate=1e-9").model
    rows = shown(model)
    row, following = rows[0], rows[1].copy()
    masks_of(following)[:] = [0 if done else each for each in (1, 1, 0, 0, 0, 0, 0)]
    prefer(model, Action.SPLIT)
    action, reward = Action.HIT, 0.25
    step = np.stack([row] * 16), np.stack([following] * 16), np.full(16, action), np.full(16, reward), np.full(16, done)
    model.replay_buffer.add(*step, [{}] * 16)

    now, then = scored(model.q_net, row)[action], scored(model.q_net_target, following)
    assert then.argmax() == Action.SPLIT
    target = torch.tensor(reward) if done else reward + then[[Action.STAND, Action.HIT]].max()
    model.train(gradient_steps=1, batch_size=8)
    loss = torch.nn.functional.smooth_l1_loss(now, target)
    assert model.logger.name_to_value["train/loss"] == pytest.approx(float(loss), rel=1e-5)


def test_the_target_of_insuring_is_what_the_round_returns_and_not_what_its_next_state_shows() -> None:
    buffer = learner("learner.buffer_size=64").model.replay_buffer
    rows = np.zeros((16, buffer.obs_shape[0]))
    lost = np.full(16, -1.5 / BETS)
    buffer.add(rows, rows + 1, np.full(16, Action.INSURE), lost * 0, np.zeros(16), [{}] * 16)
    buffer.add(rows + 1, rows, np.full(16, Action.STAND), lost, np.ones(16), [{}] * 16)
    batch = buffer.sample(32)
    assert {Action.INSURE, Action.STAND} == set(batch.actions.flatten().tolist())
    assert batch.dones.all()
    assert (batch.rewards == -1.5 / BETS).all()


def test_no_round_can_win_so_much_that_the_loss_is_no_longer_square() -> None:
    trained = learner(
        "learner.steps=1024", "learner.checkpoints=1", "environment.reward=sampled", "learner.buffer_size=1024"
    )
    trained.train_interval(silent)
    rewards = trained.model.replay_buffer.rewards
    assert 1.5 / BETS <= np.abs(rewards).max() <= 1  # a double, a blackjack
    assert set(np.unique(rewards * BETS * 4) % 1) == {0}


# --- play -------------------------------------------------------------------------------------------------------------


def test_predictions_are_legal_though_the_layers_score_an_illegal_action_highest() -> None:
    model = learner().model
    prefer(model, Action.SPLIT)
    rows = shown(model)
    assert (masks_of(rows)[:, Action.SPLIT] == 0).any()
    for deterministic in (True, False):
        chosen = model.predict(rows, deterministic=deterministic)[0]
        assert np.take_along_axis(masks_of(rows), chosen[:, None], axis=1).all()
        assert masks_of(rows)[0][model.predict(rows[0], deterministic=deterministic)[0]] == 1


def test_the_mask_itself_is_kept_from_the_layers() -> None:
    model = learner().model
    rows = shown(model)
    scores = model.q_net(torch.tensor(rows))
    all_legal = rows.copy()
    masks_of(all_legal)[:] = 1
    same = torch.tensor(masks_of(rows) == 1)
    assert torch.equal(scores[same], model.q_net(torch.tensor(all_legal))[same])
    assert (scores[~same] < -1e7).all()


def test_the_last_step_of_a_round_shows_no_legal_action() -> None:
    env = learner().model.env
    env.reset()
    ended = 0
    for _ in range(20):
        masks = np.stack(env.env_method("action_masks"))
        rows, rewards, dones, infos = env.step(masks.argmax(axis=1))
        assert rows.dtype == np.uint8
        for place in dones.nonzero()[0]:
            ended += 1
            last = infos[place]["terminal_observation"]
            assert last.dtype == np.uint8
            assert not masks_of(last).any()
            assert last[:-ACTIONS].any()
        assert (rewards[~dones] == 0).all()
    assert ended > 100
