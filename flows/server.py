"""The Prefect server: the configured one, else one of our own for as long as a command runs.

Contract: ``connected()`` yields with Prefect's client pointed at a server that answers. A configured server that does
not answer is an error, never a silent detour. Our own server lives in a child process that ends when its parent does,
killed or not, listens on 127.0.0.1 alone, keeps its records in voicepress's cache and calls no other host.
"""

from __future__ import annotations

import contextlib
import errno
import os
import shutil
import socket
import subprocess
import sys
import tomllib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from common import places
from common.errors import VoicepressError
from common.files import make_folder

ROOM_BYTES = 8 * 2**20
"""What the own server's records need at least."""


def tuned_environment() -> dict[str, str]:
    """The settings of ``prefect.toml`` as environment variables, and the word that nobody is to be told of our runs."""
    for path in (places.HOME / "prefect.toml", places.CONFIGS / "prefect.toml"):
        if path.is_file():
            return {**_flatten(tomllib.loads(path.read_text(encoding="utf-8"))), "DO_NOT_TRACK": "1"}
    return {"DO_NOT_TRACK": "1", "PREFECT_SERVER_ANALYTICS_ENABLED": "false"}


def tune(*, console_level: str = "") -> None:
    """Put the tuned settings into this process's environment, before Prefect is imported. What the user has set stays.

    ``console_level`` quiets Prefect's lines in the terminal; its server still gets all of them.
    """
    for name, value in tuned_environment().items():
        os.environ.setdefault(name, value)
    if console_level:
        os.environ.setdefault("PREFECT_LOGGING_HANDLERS_CONSOLE_LEVEL", console_level)


def configured_url() -> str:
    """The API URL that the user has configured (environment, .env, prefect.toml, profile), or an empty string."""
    from prefect.settings import get_current_settings

    return str(get_current_settings().api.url or "")


@contextmanager
def connected(*, console_level: str = "") -> Iterator[str]:
    """Yield the URL of a Prefect API that answers, with this process's client pointed at it."""
    tune(console_level=console_level)
    own = OwnServer.begin() if not os.environ.get("PREFECT_API_URL") and not _maybe_configured() else None
    try:
        url = configured_url()
        if url:
            _require_answer(url)
            yield url
            return
        own = own or OwnServer.begin()
        url = own.wait()
        os.environ["PREFECT_API_URL"] = url
        from prefect.context import refresh_global_settings_context

        refresh_global_settings_context()
        yield url
    finally:
        if own is not None:
            _send_what_waits()
            own.end()
            if os.environ.get("PREFECT_API_URL") == own.url:
                del os.environ["PREFECT_API_URL"]


class OwnServer:
    """A Prefect server in a child process that dies with us."""

    def __init__(self, process: subprocess.Popen[str], log: Path) -> None:
        self._process = process
        self._log = log
        self.url = ""

    @classmethod
    def begin(cls) -> OwnServer:
        """Start the child; it gets ready while we do other things."""
        folder = make_folder(places.cache() / "prefect")
        log = folder / "server.log"
        environment = {
            **os.environ,
            "PREFECT_API_DATABASE_CONNECTION_URL": f"sqlite+aiosqlite:///{(folder / 'own.db').as_posix()}",
            "PREFECT__SERVER_EPHEMERAL": "1",
            "PREFECT_UI_ENABLED": "0",
            "PYTHONPATH": os.pathsep.join(filter(None, (str(places.HOME), os.environ.get("PYTHONPATH", "")))),
        }
        with open(log, "ab") as sink:
            process = subprocess.Popen(
                [sys.executable, "-m", "flows.own_server"],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=sink, env=environment, text=True,
                start_new_session=True,  # Ctrl-C is ours to handle: the server must outlive the flow it records
            )  # fmt: skip
        return cls(process, log)

    def wait(self) -> str:
        """Wait until it answers and give its API URL."""
        assert self._process.stdout is not None
        row = self._process.stdout.readline().strip()
        if not row.startswith("http"):
            self.end()
            if shutil.disk_usage(self._log.parent).free < ROOM_BYTES:
                raise VoicepressError(
                    "disk-full", "Prefect's server did not start: the disk is full", file=self._log.parent,
                    hint="free some space, or set VOICEPRESS_CACHE to a folder that has some; then run the same command again",
                )  # fmt: skip
            raise VoicepressError(
                "server-failed", "Prefect's server did not start", file=self._log,
                hint="read the end of this log; or start 'voicepress server' and set PREFECT_API_URL",
            )  # fmt: skip
        self.url = row
        return row

    def end(self) -> None:
        """Let it write what it still holds, and go."""
        if self._process.stdin is not None and not self._process.stdin.closed:
            self._process.stdin.close()
        try:
            self._process.wait(timeout=15)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        if self._process.stdout is not None:
            self._process.stdout.close()


def _send_what_waits() -> None:
    """Let Prefect send the logs and events it still holds; a server that has gone makes it try for over a minute."""
    with contextlib.suppress(Exception):
        from prefect.events.worker import EventsWorker
        from prefect.logging.handlers import APILogWorker

        EventsWorker.drain_all(timeout=10, at_exit=False)
        APILogWorker.drain_all(timeout=10, at_exit=False)


def _flatten(table: Mapping[str, Any], prefix: str = "PREFECT") -> dict[str, str]:
    flat: dict[str, str] = {}
    for key, value in table.items():
        name = f"{prefix}_{key.upper()}"
        if isinstance(value, Mapping):
            flat.update(_flatten(value, name))
        else:
            flat[name] = str(value).lower() if isinstance(value, bool) else str(value)
    return flat


def _maybe_configured() -> bool:
    """Whether Prefect's own files may name a server; only then is it worth asking Prefect before starting ours."""
    home = Path(os.environ.get("PREFECT_HOME") or "~/.prefect").expanduser()
    profiles = Path(os.environ.get("PREFECT_PROFILES_PATH") or home / "profiles.toml").expanduser()
    for path in (profiles, Path(".env"), Path("prefect.toml"), Path("pyproject.toml")):
        try:
            text = path.read_text(encoding="utf-8", errors="replace")
        except OSError:
            continue
        if "API_URL" in text or "[api]" in text or "prefect.api" in text:
            return True
    return False


def _require_answer(url: str) -> None:
    import httpx

    hint = "start it (voicepress server), or unset PREFECT_API_URL to let voicepress run its own"
    try:
        answer = httpx.get(f"{url.rstrip('/')}/health", timeout=10)
    except httpx.HTTPError as error:
        raise VoicepressError(
            "server-unreachable", f"the Prefect server at {url} does not answer ({type(error).__name__})", hint=hint
        ) from error
    except (httpx.InvalidURL, ValueError) as error:
        raise VoicepressError(
            "server-unreachable", f"'{url}' is no URL of a Prefect server", key="PREFECT_API_URL", hint=hint
        ) from error
    if answer.status_code != 200 or answer.text.strip() != "true":
        raise VoicepressError(
            "server-unreachable", f"{url} answers {answer.status_code}, not as a Prefect server does", hint=hint
        )


def serve_forever(host: str, port: int) -> None:
    """Run a Prefect server with interface and schedules on ``host:port`` until it is interrupted."""
    tune()
    shown = "127.0.0.1" if host in ("0.0.0.0", "::") else host  # noqa: S104
    os.environ.setdefault("PREFECT_UI_API_URL", f"http://{shown}:{port}/api")
    os.environ.setdefault("PREFECT_SERVER_UI_API_URL", f"http://{shown}:{port}/api")
    import uvicorn

    from flows.own_server import application

    listener = _listener(host, port)
    print(f"Prefect server: http://{shown}:{port}   its API: http://{shown}:{port}/api", file=sys.stderr)
    print(f"in other terminals: export PREFECT_API_URL=http://{shown}:{port}/api", file=sys.stderr, flush=True)
    server = uvicorn.Server(uvicorn.Config(application(), log_level="warning", lifespan="on"))
    server.run(sockets=[listener])
    if not server.started:
        raise VoicepressError(
            "server-failed",
            "Prefect's server did not start",
            hint="read what it says above; 'voicepress doctor' looks at the disk",
        )


def _listener(host: str, port: int) -> socket.socket:
    """A socket bound to ``host:port``, before Prefect starts: it does not take it well when that fails later."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        listener = socket.socket(family, kind, protocol)
        if os.name == "posix":  # elsewhere it would let two servers share the port
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address)
        # Two may bind, one may listen; uvicorn sets its own backlog later.
        listener.listen(128)
    except (OSError, UnicodeError) as error:
        taken = isinstance(error, OSError) and error.errno == errno.EADDRINUSE
        raise VoicepressError(
            "cannot-listen", f"the server cannot listen on {host}:{port}: {getattr(error, 'strerror', None) or error}", key="--port" if taken else "--host",
            hint="choose another port with --port, or end what uses this one" if taken else "choose an address of this machine with --host",
        ) from error  # fmt: skip
    return listener
