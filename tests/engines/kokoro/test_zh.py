from __future__ import annotations

import pytest

from engines.kokoro import front, zh


def test_every_usual_syllable_in_every_tone_has_symbols_of_the_model() -> None:
    known = set(front.vocabulary())
    assert len(zh.table()) > 400
    for base, row in zh.table().items():
        assert len(row) == 5, base
        for said in row:
            assert said, base
            assert set(said) <= known, base


@pytest.mark.parametrize(
    ("syllable", "symbols"),
    [("hao4", "xau↘"), ("hao3", "xau↓"), ("ma5", "ma"), ("er5", "ɚ"), ("lv4", "ly↘"), ("lü4", "ly↘"), ("nu:3", "ny↓"),
     ("nve4", "nɥe↘"), ("lue4", "lɥe↘"), ("r5", "ɚ"), ("ma", "ma"), ("yo1", "jɔ→"), ("zhi1", "ꭧɨ→"), ("zzz1", ""), ("", "")],
)  # fmt: skip
def test_syllables(syllable: str, symbols: str) -> None:
    assert zh.phones_of(syllable) == symbols


@pytest.mark.parametrize(
    ("text", "readings"),
    [("不是", "bu2 shi4"), ("不好", "bu4 hao3"), ("好不好", "hao3 bu5 hao3"), ("一个", "yi2 ge4"), ("一起", "yi4 qi3"),
     ("第一", "di4 yi1"), ("看一看", "kan4 yi5 kan4"), ("一百", "yi4 bai3")],
)  # fmt: skip
def test_one_and_not_change_tone_where_the_caller_gave_no_reading(text: str, readings: str) -> None:
    assert zh.usual_readings(text) == readings.split()


def test_decided_readings_stay() -> None:
    assert zh.usual_readings("长大", {0: "zhang3"}) == ["zhang3", "da4"]
    assert zh.usual_readings("不是", {0: "bu4"}) == ["bu4", "shi4"]


def test_character_without_reading_gives_an_empty_one() -> None:
    assert zh.usual_readings("我\U00020000") in (["wo3", ""], ["wo3", "he1"])
