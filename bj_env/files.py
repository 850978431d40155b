"""Reading files that a person names: plain files of a sensible size, and nothing without an end."""

import os
import stat
from pathlib import Path

LARGEST = 1 << 28
"""Bytes of the largest file that is read."""


def read_plain_file(path: str | os.PathLike[str], largest: int = LARGEST) -> bytes:
    """Return what a plain file holds; a FIFO or a device is refused without waiting for it.

    Args:
        path: the file; a symbolic link is followed.
        largest: the most bytes that are read.

    Raises:
        OSError: if it cannot be read, is no plain file, or is larger; ``strerror`` says which.
    """
    number = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    if not stat.S_ISREG(os.fstat(number).st_mode):
        os.close(number)
        raise OSError(0, "it is no plain file", str(path))
    with os.fdopen(number, "rb") as file:
        content = file.read(largest + 1)
    if len(content) > largest:
        raise OSError(0, f"it has over {largest} bytes", str(path))
    return content


def read_plain_text(path: str | os.PathLike[str], largest: int = LARGEST) -> str:
    """Return what a plain file holds as UTF-8 text.

    Raises:
        OSError: as for `read_plain_file`.
        ValueError: if it is not UTF-8.
    """
    return read_plain_file(Path(path), largest).decode("utf-8").replace("\r\n", "\n")
