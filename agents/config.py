"""The configuration of a run: read from TOML, every key checked, unknown ones refused with the nearest name."""

import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from bj_env.env import BlackjackEnv
from bj_env.errors import BlackjackError, choices


class ConfigError(BlackjackError):
    """Is raised for a configuration that is not valid."""


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class Environment(_Part):
    """The game that is trained on: keyword arguments of ``Blackjack-multi-v0``."""

    rules: str = "six-deck"
    seats: list[str] = ["basic", "agent", "basic"]

    @model_validator(mode="after")
    def _makes_an_environment(self) -> Self:
        BlackjackEnv(rules=self.rules, seats=self.seats)
        return self


class MonteCarlo(_Part):
    """Tabular Monte Carlo control with exploring starts; see ``agents/monte_carlo.py``."""

    kind: Literal["monte-carlo"]
    rounds: int = Field(gt=0)
    generations: int = Field(30, gt=0)
    memory: float = Field(1.0, gt=0, le=1)
    margin: float = Field(2.0, gt=0)

    @property
    def length(self) -> int:
        """How long the training is, in what its progress counts."""
        return self.rounds


class MaskablePPO(_Part):
    """sb3-contrib's MaskablePPO; see ``agents/maskable_ppo.py``."""

    kind: Literal["maskable-ppo"]
    steps: int = Field(gt=0)
    environments: int = Field(64, gt=0)
    steps_per_update: int = Field(32, gt=1)
    batch_size: int = Field(512, gt=1)
    epochs: int = Field(10, gt=0)
    learning_rate: float = Field(1e-3, gt=0)
    entropy: float = Field(0.01, ge=0)
    hidden: list[int] = [64, 64]

    @property
    def length(self) -> int:
        """How long the training is, in what its progress counts."""
        return self.steps


class Benchmark(_Part):
    """What the trained policy is measured against, on the same shoes."""

    rounds: int = Field(1_000_000, ge=2)
    strategies: list[str] = ["basic", "mimic", "threshold:15", "random"]


class Config(_Part):
    """A whole run."""

    name: str = Field(pattern="^[a-z0-9][a-z0-9-]{0,60}$")
    seed: int = Field(1, ge=0, lt=2**32)
    workers: int = Field(2, gt=0)
    environment: Environment = Environment()
    learner: Annotated[MonteCarlo | MaskablePPO, Field(discriminator="kind")]
    benchmark: Benchmark = Field(default_factory=lambda: Benchmark.model_validate({}))


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
    where = [str(part) for part in first["loc"] if part not in ("monte-carlo", "maskable-ppo")]
    if first["type"] == "extra_forbidden":
        return f"unknown key {'.'.join(where)!r}; {choices(where[-1], _keys(where[:-1], first['loc']))}"
    message = first["msg"].removeprefix("Value error, ")
    came = "" if isinstance(first["input"], Mapping) else f", got {first['input']!r}"
    return f"{'.'.join(where) or 'config'}: {message[0].lower()}{message[1:]}{came}"


def _keys(where: Sequence[str], location: Sequence[object]) -> list[str]:
    """List the keys that are valid at a place."""
    if not where:
        return list(Config.model_fields)
    if where[0] == "learner":
        return list((MonteCarlo if "monte-carlo" in location else MaskablePPO).model_fields)
    return list((Environment if where[0] == "environment" else Benchmark).model_fields)
