"""The merge: chapters are matched by what they share, and no edit is ever lost."""

from __future__ import annotations

import tempfile
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from tasks.domain import ChapterScript, Line, Script, Span
from tasks.script.format import default, plain_spoken
from tasks.script.ids import line_ids
from tasks.script.merge import REMOVED, Old, carry, edits_of, match_chapters
from tasks.script.readings import Reader
from tasks.script.store import load, sync

READER = Reader()


def old(number: int, *ids: str, **edits: str) -> Old:
    return Old(number, {one: one for one in ids}, {key: {"style": value} for key, value in edits.items()})


def test_chapters_are_matched_by_the_lines_they_share() -> None:
    before = [old(1, "a", "b", "c"), old(2, "d", "e", "f")]
    assert match_chapters(before, {1: ["x", "y"], 2: ["a", "b"], 3: ["d", "q", "f"]}) == {2: 1, 3: 2}


def test_where_two_chapters_fit_equally_the_number_decides() -> None:
    before = [old(1, "a"), old(2, "a")]
    assert match_chapters(before, {1: ["a"], 2: ["a"]}) == {1: 1, 2: 2}


def test_a_chapter_that_was_rewritten_keeps_its_number() -> None:
    assert match_chapters([old(1, "a"), old(2, "b")], {1: ["a"], 2: ["z"]}) == {1: 1, 2: 2}


def test_an_edit_goes_with_its_chapter_then_with_its_line_then_to_the_orphans() -> None:
    before = [old(1, "a", "b", a="in place", b="moves"), old(2, "c", "d", c="lost")]
    placed, orphans = carry(before, {1: ["a"], 2: ["d", "b"]}, {1: 1, 2: 2})
    assert placed == {1: {"a": {"style": "in place"}}, 2: {"b": {"style": "moves"}}}
    assert [(one.chapter, one.id, one.fields) for one in orphans] == [(2, "c", {"style": "lost"})]


def test_equal_lines_of_different_chapters_keep_their_own_edits() -> None:
    before = [old(1, "same", "a", same="first"), old(2, "same", "b", same="second")]
    placed, orphans = carry(before, {1: ["new"], 2: ["same", "a"], 3: ["same", "b"]}, {2: 1, 3: 2})
    assert placed == {1: {}, 2: {"same": {"style": "first"}}, 3: {"same": {"style": "second"}}}
    assert orphans == []


def fields(**changed: str) -> dict[str, str | float | bool | None]:
    names = ("speaker", "spoken", "reading", "style", "speed", "voice", "pause", "take", "skip")
    return {name: default(name, "话") for name in names} | changed


def test_only_what_differs_from_what_was_generated_is_an_edit() -> None:
    base = {"a": fields(style="轻"), "b": fields(), "c": fields()}
    mine = {"a": fields(style="重"), "b": fields()}
    assert edits_of(base, mine, True, lambda _, spoken: "") == {"a": {"style": "重"}, "c": {REMOVED: True}}
    assert edits_of(base, mine, False, lambda _, spoken: "") == {"a": {"style": "重"}}


# ---- whatever happens to the book, and whatever the user does

TEXTS = ["“嗯。”", "雨停了。", "“长老来了。”", "他应了一声。", "天亮了。", "路很长。", "船靠岸了。", "她没有说话。"]
BOOKS = st.lists(st.lists(st.sampled_from(TEXTS), max_size=6), min_size=1, max_size=4)
KEYS = st.sampled_from(["style: 低声", "pause: 1.5", "speaker: 王五", "spoken: 换一句话。", "skip: true", "voice: v1"])


def script(chapters: list[list[str]]) -> Script:
    made = []
    for number, texts in enumerate(chapters, 1):
        lines = [
            Line(key, "narration", text, plain_spoken(text), Span(0, 1), readings=READER.read(plain_spoken(text), "zh"))
            for key, text in zip(line_ids(texts), texts, strict=True)
        ]
        made.append(ChapterScript(number, f"第{number}章", tuple(lines)))
    return Script(tuple(made))


@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        st.tuples(BOOKS, st.lists(st.tuples(st.integers(0, 3), st.integers(0, 5), KEYS), max_size=3)),
        min_size=2,
        max_size=4,
    )
)
def test_no_edit_is_ever_lost_and_a_second_sync_changes_nothing(
    steps: list[tuple[list[list[str]], list[tuple[int, int, str]]]],
) -> None:
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        made = 0
        for book, edits in steps:
            found = sync(folder, script(book), READER)
            again = sync(folder, script(book), READER)
            assert again.written == ()
            assert (again.script, again.edits, again.orphans) == (found.script, found.edits, found.orphans)
            assert load(folder) == found.script
            kept = "".join(path.read_text(encoding="utf-8") for path in sorted(folder.glob("*.yaml")))
            assert all(f"注{number}号" in kept for number in range(made))
            for number, index, key in edits:
                made += _edit(folder, number, index, key, made)
        sync(folder, script(steps[0][0]), READER)


def _edit(folder: Path, number: int, index: int, key: str, serial: int) -> int:
    """Put a key with a mark of its own under a line, if the file has that line and not yet that key."""
    path = folder / f"{number + 1:03d}.yaml"
    if not path.is_file():
        return 0
    rows = path.read_text(encoding="utf-8").splitlines(keepends=True)
    texts = [place for place, row in enumerate(rows) if row.startswith("    text:")]
    if index >= len(texts):
        return 0
    following = rows[texts[index] + 1 :]
    mine = following[: next((place for place, row in enumerate(following) if row.startswith("  - ")), len(following))]
    if any(row.strip().startswith("voice:") for row in mine):
        return 0
    name = key.split(":")[0]
    extra = (
        []
        if name == "voice" or any(row.strip().startswith(name + ":") for row in [*mine, rows[texts[index] - 1]])
        else [f"    {key}\n"]
    )
    rows[texts[index] + 1 : texts[index] + 1] = [f"    voice: 注{serial}号\n", *extra]
    path.write_text("".join(rows), encoding="utf-8")
    return 1
