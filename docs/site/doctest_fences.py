"""A griffe extension: doctests of docstrings are shown as code."""

import re
from typing import Any

from griffe import Extension, Object

DOCTEST = re.compile(r"^>>> .*(?:\n(?!\n).+)*", re.MULTILINE)


class DoctestFences(Extension):
    """Puts each doctest of a docstring into a fenced block."""

    def on_instance(self, *, obj: Object, **_: Any) -> None:
        """Fence the doctests of one object."""
        if obj.docstring is not None:
            obj.docstring.value = DOCTEST.sub(lambda found: f"```pycon\n{found[0]}\n```", obj.docstring.value)
