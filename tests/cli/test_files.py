"""Files that commands write."""

import os
from pathlib import Path

import pytest

from bj_env.cli.files import check_target, write_file
from bj_env.errors import BlackjackError


def test_a_picture_is_a_plain_file_and_nothing_is_left_where_one_could_be(tmp_path: Path) -> None:
    (tmp_path / "folder.png").mkdir()
    os.mkfifo(tmp_path / "pipe.png")
    for name in ("folder.png", "pipe.png"):
        with pytest.raises(BlackjackError, match="png: expected a plain file"):
            check_target("png", tmp_path / name, ".png")
    check_target("png", tmp_path / "new.png", ".png")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["folder.png", "pipe.png"]


def test_a_file_is_replaced_as_a_whole_or_not_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "it.png"
    write_file(path, b"old")

    def fail(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(KeyboardInterrupt):
        write_file(path, b"new")
    assert (path.read_bytes(), list(tmp_path.iterdir())) == (b"old", [path])
