"""Markdown: the text is read, the marks are not."""

from __future__ import annotations

from tasks.read.markdown import parse
from tasks.read.parsed import Parsed


def texts(parsed: Parsed, chapter: int = 0) -> list[str]:
    return [paragraph.text for paragraph in parsed.chapters[chapter].paragraphs]


def left(parsed: Parsed, reason: str) -> list[str]:
    return [entry.text for entry in parsed.left_out if entry.reason == reason]


def test_headings_are_chapters_and_the_first_alone_is_the_title() -> None:
    parsed = parse("# 山里的灯\n\n## 第一章 甲\n\n灯亮了。\n\n## 第二章 乙\n\n### 小节\n\n他走了。\n")
    assert parsed.title == "山里的灯"
    assert [chapter.title for chapter in parsed.chapters] == ["第一章 甲", "第二章 乙"]
    assert texts(parsed, 1) == ["小节", "他走了。"]
    assert left(parsed, "heading-mark") == ["#", "##", "##", "###"]


def test_outer_headings_without_text_are_volumes() -> None:
    parsed = parse("# 卷一\n## 甲\n文。\n## 乙\n文。\n# 卷二\n## 丙\n文。\n# 后记\n文。\n")
    assert [(chapter.volume, chapter.title) for chapter in parsed.chapters] == [
        ("卷一", "甲"), ("卷一", "乙"), ("卷二", "丙"), ("", "后记"),
    ]  # fmt: skip


def test_chapters_with_numbered_sections_stay_chapters() -> None:
    parsed = parse("# 第一章 甲\n## 一\n文。\n## 二\n文。\n# 第二章 乙\n## 一\n文。\n")
    assert [chapter.title for chapter in parsed.chapters] == ["第一章 甲", "第二章 乙"]


def test_marks_links_images_and_html_are_left_out() -> None:
    parsed = parse('他说：*你*好，**世**界，[河边](http://a.b/c(d).e "t")。![灯](x.png)走<b>吧</b>。<http://x.y>\n')
    assert texts(parsed) == ["他说：你好，世界，河边。走吧。"]
    assert left(parsed, "image") == ["![灯](x.png)"]
    assert '](http://a.b/c(d).e "t")' in left(parsed, "markup")


def test_code_blocks_and_html_blocks_are_left_out_and_indented_lines_are_prose() -> None:
    parsed = parse("灯亮了。\n\n```\nx = 1\n```\n\n<div>框</div>\n\n    他走了。\n")
    assert texts(parsed) == ["灯亮了。", "他走了。"]
    assert left(parsed, "code") == ["```\nx = 1\n```"]
    assert left(parsed, "markup") == ["<div>框</div>"]


def test_lines_of_a_paragraph_are_joined() -> None:
    assert texts(parse("the lamps\nwere lit\n\n灯亮了，\n他走了。\n")) == ["the lamps were lit", "灯亮了，他走了。"]


def test_footnotes_with_a_note_are_left_out() -> None:
    parsed = parse("他到了临安[^1]，又走了[^2]。\n\n[^1]: 今杭州，\n    在南方。\n")
    assert texts(parsed) == ["他到了临安，又走了[^2]。"]
    assert left(parsed, "footnote-mark") == ["[^1]"]


def test_escapes_and_entities() -> None:
    assert texts(parse("a \\* b &amp; c&nbsp;d &mdash; e &lt;f&gt;\n")) == ["a * b & c\xa0d — e f"]


def test_front_matter_says_title_and_author() -> None:
    parsed = parse('---\ntitle: 山里的灯\nauthor: "柳下客"\nlang: zh\n---\n\n灯亮了。\n')
    assert (parsed.title, parsed.author, parsed.language) == ("山里的灯", "柳下客", "zh")
    assert texts(parsed) == ["灯亮了。"]


def test_rules_are_scene_breaks_and_lists_and_quotes_are_read() -> None:
    parsed = parse("甲。\n\n* * *\n\n- 乙\n- 丙\n\n> 丁\n\n| 戊 | 己 |\n|---|---|\n| 庚 | 辛 |\n")
    assert [(paragraph.kind, paragraph.text) for paragraph in parsed.chapters[0].paragraphs] == [
        ("text", "甲。"), ("scene_break", ""), *(("text", word) for word in "乙丙丁戊己庚辛"),
    ]  # fmt: skip


def test_chinese_headings_count_where_there_are_no_marks() -> None:
    parsed = parse("第一章 甲\n\n灯亮了。\n\n第二章 乙\n\n他走了。\n")
    assert [chapter.title for chapter in parsed.chapters] == ["第一章 甲", "第二章 乙"]
