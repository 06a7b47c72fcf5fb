"""The report says what was understood, and its figures add up."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from tasks.read.inspect import columns, render, report
from tasks.read.manuscript import read_manuscript

BOOK = (
    "作者：柳下客\n卷一 风\n第一章 河边\n灯亮了。\n***\n他走了。\n本书来自www.example.com小说网\n第二章 渡口\nthe end\n"
)


def test_the_figures_add_up(write: Callable[..., Path]) -> None:
    facts = report(read_manuscript(write(BOOK)))
    assert facts.characters == facts.read + facts.headings + facts.left
    assert facts.unexplained == 0
    assert [(c.number, c.volume, c.title, c.characters, c.line) for c in facts.chapters] == [
        (1, "卷一 风", "第一章 河边", 8, 3), (2, "卷一 风", "第二章 渡口", 6, 8),
    ]  # fmt: skip
    assert {(group.reason, group.times) for group in facts.left_out} == {
        ("advert", 1), ("heading-mark", 1), ("scene-break", 1), ("title-page", 1),
    }  # fmt: skip
    assert next(group for group in facts.left_out if group.reason == "advert").excerpts == (
        (7, "本书来自www.example.com小说网"),
    )


def test_columns_line_up_where_characters_are_wide(write: Callable[..., Path]) -> None:
    lines = render(report(read_manuscript(write("第一章 河边\n灯亮了。\nChapter 2\nthe end\n第三章\n"))))
    rows = [line for line in lines if " characters  line" in line]
    assert len({columns(line[: line.index(" characters")]) for line in rows}) == 1
    assert any("has no text" in line for line in lines)
    assert columns("灯a") == 3


def test_long_titles_and_texts_are_shortened(write: Callable[..., Path]) -> None:
    facts = report(read_manuscript(write("第一章 " + "很长的名字" * 7 + "\n" + "灯亮了。" * 100)))
    assert max(columns(line) for line in render(facts)[4:]) < 100


def test_lines_are_named_only_where_the_file_has_them(write: Callable[..., Path]) -> None:
    text = render(report(read_manuscript(write(BOOK))))
    assert any(line.startswith("  advert: 1 time, ") for line in text)
    assert "    line 7: 本书来自www.example.com小说网" in text
    page = write("<h1>第一章</h1><p>灯亮了。</p><hr/><p>* * *</p><p>他走了。</p>", "page.html")
    shown = render(report(read_manuscript(page)))
    assert "    * * *" in shown
    assert not any("line" in line for line in shown[1:])  # the first is the path


def test_doubtful_lines_are_shown_with_reasons_and_all_of_them_on_demand(write: Callable[..., Path]) -> None:
    body = "　　灯一盏一盏地亮了，河上还有几条晚归的船。\n" * 6
    text = "".join(f"第{number}章 名{number}\n{body}" for number in range(1, 8)) + "第九节\n" + body + "　　第三回合\n"
    facts = report(read_manuscript(write(text)))
    shown = render(facts)
    assert "headings: 7 chapter 章" in shown
    at = next(place for place, line in enumerate(shown) if line.startswith("  line 50: 第九节: not a heading, "))
    assert "the book counts 章, and this 节 9 stands alone (-2.5)" in " ".join(
        line.strip() for line in shown[at + 1 : at + 4]
    )
    assert "  not taken: 1 further from it (--why shows all)" in shown
    every = "\n".join(render(facts, why=True))
    assert "line 1: 第1章 名1: heading, " in every
    assert "回合 is a word of its own (-4.0)" in every
