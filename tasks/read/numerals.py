"""The numbers of headings: Arabic, full-width, Chinese, formal Chinese, Roman, English words.

Contract: ``numeral`` and ``latin_numeral`` give the value, 0 where the text is none; ``system`` names how it is written.
"""

from __future__ import annotations

import re

NUM = r"[0-9０-９零〇○一二两兩三四五六七八九十百千万萬廿卅卌壹贰貳叁參肆伍陆陸柒捌玖拾佰仟]{1,12}"
"""A number as it stands between 第 and 章."""

_DIGITS = {char: value for value, chars in enumerate(
    ("零〇○0０", "一壹1１", "二贰貳两兩2２", "三叁參3３", "四肆4４", "五伍5５", "六陆陸6６", "七柒7７", "八捌8８", "九玖9９"))
    for char in chars}  # fmt: skip
_UNITS = {"十": 10, "拾": 10, "百": 100, "佰": 100, "千": 1000, "仟": 1000}
_TWENTIES = {"廿": 20, "卅": 30, "卌": 40}
_FORMAL = frozenset("壹贰貳叁參肆伍陆陸柒捌玖拾佰仟")
_ROMAN = re.compile(r"M{0,3}(?:CM|CD|D?C{0,3})(?:XC|XL|L?X{0,3})(?:IX|IV|V?I{0,3})", re.IGNORECASE)
_ROMAN_VALUES = {"I": 1, "V": 5, "X": 10, "L": 50, "C": 100, "D": 500, "M": 1000}
_WORDS = {word: value for value, word in enumerate(
    ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen", "twenty"], 1)} | {"thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80,
    "ninety": 90, "first": 1, "second": 2, "third": 3, "fourth": 4, "fifth": 5}  # fmt: skip


def numeral(text: str) -> int:
    """The value of Arabic, full-width or Chinese digits (第一千二百三十四章 → 1234); 0 where it is none."""
    if all(char in _DIGITS for char in text):
        return int("".join(str(_DIGITS[char]) for char in text)) if text else 0
    total = section = digit = 0
    for char in text:
        if char in _DIGITS:
            digit = digit * 10 + _DIGITS[char]
        elif char in _UNITS:
            section += (digit or 1) * _UNITS[char]
            digit = 0
        elif char in "万萬":
            total += (section + digit or 1) * 10_000
            section = digit = 0
        elif char in _TWENTIES:
            section += _TWENTIES[char]
        else:
            return 0
    return total + section + digit


def latin_numeral(text: str) -> int:
    """The value of ``12``, ``XII``, ``Twenty-One`` or ``the first``; 0 where it is none."""
    word = text.strip().lower()
    if word.isascii() and word.isdigit():
        return int(word)
    if word and _ROMAN.fullmatch(word):
        values = [_ROMAN_VALUES[char] for char in word.upper()]
        return sum(
            -value if place + 1 < len(values) and value < values[place + 1] else value
            for place, value in enumerate(values)
        )
    total = 0
    for part in re.split(r"[\s\-]+", word):
        if part in _WORDS:
            total += _WORDS[part]
        elif part == "hundred":
            total = (total or 1) * 100
        elif part != "the":
            return 0
    return total


def system(text: str) -> str:
    """``arabic``, ``han``, ``formal`` (壹贰叁) or ``latin``."""
    if any(char in "0123456789０１２３４５６７８９" for char in text):
        return "arabic"
    if text.isascii():
        return "latin"
    return "formal" if _FORMAL & set(text) else "han"
