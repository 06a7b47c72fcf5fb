"""write_script as a whole: tiling, bounds, who speaks, what is said."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from common.errors import VoicepressError
from tasks.domain import NARRATOR, Cast, Chapter, Line, Manuscript, Paragraph, Role, Run, Script, Span
from tasks.script.readings import Reader
from tasks.script.write import ScriptSettings, write_script

READER = Reader(())
CAST = Cast(
    Role("narrator"),
    (Role("林晓", aliases=("晓晓",), gender="female"), Role("王明", gender="male"), Role("Anna", gender="female"), Role("Tom", gender="male")),
)  # fmt: skip


def manuscript(*chapters: tuple[str, str, str], language: str = "zh") -> Manuscript:
    """Chapters as (volume, heading, body); a paragraph a line, ``***`` a scene break."""
    source = ""
    made = []
    for number, (volume, heading, body) in enumerate(chapters, 1):
        if volume and (not made or made[-1].volume != volume):
            source += volume + "\n"
        span = Span(len(source), len(source) + len(heading)) if heading else None
        source += heading + "\n" if heading else ""
        paragraphs = []
        for row in body.split("\n"):
            if row.strip() == "***":
                paragraphs.append(Paragraph(row, (), "scene_break"))
            elif row.strip():
                paragraphs.append(Paragraph(row, (Run(0, len(source), len(row)),)))
            source += row + "\n"
        made.append(Chapter(number, heading, span, tuple(paragraphs), volume))
    return Manuscript("book.txt", "txt", "utf-8", "", source, tuple(made), language=language)


def script(body: str, heading: str = "", language: str = "zh", **changes: object) -> Script:
    options = ScriptSettings(language=language, **changes)  # type: ignore[arg-type]
    return write_script(manuscript(("", heading, body), language=language), CAST, options, READER.read)


def lines(body: str, **changes: object) -> tuple[Line, ...]:
    return script(body, **changes).chapters[0].lines  # type: ignore[arg-type]


def heard(body: str, **changes: object) -> list[tuple[str, str]]:
    return [(line.speaker, line.text) for line in lines(body, **changes)]


def assert_tiles(text: Manuscript, made: Script, max_chars: int) -> None:
    for chapter, lines_of in zip(text.chapters, made.chapters, strict=True):
        covered = bytearray(len(text.source))
        for line in lines_of.lines:
            assert len(line.text) <= max_chars
            assert len(line.spoken) <= max_chars
            assert text.source[line.span.start : line.span.end] == line.text
            assert not any(covered[line.span.start : line.span.end])
            covered[line.span.start : line.span.end] = b"\1" * (line.span.end - line.span.start)
        spans = [(r.source_start, r.source_start + r.length) for p in chapter.paragraphs for r in p.runs]
        if chapter.heading:
            spans.append((chapter.heading.start, chapter.heading.end))
        for low, high in spans:
            missing = [text.source[at] for at in range(low, high) if not covered[at] and not text.source[at].isspace()]
            assert missing == []


def test_dialogue_and_narration_become_lines_of_their_speakers() -> None:
    assert heard("“你好，”林晓笑着说，“我等了3个小时。”") == [
        ("林晓", "“你好，”"),
        (NARRATOR, "林晓笑着说，"),
        ("林晓", "“我等了3个小时。”"),
    ]


def test_marks_stay_in_the_text_and_are_silent() -> None:
    line = lines("王明说：“我看了《三体》。”")[1]
    assert (line.text, line.spoken) == ("“我看了《三体》。”", "我看了三体。")


def test_a_quoted_term_stays_with_the_narrator() -> None:
    assert [line.kind for line in lines("所谓“自由”，不过是一个词。")] == ["narration"]


def test_what_stands_between_lines() -> None:
    row = lines("“走吧，”林晓说。“再见。”\n天黑了。\n***\n第二天。", heading="第一章 雨")
    assert [line.after for line in row] == ["heading", "clause", "sentence", "paragraph", "scene", "chapter"]


def test_heading_is_spoken_by_the_narrator_with_figures_as_words() -> None:
    line = lines("天黑了。", heading="第12章 风起")[0]
    assert (line.kind, line.speaker, line.text, line.spoken) == ("heading", NARRATOR, "第12章 风起", "第十二章，风起")


def test_a_new_volume_is_spoken_once() -> None:
    text = manuscript(("卷一 春", "第1章", "甲。"), ("卷一 春", "第2章", "乙。"), ("卷二 秋", "第3章", "丙。"))
    made = write_script(text, CAST, ScriptSettings(), READER.read)
    assert [[line.text for line in c.lines] for c in made.chapters] == [
        ["卷一 春", "第1章", "甲。"],
        ["第2章", "乙。"],
        ["卷二 秋", "第3章", "丙。"],
    ]
    assert_tiles(text, made, 180)


def test_a_quotation_without_words_joins_its_neighbour() -> None:
    assert [line.text for line in lines("“……”林晓没有回答。")] == ["“……”林晓没有回答。"]


def test_a_paragraph_without_words_is_skipped_but_covered() -> None:
    row = lines("“你好。”\n“……”\n？！")
    assert [(line.text, line.skip) for line in row] == [("“你好。”", False), ("“……”", True), ("？！", True)]


def test_adjacent_quotations_of_one_speaker_are_one_line() -> None:
    assert heard("王明说：“走。”“快走。”")[1:] == [("王明", "“走。”“快走。”")]


def test_without_speaker_detection_the_narrator_reads_all() -> None:
    assert {line.speaker for line in lines("“你好，”林晓说。", speakers=False)} == {NARRATOR}


def test_styles_come_from_the_verb_and_can_be_turned_off() -> None:
    body = "“别出声。”林晓低声说。"
    assert lines(body)[0].style == "用小声的语气说"
    assert lines(body, styles=False)[0].style == ""


def test_readings_cover_every_han_character() -> None:
    for line in lines("“他好奇地看了2眼，”林晓说。\n音乐很好听。"):
        han = [at for at, sign in enumerate(line.spoken) if "\u4e00" <= sign <= "\u9fff"]
        assert [reading.start for reading in line.readings] == han


def test_english_lines_in_a_chinese_book_are_english() -> None:
    row = lines("“I am fine, thank you.”王明说。")
    assert [line.language for line in row] == ["en", "zh"]


def test_english_book() -> None:
    body = 'Anna opened the door. "Hello, Tom," she said. "It is 8:30."\n"Really?" asked Tom.'
    assert heard(body, language="en") == [
        (NARRATOR, "Anna opened the door."),
        ("Anna", '"Hello, Tom,"'),
        (NARRATOR, "she said."),
        ("Anna", '"It is 8:30."'),
        ("Tom", '"Really?"'),
        (NARRATOR, "asked Tom."),
    ]


def test_ids_are_distinct_and_stable_under_edits_elsewhere() -> None:
    before = {line.id for line in lines("甲说话。\n乙说话。\n甲说话。")}
    after = {line.id for line in lines("新的一行。\n甲说话。\n乙说话。\n甲说话。")}
    assert len(before) == 3
    assert before < after


def test_respelling_is_spoken_and_keeps_lines_short_enough() -> None:
    text = manuscript(("", "", "甲乙" * 60 + "。"))
    made = write_script(
        text, CAST, ScriptSettings(max_chars=40), READER.read, lambda said: said.replace("甲", "丙丁戊")
    )
    assert all(len(line.spoken) <= 40 and "甲" not in line.spoken for line in made.chapters[0].lines)
    assert_tiles(text, made, 40)


def test_spoken_form_is_bounded_too() -> None:
    text = manuscript(("", "", "他有99999元，" * 30))
    assert_tiles(text, write_script(text, CAST, ScriptSettings(max_chars=60), READER.read), 60)


@pytest.mark.parametrize(
    "body", ["好" * 10_000, "a" * 500, "1" * 1000, "“" * 300, "……" * 300, "“好" * 200, "😀" * 300, "½" * 200]
)
def test_degenerate_paragraphs_hold(body: str) -> None:
    text = manuscript(("", "", body))
    assert_tiles(text, write_script(text, CAST, ScriptSettings(), READER.read), 180)


def test_an_empty_chapter_has_no_lines() -> None:
    assert lines("") == ()


def test_a_chapter_of_a_heading_alone_ends_there() -> None:
    assert [line.after for line in lines("", heading="序")] == ["chapter"]


@pytest.mark.parametrize("changes", [{"max_chars": 5}, {"min_chars": 100}])
def test_settings_that_cannot_work_are_refused(changes: dict[str, int]) -> None:
    with pytest.raises(VoicepressError) as caught:
        ScriptSettings(**changes)  # type: ignore[arg-type]
    assert caught.value.key in changes


PARTS = ["“你好，”", "林晓说：", "“走吧！”", "他低声说道。", "2024年5月2日", "8:30", "《三体》", "……", "——", "”", "“", "「是」", "风很大，", "雨停了。",
         "‘好’", "Hello. ", "\n", "\u3000", "100%", "F-16", "他看着她。", "？！", "[breath]", "好" * 30, '"', "（注）", "￥99.9元", "①"]  # fmt: skip


@settings(max_examples=120, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(st.sampled_from(PARTS), max_size=40), st.integers(20, 180), st.sampled_from(["zh", "en"]))
def test_every_text_is_tiled_within_bounds(parts: list[str], max_chars: int, language: str) -> None:
    text = manuscript(("", "第1章", "".join(parts)), language=language)
    options = ScriptSettings(max_chars=max_chars, language=language)
    assert_tiles(text, write_script(text, CAST, options, lambda *_: ()), max_chars)


@settings(max_examples=80, deadline=None)
@given(st.text(max_size=300))
def test_any_text_at_all_is_tiled(body: str) -> None:
    text = manuscript(("", "", body))
    assert_tiles(text, write_script(text, CAST, ScriptSettings(max_chars=40), lambda *_: ()), 40)


@pytest.mark.parametrize(
    ("heading", "language", "spoken"),
    [
        ("第十二章 风起", "zh", "第十二章，风起"),
        ("第十二章  风起", "zh", "第十二章，风起"),
        ("第一章\n灯塔", "zh", "第一章，灯塔"),
        ("Chapter 3\nThe Jar", "en", "Chapter three, The Jar"),
        ("Chapter 3: The Blue Jar", "en", "Chapter three: The Blue Jar"),
    ],
)
def test_a_heading_of_two_parts_has_a_pause_between_them(heading: str, language: str, spoken: str) -> None:
    assert script("灯亮了。", heading, language).chapters[0].lines[0].spoken == spoken
