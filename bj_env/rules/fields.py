"""How each rule is declared: its type and range, its tokens, what people write for it, and its observation column.

`bj_env.rules.terms.Rules` annotates every field with one of these. Rule texts, rules files, the columns of an
observation and the table in docs/rules.md follow from the annotations, so a new rule is declared in one place.
"""

from collections.abc import Mapping
from enum import IntEnum
from numbers import Integral
from typing import Any, NamedTuple

from bj_env.errors import RulesError, choices, is_flag, real_number, shortened


class Flag(NamedTuple):
    """A rule that is on or off.

    Attributes:
        off: the token that turns it off; empty if only leaving out ``on`` does.
        on: the token that turns it on; empty likewise.
        meaning: what it means, for the table of rules.
    """

    off: str
    on: str
    meaning: str

    def check(self, name: str, value: object) -> bool:
        """Return the value, which must be a bool, numpy's included."""
        if not is_flag(value):
            raise RulesError(f"{name}: expected true or false, got {shortened(value)}")
        return bool(value)

    @property
    def tokens(self) -> dict[bool, str]:
        """The token of each value that has one."""
        return {value: token for value, token in ((False, self.off), (True, self.on)) if token}


class Choice(NamedTuple):
    """A rule with named variants.

    Attributes:
        kind: the enum of the variants.
        tokens: the token of each variant.
        words: what people write for a variant in a rules file, beside its token and the name of its member.
        meaning: what it means, for the table of rules.
    """

    kind: type[IntEnum]
    tokens: Mapping[IntEnum, str]
    words: Mapping[str | bool, IntEnum]
    meaning: str

    def check(self, name: str, value: object) -> IntEnum:
        """Return the variant that a member, a token or a word stands for; numbers stand for none."""
        if isinstance(value, self.kind):
            return value
        written = self.written()
        key = value.lower() if isinstance(value, str) and value.isascii() else value
        if not isinstance(key, bool | str) or key not in written:
            raise RulesError(f"{name}: got {shortened(value)}; {choices(value, self.names())}")
        return written[key]

    def names(self) -> list[str]:
        """Return one name of each variant: a word that people write, else its token."""
        named = {member: word for word, member in self.words.items() if isinstance(word, str)}
        return [named.get(member, self.tokens[member]) for member in self.kind]

    def written(self) -> dict[str | bool, IntEnum]:
        """Return everything that may be written for a variant, in lower case."""
        members: dict[str | bool, IntEnum] = {member.name.lower().replace("_", "-"): member for member in self.kind}
        tokens: dict[str | bool, IntEnum] = {token.lower(): member for member, token in self.tokens.items()}
        return {**members, **tokens, **self.words}


class Number(NamedTuple):
    """A rule that is a whole number.

    Attributes:
        low: the smallest value.
        high: the largest value.
        form: the token, ``{}`` standing for the number.
        meaning: what it means, for the table of rules.
        zero: whether 0 is a value, too.
        size: how many values its observation column has; 0 for ``high + 1``.
        labels: the names of its values, where its observation column is a category.
        observed: whether it is part of an observation.
        special: tokens that stand for single values.
    """

    low: int
    high: int
    form: str
    meaning: str
    zero: bool = False
    size: int = 0
    labels: tuple[str, ...] = ()
    observed: bool = True
    special: Mapping[int, str] = {}

    def check(self, name: str, value: object) -> int:
        """Return the number."""
        whole = isinstance(value, Integral) and not isinstance(value, bool)
        if whole and (self.low <= int(value) <= self.high or (self.zero and value == 0)):  # type: ignore[call-overload]
            return int(value)  # type: ignore[call-overload, no-any-return]
        zero = "0 or " if self.zero else ""
        expected = f"expected {zero}a whole number from {self.low} to {self.high}"
        raise RulesError(f"{name}: {expected}, got {shortened(value)}")

    @property
    def tokens(self) -> dict[int, str]:
        """The tokens of single values."""
        return dict(self.special)


class Share(NamedTuple):
    """A rule that is a share in whole percents, from 0 to 0.99.

    Attributes:
        form: the token, ``{}`` standing for the percents.
        meaning: what it means, for the table of rules.
    """

    form: str
    meaning: str

    def check(self, name: str, value: object) -> float:
        """Return the share, rounded to whole percents."""
        share = real_number(value)
        if not 0 <= share < 1:
            raise RulesError(f"{name}: expected a share of the shoe from 0 to 0.99, got {shortened(value)}")
        percents = share * 100
        if abs(percents - round(percents)) > 1e-9:
            raise RulesError(f"{name}: expected whole percents, like 0.75, got {shortened(value)}")
        return round(percents) / 100

    @property
    def tokens(self) -> dict[float, str]:
        """No value has a token of its own."""
        return {}


Field = Flag | Choice | Number | Share
"""How a rule is declared."""


def annotated_fields(hints: Mapping[str, Any]) -> dict[str, Field]:
    """Return the declaration of each rule from the type hints of the record, in order."""
    return {name: hint.__metadata__[0] for name, hint in hints.items()}
