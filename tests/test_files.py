"""Files that a person names: plain ones are read, all others are refused without waiting for them."""

import os
from pathlib import Path

import pytest

from agents.run.config import ConfigError, load_config
from bj_env.errors import PolicyError, RulesError
from bj_env.files import read_plain_file, read_plain_text
from bj_env.rules.houses import parse_rules
from bj_env.strategies.saved_policy import load_policy


@pytest.fixture
def fifo(tmp_path: Path) -> Path:
    path = tmp_path / "pipe.toml"
    os.mkfifo(path)
    return path


def test_a_plain_file_is_read_and_a_link_followed(tmp_path: Path) -> None:
    path, link = tmp_path / "rules.toml", tmp_path / "link.toml"
    path.write_bytes(b"decks = 2\r\n")
    link.symlink_to(path)
    assert read_plain_file(link) == b"decks = 2\r\n"
    assert read_plain_text(path) == "decks = 2\n"
    assert parse_rules(link).decks == 2


@pytest.mark.parametrize("path", ["/dev/zero", "/dev/stdin", "/", "/none"])
def test_devices_and_folders_are_refused(path: str) -> None:
    with pytest.raises(OSError, match=r"no plain file|No such file|Is a directory|No such device"):
        read_plain_file(path)


def test_a_fifo_is_refused_by_every_reader_without_waiting(fifo: Path, tmp_path: Path) -> None:
    with pytest.raises(OSError, match="it is no plain file"):
        read_plain_file(fifo)
    with pytest.raises(RulesError, match="it is no plain file"):
        parse_rules(fifo)
    with pytest.raises(ConfigError, match="it is no plain file"):
        load_config(fifo)
    os.mkfifo(tmp_path / "policy.json")
    with pytest.raises(PolicyError, match="it is no plain file"):
        load_policy(tmp_path)


def test_a_file_that_is_too_large_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "large.toml"
    path.write_bytes(b"#" * 70_000)
    with pytest.raises(OSError, match="it has over 1000 bytes"):
        read_plain_file(path, 1000)
    with pytest.raises(RulesError, match="it has over 65536 bytes"):
        parse_rules(path)
