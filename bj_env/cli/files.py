"""Files that commands write: checked before any work is done for them, and there as a whole or not at all."""

import os
from pathlib import Path
from tempfile import NamedTemporaryFile

from bj_env.errors import BlackjackError, shortened


def check_target(name: str, path: Path, ending: str) -> None:
    """Refuse a file that could not be written, before any work is done for it.

    Raises:
        BlackjackError: if its name has another ending, its folder does not exist, or it is no plain file.
    """
    if path.suffix != ending:
        raise BlackjackError(f"{name}: expected a name that ends in {ending}, got {shortened(str(path))}")
    try:
        if not path.absolute().parent.is_dir():
            raise BlackjackError(f"{name}: expected a folder that exists, got {shortened(str(path.parent))}")
        if path.is_dir() or (path.exists() and not path.is_file()):
            raise BlackjackError(f"{name}: expected a plain file, got {shortened(str(path))}")
        if not path.exists():
            os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY))
            path.unlink()
    except (OSError, ValueError) as error:
        if isinstance(error, BlackjackError):
            raise
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise BlackjackError(f"{name}: {shortened(str(path))}: {reason}") from None


def write_file(path: Path, content: bytes) -> None:
    """Write a file that is there as a whole or not at all, under another name first."""
    with NamedTemporaryFile(dir=path.absolute().parent, prefix=f".{path.name[:100]}.", delete=False) as made:
        try:
            made.write(content)
            made.flush()
            os.fsync(made.fileno())
            mask = os.umask(0)
            os.umask(mask)
            os.chmod(made.name, 0o666 & ~mask)
            os.replace(made.name, path)
        except BaseException:
            os.unlink(made.name)
            raise
