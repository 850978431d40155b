"""Counting in a real browser: the drills, and the count that is asked for at the table."""

import re

from playwright.sync_api import expect

from tests.browser import Open, click, enabled, needs_chromium

pytestmark = needs_chromium

TAGS = {"ace": -1, "two": 1, "three": 1, "four": 1, "five": 1, "six": 1, "ten": -1, "jack": -1, "queen": -1, "king": -1}


def test_a_deck_is_counted_down_by_keys(sit: Open) -> None:
    page, running = sit({"seats": ["you:Counter"]}), 0
    page.click("#drill-button")
    page.select_option("#drill-kind", "deck")
    page.select_option("#drill-group", "3")
    page.wait_for_selector("#drill-cards img")
    while page.locator("#drill-number").count() == 0:
        names = page.evaluate("[...document.querySelectorAll('#drill-cards img')].map(({ alt }) => alt)")
        running += sum(TAGS.get(name.split()[0], 0) for name in names)
        page.keyboard.press("Enter")
    page.fill("#drill-number", str(running))
    page.keyboard.press("Enter")
    expect(page.locator("#drill-prompt")).to_contain_text(f"Right: {running}.")
    page.click("#drill-close")
    page.click("#practice-panel summary")
    expect(page.locator("#practice")).to_contain_text("Counting")


def test_tray_bet_and_index_questions_are_answered(sit: Open) -> None:
    page = sit({"house": "6D PEN75"})
    page.click("#drill-button")
    for kind, text in (("tray", "decks are left"), ("true", "The true count"), ("bet", "Your ramp: 1, 3 from \\+1")):
        page.select_option("#drill-kind", kind)
        if kind == "bet":
            page.fill("#drill-ramp", "1:3")
            page.locator("#drill-ramp").press("Tab")
        expect(page.locator("#drill-prompt")).to_contain_text(re.compile(text))
        expect(page.locator("#drill-table svg")).to_have_attribute("aria-label", re.compile("discard tray for 6 decks"))
        page.fill("#drill-number", "x")
        page.locator("#drill-number").press("Enter")
        expect(page.locator("#drill-error")).to_contain_text("expected a number")
        page.fill("#drill-number", "99")
        page.locator("#drill-number").press("Enter")
        expect(page.locator("#drill-prompt")).to_contain_text("Not right")
    page.select_option("#drill-kind", "index")
    expect(page.locator("#drill-prompt")).to_contain_text("true count")
    page.locator("#drill-actions button").first.click()
    expect(page.locator("#drill-prompt")).to_contain_text(re.compile("(Right|Not right): "))


def test_the_count_is_asked_for_at_the_table_now_and_then(sit: Open) -> None:
    page = sit({"house": "6D PEN75 NINS", "seats": ["you:Keeper"]}, coach=True)
    page.check("#show-ask")
    form = page.locator("#count-form")
    for _ in range(3):
        expect(form).to_be_hidden()
        click(page, "Play")
        while "Stand" in enabled(page):
            click(page, "Stand")
    expect(form).to_be_visible()
    page.fill("#count-running", "-99")
    page.fill("#count-true", "0")
    page.keyboard.press("Enter")
    expect(page.locator("#count-said")).to_contain_text("Not right: running")
    expect(form).to_be_hidden()


def test_a_counter_at_a_shoe_without_a_cut_card_is_warned(sit: Open) -> None:
    page = sit({"seats": ["you", "hi-lo"], "house": "6D"}, coach=True)
    expect(page.locator("#count-none")).to_contain_text("no count lasts")
