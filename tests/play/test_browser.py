"""The web table as a person has it: a real server, a real browser, clicks and keys."""

import os
import re
from collections.abc import Callable, Iterator
from functools import partial
from random import Random
from shutil import which
from typing import Any

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Page, expect, sync_playwright

from bj_env.game.replay import replay
from tests.web_client import save_policy, server

CHROMIUM = which("chromium")
NEEDED = "BJ_NEEDS_CHROMIUM"
"""What is set in the environment where a missing browser is a failure, and no reason to skip."""
ARGUMENTS = (
    "--no-sandbox --disable-gpu --disable-background-networking --disable-component-update --disable-sync "
    "--no-first-run"
).split()
PHONE = {"width": 360, "height": 740}

pytestmark = pytest.mark.skipif(
    not CHROMIUM and not os.environ.get(NEEDED), reason="chromium is not installed: apt-get install chromium"
)

Open = Callable[..., Page]


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("tables")
    with server(folder / "tables.sqlite", "--policies", str(save_policy(folder / "mine" / "policy"))) as (_, address):
        yield address


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
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
        wanted = {"house": "six-deck", "seats": ["you"], "dealer": "house", "bankroll": 1000} | setup
        page.goto(f"/t/{context.request.post('/api/tables', data=wanted).json()['table']}")
        page.wait_for_selector("#actions button")
        return page

    yield sit
    for context in contexts:
        context.close()
    assert not complaints


BOXES = ("values", "policies", "count", "grades")


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


def test_a_newcomer_sits_down_bets_with_chips_and_plays_by_clicks(sit: Open) -> None:
    page = sit(coach=True)
    page.select_option("#setup-house", "even-money")
    expect(page.locator("#setup-words")).to_contain_text("A blackjack pays 1 to 1.")
    page.select_option("#setup-house", "six-deck")
    page.click("#sit-down")
    page.wait_for_selector("#actions button")
    page.click("#clear")
    expect(button(page, "Play")).to_have_attribute("aria-description", "the bet must be 1 to 1000 chips")
    for chip in ("5", "10", "50"):
        page.click(f"#chips button:text-is('{chip}')")
    expect(page.locator("#amount")).to_have_value("65")
    click(page, "Play")
    if not page.locator(".outcome").count():
        assert faces(page).count("a card face down") == 1
        expect(page.locator(".seat .bankroll")).to_have_text("935 chips")
        expect(page.locator("#coach-said caption")).to_contain_text("What each is worth")
    while not page.locator(".outcome").count():
        click(page, "No insurance" if "No insurance" in enabled(page) else "Stand")
    assert "a card face down" not in faces(page)
    assert page.locator(".outcome").inner_text() in ("Win", "Lose", "Push", "Blackjack")
    expect(page.locator("#graded")).to_contain_text("mistakes")


def test_it_is_played_by_keys_alone(sit: Open) -> None:
    page = sit({})
    page.keyboard.press("c")
    page.keyboard.press("2")
    page.keyboard.press("2")
    expect(page.locator("#amount")).to_have_value("20")
    move(page, lambda: page.keyboard.press("Enter"))
    while not page.locator(".outcome").count():
        move(page, lambda: page.keyboard.press("n" if "No insurance" in enabled(page) else "s"))
    move(page, lambda: page.keyboard.press(" "))
    while not page.locator(".outcome").count():
        click(page, "No insurance" if "No insurance" in enabled(page) else "Stand")
    move(page, lambda: page.keyboard.press("Enter"))  # with the focus on a button that does not apply any more
    assert all(" 20 " in line for line in lines(page))


def test_tab_reaches_every_control_and_focus_is_seen(sit: Open) -> None:
    page, reached = sit({}), set()
    for _ in range(40):
        page.keyboard.press("Tab")
        reached.add(page.evaluate("document.activeElement.id || document.activeElement.textContent.trim()"))
        if page.evaluate("document.activeElement !== document.body"):
            assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") == "solid"
    assert {"rules-button", "new-button", "amount", "clear"} <= reached
    assert any(text.startswith("Hit") for text in reached)


def test_what_cannot_be_pressed_says_why(sit: Open) -> None:
    page = sit({})
    expect(button(page, "Hit")).to_have_attribute("title", "first comes the bet")
    before = moves(page)
    button(page, "Hit").click(force=True)
    expect(page.locator("#hint")).to_have_text("Hit: first comes the bet")
    assert moves(page) == before


def test_b169_a_reload_in_mid_hand_shows_the_same_hand(sit: Open) -> None:
    page = sit({"seats": ["you", "basic"]})
    hand_dealt(page)
    before = (faces(page), enabled(page), page.locator("#prompt").inner_text())
    page.reload()
    page.wait_for_selector("#actions button")
    assert (faces(page), enabled(page), page.locator("#prompt").inner_text()) == before


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


def test_a_stale_tab_never_acts_and_shows_how_the_table_lies(sit: Open) -> None:
    page = sit({})
    other = page.context.new_page()
    other.goto(page.url)
    other.wait_for_selector("#actions button")
    click(page, "Play")
    seen = moves(page)
    move(other, button(other, "Play").click)
    assert moves(other) == moves(page) == seen
    assert faces(other) == faces(page)


@pytest.mark.parametrize(
    "name", ["<script>hacked=1</script>", "<img src=x onerror=hacked=1>", "\"'><b>", "שלום", "W" * 40]
)
def test_b164_a_hostile_name_is_shown_as_it_is_and_does_nothing(name: str, sit: Open) -> None:
    page = sit({"seats": [f"you:{name}", "basic"], "dealer": f"you:{name[:0:-1]}"}, viewport=PHONE)
    expect(page.locator(".seat .name").first).to_have_text(name)
    expect(page.locator("#prompt")).to_contain_text(name[1:])
    click(page, "Play")
    assert page.evaluate("typeof hacked") == "undefined"
    assert page.locator("img:not(.card)").count() == 0
    assert page.evaluate("document.documentElement.scrollWidth") <= 360


def test_a_hundred_rounds_of_random_clicks_leave_the_ledger_right(sit: Open) -> None:
    page, chance, balance, played = sit({"bankroll": 100_000}), Random(1), 100_000.0, []
    page.click("#history-panel summary")
    page.focus("#amount")
    while len(played) < 100:
        choices = enabled(page)
        if choices == ["Play"] and moves(page):
            played.append(page.locator("#history code").first.inner_text())
            balance += replay(played[-1]).nets[0] / 10
            assert page.inner_text(".seat .bankroll") == f"{round(balance, 1):.10g} chips"
            page.fill("#amount", str(chance.randrange(1, 1001)))
        press = button(page, chance.choice(choices))
        move(
            page,
            partial(page.keyboard.press, "Enter") if choices == ["Play"] else partial(press.dispatch_event, "click"),
        )
    assert lines(page)[:100] == played


def test_a_line_of_the_history_can_be_copied_and_replayed(sit: Open) -> None:
    page = sit({"house": "campus-s17"}, permissions=["clipboard-read", "clipboard-write"])
    click(page, "Play")
    while not page.locator(".outcome").count():
        click(page, "Stand")
    page.click("#history-panel summary")
    page.click("#history button")
    expect(page.locator("#history button")).to_have_text("Copied")
    assert replay(page.evaluate("navigator.clipboard.readText()")).over
    page.click("#copy-all")
    expect(page.locator("#copy-all")).to_have_text("Copied")


@pytest.mark.parametrize(
    ("house", "seats", "buttons"),
    [
        ("even-money", ["you", "you:Ann", "mimic"], ["Play", "Hit", "Stand"]),
        ("hit-stand", ["you", "mimic", "basic"], ["Play", "Hit", "Stand"]),
        ("campus-s17", ["you"], ["Play", "Hit", "Stand"]),
        ("two-player", ["you"], ["Play", "Hit", "Stand", "Double", "Split"]),
        ("campus-h17", ["you"], ["Play", "Hit", "Stand"]),
    ],
)
def test_a_textbook_game_has_its_buttons_enabled_when_they_apply(
    house: str, seats: list[str], buttons: list[str], sit: Open
) -> None:
    page = sit({"house": house, "seats": seats})
    assert page.locator("#actions button span").all_inner_texts() == buttons
    assert enabled(page) == ["Play"]
    expect(page.locator("#phases [aria-current]")).to_have_text("Started")
    expect(page.locator("#chips")).to_be_visible(visible=house != "campus-s17")
    if len(seats) > 1:
        click(page, "Play")
        expect(page.locator("#phases [aria-current]")).to_have_text(
            "Bets placed" if house == "even-money" else "Cards dealt"
        )
    for _ in range(40):
        if page.locator(".outcome").count():
            break
        assert enabled(page) == ["Play"] or set(enabled(page)) <= set(buttons) - {"Play"}
        click(page, "Play" if "Play" in enabled(page) else "Stand")
    expect(page.locator("#phases [aria-current]")).to_have_text("End")
    if house == "campus-h17":
        assert re.fullmatch(r"(normal|blackjack): \d+( or \d+)?", page.locator(".detail").first.inner_text())


def test_all_that_the_coach_says_can_be_hidden_and_the_count_is_until_it_is_wanted(sit: Open) -> None:
    page = sit({"seats": ["you", "mine"]}, coach=True)
    hand_dealt(page)
    expect(page.locator("#coach-said dt")).to_have_text(["basic", "mine"])
    expect(page.locator("#coach-said caption")).to_be_visible()
    expect(page.locator("#coach-said .count")).to_have_count(0)
    page.check("#show-count")
    expect(page.locator("#coach-said .count")).to_contain_text("running")
    for box, what in (("values", "caption"), ("policies", "dl"), ("count", ".count")):
        page.uncheck(f"#show-{box}")
        expect(page.locator(f"#coach-said {what}")).to_have_count(0)
    page.uncheck("#show-grades")
    expect(page.locator("#graded")).to_be_hidden()
    page.reload()
    page.wait_for_selector("#actions button")
    assert not page.is_checked("#show-values")


def test_a_person_in_the_dealers_chair_is_asked_by_name(sit: Open) -> None:
    page = sit({"house": "two-player", "seats": ["you:Ann"], "dealer": "you:Bob"})
    for _ in range(60):
        if page.locator("#prompt").inner_text().startswith("Bob (the dealer)"):
            break
        click(page, "Play" if "Play" in enabled(page) else "Stand")
    assert enabled(page) == ["Hit", "Stand"]
    assert page.locator("#dealer.turn").count() == 1


def test_strategies_and_policies_play_by_themselves(sit: Open) -> None:
    page = sit({"seats": ["basic", "mine", "you", "random"]})
    for _ in range(3):
        page.wait_for_selector("body.mine")
        click(page, "Play" if "Play" in enabled(page) else "Stand" if "Stand" in enabled(page) else "No insurance")
    assert moves(page) >= 6


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


def test_a_strategys_turn_goes_on_by_itself_when_the_server_is_back(sit: Open) -> None:
    page = sit({"seats": ["you", "basic"]})
    page.route("**/step", lambda route: route.abort())
    button(page, "Play").click()
    expect(page.locator("#hint")).to_contain_text("does not answer")
    page.unroute("**/step")
    page.wait_for_function("() => document.body.dataset.moves > 1 && document.body.matches('.mine')")


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


@pytest.mark.parametrize(
    "seats", [["you"], ["you", "basic", "mimic", "never-bust", "random", "hi-lo", "mine"]], ids=len
)
def test_a_phone_shows_all_without_scrolling_sideways(seats: list[str], sit: Open) -> None:
    page = sit({"seats": seats}, viewport=PHONE, has_touch=True, is_mobile=True, coach=True)
    for _ in range(6):
        assert page.evaluate("document.documentElement.scrollWidth") <= 360
        for box in page.locator("#actions button").all():
            place = box.bounding_box()
            assert place
            assert place["x"] >= 0
            assert place["x"] + place["width"] <= 360
        page.wait_for_selector("body.mine")
        click(page, enabled(page)[-1])


def test_who_wants_no_motion_gets_none(sit: Open) -> None:
    page = sit({}, reduced_motion="reduce")
    page.evaluate("localStorage['table.pace'] = '800'")
    page.reload()
    page.wait_for_selector("#actions button")
    click(page, "Play")
    assert page.evaluate("document.getAnimations().length") == 0


def test_words_stand_out_from_what_they_are_written_on(sit: Open) -> None:
    page = sit({"seats": ["you", "basic"]})
    hand_dealt(page)
    poor = page.evaluate(CONTRAST)
    assert poor == []


CONTRAST = """() => {
  const channel = (value) => (value /= 255) <= 0.03928 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  const light = ([r, g, b]) => 0.2126 * channel(r) + 0.7152 * channel(g) + 0.0722 * channel(b);
  const colour = (text) => text.match(/[\\d.]+/g).map(Number);
  const over = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const style = getComputedStyle(at), [r, g, b, a = 1] = colour(style.backgroundColor);
      if (at.id === "felt") return [20, 96, 63];
      if (a === 1) return [r, g, b];
    }
    return [36, 27, 21];
  };
  const poor = [];
  for (const element of document.querySelectorAll("body *")) {
    const own = [...element.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim());
    if (!own || !element.checkVisibility() || element.closest("dialog, noscript, [aria-disabled=true]")) continue;
    const [a, b] = [light(colour(getComputedStyle(element).color)), light(over(element))];
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (ratio < 4.5) poor.push(`${element.outerHTML.slice(0, 80)} ${ratio.toFixed(1)}`);
  }
  return poor;
}"""
"""Lists texts with a contrast below 4.5 to 1 (WCAG AA); on the felt by its lightest green, against ivory the worst."""
