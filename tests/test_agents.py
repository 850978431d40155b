"""The learners: configurations, that they learn, that a seed says everything, and that what is exported plays alike."""

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest
import torch
from sb3_contrib.common.maskable.distributions import MaskableCategorical

from agents import maskable_ppo
from agents.cells import table_profile
from agents.config import Config, ConfigError, load_config
from agents.training import Learner
from bj_env.env import BlackjackEnv
from bj_env.learned import LearnedDecision
from bj_env.terms import Phase

ROOT = Path(__file__).parents[1]
SMALL = ["learner.rounds=1_000_000", "learner.legs=4", "workers=2"]
HIT_STAND = [*SMALL, "environment.rules=sutton-barto", "environment.seats=['agent']"]


def config(name: str, *changes: str) -> Config:
    return load_config(ROOT / "configs" / f"{name}.toml", changes)


def nothing(done: int) -> None:
    """Show no progress."""


def trained(learner: Learner, legs: int) -> list[Mapping[str, float]]:
    """Train some legs; return what was said after each."""
    return [learner.leg(nothing) for _ in range(legs)]


@pytest.mark.parametrize("path", sorted((ROOT / "configs").glob("*.toml")), ids=lambda path: path.stem)
def test_every_configuration_reads_and_is_named_as_its_file(path: Path) -> None:
    assert load_config(path).name == path.stem


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ("sed=3", "unknown key 'sed'; did you mean 'seed'"),
        ("learner.rnds=3", "unknown key 'learner.rnds'; did you mean 'rounds'"),
        ("benchmark.roundz=3", "unknown key 'benchmark.roundz'; did you mean 'rounds'"),
        ("environment.rules=six-dek", "did you mean 'six-deck'"),
        ("environment.seats=['basic']", "expected at least one 'agent'"),
        ("learner.kind=foo", "unknown kind 'foo'; valid: 'monte-carlo', "),
        ("learner.kind=monte-karlo", "did you mean 'monte-carlo'?"),
        ("learner.kind=''", "learner.kind: unknown kind ''; valid: 'monte-carlo'"),
        ("learner.kind=5", "learner.kind: unknown kind 5"),
        ("learner={rounds=5}", "learner.kind: field required; valid: 'monte-carlo'"),
        ("learner=5", "learner: input should be "),
        ("learner.legs=1e3", "learner.legs: input should be a valid integer"),
        ("learner.rounds=19", "learner.legs: expected at most 19, the length of the training"),
        ("learner.margin=inf", "learner.margin: input should be a finite number, got inf"),
        ("learner.margin=nan", "learner.margin: input should be "),
        ("environment.reward=expectd", "environment.reward: input should be 'sampled' or 'expected', got 'expectd'"),
        ("environment.seat=[]", "unknown key 'environment.seat'; did you mean 'seats'"),
        ("evaluations=0", "evaluations: input should be greater than 0"),
        ("benchmark.strategies=['basik']", "did you mean 'basic'"),
        ("learner.rounds=abc", "learner.rounds: input should be a valid integer, got 'abc'"),
        ("learner.rounds=0", "greater than 0"),
        ("seed=-1", "seed: input should be greater than or equal to 0, got -1"),
        ("name=../x", "name: expected up to 61 small letters, digits and hyphens, to name a folder, got '../x'"),
        ("nonsense", "expected key=value"),
        ("seed.x=1", "'seed' is a value"),
        ("seed=" + "[" * 5000, "seed: input should be a valid integer"),
    ],
)
def test_a_bad_key_or_value_is_named_in_one_line(change: str, expected: str) -> None:
    with pytest.raises(ConfigError) as caught:
        config("default", change)
    assert expected in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(("content", "expected"), [(None, "No such file"), ("name =", "is not TOML"), ("", "name: ")])
def test_a_bad_file_is_named(content: str | None, expected: str, tmp_path: Path) -> None:
    path = tmp_path / "some.toml"
    if content is not None:
        path.write_text(content)
    with pytest.raises(ConfigError, match=f"config '{path}'.*{expected}"):
        load_config(path)


def test_maskable_ppo_goes_on_from_its_state_to_the_same_weights() -> None:
    shape = ("learner.steps=1536", "learner.legs=3", "learner.environments=2", "learner.steps_per_update=256")
    straight, first, second = (maskable_ppo.MaskablePPOLearner(config("maskable-ppo", *shape)) for _ in range(3))
    trained(straight, 3)
    trained(first, 1)
    second.restore(first.state())
    trained(second, 2)
    assert second.done == straight.done == 1536
    for name, tensor in straight.policy().items():
        np.testing.assert_array_equal(tensor, second.policy()[name])
    assert LearnedDecision(straight.profile, straight.policy()).by_hand


def test_exported_layers_score_as_the_network_does() -> None:
    setting = config("maskable-ppo", "learner.environments=1")
    model = maskable_ppo._model(setting, setting.learner, 0)  # type: ignore[arg-type]
    env = BlackjackEnv(rules=setting.environment.rules, seats=setting.environment.seats)
    decision = LearnedDecision(table_profile(setting)._replace(kind="network", columns=()), maskable_ppo.tensors(model))
    for seed in range(20):
        observation, _ = env.reset(seed=seed)
        if env.episode.phase is Phase.ROUND_OVER:
            continue
        assert env.episode.round
        view = env.episode.round.view()
        with torch.no_grad():
            latent = model.policy.mlp_extractor.forward_actor(torch.as_tensor(observation)[None])
            expected = model.policy.action_net(latent).numpy()[0]
        np.testing.assert_allclose(decision.scores(decision.row(view)), expected, rtol=1e-4, atol=1e-6)


def test_b117_masked_logits_are_renormalised() -> None:
    distribution = MaskableCategorical(logits=torch.tensor([[2.0, 1.0, 0.5]]), masks=np.array([[False, True, True]]))
    np.testing.assert_allclose(distribution.probs.numpy()[0], [0, 0.622459, 0.377541], atol=1e-6)


def test_b116_masks_leave_exact_zeros_and_finite_gradients() -> None:
    logits = torch.tensor([[40.0, -30.0, 0.0]] * 64, requires_grad=True)
    masks = np.array([[True, False, False], [False, True, True], [True, True, True], [False, True, False]] * 16)
    distribution = MaskableCategorical(logits=logits, masks=masks)
    assert (distribution.probs[~torch.as_tensor(masks)] == 0).all()
    np.testing.assert_allclose(distribution.probs.sum(1).detach().numpy(), 1, atol=1e-6)
    entropy = distribution.entropy()
    assert (entropy[::4] == 0).all()
    entropy.sum().backward()
    assert torch.isfinite(logits.grad).all()  # type: ignore[arg-type]
