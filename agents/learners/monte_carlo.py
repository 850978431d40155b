"""Monte Carlo control (Sutton & Barto, "Reinforcement Learning", 2nd ed., sections 5.3 and 5.4), at compiled speed.

A table holds the mean return of each action in each situation; rounds are played greedily by it, but for

- *exploring starts*, which go where it is still open what is best, see `agents/shared/returns.py`; or
- *epsilon-greedy* play: every decision is random with a probability that falls to 0. What is learned is the
  value of playing so (on-policy control, greedy in the limit).

Rounds are played in iterations, each under the table as it stood at the start. Those of iteration ``g`` count in
proportion to ``g ** recency_exponent``, since the first ones were played under worse tables.
"""

from collections.abc import Callable, Mapping

import numpy as np

from agents.run.config import Config
from agents.run.settings import MonteCarloSettings
from agents.run.training import Tensors
from agents.shared.cells import Floats, best_orders, greedy_actions, scores_of_cells, table_profile
from agents.shared.returns import Returns, exploring_starts, play, return_statistics
from bj_env.compiled.exploration_kernels import PROBABILITY_SCALE, Behaviour
from bj_env.compiled.information_states import situations


class MonteCarloLearner:
    """Learns a table from the returns of whole rounds.

    Args:
        config: of the run, with a `MonteCarloSettings` learner.
    """

    unit = "rounds"

    def __init__(self, config: Config) -> None:
        assert isinstance(config.learner, MonteCarloSettings)
        self.config, self.learner = config, config.learner
        self.profile = table_profile(config)
        self.found = situations(self.profile.rules)
        self.returns = Returns.none(len(self.found.legal))
        self.done = self.iteration = 0

    def train_interval(self, progress: Callable[[int], None]) -> Mapping[str, float]:
        """Play the iterations up to the next checkpoint; return what is to be logged."""
        learner = self.learner
        nets = np.zeros(3)
        for _ in range(learner.iterations_per_checkpoint):
            fresh = play(self.config, self._behaviour(), learner.rounds_per_iteration, self.iteration, progress)
            self.iteration += 1
            self.returns = self.returns.counted((1 - 1 / self.iteration) ** learner.recency_exponent).plus(fresh)
            self.done += int(fresh.nets[0])
            nets += fresh.nets
        return return_statistics(nets)

    def _behaviour(self) -> Behaviour:
        learner, greedy = self.learner, greedy_actions(self.found, self.values())
        if learner.exploration == "exploring-starts":
            return exploring_starts(self.profile.rules, self.returns, greedy, learner)
        epsilon = learner.epsilon * max(0.0, 1 - self.done / learner.rounds)
        return Behaviour(greedy, self.found.legal, round(PROBABILITY_SCALE * epsilon), once=False)

    def values(self) -> Floats:
        """Return what each action is worth in each cell, ``[C, A]``."""
        return best_orders(self.found, self.returns.often, self.returns.means())

    def policy(self) -> Tensors:
        """Return the greedy table as it stands."""
        return {"scores": scores_of_cells(self.values())}

    def state(self) -> Tensors:
        """Return all that training goes on from."""
        return {**self.returns._asdict(), "counters": np.array([self.done, self.iteration])}

    def restore(self, state: Tensors) -> None:
        """Go back to a state."""
        self.returns = Returns(*(state[name] for name in Returns._fields))
        self.done, self.iteration = state["counters"].tolist()
