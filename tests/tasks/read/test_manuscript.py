"""The room's door: any file is a manuscript with something to read, or one clear error."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from common.errors import VoicepressError
from tasks.read import account
from tasks.read.manuscript import load, read_manuscript, save

Write = Callable[..., Path]
BOOK = "《山里的灯》\n作者：柳下客\n\n卷一 风\n第一章 河边\n　　灯亮了①。\n***\n　　the lamps\u200b were lit.\n① 注。\n第二章 渡口\n"


def refused(path: Path, **options: object) -> VoicepressError:
    with pytest.raises(VoicepressError) as caught:
        read_manuscript(path, **options)  # type: ignore[arg-type]
    assert caught.value.hint
    return caught.value


def test_a_text_file_is_read(write: Write) -> None:
    path = write(BOOK)
    book = read_manuscript(path)
    assert (book.path, book.format, book.encoding, book.title, book.author, book.language) == (
        str(path), "txt", "utf-8", "山里的灯", "柳下客", "zh",
    )  # fmt: skip
    assert len(book.sha256) == 64
    assert [chapter.title for chapter in book.chapters] == ["第一章 河边", "第二章 渡口"]
    assert account.gaps(book) == []


def test_language_and_title_may_be_given_and_the_file_name_is_the_last_resort(write: Write) -> None:
    path = write("The lamps were lit.\n", "the lamps.txt")
    assert read_manuscript(path).language == "en"
    assert read_manuscript(path).title == "the lamps"
    book = read_manuscript(path, language="zh", title="灯")
    assert (book.language, book.title) == ("zh", "灯")


@pytest.mark.parametrize("content", ["", " \n\u3000\n\t", "\ufeff", "\u200b\n"])
def test_a_file_with_nothing_in_it_is_an_error(write: Write, content: str) -> None:
    assert refused(write(content)).code == "empty-book"


def test_a_missing_file_and_a_folder_are_errors(tmp_path: Path) -> None:
    assert refused(tmp_path / "no.txt").code == "file-missing"
    assert refused(tmp_path).code == "not-a-file"


def test_a_file_over_the_limit_is_an_error(write: Write) -> None:
    assert refused(write("灯亮了。"), max_bytes=4).code == "too-big"


@pytest.mark.parametrize(
    ("name", "content", "word"),
    [
        ("b.pdf", b"%PDF-1.7", "PDF"),
        ("b.txt", b"%PDF-1.7", "PDF"),
        ("b.mobi", b"x", "Kindle"),
        ("b.azw3", b"x", "Kindle"),
        ("b.txt", b"\0" * 60 + b"BOOKMOBI" + b"\0" * 40, "Kindle"),
        ("b.doc", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "docx"),
        ("b.docx", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "docx"),
        ("b.rtf", b"{\\rtf1}", "docx"),
        ("b.zip", b"PK\x03\x04", "unpack"),
        ("b.srt", b"1\n", "subtitle"),
        ("b.png", b"\x89PNG", "picture"),
        ("b.txt", b"\n%PDF-1.4", "PDF"),
        ("b.txt", b"PK\x03\x04" + b"\0" * 26 + b"word/document.xml", ".docx"),
        ("b.txt", b"PK\x03\x04" + b"\0" * 26 + b"a.txt", "archive"),
        ("b.txt", b"\x7fELF\x02\x01", "program"),
        ("b.txt", b"ID3\x03" + b"\0" * 90, "sound"),
        ("b.txt", b"\0\0\0\x20ftypM4B ", "sound"),
        ("b.txt", b"<?xml version='1.0'?><FictionBook/>", "FB2"),
        ("b.txt", b"1\n00:00:01,000 --> 00:00:02,000\nhello\n", "subtitle"),
    ],
)
def test_other_kinds_of_files_are_refused_with_what_to_do(write: Write, name: str, content: bytes, word: str) -> None:
    error = refused(write(content, name))
    assert error.code == "format-unsupported"
    assert word in error.what + error.hint


def test_a_cut_file_is_read_with_a_warning(write: Write) -> None:
    book = read_manuscript(write("灯亮了。".encode()[:-1]))
    assert "last 2 bytes" in book.warnings[0]


def test_markdown_and_html_are_told_by_their_suffix(write: Write) -> None:
    assert read_manuscript(write("# 甲\n\n灯。\n", "b.md")).format == "md"
    assert read_manuscript(write("<!DOCTYPE html><p>灯。</p>", "saved.txt")).format == "html"
    assert read_manuscript(write("<p>灯。</p>", "b.htm")).format == "html"


def test_a_manuscript_comes_back_from_disk_as_it_was(write: Write, tmp_path: Path) -> None:
    book = read_manuscript(write(BOOK))
    path = tmp_path / "out" / "manuscript.json"
    save(book, path)
    assert load(path) == book
    assert json.loads(path.read_text(encoding="utf-8"))["schema"] == 1


@pytest.mark.parametrize("keep", [0, 1, 40, 300])
def test_a_half_file_is_a_miss(write: Write, tmp_path: Path, keep: int) -> None:
    path = tmp_path / "manuscript.json"
    assert load(path) is None
    save(read_manuscript(write(BOOK)), path)
    path.write_bytes(path.read_bytes()[:keep])
    assert load(path) is None


@pytest.mark.parametrize(
    "value", ["[]", "{}", '{"kind":"manuscript","schema":1}', '{"kind":"manuscript","schema":1,"source":3}']
)
def test_another_kind_of_file_is_a_miss(tmp_path: Path, value: str) -> None:
    path = tmp_path / "manuscript.json"
    path.write_text(value, encoding="utf-8")
    assert load(path) is None


def test_another_schema_is_refused_with_what_to_do(write: Write, tmp_path: Path) -> None:
    path = tmp_path / "manuscript.json"
    save(read_manuscript(write(BOOK)), path)
    path.write_text(path.read_text(encoding="utf-8").replace('"schema":1', '"schema":99', 1), encoding="utf-8")
    with pytest.raises(VoicepressError) as caught:
        load(path)
    assert caught.value.code == "schema"
    assert caught.value.hint


def test_a_big_text_is_read_in_memory_of_a_small_multiple(write: Write) -> None:
    path = write((BOOK + "　　灯一盏一盏地亮了，河上还有几条晚归的船。\n" * 40) * 5000, "big.txt")
    script = (
        "import resource, sys; from pathlib import Path; from tasks.read.manuscript import read_manuscript;"
        "before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss; book = read_manuscript(Path(sys.argv[1]));"
        "print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * 1024, len(book.chapters))"
    )
    done = subprocess.run([sys.executable, "-c", script, str(path)], capture_output=True, text=True, check=True)
    grown, chapters = map(int, done.stdout.split())
    assert chapters >= 10_000
    assert grown < 12 * path.stat().st_size


def test_the_door_is_light(tmp_path: Path) -> None:
    script = "import sys, tasks.read.manuscript; print([m for m in ('lxml', 'docx', 'markdown_it', 'prefect') if m in sys.modules])"
    assert (
        subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout.strip()
        == "[]"
    )


def test_a_file_of_nothing_to_read_says_what_it_holds(write: Callable[..., Path]) -> None:
    assert "'***' (scene-break)" in refused(write("***\n")).what
