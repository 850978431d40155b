"""The JSON bodies that a page may send, checked by pydantic; an error is one line."""

from typing import Annotated, TypeVar

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError
from starlette.exceptions import HTTPException
from starlette.requests import Request

from bj_env.errors import BlackjackError
from bj_env.play.count_drills import RAMP, SEEDS

MOST_BYTES = 16_384
"""The longest body that a page may send."""

Text = Annotated[str, StringConstraints(max_length=200)]
Number = Annotated[int, Field(gt=-(2**53), lt=2**53)]
"""A whole number that JavaScript represents exactly."""

Seconds = Annotated[float, Field(ge=0, le=86_400, allow_inf_nan=False)]
Finite = Annotated[float, Field(ge=-1e9, le=1e9, allow_inf_nan=False)]


class Body(BaseModel):
    """A JSON object with exactly the fields of its class."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)


class RulesText(Body):
    """A rule text to be explained."""

    rules: Text


class Sitter(Body):
    """Who takes a seat or the dealer's chair: ``"you"`` for a person with an optional name, else a strategy."""

    who: Text
    name: Text = ""


class NewTable(Body):
    """A new table."""

    house: Text
    seats: Annotated[list[Sitter], Field(max_length=20)]
    dealer: Sitter
    bankroll: Number


class Seen(Body):
    """A request that holds only while the table has exactly so many moves."""

    seen: Number


class Answer(Seen):
    """A person's decision: chips at a bet, else the number of an action; how long it took is for the practice log."""

    value: Number
    seconds: Seconds | None = None


class DrillAnswer(Body):
    """A decision in a drill: the question as it was sent, and the number of an action."""

    house: Text
    cards: Annotated[list[Text], Field(min_length=2, max_length=3)]
    upcard: Text
    value: Number
    person: Text
    seconds: Seconds | None = None


class CountDrill(Body):
    """A counting drill: which, for which house, system and ramp."""

    drill: Text
    house: Text
    system: Text = "hi-lo"
    ramp: Annotated[list[tuple[int, int]], Field(max_length=20)] = list(RAMP)


class CountAnswer(CountDrill):
    """An answer of a counting drill: the question by its seed, and a number."""

    seed: Annotated[int, Field(ge=0, lt=SEEDS)]
    value: Finite
    person: Text
    seconds: Seconds | None = None


class TableCount(Seen):
    """The running and the true count that a person has kept at a table."""

    running: Finite
    true: Finite


class Person(Body):
    """Whose practice log is meant."""

    person: Text


Kind = TypeVar("Kind", bound=Body)


async def read_body(request: Request, kind: type[Kind]) -> Kind:
    """Return the body of a request.

    Raises:
        BlackjackError: if it is not what the class describes, naming the first wrong field.
        HTTPException: if it is too long; the rest is not read.
    """
    read = bytearray()
    async for chunk in request.stream():
        read += chunk
        if len(read) > MOST_BYTES:
            raise HTTPException(413, f"body: expected at most {MOST_BYTES} bytes")
    try:
        return kind.model_validate_json(bytes(read))
    except ValidationError as error:
        raise BlackjackError(_first_error(error)) from None


def _first_error(error: ValidationError) -> str:
    first = error.errors(include_url=False, include_input=False, include_context=False)[0]
    field = ".".join(map(str, first["loc"]))[:40] or "body"
    printable = "".join(letter if letter.isprintable() else "?" for letter in field)
    return f"{printable}: {first['msg'][:1].lower()}{first['msg'][1:120]}"
