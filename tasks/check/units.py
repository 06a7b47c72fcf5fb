"""Text as the units that are compared: syllables without tone for Han characters, words for the rest.

Contract: what was to be said and what was heard become sequences of ``Unit``; the same sound gives the same unit, however
it is written: traditional and simplified, figures and number words, homophones. Each expected unit knows its characters.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache

from common.english import BELOW_TWENTY, TENS

_CHINESE = "零一二三四五六七八九"
_FILLERS = frozenset("嗯啊哦呃唉哎呀哟嘿哈呵嗨喂噢咦哼呢吧嘛吗啦了着的地得儿")
"""Characters that a listener drops or adds without a word being lost: interjections, particles, the r of erhua."""
_WORD_FILLERS = frozenset({"a", "an", "the", "and", "oh", "uh", "um", "ah", "mm", "hmm", "er", "hm"})
_TONE = re.compile(r"\d$")
_TOKEN = re.compile(r"[a-z]+(?:['’][a-z]+)*|\d+(?:[.,:]\d+)*%?|[^\W\d_a-z]", re.IGNORECASE)
_CONTRACTIONS = (
    (re.compile(r"\bcan['’]?t\b"), "can not"), (re.compile(r"\bcannot\b"), "can not"), (re.compile(r"\bwon['’]t\b"), "will not"),
    (re.compile(r"n['’]t\b"), " not"), (re.compile(r"['’]ll\b"), " will"), (re.compile(r"['’]re\b"), " are"),
    (re.compile(r"['’]ve\b"), " have"), (re.compile(r"['’]m\b"), " am"),
    (re.compile(r"\b(it|he|she|that|what|there|here|who|where|how)['’]s\b"), r"\1 is"),
    (re.compile(r"\blet['’]s\b"), "let us"), (re.compile(r"['’]d\b"), " would"),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Unit:
    """One sound. ``sounds``: toneless syllables it may be (Han), or the word itself; ``text[start:end]`` is where it stands.
    ``light``: its loss is no loss. ``han`` tells the kinds apart."""

    text: str
    sounds: frozenset[str]
    start: int
    end: int
    han: bool
    light: bool = False


def is_han(character: str) -> bool:
    return "㐀" <= character <= "鿿" or "豈" <= character <= "﫿" or "\U00020000" <= character <= "\U0003ffff"


@lru_cache(maxsize=16384)
def syllables(character: str) -> frozenset[str]:
    """Every toneless syllable that ``character`` may be (``v`` for ü); itself where it has none."""
    import pypinyin

    found = pypinyin.pinyin(character, style=pypinyin.Style.NORMAL, heteronym=True, v_to_u=False)
    return frozenset(one for one in found[0]) if found else frozenset({character})


def toneless(phones: str) -> str:
    """``lv4`` as ``lv``, ``er5`` as ``er``."""
    return _TONE.sub("", phones.strip().lower()).replace("ü", "v")


def expected(text: str, language: str, readings: Mapping[int, str] | None = None) -> list[Unit]:
    """The units of a spoken text. ``readings``: pinyin with tone digit by character offset; where one is given it counts
    beside the usual readings of the character, for an ear knows no better. ``language`` is that of words in digits."""
    return _units(text, language, readings or {})


def heard_units(text: str, language: str, wanted: Iterable[Unit] = ()) -> list[Unit]:
    """The units of what an ear wrote down; figures become the number words that fit ``wanted`` best."""
    return _units(text, language, {}, wanted=[min(unit.sounds) for unit in wanted])


def _units(text: str, language: str, readings: Mapping[int, str], wanted: list[str] | None = None) -> list[Unit]:
    folded = _fold(text)
    units: list[Unit] = []
    for match in _TOKEN.finditer(folded):
        token, start, end = match.group(), match.start(), match.end()
        if is_han(token):
            sounds = syllables(token)
            if start in readings and readings[start][:1].isalpha():
                sounds = sounds | {toneless(readings[start])}
            units.append(Unit(token, sounds, start, end, han=True, light=token in _FILLERS))
        elif token[0].isdigit():
            units.extend(_number(token, start, end, language, wanted))
        elif token[0].isalpha():
            words = _plain_words(token)
            units.extend(Unit(w, frozenset({w}), start, end, han=False, light=w in _WORD_FILLERS) for w in words)
    return units


def _fold(text: str) -> str:
    """Lower case, full width to half width, one character for one: offsets stay."""
    return "".join(c if len(c) == 1 else raw for raw in text for c in [unicodedata.normalize("NFKC", raw).lower()])


def _plain_words(token: str) -> list[str]:
    for pattern, instead in _CONTRACTIONS:
        token = pattern.sub(instead, token)
    return [re.sub(r"['’]", "", word) for word in token.split()]


def _number(token: str, start: int, end: int, language: str, wanted: list[str] | None) -> list[Unit]:
    forms = _chinese_forms(token) if language == "zh" else _english_forms(token)
    best = forms[0]
    if wanted is not None and len(forms) > 1:
        best = max(forms, key=lambda form: _found_in(form, wanted, language))
    if language == "zh":
        return [Unit(c, syllables(c), start, end, han=True) for c in best]
    return [Unit(w, frozenset({w}), start, end, han=False) for w in best]


def _found_in(form: list[str], wanted: list[str], language: str) -> float:
    """How much of ``form`` stands in ``wanted`` in one piece, as a share of both its own length and the piece's."""
    sounds = [min(syllables(c)) if language == "zh" else c for c in form]
    for size in range(len(sounds), 0, -1):
        for at in range(len(sounds) - size + 1):
            piece = sounds[at : at + size]
            if any(wanted[i : i + size] == piece for i in range(len(wanted) - size + 1)):
                return size - 0.5 * (len(sounds) - size)
    return -float(len(sounds))


def _chinese_forms(token: str) -> list[list[str]]:
    percent, digits = token.endswith("%"), token.rstrip("%").replace(",", "")
    parts = digits.split(":")
    whole, _, fraction = parts[0].partition(".")
    tail = ("点" + "".join(_CHINESE[int(c)] for c in fraction if c.isdigit())) if fraction else ""
    if len(parts) > 1:
        tail = "点" + "".join(chinese_number(part.partition(".")[0]) for part in parts[1:] if part)
    forms = [chinese_number(whole) + tail]
    if "二" in forms[0]:
        forms.append(forms[0].replace("二", "两", 1))
    if len(whole) > 1:
        each = "".join(_CHINESE[int(c)] for c in whole)
        forms += [each + tail, each.replace("一", "幺") + tail]
    if whole[:1] == "1" and len(whole) > 1:
        forms.append("一" + forms[0] if forms[0].startswith("十") else forms[0].removeprefix("一"))
    return [list("百分之" + form if percent else form) for form in forms]


def chinese_number(digits: str) -> str:
    """A whole number below 10^16 in Chinese number words; longer ones digit by digit."""
    if len(digits) > 16 or (len(digits) > 1 and digits[0] == "0"):
        return "".join(_CHINESE[int(c)] for c in digits)
    value = int(digits or "0")
    if value == 0:
        return "零"
    said, zero = "", False
    for scale, name in ((10**12, "万亿"), (10**8, "亿"), (10**4, "万"), (1, "")):
        group, value = divmod(value, scale)
        if not group:
            zero = bool(said)
            continue
        said += ("零" if said and (zero or group < 1000) else "") + _below_ten_thousand(group) + name
        zero = False
    return said.removeprefix("一") if said.startswith("一十") else said


def _below_ten_thousand(value: int) -> str:
    said, zero = "", False
    for scale, name in ((1000, "千"), (100, "百"), (10, "十"), (1, "")):
        digit, value = divmod(value, scale)
        if digit:
            said += ("零" if zero and said else "") + _CHINESE[digit] + name
            zero = False
        else:
            zero = True
    return said


def _english_forms(token: str) -> list[list[str]]:
    percent, digits = token.endswith("%"), token.rstrip("%").replace(",", "")
    words: list[str] = []
    for part in digits.split(":"):
        whole, _, fraction = part.partition(".")
        words += _words(whole)
        if fraction:
            words += ["point", *(word for digit in fraction if digit.isdigit() for word in _words(digit))]
    tail = ["percent"] if percent else []
    forms = [words + tail]
    if digits.isdigit() and len(digits) == 4:
        forms.append(_words(digits[:2]) + _words(digits[2:]) + tail)
    if digits.isdigit() and len(digits) > 1:
        forms.append([word for digit in digits for word in _words(digit)] + tail)
    return forms


def _words(digits: str) -> list[str]:
    if not digits:
        return []
    value = int(digits)
    if value >= 10**12:
        return [BELOW_TWENTY[int(digit)] for digit in digits]
    said: list[str] = []
    for scale, name in ((10**9, "billion"), (10**6, "million"), (1000, "thousand")):
        group, value = divmod(value, scale)
        if group:
            said += [*_below_thousand(group), name]
    return said + _below_thousand(value) if value or not said else said


def _below_thousand(value: int) -> list[str]:
    hundreds, rest = divmod(value, 100)
    said = [BELOW_TWENTY[hundreds], "hundred"] if hundreds else []
    if rest >= 20:
        said += [TENS[rest // 10]] + ([BELOW_TWENTY[rest % 10]] if rest % 10 else [])
    elif rest or not hundreds:
        said.append(BELOW_TWENTY[rest])
    return said
