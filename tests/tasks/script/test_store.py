"""The script's files: a user's edits survive everything, and what they did not touch follows the generation."""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from common.errors import VoicepressError
from tasks.domain import NARRATOR, UNKNOWN, ChapterScript, Line, Script, Span
from tasks.script import journal
from tasks.script.format import plain_spoken
from tasks.script.ids import line_ids
from tasks.script.readings import Reader
from tasks.script.store import Synced, load, sync

READER = Reader()
ONE = ["第一章 雨夜", "雨下了一整夜。", "“你好，”他说。", "“长老来了。”", "天亮了。"]
TWO = ["第二章 渡口", "船靠岸了。", "“嗯。”", "他应了一声。"]
THREE = ["第三章 归途", "“嗯。”", "她回头看了看。", "路还很长。"]


def chapter(number: int, texts: Sequence[str], **speakers: str) -> ChapterScript:
    lines = []
    for place, (key, text) in enumerate(zip(line_ids(texts), texts, strict=True)):
        spoken = plain_spoken(text)
        quote = text.startswith("“")
        lines.append(
            Line(
                id=key, kind="heading" if place == 0 else "dialogue" if quote else "narration", text=text, spoken=spoken,
                span=Span(place * 10, place * 10 + len(text)), speaker="林晓" if quote else NARRATOR,
                readings=READER.read(spoken, "zh"),
            )
        )  # fmt: skip
    return ChapterScript(number, texts[0], tuple(lines))


def script(*chapters: Sequence[str]) -> Script:
    return Script(tuple(chapter(number, texts) for number, texts in enumerate(chapters, 1)))


BOOK = script(ONE, TWO, THREE)


def line(synced: Synced, text: str, number: int = 0) -> Line:
    return next(
        one for part in synced.script.chapters if number in (0, part.number) for one in part.lines if one.text == text
    )


def edit(path: Path, old: str, new: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert text.count(old) == 1, text
    path.write_text(text.replace(old, new), encoding="utf-8")


def add(path: Path, text: str, row: str) -> None:
    """Put a key under the line with this text."""
    edit(path, f"    text: {text}\n", f"    text: {text}\n    {row}\n")


def state(folder: Path) -> dict[str, tuple[bytes, int]]:
    return {
        str(path.relative_to(folder)): (path.read_bytes(), path.stat().st_mtime_ns)
        for path in folder.rglob("*")
        if path.is_file()
    }


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    sync(tmp_path / "script", BOOK, READER)
    return tmp_path / "script"


def test_the_first_sync_writes_every_chapter_and_changes_nothing(tmp_path: Path) -> None:
    found = sync(tmp_path, BOOK, READER)
    assert found.script == BOOK
    assert (found.written, found.edits, found.orphans) == ((1, 2, 3), 0, ())
    assert load(tmp_path) == BOOK


def test_a_second_sync_touches_nothing(folder: Path) -> None:
    before = state(folder)
    found = sync(folder, BOOK, READER)
    assert found.script == BOOK
    assert found.written == ()
    assert state(folder) == before


def test_where_there_is_no_script_there_is_none_to_load(tmp_path: Path) -> None:
    assert load(tmp_path / "nowhere") is None


@pytest.mark.parametrize(
    ("row", "field", "value"),
    [
        ("style: 低声", "style", "低声"),
        ("speed: 0.9", "speed", 0.9),
        ("voice: zm_yunxi", "voice", "zm_yunxi"),
        ("pause: 1.5", "pause_seconds", 1.5),
        ("pause: 0", "pause_seconds", 0.0),
        ("skip: true", "skip", True),
        ("speaker: 王五", "speaker", "王五"),
        ("spoken: 船到岸了。", "spoken", "船到岸了。"),
        ("take: 3", "take", 3),
        ("take: 0", "take", 0),
    ],
)
def test_every_field_can_be_edited(folder: Path, row: str, field: str, value: object) -> None:
    add(folder / "002.yaml", "船靠岸了。", row)
    mine = state(folder)["002.yaml"]
    for _ in range(2):
        found = sync(folder, BOOK, READER)
        assert getattr(line(found, "船靠岸了。"), field) == value
        assert (found.edits, found.written) == (1, ())
        assert state(folder)["002.yaml"] == mine
        assert load(folder) == found.script


def test_an_edited_spoken_form_is_read_anew(folder: Path) -> None:
    add(folder / "002.yaml", "船靠岸了。", "spoken: 行长来了")
    found = line(sync(folder, BOOK, READER), "船靠岸了。")
    assert [one.phones for one in found.readings] == ["hang2", "zhang3", "lai2", "le5"]


def test_the_reading_that_belongs_to_an_edited_spoken_form_is_no_edit(folder: Path) -> None:
    edit(
        folder / "002.yaml",
        "    reading: 他[y][ìng]了一声。\n",
        "    reading: 他[y][ìng]了一声。\n    spoken: 他应了两声。\n",
    )
    found = sync(folder, BOOK, READER)
    assert found.edits == 1
    assert found.written == (2,)
    assert "    reading: 他[y][ìng]了两声。\n" in (folder / "002.yaml").read_text(encoding="utf-8")
    again = sync(folder, BOOK, READER)
    assert (again.edits, again.written) == (1, ())
    assert again.script == found.script


def test_an_edited_reading_is_forced(folder: Path) -> None:
    add(folder / "003.yaml", "路还很长。", "reading: 路还很[zh][ǎng]。")
    found = line(sync(folder, BOOK, READER), "路还很长。")
    forced = [one for one in found.readings if one.annotate]
    assert [(one.start, one.phones, one.origin) for one in forced] == [(3, "zhang3", "user")]
    assert len(found.readings) == 4


def test_a_reading_taken_away_forces_nothing(folder: Path) -> None:
    edit(folder / "002.yaml", "    reading: 他[y][ìng]了一声。\n", "")
    found = sync(folder, BOOK, READER)
    assert not any(one.annotate for one in line(found, "他应了一声。").readings)
    assert found.edits == 1


def test_an_edited_reading_keeps_the_spoken_text_it_was_written_for(folder: Path) -> None:
    add(folder / "003.yaml", "路还很长。", "reading: 路[huan2]很长。")
    sync(folder, BOOK, READER)
    other = replace(BOOK.chapters[2].lines[3], spoken="路还挺长。", readings=READER.read("路还挺长。", "zh"))
    changed = replace(BOOK.chapters[2], lines=(*BOOK.chapters[2].lines[:3], other))
    found = line(sync(folder, Script((*BOOK.chapters[:2], changed)), READER), "路还很长。")
    assert found.spoken == "路还很长。"
    assert found.readings[1].phones == "huan2"


def test_what_the_user_did_not_touch_follows_the_generation(folder: Path) -> None:
    add(folder / "001.yaml", "“长老来了。”", "style: 惊讶  # 这里要惊讶")
    sync(folder, BOOK, READER)
    new = replace(BOOK.chapters[0].lines[3], speaker="王五", style="冷冷地")
    book = Script(
        (
            replace(BOOK.chapters[0], lines=(*BOOK.chapters[0].lines[:3], new, BOOK.chapters[0].lines[4])),
            *BOOK.chapters[1:],
        )
    )
    found = sync(folder, book, READER)
    assert (line(found, "“长老来了。”").speaker, line(found, "“长老来了。”").style) == ("王五", "惊讶")
    assert found.written == (1,)
    text = (folder / "001.yaml").read_text(encoding="utf-8")
    assert "    speaker: 王五\n" in text
    assert "style: 惊讶  # 这里要惊讶\n" in text


def test_an_edit_that_the_generation_comes_to_agree_with_is_no_edit_any_more(folder: Path) -> None:
    add(folder / "002.yaml", "船靠岸了。", "style: 低声")
    sync(folder, BOOK, READER)
    new = replace(BOOK.chapters[1].lines[1], style="低声")
    two = replace(BOOK.chapters[1], lines=(BOOK.chapters[1].lines[0], new, *BOOK.chapters[1].lines[2:]))
    found = sync(folder, Script((BOOK.chapters[0], two, BOOK.chapters[2])), READER)
    assert (found.edits, found.written) == (0, ())


def test_comments_order_and_quoting_of_the_user_survive_a_rewrite(folder: Path) -> None:
    path = folder / "001.yaml"
    text = path.read_text(encoding="utf-8")
    text = "# 我的说明\n" + text.replace("title:", "# 标题\ntitle:")
    text = text.replace(
        "    text: 雨下了一整夜。\n",
        "    # 慢一点\n    text: '雨下了一整夜。'   # 原文\n    style:  \"缓慢\"  # 风格\n\n  # 对白\n",
    )
    path.write_text(text + "# 完\n", encoding="utf-8")
    sync(folder, BOOK, READER)
    found = sync(folder, script([*ONE[:2], "新的一句。", *ONE[2:]], TWO, THREE), READER)
    assert found.written == (1,)
    after = path.read_text(encoding="utf-8")
    for kept in (
        "# 我的说明\n",
        "# 标题\n",
        "    # 慢一点\n",
        "'雨下了一整夜。'   # 原文\n",
        '    style:  "缓慢"  # 风格\n',
        "  # 对白\n  - id:",
        "# 完\n",
    ):
        assert kept in after
    assert after.index("雨下了一整夜") < after.index("新的一句。") < after.index("  # 对白")
    assert sync(folder, script([*ONE[:2], "新的一句。", *ONE[2:]], TWO, THREE), READER).written == ()


def test_comments_of_a_line_that_is_gone_go_to_the_next(folder: Path) -> None:
    edit(folder / "001.yaml", "    text: 雨下了一整夜。\n", "    # 留着\n    text: 雨下了一整夜。\n")
    sync(folder, script([ONE[0], *ONE[2:]], TWO, THREE), READER)
    text = (folder / "001.yaml").read_text(encoding="utf-8")
    assert "# 留着\n  - id:" in text
    assert text.index("# 留着") < text.index("“你好，”他说。")


def test_windows_line_ends_are_kept(folder: Path) -> None:
    path = folder / "001.yaml"
    path.write_bytes(
        path.read_bytes()
        .replace(b"\n", b"\r\n")
        .replace("    text: 天亮了。\r\n".encode(), "    text: 天亮了。\r\n    style: 轻\r\n".encode())
    )
    found = sync(folder, BOOK, READER)
    assert line(found, "天亮了。").style == "轻"
    assert found.written == ()


def test_a_file_in_another_layout_is_understood_and_its_edits_kept(folder: Path) -> None:
    ids = [one.id for one in BOOK.chapters[1].lines]
    rows = ", ".join(f'{{id: "{key}", text: "{text}", style: 急}}' for key, text in zip(ids, TWO, strict=True))
    (folder / "002.yaml").write_text(
        f"# 我的\nschema: 1\nchapter: 2\ntitle: {TWO[0]}\nlines: [{rows}]\n", encoding="utf-8"
    )
    found = sync(folder, BOOK, READER)
    assert all(one.style == "急" for one in found.script.chapters[1].lines)
    again = sync(folder, script(ONE, [*TWO, "新句。"], THREE), READER)
    assert all(one.style == "急" for one in again.script.chapters[1].lines[:4])
    assert "# 我的\n" in (folder / "002.yaml").read_text(encoding="utf-8")


# ---- lines and chapters come and go


def test_a_paragraph_inserted_upstream_loses_no_edit(folder: Path) -> None:
    add(folder / "003.yaml", "她回头看了看。", "style: 轻声")
    sync(folder, BOOK, READER)
    found = sync(folder, script(ONE, TWO, [THREE[0], "新的开头。", *THREE[1:]]), READER)
    assert line(found, "她回头看了看。").style == "轻声"
    assert (found.edits, found.written, found.orphans) == (1, (3,), ())


def test_comments_of_a_chapter_that_is_gone_go_to_the_orphans(folder: Path) -> None:
    add(folder / "003.yaml", "她回头看了看。", "# 再听一遍\n    style: 轻声  # 试过别的")
    edit(folder / "003.yaml", "schema: 1\n", "# 第三章先放着\nschema: 1\n")
    sync(folder, script(ONE, TWO), READER)
    text = (folder / "orphans.yaml").read_text(encoding="utf-8")
    assert "  # 第三章先放着\n  # 再听一遍\n  # 试过别的\n" in text
    assert "what is said" not in text  # our own words on top of every file
    again = sync(folder, script(ONE, TWO), READER)
    assert [one.fields for one in again.orphans] == [("style",)]
    assert (folder / "orphans.yaml").read_text(encoding="utf-8") == text


def test_a_comment_behind_a_value_of_a_line_that_is_gone_goes_to_the_next(folder: Path) -> None:
    add(folder / "001.yaml", "“长老来了。”", "style: 轻声  # 试过别的")
    sync(folder, script([*ONE[:3], "全新的一句话在这里。", ONE[4]], TWO, THREE), READER)
    assert "    # 试过别的\n" in (folder / "001.yaml").read_text(encoding="utf-8")


def test_a_chapter_inserted_upstream_carries_edits_and_comments_along(folder: Path) -> None:
    add(folder / "002.yaml", "“嗯。”", "style: 冷淡  # 二")
    add(folder / "003.yaml", "“嗯。”", "style: 温柔  # 三")
    sync(folder, BOOK, READER)
    found = sync(folder, script(["序章", "很久以前。", "“嗯。”"], ONE, TWO, THREE), READER)
    assert [line(found, "“嗯。”", number).style for number in (1, 3, 4)] == ["", "冷淡", "温柔"]
    assert "style: 冷淡  # 二" in (folder / "003.yaml").read_text(encoding="utf-8")
    assert "chapter: 3\n" in (folder / "003.yaml").read_text(encoding="utf-8")
    assert (found.edits, found.orphans) == (2, ())
    again = sync(folder, script(["序章", "很久以前。", "“嗯。”"], ONE, TWO, THREE), READER)
    assert (again.script, again.written, again.edits) == (found.script, (), 2)


def test_chapters_may_change_places(folder: Path) -> None:
    add(folder / "001.yaml", "天亮了。", "pause: 2")
    sync(folder, BOOK, READER)
    found = sync(folder, script(THREE, TWO, ONE), READER)
    assert line(found, "天亮了。", 3).pause_seconds == 2.0


def test_a_line_that_moves_to_another_chapter_takes_its_edit_along(folder: Path) -> None:
    add(folder / "001.yaml", "天亮了。", "style: 欢快")
    sync(folder, BOOK, READER)
    found = sync(folder, script(ONE[:-1], ["第二章 渡口", "天亮了。", *TWO[1:]], THREE), READER)
    assert line(found, "天亮了。", 2).style == "欢快"
    assert found.orphans == ()


def test_an_edit_whose_line_is_gone_is_kept_and_reported(folder: Path) -> None:
    add(folder / "001.yaml", "天亮了。", "style: 欢快\n    pause: 1")
    gone = next(one.id for one in BOOK.chapters[0].lines if one.text == "天亮了。")
    book = script([*ONE[:-1], "没有人说话。"], TWO, THREE)
    found = sync(folder, book, READER)
    assert found.orphans == ((1, gone, "天亮了。", ("style", "pause")),)
    text = (folder / "orphans.yaml").read_text(encoding="utf-8")
    assert "style: 欢快" in text
    again = sync(folder, book, READER)
    assert again.orphans == found.orphans
    assert (folder / "orphans.yaml").read_text(encoding="utf-8") == text
    (folder / "orphans.yaml").unlink()
    assert sync(folder, book, READER).orphans == ()


def test_a_chapter_that_is_gone_leaves_its_edits_in_the_orphans(folder: Path) -> None:
    add(folder / "003.yaml", "她回头看了看。", "style: 轻声")
    found = sync(folder, script(ONE, TWO), READER)
    assert [one.fields for one in found.orphans] == [("style",)]
    assert not (folder / "003.yaml").exists()
    assert not (folder / ".base" / "003.json").exists()


def test_a_line_deleted_by_the_user_is_skipped_and_stays_deleted(folder: Path) -> None:
    path = folder / "002.yaml"
    text = path.read_text(encoding="utf-8")
    start = text.rindex("  - id:", 0, text.index("船靠岸了。"))
    path.write_text(text[:start] + text[text.index("  - id:", start + 1) :], encoding="utf-8")
    for book in (BOOK, BOOK, script(ONE, [*TWO, "又一句。"], THREE)):
        found = sync(folder, book, READER)
        assert line(found, "船靠岸了。").skip
        assert (found.edits, found.removed) == (1, 1)
        assert "船靠岸了。" not in path.read_text(encoding="utf-8")
    assert not line(found, "又一句。").skip


def test_a_deleted_line_may_be_put_back(folder: Path) -> None:
    path = folder / "002.yaml"
    text = path.read_text(encoding="utf-8")
    start = text.rindex("  - id:", 0, text.index("船靠岸了。"))
    path.write_text(text[:start] + text[text.index("  - id:", start + 1) :], encoding="utf-8")
    sync(folder, BOOK, READER)
    path.write_text(text, encoding="utf-8")
    found = sync(folder, BOOK, READER)
    assert not line(found, "船靠岸了。").skip
    assert found.edits == 0


def test_a_file_that_the_user_deletes_is_written_anew(folder: Path) -> None:
    add(folder / "002.yaml", "船靠岸了。", "style: 低声")
    sync(folder, BOOK, READER)
    (folder / "002.yaml").unlink()
    found = sync(folder, BOOK, READER)
    assert (found.written, found.edits) == ((2,), 0)


def test_without_bases_what_is_in_the_files_counts_as_the_users(folder: Path) -> None:
    add(folder / "002.yaml", "船靠岸了。", "style: 低声")
    sync(folder, BOOK, READER)
    shutil.rmtree(folder / ".base")
    assert load(folder) is None
    found = sync(folder, script(ONE, [*TWO, "又一句。"], THREE), READER)
    assert line(found, "船靠岸了。").style == "低声"
    assert not any(one.skip for one in found.script.chapters[1].lines)
    assert found.edits == 1


def test_a_base_that_is_not_whole_is_a_miss(folder: Path) -> None:
    for path in (folder / ".base").glob("*.json"):
        path.write_bytes(path.read_bytes()[:50])
    found = sync(folder, BOOK, READER)
    assert (found.script, found.edits, found.written) == (BOOK, 0, ())
    assert load(folder) == BOOK


# ---- what can be wrong

WRONG = [
    (
        "    text: 船靠岸了。\n",
        "    text: 船靠岸了。\n    stile: 低声\n",
        "unknown key 'stile'",
        "did you mean 'style'",
    ),
    ("    text: 船靠岸了。\n", "    text: 船靠岸了。\n    speed: 快\n", "'speed' is a number", ""),
    ("    text: 船靠岸了。\n", "    text: 船靠岸了。\n    speed: 99\n", "'speed' is a number", ""),
    ("    text: 船靠岸了。\n", "    text: 船靠岸了。\n    skip: 是\n", "'skip' is true or false", ""),
    ("    text: 船靠岸了。\n", "    text: 船靠岸了。\n    style: 12\n", "'style' is text", "quotes"),
    ("    text: 船靠岸了。\n", "    text: 船靠岸了。\n    spoken: ''\n", "'spoken' is empty", "skip: true"),
    ("    text: 船靠岸了。\n", "    text: 船靠岸了。\n    style: a\n    style: b\n", "stands twice", ""),
    ("    text: 船靠岸了。\n", "    text: 船靠岸了。\n    style: [低声\n", "not valid YAML", ""),
    ("    text: 船靠岸了。\n", "    text: 船沉了。\n", "text of a line was changed", "spoken"),
    ("    text: 船靠岸了。\n", "    text: 船靠岸了。\n    spoken: " + "长" * 181 + "\n", "181 characters", "shorten"),
    ("    text: 船靠岸了。\n", "    text: 船靠岸了。\n    reading: 船[kk][ào]岸了。\n", "'[kk]'", ""),
    ("    text: 船靠岸了。\n", "    text: 船靠岸了。\n    reading: 车[k][ào]岸了。\n", "does not follow", ""),
    ("schema: 1\n", "schema: 7\n", "schema 7", ""),
    ("chapter: 2\n", "chapter: 5\n", "its name says 2", ""),
    ("lines:\n", "linse:\n", "unknown key 'linse'", "did you mean 'lines'"),
]


@pytest.mark.parametrize(("old", "new", "says", "hint"), WRONG, ids=[row[2] + row[1][-8:-1] for row in WRONG])
def test_errors_name_file_and_row_and_nothing_is_written(
    folder: Path, old: str, new: str, says: str, hint: str
) -> None:
    add(folder / "001.yaml", "天亮了。", "style: 欢快")
    path = folder / "002.yaml"
    edit(path, old, new)
    row = next(
        place
        for place, (one, other) in enumerate(
            zip(path.read_text().splitlines(), [*state_before(folder), ""], strict=False), 1
        )
        if one != other
    )
    before = state(folder)
    with pytest.raises(VoicepressError) as caught:
        sync(folder, script(ONE[:-1], TWO), READER)
    error = caught.value
    assert error.file == str(path)
    assert error.line is not None
    assert abs(error.line - row) <= 2
    assert says in error.what
    assert hint in error.hint
    assert state(folder) == before


def state_before(folder: Path) -> list[str]:
    """The rows of the second chapter as first written."""
    fresh = folder.parent / "fresh"
    sync(fresh, BOOK, READER)
    return (fresh / "002.yaml").read_text(encoding="utf-8").splitlines()


def test_an_id_that_was_mistyped_is_named_with_the_nearest(folder: Path) -> None:
    right = BOOK.chapters[1].lines[1].id
    wrong = right[:-1] + ("0" if right[-1] != "0" else "1")
    edit(folder / "002.yaml", right, f"{wrong}")
    with pytest.raises(VoicepressError, match=wrong) as caught:
        sync(folder, BOOK, READER)
    assert caught.value.code == "unknown-line"
    assert right in caught.value.hint


def test_a_line_that_stands_twice_is_refused(folder: Path) -> None:
    path = folder / "002.yaml"
    text = path.read_text(encoding="utf-8")
    path.write_text(text + text[text.rindex("  - id:") :], encoding="utf-8")
    with pytest.raises(VoicepressError, match="stands twice"):
        sync(folder, BOOK, READER)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\xff\xfe\x00",
        b"- 1\n- 2\n",
        b"just words\n",
        b"schema: 1\nchapter: 2\nlines: 5\n",
        b"schema: 1\nchapter: 2\nlines:\n  - 5\n",
    ],
)
def test_a_file_that_is_no_script_is_one_clear_error(folder: Path, data: bytes) -> None:
    (folder / "002.yaml").write_bytes(data)
    with pytest.raises(VoicepressError) as caught:
        sync(folder, BOOK, READER)
    assert caught.value.file == str(folder / "002.yaml")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_that_cannot_be_written_to_is_one_clear_error(folder: Path) -> None:
    folder.chmod(0o500)
    try:
        with pytest.raises(VoicepressError):
            sync(folder, script(ONE, TWO, [*THREE, "新句。"]), READER)
    finally:
        folder.chmod(0o700)


# ---- killed at any moment


def test_a_sync_killed_anywhere_is_completed_by_the_next(
    folder: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    add(folder / "002.yaml", "船靠岸了。", "style: 低声  # 轻")
    add(folder / "003.yaml", "她回头看了看。", "spoken: 她回过头来。")
    add(folder / "001.yaml", "天亮了。", "pause: 2")
    book = script(["序章", "很久以前。"], [*ONE[:-1], "天大亮了。"], TWO, THREE)
    undisturbed = tmp_path / "undisturbed"
    shutil.copytree(folder, undisturbed)
    expected = sync(undisturbed, book, READER)
    real_text, real_json = journal.write_text, journal.write_json

    for limit in range(12):
        victim = tmp_path / f"victim{limit}"
        shutil.copytree(folder, victim)
        left = [limit]

        def counted(real: object, left: list[int] = left) -> object:
            def write(*args: object, **kwargs: object) -> None:
                if left[0] == 0:
                    raise KeyboardInterrupt
                left[0] -= 1
                real(*args, **kwargs)  # type: ignore[operator]

            return write

        monkeypatch.setattr(journal, "write_text", counted(real_text))
        monkeypatch.setattr(journal, "write_json", counted(real_json))
        with contextlib.suppress(KeyboardInterrupt):
            sync(victim, book, READER)
        monkeypatch.setattr(journal, "write_text", real_text)
        monkeypatch.setattr(journal, "write_json", real_json)
        found = sync(victim, book, READER)
        assert found.script == expected.script
        assert (found.edits, found.orphans) == (expected.edits, expected.orphans)
        assert {name: data for name, (data, _) in state(victim).items()} == {
            name: data for name, (data, _) in state(undisturbed).items()
        }


def test_keys_below_the_lines_are_understood(folder: Path) -> None:
    path = folder / "002.yaml"
    text = path.read_text(encoding="utf-8").replace("chapter: 2\n", "")
    path.write_text(
        text.replace("    text: 船靠岸了。\n", "    text: 船靠岸了。\n    style: 轻\n") + "chapter: 2\n",
        encoding="utf-8",
    )
    assert line(sync(folder, BOOK, READER), "船靠岸了。").style == "轻"
    found = sync(folder, script(ONE, [*TWO, "又一句。"], THREE), READER)
    assert line(found, "船靠岸了。").style == "轻"
    assert sync(folder, script(ONE, [*TWO, "又一句。"], THREE), READER).written == ()


# ---- lines that change a little


def test_an_edit_follows_a_line_whose_typo_is_mended(folder: Path) -> None:
    add(folder / "001.yaml", "天亮了。", "style: 欢快  # 一定要\n    pause: 1")
    edit(folder / "001.yaml", "    text: 天亮了。\n", "    # 结尾\n    text: 天亮了。\n")
    book = script([*ONE[:-1], "天大亮了。"], TWO, THREE)
    found = sync(folder, book, READER)
    there = line(found, "天大亮了。")
    assert (there.style, there.pause_seconds) == ("欢快", 1.0)
    assert [(one.old_text, one.new_text, one.fields) for one in found.moved] == [
        ("天亮了。", "天大亮了。", ("style", "pause"))
    ]
    assert found.orphans == ()
    assert "    # 结尾\n    # 一定要\n  - id:" in (folder / "001.yaml").read_text(encoding="utf-8")
    again = sync(folder, book, READER)
    assert (again.script, again.written, again.moved) == (found.script, (), ())


def test_words_written_for_the_old_text_go_to_the_orphans_with_a_proposal(folder: Path) -> None:
    add(folder / "001.yaml", "天亮了。", "style: 欢快\n    spoken: 天终于亮了。\n    take: 2")
    found = sync(folder, script([*ONE[:-1], "天大亮了。"], TWO, THREE), READER)
    there = line(found, "天大亮了。")
    assert (there.style, there.spoken, there.take) == ("欢快", "天大亮了。", None)
    assert [one.fields for one in found.orphans] == [("spoken", "take")]
    text = (folder / "orphans.yaml").read_text(encoding="utf-8")
    assert f"# perhaps now: chapter 1, line {there.id}: 天大亮了。\n  - chapter: 1\n" in text


def test_a_line_cut_in_two_hands_its_edit_to_both(folder: Path) -> None:
    first = script(["第一章", "前面的话。", "他走到门口，回头看了她一眼，没有说话。", "后面的话。"])
    where = folder.parent / "cut"
    sync(where, first, READER)
    add(where / "001.yaml", "他走到门口，回头看了她一眼，没有说话。", "style: 缓慢\n    pause: 2")
    found = sync(
        where, script(["第一章", "前面的话。", "他走到门口，", "回头看了她一眼，没有说话。", "后面的话。"]), READER
    )
    assert [(one.style, one.pause_seconds) for one in found.script.chapters[0].lines[2:4]] == [
        ("缓慢", None),
        ("缓慢", 2.0),
    ]
    assert found.orphans == ()


def test_a_line_taken_out_stays_out_when_its_typo_is_mended(folder: Path) -> None:
    path = folder / "002.yaml"
    text = path.read_text(encoding="utf-8")
    start = text.rindex("  - id:", 0, text.index("船靠岸了。"))
    path.write_text(text[:start] + text[text.index("  - id:", start + 1) :], encoding="utf-8")
    found = sync(folder, script(ONE, [TWO[0], "船靠了岸。", *TWO[2:]], THREE), READER)
    assert line(found, "船靠了岸。").skip


def test_two_lines_that_fit_equally_are_no_kin(folder: Path) -> None:
    add(folder / "001.yaml", "天亮了。", "style: 欢快")
    found = sync(folder, script([*ONE[:-1], "天大亮了。", "天又亮了。"], TWO, THREE), READER)
    assert [one.text for one in found.orphans] == ["天亮了。"]


def test_a_chapter_inserted_before_and_a_typo_mended_at_once(folder: Path) -> None:
    add(folder / "003.yaml", "她回头看了看。", "style: 轻声")
    sync(folder, BOOK, READER)
    found = sync(
        folder, script(["序章", "很久以前。"], ONE, TWO, [THREE[0], THREE[1], "她回头望了看。", THREE[3]]), READER
    )
    assert line(found, "她回头望了看。", 4).style == "轻声"


# ---- speakers who are only guessed


def doubtful(confidence: float, other: tuple[str, float] | None = ("沈禾", 0.31)) -> Script:
    lines = [
        replace(one, rule="alternation", confidence=confidence, other=other) if one.text == "“长老来了。”" else one
        for one in BOOK.chapters[0].lines
    ]
    return Script((replace(BOOK.chapters[0], lines=tuple(lines)), *BOOK.chapters[1:]))


def test_a_guessed_speaker_is_marked_and_the_mark_is_no_edit(tmp_path: Path) -> None:
    sync(tmp_path, doubtful(0.46), READER)
    path = tmp_path / "001.yaml"
    assert "    speaker: 林晓  # unsure: 0.46 alternation, or 沈禾 0.31\n" in path.read_text(encoding="utf-8")
    found = sync(tmp_path, doubtful(0.46), READER)
    assert (found.edits, found.written) == (0, ())
    assert load(tmp_path) == found.script
    sync(tmp_path, doubtful(0.8), READER)
    assert "unsure: " not in path.read_text(encoding="utf-8").split("schema: 1\n")[1]
    sync(tmp_path, doubtful(0.3, None), READER, unsure_below=0.2)
    assert "unsure: " not in path.read_text(encoding="utf-8").split("schema: 1\n")[1]


def test_the_mark_follows_the_guess_in_a_file_of_the_users(tmp_path: Path) -> None:
    sync(tmp_path, doubtful(0.46), READER)
    path = tmp_path / "001.yaml"
    add(path, "天亮了。", "style: 欢快  # 我的")
    sync(tmp_path, doubtful(0.46), READER)
    found = sync(tmp_path, doubtful(0.41), READER)
    text = path.read_text(encoding="utf-8")
    assert "speaker: 林晓  # unsure: 0.41 alternation, or 沈禾 0.31\n" in text
    assert "style: 欢快  # 我的\n" in text
    assert (found.edits, found.written) == (1, (1,))
    sync(tmp_path, doubtful(0.9), READER)
    assert path.read_text(encoding="utf-8") == text.replace("  # unsure: 0.41 alternation, or 沈禾 0.31", "")
    sync(tmp_path, doubtful(0.41), READER)
    assert path.read_text(encoding="utf-8") == text


def test_a_speaker_that_the_user_corrects_loses_the_mark(tmp_path: Path) -> None:
    sync(tmp_path, doubtful(0.46), READER)
    path = tmp_path / "001.yaml"
    edit(path, "speaker: 林晓  # unsure", "speaker: 沈禾  # unsure")
    found = sync(tmp_path, doubtful(0.46), READER)
    assert "    speaker: 沈禾\n" in path.read_text(encoding="utf-8")
    assert (line(found, "“长老来了。”").speaker, line(found, "“长老来了。”").confidence) == ("沈禾", 1.0)
    assert sync(tmp_path, doubtful(0.46), READER).written == ()


@pytest.mark.parametrize("comment", ["# 是他", "# unsure: 0.46 alternation, or 沈禾 0.31 我看不是"])
def test_a_comment_of_the_users_on_that_row_is_left_alone(tmp_path: Path, comment: str) -> None:
    sync(tmp_path, doubtful(0.46), READER)
    path = tmp_path / "001.yaml"
    edit(path, "# unsure: 0.46 alternation, or 沈禾 0.31", comment)
    for confidence in (0.46, 0.3, 0.9):
        sync(tmp_path, doubtful(confidence), READER)
        assert f"speaker: 林晓  {comment}\n" in path.read_text(encoding="utf-8")


def test_a_speaker_whom_nobody_found_is_marked(tmp_path: Path) -> None:
    lines = [
        replace(one, speaker=UNKNOWN, rule="none", confidence=0.0) if one.kind == "dialogue" else one
        for one in BOOK.chapters[0].lines
    ]
    sync(tmp_path, Script((replace(BOOK.chapters[0], lines=tuple(lines)),)), READER)
    assert "speaker: unknown  # unsure: nobody was found\n" in (tmp_path / "001.yaml").read_text(encoding="utf-8")


@pytest.mark.parametrize("row", ["take: -1", "take: 100", "take: 1.5", "take: true", "take: zwei"])
def test_a_take_that_is_no_number_of_one_is_refused(folder: Path, row: str) -> None:
    add(folder / "002.yaml", "船靠岸了。", row)
    with pytest.raises(VoicepressError, match="whole number from 0 to 99"):
        sync(folder, BOOK, READER)


# ---- files that are hostile, or that a crash left behind

LONG = ["第一章", *(f"这是第{number}句话。" for number in "一二三四五六七八九")]


def test_a_file_cut_off_at_any_row_is_an_error_or_loses_two_lines_at_most(tmp_path: Path) -> None:
    sync(tmp_path, script(LONG), READER)
    path = tmp_path / "001.yaml"
    rows = path.read_text(encoding="utf-8").splitlines(keepends=True)
    errors: list[VoicepressError] = []
    for end in range(len(rows)):
        path.write_text("".join(rows[:end]), encoding="utf-8")
        before = state(tmp_path)
        failed = len(errors)
        try:
            removed = sync(tmp_path, script(LONG), READER).removed
        except VoicepressError as error:
            errors.append(error)
        else:
            assert removed <= 2, end
            shutil.rmtree(tmp_path)
            sync(tmp_path, script(LONG), READER)
        assert len(errors) == failed or state(tmp_path) == before
    assert {error.file for error in errors} == {str(path)}
    assert len(errors) >= len(rows) - 5


@pytest.mark.parametrize(
    ("data", "says"),
    [
        ("a: &a [x, x]\nb: &b [*a, *a]\nlines: *b\n", "unknown key|not a list|schema"),
        ("schema: 1\nchapter: 2\ntitle: x\nlines: &l\n  - *l\n", "deep|not valid|mapping"),
        ("schema: 1\nchapter: 2\ntitle: x\nlines:\n\t- id: a\n", "not valid YAML"),
        ("schema: 1\nchapter: 2\ntitle: x\nlines:\n  - [id, text]\n", "not a mapping"),
        ("schema: 1\nchapter: 2\ntitle: x\nlines: {id: a}\n", "not a list"),
        ("schema: 1\nchapter: 2\ntitle: !!python/object:os.system x\nlines: []\n", "tag"),
        ("schema: 1\nchapter: 2\ntitle: x\nlines:\n  - {id: 3, text: x}\n", "id that is no text"),
        ("schema: 1\nchapter: 2\ntitle: x\nlines: []\n", "ends early"),
        ("schema: 1\nchapter: 2\ntitle: x\n? [a]\n: b\n", "unknown key|not valid"),
        ("[" * 5000, "not valid YAML|deep"),
        ("schema: 1\nchapter: 2\n---\nschema: 1\n", "not valid YAML"),
    ],
)  # fmt: skip
def test_a_hostile_file_is_one_clear_error_and_nothing_is_lost(folder: Path, data: str, says: str) -> None:
    (folder / "002.yaml").write_text(data, encoding="utf-8")
    before = state(folder)
    with pytest.raises(VoicepressError, match=says) as caught:
        sync(folder, BOOK, READER)
    assert caught.value.file == str(folder / "002.yaml")
    assert caught.value.hint
    assert state(folder) == before


def test_a_line_pasted_from_another_chapter_is_refused(folder: Path) -> None:
    other = next(one for one in BOOK.chapters[2].lines if one.text == "路还很长。")
    path = folder / "002.yaml"
    path.write_text(
        path.read_text(encoding="utf-8") + f'  - id: "{other.id}"\n    text: {other.text}\n', encoding="utf-8"
    )
    with pytest.raises(VoicepressError, match=f"no line {other.id} in chapter 2"):
        sync(folder, BOOK, READER)


def test_a_byte_order_mark_and_windows_line_ends_together_are_understood(folder: Path) -> None:
    path = folder / "002.yaml"
    text = path.read_text(encoding="utf-8").replace("    text: 船靠岸了。\n", "    text: 船靠岸了。\n    style: 轻\n")
    path.write_bytes(b"\xef\xbb\xbf" + text.replace("\n", "\r\n").encode())
    found = sync(folder, BOOK, READER)
    assert line(found, "船靠岸了。").style == "轻"
    assert (found.edits, found.written) == (1, ())
