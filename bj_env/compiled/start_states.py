"""Starts: the reset options of `bj_env.env.start_states`, written into the arrays of tables that have just begun."""

from collections.abc import Sequence
from types import SimpleNamespace
from typing import cast

import numpy as np

from bj_env.compiled.engine import Engine
from bj_env.compiled.episode import deal_if_any_bet
from bj_env.compiled.kernels import table_at
from bj_env.compiled.lookup_policies import decide
from bj_env.compiled.records import round_on
from bj_env.compiled.round import go_on, take
from bj_env.compiled.shoe import draws_used
from bj_env.env.start_states import ShoeState, Start
from bj_env.game.notation import Line
from bj_env.game.replay import play_written
from bj_env.game.rng import Stream
from bj_env.game.round import Round
from bj_env.rules.terms import TICKS, Phase, ticks


def apply_start(engine: Engine, tables: Sequence[int], start: Start) -> None:
    """Lay a start at tables, up to where chance or the agent goes on.

    Raises:
        BlackjackError: if a line does not play.
    """
    if start.cards is not None or start.at is not None:
        _stack_all(engine, tables, start)
    for i in tables:
        for seat, bank in enumerate(start.banks):
            if bank is not None:
                engine.tables.seats[i, seat].free = ticks(bank, "bank")
        if start.bets is not None:
            engine.tables.seats["bet"][i] = np.array(start.bets) * TICKS
            engine.tables.state[i].placed = len(start.bets)
        if start.line is not None:
            _play(engine, i, start.line)


def _stack_all(engine: Engine, tables: Sequence[int], start: Start) -> None:
    """Lay the shoe of a start on tables, each with its own random numbers."""
    for i in tables:
        _give_back(engine, i)
    streams = [_stream(engine, i) for i in tables]
    for i, stream, shoe_state in zip(tables, streams, start.shoe_states(engine.settings.rules, streams), strict=True):
        state = engine.tables.state[i]
        state.draws = state.draws_before = stream.draws
        _stack(engine, i, shoe_state)


def _stream(engine: Engine, i: int) -> Stream:
    """Return the random numbers of a table's shoe, from the next one on."""
    state = engine.tables.state[i]
    return Stream(state.key_low | state.key_high << 32, table=state.number, shoe=state.shoe, draws=state.draws)


def _give_back(engine: Engine, i: int) -> None:
    """Give back the words of the cards ahead, which will not be dealt."""
    draws = draws_used(engine.book, table_at(engine.tables, i))
    engine.tables.state[i].draws = engine.tables.state[i].draws_before = draws


def _stack(engine: Engine, i: int, shoe_state: ShoeState) -> None:
    """Put a shoe on a table."""
    t, infinite = engine.tables, engine.settings.rules.decks == 0
    if t.front.shape[1] < len(shoe_state.stacked):
        front = np.zeros((len(engine), len(shoe_state.stacked)), np.uint8)
        front[:, : t.front.shape[1]] = t.front
        engine.tables = t = t._replace(front=front)
    known = sum(rank > 0 for rank in shoe_state.stacked)
    at = 0 if infinite else len(shoe_state.dealt) + known
    t.pool[i, : len(shoe_state.dealt)] = shoe_state.dealt
    t.pool[i, at : at + len(shoe_state.rest)] = shoe_state.rest
    t.front[i, : len(shoe_state.stacked)] = shoe_state.stacked
    s = t.state[i]
    s.seen[:] = shoe_state.seen
    dealt = len(shoe_state.dealt)
    s.dealt = s.ready = s.ready_from = dealt
    s.pool_end = at + len(shoe_state.rest)
    s.front_at, s.front_end, s.stacked = 0, len(shoe_state.stacked), known
    s.fresh, s.spent, s.kept = 0, 0, 1


def _play(engine: Engine, i: int, line: Line) -> None:
    """Deal, and play the actions that the line writes, by the kernels' own functions as plain Python."""
    deal_if_any_bet(engine.book, table_at(engine.tables, i))
    round_on(engine, i)  # refuses bets that the house or the seat's money does not allow
    play_written(cast(Round, _Written(engine, i)), line, lambda round: cast(_Written, round).ask_other())


class _Written:
    """A table's round, as `play_written` wants it."""

    def __init__(self, engine: Engine, i: int) -> None:
        self.engine = engine
        self.i = i
        self.table = table_at(engine.tables, i)
        self._go_on()

    def _go_on(self) -> None:
        state = self.table.state
        self.over = not go_on(self.engine.book, self.table)
        if self.over:
            state.seat = len(self.engine.settings.decisions)  # whoever goes on finds that all have been asked
        self.void = bool(state.void)
        self.phase = Phase(int(state.phase))
        self.active_seat = SimpleNamespace(number=int(state.seat))

    def act(self, action: int) -> None:
        round_on(self.engine, self.i).check(action)
        take(self.engine.book, self.table, action)
        self._go_on()

    def ask_other(self) -> bool:
        if self.engine.settings.decisions[self.active_seat.number] is None:
            return False
        take(self.engine.book, self.table, self._decided())
        self._go_on()
        return True

    def _decided(self) -> int:
        return decide(self.engine.book, self.table, self.engine.plans)
