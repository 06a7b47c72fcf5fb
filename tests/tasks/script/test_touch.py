"""One line changed in its file: the same as if its user had edited it there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from common.errors import VoicepressError
from tasks.domain import NARRATOR, ChapterScript, Line, Script, Span
from tasks.script.format import Value, plain_spoken
from tasks.script.ids import line_ids
from tasks.script.inline import annotate
from tasks.script.readings import Reader
from tasks.script.store import sync
from tasks.script.touch import fields_of, touch

READER = Reader()
TEXTS = ["第一章 雨夜", "雨下了一整夜。", "“你好，”他说。", "“长老来了。”", "天亮了。"]


def book() -> Script:
    lines = []
    for place, (key, text) in enumerate(zip(line_ids(TEXTS), TEXTS, strict=True)):
        spoken, quote = plain_spoken(text), text.startswith("“")
        lines.append(
            Line(
                id=key, kind="dialogue" if quote else "narration", text=text, spoken=spoken,
                span=Span(place * 10, place * 10 + len(text)), speaker="林晓" if quote else NARRATOR,
                readings=READER.read(spoken, "zh"), rule="guess" if quote else "", confidence=0.6 if quote else 1.0,
            )
        )  # fmt: skip
    return Script((ChapterScript(1, TEXTS[0], tuple(lines)),))


BOOK = book()
LINES = BOOK.chapters[0].lines


def synced(folder: Path, line_id: str) -> Line:
    return next(one for one in sync(folder, BOOK, READER, 180, 0.9).script.chapters[0].lines if one.id == line_id)


@pytest.mark.parametrize(
    "changes",
    [
        {"spoken": "雨一直下到早上。"},
        {"spoken": "长老 他说：“好”\n然后走了 #不回来"},
        {"style": "用悲伤的语气说", "speed": 1.23456},
        {"speaker": "阿南"},
        {"speaker": NARRATOR, "voice": "zm_yunxia", "pause": 1, "take": 3},
        {"skip": True},
        {"reading": "[zhang3]老来了。", "spoken": "长老来了。"},
    ],
)
def test_a_touched_line_is_what_the_next_sync_makes_of_the_file(tmp_path: Path, changes: Mapping[str, Value]) -> None:
    for line in LINES[1:4]:
        sync(tmp_path, BOOK, READER, 180, 0.9)
        change = touch(tmp_path, 1, line.id, changes, READER, 180, seen=fields_of(synced(tmp_path, line.id)))
        change.write()
        assert synced(tmp_path, line.id) == change.line
        if "speaker" in changes:
            assert change.line.confidence == 1.0


def test_comments_order_and_other_edits_stay(tmp_path: Path) -> None:
    sync(tmp_path, BOOK, READER, 180, 0.9)
    path = tmp_path / "001.yaml"
    text = path.read_text("utf-8").replace(
        "    text: 雨下了一整夜。\n", "    text: 雨下了一整夜。  # mine\n    style: 轻声\n"
    )
    text = text.replace("  - id: " + LINES[4].id, "  # look here\n  - id: " + LINES[4].id)
    path.write_text(text, "utf-8")
    assert "# unsure: 0.60 guess" in text
    touch(tmp_path, 1, LINES[1].id, {"spoken": "雨停了。"}, READER, 180).write()
    added = [row for row in path.read_text("utf-8").splitlines() if row not in text.splitlines()]
    assert added == ["    spoken: 雨停了。"]
    touch(tmp_path, 1, LINES[1].id, {"spoken": "雨下了一整夜。"}, READER, 180).write()
    assert path.read_text("utf-8") == text


def test_who_speaks_is_sure_once_a_person_said_so(tmp_path: Path) -> None:
    sync(tmp_path, BOOK, READER, 180, 0.9)
    touch(tmp_path, 1, LINES[3].id, {"speaker": "老周"}, READER, 180).write()
    rows = (tmp_path / "001.yaml").read_text("utf-8").splitlines()
    assert "    speaker: 老周" in rows
    assert "    speaker: 林晓  # unsure: 0.60 guess" in rows  # the other line's stays


def test_a_change_may_be_made_from_the_line_as_it_stands(tmp_path: Path) -> None:
    sync(tmp_path, BOOK, READER, 180, 0.9)

    def read_otherwise(line: Line) -> dict[str, Value]:
        readings = [
            replace(one, phones="chang2", annotate=True) if line.spoken[one.start] == "长" else one
            for one in line.readings
        ]
        return {"reading": annotate(line.spoken, readings)}

    change = touch(tmp_path, 1, LINES[3].id, read_otherwise, READER, 180)
    assert [one.phones for one in change.line.readings if one.annotate] == ["chang2"]
    change.write()
    assert 'reading: "[ch][áng]老来了。"' in (tmp_path / "001.yaml").read_text("utf-8")


def test_what_somebody_else_changed_meanwhile_is_not_written_over(tmp_path: Path) -> None:
    sync(tmp_path, BOOK, READER, 180, 0.9)
    seen = fields_of(LINES[1])
    touch(tmp_path, 1, LINES[1].id, {"style": "轻声"}, READER, 180, seen=seen).write()
    before = (tmp_path / "001.yaml").read_text("utf-8")
    with pytest.raises(VoicepressError) as error:
        touch(tmp_path, 1, LINES[1].id, {"style": "大声"}, READER, 180, seen=seen)
    assert (error.value.code, error.value.line) == ("script-changed", 18)
    with pytest.raises(VoicepressError) as error:
        touch(tmp_path, 1, "nothing-there", {"style": "大声"}, READER, 180)
    assert error.value.code == "script-changed"
    assert (tmp_path / "001.yaml").read_text("utf-8") == before


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"spoken": "雨" * 181}, "line-too-long"),
        ({"spoken": "   "}, "bad-script"),
        ({"speaker": ""}, "bad-script"),
        ({"speed": 9.0}, "bad-script"),
        ({"take": 100}, "bad-script"),
        ({"reading": "[zhang9]老来了。"}, "bad-reading"),
        ({"reading": "[zhang3]老走了。"}, "bad-reading"),
    ],
)
def test_what_a_file_may_not_say_is_not_written(tmp_path: Path, changes: Mapping[str, Value], code: str) -> None:
    sync(tmp_path, BOOK, READER, 180, 0.9)
    before = (tmp_path / "001.yaml").read_bytes()
    with pytest.raises(VoicepressError) as error:
        touch(tmp_path, 1, LINES[3].id, changes, READER, 180)
    assert error.value.code == code
    assert (tmp_path / "001.yaml").read_bytes() == before


def test_windows_line_ends_stay(tmp_path: Path) -> None:
    sync(tmp_path, BOOK, READER, 180, 0.9)
    path = tmp_path / "001.yaml"
    path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    touch(tmp_path, 1, LINES[1].id, {"style": "轻声"}, READER, 180).write()
    data = path.read_bytes()
    assert data.count(b"\n") == data.count(b"\r\n")
    assert "    style: 轻声\r\n".encode() in data
