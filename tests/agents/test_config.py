"""The learners: configurations, that they learn, that a seed says everything, and that what is exported plays alike."""

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest

from agents.run.config import SEEDS, Config, ConfigError, load_config
from agents.run.training import Learner
from bj_env.analysis.benchmark import BENCH_SEEDS
from bj_env.game import rng
from bj_env.rules.terms import Rules
from bj_env.sb3 import NEVER_TRAINED
from bj_env.strategies.saved_policy import Profile, save_policy

ROOT = Path(__file__).parents[2]
SMALL = ["learner.rounds=1_000_000", "learner.checkpoints=4", "workers=2"]
HIT_STAND = [*SMALL, "environment.rules=sutton-barto", "environment.seats=['agent']"]


def config(name: str, *changes: str) -> Config:
    return load_config(ROOT / "configs" / f"{name}.toml", changes)


def nothing(done: int) -> None:
    """Show no progress."""


def trained(learner: Learner, intervals: int) -> list[Mapping[str, float]]:
    """Train some intervals; return what was said after each."""
    return [learner.train_interval(nothing) for _ in range(intervals)]


@pytest.mark.parametrize("path", sorted((ROOT / "configs").glob("*.toml")), ids=lambda path: path.stem)
def test_every_configuration_reads_and_is_named_as_its_file(path: Path) -> None:
    assert load_config(path).name == path.stem


@pytest.mark.parametrize("wanted", ["ppo", "ppo.toml", "configs/pppo.toml", "configs/ppo"])
def test_a_config_that_is_not_there_brings_the_nearest_that_is(wanted: str) -> None:
    with pytest.raises(ConfigError, match=r"No such file or directory; did you mean 'configs/ppo\.toml'\?"):
        load_config(wanted)


def test_a_whole_number_may_be_set_as_1e6() -> None:
    assert config("monte-carlo", "learner.rounds=1e6").learner.length == 1_000_000
    with pytest.raises(ConfigError, match=r"learner.rounds: .*got 1500000\.5"):
        config("monte-carlo", "learner.rounds=1500000.5")


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
        ("learner.checkpoints=1.5", "learner.checkpoints: input should be a valid integer"),
        ("learner.rounds=19", "learner.checkpoints: expected at most 19, the length of the training"),
        ("learner.elimination_stderrs=inf", "learner.elimination_stderrs: input should be a finite number, got inf"),
        ("learner.elimination_stderrs=nan", "learner.elimination_stderrs: input should be "),
        ("environment.reward=expectd", "environment.reward: input should be 'sampled' or 'expected', got 'expectd'"),
        ("environment.seat=[]", "unknown key 'environment.seat'; did you mean 'seats'"),
        ("evaluations=0", "evaluations: input should be greater than 0"),
        ("benchmark.strategies=['basik']", "did you mean 'basic'"),
        ("learner.rounds=abc", "learner.rounds: input should be a valid integer, got 'abc'"),
        ("learner.rounds=0", "greater than 0"),
        ("seed=-1", "seed: input should be greater than or equal to 0, got -1"),
        ("name=../x", "name: expected up to 61 small letters, digits and hyphens, to name a folder, got '../x'"),
        ("nonsense", "expected key=value"),
        ("seed=3_294_967_296", "seed: input should be less than 3294967296"),
        (f"seed=0x{'f' * 9999}", "got a number of thousands of digits"),
        (f"environment.reward={'x' * 9999}", "'xxx"),
        ("workers=1025", "workers: input should be less than or equal to 1024"),
        (
            "learner.rounds=1_000_000_000_000",
            "expected at most 429496729600 rounds in so many iterations",
        ),
        ("learner.rounds=0xffff_ffff_ffff_ffff", "learner.rounds: input should be less than or equal to "),
        ("benchmark.rounds=5_000_000_000", "benchmark.rounds: expected at most 4294967296, got 5000000000"),
        (
            "environment.rules=6D PEN75",
            "learner.exploring_starts: expected 0 where a shoe lasts over several rounds, got 0.7",
        ),
        ("benchmark.strategies=['learned']", "'learned' is the policy that is trained; write './learned' for a folder"),
        ("seed.x=1", "'seed' is a value"),
        ("seed=" + "[" * 5000, "seed: input should be a valid integer"),
    ],
)
def test_a_bad_key_or_value_is_named_in_one_line(change: str, expected: str) -> None:
    with pytest.raises(ConfigError) as caught:
        config("default", change)
    assert expected in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("seat", ["{}", "sampled:{}"])
def test_a_seat_that_no_table_can_hold_is_named_before_anything_is_trained(seat: str, tmp_path: Path) -> None:
    profile = Profile("table", Rules(), 2, (1,), ("hand", "seen"), ("hand.upcard",))
    save_policy(tmp_path / "policy", profile, {"scores": np.zeros((11, 7), np.float32)})
    with pytest.raises(ConfigError, match="environment: the compiled engine cannot ask a LearnedDecision"):
        config("default", f"environment.seats=['agent', '{seat.format(tmp_path / 'policy')}']")


def test_a_policy_of_another_table_is_named_before_anything_is_trained(tmp_path: Path) -> None:
    profile = Profile("table", Rules(), 2, (1,), ("table",), ("table.seat in turn",))
    scores = np.zeros((profile.layout(Rules(), 2).columns[0].size, 7), "f4")
    save_policy(tmp_path / "policy", profile, {"scores": scores})
    with pytest.raises(ConfigError, match=r"whose table look as in training, 2 seats under .*; got 1 under"):
        config("default", f"benchmark.strategies=['{tmp_path / 'policy'}']")


def test_rules_from_a_file_are_kept_as_a_text(tmp_path: Path) -> None:
    (tmp_path / "house.toml").write_text("decks = 2")
    rules = config("default", f"environment.rules={tmp_path / 'house.toml'}").environment.rules
    assert rules == "2D S17 3:2 PEEK DOA DAS SP4 LS INS"


def test_no_shoe_of_any_training_is_in_a_benchmark() -> None:
    seeds = [0, 1, 2, 2**31, SEEDS - 1]
    runs = [config("default", f"seed={seed}") for seed in seeds]
    parts = sorted(run.training_seed(number) for run in runs for number in (0, 1, 2**32 - 1))
    assert len(set(parts)) == 3 * len(seeds)
    assert parts[0] >= BENCH_SEEDS > max(run.setting.seed for run in runs)
    assert parts[-1] < NEVER_TRAINED < rng.SEEDS


@pytest.mark.parametrize(
    ("content", "expected"), [(None, "No such file"), ("name =", "is not TOML"), ("", "learner: field required")]
)
def test_a_bad_file_is_named(content: str | None, expected: str, tmp_path: Path) -> None:
    path = tmp_path / "some.toml"
    if content is not None:
        path.write_text(content)
    with pytest.raises(ConfigError, match=f"config '{path}'.*{expected}"):
        load_config(path)
