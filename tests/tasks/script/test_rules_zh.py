"""Figures, signs and Latin letters in Chinese text, kind by kind, by the project's own table."""

from __future__ import annotations

from itertools import pairwise

import pytest

from tasks.script import rules_zh, rules_zh_signs
from tasks.script.measures_zh import counted
from tasks.script.normalize import normalize
from tests.tasks.script import tn_table


@pytest.mark.parametrize("kind", tn_table.kinds("zh"))
def test_every_row_of_the_table_is_said_as_a_narrator_would(kind: str) -> None:
    assert tn_table.misread("zh", kind) == []


def test_the_table_is_large_enough_to_mean_something() -> None:
    assert len(tn_table.rows()) >= 700


@pytest.mark.parametrize(
    ("before", "after", "liang"),
    [("", "个人", True), ("", "楼", False), ("第", "个", False), ("周", "", False), ("", "月", False), ("", "人世界", False),
     ("", "人", True), ("", "次元", False), ("", "次", True), ("", "年级", False), ("", "年后", True), ("地下", "层", False), ("", "两", False)],
)  # fmt: skip
def test_a_lone_two_is_liang_where_it_counts(before: str, after: str, liang: bool) -> None:
    assert counted(before, after) is liang


@pytest.mark.parametrize(
    "text", ["他花了3.5万元，住302室，比分3:2。", "E=mc²；A→B；x3；5km/h", "https://example.com/a?b=1 他说(^_^)第III章"]
)
def test_edits_are_sorted_and_disjoint(text: str) -> None:
    edits = rules_zh.edits(text)
    assert len(edits) >= 3
    assert all(first.end <= second.start for first, second in pairwise(edits))


def test_a_line_of_equals_signs_is_no_sum() -> None:
    assert rules_zh.edits("======") == []


def test_an_english_sentence_keeps_english_numbers() -> None:
    edits = rules_zh.edits("他说I have 3 dogs，共4个词")
    assert [edit.spoken for edit in edits] == ["three", "四"]


def test_what_needs_no_sign_is_said_the_same_without_the_rules_for_signs(monkeypatch: pytest.MonkeyPatch) -> None:
    plain = [written for _, _, written, _ in tn_table.rows() if not rules_zh_signs.NEEDED.search(written)]
    assert len(plain) > 100
    quick = [rules_zh._edits(written) for written in plain]
    monkeypatch.setattr(rules_zh, "_PLAIN_RULES", rules_zh.RULES)
    assert quick == [rules_zh._edits(written) for written in plain]


@pytest.mark.parametrize(
    ("written", "spoken"),
    [("vip客户", "VIP客户"), ("学abc", "学A B C"), ("我的ID", "我的I D"), ("IT部", "I T部"), ("Lv.5", "Lv五"), ("Mr.王", "Mr 王"), ("nba", "NBA"), ("WiFi", "WiFi")],
)  # fmt: skip
def test_letters_reach_the_engines_as_something_they_can_say(written: str, spoken: str) -> None:
    assert normalize(written, "zh").spoken == spoken


@pytest.mark.parametrize(
    ("sign", "spoken"),
    [("①", "一"), ("❷", "二"), ("❿", "十"), ("⑳", "二十"), ("㈢", "三"), ("⒋", "四"), ("Ⅻ", "十二"), ("⓪", "零")],
)
def test_numbers_in_circles_and_brackets(sign: str, spoken: str) -> None:
    assert normalize(f"第一步{sign}开门", "zh").spoken == f"第一步{spoken}开门"
