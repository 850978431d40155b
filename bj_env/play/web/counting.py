"""Counting drills in the browser."""

from secrets import randbelow
from typing import Any

from anyio import to_thread
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from bj_env.play.count_drills import SEEDS, CountQuestion, Player, count_question
from bj_env.play.practice import CountAttempt, PracticeLog
from bj_env.play.web.bodies import CountAnswer, CountDrill, read_body
from bj_env.play.web.serialize import serialize_card
from bj_env.rules.houses import HOUSES, parse
from bj_env.rules.terms import ACTION_WORDS


class CountPractice:
    """The requests of counting drills, one method for each."""

    def __init__(self, log: PracticeLog) -> None:
        self.log = log

    def routes(self) -> list[Route]:
        """Return the routes of these requests."""
        return [
            Route("/api/count-drill", self.question, methods=["POST"]),
            Route("/api/count-drill/answer", self.answer, methods=["POST"]),
        ]

    async def question(self, request: Request) -> Response:
        """Return a question of a counting drill."""
        wanted, seed = await read_body(request, CountDrill), randbelow(SEEDS)
        asked = await _asked(wanted, seed)
        return JSONResponse({"question": {**wanted.model_dump(), "seed": seed}, **serialize_count_question(asked)})

    async def answer(self, request: Request) -> Response:
        """Check an answer of a counting drill, and save it."""
        answer = await read_body(request, CountAnswer)
        asked = await _asked(answer, answer.seed)
        right = asked.is_right(answer.value)
        said = asked.answer_words(answer.value)
        self.log.add_count(
            CountAttempt(answer.person, answer.drill, asked.text, said, asked.answer_text, right, answer.seconds)
        )
        return JSONResponse({"right": right, "answer": asked.answer_text, "why": asked.why})


async def _asked(wanted: CountDrill, seed: int) -> CountQuestion:
    player = Player(parse(HOUSES.get(wanted.house, wanted.house)), wanted.system, tuple(wanted.ramp))
    return await to_thread.run_sync(count_question, wanted.drill, seed, player)


def serialize_count_question(asked: CountQuestion) -> dict[str, Any]:
    """Return a question of a counting drill without its answer."""
    return {
        "text": asked.text,
        "cards": list(map(serialize_card, asked.cards)),
        "upcard": serialize_card(asked.upcard) if asked.upcard else None,
        "tray": {"decks": asked.decks, "discarded": asked.discarded} if asked.decks else None,
        "actions": [
            {"action": int(action), "label": ACTION_WORDS[action].label, "key": ACTION_WORDS[action].key}
            for action in asked.actions
        ],
    }
