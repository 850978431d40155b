"""Compiling: plain Python functions as machine code, cached on disk and never stale.

A function that is marked ``@inlined`` stays an ordinary Python function; called from a kernel it is compiled into it. A
*kernel* is what Python calls: `kernel` compiles it on first use and keeps the machine code on disk.

No kernel makes an array of its own, so none counts references (``_nrt=False``): counting them for every function that
is copied into a kernel made rounds 25 times slower.
"""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from hashlib import sha256
from inspect import getmembers, isfunction
from pathlib import Path
from threading import Timer
from types import ModuleType
from typing import Any, TypeVar

from llvmlite import ir
from numba import types
from numba.extending import intrinsic, overload, register_jitable

import bj_env
from bj_env import observation
from bj_env.env import settings
from bj_env.game import rng
from bj_env.rules import numbered
from bj_env.solver.machine_code import compiled_once
from bj_env.strategies import count_systems

_Function = TypeVar("_Function", bound=Callable[..., Any])


_UNWRAPPED: Any = {"error_model": "numpy", "_nrt": False, "no_cpython_wrapper": True, "no_cfunc_wrapper": True}
"""Only kernels call such a function: it needs no entry for Python or C, which takes longer to compile."""


def inlined(function: _Function) -> _Function:
    """Let kernels call a function, copied into them; Python goes on calling it as it is."""
    return register_jitable(forceinline=True, **_UNWRAPPED)(function)


def called(function: _Function) -> _Function:
    """Let kernels call a function that is too long, or too rarely called, to be copied to every place."""
    return register_jitable(**_UNWRAPPED)(function)


def written_in(function: _Function) -> _Function:
    """Write the lines of a function in place of its calls, in kernels: only so can it return records in a tuple."""
    overload(function, inline="always", strict=False, jit_options=_UNWRAPPED)(lambda *_: function)
    return function


@intrinsic
def _expected_false(_: Any, flag: Any) -> Any:
    def write(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        bit = ir.IntType(1)
        expect = builder.module.declare_intrinsic("llvm.expect", [bit], ir.FunctionType(bit, [bit, bit]))
        return builder.call(expect, [arguments[0], ir.Constant(bit, 0)])

    return types.boolean(types.boolean), write


def rare(flag: Any) -> bool:
    """Return a condition, and have the compiler put what follows from it out of the way of all else.

    >>> rare(3 > 2)
    True
    """
    return bool(flag)


@overload(rare, strict=False, jit_options=_UNWRAPPED | {"forceinline": True})
def _rare(flag: Any) -> Any:
    return lambda flag: _expected_false(bool(flag))  # type: ignore[call-arg]  # numba gives the other


@inlined
def index(number: Any) -> int:
    """Return a number that is not negative, and have the compiler know it.

    Else every place that is looked up in an array is checked for counting from the end: a fifth of all the time.
    """
    return int(number) & 0x7FFFFFFF


def _functions(module: ModuleType) -> list[Any]:
    return [function for _, function in getmembers(module, isfunction) if function.__module__ == module.__name__]


for _function in (
    *_functions(numbered),
    *_functions(rng),
    count_systems.running_count,
    count_systems.estimated_decks,
    count_systems.true_count,
    observation.hand_value,
    observation.write_bankroll,
    observation.write_card,
    observation.write_composition,
    observation.write_count,
    observation.write_hand,
    observation.write_seen,
    observation.write_turn,
    settings.fallback_action,
):
    inlined(_function)


_REACHABLE = ("compiled", "env", "errors.py", "game", "observation.py", "rules", "solver", "strategies")
"""What a kernel can call into; the layers in pyproject.toml keep everything else above the compiled engine."""


@cache
def sources() -> str:
    """Return a digest of the sources that a kernel can reach.

    numba's cache notices a change in the file of a kernel, but not in the files that the kernel calls into. What a
    kernel closes over is part of the key under which it is kept, so each closes over this.
    """
    digest = sha256()
    root = Path(bj_env.__file__).parent
    for path in sorted(root.rglob("*.py")):
        if path.relative_to(root).parts[0] not in _REACHABLE:
            continue
        digest.update(str(path.relative_to(root)).encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()


def kernel(function: _Function) -> _Function:
    """Compile a kernel on first use, without Python's lock; later processes read the machine code from disk."""
    return compiled_once(function, nogil=True, error_model="numpy", _nrt=False)


@contextmanager
def told_if_compiling(kernel: Any, seconds: float = 1.0) -> Iterator[None]:
    """Say on standard error that a kernel is being compiled, if calling it for the first time takes longer than so."""
    if getattr(kernel, "overloads", True):  # it is compiled, or is plain Python
        yield
        return

    def tell() -> None:
        if any(kernel.stats.cache_misses.values()):  # else it is only being read from disk
            said = f"bj_env: compiling {kernel.__name__!r} for this machine, once; it takes about half a minute"
            print(said, file=sys.stderr, flush=True)

    timer = Timer(seconds, tell)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
