"""Text as comparable sounds."""

from __future__ import annotations

import pytest

from tasks.check.units import chinese_number, expected, heard_units


@pytest.mark.parametrize(
    ("digits", "said"),
    [("0", "零"), ("10", "十"), ("12", "十二"), ("105", "一百零五"), ("110", "一百一十"), ("1200", "一千二百"),
     ("10086", "一万零八十六"), ("100000", "十万"), ("20260401", "二千零二十六万零四百零一"), ("007", "零零七")],
)  # fmt: skip
def test_figures_are_read_as_chinese_says_them(digits: str, said: str) -> None:
    assert chinese_number(digits) == said


def test_units_know_their_characters() -> None:
    text = "他在FBI工作。"
    assert [text[unit.start : unit.end] for unit in expected(text, "zh")] == ["他", "在", "FBI", "工", "作"]


def test_a_character_has_all_its_readings_and_that_of_the_line() -> None:
    assert expected("行", "zh")[0].sounds >= {"xing", "hang"}
    assert "yu" in expected("尉", "zh", {0: "yu4"})[0].sounds


def test_figures_become_the_words_that_were_to_be_said() -> None:
    year = expected("一九八六年", "zh")
    assert [unit.text for unit in heard_units("1986年", "zh", year)] == list("一九八六年")
    spoken = expected("nineteen eighty six", "en")
    assert [unit.text for unit in heard_units("1986", "en", spoken)] == ["nineteen", "eighty", "six"]
