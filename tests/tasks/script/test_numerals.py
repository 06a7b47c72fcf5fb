"""Numbers as words."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tasks.script import numerals

_DIGIT = {"零": 0, "一": 1, "二": 2, "两": 2, "三": 3, "四": 4, "五": 5, "六": 6, "七": 7, "八": 8, "九": 9}
_PLACE = {"十": 10, "百": 100, "千": 1000}


def value_zh(words: str) -> int:
    """Read a Chinese cardinal back: the opposite of what is tested."""
    total = section = digit = 0
    for place, sign in ((10**12, "万亿"), (10**8, "亿"), (10**4, "万")):
        head, found, rest = words.partition(sign)
        if found:
            return value_zh(head) * place + (value_zh(rest) if rest else 0)
    for sign in words:
        if sign in _DIGIT:
            digit = _DIGIT[sign]
        else:
            section += (digit or 1) * _PLACE[sign]
            digit = 0
    return total + section + digit


@given(st.integers(0, 10**12 - 1), st.booleans())
def test_chinese_cardinals_can_be_read_back(value: int, liang: bool) -> None:
    assert value_zh(numerals.cardinal_zh(str(value), liang=liang)) == value


@pytest.mark.parametrize(
    ("digits", "words"),
    [
        ("0", "零"), ("10", "十"), ("12", "十二"), ("20", "二十"), ("101", "一百零一"), ("110", "一百一十"), ("1010", "一千零一十"),
        ("2000", "两千"), ("20000", "两万"), ("10001", "一万零一"), ("100010", "十万零一十"), ("100000000", "一亿"), ("110000", "十一万"),
    ],
)  # fmt: skip
def test_chinese_cardinals(digits: str, words: str) -> None:
    assert numerals.cardinal_zh(digits) == words


def test_two_before_a_measure_word() -> None:
    assert [numerals.cardinal_zh(d, liang=True) for d in ("2", "200", "1234", "22")] == [
        "两",
        "两百",
        "一千二百三十四",
        "二十二",
    ]


def test_digit_by_digit() -> None:
    assert numerals.digits_zh("1001") == "一零零一"
    assert numerals.digits_zh("110", yao=True) == "幺幺零"
    assert numerals.digits_en("105") == "one zero five"


def test_numbers_nobody_counts_are_read_digit_by_digit() -> None:
    assert numerals.cardinal_zh("1" * 17) == "一" * 17


@pytest.mark.parametrize(
    ("digits", "words"),
    [("0", "zero"), ("15", "fifteen"), ("42", "forty two"), ("100", "one hundred"), ("101", "one hundred and one"), ("1001", "one thousand and one"), ("1234567", "one million two hundred thirty four thousand five hundred and sixty seven"), ("1000000000000000000", "one quintillion")],
)  # fmt: skip
def test_english_cardinals(digits: str, words: str) -> None:
    assert numerals.cardinal_en(digits) == words


@pytest.mark.parametrize(
    ("digits", "words"),
    [
        ("1", "first"),
        ("12", "twelfth"),
        ("20", "twentieth"),
        ("21", "twenty first"),
        ("100", "one hundredth"),
        ("121", "one hundred twenty first"),
    ],
)
def test_english_ordinals(digits: str, words: str) -> None:
    assert numerals.ordinal_en(digits) == words


@pytest.mark.parametrize(
    ("digits", "words"),
    [("1998", "nineteen ninety eight"), ("1905", "nineteen oh five"), ("1900", "nineteen hundred"), ("2001", "two thousand one"), ("2000", "two thousand"), ("2012", "twenty twelve"), ("1066", "ten sixty six")],
)  # fmt: skip
def test_english_years(digits: str, words: str) -> None:
    assert numerals.year_en(digits) == words


@given(st.integers(1, 3999))
def test_roman_numerals_there_and_back(value: int) -> None:
    assert numerals.roman_value(numerals.to_roman(value)) == value


@pytest.mark.parametrize("text", ["", "IIII", "IC", "ABC", "VX", "iv"])
def test_what_is_no_roman_numeral_is_nothing(text: str) -> None:
    assert numerals.roman_value(text) == 0
