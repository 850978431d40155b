"""What the learners on Stable-Baselines3 share: seeds, a state that resumes to the bit, and saved layers."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from safetensors import numpy as tensor_files

from agents.learners.dqn_sb3 import SB3DQNLearner
from agents.learners.maskable_ppo import MaskablePPOLearner
from agents.learners.ppo_sb3 import SB3PPOLearner
from agents.run.config import ConfigError, load_config
from agents.shared.sb3 import SB3Learner
from bj_env.analysis.policy_value import exact_value
from bj_env.env.env import BlackjackEnv
from bj_env.rules.terms import Phase
from bj_env.strategies.saved_policy import LearnedDecision

ROOT = Path(__file__).parents[2]
LEARNERS: dict[str, Any] = {
    "maskable-ppo": MaskablePPOLearner,
    "ppo-sb3": SB3PPOLearner,
    "dqn-sb3": SB3DQNLearner,
}
UPDATES = (
    "learner.num_envs=16",
    "learner.steps_per_update=32",
    "learner.batch_size=256",
    "learner.hidden_sizes=[64, 64]",
)
SMALL = {
    "maskable-ppo": UPDATES,
    "ppo-sb3": UPDATES,
    "dqn-sb3": (
        "learner.num_envs=16",
        "learner.buffer_size=800",
        "learner.batch_size=256",
        "learner.learning_starts=100",
    ),
}
TWO_LEGS = ("learner.steps=2048", "learner.checkpoints=2")
OPTIMUM = -0.046555977066
"""Of the hit/stand house ``gymnasium-plain``: gymnasium_ev.csv."""


def made(name: str, *changes: str) -> SB3Learner:
    learner: SB3Learner = LEARNERS[name](load_config(ROOT / "configs" / f"{name}.toml", [*SMALL[name], *changes]))
    return learner


def silent(done: int) -> None:
    """Show no progress."""


every = pytest.mark.parametrize("name", LEARNERS)


@every
def test_a_resumed_run_is_bit_identical_to_one_that_never_stopped(name: str) -> None:
    straight = made(name, *TWO_LEGS)
    straight.train_interval(silent)
    saved = tensor_files.save(dict(straight.state()))
    expected = straight.train_interval(silent)

    resumed = made(name, *TWO_LEGS)
    resumed.restore(tensor_files.load(saved))
    assert resumed.done == 1024
    assert resumed.train_interval(silent) == expected
    one, two = straight.state(), resumed.state()
    assert one.keys() == two.keys()
    for key, array in one.items():
        np.testing.assert_array_equal(array, two[key], err_msg=key)


@every
def test_every_leg_and_every_seed_has_chance_of_its_own(name: str) -> None:
    def shoes(learner: SB3Learner) -> tuple[str, ...]:
        learner.train_interval(silent)
        return tuple(str(record) for record in learner.model.env.env_method("record"))

    first, other = made(name, *TWO_LEGS), made(name, *TWO_LEGS, "seed=2")
    intervals = [shoes(first), shoes(first), shoes(other)]
    assert len({line for interval in intervals for line in interval}) > 40  # of 48; short rounds may look alike
    assert shoes(made(name, *TWO_LEGS)) == intervals[0]


@every
def test_progress_adds_up_and_a_leg_tells_what_there_is_to_log(name: str) -> None:
    learner = made(name, *TWO_LEGS)
    told: list[int] = []
    scalars = learner.train_interval(told.append)
    assert sum(told) == learner.done == 1024
    own = {"exploration_rate"}
    if name != "dqn-sb3":
        own = {"entropy", "entropy_coefficient", "value_loss", "policy_loss"}
        own |= {"approx_kl", "clip_fraction", "explained_variance"}
    assert set(scalars) == {"return", "return_stderr", "learning_rate", "loss"} | own
    assert np.isfinite(list(scalars.values())).all()
    assert 0.01 < scalars["return_stderr"] < 0.2
    rate = learner.config.learner.learning_rate  # type: ignore[union-attr]
    assert scalars["learning_rate"] == pytest.approx(rate / 2)
    assert learner.train_interval(silent)["learning_rate"] == 0  # the schedule is the run's, not the interval's


@every
def test_an_update_that_does_not_end_with_the_leg_counts_for_the_next(name: str) -> None:
    learner = made(name, "learner.steps=2600", "learner.checkpoints=4")
    ends = []
    for _ in range(4):
        learner.train_interval(silent)
        ends.append(learner.done)
    assert ends == ([656, 1312, 1952, 2608] if name == "dqn-sb3" else [1024, 1536, 2048, 3072])


def scores_of(learner: SB3Learner, features: Any) -> Any:
    """Return what the network itself scores, every action legal."""
    policy, shown = learner.model.policy, torch.as_tensor(features)[None]
    with torch.no_grad():
        if isinstance(learner, SB3DQNLearner):
            return policy.q_net(torch.hstack([shown, torch.ones(1, 7)]))[0].numpy()
        return policy.action_net(policy.mlp_extractor.forward_actor(shown))[0].numpy()


@every
def test_exported_layers_score_as_the_network_does(name: str) -> None:
    learner = made(name)
    env = BlackjackEnv(rules="six-deck", seats=("agent",))
    decision = LearnedDecision(learner.profile, learner.policy())
    assert decision.total_dependent
    for seed in range(20):
        observation, _ = env.reset(seed=seed)
        if env.episode.phase is Phase.ROUND_OVER:
            continue
        assert env.episode.round
        scores = decision.scores(decision.row(env.episode.round.view()))
        np.testing.assert_allclose(scores, scores_of(learner, observation), rtol=1e-4, atol=1e-6)


LONGER = (
    "learner.steps=80_000",
    "learner.checkpoints=2",
    "learner.num_envs=64",
    "learner.hidden_sizes=[32, 32]",
    "learner.batch_size=512",
    "learner.learning_rate=3e-3",
)
PROBE = {"maskable-ppo": LONGER, "ppo-sb3": LONGER, "dqn-sb3": (*LONGER, "learner.buffer_size=20_000")}


@every
def test_it_learns_hit_and_stand_in_seconds(name: str) -> None:
    learner = made(name, *PROBE[name], "environment.rules=gymnasium-plain")
    untrained = exact_value(LearnedDecision(learner.profile, learner.policy()), learner.profile.rules).ev
    for _ in range(2):
        learner.train_interval(silent)
    value = exact_value(LearnedDecision(learner.profile, learner.policy()), learner.profile.rules).ev
    assert untrained < OPTIMUM - 0.1
    assert OPTIMUM - 0.01 < value < OPTIMUM + 1e-9


@pytest.mark.parametrize(
    ("name", "changes", "expected"),
    [
        (
            "ppo-sb3",
            ["learner.batch_size=100"],
            "learner: expected a batch_size that divides an update's 512 steps, like 64",
        ),
        ("ppo-sb3", ["learner.batch_size=1_000_000"], "update's 512 steps, like 512, got 1000000"),
        ("ppo-sb3", ["learner.num_envs=1", "learner.steps_per_update=7"], "an update's 7 steps, like 7, got "),
        ("maskable-ppo", [f"learner.batch_size=1{'0' * 30}"], "learner.batch_size: input should be less than or equal"),
        (
            "maskable-ppo",
            ["learner.steps=5000", "learner.checkpoints=20"],
            "learner: expected steps for an update of 512 before each checkpoint, at least 10240",
        ),
        ("maskable-ppo", ["learner.hidden_sizes=[0]"], "learner.hidden_sizes.0: input should be greater than 0, got 0"),
        (
            "dqn-sb3",
            ["learner.steps=2000", "learner.checkpoints=20"],
            "learner: expected steps to start learning before each checkpoint, 116, at least 2320, got 2000",
        ),
    ],
)
def test_settings_that_do_not_fit_each_other_are_named_in_one_line(
    name: str, changes: list[str], expected: str
) -> None:
    with pytest.raises(ConfigError) as caught:
        made(name, *changes)
    assert expected in str(caught.value)
    assert "\n" not in str(caught.value)
