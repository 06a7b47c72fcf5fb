"""The people of a book, on sentences of our own."""

from __future__ import annotations

from tasks.domain import Cast, Role
from tasks.script.people import Person, propose

CAST = Cast(Role("narrator"), (Role("林晓", aliases=("晓晓",), gender="female"), Role("无人", gender="male")))


def test_the_cast_comes_first_with_its_mentions() -> None:
    people = propose("林晓来了。杜衡说：“走吧。”晓晓问：“去哪？”“回家。”杜衡说。杜衡笑了。", CAST)
    assert people[0] == Person("林晓", ("晓晓",), "female", 2, True)
    assert people[1].name == "杜衡"
    assert people[1].mentions == 3


def test_whoever_is_not_in_the_text_is_not_proposed() -> None:
    assert [one.name for one in propose("林晓来了。", CAST)] == ["林晓"]
