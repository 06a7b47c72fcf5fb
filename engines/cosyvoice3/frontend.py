"""The reference's own text front end: what the released code does to a text before its tokenizer.

Contract: ``normalise`` and ``split`` give what upstream gives without an external normalizer (golden cases), with one
difference that can be switched off: digits inside bracketed tags are kept, where upstream turns ``[AH0]`` into
``[AHzero]``. The press normalizes and splits in its own script room; this is for prompt texts, for callers that
speak raw text, and for parity.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable

from common.english import BELOW_TWENTY, TENS

SOFT, HARD, SHORT = 60, 80, 20
"""A segment is closed before it would pass ``HARD`` if it has more than ``SOFT``; a rest under ``SHORT`` joins the one
before. In characters for Chinese, in tokens otherwise."""
_MARKS_ZH, _MARKS_OTHER = "。？！；：、.?!;", ".?!;:"
_QUOTES = '"”'
_DELETED = str.maketrans({"²": "平方", "³": "立方", ".": "。"})
_UNWANTED = str.maketrans(dict.fromkeys("（）【】`"))
_TAG_OR_DIGITS = re.compile(r"\[[^\[\]]*\]|\d+")
_GROUPS = [
    "",
    "thousand",
    "million",
    "billion",
    "trillion",
    "quadrillion",
    "quintillion",
    "sextillion",
    "septillion",
    "octillion",
    "nonillion",
    "decillion",
]


def is_chinese(text: str) -> bool:
    """Whether any character is in U+4E00..U+9FFF."""
    return any("\u4e00" <= char <= "\u9fff" for char in text)


def normalise(text: str, keep_tags: bool = True) -> str:
    """The text as upstream would tokenize it unsplit; as it is where it holds control tokens or is empty."""
    if not text or _is_raw(text):
        return text
    text = text.strip()
    if not is_chinese(text):
        return _spell_digits(text, keep_tags)
    text = _drop_spaces(text.replace("\n", ""))
    text = text.translate(_DELETED).replace(" - ", "，").translate(_UNWANTED).replace("——", " ")
    return re.sub(r"[，,、]+$", "。", text)


def split(text: str, count_tokens: Callable[[str], int], keep_tags: bool = True) -> list[str]:
    """The text as upstream would speak it, in segments; ``count_tokens`` measures text without Chinese."""
    if not text or _is_raw(text):
        return [text]
    text = normalise(text, keep_tags)
    chinese = is_chinese(text)
    marks = _MARKS_ZH if chinese else _MARKS_OTHER
    if text and text[-1] not in marks:
        text += "。" if chinese else "."
    measure: Callable[[str], int] = len if chinese else count_tokens
    segments, current = [], ""
    for piece in _sentences(text, marks):
        if measure(current + piece) > HARD and measure(current) > SOFT:
            segments.append(current)
            current = ""
        current += piece
    if current:
        if segments and measure(current) < SHORT:
            segments[-1] += current
        else:
            segments.append(current)
    return [segment for segment in segments if not _is_symbols(segment)]


def _is_raw(text: str) -> bool:
    return "<|" in text and "|>" in text


def _drop_spaces(text: str) -> str:
    """Without the spaces that do not stand between two ASCII characters."""

    def kept(place: int) -> bool:
        sides = text[place - 1 : place] + text[place + 1 : place + 2]
        return len(sides) == 2 and sides.isascii() and " " not in sides

    return "".join(char for place, char in enumerate(text) if char != " " or kept(place))


def _sentences(text: str, marks: str) -> list[str]:
    """Pieces up to and with a mark and a closing quotation mark right after it; a mark with nothing before it is
    dropped."""
    pieces: list[str] = []
    start = 0
    for place, char in enumerate(text):
        if char not in marks:
            continue
        if place > start:
            pieces.append(text[start : place + 1])
        start = place + 1
        if pieces and start < len(text) and text[start] in _QUOTES:
            pieces[-1] += text[start]
            start += 1
    return pieces


def _is_symbols(text: str) -> bool:
    return all(unicodedata.category(char)[0] in "PS" for char in text)


def _spell_digits(text: str, keep_tags: bool) -> str:
    def spelled(found: re.Match[str]) -> str:
        run = found.group()
        if not run.startswith("["):
            return number_in_words(run)
        return run if keep_tags else re.sub(r"\d+", lambda inner: number_in_words(inner.group()), run)

    return _TAG_OR_DIGITS.sub(spelled, text)


def number_in_words(digits: str) -> str:
    """A whole number in English as upstream says it: ``1105`` -> ``one thousand, one hundred and five``.

    Leading zeros are not said; a number too long to have a name is said digit by digit.
    """
    digits = "".join(str(int(digit)) for digit in digits).lstrip("0") or "0"
    if len(digits) > 3 * len(_GROUPS):
        return " ".join(BELOW_TWENTY[int(digit)] for digit in digits)
    if digits == "0":
        return BELOW_TWENTY[0]
    groups: list[str] = []
    rest, power = int(digits), 0
    last = rest % 1000
    while rest:
        rest, group = divmod(rest, 1000)
        if group:
            groups.append(_below_thousand(group) + (f" {_GROUPS[power]}" if power else ""))
        power += 1
    groups.reverse()
    if len(groups) > 1 and 0 < last < 100:
        return ", ".join(groups[:-1]) + f" and {groups[-1]}"
    return ", ".join(groups)


def _below_thousand(number: int) -> str:
    hundreds, rest = divmod(number, 100)
    tens = TENS[rest // 10] + (f"-{BELOW_TWENTY[rest % 10]}" if rest % 10 else "")
    small = BELOW_TWENTY[rest] if rest < 20 else tens
    if not hundreds:
        return small
    return f"{BELOW_TWENTY[hundreds]} hundred" + (f" and {small}" if rest else "")
