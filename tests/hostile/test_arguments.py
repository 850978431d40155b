"""Python values that nobody means, for every argument of the environments, and for their `reset` and `step`.

Each is taken, or refused with a `BlackjackError` in one line; a refused call leaves the game as it was. A short run is
in ``make test``, a long one is marked slow; both print how many calls they tried.
"""

from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from functools import partial
from inspect import Parameter, signature
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

from bj_env.compiled.vector_env import BlackjackVectorEnv
from bj_env.env.env import BlackjackEnv
from bj_env.errors import LONGEST_MESSAGE, BlackjackError
from bj_env.rules.terms import Rules

SHORT, LONG = 1_500, 60_000
LONG_TEXT = "x" * 100_000
HOSTILE: tuple[Any, ...] = (
    *(None, True, False, 0, 1, -1, 2, 7, 10**30, 10**400, 0.5, -0.0, 1e300, float("nan"), float("inf"), 1j),
    *(
        np.int64(3),
        np.float32(2.0),
        np.float16(10.5),
        np.uint64(2**63),
        np.bool_(True),
        np.array(5),
        np.array([1, 2]),
        np.array([[0.5]]),
        np.str_("6D"),
    ),
    *("", " ", "6D", "1D PEN99", "basic", "agent", "hi-lo", "ko whole", "human", "ansi", "round", "same", LONG_TEXT),
    *("\0", "\ud800", "../..", "/dev/zero", b"agent", [], (), {}, set(), [1, 5], (0, 1), [True], ["agent"], [None]),
    *(("agent", "agent"), ("agent",) * 300, [[1]], {"hand": "T,6"}, {"count": 2}, {"count": float("nan")}, {1: 2}),
    *(Fraction(7, 3), Fraction(10**400), Decimal(2), {"count": 10**400}, {"shoe": {"T"}}, {"hand": {"T": 1, "6": 1}}),
    *({"shoe": "T,T"}, {"line": "x"}, {"hand": "T,6", "upcard": "A"}, {"shoe": LONG_TEXT}, {"upcard": []}),
    *(Rules(decks=1), Rules, object(), lambda: 1, iter([1, 2]), range(3), BlackjackEnv, Path("x"), "agent", Ellipsis),
)


def refused(call: Callable[[], Any]) -> bool:
    """Make a call, and tell whether it was refused; an error of another kind is a fault."""
    try:
        call()
    except MemoryError:  # as numpy refuses 10**30 tables
        return True
    except BlackjackError as error:
        message = str(error)
        assert message, "an empty message"
        assert len(message) <= LONGEST_MESSAGE
        assert "\n" not in message
        return True
    except Exception as error:
        raise AssertionError(f"{call} raised {error!r}") from error
    return False


def state(env: BlackjackEnv) -> tuple[Any, ...]:
    """Return what a game is, down to the next random number."""
    table = env.episode.table
    cards = [hand.cards for seat in table.round.seats for hand in seat.hands] if table.round else None
    return list(table.shoe.dealt), list(table.shoe.seen), table.shoe.rng.draws, cards, env.action_masks().tolist()


def call_that_makes(chance: Random) -> Callable[[], Any]:
    """Return a call that makes an environment, with one or two hostile arguments."""
    maker: Any = chance.choice((BlackjackEnv, BlackjackVectorEnv))
    names = [name for name, one in signature(maker).parameters.items() if one.kind is not Parameter.VAR_KEYWORD]
    given = {chance.choice(names): chance.choice(HOSTILE) for _ in range(chance.choice((1, 1, 2)))}
    return partial(maker, **given)


def call_that_plays(env: BlackjackEnv, chance: Random) -> Callable[[], Any]:
    """Return a call of `reset` or `step` with hostile arguments."""
    if chance.random() < 0.5:
        return partial(env.step, chance.choice(HOSTILE))
    seed, options = (chance.choice((None, 1, value)) for value in chance.choices(HOSTILE, k=2))
    return partial(env.reset, seed=seed, options=options)


def tried(number: int, chance: Random, capsys: pytest.CaptureFixture[str]) -> None:
    """Make environments, reset them and step with hostile values."""
    env = BlackjackEnv(seats=("agent", "basic"), bets=(1, 5), bankroll=1000, episode="session")
    refusals = 0
    for _ in range(number):
        if env.episode.over:
            env.reset(seed=chance.getrandbits(32))
        before = state(env)
        makes = chance.random() < 0.6
        if refused(call_that_makes(chance) if makes else call_that_plays(env, chance)):
            refusals += 1
            assert state(env) == before
    with capsys.disabled():
        print(f"\n{number} calls tried, {refusals} refused")
    assert 0 < refusals < number


def test_hostile_arguments(capsys: pytest.CaptureFixture[str]) -> None:
    tried(SHORT, Random(1), capsys)


@pytest.mark.slow
def test_hostile_arguments_for_long(capsys: pytest.CaptureFixture[str]) -> None:
    tried(LONG, Random(2), capsys)
