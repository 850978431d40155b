"""Fixtures of the web table: an application in this process."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from tests.web_client import SEED, Web, web_at


@pytest.fixture
def web(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Web]:
    """Return an application whose tables all have the same seed."""
    monkeypatch.setattr("bj_env.play.setup.randbits", lambda bits: SEED)
    web = web_at(tmp_path)
    with web.client:
        yield web


@pytest.fixture
def client(web: Web) -> TestClient:
    """Return a client of the application."""
    return web.client
