"""Monte Carlo control with exploring starts (Sutton & Barto, "Reinforcement Learning", 2nd ed., section 5.3).

A table holds the mean return of each action in each state (phase, total, pair, up card). Every other round starts as
chance deals it, the ones between from two cards and an up card that are all equally likely, so that rare hands are
learned too. Each round takes one random action, at its first decision or at one that is offered before it, and plays
greedily from there; the return updates every pair from the random one on. The random action is drawn among those that
may still be the best one of the state: one whose mean return lies clearly below the best is out of the race until that
changes (Maron & Moore, "Hoeffding races", 1994, with standard errors in place of Hoeffding's bound).

Rounds are played in generations, each under the table as it stood at the generation's start, and shared among worker
processes: the result depends on the seed alone. Older generations count less by ``memory``, since they were played
under worse tables.
"""

from collections.abc import Callable, Mapping
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from itertools import combinations_with_replacement
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from agents.config import Config, Environment, MonteCarlo
from agents.training import Tensors
from bj_env.benchmark import worker_pool
from bj_env.chance import Stream
from bj_env.env import BlackjackEnv
from bj_env.learned import Profile
from bj_env.terms import Phase

COLUMNS = ("hand.phase", "hand.total", "hand.pair", "hand.upcard")
"""The columns of the observation that make a state."""

BATCH = 2_500
"""Rounds in one piece of work; part of what a seed means."""

EXPLORING = 1 << 16
"""The stream of chance that draws the random actions."""

VALUES = "A23456789T"
STARTS = [",".join(pair) for pair in combinations_with_replacement(VALUES, 2)]
"""The two cards that a round may start from."""

LEAST_VARIANCE = 1.0
"""Of the return of an action, in bets squared, while few rounds have shown it."""

Floats = NDArray[np.float64]
State = tuple[int, ...]


class Returns(NamedTuple):
    """What rounds have returned by state and action: how many, the sum, the sum of squares, each ``[*states, A]``."""

    counts: Floats
    sums: Floats
    squares: Floats

    @classmethod
    def none(cls, shape: tuple[int, ...]) -> Self:
        """Return no rounds at all."""
        return cls(np.zeros(shape), np.zeros(shape), np.zeros(shape))

    def add(self, pair: State, net: float) -> None:
        """Note what a round has returned for a state and an action."""
        self.counts[pair] += 1
        self.sums[pair] += net
        self.squares[pair] += net * net

    def weigh(self, memory: float) -> Self:
        """Return these counted less."""
        return type(self)(*(part * memory for part in self))

    def plus(self, other: Self) -> Self:
        """Return both together."""
        return type(self)(*(mine + others for mine, others in zip(self, other, strict=True)))

    def scores(self) -> Floats:
        """Return the mean returns, 0 for a pair never taken: better than most, so that it will be."""
        return np.divide(self.sums, self.counts, out=np.zeros_like(self.sums), where=self.counts > 0)

    def errors(self) -> Floats:
        """Return the standard errors of the mean returns, infinite for a pair never taken."""
        variances = np.divide(self.squares, self.counts, out=np.zeros_like(self.sums), where=self.counts > 0)
        variances = np.maximum(variances - self.scores() ** 2, LEAST_VARIANCE)
        return np.sqrt(np.divide(variances, self.counts, out=np.full_like(self.sums, np.inf), where=self.counts > 0))


class MonteCarloLearner:
    """A table of mean returns; a leg is a generation."""

    unit = "rounds"

    def __init__(self, config: Config) -> None:
        assert isinstance(config.learner, MonteCarlo)
        self.profile = profile_of(config)
        self.done = self._leg = 0
        self._config, self._learner = config, config.learner
        sizes = [
            column.size
            for column in self.profile.layout(self.profile.rules, self.profile.seats).columns[: len(COLUMNS)]
        ]
        self._returns = Returns.none((*sizes, self.profile.actions))
        self._pool: ProcessPoolExecutor | None = None

    def leg(self, progress: Callable[[int], None]) -> Mapping[str, float]:
        """Play a generation."""
        self._pool = self._pool or worker_pool(self._config.workers)
        learner, returns, greedy = self._learner, self._returns, []
        seeds = _batch_seeds(self._config.seed, self._leg, learner.rounds // learner.legs)
        play = partial(play_batch, self._config.environment, returns.scores(), learner.margin * returns.errors())
        returns = returns.weigh(learner.memory)
        for batch, estimates in self._pool.map(play, seeds):
            returns = returns.plus(batch)
            greedy.append(estimates)
            progress(BATCH)
        self._returns, self._leg, self.done = returns, self._leg + 1, self.done + BATCH * len(seeds)
        nets = np.concatenate(greedy)
        return {"return": float(nets.mean()), "return_stderr": float(nets.std(ddof=1) / len(nets) ** 0.5)}

    def policy(self) -> Tensors:
        """Return the table."""
        return {"scores": self._returns.scores().astype(np.float32)}

    def state(self) -> Tensors:
        """Return the table's sums and the counters."""
        return {**self._returns._asdict(), "counters": np.array([self.done, self._leg])}

    def restore(self, state: Tensors) -> None:
        """Go back to a state."""
        self._returns = Returns(*(state[name] for name in Returns._fields))
        self.done, self._leg = state["counters"].tolist()


def profile_of(config: Config) -> Profile:
    """Return what the table sees."""
    env = BlackjackEnv(rules=config.environment.rules, seats=config.environment.seats)
    return Profile("table", env.rules, len(config.environment.seats), env.bets, ("hand",), COLUMNS)


def _batch_seeds(seed: int, generation: int, rounds: int) -> list[int]:
    """Return the seeds of a generation's batches; no two of a run are equal, nor of two runs."""
    return [(seed << 32) + (generation << 20) + batch for batch in range(max(1, round(rounds / BATCH)))]


def play_batch(environment: Environment, scores: Floats, margins: Floats, seed: int) -> tuple[Returns, Floats]:
    """Play a batch of rounds.

    Args:
        environment: the game.
        scores: of each action in each state, ``[*states, A]``.
        margins: by how much each score may be wrong.
        seed: of the batch.

    Returns:
        What the rounds returned, and for each one that chance dealt an estimate of the value of greedy play by
        importance sampling: its net times the number of actions in the race if the random one was the greedy one,
        else 0.
    """
    env = BlackjackEnv(rules=environment.rules, seats=environment.seats, encoding="discrete", illegal_action="raise")
    env.reset(seed=seed)
    draw = Stream(seed, stream=EXPLORING)
    returns, greedy = Returns.none(scores.shape), []
    for number in range(BATCH):
        natural = number % 2 == 0
        options = None if natural else any_start(draw)
        pairs, weight, net = _play_round(env, options, scores, margins, draw)
        for pair in pairs:
            returns.add(pair, net)
        if natural:
            greedy.append(weight * net)
    return returns, np.array(greedy)


def any_start(draw: Stream) -> dict[str, str]:
    """Draw a start: two cards and an up card by value, all equally likely."""
    hand, upcard = STARTS[draw.below(len(STARTS))], VALUES[draw.below(len(VALUES))]
    return {"hand": hand, "upcard": upcard}


def _play_round(
    env: BlackjackEnv, options: dict[str, str] | None, scores: Floats, margins: Floats, draw: Stream
) -> tuple[list[State], int, float]:
    """Play one round; return the pairs from the random action on, its weight, and the net in bets."""
    observation, info = env.reset(options=options)
    early = draw.below(2) == 1
    pairs: list[State] = []
    weight, net, over, explored = 1, 0.0, False, False
    while not over:
        state = tuple(observation[: len(COLUMNS)].tolist())
        legal = np.flatnonzero(info["action_mask"])
        action = int(legal[scores[state][legal].argmax()])
        if not explored and (early or state[0] == Phase.PLAY) and state[0] != Phase.ROUND_OVER:
            explored = True
            racing = legal[in_race(scores[state][legal], margins[state][legal])]
            chosen = int(racing[draw.below(len(racing))])
            weight = len(racing) if chosen == action else 0
            action = chosen
        if explored:
            pairs.append((*state, action))
        observation, net, over, _, info = env.step(action)
    return pairs, weight, net


def in_race(scores: Floats, margins: Floats) -> NDArray[np.bool_]:
    """Tell which actions may still be the best one, shape ``[legal]``.

    >>> in_race(np.array([0.5, 0.1, 0.0]), np.array([0.1, 0.1, np.inf]))
    array([ True, False,  True])
    """
    racing: NDArray[np.bool_] = scores + margins >= (scores - margins).max()
    return racing
