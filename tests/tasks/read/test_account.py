"""Nothing is lost, whatever comes in."""

from __future__ import annotations

import string
from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tasks.domain import Manuscript, Span
from tasks.read import markdown, plain
from tasks.read.account import gaps, untrue
from tasks.read.blocks import assemble
from tasks.read.parsed import Parsed
from tasks.read.tree import Writer, note_targets
from tasks.read.xml import MarkupError, parse_html

_PIECES = [
    "第一章 甲", "第二章", "卷一", "楔子", "目录", "Chapter 2", "001. 名", "一", "《书》", "作者：某", "***", "※", "——", "……", "\n", "\n\n", "\n\n\n",
    "　　", " ", "\t", "灯亮了。", "他说：“走吧。”", "①", "① 注。", "[1]", "[1] note", "word word word", "本书来自www.a.com小说", "\u200b", "\ufeff",
    "\x1c", "\x85", "\u2028", "求月票！", "第一章 甲……12", "# 标题", "## 小节", "*", "**", "_", "`", "```", "> ", "- ", "1. ", "[^1]", "[^1]: 注", "![图](x)",
    "[链接](http://a.b \"t\")", "<http://x.y>", "&amp;", "&nbsp;", "&mdash;", "&#42;", "<b>", "</b>", "<p>", "<!-- c -->", "---", "===", "|", "|-|", "\\*", "\\",
    "    ", "![", "](", ")", "[a]: /u", "😀", "é", "title: x\n", "~~~", "<sup>1</sup>", "<script>", "</p>", "<br>",
]  # fmt: skip
_SOUP = st.lists(
    st.sampled_from(_PIECES) | st.text(string.printable + "灯亮了，。\u200b", max_size=5), max_size=40
).map("".join)


def manuscript(parsed: Parsed) -> Manuscript:
    return Manuscript("p", "txt", "utf-8", "", parsed.source, parsed.chapters, parsed.left_out)


def check(parsed: Parsed) -> None:
    book = manuscript(parsed)
    assert gaps(book) == []
    assert untrue(book) == []
    for chapter in book.chapters:
        for paragraph in chapter.paragraphs:
            assert (paragraph.kind == "scene_break") == (not paragraph.text)
            assert paragraph.text == paragraph.text.strip()
    spans = sorted((entry.span.start, entry.span.end) for entry in book.left_out)
    runs = sorted(
        (run.source_start, run.source_start + run.length)
        for chapter in book.chapters
        for paragraph in chapter.paragraphs
        for run in paragraph.runs
    )
    for part in (spans, runs, sorted(spans + runs)):
        assert all(before[1] <= after[0] for before, after in pairwise(part)), part
    assert [chapter.number for chapter in book.chapters] == list(range(1, len(book.chapters) + 1))


@given(_SOUP)
def test_every_character_of_any_plain_text_is_accounted_for(text: str) -> None:
    check(plain.parse(text))


@given(_SOUP)
def test_every_character_of_any_markdown_is_accounted_for(text: str) -> None:
    check(markdown.parse(text))


@given(_SOUP)
def test_every_character_of_any_html_is_accounted_for(text: str) -> None:
    try:
        root = parse_html(text)
    except MarkupError:
        return
    writer = Writer()
    writer.walk(root, note_ids={href[1:] for href in note_targets(root)})
    source = writer.source
    made = assemble(source, writer.blocks, writer.left_out)
    check(Parsed(source, made.chapters, tuple(writer.left_out)))


_TAGS = [
    "p",
    "h1",
    "h2",
    "h3",
    "div",
    "b",
    "a",
    "sup",
    "ruby",
    "rt",
    "pre",
    "code",
    "nav",
    "aside",
    "table",
    "td",
    "li",
    "br",
    "hr",
    "img",
    "section",
]
_ATTRIBUTES = [
    "",
    "",
    "",
    ' id="n"',
    ' href="#n"',
    ' epub:type="noteref"',
    ' epub:type="footnote"',
    " hidden",
    ' alt="图"',
    ' role="doc-toc"',
]


@st.composite
def _trees(draw: st.DrawFn, depth: int = 4) -> str:
    parts = []
    for _ in range(draw(st.integers(0, 4))):
        if depth and draw(st.booleans()):
            tag = draw(st.sampled_from(_TAGS))
            parts.append(f"<{tag}{draw(st.sampled_from(_ATTRIBUTES))}>{draw(_trees(depth - 1))}</{tag}>")
        else:
            parts.append(
                draw(st.sampled_from(["灯亮了。", "1", "[1]", " ", "\n", "***", "word", "\u200b", "第一章 甲"]))
            )
    return "".join(parts)


@given(_trees())
def test_every_character_of_any_tree_is_accounted_for(body: str) -> None:
    root = parse_html(f"<html><body>{body}<p>末</p></body></html>")
    writer = Writer()
    writer.walk(root, note_ids={"n"}, anchors={"n": ("题", 1)})
    source = writer.source
    made = assemble(source, writer.blocks, writer.left_out)
    check(Parsed(source, made.chapters, tuple(writer.left_out)))


def test_a_gap_is_found() -> None:
    book = manuscript(plain.parse("第一章 甲\n灯亮了。\n他走了。\n"))
    chapter = book.chapters[0]
    short = replace(book, chapters=(replace(chapter, paragraphs=chapter.paragraphs[:1]),))
    assert gaps(short) == [Span(11, 15)]


def test_a_paragraph_that_says_something_else_is_found() -> None:
    book = manuscript(plain.parse("灯亮了。\n"))
    chapter = book.chapters[0]
    wrong = replace(chapter.paragraphs[0], text="灯灭了。")
    assert untrue(replace(book, chapters=(replace(chapter, paragraphs=(wrong,)),))) == [wrong]


@pytest.mark.parametrize("reader", [plain.parse, markdown.parse])
def test_whitespace_needs_no_account(reader: object) -> None:
    check(reader(" \n\u3000\n\t"))  # type: ignore[operator]
