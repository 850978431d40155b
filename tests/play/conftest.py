"""Fixtures of the web table: an application in this process, and a real server with a real browser."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Page, sync_playwright
from starlette.testclient import TestClient

from tests.browser import ARGUMENTS, BOXES, CHROMIUM, NEEDED, Open
from tests.web_client import SEED, Web, new_table, save_policy, server, web_at


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


@pytest.fixture(scope="session")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Run a server for all browser tests of this process, and return its address."""
    folder = tmp_path_factory.mktemp("tables")
    with server(folder / "tables.sqlite", "--policies", str(save_policy(folder / "mine" / "policy"))) as (_, address):
        yield address


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Start one browser for all tests of this process."""
    assert CHROMIUM, f"{NEEDED} is set, but chromium is not installed"
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        yield browser
        browser.close()


@pytest.fixture
def sit(browser: Browser, address: str) -> Iterator[Open]:
    """Give a function that opens a page, at a table of its own if it is told of one; no page may complain."""
    complaints: list[str] = []
    contexts = []

    def heard(message: ConsoleMessage) -> None:
        refused = "/api/" in message.location.get("url", "")  # the browser notes what the server has refused
        if message.type in ("error", "warning") and not refused:
            complaints.append(message.text)

    def sit(setup: dict[str, Any] | None = None, *, coach: bool = False, **options: Any) -> Page:
        context = browser.new_context(base_url=address, **({"viewport": {"width": 1280, "height": 800}} | options))
        contexts.append(context)
        context.set_default_timeout(10_000)
        shown = "" if coach else "".join(f"localStorage['table.{box}'] = 'false';" for box in BOXES)
        context.add_init_script(f"localStorage['table.pace'] ??= '0'; {shown}")
        page = context.new_page()
        page.on("console", heard)
        page.on("pageerror", lambda error: complaints.append(str(error)))
        if setup is None:
            page.goto("/")
            return page
        page.goto(f"/t/{context.request.post('/api/tables', data=new_table(**setup)).json()['table']}")
        page.wait_for_selector("#actions button")
        return page

    yield sit
    for context in contexts:
        context.close()
    assert not complaints
