"""Who gets in. The application behind the guard says so, so that a refusal is the guard's."""

import asyncio

import httpx
import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from flows.review.guard import Guard

TOKEN = "a-token"


def inside(_: Request) -> Response:
    return PlainTextResponse("inside")


APP = Starlette(routes=[Route("/", inside, methods=["GET", "POST"])])


def ask(
    method: str = "GET", query: str = f"?token={TOKEN}", host: str = "127.0.0.1:8000", *, listens: str = "127.0.0.1",
    headers: dict[str, str] | None = None, content: bytes = b"{}",
) -> httpx.Response:  # fmt: skip
    async def run() -> httpx.Response:
        transport = httpx.ASGITransport(Guard(APP, TOKEN, listens, 8000))
        async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1:8000") as client:
            sent = {"Host": host, **(headers or {})}
            return await client.request(
                method, f"/{query}", headers=sent, content=content if method == "POST" else None
            )

    return asyncio.run(run())


ASKING = {"X-Voicepress": "review"}
KEPT = {"Cookie": f"other=1; voicepress-review-8000={TOKEN}"}


def test_the_token_lets_in_and_is_kept_as_a_cookie_that_scripts_cannot_read() -> None:
    answer = ask()
    assert (answer.status_code, answer.text) == (200, "inside")
    cookie = answer.headers["set-cookie"]
    assert cookie == f"voicepress-review-8000={TOKEN}; Path=/; HttpOnly; SameSite=Strict"
    assert ask(query="", headers=KEPT).status_code == 200
    assert "set-cookie" not in ask(query="", headers=KEPT).headers


@pytest.mark.parametrize("query", ["", "?token=", "?token=a-tokem", "?token=a-token2", "?token=%00"])
def test_without_the_right_token_nobody_gets_in(query: str) -> None:
    answer = ask(query=query)
    assert answer.status_code == 403
    assert "inside" not in answer.text
    assert "set-cookie" not in answer.headers
    assert "default-src 'none'" in answer.headers["content-security-policy"]


def test_the_cookie_of_a_page_on_another_port_does_not_count() -> None:
    assert ask(query="", headers={"Cookie": f"voicepress-review-8001={TOKEN}"}).status_code == 403


@pytest.mark.parametrize("host", ["127.0.0.1:8000", "localhost:8000", "[::1]:8000", "LOCALHOST:8000"])
def test_own_names_are_answered(host: str) -> None:
    assert ask(host=host).status_code == 200


@pytest.mark.parametrize(
    "host",
    [
        "evil.example:8000",
        "127.0.0.1",
        "127.0.0.1:80",
        "127.0.0.1.evil.example:8000",
        "192.168.1.5:8000",
        "localhost:8000@evil",
        "[::1",
        "",
    ],
)
def test_a_name_that_somebody_else_may_point_here_is_not_answered(host: str) -> None:
    assert ask(host=host).status_code == 421


def test_a_page_for_the_network_is_reached_by_address_but_by_no_strange_name() -> None:
    assert ask(host="192.168.1.5:8000", listens="0.0.0.0").status_code == 200
    assert ask(host="evil.example:8000", listens="0.0.0.0").status_code == 421


def test_what_changes_something_needs_the_page_s_own_header() -> None:
    assert ask("POST", headers=ASKING).status_code == 200
    assert ask("POST").status_code == 403
    assert ask("POST", headers={"X-Voicepress": "other"}).status_code == 403
    assert ask("DELETE", headers={}).status_code == 403


@pytest.mark.parametrize(
    ("more", "status"),
    [
        ({"Origin": "http://127.0.0.1:8000", "Sec-Fetch-Site": "same-origin"}, 200),
        ({"Origin": "http://evil.example"}, 403),
        ({"Origin": "null"}, 403),
        ({"Origin": "http://127.0.0.1:9000"}, 403),
        ({"Sec-Fetch-Site": "cross-site"}, 403),
        ({"Sec-Fetch-Site": "same-site"}, 403),
    ],
)
def test_what_changes_something_must_come_from_the_page(more: dict[str, str], status: int) -> None:
    assert ask("POST", headers=ASKING | more).status_code == status


def test_a_request_may_not_carry_much() -> None:
    assert ask("POST", headers=ASKING, content=b"x" * 65_536).status_code == 200
    assert ask("POST", headers=ASKING, content=b"x" * 65_537).status_code == 413
