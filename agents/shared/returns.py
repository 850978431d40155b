"""Returns of explored rounds: added up by situation and action, and what they leave open, which is tried next.

Where exploring starts are used (Sutton & Barto, "Reinforcement Learning", 2nd ed., section 5.3), a hand tries one
action at a time, drawn among those that may still be the best, and plays greedily from there. One whose mean return
lies clearly below the best is out of the race until that changes (Maron & Moore, "Hoeffding races", 1994, with standard
errors in place of Hoeffding's bound). A share of the rounds start from two cards and an up card where the race is still
open; they count by how much more often chance would deal them.

Letters: ``K`` situations (see `bj_env.compiled.information_states`), ``A`` actions.
"""

from collections.abc import Callable
from functools import lru_cache, partial
from itertools import product
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from agents.run.config import Config
from agents.run.settings import ExploringStartsSettings
from agents.shared.cells import ACTIONS, Bytes, Floats, Ints
from bj_env.compiled.exploration_kernels import PROBABILITY_SCALE, Behaviour, Experience
from bj_env.compiled.explore import explore, returns_of, start_probabilities
from bj_env.compiled.hand_tables import hand_row
from bj_env.compiled.information_states import situations
from bj_env.compiled.lookup_policies import plan_place
from bj_env.game.cards import from_face
from bj_env.game.hand import Hand
from bj_env.game.notation import Face
from bj_env.rules.houses import parse_rules
from bj_env.rules.numbered import early_surrender_refusal, insurance_refusal, play_mask
from bj_env.rules.terms import OFFERS, TICKS, Phase, Rules

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
        return cls(weights, squared, sums, squares, often, net_moments(played))

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


def net_moments(played: Experience) -> Floats:
    """Return the number of rounds, the sum of what they won, and of its squares, ``[3]``."""
    return np.array([len(played.nets), played.nets.sum(dtype=float), np.square(played.nets).sum(dtype=float)])


def return_statistics(nets: Floats) -> dict[str, float]:
    """Return the mean net of rounds and its standard error, of their number, sum and sum of squares.

    >>> return_statistics(np.array([4.0, 2.0, 5.0]))
    {'return': 0.5, 'return_stderr': 0.5}
    """
    mean = float(nets[1] / nets[0])
    return {"return": mean, "return_stderr": (max(0.0, float(nets[2] / nets[0] - mean**2)) / float(nets[0])) ** 0.5}


def play(config: Config, behaviour: Behaviour, rounds: int, number: int, progress: Callable[[int], None]) -> Returns:
    """Play a iteration of rounds and return what came of them.

    Args:
        config: of the run.
        behaviour: how the agent's seats play; what came of greedy decisions before a try counts only if they may try
            at every decision.
        rounds: how many.
        number: of the iteration.
        progress: called with the rounds just played.
    """
    game = config.environment
    parts = explore(
        parse_rules(game.rules),
        game.seats,
        behaviour,
        rounds,
        partial(Returns.of, greedy=behaviour.greedy, once=behaviour.once),
        seed=config.training_seed(number),
        expected=game.reward == "expected",
        threads=config.workers,
    )
    total = Returns.none(len(behaviour.greedy))
    for part in parts:
        total = total.plus(part)
        progress(int(part.nets[0]))
    return total


def exploring_starts(rules: Rules, returns: Returns, greedy: Bytes, settings: ExploringStartsSettings) -> Behaviour:
    """Return greedy play with tries, and starts, where the returns so far leave open what is best."""
    tried = candidate_actions(
        returns.means(), settings.elimination_stderrs * returns.errors(), situations(rules).mask()
    )
    starts = open_starts(rules, tried)
    share = round(PROBABILITY_SCALE * settings.exploring_starts) if starts.any() else 0
    return Behaviour(
        greedy, tried, round(PROBABILITY_SCALE * settings.exploration_rate), once=True, starts=starts, share=share
    )


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
        mask = open_ * OFFERS[phase].mask
    elif phase is Phase.INSURANCE:
        open_ = insurance_refusal(rules, upcard, TICKS, False) == 0
        mask = open_ * OFFERS[phase].mask
    place = plan_place(phase, hand_row(hand.total, hand.soft, pair), upcard, mask)
    return int(situations(rules).number[place]) if mask else -1


def open_starts(rules: Rules, tried: Ints) -> Floats:
    """Return how likely rounds start with each two cards and up card: only where it is open what is best, ``[1000]``.

    What is lost to doubt at a start that comes with chance ``f`` and is tried ``n`` times falls like ``f / sqrt(n)``;
    the sum over all starts is least for ``n`` in proportion to ``f ** (2 / 3)``.
    """
    asked = first_situations(rules)
    is_open = ((tried[asked] != 0) & (asked >= 0)).any(axis=1)
    likely: Floats = start_probabilities(rules) ** (2 / 3) * is_open
    return likely


def candidate_actions(means: Floats, margins: Floats, legal: NDArray[np.bool_]) -> Ints:
    """Return which actions may still be the best one, as bits ``1 << action``; 0 where it is known, ``[K]``.

    >>> means, margins = np.array([[0.5, 0.1, 0.0]]), np.array([[0.1, 0.1, np.inf]])
    >>> (
    ...     candidate_actions(means, margins, np.array([[True, True, True]])),
    ...     candidate_actions(means, margins, np.array([[True, True, False]])),
    ... )
    (array([5]), array([0]))
    """
    surely = np.where(legal, means - margins, -np.inf).max(axis=1, keepdims=True)
    candidates = legal & (means + margins >= surely)
    bits: Ints = (candidates << np.arange(means.shape[1])).sum(axis=1)
    return np.where(candidates.sum(axis=1) > 1, bits, 0)
