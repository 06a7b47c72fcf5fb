"""Books made up to try the finding of chapters: many ways to write headings, over given lines of text.

``books(lines, count, seed)`` yields ``(text, rows of the headings)``. Headings, volumes, tables of contents, missing
numbers, indentation and blank lines vary; six lines in a hundred are mentions that look like headings and are none.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence

_ROMAN = [
    "I",
    "II",
    "III",
    "IV",
    "V",
    "VI",
    "VII",
    "VIII",
    "IX",
    "X",
    "XI",
    "XII",
    "XIII",
    "XIV",
    "XV",
    "XVI",
    "XVII",
    "XVIII",
    "XIX",
    "XX",
    "XXI",
    "XXII",
    "XXIII",
    "XXIV",
]
_WORDS = [
    "One",
    "Two",
    "Three",
    "Four",
    "Five",
    "Six",
    "Seven",
    "Eight",
    "Nine",
    "Ten",
    "Eleven",
    "Twelve",
    "Thirteen",
    "Fourteen",
    "Fifteen",
    "Sixteen",
]
_NAMES = [
    "渔翁",
    "斩马",
    "飞刀",
    "孤舟",
    "星落",
    "铁匠",
    "画中人",
    "擂台",
    "大漠",
    "客栈",
    "山门",
    "古井",
    "夜奔",
    "听雨",
    "初入江湖",
    "金盆洗手",
    "谜底",
    "风雪夜归人",
]
_DIGITS = "零一二三四五六七八九"


def han(number: int) -> str:
    """``number`` (1 to 9,999) in Chinese."""
    if number < 10:
        return _DIGITS[number]
    if number < 20:
        return "十" + (_DIGITS[number % 10] if number % 10 else "")
    for unit, sign in ((1000, "千"), (100, "百"), (10, "十")):
        if number >= unit:
            rest = number % unit
            head = _DIGITS[number // unit] + sign
            if not rest:
                return head
            tail = "一" + han(rest) if 10 <= rest < 20 and unit > 10 else han(rest)
            return head + ("零" if rest * 10 < unit else "") + tail
    raise ValueError(number)


_STYLES: tuple[Callable[[int, str], str], ...] = (
    lambda n, t: f"第{han(n)}章 {t}", lambda n, t: f"第{han(n)}章{t}", lambda n, t: f"第{n}章 {t}", lambda n, t: f"第{n:03d}章 {t}",
    lambda n, t: f"第{han(n)}回 {t}", lambda n, t: f"第{n}回：{t}", lambda n, t: f"第{han(n)}节　{t}", lambda n, t: f"正文 第{han(n)}章 {t}",
    lambda n, t: f"【第{n}章】{t}", lambda n, t: f"☆、第{n}章 {t}", lambda n, t: f"第{han(n)}章", lambda n, t: f"{han(n)}章 {t}",
    lambda n, t: f"第 {n} 章 {t}", lambda n, t: f"第{han(n)}集 {t}", lambda n, t: f"第{han(n)}折 {t}", lambda n, t: f"# 第{n}章 {t}",
    lambda n, t: f"=== 第{n}章 {t} ===", lambda n, t: f"第{han(n)}話　{t}", lambda n, t: f"第{han(n)}章 {t}（求月票）",
    lambda n, t: f"第{n}章 {t}！", lambda n, t: f"第{han(n + 1200)}章 {t}", lambda n, t: f"Chapter {n} {t}",
)  # fmt: skip
_PLAIN_STYLES: tuple[Callable[[int, str], str], ...] = (
    lambda n, t: f"{n:03d}. {t}", lambda n, t: f"{n}. {t}", lambda n, t: f"{han(n)}、{t}", lambda n, t: str(n), lambda n, t: han(n),
    lambda n, t: f"（{han(n)}）{t}", lambda n, t: f"[{n}]", lambda n, t: f"CHAPTER {_ROMAN[n - 1]}", lambda n, t: f"Chapter {_WORDS[n - 1]}",
)  # fmt: skip
_TRAPS = (
    "第一章的内容他已经背得滚瓜烂熟。", "第三部分是口诀，第四部分才是心法。", "第七节车厢里空无一人。", "001号床的病人又不见了。", "1、不许说话；2、不许走动。",
    "尾声渐渐低下去，终于听不见了。", "他翻到第十二章，停住了手。", "第一次见面时她还小", "第三回合", "第一节课", "第二天一早", "一千章", "后记得带上钥匙",
    "3:2", "8:30", "2019年3月5日", "第五章写得真好", "“第十回了，”他说", "楔子一样钉进木头", "第一卷书他看了三天", "第二集播出那天他在值夜", "一、不许说话",
    "二、不许走动", "第三章？", "第二章……", "引子已经埋下", "第三章的末尾", "第十二章：他还没写", "第八回了", "（一）不许说话", "2", "十", "第二篇文章",
    "《第三章 夜奔》", "第五回，他终于赢了", "第四卷", "I", "第三十章", "第1集", "第6节", "下", "第一章、第二章他都看过", "番外", "1.5", "2008", "第99章节",
    "第二十章吧", "第四章算什么", "第一幕", "第三季", "第九集团军",
)  # fmt: skip


def books(lines: Sequence[str], count: int, seed: int = 1) -> Iterator[tuple[str, set[int]]]:
    """``count`` books over ``lines`` of text: the text, and the 1-based rows of its headings."""
    for number in range(count):
        yield _book(random.Random(seed * 1_000_003 + number), lines)


def _book(chance: random.Random, lines: Sequence[str]) -> tuple[str, set[int]]:
    plain = chance.random() < 0.3
    style = chance.choice(_PLAIN_STYLES if plain else _STYLES)
    indent = chance.choice(["　　", "　　", "", "    "])
    head_indent = chance.choice(["", "", indent, indent + "　　"])
    blank, head_blank = chance.choice([0, 0, 1]), chance.choice([0, 1, 2])
    volumes = 0 if plain else chance.choice([0, 0, 0, 1, 2])
    missing = not plain and chance.random() < 0.2
    plan: list[tuple[str, str]] = []
    number = 1 if plain else chance.choice([1, 1, 1, 28, 98])
    for place in range(chance.randint(4, 16)):
        if volumes and place % 6 == 0:
            plan.append(("volume", f"第{han(place // 6 + 1)}卷 {chance.choice(_NAMES)}"))
            number = 1 if volumes == 2 else number
        plan.append(("chapter", style(number, chance.choice(_NAMES))))
        number += 2 if missing and chance.random() < 0.1 else 1
    if chance.random() < 0.3:
        plan = [
            ("special", chance.choice(["楔子", "序章", "引子"])),
            *plan,
            ("special", chance.choice(["尾声", "后记"])),
        ]
    rows: list[str] = []
    heads: set[int] = set()
    if chance.random() < 0.2:
        rows += [*(["目录"] if chance.random() < 0.6 else []), *(name for _, name in plan), ""]
    for kind, name in plan:
        rows += [""] * head_blank + [head_indent + name]
        heads.add(len(rows))
        rows += [""] * chance.choice([head_blank, 0])
        if kind == "volume":
            continue
        for _ in range(chance.randint(4, 12)):
            line = chance.choice(_TRAPS) if chance.random() < 0.06 else chance.choice(lines)
            rows += [indent + line] + [""] * blank
    return "\n".join(rows), heads
