from __future__ import annotations

import pytest

from tasks.script.heard import HeardOtherwise, heard_otherwise
from tasks.script.readings import Reader


def found(spoken: str, heard: str) -> list[HeardOtherwise]:
    return heard_otherwise(spoken, Reader().read(spoken), heard)


def test_a_polyphone_heard_in_its_other_reading_is_found() -> None:
    assert found("他在银行里等了很久。", "他在银形里等了很久") == [HeardOtherwise("银行", 1, "hang2", "xing")]


def test_traditional_characters_and_figures_beside_it_do_no_harm() -> None:
    (one,) = found("长江很长，他走了三天。", "掌江很長,他走了3天")
    assert (one.char, one.heard) == ("长", "zhang")


@pytest.mark.parametrize(
    ("spoken", "heard"),
    [
        ("他在银行里等了很久。", "他在银行里等了很久。"),  # as asked
        ("他在银行里等了很久。", "他在银航里等了很久。"),  # a homophone
        ("他在银行里等了很久。", "他在银杯里等了很久。"),  # no reading of this character
        ("他在银行里等了很久。", "今天天气非常好我们走"),  # another text
        ("他在银行里等了很久。", ""),
        ("他在银行里等了很久。", "他在银衡里等了很久。"),  # a reading, but none in this sentence
        ("灯举得高高的，让它一闪。", "灯举得高高迪让他一闪"),  # a particle
        ("他在门口等了很久。", "他在闷口等了很久。"),  # no other reading to be had
        ("", "银形"),
    ],
)
def test_what_says_nothing_of_a_reading_is_left_alone(spoken: str, heard: str) -> None:
    assert found(spoken, heard) == []
