"""Rule sets drawn at random, and which of them no training ever sees.

Every rule that changes how a hand is best played is drawn by itself: the common ones evenly, unless `draw_rules` says
otherwise, the rarer ones (`RARE`) with a chance of one in ten each. Rounds begin with a fresh shoe, money is in
fractions of a chip, and what the solver cannot do exactly is left out: under OBO no charlie and no tie with a dealer's
blackjack where pairs are split. Rules that cannot matter are as in `Rules()`, so that no two sets are the same game.
"""

from collections.abc import Iterator
from hashlib import sha256
from typing import Any

import numpy as np

from bj_env.rules.fields import Flag
from bj_env.rules.houses import text
from bj_env.rules.terms import FIELDS, Double, HoleCard, Payout, Rules, SplitBy, Surrender

DECKS = (0, 1, 2, 4, 6, 8)
CHARLIES = (5, 6, 7)
RARE = 0.1

HANDLED = frozenset(
    "dealer_hits_soft_17 dealer_blackjack_beats_21 blackjack_beats_21 act_on_21 double_after_split resplit_aces "
    "hit_split_aces insurance dealer_wins_ties round_payouts".split()
)
OTHER_FLAGS = tuple(name for name, field in FIELDS.items() if isinstance(field, Flag) and name not in HANDLED)
"""Flags that `draw_rules` has no special case for: each is drawn as a rare rule, after all others."""

HELD_OUT = 0.1
"""The share of rule sets that are for tests alone."""


def draw_rules(rng: np.random.Generator) -> Rules:
    """Draw a rule set.

    >>> from bj_env.rules.houses import parse
    >>> rules = draw_rules(np.random.default_rng(1))
    >>> parse(text(rules)) == rules
    True
    """

    def flag(share: float = 0.5) -> bool:
        return bool(rng.random() < share)

    double, max_hands = Double(int(rng.integers(len(Double)))), int(rng.integers(1, 5))
    hole_card, splits = HoleCard(int(rng.integers(len(HoleCard)))), max_hands > 1
    charlie, ties_blackjack = int(rng.choice(CHARLIES)) if flag(RARE) else 0, flag(RARE)
    can_win = not (hole_card is HoleCard.OBO and splits)  # against a dealer's blackjack
    das, by_rank, resplit, hit = flag(), flag(), flag(), flag()
    drawn = Rules(
        decks=int(rng.choice(DECKS)),
        dealer_hits_soft_17=flag(),
        blackjack_payout=Payout(int(rng.choice(list(Payout)))),
        hole_card=hole_card,
        dealer_blackjack_beats_21=not (ties_blackjack and can_win),
        blackjack_beats_21=not flag(RARE),
        act_on_21=flag(RARE),
        double=double,
        double_after_split=das or not splits or double is Double.D0,
        max_hands=max_hands,
        split_by=SplitBy(int(by_rank and splits)),
        resplit_aces=resplit and max_hands > 2,
        hit_split_aces=hit and splits,
        surrender=Surrender(int(rng.integers(len(Surrender)))),
        insurance=flag(),
        charlie=charlie if can_win else 0,
        dealer_wins_ties=flag(RARE),
    )
    others: dict[str, Any] = {name: flag(RARE) for name in OTHER_FLAGS}
    return drawn._replace(**others)


def is_held_out(rules: Rules) -> bool:
    """Tell whether a rule set is for tests alone, by a digest of its text but for what hardly changes the play.

    A set that is held out differs from every other by more than what a blackjack pays and whether there is insurance.

    >>> from bj_env.rules.houses import parse
    >>> [is_held_out(parse(house)) for house in ("6D", "6D 6:5 NINS", "2D", "8D ENHC NS")]
    [True, True, False, False]
    """
    play = rules._replace(blackjack_payout=Payout.THREE_TO_TWO, insurance=True)
    return sha256(text(play).encode()).digest()[0] < 256 * HELD_OUT


def rule_sets(*seed: int, held_out: bool = False) -> Iterator[Rules]:
    """Yield rule sets without end, no two the same: those that are held out for tests, or the others.

    >>> from itertools import islice
    >>> some = list(islice(rule_sets(1), 100))
    >>> len(set(some)), any(is_held_out(rules) for rules in some)
    (100, False)
    """
    rng, had = np.random.default_rng(seed), set[Rules]()
    while True:
        rules = draw_rules(rng)
        if is_held_out(rules) == held_out and rules not in had:
            had.add(rules)
            yield rules
