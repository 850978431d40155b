"""The configuration of a run: read from TOML, every key checked, unknown ones refused with the nearest name."""

import re
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal, Self, get_args

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator, model_validator

from bj_env.benchmark import Setting
from bj_env.decisions import decision_from
from bj_env.env import BlackjackEnv
from bj_env.errors import BlackjackError, choices
from bj_env.houses import rules_from

EVALUATION_SEED = 10**9
"""Added to the seed for the benchmark's shoes, so that no shoe of the training is among them."""


class ConfigError(BlackjackError):
    """Is raised for a configuration that is not valid."""


Layer = Annotated[int, Field(gt=0, le=4096)]
"""How many units a hidden layer has."""


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, allow_inf_nan=False)


class Environment(_Part):
    """The game that is trained on: keyword arguments of ``Blackjack-multi-v0``."""

    rules: str = "six-deck"
    seats: list[str] = ["basic", "agent", "basic"]
    reward: Literal["sampled", "expected"] = "sampled"

    @model_validator(mode="after")
    def _makes_an_environment(self) -> Self:
        BlackjackEnv(**self.model_dump())
        return self


class MonteCarlo(_Part):
    """Tabular Monte Carlo control with exploring starts; see ``agents/monte_carlo.py``."""

    kind: Literal["monte-carlo"]
    rounds: int = Field(gt=0)
    legs: int = Field(20, gt=0)
    generations: int = Field(10, gt=0)
    exploration: Literal["exploring-starts", "epsilon-greedy"] = "exploring-starts"
    starts: float = Field(0.7, ge=0, lt=1)
    tries: float = Field(0.7, gt=0, le=1)
    margin: float = Field(3.0, gt=0)
    epsilon: float = Field(0.2, ge=0, le=1)
    forgetting: float = Field(1.0, ge=0)

    @property
    def length(self) -> int:
        """How long the training is, in what its progress counts."""
        return self.rounds


class DeepMonteCarlo(_Part):
    """A network that learns returns; see ``agents/deep_monte_carlo.py``."""

    kind: Literal["deep-monte-carlo"]
    rounds: int = Field(gt=0)
    legs: int = Field(20, gt=0)
    generations: int = Field(5, gt=0)
    steps: int = Field(100, gt=0)
    hidden: list[Annotated[int, Field(gt=0)]] = Field([128, 128], min_length=1)
    learning_rate: float = Field(3e-3, gt=0, lt=1)
    starts: float = Field(0.7, ge=0, lt=1)
    tries: float = Field(0.7, gt=0, le=1)
    margin: float = Field(3.0, gt=0)
    evenness: float = Field(0.5, gt=0, le=1)
    forgetting: float = Field(1.0, ge=0)

    @property
    def length(self) -> int:
        """How long the training is, in what its progress counts."""
        return self.rounds


class TemporalDifference(_Part):
    """Tabular SARSA, expected SARSA, Q-learning and double Q-learning; see ``agents/temporal_difference.py``."""

    kind: Literal["temporal-difference"]
    method: Literal["sarsa", "expected-sarsa", "q-learning", "double-q-learning"]
    rounds: int = Field(gt=0)
    legs: int = Field(20, gt=0)
    generations: int = Field(10, gt=0)
    epsilon: float = Field(0.5, gt=0, le=1)
    power: float = Field(0.8, gt=0.5, le=1)

    @property
    def length(self) -> int:
        """How long the training is, in what its progress counts."""
        return self.rounds


class OnPolicy(_Part):
    """What PPO and MaskablePPO on Stable-Baselines3 share; see ``agents/sb3.py``."""

    steps: int = Field(gt=0)
    legs: int = Field(20, gt=0)
    environments: int = Field(1024, gt=0)
    steps_per_update: int = Field(16, gt=1)
    batch_size: int = Field(4096, gt=1)
    epochs: int = Field(4, gt=0)
    learning_rate: float = Field(1e-3, gt=0, le=1)
    entropy: float = Field(0.01, ge=0, le=1)
    hidden: list[Layer] = [64, 64]

    @property
    def length(self) -> int:
        """How long the training is, in what its progress counts."""
        return self.steps

    @model_validator(mode="after")
    def _updates_come_out_even(self) -> Self:
        update = self.environments * self.steps_per_update
        if update % self.batch_size:
            valid = max((size for size in range(2, self.batch_size) if update % size == 0), default=update)
            raise ValueError(
                f"expected a batch_size that divides an update's {update} steps, like {valid}, got {self.batch_size}"
            )
        if self.steps < self.legs * update:
            raise ValueError(
                f"expected steps for an update of {update} in each leg, at least {self.legs * update}, got {self.steps}"
            )
        return self


class MaskablePPO(OnPolicy):
    """sb3-contrib's MaskablePPO; see ``agents/maskable_ppo.py``."""

    kind: Literal["maskable-ppo"]


class PPOSB3(OnPolicy):
    """Stable-Baselines3's PPO; see ``agents/ppo_sb3.py``."""

    kind: Literal["ppo-sb3"]


class DQNSB3(_Part):
    """Stable-Baselines3's DQN; see ``agents/dqn_sb3.py``."""

    kind: Literal["dqn-sb3"]
    steps: int = Field(gt=0)
    legs: int = Field(20, gt=0)
    environments: int = Field(256, gt=0)
    buffer: int = Field(100_000, gt=0)
    learning_starts: int = Field(10_000, ge=0)
    gradient_steps: int = Field(1, gt=0)
    batch_size: int = Field(512, gt=0)
    learning_rate: float = Field(1e-3, gt=0, le=1)
    n_steps: int = Field(8, gt=0)
    tau: float = Field(0.01, gt=0, le=1)
    epsilon: float = Field(0.1, ge=0, le=1)
    hidden: list[Layer] = [64, 64]

    @property
    def length(self) -> int:
        """How long the training is, in what its progress counts."""
        return self.steps

    @model_validator(mode="after")
    def _legs_fill_the_buffer(self) -> Self:
        """Refuse legs in which nothing is learned."""
        begun = self.learning_starts + self.environments
        if self.steps < self.legs * begun:
            raise ValueError(
                f"expected steps to fill a buffer in each leg, {begun}, at least {self.legs * begun}, got {self.steps}"
            )
        return self


class PPO(_Part):
    """Proximal policy optimization; see ``agents/ppo.py``.

    Attributes:
        steps: of all tables together, less what does not fill a batch in each leg.
        legs: of equal length.
        tables: how many are played at once.
        steps_per_update: of each table, before the next gradient step.
        epochs: how often a batch is gone through.
        minibatches: gradient steps of an epoch.
        learning_rate: of Adam, at first; it falls to 0.
        entropy: weight of the entropy bonus, a temperature in bets, at first; it falls to 0.
        clip: how far the probability of an action moves with a batch, as a ratio.
        gae_lambda: of the advantages.
        hidden: widths of the layers between.
    """

    kind: Literal["ppo"]
    steps: int = Field(gt=0)
    legs: int = Field(20, gt=0)
    tables: int = Field(4096, ge=16)
    steps_per_update: int = Field(32, ge=4)
    epochs: int = Field(4, gt=0)
    minibatches: int = Field(8, gt=0)
    learning_rate: float = Field(3e-3, gt=0)
    entropy: float = Field(0.1, ge=0)
    clip: float = Field(0.2, gt=0)
    gae_lambda: float = Field(1.0, ge=0, le=1)
    hidden: list[Annotated[int, Field(gt=0)]] = [64, 64]

    @model_validator(mode="after")
    def _fills_its_legs(self) -> Self:
        if not self.updates_per_leg:
            least = self.legs * self.tables * self.steps_per_update
            raise ValueError(f"steps: expected at least {least}, legs * tables * steps_per_update, got {self.steps}")
        return self

    @property
    def updates_per_leg(self) -> int:
        """How many batches a leg plays and learns from."""
        return self.steps // (self.legs * self.tables * self.steps_per_update)

    @property
    def length(self) -> int:
        """How long the training is, in what its progress counts."""
        return self.legs * self.updates_per_leg * self.tables * self.steps_per_update


AnyLearner = MonteCarlo | DeepMonteCarlo | TemporalDifference | PPO | MaskablePPO | PPOSB3 | DQNSB3
KINDS: dict[str, type[_Part]] = {
    get_args(each.model_fields["kind"].annotation)[0]: each for each in get_args(AnyLearner)
}
"""The parts that a learner may be, by the ``kind`` that says which."""


class Benchmark(_Part):
    """What the trained policy is measured against, on the same shoes."""

    rounds: int = Field(1_000_000, ge=2)
    strategies: list[str] = ["basic", "mimic", "threshold:15", "random"]

    @field_validator("strategies")
    @classmethod
    def _are_known(cls, strategies: list[str]) -> list[str]:
        for strategy in strategies:
            decision_from(strategy)
        return strategies


class Config(_Part):
    """A whole run.

    Attributes:
        name: of the run, and of its folder.
        seed: of everything that chance decides.
        workers: threads or processes.
        evaluations: how many exact evaluations there are, spread evenly over the legs of the training.
        environment: the game.
        learner: who learns it, and how.
        benchmark: what is played at the end.
    """

    name: str
    seed: int = Field(1, ge=0, lt=2**32)
    workers: int = Field(2, gt=0)
    evaluations: int = Field(20, gt=0)
    environment: Environment = Environment()
    learner: Annotated[AnyLearner, Field(discriminator="kind")]
    benchmark: Benchmark = Field(default_factory=lambda: Benchmark.model_validate({}))

    @field_validator("name")
    @classmethod
    def _names_a_folder(cls, name: str) -> str:
        if not re.fullmatch("[a-z0-9][a-z0-9-]{0,60}", name):
            raise ValueError("expected up to 61 small letters, digits and hyphens, to name a folder")
        return name

    @model_validator(mode="after")
    def _can_be_run(self) -> Self:
        if self.learner.legs > self.learner.length:
            raise ValueError(f"learner.legs: expected at most {self.learner.length}, the length of the training")
        if self.setting.blocks < 2:
            raise ValueError(f"benchmark.rounds: expected at least {self.setting.rounds_per_block + 1}")
        return self

    @property
    def setting(self) -> Setting:
        """What the benchmark plays."""
        seed = self.seed + EVALUATION_SEED
        return Setting(rules_from(self.environment.rules), tuple(self.environment.seats), self.benchmark.rounds, seed)


def load_config(path: str | Path, changes: Sequence[str] = ()) -> Config:
    """Read a configuration file, with changes like ``"learner.rounds=1000"`` on top.

    Raises:
        ConfigError: if the file is missing or not TOML, or a key or a value is not valid.
    """
    path = Path(path)
    try:
        said = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ConfigError(f"config {str(path)!r}: {error.strerror}") from None
    except (ValueError, RecursionError) as error:
        raise ConfigError(f"config {str(path)!r} is not TOML: {error}") from None
    for change in changes:
        _apply(said, change)
    try:
        return Config.model_validate(said)
    except ValidationError as error:
        raise ConfigError(f"config {str(path)!r}: {_explain(error)}") from None


def _apply(said: dict[str, Any], change: str) -> None:
    """Set one value by its dotted key; the value is TOML, or plain text."""
    key, equals, value = change.partition("=")
    if not equals or not key:
        raise ConfigError(f"--set: expected key=value like learner.rounds=1000, got {change!r}")
    *path, last = key.split(".")
    for name in path:
        said = said.setdefault(name, {})
        if not isinstance(said, dict):
            raise ConfigError(f"--set {change}: {name!r} is a value and has no keys")
    try:
        said[last] = tomllib.loads(f"value = {value}")["value"]
    except (ValueError, RecursionError):
        said[last] = value


def _explain(error: ValidationError) -> str:
    """Say in one line what is wrong first."""
    first = error.errors()[0]
    where, keys = _place(first["loc"])
    if first["type"] == "extra_forbidden":
        return f"unknown key {'.'.join(where)!r}; {choices(where[-1], keys)}"
    if first["type"].startswith("union_tag"):
        came = first["input"].get("kind")
        return f"learner.kind: {'field required' if came is None else f'unknown kind {came!r}'}; {choices(came, KINDS)}"
    message = first["msg"].removeprefix("Value error, ")
    came = "" if isinstance(first["input"], Mapping) else f", got {first['input']!r}"
    return ": ".join([*filter(None, [".".join(where)]), message[0].lower() + message[1:] + came])


def _place(location: Sequence[int | str]) -> tuple[list[str], list[str]]:
    """Return the keys that lead to a place, without the kind that pydantic adds, and those that are valid beside it."""
    part: Any = Config
    where: list[str] = []
    keys: list[str] = []
    for step in location:
        if where == ["learner"] and step in KINDS:
            part = KINDS[str(step)]
        else:
            fields = getattr(part, "model_fields", {})
            where, keys = [*where, str(step)], list(fields)
            part = fields[step].annotation if step in fields else None
    return where, keys
