"""Lockstep: the readable environment and the compiled one side by side, compared in all that can be seen and more."""

import re
from collections.abc import Sequence
from copy import deepcopy
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import strategies as st

from bj_env.compiled.kernels import table_at
from bj_env.compiled.shoe import draws_used
from bj_env.compiled.vector_env import BlackjackVectorEnv
from bj_env.env.env import BlackjackEnv
from bj_env.errors import BlackjackError
from bj_env.rules.terms import Rules
from tests.generators import rules

OTHERS = ("basic", "mimic", "random", "threshold:14", "never-bust", "hi-lo")


@st.composite
def settings(draw: st.DrawFn) -> dict[str, Any]:
    """Draw the arguments of an environment: any rules, seats, bets, money, observation and reward."""
    house: Rules = draw(rules())
    seats = draw(st.lists(st.sampled_from(("agent", "agent", *OTHERS)), min_size=0, max_size=3))
    seats.insert(draw(st.integers(0, len(seats))), "agent")
    if house.decks == 0:
        seats = ["basic" if seat == "hi-lo" else seat for seat in seats]
    low, high = house.min_bet, house.max_bet
    bets = draw(st.sampled_from((None, (low,), (0, low), (0, low, min(low + 3, high)), (min(2 * low, high), low))))
    bets = bets if bets is None or len(set(bets)) == len(bets) else None
    bankroll = draw(st.sampled_from((None, 2.5 * low, 7 * low, 40.5 * low)))
    unit = low if bets is None else min(bet for bet in bets if bet)
    bankroll = None if bankroll is None or bankroll < unit else round(bankroll, 1)
    parts = {"hand", "table", "seen", "rules"}
    parts |= {"count", "composition"} if house.decks else set()
    parts |= {"bankroll"} if bankroll is not None else set()
    return {
        "rules": house,
        "seats": tuple(seats),
        "bets": bets,
        "episode": draw(st.sampled_from(("round", "session", "shoe") if house.penetration else ("round", "session"))),
        "bankroll": bankroll,
        "max_rounds": draw(st.sampled_from((1, 3, 20))),
        "observation": tuple(sorted(draw(st.sets(st.sampled_from(sorted(parts)), min_size=1)))),
        "encoding": draw(st.sampled_from(("features", "discrete"))),
        "count": draw(st.sampled_from(("hi-lo", "ko", "hi-lo half down", "omega-ii whole"))),
        "reward": draw(st.sampled_from(("sampled", "sampled", "expected"))),
        "illegal_action": draw(st.sampled_from(("fallback", "penalty"))),
    }


def everything(env: BlackjackVectorEnv) -> list[Any]:
    """Return all that can change in a vector environment, as plain values."""
    chance = None if env._np_random is None else env._np_random.bit_generator.state
    return [plain(array) for array in env.engine.tables] + [env._seeded, chance]


def plain(array: Any) -> Any:
    """Return the bytes of an array, of records field by field: what lies between the fields means nothing."""
    if array.dtype.names is None:
        return array.tobytes()
    return [array[name].tobytes() for name in array.dtype.names]


def without_words(state: Any) -> Any:
    """Return records of tables but for the random words that are worked out already, ``[T]``."""
    return state[[field for field in state.dtype.names if not field.startswith("words")]]


def suitless(text: str) -> str:
    """Return a text without the suits of cards, which the compiled engine does not know."""
    return re.sub(r"\b([A2-9TJQK])[cdhs]\b", r"\1", text)


class Pair:
    """Environments of both kinds with the same arguments and seeds."""

    def __init__(self, arguments: dict[str, Any], seeds: list[int], mode: str = "Disabled", threads: int = 1) -> None:
        self.singles = [BlackjackEnv(**arguments) for _ in seeds]
        self.vector = BlackjackVectorEnv(len(seeds), **arguments, autoreset_mode=mode, threads=threads)
        self.seeds = seeds

    def reset(
        self, seeds: bool = True, options: dict[str, Any] | None = None, which: Sequence[int] | None = None
    ) -> str | None:
        """Reset both, some tables or all, and compare; return why if both refuse, and then nothing has changed."""
        which = range(len(self.seeds)) if which is None else which
        given = dict(options or {}) | {"reset_mask": np.isin(range(len(self.seeds)), which)}
        seed, before = self.seeds if seeds else None, deepcopy(self.singles)
        shown, refusal = [], None
        try:
            shown = [self.singles[i].reset(seed=self.seeds[i] if seeds else None, options=options) for i in which]
        except BlackjackError as error:
            self.singles, refusal = before, error
        if refusal is not None:
            self._refused(seed, given, refusal)
            return str(refusal)
        observations, infos = self.vector.reset(seed=seed, options=given)
        for i, single in zip(which, shown, strict=True):
            self._compare(i, single, observations, infos)
        return None

    def _refused(self, seed: list[int] | None, options: dict[str, Any], refusal: BlackjackError) -> None:
        before = everything(self.vector)
        with pytest.raises(type(refusal)) as refused:
            self.vector.reset(seed=seed, options=options)
        assert suitless(str(refused.value)) == suitless(str(refusal))
        assert everything(self.vector) == before

    def step(self, actions: list[int]) -> list[bool]:
        """Take a step wherever an episode goes on, compare, and reset both where it is over; tell where."""
        observations, rewards, terminated, truncated, infos = self.vector.step(np.array(actions))
        over = []
        for i, single in enumerate(self.singles):
            observation, reward, ended, cut, info = single.step(actions[i])
            self._compare(i, (observation, info), observations, infos)
            assert abs(rewards[i] - reward) < 1e-9 * max(1.0, abs(reward)), (i, rewards[i], reward)
            assert (terminated[i], truncated[i]) == (ended, cut)
            over.append(ended or cut)
        return over

    def legal(self, chance: Random, anything: bool = False) -> list[int]:
        """Choose an action for each, a legal one unless it may be anything."""
        count = self.vector.settings.actions
        masks = [single.action_masks() for single in self.singles]
        return [chance.choice(range(count) if anything else np.flatnonzero(mask).tolist()) for mask in masks]

    def play(self, steps: int, chance: Random, illegal: float = 0.0) -> None:
        """Play so many steps from a reset, beginning a new episode at each table whose episode is over."""
        self.reset()
        self.play_on(steps, chance, illegal)

    def play_on(self, steps: int, chance: Random, illegal: float = 0.0) -> None:
        """Play so many steps, beginning a new episode at each table whose episode is over."""
        for _ in range(steps):
            over = self.step(self.legal(chance, chance.random() < illegal))
            if any(over):
                self.reset(seeds=False, which=np.flatnonzero(over).tolist())

    def _compare(self, i: int, shown: tuple[Any, dict[str, Any]], observations: Any, infos: dict[str, Any]) -> None:
        observation, info = shown
        assert observation.dtype == observations.dtype
        assert np.array_equal(observation, observations[i]), self._different(observation, observations[i])
        assert np.array_equal(info["action_mask"], infos["action_mask"][i])
        assert np.array_equal(info["action_mask"], self.vector.action_masks()[i])
        assert info["seat"] == infos["seat"][i]
        assert info["illegal_action"] == infos["illegal_action"][i]
        assert info["round_over"] == infos["_nets"][i]
        if info["round_over"]:
            assert np.array_equal(info["nets"], infos["nets"][i])
            assert np.array_equal(info["dealer"], infos["dealer"][i])
            assert str(self.vector.record(i)) == str(info["record"])
        self._compare_hidden(i)

    def _different(self, one: Any, other: Any) -> str:
        places = np.flatnonzero(one != other)
        return "; ".join(f"{self.vector.feature_names[at]} {one[at]} {other[at]}" for at in places.tolist())

    def _compare_hidden(self, i: int) -> None:
        """Compare what nobody sees: the shoe's position and chance, the hole card, all money."""
        table, t = self.singles[i].episode.table, self.vector.engine.tables
        state = t.state[i]
        rest = 0 if table.shoe.infinite else state.pool_end - state.dealt - state.stacked
        left = state.front_end - state.front_at + rest
        assert (len(table.shoe.dealt), table.shoe.left) == (state.dealt, left)
        assert (table.shoe.rng.shoe, table.shoe.rng.draws) == (
            state.shoe,
            draws_used(self.vector.engine.book, table_at(t, i)),
        )
        assert table.shoe.seen == state.seen.tolist()
        round = table.round
        hidden = round is not None and round.hole is not None and len(round.dealer.cards) == 1
        assert (int(round.hole.rank) if hidden else 0) == (state.hole if state.on_table else 0)
        assert [player.free for player in table.players] == t.seats["free"][i].tolist()
