"""Word files: headings by style, notes and marks left out, every way to be broken."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest
from docx import Document

from common.errors import VoicepressError
from tasks.domain import Manuscript
from tasks.read import account
from tasks.read.manuscript import read_manuscript


def read(path: Path) -> Manuscript:
    manuscript = read_manuscript(path)
    assert account.gaps(manuscript) == []
    assert account.untrue(manuscript) == []
    return manuscript


def texts(manuscript: Manuscript, chapter: int = 0) -> list[str]:
    return [paragraph.text for paragraph in manuscript.chapters[chapter].paragraphs]


def left(manuscript: Manuscript, reason: str) -> list[str]:
    return [entry.text for entry in manuscript.left_out if entry.reason == reason]


def replace_part(path: Path, changes: dict[str, bytes | None]) -> None:
    with zipfile.ZipFile(path) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in {**parts, **changes}.items():
            if content is not None:
                archive.writestr(name, content)


def test_styles_make_chapters_and_tables_are_read(tmp_path: Path) -> None:
    document = Document()
    document.core_properties.author = "柳下客"
    document.add_heading("山里的灯", 0)
    document.add_heading("第一章 河边", 1)
    document.add_paragraph("灯亮了。")
    table = document.add_table(1, 2)
    table.cell(0, 0).text, table.cell(0, 1).text = "甲", "乙"
    raised = document.add_paragraph("临安")
    raised.add_run("1").font.superscript = True
    raised.add_run("，10")
    raised.add_run("6").font.superscript = True
    document.add_heading("第二章 渡口", 1)
    document.add_paragraph("***")
    document.add_paragraph("走\n吧")
    path = tmp_path / "b.docx"
    document.save(str(path))
    book = read(path)
    assert (book.title, book.author, book.format) == ("山里的灯", "柳下客", "docx")
    assert [chapter.title for chapter in book.chapters] == ["第一章 河边", "第二章 渡口"]
    assert texts(book) == ["灯亮了。", "甲", "乙", "临安，106"]
    assert texts(book, 1) == ["走", "吧"]
    assert left(book, "footnote-mark") == ["1"]
    assert left(book, "title-page") == ["山里的灯"]


def test_text_boxes_are_read_once_behind_their_paragraph(tmp_path: Path) -> None:
    path = tmp_path / "b.docx"
    document = Document()
    document.add_paragraph("前文。")
    document.save(str(path))
    box = "<w:txbxContent><w:p><w:r><w:t>信里写着</w:t></w:r></w:p><w:p><w:r><w:t>速归。</w:t></w:r></w:p></w:txbxContent>"
    body = (
        "<w:p><w:r><w:t>他展开信，</w:t></w:r><w:r><mc:AlternateContent>"
        f'<mc:Choice Requires="wps"><w:drawing>{box}</w:drawing></mc:Choice>'
        f"<mc:Fallback><w:pict>{box}</w:pict></mc:Fallback></mc:AlternateContent></w:r>"
        "<w:r><w:t>沉默了。</w:t></w:r></w:p>"
        f"<w:p><w:r><w:pict>{box.replace('信里', '牌上')}</w:pict></w:r></w:p>"
    )
    names = (
        'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" '
        'xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"'
    )
    text = f"<w:document {names}><w:body>{body}</w:body></w:document>"
    replace_part(path, {"word/document.xml": text.encode("utf-8")})
    assert texts(read(path)) == ["他展开信，沉默了。", "信里写着", "速归。", "牌上写着", "速归。"]


def test_without_styles_the_words_make_chapters(tmp_path: Path) -> None:
    document = Document()
    for number in "一二三":
        document.add_paragraph(f"第{number}章 名")
        document.add_paragraph("灯亮了。")
    path = tmp_path / "b.docx"
    document.save(str(path))
    assert [chapter.title for chapter in read(path).chapters] == ["第一章 名", "第二章 名", "第三章 名"]


def test_deleted_text_and_field_codes_are_no_text_and_footnotes_are_left_out(tmp_path: Path) -> None:
    path = tmp_path / "b.docx"
    Document().save(str(path))
    w = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
    body = (
        f'<w:document {w}><w:body><w:sdt><w:sdtPr><w:docPartObj><w:docPartGallery w:val="Table of Contents"/></w:docPartObj></w:sdtPr>'
        "<w:sdtContent><w:p><w:r><w:t>目录 1</w:t></w:r></w:p></w:sdtContent></w:sdt><w:p><w:r><w:t>灯</w:t></w:r><w:del><w:r><w:delText>灭"
        "</w:delText></w:r></w:del><w:ins><w:r><w:t>亮了</w:t></w:r></w:ins><w:r><w:instrText>PAGE</w:instrText><w:footnoteReference "
        'w:id="2"/><w:t>。</w:t></w:r></w:p></w:body></w:document>'
    )
    notes = f'<w:footnotes {w}><w:footnote w:id="0" w:type="separator"><w:p/></w:footnote><w:footnote w:id="2"><w:p><w:r><w:t>注文</w:t></w:r></w:p></w:footnote></w:footnotes>'
    replace_part(path, {"word/document.xml": body.encode(), "word/footnotes.xml": notes.encode()})
    book = read(path)
    assert texts(book) == ["灯亮了。"]
    assert left(book, "footnote") == ["注文"]
    assert left(book, "table-of-contents") == ["目录 1"]


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"word/document.xml": None, "_rels/.rels": b"<Relationships/>"}, "docx-missing"),
        ({"word/document.xml": b"<w:document"}, "docx-broken"),
        ({"word/document.xml": b'<!DOCTYPE x [<!ENTITY a "b">]><x>&a;</x>'}, "docx-broken"),
        ({"word/document.xml": b"<a>" + b"\0" * 5_000_000 + b"</a>"}, "docx-bomb"),
        ({"../evil": b"x"}, "docx-path"),
    ],
)
def test_broken_and_hostile_files_are_refused(tmp_path: Path, changes: dict[str, bytes | None], code: str) -> None:
    document = Document()
    document.add_paragraph("灯亮了。")
    path = tmp_path / "b.docx"
    document.save(str(path))
    replace_part(path, changes)
    with pytest.raises(VoicepressError) as caught:
        read_manuscript(path)
    assert caught.value.code == code


def test_an_empty_document_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "b.docx"
    Document().save(str(path))
    with pytest.raises(VoicepressError) as caught:
        read_manuscript(path)
    assert caught.value.code == "empty-book"
