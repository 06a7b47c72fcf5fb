"""Cutting text into lines: tiling, bounds, and where a cut may be."""

from __future__ import annotations

import re

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tasks.script.split import CLOSING, OPENING, Edit, fit_edits, split

SENTENCES = [
    "林晓推开门，", "风很大。", "“你好！”", "他说：", "《三体》", "2024年", "3.14", "A12345 ", "Hello, world. ", "don't ", "……", "——",
    "这是一个很长很长的没有标点的句子", "[breath]", "她[h][ào]干净", "？！", "『走吧』", "（注）", "\u3000", "、", "100%", "8:30", "😀",
]  # fmt: skip


def pieces(text: str, spans: list[tuple[int, int]]) -> list[str]:
    return [text[low:high] for low, high in spans]


def test_a_short_text_is_one_line() -> None:
    assert split("你好。再见。", 180) == [(0, 6)]


def test_an_empty_text_has_no_lines() -> None:
    assert split("", 180) == []


def test_cuts_at_sentence_ends_first() -> None:
    text = "第一句话很短，但是有逗号。第二句话也很短，也有逗号。第三句。"
    assert pieces(text, split(text, 20, 4)) == ["第一句话很短，但是有逗号。", "第二句话也很短，也有逗号。第三句。"]


def test_cuts_at_clauses_where_a_sentence_is_too_long() -> None:
    text = "他走过一条街又一条街；她等过一个夜晚又一个夜晚，谁也没有先开口说话。"
    assert pieces(text, split(text, 25, 4))[0] == "他走过一条街又一条街；"


def test_leaves_no_crumb_at_the_end_where_an_earlier_cut_is_as_good() -> None:
    text = "甲乙丙丁戊己庚辛壬。" * 3 + "好。"
    assert [len(p) for p in pieces(text, split(text, 30, 8))] == [20, 12]


def test_never_parts_a_closing_mark_from_its_words() -> None:
    text = "“" + "好" * 17 + "。”" + "他说。"
    assert pieces(text, split(text, 20, 2))[0].endswith("。”")


def test_cuts_between_words_not_inside_them() -> None:
    text = "人工智能技术正在改变我们的日常生活方式和工作方式" * 3
    words = ["人工智能", "技术", "正在", "改变", "我们", "的", "日常", "生活", "方式", "和", "工作", "方式"] * 3
    bounds = {sum(map(len, words[:k])) for k in range(len(words) + 1)}
    assert all(low in bounds for low, _ in split(text, 20, 2))


def test_english_is_cut_at_spaces() -> None:
    text = "the quick brown fox jumps over the lazy dog and runs away " * 5
    assert all(text[low - 1] == " " for low, _ in split(text, 40, 2)[1:])


def test_english_titles_do_not_end_a_sentence() -> None:
    text = "He saw Mr. Brown there. They spoke of the weather for a while."
    assert pieces(text, split(text, 45, 4)) == ["He saw Mr. Brown there. ", "They spoke of the weather for a while."]


def test_measures_the_spoken_form_too() -> None:
    text = "一" * 10 + "9999" + "，" + "二" * 10
    spans = split(text, 20, 2, [Edit(10, 14, "九千九百九十九")])
    assert pieces(text, spans) == ["一" * 10 + "9999，", "二" * 10]


def test_an_edit_is_never_cut() -> None:
    text = "好" * 15 + "12345678" + "好" * 15
    for max_chars in range(20, 38):
        cuts = {low for low, _ in split(text, max_chars, 2, [Edit(15, 23, "一千二百三十四万")])}
        assert not cuts & set(range(16, 23))


@pytest.mark.parametrize("text", ["好" * 10_000, "a" * 500, "。" * 1000, " " * 500, "“" * 400, "1" * 400, "[好]" * 300])
def test_degenerate_text_still_holds(text: str) -> None:
    spans = split(text, 180)
    assert "".join(pieces(text, spans)) == text
    assert all(0 < high - low <= 180 for low, high in spans)


def test_long_edits_are_divided() -> None:
    fitted = fit_edits([Edit(0, 400, "。"), Edit(400, 600, "一二三" * 100)], 180)
    assert all(e.end - e.start <= 180 and len(e.spoken) <= 180 for e in fitted)
    assert "".join(e.spoken for e in fitted) == "。" + "一二三" * 100
    assert [e.start for e in fitted[1:]] == [e.end for e in fitted[:-1]]


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(st.sampled_from(SENTENCES), max_size=60), st.integers(20, 180), st.integers(0, 10))
def test_lines_tile_the_text_within_bounds(parts: list[str], max_chars: int, min_chars: int) -> None:
    text = "".join(parts)
    edits = [Edit(m.start(), m.end(), "九" * (m.end() - m.start() + 3)) for m in re.finditer(r"[0-9.:%]+", text)]
    edits = fit_edits(edits, max_chars)
    spans = split(text, max_chars, min_chars, edits)
    assert "".join(pieces(text, spans)) == text
    for low, high in spans:
        gain = sum(len(e.spoken) - (e.end - e.start) for e in edits if low <= e.start and e.end <= high)
        assert 0 < high - low <= max_chars
        assert high - low + gain <= max_chars
    hard = re.compile(r"[0-9.:%]{9,}|[\s。！？…、”』）\"]{9,}|(?:\[[^\]]*\]){2,}|[“『（]{9,}")
    for cut, _ in spans[1:]:
        if any(m.start() <= cut <= m.end() for m in hard.finditer(text)):
            continue  # a run of marks longer than any line may have to be cut
        assert text[cut] not in CLOSING + "。！？，、；："
        assert text[cut - 1] not in OPENING
        assert not any(e.start < cut < e.end for e in edits)
        assert not any(m.start() < cut < m.end() for m in re.finditer(r"\[[^\[\]\s]+\]|[A-Za-z]+(?:'[A-Za-z]+)?", text))


@settings(max_examples=100, deadline=None)
@given(st.text(max_size=400), st.integers(20, 60))
def test_any_text_at_all_is_tiled(text: str, max_chars: int) -> None:
    spans = split(text, max_chars)
    assert "".join(pieces(text, spans)) == text
    assert all(0 < high - low <= max_chars for low, high in spans)
