"""Machine code on disk: functions compiled once for a machine, read again by later processes unless they are damaged.

numba keeps compiled functions in files and reads them without any check, so that a damaged file ends the process with
an unpickling error, or worse. Here every file begins with the SHA-256 of the rest. What does not agree with it is
compiled again and written anew, and that is said once.

The digest has no key: it finds damage, not forgery. Like numba's own cache, these files hold pickles and machine code,
so anyone who can write to the cache folder can run code in this process. Never share that folder.
"""

import pickle
import sys
import warnings
from collections.abc import Callable
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any, TypeVar, cast

import numba
from numba.core.caching import FunctionCache, IndexDataCacheFile

_Function = TypeVar("_Function", bound=Callable[..., Any])
_DIGEST = 32


def compiled_once(function: _Function, **options: Any) -> _Function:
    """Return a function that is compiled on first use, and that later processes read from disk.

    Args:
        function: what to compile.
        options: as for `numba.njit`.
    """
    made = numba.njit(**options)(function)
    try:
        made._cache = _CheckedCache(function)
    except RuntimeError:  # numba has found no folder that it may write to
        _warn_of_no_folder()
    return cast(_Function, made)


@cache
def _warn_of_no_folder() -> None:
    warnings.warn("no folder to keep compiled code in: compiling anew in each process", RuntimeWarning, stacklevel=5)


@cache
def _tell_once(what: str) -> None:
    print(f"bj_env: {what}", file=sys.stderr, flush=True)


class _CheckedCache(FunctionCache):
    """numba's cache of one function, with files that are checked, and without errors where a disk fails."""

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__(function)  # type: ignore[no-untyped-call]
        locator, name = self._impl.locator, f"{self._impl.filename_base}.checked"
        self._cache_file = _CheckedFiles(self._cache_path, name, locator.get_source_stamp())  # type: ignore[no-untyped-call]

    def save_overload(self, sig: Any, data: Any) -> None:
        try:
            super().save_overload(sig, data)  # type: ignore[no-untyped-call]
        except OSError as error:
            _tell_once(f"compiled code is not kept: {error.strerror or error}")


class _CheckedFiles(IndexDataCacheFile):
    """The files of one function: an index, and machine code for each type of arguments."""

    def _dump(self, obj: Any) -> bytes:
        content: bytes = super()._dump(obj)  # type: ignore[no-untyped-call]
        return sha256(content).digest() + content

    def _save_index(self, overloads: dict[Any, str]) -> None:
        with self._open_for_write(self._index_path) as file:
            file.write(self._dump((self._version, self._source_stamp, overloads)))

    def _load_index(self) -> dict[Any, str]:
        version, stamp, overloads = self._read(self._index_path) or (None, None, {})
        fresh = version == self._version and stamp == self._source_stamp
        return overloads if fresh else {}

    def _load_data(self, name: str) -> Any:
        return self._read(self._data_path(name))  # type: ignore[no-untyped-call]

    def _read(self, path: str) -> Any:
        """Return what a file holds; None if there is no such file, or if it is damaged, which is said once."""
        try:
            content = Path(path).read_bytes()
        except OSError as error:
            if not isinstance(error, FileNotFoundError):
                _tell_once(f"compiled code cannot be read, so it is compiled again: {error.strerror}: {path}")
            return None
        if sha256(content[_DIGEST:]).digest() != content[:_DIGEST]:
            _tell_once(f"compiled code in {Path(path).parent} is damaged, so it is compiled again")
            return None
        return pickle.loads(content[_DIGEST:])
