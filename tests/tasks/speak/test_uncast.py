"""Speakers whom the cast does not know, and lines nobody is sure of."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tasks.domain import UNKNOWN, Cast, ChapterScript, Line, Role, Script, Span
from tasks.speak.uncast import mistyped, nearest, uncast, unsure

CAST = Cast(Role("narrator", voice="teller"), (Role("秦伯", voice="qin", aliases=("老人",)),))
LINE = Line("l", "dialogue", "“好。”", "好。", Span(0, 4), rule="tag", confidence=0.9)


def script(*lines: Line) -> Script:
    return Script((ChapterScript(1, "", lines[:1]), ChapterScript(2, "", lines[1:])))


def test_every_uncast_speaker_is_found_with_lines_place_and_gender() -> None:
    lines = [
        replace(LINE, speaker="秦伯"),
        replace(LINE, id="a", speaker="阿宝"),
        replace(LINE, id="b", speaker="船夫", gender="male"),
        replace(LINE, speaker="船夫 "),
        replace(LINE, speaker="老人"),
        replace(LINE, speaker=UNKNOWN),
        replace(LINE, speaker="路人", voice="own"),
        replace(LINE, speaker="过客", skip=True),
    ]
    found = uncast(script(*lines), CAST)
    assert [(row.speaker, row.lines, row.chapter, row.line.id, row.gender) for row in found] == [
        ("船夫", 2, 2, "b", "male"),
        ("阿宝", 1, 2, "a", ""),
    ]
    assert mistyped(found) == []


def test_a_name_the_user_mistyped_has_its_nearest() -> None:
    found = uncast(script(LINE, replace(LINE, speaker="秦柏", rule="user", confidence=1.0)), CAST)
    assert [(row.speaker, row.users, row.near) for row in mistyped(found)] == [("秦柏", True, "秦伯")]
    assert mistyped(uncast(script(LINE, replace(LINE, speaker="秦柏")), CAST)) == []
    assert mistyped(uncast(script(LINE, replace(LINE, speaker="过客", rule="user")), CAST)) == []


@pytest.mark.parametrize(
    ("name", "near"),
    [("Norah", "Nora"), ("nora", ""), ("Anna", ""), ("秦白", "秦伯"), ("老大人", "老人"), ("阿宝", "")],
)
def test_the_nearest_name(name: str, near: str) -> None:
    assert nearest(name, ["Nora", "秦伯", "老人"]) == near


def test_unsure_lines_are_dialogue_below_the_measure() -> None:
    lines = [
        replace(LINE, id="a", confidence=0.4),
        replace(LINE, id="b", confidence=0.6),
        replace(LINE, id="c", confidence=0.0, speaker=UNKNOWN),
        replace(LINE, id="d", confidence=0.0, kind="narration"),
        replace(LINE, id="e", confidence=0.0, skip=True),
        replace(LINE, id="f", confidence=0.0, voice="own"),
    ]
    assert [(row.chapter, row.line.id) for row in unsure(script(*lines), replace(CAST, unsure_below=0.5))] == [
        (1, "a"),
        (2, "c"),
    ]
    assert [row.line.id for row in unsure(script(*lines), replace(CAST, unsure_below=0.7))] == ["a", "b", "c"]


def test_what_the_narrator_reads_for_want_of_certainty_needs_no_cast() -> None:
    doubtful = script(LINE, replace(LINE, speaker="阿宝", confidence=0.1))
    assert [row.speaker for row in uncast(doubtful, CAST)] == ["阿宝"]
    assert uncast(doubtful, replace(CAST, unsure="narrator")) == []
