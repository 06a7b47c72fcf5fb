"""Numbers as words, Chinese and English: pure functions on digit strings.

Contract: arguments are plain ASCII digits (``decimal_*`` also one dot); results hold no digit. Chinese cardinals
follow common usage: 十二, not 一十二, at the head; 两 before 百 only where the caller asks for it (``两千`` and ``两万`` always);
a zero between places is said once.
"""

from __future__ import annotations

from common.english import BELOW_TWENTY, TENS

_HAN = "零一二三四五六七八九"
_SMALL_PLACES = ("", "十", "百", "千")
_BIG_PLACES = ("", "万", "亿", "万亿", "亿亿")
MAX_CARDINAL_DIGITS = 16
"""Longer numbers are read digit by digit: nobody counts them."""

_SCALES = (
    (10**18, "quintillion"),
    (10**15, "quadrillion"),
    (10**12, "trillion"),
    (10**9, "billion"),
    (10**6, "million"),
    (1000, "thousand"),
)
_IRREGULAR_ORDINALS = {
    "one": "first", "two": "second", "three": "third", "five": "fifth", "eight": "eighth", "nine": "ninth",
    "twelve": "twelfth",
}  # fmt: skip


def digits_zh(digits: str, *, yao: bool = False) -> str:
    """One by one: ``"2001"`` -> 二零零一; ``yao`` says 幺 for 1, as phone and room numbers are read."""
    return "".join("幺" if yao and d == "1" else _HAN[int(d)] for d in digits)


def cardinal_zh(digits: str, *, liang: bool = False) -> str:
    """A whole number. ``liang`` reads a lone 2 as 两 (before a measure word) and 200 at the head as 两百."""
    digits = digits.lstrip("0")
    if not digits:
        return "零"
    if len(digits) > MAX_CARDINAL_DIGITS:
        return digits_zh(digits)
    if digits == "2":
        return "两" if liang else "二"
    groups = []
    while digits:
        digits, group = digits[:-4], digits[-4:]
        groups.append(group)
    out = ""
    gap = False
    for place in range(len(groups) - 1, -1, -1):
        group = groups[place]
        value = int(group)
        if value == 0:
            gap = gap or bool(out)
            continue
        if out and (gap or value < 1000):
            out += "零"
        gap = False
        said = "两" if place and value == 2 else _below_ten_thousand(value, liang and not out)
        if place and out.endswith("零") and 10 <= value < 20:
            said = said[1:]  # 一百亿零十万
        out += said + _BIG_PLACES[place]
    return out[1:] if out.startswith("一十") else out


def _below_ten_thousand(value: int, liang: bool) -> str:
    out = ""
    gap = False
    for place in (3, 2, 1, 0):
        digit = value // 10**place % 10
        if digit == 0:
            gap = gap or bool(out)
            continue
        if gap:
            out += "零"
            gap = False
        two = digit == 2 and (place == 3 or (place == 2 and liang and not out))
        out += ("两" if two else _HAN[digit]) + _SMALL_PLACES[place]
    return out


def decimal_zh(number: str, *, liang: bool = False) -> str:
    """``"12.90"`` -> 十二点九零; without a dot a cardinal."""
    whole, dot, fraction = number.replace(",", "").partition(".")
    if not dot:
        return cardinal_zh(whole, liang=liang)
    return f"{cardinal_zh(whole or '0')}点{digits_zh(fraction)}"


def cardinal_en(digits: str) -> str:
    """``"1234567"`` -> one million two hundred thirty four thousand five hundred and sixty seven.

    No hyphens; ``and`` only in the last group of three, where a second one would tire the ear.
    """
    value = int(digits)
    if value >= 10**21:
        return digits_en(digits)
    if value < 1000:
        return _below_thousand(value, " and ")
    size, name = next(scale for scale in _SCALES if value >= scale[0])
    head, rest = divmod(value, size)
    joint = " and " if 0 < rest < 100 else " "
    return f"{_below_thousand(head, ' ')} {name}" + (f"{joint}{cardinal_en(str(rest))}" if rest else "")


def _below_thousand(value: int, joint: str) -> str:
    if value < 20:
        return BELOW_TWENTY[value]
    if value < 100:
        return TENS[value // 10] + (f" {BELOW_TWENTY[value % 10]}" if value % 10 else "")
    rest = value % 100
    return f"{BELOW_TWENTY[value // 100]} hundred" + (f"{joint}{_below_thousand(rest, joint)}" if rest else "")


def ordinal_en(digits: str) -> str:
    """``"21"`` -> twenty first, ``"121"`` -> one hundred twenty first."""
    head, _, last = cardinal_en(digits).replace(" and ", " ").rpartition(" ")
    if last in _IRREGULAR_ORDINALS:
        last = _IRREGULAR_ORDINALS[last]
    else:
        last = f"{last[:-1]}ieth" if last.endswith("y") else f"{last}th"
    return f"{head} {last}".strip()


def digits_en(digits: str) -> str:
    """One by one, separated by spaces."""
    return " ".join(BELOW_TWENTY[int(d)] for d in digits)


def year_en(digits: str) -> str:
    """Four digits as a year: nineteen ninety eight, nineteen oh five, two thousand one, twenty twelve."""
    value = int(digits)
    century, rest = divmod(value, 100)
    if value < 1000 or value % 1000 == 0:
        return cardinal_en(digits)
    if 2000 < value < 2010:
        return f"two thousand {cardinal_en(str(rest))}"
    if rest == 0:
        return f"{cardinal_en(str(century))} hundred"
    return f"{cardinal_en(str(century))} {'oh ' if rest < 10 else ''}{cardinal_en(str(rest))}"


def decade_en(digits: str) -> str:
    """``"1980"`` -> nineteen eighties, ``"80"`` -> eighties."""
    words = year_en(digits) if len(digits) == 4 else cardinal_en(digits)
    return f"{words[:-1]}ies" if words.endswith("y") else f"{words}s"


def decimal_en(number: str) -> str:
    """``"3.14"`` -> three point one four."""
    whole, dot, fraction = number.replace(",", "").partition(".")
    return cardinal_en(whole or "0") + (f" point {digits_en(fraction)}" if dot else "")


_ROMAN = {"I": 1, "V": 5, "X": 10, "L": 50, "C": 100, "D": 500, "M": 1000}


def roman_value(numeral: str) -> int:
    """The value of a well-formed upper-case Roman numeral, 0 for anything else."""
    total = 0
    if not numeral:
        return 0
    for here, after in zip(numeral, numeral[1:] + " ", strict=True):
        if here not in _ROMAN:
            return 0
        total += -_ROMAN[here] if _ROMAN.get(after, 0) > _ROMAN[here] else _ROMAN[here]
    return total if to_roman(total) == numeral else 0


def to_roman(value: int) -> str:
    """Upper-case Roman numeral of a value from 1 to 3999, empty otherwise."""
    if not 0 < value < 4000:
        return ""
    out = ""
    for size, sign in (
        (1000, "M"), (900, "CM"), (500, "D"), (400, "CD"), (100, "C"), (90, "XC"), (50, "L"), (40, "XL"), (10, "X"),
        (9, "IX"), (5, "V"), (4, "IV"), (1, "I"),
    ):  # fmt: skip
        count, value = divmod(value, size)
        out += sign * count
    return out
