"""The review page's server: paths, and what they ask of board and actions.

Contract: everything under ``/api`` speaks JSON; what a user can mend comes as ``{"error": …}`` with a status of its own
(404, 409, 423, else 400), and changes nothing. Sound is served as it lies in the store, in the parts that a browser asks for.
"""

from __future__ import annotations

import json
import re
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, Response
from starlette.routing import Route

from common.errors import VoicepressError
from common.files import from_system
from flows.review import told
from flows.review.actions import Actions
from flows.review.board import Place, Wanted
from flows.review.guard import MOST_BYTES
from flows.review.recorder import Work
from flows.review.sound import peaks_of
from tasks.domain import Take

PAGE = Path(__file__).parent / "page"
_FILES = {"review.css": "text/css", "review.js": "text/javascript", "views.js": "text/javascript", "sound.js": "text/javascript", "icon.svg": "image/svg+xml"}  # fmt: skip
_KEY = re.compile(r"[0-9a-f]{32}")
_STATUS = {
    "script-changed": 409, "book-busy": 423, "engine-busy": 423, "no-such-line": 404, "no-such-take": 404,
    "take-damaged": 404, "disk-full": 507,
}  # fmt: skip

Body = dict[str, Any]


def build(actions: Actions) -> Starlette:
    """The application, without its guard."""
    board = actions.board

    def page(_: Request) -> Response:
        return FileResponse(PAGE / "index.html", media_type="text/html; charset=utf-8")

    def asset(request: Request) -> Response:
        name = request.path_params["name"]
        if name not in _FILES:
            raise HTTPException(404)
        return FileResponse(
            PAGE / name, media_type=f"{_FILES[name]}; charset=utf-8", headers={"Cache-Control": "no-cache"}
        )

    def take_of(request: Request) -> Take:
        key = request.path_params["key"]
        take = board.desk.store.get(key) if _KEY.fullmatch(key) else None
        if take is None:
            raise HTTPException(404, "there is no such recording")
        return take

    def sound(request: Request) -> Response:
        return FileResponse(
            take_of(request).path, media_type="audio/flac", headers={"Cache-Control": "private, no-cache"}
        )

    def drawn(request: Request) -> Response:
        take = take_of(request)
        return JSONResponse({"peaks": peaks_of(board.desk.store, take), "seconds": take.samples / take.sample_rate})

    def about(_: Request) -> Response:
        return JSONResponse(told.book(board))

    def listed(request: Request) -> Response:
        asked = request.query_params
        chapter = asked.get("chapter", "")
        wanted = Wanted(
            int(chapter) if chapter.isdecimal() else None, asked.get("speaker", ""), asked.get("reason", ""),
            asked.get("state", ""), asked.get("text", "")[:200], "book" if asked.get("order") == "book" else "suspicion",
        )  # fmt: skip
        offset, around = asked.get("offset", "0"), asked.get("around", "")
        number, _, line_id = around.partition("/")
        place = (int(number), line_id) if number.isdecimal() else None
        return JSONResponse(
            told.lines(
                board,
                wanted,
                int(offset) if offset.isdecimal() else 0,
                told.PAGE,
                place,
                fresh=asked.get("fresh") == "1",
            )
        )

    def shown(request: Request) -> Response:
        return JSONResponse(told.line(board, (request.path_params["chapter"], request.path_params["line"])))

    def progress(request: Request) -> Response:
        found = actions.recorder.find(request.path_params["number"])
        if found is None:
            raise HTTPException(404)
        found.finished.wait(1.0 if found.state in ("waiting", "working") else 0.0)
        return JSONResponse(told.work(found))

    def answer(place: Place, work: Work | None, **more: Any) -> Body:
        here = board.find(place)
        return {"line": told.line(board, place) if here else None, "work": told.work(work) if work else None, **more}

    def edit(body: Body) -> Body:
        place = _place(body)
        return answer(place, actions.edit(place, _mapping(body, "fields"), str(body.get("revision", ""))))

    def choose(body: Body) -> Body:
        place = _place(body)
        actions.choose(place, None if body.get("take") is None else _number(body, "take"))
        return answer(place, None)

    def approve(body: Body) -> Body:
        place = _place(body)
        actions.approve(place, _number(body, "take"), body.get("good") is not False)
        return answer(place, None)

    def again(body: Body) -> Body:
        place = _place(body)
        return answer(place, actions.again(place))

    def listen(body: Body) -> Body:
        place = _place(body)
        return answer(place, actions.listen(place, _number(body, "take")))

    def reading(body: Body) -> Body:
        place = _place(body)
        work, changed = actions.reading(
            place,
            str(body.get("word", "")).strip(),
            str(body.get("phones", "")).strip(),
            body.get("everywhere") is True,
        )
        return answer(place, work, changed=changed)

    def refresh(_: Body) -> Body:
        board.refresh()
        return told.book(board)

    posts = {"edit": edit, "choose": choose, "approve": approve, "again": again, "listen": listen, "reading": reading, "refresh": refresh}  # fmt: skip
    return Starlette(
        routes=[
            Route("/", page),
            Route("/page/{name}", asset),
            Route("/sound/{key}.flac", sound),
            Route("/api/peaks/{key}", drawn),
            Route("/api/book", about),
            Route("/api/lines", listed),
            Route("/api/line/{chapter:int}/{line}", shown),
            Route("/api/work/{number:int}", progress),
            *(Route(f"/api/{name}", _posted(run), methods=["POST"]) for name, run in posts.items()),
        ],
        exception_handlers={VoicepressError: _refused, OSError: _failed},
    )


def _posted(run: Callable[[Body], Body]) -> Callable[[Request], Awaitable[Response]]:
    async def post(request: Request) -> Response:
        data = b""
        async for part in request.stream():
            data += part
            if len(data) > MOST_BYTES:
                raise HTTPException(413)
        try:
            body = json.loads(data)
        except (ValueError, RecursionError):
            body = None
        if not isinstance(body, dict):
            raise VoicepressError("bad-request", "the request is no JSON object")
        return JSONResponse(await run_in_threadpool(run, body))

    return post


def _place(body: Body) -> Place:
    return _number(body, "chapter"), str(body.get("line", ""))


def _number(body: Body, name: str) -> int:
    value = body.get(name)
    if isinstance(value, bool) or not isinstance(value, int):
        raise VoicepressError("bad-request", f"'{name}' is no whole number")
    return value


def _mapping(body: Body, name: str) -> Body:
    value = body.get(name)
    if not isinstance(value, dict) or not value or any(isinstance(one, list | dict) for one in value.values()):
        raise VoicepressError("bad-request", f"'{name}' gives no values")
    return value


def _refused(_: Request, error: Exception) -> Response:
    assert isinstance(error, VoicepressError)
    return JSONResponse({"error": told.error(error)}, _STATUS.get(error.code, 400))


def _failed(request: Request, error: Exception) -> Response:
    assert isinstance(error, OSError)
    found = from_system(error)
    if found is None:
        raise error
    return _refused(request, found)
