"""The command: open the book, serve its page, tell its address.

starlette and uvicorn serve it, since both come with Prefect anyway and are kept up by many; nothing imports them before
this command runs.
"""

from __future__ import annotations

import secrets
import socket
import webbrowser
from pathlib import Path

import uvicorn

from common.errors import VoicepressError
from flows.console import say
from flows.review.actions import Actions
from flows.review.app import build
from flows.review.board import Board
from flows.review.guard import Guard
from flows.review.recorder import Recorder


def serve(book: Path, *, engine: str, host: str, port: int, opened: bool) -> None:
    """Serve the review page of ``book`` until Ctrl-C. ``port`` 0 takes a free one; ``opened`` shows it in a browser."""
    listening = _listen(host, port)
    board = Board(book, engine, watch=True)
    recorder = Recorder(f"the review of {board.title} ({board.job.path})")
    try:
        own_port = listening.getsockname()[1]
        token = secrets.token_urlsafe(32)
        app = Guard(build(Actions(board, recorder)), token, host, own_port)
        config = uvicorn.Config(
            app, http="h11", ws="none", lifespan="off", log_level="warning", access_log=False, server_header=False,
            proxy_headers=False, timeout_graceful_shutdown=2,
        )  # fmt: skip
        address = f"http://{_named(host)}:{own_port}/?token={token}"
        print(address, flush=True)
        counts = board.counts()["states"]
        say(
            f"{board.title}: {counts.get('flagged', 0)} of {len(board.entries())} lines are flagged. Ctrl-C ends the page."
        )
        if host not in ("127.0.0.1", "localhost", "::1"):
            say("note: others on this network can reach the page, and the address with its token goes over it in plain")
        if opened:
            webbrowser.open(address)
        uvicorn.Server(config).run(sockets=[listening])
    finally:
        listening.close()
        recorder.close()
        board.desk.close()


def _listen(host: str, port: int) -> socket.socket:
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        listening = socket.socket(family, kind, protocol)
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind(address)
        listening.listen(64)  # from now on a browser may knock
    except OSError as error:
        raise VoicepressError(
            "port-taken", f"the page cannot be served on {host}, port {port}: {error.strerror or error}", key="--port",
            hint="choose another port, or 0 for one that is free",
        ) from error  # fmt: skip
    return listening


def _named(host: str) -> str:
    """The host as it stands in an address that can be opened."""
    if host in ("0.0.0.0", "::"):  # noqa: S104  # compared, not listened on
        return _own_address()
    return f"[{host}]" if ":" in host else host


def _own_address() -> str:
    # No packet is sent: connecting a datagram socket only asks which of our addresses would be used.
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))
            return str(probe.getsockname()[0])
        except OSError:
            return "127.0.0.1"
