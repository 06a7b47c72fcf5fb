"""Is this line a chapter heading? Patterns only, no context.

Contract: ``grade`` looks at one trimmed line and says ``chapter``, ``volume``, ``special`` (prologue, afterword …),
``numbered`` (bare number, believed only as part of a sequence) or nothing. Graded, because each shape has its own
risk: 第…章 may carry its title without a space, 第…部 or 卷… must be followed by a gap (「第四部分」 is prose).
Every pattern is anchored and the line is at most 40 characters (80 in Latin letters), so nothing here is quadratic.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

MAX_CHARS = 40
MAX_LATIN_CHARS = 80

Kind = Literal["chapter", "volume", "special", "numbered"]

_NUM = r"[0-9０-９零〇○一二两兩三四五六七八九十百千万萬廿卅壹贰貳叁參肆伍陆陸柒捌玖拾佰仟]{1,12}"
_OPEN = r"[\s　☆★◇◆■□●○※✦·•*#＊_、【\[［〔（(《〈「『\-—=＝~～]*"
_CLOSE = r"[】\]］〕）)》〉」』]"
_GAP = r"[\s　:：、.．·•\-—–|｜_]"
_WORD = (
    r"(?:[0-9]{1,4}|[IVXLCDM]{1,8}|(?:twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety)(?:[\s\-](?:one|two|three|four|"
    r"five|six|seven|eight|nine))?|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|"
    r"fifteen|sixteen|seventeen|eighteen|nineteen|(?:one\s)?hundred|the\s(?:first|second|third|fourth|fifth|last))"
)
_BODY_MARK = rf"(?:正文{_GAP}*)?"
_VOLUME = rf"(?:第{_NUM}[卷部篇集季幕编編辑輯]|卷{_NUM}|第{_NUM}[册冊])"

_CHAPTER = re.compile(
    rf"^{_OPEN}{_BODY_MARK}{_OPEN}(?P<lead>{_VOLUME}(?P<leadtitle>[^第]{{0,20}}?){_GAP}+)?"
    rf"(?P<head>第\s?(?P<number>{_NUM})\s?(?P<unit>[章回节節话話折]))"
    rf"(?P<rest>(?P<gap>{_CLOSE}|{_GAP})?.*)$"
)
_VOLUME_LINE = re.compile(
    rf"^{_OPEN}{_BODY_MARK}{_OPEN}(?P<head>第\s?{_NUM}\s?[卷部本封篇集季幕编編辑輯册冊]|[卷部]\s?{_NUM}|[上中下前后後]\s?[卷部篇集编編])"
    rf"(?:{_CLOSE}?{_GAP}*$|(?:{_CLOSE}|{_GAP})+(?P<title>.+)$)"
)
_SPECIAL_WORDS = (
    "楔子|序言|序章|序幕|序曲|自序|代序|总序|總序|前言|引言|引子|引章|导言|導言|导读|導讀|绪论|緒論|开篇|開篇|终章|終章|尾声|尾聲|"
    "结尾|結尾|结局|結局|大结局|大結局|后记|後記|跋|结语|結語|完结感言|完本感言|后序|後序|附录|附錄|作者的话|作者的話|序"
)
_SPECIAL = re.compile(
    rf"^{_OPEN}{_BODY_MARK}{_OPEN}(?:(?P<word>{_SPECIAL_WORDS})(?:\s?{_NUM}|[（(].{{1,8}}[）)])?|"
    rf"(?P<extra>番外篇?|外传|外傳|特别篇|特別篇)\s?(?:{_NUM}|之{_NUM}|[（(]{_NUM}[）)])?)"
    rf"(?:{_CLOSE}?{_GAP}*$|(?:{_CLOSE}|{_GAP})+(?P<title>.+)$)"
)
_LATIN = re.compile(
    rf"^[\s*#=~_\-]*(?:(?P<chapter>chapter|chap\.|canto|letter)\s+{_WORD}|(?P<volume>part|book|volume|vol\.)\s+{_WORD}|"
    r"(?P<special>prologue|epilogue|preface|foreword|introduction|afterword|interlude|appendix|postscript))"
    r"(?P<rest>[\s*#=~_]*$|\s*[:.—–\-|,]+\s*.*$|\s+\S.*$)",
    re.IGNORECASE,
)
_NUMBERED = re.compile(
    rf"^{_OPEN}(?P<digits>[0-9０-９]{{1,4}}|[一二三四五六七八九十百零〇]{{1,6}})(?:{_CLOSE}?[\s　]*$|(?:{_CLOSE}|[\s　.．、:：])+(?P<title>.+)$)"
)
_BLANKS = re.compile(r"[\s\u3000]+")
_SENTENCE_END = ("。", "，", "；", "：", "、", ".”", "。”", ",", ";", "。」", "，」")
_SOFT_END = ("！", "？", "…", "!", "?", "”", "」", "』", ".")
_INSIDE = re.compile("[。；]")
_BEGGING = re.compile(
    r"[\s　]*[（(【\[](?:[^（()）【】\[\]]{0,12}(?:求|更|合一|月票|订阅|訂閱|推荐票|推薦票|收藏|打赏|打賞|盟主)[^（()）【】\[\]]{0,12})[）)】\]]$"
)
_PAIRS = (
    ("【", "】"),
    ("[", "]"),
    ("［", "］"),
    ("〔", "〕"),
    ("（", "）"),
    ("(", ")"),
    ("《", "》"),
    ("「", "」"),
    ("『", "』"),
)
_PROSE_AFTER_UNIT = tuple("的了里裏中是在和与與已就也都还還说說讲講写寫上")


@dataclass(frozen=True, slots=True)
class Heading:
    """``title`` is what is to be read; ``volume`` is the volume named on the same line; ``bare`` has no title of its own."""

    kind: Kind
    title: str
    bare: bool
    volume: str = ""
    number: int = 0
    strong: bool = True


def grade(line: str) -> Heading | None:
    """The heading that ``line`` (trimmed, one line) is by its shape, or ``None``."""
    if not line or len(line) > MAX_LATIN_CHARS:
        return None
    # Several patterns meet at blanks; a run of them made one keeps matching cheap.
    line = _BLANKS.sub(" ", line)
    first = line[0]
    if first.isascii() and first.isalpha():
        return _latin(line)
    if len(line) > MAX_CHARS:
        return _latin(line) if line.isascii() else None
    return _chapter(line) or _volume(line) or _special(line) or _latin(line) or _numbered(line)


def _chapter(line: str) -> Heading | None:
    found = _CHAPTER.match(line)
    if found is None:
        return None
    gap, rest = found["gap"], found["rest"]
    tail = rest.strip(" \t　:：、.．·-—–|｜_】]］〕）)》〉」』")
    if not _calm(tail, spaced=gap is not None):
        return None
    if gap is None and tail.startswith(_PROSE_AFTER_UNIT):
        return None
    if gap is None and found["unit"] in "节節话話回" and any(mark in tail for mark in "，！？“”：,"):
        return None
    title = _tidy(found["head"] + rest)
    volume = (found["lead"] or "").strip(" \t　:：、.．·-—–|｜_")
    return Heading("chapter", title, not tail, volume, numeral(found["number"]))


def _volume(line: str) -> Heading | None:
    found = _VOLUME_LINE.match(line)
    if found is None:
        return None
    title = found["title"] or ""
    if not _calm(title, spaced=True):
        return None
    head = found["head"]
    strong = any(unit in head for unit in "卷部篇集")
    if not strong and not title and head[-1] in "本封季":
        strong = False
    return Heading("volume", _tidy(line[found.start("head") :]), not title, strong=strong)


def _special(line: str) -> Heading | None:
    found = _SPECIAL.match(line)
    if found is None or not _calm(found["title"] or "", spaced=True) or len(found["title"] or "") > 24:
        return None
    start = found.start("word") if found["word"] else found.start("extra")
    return Heading("special", _tidy(line[start:]), False)


def _latin(line: str) -> Heading | None:
    found = _LATIN.match(line)
    if found is None:
        return None
    rest = found["rest"].strip(" \t*#=~_")
    after = rest.lstrip(" :.—–-|,")
    kind: Kind = "chapter" if found["chapter"] else "volume" if found["volume"] else "special"
    if after:
        # "Chapter 12 was the worst of it." is prose; "Chapter 12 The Worst of It" and "Chapter 12: what came" are not.
        separated = rest[0] in ":.—–-|,"
        if after[0].islower() and not separated:
            return None
        if rest.endswith((",", ";")) or (rest.endswith(".") and rest.count(" ") > 2):
            return None
        if kind == "special" and not separated and len(after) > 30:
            return None
        if not _calm(after.rstrip(".!?"), spaced=True):
            return None
        words = after.split()
        if (
            not separated
            and after.isascii()
            and len(words) > 2
            and sum(word[0].isupper() for word in words) * 2 < len(words)
        ):
            return None
    return Heading(kind, _tidy(line.strip(" \t*#=~_")), not after and kind == "chapter")


def _numbered(line: str) -> Heading | None:
    found = _NUMBERED.match(line)
    if found is None:
        return None
    title = found["title"] or ""
    if len(title) > 24 or not _calm(title, spaced=True) or any(mark in title for mark in '，；,;“”"'):
        return None
    return Heading("numbered", _tidy(line), not title, number=numeral(found["digits"]), strong=False)


def _calm(tail: str, *, spaced: bool) -> bool:
    """A title does not end or stop as a sentence does."""
    if not tail:
        return True
    if tail.endswith(_SENTENCE_END) or _INSIDE.search(tail):
        return False
    if not spaced and tail.endswith(_SOFT_END) and len(tail) > 12:
        return False
    return not (tail.count("，") > 2 or "：“" in tail or "。”" in tail)


def _tidy(title: str) -> str:
    """Drop begging suffixes and decoration, turn a closing bracket without its opening into a space."""
    shorter = _BEGGING.sub("", title).strip(" \t\u3000☆★")
    for opening, closing in _PAIRS:
        if closing in shorter and opening not in shorter:
            shorter = shorter.replace(closing, " ")
    return _BLANKS.sub(" ", shorter).strip()


_DIGITS = {char: value for value, chars in enumerate(
    ("零〇○0０", "一壹1１", "二贰貳两兩2２", "三叁參3３", "四肆4４", "五伍5５", "六陆陸6６", "七柒7７", "八捌8８", "九玖9９"))
    for char in chars}  # fmt: skip
_UNITS = {"十": 10, "拾": 10, "百": 100, "佰": 100, "千": 1000, "仟": 1000}


def numeral(text: str) -> int:
    """The value of Arabic, full-width or Chinese digits (第一千二百三十四章 → 1234); 0 where it is none."""
    if all(char in _DIGITS for char in text):
        return int("".join(str(_DIGITS[char]) for char in text)) if text else 0
    total = section = digit = 0
    for char in text:
        if char in _DIGITS:
            digit = _DIGITS[char]
        elif char in _UNITS:
            section += (digit or 1) * _UNITS[char]
            digit = 0
        elif char in "万萬":
            total += (section + digit or 1) * 10_000
            section = digit = 0
        elif char == "廿":
            section += 20
        elif char == "卅":
            section += 30
        else:
            return 0
    return total + section + digit
