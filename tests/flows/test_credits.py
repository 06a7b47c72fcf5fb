from __future__ import annotations

import pytest

from flows.credits import Credits, credit_chapters
from tasks.domain import BookInfo, ChapterScript, Line, Span
from tasks.script.scribe import Scribe
from tasks.script.write import ScriptSettings

BOOK = (ChapterScript(1, "一", (Line("a", "narration", "雨。", "雨。", Span(0, 2)),)), ChapterScript(7, "二", ()))


@pytest.fixture
def scribe() -> Scribe:
    from tasks.domain import Cast, Role

    return Scribe(Cast(Role("narrator", "zf_xiaobei")), ScriptSettings(), ())


def spoken(chapter: ChapterScript) -> str:
    return "".join(line.spoken for line in chapter.lines)


def test_credits_stand_before_and_after_the_book_and_say_what_it_is(scribe: Scribe) -> None:
    made = credit_chapters(Credits(), True, BookInfo("渡口2", "余光", "晓北"), BOOK, scribe.aloud)
    assert [chapter.number for chapter in made] == [0, 1, 7, 8]
    assert made[1:3] == BOOK
    assert spoken(made[0]) == "渡口二。作者：余光。朗读：晓北。"
    assert spoken(made[3]) == "渡口二，作者：余光，朗读：晓北。全书完。"
    assert {line.speaker for chapter in (made[0], made[3]) for line in chapter.lines} == {"narrator"}
    assert all(line.readings for line in made[0].lines)


def test_an_english_book_has_english_credits(scribe: Scribe) -> None:
    made = credit_chapters(Credits(True), False, BookInfo("The Lamp", "A. B.", "Emma", "en"), BOOK, scribe.aloud)
    assert made[0].title == "Opening credits"
    assert "Narrated by Emma." in spoken(made[0])
    assert spoken(made[-1]).startswith("The end.")


def test_texts_of_ones_own_win_and_quotations_in_them_are_the_narrators(scribe: Scribe) -> None:
    made = credit_chapters(
        Credits(True, "“你好，”他说。\n本书由我们制作。", "再见。"), False, BookInfo("书"), BOOK, scribe.aloud
    )
    assert [line.text for line in made[0].lines] == ["“你好，”", "他说。", "本书由我们制作。"]
    assert {line.speaker for line in made[0].lines} == {"narrator"}
    assert made[0].lines[-1].after == "chapter"
    assert spoken(made[-1]) == "再见。"


@pytest.mark.parametrize(("wanted", "preset", "chapters"), [(None, False, 2), (False, True, 2), (None, True, 4), (True, False, 4)])  # fmt: skip
def test_the_book_decides_and_else_the_preset(scribe: Scribe, wanted: bool | None, preset: bool, chapters: int) -> None:
    assert len(credit_chapters(Credits(wanted), preset, BookInfo("书"), BOOK, scribe.aloud)) == chapters
