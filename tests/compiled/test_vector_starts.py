"""The compiled environment's ``reset(options=)``: every start is the readable environment's, table by table."""

from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import Phase, given
from hypothesis import settings as effort
from hypothesis import strategies as st

from bj_env.compiled.vector_env import BlackjackVectorEnv
from bj_env.env.env import BlackjackEnv
from bj_env.env.settings import Settings
from bj_env.errors import BlackjackError
from bj_env.game.notation import RANKS, SeatLine, house_text, write
from bj_env.rules.terms import Action
from tests.generators import seeds
from tests.lockstep import Pair, everything, settings, without_words

GOLDEN = "six-deck ; D 6/T ; P1 1 T,6 ; P2 1 8,8 P H S ; P3 1 5,6 D ; next 3,T,9,2"


def some_line(arguments: dict[str, Any], chance: Random) -> str | None:
    """Write a round as the readable environment has played it, cut short or spoilt as chance will have it."""
    env = BlackjackEnv(**arguments)
    _, info = env.reset(seed=chance.getrandbits(64))
    for _ in range(30):
        if info["round_over"]:
            line = info["record"].line()
            seats = tuple(changed(seat, chance) for seat in line.seats)
            draws = line.draws[: chance.randint(0, len(line.draws))] if chance.random() < 0.3 else line.draws
            return write(line._replace(seats=seats, draws=draws, result=None))
        legal = np.flatnonzero(env.action_masks())
        if not len(legal):
            _, info = env.reset()
        else:
            *_, info = env.step(chance.choice(legal))
    return None


def changed(seat: SeatLine, chance: Random) -> SeatLine:
    """Leave a seat as it is, or cut its actions short, or write one more that may not be legal, or other money."""
    what = chance.choice(("cut", "cut", "more", "bank", "bet", *("as it is",) * 4))
    if what == "cut":
        return seat._replace(actions=seat.actions[: chance.randint(0, len(seat.actions))])
    if what == "more" and seat.bet:
        more = chance.choice([action for action in Action if action is not Action.DECLINE])
        return seat._replace(actions=(*seat.actions, more))
    if what == "bank":
        return seat._replace(bank=chance.choice((None, 0.0, float(seat.bet), 1.5 * seat.bet, 2.5 * seat.bet, 1e6)))
    if what == "bet" and seat.bet:
        return seat._replace(bet=chance.choice((1, seat.bet, seat.bet + 1, 2000)))
    return seat


def some_start(arguments: dict[str, Any], chance: Random) -> dict[str, Any]:
    """Choose options of every kind."""
    line = some_line(arguments, chance) if chance.random() < 0.5 else None
    if line is not None:
        return {"line": line}
    if chance.random() < 0.3:
        return {"shoe": ",".join(chance.choices(RANKS, k=chance.choice((1, 4, 9, 25, 60))))}
    start: dict[str, Any] = {}
    if chance.random() < 0.7:
        start["hand"] = ",".join(chance.choices(RANKS, k=2))
    if chance.random() < 0.7:
        start["upcard"] = chance.choice(RANKS)
    if chance.random() < 0.5:
        start["count"] = chance.choice((0, -1, 1, 2.5, -3, 5, 40))
    return start


def starts_agree(arguments: dict[str, Any], seeds: list[int], chance: Random) -> None:
    """Start some tables or all anew three times, in every way, and play on."""
    pair = Pair(arguments, seeds)
    pair.reset()
    pair.play_on(4, chance)
    for _ in range(3):
        which = chance.choice((None, [1], [0, 2]))
        pair.reset(seeds=chance.random() < 0.3, options=some_start(arguments, chance), which=which)
        over = [i for i, single in enumerate(pair.singles) if single.episode.over]
        if over:
            pair.reset(seeds=False, which=over)
        pair.play_on(4, chance)


three_seeds = st.lists(seeds, min_size=3, max_size=3)
chances = st.integers(0, 2**32).map(Random)  # shrinking takes minutes, and makes little simpler


@given(settings(), three_seeds, chances)
@effort(max_examples=25, phases=(Phase.explicit, Phase.generate))
def test_both_engines_agree_at_every_start_and_after_it(
    arguments: dict[str, Any], seeds: list[int], chance: Random
) -> None:
    starts_agree(arguments, seeds, chance)


@pytest.mark.slow
@given(settings(), three_seeds, chances)
@effort(max_examples=250, phases=(Phase.explicit, Phase.generate))
def test_both_engines_agree_at_many_starts(arguments: dict[str, Any], seeds: list[int], chance: Random) -> None:
    starts_agree(arguments, seeds, chance)


# --- starts one by one ---


def pair_of(seats: tuple[str, ...] = ("agent",), **arguments: Any) -> Pair:
    pair = Pair({"seats": seats, "observation": ("hand", "table", "seen")} | arguments, [3, 4, 5])
    pair.reset()
    return pair


@pytest.mark.parametrize(
    ("seats", "line"),
    [
        (("agent",), "six-deck ; D 6/T ; P1 1 T,6"),
        (("agent",), "six-deck ; D 6/T ; P1 1 8,8 P H ; next 3,T"),
        (("agent",), "six-deck ; D 6/T ; P1 1 8,8 P H S S ; next 3,9,9"),
        (("agent",), "six-deck ; D A/T ; P1 1 8,8 I"),
        (("agent", "mimic"), "six-deck ; D A/T ; P1 1 8,8 ; P2 1 T,6 I"),
        (("agent",), "six-deck ; D T/A ; P1 1 8,8"),
        (("agent",), "six-deck ; D 6/T ; P1 1 A,K"),
        (("agent",), "six-deck ; D 6/T ; P1 1 bank 2.5 8,8 P ; next 3,T"),
        (("agent", "agent"), "six-deck ; D 6/T ; P1 1 T,6 S ; P2 1 8,8"),
        (("agent", "agent"), "six-deck ; D 6/T ; P1 0 ; P2 1 8,8 P ; next 8"),
        (("agent", "basic"), "six-deck ; D 6/T ; P1 1 T,6 ; P2 7 8,8 H ; next 2"),
        (("basic", "agent"), "six-deck ; D 6/T ; P1 3 bank 3 8,8 ; P2 1 T,6 ; next 2,3"),
        (("hi-lo", "agent", "random"), GOLDEN.replace("P3 1 5,6 D", "P3 1 5,6").replace("P1 1 T,6", "P1 1 T,6 S")),
    ],
)
@pytest.mark.parametrize("which", [None, [1]], ids=str)
def test_a_line_is_played_to_where_the_agent_goes_on(
    seats: tuple[str, ...], line: str, which: list[int] | None
) -> None:
    pair = pair_of(seats)
    assert pair.reset(seeds=which is None, options={"line": line}, which=which) is None
    pair.play_on(8, Random(1))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"line": "six-deck ; D 6/T ; P1 1 T,5 P"}, r"column 29: P1 hand 1 \(T,5 hard 15\) against 6: .*only a pair"),
        ({"line": "six-deck ; D 6/T ; P1 1 8,8 P H S S S ; next 3,T,9"}, "P1 has no turn left for STAND"),
        ({"line": "six-deck ; D 6/T ; P1 1 bank 0.5 T,6"}, "bet of P1: expected at most the 0.5 chips it has, got 1"),
        ({"line": "six-deck ; D 6/T ; P1 5 T,6"}, "options: bet of P1: expected one of 0, 1, got 5"),
        ({"line": "six-deck ; D 6/T ; P1 1 T,6 ; P2 1 T,6"}, "expected a line with 1 seats, got 2"),
        ({"line": "single-deck ; D 6/T ; P1 1 T,6"}, "expected a line under 'six-deck'"),
        ({"line": "six-deck ; D 6/T ; P1 1 T,16"}, "column 27: expected a card"),
        ({"line": 5}, "expected a line of notation"),
        ({"line": "x", "count": 1}, "stand alone"),
        ({"shoe": ",".join("A" * 25)}, "expected cards that the shoe holds"),
        ({"hand": "T,1"}, "expected a card"),
        ({"hand": "T"}, "expected two cards"),
        ({"upcard": ""}, "expected a card"),
        ({"count": 99}, "expected a count from"),
        ({"count": None}, "expected a count from"),
        ({"hands": "T,6"}, "unknown option 'hands'; did you mean 'hand'"),
    ],
    ids=str,
)
def test_a_wrong_start_is_refused_and_nothing_has_changed(options: dict[str, Any], message: str) -> None:
    pair = pair_of(bankroll=20)
    pair.play_on(3, Random(2))
    for seeded, which in ((True, None), (False, [0, 2])):
        refused = pair.reset(seeds=seeded, options=options, which=which)
        assert refused is not None
        assert "\n" not in refused
        with pytest.raises(BlackjackError, match=message):
            pair.vector.reset(options=options)
    pair.play_on(8, Random(3))


@pytest.mark.parametrize("options", [["line"], "hand", 5, [("hand", "T,6")]], ids=repr)
def test_options_that_are_no_names_with_values_are_refused(options: Any) -> None:
    env = BlackjackVectorEnv(2, seats=("agent",))
    env.reset(seed=1)
    before = everything(env)
    with pytest.raises(BlackjackError, match="options: expected names with values, like"):
        env.reset(options=options)
    assert everything(env) == before


def test_a_first_reset_that_is_refused_is_none() -> None:
    env = BlackjackVectorEnv(2, seats=("agent",))
    with pytest.raises(BlackjackError, match="only a pair"):
        env.reset(seed=1, options={"line": "six-deck ; D 6/T ; P1 1 T,5 P"})
    with pytest.raises(BlackjackError, match=r"expected reset\(\) before"):
        env.step(np.zeros(2, np.int64))
    assert np.array_equal(env.reset(seed=1)[0], BlackjackVectorEnv(2, seats=("agent",)).reset(seed=1)[0])


def test_a_line_that_plays_to_the_end_is_shown_once() -> None:
    pair = pair_of()
    pair.reset(options={"line": "six-deck ; D 6/T ; P1 1 T,6 S ; next 9"})
    assert pair.vector.action_masks().tolist() == [[1, 0, 0, 0, 0, 0, 0]] * 3
    assert pair.step([0, 0, 0]) == [True] * 3
    assert str(pair.vector.record(2)) == "six-deck ; D 6/T ; P1 1 T,6 S ; next 9 => P1 +1 ; D 6,T,9"


def test_options_are_not_changed_and_hold_for_the_masked_alone() -> None:
    env = BlackjackVectorEnv(4, seats=("agent",))
    env.reset(seed=1)
    mask = np.array([False, True, False, True])
    options = {"hand": "T,6", "upcard": "9", "reset_mask": mask}
    before = env.engine.tables.state.copy()
    env.reset(options=options)
    assert options == {"hand": "T,6", "upcard": "9", "reset_mask": mask}
    assert np.array_equal(without_words(env.engine.tables.state[~mask]), without_words(before[~mask]))
    hands = env.engine.tables.hands[mask, 0][["first", "latest"]]
    assert hands.tolist() == [(10, 6)] * 2, "the first and the second card"


@pytest.mark.parametrize("start", [{"count": 3}, {"count": -2.5, "hand": "T,6", "upcard": "T"}], ids=str)
def test_at_a_count_every_table_has_a_shoe_of_its_own(start: dict[str, Any]) -> None:
    env = BlackjackVectorEnv(64, seats=("agent",), observation=("count", "seen"))
    observations, _ = env.reset(seed=1, options=start)
    assert len({row.tobytes() for row in observations}) > 50


def test_rules_of_lines_are_those_of_the_settings() -> None:
    house = Settings.checked(rules="2D H17 PEN75 MIN5").rules
    pair = pair_of(rules=house, bets=(5, 10), episode="session", bankroll=40)
    line = f"{house_text(house)} ; D 6/T ; P1 10 bank 25 8,8 P H ; next 3,T"
    assert pair.reset(options={"line": line}) is None
    pair.play_on(10, Random(4))
