"""The lexicon file: what it takes, and where it says that something is wrong."""

from __future__ import annotations

from pathlib import Path

import pytest

from common.errors import VoicepressError
from common.places import CONFIGS
from tasks.domain import LexiconEntry
from tasks.script.lexicon import entry, load_layers, load_lexicon, respell, unheard_of


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
        ("向: xaing4", "did you mean xiang4?"),
        ("No: N OW1", "in quotes"),
        ("/重(/: chong2", "no regular expression"),
        ("的: {spoken: " + "长" * 61 + "}", "has 61 characters; at most 60"),
        ("/(重+)+庆/: chong2", "very slow"),
        ("/重*/: chong2", "empty string"),
        ("/((重)庆)/: chong2", "groups within groups"),
        ("x: {pattern: '(a)(b)', phones: EY1}", "several groups"),
        ("重: {phones: chong2, before: '('}", "'before' of '重'"),
        ("重: {phones: chong2, chapters: 3-1}", "names no chapters"),
        ("重: {phones: chong2, chapters: 0}", "names no chapters"),
        (r"x: {pattern: '(\d)k', spoken: '\2千'}", "group that the pattern lacks"),
        ("K: {spoken: 开, phones: kai1, after: 歌}", "both a reading and a respelling"),
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


def test_patterns_contexts_chapters_and_lists(tmp_path: Path) -> None:
    path = write(
        tmp_path,
        "schema: 1\nentries:\n"
        "  /(重)(?:来|新)/: chóng   # once more\n"
        "  长:\n    - {phones: zhang3, before: '[队船]'}\n    - {phones: chang2, chapters: '2, 5-'}\n"
        "  years: {pattern: '(\\d+)yr', spoken: '\\1年'}\n  bvlgari: {pattern: '(?i)bvlgari', phones: B AH1}\n",
    )
    found = load_lexicon(path, "series")
    assert found == (
        LexiconEntry("/(重)(?:来|新)/", "chong2", pattern="(重)(?:来|新)", level="series"),
        LexiconEntry("长", "zhang3", before="[队船]", level="series"),
        LexiconEntry("长", "chang2", chapters=((2, 2), (5, None)), level="series"),
        LexiconEntry("years", spoken="\\1年", pattern="(\\d+)yr", level="series"),
        LexiconEntry("bvlgari", "B AH1", pattern="(?i)bvlgari", level="series"),
    )
    assert [one.source for one in found] == [f"{path}:{line}" for line in (3, 5, 6, 7, 8)]


def test_all_faults_of_a_file_are_told_at_once(tmp_path: Path) -> None:
    path = write(tmp_path, "schema: 1\nentries:\n  重庆: chong2\n  你: ni3\n  向: xaing4\n  /(/: a1\n")
    with pytest.raises(VoicepressError) as caught:
        load_lexicon(path)
    assert caught.value.line == 3
    assert "2 more: line 5: 'xaing4'" in caught.value.what
    assert "line 6: '('" in caught.value.what


def test_layers_keep_their_levels(tmp_path: Path) -> None:
    series, book = tmp_path / "series.yaml", tmp_path / "lexicon.yaml"
    series.write_text("entries: {甲: jia3}\n", encoding="utf-8")
    book.write_text("entries: {乙: yi3}\n", encoding="utf-8")
    found = load_layers([("series", series), ("book", book)])
    assert [(one.word, one.level) for one in found] == [("甲", "series"), ("乙", "book")]


def test_a_pattern_reads_pinyin_or_arpabet_by_what_its_reading_is() -> None:
    assert entry("x", "er1", pattern="[儿]").phones == "er1"
    assert entry("x", "ER1", pattern="err").phones == "ER1"
    assert entry("x", "HAO4", pattern="好").phones == "hao4"


def test_a_reading_that_no_dictionary_has_is_kept_and_told() -> None:
    (note,) = unheard_of([entry("重庆", "cong2 qing4", source="lexicon.yaml:4"), entry("一重", "yi2 chong5")])
    assert note.startswith("lexicon.yaml:4: 重 in '重庆' is given as cong2")
    assert "zhong4, chong2" in note


def test_the_guard_against_slips_rarely_cries_wolf() -> None:
    assert len(unheard_of(load_lexicon(CONFIGS / "lexicon" / "house.yaml"))) <= 3
