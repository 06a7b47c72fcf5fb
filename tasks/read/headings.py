"""Is this line a chapter heading? Its shape alone, no context.

Contract: ``shape`` looks at one trimmed line and gives the heading it might be with a first score and the reasons for
and against (``None``: nothing like a heading); ``grade`` gives it only where nothing in the line speaks against it.
Kinds: ``chapter``, ``volume``, ``special`` (prologue, afterword …), ``numbered`` (a bare number). Each shape has its
own risk: 第…章 may carry its title without a space, 第…部 or 卷… hardly ever does (「第四部分」 is prose). What the book
says for or against a line is ``weigh``'s business. Every pattern is anchored and the line is at most 40 characters (80
in Latin letters), so nothing here is quadratic.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from tasks.read.numerals import NUM, latin_numeral, numeral, system

__all__ = ["MAX_CHARS", "MAX_LATIN_CHARS", "Heading", "Kind", "Reason", "grade", "numeral", "shape"]

MAX_CHARS = 40
MAX_LATIN_CHARS = 80

Kind = Literal["chapter", "volume", "special", "numbered"]
Reason = tuple[float, str]
"""What it adds to the score or takes from it, and why in words."""

_OPEN = r"[\s　☆★◇◆■□●○※✦·•*#＊_、【\[［〔（(《〈「『\-—=＝~～]*"
_CLOSE = r"[】\]］〕）)》〉」』]"
_GAP = r"[\s　:：、.．·•\-—–|｜_]"
_WORD = (
    r"(?:[0-9]{1,4}|[IVXLCDM]{1,8}|(?:twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety)(?:[\s\-](?:one|two|three|four|"
    r"five|six|seven|eight|nine))?|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|"
    r"fifteen|sixteen|seventeen|eighteen|nineteen|(?:one\s)?hundred|the\s(?:first|second|third|fourth|fifth|last))"
)
_BODY_MARK = rf"(?P<body>(?:正文卷?|VIP章节|vip章节|VIP|作品正文){_GAP}*)?"
_VOLUME = rf"(?:第{NUM}[卷部篇集季幕编編辑輯]|卷{NUM}|第{NUM}[册冊])"

_CHAPTER = re.compile(
    rf"^(?P<deco>{_OPEN}){_BODY_MARK}{_OPEN}(?P<lead>{_VOLUME}(?P<leadtitle>[^第]{{0,20}}?){_GAP}+)?"
    rf"(?P<head>第\s?(?P<number>{NUM})\s?(?P<unit>[章回囘节節话話折]))"
    rf"(?P<rest>(?P<gap>{_CLOSE}|{_GAP})?.*)$"
)
_PLAIN = re.compile(
    rf"^(?P<deco>{_OPEN}){_BODY_MARK}{_OPEN}(?P<head>(?P<number>{NUM})\s?(?P<unit>[章回囘话話]))"
    rf"(?:{_CLOSE}?{_GAP}*$|(?P<gap>{_CLOSE}|{_GAP})(?P<rest>.*)$)"
)
_VOLUME_LINE = re.compile(
    rf"^(?P<deco>{_OPEN}){_BODY_MARK}{_OPEN}(?P<head>第\s?(?P<number>{NUM})\s?(?P<unit>[卷部本封篇集季幕编編辑輯册冊])"
    rf"|(?P<front>[卷部])\s?(?P<after>{NUM})|[上中下前后後]\s?[卷部篇集编編])(?P<rest>(?P<gap>{_CLOSE}|{_GAP})?.*)$"
)
_SPECIAL_WORDS = (
    "楔子|序言|序章|序幕|序曲|序篇|自序|代序|总序|總序|前言|引言|引子|引章|题记|題記|导言|導言|导读|導讀|绪论|緒論|开篇|開篇|开场白|"
    "终章|終章|最终章|最終章|终曲|終曲|末章|尾章|尾声|尾聲|终幕|終幕|间章|間章|幕间|幕間|结尾|結尾|结局|結局|大结局|大結局|"
    "后记|後記|后序|後序|跋|结语|結語|完结感言|完結感言|完本感言|上架感言|新书感言|开书感言|感言|附录|附錄|作者的话|作者的話|"
    "人物介绍|人物表|序"
)
_SPECIAL = re.compile(
    rf"^{_OPEN}{_BODY_MARK}{_OPEN}(?:(?P<word>{_SPECIAL_WORDS})(?:\s?{NUM}|\s?[上中下]|[（(].{{1,8}}[）)])?|"
    rf"(?P<extra>番外篇?|外传|外傳|特别篇|特別篇|前传|前傳|后传|後傳)\s?(?:{NUM}|之{NUM}|[（(]{NUM}[）)]|[上中下])?)"
    rf"(?:{_CLOSE}?[\s　=＝~～*#☆★_\-—:：.]*$|(?:{_CLOSE}|{_GAP})+(?P<title>.+)$)"
)
_LATIN = re.compile(
    rf"^[\s*#=~_\-]*(?:(?P<chapter>chapter|chap\.|canto|letter|stave)\s+(?P<cn>{_WORD})|"
    rf"(?P<volume>part|book|volume|vol\.)\s+(?P<vn>{_WORD})|"
    r"(?P<special>prologue|epilogue|preface|foreword|introduction|afterword|interlude|appendix|postscript|conclusion))"
    r"(?P<rest>[\s*#=~_]*$|\s*[:.—–\-|,]+\s*.*$|\s+\S.*$)",
    re.IGNORECASE,
)
_NUMBERED = re.compile(
    rf"^(?P<deco>{_OPEN})(?P<digits>[0-9０-９]{{1,4}}|[一二三四五六七八九十百零〇]{{1,6}})"
    rf"(?:{_CLOSE}?[\s　]*$|(?P<gap>(?:{_CLOSE}|[\s　.．、:：])+)(?P<title>.+)$|[.．、][\s　]*$)"
)
_ROMAN_LINE = re.compile(
    r"^(?P<digits>(?=[IVXLC])C{0,3}(?:XC|XL|L?X{0,3})(?:IX|IV|V?I{0,3}))(?:\.?\s*$|(?P<gap>\.\s+|\s*[:—–-]\s*)(?P<title>\S.*)$)"
)
_WORD_LINE = re.compile(
    r"^(?P<digits>(?:twenty|thirty|forty|fifty)(?:[\s\-](?:one|two|three|four|five|six|seven|eight|nine))?|one|two|three|"
    r"four|five|six|seven|eight|nine|ten|eleven|twelve|(?:thir|four|fif|six|seven|eigh|nine)teen)\.?$",
    re.IGNORECASE,
)
_PARTS = re.compile(r"^(?P<deco>[（(【\[]?)(?P<part>[上中下])[）)】\]]?$")
_BLANKS = re.compile(r"[\s\u3000]+")
_SENTENCE_END = ("。", "，", "；", "：", "、", ".”", "。”", ",", ";", "。」", "，」")
_SOFT_END = ("！", "？", "…", "!", "?", "”", "」", "』", ".")
_INSIDE = re.compile("[。；]")
_BEGGING = re.compile(
    r"[\s　]*[（(【\[](?:[^（()）【】\[\]]{0,12}(?:求|更|合一|月票|订阅|訂閱|推荐票|推薦票|收藏|打赏|打賞|盟主)[^（()）【】\[\]]{0,12})[）)】\]]$"
)
_PAIRS = ("【】", "[]", "［］", "〔〕", "（）", "()", "《》", "「」", "『』")
_EDGES = " \t　:：、.．·-—–|｜_=＝~～*#＊☆★◇◆】]］〕）)》〉」』"
_PROSE_AFTER_UNIT = re.compile(
    "[的了里裏中是在和与與已就也都还還说說讲講写寫上看读讀听聽刚剛才结結完末内內开開後后前以之时時]"
)
_SAYS = re.compile(
    "(?:的|了|[写寫讲講说說看读讀][得完的了到过過]|结束|結束|末尾|内容|內容|[开開][头頭]|(?:以|之)[后後前]|[里裏](?:[说說写寫的面有讲講提])|中(?:的|[说說写寫提])|"
    "[吧呢吗嗎啊呀]$|就(?:是|[写寫讲講])|已经|已經|[还還][没沒]|是(?:[谁誰我他她这這写寫]|什[么麼]))"
)
_MENTION = {unit: re.compile(rf"第\s?{NUM}\s?{unit}") for unit in "章回囘节節话話折"}
_COMPOUND = re.compile(
    "(?:[节節](?:[课課车車目点點骨竹藕奏日]|体育|数学|语文)|[回囘](?:[合见見来來去到头頭家京国國都响他她我你是不真又竟了]|感)|"
    "[话話](?:[题題音是说說就刚便]|还没)|折(?:扣)|章(?:[节節程鱼])|集(?:[团團合中体體市])|卷(?:[轴軸子宗])|篇(?:[文章报]|小[说說])|"
    "部(?:[分队隊门門落下曲电電队]|小[说說]|长|位)|季度|[册冊]子|[本封](?:[书書信]))"
)


@dataclass(frozen=True, slots=True)
class Heading:
    """``title`` is what is to be read; ``volume`` is the volume named on the same line; ``bare`` has no title of its own.
    ``unit`` is what is counted (章, chapter …), ``style`` how the heading is written, its number replaced by ``#``.
    ``reasons`` are what the line says for and against itself, ``sound`` that nothing in it speaks against."""

    kind: Kind
    title: str
    bare: bool
    volume: str = ""
    number: int = 0
    strong: bool = True
    unit: str = ""
    style: str = ""
    reasons: tuple[Reason, ...] = ()
    sound: bool = True
    gapless: bool = False
    """Whether a title follows the unit without a gap (第三章风雪夜归人)."""

    @property
    def score(self) -> float:
        return sum(weight for weight, _ in self.reasons)


def grade(line: str) -> Heading | None:
    """The heading that ``line`` (trimmed, one line) surely is by its shape, or ``None``."""
    found = shape(line)
    return found if found is not None and found.sound else None


def shape(line: str) -> Heading | None:
    """The heading that ``line`` (trimmed, one line) might be, or ``None``."""
    if not line or len(line) > MAX_LATIN_CHARS:
        return None
    # Several patterns meet at blanks; a run of them made one keeps matching cheap.
    line = _BLANKS.sub(" ", line)
    first = line[0]
    if first.isascii() and first.isalpha():
        return _latin(line) or _roman(line)
    if len(line) > MAX_CHARS:
        return _latin(line) if line.isascii() else None
    kinds = [_chapter(line), _volume(line), _special(line), _latin(line), _plain(line), _numbered(line)]
    best = None
    for heading in kinds:
        if heading is not None and heading.sound:
            return heading
        best = best or heading
    return best


def _chapter(line: str) -> Heading | None:
    found = _CHAPTER.match(line)
    if found is None:
        return None
    gap, rest, unit = found["gap"], found["rest"], found["unit"]
    tail = rest.strip(_EDGES)
    reasons: list[Reason] = [(3.0, f"has the shape 第…{unit}")]
    sound = _doubts(tail, gap is not None, reasons)
    if _MENTION[unit].search(tail):
        reasons.append((-3.0, f"names another {unit}"))
        sound = False
    if gap is None and tail:
        if _COMPOUND.match(unit + tail):
            reasons.append((-4.0, f"{unit}{tail[0]} is a word of its own"))
        elif _SAYS.match(tail):
            reasons.append((-4.0, f"goes on like a sentence after {unit}"))
        elif unit in "节節话話回囘折" and any(mark in tail for mark in "，！？“”：,"):
            reasons.append((-3.0, f"a sentence mark follows {unit} without a gap"))
        elif _PROSE_AFTER_UNIT.match(tail):
            reasons.append((-1.2, f"{tail[0]} directly after {unit} is more often prose"))
        else:
            reasons.append((-0.5, f"no gap after {unit}"))
        sound = sound and not _COMPOUND.match(unit + tail) and reasons[-1][0] > -1.0
    volume = (found["lead"] or "").strip(_EDGES)
    return Heading("chapter", _tidy(found["head"] + rest), not tail, volume, numeral(found["number"]),
                   unit=_same_unit(unit), style=_style(found, unit, gap is not None or not tail),
                   reasons=tuple(reasons), sound=sound, gapless=gap is None and bool(tail))  # fmt: skip


def _plain(line: str) -> Heading | None:
    """三十章 标题, 12章: as in some sloppy books, only among others."""
    found = _PLAIN.match(line)
    if found is None:
        return None
    tail = (found["rest"] or "").strip(_EDGES)
    reasons: list[Reason] = [(1.0, f"has the shape …{found['unit']} without 第")]
    sound = _doubts(tail, True, reasons)
    return Heading("chapter", _tidy(line[found.start("head") :]), not tail, "", numeral(found["number"]), strong=False,
                   unit=_same_unit(found["unit"]), style="plain" + found["unit"], reasons=tuple(reasons), sound=sound)  # fmt: skip


def _volume(line: str) -> Heading | None:
    found = _VOLUME_LINE.match(line)
    if found is None:
        return None
    tail = found["rest"].strip(_EDGES)
    head, unit = found["head"], found["unit"] or found["front"] or found["head"][-1]
    spaced = found["gap"] is not None or not tail
    strong = unit in "卷部篇集"
    reasons: list[Reason] = [(2.5 if strong else 1.0, f"has the shape of a volume with {unit}")]
    sound = _doubts(tail, spaced, reasons)
    if not spaced:
        if (
            len(tail) > 12
            or _COMPOUND.match(unit + tail)
            or _SAYS.match(tail)
            or (found["number"] is None and not found["front"])
        ):
            return None
        prose = any(char in "他她我你您了着的" for char in tail)
        reasons.append((-3.5, f"goes on like a sentence after {unit}") if prose else (-2.0, f"no gap after {unit}"))
        sound = False
    return Heading("volume", _tidy(line[found.start("head") :]), not tail, "",
                   numeral(found["number"] or found["after"] or ""), strong, unit=unit,
                   style=_style(found, unit if len(head) > 2 else head, spaced), reasons=tuple(reasons), sound=sound)  # fmt: skip


def _special(line: str) -> Heading | None:
    found = _SPECIAL.match(line)
    if found is None:
        return None
    title = found["title"] or ""
    reasons: list[Reason] = [(2.5, "begins with a word that only headings are made of")]
    sound = _doubts(title, True, reasons)
    if len(title) > 24:
        reasons.append((-3.0, "too long a title"))
        sound = False
    start = found.start("word") if found["word"] else found.start("extra")
    word = found["word"] or found["extra"]
    return Heading("special", _tidy(line[start:]), False, unit=word, style=word, reasons=tuple(reasons), sound=sound)


def _latin(line: str) -> Heading | None:
    found = _LATIN.match(line)
    if found is None:
        return None
    rest = found["rest"].strip(" \t*#=~_")
    after = rest.lstrip(" :.—–-|,")
    kind: Kind = "chapter" if found["chapter"] else "volume" if found["volume"] else "special"
    word = found["chapter"] or found["volume"] or found["special"]
    number = latin_numeral(found["cn"] or found["vn"] or "")
    reasons: list[Reason] = [(2.5, f"begins with {word}" + (" and a number" if number else ""))]
    doubt = _latin_doubt(kind, rest, after) if after else ""
    if doubt:
        reasons.append((-4.0, doubt))
    return Heading(kind, _tidy(line.strip(" \t*#=~_")), not after and kind == "chapter", number=number,
                   unit=word.lower(), style=("C" if word.isupper() else "c") + word.lower(), reasons=tuple(reasons),
                   sound=not doubt)  # fmt: skip


def _latin_doubt(kind: Kind, rest: str, after: str) -> str:
    # "Chapter 12 was the worst of it." is prose; "Chapter 12 The Worst of It" and "Chapter 12: what came" are not.
    separated = rest[0] in ":.—–-|,"
    if after[0].islower() and not separated:
        return "goes on in lower case"
    if rest.endswith((",", ";")) or (rest.endswith(".") and rest.count(" ") > 2):
        return "ends as a sentence does"
    if kind == "special" and not separated and len(after) > 30:
        return "too long a title"
    if not _calm(after.rstrip(".!?"), spaced=True):
        return "ends or stops as a sentence does"
    words = after.split()
    capitals = sum(word[0].isupper() for word in words)
    if not separated and after.isascii() and len(words) > 2 and capitals * 2 < len(words):
        return "is not written like a title"
    return ""


def _numbered(line: str) -> Heading | None:
    if parts := _PARTS.match(line):
        return _bare_number(line, "上中下".index(parts["part"]) + 1, "上中下" + parts["deco"], "")
    found = _NUMBERED.match(line)
    if found is None:
        return None
    title = (found["title"] or "").strip(_EDGES)
    if (
        len(title) > 24
        or not _calm(title, spaced=True)
        or any(mark in title for mark in '，；,;“”"')
        or title[:1].isdigit()
        or ((found["title"] or "").endswith(".") and " " in title)
    ):
        return None
    gap = (found["gap"] or "").strip()[:1]
    return _bare_number(line, numeral(found["digits"]), found["deco"].strip() + system(found["digits"]) + gap, title)


def _roman(line: str) -> Heading | None:
    found = _ROMAN_LINE.match(line) or _WORD_LINE.match(line)
    if found is None or not found["digits"]:
        return None
    title = found.groupdict().get("title") or ""
    words = title.split()
    if title and (
        len(title) > 60 or title.endswith((",", ";")) or sum(word[0].islower() for word in words) * 2 > len(words)
    ):
        return None
    return _bare_number(line, latin_numeral(found["digits"]), "latin" + ("." if "." in line else ""), title)


def _bare_number(line: str, number: int, style: str, title: str) -> Heading:
    return Heading("numbered", _tidy(line), not title, number=number, strong=False, unit="number", style=style,
                   reasons=((0.0, "is a bare number" + (" with a title" if title else "")),))  # fmt: skip


def _doubts(tail: str, spaced: bool, reasons: list[Reason]) -> bool:
    """Enter what in ``tail`` speaks against a title; whether there is nothing."""
    if tail and not any(char.isalnum() for char in tail):
        reasons.append((-3.0, "nothing but marks follows"))
        return False
    if _calm(tail, spaced=spaced):
        return True
    reasons.append((-3.0, "ends or stops as a sentence does"))
    return False


def _calm(tail: str, *, spaced: bool) -> bool:
    """A title does not end or stop as a sentence does."""
    if not tail:
        return True
    if tail.endswith(_SENTENCE_END) or _INSIDE.search(tail):
        return False
    if not spaced and tail.endswith(_SOFT_END) and len(tail) > 12:
        return False
    return not (tail.count("，") > 2 or "：“" in tail or "。”" in tail)


def _same_unit(unit: str) -> str:
    return {"節": "节", "話": "话", "囘": "回"}.get(unit, unit)


def _style(found: re.Match[str], unit: str, spaced: bool) -> str:
    groups = found.groupdict()
    number = groups.get("number") or groups.get("after") or ""
    body = "正文" if groups.get("body") else ""
    return f"{found['deco'].strip()}{body}{system(number) if number else ''}{unit}{'_' if spaced else ''}"


def _tidy(title: str) -> str:
    """Drop begging suffixes and decoration, turn a closing bracket without its opening into a space."""
    shorter = _BEGGING.sub("", title).strip(" \t\u3000☆★◇◆■□●※✦*#＊_=＝~～")
    for pair in _PAIRS:
        opening, closing = pair[0], pair[1]
        if closing in shorter and opening not in shorter:
            shorter = shorter.replace(closing, " ")
    return _BLANKS.sub(" ", shorter).strip()
