"""Proximal policy optimization on ``Blackjack-multi-v0``, in one file, read from top to bottom.

Formulas are cited by number: PPO is Schulman et al., "Proximal Policy Optimization Algorithms" (2017), GAE is Schulman
et al., "High-Dimensional Continuous Control Using Generalized Advantage Estimation" (2016), masks are as in Huang and
Ontañón, "A Closer Look at Invalid Action Masking in Policy Gradient Algorithms" (2022).

Three things are made for this game:

- A decision is credited with what its whole round pays, all split hands and seats of the agent in it: rewards are not
  discounted, and a ``gae_lambda`` below 1 would trust values of hands that do not know of the other bets on the table
  (0.9 insures, since the critic sees no insurance that may be lost).
- Advantages stay in bets, so the entropy coefficient is in bets too: it keeps the policy near
  ``exp(Q / coefficient)``, where an action is tried the more rarely the more it costs, but never forgotten by bad luck.
  It falls to 0 together with the learning rate, whose fall averages the noise out of what is left.
- A batch of a hundred thousand decisions holds under a thousand different situations, each an observation with a mask.
  The networks are asked once for each, so that a large batch costs little more than a small one.
"""

from collections.abc import Callable, Mapping
from itertools import product
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from agents.run.config import Config
from agents.run.settings import PPOSettings
from agents.run.training import Tensors, TrainingError
from agents.shared.networks import Adam, exported, network
from bj_env.compiled.vector_env import BlackjackVectorEnv
from bj_env.observation import Layout
from bj_env.rules.terms import Phase
from bj_env.strategies.saved_policy import Profile

VALUE_WEIGHT = 0.5
"""Of the error of the values in the loss: c1 of PPO (9)."""

LARGEST_GRADIENT = 0.5
"""Gradients of a larger norm are scaled down to it."""

IMPOSSIBLE = torch.finfo(torch.float32).min
"""The logit of an illegal action: its probability is exactly 0, and its logarithm finite, so that 0 times it is 0."""


class Batch(NamedTuple):
    """``S`` steps at ``T`` tables."""

    situations: NDArray[np.int64]  # [S + 1, T], numbers that `_situations` gives; the last row is not acted in
    decided: NDArray[np.bool_]  # [S, T], whether there was anything to decide
    actions: NDArray[np.int64]  # [S, T]
    rewards: NDArray[np.float64]  # [S, T], in bets
    ended: NDArray[np.bool_]  # [S, T], whether the round ended with the step


class Samples(NamedTuple):
    """``N`` decisions to learn from, in ``D`` different situations."""

    features: Tensor  # [D, W]
    masks: Tensor  # [D, A], true for a legal action
    before: Tensor  # [D, A], logarithms of the probabilities when the batch was played
    situations: Tensor  # [N], from 0 to D - 1
    actions: Tensor  # [N]
    advantages: Tensor  # [N]
    returns: Tensor  # [N], targets of the values


class PPOLearner:
    """Two networks of the same shape, one for the policy, one for values, and Adam."""

    unit = "steps"

    def __init__(self, config: Config) -> None:
        assert isinstance(config.learner, PPOSettings)
        torch.set_num_threads(1)  # more threads wait for each other on networks this small
        self.done = self._interval = 0
        self._config, self._learner = config, config.learner
        self._tables = BlackjackVectorEnv(
            config.learner.num_envs,
            **config.environment.model_dump(),
            encoding="discrete",
            illegal_action="raise",
            autoreset_mode="SameStep",
            threads=1,
        )
        rules, bets, seats = self._tables.settings.rules, self._tables.settings.bets, len(config.environment.seats)
        self.profile = Profile("network", rules, seats, bets, ("hand",), activation="relu")
        self._sizes, self._features = every_observation(self.profile.layout(rules, seats))
        self._generator = torch.Generator().manual_seed(config.seed)
        width, hidden, actions = self._features.shape[1], config.learner.hidden_sizes, self.profile.actions
        self._actor = network([width, *hidden, actions], 0.01, self._generator)  # all actions alike at first
        self._critic = network([width + actions, *hidden, 1], 1.0, self._generator)
        parts = {"actor": self._actor, "critic": self._critic}
        weights = {f"{part}.{name}": weight for part in parts for name, weight in parts[part].named_parameters()}
        self._adam = Adam(weights, config.learner.learning_rate)

    # --- play a batch, learn from it, again and again ----------------------------------------------------------------

    def train_interval(self, progress: Callable[[int], None]) -> Mapping[str, float]:
        """Train on fresh tables.

        Raises:
            TrainingError: if the loss is no number.
        """
        seed = self._config.training_seed(self._interval)
        self._generator.manual_seed(seed)
        self._shown = self._tables.reset(seed=seed)
        diagnostics, nets = [], []
        for _ in range(self._learner.updates_per_interval):
            batch = self._play()
            diagnostics.append(self._learn(batch))
            nets.append(batch.rewards[batch.ended])
            self.done += batch.actions.size
            progress(batch.actions.size)
        self._interval += 1
        net = np.concatenate(nets)
        means = {name: float(np.mean([each[name] for each in diagnostics])) for name in diagnostics[0]}
        return {"return": float(net.mean()), "return_stderr": float(net.std() / len(net) ** 0.5), **means}

    @torch.no_grad()
    def _play(self) -> Batch:
        """Go on for some steps at every table, with actions drawn from the policy."""
        rows: list[tuple[NDArray[Any], ...]] = []
        observations, infos = self._shown
        for _ in range(self._learner.steps_per_update):
            situations = self._situations(observations, infos["action_mask"])
            distinct, which = np.unique(situations, return_inverse=True)
            features, masks = self._look_up(distinct)
            probabilities = log_probabilities(self._actor(features), masks).exp()[torch.from_numpy(which)]
            actions = torch.multinomial(probabilities, 1, generator=self._generator)[:, 0].numpy()
            decided = observations[:, 0] != Phase.ROUND_OVER  # no use learning from a round that leaves no choice
            observations, rewards, ended, _, infos = self._tables.step(actions)
            rows.append((situations, decided, actions, rewards, ended))
        self._shown = observations, infos
        situations, *others = (np.stack(column) for column in zip(*rows, strict=True))
        return Batch(np.vstack([situations, self._situations(observations, infos["action_mask"])]), *others)

    def _learn(self, batch: Batch) -> Mapping[str, float]:
        """Take some epochs of gradient steps; return means of the last one."""
        left = 1 - self.done / self._learner.length
        entropy_coefficient = self._learner.entropy_coefficient * left
        self._adam.set_rate(self._learner.learning_rate * left)
        samples = self._samples(batch)
        for _ in range(self._learner.epochs):
            order = torch.randperm(len(samples.actions), generator=self._generator)
            for rows in order.chunk(self._learner.minibatches):
                loss, diagnostics = self._loss(samples, rows, entropy_coefficient)
                self._adam.zero_grad()
                loss.backward()  # type: ignore[no-untyped-call]
                nn.utils.clip_grad_norm_(self._adam.named.values(), LARGEST_GRADIENT)
                self._adam.step()
        if not loss.isfinite():
            raise TrainingError(f"the training diverged: loss is {loss.item():g} after {self.done:,} steps")
        return {
            **diagnostics,
            "explained_variance": explained_variance(samples),
            "learning_rate": self._learner.learning_rate * left,
            "entropy_coefficient": entropy_coefficient,
        }

    @torch.no_grad()
    def _samples(self, batch: Batch) -> Samples:
        """Return the decisions of a batch with their advantages."""
        distinct, which = np.unique(batch.situations, return_inverse=True)
        which = which.reshape(batch.situations.shape)
        features, masks = self._look_up(distinct)
        before, values = log_probabilities(self._actor(features), masks), self._values(features, masks).numpy()[which]
        advantages = estimate_advantages(batch.rewards, batch.ended, values, self._learner.gae_lambda)
        columns = (which[:-1], batch.actions, advantages, advantages + values[:-1])
        situations, actions, *floats = (torch.from_numpy(column[batch.decided]) for column in columns)
        return Samples(features, masks, before, situations, actions, *(column.float() for column in floats))

    def _loss(self, samples: Samples, rows: Tensor, entropy_coefficient: float) -> tuple[Tensor, Mapping[str, float]]:
        """Return the loss, PPO (9) with the sign changed, of some rows of the samples, and its diagnostics."""
        situations, actions, advantages = samples.situations[rows], samples.actions[rows], samples.advantages[rows]
        log_probs = log_probabilities(self._actor(samples.features), samples.masks)
        log_ratios = (log_probs - samples.before)[situations, actions]
        ratios = (log_probs - samples.before).exp()[situations, actions]
        values = self._values(samples.features, samples.masks)[situations]
        gain = clipped_gain(ratios, advantages, self._learner.clip_range)
        error = (values - samples.returns[rows]).square().mean()
        entropy = entropies(log_probs)[situations].mean()
        loss = -gain - entropy_coefficient * entropy + VALUE_WEIGHT * error
        diagnostics = {
            "loss": loss,
            "policy_loss": -gain,
            "value_loss": error,
            "entropy": entropy,
            "approx_kl": approximate_kl(log_ratios),
            "clip_fraction": ((ratios - 1).abs() > self._learner.clip_range).float().mean(),
        }
        return loss, {name: value.item() for name, value in diagnostics.items()}

    def _values(self, features: Tensor, masks: Tensor) -> Tensor:
        """Return values ``[D]``; a baseline may know whatever was there before the action, so it is told the mask."""
        values: Tensor = self._critic(torch.cat([features, masks.float()], dim=1))[:, 0]
        return values

    # --- situations --------------------------------------------------------------------------------------------------

    def _situations(self, observations: NDArray[np.int64], masks: NDArray[np.int8]) -> NDArray[np.int64]:
        """Return a number for each pair of an observation ``[T, C]`` and a mask ``[T, A]``."""
        bits = masks @ (1 << np.arange(self.profile.actions))
        numbers: NDArray[np.int64] = np.ravel_multi_index(tuple(observations.T), self._sizes)
        return numbers << self.profile.actions | bits

    def _look_up(self, situations: NDArray[np.int64]) -> tuple[Tensor, Tensor]:
        """Return features ``[D, W]`` and masks ``[D, A]`` of such numbers."""
        masks = situations[:, None] >> np.arange(self.profile.actions) & 1 > 0
        return self._features[situations >> self.profile.actions], torch.from_numpy(masks)

    # --- what is kept ------------------------------------------------------------------------------------------------

    def policy(self) -> Tensors:
        """Return the layers that lead to the actions' scores."""
        return exported(self._actor)

    def state(self) -> Tensors:
        """Return weights, moments and counters."""
        return {**self._adam.as_arrays(), "counters": np.array([self.done, self._interval])}

    def restore(self, state: Tensors) -> None:
        """Go back to a state."""
        self.done, self._interval = state["counters"].tolist()
        self._adam.read(state)


def every_observation(layout: Layout) -> tuple[list[int], Tensor]:
    """Return the sizes of the columns, and the features ``[product of sizes, W]`` of all rows there can be, in order.

    >>> from bj_env.rules.houses import parse_rules
    >>> sizes, features = every_observation(Layout(parse_rules("six-deck"), seats=1, bets=(1,)))
    >>> sizes, features.shape
    ([5, 30, 11, 11, 2], torch.Size([36300, 58]))
    """
    sizes = [column.size for column in layout.columns]
    features = [layout.encode(row) for row in product(*map(range, sizes))]
    return sizes, torch.from_numpy(np.stack(features))


# --- formulas -------------------------------------------------------------------------------------------------------


def log_probabilities(logits: Tensor, masks: Tensor) -> Tensor:
    """Return logarithms of the actions' probabilities ``[D, A]``, the legal ones' renormalised (Huang and Ontañón).

    >>> log_probabilities(torch.tensor([[2.0, 1.0, 0.5]]), torch.tensor([[False, True, True]])).exp()
    tensor([[0.0000, 0.6225, 0.3775]])
    """
    return logits.masked_fill(~masks, IMPOSSIBLE).log_softmax(dim=1)


def entropies(log_probs: Tensor) -> Tensor:
    """Return the entropy of each row, ``[D]``: S of PPO (9).

    >>> entropies(torch.tensor([[0.5, 0.5, 0.0], [0.25, 0.25, 0.5]]).log().clamp(IMPOSSIBLE))
    tensor([0.6931, 1.0397])
    """
    return -(log_probs.exp() * log_probs).sum(dim=1)


def clipped_gain(ratios: Tensor, advantages: Tensor, clip: float) -> Tensor:
    """Return the mean gain, which a step cannot raise by a ratio further than ``clip`` from 1: PPO (7).

    >>> clipped_gain(torch.tensor([1.5, 0.5]), torch.tensor([1.0, -1.0]), clip=0.2)
    tensor(0.2000)
    """
    return torch.min(ratios * advantages, ratios.clamp(1 - clip, 1 + clip) * advantages).mean()


def approximate_kl(log_ratios: Tensor) -> Tensor:
    """Return the estimate of KL(old, new), mean of (ratio - 1) - log ratio (Schulman, "Approximating KL Divergence").

    >>> approximate_kl(torch.zeros(3))
    tensor(0.)
    """
    return (log_ratios.exp() - 1 - log_ratios).mean()


def explained_variance(samples: Samples) -> float:
    """Return 1 - Var(returns - values) / Var(returns) before the update; 0 where all returns are equal."""
    variance = samples.returns.var()
    return float(1 - samples.advantages.var() / variance) if variance > 0 else 0.0


def estimate_advantages(
    rewards: NDArray[np.float64], ended: NDArray[np.bool_], values: NDArray[np.float32], gae_lambda: float
) -> NDArray[np.float64]:
    """Return advantages ``[S, T]``: GAE (16) with gamma = 1, from the last step back.

    Args:
        rewards: of each step, ``[S, T]``.
        ended: whether the round ended with it, ``[S, T]``.
        values: before each step and after the last, ``[S + 1, T]``.
        gae_lambda: 1 waits for what is paid, 0 trusts the next value.

    >>> estimate_advantages(np.array([[0.0], [1.0]]), np.array([[False], [True]]), np.full((3, 1), 0.5), 1.0)
    array([[0.5],
           [0.5]])
    """
    advantages = np.zeros_like(rewards)
    later = np.zeros_like(rewards[0])
    for step in reversed(range(len(rewards))):
        going = ~ended[step]
        surprise = rewards[step] + going * values[step + 1] - values[step]
        advantages[step] = later = surprise + gae_lambda * going * later
    return advantages
