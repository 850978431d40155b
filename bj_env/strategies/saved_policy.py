"""Learned policies: a folder that holds one, and the `Decision` that plays it; numpy only, nothing is executed.

The folder holds ``policy.json`` (what kind of policy, what it observes, the rules it was trained under, where it comes
from) and ``tensors.safetensors``. Two kinds exist. A ``table`` scores every action for each combination of some columns
of the observation (tensor ``scores``, shape ``[*sizes, A]``, A actions). A ``network`` scores them by layers
(tensors ``0.weight`` ``[out, in]``, ``0.bias`` ``[out]``, ``1.weight``, ...) with an activation between them.

Since version 2 one SHA-256 digest covers both files: all fields of ``policy.json`` but the digest itself, as JSON with
sorted keys and no blanks, and the bytes of ``tensors.safetensors``. Folders of version 1, whose digest covers the
tensors alone, are still read; saving one again makes it version 2.
"""

import json
import os
import tempfile
from collections.abc import Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError
from safetensors import numpy as tensor_files

from bj_env.errors import BlackjackError, PolicyError, choices, shortened
from bj_env.files import read_plain_file
from bj_env.game.decision import Decision
from bj_env.game.notation import house_text
from bj_env.game.view import View
from bj_env.observation import Layout, rules_row, write_card, write_composition, write_hand, write_seen, write_turn
from bj_env.rules.numbered import is_short
from bj_env.rules.terms import FIRST_BET, TICKS, Action, Rules
from bj_env.strategies.policy_json import FILES, digest_of, fields_of, said_of

SHOWN = ("hand", "table", "seen", "composition", "rules")
"""The parts of an observation that a seat can make of what it sees; it has no count and no first bankroll."""

Tensors = Mapping[str, NDArray[np.float32]]


class Profile(NamedTuple):
    """What a policy is and what it sees.

    Attributes:
        kind: one of `KINDS`.
        rules: the rules it was trained under.
        seats: how many seats its table had.
        bets: the bet sizes on offer, in chips.
        parts: of the observation.
        columns: for a table, the names of the columns that it looks at, in order.
        activation: for a network, one of `ACTIVATIONS`.
        provenance: where it comes from: command, seed, versions, as text.
    """

    kind: str
    rules: Rules
    seats: int
    bets: tuple[int, ...]
    parts: tuple[str, ...]
    columns: tuple[str, ...] = ()
    activation: str = "tanh"
    provenance: Mapping[str, str] = {}

    @property
    def actions(self) -> int:
        """How many actions it scores."""
        return FIRST_BET + (len(self.bets) if len(self.bets) > 1 else 0)

    def layout(self, rules: Rules, seats: int) -> Layout:
        """Return the layout of its observations at a table."""
        encoding = "discrete" if self.kind == "table" else "features"
        return Layout(rules, seats=seats, bets=self.bets, parts=self.parts, encoding=encoding)


class LearnedDecision(Decision):
    """Plays a learned policy: the legal action with the highest score, or a sampled one.

    Args:
        profile: what it is and sees.
        tensors: its numbers.
        sampled: draw from the softmax of the scores instead of taking the highest.

    Raises:
        PolicyError: if the tensors do not fit the profile.
    """

    def __init__(self, profile: Profile, tensors: Tensors, *, sampled: bool = False) -> None:
        self.profile = profile
        self.tensors = dict(tensors)
        self.sampled = sampled
        self.mode = "sampled" if sampled else "greedy"
        self.total_dependent = not sampled and set(profile.parts) <= {"hand", "rules"} and len(profile.bets) == 1
        for part in profile.parts:
            if part not in SHOWN:
                raise PolicyError(f"policy: a seat cannot be shown {part!r}; {choices(part, SHOWN)}")
        self._layout = profile.layout(profile.rules, profile.seats)
        self._known = (profile.rules, profile.seats)
        self._rules_row = rules_row(profile.rules)
        names = [f"{column.part}.{column.name}" for column in self._layout.columns]
        for column in profile.columns:
            if column not in names:
                raise PolicyError(f"policy: unknown column {column!r}; {choices(column, names)}")
        self._index = [names.index(column) for column in profile.columns]
        self._check_shapes()

    def _check_shapes(self) -> None:
        for name, tensor in self.tensors.items():
            if not isinstance(tensor, np.ndarray) or tensor.dtype != np.float32 or not np.isfinite(tensor).all():
                raise PolicyError(f"policy: expected finite float32 numbers in tensor {name!r}")
        expected = self._expected_shapes()
        came = {name: tensor.shape for name, tensor in self.tensors.items()}
        if came != expected:
            raise PolicyError(f"policy: expected tensors {expected}, got {came}")

    def _expected_shapes(self) -> dict[str, tuple[int, ...]]:
        if self.profile.kind == "table":
            sizes = tuple(self._layout.columns[place].size for place in self._index)
            return {"scores": (*sizes, self.profile.actions)}
        shapes: dict[str, tuple[int, ...]] = {}
        width = self._layout.width
        layers = max(1, len(self.tensors) // 2)
        for layer in range(layers):
            bias = self.tensors.get(f"{layer}.bias", np.zeros(0))
            out = self.profile.actions if layer == layers - 1 else bias.size
            shapes |= {f"{layer}.weight": (out, width), f"{layer}.bias": (out,)}
            width = out
        return shapes

    def scores(self, row: Sequence[int]) -> NDArray[np.float32]:
        """Return the score of each action for a row of column values, shape ``[A]``."""
        if self.profile.kind == "table":
            scores: NDArray[np.float32] = self.tensors["scores"][tuple(row[place] for place in self._index)]
            return scores
        return self._network(self._layout.encode(row))

    def scores_of(self, observations: NDArray[Any]) -> NDArray[np.float32]:
        """Return the scores of many observations at once, shape ``[T, A]``, those of a network but for rounding.

        Args:
            observations: as an environment gives them: for a table columns ``[T, C]``, for a network features
                ``[T, W]``.

        >>> from bj_env.rules.houses import parse_rules
        >>> profile = Profile("table", parse_rules("six-deck"), 1, (1,), ("hand",), ("hand.upcard",))
        >>> decision = LearnedDecision(profile, {"scores": np.eye(11, 7, dtype=np.float32)})
        >>> decision.scores_of(np.array([[3, 13, 0, 6, 1], [3, 13, 0, 2, 1]])).argmax(axis=1).tolist()
        [6, 2]
        """
        if self.profile.kind == "table":
            scores: NDArray[np.float32] = self.tensors["scores"][tuple(observations[:, self._index].T)]
            return scores
        return self._network(observations)

    def _network(self, values: NDArray[np.float32]) -> NDArray[np.float32]:
        layers = len(self.tensors) // 2
        for layer in range(layers):
            values = values @ self.tensors[f"{layer}.weight"].T + self.tensors[f"{layer}.bias"]
            if layer < layers - 1:
                values = np.tanh(values) if self.profile.activation == "tanh" else np.maximum(values, 0)
        return values

    def bet(self, view: View) -> int:
        """Return the bet that scores highest among those the seat can make; the only one if just one is on offer."""
        bets = self.profile.bets
        if len(bets) == 1:
            return view.rules.min_bet
        free = -1 if view.free is None else round(view.free * TICKS)
        legal = [FIRST_BET + place for place, bet in enumerate(bets) if not is_short(free, bet * TICKS)]
        return bets[self._choose(view, legal) - FIRST_BET] if legal else 0

    def insure(self, view: View) -> bool:
        """Tell whether insuring scores higher than declining."""
        return self._choose(view, [Action.INSURE, Action.DECLINE]) == Action.INSURE

    def play(self, view: View) -> Action:
        """Return the legal action that scores highest."""
        return Action(self._choose(view, view.legal))

    def _choose(self, view: View, legal: Sequence[int]) -> int:
        scores = self.scores(self.row(view))[list(legal)]
        if not self.sampled:
            return legal[int(scores.argmax())]
        chances = np.exp(scores - scores.max())
        drawn = view.rng.below(1 << 31) / (1 << 31) * chances.sum()
        return legal[min(int(np.searchsorted(chances.cumsum(), drawn, side="right")), len(legal) - 1)]

    def row(self, view: View) -> list[int]:
        """Return the column values of what a seat sees.

        Raises:
            PolicyError: if the policy was trained on observations of another form.
        """
        if (view.rules, len(view.hands)) != self._known:
            self.settle_in(view.rules, len(view.hands))
        row = [0] * len(self._layout.columns)
        for part, at in self._layout.starts.items():
            if part == "hand":
                upcard = view.upcard.value if view.upcard else 0
                stake = self._stake(view)
                write_hand(row, at, view.phase, view.total, view.soft, view.pair, upcard, stake)
            elif part == "table":
                _write_table(row, at, view)
            elif part == "seen":
                write_seen(row, at, view.rules.decks, view.seen, view.shuffle_pending)
            elif part == "composition":
                write_composition(row, at, view.rules.decks, view.seen)
            else:
                row[at : at + len(self._rules_row)] = self._rules_row
        return row

    def settle_in(self, rules: Rules, seats: int) -> None:
        """Get used to another table.

        Raises:
            PolicyError: if the policy was trained on observations of another form.
        """
        layout, wrong = self.profile.layout(rules, seats), self._bets_not_taken(rules)
        if wrong:
            taken = f"{rules.min_bet} to {rules.max_bet}"
            raise PolicyError(f"policy: expected a table that takes its bets, {wrong} among them; got {taken}")
        if layout.columns != self._layout.columns:
            trained = f"{self._known[1]} seats under {house_text(self._known[0])!r}"
            here = f"{seats} under {house_text(rules)!r}"
            parts = "+".join(self.profile.parts)
            raise PolicyError(f"policy: expected a table whose {parts} look as in training, {trained}; got {here}")
        self._layout, self._known, self._rules_row = layout, (rules, seats), rules_row(rules)

    def _bets_not_taken(self, rules: Rules) -> list[int]:
        """Return which of its bets a house does not take; the only one stands for any."""
        bets = self.profile.bets if len(self.profile.bets) > 1 else ()
        return [bet for bet in bets if bet and not rules.min_bet <= bet <= rules.max_bet]

    def _stake(self, view: View) -> int:
        """Return the place of the bet among those trained on, from 1; the only one stands for any bet."""
        sizes = [bet for bet in self.profile.bets if bet]
        if view.upcard is None:
            return 0
        return 1 if len(sizes) == 1 else sizes.index(int(view.bet)) + 1


def _write_table(row: list[int], at: int, view: View) -> None:
    write_turn(row, at, view.seat, view.hand)
    if view.upcard:
        write_card(row, at, view.rules.max_hands, -1, 0, view.upcard.value)
    for seat, hands in enumerate(view.hands):
        for place, hand in enumerate(hands):
            for card in hand.cards:
                write_card(row, at, view.rules.max_hands, seat, place, card.value)


def save_policy(folder: str | Path, profile: Profile, tensors: Tensors) -> None:
    """Write a policy folder, whole or not at all; one that is there is replaced.

    Raises:
        PolicyError: if the profile could not be read again, the tensors do not fit it, or the folder holds anything but
            a policy.
        OSError: if it cannot be written.
    """
    said = said_of(profile._asdict())
    try:
        LearnedDecision(Profile(**fields_of(said)), tensors)  # refuses what it could not load again
    except BlackjackError as error:
        raise PolicyError(str(error)) from None
    folder = Path(folder)
    _refuse_other_folder(folder)
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder.parent, prefix=f".{folder.name}-") as made_in:
        _write_folder(Path(made_in) / folder.name, said, tensors)
        if folder.exists():
            folder.rename(Path(made_in) / "old")
        (Path(made_in) / folder.name).rename(folder)


def _refuse_other_folder(folder: Path) -> None:
    """Refuse to replace what is no policy folder: it would be lost."""
    if not folder.exists() or (folder.is_dir() and {path.name for path in folder.iterdir()} <= FILES):
        return
    raise PolicyError(f"policy {str(folder)!r}: expected a new folder or one of a policy, and this is something else")


def _write_folder(made: Path, said: dict[str, Any], tensors: Tensors) -> None:
    made.mkdir()
    numbers = tensor_files.save({name: np.ascontiguousarray(tensor) for name, tensor in tensors.items()})
    said["sha256"] = digest_of(said, numbers)
    _write(made / "policy.json", (json.dumps(said, indent=2) + "\n").encode())
    _write(made / "tensors.safetensors", numbers)


def _write(path: Path, content: bytes) -> None:
    with path.open("wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())


def load_policy(folder: str | Path, *, sampled: bool = False) -> LearnedDecision:
    """Return the policy that a folder holds.

    Raises:
        PolicyError: if the folder is missing or damaged, or holds a kind of policy that is not known.
    """
    if not isinstance(folder, str | PathLike):
        raise PolicyError(f"policy: expected a folder, got {shortened(folder)}")
    folder = Path(folder)
    try:
        said = json.loads(_read(folder / "policy.json"))
        numbers = _read(folder / "tensors.safetensors")
        tensors = tensor_files.load(numbers)
    except OSError as error:
        if not _is_there(folder):
            raise PolicyError(f"policy {str(folder)!r}: there is no such folder") from None
        inside = folder / "policy"
        hint = f"; did you mean {str(inside)!r}?" if (inside / "policy.json").exists() else ""
        name = Path(error.filename if isinstance(error.filename, str) else folder).name
        raise PolicyError(f"policy {str(folder)!r}: {name}: {error.strerror}{hint}") from None
    except (ValueError, KeyError, RecursionError, SafetensorError) as error:
        raise PolicyError(f"policy {str(folder)!r} is damaged: {error}") from None
    try:
        profile = Profile(**fields_of(said))
        if said["sha256"] != digest_of(said, numbers):
            raise PolicyError("policy.json and tensors.safetensors are not as they were saved: one of them is damaged")
        return LearnedDecision(profile, tensors, sampled=sampled)
    except BlackjackError as error:
        raise PolicyError(f"policy {str(folder)!r}: {error}") from None


def _is_there(folder: Path) -> bool:
    try:
        return folder.exists()
    except OSError:  # no path is so long
        return False


def _read(path: Path) -> bytes:
    """Read a file, if it is a plain one of a sensible size."""
    try:
        return read_plain_file(path)
    except OSError as error:
        if error.errno:
            raise
        raise ValueError(f"{path.name}: {error.strerror}") from None
