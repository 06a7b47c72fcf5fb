"""Which lines are headings by their shape."""

from __future__ import annotations

import pytest

from tasks.read.headings import grade, numeral


@pytest.mark.parametrize(
    ("line", "kind", "title"),
    [
        ("第一章 河边", "chapter", "第一章 河边"),
        ("第一章河边", "chapter", "第一章河边"),
        ("第一章", "chapter", "第一章"),
        ("第12章：渡口", "chapter", "第12章：渡口"),
        ("第１２章　渡口", "chapter", "第１２章 渡口"),
        ("第一千二百三十四章 归来", "chapter", "第一千二百三十四章 归来"),
        ("第三回　老船夫夜话渡口　小渔娘晨起采莲", "chapter", "第三回 老船夫夜话渡口 小渔娘晨起采莲"),
        ("第七話　燈火", "chapter", "第七話 燈火"),
        ("第二節 渡口", "chapter", "第二節 渡口"),
        ("正文 第1章 河边", "chapter", "第1章 河边"),
        ("正文第1章 河边", "chapter", "第1章 河边"),
        ("【第3章】渡口", "chapter", "第3章 渡口"),
        ("☆、第4章 渡口", "chapter", "第4章 渡口"),
        ("第五章 你是谁？", "chapter", "第五章 你是谁？"),
        ("第六章 走吧（求月票）", "chapter", "第六章 走吧"),
        ("第一卷 风起 第三章 夜航", "chapter", "第三章 夜航"),
        ("Chapter 12", "chapter", "Chapter 12"),
        ("CHAPTER XII", "chapter", "CHAPTER XII"),
        ("Chapter Twenty-One: The Ferry", "chapter", "Chapter Twenty-One: The Ferry"),
        ("Chapter 3. The Lamp on the Hill", "chapter", "Chapter 3. The Lamp on the Hill"),
        ("Part One", "volume", "Part One"),
        ("BOOK II: The River", "volume", "BOOK II: The River"),
        ("卷一", "volume", "卷一"),
        ("卷二 远行", "volume", "卷二 远行"),
        ("第三部 归乡", "volume", "第三部 归乡"),
        ("第二卷：远行", "volume", "第二卷：远行"),
        ("楔子", "special", "楔子"),
        ("序", "special", "序"),
        ("序章 灯火", "special", "序章 灯火"),
        ("番外一 星落", "special", "番外一 星落"),
        ("番外：旧事", "special", "番外：旧事"),
        ("大结局", "special", "大结局"),
        ("後記", "special", "後記"),
        ("Prologue", "special", "Prologue"),
        ("Epilogue: After the Flood", "special", "Epilogue: After the Flood"),
        ("001. 渡口", "numbered", "001. 渡口"),
        ("三、渡口", "numbered", "三、渡口"),
        ("12", "numbered", "12"),
    ],
)
def test_headings_are_recognised(line: str, kind: str, title: str) -> None:
    heading = grade(line)
    assert heading is not None
    assert (heading.kind, heading.title) == (kind, title)


@pytest.mark.parametrize(
    "line",
    [
        "第一章的内容他早就背熟了，闭着眼也能写。",
        "第一次见面时，她还小。",
        "第三部分讲的是船，第四部分讲的是帆。",
        "第九集播出那天他在值夜",
        "第一封信是去年寄来的",
        "第七节车厢里没有人。",
        "“第十回了，”他说，“你还不来。”",
        "番外的世界里没有黄昏。",
        "尾声渐渐低了下去，终于听不见。",
        "序言里写得很清楚，不可急躁。",
        "后记得带上钥匙。",
        "001号床的人走了。",
        "1、不许说话；2、不许走动。",
        "Chapter 12 was the worst of them all.",
        "Chapter one of his life was over, and he knew it",
        "Part of the crew had gone ashore.",
        "Introduction to the new neighbours took place at noon on Sunday",
        "Book a table for two.",
        "他翻到第十二章，停住了手。",
        "第" + "一" * 60 + "章",
        "",
    ],
)
def test_prose_is_not_taken_for_a_heading(line: str) -> None:
    assert grade(line) is None


@pytest.mark.parametrize(
    ("text", "value"),
    [("十", 10), ("十二", 12), ("一百零五", 105), ("一千二百三十四", 1234), ("两万", 20000), ("１２", 12), ("007", 7), ("廿三", 23),
     ("一二三", 123), ("", 0)],
)  # fmt: skip
def test_numerals(text: str, value: int) -> None:
    assert numeral(text) == value


@pytest.mark.parametrize("filler", [" ", "\u3000", ".", "、", "=", "【", "第一", "卷一 "])
def test_hostile_lines_are_matched_in_few_steps(filler: str) -> None:
    # A pattern that backtracks without bound would not come back from these.
    for number in range(2000):
        grade(("第一章" + filler * 60)[:78] + str(number % 10))
        grade((filler * 60)[:38] + "甲")
