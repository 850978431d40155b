"""Deep Monte Carlo with the rules as input: one network for every house, those that it has never seen included.

It scores the actions of a hand under some rules by their return, and learns in iterations as
`agents.learners.deep_monte_carlo`
does:

- *explore*: rule sets are drawn (`agents.shared.random_rules`). Under each, rounds are played greedily by the network,
  but for tries of actions that it scores nearly as high as the best, and under every `WIDE`-th set of any legal ones.
- *regress*: the scores are drawn to the mean returns by rule set, cell and action. They count by how many returns they
  are the mean of, which makes the gradient that of all returns. The older half of all rule sets is forgotten, and more
  than `buffer_size` of them, since they were played by worse networks.

No value of the solver is used, nor a rule set that `agents.shared.random_rules.is_held_out`.

Letters: ``S`` rule sets, ``C`` cells that are ever asked about, ``A`` actions, ``P`` pairs of such a cell and an
action, ``K`` situations (see `bj_env.compiled.information_states`), ``W`` features.
"""

from collections.abc import Callable, Mapping
from functools import cache
from itertools import islice, product

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from agents.run.config import Config
from agents.run.settings import RuleConditionedSettings
from agents.run.training import Tensors
from agents.shared.cells import ACTIONS, Floats, Ints, greedy_actions, rows_of
from agents.shared.networks import Adam, exported, network
from agents.shared.random_rules import rule_sets
from agents.shared.returns import Returns, candidate_actions, open_starts, play, return_statistics
from bj_env.compiled.exploration_kernels import PROBABILITY_SCALE, Behaviour
from bj_env.compiled.hand_tables import ROWS, hand_row, table_hands
from bj_env.compiled.information_states import CELLS, Situations, situations
from bj_env.compiled.lookup_policies import UPCARDS
from bj_env.env.env import BlackjackEnv
from bj_env.observation import Layout, rules_columns, rules_row
from bj_env.rules.houses import text
from bj_env.rules.terms import Action, Phase, Rules
from bj_env.strategies.saved_policy import Profile

PARTS = ("hand", "rules")

WIDE = 10
"""Under one set of so many every legal action is tried, lest a score that is too low by far should stay so."""

PER_MILLE = 1000
"""Returns are counted so by round, which suits numbers of 16 bits."""

Floats32 = NDArray[np.float32]


class ReplayBuffer:
    """What came of the newest rule sets.

    Args:
        room: for how many sets.
        width: of the features of rules.

    Attributes:
        rules: features, ``[S, W]``.
        means: mean returns, ``[S, P]``.
        counts: of how many returns, ``[S, P]``.
    """

    def __init__(self, room: int, width: int) -> None:
        self.rules = np.zeros((room, width), np.float32)
        self.means, self.counts = np.zeros((2, room, len(pairs())), np.float16)

    def keep(self, number: int, rules: Floats32, returns: Returns, cells: Ints, counted: NDArray[np.bool_]) -> None:
        """Keep what came of rule set ``number`` in the place of an older one.

        Args:
            number: of the set, counted from 0 by the learner.
            rules: its features, ``[W]``.
            returns: what came of each action in each situation.
            cells: of the situations, ``[K]``.
            counted: which of these returns count, ``[K, A]``.
        """
        place, many = (cells[:, None] * ACTIONS + np.arange(ACTIONS)).ravel(), CELLS * ACTIONS
        weights, squared, sums = (
            np.bincount(place, part * counted.ravel(), many)[pairs()]
            for part in (returns.weights, returns.squared, returns.sums)
        )
        there = weights > 0
        slot = number % len(self.rules)
        self.rules[slot] = rules
        self.means[slot] = np.divide(sums, weights, out=np.zeros(len(sums)), where=there)
        count = np.divide(weights**2, squared, out=np.zeros(len(sums)), where=there)
        self.counts[slot] = PER_MILLE * count / returns.nets[0]

    def some(self, number: int, many: int, rng: np.random.Generator) -> tuple[Tensor, Tensor, Tensor]:
        """Draw from the younger half of ``number`` sets, if there is room for it; return features, means, counts."""
        oldest = max(number // 2, number - len(self.rules))
        slots = rng.integers(oldest, number, many) % len(self.rules)
        means, counts = (torch.from_numpy(part[slots].astype(np.float32)) for part in (self.means, self.counts))
        return torch.from_numpy(self.rules[slots]), means, counts

    def as_arrays(self) -> dict[str, NDArray[np.generic]]:
        """Return all of it, by name."""
        return {f"buffer.{name}": array.copy() for name, array in vars(self).items()}

    def read(self, state: Tensors) -> None:
        """Take it from arrays."""
        for name, array in vars(self).items():
            array[:] = state[f"buffer.{name}"]


class RuleConditionedLearner:
    """Learns one network for all rules.

    Args:
        config: of the run, with `RuleConditionedSettings`; the rules of its environment are only for evaluation.
    """

    unit = "rounds"

    def __init__(self, config: Config) -> None:
        assert isinstance(config.learner, RuleConditionedSettings)
        torch.set_num_threads(1)  # more threads wait for each other on networks this small
        self.config, self.learner = config, config.learner
        env = BlackjackEnv(rules=config.environment.rules, seats=config.environment.seats)
        self.profile = Profile("network", env.rules, len(config.environment.seats), env.bets, PARTS, activation="relu")
        self.layout = self.profile.layout(env.rules, len(config.environment.seats))
        self.hands = torch.from_numpy(features_of_hands(self.layout))
        widths = [self.layout.width, *self.learner.hidden_sizes, ACTIONS]
        self.network = network(widths, 0.01, torch.Generator().manual_seed(config.seed))
        self.adam = Adam(dict(self.network.named_parameters()), self.learner.learning_rate)
        self.buffer = ReplayBuffer(self.learner.buffer_size, self.layout.width - self.hands.shape[1])
        self.done = self.seen = self.intervals = 0

    def train_interval(self, progress: Callable[[int], None]) -> Mapping[str, float]:
        """Explore and regress up to the next checkpoint; return what is to be logged."""
        learner = self.learner
        rng, sets = (
            np.random.default_rng([self.config.seed, self.intervals]),
            rule_sets(self.config.seed, self.intervals),
        )
        rounds = max(1, learner.rounds // (learner.checkpoints * learner.iterations_per_checkpoint * learner.rule_sets))
        nets, losses = np.zeros(3), []
        for _ in range(learner.iterations_per_checkpoint):
            for rules in islice(sets, learner.rule_sets):
                nets += self._explore(rules, rounds, progress)
            losses += self._regress(rng)
        self.intervals += 1
        return {
            **return_statistics(nets),
            "loss": float(np.mean(losses)),
            "learning_rate": self.rate(),
            "elimination_margin": self.margin(),
        }

    def rate(self) -> float:
        """Return the learning rate, which falls to nothing."""
        return self.learner.learning_rate * max(0.0, 1 - self.done / self.learner.rounds)

    def margin(self) -> float:
        """Return by how much less than the best an action may be scored to be tried; it falls in a quarter of all."""
        return max(self.learner.elimination_margin, 1 - 4 * self.done / self.learner.rounds)

    def scores(self, rules: Tensor) -> Tensor:
        """Return the scores of actions in the cells of `asked`, under rules by their features, ``[S, C, A]``.

        The first layer is worked out for hands and for rules apart: it is the sum of both.
        """
        first, width = self.network[0], self.hands.shape[1]
        assert isinstance(first, nn.Linear)
        total_dependent = self.hands @ first.weight[:, :width].T
        by_rules = rules @ first.weight[:, width:].T + first.bias
        scores: Tensor = self.network[1:](total_dependent + by_rules[:, None])
        return scores

    @torch.no_grad()
    def values(self, rules: Rules) -> Floats:
        """Return the scores in all cells under some rules, 0 where nothing is ever asked, ``[CELLS, A]``."""
        values = np.zeros((CELLS, ACTIONS))
        features = torch.from_numpy(features_of_rules(self.layout, rules))
        values[asked()] = self.scores(features[None])[0].numpy()
        return values

    def _explore(self, rules: Rules, rounds: int, progress: Callable[[int], None]) -> Floats:
        """Play rounds under some rules and remember what came of them; return what `Returns` says of their nets."""
        states, values = situations(rules), self.values(rules)
        candidates = candidate_actions(
            values[states.cell()], np.full((len(states.legal), 1), self.margin() / 2), states.mask()
        )
        tried = states.legal if self.seen % WIDE == 0 else candidates
        returns = play(under(self.config, rules), self._behaviour(rules, values, tried), rounds, self.seen, progress)
        counted = in_question(states, candidates)
        self.buffer.keep(self.seen, features_of_rules(self.layout, rules), returns, states.cell(), counted)
        self.seen += 1
        self.done += int(returns.nets[0])
        return returns.nets

    def _behaviour(self, rules: Rules, values: Floats, tried: Ints) -> Behaviour:
        """Return greedy play with tries of some actions, and starts where there are any."""
        greedy, starts = greedy_actions(situations(rules), values), open_starts(rules, tried)
        share = round(PROBABILITY_SCALE * self.learner.exploring_starts) if starts.any() else 0
        return Behaviour(
            greedy,
            tried,
            round(PROBABILITY_SCALE * self.learner.exploration_rate),
            once=True,
            starts=starts,
            share=share,
        )

    def _regress(self, rng: np.random.Generator) -> list[float]:
        """Take steps of gradient descent; return the losses."""
        self.adam.set_rate(self.rate())
        losses = []
        for _ in range(self.learner.gradient_steps):
            rules, means, counts = self.buffer.some(self.seen, self.learner.batch_size, rng)
            errors = self.scores(rules).flatten(1)[:, places()] - means
            loss = (counts * errors.square()).sum() / counts.sum()
            self.adam.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call]
            self.adam.step()
            losses.append(loss.item())
        return losses

    def policy(self) -> Tensors:
        """Return the network as it stands."""
        return exported(self.network)

    def state(self) -> Tensors:
        """Return all that training goes on from."""
        counters = np.array([self.done, self.seen, self.intervals])
        return {**self.adam.as_arrays(), **self.buffer.as_arrays(), "counters": counters}

    def restore(self, state: Tensors) -> None:
        """Go back to a state."""
        self.adam.read(state)
        self.buffer.read(state)
        self.done, self.seen, self.intervals = state["counters"].tolist()


def under(config: Config, rules: Rules) -> Config:
    """Return a configuration of the same game under other rules."""
    game = config.environment.model_copy(update={"rules": text(rules)})
    return config.model_copy(update={"environment": game})


def in_question(states: Situations, candidates: Ints) -> NDArray[np.bool_]:
    """Tell in which situations the return of an action says something about its cell, ``[K, A]``.

    A cell is several situations, since not all actions are legal each time. A 16 of two cards that can be surrendered
    says nothing about whether hard 16 should stand: only where it may be played does it matter what an action is worth.
    Where it may be played nowhere, its return counts everywhere.

    Args:
        states: the situations.
        candidates: the actions that may be the best there, as bits, 0 where it is known which is, ``[K]``.
    """
    race = (candidates[:, None] >> np.arange(ACTIONS) & 1) > 0
    anywhere = np.zeros((CELLS, ACTIONS), np.bool_)
    np.logical_or.at(anywhere, states.cell(), race)
    counted: NDArray[np.bool_] = race | ~anywhere[states.cell()]
    return counted


@cache
def pairs() -> Ints:
    """Return the places ``cell * ACTIONS + action`` of what can ever be asked, ``[P]``."""
    late, early = Phase.PLAY - Phase.EARLY_SURRENDER, Phase.INSURANCE - Phase.EARLY_SURRENDER
    states = []
    for (total, soft, pair), upcard in product(table_hands(), range(UPCARDS)):
        at = hand_row(total, soft, pair) * UPCARDS + upcard
        asked = {0: [Action.SURRENDER, Action.DECLINE], late: [Action.STAND, Action.HIT, Action.DOUBLE]}
        asked[late] += [Action.SURRENDER, *([Action.SPLIT] if pair else [])]
        asked |= {early: [Action.INSURE, Action.DECLINE]} if upcard == 0 else {}
        states += [
            (phase * ROWS * UPCARDS + at) * ACTIONS + action for phase, actions in asked.items() for action in actions
        ]
    return np.array(sorted(states))


@cache
def asked() -> Ints:
    """Return the cells of `pairs`, ``[C]``."""
    return np.unique(pairs() // ACTIONS)


@cache
def places() -> Tensor:
    """Return the places of `pairs` among the cells of `asked`, ``[P]``."""
    return torch.from_numpy(np.searchsorted(asked(), pairs() // ACTIONS) * ACTIONS + pairs() % ACTIONS)


def features_of_hands(layout: Layout) -> Floats32:
    """Return what is seen of the hand in the cells of `asked`, with the only bet on the table, ``[C, W]``."""
    rest = [0] * len(rules_columns())
    seen = [layout.encode([*row, 1, *rest]) for row in rows_of(asked()).tolist()]
    return np.stack(seen)[:, : hand_width(layout)]


def features_of_rules(layout: Layout, rules: Rules) -> Floats32:
    """Return what is seen of rules, ``[W]``."""
    features: Floats32 = layout.encode([0] * layout.starts["rules"] + rules_row(rules))[hand_width(layout) :]
    return features


def hand_width(layout: Layout) -> int:
    """Return the number of features of the hand, which come first."""
    return layout.spread[layout.starts["rules"]][0]
