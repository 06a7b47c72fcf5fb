"""Punctuation as it is said: quotation marks are silent, dashes and dots are pauses.

Contract: ``edits(text, claimed, language)`` adds to the claimed edits those for marks an engine does not understand.
A run of marks becomes one mark (the strongest of it); brackets become commas, titles' marks nothing.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from tasks.script.split import Edit

_SILENT = '“”「」『』《》〈〉﹁﹂＂"【】{}〔〕*_#＊＃|｜^`´©®™•●○◆◇■□★☆※→←↑↓♪♥❤\u200b\u200c\u200d\ufeff\u00ad[]'
_PAUSING = "（）()…—–～~．\n\t\u3000·"
_UNUSUAL = re.escape(_SILENT + _PAUSING + "‘’'-")
_RUN_ZH = re.compile(rf"[{_UNUSUAL}。！？!?，、；：,;:.\s]{{2,}}|[{_UNUSUAL}]")
_UNUSUAL_EN = re.escape('“”‘"*_#|^`[](){}…—–~。！？，、\u200b\u200c\u200d\ufeff\u00ad\n\t')
_RUN_EN = re.compile(
    rf"[{_UNUSUAL_EN}.!?,;:'’\s]{{2,}}|[{_UNUSUAL_EN}]|\s*-{{2,}}\s*|(?<!\w)['’](?=\w)|(?<=\w)['’](?!\w)"
)
_ANNOTATION = re.compile(r"(?:\[[^\[\]\s]{1,16}\])+")
_STRONG = re.compile(r"[？?]|[！!]|[。.．](?![.．])")
_LEADING_ELISION = re.compile(r"['’](?:tis|twas|em|cause|til|bout|round|[0-9]{2})\b", re.IGNORECASE)


def edits(text: str, claimed: Sequence[Edit], language: str) -> list[Edit]:
    """``claimed`` (sorted, disjoint) and the edits for marks between them, sorted."""
    found: list[Edit] = []
    taken = [(edit.start, edit.end) for edit in claimed]
    if "[" in text:
        taken = sorted([*taken, *(m.span() for m in _ANNOTATION.finditer(text))])
    at = 0
    for low, high in (*taken, (len(text), len(text))):
        if low > at:
            found.extend(_between(text, at, low, language))
        at = max(at, high)
    return sorted([*claimed, *found], key=lambda edit: edit.start) if found else list(claimed)


def _between(text: str, low: int, high: int, language: str) -> list[Edit]:
    out: list[Edit] = []
    pattern = _RUN_EN if language == "en" else _RUN_ZH
    for match in pattern.finditer(text, low, high):
        run = match.group()
        said = _said_en(text, match) if language == "en" else _said_zh(text, match)
        if said != run:
            out.append(Edit(match.start(), match.end(), said))
    return out


def _said_zh(text: str, match: re.Match[str]) -> str:
    run, at, end = match.group(), match.start(), match.end()
    before, after = text[at - 1 : at], text[end : end + 1]
    if run in ("-", "'", "’", "–") and before.isascii() and after.isascii() and before.isalnum() and after.isalnum():
        return run
    if run == "·":
        return ""
    first = at == 0
    if strong := _STRONG.search(run):
        return "" if first else _full(strong.group())
    for sign in "；;：:，,":
        if sign in run:
            return "" if first else {";": "；", ":": "：", ",": "，"}.get(sign, sign)
    if "…" in run or "．．" in run or ".." in run:
        return "" if first else ("。" if not after or run[-1] in '”」』"’' else "，")
    if "——" in run or "—" in run or "--" in run or "～" in run or "~" in run or "–" in run:
        return "" if first else ("，" if after else "。")
    if "、" in run:
        return "" if first else "、"
    if any(sign in run for sign in "（）()") or "\n" in run:
        return "" if first or not after else "，"
    if before.isascii() and after.isascii() and before.isalnum() and after.isalnum():
        return " "
    if any(sign in run for sign in "\u3000\t") and before.strip() and after.strip():
        return "，"
    return " " if run.isspace() and not first and after else ""


def _full(sign: str) -> str:
    return {"?": "？", "!": "！", ".": "。", "．": "。"}.get(sign, sign)


def _said_en(text: str, match: re.Match[str]) -> str:
    run, at, end = match.group(), match.start(), match.end()
    before, after = text[at - 1 : at], text[end : end + 1]
    bare = run.strip()
    if bare in ("'", "’"):
        place = at + run.index(bare)
        if (run[0] == bare and before.lower() == "s") or _LEADING_ELISION.match(text, place):
            return run  # the possessive of a plural, or a word that begins with an elision
        return " " if run != bare and at and after else ""
    if at == 0:
        return ""
    gap = " " if after else ""
    if re.search(r"[.。]\s*[,;:]", bare) and not re.search(r"[?!？！]|\.\.", bare):
        return "," + gap
    if strong := re.search(r"[?？]|[!！]|(?<!\.)[.。](?!\.)", run):
        return {"？": "?", "！": "!", "。": "."}.get(strong.group(), strong.group()) + gap
    for sign in ";:,":
        if sign in run:
            return sign + gap
    if "，" in run or "、" in run:
        return "," + gap
    if "…" in run or ".." in run:
        return "." if not after else (". " if after.isupper() and after != "I" else ", ")
    if "—" in run or "–" in run or "--" in run:
        return ", " if after else "."
    if "(" in run or ")" in run:
        return "," + gap if after else ""
    return " " if any(sign.isspace() for sign in run) and after else ""
