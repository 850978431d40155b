"""Golden rounds: marks that run a test once for each line of notation written in a block of text."""

import pytest

from bj_env.game.replay import replay


def each_line(text: str, name: str = "line") -> pytest.MarkDecorator:
    """Run the test for each line of the text; blank lines are left out."""
    return pytest.mark.parametrize(name, [line.strip() for line in text.splitlines() if line.strip()])


def plays(line: str) -> None:
    """Play a line that gives its whole result: nets, the dealer's hand, and the cards that nobody drew."""
    assert "=>" in line
    assert " D " in line.partition("=>")[2], "a golden round says the dealer's last hand too"
    round = replay(line)
    left = round.shoe.stacked_left()
    assert bool(left) == ("left" in line), f"cards left: {left}"
