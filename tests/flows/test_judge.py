"""A judge for unsure speakers, asked over the wire: a real server on this machine that behaves well, badly or not at all."""

from __future__ import annotations

import gzip
import json
import os
import re
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from flows.cli import main
from flows.judge import MAX_REPLY_BYTES, HttpJudge, endpoint
from tasks.domain import Cast, Chapter, Judge, Line, Manuscript, Paragraph, Role, Run
from tasks.script.judge import CONFIDENCE
from tasks.script.scribe import Scribe, Written
from tasks.script.write import ScriptSettings
from tests.flows.press import voicepress, write_book

KEY = "sk-4711-never-to-be-seen"
TEXT = """第一章 渡船

天亮了。船在河心。

“快到了吗？”

“还早。”

“你们饿不饿？”

第二章 码头

“我饿了！”小满喊道。

老周把船系好。

“船钱多少？”
"""
CAST_YAML = (
    "narrator: {voice: zf_xiaobei}\nunsure_below: 0.79\ncharacters:\n"
    "  老周: {gender: male, voice: zm_yunxi, aliases: [船家]}\n  小满: {gender: male, voice: zm_yunxia}\n"
    "  林晓兰: {gender: female, voice: zf_xiaoxiao}\n"
)
CAST = Cast(
    Role("narrator", voice="n"),
    (
        Role("老周", voice="a", gender="male", aliases=("船家",)),
        Role("小满", voice="b", gender="male"),
        Role("林晓兰", voice="c", gender="female"),
    ),
    unsure_below=0.79,
)
ASKED = ["“快到了吗？”", "“还早。”", "“你们饿不饿？”", "“船钱多少？”"]
WHO = {"快到了吗": "小满", "还早": "船家", "饿不饿": "林晓兰", "船钱": "林晓兰"}
IN_FULL = WHO | {"还早": "老周"}

Answer = Callable[[dict[str, Any]], tuple[int, bytes, dict[str, str]]]


class Server(ThreadingHTTPServer):
    """``answer(body)`` gives status, body and headers; everything asked for is kept."""

    daemon_threads = True

    def __init__(self) -> None:
        self.answer: Answer = well
        self.asked: list[tuple[str, dict[str, str], dict[str, Any]]] = []
        self.finished = threading.Event()
        super().__init__(("127.0.0.1", 0), Handler)

    def handle_error(self, request: object, client_address: object) -> None:
        """A client that has gone before the answer is part of these tests."""

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/v1"


class Handler(BaseHTTPRequestHandler):
    server: Server
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.asked.append((self.path, dict(self.headers), body))
        status, data, headers = self.server.answer(body)
        if status == -1:  # hang up in the middle
            self.close_connection = True
            self.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n{")
            return
        if status == -2:  # byte by byte, for ever
            self.close_connection = True
            self.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n")
            while not self.server.finished.wait(0.02):
                self.wfile.write(b" ")
            return
        if status == 0:  # hang
            self.server.finished.wait()
            self.close_connection = True
            return
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    do_GET = do_POST

    def log_message(self, *args: object) -> None:
        pass


def passage(body: dict[str, Any]) -> str:
    found = re.search(r"<passage>\n(.*)\n</passage>$", body["messages"][1]["content"], re.DOTALL)
    assert found
    return found[1]


def named(text: str, who: dict[str, str]) -> str:
    def fill(mark: re.Match[str]) -> str:
        name = next((name for words, name in who.items() if words in mark[2]), "?")
        return f"[[{mark[1]}:{name}]]{mark[2]}"

    return re.sub(r"\[\[(\d+)\]\](“[^”]*”)", fill, text)


def reply(content: object, status: int = 200, **headers: str) -> tuple[int, bytes, dict[str, str]]:
    return status, json.dumps({"choices": [{"message": {"role": "assistant", "content": content}}]}).encode(), headers


def well(body: dict[str, Any]) -> tuple[int, bytes, dict[str, str]]:
    return reply(named(passage(body), WHO))


def changed(change: Callable[[str], str]) -> Answer:
    return lambda body: reply(change(named(passage(body), WHO)))


@pytest.fixture
def chat() -> Iterator[Server]:
    chat = Server()
    thread = threading.Thread(target=chat.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    yield chat
    chat.finished.set()
    chat.shutdown()
    thread.join()
    chat.server_close()


def manuscript(text: str = TEXT) -> Manuscript:
    chapters: list[Chapter] = []
    paragraphs: list[Paragraph] = []
    at = 0
    for row in text.splitlines(keepends=True):
        if row.startswith("第"):
            paragraphs = []
            chapters.append(Chapter(len(chapters) + 1, row.strip(), None, ()))
        elif row.strip():
            paragraphs.append(Paragraph(row.strip(), (Run(0, at, len(row.strip())),)))
            last = chapters[-1]
            chapters[-1] = Chapter(last.number, last.title, None, tuple(paragraphs))
        at += len(row)
    return Manuscript("story.txt", "txt", "utf-8", "", text, tuple(chapters))


def judge_at(url: str, folder: Path, **settings: Any) -> HttpJudge:
    return HttpJudge(Judge(url, "m", **settings), folder / "judge.json", pause_seconds=0.001)


def written(judge: HttpJudge | None, folder: Path) -> Written:
    return Scribe(CAST, ScriptSettings(), (), judge).write(manuscript(), folder / "script")


def spoken(done: Written) -> dict[str, Line]:
    return {line.text: line for chapter in done.script.chapters for line in chapter.lines if line.kind == "dialogue"}


def judge_notes(done: Written) -> list[str]:
    return [note for note in done.notes if note.startswith("judge")]


def files(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_the_unsure_lines_alone_are_asked_in_order_and_settled(chat: Server, tmp_path: Path) -> None:
    guessed = spoken(written(None, tmp_path / "without"))
    assert [text for text, line in guessed.items() if line.confidence < CAST.unsure_below] == ASKED
    done = written(judge_at(chat.url, tmp_path), tmp_path)
    assert judge_notes(done) == ["judge: 4 lines asked, 4 settled"]
    lines = spoken(done)
    for words, name in IN_FULL.items():
        line = next(line for text, line in lines.items() if words in text)
        assert (line.speaker, line.rule, line.confidence) == (name, "judge", CONFIDENCE), words
    assert lines["“你们饿不饿？”"].gender == "female"
    assert lines["“我饿了！”"] == guessed["“我饿了！”"]
    assert [len(re.findall(r"\[\[\d+\]\]“", passage(body))) for _, _, body in chat.asked] == [3, 1]
    path, headers, body = chat.asked[0]
    assert (path, body["model"], body["temperature"]) == ("/v1/chat/completions", "m", 0)
    assert "Authorization" not in headers
    asked_for = body["messages"][1]["content"]
    assert "- 老周（又称船家；男）" in asked_for
    assert "天亮了。船在河心。\n[[1]]“快到了吗？”\n[[2]]“还早。”\n[[3]]“你们饿不饿？”" in asked_for
    text = (tmp_path / "script" / "001.yaml").read_text("utf-8")
    assert "speaker: 老周\n" in text
    assert text.count("# unsure:") == 1  # in the header, that explains it


def test_a_second_run_asks_nothing_and_touches_nothing(chat: Server, tmp_path: Path) -> None:
    first = written(judge_at(chat.url, tmp_path), tmp_path)
    before, requests = files(tmp_path), len(chat.asked)
    second = written(judge_at(chat.url, tmp_path), tmp_path)
    assert second.script == first.script
    assert judge_notes(second) == ["judge: 0 lines asked, 4 of 4 settled in earlier runs"]
    assert files(tmp_path) == before
    assert len(chat.asked) == requests


def test_another_model_is_asked_anew(chat: Server, tmp_path: Path) -> None:
    written(judge_at(chat.url, tmp_path), tmp_path)
    requests = len(chat.asked)
    other = HttpJudge(Judge(chat.url, "another"), tmp_path / "judge.json")
    assert judge_notes(written(other, tmp_path)) == ["judge: 4 lines asked, 4 settled"]
    assert len(chat.asked) == 2 * requests


@pytest.mark.parametrize(
    "change",
    [
        pytest.param(
            lambda text: text.replace("天亮了。", "天已经亮了。").replace("系好", "牢牢系好"), id="adds-a-word"
        ),
        pytest.param(lambda text: text.replace("天亮了。", "").replace("把船", "船"), id="drops-a-word"),
        pytest.param(lambda text: text.replace("河心", "湖心").replace("老周把", "林晓兰把"), id="changes-a-word"),
        pytest.param(lambda text: f"好的，以下是标注：\n{text}", id="explains-itself"),
        pytest.param(lambda text: text[:-1], id="loses-the-end"),
        pytest.param(lambda text: re.sub(r"\[\[1:", "[[9:", text), id="invents-a-mark"),
        pytest.param(lambda text: "我不能回答这个问题。", id="refuses"),
        pytest.param(lambda text: "", id="says-nothing"),
    ],
)
def test_an_answer_with_other_words_settles_nothing(chat: Server, tmp_path: Path, change: Callable[[str], str]) -> None:
    guessed = written(None, tmp_path / "without")
    chat.answer = changed(change)
    done = written(judge_at(chat.url, tmp_path), tmp_path)
    assert judge_notes(done) == ["judge: 4 lines asked, 0 settled, 4 refused (words changed)"]
    assert done.script == guessed.script
    chat.answer = well  # a refusal is kept as well: the same question is not paid for twice
    assert judge_notes(written(judge_at(chat.url, tmp_path), tmp_path)) == [
        "judge: 0 lines asked, 0 of 4 settled in earlier runs"
    ]


def test_a_refused_passage_leaves_the_others_alone(chat: Server, tmp_path: Path) -> None:
    chat.answer = changed(lambda text: text.replace("老周把船系好", "老周把小船系好"))
    done = written(judge_at(chat.url, tmp_path), tmp_path)
    assert judge_notes(done) == ["judge: 4 lines asked, 3 settled, 1 refused (words changed)"]
    assert [line.rule == "judge" for text, line in spoken(done).items() if text in ASKED] == [True, True, True, False]


def test_only_people_of_the_book_are_believed(chat: Server, tmp_path: Path) -> None:
    who = WHO | {"快到了吗": "诸葛亮", "还早": "?", "船钱": "narrator"}
    chat.answer = lambda body: reply(named(passage(body), who))
    guessed = spoken(written(None, tmp_path / "without"))
    done = written(judge_at(chat.url, tmp_path), tmp_path)
    assert judge_notes(done) == ["judge: 4 lines asked, 1 settled, 2 unknown names, 1 left open"]
    lines = spoken(done)
    assert lines["“你们饿不饿？”"].rule == "judge"
    for text in ("“快到了吗？”", "“还早。”", "“船钱多少？”"):
        assert lines[text] == guessed[text]
    assert "诸葛亮" not in (tmp_path / "judge.json").read_text("utf-8")


def test_what_models_put_around_a_text_does_no_harm(chat: Server, tmp_path: Path) -> None:
    chat.answer = changed(lambda text: f"<think>[[1:诸葛亮]]…</think>\n\n```text\n{text}\n```\n")
    done = written(judge_at(chat.url, tmp_path), tmp_path)
    assert judge_notes(done) == ["judge: 4 lines asked, 4 settled"]


Wire = tuple[int, bytes, dict[str, str]]
HANG: Wire = (0, b"", {})
BREAK: Wire = (-1, b"", {})
DRIP: Wire = (-2, b"", {})
BOMB: Wire = (200, gzip.compress(b"0" * 50_000_000), {"Content-Encoding": "gzip"})


@pytest.mark.parametrize(
    ("answer", "requests", "why"),
    [
        ((200, b"<html>welcome to the hotel</html>", {}), 2, "answered something that is no chat completion"),
        ((200, b"[" * 100_000, {}), 2, "answered something that is no chat completion"),
        (reply(None), 2, "answered something that is no chat completion"),
        ((200, b"x" * 50_000_000, {}), 2, f"has more than {MAX_REPLY_BYTES >> 20} MiB"),
        ((500, b"oh", {}), 6, "answered HTTP 500"),
        ((429, b"slow down", {"Retry-After": "0"}), 6, "answered HTTP 429"),
        ((400, b"content policy", {}), 2, "answered HTTP 400"),
        ((401, b"no", {}), 1, "answered HTTP 401: name the key's variable as key_env"),
        ((404, b"no", {}), 1, "answered HTTP 404: check url and model"),
        (BOMB, 2, "answered something that is no chat completion"),
        (HANG, 2, "gave no whole answer in 0.2 s"),
        (DRIP, 2, "gave no whole answer in 0.2 s"),
        (BREAK, 2, "broke"),
    ],
    ids=["html", "deep", "null", "50-MB", "500", "429", "400", "401", "404", "bomb", "hangs", "drips", "breaks"],
)
def test_a_failing_server_is_one_note_and_the_next_run_asks_again(
    chat: Server, tmp_path: Path, answer: tuple[int, bytes, dict[str, str]], requests: int, why: str
) -> None:
    guessed = written(None, tmp_path / "without")
    chat.answer = lambda body: answer
    done = written(judge_at(chat.url, tmp_path, timeout_seconds=0.2 if answer in (HANG, DRIP) else 60.0), tmp_path)
    (note,) = judge_notes(done)
    assert note.startswith("judge: 4 lines not judged: ")
    assert why in note
    assert note.endswith("; they stay as guessed")
    assert done.script == guessed.script
    assert len(chat.asked) == requests
    assert not (tmp_path / "judge.json").exists()
    chat.answer = well
    assert judge_notes(written(judge_at(chat.url, tmp_path), tmp_path)) == ["judge: 4 lines asked, 4 settled"]


def test_a_server_that_fails_for_a_while_is_asked_again(chat: Server, tmp_path: Path) -> None:
    chat.answer = lambda body: well(body) if len(chat.asked) > 2 else (503, b"", {})
    assert judge_notes(written(judge_at(chat.url, tmp_path), tmp_path)) == ["judge: 4 lines asked, 4 settled"]
    assert len(chat.asked) == 4


def test_a_server_that_fails_midway_keeps_what_it_said(chat: Server, tmp_path: Path) -> None:
    chat.answer = lambda body: well(body) if len(chat.asked) == 1 else (500, b"", {})
    done = written(judge_at(chat.url, tmp_path), tmp_path)
    host = chat.url.split("/")[2]
    assert judge_notes(done) == [
        f"judge: 4 lines asked, 3 settled, 1 without an answer: {host} answered HTTP 500; they stay as guessed"
    ]
    chat.answer = well
    done = written(judge_at(chat.url, tmp_path), tmp_path)
    assert judge_notes(done) == ["judge: 1 line asked, 1 settled, 3 of 3 settled in earlier runs"]


def test_after_some_passages_without_an_answer_the_others_are_not_asked(chat: Server, tmp_path: Path) -> None:
    text = "".join(f"第{number}章 一\n\n天亮了，这是第{number}天。\n\n“好。”\n\n" for number in range(1, 9))
    chat.answer = lambda body: (400, b"", {})
    judge = judge_at(chat.url, tmp_path)
    done = Scribe(CAST, ScriptSettings(), (), judge).write(manuscript(text), tmp_path / "script")
    assert len(judge_notes(done)) == 1
    assert len(chat.asked) == 3


def test_nobody_at_the_address_is_one_note(tmp_path: Path) -> None:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    done = written(judge_at(f"http://127.0.0.1:{port}/v1", tmp_path), tmp_path)
    assert judge_notes(done) == [
        f"judge: 4 lines not judged: no server answers at 127.0.0.1:{port}; they stay as guessed"
    ]


def test_a_redirect_is_not_followed(chat: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JUDGE_KEY", KEY)
    other = Server()
    thread = threading.Thread(target=other.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        chat.answer = lambda body: (307, b"", {"Location": f"{other.url}/chat/completions"})
        done = written(judge_at(chat.url, tmp_path, key_env="JUDGE_KEY"), tmp_path)
    finally:
        other.shutdown()
        thread.join()
        other.server_close()
    assert "answered HTTP 307, a redirect, which is not followed" in judge_notes(done)[0]
    assert (len(chat.asked), other.asked) == (1, [])


def test_a_model_with_one_temperature_only_is_asked_without(chat: Server, tmp_path: Path) -> None:
    refusal: Wire = (400, b'{"error": {"message": "Unsupported value: temperature"}}', {})
    chat.answer = lambda body: refusal if "temperature" in body else well(body)
    assert judge_notes(written(judge_at(chat.url, tmp_path), tmp_path)) == ["judge: 4 lines asked, 4 settled"]
    assert ["temperature" in body for _, _, body in chat.asked] == [True, False, False]


def test_what_the_user_settled_is_not_asked_and_stays(chat: Server, tmp_path: Path) -> None:
    written(None, tmp_path)
    path = tmp_path / "script" / "001.yaml"
    rows = path.read_text("utf-8").splitlines(keepends=True)
    at = rows.index("    text: “还早。”\n")
    assert rows[at - 1].startswith("    speaker:")
    rows[at - 1] = "    speaker: 林晓兰\n"
    path.write_text("".join(rows), encoding="utf-8")
    done = written(judge_at(chat.url, tmp_path), tmp_path)
    assert judge_notes(done) == ["judge: 3 lines asked, 3 settled"]
    assert (spoken(done)["“还早。”"].speaker, spoken(done)["“还早。”"].rule) == ("林晓兰", "user")
    assert "]]“还早。”" not in passage(chat.asked[0][2])
    assert "1 edit of yours in the script kept" in done.notes


def test_what_the_user_writes_over_a_judged_speaker_wins(chat: Server, tmp_path: Path) -> None:
    written(judge_at(chat.url, tmp_path), tmp_path)
    path = tmp_path / "script" / "001.yaml"
    path.write_text(
        path.read_text("utf-8").replace(
            "    speaker: 老周\n    text: “还早。”", "    speaker: 小满\n    text: “还早。”"
        ),
        encoding="utf-8",
    )
    done = written(judge_at(chat.url, tmp_path), tmp_path)
    assert (spoken(done)["“还早。”"].speaker, spoken(done)["“还早。”"].rule) == ("小满", "user")
    assert len(chat.asked) == 2


def test_a_lost_base_makes_no_edits_of_what_was_judged(chat: Server, tmp_path: Path) -> None:
    first = written(judge_at(chat.url, tmp_path), tmp_path)
    for base in (tmp_path / "script" / ".base").iterdir():
        base.unlink()
    second = written(judge_at(chat.url, tmp_path), tmp_path)
    assert second.script == first.script
    assert len(chat.asked) == 2


def test_no_more_than_max_lines_are_asked(chat: Server, tmp_path: Path) -> None:
    done = written(judge_at(chat.url, tmp_path, max_lines=2), tmp_path)
    assert judge_notes(done) == ["judge: 2 lines asked, 2 settled, 2 beyond max_lines"]
    assert [spoken(done)[text].rule == "judge" for text in ASKED] == [True, True, False, False]
    done = written(judge_at(chat.url, tmp_path, max_lines=2), tmp_path)
    assert judge_notes(done) == ["judge: 0 lines asked, 2 of 2 settled in earlier runs, 2 beyond max_lines"]
    assert len(chat.asked) == 1


def test_a_damaged_file_of_answers_is_a_miss(chat: Server, tmp_path: Path) -> None:
    written(judge_at(chat.url, tmp_path), tmp_path)
    kept = (tmp_path / "judge.json").read_text("utf-8")
    for damaged in (kept[: len(kept) // 2], "[]", '{"schema": 1, "answers": [1]}', kept.replace("settled", "sworn")):
        (tmp_path / "judge.json").write_text(damaged, encoding="utf-8")
        assert judge_notes(written(judge_at(chat.url, tmp_path), tmp_path)) == ["judge: 4 lines asked, 4 settled"]


def test_a_kept_answer_can_name_nobody_from_outside_the_book(chat: Server, tmp_path: Path) -> None:
    written(judge_at(chat.url, tmp_path), tmp_path)
    kept = (tmp_path / "judge.json").read_text("utf-8")
    (tmp_path / "judge.json").write_text(kept.replace('"老周"', '"诸葛亮"'), encoding="utf-8")
    done = written(judge_at(chat.url, tmp_path), tmp_path)
    assert judge_notes(done) == ["judge: 1 line asked, 1 settled, 3 of 3 settled in earlier runs"]
    assert spoken(done)["“还早。”"].speaker == "老周"


@pytest.mark.parametrize(("key", "why"), [("", "is not set"), ("sk-schlüssel", "cannot be sent")])
def test_a_missing_or_bad_key_is_one_note_without_a_request(
    chat: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, key: str, why: str
) -> None:
    monkeypatch.setenv("JUDGE_KEY", key)
    (note,) = judge_notes(written(judge_at(chat.url, tmp_path, key_env="JUDGE_KEY"), tmp_path))
    assert note.startswith("judge: 4 lines not judged: the ")
    assert why in note
    assert "JUDGE_KEY" in note
    assert "sk-" not in note
    assert chat.asked == []


@pytest.mark.parametrize(
    ("url", "call"),
    [
        ("http://host", "http://host/v1/chat/completions"),
        ("http://host:8080/", "http://host:8080/v1/chat/completions"),
        ("https://host/v1", "https://host/v1/chat/completions"),
        ("https://host/api/v3/", "https://host/api/v3/chat/completions"),
        ("https://host/v1/chat/completions", "https://host/v1/chat/completions"),
        ("https://host/openai?api-version=1", "https://host/openai/chat/completions?api-version=1"),
    ],
)
def test_the_address_is_the_server_its_base_or_the_call(url: str, call: str) -> None:
    assert endpoint(url) == call


# ---------------------------------------------------------------- through the commands


def book(folder: Path, chat: Server, judge: bool = True) -> Path:
    settings = "engine: tone\nlanguage: zh\n"
    if judge:
        settings += f"judge: {{url: '{chat.url}', model: m, key_env: JUDGE_KEY}}\n"
    return write_book(folder / "book", TEXT, cast=CAST_YAML, settings=settings)


@pytest.fixture
def outputs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("VOICEPRESS_OUTPUTS", str(tmp_path / "outputs"))
    monkeypatch.setenv("JUDGE_KEY", KEY)
    return tmp_path / "outputs"


def command(*arguments: object) -> Result:
    done = CliRunner().invoke(main, [*map(str, arguments)])
    if done.exception and not isinstance(done.exception, SystemExit):
        raise done.exception
    assert KEY not in done.output
    return done


def test_without_a_judge_nothing_is_sent(chat: Server, tmp_path: Path, outputs: Path) -> None:
    path = book(tmp_path, chat, judge=False)
    notes = json.loads(command("plan", "--no-measure", "--json", path).stdout)["notes"]
    assert not any(note.startswith("judge:") for note in notes)
    assert chat.asked == []
    assert not list(outputs.rglob("judge.json"))


def test_plan_asks_once_and_cast_then_shows_only_what_is_left(chat: Server, tmp_path: Path, outputs: Path) -> None:
    chat.answer = lambda body: reply(named(passage(body), WHO | {"船钱": "?"}))
    path = book(tmp_path, chat)
    planned = command("plan", "--no-measure", "--json", path)
    assert "judge: 4 lines asked, 3 settled, 1 left open" in json.loads(planned.stdout)["notes"]
    assert f"judge: asking {chat.url.split('/')[2]} about 4 unsure lines in 2 passages" in planned.stderr
    assert [headers["Authorization"] for _, headers, _ in chat.asked] == [f"Bearer {KEY}"] * 2
    left = json.loads(command("cast", path, "--unsure", "--json").stdout)
    assert [line["text"] for line in left] == ["“船钱多少？”"]
    judged = json.loads(command("cast", path, "--lines", "老周", "--json").stdout)
    assert [(line["text"], line["rule"], line["confidence"]) for line in judged if line["rule"] == "judge"] == [
        ("“还早。”", "judge", CONFIDENCE)
    ]
    linted = command("lint", path)
    assert "script-stale" not in linted.output
    assert len(chat.asked) == 2


def test_a_killed_run_pays_for_no_answer_twice(chat: Server, tmp_path: Path, outputs: Path) -> None:
    chat.answer = lambda body: well(body) if len(chat.asked) == 1 else HANG
    path = book(tmp_path, chat)
    process = subprocess.Popen(
        [sys.executable, "-m", "flows.cli", "plan", "--no-measure", str(path)], env=dict(os.environ)
    )
    while len(chat.asked) < 2:
        assert process.poll() is None
        time.sleep(0.02)
    process.kill()
    process.wait()
    chat.answer = well
    notes = json.loads(command("plan", "--no-measure", "--json", path).stdout)["notes"]
    assert "judge: 1 line asked, 1 settled, 3 of 3 settled in earlier runs" in notes
    assert len(chat.asked) == 3


def test_the_key_is_in_no_file_whatever_the_server_echoes(chat: Server, tmp_path: Path, outputs: Path) -> None:
    def echo(body: dict[str, Any]) -> tuple[int, bytes, dict[str, str]]:
        if len(chat.asked) == 1:
            return reply(named(passage(body), WHO | {"快到了吗": KEY}))
        return 400, f"bad key {KEY} {body['messages'][1]['content']}".encode(), {"X-Key": KEY, "Set-Cookie": KEY}

    chat.answer = echo
    path = book(tmp_path, chat)
    done = command("plan", "--no-measure", path)
    assert "judge: 4 lines asked, 2 settled, 1 unknown name, 1 without an answer" in done.output
    found = files(outputs)
    assert any(name.endswith("judge.json") for name in found)
    assert not [name for name, data in found.items() if KEY.encode() in data]


@pytest.mark.slow
def test_a_book_is_made_with_its_judge_and_without_its_key(chat: Server, tmp_path: Path, house: dict[str, str]) -> None:
    path = book(tmp_path, chat)
    made = voicepress("make", path, env=house | {"JUDGE_KEY": KEY})
    assert made.returncode == 0, made.stderr
    assert "judge: 4 lines asked, 4 settled" in made.stderr
    found = files(Path(house["VOICEPRESS_OUTPUTS"]))
    receipt = next(data for name, data in found.items() if name.endswith("receipt.json"))
    assert "judge: 4 lines asked, 4 settled" in receipt.decode()
    assert KEY not in made.stdout + made.stderr
    assert not [name for name, data in found.items() if KEY.encode() in data]
