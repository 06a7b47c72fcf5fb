"""Pinyin in every notation people write."""

from __future__ import annotations

import pytest

from tasks.script.pinyin import accented, nearest, split, to_digits


@pytest.mark.parametrize(
    ("written", "house"),
    [
        ("hào", "hao4"), ("hao4", "hao4"), ("HAO4", "hao4"), ("lü4", "lv4"), ("lǜ", "lv4"), ("lu:4", "lv4"), ("lv4", "lv4"),
        ("nüè", "nve4"), ("nue4", "nve4"), ("de", "de5"), ("de0", "de5"), ("er2", "er2"), ("zhuāng", "zhuang1"),
        ("ha\u030co", "hao3"),
    ],
)  # fmt: skip
def test_every_notation_becomes_the_house_notation(written: str, house: str) -> None:
    assert to_digits(written) == house


@pytest.mark.parametrize(
    "written", ["", "4", "xx1", "hao44", "h4ao", "hào4x", "hàó", "huar1", "hao6", "ba n1", "zhi ng"]
)
def test_what_is_no_syllable_is_refused(written: str) -> None:
    assert to_digits(written) is None


@pytest.mark.parametrize(
    ("syllable", "parts", "marked"),
    [
        ("hao4", ("h", "ao", 4), "ào"), ("zhuang1", ("zh", "uang", 1), "uāng"), ("liu2", ("l", "iu", 2), "iú"),
        ("gui4", ("g", "ui", 4), "uì"), ("lv4", ("l", "v", 4), "ǜ"), ("lve4", ("l", "ve", 4), "vè"), ("er2", ("", "er", 2), "ér"),
        ("yue4", ("y", "ue", 4), "uè"), ("de5", ("d", "e", 5), "e"), ("a1", ("", "a", 1), "ā"), ("xiong2", ("x", "iong", 2), "ióng"),
    ],
)  # fmt: skip
def test_a_syllable_falls_into_initial_and_marked_final(
    syllable: str, parts: tuple[str, str, int], marked: str
) -> None:
    assert split(syllable) == parts
    assert accented(parts[1], parts[2]) == marked


@pytest.mark.parametrize(
    ("given", "near"),
    [("xaing2", "xiang2"), ("xāing", "xiang1"), ("zhuagn4", "zhuang4"), ("lu:w4", "lv4"), ("12", "")],
)
def test_the_nearest_syllable_of_a_slip(given: str, near: str) -> None:
    assert nearest(given) == near
