"""The whole room in one call."""

from dataclasses import replace
from pathlib import Path

import pytest

from common.errors import VoicepressError
from tasks.domain import Cast, Chapter, Manuscript, Paragraph, Role, Run
from tasks.script import scribe
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
