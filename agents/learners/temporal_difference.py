"""Temporal-difference control at compiled speed: SARSA, expected SARSA, Q-learning and double Q-learning.

Sutton & Barto, "Reinforcement Learning", 2nd ed., sections 6.4 to 6.7; van Hasselt, "Double Q-learning", 2010. A table
holds what each action is worth in each cell. Every decision moves its entry towards its *target*: what its hand has won
if the round is over for it, and else what the next decision of the hand is held to be worth:

- *sarsa*: what the action is worth that was then taken;
- *expected-sarsa*: what the actions are worth, each as often as the behaviour takes it;
- *q-learning*: what the legal action is worth that is worth most;
- *double-q-learning*: there are two tables, and a coin says which one a decision moves. This one chooses the legal
  action, the other one says what it is worth, so that no entry is believed because it happens to be too high.

Three things make it right for blackjack. After a split a hand is followed by two, so the target is the sum over both;
a flat episode, in which one decision simply follows the other, credits the second hand's fate to the first one's last
decision, and learns wrong values for all split hands. Bootstraps look at legal actions only. A round is worth its net,
so nothing is discounted within it.

Rounds are played in iterations, each epsilon-greedily under the table as it stood at the start; epsilon shrinks to
nothing. The first two methods learn what their own tries cost, so they want a small epsilon and a ``power`` below 1,
which forgets; the others learn the best play from any tries. Within a chunk of rounds the last decision learns first,
so that news goes up a hand at once. The step size is ``visits ** -power``: a constant one would leave noise for good.
The policy goes by the mean of the tables after all iterations, in which the later ones count more (Polyak & Juditsky,
1992; Shamir & Zhang, 2013), and so has less noise than the last table.

Letters: ``T`` tables, ``C`` cells, ``A`` actions, ``K`` situations, ``N`` decisions.
"""

from collections.abc import Callable, Iterator, Mapping

import numpy as np

from agents.run.config import Config
from agents.run.settings import TemporalDifferenceSettings
from agents.run.training import Tensors
from agents.shared.cells import ACTIONS, Bytes, Floats, Ints, greedy_actions, scores_of_cells, table_profile
from agents.shared.returns import net_moments, return_statistics
from bj_env.compiled.compiling import inlined, kernel
from bj_env.compiled.exploration_kernels import PROBABILITY_SCALE, Behaviour, Experience
from bj_env.compiled.explore import explore
from bj_env.compiled.information_states import CELLS, situations

SARSA, EXPECTED_SARSA, BEST = range(3)
"""What a decision is held to be worth by the one before it."""

BOOTSTRAPS = {"sarsa": SARSA, "expected-sarsa": EXPECTED_SARSA, "q-learning": BEST, "double-q-learning": BEST}

LEARNED = ("values", "visits", "mean")

LATE = 3
"""Table ``g`` counts about in proportion to ``g ** LATE``."""


class TemporalDifferenceLearner:
    """Learns a table from each decision and the one after it.

    Args:
        config: of the run, with a `TemporalDifferenceSettings` learner.
    """

    unit = "rounds"

    def __init__(self, config: Config) -> None:
        assert isinstance(config.learner, TemporalDifferenceSettings)
        self.config, self.learner = config, config.learner
        self.profile = table_profile(config)
        self.found = situations(self.profile.rules)
        self.cells, self.legal = self.found.cell(), self.found.legal
        tables = 2 if self.learner.method == "double-q-learning" else 1
        self.values, self.visits = np.zeros((2, tables, CELLS, ACTIONS))
        self.mean = np.zeros((CELLS, ACTIONS))
        self.done = self.iteration = 0

    def train_interval(self, progress: Callable[[int], None]) -> Mapping[str, float]:
        """Play the iterations up to the next checkpoint; return what is to be logged."""
        learner = self.learner
        nets = np.zeros(3)
        for _ in range(learner.iterations_per_checkpoint):
            epsilon = self._epsilon()
            nets += self._play(learner.rounds_per_iteration, epsilon, progress)
            self.iteration += 1
            self.mean += (self.values.mean(axis=0) - self.mean) * (LATE + 1) / (LATE + self.iteration)
        return {**return_statistics(nets), "exploration_rate": epsilon}

    def _epsilon(self) -> float:
        return self.learner.epsilon * max(0.0, 1 - self.done / self.learner.rounds)

    def _play(self, rounds: int, epsilon: float, progress: Callable[[int], None]) -> Floats:
        """Play a iteration and learn from it; return the number of rounds, the sum of their nets, and the squares."""
        greedy = greedy_actions(self.found, self.values.mean(axis=0))
        rng, nets = np.random.default_rng([self.config.seed, self.iteration]), np.zeros(3)
        for played in self._experience(greedy, rounds, epsilon):
            self._learn(played, greedy, epsilon, rng)
            nets += net_moments(played)
            progress(len(played.nets))
            self.done += len(played.nets)
        return nets

    def _experience(self, greedy: Bytes, rounds: int, epsilon: float) -> Iterator[Experience]:
        game = self.config.environment
        return explore(
            self.profile.rules,
            game.seats,
            Behaviour(greedy, self.legal, round(PROBABILITY_SCALE * epsilon), once=False),
            rounds,
            lambda played: played,
            seed=self.config.training_seed(self.iteration),
            expected=game.reward == "expected",
            threads=self.config.workers,
        )

    def _learn(self, played: Experience, greedy: Bytes, epsilon: float, rng: np.random.Generator) -> None:
        """Learn from a chunk of rounds."""
        tables = len(self.values)
        coins = rng.integers(0, tables, len(played.action), np.uint8)
        bootstrap, power = BOOTSTRAPS[self.learner.method], self.learner.step_size_exponent
        ahead = np.zeros(len(coins))
        learn_compiled(
            played, self.cells, self.legal, greedy, coins, bootstrap, epsilon, power, ahead, self.values, self.visits
        )

    def policy(self) -> Tensors:
        """Return the greedy table as it stands."""
        return {"scores": scores_of_cells(self.mean)}

    def state(self) -> Tensors:
        """Return all that training goes on from."""
        numbers = {"done": np.array([self.done]), "iteration": np.array([self.iteration])}
        return {name: getattr(self, name).copy() for name in LEARNED} | numbers

    def restore(self, state: Tensors) -> None:
        """Go back to a state."""
        self.values, self.visits, self.mean = (state[name].copy() for name in LEARNED)
        self.done, self.iteration = int(state["done"][0]), int(state["iteration"][0])


@inlined
def worth(
    values: Floats, table: int, cell: int, legal: int, greedy: int, action: int, bootstrap: int, epsilon: float
) -> float:
    """Return what a decision is held to be worth by one that moves a table.

    Args:
        values: of all tables, ``[T, C, A]``.
        table: the one that is moved.
        cell, legal, greedy, action: of the decision that is worth it; ``legal`` are bits ``1 << action``.
        bootstrap: see `BOOTSTRAPS`.
        epsilon: how likely the behaviour draws an action.

    >>> values = np.array([[[-1.0, 3.0, 5.0]], [[0.5, 2.0, 4.0]]])
    >>> worth(values, 0, 0, 0b011, 1, 0, BEST, 0.0), worth(values[:1], 0, 0, 0b011, 1, 0, EXPECTED_SARSA, 0.25)
    (2.0, 2.5)
    """
    worth_of_action: float = values[table, cell, action]
    if bootstrap == SARSA:
        return worth_of_action
    best, total, many = -1, 0.0, 0
    for other in range(values.shape[2]):
        if legal >> other & 1:
            if best < 0 or values[table, cell, other] > values[table, cell, best]:
                best = other
            total += values[table, cell, other]
            many += 1
    if bootstrap == EXPECTED_SARSA:
        return float((1 - epsilon) * values[table, cell, greedy] + epsilon * total / many)
    return float(values[values.shape[0] - 1 - table, cell, best])


def learn(
    played: Experience,
    cells: Ints,
    legal: Ints,
    greedy: Bytes,
    coins: Bytes,
    bootstrap: int,
    epsilon: float,
    power: float,
    ahead: Floats,
    values: Floats,
    visits: Floats,
) -> None:
    """Move the tables by some decisions, the last one first.

    Args:
        played: the decisions.
        cells, legal, greedy: the cell, the legal actions and the greedy one of each situation, ``[K]``.
        coins: which table each decision moves, ``[N]``.
        bootstrap, epsilon: see `worth`.
        power: of the step size.
        ahead: room for what is worth what follows each decision, zeros, ``[N]``.
        values: of all tables, ``[T, C, A]``.
        visits: how often each was moved, ``[T, C, A]``.
    """
    for at in range(played.situation.shape[0] - 1, -1, -1):
        situation, action, table, before = played.situation[at], played.action[at], coins[at], played.parent[at]
        cell = cells[situation]
        visits[table, cell, action] += 1.0
        target = played.reward[at] + ahead[at]
        step = visits[table, cell, action] ** -power
        values[table, cell, action] += step * (target - values[table, cell, action])
        if before >= 0:
            asked = coins[before]
            ahead[before] += worth(values, asked, cell, legal[situation], greedy[situation], action, bootstrap, epsilon)


learn_compiled = kernel(learn)
