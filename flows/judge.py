"""The judge that a book.yaml configures: an OpenAI-compatible chat server, asked who speaks where the rules are unsure.

Contract: only the configured address is called, by no proxy of the environment, and no redirect is followed; without a
``judge:`` nothing here runs. What fails is said in a few words of ours (what a server or a library says may hold the key)
and never stops a book: the lines stay as guessed and are asked again in the next run. The key is read from its environment
variable when it is needed and kept nowhere. Every answer is kept in ``judge.json`` as soon as it is there, as rulings by the
key of their question, so that a run which is killed or repeated pays for no answer twice.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit, urlunsplit

from common.files import read_json, write_json
from flows.console import say
from flows.workspace import Workspace
from tasks.domain import SCHEMA, Judge
from tasks.script.judge import Heard, Read, Ruling
from tasks.script.judge_questions import Passage

if TYPE_CHECKING:
    import httpx

CALL = "/chat/completions"
MAX_REPLY_BYTES = 4 * 1024 * 1024
ATTEMPTS = 3
"""How often a request is sent that the server is too busy for, or that does not reach it."""
IN_A_ROW = 3
"""After so many passages without an answer the others are not asked."""
_BUSY = frozenset([429, 500, 502, 503, 504])
_LONGEST_PAUSE_SECONDS = 60.0
_CONNECT_SECONDS = 10.0


class _NoAnswer(Exception):
    """This passage has none; others may."""


class _GiveUp(Exception):
    """Nothing that is asked will be answered."""


def judge_of(settings: Judge | None, workspace: Workspace) -> HttpJudge | None:
    """The judge of a book, if it has one."""
    return HttpJudge(settings, workspace.judged) if settings else None


class HttpJudge:
    """A ``SpeakerJudge``. ``file`` is where answers are kept; ``pause_seconds`` is the first pause before a request is sent
    again, each further one is twice as long."""

    def __init__(self, settings: Judge, file: Path, pause_seconds: float = 1.0) -> None:
        self._settings, self._file, self._pause_seconds = settings, file, pause_seconds
        self._url = endpoint(settings.url)
        self._temperature = True

    @property
    def model(self) -> str:
        return self._settings.model

    @property
    def max_lines(self) -> int:
        return self._settings.max_lines

    @property
    def host(self) -> str:
        """Host and port, as they may be shown."""
        parts = urlsplit(self._url)
        return f"{parts.hostname}:{parts.port}" if parts.port else str(parts.hostname)

    def recall(self) -> Mapping[str, Ruling]:
        kept = read_json(self._file)
        if not isinstance(kept, dict) or kept.get("schema") != SCHEMA or not isinstance(kept.get("answers"), dict):
            return {}
        rulings = {key: Ruling.from_json(value) for key, value in kept["answers"].items()}
        return {key: ruling for key, ruling in rulings.items() if ruling is not None}

    def ask(self, passages: Sequence[Passage], read: Read) -> Heard:
        import httpx

        found: dict[str, Ruling] = {}
        try:
            headers = self._headers()
        except _GiveUp as error:
            return Heard(found, str(error))
        kept = dict(self.recall())
        lines = sum(question.lines for passage in passages for question in passage.questions)
        say(f"judge: asking {self.host} about {lines} unsure lines in {len(passages)} passages")
        failure, failed = "", 0
        seconds = self._settings.timeout_seconds
        with httpx.Client(
            timeout=httpx.Timeout(seconds, connect=min(seconds, _CONNECT_SECONDS)), trust_env=False,
            follow_redirects=False,
        ) as client:  # fmt: skip
            for passage in passages:
                try:
                    answer = self._answer(client, headers, passage.messages)
                except _NoAnswer as error:
                    failure, failed = str(error), failed + 1
                    if failed == IN_A_ROW:
                        break
                    continue
                except _GiveUp as error:
                    failure = str(error)
                    break
                failed = 0
                rulings = read(passage, answer)
                found |= rulings
                kept |= rulings
                answers = {key: ruling.to_json() for key, ruling in kept.items()}
                write_json(self._file, {"schema": SCHEMA, "answers": answers}, indent=None)
        return Heard(found, failure)

    # ------------------------------------------------------------------ one request

    def _answer(self, client: httpx.Client, headers: Mapping[str, str], messages: list[dict[str, str]]) -> str:
        """What the model says to ``messages``."""
        status, data, wait_seconds = self._post(client, headers, messages)
        if status == 400 and self._temperature and b"temperature" in data:  # some models know one temperature only
            self._temperature = False
            status, data, wait_seconds = self._post(client, headers, messages)
        for attempt in range(1, ATTEMPTS):
            if status not in _BUSY:
                break
            time.sleep(min(max(wait_seconds, self._pause_seconds * 2.0 ** (attempt - 1)), _LONGEST_PAUSE_SECONDS))
            status, data, wait_seconds = self._post(client, headers, messages)
        if status != 200:
            raise self._refused(status)
        return self._content(data)

    def _post(
        self, client: httpx.Client, headers: Mapping[str, str], messages: list[dict[str, str]]
    ) -> tuple[int, bytes, float]:
        """Status, body and the seconds after which the server wants to be asked again (0: it does not say)."""
        import httpx

        body: dict[str, Any] = {"model": self._settings.model, "messages": messages, "stream": False}
        if self._temperature:
            body["temperature"] = 0
        failure = ""
        for attempt in range(ATTEMPTS):
            if attempt:
                time.sleep(min(self._pause_seconds * 2.0 ** (attempt - 1), _LONGEST_PAUSE_SECONDS))
            try:
                with client.stream("POST", self._url, json=body, headers=dict(headers)) as reply:
                    data = self._read(reply)
                    after = reply.headers.get("retry-after", "")
                    return reply.status_code, data, float(after) if after.isascii() and after.isdigit() else 0.0
            except (httpx.ConnectError, httpx.ConnectTimeout):
                failure = f"no server answers at {self.host}"
            except httpx.TimeoutException:
                seconds = self._settings.timeout_seconds
                raise _NoAnswer(f"{self.host} gave no whole answer in {seconds:g} s") from None
            except (httpx.HTTPError, httpx.InvalidURL, httpx.StreamError):
                raise _NoAnswer(f"the connection to {self.host} broke") from None
        raise _GiveUp(failure)

    def _read(self, reply: httpx.Response) -> bytes:
        """The body, as it came: unpacked it could be of any size."""
        import httpx

        deadline = time.monotonic() + self._settings.timeout_seconds
        parts, total = [], 0
        for part in reply.iter_raw():
            total += len(part)
            # The client's own limit counts from one piece to the next: a server that drips would hold us for ever.
            if time.monotonic() > deadline:
                raise httpx.ReadTimeout("the answer takes too long")
            if total > MAX_REPLY_BYTES:
                raise _NoAnswer(f"an answer of {self.host} has more than {MAX_REPLY_BYTES >> 20} MiB")
            parts.append(part)
        return b"".join(parts)

    def _content(self, data: bytes) -> str:
        try:
            content = json.loads(data)["choices"][0]["message"]["content"]
        except (ValueError, LookupError, TypeError, RecursionError):
            content = None
        if not isinstance(content, str):
            raise _NoAnswer(f"{self.host} answered something that is no chat completion")
        return content

    def _refused(self, status: int) -> Exception:
        said = f"{self.host} answered HTTP {status}"
        name = self._settings.key_env
        if status in (401, 403):
            return _GiveUp(
                f"{said}: check the key in {name}" if name else f"{said}: name the key's variable as key_env"
            )
        if status in (404, 405):
            return _GiveUp(f"{said}: check url and model")
        if 300 <= status < 400:
            return _GiveUp(f"{said}, a redirect, which is not followed: check url")
        return _NoAnswer(said)

    def _headers(self) -> dict[str, str]:
        headers = {"Accept-Encoding": "identity"}
        if name := self._settings.key_env:
            key = os.environ.get(name, "").strip()
            if not key:
                raise _GiveUp(f"the environment variable {name} with the server's key is not set")
            if not key.isascii() or not key.isprintable():
                raise _GiveUp(f"the key in the environment variable {name} holds characters that cannot be sent")
            headers["Authorization"] = f"Bearer {key}"
        return headers


def endpoint(url: str) -> str:
    """The address of the one call, from what the user wrote: the server, its base (``…/v1``), or the call itself."""
    parts = urlsplit(url)
    path = parts.path.rstrip("/")
    if not path.endswith(CALL):
        path = (path or "/v1") + CALL
    return urlunsplit((parts.scheme, parts.netloc, path, parts.query, ""))
