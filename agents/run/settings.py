"""The settings of every learner: the keys of ``[learner]`` in a configuration, by its ``kind``.

A learner of one's own brings a subclass of `LearnerSettings` as its attribute ``Settings``; see `agents.run.kinds`.
"""

from abc import ABC, abstractmethod
from typing import Annotated, ClassVar, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from bj_env.game.rng import TABLES

Layer = Annotated[int, Field(gt=0, le=4096)]
"""Units of a hidden layer."""

Layers = Annotated[list[Layer], Field(min_length=1, max_length=16)]
"""Units of each hidden layer."""

Count = Annotated[int, Field(gt=0, le=1_000_000)]
"""How often something is done, or how many there are at once: with more, no training ends, or none begins."""

Length = Annotated[int, Field(gt=0, le=10**15)]
"""Length of a whole training, in rounds or steps."""

LearningRate = Annotated[float, Field(gt=0, le=1)]
"""The step size of Adam. Adam moves every weight by about this much a step, so that more than 1 is never useful."""


class Section(BaseModel):
    """A section of a configuration: unknown keys and other types are refused, and it is immutable."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, allow_inf_nan=False)


class LearnerSettings(Section, ABC):
    """What the settings of every learner have.

    Attributes:
        implementation: the learner's class as ``module:class``; empty where ``kind`` names it.
        kind: one of `agents.run.kinds.KINDS`, or ``module:class``.
        checkpoints: checkpoints of a training, at equal intervals.
    """

    implementation: ClassVar[str] = ""

    kind: str
    checkpoints: Count = 20

    @property
    @abstractmethod
    def length(self) -> int:
        """Rounds or steps of the whole training."""


class RoundsSettings(LearnerSettings):
    """What learners share whose training is counted in rounds.

    Attributes:
        rounds: of the whole training.
        iterations_per_checkpoint: between two checkpoints; during an iteration the policy that plays stays the same.
    """

    rounds: Length
    iterations_per_checkpoint: Count = 10

    @property
    def length(self) -> int:
        """Rounds of the whole training."""
        return self.rounds

    @property
    def rounds_per_iteration(self) -> int:
        """Rounds that are played under one policy."""
        return max(1, self.rounds // (self.checkpoints * self.iterations_per_checkpoint))

    @model_validator(mode="after")
    def _has_tables_enough(self) -> Self:
        """Refuse iterations of more rounds than a seed has shoes."""
        if self.rounds_per_iteration > TABLES:
            most = TABLES * self.checkpoints * self.iterations_per_checkpoint
            raise ValueError(f"expected at most {most} rounds in so many iterations, got {self.rounds}")
        return self


class ExploringStartsSettings(RoundsSettings):
    """What learners share that explore where the best action is still unknown; see ``agents/shared/returns.py``.

    Attributes:
        exploring_starts: share of the rounds that start in such a state.
        exploration_rate: probability that a hand takes one of the candidate actions in place of the greedy one.
        elimination_stderrs: an action is eliminated when its mean return lies more than this many standard errors
            below the best.
        recency_exponent: the returns of iteration ``i`` count in proportion to ``i ** recency_exponent``.
    """

    exploring_starts: float = Field(0.7, ge=0, lt=1)
    exploration_rate: float = Field(0.7, gt=0, le=1)
    elimination_stderrs: float = Field(3.0, gt=0)
    recency_exponent: float = Field(1.0, ge=0)


class MonteCarloSettings(ExploringStartsSettings):
    """Tabular Monte Carlo control; see ``agents/learners/monte_carlo.py``.

    Attributes:
        exploration: how other actions than the greedy one are explored.
        epsilon: probability of a random action in epsilon-greedy play, at first; it falls to 0.
    """

    implementation = "agents.learners.monte_carlo:MonteCarloLearner"

    kind: Literal["monte-carlo"]
    exploration: Literal["exploring-starts", "epsilon-greedy"] = "exploring-starts"
    epsilon: float = Field(0.2, ge=0, le=1)


class DeepMonteCarloSettings(ExploringStartsSettings):
    """A network that learns returns; see ``agents/learners/deep_monte_carlo.py``.

    Attributes:
        gradient_steps: after each iteration.
        hidden_sizes: units of the hidden layers.
        learning_rate: of Adam, at first; it falls to 0.
        count_exponent: a state counts in the loss in proportion to its number of returns to this power.
    """

    implementation = "agents.learners.deep_monte_carlo:DeepMonteCarloLearner"

    kind: Literal["deep-monte-carlo"]
    gradient_steps: Count = 50
    hidden_sizes: Layers = [128, 128]
    learning_rate: LearningRate = 3e-3
    count_exponent: float = Field(0.5, gt=0, le=1)


class TemporalDifferenceSettings(RoundsSettings):
    """Tabular SARSA, expected SARSA, Q-learning and double Q-learning; see ``agents/learners/temporal_difference.py``.

    Attributes:
        method: which of them.
        epsilon: probability of a random action, at first; it falls to 0.
        step_size_exponent: the step size is the number of visits to the power of minus this.
    """

    implementation = "agents.learners.temporal_difference:TemporalDifferenceLearner"

    kind: Literal["temporal-difference"]
    method: Literal["sarsa", "expected-sarsa", "q-learning", "double-q-learning"]
    epsilon: float = Field(0.5, gt=0, le=1)
    step_size_exponent: float = Field(0.8, gt=0.5, le=1)


class RuleConditionedSettings(RoundsSettings):
    """One network for all rules; see ``agents/learners/rule_conditioned.py``.

    Attributes:
        rule_sets: of an iteration; the same number of rounds is played under each.
        gradient_steps: after each iteration.
        batch_size: rule sets of a gradient step.
        buffer_size: rule sets that the replay buffer holds; the older half of all is forgotten anyway.
        hidden_sizes: units of the hidden layers.
        learning_rate: of Adam, at first; it falls to 0.
        exploring_starts: share of the rounds that start where the best action is still unknown.
        exploration_rate: probability that a hand takes one of the candidate actions in place of the greedy one.
        elimination_margin: an action is eliminated when its score lies more than this many bets below the best; it
            starts at 1 and falls to this.
    """

    implementation = "agents.learners.rule_conditioned:RuleConditionedLearner"

    kind: Literal["rule-conditioned"]
    checkpoints: Count = 10
    iterations_per_checkpoint: Count = 40
    rule_sets: Count = 10
    gradient_steps: Count = 30
    batch_size: Count = 8
    buffer_size: int = Field(1500, gt=0, le=20_000)
    hidden_sizes: Layers = [256, 128]
    learning_rate: LearningRate = 2e-3
    exploring_starts: float = Field(0.7, ge=0, lt=1)
    exploration_rate: float = Field(0.7, gt=0, le=1)
    elimination_margin: float = Field(0.1, gt=0, le=1)


class PPOSettings(LearnerSettings):
    """Proximal policy optimization; see ``agents/learners/ppo.py``.

    Attributes:
        steps: of all environments together, less what does not fill a batch in each checkpoint interval.
        num_envs: environments that are played at once.
        steps_per_update: of each environment, before the next gradient step.
        epochs: passes over a batch.
        minibatches: gradient steps of an epoch.
        learning_rate: of Adam, at first; it falls to 0.
        entropy_coefficient: weight of the entropy bonus, at first; it falls to 0. Advantages are in bets, so is it.
        clip_range: how far the ratio of new to old probability may move from 1.
        gae_lambda: of the advantages.
        hidden_sizes: units of the hidden layers.
    """

    implementation = "agents.learners.ppo:PPOLearner"

    kind: Literal["ppo"]
    steps: Length
    num_envs: int = Field(4096, ge=16, le=1_000_000)
    steps_per_update: int = Field(32, ge=4, le=10_000)
    epochs: Count = 4
    minibatches: Count = 8
    learning_rate: LearningRate = 3e-3
    entropy_coefficient: float = Field(0.1, ge=0, le=10)
    clip_range: float = Field(0.2, gt=0, le=10)
    gae_lambda: float = Field(1.0, ge=0, le=1)
    hidden_sizes: Layers = [64, 64]

    @model_validator(mode="after")
    def _fills_its_intervals(self) -> Self:
        if not self.updates_per_interval:
            least = self.checkpoints * self.num_envs * self.steps_per_update
            factors = "checkpoints * num_envs * steps_per_update"
            raise ValueError(f"steps: expected at least {least}, {factors}, got {self.steps}")
        return self

    @property
    def updates_per_interval(self) -> int:
        """Batches that are played and learned from between two checkpoints."""
        return self.steps // (self.checkpoints * self.num_envs * self.steps_per_update)

    @property
    def length(self) -> int:
        """Steps of the whole training."""
        return self.checkpoints * self.updates_per_interval * self.num_envs * self.steps_per_update


class SB3OnPolicySettings(LearnerSettings):
    """What PPO and MaskablePPO of Stable-Baselines3 share; see ``agents/shared/sb3.py``.

    Attributes:
        steps: of all environments together.
        num_envs: environments that are played at once.
        steps_per_update: of each environment, before the next gradient step.
        batch_size: of a gradient step.
        epochs: passes over the steps of an update.
        learning_rate: of Adam, at first; it falls to 0.
        entropy_coefficient: weight of the entropy bonus.
        hidden_sizes: units of the hidden layers.
    """

    steps: Length
    num_envs: Count = 1024
    steps_per_update: int = Field(16, gt=1, le=10_000)
    batch_size: int = Field(4096, gt=1, le=1_000_000)
    epochs: Count = 4
    learning_rate: LearningRate = 1e-3
    entropy_coefficient: float = Field(0.01, ge=0, le=1)
    hidden_sizes: Layers = [64, 64]

    @property
    def length(self) -> int:
        """Steps of the whole training."""
        return self.steps

    @model_validator(mode="after")
    def _updates_divide_into_batches(self) -> Self:
        update = self.num_envs * self.steps_per_update
        if update % self.batch_size:
            valid = next((size for size in range(min(self.batch_size, update), 1, -1) if update % size == 0), update)
            raise ValueError(
                f"expected a batch_size that divides an update's {update} steps, like {valid}, got {self.batch_size}"
            )
        least = self.checkpoints * update
        if self.steps < least:
            raise ValueError(
                f"expected steps for an update of {update} before each checkpoint, at least {least}, got {self.steps}"
            )
        return self


class MaskablePPOSettings(SB3OnPolicySettings):
    """MaskablePPO of sb3-contrib; see ``agents/learners/maskable_ppo.py``."""

    implementation = "agents.learners.maskable_ppo:MaskablePPOLearner"

    kind: Literal["maskable-ppo"]


class SB3PPOSettings(SB3OnPolicySettings):
    """PPO of Stable-Baselines3; see ``agents/learners/ppo_sb3.py``."""

    implementation = "agents.learners.ppo_sb3:SB3PPOLearner"

    kind: Literal["ppo-sb3"]


class SB3DQNSettings(LearnerSettings):
    """DQN of Stable-Baselines3; see ``agents/learners/dqn_sb3.py``.

    Attributes:
        steps: of all environments together.
        num_envs: environments that are played at once.
        buffer_size: steps that the replay buffer holds; each checkpoint interval begins with an empty one.
        learning_starts: steps before the first gradient step of a checkpoint interval.
        gradient_steps: after each step of all environments.
        batch_size: of a gradient step.
        learning_rate: of Adam, at first; it falls to 0.
        n_steps: steps to which the targets look ahead.
        tau: how far the target network follows at each step.
        exploration_rate: probability of a random action from a fifth of the training on.
        hidden_sizes: units of the hidden layers.
    """

    implementation = "agents.learners.dqn_sb3:SB3DQNLearner"

    kind: Literal["dqn-sb3"]
    steps: Length
    num_envs: Count = 256
    buffer_size: Count = 100_000
    learning_starts: int = Field(10_000, ge=0)
    gradient_steps: Count = 1
    batch_size: Count = 512
    learning_rate: LearningRate = 1e-3
    n_steps: Count = 8
    tau: float = Field(0.01, gt=0, le=1)
    exploration_rate: float = Field(0.1, ge=0, le=1)
    hidden_sizes: Layers = [64, 64]

    @property
    def length(self) -> int:
        """Steps of the whole training."""
        return self.steps

    @model_validator(mode="after")
    def _intervals_fill_the_buffer(self) -> Self:
        """Refuse checkpoint intervals in which nothing is learned."""
        begun = self.learning_starts + self.num_envs
        least = self.checkpoints * begun
        if self.steps < least:
            raise ValueError(
                f"expected steps to start learning before each checkpoint, {begun}, at least {least}, got {self.steps}"
            )
        return self
