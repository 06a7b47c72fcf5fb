"""What is worth asking about: gathered by word, most frequent first, and nothing that was answered."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tasks.domain import ChapterScript, LexiconEntry, Line, Reading, Span
from tasks.script.doubts import Doubts, gather, sureness
from tasks.script.inline import parse
from tasks.script.lexicon import entry
from tasks.script.readings import Doubt, Reader


def script(*spoken: str, reader: Reader | None = None) -> list[ChapterScript]:
    reader = reader or Reader()
    lines = tuple(
        Line(f"id{number}", "narration", text, text, Span(0, 0), readings=reader.read(text))
        for number, text in enumerate(spoken)
    )
    return [ChapterScript(1, "", lines)]


def asked(
    chapters: list[ChapterScript], reader: Reader | None = None, below: float = 2.0, names: tuple[str, ...] = ()
) -> Doubts:
    mine = reader or Reader()
    return gather(chapters, lambda _: mine, certain(), names, below, 2.0, True)


def certain() -> Callable[[str], str]:
    return lambda word: "guessed" if word in ("Siobhan", "Grok") else "known"


def test_one_question_for_a_word_however_often_it_stands() -> None:
    found = asked(script("重重地叹了口气。", "他重重地坐下，又重重地站起。", "重新来过。"))
    first = next(one for one in found.unsure if one.word == "重重地" and one.at == 0)
    assert (first.phones, first.times, first.lines) == ("zhong4", 3, 2)
    assert [(place.line, place.start) for place in first.examples] == [("id0", 0), ("id1", 1)]
    assert [one.times for one in found.unsure] == sorted((one.times for one in found.unsure), reverse=True)


def test_a_character_that_is_no_part_of_a_word_is_asked_with_its_neighbour() -> None:
    words = {one.word for one in asked(script("还钱。", "他还。")).unsure if "还" in one.word and one.at is not None}
    assert words == {"还钱", "他还"}


def test_what_is_sure_is_not_asked() -> None:
    assert asked(script("重庆。"), below=0.0).unsure == ()


def test_names_stand_in_a_list_of_their_own_once() -> None:
    found = asked(script("单雄信来了。", "他看见单雄信。"), names=("单雄信",))
    assert [(one.word, one.phones, one.times, one.at) for one in found.names] == [
        ("单雄信", "shan4 xiong2 xin4", 2, None)
    ]
    assert not any("单" in one.word for one in found.unsure)
    assert found.names[0].why == "in the cast"
    assert "dan1 xiong2 xin4" in [phones for phones, _ in found.names[0].candidates]


def test_a_name_found_by_its_surname_tells_why() -> None:
    (name,) = (one for one in asked(script("单先生来了。")).names if one.word.startswith("单"))
    assert name.word == "单先生"
    assert any(phones.startswith("shan4 ") for phones, _ in name.candidates)
    assert name.why == ("surname" if name.phones.startswith("shan4") else "name")


def test_what_a_lexicon_or_the_user_has_said_is_not_asked_again() -> None:
    lexicon = (entry("单雄信", "shan4 xiong2 xin4"), entry("重", "zhong4"), LexiconEntry("Siobhan", "SH AH0"))
    reader = Reader(lexicon)
    found = asked(script("单雄信重重地说：Siobhan。", reader=reader), reader, names=("单雄信",))
    assert found.names == found.foreign == ()
    assert not any("重" in one.word and one.word[one.at or 0] == "重" for one in found.unsure)
    text = "他还钱。"
    edited = {one.start: one for one in parse("他[huan2]钱。", text)}
    readings: tuple[Reading, ...] = tuple(edited.get(one.start, one) for one in Reader().read(text))
    line = Line("id", "narration", text, text, Span(0, 0), readings=readings)
    assert not any(one.word == "还钱" and one.at == 0 for one in asked([ChapterScript(1, "", (line,))]).unsure)


def test_words_that_no_dictionary_has_are_listed_with_their_reason() -> None:
    found = asked(script("Siobhan和Anna，Siobhan。", "Grok!"))
    assert [(one.word, one.times, one.why) for one in found.foreign] == [
        ("Siobhan", 2, "guessed"),
        ("Grok", 1, "guessed"),
    ]


def test_a_word_whose_other_characters_are_read_now_so_now_so_has_no_whole_reading() -> None:
    lexicon = (entry("得", "dei3", before="^"),)
    reader = Reader(lexicon)
    found = asked(script("得着火。", "我得着火。", reader=reader), reader)
    for one in found.unsure:
        assert one.whole == "" or len(one.whole.split()) == len(one.word)


def test_lines_that_are_skipped_are_not_looked_at() -> None:
    (chapter,) = script("重庆。")
    line = chapter.lines[0]
    skipped = Line(line.id, "narration", line.text, line.spoken, Span(0, 0), skip=True)
    assert asked([ChapterScript(1, "", (skipped,))]).chars == 0


def test_a_neutral_tone_in_doubt_is_no_doubt_worth_asking_about() -> None:
    def doubt(char: str, *ways: tuple[str, float]) -> Doubt:
        return Doubt(0, char, ways[0][0], ways[0][1], ways, "context")

    assert sureness(doubt("睛", ("jing1", 0.6), ("jing5", 0.39), ("qing1", 0.01))) == pytest.approx(0.99)
    assert sureness(doubt("一", ("yi4", 0.5), ("yi1", 0.5))) == pytest.approx(1.0)
    assert sureness(doubt("地", ("di4", 0.63), ("de5", 0.37))) == pytest.approx(0.63)
    assert sureness(doubt("数", ("shu3", 0.7), ("shu4", 0.3))) == pytest.approx(0.7)
