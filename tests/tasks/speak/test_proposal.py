"""Voices proposed for characters."""

from __future__ import annotations

import pytest

from common import places
from engines.base import Voice
from tasks.speak.proposal import Sought, age_of, propose_voices
from tasks.speak.voices import VoiceLibrary


def voices(language: str) -> list[Voice]:
    return [voice for voice in VoiceLibrary((places.VOICES / "profiles",)).offered() if voice.language == language]


def proposed(*sought: Sought, language: str = "zh", taken: tuple[str, ...] = ()) -> list[str]:
    return propose_voices(sought, voices(language), taken)


@pytest.mark.parametrize(
    ("name", "age"),
    [
        ("老周", "old"), ("阿婆", "old"), ("秦伯", "old"), ("老师", ""), ("老板", ""), ("男孩", "young"), ("小满", "young"),
        ("小周先生", ""), ("林晓", ""), ("the old man", "old"), ("a little boy", "young"), ("Harold", ""), ("Nora", ""),
    ],
)  # fmt: skip
def test_some_names_tell_an_age(name: str, age: str) -> None:
    assert age_of([name]) == age


def test_gender_and_age_choose_among_the_shipped_voices() -> None:
    old, boy, man, woman = proposed(
        Sought(("秦伯", "老人"), "male"),
        Sought(("小满",), "male"),
        Sought(("陈远",), "male"),
        Sought(("沈禾",), "female"),
    )
    assert old in ("zm_yunjian", "zm_yunyang")
    assert (boy, man, woman) == ("zm_yunxia", "zm_yunxi", "zf_xiaobei")


def test_no_voice_is_proposed_twice_nor_one_that_is_taken() -> None:
    given = proposed(*(Sought((f"女{n}",), "female") for n in range(4)), taken=("zf_xiaobei",))
    assert sorted(given) == ["", "", "zf_xiaoxiao", "zf_xiaoyi"]
    assert given[2:] == ["", ""]


def test_whose_gender_is_not_known_may_have_any_voice() -> None:
    assert len({*proposed(*(Sought((f"某{n}",)) for n in range(7)))}) == 7
    assert proposed(Sought(("the old man",), "male"), language="en") == ["bm_george"]


def test_whose_gender_is_not_known_takes_no_voice_that_others_need() -> None:
    given = proposed(Sought(("某人",)), Sought(("女一",), "female"), Sought(("女二",), "female"), taken=("zf_xiaobei",))
    assert given[0].startswith("zm_")
    assert sorted(given[1:]) == ["zf_xiaoxiao", "zf_xiaoyi"]
