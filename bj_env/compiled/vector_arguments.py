"""The arguments of the compiled environment that the single one has not: checked, with errors in one line."""

import os
from collections.abc import Mapping
from importlib.util import find_spec
from typing import Any

import numpy as np
from gymnasium.vector import AutoresetMode

from bj_env.compiled.arrays import Array
from bj_env.errors import BlackjackError, RenderModeError, flag_of, one_of, shortened
from bj_env.extras import missing
from bj_env.game.rng import SEEDS
from bj_env.rules.terms import checked_number

MOST_THREADS = 1024
MOST_PICTURES = 64
"""So many tables are drawn at most."""

_MODES = [mode.value for mode in AutoresetMode]


def checked_render_mode(render_mode: str | None, tables: int) -> str | None:
    """Return how tables are drawn: pictures of a few tables, or not at all."""
    if not (render_mode is None or (isinstance(render_mode, str) and render_mode == "rgb_array")):
        raise RenderModeError(f"render_mode: got {shortened(render_mode)}; valid for several tables: None, 'rgb_array'")
    if render_mode is not None and tables > MOST_PICTURES:
        raise RenderModeError(f"render_mode: expected at most {MOST_PICTURES} tables to draw, got {tables}")
    if render_mode is not None and find_spec("pygame") is None:
        raise RenderModeError(f"render_mode {render_mode!r}: {missing('pygame-ce', 'play')}")
    return render_mode


def cores() -> int:
    """Return how many threads there is work for."""
    usable = os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else range(os.cpu_count() or 1)  # not on Macs
    return min(len(usable), MOST_THREADS)


def without_records(keywords: dict[str, Any]) -> dict[str, Any]:
    """Return the keywords without ``record_in_info``, which may only be false: infos of many tables hold no records.

    Raises:
        BlackjackError: if it is not.
    """
    if flag_of("record_in_info", keywords.get("record_in_info", False)):
        raise BlackjackError("record_in_info: infos of several tables hold no records; record(index) returns one")
    return {name: value for name, value in keywords.items() if name != "record_in_info"}


def checked_options(options: Any) -> dict[str, Any]:
    """Return the options of a reset as a dictionary of one's own."""
    if options is not None and not isinstance(options, Mapping):
        raise BlackjackError(f"options: expected names with values, like {{'hand': 'T,6'}}, got {options!r}")
    return dict(options or {})


def checked_mode(mode: AutoresetMode | str) -> AutoresetMode:
    """Return when a new episode begins."""
    return mode if isinstance(mode, AutoresetMode) else AutoresetMode(one_of("autoreset_mode", mode, _MODES))


def checked_seed(seed: Any) -> int:
    """Return a seed of a table."""
    return checked_number("seed", seed, 0, SEEDS - 1)


def checked_actions(actions: Any, tables: int) -> Array:
    """Return an action for each table, ``[T]``."""
    try:
        given = np.asarray(actions)
    except ValueError:  # rows of different lengths
        raise BlackjackError(f"actions: expected whole numbers ({tables},), got {actions!r}") from None
    if given.shape != (tables,) or given.dtype.kind not in "iu":
        raise BlackjackError(f"actions: expected whole numbers ({tables},), got {given.dtype} {given.shape}")
    if given.dtype == np.uint64:
        given = np.minimum(given, np.uint64(np.iinfo(np.int64).max))  # too large stays too large
    return np.array(given, np.int64)  # of one layout, for which the kernels are compiled
