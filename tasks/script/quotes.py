"""Quotations in a chapter: where someone speaks and where a mark only sets off a word.

Contract: ``find(paragraphs, language)`` gives for every paragraph its top-level quotations, in order, marks included.
Knows “” 「」 『』 \"\", ' and ‘’ at the top level, dashes that open a paragraph, quotations that run over several
paragraphs (the mark repeated at each, or one long pair), and survives unbalanced marks: a mark that was never closed
ends with its paragraph. ``speech`` is false for quoted terms (所谓“自由”) and for what is written on a sign.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Quote:
    """Characters ``[start, end)`` of a paragraph. ``continued``: it goes on with the quotation of the paragraph before."""

    start: int
    end: int
    speech: bool = True
    continued: bool = False


_PAIRS = {"“": "”", "「": "」", "『": "』", "‘": "’", "﹁": "﹂", "《": "》"}
_CLOSERS = {closer: opener for opener, closer in _PAIRS.items() if opener != "《"}
_MARKS = re.compile(r"[“”「」『』﹁﹂‘’\"＂]|(?<![A-Za-z0-9])'(?=[A-Za-z])|(?<=[.,!?…—])'(?=\s|$)")
_END = "。！？!?.…～~"
_HAN_OR_LETTER = re.compile(r"[\w]")
_SINGLE_END = re.compile(r"[.,!?…—]'(?:\s|$)")
_DASH = re.compile(r"\s*(?:[—–―]+|-{1,2}\s)(?=\s*\S)")
_SAYS = re.compile(r"(?:说|道|问|喊|叫|嚷|骂|答|喝|吼|念|唱|说着|地说|一声|大喊|大叫|高喊|低语|说了句|来了句)$")
_WRITTEN = re.compile(
    r"(?:写着|写道|刻着|印着|贴着|题着|标着|写有|刻有|写了|上书|匾|名为|叫做|称为|所谓|名叫|叫作|称作|取名|绰号|外号|人称)[：:，,]?$"
)
_NAME_CHARS = 4
_IS_CALLED = re.compile(r"(?<![大高尖惊喊怪狂吼嚎乱连])叫$")
_NOISE = re.compile(r"[砰轰咚啪哗嘭嗵咔嚓吱呀叮铃当啷嗖噗嗒滴答隆咣哐铛喀啦扑通唰嗡]+")
_TAG_AFTER = re.compile(r"^[^。！？，,]{0,10}?(?:说|道|问|喊|叫|嚷|骂|答|喝|吼|笑)")
_DASH_TAG = re.compile(r"(?<=[。！？…!?])[^。！？…“”]{1,12}(?:说道?|问道?|喊道?|答道?|叫道|笑道|道|回答|嚷道?)。?\s*$")
"""——来了。老罗说。 No second dash tells where the narrator goes on."""
_LOOK_AHEAD_PARAGRAPHS = 12
_AROUND = 200
"""Characters beside a quotation that tell whether it is speech; more would take for ever in a text without line ends."""
_LOOK_AHEAD_CHARS = 5000


def find(paragraphs: Sequence[str], language: str = "zh") -> list[list[Quote]]:
    """The quotations of each paragraph."""
    result: list[list[Quote]] = []
    carried = ""
    single = language == "en" and not any("“" in p or '"' in p for p in paragraphs)
    for index, text in enumerate(paragraphs):
        spans, carried = _scan(text, paragraphs, index, carried, language, single)
        result.append([
            Quote(low, high, goes_on or _is_speech(text, low, high, language, open_end), goes_on)
            for low, high, goes_on, open_end in spans
        ])  # fmt: skip
    if not any(result):
        _dashes(paragraphs, result)
    return result


def _scan(
    text: str, paragraphs: Sequence[str], index: int, carried: str, language: str, single: bool
) -> tuple[list[tuple[int, int, bool, bool]], str]:
    """Top-level spans as (start, end, continued, unclosed), and the opener that the next paragraph goes on with."""
    spans: list[tuple[int, int, bool, bool]] = []
    stack: list[str] = []
    start = 0
    goes_on = False
    if carried:
        stack, goes_on = [carried], True
        head = len(text) - len(text.lstrip())
        skip = head + 1 if text[head : head + 1] in (carried, _straight(carried)) else 0
    else:
        skip = 0
    for match in _MARKS.finditer(text, skip):
        sign, at = match.group(), match.start()
        if sign in "‘’'" and not _counts(text, at, sign, language, single, stack):
            continue
        role = _role(text, at, sign, stack)
        if role == "open":
            if not stack:
                start, goes_on = at, False
            stack.append("'" if sign == "'" else '"' if sign in '"＂' else sign if sign in _PAIRS else _CLOSERS[sign])
        elif role == "close":
            stack.pop()
            if not stack:
                spans.append((start, at + 1, goes_on, False))
                goes_on = False
        elif role == "reopen":  # the one before was never closed: it ends here
            spans.append((start, at, goes_on, True))
            stack, start, goes_on = [sign if sign in _PAIRS else _CLOSERS.get(sign, sign)], at, False
    if not stack:
        return spans, ""
    spans.append((start, len(text.rstrip()), goes_on, True))
    return spans, stack[0] if _runs_on(paragraphs, index, stack[0]) else ""


def _straight(opener: str) -> str:
    return '"' if opener == '"' else opener


def _role(text: str, at: int, sign: str, stack: list[str]) -> str:
    """What a mark does here: open, close, reopen, or nothing."""
    top = stack[-1] if stack else ""
    if sign in '"＂':
        if top == "“" and len(stack) == 1 and text[at - 1 : at] in tuple("。！？…，!?,．."):
            return "close"  # “…": two kinds of marks mixed
        return "close" if '"' in stack and top == '"' else ("open" if '"' not in stack else "")
    if sign == "'":
        return "close" if top == "'" else ("open" if "'" not in stack else "")
    if sign in _PAIRS:
        if sign not in stack:
            return "open"
        before, after = text[at - 1 : at], text[at + 1 : at + 2]
        if (
            top == sign
            and before in "。！？…，—～!?,"
            and (
                not after
                or (_HAN_OR_LETTER.match(after) and (sign in text[at + 1 :] or _TAG_AFTER.match(text[at + 1 :])))
            )
        ):
            return "close"  # “…，“他说: the wrong mark at the end
        return "reopen" if top == sign and len(stack) == 1 else ""
    opener = _CLOSERS[sign]
    if opener in stack:
        while stack[-1] != opener:
            stack.pop()
        return "close"
    if (
        not stack
        and sign in text[at + 1 :]
        and opener not in text[at + 1 : text.index(sign, at + 1)]
        and (at == 0 or text[at - 1] in "：:，,。！？")
    ):
        return "open"  # ”…”: the wrong mark at the beginning
    return ""


def _counts(text: str, at: int, sign: str, language: str, single: bool, stack: list[str]) -> bool:
    """Whether a single mark is a quotation mark here and no apostrophe."""
    before, after = text[at - 1 : at], text[at + 1 : at + 2]
    if sign == "‘":
        return True
    if sign == "'":
        return single and ("'" in stack or _SINGLE_END.search(text, at + 1, at + _LOOK_AHEAD_CHARS) is not None)
    if before.isalnum() and before.isascii() and after.isalnum() and after.isascii():
        return False
    return "‘" in stack or (language == "zh" and not before.isascii())


def _runs_on(paragraphs: Sequence[str], index: int, opener: str) -> bool:
    """Whether an unclosed quotation goes on in the next paragraph."""
    if index + 1 >= len(paragraphs):
        return False
    following = paragraphs[index + 1].lstrip()
    if following[:1] == opener:
        # Repeated marks: the writer leaves all but the last paragraph open; else it is a plain new quotation
        # after a forgotten mark. Without an end mark at the line's end nothing was forgotten.
        return paragraphs[index].rstrip()[-1:] in "。！？!?.…：:；;，,—" and _closes_later(
            paragraphs, index + 1, opener, 1
        )
    return opener not in "\"'" and _closes_later(paragraphs, index + 1, opener, 0)


def _closes_later(paragraphs: Sequence[str], index: int, opener: str, skip: int) -> bool:
    closer = _PAIRS.get(opener, opener)
    for place in range(index, min(index + _LOOK_AHEAD_PARAGRAPHS, len(paragraphs))):
        text = paragraphs[place].lstrip()
        inner = text[1:] if skip and text[:1] == opener else text
        close, again = inner.find(closer), inner.find(opener) if opener != closer else -1
        if close >= 0 and (again < 0 or close < again):
            return True
        if again >= 0:
            return False
    return False


def _is_noise(inner: str, after: str) -> bool:
    """“砰！”, “吱呀”一声: what a thing sounds like is told, not said."""
    bare = re.sub(r"[^\w]", "", inner)
    return bool(_NOISE.fullmatch(bare)) and (
        not after or re.match(r"[^。！？]{0,8}?(?:一声|响|声)|的", after) is not None
    )


def _is_speech(text: str, low: int, high: int, language: str, unclosed: bool) -> bool:
    if unclosed:
        return True
    inner = text[low + 1 : high - 1].strip()
    before, after = text[max(0, low - _AROUND) : low].rstrip(), text[high : high + _AROUND].lstrip()
    if not inner:
        return False
    if _is_noise(inner, after):
        return False
    if not before and not after:
        return True
    ended = inner.rstrip("”’」』\"'")[-1:] in "。！？!?.…～~—，,;；" if inner else False
    if language == "en":
        return ended or before.endswith((",", ":")) or (not before and after[:1] in ",—")
    if _WRITTEN.search(before):
        return False
    if before.endswith(("：", ":")):
        return True
    if not ended and len(inner) <= _NAME_CHARS and _IS_CALLED.search(before):
        return False
    inside = bool(before) and before[-1] not in "。！？!?…，,；;”」』—）)～"
    if _SAYS.search(before):
        return not re.match(r"[的地得]?(?:字|词|这|那|二字|一词)", after)
    if not ended:
        return bool(
            not inside
            and _TAG_AFTER.match(after)
            and len(inner) <= 60
            and (not before or before[-1] in "。！？!?…”」』")
        )
    return not (inside and inner[-1] not in "。！？!?…—～")


def _dashes(paragraphs: Sequence[str], result: list[list[Quote]]) -> None:
    """Paragraphs that open with a dash are speech where the chapter has no marks and two of them."""
    heads = [(index, match) for index, text in enumerate(paragraphs) if (match := _DASH.match(text))]
    if len(heads) < 2:
        return
    for index, match in heads:
        text = paragraphs[index]
        bars = [m.start() for m in re.finditer(r"\s[—–―]+(?=\s)|(?<=[。！？，,.!?…])\s*[—–―]+", text[match.end() :])]
        low, quotes = match.start(), []
        cuts = [match.end() + bar for bar in bars]
        # Odd dashes turn to the narrator, even ones back to the speaker.
        for k in range(0, len(cuts) + 1, 2):
            high = cuts[k] if k < len(cuts) else len(text)
            quotes.append(Quote(low, high, True, k > 0))
            if k + 1 < len(cuts):
                low = cuts[k + 1]
        if len(quotes) == 1 and not cuts and (tag := _DASH_TAG.search(text, match.end())):
            quotes = [Quote(quotes[0].start, tag.start())]
        result[index] = quotes
