"""Tree counts, as chess engines have them: every action and every next card from a start on, counted by depth.

A node is a start and all actions and cards after it. One that needs a card has a child for each card value that the
shoe still holds; one that asks the agent has a child for each legal action. ``python -m tests.trees FILE`` counts the
trees of a file of lines anew, with the readable engine.
"""

import sys
from collections import Counter
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import numpy as np

from bj_env.compiled.vector_env import BlackjackVectorEnv
from bj_env.env.env import BlackjackEnv
from bj_env.game.cards import card
from bj_env.rules.houses import parse_rules
from bj_env.rules.numbered import card_value
from bj_env.rules.terms import TICKS, Rules

TEXT = Path(__file__).parent / "data" / "trees.txt"
VALUES = "A 2 3 4 5 6 7 8 9 T".split()
ACTIONS = "SHDPRIN"
"""The letters of the actions, in their order: N declines."""


class Tree(NamedTuple):
    """A line of the file: ``name ; rules ; seats ; chips of each or - ; cards ; actions or - ; counts``.

    The counts are, for each depth from 0: nodes, nodes where the round is over, and the sum of all nets there in ticks.
    """

    name: str
    rules: str
    seats: int
    bankroll: float | None
    cards: tuple[str, ...]
    actions: tuple[int, ...]
    counts: tuple[tuple[int, ...], ...]

    @classmethod
    def read(cls, line: str) -> "Tree":
        name, rules, seats, bankroll, cards, actions, counts = map(str.strip, line.split(" ; "))
        return cls(
            name,
            rules,
            int(seats),
            None if bankroll == "-" else float(bankroll),
            tuple(cards.split(",")),
            tuple(ACTIONS.index(letter) for letter in actions.strip("-")),
            tuple(tuple(map(int, count.split("/"))) for count in counts.split()),
        )

    def arguments(self) -> dict[str, Any]:
        return {"rules": self.rules, "seats": ("agent",) * self.seats, "bankroll": self.bankroll}


Place = tuple[tuple[str, ...], tuple[int, ...]]
"""Where in a tree a node is: all cards and all actions before it."""


class Node(NamedTuple):
    """What a node has come to; where it ``waits`` for a card that it does not say, all else is unknown."""

    waits: bool
    net: int | None
    legal: tuple[int, ...]

    @classmethod
    def seen(cls, waits: bool, over: bool, nets: Any, mask: Any) -> "Node":
        """Return what an engine shows: nets in chips, once the round is over, and the mask of legal actions."""
        if waits:
            return cls(True, None, ())
        return cls(False, round(sum(nets) * TICKS) if over else None, tuple(np.flatnonzero(mask).tolist()))


class Player(Protocol):
    """An engine that plays from the first card to a node."""

    def node(self, cards: tuple[str, ...], actions: tuple[int, ...]) -> Node: ...


class Readable:
    """Plays with the readable engine."""

    def __init__(self, tree: Tree) -> None:
        self.env = BlackjackEnv(**tree.arguments())

    def node(self, cards: tuple[str, ...], actions: tuple[int, ...]) -> Node:
        _, info = self.env.reset(seed=0, options={"shoe": cards})
        for action in actions:
            _, _, _, _, info = self.env.step(action)
        waits = len(self.env.episode.table.shoe.dealt) > len(cards)
        return Node.seen(waits, self.env.episode.over, info["nets"], info["action_mask"])


class Compiled:
    """Plays with the compiled engine."""

    def __init__(self, tree: Tree) -> None:
        self.env = BlackjackVectorEnv(1, **tree.arguments(), autoreset_mode="Disabled")

    def node(self, cards: tuple[str, ...], actions: tuple[int, ...]) -> Node:
        _, infos = self.env.reset(seed=[0], options={"shoe": cards})
        over = [False]
        for action in actions:
            _, _, over, _, infos = self.env.step(np.array([action]))
        waits = bool(self.env.engine.tables.state[0].dealt > len(cards))
        return Node.seen(waits, bool(over[0]), infos["nets"][0], infos["action_mask"][0])


ENGINES = {"readable": Readable, "compiled": Compiled}


def counted(player: Player, tree: Tree, depth: int) -> tuple[tuple[int, ...], ...]:
    """Count a tree down to a depth."""
    rules, level = parse_rules(tree.rules), [(tree.cards, tree.actions)]
    counts = []
    for _ in range(depth + 1):
        nodes = [player.node(*place) for place in level]
        nets = [node.net for node in nodes if node.net is not None]
        counts.append((len(nodes), len(nets), sum(nets)))
        level = [child for place, node in zip(level, nodes, strict=True) for child in _children(rules, *place, node)]
    return tuple(counts)


def _children(rules: Rules, cards: tuple[str, ...], actions: tuple[int, ...], node: Node) -> list[Place]:
    if node.waits:
        return [((*cards, value), actions) for value in _left(rules, cards)]
    return [(cards, (*actions, action)) for action in node.legal]


def _left(rules: Rules, cards: tuple[str, ...]) -> list[str]:
    """List the card values that a shoe still holds after some cards."""
    gone = Counter(card_value(card(text).rank) for text in cards)
    each = [4 * rules.decks] * 9 + [16 * rules.decks]
    return [text for value, text in enumerate(VALUES, 1) if rules.decks == 0 or gone[value] < each[value - 1]]


def main() -> None:
    """Print a file of trees with what the readable engine counts, as deep as it says."""
    for line in Path(sys.argv[1]).read_text().splitlines():
        tree = Tree.read(line)
        counts = counted(Readable(tree), tree, len(tree.counts) - 1)
        print(line.rpartition(" ; ")[0], ";", " ".join("/".join(map(str, count)) for count in counts))


if __name__ == "__main__":
    main()
