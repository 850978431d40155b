"""Learners by name: ours, and a class of one's own by dotted name."""

import json
from pathlib import Path

import pytest

import train
from agents.run.config import ConfigError, load_config
from agents.run.kinds import KINDS, learner_class, make_learner
from agents.run.settings import LearnerSettings

CONFIG = Path(__file__).parents[2] / "configs" / "monte-carlo.toml"

MODULE = '''
import numpy as np
from agents.run.settings import LearnerSettings
from bj_env.rules.houses import parse_rules
from bj_env.strategies.saved_policy import Profile


class Still:
    """Learns nothing: it stands."""

    class Settings(LearnerSettings):
        rounds: int
        stubbornness: float = 1.0

        @property
        def length(self):
            return self.rounds

    unit = "rounds"

    def __init__(self, config):
        self.config, self.done = config, 0
        self.profile = Profile("table", parse_rules(config.environment.rules), 1, (1,), ("hand",), ("hand.upcard",))

    def train_interval(self, progress):
        length = self.config.learner.length // self.config.learner.checkpoints
        self.done += length
        progress(length)
        return {"return": -0.1, "return_stderr": 0.1, "stubbornness": self.config.learner.stubbornness}

    def policy(self):
        return {"scores": np.tile(np.eye(7, dtype=np.float32)[0], (11, 1))}

    def state(self):
        return {"done": np.array(self.done)}

    def restore(self, state):
        self.done = int(state["done"])


class Unsettled(Still):
    Settings = None


class Unlike:
    pass


broken = 1
'''


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Write a module beside where the user is; return its name."""
    name = f"learner_{abs(hash(tmp_path))}"
    (tmp_path / f"{name}.py").write_text(MODULE)
    monkeypatch.chdir(tmp_path)
    return name


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_names_a_learner_with_all_methods(kind: str) -> None:
    assert issubclass(KINDS[kind], LearnerSettings)
    assert learner_class(KINDS[kind].implementation).__name__.endswith("Learner")


def test_a_learner_of_ones_own_trains_by_its_dotted_name(module: str, tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_text(
        f'[learner]\nkind = "{module}:Still"\nrounds = 4000\ncheckpoints = 2\nstubbornness = 2.5\n'
        '[environment]\nseats = ["agent"]\n[benchmark]\nrounds = 100\nstrategies = []\n'
    )
    assert train.main(["--config", "mine.toml", "--runs", str(tmp_path / "runs")]) == 0
    folder = tmp_path / "runs" / "mine"  # named after its file
    points = json.loads((folder / "learning_curve.json").read_text())["points"]
    assert [(point["done"], point["stubbornness"]) for point in points] == [(2000, 2.5), (4000, 2.5)]
    assert load_config(folder / "config.toml").learner.model_dump()["stubbornness"] == 2.5
    assert make_learner(load_config(folder / "config.toml")).unit == "rounds"


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        ("no_such_module:Mine", "learner.kind: cannot import 'no_such_module': ModuleNotFoundError"),
        ("{}:Stil", "has no class 'Stil'; did you mean 'Still'?"),
        ("{}:broken", "has no class 'broken'"),
        ("{}:Unlike", "is no learner: it has no method 'train_interval'"),
        ("{}:Unsettled", "expected a class Settings(LearnerSettings) in it"),
        ("{}:", "has no class ''"),
        (":Still", "cannot import ''"),
    ],
)
def test_a_dotted_name_without_a_learner_is_refused_in_one_line(kind: str, expected: str, module: str) -> None:
    with pytest.raises(ConfigError) as caught:
        load_config(CONFIG, [f"learner.kind={kind.format(module)}"])
    assert expected in str(caught.value)
    assert "\n" not in str(caught.value)


def test_settings_of_ones_own_are_checked_like_ours(module: str) -> None:
    with pytest.raises(ConfigError, match=r"unknown key 'learner.stubborness'; did you mean 'stubbornness'"):
        load_config(CONFIG, [f"learner.kind={module}:Still", "learner.stubborness=2.0"])
    with pytest.raises(ConfigError, match=r"learner.rounds: input should be a valid integer, got 'many'"):
        load_config(CONFIG, [f"learner.kind={module}:Still", "learner.rounds=many"])


@pytest.mark.parametrize(
    ("config", "old", "new"),
    [
        ("default", "legs", "checkpoints"),
        ("default", "generations", "iterations_per_checkpoint"),
        ("default", "steps", "gradient_steps"),
        ("default", "tries", "exploration_rate"),
        ("default", "margin", "elimination_stderrs"),
        ("rule-conditioned", "margin", "elimination_margin"),
        ("rule-conditioned", "memory", "buffer_size"),
        ("ppo", "tables", "num_envs"),
        ("ppo", "entropy", "entropy_coefficient"),
        ("ppo-sb3", "environments", "num_envs"),
        ("dqn-sb3", "epsilon", "exploration_rate"),
        ("sarsa", "power", "step_size_exponent"),
    ],
)
def test_a_key_of_the_last_version_is_refused_with_its_new_name(config: str, old: str, new: str) -> None:
    with pytest.raises(ConfigError, match=f"unknown key 'learner.{old}'; did you mean '{new}'"):
        load_config(CONFIG.with_name(f"{config}.toml"), [f"learner.{old}=1"])
