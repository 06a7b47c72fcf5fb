"""一 and 不 in their surface tone at sentence level."""

from __future__ import annotations

import pytest

from tasks.script.readings import Reader

READER = Reader()


def tones(text: str, char: str) -> list[str]:
    return [one.phones for one in READER.read(text, "zh") if text[one.start] == char]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("一个人", ["yi2"]),
        ("一样", ["yi2"]),
        ("一定", ["yi2"]),
        ("一天", ["yi4"]),
        ("一年", ["yi4"]),
        ("一起", ["yi4"]),
        ("第一次", ["yi1"]),
        ("第一", ["yi1"]),
        ("一月一日", ["yi1", "yi1"]),
        ("一个月", ["yi2"]),
        ("统一思想", ["yi1"]),
        ("唯一", ["yi1"]),
        ("万一他不来", ["yi1"]),
        ("十一个", ["yi1"]),
        ("二十一天", ["yi1"]),
        ("一百一十", ["yi4", "yi1"]),
        ("一九九八年", ["yi1"]),
        ("看一看", ["yi5"]),
        ("想一想再说", ["yi5"]),
        ("一天一天", ["yi4", "yi4"]),
        ("星期一下午", ["yi1"]),
        ("一，二，三", ["yi1"]),
        ("初一", ["yi1"]),
    ],
)
def test_yi(text: str, expected: list[str]) -> None:
    assert tones(text, "一") == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("不是", ["bu2"]),
        ("不去", ["bu2"]),
        ("不来", ["bu4"]),
        ("不好", ["bu4"]),
        ("不吃", ["bu4"]),
        ("不，我不", ["bu4", "bu4"]),
        ("是不是", ["bu5"]),
        ("好不好", ["bu5"]),
        ("不一定", ["bu4"]),
        ("他偏不，偏要", ["bu4"]),
    ],
)
def test_bu(text: str, expected: list[str]) -> None:
    assert tones(text, "不") == expected


def test_third_tones_are_left_to_the_engine() -> None:
    assert [one.phones for one in READER.read("你好", "zh")] == ["ni3", "hao3"]
