"""The http engine against a real server on this machine."""

from __future__ import annotations

import io
import json
import struct
import threading
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import numpy as np
import pytest
import soundfile

from common.errors import VoicepressError
from engines import load
from engines.base import Engine, EngineOptions, Speech, SpeechError, Utterance, Voice
from engines.http import HttpEngine, endpoint

VOICE = Voice("anna", "http", "Anna", "zh", "female", params={"server_voice": "anna-7"})
KEY = "secret-4711-key"


def encoded(kind: str, rate: int = 24_000, channels: int = 1, seconds: float = 0.5, value: float = 0.25) -> bytes:
    samples = np.full((round(rate * seconds), channels), value, np.float32)
    if kind == "pcm":
        return (samples[:, 0] * 32768).astype("<i2").tobytes()
    target = io.BytesIO()
    soundfile.write(target, samples, rate, format=kind.upper(), subtype="PCM_16")
    return target.getvalue()


class Server(ThreadingHTTPServer):
    """``answer(body)`` gives status and bytes; everything asked for is kept."""

    daemon_threads = True

    def __init__(self) -> None:
        self.answer: Callable[[dict[str, Any]], tuple[int, bytes]] = lambda body: (
            200,
            encoded(body["response_format"]),
        )
        self.asked: list[tuple[str, dict[str, str], dict[str, Any]]] = []
        self.open_now = self.most_open = 0
        self.guard = threading.Lock()
        super().__init__(("127.0.0.1", 0), Handler)

    def handle_error(self, request: object, client_address: object) -> None:
        """A client that has gone before the answer is part of these tests."""

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"


class Handler(BaseHTTPRequestHandler):
    server: Server
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        server = self.server
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        with server.guard:
            server.asked.append((self.path, dict(self.headers), body))
            server.open_now += 1
            server.most_open = max(server.most_open, server.open_now)
        try:
            status, data = server.answer(body)
        finally:
            with server.guard:
                server.open_now -= 1
        self._reply(status, data)

    def do_GET(self) -> None:
        self.server.asked.append((self.path, dict(self.headers), {}))
        self._reply(404, b"no such page")

    def _reply(self, status: int, data: bytes) -> None:
        if status < 0:  # hang up in the middle
            self.close_connection = True
            self.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\nshort")
            return
        self.send_response(status)
        if status == 302:
            self.send_header("Location", "http://127.0.0.1:9/elsewhere")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *args: object) -> None:
        pass


@pytest.fixture
def server() -> Iterator[Server]:
    server = Server()
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    yield server
    server.shutdown()
    thread.join()
    server.server_close()


def engine_at(server: Server | str, workers: int = 0, **extra: object) -> HttpEngine:
    return HttpEngine(
        EngineOptions(url=server if isinstance(server, str) else server.url, workers=workers, extra=extra)
    )


def say(engine: HttpEngine, *texts: str, **changes: Any) -> list[Speech | SpeechError]:
    try:
        return engine.speak([Utterance(text, VOICE, **changes) for text in texts])
    finally:
        engine.close()


def failure(engine: HttpEngine) -> SpeechError:
    result = say(engine, "你好。")[0]
    assert isinstance(result, SpeechError)
    return result


@pytest.mark.parametrize("kind", ["wav", "pcm", "flac"])
def test_sound_comes_back_in_every_format(server: Server, kind: str) -> None:
    speech = say(engine_at(server, response_format=kind), "你好。")[0]
    assert isinstance(speech, Speech)
    assert speech.samples.dtype == np.float32
    np.testing.assert_allclose(speech.samples, np.full(12_000, 0.25), atol=1e-4)


def test_the_server_is_asked_as_the_interface_says(server: Server) -> None:
    say(engine_at(server, model="big"), "你好。", style="低声", speed=0.9)
    path, _, body = server.asked[0]
    assert path == "/v1/audio/speech"
    assert body == {
        "model": "big", "input": "你好。", "voice": "anna-7", "response_format": "wav", "speed": 0.9, "instructions": "低声",
    }  # fmt: skip


def test_a_style_that_is_not_sent_is_noted(server: Server) -> None:
    speech = say(engine_at(server, send_style=False), "你好。", style="低声")[0]
    assert isinstance(speech, Speech)
    assert "低声" in speech.notes[0]
    assert "instructions" not in server.asked[0][2]


def test_results_keep_their_order_and_requests_run_side_by_side(server: Server) -> None:
    def answer(body: dict[str, Any]) -> tuple[int, bytes]:
        time.sleep(0.15 if body["input"] == "0" else 0.05)
        return 200, encoded("wav", value=int(body["input"]) / 16)

    server.answer = answer
    results = say(engine_at(server, workers=3), *map(str, range(9)))
    assert [round(float(one.samples[0]) * 16) for one in results if isinstance(one, Speech)] == list(range(9))
    assert server.most_open == 3


def test_one_refused_utterance_spoils_no_other(server: Server) -> None:
    server.answer = lambda body: (400, b"cannot say this") if "坏" in body["input"] else (200, encoded("wav"))
    good, bad, also_good = say(engine_at(server), "好。", "坏。", "好好。")
    assert isinstance(good, Speech)
    assert isinstance(also_good, Speech)
    assert isinstance(bad, SpeechError)
    assert bad.code == "unspeakable"
    assert "cannot say this" in bad.message


@pytest.mark.parametrize(
    ("status", "data", "says"),
    [
        (500, b"boom", "answered 500"),
        (302, b"", "answered 302"),
        (200, b"", "no sound"),
        (200, b"<html>hello</html>", "no wav sound"),
        (200, encoded("wav")[:30], "no wav sound"),
        (200, encoded("wav", rate=44_100), "44100 Hz"),
        (200, encoded("wav", seconds=0.0), "without samples"),
        (-1, b"", "broke"),
    ],
)
def test_what_is_no_speech_is_an_error_of_its_utterance(server: Server, status: int, data: bytes, says: str) -> None:
    server.answer = lambda body: (status, data)
    assert says in failure(engine_at(server)).message


@pytest.mark.parametrize("data", [b"abc", encoded("wav")])
def test_what_is_no_pcm_is_an_error(server: Server, data: bytes) -> None:
    server.answer = lambda body: (200, data)
    assert "16-bit PCM" in failure(engine_at(server, response_format="pcm")).message


def test_two_channels_become_one(server: Server) -> None:
    server.answer = lambda body: (200, encoded("wav", channels=2))
    speech = say(engine_at(server), "好。")[0]
    assert isinstance(speech, Speech)
    assert speech.samples.shape == (12_000,)


@pytest.mark.parametrize("length", [0, 0xFFFFFFFF])
def test_a_streamed_wav_without_its_length_is_read_whole(server: Server, length: int) -> None:
    data = bytearray(encoded("wav"))
    place = data.find(b"data") + 4
    data[place : place + 4] = struct.pack("<I", length)
    server.answer = lambda body: (200, bytes(data))
    speech = say(engine_at(server), "好。")[0]
    assert isinstance(speech, Speech)
    assert len(speech.samples) == 12_000


def test_a_server_that_does_not_answer_in_time_fails_the_utterance(server: Server) -> None:
    released = threading.Event()
    server.answer = lambda body: (released.wait(10), (200, encoded("wav")))[1]
    try:
        assert "no whole answer in 0.2 s" in failure(engine_at(server, timeout_seconds=0.2)).message
    finally:
        released.set()


def test_a_busy_server_is_asked_again(server: Server) -> None:
    server.answer = lambda body: (503, b"busy") if len(server.asked) < 2 else (200, encoded("wav"))
    assert isinstance(say(engine_at(server), "好。")[0], Speech)
    assert "answered 429" in _busy_for_ever(server)


def _busy_for_ever(server: Server) -> str:
    server.answer = lambda body: (429, b"busy")
    return failure(engine_at(server, retries=0)).message


def test_a_server_that_is_not_there_is_one_clear_error(server: Server) -> None:
    gone = Server()
    gone.server_close()
    for call in (lambda engine: say(engine, "好。", "也好。"), lambda engine: engine.prepare()):
        with pytest.raises(VoicepressError) as caught:
            call(engine_at(gone))
        assert caught.value.code == "server-unreachable"
        assert gone.url in caught.value.what
    assert engine_at(gone).doctor()[0].level == "fail"


def test_prepare_and_doctor_are_content_with_any_answer(server: Server) -> None:
    engine = engine_at(server)
    engine.prepare()
    assert engine.doctor()[0].level == "ok"
    assert server.asked[0][0] == "/v1/models"


def test_no_proxy_of_the_environment_is_used(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    monkeypatch.setenv("NO_PROXY", "")
    assert isinstance(say(engine_at(server), "好。")[0], Speech)


# ------------------------------------------------------------------ secrets


def test_the_key_is_sent_and_shown_nowhere(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SPEECH_KEY", KEY)
    engine = engine_at(server, api_key_env="SPEECH_KEY")
    server.answer = lambda body: (500, f"bad key {KEY}".encode())
    message = failure(engine).message
    assert server.asked[0][1]["Authorization"] == f"Bearer {KEY}"
    assert KEY not in message
    assert "[key]" in message
    assert KEY not in engine.fingerprint() + repr(engine.doctor()) + repr(vars(engine))


def test_a_refused_key_stops_the_batch_with_advice(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SPEECH_KEY", KEY)
    server.answer = lambda body: (401, KEY.encode())
    with pytest.raises(VoicepressError) as caught:
        say(engine_at(server, api_key_env="SPEECH_KEY"), "好。")
    assert caught.value.code == "server-refuses"
    assert "SPEECH_KEY" in caught.value.hint
    assert KEY not in str(caught.value)


def test_a_key_that_is_not_set_is_said_before_anything_is_sent(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SPEECH_KEY", raising=False)
    with pytest.raises(VoicepressError) as caught:
        say(engine_at(server, api_key_env="SPEECH_KEY"), "好。")
    assert caught.value.code == "no-api-key"
    assert server.asked == []


@pytest.mark.parametrize("key", ["bad\nkey", "schlüssel"])
def test_a_key_that_cannot_be_sent_is_not_shown(server: Server, monkeypatch: pytest.MonkeyPatch, key: str) -> None:
    monkeypatch.setenv("SPEECH_KEY", key)
    with pytest.raises(VoicepressError) as caught:
        say(engine_at(server, api_key_env="SPEECH_KEY"), "好。")
    assert caught.value.code == "bad-api-key"
    assert key not in str(caught.value)


@pytest.mark.parametrize("extra", [{"api_key_env": "sk-proj-4711"}, {"api_key": "sk-proj-4711"}])
def test_a_key_in_the_settings_is_refused_and_not_repeated(extra: dict[str, object]) -> None:
    with pytest.raises(VoicepressError) as caught:
        engine_at("http://127.0.0.1:1", **extra)
    assert "4711" not in str(caught.value)
    assert caught.value.__cause__ is None


# ------------------------------------------------------------------ settings


@pytest.mark.parametrize(
    ("written", "called"),
    [
        ("http://host:8000", "http://host:8000/v1/audio/speech"),
        ("http://host:8000/", "http://host:8000/v1/audio/speech"),
        ("https://host/v1", "https://host/v1/audio/speech"),
        ("https://host/tts/v1/", "https://host/tts/v1/audio/speech"),
        ("http://[::1]:80/v1/audio/speech", "http://[::1]:80/v1/audio/speech"),
    ],
)
def test_the_address_may_be_written_in_several_ways(written: str, called: str) -> None:
    assert endpoint(written) == called


@pytest.mark.parametrize(
    "written",
    [
        "",
        "  ",
        "host:8000",
        "ftp://host",
        "file:///etc/passwd",
        "http://",
        "http://host:port",
        "http://[::1",
        "http://user:pass@host",
        "http://host?key=1",
    ],
)
def test_an_address_that_is_none_is_a_clear_error(written: str) -> None:
    with pytest.raises(VoicepressError) as caught:
        endpoint(written)
    assert caught.value.key == "url"
    assert "pass@" not in str(caught.value)


@pytest.mark.parametrize("extra", [{"modle": "x"}, {"response_format": "mp3"}, {"timeout_seconds": 0}, {"batch": 0}])
def test_wrong_settings_are_clear_errors(extra: dict[str, object]) -> None:
    with pytest.raises(VoicepressError) as caught:
        engine_at("http://127.0.0.1:1", **extra)
    assert caught.value.code == "bad-config"


def test_it_is_an_engine_whose_identity_outlives_a_move() -> None:
    engine = load("http", EngineOptions(url="http://127.0.0.1:1"))
    assert isinstance(engine, Engine)
    assert engine.fingerprint() != engine_at("http://127.0.0.1:2").fingerprint()
    moved = [engine_at(f"http://127.0.0.1:{port}", identity="studio").fingerprint() for port in (1, 2)]
    assert moved[0] == moved[1]
    assert engine_at("http://127.0.0.1:1", model="other").fingerprint() != engine.fingerprint()


def test_voices_of_other_engines_are_not_accepted() -> None:
    engine = engine_at("http://127.0.0.1:1")
    assert engine.accepts(VOICE) == ""
    assert "kokoro" in engine.accepts(Voice("x", "kokoro", "X", "zh", ""))
    assert "params.server_voice" in engine.accepts(Voice("x", "http", "X", "zh", "", params={"server_voice": 3}))
