"""Exploring many rounds: the agent's seats play by a table and try other actions, for learners that want experience.

What comes back is every decision, and which decision before it led to its hand, see `Experience`.

Letter: ``R`` rounds.
"""

from collections.abc import Callable, Iterator, Sequence
from functools import cache, lru_cache
from itertools import product
from typing import NamedTuple, TypeVar

import numpy as np

from bj_env.compiled.arrays import Array, card_value_counts
from bj_env.compiled.blocks import chunks_of_blocks, in_order, some_tables
from bj_env.compiled.book import rules_book
from bj_env.compiled.compiling import kernel, sources, told_if_compiling
from bj_env.compiled.expected import SCRATCH, dealers
from bj_env.compiled.exploration_kernels import (
    LOTS,
    MOST_DECISIONS,
    PROBABILITY_SCALE,
    Behaviour,
    Experience,
    Exploring,
    make_explore_blocks,
)
from bj_env.compiled.information_states import situations
from bj_env.compiled.kernels import Blocks
from bj_env.compiled.lookup_policies import Plans
from bj_env.compiled.shoe import LANES, ROOM
from bj_env.compiled.tabulation import plans
from bj_env.env.settings import AGENT
from bj_env.errors import BlackjackError
from bj_env.game.decision import Decision
from bj_env.game.rng import SEEDS
from bj_env.rules.terms import DECK, Action, Rules, check_first_deal, checked_number
from bj_env.strategies.registry import strategy

DECISIONS_OF_A_ROUND = 4
"""Room for so many decisions a round and seat; a chunk that needs more is played again with more."""

Result = TypeVar("Result")


def explore(
    rules: Rules,
    seats: Sequence[Decision | str],
    behaviour: Behaviour,
    rounds: int,
    reduce: Callable[[Experience], Result],
    *,
    seed: int,
    expected: bool = False,
    threads: int | None = None,
) -> Iterator[Result]:
    """Play rounds, and yield what a function makes of them, chunk by chunk.

    Args:
        rules: the house's; the agent's seats bet the minimum.
        seats: who sits where, ``"agent"`` for those that explore.
        behaviour: how these play.
        rounds: how many.
        reduce: called by the thread that has played a chunk; what it returns comes in the order of the chunks.
        seed: of all tables.
        expected: whether hands win their expectation over the dealer's hand; see `bj_env.env.expected_reward`.
        threads: how many; None is one a core. No result depends on it.

    Raises:
        BlackjackError: if an argument is not valid, or the decision of another seat goes by more than a table can hold.

    >>> from bj_env.rules.terms import Action, Phase
    >>> found = situations(Rules())
    >>> stand = np.where(found.phase == Phase.PLAY, Action.STAND, Action.DECLINE)
    >>> anything = Behaviour(stand, found.legal, probability=PROBABILITY_SCALE, once=True)
    >>> sum(explore(Rules(), ["agent"], anything, 1000, lambda played: len(played.nets), seed=1))
    1000
    """
    seated = _seated(rules, seats)
    seed = checked_number("seed", seed, 0, SEEDS - 1)
    each, chunks = chunks_of_blocks(rules, rounds, None)
    behaviour, numbers, draws = _checked(behaviour, situations(rules).legal), situations(rules).number, dealers(rules)
    bounds, weights = _start_bounds(rules, behaviour)
    run = kernels().explore_blocks

    def play(blocks: range) -> Result:
        rounds = len(blocks) * each
        tables = some_tables(rules, len(seats), seed)._replace(front=np.zeros((LANES, 2 * len(seats) + 1), np.uint8))
        space, hands = np.zeros((SCRATCH, 1)), np.full((3, len(seats) * rules.max_hands), -1)
        exploring = Exploring(numbers, behaviour, bounds, weights, draws, expected, space, hands)
        job = Blocks(blocks.start, each, np.zeros(0, np.bool_), np.zeros(ROOM, np.int64))
        used, room = -1, DECISIONS_OF_A_ROUND * rounds * list(seats).count(AGENT) + MOST_DECISIONS
        while used < 0:
            made = _room(rounds, room)
            used, room = run(rules_book(rules), tables, seated, exploring, job, made), 2 * room
        return reduce(Experience(*[part if name == "nets" else part[:used] for name, part in made._asdict().items()]))

    with told_if_compiling(run):
        play(range(0))
    return in_order(play, chunks, threads)


def _seated(rules: Rules, seats: Sequence[Decision | str]) -> Plans:
    if isinstance(seats, str) or AGENT not in seats:
        raise BlackjackError(f"seats: expected at least one {AGENT!r}, got {seats!r}")
    check_first_deal(rules, len(seats), DECK * rules.decks)
    return plans(rules, [None if seat == AGENT else strategy(seat) for seat in seats])


def _checked(behaviour: Behaviour, legal: Array) -> Behaviour:
    """Return how the agent's seats play, in the types that the kernel is compiled for; ``legal``: see `Situations`.

    Raises:
        BlackjackError: if they play what is not legal, or anything is of a wrong length or out of range.
    """
    greedy = _of_length("greedy", behaviour.greedy, len(legal), "iu").astype(np.int64)
    tried = _of_length("tried", behaviour.tried, len(legal), "iu").astype(np.int64)
    within = (greedy >= 0) & (greedy < len(Action))
    for name, given, right in (
        ("greedy", greedy, within & (legal >> np.where(within, greedy, 0) & 1 > 0)),
        ("tried", tried, tried & ~legal == 0),
    ):
        if not right.all():
            wrong = int(right.argmin())
            names = ", ".join(action.name for action in Action if legal[wrong] >> action & 1)
            raise BlackjackError(f"{name}: expected {names} only in situation {wrong}, got {given[wrong]}")
    probability = checked_number("probability", behaviour.probability, 0, PROBABILITY_SCALE)
    share = checked_number("share", behaviour.share, 0, PROBABILITY_SCALE)
    starts = _of_length("starts", behaviour.starts, 1000 if share else len(behaviour.starts), "f").astype(np.float64)
    if share and not (np.isfinite(starts).all() and starts.min() >= 0 and starts.sum() > 0):
        raise BlackjackError(f"starts: expected probabilities from 0 on, got {starts.min():g} to {starts.max():g}")
    return Behaviour(greedy.astype(np.uint8), tried, probability, bool(behaviour.once), starts, share)


def _of_length(name: str, given: Array, length: int, kinds: str) -> Array:
    if given.shape != (length,) or given.dtype.kind not in kinds:
        what = "whole numbers" if kinds == "iu" else "floating-point numbers"
        raise BlackjackError(f"{name}: expected {what} ({length},), got {given.dtype} {given.shape}")
    return given


def _room(rounds: int, many: int) -> Experience:
    return Experience(
        situation=np.empty(many, np.int16),
        action=np.empty(many, np.int8),
        parent=np.empty(many, np.int32),
        tried=np.empty(many, np.bool_),
        reward=np.empty(many, np.float32),
        weight=np.empty(many, np.float32),
        nets=np.empty(rounds, np.float32),
    )


@lru_cache(maxsize=64)
def start_probabilities(rules: Rules) -> Array:
    """Return how likely each start is dealt, by the values of first card, second card and up card, ``[1000]``.

    >>> probabilities = start_probabilities(Rules())
    >>> float(probabilities.sum().round(12)), float(probabilities[999].round(4))  # three tens
    (1.0, 0.0285)
    """
    counts = np.array(card_value_counts(rules)[1:], np.float64)
    probabilities, cards, step = np.ones((10, 10, 10)), counts.sum(), 0 if rules.decks == 0 else 1
    for start in product(range(10), repeat=3):
        for place, value in enumerate(start):
            probabilities[start] *= (counts[value] - step * start[:place].count(value)) / (cards - step * place)
    probabilities.flags.writeable = False  # it is shared
    return probabilities.ravel()


def _start_bounds(rules: Rules, behaviour: Behaviour) -> tuple[Array, Array]:
    """Return the cumulated shares of all starts, in `PROBABILITY_SCALE` parts, and the weight of each.

    The weight is how much more often a random deal gives the start than random deals and given starts together do
    (Veach and Guibas, "Optimally combining sampling techniques", 1995: the balance heuristic).
    """
    if not behaviour.share:
        return np.zeros(0, np.int64), np.ones(1000)
    if rules.penetration:
        raise BlackjackError("starts: expected rules with a fresh shoe for every round, got a cut card")
    bounds = np.rint(np.cumsum(behaviour.starts / behaviour.starts.sum()) * LOTS).astype(np.int64)
    probabilities, share = start_probabilities(rules), behaviour.share / PROBABILITY_SCALE
    drawn = np.diff(bounds, prepend=0) / LOTS
    dealt = (1 - share) * probabilities + share * drawn
    return bounds, np.divide(probabilities, dealt, out=np.zeros(1000), where=dealt > 0)


class Returns(NamedTuple):
    """What came of decisions, ``[N]`` each.

    Attributes:
        net: what the hands below a decision have won, its insurance too, in bets.
        on: whether nothing but the greedy action was done before it.
        after: whether it or one before it was tried. Where hands try once all play after these was greedy; and which
            decisions they are does not depend on what came later, as it does for those after which nothing was tried.
    """

    net: Array
    on: Array
    after: Array


def returns_of(played: Experience, greedy: Array) -> Returns:
    """Return what came of decisions.

    Args:
        played: the decisions.
        greedy: the action in each situation, ``[K]``.

    >>> one_hand = Experience(*map(np.array, ([0, 1], [1, 0], [-1, 0], [True, False], [0.0, -1.0], [1, 1], [-1.0])))
    >>> returns_of(one_hand, np.array([0, 0]))
    Returns(net=array([-1., -1.]), on=array([ True, False]), after=array([ True,  True]))
    """
    net, on = played.reward.astype(np.float64), np.ones(len(played.action), np.bool_)
    after = played.tried.copy()
    kernels().add(played.parent, played.action != greedy[played.situation], net, on, after)
    return Returns(net, on, after)


def make_add(digest: str) -> Callable[..., None]:
    """Make the kernel that follows decisions down, and adds up what they have won from the last to the first."""

    def add(parent: Array, strayed: Array, net: Array, on: Array, after: Array) -> None:
        assert digest
        for at in range(parent.shape[0]):
            before = parent[at]
            if before >= 0:
                on[at] = on[before] and not strayed[before]
                after[at] = after[at] or after[before]
        for at in range(parent.shape[0] - 1, -1, -1):
            if parent[at] >= 0:
                net[parent[at]] += net[at]

    return add


class Kernels(NamedTuple):
    """The compiled loops.

    Attributes:
        explore_blocks: see `bj_env.compiled.exploration_kernels.make_explore_blocks`.
        add: see `make_add`.
    """

    explore_blocks: Callable[..., int]
    add: Callable[..., None]


@cache
def kernels() -> Kernels:
    """Return the kernels, which are compiled as they are first called."""
    digest = sources()
    return Kernels(explore_blocks=kernel(make_explore_blocks(digest)), add=kernel(make_add(digest)))
