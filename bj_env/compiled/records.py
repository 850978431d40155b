"""Describing: a table's round in words, by playing what its log says again at a table of objects."""

from typing import TYPE_CHECKING

from bj_env.compiled.arrays import NEW_ACTION
from bj_env.display.scene import Scene, betting_scene, round_scene
from bj_env.errors import BlackjackError, IllegalAction
from bj_env.game.notation import Face
from bj_env.game.replay import retrace
from bj_env.game.round import Round
from bj_env.rules.terms import FIRST_BET, TICKS, Phase

if TYPE_CHECKING:
    from bj_env.compiled.engine import Engine


def round_on(engine: "Engine", i: int) -> Round:
    """Return the round on a table, as far as it has come."""
    state = engine.tables.state[i]
    return _retraced(engine, i, int(state.half), int(state.logged), "bet", "bank")


def last_round(engine: "Engine", i: int) -> Round:
    """Return the last round that has ended at a table.

    Raises:
        BlackjackError: if none has.
    """
    state = engine.tables.state[i]
    if state.last_logged == 0:
        raise BlackjackError(f"record: expected a round that has ended in environment {i}, but none has")
    return _retraced(engine, i, int(state.half) ^ 1, int(state.last_logged), "last_bet", "last_bank")


def scene_of(engine: "Engine", i: int) -> Scene:
    """Return what everyone sees of a table now."""
    settings, state = engine.settings, engine.tables.state[i]
    mask, asked = int(state.mask), int(state.asked_seat)
    banks = engine.tables.seats["free"][i].tolist()
    legal = [settings.action_name(action) for action in range(settings.actions) if mask >> action & 1]
    left = f"{state.pool_end - state.dealt} cards left in the shoe" if settings.rules.decks else "infinite shoe"
    if state.on_table:
        round = round_on(engine, i) if state.phase != Phase.ROUND_OVER else last_round(engine, i)
        scene = round_scene(round, settings.names, legal)
    else:
        scene = betting_scene(settings.rules, settings.names, banks, legal, asked)
    return scene._replace(shoe=left)


def _retraced(engine: "Engine", i: int, half: int, length: int, bet: str, bank: str) -> Round:
    log = engine.tables.log[i, half, :length].tolist()
    faces = [Face(entry) for entry in log if entry < NEW_ACTION]
    actions = [entry - NEW_ACTION for entry in log if entry >= NEW_ACTION]
    money = engine.tables.seats[i]
    bets, banks = (money[bet] // TICKS).tolist(), money[bank].tolist()
    return retrace(engine.settings.rules, bets, banks, faces, actions)


def refused(engine: "Engine", i: int, action: int) -> BlackjackError:
    """Return the error for an action that cannot be taken: where, whose turn it is, what was legal, and why."""
    state, settings = engine.tables.state[i], engine.settings
    where = f"environment {i}"
    if not 0 <= action < settings.actions:
        return BlackjackError(
            f"{where}: action: expected a whole number from 0 to {settings.actions - 1}, got {action}"
        )
    if state.over:
        return BlackjackError(f"{where}: step: expected an episode that goes on, but none does; call reset()")
    if state.on_table and not state.shown and action < FIRST_BET:
        try:
            round_on(engine, i).check(action)
        except IllegalAction as error:
            return IllegalAction(f"{where}: {error}")
    legal = settings.legal_names(int(state.mask))
    return IllegalAction(
        f"{where}: P{state.asked_seat + 1}: expected one of {legal}, got {settings.action_name(action)}"
    )
