"""The whole room in one call."""

from dataclasses import replace
from pathlib import Path

import pytest

from common.errors import VoicepressError
from tasks.domain import Cast, Chapter, Manuscript, Paragraph, Role, Run
from tasks.script import scribe
from tasks.script.lexicon import entry
from tasks.script.write import ScriptSettings

CAST = Cast(Role("narrator", voice="v"), (Role("老周", voice="w", gender="male"),))


def manuscript(*paragraphs: str, chapters: int = 1) -> Manuscript:
    source = "\n".join(paragraphs)
    found, at = [], 0
    for text in paragraphs:
        found.append(Paragraph(text, (Run(0, at, len(text)),)))
        at += len(text) + 1
    whole = tuple(Chapter(number, "", None, tuple(found) if number == 1 else ()) for number in range(1, chapters + 1))
    return Manuscript("story.txt", "txt", "utf-8", "", source, whole)


def test_an_edit_is_kept_and_counted(tmp_path: Path) -> None:
    room = scribe.Scribe(CAST, ScriptSettings(), ())
    first = room.write(manuscript("天亮了，雾还没有散。", "“过河吗？”老周问。"), tmp_path)
    assert first.notes == ()
    assert first.coverage.complete
    path = tmp_path / "001.yaml"
    path.write_text(
        path.read_text(encoding="utf-8").replace(
            "    text: 天亮了，雾还没有散。\n", "    text: 天亮了，雾还没有散。\n    spoken: 天亮了。\n"
        ),
        encoding="utf-8",
    )
    second = room.write(manuscript("天亮了，雾还没有散。", "“过河吗？”老周问。"), tmp_path)
    assert second.script.chapters[0].lines[0].spoken == "天亮了。"
    assert second.notes == ("1 edit of yours in the script kept",)
    third = room.write(manuscript("“过河吗？”老周问。"), tmp_path)
    assert "has lost its line" in third.notes[-1]
    assert (tmp_path / "orphans.yaml").is_file()


def test_a_line_without_sound_is_no_edit_of_the_user(tmp_path: Path) -> None:
    written = scribe.Scribe(CAST, ScriptSettings(), ()).write(manuscript("天亮了。", "……"), tmp_path)
    assert written.coverage.left_out == {"no-sound": 2}


def test_a_manuscript_beyond_bounds_is_a_clear_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    room = scribe.Scribe(CAST, ScriptSettings(), ())
    with pytest.raises(VoicepressError) as caught:
        room.write(manuscript("天亮了。", chapters=scribe.MAX_CHAPTERS + 1), tmp_path)
    assert caught.value.code == "too-big"
    monkeypatch.setattr(scribe, "MAX_CHARS", 3)
    with pytest.raises(VoicepressError):
        room.write(manuscript("天亮了。"), tmp_path)
    assert not list(tmp_path.iterdir())


def test_the_script_is_written_in_the_language_of_the_manuscript(tmp_path: Path) -> None:
    text = replace(manuscript("“Is it far?” asked Tom.", "“Two hours,” said Mrs. Bell. “Sit down.”"), language="en")
    found = scribe.Scribe(CAST, ScriptSettings(), ()).write(text, tmp_path).script.chapters[0].lines
    assert [line.speaker for line in found if line.kind == "dialogue"] == ["Tom", "Mrs. Bell", "Mrs. Bell"]


def spell(written: scribe.Written) -> dict[int, str]:
    """Every chapter's first line as it is read."""
    lines = {chapter.number: chapter.lines[0] for chapter in written.script.chapters}
    return {number: " ".join(one.phones for one in line.readings) for number, line in lines.items()}


def test_an_entry_for_some_chapters_holds_in_those_alone(tmp_path: Path) -> None:
    (paragraph,) = manuscript("重庆，GPU。").chapters[0].paragraphs
    book = manuscript("重庆，GPU。", chapters=3)
    book = replace(book, chapters=tuple(replace(one, paragraphs=(paragraph,)) for one in book.chapters))
    lexicon = (entry("重庆", "zhong4 qing4", chapters="2-"), entry("GPU", spoken="显卡", chapters="3"))
    written = scribe.Scribe(CAST, ScriptSettings(), lexicon).write(book, tmp_path)
    assert spell(written) == {1: "chong2 qing4", 2: "zhong4 qing4", 3: "zhong4 qing4 xian3 ka3"}
    assert [one.lines[0].spoken for one in written.script.chapters][1:] == ["重庆，GPU。", "重庆，显卡。"]


def test_an_edited_reading_wins_over_every_lexicon(tmp_path: Path) -> None:
    text = manuscript("他去重庆，重庆。")
    scribe.Scribe(CAST, ScriptSettings(), ()).write(text, tmp_path)
    path = tmp_path / "001.yaml"
    edited = path.read_text(encoding="utf-8").splitlines(keepends=True)
    edited = [row for row in edited if "reading:" not in row]
    path.write_text("".join(edited) + "    reading: 他去[zhong4]庆，重庆。\n", encoding="utf-8")
    lexicon = (entry("重庆", "chong2 qing3"), entry("x", "chong2 qing2", pattern="重庆", level="series"))
    for _ in range(2):  # also when nothing is new
        written = scribe.Scribe(CAST, ScriptSettings(), lexicon).write(text, tmp_path)
        assert spell(written) == {1: "ta1 qu4 zhong4 qing3 chong2 qing3"}
    assert [one.origin for one in written.script.chapters[0].lines[0].readings][2:] == [
        "user",
        "lexicon",
        "lexicon",
        "lexicon",
    ]


def test_a_slip_in_the_lexicon_is_noted(tmp_path: Path) -> None:
    written = scribe.Scribe(CAST, ScriptSettings(), (entry("重庆", "cong2 qing4"),)).write(
        manuscript("天亮了。"), tmp_path
    )
    assert "cong2" in written.notes[0]
