"""The page for everyone in a real browser: phones, keyboards, contrast, motion and hostile names."""

import pytest
from playwright.sync_api import expect

from tests.browser import PHONE, Open, click, enabled, hand_dealt, needs_chromium

pytestmark = needs_chromium


def test_tab_reaches_every_control_and_focus_is_seen(sit: Open) -> None:
    page, reached = sit({}), set()
    for _ in range(40):
        page.keyboard.press("Tab")
        reached.add(page.evaluate("document.activeElement.id || document.activeElement.textContent.trim()"))
        if page.evaluate("document.activeElement !== document.body"):
            assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") == "solid"
    assert {"rules-button", "new-button", "amount", "clear"} <= reached
    assert any(text.startswith("Hit") for text in reached)


@pytest.mark.parametrize(
    "name", ["<script>hacked=1</script>", "<img src=x onerror=hacked=1>", "\"'><b>", "שלום", "W" * 40]
)
def test_a_hostile_name_is_shown_as_it_is_and_does_nothing(name: str, sit: Open) -> None:
    page = sit({"seats": [f"you:{name}", "basic"], "dealer": f"you:{name[:0:-1]}"}, viewport=PHONE)
    expect(page.locator(".seat .name").first).to_have_text(name)
    expect(page.locator("#prompt")).to_contain_text(name[1:])
    click(page, "Play")
    assert page.evaluate("typeof hacked") == "undefined"
    assert page.locator("img:not(.card)").count() == 0
    assert page.evaluate("document.documentElement.scrollWidth") <= 360


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


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_has_enough_contrast(scheme: str, sit: Open) -> None:
    page = sit({"seats": ["you", "basic"]}, coach=True, color_scheme=scheme)
    page.evaluate("for (const part of document.querySelectorAll('aside details')) part.open = true")
    hand_dealt(page)
    assert page.evaluate(CONTRAST) == []
    while not page.locator(".outcome").count():
        click(page, "Stand" if "Stand" in enabled(page) else "No insurance")
    page.wait_for_selector("#chart td")
    assert page.evaluate(CONTRAST) == []


@pytest.mark.parametrize("width", [1440, 768, 390, 320])
def test_every_rule_of_the_setup_can_be_read_and_nothing_is_cut_off(width: int, sit: Open) -> None:
    page = sit(viewport={"width": width, "height": 800})
    for house in ("six-deck", "own"):
        page.select_option("#setup-house", house)
        page.wait_for_selector("#setup-words li")
        inside = page.evaluate("""() => {
          const dialog = document.querySelector("#setup").getBoundingClientRect();
          const list = document.querySelector("#setup-words");
          const parts = [...list.children, ...document.querySelectorAll("#setup select, #setup input, #setup button")];
          const boxes = parts.filter((part) => part.checkVisibility()).map((part) => part.getBoundingClientRect());
          return boxes.every(({ left, right }) => left >= dialog.left && right <= dialog.right)
            && list.scrollHeight <= list.clientHeight + 1 && list.scrollWidth <= list.clientWidth + 1;
        }""")
        assert inside


def test_the_page_is_small_and_paints_within_a_second(sit: Open) -> None:
    page = sit({})
    loaded = "['navigation', 'resource'].flatMap((type) => performance.getEntriesByType(type))"
    sizes = page.evaluate(f"{loaded}.map((entry) => entry.encodedBodySize)")
    page.reload()
    page.wait_for_selector("#actions button")
    painted = page.wait_for_function("performance.getEntriesByName('first-contentful-paint')[0]?.startTime")
    assert 50_000 < sum(sizes) < 200_000
    assert painted.json_value() < 1000


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
    return colour(getComputedStyle(document.documentElement).backgroundColor);
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
