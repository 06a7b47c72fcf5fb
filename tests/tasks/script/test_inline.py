"""The inline form of readings and its inverse."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from common.errors import VoicepressError
from tasks.domain import LexiconEntry, Reading
from tasks.script.inline import annotate, parse, tokens
from tasks.script.pinyin import to_digits
from tasks.script.readings import Reader

READER = Reader(
    (LexiconEntry("minute", "M AY0 N UW1 T"), LexiconEntry("Anna", "AE1 N AH0"), LexiconEntry("爱好", "ai4 hao4"))
)


def test_a_character_gives_way_to_initial_and_marked_final() -> None:
    assert annotate("她好干净", [Reading(1, 2, "hao4", "user", True)]) == "她[h][ào]干净"


def test_an_english_word_gives_way_to_its_phones() -> None:
    assert annotate("a minute.", READER.read("a minute.", "en")) == "a [M][AY0][N][UW1][T]."


@pytest.mark.parametrize(
    ("phones", "written"),
    [
        ("ai4", "[ài]"), ("er2", "[ér]"), ("yue4", "[y][uè]"), ("wo3", "[w][ǒ]"), ("lv4", "[l][ǜ]"), ("lve4", "[l][vè]"),
        ("ju2", "[j][ú]"), ("de5", "[d][e]"), ("er5", ""), ("nve3", ""),
    ],
)  # fmt: skip
def test_only_tokens_that_the_model_has_are_written(phones: str, written: str) -> None:
    assert tokens(phones) == written


def test_what_cannot_be_written_stays_as_it_is() -> None:
    assert annotate("花儿", READER.read("花儿", "zh"), everything=True) == "[h][uā]儿"


def test_without_anything_to_force_the_text_is_unchanged() -> None:
    assert annotate("你好。", READER.read("你好。", "zh")) == "你好。"


@settings(max_examples=150, deadline=None)
@given(
    st.lists(
        st.sampled_from(
            [
                "她",
                "爱好",
                "女儿",
                "一",
                "不",
                "长",
                "[breath]",
                "，",
                " minute ",
                "。Anna，",
                "吕",
                "略",
                "啊",
                "安",
                "嗯",
                "3",
                "儿",
            ]
        ),
        max_size=14,
    ).map("".join),
    st.booleans(),
)
def test_parse_is_the_inverse_of_annotate(spoken: str, everything: bool) -> None:
    readings = READER.read(spoken, "zh")
    found = parse(annotate(spoken, readings, everything), spoken)
    written = [one for one in readings if (everything or one.annotate) and tokens(one.phones)]
    assert [(one.start, one.end, one.phones) for one in found] == [(one.start, one.end, one.phones) for one in written]
    assert all(one.origin == "user" and one.annotate for one in found)


@pytest.mark.parametrize("bracket", ["[hao4]", "[hào]", "[h][ào]", "[h][ao4]"])
def test_people_may_write_a_syllable_as_they_like(bracket: str) -> None:
    assert parse(f"她{bracket}干净", "她好干净") == (Reading(1, 2, "hao4", "user", True),)


@pytest.mark.parametrize(
    ("annotated", "spoken", "says"),
    [
        ("她[h][xx]", "她好", "'[xx]'"),
        ("她[hx][ào]", "她好", "'[hx]'"),
        ("她[h]", "她好", "without a final"),
        ("她[hao4]们", "她好吗", "does not follow"),
        ("她[hao4]", "她好吗", "does not follow"),
        ("她好吗", "她好", "does not follow"),
        ("[QQ][AH0]", "Anna", "'[QQ]'"),
        ("[hao4]", "Anna", "'[hao4]'"),
        ("[AH0]", "，", "does not follow"),
        ("[]", "好", "'[]'"),
    ],
)
def test_what_does_not_fit_is_named(annotated: str, spoken: str, says: str) -> None:
    with pytest.raises(VoicepressError) as caught:
        parse(annotated, spoken)
    assert caught.value.code == "bad-reading"
    assert says in caught.value.what


@settings(max_examples=200, deadline=None)
@given(st.text(alphabet="她好hao4[]M AY0，ǎ", max_size=14), st.text(alphabet="她好，Ma", max_size=6))
def test_parse_either_places_every_reading_or_says_what_is_wrong(annotated: str, spoken: str) -> None:
    try:
        found = parse(annotated, spoken)
    except VoicepressError:
        return
    ends = 0
    for one in found:
        assert ends <= one.start < one.end <= len(spoken)
        ends = one.end
        assert one.phones[:1].isupper() or to_digits(one.phones) == one.phones
