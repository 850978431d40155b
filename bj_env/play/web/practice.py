"""Practice in the browser: drills, the practice log of a person, and the strategy chart beside the table."""

from functools import cache
from secrets import randbits
from typing import Any

from anyio import to_thread
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from bj_env.errors import BlackjackError
from bj_env.game.cards import FACES, Card
from bj_env.game.rng import Stream
from bj_env.play.drills import Question, question
from bj_env.play.practice import Attempt, PracticeLog, Tally
from bj_env.play.web.bodies import DrillAnswer, Person, read_body
from bj_env.play.web.serialize import serialize_card, serialize_review
from bj_env.play.words import BUTTONS
from bj_env.rules.houses import HOUSES, parse
from bj_env.rules.terms import ACTION_WORDS, TICKS, Action, Rules
from bj_env.strategies.basic import basic_chart
from bj_env.strategies.charts import KINDS, PREFERENCES, UPCARDS, Chart, Row

MOST_POINTS = 200
"""How many points a curve of chips has at most."""


class Practice:
    """The requests about practice, one method for each."""

    def __init__(self, log: PracticeLog) -> None:
        self.log = log
        self._stream = Stream(randbits(64))

    def routes(self) -> list[Route]:
        """Return the routes of these requests."""
        return [
            Route("/api/practice", self.summary),
            Route("/api/practice.csv", self.export),
            Route("/api/practice/delete", self.delete, methods=["POST"]),
            Route("/api/drill", self.question),
            Route("/api/drill/answer", self.answer, methods=["POST"]),
            Route("/api/chart", self.chart),
        ]

    async def summary(self, request: Request) -> Response:
        """Return what a person has practised."""
        return JSONResponse(self._summary(_person(request)))

    def _summary(self, person: str) -> dict[str, Any]:
        summary = self.log.summary(person)
        return {
            "person": person,
            "total": serialize_tally(summary.total),
            "kinds": list(map(serialize_tally, summary.kinds)),
            "days": list(map(serialize_tally, summary.days)),
            "cells": list(map(serialize_tally, summary.cells)),
            "streak": summary.streak,
            "longest_streak": summary.longest_streak,
            "due": summary.due,
            "counts": [tally._asdict() for tally in summary.counts],
        }

    async def export(self, request: Request) -> Response:
        """Return a person's decisions, or with ``of=counts`` the answers of counting drills, as CSV."""
        headers = {"Content-Disposition": 'attachment; filename="practice.csv"'}
        counts = request.query_params.get("of") == "counts"
        return PlainTextResponse(
            self.log.export(_person(request), counts=counts), media_type="text/csv", headers=headers
        )

    async def delete(self, request: Request) -> Response:
        """Delete a person's decisions."""
        person = (await read_body(request, Person)).person
        self.log.delete(person)
        return JSONResponse(self._summary(person))

    async def question(self, request: Request) -> Response:
        """Return the next question of a drill."""
        drill, house, person = (request.query_params.get(name, "") for name in ("drill", "house", "person"))
        due = self.log.due(person) if drill == "mistakes" else ()
        asked = question(_rules(house), drill, self._stream, due)
        return JSONResponse(await to_thread.run_sync(serialize_question, house, asked))

    async def answer(self, request: Request) -> Response:
        """Review a decision of a drill, and save it."""
        answer = await read_body(request, DrillAnswer)
        asked = Question(_rules(answer.house), tuple(map(_card, answer.cards)), _card(answer.upcard))
        if answer.value not in list(Action):
            raise BlackjackError(f"value: expected the number of an action, got {answer.value}")
        review = await to_thread.run_sync(asked.review, Action(answer.value))
        names = review.action.name.lower(), review.advice.best.name.lower()
        self.log.add(Attempt(answer.person, "drill", review.kind, review.cell, *names, review.cost, answer.seconds))
        summary = self._summary(answer.person)
        return JSONResponse({"review": serialize_review(review, 1), "streak": summary["streak"], "due": summary["due"]})

    async def chart(self, request: Request) -> Response:
        """Return basic strategy for a house."""
        return JSONResponse(await to_thread.run_sync(serialize_chart, _rules(request.query_params.get("house", ""))))


def serialize_tally(tally: Tally) -> dict[str, Any]:
    """Return a sum of decisions: costs are in units of the bet.

    >>> serialize_tally(Tally("hard", 4, 3, 0.1))
    {'name': 'hard', 'decisions': 4, 'right': 3, 'cost': 0.1, 'accuracy': 0.75}
    """
    return {**tally._asdict(), "accuracy": round(tally.accuracy, 4)}


def serialize_question(house: str, asked: Question) -> dict[str, Any]:
    """Return a question of a drill: the cards, and the actions to choose from."""
    _, cell = asked.cell
    return {
        "question": {"house": house, "cards": list(map(str, asked.cards)), "upcard": str(asked.upcard)},
        "cards": list(map(serialize_card, asked.cards)),
        "upcard": serialize_card(asked.upcard),
        "cell": cell,
        "actions": [
            {"action": int(action), "label": ACTION_WORDS[action].label, "key": ACTION_WORDS[action].key}
            for action in BUTTONS
            if action in asked.advice().values
        ],
    }


@cache
def serialize_chart(rules: Rules) -> dict[str, Any]:
    """Return basic strategy as blocks of rows, each cell with its letter, its action and its words.

    >>> serialize_chart(Rules())["blocks"][0]["rows"][0]["cells"][0]
    {'letter': 'S', 'action': 'stand', 'words': 'stand'}
    """
    chart = basic_chart(rules)
    kinds = [kind for kind in KINDS if kind != "pair" or rules.max_hands > 1]
    used = [action for action in Action if ACTION_WORDS[action].letter and action is not Action.INSURE]
    return {
        "legend": ", ".join(f"{ACTION_WORDS[action].letter} {ACTION_WORDS[action].verb}" for action in used),
        "upcards": [_value_text(value) for value in UPCARDS],
        "blocks": [
            {
                "kind": kind,
                "rows": [
                    {
                        "hand": f"{_value_text(number)},{_value_text(number)}" if kind == "pair" else str(number),
                        "cells": [_cell(chart, kind, number, upcard) for upcard in UPCARDS],
                    }
                    for number in KINDS[kind]
                ],
            }
            for kind in kinds
        ],
    }


def _cell(chart: Chart, kind: str, number: int, upcard: int) -> dict[str, str]:
    """Return a cell: the first choice, and what to do where the house or the hand does not allow it."""
    rows: tuple[Row, ...] = getattr(chart, kind)
    code = rows[number][upcard - 1]
    if PREFERENCES[code][0] not in list(Action):  # a pair that is played as its total
        total, soft = (12, True) if number == 1 else (2 * number, False)
        code = (chart.soft if soft else chart.hard)[total][upcard - 1]
    first, second = PREFERENCES[code]
    action = Action(first)
    otherwise = f", else {Action(second).name.lower()}" if second in list(Action) and second != first else ""
    words = action.name.lower() + (otherwise if action in (Action.DOUBLE, Action.SURRENDER) else "")
    return {"letter": ACTION_WORDS[action].letter, "action": action.name.lower(), "words": words}


def _value_text(value: int) -> str:
    return {1: "A", 10: "T"}.get(value, str(value))


_CARDS = {str(card): card for card in FACES}


def _card(face: str) -> Card:
    if face not in _CARDS:
        raise BlackjackError(f"card: expected a rank and a suit like 'Th', got {face[:10]!r}")
    return _CARDS[face]


def _rules(house: str) -> Rules:
    """Return the rules of a house or a rule text, which is never a path."""
    return parse(HOUSES.get(house, house))


def _person(request: Request) -> str:
    return request.query_params.get("person", "")


def curve(bankrolls: list[tuple[int, ...]], seat: int, begin: int) -> list[list[float]]:
    """Return a seat's chips after some rounds, evenly spaced, as pairs of a round's number and chips.

    >>> curve([(90,), (120,)], 0, 100)
    [[0, 10.0], [1, 9.0], [2, 12.0]]
    """
    points = [(0, begin), *((number, ticks[seat]) for number, ticks in enumerate(bankrolls, start=1))]
    step = max(1, -(-len(points) // MOST_POINTS))
    shown = points[::step] + ([points[-1]] if (len(points) - 1) % step else [])
    return [[number, ticks / TICKS] for number, ticks in shown]
