"""Practice in a real browser: the review after a decision, drills, the practice log, the chart, the guided hand."""

import re

from playwright.sync_api import expect

from tests.browser import Open, button, click, enabled, hand_dealt, moves, needs_chromium

pytestmark = needs_chromium


def test_the_coach_speaks_after_the_decision_and_says_why(sit: Open) -> None:
    page = sit({"bankroll": 100_000}, coach=True)
    hand_dealt(page)
    while "Stand" not in enabled(page):
        click(page, "No insurance")
    with page.expect_response("**/coach"):
        page.reload()
    page.wait_for_timeout(500)
    assert page.locator("#coach table").count() == 0
    assert page.locator("#coach-said dl").count() == 0
    click(page, "Stand")
    review = page.locator("#review")
    expect(review).to_contain_text(re.compile(r"Stand on (hard|soft|pair) .* v .*: (the best|a near-tie|a mistake)"))
    expect(review).to_contain_text("Expected value of each action")
    expect(review).to_contain_text(re.compile(r"Another card busts the hand in \d+ % of cases. The dealer ends with: "))
    expect(review.locator("th[scope=row]").filter(has_text="Stand (you)")).to_have_count(1)


def test_decisions_go_to_the_practice_log_of_the_person_which_can_be_deleted(sit: Open) -> None:
    page = sit({"seats": ["you:Practitioner"]}, coach=True)
    page.click("#practice-panel summary")
    expect(page.locator("#practice")).to_contain_text("No decision has been graded yet")
    hand_dealt(page)
    while "Hit" in enabled(page):
        with page.expect_response("**/coach"):
            page.reload()
        click(page, "Hit")
    page.click("#practice-panel summary")
    expect(page.locator("#practice")).to_contain_text("By type of hand")
    with page.expect_download() as download:
        page.click("#practice a")
    rows = download.value.path().read_text().splitlines()
    assert rows[0].startswith("person,at,source,kind,cell,action,best,cost,seconds")
    assert all(row.startswith("Practitioner,") for row in rows[1:])
    page.click("#practice button:text-is('Delete')")
    page.click("#practice button:text-is('Really delete?')")
    expect(page.locator("#practice")).to_contain_text("No decision has been graded yet")


def test_a_drill_asks_reviews_and_repeats_what_was_wrong(sit: Open) -> None:
    page = sit({"seats": ["you:Driller"]})
    page.click("#drill-button")
    for kind in ("hard", "soft", "pair"):
        page.select_option("#drill-kind", kind)
        expect(page.locator("#drill-prompt")).to_contain_text(re.compile(f"{kind} .*: what do you do"))
        page.keyboard.press("r")
        expect(page.locator("#drill-prompt")).to_contain_text("Expected value of each action")
        page.click("#drill-next")
    page.select_option("#drill-kind", "mistakes")
    expect(page.locator("#drill-prompt, #drill-error").first).to_contain_text(re.compile("what do you do|no mistakes"))


def test_a_drill_against_the_clock_ends_the_question(sit: Open) -> None:
    page = sit({})
    page.click("#drill-button")
    page.fill("#drill-seconds", "1")
    page.check("#drill-clock")
    expect(page.locator("#drill-prompt")).to_have_text("Time is up.", timeout=5000)
    page.click("#drill-next")
    expect(page.locator("#drill-prompt")).to_contain_text("what do you do")


def test_the_chart_marks_the_cell_of_the_hand_in_play(sit: Open) -> None:
    page = sit({})
    page.click("#chart-panel summary")
    hand_dealt(page)
    while "Stand" not in enabled(page):
        click(page, "No insurance")
    marked = page.locator("#chart td.here")
    expect(marked).to_have_count(1)
    assert marked.get_attribute("title")


def test_the_curve_of_chips_is_drawn_after_each_round(sit: Open) -> None:
    page = sit({"house": "campus-s17"})
    page.click("#curve-panel summary")
    expect(page.locator("#curve figcaption")).to_contain_text("1000 chips at first, 1000 after 0 rounds")
    click(page, "Play")
    while not page.locator(".outcome").count():
        click(page, "Stand")
    expect(page.locator("#curve figcaption")).to_contain_text("after 1 round,")


def test_a_newcomer_is_guided_through_one_hand(sit: Open) -> None:
    page = sit()
    page.click("#tour-button")
    expect(page.locator("#tour")).to_contain_text("First, bet")
    click(page, "Play")
    while not page.locator(".outcome").count():
        expect(page.locator("#tour")).to_contain_text("Now decide")
        click(page, "Stand" if "Stand" in enabled(page) else "No insurance")
    expect(page.locator("#tour")).to_contain_text("The result")
    page.click("#tour button")
    expect(page.locator("#tour")).to_be_hidden()


def test_a_question_mark_explains_the_decision(sit: Open) -> None:
    page = sit({})
    page.keyboard.press("?")
    expect(page.locator("#help")).to_contain_text("Come closer to 21 than the dealer")
    expect(page.locator("#help-now")).to_contain_text("Your decision now")
    page.keyboard.press("Escape")
    expect(page.locator("#help")).to_be_hidden()
    assert moves(page) == 0


def test_switches_write_the_rule_text_and_follow_it(sit: Open) -> None:
    page = sit()
    page.select_option("#setup-house", "own")
    page.fill("#setup-rules", "6D H17 CH5")
    soft = page.locator("#switches label").filter(has_text="Soft 17").locator("select")
    expect(soft).to_have_value("H17")
    page.locator("#switches label").filter(has_text="Decks").locator("select").select_option("2D")
    expect(page.locator("#setup-words")).to_contain_text("2 decks, shuffled before every round.")
    expect(page.locator("#setup-words")).to_contain_text("5 cards without a bust win at once.")
    page.click("#sit-down")
    expect(page.locator("#house")).to_contain_text("2D H17")
    expect(button(page, "Play")).to_be_visible()


def test_sound_is_off_until_it_is_wanted(sit: Open) -> None:
    page = sit({})
    page.add_init_script(
        "window.tones = 0; const real = AudioContext; "
        "window.AudioContext = class extends real { constructor() { super(); window.tones++; } };"
    )
    page.reload()
    page.wait_for_selector("#actions button")
    click(page, "Play")
    assert page.evaluate("tones") == 0
    page.click("#keys summary")
    page.check("#sound")
    click(page, enabled(page)[0])
    assert page.evaluate("tones") == 1
