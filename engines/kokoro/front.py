"""From an utterance's text to what the model is fed: units of symbols, each knowing the characters it stands for.

Contract: ``units_of(text, language, readings)`` covers the text from left to right. Han characters are read as the
readings say (where there is none, as pypinyin usually reads them); runs of Latin letters are read as English words, so
that letters never pass as phonetic symbols; figures that normalization left are read as numbers of the language;
punctuation becomes the marks that the model knows; anything else is left out and named in the notes. Words are separated
by the model's space, Chinese ones where jieba finds their borders: the model was trained so.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal

from common.files import make_folder
from common.places import cache
from engines.kokoro import en, zh

FRONT = 1
"""Version of these rules; part of the engine's fingerprint."""

Kind = Literal["han", "word", "mark"]
Break = Literal["", "clause", "sentence"]

_MARKS = {
    "。": ".", "．": ".", "！": "!", "？": "?", "，": ",", "、": ",", "；": ";", "：": ":", "…": "…", "⋯": "…", "—": "—",
    "―": "—", "–": "—", "～": "…", "“": "“", "”": "”", "「": "“", "」": "”", "『": "“", "』": "”", "《": "“", "》": "”",
    "〈": "“", "〉": "”", "【": "“", "】": "”", "«": "“", "»": "”", "‘": "“", "’": "”", "（": "(", "）": ")",
    ".": ".", "!": "!", "?": "?", ",": ",", ";": ";", ":": ":", "(": "(", ")": ")", '"': '"',
}  # fmt: skip
_OPENING = frozenset("“(")
_CLOSING = frozenset('”)"')
_BREAKS: dict[str, Break] = {
    ".": "sentence", "!": "sentence", "?": "sentence", "…": "sentence", ",": "clause", ";": "clause", ":": "clause", "—": "clause",
}  # fmt: skip
_SAID = {
    "zh": {
        "%": "百分号",
        "&": "和",
        "+": "加",
        "=": "等于",
        "°": "度",
        "℃": "摄氏度",
        "@": "艾特",
        "×": "乘",
        "÷": "除以",
    },
    "en": {
        "%": "percent",
        "&": "and",
        "+": "plus",
        "=": "equals",
        "°": "degrees",
        "@": "at",
        "×": "times",
        "$": "dollars",
    },
}
_WORD = re.compile(r"[A-Za-zÀ-ÖØ-öø-ÿĀ-ſ]+(?:['’][A-Za-z]+)*")
_FIGURES = re.compile(r"\d+(?:,\d{3})*(?:\.\d+)?")
_LAST_WORD = re.compile(r"[A-Za-z](?:[A-Za-z.]*[A-Za-z])?$")
_TITLES = frozenset(("Mr", "Mrs", "Ms", "Dr", "Prof", "St", "Jr", "Sr", "vs", "etc", "No", "Mt"))
_JOINED_TO_WORDS = frozenset("-_/·'’")


@dataclass(frozen=True, slots=True)
class Unit:
    """``phones``: symbols of the model. Characters ``[start, end)`` of the text. ``space``: a space of the model goes before
    it. ``break_``: what ends here (marks only)."""

    phones: str
    start: int
    end: int
    kind: Kind
    space: bool = False
    break_: Break = ""


@lru_cache(maxsize=1)
def vocabulary() -> dict[str, int]:
    """The model's 114 symbols and their numbers."""
    loaded: dict[str, int] = json.loads((Path(__file__).parent / "data" / "vocabulary.json").read_bytes())
    return loaded


@lru_cache(maxsize=1)
def _segmenter() -> Any:
    # A segmenter of our own: words that others add to jieba's shared one must not change how a line sounds.
    import logging

    import jieba

    jieba.setLogLevel(logging.WARNING)
    segmenter = jieba.Tokenizer()
    segmenter.tmp_dir = str(make_folder(cache() / "jieba"))  # not the shared temporary folder: the cache is trusted
    return segmenter


def units_of(text: str, language: str, readings: Sequence[tuple[int, str]]) -> tuple[list[Unit], list[str]]:
    """The units of ``text`` in order, and notes on what could not be said."""
    plain = "".join(_narrow(char) for char in text)
    chinese = language != "en" or any(zh.is_han(char) for char in plain)
    if chinese and language == "zh" and not any(zh.is_han(char) for char in plain):
        chinese = not re.search(r"[A-Za-z]", plain)
    given = dict(readings)
    units: list[Unit] = []
    left_out: list[str] = []
    place = 0
    gap = False
    while place < len(plain):
        char = plain[place]
        made: list[Unit] = []
        end = place + 1
        if zh.is_han(char):
            while end < len(plain) and zh.is_han(plain[end]):
                end += 1
            made = _han(plain, place, end, given, left_out)
        elif (word := _WORD.match(plain, place)) is not None:
            end = word.end()
            made = [
                Unit(
                    _forced(given.get(place, "")) or _letter(word.group(), chinese) or "?" + word.group(),
                    place,
                    end,
                    "word",
                )
            ]
        elif (figures := _FIGURES.match(plain, place)) is not None:
            end = figures.end()
            made = _figures(figures.group(), place, end, chinese)
        elif char in _MARKS:
            mark = _MARKS[char]
            if not (char == "." and _abbreviates(plain, place)):
                made = [Unit(mark, place, end, "mark", break_=_break(mark))]
        elif (said := _SAID["zh" if chinese else "en"].get(char)) is not None:
            made = _aloud(said, place, end, chinese)
        elif not char.isspace() and char not in _JOINED_TO_WORDS and char.isprintable():
            left_out.append(text[place])
        if made:
            units.extend([replace(made[0], space=gap or _spaced(units, made[0])), *made[1:]])
            gap = False
        else:
            gap = True
        place = end
    notes = [f"left out, cannot be spoken: {''.join(dict.fromkeys(left_out))}"] if left_out else []
    return _english_in_context(_tidy(units)), notes


def _narrow(char: str) -> str:
    """Full-width letters and figures as plain ones; one character stays one character."""
    if "\uff10" <= char <= "\uff5a":
        folded = unicodedata.normalize("NFKC", char)
        return folded if folded.isalnum() else char
    return char


def _letter(word: str, chinese: bool) -> str:
    """A single letter among Chinese (A股, B超) is its English name, never an article."""
    return en.spell(word) if chinese and len(word) == 1 else ""


def _abbreviates(text: str, place: int) -> bool:
    """Whether the full stop at ``place`` ends no sentence: inside ``U.S.`` or ``3.14``, after ``Mr`` or ``e.g``."""
    after = text[place + 1 : place + 2]
    if after.isascii() and after.isalnum():
        return True
    before = _LAST_WORD.search(text, 0, place)
    if before is None:
        return False
    following = text[place + 1 :].lstrip()[:1]
    return before.group() in _TITLES or (len(before.group()) > 1 and "." in before.group() and following.islower())


def _break(mark: str) -> Break:
    """An ellipsis may stand in mid-sentence, so it counts as a clause."""
    return "clause" if mark == "…" else _BREAKS.get(mark, "")


def _spaced(units: list[Unit], unit: Unit) -> bool:
    if not units or unit.kind == "mark":
        return bool(units) and unit.phones in _OPENING
    before = units[-1]
    return before.kind != "mark" or before.phones not in _OPENING


def _han(text: str, start: int, end: int, given: dict[int, str], left_out: list[str]) -> list[Unit]:
    run = text[start:end]
    known = {place - start: given[place] for place in range(start, end) if zh.phones_of(given.get(place, ""))}
    said = [known[place] for place in range(len(run))] if len(known) == len(run) else zh.usual_readings(run, known)
    borders = {0}
    for word in _segmenter().cut(run):
        borders.add(max(borders) + len(word))
    units: list[Unit] = []
    space = False
    for place, syllable in enumerate(said):
        phones = zh.phones_of(syllable)
        space = space or (place in borders and place > 0)
        if not phones:
            left_out.append(run[place])
            continue
        # 儿 of erhua belongs to the syllable before it, whatever the segmenter thinks
        space = space and not (run[place] in "儿兒" and syllable.startswith("er5"))
        units.append(Unit(phones, start + place, start + place + 1, "han", space=space and bool(units)))
        space = False
    return units


def _forced(phones: str) -> str:
    return en.from_arpabet(phones) if phones else ""


def _figures(figures: str, start: int, end: int, chinese: bool) -> list[Unit]:
    return _aloud(chinese_number(figures) if chinese else en.number_words(figures), start, end, chinese)


def _aloud(said: str, start: int, end: int, chinese: bool) -> list[Unit]:
    """Words that stand for the characters ``[start, end)``, as one unit."""
    if chinese:
        phones = "".join(zh.phones_of(syllable) for syllable in zh.usual_readings(said))
    else:
        words = said.split()
        phones = " ".join(en.phones_of(word, "k") for word in words)
    return [Unit(phones, start, end, "word")]


def chinese_number(figures: str) -> str:
    """``1024`` -> 一千零二十四; more than 16 digits or a leading zero are read digit by digit."""
    whole, _, fraction = figures.replace(",", "").partition(".")
    names = "零一二三四五六七八九"
    if len(whole) > 16 or (len(whole) > 1 and whole[0] == "0"):
        said = "".join(names[int(digit)] for digit in whole)
    else:
        said = _chinese_count(int(whole))
    return said + ("点" + "".join(names[int(digit)] for digit in fraction) if fraction else "")


def _chinese_count(value: int) -> str:
    names = "零一二三四五六七八九"
    if value < 10:
        return names[value]
    for size, unit in ((10**8, "亿"), (10**4, "万"), (1000, "千"), (100, "百"), (10, "十")):
        if value >= size:
            high, rest = divmod(value, size)
            said = ("" if size == 10 and high == 1 else _chinese_count(high)) + unit
            if rest:
                tens = rest < size // 10
                inner = _chinese_count(rest)
                if not tens and rest // 10 == 1 and size == 100:
                    inner = "一" + inner
                said += ("零" if tens else "") + inner
            return said
    raise AssertionError(value)


def _tidy(units: list[Unit]) -> list[Unit]:
    """One mark of a kind in a row (！！！ as one), no mark before the first thing said except an opening one."""
    kept: list[Unit] = []
    for unit in units:
        if unit.kind == "mark":
            if not kept and unit.phones not in _OPENING:
                continue
            if kept and kept[-1].kind == "mark":
                last = kept[-1]
                same = last.phones == unit.phones or (last.break_ and unit.break_)
                if same and unit.phones not in _OPENING:
                    if last.break_ == "clause" and unit.break_ == "sentence":
                        kept[-1] = replace(unit, start=last.start, space=last.space)
                    else:
                        kept[-1] = replace(last, end=unit.end)
                    continue
        kept.append(unit)
    return kept


def _english_in_context(units: list[Unit]) -> list[Unit]:
    """Give English words their symbols, from the last to the first: ``the`` depends on what follows."""
    said: list[Unit] = []
    following: str | None = None
    for unit in reversed(units):
        if unit.kind == "word" and unit.phones.startswith("?"):
            unit = replace(unit, phones=en.phones_of(unit.phones[1:], following))
        following = (None if unit.break_ else following) if unit.kind == "mark" else unit.phones
        if unit.phones:
            said.append(unit)
    return said[::-1]


def speakable(units: Sequence[Unit]) -> bool:
    return any(unit.kind != "mark" for unit in units)


def closes(unit: Unit) -> bool:
    return unit.kind == "mark" and unit.phones in _CLOSING


def symbols_of(unit: Unit, first: bool) -> str:
    """The unit's symbols as they stand in a pass (``first`` of its pass: no space before it), known ones only."""
    known = vocabulary()
    phones = "".join(symbol for symbol in unit.phones if symbol in known)
    return (" " if unit.space and not first else "") + phones
