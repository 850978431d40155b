"""Both engines give the tree counts that stand in ``tests/data/trees.txt``."""

import pytest

from tests.trees import ENGINES, TEXT, Tree, counted

TREES = [Tree.read(line) for line in TEXT.read_text().splitlines()]


@pytest.mark.parametrize("tree", [pytest.param(tree, id=tree.name) for tree in TREES])
@pytest.mark.parametrize("engine", ENGINES)
def test_a_tree_has_the_counts_that_are_written(tree: Tree, engine: str) -> None:
    assert counted(ENGINES[engine](tree), tree, depth=len(tree.counts) - 1) == tree.counts
