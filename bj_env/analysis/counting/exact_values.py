"""Exact values of a counting player, of basic strategy and of the best play from the shoes met in play."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache, partial

import numpy as np
from numpy.typing import NDArray

from bj_env.rules.terms import Action, Rules
from bj_env.solver.exact import Plan, plan_against
from bj_env.solver.hands import all_hands
from bj_env.solver.result import kept_plan, solve, upcards
from bj_env.solver.shoe import Composition, composition
from bj_env.solver.tables import DEALT, SPLIT, SPLIT_ACES, house_tables
from bj_env.solver.upcard_state import DEAL_INDEX
from bj_env.strategies.basic import basic_chart
from bj_env.strategies.charts import Chart, chart_action
from bj_env.strategies.count_systems import ESTIMATES, Count
from bj_env.strategies.counting import CountingDecision

Floats = NDArray[np.float64]
Shoes = NDArray[np.int16]
"""Cards seen by value 1..10, index 0 unused, ``[N, 11]``."""

Player = CountingDecision | None
"""Who plays: a counting player, or None for the best play by composition."""

BATCH = 16
"""So many shoes are handed out at a time."""


def counts_at(count: Count, rules: Rules, seen: NDArray[np.generic]) -> Floats:
    """Return the count a player goes by, after so many cards seen by value 1..10, ``[..., 11]`` to ``[...]``.

    >>> from bj_env.strategies.count_systems import count_from
    >>> counts_at(count_from("hi-lo"), Rules(), np.array([[0, 0, 5, *[0] * 8]])).round(4).tolist()
    [0.8469]
    """
    cards = seen[..., 1:].astype(np.float64)
    running = count.system.start(rules.decks) + cards @ np.array(count.system.tags[1:])
    if not count.by_decks:
        return np.asarray(running)
    left = np.maximum(rules.decks * 52 - cards.sum(axis=-1), 1) / 52
    if step := ESTIMATES[count.estimate]:
        steps = np.floor(left / step + 0.5) if count.ties == "up" else np.ceil(left / step - 0.5)
        left = np.maximum(steps, 1) * step
    return np.asarray((running - count.pivot) / left + count.pivot)


def shoe_left(rules: Rules, seen: Sequence[int] | NDArray[np.generic]) -> Composition:
    """Return what a shoe holds once cards by value 1..10 have been seen (index 0 unused)."""
    full = composition(rules).counts
    return Composition(tuple(have - float(out) for have, out in zip(full, seen[1:], strict=True)))


def counting_plan(rules: Rules, player: CountingDecision, upcard: int, shoe: Composition) -> Plan:
    """Return what a counting player does with every hand, at the count that its cards and the up card make.

    Split hands go by the count with their own cards. Index plays of early surrender are left out.
    """
    chart = player.chart or basic_chart(rules)
    base = kept_plan(rules, chart, upcard, shoe)
    if not player.plays and player.insurance is None:
        return base
    plan = base._replace(choice=base.choice.copy(), split=base.split.copy(), insure=base.insure.copy())
    seen = all_hands().counts + np.array(composition(rules).counts) - np.array(shoe.counts)
    seen[:, upcard - 1] += 1
    counts = counts_at(player.count, rules, np.concatenate([np.zeros((len(seen), 1)), seen], axis=1))
    if player.insurance is not None:
        insured = counts[DEAL_INDEX] >= player.count.least(player.insurance)
        plan.insure[DEAL_INDEX] = insured if upcard == 1 and rules.insurance else False
    _play_by_index(rules, player, chart, upcard, counts, plan)
    return plan


def _play_by_index(
    rules: Rules, player: CountingDecision, chart: Chart, upcard: int, counts: Floats, plan: Plan
) -> None:
    """Write the index plays that apply into a plan."""
    hands = all_hands()
    for (kind, number, up), plays in player.plays.items():
        if up != upcard:
            continue
        for play in reversed(plays):  # the first that applies counts
            applies = (counts >= player.count.least(play.threshold)) != play.below
            if kind == "pair":
                hand = int(DEAL_INDEX[hands.pair[DEAL_INDEX] == number][0])
                if applies[hand]:
                    plan.split[number] = int(play.code) in (6, 7)
                continue
            rows, actions = _index_rows(rules, chart, kind == "soft", number, upcard, int(play.code))
            made = applies[rows]
            plan.choice[:, rows[made]] = actions[:, made]


@lru_cache(maxsize=1024)
def _index_rows(
    rules: Rules, chart: Chart, soft: bool, total: int, upcard: int, code: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the hands of a total, and what a code in place of the chart's means for each by where it comes from."""
    hands, masks = all_hands(), house_tables(rules).mask
    rows = np.flatnonzero((hands.total == total) & (hands.soft == soft) & (hands.cards >= 2))
    actions = np.full((3, len(rows)), int(Action.STAND))
    for origin in (DEALT, SPLIT, SPLIT_ACES):
        for place, row in enumerate(rows):
            mask, pair = int(masks[origin, row]), int(hands.pair[row])
            first = chart.pair[pair][upcard - 1] if pair else code
            actions[origin, place] = chart_action(first, code, mask) if mask else Action.STAND
    return rows, actions


def value_of(rules: Rules, player: Player, seen: Sequence[int] | NDArray[np.generic]) -> float:
    """Return the exact value of a round for a bet of 1, from the shoe left after cards by value 1..10 were seen.

    >>> from bj_env.rules.houses import parse_rules
    >>> rules = parse_rules("6D S17 DAS LS PEN75")
    >>> value_of(rules, None, [0] * 11) > value_of(rules, CountingDecision(), [0] * 11)
    True
    """
    shoe = shoe_left(rules, seen)
    if player is None:
        return solve(rules, shoe).ev
    against = (
        (upcard, plan_against(rules, shoe, counting_plan(rules, player, upcard, shoe), upcard))
        for upcard in upcards(shoe)
    )
    return sum(shoe.share(upcard) * known.ev for upcard, known in against)


def values_of(rules: Rules, player: Player, shoes: Shoes, workers: int = 1) -> Iterator[float]:
    """Yield the exact value at each of some shoes, in order; workers are threads."""
    work: Callable[[Iterable[int]], float] = partial(value_of, rules, player)
    if workers == 1:
        yield from map(work, shoes)
        return
    with ThreadPoolExecutor(workers) as pool:
        for start in range(0, len(shoes), BATCH):
            yield from pool.map(work, shoes[start : start + BATCH])


@lru_cache(maxsize=16)
def basic_player(rules: Rules) -> CountingDecision:
    """Return a player who never leaves basic strategy."""
    return CountingDecision(plays=(), insurance=None, chart=basic_chart(rules))
