"""Draw the pictures of the table in the browser, as it is at this commit: ``python docs/images/draw_table.py``.

Needs the extra ``dev`` and a chromium.
"""

import io
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from shutil import which
from tempfile import TemporaryDirectory

from PIL import Image
from playwright.sync_api import Page, sync_playwright

HERE = Path(__file__).parent
SEEDED = """
import sys
from bj_env.cli.main import main
from bj_env.play import setup
setup.randbits = lambda bits: {seed}
sys.exit(main(sys.argv[1:]))
"""


@contextmanager
def table(seed: int) -> Iterator[str]:
    """Serve tables whose shoes have a seed, and give their address."""
    with TemporaryDirectory() as folder:
        command = [
            sys.executable,
            "-c",
            SEEDED.format(seed=seed),
            "table",
            "--port",
            "0",
            "--save",
            f"{folder}/t.sqlite",
        ]
        server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        assert server.stdout is not None
        address = re.search(r"http://\S+", server.stdout.readline())
        assert address
        yield address[0]
        server.terminate()
        server.wait()


def save(page: Page, name: str, width: int) -> None:
    """Write the page as a picture of a width."""
    page.wait_for_timeout(800)
    picture = Image.open(io.BytesIO(page.screenshot()))
    picture.resize((width, round(picture.height * width / picture.width))).save(HERE / name, quality=80)


def sit(page: Page, address: str, house: str, seats: list[str]) -> None:
    """Open a table."""
    body = {
        "house": house,
        "seats": [{"who": who.partition(":")[0], "name": who.partition(":")[2]} for who in seats],
        "dealer": {"who": "house"},
        "bankroll": 1000,
    }
    key = page.request.post(f"{address}api/tables", data=body).json()["table"]
    page.goto(f"{address}t/{key}")
    page.wait_for_selector("#actions button")


def press(page: Page, label: str) -> None:
    """Press a button of the table, and wait until it is a person's turn again."""
    before = page.evaluate("document.body.dataset.moves")
    page.click(f"#actions button:has(span:text-is('{label}'))")
    page.wait_for_function(
        "before => document.body.dataset.moves > before && document.body.matches('.mine')", arg=before
    )


def draw() -> None:
    """Draw all pictures."""
    with sync_playwright() as playwright, table(seed=36) as address:
        browser = playwright.chromium.launch(executable_path=which("chromium"), args=["--no-sandbox", "--disable-gpu"])
        quick = "localStorage['table.pace'] = '0'; localStorage['table.count'] = 'true'"
        wide = browser.new_page(viewport={"width": 1280, "height": 800}, device_scale_factor=1)
        wide.add_init_script(quick)
        sit(wide, address, "6D PEN75", ["you:Ann", "basic", "hi-lo"])
        wide.click("#chart-panel summary")
        press(wide, "Play")
        press(wide, "Hit")
        save(wide, "table-browser.webp", 1000)
        wide.click("#drill-button")
        wide.select_option("#drill-kind", "true")
        wide.wait_for_selector("#drill-number")
        save(wide, "table-drill.webp", 800)
        phone = browser.new_page(viewport={"width": 390, "height": 800}, device_scale_factor=2, color_scheme="dark")
        phone.add_init_script(quick)
        sit(phone, address, "six-deck", ["you:Ann"])
        press(phone, "Play")
        save(phone, "table-phone.webp", 390)
        browser.close()


if __name__ == "__main__":
    draw()
