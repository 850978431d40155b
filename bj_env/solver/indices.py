"""What single cards are worth, and when a count changes the play: effects of removal and index numbers."""

from collections.abc import Callable, Sequence

from bj_env.errors import BlackjackError
from bj_env.rules.houses import parse_rules
from bj_env.rules.terms import DECK, Action, Rules
from bj_env.solver.exact import best_against
from bj_env.solver.hands import VALUES, find_hand, hand_text
from bj_env.solver.result import Cards, Shoe, Solution, evaluate, one_value, solve, to_values
from bj_env.solver.shoe import Composition, composition
from bj_env.solver.strategy import Strategy
from bj_env.strategies.count_systems import system

WIDEST = 30.0
"""Index numbers are looked for from minus this to plus this true count."""


def effects_of_removal(
    rules: Rules | str, strategy: Strategy | Solution | None = None, shoe: Shoe = None
) -> dict[int, float]:
    """Return what taking out one card of each value changes in the value of a round.

    Args:
        rules: a `Rules`, a house's name or a rule text.
        strategy: kept as it is; None plays the best for each shoe.
        shoe: what it holds, if not full decks.

    >>> effects = effects_of_removal("1D NS NINS SP1 D0")
    >>> effects[5] > effects[4] > 0 > effects[10] > effects[1]
    True
    """
    rules = parse_rules(rules)
    full = composition(rules, shoe)

    def value(cards: Composition) -> float:
        return (solve(rules, cards) if strategy is None else evaluate(rules, strategy, cards)).ev

    before = value(full)
    return {card: value(full.without([card])) - before for card in VALUES if full.share(card) > 0}


def shoe_at(rules: Rules | str, tags: Sequence[float], true_count: float) -> Composition:
    """Return what a shoe holds on average when a count stands at so many points per deck left.

    The regression of the composition on the count: a value's share falls in proportion to its tag. Tags of an
    unbalanced system are taken from their mean, so that 0 is what is expected.

    Args:
        rules: for the decks; infinite decks give the limit, which index numbers are usually made with.
        tags: of the values 1 (ace) .. 10.
        true_count: running count divided by the decks left.

    Raises:
        BlackjackError: if the tags are not ten numbers that tell cards apart, or no shoe has such a count.

    >>> [round(count, 2) for count in shoe_at("infinite", HI_LO, 4).counts]
    [4.4, 3.6, 3.6, 3.6, 3.6, 3.6, 4.0, 4.0, 4.0, 17.6]
    """
    full = composition(parse_rules(rules))
    if len(tags) != len(VALUES):
        raise BlackjackError(f"tags: expected ten, for A,2..9,T, got {len(tags)}")
    mean = sum(full.share(value) * tags[value - 1] for value in VALUES)
    variance = DECK * sum(full.share(value) * (tags[value - 1] - mean) ** 2 for value in VALUES)
    if not variance:
        raise BlackjackError("tags: expected some that differ, got ten equal ones")
    factors = [1 - true_count * (tags[value - 1] - mean) / variance for value in VALUES]
    if min(factors) < 0:
        raise BlackjackError(f"true count: no shoe can have {true_count:g} with these tags")
    return Composition(tuple(c * f for c, f in zip(full.counts, factors, strict=True)), full.replaced)


HI_LO = system("hi-lo").tags[1:]
"""The tags of the Hi-Lo count for A,2..9,T."""


def index_number(
    rules: Rules | str, tags: Sequence[float], hand: Cards, upcard: str | int, action: Action, instead: Action
) -> float:
    """Return the true count from which one action is better than another, from the exact values of both.

    Insurance is compared with ``instead=Action.DECLINE``, whatever the hand.

    Raises:
        BlackjackError: if the better action is the same at every count, or an action is not legal.

    >>> round(index_number("infinite", HI_LO, "T,6", "T", Action.STAND, Action.HIT), 2)
    0.08
    """
    rules = parse_rules(rules)
    up, cards = one_value(upcard), to_values(hand)

    def gain(true_count: float) -> float:
        shoe = shoe_at(rules, tags, true_count)
        if action is Action.INSURE:
            return 3 * shoe.without([up]).share(10) - 1
        values = best_against(rules, shoe, up).action_values[find_hand(cards)]
        return float(values[action] - values[instead])

    return _root(gain, f"{hand_text(cards)} against {hand_text([up])}")


def _root(gain: Callable[[float], float], where: str) -> float:
    """Return where the gain turns positive, nearest to 0, to a hundredth of a hundredth."""
    low, high = -_limit(lambda count: gain(-count)), _limit(gain)
    if gain(low) * gain(high) > 0:
        better = "first" if gain(high) > 0 else "second"
        raise BlackjackError(f"index: the {better} action is the better one at every count for {where}")
    while high - low > 1e-4:
        middle = (low + high) / 2
        low, high = (low, middle) if gain(middle) * gain(high) > 0 else (middle, high)
    return (low + high) / 2


def _limit(gain: Callable[[float], float]) -> float:
    """Return the largest count up to `WIDEST` that a shoe can have."""
    count = WIDEST
    while count > 1:
        try:
            gain(count)
        except BlackjackError:
            count -= 1
        else:
            return count
    return count
