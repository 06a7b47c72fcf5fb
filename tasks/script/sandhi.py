"""一 and 不 in their surface tone, and the suffix 儿, over a whole sentence.

Contract: ``apply(text, phones)`` gives the surface readings of 一, 不 and 儿 where they differ from ``phones``.
一 stays in its first tone as an ordinal, as a digit, before punctuation and at the end of words such as 统一; it is
neutral between two equal verbs (看一看), rises before a falling tone and falls before the others. 不 rises before a
falling tone and is neutral in 是不是. Third tones are left alone: engines do that sandhi themselves.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

_DIGITS = "零〇一二三四五六七八九"
_BEFORE_KEEPS = frozenset("第初期周拜十百千万亿点" + _DIGITS)
_WORDS_IN_YI = ("统", "唯", "惟", "专", "单", "之", "逐", "划", "归", "均", "其", "合", "如")
_RANK_AFTER = re.compile(r"月(?!有余)|号|楼|级|年级|等(?=[奖公功舱品])|流(?=[的，。水高大人])|中(?=学)|把手")
_ER_WORDS_BEFORE = frozenset("女婴幼孤少小孩男健胎宠血弃产幸妻育托患生我吾侄爱犬痴麟娇狗猫乳稚殇丐伢混贤骄吴岂")
_ER_WORDS_AFTER = frozenset("子女童孙媳时科歌戏化园郎臣夫")


def apply(text: str, phones: Mapping[int, str]) -> dict[int, str]:
    """``phones`` maps places of Han characters to readings; only changed places are in the answer."""
    changed: dict[int, str] = {}
    for place, given in phones.items():
        char = text[place]
        if char == "一":
            new = _yi(text, place, phones)
        elif char == "不":
            new = _bu(text, place, phones)
        elif char in "儿兒" and given.startswith("er"):
            new = _er(text, place, given)
        else:
            continue
        if new != given:
            changed[place] = new
    return changed


def _yi(text: str, place: int, phones: Mapping[int, str]) -> str:
    before = text[place - 1] if place else ""
    after = text[place + 1] if place + 1 < len(text) else ""
    tone = phones.get(place + 1, "")[-1:]
    if not tone:
        return "yi1"
    if before and before == after and before not in _DIGITS and (place < 2 or text[place - 2] not in "一不没第"):
        return "yi5"
    if before in _BEFORE_KEEPS and before:
        # 十一 keeps its tone, 周一到 too; but 每周一次 counts times
        counted = before in "期周万千百" and after in "次个回遍趟张条"
        counted = counted or before == after == "点"  # 一点一点, not the decimal of 零点一
        if not counted:
            return "yi1"
    if before == "月" and after in "日号" and after:
        return "yi1"
    if before and before in _WORDS_IN_YI and not (before in "其之如合" and after in "个次种天时"):
        return "yi1"
    if after in _DIGITS or _RANK_AFTER.match(text, place + 1):
        return "yi1"
    return "yi2" if tone == "4" or after == "个" else "yi4"


def _bu(text: str, place: int, phones: Mapping[int, str]) -> str:
    before = text[place - 1] if place else ""
    after = text[place + 1] if place + 1 < len(text) else ""
    if before and before == after and place - 1 in phones and (place < 2 or text[place - 2] not in "不一"):
        return "bu5"
    return "bu2" if phones.get(place + 1, "")[-1:] == "4" else "bu4"


def _er(text: str, place: int, given: str) -> str:
    before = text[place - 1] if place else ""
    after = text[place + 1] if place + 1 < len(text) else ""
    alone = not ("\u4e00" <= before <= "\u9fff") if before else True
    if alone or before in _ER_WORDS_BEFORE or (after and after in _ER_WORDS_AFTER):
        return "er2"
    return "er5"
