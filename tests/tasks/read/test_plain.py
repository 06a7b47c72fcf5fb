"""Plain text becomes chapters and paragraphs, and what is left out has a reason."""

from __future__ import annotations

import pytest

from tasks.domain import Chapter
from tasks.read.parsed import Parsed
from tasks.read.plain import parse

TEXT = "　　灯一盏一盏地亮了，河上还有几条晚归的船，慢慢地摇过来。\n　　“走吧。”他说。\n"


def texts(chapter: Chapter) -> list[str]:
    return [paragraph.text for paragraph in chapter.paragraphs]


def titles(parsed: Parsed) -> list[str]:
    return [chapter.title for chapter in parsed.chapters]


def left(parsed: Parsed, reason: str) -> list[str]:
    return [entry.text for entry in parsed.left_out if entry.reason == reason]


def test_one_line_is_one_paragraph_without_its_indentation() -> None:
    parsed = parse("第一章 河边\n" + TEXT)
    assert titles(parsed) == ["第一章 河边"]
    assert texts(parsed.chapters[0]) == ["灯一盏一盏地亮了，河上还有几条晚归的船，慢慢地摇过来。", "“走吧。”他说。"]
    run = parsed.chapters[0].paragraphs[1].runs[0]
    assert parsed.source[run.source_start : run.source_start + run.length] == "“走吧。”他说。"


def test_volumes_go_to_their_chapters() -> None:
    parsed = parse(f"卷一 风\n第一章 甲\n{TEXT}第二章 乙\n{TEXT}卷二 雨\n第一章 丙\n{TEXT}")
    assert [(chapter.volume, chapter.title) for chapter in parsed.chapters] == [
        ("卷一 风", "第一章 甲"), ("卷一 风", "第二章 乙"), ("卷二 雨", "第一章 丙"),
    ]  # fmt: skip
    assert left(parsed, "heading-mark") == ["卷一 风", "卷二 雨"]


def test_a_volume_with_text_of_its_own_is_a_chapter() -> None:
    parsed = parse(f"卷一 风\n{TEXT}第一章 甲\n{TEXT}")
    assert titles(parsed) == ["卷一 风", "第一章 甲"]


def test_volumes_alone_are_the_chapters() -> None:
    assert titles(parse(f"第一部 甲\n{TEXT}第二部 乙\n{TEXT}")) == ["第一部 甲", "第二部 乙"]


def test_volume_and_chapter_on_one_line() -> None:
    parsed = parse(f"第一卷 风起 第一章 甲\n{TEXT}第一卷 风起 第二章 乙\n{TEXT}")
    assert [(chapter.volume, chapter.title) for chapter in parsed.chapters] == [
        ("第一卷 风起", "第一章 甲"), ("第一卷 风起", "第二章 乙"),
    ]  # fmt: skip


def test_a_title_on_the_next_line_belongs_to_the_heading() -> None:
    parsed = parse("".join(f"第{number}章\n\n{name}\n\n{TEXT}" for number, name in (("一", "河边"), ("二", "渡口"))))
    assert titles(parsed) == ["第一章 河边", "第二章 渡口"]
    heading = parsed.chapters[0].heading
    assert heading is not None
    assert parsed.source[heading.start : heading.end] == "第一章\n\n河边"


def test_first_paragraphs_are_not_taken_for_titles() -> None:
    parsed = parse("".join(f"第{number}章\n　　他走了\n　　她没有回头。\n" for number in "一二三"))
    assert titles(parsed) == ["第一章", "第二章", "第三章"]


def test_a_table_of_contents_on_top_is_left_out() -> None:
    names = ["第一章 河边", "第二章 渡口", "第三章 远行", "第四章 归来"]
    parsed = parse("目录\n" + "\n".join(names) + "\n\n" + "".join(f"{name}\n{TEXT}" for name in names))
    assert titles(parsed) == names
    assert left(parsed, "table-of-contents") == ["目录", *names]


def test_a_table_of_contents_with_page_numbers_is_left_out() -> None:
    names = ["第一章 河边", "第二章 渡口", "第三章 远行"]
    listed = "\n".join(f"{name}……{number * 12}" for number, name in enumerate(names, 1))
    parsed = parse(f"{listed}\n\n" + "".join(f"{name}\n{TEXT}" for name in names))
    assert titles(parsed) == names


def test_headings_without_text_that_do_not_come_again_are_chapters() -> None:
    parsed = parse("第一章 甲\n第二章 乙\n第三章 丙\n")
    assert titles(parsed) == ["第一章 甲", "第二章 乙", "第三章 丙"]
    assert len([warning for warning in parsed.warnings if "has no text" in warning]) == 3


def test_very_many_chapters_without_text_are_counted() -> None:
    parsed = parse("".join(f"第{number}章 山水{number}\n" for number in range(1, 41)))
    told = [warning for warning in parsed.warnings if "text" in warning]
    assert len(told) == 11
    assert told[0] == "chapter 1 (第1章 山水1, line 1) has no text"
    assert told[-1] == "… and 30 more chapters without text"


def test_bare_numbers_are_chapters_only_as_a_sequence_with_text() -> None:
    body = TEXT * 6
    assert titles(parse("".join(f"00{number}. 名{number}\n{body}" for number in (1, 2, 3, 4)))) == [
        "001. 名1", "002. 名2", "003. 名3", "004. 名4",
    ]  # fmt: skip
    assert titles(parse(f"1. 米\n2. 盐\n3. 油\n{body}")) == [""]
    assert titles(parse("".join(f"第{number}章 甲\n一\n{body}二\n{body}" for number in "一二"))) == [
        "第一章 甲",
        "第二章 甲",
    ]


def test_the_title_page_is_left_out_only_where_it_is_certain() -> None:
    parsed = parse(f"《山里的灯》\n作者：柳下客\n\n内容简介：\n　　一个关于灯的故事。\n\n第一章 甲\n{TEXT}")
    assert (parsed.title, parsed.author) == ("山里的灯", "柳下客")
    assert left(parsed, "title-page") == ["《山里的灯》", "作者：柳下客"]
    assert texts(parsed.chapters[0]) == ["内容简介：", "一个关于灯的故事。"]
    assert parsed.chapters[0].title == ""
    assert parsed.chapters[0].heading is None


def test_a_title_is_believed_when_the_author_follows() -> None:
    assert parse(f"山里的灯\n作者：柳下客\n第一章 甲\n{TEXT}").title == "山里的灯"
    assert parse(f"山里的灯\n很久以前。\n第一章 甲\n{TEXT}").title == ""


def test_adverts_are_left_out_and_stories_about_books_are_not() -> None:
    adverts = [
        "本书来自www.example.com免费txt小说下载站",
        "更多精彩小说请访问 www.example.net",
        "手机用户请浏览m.example.com阅读",
        "（本章未完，请点击下一页继续阅读）",
    ]
    prose = [
        "他说本书写得很好，更多的他没有说。",
        "“请收藏好这本书。”她说。",
        "求你了！",
        "他的网址是什么，没有人知道。",
    ]
    parsed = parse("第一章 甲\n" + "\n".join(adverts + prose))
    assert left(parsed, "advert") == adverts
    assert texts(parsed.chapters[0]) == prose


def test_scene_marks_become_scene_breaks() -> None:
    parsed = parse("第一章 甲\n***\n甲。\n＊＊＊\n乙。\n---\n◇\n丙。\n……\n※\n")
    kinds = [(paragraph.kind, paragraph.text) for paragraph in parsed.chapters[0].paragraphs]
    assert kinds == [
        ("text", "甲。"),
        ("scene_break", ""),
        ("text", "乙。"),
        ("scene_break", ""),
        ("text", "丙。"),
        ("text", "……"),
    ]
    assert left(parsed, "scene-break") == ["***", "＊＊＊", "---", "◇", "※"]


def test_a_rare_gap_of_blank_lines_is_a_scene_break() -> None:
    lines = [f"这是第{number}句话，说的是河边的事。" for number in range(20)]
    parsed = parse("\n".join(lines[:10]) + "\n\n\n" + "\n".join(lines[10:]))
    assert [paragraph.kind for paragraph in parsed.chapters[0].paragraphs].index("scene_break") == 10
    doubled = parse("\n\n".join(lines))
    assert all(paragraph.kind == "text" for paragraph in doubled.chapters[0].paragraphs)


def test_hard_wrapped_english_is_joined_with_exact_runs() -> None:
    story = (
        "the lamps in the hills were lit one by one while the last boats came slowly over the dark river toward home"
    )
    words = story.split()
    lines, row = [], ""
    for word in words * 4:
        if len(row) + len(word) + 1 > 60:
            lines.append(row)
            row = word
        else:
            row = f"{row} {word}".strip()
    paragraph = "\n".join([*lines, row])
    parsed = parse(f"Chapter 1\n\n{paragraph}\n\n{paragraph}.\n")
    got = texts(parsed.chapters[0])
    assert got == [" ".join(words * 4), " ".join(words * 4) + "."]
    assert len(parsed.chapters[0].paragraphs[0].runs) == len(lines) + 1


def test_hard_wrapped_chinese_is_joined_without_spaces() -> None:
    sentence = (
        "灯一盏一盏地亮了河上还有几条晚归的船慢慢地摇过来，岸边的人都不说话，只听见水声和远处的犬吠，夜就这样来了，"
    )
    rows = [sentence[:26], sentence[26:52], sentence[:26], "他走了。"]
    parsed = parse("第一章 甲\n" + "".join(f"　　{rows[0][:24]}\n{rows[1]}\n{rows[2]}\n{rows[3]}\n" for _ in range(6)))
    got = texts(parsed.chapters[0])
    assert got == [rows[0][:24] + "".join(rows[1:])] * 6


def test_a_heading_shape_inside_a_wrapped_paragraph_is_prose() -> None:
    filler = "and the ferryman told us once again the whole story of"
    paragraph = "\n".join([filler, "Chapter 12", filler, filler, filler, filler])
    parsed = parse("Chapter 1\n\n" + f"{paragraph}\n\n" * 5)
    assert titles(parsed) == ["Chapter 1"]


def test_footnotes_are_left_out_only_where_mark_and_note_match() -> None:
    parsed = parse(
        "第一章 甲\n他到了临安①，住在城南[2]。\n他说：①先走；②后走。\n\n① 临安：今杭州。\n第二章 乙\n又到临安①。\n"
    )
    assert left(parsed, "footnote") == ["① 临安：今杭州。"]
    assert texts(parsed.chapters[0])[0] == "他到了临安，住在城南[2]。"
    assert texts(parsed.chapters[1]) == ["又到临安①。"]


def test_a_list_with_circled_numbers_is_read() -> None:
    parsed = parse("第一章 甲\n规矩有三条：\n① 不许说话。\n② 不许走动。\n他念完了。\n")
    assert left(parsed, "footnote") == []
    assert len(parsed.chapters[0].paragraphs) == 4


def test_invisible_characters_are_not_read_and_accounted_for() -> None:
    parsed = parse("\u200b第一章 甲\n灯\u200b亮\ufeff了。\n\u200b\n")
    assert titles(parsed) == ["第一章 甲"]
    assert texts(parsed.chapters[0]) == ["灯亮了。"]
    assert "\u200b" in left(parsed, "markup")


def test_jumps_in_the_numbering_are_reported() -> None:
    parsed = parse(f"第一章 甲\n{TEXT}第三章 乙\n{TEXT}第三章 丙\n{TEXT}")
    assert [warning for warning in parsed.warnings if "number" in warning] == [
        "chapter number 2 is missing: 3 follows 1 (line 4)", "chapter number 3 is there twice (lines 4 and 7)",
    ]  # fmt: skip


def test_a_text_without_headings_is_one_untitled_chapter() -> None:
    parsed = parse(TEXT * 5)
    assert titles(parsed) == [""]
    assert len(parsed.chapters[0].paragraphs) == 10


def test_one_line_of_five_megabytes_is_read() -> None:
    parsed = parse("第一章 甲\n" + "灯亮了。" * 1_300_000)
    assert len(parsed.chapters[0].paragraphs[0].text) == 5_200_000


def test_leaders_of_blanks_and_dots_are_cut_from_the_contents_only() -> None:
    names = ["第一章 河边", "第二章 渡口", "第三章 远行"]
    for leader in (" . . . . ", "\t", "…", "　　"):
        parsed = parse(
            "\n".join(f"{name}{leader}{page}" for page, name in enumerate(names, 1))
            + "\n"
            + "".join(f"{name}\n{TEXT}" for name in names)
        )
        assert titles(parsed) == names
    assert titles(parse(f"第一章 1999\n{TEXT}第二章 第 3 号\n{TEXT}")) == ["第一章 1999", "第二章 第 3 号"]


def test_contents_whose_titles_stand_on_two_lines_in_the_text_are_left_out() -> None:
    names = [("I", "The Ferry"), ("II", "The Lamp"), ("III", "The Way Home")]
    listed = "\n".join(f" CHAPTER {number}. {name}" for number, name in names)
    body = "".join(
        f"CHAPTER {number}.\n{name}\n\n\nThe lamps were lit, and they went home.\n\n\n" for number, name in names
    )
    parsed = parse(f"Contents\n\n{listed}\n\n\n{body}")
    assert titles(parsed) == ["CHAPTER I. The Ferry", "CHAPTER II. The Lamp", "CHAPTER III. The Way Home"]
    assert len(left(parsed, "table-of-contents")) == 4


@pytest.mark.parametrize(
    ("mark", "note"),
    [
        ("①", "① 临安：今杭州。"), ("[1]", "[1] 临安：今杭州。"), ("〔注1〕", "〔注1〕临安：今杭州。"), ("[1]", "注1：临安，今杭州。"),
        ("*", "* 临安：今杭州。"), ("*", "*临安：今杭州。"), ("（注一）", "（注一）临安：今杭州。"), ("[2]", "[Footnote 2: Lin'an, now Hangzhou.]"),
    ],
)  # fmt: skip
def test_notes_of_every_style_go_with_their_marks(mark: str, note: str) -> None:
    parsed = parse(f"第一章 甲\n他到了临安{mark}，住在城南。\n他走了。\n{note}\n第二章 乙\n灯亮了。\n")
    assert left(parsed, "footnote") == [note]
    assert left(parsed, "footnote-mark") == [mark]
    assert texts(parsed.chapters[0]) == ["他到了临安，住在城南。", "他走了。"]


def test_stars_without_a_note_are_read() -> None:
    parsed = parse("第一章 甲\n他按下*键，又骂了一句***。\n* 第一条。\n他走了。\n")
    assert left(parsed, "footnote") == []


def test_a_word_that_a_line_end_cut_is_whole_again_where_the_text_knows_it() -> None:
    filler = "the lamps in the hills were lit one by one while the last"
    text = f"It was wonderful.\n\n{filler} of the won-\nderful boats came slowly over the dark river to the well-\nknown place where {filler}\n"
    parsed = parse(text + f"\n{filler} boats\n{filler} boats\n{filler} boats\n{filler} boats\n" * 4)
    assert "of the wonderful boats" in texts(parsed.chapters[0])[1]
    assert "well-known place" in texts(parsed.chapters[0])[1]
    assert left(parsed, "markup") == ["-"]


def test_chapters_that_hold_nothing_but_sections_are_volumes() -> None:
    parsed = parse("".join(f"第{number}章 名{number}\n第一节 甲\n{TEXT}第二节 乙\n{TEXT}" for number in (1, 2)))
    assert [(chapter.volume, chapter.title) for chapter in parsed.chapters] == [
        ("第1章 名1", "第一节 甲"), ("第1章 名1", "第二节 乙"), ("第2章 名2", "第一节 甲"), ("第2章 名2", "第二节 乙"),
    ]  # fmt: skip


def test_a_mark_of_the_body_alone_on_a_line_is_no_text() -> None:
    parsed = parse(f"正文\n第一章 甲\n{TEXT}第二章 乙\n{TEXT}")
    assert titles(parsed) == ["第一章 甲", "第二章 乙"]
    assert left(parsed, "heading-mark") == ["正文"]


def test_what_stands_twice_in_a_row_is_read_and_reported() -> None:
    story = "　　灯一盏一盏地亮了，河上还有几条晚归的船，慢慢地摇过来。\n" * 2 + TEXT * 6
    warnings = parse("".join(f"第{number}章 甲\n{story}" for number in range(1, 10))).warnings
    assert sum("has the same text as the one before" in one for one in warnings) == 5
    assert "… and 3 more chapters with the text of the one before" in warnings
    # Two at the top of each chapter, and the first line of TEXT behind them is the same once more.
    assert "18 paragraphs stand twice in a row; both are read (line 3, 4, 18, 19, 33 …)" in warnings
