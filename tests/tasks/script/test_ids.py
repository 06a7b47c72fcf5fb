"""A line keeps its id when other lines change."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tasks.script.ids import line_ids


def test_an_id_does_not_depend_on_the_other_lines() -> None:
    before = line_ids(["甲", "乙", "丙"])
    after = line_ids(["新", "甲", "丙"])
    assert after[1] == before[0]
    assert after[2] == before[2]


def test_equal_lines_are_told_apart_by_their_order() -> None:
    ids = line_ids(["“嗯。”", "他说", "“嗯。”"])
    assert len(set(ids)) == 3
    assert ids[0] == line_ids(["“嗯。”"])[0]


@given(st.lists(st.text(max_size=5), max_size=30))
def test_ids_are_unique_and_twelve_hex_digits(texts: list[str]) -> None:
    ids = line_ids(texts)
    assert len(set(ids)) == len(texts)
    assert all(len(one) == 12 and int(one, 16) >= 0 for one in ids)
