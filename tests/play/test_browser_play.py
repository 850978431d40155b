"""Rounds in a real browser: clicks and keys, other pages, and what the page says."""

import re
from functools import partial
from random import Random

import pytest
from playwright.sync_api import expect

from bj_env.game.replay import replay
from tests.browser import Open, button, click, enabled, faces, hand_dealt, lines, move, moves, needs_chromium

pytestmark = needs_chromium


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
        expect(page.locator("#coach-said")).to_contain_text("Decide first")
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


def test_what_cannot_be_pressed_says_why(sit: Open) -> None:
    page = sit({})
    expect(button(page, "Hit")).to_have_attribute("title", "place a bet first")
    before = moves(page)
    button(page, "Hit").click(force=True)
    expect(page.locator("#hint")).to_have_text("Hit: place a bet first")
    assert moves(page) == before


def test_a_reload_in_mid_hand_shows_the_same_hand(sit: Open) -> None:
    page = sit({"seats": ["you", "basic"]})
    hand_dealt(page)
    before = (faces(page), enabled(page), page.locator("#prompt").inner_text())
    page.reload()
    page.wait_for_selector("#actions button")
    assert (faces(page), enabled(page), page.locator("#prompt").inner_text()) == before


def test_two_pages_at_one_table_see_each_others_moves_at_once(sit: Open) -> None:
    page = sit({})
    other = sit()
    other.goto(page.url)
    other.wait_for_selector("#actions button")
    for _ in range(6):
        actor, watcher = (page, other) if moves(page) % 2 else (other, page)
        click(actor, enabled(actor)[0] if "Stand" not in enabled(actor) else "Stand")
        watcher.wait_for_function("moves => document.body.dataset.moves == moves", arg=str(moves(actor)), timeout=3000)
        assert faces(watcher) == faces(actor)
        assert enabled(watcher) == enabled(actor)


def test_a_click_on_what_another_page_has_decided_does_nothing_and_says_why(sit: Open) -> None:
    page = sit({})
    other = page.context.new_page()
    other.route("**/changes", lambda route: route.abort())
    other.goto(page.url)
    other.wait_for_selector("#actions button")
    click(page, "Play")
    seen = moves(page)
    move(other, button(other, "Play").click)
    assert moves(other) == moves(page) == seen
    assert faces(other) == faces(page)
    expect(other.locator("#hint")).to_have_text("Another page or click was first: the table has moved on.")


def test_forty_rounds_of_random_clicks_leave_the_ledger_right(sit: Open) -> None:
    page, chance, balance, played = sit({"bankroll": 100_000}), Random(1), 100_000.0, []
    page.click("#history-panel summary")
    page.focus("#amount")
    while len(played) < 40:
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
    assert lines(page)[:40] == played


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
    page.check("#show-early")
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


def test_a_strategys_turn_goes_on_by_itself_when_the_server_is_back(sit: Open) -> None:
    page = sit({"seats": ["you", "basic"]})
    page.route("**/step", lambda route: route.abort())
    button(page, "Play").click()
    expect(page.locator("#hint")).to_contain_text("does not answer")
    page.unroute("**/step")
    page.wait_for_function("() => document.body.dataset.moves > 1 && document.body.matches('.mine')")


def test_a_bet_is_taken_back_by_a_key_and_a_deal_is_not(sit: Open) -> None:
    page = sit({"seats": ["you:Ann", "you:Bob"]})
    expect(page.locator("#undo")).to_be_hidden()
    click(page, "Play")
    expect(page.locator("#prompt")).to_contain_text("Bob")
    move(page, lambda: page.keyboard.press("z"))
    expect(page.locator("#prompt")).to_contain_text("Ann")
    click(page, "Play")
    click(page, "Play")
    expect(page.locator("#undo")).to_be_hidden()
