"""The web table in a real browser, for tests: opening pages, and what stands on them."""

import os
from collections.abc import Callable
from shutil import which
from typing import Any

import pytest
from playwright.sync_api import Page

CHROMIUM = which("chromium")
NEEDED = "BJ_NEEDS_CHROMIUM"
"""What is set in the environment where a missing browser is a failure, and no reason to skip."""
ARGUMENTS = (
    "--no-sandbox --disable-gpu --disable-background-networking --disable-component-update --disable-sync "
    "--no-first-run"
).split()
PHONE = {"width": 360, "height": 740}
BOXES = ("values", "policies", "count", "grades", "early", "ask")
"""What the coach can show, each with a box of its own."""

needs_chromium = pytest.mark.skipif(
    not CHROMIUM and not os.environ.get(NEEDED), reason="chromium is not installed: apt-get install chromium"
)

Open = Callable[..., Page]


def button(page: Page, name: str) -> Any:
    return page.locator("#actions button", has=page.locator(f"span:text-is('{name}')"))


def enabled(page: Page) -> list[str]:
    return page.locator("#actions button[aria-disabled=false] span").all_inner_texts()


def moves(page: Page) -> int:
    return int(page.evaluate("document.body.dataset.moves"))


def move(page: Page, act: Callable[[], Any]) -> None:
    """Do something that makes a move, and wait until the page shows it."""
    before = moves(page)
    act()
    page.wait_for_function(
        "before => document.body.dataset.moves > before && document.body.matches('.mine, .over')", arg=before
    )


def click(page: Page, name: str) -> None:
    move(page, button(page, name).click)


def hand_dealt(page: Page) -> None:
    """Play rounds until a hand may be played."""
    while "Play" in enabled(page):
        click(page, "Play")


def faces(page: Page) -> list[str | None]:
    return [image.get_attribute("alt") for image in page.locator("img.card").all()]


def lines(page: Page) -> list[str]:
    key = page.url.rsplit("/", 1)[1]
    return page.request.get(f"/api/tables/{key}/history").text().splitlines()
