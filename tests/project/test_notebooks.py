"""The notebooks of the documentation run from top to bottom."""

from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

ROOT = Path(__file__).parents[2]
NOTEBOOKS = sorted((ROOT / "docs" / "notebooks").glob("*.ipynb"))


@pytest.mark.slow
@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs_and_prints_what_it_shows(notebook: Path) -> None:
    shown = nbformat.read(notebook, as_version=4)
    run = nbformat.read(notebook, as_version=4)
    NotebookClient(run, timeout=600, resources={"metadata": {"path": str(ROOT)}}).execute()
    for cell, again in zip(shown.cells, run.cells, strict=True):
        assert printed(cell) == printed(again), cell.source


def printed(cell: nbformat.NotebookNode) -> str:
    """Return what a cell printed on standard output."""
    outputs = cell.get("outputs", [])
    return "".join(output.text for output in outputs if output.output_type == "stream" and output.name == "stdout")
