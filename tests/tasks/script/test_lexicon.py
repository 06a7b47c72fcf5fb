"""The lexicon file: what it takes, and where it says that something is wrong."""

from __future__ import annotations

from pathlib import Path

import pytest

from common.errors import VoicepressError
from common.places import CONFIGS
from tasks.domain import LexiconEntry
from tasks.script.lexicon import load_lexicon, respell


def write(folder: Path, text: str) -> Path:
    path = folder / "lexicon.yaml"
    path.write_text(text, encoding="utf-8")
    return path


def test_pinyin_with_marks_or_digits_arpabet_and_respelling(tmp_path: Path) -> None:
    path = write(
        tmp_path,
        "schema: 1\nentries:\n  重庆: chóng qing4\n  Anna: ae1 n AH0\n  GPU: {spoken: 鸡批优}\n  U2: {spoken: 优兔, phones: you1 tu4}\n",
    )
    assert load_lexicon(path) == (
        LexiconEntry("重庆", "chong2 qing4"),
        LexiconEntry("Anna", "AE1 N AH0"),
        LexiconEntry("GPU", "", "鸡批优"),
        LexiconEntry("U2", "you1 tu4", "优兔"),
    )


@pytest.mark.parametrize(
    ("row", "says"),
    [
        ("重庆: chong2", "2 characters but 1 syllables"),
        ("重庆: chong2 xxx4", "'xxx4'"),
        ("Anna: AE1 Q AH0", "'Q'"),
        ("Anna: AE N AH0", "no stress digit"),
        ("Anna: {spoken: ''}", "neither"),
        ("K歌: ge1", "mixes"),
        ("好: {sounds: hao3}", "unknown key"),
        ("好: [hao3]", "entries"),
    ],
)
def test_errors_name_file_and_line(tmp_path: Path, row: str, says: str) -> None:
    path = write(tmp_path, f"schema: 1\nentries:\n  你: ni3\n  {row}\n")
    with pytest.raises(VoicepressError) as caught:
        load_lexicon(path)
    assert caught.value.line == 4
    assert caught.value.file == str(path)
    assert says in caught.value.render()


def test_another_schema_is_refused(tmp_path: Path) -> None:
    with pytest.raises(VoicepressError, match="schema 1"):
        load_lexicon(write(tmp_path, "schema: 9\nentries: {}\n"))


def test_an_empty_file_is_an_empty_lexicon(tmp_path: Path) -> None:
    assert load_lexicon(write(tmp_path, "")) == ()


def test_the_house_lexicon_is_sound() -> None:
    assert len(load_lexicon(CONFIGS / "lexicon" / "house.yaml")) > 500


def test_respelling_takes_whole_words_and_the_longest() -> None:
    apply = respell(
        [LexiconEntry("GPU", "", "鸡批优"), LexiconEntry("GPU卡", "", "显卡"), LexiconEntry("阿Q", "", "阿丘")]
    )
    assert apply("GPU卡和GPU，GPUs，阿Q") == "显卡和鸡批优，GPUs，阿丘"


def test_a_replacement_is_not_replaced_again() -> None:
    apply = respell([LexiconEntry("甲", "", "乙"), LexiconEntry("乙", "", "甲")])
    assert apply("甲乙") == "乙甲"


def test_nothing_to_respell_changes_nothing() -> None:
    assert respell([LexiconEntry("重庆", "chong2 qing4")])("重庆") == "重庆"
