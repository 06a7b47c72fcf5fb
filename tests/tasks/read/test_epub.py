"""EPUB 2 and 3: reading order, titles, what is left out, and every way to be broken."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from common.errors import VoicepressError
from tasks.domain import Manuscript
from tasks.read import account
from tasks.read.manuscript import read_manuscript

Make = Callable[..., Path]
Parts = Callable[..., dict[str, str]]
P = "<p>灯一盏一盏地亮了。</p>"


def read(path: Path) -> Manuscript:
    manuscript = read_manuscript(path)
    assert account.gaps(manuscript) == []
    assert account.untrue(manuscript) == []
    return manuscript


def texts(manuscript: Manuscript, chapter: int) -> list[str]:
    return [paragraph.text for paragraph in manuscript.chapters[chapter].paragraphs]


def titles(manuscript: Manuscript) -> list[tuple[str, str]]:
    return [(chapter.volume, chapter.title) for chapter in manuscript.chapters]


def left(manuscript: Manuscript, reason: str) -> list[str]:
    return [entry.text for entry in manuscript.left_out if entry.reason == reason]


def refused(path: Path) -> VoicepressError:
    with pytest.raises(VoicepressError) as caught:
        read_manuscript(path)
    assert caught.value.hint
    return caught.value


def test_spine_order_titles_from_nav_and_volumes(make_epub: Make, epub_parts: Parts) -> None:
    parts = epub_parts(
        {
            "z.xhtml": f"<h1>卷一 风</h1><h2>第一章<br/>河边</h2>{P}",
            "a%20b.xhtml": f'<section id="c2"><h2>第二章</h2><h3>渡口</h3>{P}</section><p id="c3" class="t">第三章 远行</p>{P}',
            "后.xhtml": f"<h1>后记</h1>{P}",
        },
        '<h1>目录</h1><ol><li><span>卷一 风</span><ol><li><a href="z.xhtml">第一章 河边</a></li><li><a href="a%20b.xhtml#c2">'
        '第二章 渡口</a></li><li><a href="a%20b.xhtml#c3">第三章 远行</a></li></ol></li><li><a href="%E5%90%8E.xhtml">后记</a></li></ol>',
    )
    parts["OEBPS/a b.xhtml"] = parts.pop("OEBPS/a%20b.xhtml")
    book = read(make_epub(parts))
    assert (book.title, book.author, book.language, book.format) == ("山里的灯", "柳下客", "zh", "epub")
    assert titles(book) == [
        ("卷一 风", "第一章 河边"),
        ("卷一 风", "第二章 渡口"),
        ("卷一 风", "第三章 远行"),
        ("", "后记"),
    ]
    assert all(texts(book, number) == ["灯一盏一盏地亮了。"] for number in range(4))
    assert book.source[book.chapters[0].heading.start :].startswith("第一章 河边")  # type: ignore[union-attr]


def test_titles_from_the_ncx_of_epub_2(make_epub: Make, epub_parts: Parts, epub_opf: Callable[..., str]) -> None:
    parts = epub_parts({"1.html": f"<h2>一</h2>{P}", "2.html": P})
    html = 'media-type="application/xhtml+xml"'
    parts["OEBPS/book.opf"] = epub_opf(
        {"a": f'href="1.html" {html}', "b": f'href="2.html" {html}', "ncx": 'href="toc.ncx" media-type="application/x-dtbncx+xml"'},
        ["a", "b"], toc=' toc="ncx"',
    )  # fmt: skip
    parts["OEBPS/toc.ncx"] = (
        '<ncx xmlns="http://www.daisy.org/z3986/2005/ncx/"><docTitle><text>x</text></docTitle><navMap>'
        '<navPoint id="1"><navLabel><text>一</text></navLabel><content src="1.html"/></navPoint>'
        '<navPoint id="2"><navLabel><text>二</text></navLabel><content src="2.html"/></navPoint></navMap></ncx>'
    )
    book = read(make_epub(parts))
    assert titles(book) == [("", "一"), ("", "二")]
    assert book.chapters[1].heading is None


def test_without_contents_the_headings_make_chapters(make_epub: Make, epub_parts: Parts) -> None:
    book = read(make_epub(epub_parts({"1.xhtml": f"<h1>第一章 甲</h1>{P}", "2.xhtml": f"<h1>第二章 乙</h1>{P}{P}"})))
    assert titles(book) == [("", "第一章 甲"), ("", "第二章 乙")]


def test_without_contents_and_headings_the_words_make_chapters(make_epub: Make, epub_parts: Parts) -> None:
    book = read(make_epub(epub_parts({"1.xhtml": f"<p>第一章 甲</p>{P}", "2.xhtml": f"<p>第二章 乙</p>{P}"})))
    assert titles(book) == [("", "第一章 甲"), ("", "第二章 乙")]


def test_a_part_that_the_contents_do_not_name_belongs_to_the_chapter_before(make_epub: Make, epub_parts: Parts) -> None:
    book = read(make_epub(epub_parts(
        {"1.xhtml": f"<h1>甲</h1>{P}", "1b.xhtml": "<p>续。</p>", "2.xhtml": f"<h1>乙</h1>{P}", "3.xhtml": f"<h1>丙</h1>{P}"},
        '<ol><li><a href="1.xhtml">甲</a></li><li><a href="2.xhtml">乙</a></li></ol>',
    )))  # fmt: skip
    assert titles(book) == [("", "甲"), ("", "乙"), ("", "丙")]
    assert texts(book, 0)[-1] == "续。"


def test_footnotes_marks_navigation_and_title_pages_are_left_out(
    make_epub: Make, epub_parts: Parts, epub_page: Callable[..., str]
) -> None:
    parts = epub_parts(
        {
            "cover.xhtml": '<img src="c.jpg" alt="封面"/>',
            "title.xhtml": "<h1>山里的灯</h1><p>柳下客</p>",
            "list.xhtml": '<p>目录</p><p><a href="1.xhtml">第一章 河边</a></p><p><a href="2.xhtml">第二章 渡口</a></p><p><a href="n.xhtml">注</a></p>',
            "1.xhtml": '<h1>第一章 河边</h1><p>临安<a epub:type="noteref" href="#f">1</a>，杭州<sup><a href="n.xhtml#n2">2</a></sup>。</p>'
            '<aside epub:type="footnote" id="f"><p>古地名。</p></aside>',
            "2.xhtml": '<h1>第二章 渡口</h1><p>汴京<span epub:type="pagebreak" title="7">7</span>。</p>',
            "n.xhtml": '<p id="n2"><a href="1.xhtml#r">2</a> 今地名。</p>',
        },
        '<ol><li><a href="title.xhtml">书名页</a></li><li><a href="1.xhtml">第一章 河边</a></li><li><a href="2.xhtml">第二章 渡口</a></li></ol>',
    )
    parts["OEBPS/title.xhtml"] = epub_page("<h1>山里的灯</h1><p>柳下客</p>", ' epub:type="titlepage"')
    book = read(make_epub(parts))
    assert titles(book) == [("", "第一章 河边"), ("", "第二章 渡口")]
    assert texts(book, 0) == ["临安，杭州。"]
    assert texts(book, 1) == ["汴京。"]
    assert left(book, "footnote") == ["古地名。", "2 今地名。"]
    assert left(book, "footnote-mark") == ["1", "2"]
    assert left(book, "title-page") == ["山里的灯\n柳下客"]
    assert left(book, "image") == ["封面"]
    assert len(left(book, "table-of-contents")) == 1


def test_a_chapter_without_text_is_kept_and_reported(make_epub: Make, epub_parts: Parts) -> None:
    book = read(make_epub(epub_parts(
        {"1.xhtml": "<h1>甲</h1>", "2.xhtml": f"<h1>乙</h1>{P}"},
        '<ol><li><a href="1.xhtml">甲</a></li><li><a href="2.xhtml">乙</a></li></ol>',
    )))  # fmt: skip
    assert titles(book) == [("", "甲"), ("", "乙")]
    assert any("has no text" in warning for warning in book.warnings)


def test_a_page_that_is_not_well_formed_is_read_as_browsers_would(make_epub: Make, epub_parts: Parts) -> None:
    parts = epub_parts({"1.xhtml": "<h1>甲</h1><p>灯亮了。<br><p>他走了。"})
    book = read(make_epub(parts))
    assert texts(book, 0) == ["灯亮了。", "他走了。"]
    assert any("1.xhtml" in warning for warning in book.warnings)


def test_what_is_missing_is_named(make_epub: Make, epub_parts: Parts) -> None:
    parts = epub_parts({"1.xhtml": P, "2.xhtml": P})
    for name, code in (
        ("META-INF/container.xml", "epub-missing"),
        ("OEBPS/book.opf", "epub-missing"),
        ("OEBPS/2.xhtml", "epub-missing"),
    ):
        error = refused(make_epub({key: value for key, value in parts.items() if key != name}))
        assert error.code == code
        assert name in error.what


def test_what_is_broken_is_named(make_epub: Make, epub_parts: Parts) -> None:
    parts = epub_parts({"1.xhtml": P})
    opf = parts["OEBPS/book.opf"]
    for name, content in (
        ("META-INF/container.xml", "<container>"),
        ("META-INF/container.xml", "<container/>"),
        ("OEBPS/book.opf", "<package"),
        ("OEBPS/book.opf", opf.replace('<itemref idref="c0"/>', "")),
        ("OEBPS/book.opf", opf.replace('idref="c0"', 'idref="zz"')),
        ("OEBPS/1.xhtml", b"\xff\xfe\xfd <p>"),
    ):
        assert refused(make_epub({**parts, name: content})).code == "epub-broken"


def test_parts_outside_the_book_are_refused(make_epub: Make, epub_parts: Parts) -> None:
    parts = epub_parts({"1.xhtml": P})
    opf = parts["OEBPS/book.opf"].replace('href="1.xhtml"', 'href="../../etc/passwd"')
    assert refused(make_epub({**parts, "OEBPS/book.opf": opf})).code == "epub-path"


def test_entity_bombs_are_refused(make_epub: Make, epub_parts: Parts) -> None:
    bomb = '<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;">]><html xmlns="http://www.w3.org/1999/xhtml"><body><p>&b;</p></body></html>'
    parts = epub_parts({"1.xhtml": P})
    assert refused(make_epub({**parts, "OEBPS/1.xhtml": bomb})).code == "epub-entities"
    assert refused(make_epub({**parts, "META-INF/container.xml": bomb})).code == "epub-broken"


def test_a_locked_book_is_refused_and_hidden_fonts_are_not(make_epub: Make, epub_parts: Parts) -> None:
    parts = epub_parts({"1.xhtml": P})
    lock = (
        '<encryption xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><EncryptedData xmlns="http://www.w3.org/2001/04/xmlenc#">'
        '<EncryptionMethod Algorithm="{}"/></EncryptedData></encryption>'
    )
    aes = lock.format("http://www.w3.org/2001/04/xmlenc#aes128-cbc")
    assert refused(make_epub({**parts, "META-INF/encryption.xml": aes})).code == "epub-drm"
    fonts = lock.format("http://www.idpf.org/2008/embedding")
    assert len(read(make_epub({**parts, "META-INF/encryption.xml": fonts})).chapters) == 1


def test_a_book_of_pictures_has_nothing_to_read(make_epub: Make, epub_parts: Parts) -> None:
    assert refused(make_epub(epub_parts({"1.xhtml": '<img src="a.png"/>'}))).code == "empty-book"


@pytest.mark.parametrize("content", [b"PK\x03\x04 broken", b"not a zip", b"PK\x05\x06" + b"\0" * 18])
def test_what_is_no_archive_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "book.epub"
    path.write_bytes(content)
    assert refused(path).code in ("epub-broken", "epub-missing")
