"""Five files that are hard to read: chapters, what is left out and why, and nothing unaccounted for."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from common.errors import VoicepressError
from common.terminal import width
from tasks.domain import Manuscript
from tasks.read.account import gaps, untrue
from tasks.read.inspect import render, report
from tasks.read.manuscript import read_manuscript

NASTY = Path(__file__).parents[2] / "data" / "nasty"


def read(name: str, **options: str) -> Manuscript:
    manuscript = read_manuscript(NASTY / name, **options)
    assert gaps(manuscript) == untrue(manuscript) == []
    return manuscript


def titles(manuscript: Manuscript) -> list[str]:
    return [chapter.title for chapter in manuscript.chapters]


def reasons(manuscript: Manuscript) -> dict[str, int]:
    return dict(Counter(entry.reason for entry in manuscript.left_out))


def spoken(manuscript: Manuscript) -> str:
    return "\n".join(paragraph.text for chapter in manuscript.chapters for paragraph in chapter.paragraphs)


def test_a_web_novel_with_adverts_notes_and_its_contents_twice() -> None:
    book = read("site.txt")
    assert (book.encoding, book.title, book.author) == ("gb18030", "渡口的灯", "柳下客")
    assert titles(book) == [
        "第１章风雪夜归人", "第２章渡口", "第３章在水一方", "第４章是非之地", "第５章你是谁？", "第６章归来",
    ]  # fmt: skip
    assert reasons(book) == {"title-page": 2, "table-of-contents": 14, "advert": 15, "author-note": 5}
    text = spoken(book)
    assert "ｄｅｎｇｈｕｏ" not in text
    assert "求月票" not in text
    assert "谢谢各位" not in text
    assert text.count("他翻到第３章，停住了手。") == 6
    assert text.count("比分是３：２，时间是８：３０。") == 6
    assert "“三更了，还不睡？”母亲在隔壁问。" in text
    assert len({len(chapter.paragraphs) for chapter in book.chapters}) == 1


def test_a_hard_wrapped_traditional_book_whose_chapters_begin_anew() -> None:
    book = read("traditional.txt")
    assert book.encoding == "big5hkscs"
    assert [(chapter.volume, chapter.title) for chapter in book.chapters] == [
        ("第一卷 山", "第一話 風雪"), ("第一卷 山", "第二話 渡口"), ("第一卷 山", "第三話 歸人"),
        ("第二卷 海", "第一話 燈火"), ("第二卷 海", "第二話 遠行"), ("第二卷 海", "第三話 歸來"),
    ]  # fmt: skip
    assert reasons(book) == {"heading-mark": 2}
    assert [len(chapter.paragraphs) for chapter in book.chapters] == [4] * 6
    assert all(paragraph.text.endswith("。") for chapter in book.chapters for paragraph in chapter.paragraphs)
    assert book.warnings == ()
    simple = read("traditional.txt", convert="simplified")
    assert titles(simple)[0] == "第一话 风雪"
    assert "只是看着远处的山" in spoken(simple)


def test_mixed_headings_without_a_byte_order_mark_among_traps() -> None:
    book = read("mixed.txt")
    assert book.encoding == "utf-16-le"
    assert titles(book) == [
        "楔子", "第1章 风雪", "第2章 渡口", "三章 归人", "第四章 灯火", "第伍章", "番外一 旧事", "完本感言",
    ]  # fmt: skip
    assert reasons(book) == {}
    assert all(len(chapter.paragraphs) == 8 for chapter in book.chapters)
    rejected = {one.text for one in book.judged if not one.accepted}
    assert {"第二章写得真好，他想。", "第三回合", "一千章"} <= rejected


def test_a_library_book_with_licence_numbers_and_notes() -> None:
    book = read("library.txt")
    assert (book.title, book.author, book.language) == ("The Ferry", "A. Nobody", "en")
    assert [(chapter.volume, chapter.title) for chapter in book.chapters] == [
        ("PART I. The River", "I"), ("PART I. The River", "II"), ("PART I. The River", "III"),
        ("PART II. The Sea", "1"), ("PART II. The Sea", "2"), ("PART II. The Sea", "3"),
    ]  # fmt: skip
    assert reasons(book) == {
        "licence": 8, "title-page": 1, "table-of-contents": 3, "heading-mark": 2, "footnote": 6, "footnote-mark": 6, "markup": 18,
    }  # fmt: skip
    text = spoken(book)
    assert text.count("before the wonderful tide turns") == 18
    assert "won-" not in text
    assert "See Chapter 2.\n" in text
    assert "Section 1" not in text
    assert all(len(chapter.paragraphs) == 4 for chapter in book.chapters)


def test_a_damaged_file_is_refused_place_by_place_and_read_when_mended(tmp_path: Path) -> None:
    rows = (NASTY / "damaged.txt").read_bytes().split(b"\n")
    path = tmp_path / "mended.txt"
    for line, offset in ((6, 305), (9, 485)):
        path.write_bytes(b"\n".join(rows))
        with pytest.raises(VoicepressError) as caught:
            read_manuscript(path)
        assert (caught.value.code, caught.value.line) == ("undecodable", line)
        assert f"offset {offset} " in caught.value.what
        del rows[line - 1]
    path.write_bytes(b"\n".join(rows))
    book = read_manuscript(path)
    assert gaps(book) == untrue(book) == []
    assert titles(book) == [""]
    assert "他笑了😀，又哭了👩👧。" in spoken(book)
    assert "价钱是元，真贵。" in spoken(book)
    assert max(len(paragraph.text) for paragraph in book.chapters[0].paragraphs) > 80_000
    assert any("its last 2 bytes were not read" in warning for warning in book.warnings)
    assert any("1 private-use characters" in warning for warning in book.warnings)


@pytest.mark.parametrize("name", ["site.txt", "traditional.txt", "mixed.txt", "library.txt"])
@pytest.mark.parametrize("why", [False, True])
def test_the_report_fits_a_hundred_columns(name: str, why: bool) -> None:
    lines = render(report(read(name)), why=why)
    assert max(width(line) for line in lines[1:]) <= 100
    assert ("points" in "".join(lines)) == why
