"""A hook of mkdocs: CONTRIBUTING.md and CHANGELOG.md are pages of the site, with their links made relative to it."""

from pathlib import Path
from typing import Any

PAGES = {"contributing.md": "CONTRIBUTING.md", "changelog.md": "CHANGELOG.md"}
ROOT = Path(__file__).parents[2]


def on_page_markdown(markdown: str, *, page: Any, **_: Any) -> str:
    """Return the text of a page, from the root of the repository where it belongs there."""
    source = PAGES.get(page.file.src_uri)
    return (ROOT / source).read_text(encoding="utf-8").replace("](docs/", "](") if source else markdown
