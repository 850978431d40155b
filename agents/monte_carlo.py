"""Monte Carlo control (Sutton & Barto, "Reinforcement Learning", 2nd ed., sections 5.3 and 5.4), at compiled speed.

A table holds the mean return of each action in each situation; rounds are played greedily by it, but for tries:

- *exploring starts*: a hand tries one action at a time, drawn among those that may still be the best, and plays
  greedily from there. One whose mean return lies clearly below the best is out of the race until that changes (Maron &
  Moore, "Hoeffding races", 1994, with standard errors in place of Hoeffding's bound). A share of the rounds start from
  two cards and an up card where the race is still open; they count by how much more often chance would deal them.
- *epsilon-greedy*: every decision is a random one with a chance that shrinks to nothing; what is learned is the value
  of playing so (on-policy control, greedy in the limit).

Rounds are played in generations, each under the table as it stood at the start. Those of generation ``g`` count in
proportion to ``g ** forgetting``, since the first ones were played under worse tables.
"""

from collections.abc import Callable, Mapping
from functools import lru_cache, partial
from itertools import product
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from agents.cells import ACTIONS, Bytes, Floats, Ints, best_orders, greedy_actions, scores_of_cells, table_profile
from agents.config import Config, MonteCarlo
from agents.training import Tensors
from bj_env.cards import from_face
from bj_env.fast.explore import explore, returns_of, start_chances
from bj_env.fast.exploring import ALWAYS, Behaviour, Experience
from bj_env.fast.hand_tables import hand_row
from bj_env.fast.plans import plan_place
from bj_env.fast.situations import situations
from bj_env.hand import Hand
from bj_env.notation import Face
from bj_env.rules import early_surrender_refusal, insurance_refusal, play_mask
from bj_env.terms import TICKS, Action, Phase, Rules

PRIOR = 10
"""So many imagined rounds, of variance 1, are added to each variance: two rounds that went alike tell nothing yet."""


class Returns(NamedTuple):
    """What rounds have returned by situation and action.

    Attributes:
        weights: how many returns, each counted by its weight, ``[K * A]``.
        squared: their squared weights, ``[K * A]``.
        sums: the returns, ``[K * A]``.
        squares: the squared returns, ``[K * A]``.
        often: how often each situation came in greedy play, ``[K]``.
        nets: the number of rounds, the sum of what they won, and of its squares, ``[3]``.
    """

    weights: Floats
    squared: Floats
    sums: Floats
    squares: Floats
    often: Floats
    nets: Floats

    @classmethod
    def none(cls, situations: int) -> Self:
        """Return no rounds at all."""
        weights, squared, sums, squares = np.zeros((4, situations * ACTIONS))
        return cls(weights, squared, sums, squares, np.zeros(situations), np.zeros(3))

    @classmethod
    def of(cls, played: Experience, greedy: Bytes, once: bool) -> Self:
        """Return what came of decisions; ``once``: only of those that were tried, and of those after them."""
        net, on, after = returns_of(played, greedy)
        situation, weight = played.situation.astype(np.int64), played.weight.astype(np.float64)
        counted = weight * after if once else weight
        pair, many = situation * ACTIONS + played.action, len(greedy) * ACTIONS
        parts = (counted, counted * weight, counted * net, counted * net**2)
        weights, squared, sums, squares = np.array([np.bincount(pair, part, many) for part in parts])
        often: Floats = np.bincount(situation, weight * on, len(greedy)).astype(np.float64)
        nets = np.array([len(played.nets), played.nets.sum(dtype=float), np.square(played.nets).sum(dtype=float)])
        return cls(weights, squared, sums, squares, often, nets)

    def plus(self, other: Self) -> Self:
        """Return both together."""
        return type(self)(*(mine + others for mine, others in zip(self, other, strict=True)))

    def counted(self, factor: float) -> Self:
        """Return these as if they were fewer: what was found long ago is known less surely."""
        return type(self)(*(part * factor for part in self))

    def means(self) -> Floats:
        """Return the mean returns, 0 for what was never done: better than most, so that it will be, ``[K, A]``."""
        return _ratio(self.sums, self.weights, 0.0).reshape(-1, ACTIONS)

    def errors(self) -> Floats:
        """Return the standard errors of the mean returns, infinite for what was never done, ``[K, A]``."""
        rounds = _ratio(self.weights**2, self.squared, 0.0)
        variances = _ratio(self.squares, self.weights, 0.0) - _ratio(self.sums, self.weights, 0.0) ** 2
        variances += _ratio(np.full(len(rounds), PRIOR), rounds, 0.0)
        errors: Floats = np.sqrt(_ratio(variances, rounds, np.inf))
        return errors.reshape(-1, ACTIONS)


def _ratio(top: Floats, bottom: Floats, otherwise: float) -> Floats:
    ratio: Floats = np.divide(top, bottom, out=np.full(len(top), otherwise), where=bottom > 0)
    return ratio


class MonteCarloLearner:
    """Learns a table from the returns of whole rounds.

    Args:
        config: of the run, with a `MonteCarlo` learner.
    """

    unit = "rounds"

    def __init__(self, config: Config) -> None:
        assert isinstance(config.learner, MonteCarlo)
        self.config, self.learner = config, config.learner
        self.profile = table_profile(config)
        self.found = situations(self.profile.rules)
        self.returns = Returns.none(len(self.found.legal))
        self.done = self.generation = 0

    def leg(self, progress: Callable[[int], None]) -> Mapping[str, float]:
        """Play some generations; return the mean net of their rounds."""
        learner = self.learner
        rounds = max(1, learner.rounds // (learner.legs * learner.generations))
        nets = np.zeros(3)
        for _ in range(learner.generations):
            fresh = self._play(rounds, progress)
            self.generation += 1
            kept = (1 - 1 / self.generation) ** learner.forgetting
            self.returns = self.returns.counted(kept).plus(fresh)
            nets += fresh.nets
        mean = nets[1] / nets[0]
        return {"return": mean, "return_stderr": ((nets[2] / nets[0] - mean**2) / nets[0]) ** 0.5}

    def _play(self, rounds: int, progress: Callable[[int], None]) -> Returns:
        """Play a generation."""
        game, behaviour = self.config.environment, self._behaviour()
        total = Returns.none(len(self.found.legal))
        for part in explore(
            self.profile.rules,
            game.seats,
            behaviour,
            rounds,
            partial(Returns.of, greedy=behaviour.greedy, once=behaviour.once),
            seed=(self.config.seed << 32) + self.generation,
            expected=game.reward == "expected",
            threads=self.config.workers,
        ):
            total = total.plus(part)
            progress(int(part.nets[0]))
            self.done += int(part.nets[0])
        return total

    def _behaviour(self) -> Behaviour:
        learner = self.learner
        greedy = greedy_actions(self.found, self.values())
        if learner.exploration == "epsilon-greedy":
            epsilon = learner.epsilon * max(0.0, 1 - self.done / learner.rounds)
            return Behaviour(greedy, self.found.legal, round(ALWAYS * epsilon), once=False)
        tried = in_race(self.returns.means(), learner.margin * self.returns.errors(), self.found.mask())
        starts = open_starts(self.profile.rules, tried)
        share = round(ALWAYS * learner.starts) if starts.any() else 0
        return Behaviour(greedy, tried, round(ALWAYS * learner.tries), once=True, starts=starts, share=share)

    def values(self) -> Floats:
        """Return what each action is worth in each cell, ``[C, A]``."""
        return best_orders(self.found, self.returns.often, self.returns.means())

    def policy(self) -> Tensors:
        """Return the greedy table as it stands."""
        return {"scores": scores_of_cells(self.values())}

    def state(self) -> Tensors:
        """Return all that the next leg goes on from."""
        return {**self.returns._asdict(), "done": np.array([self.done]), "generation": np.array([self.generation])}

    def restore(self, state: Tensors) -> None:
        """Go back to a state."""
        self.returns = Returns(*(state[name] for name in Returns._fields))
        self.done, self.generation = int(state["done"][0]), int(state["generation"][0])


@lru_cache(maxsize=64)
def first_situations(rules: Rules) -> Ints:
    """Return the situations in which a seat may first be asked after each start, -1 for none, ``[1000, 3]``."""
    asked = np.full((1000, 3), -1)
    for start, values in enumerate(product(range(1, 11), repeat=3)):
        hand, upcard = Hand(from_face(Face(value)) for value in values[:2]), values[2]
        if not hand.blackjack:
            asked[start] = [_situation(rules, hand, upcard, phase) for phase in OFFERED]
    return asked


OFFERED = (Phase.EARLY_SURRENDER, Phase.INSURANCE, Phase.PLAY)


def _situation(rules: Rules, hand: Hand, upcard: int, phase: Phase) -> int:
    """Return the situation of two cards in a phase, -1 if nothing is asked."""
    pair = hand.pair(rules)
    mask = play_mask(rules, hand.total, hand.soft, 2, pair > 0, False, False, 1, False)
    if phase is Phase.EARLY_SURRENDER:
        open_ = early_surrender_refusal(rules, upcard, False) == 0
        mask = open_ * (1 << Action.SURRENDER | 1 << Action.DECLINE)
    elif phase is Phase.INSURANCE:
        open_ = insurance_refusal(rules, upcard, TICKS, False) == 0
        mask = open_ * (1 << Action.INSURE | 1 << Action.DECLINE)
    place = plan_place(phase, hand_row(hand.total, hand.soft, pair), upcard, mask)
    return int(situations(rules).number[place]) if mask else -1


def open_starts(rules: Rules, tried: Ints) -> Floats:
    """Return how likely rounds start with each two cards and up card: only where it is open what is best, ``[1000]``.

    What is lost to doubt at a start that comes with chance ``f`` and is tried ``n`` times falls like ``f / sqrt(n)``;
    the sum over all starts is least for ``n`` in proportion to ``f ** (2 / 3)``.
    """
    asked = first_situations(rules)
    is_open = ((tried[asked] != 0) & (asked >= 0)).any(axis=1)
    likely: Floats = start_chances(rules) ** (2 / 3) * is_open
    return likely


def in_race(means: Floats, margins: Floats, legal: NDArray[np.bool_]) -> Ints:
    """Return which actions may still be the best one, as bits ``1 << action``; 0 where it is known, ``[K]``.

    >>> means, margins = np.array([[0.5, 0.1, 0.0]]), np.array([[0.1, 0.1, np.inf]])
    >>> (
    ...     in_race(means, margins, np.array([[True, True, True]])),
    ...     in_race(means, margins, np.array([[True, True, False]])),
    ... )
    (array([5]), array([0]))
    """
    surely = np.where(legal, means - margins, -np.inf).max(axis=1, keepdims=True)
    racing = legal & (means + margins >= surely)
    bits: Ints = (racing << np.arange(means.shape[1])).sum(axis=1)
    return np.where(racing.sum(axis=1) > 1, bits, 0)
