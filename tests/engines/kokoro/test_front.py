from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engines.kokoro import front


def said(text: str, language: str = "zh", readings: tuple[tuple[int, str], ...] = ()) -> str:
    units, _ = front.units_of(text, language, readings)
    return "".join(front.symbols_of(unit, place == 0) for place, unit in enumerate(units))


def test_readings_are_obeyed_character_by_character() -> None:
    assert said("长大", readings=((0, "zhang3"), (1, "da4"))) == "ꭧa↓ŋta↘"
    assert said("长大", readings=((0, "chang2"), (1, "da4"))) == "ꭧʰa↗ŋta↘"


def test_missing_and_bad_readings_fall_back_to_the_usual_one() -> None:
    assert said("你好") == said("你好", readings=((0, "ni3"),)) == said("你好", readings=((0, "???"), (1, "hao3")))


def test_arpabet_reading_of_an_english_word_is_obeyed() -> None:
    assert said("等一 minute", readings=((0, "deng3"), (1, "yi4"), (3, "M IH1 N AH0 T"))).endswith("mˈɪnət")
    assert "mˌInˈut" in said("minute", "en", ((0, "M AY2 N UW1 T"),))


def test_single_letters_among_chinese_are_letter_names() -> None:
    assert said("A股").startswith("ˈA ")
    assert said("5G手机").startswith("u↓ ʤˈi")
    assert "bˈi" in said("B超")


def test_english_inside_chinese_never_passes_as_raw_letters() -> None:
    units, _ = front.units_of("我用iPhone看", "zh", ())
    word = next(unit for unit in units if unit.kind == "word")
    assert word.phones == "ˈIfˈOn"
    assert (word.start, word.end) == (2, 8)


def test_punctuation_becomes_the_models_marks_once() -> None:
    assert said("好！！！走。").count("!") == 1
    assert said("他说：“好。”") == "tʰa→ ʂwo→: “xau↓.”"
    assert "…" in said("我……走")


def test_what_cannot_be_said_is_left_out_and_noted() -> None:
    units, notes = front.units_of("好😀的", "zh", ())
    assert [unit.start for unit in units] == [0, 2]
    assert notes == ["left out, cannot be spoken: 😀"]
    assert front.units_of("！？…", "zh", ())[0] == []


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("He saw Mr. Smith. Then he left.", 2),
        ("In the U.S. army of old.", 1),
        ("It was 3.14 in all.", 1),
        ("Stop! Who? Me.", 3),
    ],
)
def test_full_stops_that_end_no_sentence(text: str, sentences: int) -> None:
    units, _ = front.units_of(text, "en", ())
    assert sum(unit.break_ == "sentence" for unit in units) == sentences


@pytest.mark.parametrize(
    ("figures", "words"),
    [("0", "零"), ("10", "十"), ("15", "十五"), ("110", "一百一十"), ("1024", "一千零二十四"), ("20000", "二万"), ("3.5", "三点五"),
     ("007", "零零七"), ("100000001", "一亿零一")],
)  # fmt: skip
def test_figures_left_by_normalization(figures: str, words: str) -> None:
    assert front.chinese_number(figures) == words


@given(st.text(max_size=60), st.sampled_from(["zh", "en"]))
def test_any_text_gives_units_in_order_inside_the_text_with_known_symbols(text: str, language: str) -> None:
    units, _ = front.units_of(text, language, ())
    at = 0
    for unit in units:
        assert at <= unit.start < unit.end <= len(text)
        at = unit.end
        assert set(unit.phones) <= set(front.vocabulary())
