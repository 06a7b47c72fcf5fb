"""Every Han character gets its reading; polyphones are decided by context, the user's lexicon wins."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tasks.domain import LexiconEntry
from tasks.script.phrases import is_han
from tasks.script.pinyin import to_digits
from tasks.script.readings import Reader

DATA = Path(__file__).parents[2] / "data" / "script" / "readings.tsv"
ROWS = [row.split("\t") for row in DATA.read_text(encoding="utf-8").splitlines() if not row.startswith("#")]
READER = Reader()


def spell(text: str, reader: Reader = READER) -> str:
    return " ".join(one.phones for one in reader.read(text, "zh"))


@pytest.mark.parametrize(("text", "place", "accepted"), ROWS, ids=[row[0] for row in ROWS])
def test_polyphones_of_prose(text: str, place: str, accepted: str) -> None:
    found = {one.start: one.phones for one in READER.read(text, "zh")}
    assert found[int(place)] in accepted.split()


@settings(max_examples=60, deadline=None)
@given(st.text(alphabet="你好一不儿了地得着长行，。“”abcA1 重庆银单任解说", max_size=40))
def test_one_reading_for_every_han_character_in_order(text: str) -> None:
    found = READER.read(text, "zh")
    assert [one.start for one in found] == [place for place, char in enumerate(text) if is_han(char)]
    assert all(one.end == one.start + 1 and to_digits(one.phones) == one.phones for one in found)


def test_text_without_han_has_no_readings() -> None:
    assert READER.read("Nothing to see here.", "en") == ()
    assert READER.read("", "zh") == ()


def test_the_users_lexicon_wins_over_everything_and_the_longest_word_over_shorter_ones() -> None:
    reader = Reader((LexiconEntry("重庆", "zhong4 qing4"), LexiconEntry("重庆路", "chong2 qing3 lu4")))
    assert spell("重庆路", reader) == "chong2 qing3 lu4"
    assert spell("去重庆", reader) == "qu4 zhong4 qing4"
    assert {one.origin for one in reader.read("重庆", "zh")} == {"lexicon"}
    assert all(one.annotate for one in reader.read("重庆", "zh"))


def test_the_lexicon_is_not_changed_by_sandhi() -> None:
    assert spell("一样", Reader((LexiconEntry("一", "yi1"),))) == "yi1 yang4"


def test_english_words_are_read_only_where_the_lexicon_says_so() -> None:
    reader = Reader((LexiconEntry("Anna", "AE1 N AH0"),))
    (word, *others) = reader.read("Anna来了，Annabel没来，iAnna", "zh")
    assert (word.start, word.end, word.phones, word.origin, word.annotate) == (0, 4, "AE1 N AH0", "lexicon", True)
    assert all(to_digits(one.phones) for one in others)


def test_a_respelled_word_with_a_reading_is_found_in_its_spoken_form() -> None:
    reader = Reader((LexiconEntry("GPU", "ji1 pi1 you1", spoken="鸡批优"),))
    assert spell("鸡批优", reader) == "ji1 pi1 you1"


def test_only_unusual_readings_are_worth_forcing() -> None:
    forced = {one.phones for one in READER.read("他应了一声，长老在银行里慢慢地走着，觉得很好。", "zh") if one.annotate}
    assert {"ying4", "zhang3"} <= forced
    assert not {"hang2", "de5", "zhe5", "yi4", "hao3", "ta1"} & forced


def test_erhua_is_er5_on_its_own_character() -> None:
    assert spell("花儿在这儿") == "hua1 er5 zai4 zhe4 er5"
    assert spell("女儿和儿子") == "nv3 er2 he2 er2 zi5"


def test_readers_may_be_used_from_many_threads() -> None:
    texts = [row[0] for row in ROWS]
    expected = [spell(text) for text in texts]
    wrong: list[str] = []

    def work() -> None:
        wrong.extend(text for text, right in zip(texts, expected, strict=True) if spell(text, Reader()) != right)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_candidates_name_every_doubtful_character_and_agree_with_read() -> None:
    text = "他姓单，长得很高。"
    doubts = {one.place: one for one in READER.candidates(text)}
    assert {place: one.phones for place, one in doubts.items()}.items() <= {
        one.start: one.phones for one in READER.read(text)
    }.items()
    assert doubts[2].is_name
    assert doubts[2].phones == "shan4"
    assert {"chang2", "zhang3"} <= {phones for phones, _ in doubts[4].candidates}
    assert all(0 < one.confidence <= 1 for one in doubts.values())
    assert all(abs(sum(share for _, share in one.candidates) - 1) < 0.01 for one in doubts.values())


def test_what_the_lexicon_says_is_certain() -> None:
    (doubt,) = Reader((LexiconEntry("长", "zhang3"),)).candidates("长")
    assert (doubt.phones, doubt.confidence, doubt.origin) == ("zhang3", 1.0, "lexicon")


def test_a_character_that_nobody_knows_has_no_reading_and_stops_nothing() -> None:
    unknown = "\U000323af"
    assert [one.phones for one in READER.read(f"好{unknown}人")] == ["hao3", "ren2"]


def test_traditional_characters_read_as_their_simplified_forms_do() -> None:
    assert spell("銀行裡的校長長得很高") == spell("银行里的校长长得很高")
