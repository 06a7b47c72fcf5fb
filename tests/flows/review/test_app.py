"""The page's server in a process of its own, asked as a browser asks."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import httpx
import pytest
import soundfile

from flows import approvals
from flows.config import load_book
from flows.receipt import is_waiting
from flows.workspace import Workspace
from tests.flows.press import voicepress
from tests.flows.review.conftest import Page

Open = Callable[..., Page]


def test_only_who_has_the_address_gets_in(book: Path, page: Open) -> None:
    opened = page(book)
    assert opened.root.startswith("http://127.0.0.1:")
    assert len(opened.token) >= 43
    stranger = httpx.Client(base_url=opened.root, trust_env=False)
    key = opened.line("雾散了")["key"]
    for path in ("/", "/page/review.js", "/api/book", "/api/lines", f"/sound/{key}.flac", "/?token=wrong"):
        assert stranger.get(path).status_code == 403
        assert opened.client.get(path).status_code == 200  # by its cookie
    assert stranger.post("/api/refresh", json={}, headers={"X-Voicepress": "review"}).status_code == 403
    assert opened.client.get("/api/book", headers={"Host": "evil.example"}).status_code == 421
    assert opened.client.post("/api/refresh", json={}, headers={"X-Voicepress": ""}).status_code == 403
    assert opened.client.get("/page/../app.py").status_code == 404
    assert opened.client.get("/page/%2e%2e%2fapp.py").status_code == 404


def test_sound_comes_in_the_parts_that_are_asked_for(book: Path, page: Open, tmp_path: Path) -> None:
    opened = page(book)
    line = opened.line("船靠岸了")
    whole = opened.client.get(f"/sound/{line['key']}.flac")
    assert whole.headers["content-type"] == "audio/flac"
    part = opened.client.get(f"/sound/{line['key']}.flac", headers={"Range": "bytes=100-199"})
    assert (part.status_code, part.content) == (206, whole.content[100:200])
    assert part.headers["content-range"] == f"bytes 100-199/{len(whole.content)}"
    (tmp_path / "take.flac").write_bytes(whole.content)
    assert soundfile.info(tmp_path / "take.flac").duration == pytest.approx(line["seconds"], abs=0.01)
    drawn = opened.get(f"/api/peaks/{line['key']}")
    assert max(drawn["peaks"]) == pytest.approx(0.2, abs=0.1)
    for name in ("0" * 32, "..%2f..%2fbook", "x"):
        assert opened.client.get(f"/sound/{name}.flac").status_code == 404
        assert opened.client.get(f"/api/peaks/{name}").status_code == 404


def test_an_edit_is_recorded_while_one_waits_and_the_next_make_uses_it(
    book: Path, page: Open, house: dict[str, str]
) -> None:
    opened = page(book)
    line = opened.line("雾散了")
    answer = opened.post(
        "/api/edit", chapter=line["chapter"], line=line["id"], revision=line["revision"], fields={"spoken": "天晴了。"}
    )
    assert answer["line"]["fields"]["spoken"] == "天晴了。"
    assert answer["line"]["state"] == "waiting"
    assert opened.done(answer)["state"] == "done"
    now = opened.line("雾散了")
    assert now["state"] == "passed"
    twice = opened.client.post(
        "/api/edit",
        json={"chapter": 1, "line": line["id"], "revision": line["revision"], "fields": {"spoken": "下雪了。"}},
    )
    assert (twice.status_code, twice.json()["error"]["code"]) == (409, "script-changed")
    flagged = opened.line("雨下了")
    opened.done(
        opened.post(
            "/api/edit", chapter=1, line=flagged["id"], revision=flagged["revision"], fields={"spoken": "雾又来了。"}
        )
    )
    bad = opened.line("雨下了")
    assert bad["state"] == "flagged"
    opened.post("/api/approve", chapter=1, line=bad["id"], take=bad["take"], good=True)
    opened.close()
    done = voicepress("make", book, env=house)
    assert done.returncode == 0, done.stderr
    assert "0 recorded" in done.stdout
    assert "flagged" not in done.stdout
    cues = json.loads((Workspace.of("book").chapters / "001.timeline.json").read_text("utf-8"))["cues"]
    assert any("天晴了。" in json.dumps(cue, ensure_ascii=False) for cue in cues)
    assert not is_waiting(load_book(book))
    approvals.withdraw(Workspace.of("book").folder, approvals.takes(Workspace.of("book").folder))
    assert is_waiting(load_book(book))  # the night makes it again, for what was approved has changed


def test_what_a_user_can_mend_has_a_status_of_its_own(book: Path, page: Open) -> None:
    opened = page(book)
    line = opened.line("雾散了")
    about = {"chapter": line["chapter"], "line": line["id"]}

    def status(path: str, content: bytes | None = None, **body: object) -> tuple[int, str]:
        answer = opened.client.post(path, content=content if content is not None else json.dumps(body).encode())
        return answer.status_code, answer.json()["error"]["code"]

    assert status("/api/again", chapter=1, line="nothing") == (404, "no-such-line")
    assert status("/api/approve", **about, take=77) == (404, "no-such-take")
    assert status("/api/approve", **about, take="0") == (400, "bad-request")
    assert status("/api/edit", **about, revision=line["revision"], fields={}) == (400, "bad-request")
    assert status("/api/edit", **about, revision=line["revision"], fields={"style": ["a"]}) == (400, "bad-request")
    assert status("/api/edit", b"[" * 5000) == (400, "bad-request")
    assert status("/api/edit", b"[]") == (400, "bad-request")
    with Workspace.of("book").held(waiting=lambda _: None):
        assert status("/api/again", **about) == (423, "book-busy")
    assert opened.client.get("/api/line/1/nothing").status_code == 404
    assert opened.client.get("/api/work/999").status_code == 404
    assert opened.line("雾散了") == line


def test_a_killed_page_loses_no_approval_and_no_edit(book: Path, page: Open) -> None:
    opened = page(book)
    line = opened.line("雾散了")
    opened.post("/api/approve", chapter=1, line=line["id"], take=line["take"], good=True)
    opened.post("/api/edit", chapter=1, line=line["id"], revision=line["revision"], fields={"pause": 1.5})
    opened.process.send_signal(signal.SIGKILL)
    opened.process.wait()
    again = page(book)
    assert again.line("雾散了")["state"] == "approved"
    assert again.line("雾散了")["fields"]["pause"] == 1.5


def test_a_port_that_is_taken_is_an_error_to_mend(book: Path, page: Open) -> None:
    opened = page(book)
    done = subprocess.run(
        [sys.executable, "-m", "flows.cli", "review", str(book), "--no-open", "--port", opened.root.rpartition(":")[2]],
        env=dict(os.environ), capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 1
    assert "error [port-taken]" in done.stderr
    assert "Traceback" not in done.stderr
