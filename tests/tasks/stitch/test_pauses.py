from __future__ import annotations

from pathlib import Path

import pytest

from common.errors import VoicepressError
from common.places import CONFIGS
from tasks.domain import Part, Take
from tasks.stitch.pauses import Pauses, load_pauses, pause_after

PAUSES = Pauses(clause=0.1, sentence=0.2, paragraph=0.3, speaker_change=0.25, scene=0.6, heading_before=0.7,
                heading_after=0.5, chapter_head=0.8, chapter_tail=0.9)  # fmt: skip


def part(after: str = "sentence", speaker: str = "narrator", pause: float | None = None) -> Part:
    return Part("id", Take("key", Path("x"), 24000, 1), "a", "a", speaker, after, pause_seconds=pause)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("after", "seconds"),
    [("clause", 0.1), ("sentence", 0.2), ("paragraph", 0.3), ("scene", 0.6), ("heading", 0.5), ("chapter", 0.3)],
)
def test_what_stands_between_two_lines_decides(after: str, seconds: float) -> None:
    assert pause_after(part(after), part(), PAUSES) == seconds


@pytest.mark.parametrize(
    ("after", "seconds"), [("clause", 0.25), ("sentence", 0.25), ("paragraph", 0.3), ("scene", 0.6), ("heading", 0.5)]
)
def test_a_change_of_speaker_takes_the_longer_rule(after: str, seconds: float) -> None:
    assert pause_after(part(after), part(speaker="老王"), PAUSES) == seconds


def test_a_heading_in_the_middle_has_room_before_it() -> None:
    assert pause_after(part("paragraph"), part("heading"), PAUSES) == 0.7


def test_two_headings_in_a_row_have_the_pause_after_a_heading() -> None:
    assert pause_after(part("heading"), part("heading"), PAUSES) == 0.5


@pytest.mark.parametrize("after", ["clause", "sentence", "paragraph", "scene", "heading", "chapter"])
def test_the_last_line_is_followed_by_the_tail(after: str) -> None:
    assert pause_after(part(after), None, PAUSES) == 0.9


@pytest.mark.parametrize("following", [None, part(), part(speaker="老王"), part("heading")])
def test_a_lines_own_pause_wins(following: Part | None) -> None:
    assert pause_after(part("scene", pause=0.05), following, PAUSES) == 0.05
    assert pause_after(part("scene", pause=0.0), following, PAUSES) == 0.0


def test_the_shipped_table_orders_its_pauses() -> None:
    shipped = load_pauses()
    assert 0 < shipped.clause < shipped.sentence < shipped.paragraph < shipped.scene
    assert shipped.chapter_head >= 0.5  # what audiobook shops ask for
    assert 1.0 <= shipped.chapter_tail <= 5.0


def test_an_unknown_key_is_an_error_with_line_and_the_nearest_key(tmp_path: Path) -> None:
    path = tmp_path / "pauses.yaml"
    text = (CONFIGS / "pauses.yaml").read_text(encoding="utf-8") + "sentense: 0.4\n"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(VoicepressError) as caught:
        load_pauses(path)
    assert caught.value.line == text.count("\n")
    assert "'sentence'" in caught.value.hint


@pytest.mark.parametrize("value", ["-1", "yes", ".nan", ".inf", "61", "'0.2'", "[]"])
def test_a_pause_that_is_no_pause_is_refused_with_its_line(tmp_path: Path, value: str) -> None:
    path = tmp_path / "pauses.yaml"
    text = (CONFIGS / "pauses.yaml").read_text(encoding="utf-8")
    path.write_text(text.replace("paragraph: 0.80", f"paragraph: {value}"), encoding="utf-8")
    with pytest.raises(VoicepressError) as caught:
        load_pauses(path)
    assert caught.value.key == "paragraph"
    assert caught.value.line == 1 + text[: text.index("paragraph:")].count("\n")
