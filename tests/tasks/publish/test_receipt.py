from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from tasks.publish.page import duration, page, size
from tasks.publish.receipt import (
    Coverage,
    FlaggedLine,
    Receipt,
    ReceiptChapter,
    ReceiptFile,
    ReceiptStyle,
    ReceiptVoice,
    Timings,
    write_receipt,
)

HOSTILE = "<script>alert(1)</script>\"'&<img src=x onerror=alert(1)>"


def receipt(text: str = "雨夜", **changes: Any) -> Receipt:
    plain: dict[str, Any] = {
        "title": text, "author": text, "made_at": "2026-12-01T08:00:00+08:00", "voicepress": "0.1.0", "engine": text,
        "engine_fingerprint": text, "seed": 7, "mastering": text,
        "chapters": (
            ReceiptChapter(number=1, title=text, volume=text, seconds=90, lines=30, recorded=2, flagged=1, gain_db=2.5,
                           loudness_lufs=-18.0, true_peak_dbtp=-3.1),
            ReceiptChapter(number=2, title=text, lines=4, held_back=text),
        ),
        "lines": 34, "recorded": 2, "reused": 32,
        "flagged": (FlaggedLine(chapter=1, line_id="a1", text=text, reasons=(text, "too short"), at_seconds=61.0),),
        "coverage": Coverage(source_chars=1000, spoken_chars=960, left_out={text: 40}),
        "voices": (ReceiptVoice(id=text, name=text, lines=34, seconds=80, speakers=(text,)),),
        "timings": Timings(record=30.0, audio_seconds=120.0),
        "deliverables": (ReceiptFile(path=f"publish/{text}.m4b", kind=text, bytes=1_234_567, seconds=90),),
        "notes": (text,),
    }  # fmt: skip
    return Receipt(**(plain | changes))


class Reader(HTMLParser):
    """Collects what a browser would do: elements, attributes, the text shown."""

    def __init__(self, document: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.shown = ""
        self.open: list[str] = []
        self.feed(document)
        self.close()

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attributes
        if tag not in ("meta", "br", "rect"):
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attributes

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.shown += data


def test_the_json_says_everything(tmp_path: Path) -> None:
    data, _ = write_receipt(receipt(), tmp_path)
    value = json.loads(data.read_text(encoding="utf-8"))
    assert value["schema"] == 1
    assert value["chapters"][0]["true_peak_dbtp"] == -3.1
    assert value["flagged"][0]["reasons"] == ["雨夜", "too short"]
    assert value["coverage"]["unexplained"] == 0
    assert value["timings"]["rtf"] == 0.25
    assert value["seconds"] == 90
    assert value["deliverables"][0]["bytes"] == 1_234_567


def test_the_page_shows_what_the_json_says() -> None:
    reader = Reader(page(receipt()))
    assert reader.open == []
    for text in (
        "雨夜",
        "1:30",
        "−18.0",
        "−3.1",
        "1:01",
        "雨夜; too short",
        "960",
        "96.00\u202f%",
        "0.250",
        "1.23 MB",
        "held back: 雨夜",
    ):
        assert text in reader.shown, text


def test_nothing_of_a_manuscript_becomes_markup() -> None:
    reader = Reader(page(receipt(HOSTILE)))
    assert reader.open == []
    assert not {"script", "img"} & set(reader.tags)
    assert not [name for name, _ in reader.attributes if name.startswith("on")]
    assert HOSTILE in reader.shown


def test_the_page_needs_nothing_from_outside() -> None:
    document = page(receipt())
    assert not re.search(r"https?://|url\(|@import|<link|<script", document)
    links = re.findall(r'(?:href|src)="([^"]*)"', document)
    assert links == ["publish/%E9%9B%A8%E5%A4%9C.m4b"]


def test_what_needs_a_person_is_marked() -> None:
    plain = page(receipt(flagged=(), chapters=(), deliverables=(), voices=(), notes=()))
    assert 'class="warn"' not in plain
    assert "Please listen" not in plain
    marked = page(receipt(coverage=Coverage(source_chars=10, spoken_chars=7)))
    assert marked.count('class="warn"') == 3


def test_nothing_recorded_has_no_rtf() -> None:
    assert Timings().rtf is None
    assert "RTF" not in page(receipt(timings=Timings()))


def test_an_unknown_field_is_refused() -> None:
    with pytest.raises(ValidationError):
        receipt(colour="red")


@pytest.mark.parametrize(("seconds", "text"), [(0, "0:00"), (59.6, "1:00"), (61, "1:01"), (3661.2, "1:01:01")])
def test_durations(seconds: float, text: str) -> None:
    assert duration(seconds) == text


@pytest.mark.parametrize(
    ("count", "text"), [(0, "0 B"), (999, "999 B"), (1000, "1 kB"), (38_123_456, "38.1 MB"), (5 * 10**12, "5000 GB")]
)
def test_sizes(count: int, text: str) -> None:
    assert size(count) == text


def test_styles_are_told_with_what_became_of_them() -> None:
    styles = (
        ReceiptStyle(style="用哭腔说<b>", lines=3, honoured="none"),
        ReceiptStyle(style="用悲伤的语气说", lines=2, honoured="approximate"),
    )
    html = page(receipt(styles=styles))
    assert "用哭腔说&lt;b&gt;" in html
    assert "not honoured" in html
    assert "approximated" in html
    assert "not honoured" not in page(receipt())
