"""Answers of the server that arrive late, in a real browser: an old one changes nothing on the page."""

from playwright.sync_api import Page, Route, expect

from tests.browser import Open, click, needs_chromium

pytestmark = needs_chromium


def held(page: Page, requests: str) -> list[Route]:
    """Hold back the first of these requests, and return the list in which it will be."""
    waiting: list[Route] = []
    page.route(requests, lambda route: route.continue_() if waiting else waiting.append(route))
    return waiting


def let_go(page: Page, waiting: list[Route], requests: str) -> None:
    """Let the request that waits through, and give the page time to use the answer."""
    with page.expect_response(requests):
        waiting[0].continue_()
    page.wait_for_timeout(50)


def waits(page: Page, waiting: list[Route]) -> None:
    while not waiting:
        page.wait_for_timeout(10)


def test_a_question_on_its_way_leaves_nothing_to_answer(sit: Open) -> None:
    page = sit({"seats": ["you:Early"]})
    page.click("#drill-button")
    page.wait_for_selector("#drill-actions button")
    answered: list[str] = []
    page.on("request", lambda request: answered.append(request.url) if "answer" in request.url else None)
    waiting = held(page, "**/api/drill?*")
    page.select_option("#drill-kind", "soft")
    waits(page, waiting)
    expect(page.locator("#drill-table")).to_be_empty()
    page.locator("#drills").press("s")
    let_go(page, waiting, "**/api/drill?*")
    expect(page.locator("#drill-prompt")).to_contain_text("soft")
    expect(page.locator("#drill-prompt")).to_contain_text("what do you do")
    assert answered == []


def test_a_review_that_comes_after_the_next_question_is_dropped(sit: Open) -> None:
    page = sit({"seats": ["you:Late"]})
    page.click("#drill-button")
    page.wait_for_selector("#drill-actions button")
    waiting = held(page, "**/api/drill/answer")
    page.keyboard.press("s")
    waits(page, waiting)
    expect(page.locator("#drill-actions")).to_be_empty()
    page.select_option("#drill-kind", "soft")
    expect(page.locator("#drill-prompt")).to_contain_text("soft")
    let_go(page, waiting, "**/api/drill/answer")
    expect(page.locator("#drill-prompt")).to_contain_text("what do you do")
    assert page.locator("#drill-actions button").count() > 1


def test_words_of_rules_that_are_no_longer_chosen_are_dropped(sit: Open) -> None:
    page = sit()
    waiting = held(page, "**/api/rules")
    page.select_option("#setup-house", "own")
    waits(page, waiting)
    page.select_option("#setup-house", "even-money")
    let_go(page, waiting, "**/api/rules")
    expect(page.locator("#setup-words")).to_contain_text("A blackjack pays 1 to 1.")


def test_a_coach_who_answers_about_another_table_is_not_heard(sit: Open) -> None:
    page = sit({"house": "6D PEN75"}, coach=True)
    page.check("#show-early")
    page.check("#show-count")
    waiting = held(page, "**/coach")
    click(page, "Play")
    waits(page, waiting)
    page.click("#new-button")
    page.select_option("#setup-house", "infinite")
    page.click("#sit-down")
    expect(page.locator("#setup")).to_be_hidden()
    click(page, "Play")
    let_go(page, waiting, "**/coach")
    assert "running" not in page.locator("#coach-said").inner_text()
