"""The settings of every learner: what ``[learner]`` of a configuration may say, by its ``kind``."""

from typing import Annotated, Literal, Self, get_args

from pydantic import BaseModel, ConfigDict, Field, model_validator

from bj_env.game.rng import TABLES

Layer = Annotated[int, Field(gt=0, le=4096)]
"""How many units a hidden layer has."""

Layers = Annotated[list[Layer], Field(min_length=1, max_length=16)]
"""How many units each of the hidden layers has."""

Count = Annotated[int, Field(gt=0, le=1_000_000)]
"""How often something is done, or how many there are at once: of more no training comes to an end, or none begins."""

Length = Annotated[int, Field(gt=0, le=10**15)]
"""How long a whole training is, in rounds or steps."""


class Part(BaseModel):
    """A part of a configuration: no other keys, no other types, and it does not change."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, allow_inf_nan=False)


class Rounds(Part):
    """What learners share whose training is counted in rounds.

    Attributes:
        rounds: of the whole training.
        legs: of equal length; after each there is a checkpoint.
        generations: of a leg; in each the policy that plays stays the same.
    """

    rounds: Length
    legs: Count = 20
    generations: Count = 10

    @property
    def length(self) -> int:
        """How long the training is, in what its progress counts."""
        return self.rounds

    @property
    def rounds_of_a_generation(self) -> int:
        """How many rounds are played under one policy."""
        return max(1, self.rounds // (self.legs * self.generations))

    @model_validator(mode="after")
    def _has_tables_enough(self) -> Self:
        """Refuse generations of more rounds than a seed has shoes."""
        if self.rounds_of_a_generation > TABLES:
            most = TABLES * self.legs * self.generations
            raise ValueError(f"expected at most {most} rounds in so many legs and generations, got {self.rounds}")
        return self


class Tries(Rounds):
    """What learners share that explore where it is open what is best; see ``agents/shared/returns.py``.

    Attributes:
        starts: the share of rounds that start where it is open.
        tries: how likely an action that may be the best is tried.
        margin: how far below the best a mean return may lie to be still in the race, in standard errors.
        forgetting: generation ``g`` counts in proportion to ``g ** forgetting``.
    """

    starts: float = Field(0.7, ge=0, lt=1)
    tries: float = Field(0.7, gt=0, le=1)
    margin: float = Field(3.0, gt=0)
    forgetting: float = Field(1.0, ge=0)


class MonteCarlo(Tries):
    """Tabular Monte Carlo control; see ``agents/learners/monte_carlo.py``.

    Attributes:
        exploration: how other actions come to be tried.
        epsilon: how likely that is in epsilon-greedy play, at first; it falls to 0.
    """

    kind: Literal["monte-carlo"]
    exploration: Literal["exploring-starts", "epsilon-greedy"] = "exploring-starts"
    epsilon: float = Field(0.2, ge=0, le=1)


class TemporalDifference(Rounds):
    """Tabular SARSA, expected SARSA, Q-learning and double Q-learning; see ``agents/learners/temporal_difference.py``.

    Attributes:
        method: which of them.
        epsilon: how likely a random action is, at first; it falls to 0.
        power: the step size is the number of visits to the power of minus this.
    """

    kind: Literal["temporal-difference"]
    method: Literal["sarsa", "expected-sarsa", "q-learning", "double-q-learning"]
    epsilon: float = Field(0.5, gt=0, le=1)
    power: float = Field(0.8, gt=0.5, le=1)


class DeepMonteCarlo(Tries):
    """A network that learns returns; see ``agents/learners/deep_monte_carlo.py``.

    Attributes:
        steps: of gradient descent after each generation.
        hidden: widths of the layers between.
        learning_rate: of Adam, at first; it falls to 0.
        evenness: a mean return counts like the number of returns to this power.
    """

    kind: Literal["deep-monte-carlo"]
    steps: Count = 50
    hidden: Layers = [128, 128]
    learning_rate: float = Field(3e-3, gt=0, lt=1)
    evenness: float = Field(0.5, gt=0, le=1)


class RuleConditioned(Rounds):
    """One network for all rules; see ``agents/learners/rule_conditioned.py``.

    Attributes:
        rule_sets: of a generation; the same number of rounds is played under each.
        steps: of gradient descent after each generation.
        batch: rule sets of a step.
        memory: how many rule sets are kept at most; the older half of all is forgotten anyway.
        hidden: widths of the layers between.
        learning_rate: of Adam, at first; it falls to 0.
        starts: the share of rounds that start where it is open what is best.
        tries: how likely an action that may be the best is tried.
        margin: by how much less it may be scored than the best, in bets; 1 at first.
    """

    kind: Literal["rule-conditioned"]
    legs: Count = 10
    generations: Count = 40
    rule_sets: Count = 10
    steps: Count = 30
    batch: Count = 8
    memory: int = Field(1500, gt=0, le=20_000)
    hidden: Layers = [256, 128]
    learning_rate: float = Field(2e-3, gt=0, lt=1)
    starts: float = Field(0.7, ge=0, lt=1)
    tries: float = Field(0.7, gt=0, le=1)
    margin: float = Field(0.1, gt=0)


class PPO(Part):
    """Proximal policy optimization; see ``agents/learners/ppo.py``.

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
    steps: Length
    legs: Count = 20
    tables: int = Field(4096, ge=16, le=1_000_000)
    steps_per_update: int = Field(32, ge=4, le=10_000)
    epochs: Count = 4
    minibatches: Count = 8
    learning_rate: float = Field(3e-3, gt=0)
    entropy: float = Field(0.1, ge=0)
    clip: float = Field(0.2, gt=0)
    gae_lambda: float = Field(1.0, ge=0, le=1)
    hidden: Layers = [64, 64]

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


class OnPolicy(Part):
    """What PPO and MaskablePPO on Stable-Baselines3 share; see ``agents/shared/sb3.py``.

    Attributes:
        steps: of all tables together.
        legs: of equal length.
        environments: how many tables are played at once.
        steps_per_update: of each table, before the next gradient step.
        batch_size: of a gradient step.
        epochs: how often an update's steps are gone through.
        learning_rate: of Adam, at first; it falls to 0.
        entropy: weight of the entropy bonus.
        hidden: widths of the layers between.
    """

    steps: Length
    legs: Count = 20
    environments: Count = 1024
    steps_per_update: int = Field(16, gt=1, le=10_000)
    batch_size: int = Field(4096, gt=1, le=1_000_000)
    epochs: Count = 4
    learning_rate: float = Field(1e-3, gt=0, le=1)
    entropy: float = Field(0.01, ge=0, le=1)
    hidden: Layers = [64, 64]

    @property
    def length(self) -> int:
        """How long the training is, in what its progress counts."""
        return self.steps

    @model_validator(mode="after")
    def _updates_come_out_even(self) -> Self:
        update = self.environments * self.steps_per_update
        if update % self.batch_size:
            valid = next((size for size in range(min(self.batch_size, update), 1, -1) if update % size == 0), update)
            raise ValueError(
                f"expected a batch_size that divides an update's {update} steps, like {valid}, got {self.batch_size}"
            )
        if self.steps < self.legs * update:
            raise ValueError(
                f"expected steps for an update of {update} in each leg, at least {self.legs * update}, got {self.steps}"
            )
        return self


class MaskablePPO(OnPolicy):
    """sb3-contrib's MaskablePPO; see ``agents/learners/maskable_ppo.py``."""

    kind: Literal["maskable-ppo"]


class PPOSB3(OnPolicy):
    """Stable-Baselines3's PPO; see ``agents/learners/ppo_sb3.py``."""

    kind: Literal["ppo-sb3"]


class DQNSB3(Part):
    """Stable-Baselines3's DQN; see ``agents/learners/dqn_sb3.py``.

    Attributes:
        steps: of all tables together.
        legs: of equal length; each begins with an empty replay buffer.
        environments: how many tables are played at once.
        buffer: steps that the replay buffer holds.
        learning_starts: steps before the first gradient step of a leg.
        gradient_steps: after each step of all tables.
        batch_size: of a gradient step.
        learning_rate: of Adam, at first; it falls to 0.
        n_steps: how far targets reach ahead.
        tau: how far the target network follows at each step.
        epsilon: how likely a random action is, from a fifth of the training on.
        hidden: widths of the layers between.
    """

    kind: Literal["dqn-sb3"]
    steps: Length
    legs: Count = 20
    environments: Count = 256
    buffer: Count = 100_000
    learning_starts: int = Field(10_000, ge=0)
    gradient_steps: Count = 1
    batch_size: Count = 512
    learning_rate: float = Field(1e-3, gt=0, le=1)
    n_steps: Count = 8
    tau: float = Field(0.01, gt=0, le=1)
    epsilon: float = Field(0.1, ge=0, le=1)
    hidden: Layers = [64, 64]

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


AnyLearner = MonteCarlo | DeepMonteCarlo | TemporalDifference | PPO | RuleConditioned | MaskablePPO | PPOSB3 | DQNSB3
KINDS: dict[str, type[Part]] = {
    get_args(each.model_fields["kind"].annotation)[0]: each for each in get_args(AnyLearner)
}
"""The parts that a learner may be, by the ``kind`` that says which."""
