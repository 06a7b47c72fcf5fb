"""The lexicon looked up backwards."""

from __future__ import annotations

from tasks.domain import ChapterScript, LexiconEntry, Line, Span
from tasks.script.lexicon import entry
from tasks.script.lexicon_use import Usage, said, word_places
from tasks.script.merge import forced
from tasks.script.readings import Reader


def script(reader: Reader, *spoken: str) -> list[ChapterScript]:
    lines = tuple(
        Line(f"id{number}", "narration", text, text, Span(0, 0), readings=reader.read(text))
        for number, text in enumerate(spoken)
    )
    return [ChapterScript(4, "", lines)]


def usage(entries: tuple[LexiconEntry, ...], *spoken: str) -> Usage:
    reader = Reader(entries)
    return Usage.of(script(reader, *spoken), lambda _: reader)


def test_an_entry_knows_its_lines_and_where_it_decides() -> None:
    city, road = entry("重庆", "chong2 qing4"), entry("重庆路", "chong2 qing4 lu4")
    found = usage((city, road), "去重庆，又去重庆。", "重庆路。", "回家。")
    assert [(one.chapter, one.line, one.start, one.end) for one in found.places[city]] == [
        (4, "id0", 1, 3),
        (4, "id0", 6, 8),
    ]
    assert [(one.line, one.start, one.end) for one in found.places[road]] == [("id1", 0, 3)]


def test_an_entry_that_a_stronger_one_or_an_edit_leaves_nothing_touches_nothing() -> None:
    book, series = entry("重庆", "chong2 qing4"), entry("重", "zhong4", level="series")
    assert series not in usage((series, book), "重庆。").places
    reader = Reader((book,))
    (chapter,) = script(reader, "重庆。")
    line = chapter.lines[0]
    edited = Line(
        line.id, "narration", line.text, line.spoken, Span(0, 0),
        readings=forced("重庆。", "[zhong4][qing4]。", line.readings),
    )  # fmt: skip
    found = Usage.of([ChapterScript(4, "", (edited,))], lambda _: reader)
    assert found.places == {}
    assert found.unused((book, series)) == [book]


def test_respellings_are_found_in_what_is_written() -> None:
    one = entry("GPU", spoken="显卡")
    assert [(place.start, place.end) for place in usage((one,), "一块GPU，GPUs。").places[one]] == [(2, 5)]


def test_contradicting_patterns_are_counted() -> None:
    first, second = entry("a", "chong2", pattern="重"), entry("b", "zhong4", pattern="[重众]")
    assert usage((first, second), "重，重。", "重。").clashes == {(first, second): 3}


def test_any_word_can_be_looked_up() -> None:
    chapters = script(Reader(), "过河，过河。", "回家。")
    assert [(one.line, one.start) for one in word_places(chapters, "过河")] == [("id0", 0), ("id0", 3)]


def test_what_is_said_differs_only_where_readings_or_words_do() -> None:
    plain, other = (script(Reader(lexicon), "去重庆。", "回家。") for lexicon in ((), (entry("重庆", "zhong4 qing4"),)))
    for phonetic, changed in (("pinyin", {(4, "id0")}), ("inline", {(4, "id0")}), ("none", set())):
        one, two = said(plain, phonetic), said(other, phonetic)
        assert {key for key in one if one[key] != two[key]} == changed
