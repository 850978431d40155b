"""The most that any fair policy can win: allowances are above what the solver finds."""

from contextlib import suppress
from random import Random

import numpy as np
import pytest

from bj_env.analysis.limit import cards_seen
from bj_env.analysis.policy_value import composition_dependent_ev
from bj_env.errors import BlackjackError
from bj_env.rules.terms import Rules
from bj_env.solver import solve


@pytest.mark.slow
@pytest.mark.parametrize(("decks", "left"), [(1, 40), (1, 26), (1, 16), (1, 12), (1, 9), (2, 26), (6, 78)])
def test_the_allowance_for_cards_seen_is_more_than_they_are_worth(decks: int, left: int) -> None:
    shoe, rules, draw = Rules(decks=decks), Rules(decks=decks, penetration=0.5), Random(left)
    cards, values = [value for value in range(1, 11) for _ in range((16 if value == 10 else 4) * decks)], []
    for _ in range(100):
        rest = draw.sample(cards, left)
        with suppress(BlackjackError):  # too few points for a round
            values.append(solve(shoe, [rest.count(value) for value in range(1, 11)]).ev)
    gain = float(np.mean(values)) - composition_dependent_ev(shoe)
    penetration = round(1 - left / (52 * decks), 2)
    assert gain + 3 * np.std(values) / len(values) ** 0.5 < cards_seen(rules._replace(penetration=penetration)) + 0.02
