"""Figures and abbreviations in English text, kind by kind, by the project's own table."""

from __future__ import annotations

from itertools import pairwise

import pytest

from tasks.script import rules_en
from tasks.script.rules_en_signs import house_en
from tests.tasks.script import tn_table


@pytest.mark.parametrize("kind", tn_table.kinds("en"))
def test_every_row_of_the_table_is_said_as_a_narrator_would(kind: str) -> None:
    assert tn_table.misread("en", kind) == []


@pytest.mark.parametrize(
    ("digits", "words"),
    [("7", "seven"), ("12", "twelve"), ("101", "one oh one"), ("237", "two thirty seven"), ("1200", "twelve hundred"), ("1428", "fourteen twenty eight"), ("3000", "three thousand"), ("90210", "nine zero two one zero")],
)  # fmt: skip
def test_numbers_of_houses_and_rooms(digits: str, words: str) -> None:
    assert house_en(digits) == words


def test_words_that_look_like_states_stay_words() -> None:
    assert rules_en.edits("Well, OK. Hi, HI, MA.") == []


def test_edits_are_sorted_and_disjoint() -> None:
    edits = rules_en.edits("On May 5, 1998, Dr. Brown paid $3.50 for 2 lbs at 221B Baker Street.")
    assert len(edits) == 5
    assert all(first.end <= second.start for first, second in pairwise(edits))
