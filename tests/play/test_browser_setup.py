"""Opening tables in a real browser: the setup dialog, new games and unknown tables."""

from playwright.sync_api import expect

from tests.browser import Open, click, enabled, move, moves, needs_chromium

pytestmark = needs_chromium


def test_two_tables_in_two_tabs_are_two_games(sit: Open) -> None:
    one = sit({})
    two = one.context.new_page()
    two.goto("/")
    two.click("#sit-down")
    two.wait_for_selector("#actions button")
    assert one.url != two.url
    click(one, "Play")
    assert moves(two) == 0
    click(two, "Play")
    assert moves(one) >= 1


def test_when_the_money_is_gone_a_new_game_is_offered(sit: Open) -> None:
    page = sit({"house": "campus-s17", "bankroll": 100})
    for _ in range(400):
        if page.locator("#again").count():
            break
        click(page, "Play" if "Play" in enabled(page) else "Hit")
    old = page.url
    page.click("#again")
    page.wait_for_url(lambda url: url != old)
    expect(page.locator(".seat .bankroll")).to_have_text("100 chips")


def test_after_another_game_is_laid_enter_plays_it(sit: Open) -> None:
    page = sit({})
    page.click("#new-button")
    page.click("#sit-down")
    expect(page.locator("#setup")).to_be_hidden()
    move(page, lambda: page.keyboard.press("Enter"))
    expect(page.locator("#setup")).to_be_hidden()


def test_a_new_game_that_cannot_be_laid_says_so_and_can_be_tried_again(sit: Open) -> None:
    page = sit({"house": "campus-s17", "bankroll": 100})
    while not page.locator("#again").count():
        click(page, "Play" if "Play" in enabled(page) else "Hit")
    page.route("**/api/tables", lambda route: route.abort())
    page.click("#again")
    expect(page.locator("#prompt")).to_contain_text("does not answer")
    page.unroute("**/api/tables")
    page.click("#again")
    expect(page.locator(".seat .bankroll")).to_have_text("100 chips")


def test_an_unknown_table_leads_to_a_new_one(sit: Open) -> None:
    page = sit()
    page.goto("/t/nobody-sits-here", wait_until="networkidle")
    expect(page.locator("#setup")).to_be_visible()


def test_seven_seats_are_filled_on_the_page_and_outlast_another_choice_of_house(sit: Open) -> None:
    page = sit()
    page.click("#add-seat")
    page.locator("#setup-seats select").nth(1).select_option("mine")
    page.locator("#setup-seats input").first.fill("Ann")
    for _ in range(5):
        page.click("#add-seat")
    expect(page.locator("#add-seat")).to_be_hidden()
    page.select_option("#setup-house", "own")
    page.fill("#setup-rules", "6D H71")
    expect(page.locator("#setup-error")).to_contain_text("did you mean 'H17'?")
    page.fill("#setup-rules", "6D H17")
    expect(page.locator("#setup-words")).to_contain_text("The dealer draws to 16 and on a soft 17.")
    page.click("#sit-down")
    expect(page.locator(".seat .name")).to_have_text(["Ann", "mine", *(f"player {seat}" for seat in range(3, 8))])


def test_a_setup_that_is_refused_says_why_in_the_dialog(sit: Open) -> None:
    page = sit()
    page.fill("#setup-bankroll", "0")
    page.click("#sit-down")
    expect(page.locator("#setup-error")).to_contain_text("bankroll: expected")
