"""Headings in context: one table of kinds, one of traps; each line stands in a small book."""

from __future__ import annotations

import pytest

from tasks.read.chapters import judge
from tasks.read.lines import split
from tasks.read.plain import parse

BODY = (
    "　　灯一盏一盏地亮了，河上还有几条晚归的船，慢慢地摇过来。\n　　“走吧。”他说。\n"
    "　　岸边的人都不说话，只听见水声和远处的犬吠，夜就这样来了，谁也没有再提起那件事。\n"
) * 3
ENGLISH = (
    "The lamps in the hills were lit one by one while the last boats came slowly home.\n\n“Let us go,” he said.\n\n" * 3
)
HEADS = ["第一章 风", "第二章 雨", "第三章 雪", "第四章 电"]


def titles(text: str) -> list[str]:
    return [chapter.title for chapter in parse(text).chapters]


def book(names: list[str], body: str = BODY) -> str:
    return "".join(f"{name}\n{body}" for name in names)


@pytest.mark.parametrize(
    "names",
    [
        ["三十章 风", "三十一章 雨", "三十二章", "三十三章 雪"],
        ["第壹章 风", "第贰章 雨", "第叁章 雪"],
        ["第廿章 风", "第廿一章 雨", "第卅章 雪"],
        ["第 1 章 风", "第 2 章 雨", "第 3 章"],
        ["第001章 风", "第002章 雨", "第003章"],
        ["第一千二百三十四章 风", "第一千二百三十五章 雨"],
        ["第三章风雪夜归人", "第四章雨打芭蕉", "第五章在水一方", "第六章是非之地"],
        ["[1]", "[2]", "[3]", "[4]"],
        ["（一）", "（二）", "（三）"],
        ["一、风", "二、雨", "三、雪"],
        ["01.", "02.", "03."],
        ["1", "2", "3"],
        ["上", "中", "下"],
        ["楔子", "第一章 甲", "第二章 乙", "大结局（上）", "大结局（下）", "后记", "完本感言"],
        ["引子", "第1节 甲", "第2节 乙", "尾声", "番外一 丙", "番外二 丁"],
        ["第一話 風", "第二話 雨", "第三囘 雪"],
        ["第一折 游园", "第二折 惊梦"],
        ["第一集", "第二集", "第三集"],
        ["第一篇 甲", "第二篇 乙"],
        ["第一章 走吧！", "第二章 你是谁？", "第三章 天……"],
        ["第一章 山高，水长", "第二章 风来了，雨来了"],
        ["第1章 甲", "第2章 乙", "第2章 丙", "第4章 丁"],
    ],
)
def test_chapters_of_every_kind_are_found(names: list[str]) -> None:
    assert titles(book(names)) == names


@pytest.mark.parametrize(
    ("names", "wanted"),
    [
        (["正文 第1章 风", "第2章 雨", "三章 雪", "番外 旧事"], ["第1章 风", "第2章 雨", "三章 雪", "番外 旧事"]),
        (["第１章　风", "第１０章　雨"], ["第１章 风", "第１０章 雨"]),
        (["☆ 第3章 ☆", "☆ 第4章 ☆"], ["第3章", "第4章"]),
        (["=== 第3章 ===", "=== 第4章 ==="], ["第3章", "第4章"]),
        (["## 第一章 风", "## 第二章 雨"], ["第一章 风", "第二章 雨"]),
        (["第一卷 第一章 甲", "第二卷 第一章 乙"], ["第一章 甲", "第一章 乙"]),
    ],
)
def test_what_is_read_of_a_decorated_heading(names: list[str], wanted: list[str]) -> None:
    assert titles(book(names)) == wanted


@pytest.mark.parametrize(
    "names",
    [
        ["Chapter One", "Chapter Two", "Chapter Three"],
        ["CHAPTER I", "CHAPTER II. The Ferry", "CHAPTER XII"],
        ["I", "II", "III", "IV"],
        ["I. THE FERRY", "II. THE LAMP", "III. THE WAY"],
        ["ONE", "TWO", "THREE"],
        ["Prologue", "Chapter 1", "Chapter 2", "Epilogue"],
    ],
)
def test_english_chapters_are_found(names: list[str]) -> None:
    assert titles(book(names, ENGLISH)) == names


def test_volumes_lead_to_chapters_that_begin_anew() -> None:
    numbers = "".join(f"第{volume}部\n" + book(["1", "2", "3"]) for volume in "一二")
    assert titles(numbers) == ["1", "2", "3", "1", "2", "3"]
    gapless = "第一卷风起云涌\n" + book(HEADS[:2]) + "第二卷山雨欲来\n" + book(HEADS[2:])
    assert [chapter.volume for chapter in parse(gapless).chapters] == ["第一卷风起云涌"] * 2 + ["第二卷山雨欲来"] * 2
    english = f"Part I\n\nChapter 1\n\n{ENGLISH}Part II\n\nChapter 1\n\n{ENGLISH}"
    assert titles(english) == ["Chapter 1", "Chapter 1"]


@pytest.mark.parametrize(
    "trap",
    [
        "　　第三章。", "第三章写得真好", "　　第一章写得真好", "他翻到第三章。", "　　3:2", "　　8:30", "第一节课", "　　第三回合",
        "　　第三回合开始", "第二部分", "第二天", "　　一千章", "一千章", "　　第二部 ", "　　第一回见面", "第二回来的时候天黑了",
        "1、不许说话", "2、不许走动", "一", "　　二", "三百", "　　《第二章》", "　　第三章 雪", "第一集团军", "　　第七节 车厢",
        "　　第四本书", "1998", "2019.3.5", "　　第九集播出那天", "　　尾声", "后记得带上钥匙", "　　序", "第三章里说过",
        "　　第三章 他读到这里，停住了", "　　（一）", "　　结局", "第2季度", "第三卷轴", "第五章节", "第五章程",
    ],
)  # fmt: skip
def test_prose_in_a_book_with_chapters_is_read(trap: str) -> None:
    assert titles(book(HEADS[:2]) + f"{trap}\n{BODY}" + book(HEADS[2:])) == HEADS


@pytest.mark.parametrize(
    "trap",
    ["Chapter 3 was the worst.", "Chapter Two of his life", "Part of it", "Book a table", "I", "I am", "1984", "One",
     "Introduction to the neighbours took place", "See Chapter 2."],
)  # fmt: skip
def test_english_prose_in_a_book_with_chapters_is_read(trap: str) -> None:
    names = ["Chapter 1", "Chapter 2", "Chapter 3"]
    assert titles(book(names[:2], ENGLISH) + f"{trap}\n\n{ENGLISH}" + book(names[2:], ENGLISH)) == names


@pytest.mark.parametrize(
    "listed",
    [
        "\n".join(HEADS), "目录\n" + "\n".join(HEADS), "目录\n" + " ".join(HEADS), "目录\n风\n雨\n雪\n电",
        "\n".join(HEADS * 2), "\n".join(f"{head}……{page}" for page, head in enumerate(HEADS, 7)),
    ],
)  # fmt: skip
@pytest.mark.parametrize("preface", ["", BODY])
def test_tables_of_contents_are_no_chapters(listed: str, preface: str) -> None:
    parsed = parse(f"{preface}{listed}\n\n{book(HEADS)}")
    assert [chapter.title for chapter in parsed.chapters] == ([""] if preface else []) + HEADS
    assert "".join(entry.text for entry in parsed.left_out if entry.reason == "table-of-contents") == listed.replace(
        "\n", ""
    )


def test_contents_of_volumes_and_of_bare_numbers_are_no_chapters() -> None:
    volumes = "第一卷 山\n第一章 甲\n第二章 乙\n第二卷 水\n第一章 丙\n第二章 丁\n"
    text = "第一卷 山\n" + book(["第一章 甲", "第二章 乙"]) + "第二卷 水\n" + book(["第一章 丙", "第二章 丁"])
    assert titles(f"{volumes}\n{text}") == ["第一章 甲", "第二章 乙", "第一章 丙", "第二章 丁"]
    names = ["1. 风", "2. 雨", "3. 雪"]
    assert titles("\n".join(names) + "\n\n" + book(names)) == names


def test_heads_of_pages_are_no_chapters() -> None:
    parsed = parse("".join(f"{head}\n" + f"{BODY}{head}\n" * 3 + BODY for head in HEADS))
    assert [chapter.title for chapter in parsed.chapters] == HEADS
    assert sum(entry.reason == "page-header" for entry in parsed.left_out) == 12


def test_numbers_over_the_stanzas_of_a_poem_are_read() -> None:
    poem = "一\n春眠不觉晓\n二\n处处闻啼鸟\n三\n夜来风雨声\n"
    assert titles(BODY + poem + BODY) == [""]
    assert titles(book(HEADS[:1]) + poem + book(HEADS[1:])) == HEADS


@pytest.mark.parametrize(
    "trap",
    [
        "第9节",
        "第四卷",
        "《第三章 夜奔》",
        "第三十章",
        "第三章？",
        "第一章、第二章他都看过",
        "第一卷书他看了三天",
        "第十二章：他还没写",
    ],
)
def test_a_lone_mention_flush_with_the_headings_is_prose(trap: str) -> None:
    names = [f"第{number}章 名{number}" for number in range(1, 9)]
    assert titles(book(names[:5]) + f"{trap}\n{BODY}" + book(names[5:])) == names
    counted = [f"{number:03d}. 名{number}" for number in range(1, 9)]
    assert titles(book(counted[:5]) + f"{trap}\n{BODY}" + book(counted[5:])) == counted


def test_a_list_in_the_prose_does_not_break_the_count() -> None:
    names = [f"{number}、名{number}" for number in "一二三四五六"]
    listed = f"一、不许说话\n二、不许走动\n{BODY}"
    assert titles(book(names[:3]) + listed + book(names[3:])) == names


def test_every_candidate_is_judged_with_reasons() -> None:
    text = "第一章 风\n" + BODY + "　　第二章写得真好\n" + book(HEADS[1:])
    verdicts = judge(text, split(text)).verdicts
    assert [(one.text, one.accepted) for one in verdicts] == [
        ("第一章 风", True), ("第二章写得真好", False), ("第二章 雨", True), ("第三章 雪", True), ("第四章 电", True),
    ]  # fmt: skip
    assert any("goes on like a sentence after 章" in reason for reason in verdicts[1].reasons)
    assert any("章 3 follows it" in reason for reason in verdicts[2].reasons)
    assert verdicts[1].row == 11
    assert verdicts[2].score > 3 > verdicts[1].score


def test_five_thousand_chapters_are_judged_in_linear_steps() -> None:
    # Quadratic context would not come back from this.
    text = "".join(f"第{number}章 名字{number}\n　　灯亮了，{number}。\n" for number in range(1, 20_001))
    assert len(judge(text, split(text)).found) == 20_000
