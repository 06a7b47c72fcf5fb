"""Sentences and turns of a chapter."""

from __future__ import annotations

from tasks.domain import Cast, Role
from tasks.script import tags_zh
from tasks.script.names import Names
from tasks.script.quotes import find
from tasks.script.scene import Scene, Told, Turn
from tasks.script.speaker_features import FEATURES, rows

NAMES = Names(Cast(Role("narrator"), (Role("林晓", gender="female"), Role("王明", gender="male"))), "", "zh")


def scene(*paragraphs: str) -> Scene:
    return Scene(paragraphs, find(paragraphs), NAMES, tags_zh)


def test_units_are_sentences_and_turns_in_order() -> None:
    one = scene("天黑了。林晓对王明说：“走吧。”", "“好。”")
    kinds = [type(unit) for unit in one.units]
    assert kinds == [Told, Told, Turn, Turn]
    told = one.units[1]
    assert isinstance(told, Told)
    assert told.subject is not None
    assert told.spoken_to is not None
    assert (told.subject.name, told.spoken_to.name, told.colon, told.verb) == ("林晓", "王明", True, True)


def test_a_quotation_over_paragraphs_is_one_turn() -> None:
    one = scene("林晓说：“第一段。", "“第二段。”")
    assert [turn.places for turn in one.turns] == [((0, 0), (1, 0))]


def test_whoever_says_me_in_the_narration_is_a_person() -> None:
    assert scene("我站起来。我走到窗边。我看着外面。“下雨了。”").me == "我"
    assert scene("林晓站起来。“我走了。”").me == ""


def test_features_have_their_names_and_know_no_letters() -> None:
    other = Names(Cast(Role("narrator"), (Role("苏清", gender="female"), Role("赵全", gender="male"))), "", "zh")
    text = ("林晓看着王明。", "“走吗？”", "“走。”王明说。")
    swapped = tuple(line.replace("林晓", "苏清").replace("王明", "赵全") for line in text)
    first = rows(scene(*text), [None, None], 0)
    second = rows(Scene(swapped, find(swapped), other, tags_zh), [None, None], 0)
    assert first[0] == ["林晓", "王明"]
    assert second[0] == ["苏清", "赵全"]
    assert first[1] == second[1]
    assert {len(row) for row in first[1]} == {len(FEATURES)}
