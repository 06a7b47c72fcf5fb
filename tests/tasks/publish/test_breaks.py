from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tasks.publish.breaks import ROWS, pieces, rows

HAN = "他说：“今天是2024年5月2日，天气很好，我们一起去公园散步，看看花，听听鸟叫，再回家吃晚饭吧！”她想了想，摇头。"
LATIN = (
    "It was a bright cold day in April, and the clocks were striking thirteen. Winston Smith, his chin nuzzled into "
    "his breast, slipped quickly through the glass doors."
)


def width(text: str) -> int:
    han = any(unicodedata.east_asian_width(c) in "WF" for c in text)
    wide = "WFA" if han else "WF"
    return sum(
        21 if unicodedata.east_asian_width(c) in wide else 10
        for c in text
        if not unicodedata.category(c).startswith("M")
    )


def shown(text: str) -> list[list[str]]:
    return [rows(text[a:b]) for a, b in pieces(text)]


def test_a_short_line_stays_whole() -> None:
    assert shown("他来了。") == [["他来了。"]]
    assert shown("He came.") == [["He came."]]
    assert shown("") == []


def test_han_is_cut_at_clauses_with_at_most_20_a_row() -> None:
    screens = shown(HAN)
    assert all(len(screen) <= ROWS for screen in screens)
    assert all(len(row) <= 21 for screen in screens for row in screen)
    assert all(screen[-1][-1] in "，。！？”" for screen in screens)
    assert "".join("".join(screen) for screen in screens) == HAN


def test_latin_is_cut_at_words_with_at_most_42_a_row() -> None:
    screens = shown(LATIN)
    assert all(len(screen) <= ROWS for screen in screens)
    assert all(len(row) <= 42 for screen in screens for row in screen)
    assert " ".join(" ".join(screen) for screen in screens) == LATIN


@pytest.mark.parametrize(
    "text", [HAN, HAN * 3, "“" + "啊" * 40 + "，”" + "哦" * 40 + "。", "他（" + "一" * 19 + "）。" * 3]
)
def test_closing_marks_never_begin_a_row_and_opening_marks_never_end_one(text: str) -> None:
    for screen in shown(text):
        for row in screen:
            assert row[0] not in "，。！？、；：”’）》"
            assert row[-1] not in "“‘（《"


@pytest.mark.parametrize(
    "text", ["a" * 300, "啊" * 300, "https://example.org/" + "x" * 200 + " 他说", "。" * 100, "\u0301" * 50]
)
def test_what_has_no_break_is_cut_all_the_same(text: str) -> None:
    screens = shown(text)
    assert "".join("".join(screen) for screen in screens).replace(" ", "") == text.replace(" ", "")
    assert all(width(row) <= 420 for screen in screens for row in screen if not set(row) <= set("。"))


@given(st.text(alphabet="天地人，。！？“”（）：abcXY 12.5,'-…—\u3000é", max_size=200))
def test_nothing_is_lost_and_every_screen_has_two_rows_at_most(text: str) -> None:
    spans = pieces(text)
    assert "".join(text[a:b] for a, b in spans) == text
    for a, b in spans:
        screen = rows(text[a:b])
        assert len(screen) <= ROWS
        assert "".join("".join(screen).split()) == "".join(text[a:b].split())


def test_a_third_row_is_never_bought_with_a_better_break() -> None:
    text = "天，" + "x" * 76 + "，地"
    assert all(len(screen) <= ROWS for screen in shown(text))


def test_another_screen_is_better_than_a_word_cut_in_two() -> None:
    assert shown("“我叫沈禾，从北京来，坐了1,200公里的火车。请问，这里有没有一位姓秦的船工？”") == [
        ["“我叫沈禾，从北京来，", "坐了1,200公里的火车。"],
        ["请问，这里有没有一位姓秦的船工？”"],
    ]
    assert shown("那是一个谁也不会再提起的下雨的黄昏里最后一班渡船。") == [
        ["那是一个谁也不会再提起的", "下雨的黄昏里最后一班渡船。"]
    ]
