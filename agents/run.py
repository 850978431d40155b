"""The folder of a run: never shared by two, every file written whole or not at all."""

import os
from pathlib import Path

from agents.config import Config


def create_folder(root: str | Path, name: str) -> Path:
    """Create the folder of a run: ``root/name``, or ``root/name-2`` and so on where that is taken."""
    root = Path(root)
    root.mkdir(parents=True, exist_ok=True)
    number = 1
    while True:
        folder = root / (name if number == 1 else f"{name}-{number}")
        try:
            folder.mkdir()
        except FileExistsError:
            number += 1
        else:
            return folder


def write_file(path: Path, content: str | bytes) -> None:
    """Write a file through a temporary one, so that a kill leaves the old one or the new one."""
    made = path.with_name(f".{path.name}.part")
    with made.open("wb") as file:
        file.write(content.encode() if isinstance(content, str) else content)
        file.flush()
        os.fsync(file.fileno())
    made.replace(path)


def config_text(config: Config) -> str:
    """Write a configuration as TOML, as it was run."""
    import tomli_w

    return tomli_w.dumps(config.model_dump())
