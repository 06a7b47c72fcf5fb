"""Entries added to files that people keep."""

from pathlib import Path

import pytest
import yaml

from common.errors import VoicepressError
from common.yamledit import with_entries

NEW = [("阿宝: {voice: a}", "12 lines"), ("'no': {voice: b}", "")]
ROWS = ["阿宝: {voice: a}  # 12 lines", "'no': {voice: b}"]


def added(text: str) -> str:
    return with_entries(text, "characters", NEW, Path("cast.yaml"), "the cast")


def test_entries_come_after_the_last_one_and_nothing_else_moves() -> None:
    text = """# mine
schema: 1
characters:
    老周:   # the ferryman
        voice: x   # deep
        aliases:
          - 周伯

    # the boy
    小满: {voice: y}   # high

# what is left
unknown: error
"""
    new = added(text)
    rows = text.splitlines()
    assert new.splitlines() == [*rows[:10], *(f"    {row}" for row in ROWS), *rows[10:]]
    assert list(yaml.safe_load(new)["characters"]) == ["老周", "小满", "阿宝", "no"]


@pytest.mark.parametrize(
    ("text", "new"),
    [
        ("a: 1", "a: 1\ncharacters:\n  {0}\n  {1}\n"),
        ("", "characters:\n  {0}\n  {1}\n"),
        ("# only a comment\n", "# only a comment\ncharacters:\n  {0}\n  {1}\n"),
        ("characters:\nb: 2\n", "characters:\n  {0}\n  {1}\nb: 2\n"),
        ("characters: {}  # none\nb: 2\n", "characters:  # none\n  {0}\n  {1}\nb: 2\n"),
        ("characters: null", "characters:\n  {0}\n  {1}\n"),
        ("characters:\r\n  x: {}\r\nb: 2\r\n", "characters:\r\n  x: {}\r\n  {0}\r\n  {1}\r\nb: 2\r\n"),
        (
            "characters:\n  x:\n    style: |\n      two\n      rows\n",
            "characters:\n  x:\n    style: |\n      two\n      rows\n  {0}\n  {1}\n",
        ),
    ],
)
def test_every_way_to_have_none_or_some(text: str, new: str) -> None:
    assert added(text) == new.replace("{0}", ROWS[0]).replace("{1}", ROWS[1])


def test_a_mapping_in_braces_grows_in_its_braces() -> None:
    text = "characters: {x: {voice: y}}  # mine\n"
    assert added(text) == "characters: {x: {voice: y}, 阿宝: {voice: a}, 'no': {voice: b}}  # mine\n"


@pytest.mark.parametrize(
    "text",
    [
        "[1, 2]\n",
        "characters: [a]\n",
        "{a: 1}\n",
        "characters: text\n",
        "a: 1\n---\nb: 2\n",
        "a: 1\n...\n",
        "characters:\n  阿宝: {voice: z}\n",
    ],
)
def test_where_it_cannot_be_the_lines_are_shown(text: str) -> None:
    with pytest.raises(VoicepressError) as caught:
        added(text)
    if caught.value.code != "bad-yaml":  # several documents in one file are none of ours
        assert caught.value.code == "edit-by-hand"
        assert caught.value.rows == ("characters:", *(f"  {row}" for row in ROWS))
