"""Who may talk to the review page, and what a browser may do with it.

Contract: every request must carry the token of this run, in the address the first time and as a cookie from then on. The
Host header must name this server by an address or a name that nobody else can point here, so that a web page elsewhere
cannot reach it under a name of its own (DNS rebinding). A request that changes something must carry a header that no other
site can send, and must come from this page where the browser says so. Answers forbid loading anything from elsewhere.
"""

from __future__ import annotations

import hmac
import ipaddress
import socket
from http.cookies import CookieError, SimpleCookie
from typing import Any
from urllib.parse import parse_qs, urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

ASKING = ("x-voicepress", "review")
"""The header, and its value, of every request that changes something."""

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; media-src 'self'; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
_HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}
MOST_BYTES = 65_536
"""Of what a request may carry."""


class Guard:
    """An ASGI application around the page's. ``port`` keeps the cookies of two pages on one machine apart."""

    def __init__(self, app: ASGIApp, token: str, host: str, port: int) -> None:
        self._app, self._token, self._host, self._port = app, token, host, port
        self.cookie = f"voicepress-review-{port}"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            if scope["type"] == "websocket":
                await send({"type": "websocket.close", "code": 1008})
            return
        headers = Headers(scope=scope)
        told = self._told(scope)

        async def answer(message: Message) -> None:
            if message["type"] == "http.response.start":
                out = MutableHeaders(scope=message)
                for name, value in _HEADERS.items():
                    out[name] = value
                out.setdefault("Cache-Control", "no-store")
                if told and self._right(told):
                    out.append("Set-Cookie", f"{self.cookie}={self._token}; Path=/; HttpOnly; SameSite=Strict")
            await send(message)

        refusal = self._refusal(scope, headers, told)
        app: Any = self._app if refusal is None else PlainTextResponse(refusal[1] + "\n", refusal[0])
        await app(scope, receive, answer)

    def _refusal(self, scope: Scope, headers: Headers, told: str) -> tuple[int, str] | None:
        if len(headers.getlist("host")) != 1 or not self._own_name(headers["host"]):
            return 421, "this server does not go by that name"
        if not (self._right(told) or self._right(self._kept(headers))):
            return 403, "open the address that voicepress printed: its token is missing here, or is that of another run"
        if scope["method"] in ("GET", "HEAD"):
            return None
        if headers.get(ASKING[0]) != ASKING[1] or headers.get("sec-fetch-site", "same-origin") != "same-origin":
            return 403, "only the review page itself may change something"
        origin = headers.get("origin")
        if origin is not None and urlsplit(origin).netloc != headers["host"]:
            return 403, "only the review page itself may change something"
        if not headers.get("content-length", "").isdecimal() or int(headers["content-length"]) > MOST_BYTES:
            return 413, "too much, or without its length"
        return None

    def _told(self, scope: Scope) -> str:
        query: bytes = scope.get("query_string", b"")
        return parse_qs(query.decode("latin-1")).get("token", [""])[0]

    def _kept(self, headers: Headers) -> str:
        for row in headers.getlist("cookie"):
            try:
                if (found := SimpleCookie(row).get(self.cookie)) is not None:
                    return str(found.value)
            except CookieError:
                continue
        return ""

    def _right(self, given: str) -> bool:
        return hmac.compare_digest(given.encode(), self._token.encode())

    def _own_name(self, named: str) -> bool:
        try:
            parts = urlsplit(f"//{named}")
            name, port = (parts.hostname or "").lower(), parts.port
        except ValueError:
            return False
        if (port or 80) != self._port or parts.username is not None or parts.path:
            return False
        if name in ("localhost", self._host.lower()):
            return True
        try:
            address = ipaddress.ip_address(name)
        except ValueError:
            return self._open_to_all() and name in (
                socket.gethostname().lower(),
                f"{socket.gethostname().lower()}.local",
            )
        # An address is never somebody else's name for this machine.
        return address.is_loopback or self._open_to_all()

    def _open_to_all(self) -> bool:
        return self._host in ("0.0.0.0", "::")  # noqa: S104  # compared, not listened on
