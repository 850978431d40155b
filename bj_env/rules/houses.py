"""Houses: the rule text (``"6D S17 DAS LS"``) and the named houses that are written in it.

A rule text is a set of tokens in any order; what it does not say takes the default. `text` writes a `Rules` as such a
text, `parse` reads it back to the same record, `words` says it in plain sentences.
"""

import re
import tomllib
from collections.abc import Mapping
from os import PathLike
from pathlib import Path
from typing import Any

from bj_env.errors import RulesError, choices, nearest, shortened
from bj_env.files import read_plain_text
from bj_env.rules.fields import Choice, Number, Share
from bj_env.rules.terms import FIELDS, Double, HoleCard, Payout, Rules, SplitBy, Surrender

HOUSES = {
    "six-deck": "6D",
    "six-deck-h17": "6D H17 LS",
    "double-deck": "2D H17 DAS NS",
    "single-deck": "1D H17 D10 NDAS NS",
    "eight-deck-europe": "8D S17 ENHC SP4 NS NINS",
    "six-five": "6D H17 6:5 NS",
    "infinite": "INF S17 NS NINS",
    "sutton-barto": "INF S17 1:1 NOPEEK BJ21PUSH D0 SP1 NS NINS ACT21",
    "gymnasium-natural": "INF S17 3:2 NOPEEK BJ21PUSH NAT21 D0 SP1 NS NINS ACT21",
    "gymnasium-plain": "INF S17 1:1 NOPEEK BJ21PUSH NAT21 D0 SP1 NS NINS ACT21",
    "even-money": "1D S17 1:1 NOPEEK BJ21PUSH NAT21 ACT21 D0 SP1 NS NINS",
    "hit-stand": "1D S17 3:2 NOPEEK D0 SP1 NS NINS WHOLE",
    "campus-s17": "1D S17 1:1 PEEK D0 SP1 NS NINS",
    "two-player": "1D S17 1:1 NOPEEK BJ21PUSH NAT21 SPRANK HSA NS NINS",
    "campus-h17": "1D H17 3:2 NOPEEK BJ21PUSH D0 SP1 NS NINS MIN5",
}
"""Named houses, each one line of rule text."""

_TOKENS: dict[str, tuple[str, Any]] = {
    token: (name, value) for name, field in FIELDS.items() for value, token in field.tokens.items()
}
_FORMS = {name: field.form for name, field in FIELDS.items() if isinstance(field, Number | Share)}
_ALWAYS_STATED = (
    "decks dealer_hits_soft_17 blackjack_payout hole_card double double_after_split max_hands surrender insurance"
).split()
_WRITTEN = {value: token for token, value in _TOKENS.items()}


LARGEST_RULES = 1 << 16
"""Bytes of the largest rules file."""


def parse(text: str) -> Rules:
    """Read a rule text.

    Raises:
        RulesError: at a token that is unknown, stated twice or at odds with another, naming it and the nearest one.

    >>> parse("H17 2D").decks
    2
    >>> parse("6D H71")
    Traceback (most recent call last):
    bj_env.errors.RulesError: unknown rule 'H71' in '6D H71'; did you mean 'H17'? 'bj rules --help' lists all
    """
    stated: dict[str, tuple[Any, str]] = {}
    for token in text.split():
        field, value = _token(token, text)
        if field in stated:
            raise RulesError(f"{field} is said twice in {shortened(text)}: {stated[field][1]} and {token}")
        stated[field] = value, token
    fields = {field: value for field, (value, _) in stated.items()}
    if "max_bet" not in fields and fields.get("min_bet", 0) > Rules().max_bet:
        fields["max_bet"] = fields["min_bet"]  # what is unsaid never makes a text senseless
    return Rules(**fields)


def houses() -> dict[str, str]:
    """Return the named houses: the rule text of each by its name.

    >>> houses()["double-deck"]
    '2D H17 DAS NS'
    """
    return dict(HOUSES)


def tokens() -> list[str]:
    """List every token of a rule text, ``n`` standing for a number.

    >>> "H17" in tokens(), "PENn" in tokens()
    (True, True)
    """
    return [*_TOKENS, *(form.format("n") for form in _FORMS.values())]


def _token(token: str, text: str) -> tuple[str, Any]:
    word = token.upper() if token.isascii() else token
    if word in _TOKENS:
        return _TOKENS[word]
    for field, form in _FORMS.items():
        if match := re.fullmatch(form.format("([0-9]{1,60})"), word):
            number = int(match[1])
            if field == "decks" and number == 0:
                expected = "expected 1D to 16D, or INF for an infinite shoe"
                raise RulesError(f"decks: {expected}, got {shortened(token)} in {shortened(text)}")
            return field, number / 100 if field == "penetration" else number
    hint = _nearest_token(word)
    raise RulesError(f"unknown rule {shortened(token)} in {shortened(text)}; {hint}'bj rules --help' lists all")


_EXAMPLES = {"PEN": 75, "SP": 4, "CH": 5, "MAX": 500, "MIN": 5}


def _nearest_token(word: str) -> str:
    if word in (form.replace("{}", "") for form in _FORMS.values()):
        return f"{word} takes a number without a blank, like {word}{_EXAMPLES.get(word, 1)}; "
    numbered = [form.format(re.sub("[^0-9]", "", word) or "1") for form in _FORMS.values()]
    near = nearest(word, _TOKENS) or nearest(word, numbered)
    return f"did you mean {near!r}? " if near else ""


def text(rules: Rules) -> str:
    """Write the rules as a text that `parse` reads back: the main ones always, the others where not the default.

    >>> text(parse("6D"))
    '6D S17 3:2 PEEK DOA DAS SP4 LS INS'
    """
    order = [*_ALWAYS_STATED, *(field for field in rules._fields if field not in _ALWAYS_STATED)]
    default = Rules()
    stated = [field for field in order if field in _ALWAYS_STATED or getattr(rules, field) != getattr(default, field)]
    return " ".join(_written(field, getattr(rules, field)) for field in stated)


def _written(field: str, value: Any) -> str:
    if (field, value) in _WRITTEN:
        return _WRITTEN[field, value]
    return _FORMS[field].format(round(value * 100) if field == "penetration" else value)


def without_file(house: str) -> str:
    """Return what a TOML file says as a rule text, which stays valid without the file; a house or a rule text as it is.

    Raises:
        RulesError: if the file does not read.

    >>> without_file("six-deck")
    'six-deck'
    """
    return text(parse_rules(house)) if house.endswith(".toml") else house


def parse_rules(source: "Rules | str | PathLike[str]") -> Rules:
    """Return the rules that a house's name, a rule text, a TOML file or a `Rules` stands for.

    Raises:
        RulesError: if it is none of these.

    >>> parse_rules("single-deck").decks
    1
    """
    if isinstance(source, Rules):
        return source
    if isinstance(source, PathLike) or (isinstance(source, str) and source.endswith(".toml")):
        return _from_toml(Path(source))
    if not isinstance(source, str):
        raise RulesError(f"rules: expected a house, a rule text, a .toml file or a Rules, got {shortened(source)}")
    name = source.strip()
    if name in HOUSES:
        return parse(HOUSES[name])
    if not name or (" " not in name and re.fullmatch("[a-z][a-z0-9-]*-[a-z0-9-]*|[a-z]{5,}", name)):
        raise RulesError(f"unknown house {shortened(source)}; {choices(name, HOUSES)}")
    return parse(source)


def _from_toml(path: Path) -> Rules:
    try:
        fields = tomllib.loads(read_plain_text(path, LARGEST_RULES))
    except OSError as error:
        raise RulesError(f"rules file {shortened(str(path))}: {error.strerror or error}") from None
    except (ValueError, RecursionError) as error:
        raise RulesError(f"rules file {shortened(str(path))} is not TOML: {error}") from None
    try:
        return from_fields(fields)
    except RulesError as error:
        raise RulesError(f"rules file {shortened(str(path))}: {error}") from None


def from_fields(fields: Mapping[str, Any]) -> Rules:
    """Build rules from named values as a file holds them: numbers, booleans, and tokens or words like ``"late"``.

    Raises:
        RulesError: at an unknown name or a value of a wrong type or range.

    >>> from_fields({"hole_card": "ENHC", "surrender": "none", "decks": 8}).hole_card.name
    'ENHC'
    """
    return Rules(**{name: _token_value(name, value) for name, value in fields.items()})


def _token_value(name: str, value: Any) -> Any:
    """Return what a token of a number or of a flag means, and any other value as it is."""
    field = FIELDS.get(name)
    if not isinstance(value, str) or field is None or isinstance(field, Choice):
        return value
    for meant, token in field.tokens.items():
        if token == value:
            return meant
    numbers = ["a number"] if isinstance(field, Number | Share) else ["true", "false"]
    expected = " or ".join([*numbers, *(repr(token) for token in field.tokens.values())])
    raise RulesError(f"{name}: expected {expected}, got {shortened(value)}")


_PAYOUT_WORDS = {payout: _WRITTEN["blackjack_payout", payout].replace(":", " to ") for payout in Payout}
_HOLE_CARD_WORDS = {
    HoleCard.PEEK: "The dealer looks at his hole card behind an ace or a ten before anyone plays.",
    HoleCard.NOPEEK: "The dealer looks at his hole card only after all seats have played.",
    HoleCard.ENHC: "The dealer takes no hole card; all bets lose to a dealer blackjack.",
    HoleCard.OBO: "The dealer takes no hole card; only the original bet loses to a dealer blackjack.",
}
_DOUBLE_WORDS = {
    Double.DOA: "Any two cards may be doubled",
    Double.D9: "Hard 9, 10 and 11 may be doubled on two cards",
    Double.D10: "Hard 10 and 11 may be doubled on two cards",
    Double.D11: "Hard 11 may be doubled on two cards",
    Double.DANY: "Any number of cards may be doubled",
    Double.D0: "There is no doubling",
}
_SURRENDER_WORDS = {
    Surrender.LATE: "Half the bet may be bought back on the first two cards (late surrender).",
    Surrender.NONE: "There is no surrender.",
    Surrender.EARLY: "Half the bet may be bought back before the dealer looks (early surrender).",
    Surrender.ES10: "Half the bet may be bought back before the dealer looks, but not against an ace.",
}


def words(rules: Rules) -> list[str]:
    """Say the rules in plain sentences, one for each thing a player should know.

    >>> words(parse("1D H17 NS"))[:2]
    ['1 deck, shuffled before every round.', 'The dealer draws to 16 and on a soft 17.']
    """
    return [
        _shoe_words(rules),
        _dealer_words(rules),
        _HOLE_CARD_WORDS[rules.hole_card],
        *_blackjack_words(rules),
        *(["A seat may act on 21."] if rules.act_on_21 else []),
        _double_words(rules),
        *_split_words(rules),
        _SURRENDER_WORDS[rules.surrender],
        "Insurance is offered against an ace." if rules.insurance else "There is no insurance.",
        *([f"{rules.charlie} cards without a bust win at once."] if rules.charlie else []),
        *(["The dealer wins ties, but for two blackjacks."] if rules.dealer_wins_ties else []),
        _bet_words(rules),
        *(["Winnings are paid in whole chips, rounded down."] if rules.round_payouts else []),
    ]


def _bet_words(rules: Rules) -> str:
    if rules.min_bet == rules.max_bet:
        return f"Every bet is {rules.min_bet} chip{'s' if rules.min_bet > 1 else ''}."
    return f"Bets from {rules.min_bet} to {rules.max_bet} chips."


def painted(rules: Rules) -> tuple[str, str]:
    """Say what casinos paint on the felt: what a blackjack pays, and when the dealer draws.

    >>> painted(parse("1D H17 NS"))
    ('A blackjack pays 3 to 2.', 'The dealer draws to 16 and on a soft 17.')
    """
    return _blackjack_words(rules)[0], _dealer_words(rules)


def _dealer_words(rules: Rules) -> str:
    return f"The dealer draws to 16 and {'on' if rules.dealer_hits_soft_17 else 'stands on'} a soft 17."


def _shoe_words(rules: Rules) -> str:
    if rules.decks == 0:
        return "An infinite shoe: every card is drawn with replacement."
    count = f"{rules.decks} deck{'s' if rules.decks > 1 else ''}"
    burnt = f" {rules.burn_cards} burned after each shuffle." if rules.burn_cards else ""
    if rules.penetration == 0:
        return f"{count}, shuffled before every round.{burnt}"
    return f"{count}, {rules.penetration:.0%} dealt before a shuffle.{burnt}"


def _blackjack_words(rules: Rules) -> list[str]:
    stated = [f"A blackjack pays {_PAYOUT_WORDS[rules.blackjack_payout]}."]
    if not rules.blackjack_beats_21:
        stated.append("A player's blackjack is an ordinary 21: it ties a dealer's drawn 21.")
    if not rules.dealer_blackjack_beats_21:
        stated.append("A drawn 21 ties a dealer's blackjack.")
    return stated


def _double_words(rules: Rules) -> str:
    if rules.double == Double.D0 or rules.max_hands == 1:
        return _DOUBLE_WORDS[rules.double] + "."
    return f"{_DOUBLE_WORDS[rules.double]}, {'also' if rules.double_after_split else 'but not'} after a split."


def _split_words(rules: Rules) -> list[str]:
    if rules.max_hands == 1:
        return ["There is no splitting."]
    pair = "of the same value" if rules.split_by == SplitBy.VALUE else "of the same rank"
    draw = "may draw" if rules.hit_split_aces else "get one card each"
    again = "" if rules.resplit_aces else " not"
    aces = f"Split aces {draw} and may{again} be split again."
    return [f"Two cards {pair} may be split, up to {rules.max_hands} hands a seat.", aces]
