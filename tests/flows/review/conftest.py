"""A book that was really made, with tones and a planted fault, copied for every test; and its page in a real process."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from flows.review.actions import Actions
from flows.review.board import Board, Entry
from flows.review.recorder import Recorder, Work
from tests.flows.press import voicepress, write_book

TEXT = """第一章 渡口

雾散了，长老站在桥上。

“过河吗？”老周问。

“我要过河。”阿南说。

雨下了一整夜，天亮时才停。

第二章 对岸

船靠岸了。

“再见。”老周说。

他们走了很远的路，身后轰隆隆地响，谁也没有回头。
"""
SETTINGS = "engine: {name: tone, extra: {mute_on: 雾}}\nretakes: 1\npublish: [mp3]\n"


@pytest.fixture(scope="session")
def made(tmp_path_factory: pytest.TempPathFactory, server: str) -> Path:
    """A folder that holds ``book`` and ``outputs``."""
    folder = tmp_path_factory.mktemp("made")
    environment = os.environ | {
        "PREFECT_API_URL": server, "PREFECT_HOME": str(folder / "prefect"), "VOICEPRESS_OUTPUTS": str(folder / "outputs"),
    }  # fmt: skip
    book = write_book(folder / "book", TEXT, settings=SETTINGS)
    done = voicepress("make", book, env=environment)
    assert done.returncode == 0, done.stderr
    assert "1 line is flagged" in done.stdout
    return folder


@pytest.fixture
def book(made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The made book in a folder of the test's own: its book.yaml."""
    for name in ("book", "outputs"):
        shutil.copytree(made / name, tmp_path / name)
    (marker,) = (tmp_path / "outputs").glob("*/made-from.json")
    path = tmp_path / "book" / "book.yaml"
    marker.write_text(json.dumps({"schema": 1, "book": str(path)}), encoding="utf-8")
    monkeypatch.setenv("VOICEPRESS_OUTPUTS", str(tmp_path / "outputs"))
    return path


class Desk:
    """The board, the actions and the engine's thread, as the server has them."""

    def __init__(self, book: Path) -> None:
        self.board = Board(book)
        self.recorder = Recorder("a test", idle_seconds=5.0)
        self.actions = Actions(self.board, self.recorder)

    def line(self, text: str) -> Entry:
        (found,) = [entry for entry in self.board.entries() if text in entry.line.text]
        return found

    def done(self, work: Work | None) -> Work:
        assert work is not None
        assert work.finished.wait(120)
        return work


@pytest.fixture
def desk(book: Path) -> Iterator[Desk]:
    found = Desk(book)
    yield found
    found.recorder.close()


class Page:
    """A review page in a process of its own."""

    def __init__(self, book: Path, *options: str, env: dict[str, str] | None = None) -> None:
        command = [sys.executable, "-m", "flows.cli", "review", str(book), "--no-open", *options]
        self.process = subprocess.Popen(command, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        assert self.process.stdout is not None
        self.address = self.process.stdout.readline().strip()
        assert self.address, self.process.stderr.read() if self.process.stderr else ""
        self.root, _, self.token = self.address.partition("/?token=")
        self.client = httpx.Client(base_url=self.root, headers={"X-Voicepress": "review"}, timeout=60, trust_env=False)
        assert self.client.get("/", params={"token": self.token}).status_code == 200

    def get(self, path: str, **query: Any) -> Any:
        answer = self.client.get(path, params=query)
        assert answer.status_code == 200, answer.text
        return answer.json()

    def post(self, path: str, **body: Any) -> Any:
        answer = self.client.post(path, json=body)
        assert answer.status_code == 200, answer.text
        return answer.json()

    def line(self, text: str) -> dict[str, Any]:
        (row,) = self.get("/api/lines", text=text)["rows"]
        found: dict[str, Any] = self.get(f"/api/line/{row['chapter']}/{row['id']}")
        return found

    def done(self, answer: dict[str, Any]) -> dict[str, Any]:
        work: dict[str, Any] = answer["work"]
        while work["state"] in ("waiting", "working"):
            work = self.get(f"/api/work/{work['id']}")
        return work

    def close(self) -> None:
        self.client.close()
        self.process.terminate()
        self.process.communicate()


@pytest.fixture
def page() -> Iterator[Callable[..., Page]]:
    """Opens pages, and closes them at the end."""
    opened: list[Page] = []

    def start(book: Path, *options: str, env: dict[str, str] | None = None) -> Page:
        opened.append(Page(book, *options, env=env))
        return opened[-1]

    yield start
    for one in opened:
        one.close()
