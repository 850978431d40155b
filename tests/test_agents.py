"""The learners: configurations, that they learn, that a seed says everything, and that what is exported plays alike."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from agents.config import Config, ConfigError, load_config
from agents.training import Learner

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
