"""Deep Monte Carlo: a network learns the returns of exploring starts with greedy continuation.

As tabular Monte Carlo control with exploring starts (`agents/learners/monte_carlo.py`), but play is by a network,
which says what each action is worth from the observation, and which is all that is saved. Rounds pay their exact
expectation over the dealer's hand; they are played in iterations, each by the network as it stood. (Riedmiller,
"Neural fitted Q iteration", 2005, with returns in place of bootstrapped targets; Zha et al., "DouZero", 2021, for the
name.)

The squared error to all returns of a state and an action is, but for a constant, that to their mean, as many times. So
returns are added up by situation before the network sees them, and each step of gradient descent takes in all of them.
"""

from collections.abc import Callable, Mapping

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from agents.run.config import Config
from agents.run.settings import DeepMonteCarloSettings
from agents.run.training import Tensors
from agents.shared.cells import ACTIONS, Floats, greedy_actions, rows_of
from agents.shared.networks import Adam, exported, network
from agents.shared.returns import Returns, exploring_starts, play, return_statistics
from bj_env.compiled.information_states import CELLS, situations
from bj_env.env.env import BlackjackEnv
from bj_env.strategies.saved_policy import Profile


class DeepMonteCarloLearner:
    """Learns a network from the returns of whole rounds.

    Args:
        config: of the run, with a `DeepMonteCarloSettings` learner.
    """

    unit = "rounds"

    def __init__(self, config: Config) -> None:
        assert isinstance(config.learner, DeepMonteCarloSettings)
        torch.set_num_threads(1)  # more threads wait for each other on networks this small
        game = config.environment
        env = BlackjackEnv(rules=game.rules, seats=game.seats)
        self.config, self.learner = config, config.learner
        self.profile = Profile("network", env.rules, len(game.seats), env.bets, ("hand",), activation="relu")
        self.found = situations(env.rules)
        self.features = features_of_cells(self.profile)
        widths = [self.features.shape[1], *self.learner.hidden_sizes, ACTIONS]
        self.network = network(widths, 0.01, torch.Generator().manual_seed(config.seed))
        self.adam = Adam(dict(self.network.named_parameters()), self.learner.learning_rate)
        self.returns = Returns.none(len(self.found.legal))
        self.done = self.iteration = 0

    def train_interval(self, progress: Callable[[int], None]) -> Mapping[str, float]:
        """Play the iterations up to the next checkpoint and learn from each; return what is to be logged."""
        learner = self.learner
        nets, loss = np.zeros(3), 0.0
        for _ in range(learner.iterations_per_checkpoint):
            greedy = greedy_actions(self.found, self.scores())
            behaviour = exploring_starts(self.profile.rules, self.returns, greedy, learner)
            fresh = play(self.config, behaviour, learner.rounds_per_iteration, self.iteration, progress)
            self.iteration += 1
            self.returns = self.returns.counted((1 - 1 / self.iteration) ** learner.recency_exponent).plus(fresh)
            self.done += int(fresh.nets[0])
            nets += fresh.nets
            loss = self._learn()
        return {**return_statistics(nets), "loss": loss, "learning_rate": self.rate()}

    def rate(self) -> float:
        """Return the learning rate, which falls to nothing: else the network would never come to rest."""
        return self.learner.learning_rate * max(0.0, 1 - self.done / self.learner.rounds)

    @torch.no_grad()
    def scores(self) -> Floats:
        """Return what the network says each action is worth in each cell, ``[C, A]``."""
        scores: Floats = self.network(self.features).numpy().astype(np.float64)
        return scores

    def _learn(self) -> float:
        """Take steps of gradient descent; return the last loss."""
        cells, targets, weights = self._lessons()
        self.adam.set_rate(self.rate())
        loss = torch.zeros(())
        for _ in range(self.learner.gradient_steps):
            errors = self.network(self.features[cells]) - targets
            loss = (weights * errors.square()).sum()
            self.adam.zero_grad()
            loss.backward()
            self.adam.step()
        return float(loss.detach())

    def _lessons(self) -> tuple[Tensor, Tensor, Tensor]:
        """Return the cells that have come up, the mean returns there, and how much each matters."""
        cell = self.found.cell()[:, None] * ACTIONS + np.arange(ACTIONS)
        weights = np.bincount(cell.ravel(), self.returns.weights, CELLS * ACTIONS).reshape(CELLS, ACTIONS)
        sums = np.bincount(cell.ravel(), self.returns.sums, CELLS * ACTIONS).reshape(CELLS, ACTIONS)
        known = np.flatnonzero(weights.sum(axis=1) > 0)
        means = np.divide(sums, weights, out=np.zeros_like(sums), where=weights > 0)[known]
        matters = weights[known] ** self.learner.count_exponent
        return torch.from_numpy(known), _floats(means), _floats(matters / matters.sum())

    def policy(self) -> Tensors:
        """Return the network as it stands."""
        return exported(self.network)

    def state(self) -> Tensors:
        """Return all that training goes on from."""
        counters = np.array([self.done, self.iteration])
        return {**self.adam.as_arrays(), **self.returns._asdict(), "counters": counters}

    def restore(self, state: Tensors) -> None:
        """Go back to a state."""
        self.adam.read(state)
        self.returns = Returns(*(state[name] for name in Returns._fields))
        self.done, self.iteration = state["counters"].tolist()


def features_of_cells(profile: Profile) -> Tensor:
    """Return what is seen in each cell with the only bet on the table, ``[C, W]``."""
    layout = profile.layout(profile.rules, profile.seats)
    rows = np.column_stack([rows_of(np.arange(CELLS)), np.ones(CELLS, np.int64)])
    return torch.from_numpy(np.stack([layout.encode(row) for row in rows.tolist()]))


def _floats(values: NDArray[np.float64]) -> Tensor:
    return torch.from_numpy(values.astype(np.float32))
