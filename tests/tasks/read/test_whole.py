"""Whatever the text: every character that is not whitespace is read, in a heading, or left out with a reason."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from tasks.domain import Manuscript
from tasks.read.account import gaps, untrue
from tasks.read.convert import simplified
from tasks.read.parsed import Parsed
from tasks.read.plain import parse

LINE = st.sampled_from(
    [
        "第一章 风", "第二章雨", "第3章", "三章 雪", "卷一 山", "楔子", "尾声", "目录", "一、米", "2. 盐", "[1]", "（三）", "上", "下", "第二回合",
        "Chapter 1", "CHAPTER II. The Ferry", "Part I", "II", "TWO", "作者有话说：", "ps：求月票！", "（本章完）", "***", "※", "题外话",
        "最新网址：ｗｗｗ．ｘｘ．ｃｏｍ", "灯亮了。（手机用户请访问m.xx.com阅读）他走了。", "他到了临安①，住在城南[1]。", "① 临安。", "[1] 今杭州。", "* 注",
        "won-", "derful boats came slowly over the dark river to the other side and were", "wonderful", "他\u200b走\ue001了。", "\u200b",
        "《灯》", "作者：柳下客", "*** START OF THE PROJECT GUTENBERG EBOOK X ***", "*** END OF THE PROJECT GUTENBERG EBOOK X ***",
        "　　灯一盏一盏地亮了，河上还有几条晚归的船，慢慢地摇过来。", "“走吧。”他说。", "第一章 风 第二章雨 第3章", "", "", "　",
    ]
) | st.text(max_size=40)  # fmt: skip


def made(parsed: Parsed, convert: str = "") -> Manuscript:
    chapters = simplified(parsed.chapters) if convert else parsed.chapters
    return Manuscript(str(Path("b")), "txt", "utf-8", "", parsed.source, chapters, parsed.left_out, convert=convert)


@settings(max_examples=300, deadline=None)
@given(st.lists(LINE, max_size=40))
def test_nothing_of_a_text_is_lost(lines: list[str]) -> None:
    parsed = parse("\n".join(lines))
    book = made(parsed)
    assert gaps(book) == []
    assert untrue(book) == []
    assert [chapter.number for chapter in book.chapters] == list(range(1, len(book.chapters) + 1))


@settings(max_examples=100, deadline=None)
@given(st.lists(LINE, max_size=20))
def test_nothing_is_read_twice_or_both_read_and_left_out(lines: list[str]) -> None:
    book = made(parse("\n".join(lines)))
    spans = [(entry.span.start, entry.span.end) for entry in book.left_out]
    for chapter in book.chapters:
        spans += [(chapter.heading.start, chapter.heading.end)] if chapter.heading else []
        for paragraph in chapter.paragraphs:
            spans += [(run.source_start, run.source_start + run.length) for run in paragraph.runs]
    spans.sort()
    assert all(first[1] <= second[0] for first, second in pairwise(spans))


@settings(max_examples=50, deadline=None)
@given(st.lists(LINE | st.text("甚麼祇牠著名燈亮後乾淨髮發裡，。", max_size=20), max_size=20))
def test_conversion_keeps_the_account(lines: list[str]) -> None:
    book = made(parse("\n".join(lines)), "simplified")
    assert gaps(book) == untrue(book) == []
