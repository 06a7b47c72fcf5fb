"""Books with media overlays, unpacked and judged by epubcheck where it is installed (Debian package epubcheck)."""

from __future__ import annotations

import re
import shutil
import subprocess
import zipfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from lxml import etree

from tasks.domain import BookInfo, Cue, StitchedChapter
from tasks.publish.epub import blocks_of
from tasks.publish.publish import publish_book

Maker = Callable[..., StitchedChapter]
AFTERS = ["clause", "heading", "sentence", "paragraph", "sentence", "scene", "paragraph", "chapter"]
TEXTS = ["第一章", "雨夜", "雨下了一夜。", "他走了。", "“你<是>谁？”", "她问 & 笑。", "Hello.", "World \x07"]


def with_paragraphs(chapter: StitchedChapter) -> StitchedChapter:
    cues = tuple(replace(cue, after=after) for cue, after in zip(chapter.timeline.cues, AFTERS, strict=True))
    return replace(chapter, timeline=replace(chapter.timeline, cues=cues))


@pytest.fixture
def chapters(chapter_maker: Maker) -> list[StitchedChapter]:
    return [with_paragraphs(chapter_maker(n, f"第{n}章", texts=TEXTS, seconds=5.0)) for n in (1, 2)]


@pytest.fixture
def book(chapters: list[StitchedChapter], pictures: dict[str, Path], preset: Any, tmp_path: Path) -> Path:
    info = BookInfo("雨夜 <1> & 2", "余光", "小北", "zh-CN", "灯塔", "一句话。", "2026", pictures["jpg"])
    (made,) = publish_book(info, chapters, preset, tmp_path / "publish", ["epub"])
    return made.path


def test_lines_are_gathered_to_headings_paragraphs_and_scene_breaks() -> None:
    cues = [
        Cue(str(i), "n", text, text, i, i + 1, after=after)
        for i, (text, after) in enumerate(zip(TEXTS, AFTERS, strict=True))
    ]  # type: ignore[arg-type]
    found = [(block.kind, "".join(cue.text for cue in block.cues)) for block in blocks_of(cues)]
    assert found == [
        ("h1", "第一章雨夜"),
        ("p", "雨下了一夜。他走了。"),
        ("p", "“你<是>谁？”她问 & 笑。"),
        ("hr", ""),
        ("p", "Hello."),
        ("p", "World \x07"),
    ]


def test_every_line_sounds_where_the_timeline_says(book: Path, chapters: list[StitchedChapter]) -> None:
    with zipfile.ZipFile(book) as archive:
        assert archive.namelist()[0] == "mimetype"
        assert archive.read("mimetype") == b"application/epub+zip"
        assert archive.testzip() is None
        page = etree.fromstring(archive.read("EPUB/c001.xhtml"))
        smil = etree.fromstring(archive.read("EPUB/c001.smil"))
    spans = {node.get("id"): node.text for node in page.iter("{*}span")}
    assert list(spans.values()) == [*TEXTS[:-1], "World "]
    clips = [(a.get("clipBegin"), a.get("clipEnd")) for a in smil.iter("{*}audio")]
    assert [text.get("src") for text in smil.iter("{*}text")] == [f"c001.xhtml#{key}" for key in spans]
    for (begin, end), cue in zip(clips, chapters[0].timeline.cues, strict=True):
        assert seconds(begin) == pytest.approx(cue.start / 24_000, abs=0.0006)
        assert seconds(end) == pytest.approx(cue.end / 24_000, abs=0.0006)


def seconds(clock: str | None) -> float:
    hours, minutes, rest = (clock or "").split(":")
    return int(hours) * 3600 + int(minutes) * 60 + float(rest)


def test_the_durations_of_the_chapters_add_up_to_the_books(book: Path) -> None:
    with zipfile.ZipFile(book) as archive:
        package = archive.read("EPUB/package.opf").decode("utf-8")
    found = [seconds(text) for text in re.findall(r'property="media:duration"[^>]*>([^<]+)<', package)]
    assert found == [10.0, 5.0, 5.0]
    assert '<meta property="media:active-class">' in package


def test_the_same_book_gives_the_same_bytes(book: Path, tmp_path: Path, chapters: list[StitchedChapter], pictures: dict[str, Path], preset: Any) -> None:  # fmt: skip
    info = BookInfo("雨夜 <1> & 2", "余光", "小北", "zh-CN", "灯塔", "一句话。", "2026", pictures["jpg"])
    (again,) = publish_book(info, chapters, preset, tmp_path / "again", ["epub"])
    assert again.path.read_bytes() == book.read_bytes()


@pytest.mark.slow
def test_epubcheck_finds_nothing_wrong(book: Path) -> None:
    checker, java = shutil.which("epubcheck"), shutil.which("java")
    if checker is None or java is None:
        pytest.skip("epubcheck is not installed")
    # Debian's command is the archive itself, which only some kernels can start.
    done = subprocess.run([java, "-jar", Path(checker).resolve(), book], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "No errors or warnings detected" in done.stdout + done.stderr
