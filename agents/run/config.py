"""The configuration of a run: read from TOML, every key checked, unknown ones refused with the nearest name."""

import re
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, Self

from pydantic import Field, SerializeAsAny, ValidationError, field_validator, model_validator

from agents.run.kinds import KindError, settings_class
from agents.run.settings import ExploringStartsSettings, LearnerSettings, Section
from agents.run.training import LEARNED
from bj_env.analysis.benchmark import BENCH_SEEDS, Setting, check_setting
from bj_env.env.env import BlackjackEnv
from bj_env.env.settings import AGENT
from bj_env.errors import BlackjackError, choices
from bj_env.files import read_plain_text
from bj_env.rules.houses import parse_rules, without_file
from bj_env.strategies.registry import strategy
from bj_env.strategies.saved_policy import LearnedDecision

EVALUATION_SEED = 10**9
"""Added to the seed for the benchmark's shoes."""

SEEDS = BENCH_SEEDS - EVALUATION_SEED
"""Seeds are 0 .. ``SEEDS - 1``."""

LONGEST_SHOWN = 80
"""Characters of a wrong value that a message shows at most."""


RENAMED = {
    "legs": ("checkpoints",),
    "generations": ("iterations_per_checkpoint",),
    "steps": ("gradient_steps",),
    "tries": ("exploration_rate",),
    "starts": ("exploring_starts",),
    "margin": ("elimination_stderrs", "elimination_margin"),
    "forgetting": ("recency_exponent",),
    "evenness": ("count_exponent",),
    "power": ("step_size_exponent",),
    "hidden": ("hidden_sizes",),
    "tables": ("num_envs",),
    "environments": ("num_envs",),
    "entropy": ("entropy_coefficient",),
    "clip": ("clip_range",),
    "buffer": ("buffer_size",),
    "memory": ("buffer_size",),
    "batch": ("batch_size",),
    "epsilon": ("exploration_rate",),
}
"""What keys of version 0.1 are called now."""


class ConfigError(BlackjackError):
    """Raised when a configuration is not valid."""


class Environment(Section):
    """The game that is trained on: keyword arguments of ``Blackjack-multi-v0``."""

    rules: str = "six-deck"
    seats: list[str] = Field(["basic", "agent", "basic"])
    reward: Literal["sampled", "expected"] = "sampled"

    @field_validator("rules")
    @classmethod
    def _do_not_change(cls, rules: str) -> str:
        """Return a file's rules as a text: it may be another file by the time that a run goes on."""
        return without_file(rules)

    @model_validator(mode="after")
    def _makes_an_environment(self) -> Self:
        """Refuse what makes none, and what the compiled engine, by which all learners play, cannot play."""
        from bj_env.compiled.tabulation import plans  # only here: it needs numba

        made = BlackjackEnv(**self.model_dump())
        plans(made.rules, [strategy(seat) for seat in self.seats if seat != AGENT])
        return self


class Benchmark(Section):
    """What the trained policy is measured against, on the same shoes."""

    rounds: int = Field(1_000_000, ge=2)
    strategies: list[str] = Field(["basic", "mimic", "threshold:15", "random"])

    @field_validator("strategies")
    @classmethod
    def _are_known(cls, strategies: list[str]) -> list[str]:
        for name in strategies:
            if name == LEARNED:
                raise ValueError(f"{LEARNED!r} is the policy that is trained; write './{LEARNED}' for a folder")
            strategy(name)
        return strategies


class Config(Section):
    """A whole run.

    Attributes:
        name: of the run, and of its folder; by default that of the configuration's file.
        seed: of all random choices.
        workers: threads or processes.
        evaluations: how many exact evaluations there are, spread evenly over the checkpoints of the training.
        environment: the game.
        learner: who learns it, and how.
        benchmark: what is played at the end.
    """

    name: str
    seed: int = Field(1, ge=0, lt=SEEDS)
    workers: int = Field(2, gt=0, le=1024)
    evaluations: int = Field(20, gt=0)
    environment: Environment = Field(default_factory=lambda: Environment.model_validate({}))
    learner: SerializeAsAny[LearnerSettings]
    benchmark: Benchmark = Field(default_factory=lambda: Benchmark.model_validate({}))

    @field_validator("name")
    @classmethod
    def _names_a_folder(cls, name: str) -> str:
        if not re.fullmatch("[a-z0-9][a-z0-9-]{0,60}", name):
            raise ValueError("expected up to 61 small letters, digits and hyphens, to name a folder")
        return name

    @model_validator(mode="after")
    def _can_be_run(self) -> Self:
        if self.learner.checkpoints > self.learner.length:
            raise ValueError(f"learner.checkpoints: expected at most {self.learner.length}, the length of the training")
        try:
            check_setting(self.setting)
        except BlackjackError as error:
            raise ValueError(f"benchmark.{error}") from None
        if (
            isinstance(self.learner, ExploringStartsSettings)
            and self.learner.exploring_starts
            and self.setting.rules.penetration
        ):
            raise ValueError(
                "learner.exploring_starts: expected 0 where a shoe lasts over several rounds, "
                f"got {self.learner.exploring_starts}"
            )
        for decision in map(strategy, self.benchmark.strategies):
            if isinstance(decision, LearnedDecision):
                decision.settle_in(self.setting.rules, len(self.setting.seats))
        return self

    @property
    def setting(self) -> Setting:
        """What the benchmark plays."""
        seed = self.seed + EVALUATION_SEED
        return Setting(parse_rules(self.environment.rules), tuple(self.environment.seats), self.benchmark.rounds, seed)

    def training_seed(self, number: int) -> int:
        """Return the seed of the shoes of an interval, or of another part of the training.

        It is ``BENCH_SEEDS`` or more, which no benchmark's is: not that of `setting`, nor any that ``bj bench`` takes.
        So no shoe of any training is in any of these.

        Args:
            number: of the part; no two parts of a run share a shoe, nor do runs with different seeds.
        """
        return ((self.seed or SEEDS) << 32) + number


def load_config(path: str | Path, changes: Sequence[str] = ()) -> Config:
    """Read a configuration file, with changes like ``"learner.rounds=1000"`` on top.

    Raises:
        ConfigError: if the file is missing or not TOML, or a key or a value is not valid.
    """
    path = Path(path)
    try:
        content = tomllib.loads(read_plain_text(path))
    except OSError as error:
        raise ConfigError(f"config {str(path)!r}: {error.strerror}{_beside(path)}") from None
    except (ValueError, RecursionError) as error:
        raise ConfigError(f"config {str(path)!r} is not TOML: {error}") from None
    for change in changes:
        _apply(content, change)
    content.setdefault("name", re.sub("[^a-z0-9]+", "-", path.stem.lower()).strip("-"))
    try:
        return checked_config(content)
    except ConfigError as error:
        raise ConfigError(f"config {str(path)!r}: {error}") from None


def checked_config(content: dict[str, Any]) -> Config:
    """Check a configuration: first the learner's section, whose kind says what is valid in it, then the whole.

    Raises:
        ConfigError: if a key or a value is not valid.
    """
    section: type[Section] = Config
    inside: tuple[str, ...] = ()
    try:
        if isinstance(content.get("learner"), dict):
            section, inside = settings_class(content["learner"].get("kind")), ("learner",)
            content = content | {"learner": section.model_validate(content["learner"])}
        section, inside = Config, ()
        return Config.model_validate(content)
    except KindError as error:
        raise ConfigError(f"learner.kind: {error}") from None
    except ValidationError as error:
        raise ConfigError(_explain(error, section, inside)) from None


def _beside(path: Path) -> str:
    """Say which configurations there are, where one is asked for that is not there."""
    folder = path.parent if path.parent.name else Path("configs")
    there = sorted(map(str, folder.glob("*.toml")))
    return f"; {choices(str(folder / path.with_suffix('.toml').name), there)}" if there and not path.exists() else ""


def _apply(content: dict[str, Any], change: str) -> None:
    """Set one value by its dotted key; the value is TOML, or plain text."""
    key, equals, value = change.partition("=")
    if not equals or not key:
        raise ConfigError(f"--set: expected key=value like learner.rounds=1000, got {change!r}")
    *path, last = key.split(".")
    for name in path:
        content = content.setdefault(name, {})
        if not isinstance(content, dict):
            raise ConfigError(f"--set {change}: {name!r} is a value and has no keys")
    try:
        number = tomllib.loads(f"value = {value}")["value"]
        content[last] = int(number) if isinstance(number, float) and number.is_integer() else number  # rounds=1e6
    except (ValueError, RecursionError):
        content[last] = value


def _explain(error: ValidationError, section: type[Section], inside: tuple[str, ...]) -> str:
    """Say in one line what is wrong first; ``inside`` are the keys that lead to the section."""
    first = error.errors()[0]
    where, keys = _place(first["loc"], section)
    path = ".".join([*inside, *where])
    if first["type"] == "extra_forbidden":
        return f"unknown key {path!r}; {_nearest(where[-1], keys)}"
    message = first["msg"].removeprefix("Value error, ")
    came = "" if isinstance(first["input"], Mapping) else f", got {_shown(first['input'])}"
    return ": ".join([*filter(None, [path]), message[0].lower() + message[1:] + came])


def _nearest(key: str, keys: Sequence[str]) -> str:
    """Say which keys are valid, and first what a key of version 0.1 is called now."""
    now = [new for new in RENAMED.get(key, ()) if new in keys]
    return f"did you mean {now[0]!r}? {choices(now[0], keys)}" if now else choices(key, keys)


def _shown(value: object) -> str:
    """Write a wrong value, if need be its beginning."""
    try:
        content = repr(value)
    except ValueError:  # which Python raises at thousands of digits
        content = "a number of thousands of digits"
    return content if len(content) <= LONGEST_SHOWN else f"{content[:LONGEST_SHOWN]}..."


def _place(location: Sequence[int | str], section: type[Section]) -> tuple[list[str], list[str]]:
    """Return the keys that lead to a place in a section, and those that are valid beside it."""
    part: Any = section
    where: list[str] = []
    keys: list[str] = []
    for step in location:
        fields = getattr(part, "model_fields", {})
        where, keys = [*where, str(step)], list(fields)
        part = fields[step].annotation if step in fields else None
    return where, keys
