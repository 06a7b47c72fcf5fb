"""Any server with the OpenAI-compatible call ``POST /v1/audio/speech``: a remote GPU host, another engine's server.

Contract: only the address that the user configured is called, and no proxy of the environment, no redirect. An error of one utterance
(a refusal, no sound, a time-out) is that utterance's; a server that cannot be reached at all is a ``VoicepressError``.
A secret is read from the environment variable that ``api_key_env`` names, when it is needed; it appears in no message,
no fingerprint and no log. ``workers`` requests are open at once; results keep the order of the batch.
"""

from __future__ import annotations

import io
import os
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, Literal
from urllib.parse import urlsplit

import numpy as np
from pydantic import Field, ValidationError

from common.errors import VoicepressError
from common.yamlio import Strict, explain
from engines.base import EngineOptions, Finding, Honour, Limits, Samples, Speech, SpeechError, Utterance, Voice

if TYPE_CHECKING:
    import httpx

VERSION = "1"
CALL = "/v1/audio/speech"
MAX_REPLY_BYTES = 256 * 1024 * 1024
DEFAULT_WORKERS = 4
_BUSY = frozenset({429, 502, 503, 504})


class HttpSettings(Strict):
    """``options.extra`` of this engine.

    ``sample_rate``: what the server's sound has (``pcm`` does not say, and other replies must agree). ``voice_param``: the
    profile's key in ``params`` that holds the server's name of a voice (the voice's id where it is missing).
    ``send_style``: style instructions go along as ``instructions``. ``identity`` stands for the server in the takes' keys
    (its address where it is empty): give one, and a server that moves finds its recordings again. ``retries``: how often
    a request is sent again that the server was too busy for.
    """

    model: str = Field(default="tts-1", min_length=1)
    api_key_env: str = Field(default="", pattern=r"^([A-Za-z_][A-Za-z0-9_]*)?$")
    response_format: Literal["wav", "pcm", "flac"] = "wav"
    sample_rate: int = Field(default=24_000, ge=8_000, le=192_000)
    timeout_seconds: float = Field(default=120.0, gt=0.0, le=3600.0, allow_inf_nan=False)
    max_chars: int = Field(default=180, ge=1, le=4096)
    batch: int = Field(default=16, ge=1, le=256)
    languages: tuple[str, ...] = ("zh", "en")
    voice_param: str = Field(default="server_voice", min_length=1)
    send_style: bool = True
    send_seed: bool = False
    identity: str = ""
    retries: int = Field(default=2, ge=0, le=10)


class _Unreachable(Exception):
    pass


class HttpEngine:
    """``options.url`` is the server's address, with or without ``/v1``; ``options.workers`` the number of requests open at
    once (0: four)."""

    def __init__(self, options: EngineOptions | None = None) -> None:
        options = options or EngineOptions()
        self.url = endpoint(options.url)
        try:
            self.settings = HttpSettings.model_validate(dict(options.extra))
        except ValidationError as error:
            failure = explain(error, "engine options", None, HttpSettings, "the http engine's extra settings")
            if failure.key == "api_key_env":  # what stands there may be the key itself: never show it
                failure = VoicepressError(
                    "bad-config", "api_key_env is not the name of an environment variable", key="api_key_env",
                    hint="put the key into an environment variable and write that variable's name here",
                )  # fmt: skip
            raise failure from None
        self.workers = options.workers or DEFAULT_WORKERS
        self._client: httpx.Client | None = None
        self._pool: ThreadPoolExecutor | None = None

    @property
    def name(self) -> str:
        return "http"

    @property
    def limits(self) -> Limits:
        settings = self.settings
        return Limits(
            sample_rate=settings.sample_rate,
            max_chars=settings.max_chars,
            batch=settings.batch,
            languages=settings.languages,
            phonetic="none",
            deterministic=False,
        )

    @property
    def resource(self) -> str:
        return "none"

    def fingerprint(self) -> str:
        settings = self.settings
        parts = (settings.identity or self.url, settings.model, settings.response_format, settings.sample_rate)
        return f"http/{VERSION};" + ";".join(str(part) for part in (*parts, settings.send_style, settings.send_seed))

    def accepts(self, voice: Voice) -> str:
        if voice.engine not in ("http", ""):
            return f"voice '{voice.id}' is made for the engine '{voice.engine}'; write a profile with engine: http"
        name = voice.params.get(self.settings.voice_param, voice.id)
        return (
            ""
            if isinstance(name, str) and name
            else f"params.{self.settings.voice_param} must be the server's name of the voice"
        )

    def honours(self, style: str) -> Honour:
        """A style is passed on; what the server makes of it nobody can tell."""
        return "full" if not style.strip() else "approximate" if self.settings.send_style else "none"

    def prepare(self) -> None:
        """Check that something answers at the address and that the key is there."""
        self._key()
        self._reach()

    def speak(self, batch: Sequence[Utterance]) -> list[Speech | SpeechError]:
        self._key()
        client = self._open()
        if self._pool is None:
            self._pool = ThreadPoolExecutor(self.workers, thread_name_prefix="http-engine")
        tasks = [self._pool.submit(self._say, client, utterance) for utterance in batch]
        results: list[Speech | SpeechError] = []
        unreachable: _Unreachable | None = None
        for task in tasks:
            try:
                results.append(task.result())
            except _Unreachable as error:
                unreachable = error
                results.append(SpeechError("engine-fault", f"the speech server went away: {error}"))
        # Where some lines arrived, those are worth keeping: the next batch will say that the server is gone.
        if unreachable is not None and not any(isinstance(result, Speech) for result in results):
            raise self._gone(str(unreachable))
        return results

    def clean(self) -> None:
        """Nothing is held between batches but open connections."""

    def close(self) -> None:
        if self._pool is not None:
            self._pool.shutdown()
            self._pool = None
        if self._client is not None:
            self._client.close()
            self._client = None

    def doctor(self) -> list[Finding]:
        try:
            self._key()
            self._reach()
        except VoicepressError as error:
            return [Finding("fail", f"http engine: {error.what}", error.hint)]
        finally:
            self.close()
        return [Finding("ok", f"http engine: a server answers at {self.url}")]

    # ------------------------------------------------------------------ one utterance

    def _say(self, client: httpx.Client, utterance: Utterance) -> Speech | SpeechError:
        import httpx

        begun = time.perf_counter()
        for attempt in range(self.settings.retries + 1):
            if attempt:
                time.sleep(2.0 ** (attempt - 1))
            try:
                with client.stream("POST", self.url, json=self._body(utterance), headers=self._headers()) as reply:
                    data = _read_limited(reply, time.monotonic() + self.settings.timeout_seconds)
                    status, kind = reply.status_code, reply.headers.get("content-type", "")
            except (httpx.ConnectError, httpx.ConnectTimeout) as error:
                raise _Unreachable(self._clean_text(str(error))) from None
            except httpx.TimeoutException:
                seconds = self.settings.timeout_seconds
                return SpeechError("engine-fault", f"the speech server gave no whole answer in {seconds:g} s")
            except httpx.HTTPError as error:
                reason = self._clean_text(str(error)) or type(error).__name__
                return SpeechError("engine-fault", f"the connection to the speech server broke: {reason}")
            if status not in _BUSY:
                break
        if data is None:
            return SpeechError("engine-fault", f"the speech server's answer has more than {MAX_REPLY_BYTES >> 20} MiB")
        if status in (401, 403):
            raise self._refused(status)
        if status != 200:
            said = self._clean_text(data[:300].decode("utf-8", "replace").strip())
            code = "unspeakable" if status in (400, 413, 422) else "engine-fault"
            return SpeechError(code, f"the speech server answered {status}: {said}")
        sound = decode_sound(data, self.settings.response_format, self.settings.sample_rate)
        if isinstance(sound, SpeechError):
            return SpeechError(sound.code, f"{sound.message} (content type {kind or 'not given'})")
        notes: list[str] = []
        if utterance.style and not self.settings.send_style:
            notes.append(f"style '{utterance.style}' not sent to the server")
        return Speech(sound, notes=tuple(notes), timings={"request": time.perf_counter() - begun})

    def _body(self, utterance: Utterance) -> dict[str, Any]:
        settings = self.settings
        body: dict[str, Any] = {
            "model": settings.model,
            "input": utterance.text,
            "voice": str(utterance.voice.params.get(settings.voice_param, utterance.voice.id)),
            "response_format": settings.response_format,
            "speed": utterance.speed,
        }
        if utterance.style and settings.send_style:
            body["instructions"] = utterance.style
        if settings.send_seed:
            body["seed"] = utterance.seed + utterance.take
        return body

    # ------------------------------------------------------------------ the server

    def _open(self) -> httpx.Client:
        import httpx

        if self._client is None:
            self._client = httpx.Client(
                timeout=httpx.Timeout(self.settings.timeout_seconds, connect=min(self.settings.timeout_seconds, 10.0)),
                limits=httpx.Limits(max_connections=self.workers),
                trust_env=False,
                follow_redirects=False,
            )
        return self._client

    def _reach(self) -> None:
        import httpx

        try:
            # Any answer will do: servers differ in what they have beside the one call.
            reply = self._open().get(self.url.removesuffix(CALL) + "/v1/models", headers=self._headers())
        except httpx.HTTPError as error:
            raise self._gone(self._clean_text(str(error)) or type(error).__name__) from None
        if reply.status_code in (401, 403):
            raise self._refused(reply.status_code)

    def _key(self) -> str:
        name = self.settings.api_key_env
        if not name:
            return ""
        key = os.environ.get(name, "").strip()
        if not key:
            raise VoicepressError(
                "no-api-key", f"the environment variable {name} with the server's key is not set", key="api_key_env",
                hint=f"export {name}=… in the shell or worker that runs voicepress",
            )  # fmt: skip
        if not key.isascii() or not key.isprintable():
            raise VoicepressError(
                "bad-api-key", f"the key in the environment variable {name} holds characters that cannot be sent",
                key="api_key_env", hint="copy the key again",
            )  # fmt: skip
        return key

    def _headers(self) -> dict[str, str]:
        key = self._key()
        return {"Authorization": f"Bearer {key}"} if key else {}

    def _clean_text(self, text: str) -> str:
        key = os.environ.get(self.settings.api_key_env, "").strip() if self.settings.api_key_env else ""
        return text.replace(key, "[key]") if key else text

    def _gone(self, reason: str) -> VoicepressError:
        return VoicepressError(
            "server-unreachable", f"no speech server answers at {self.url}: {reason}", key="url",
            hint="start the server, or mend the address in the book's engine settings",
        )  # fmt: skip

    def _refused(self, status: int) -> VoicepressError:
        name = self.settings.api_key_env
        return VoicepressError(
            "server-refuses", f"the speech server at {self.url} refuses us (status {status})", key="api_key_env",
            hint=f"check the key in {name}" if name else "name the environment variable with its key as api_key_env",
        )  # fmt: skip


def endpoint(url: str) -> str:
    """The address of the one call, from what the user wrote: the server, its ``/v1``, or the call itself."""
    advice = "write for example http://127.0.0.1:8000"
    if not url.strip():
        raise VoicepressError("no-url", "the http engine needs the address of a speech server", key="url", hint=advice)
    try:
        parts = urlsplit(url.strip())
        usable = parts.scheme in ("http", "https") and bool(parts.hostname) and (parts.port is None or parts.port > 0)
    except ValueError:  # brackets that do not match, a port that is no number
        usable = False
    if not usable:
        raise VoicepressError(
            "bad-url", "the speech server's address is no http or https address", key="url", hint=advice
        )
    if parts.username or parts.password or parts.query or parts.fragment:
        raise VoicepressError(
            "bad-url", "the speech server's address holds a user name, password or parameters", key="url",
            hint="put the key into an environment variable and name that as api_key_env",
        )  # fmt: skip
    path = parts.path.rstrip("/").removesuffix(CALL).removesuffix("/v1")
    return f"{parts.scheme}://{parts.netloc}{path}{CALL}"


def decode_sound(data: bytes, kind: str, sample_rate: int) -> Samples | SpeechError:
    """The samples of a reply. ``pcm`` is signed 16 bit, little-endian, one channel; others must be one channel (or equal
    ones: they are averaged) at ``sample_rate``."""
    if not data:
        return SpeechError("engine-fault", "the speech server sent no sound")
    if kind == "pcm":
        if len(data) % 2 or data[:4] in (b"RIFF", b"fLaC", b"OggS"):
            return SpeechError("engine-fault", "the speech server sent something else than 16-bit PCM")
        return np.frombuffer(data, dtype="<i2").astype(np.float32) / np.float32(32768.0)
    import soundfile

    try:
        samples, rate = soundfile.read(io.BytesIO(_mend_streamed_wav(data)), dtype="float32", always_2d=True)
    except (soundfile.LibsndfileError, RuntimeError, ValueError, TypeError):
        return SpeechError("engine-fault", f"the speech server sent something that is no {kind} sound")
    if rate != sample_rate:
        return SpeechError(
            "engine-fault", f"the speech server sent {rate} Hz, {sample_rate} Hz is configured as sample_rate"
        )
    if not len(samples):
        return SpeechError("engine-fault", "the speech server sent a sound without samples")
    return np.ascontiguousarray(samples.mean(axis=1, dtype=np.float32))


def _mend_streamed_wav(data: bytes) -> bytes:
    # Servers that stream do not know the length when they write the header and leave 0 or the highest number there.
    place = data.find(b"data", 12, 4096)
    if data[:4] != b"RIFF" or place < 0 or len(data) < place + 8:
        return data
    stated = int.from_bytes(data[place + 4 : place + 8], "little")
    actual = len(data) - place - 8
    if 0 < stated <= actual:
        return data
    size, body = (len(data) - 8).to_bytes(4, "little"), actual.to_bytes(4, "little")
    return data[:4] + size + data[8 : place + 4] + body + data[place + 8 :]


def _read_limited(reply: httpx.Response, deadline: float) -> bytes | None:
    import httpx

    parts: list[bytes] = []
    total = 0
    for part in reply.iter_bytes():
        total += len(part)
        # The client's own limit counts from one piece to the next: a server that drips would hold us for ever.
        if time.monotonic() > deadline:
            raise httpx.ReadTimeout("the answer takes too long")
        if total > MAX_REPLY_BYTES:
            return None
        parts.append(part)
    return b"".join(parts)
