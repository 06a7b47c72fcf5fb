"""Where entries hold, and which of them wins."""

from __future__ import annotations

import pytest

from tasks.domain import LexiconEntry, Reading
from tasks.script.lexicon import entry
from tasks.script.lexicon_match import Lexicon, in_chapter, respell, whole


def forced(text: str, *entries: LexiconEntry) -> dict[int, str]:
    return Lexicon(entries).forced(text)[0]


def test_a_pattern_gives_a_syllable_to_every_character_it_matches() -> None:
    one = entry("x", "hang2 zi4", pattern="(?<=[一两])行字")
    assert forced("两行字，三行字", one) == {1: "hang2", 2: "zi4"}


def test_groups_take_the_syllables_and_the_rest_is_context() -> None:
    assert forced("他重新来，重重的", entry("x", "chong2", pattern="(重)(?:新|来)")) == {1: "chong2"}
    assert forced("长了又长", entry("x", "zhang3 zhang3", pattern="(长)了又(长)")) == {0: "zhang3", 3: "zhang3"}


def test_a_pattern_whose_match_does_not_fit_its_reading_says_nothing() -> None:
    one = entry("x", "shan4", pattern="单[一-鿿]?")
    assert forced("单，单雄信", one) == {0: "shan4"}


def test_before_and_after_must_match_the_neighbours() -> None:
    one = entry("长", "zhang3", before="[队船]", after="[说道]|$")
    assert forced("队长说船长，队长的，长说", one) == {1: "zhang3"}
    assert forced("船长", one) == {1: "zhang3"}
    assert forced("长江", entry("长", "chang2", before="^")) == {0: "chang2"}
    assert forced("他长", entry("长", "chang2", before="^")) == {}


@pytest.mark.parametrize("order", [1, -1])
def test_book_wins_over_series_and_series_over_house_whatever_the_order_and_length(order: int) -> None:
    entries = (
        entry("重庆路", "chong2 qing4 lu4", level="house"),
        entry("重庆", "chong2 qing3", level="series"),
        entry("重", "zhong4", level="book"),
    )
    assert forced("重庆路", *entries[::order]) == {0: "zhong4", 1: "qing3", 2: "lu4"}


def test_within_a_level_the_longer_match_wins_then_the_one_with_a_context_then_the_plain_word() -> None:
    bare, context = entry("重", "zhong4"), entry("重", "chong2", after="新")
    assert forced("重新", bare, context) == {0: "chong2"}
    assert forced("重新", context, entry("重新", "zhong4 xin1")) == {0: "zhong4", 1: "xin1"}
    assert forced("重新", entry("x", "chong2 xin2", pattern="重."), entry("重新", "zhong4 xin1")) == {
        0: "zhong4",
        1: "xin1",
    }
    assert forced("重新", entry("x", "chong2", pattern="重(?=新)"), bare) == {0: "chong2"}


def test_equal_patterns_are_decided_by_their_order_and_told() -> None:
    first, second = entry("a", "chong2", pattern="重"), entry("b", "zhong4", pattern="[重众]")
    lexicon = Lexicon((first, second))
    assert lexicon.forced("重")[0] == {0: "chong2"}
    assert [(clash.place, clash.winner.word, clash.loser.word) for clash in lexicon.clashes("去重庆")] == [
        (1, "a", "b")
    ]
    assert Lexicon((first, entry("c", "chong2", pattern="重"))).clashes("重") == []
    assert Lexicon((first, entry("重", "zhong4", after="庆"))).clashes("重庆") == []


def test_words_in_latin_letters_are_whole_and_patterns_may_read_them() -> None:
    found = Lexicon((entry("Anna", "AE1 N AH0"), entry("x", "V IY1", pattern=r"\bv\d(?!\d)"))).forced(
        "Anna和Annas，v1 v12"
    )
    assert found == ({}, [Reading(0, 4, "AE1 N AH0", "lexicon", True), Reading(11, 13, "V IY1", "lexicon", True)])
    assert whole("GPUs", 0, 3) is False


def test_a_respelling_may_put_groups_in_and_heeds_its_context() -> None:
    apply = respell([entry("x", spoken=r"\1年", pattern=r"(\d+)yr"), entry("K", spoken="开", before="唱")])
    assert apply("3yr和唱K，K") == "3年和唱开，K"


def test_a_reading_of_the_book_keeps_the_series_from_respelling_the_word() -> None:
    series = entry("GPU", spoken="显卡", level="series")
    assert respell([series])("GPU") == "显卡"
    assert respell([series, entry("GPU", "JH IY1")])("GPU") == "GPU"
    assert respell([entry("GPU", "JH IY1", level="house"), series])("GPU") == "显卡"


def test_entries_hold_in_their_chapters() -> None:
    entries = (entry("甲", "jia3"), entry("乙", "yi3", chapters="3-"), entry("丙", "bing3", chapters="1, 4-5"))
    words = {number: "".join(one.word for one in in_chapter(entries, number)) for number in range(7)}
    assert words == {0: "甲", 1: "甲丙", 2: "甲", 3: "甲乙", 4: "甲乙丙", 5: "甲乙丙", 6: "甲乙"}
