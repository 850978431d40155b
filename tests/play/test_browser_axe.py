"""Accessibility in a real browser, by axe-core: no fault that it calls serious or critical, at any width."""

import os
from typing import Any

import pytest
from playwright.sync_api import Page

from tests.browser import NEEDED, Open, click, enabled, hand_dealt, needs_chromium

if not os.environ.get(NEEDED):
    pytest.importorskip("axe_playwright_python", reason="it brings axe-core: pip install axe-playwright-python")

from axe_playwright_python.base import AXE_SCRIPT

pytestmark = needs_chromium

OPTIONS = {"resultTypes": ["violations"], "runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "best-practice"]}


def faults(page: Page) -> list[str]:
    """Return what axe-core finds, and where; the less serious too, since there is none of them either."""
    if page.evaluate("typeof axe") == "undefined":
        page.evaluate(AXE_SCRIPT)
    found: dict[str, Any] = page.evaluate("(options) => axe.run(options)", OPTIONS)
    return [
        f"{one['id']} ({one['impact']}): {node['html'][:90]}" for one in found["violations"] for node in one["nodes"]
    ]


@pytest.mark.parametrize(("width", "scheme"), [(1440, "light"), (768, "dark"), (390, "light"), (320, "dark")])
def test_the_table_has_no_fault_and_does_not_scroll_sideways(width: int, scheme: str, sit: Open) -> None:
    page = sit(
        {"seats": ["you:Ann", "basic"], "house": "6D PEN75"},
        coach=True,
        viewport={"width": width, "height": 800},
        color_scheme=scheme,
    )
    page.evaluate("for (const part of document.querySelectorAll('aside details')) part.open = true")
    page.check("#show-count")
    hand_dealt(page)
    page.wait_for_selector("#chart td.here")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    if scheme == "light":
        assert faults(page) == []
    while not page.locator(".outcome").count():
        click(page, "Stand" if "Stand" in enabled(page) else "No insurance")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    if scheme == "dark":
        assert faults(page) == []


@pytest.mark.parametrize(("width", "scheme"), [(1440, "dark"), (320, "light")])
def test_no_dialog_has_a_fault(width: int, scheme: str, sit: Open) -> None:
    page = sit(viewport={"width": width, "height": 800}, color_scheme=scheme)
    page.select_option("#setup-house", "own")
    page.wait_for_selector("#setup-words li")
    assert faults(page) == []
    page.click("#tour-button")
    page.wait_for_selector("#tour p")
    for button in ("rules", "help"):
        page.click(f"#{button}-button")
        assert faults(page) == []
        page.keyboard.press("Escape")
    page.click("#drill-button")
    for kind in ("hard", "bet"):
        page.select_option("#drill-kind", kind)
        page.wait_for_selector("#drill-actions button")
        assert faults(page) == []
    page.fill("#drill-number", "1")
    page.keyboard.press("Enter")
    page.wait_for_selector("#drill-next")
    assert faults(page) == []
