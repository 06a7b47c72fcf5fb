"""The schema and the parser accept the same files."""

from __future__ import annotations

from pathlib import Path

import jsonschema
import pytest
import yaml

from common.errors import VoicepressError
from tasks.domain import NARRATOR, Line, Span
from tasks.script.format import FIELDS, KEYS, SCHEMA_FILE, emit, generated
from tasks.script.parse import TOP_KEYS, read
from tasks.script.schema import schema, text

LINE = Line(
    "abc",
    "dialogue",
    "“你好。”",
    "你好。",
    Span(0, 4),
    speaker="林晓",
    style="轻",
    speed=0.9,
    voice="v",
    pause_seconds=1.5,
    take=2,
    skip=True,
)
PLAIN = Line("abd", "narration", "天亮了。", "天亮了。", Span(4, 8), speaker=NARRATOR)
HEAD = "schema: 1\nchapter: 1\ntitle: x\nlines:\n  - id: abc\n    text: 你好。\n"


def fits(yaml_text: str) -> bool:
    return not list(jsonschema.Draft7Validator(schema()).iter_errors(yaml.safe_load(yaml_text)))


def reads(yaml_text: str) -> bool:
    try:
        read(yaml_text, Path("001.yaml"), 1)
    except VoicepressError:
        return False
    return True


def test_the_schema_is_one_and_has_exactly_the_keys_of_the_parser() -> None:
    jsonschema.Draft7Validator.check_schema(schema())
    lines = schema()["properties"]["lines"]["items"]
    assert tuple(schema()["properties"]) == TOP_KEYS
    assert tuple(lines["properties"]) == KEYS
    assert set(FIELDS) < set(KEYS)
    assert text().endswith("}\n")


def test_what_is_emitted_fits() -> None:
    written = emit(1, "第一章", [(one.id, one.text, generated(one), "") for one in (LINE, PLAIN)])
    assert written.startswith(f"# yaml-language-server: $schema=./{SCHEMA_FILE}\n")
    assert fits(written)
    assert reads(written)
    assert all(
        key in yaml.safe_load(written)["lines"][0]
        for key in ("speaker", "style", "speed", "voice", "pause", "take", "skip")
    )


@pytest.mark.parametrize(
    ("row", "good"),
    [("speaker: 林晓", True), ("speaker: ''", False), ("speaker: 3", False), ("spoken: '  '", False), ("style: 轻", True), ("style: [轻]", False),
     ("speed: 0.5", True), ("speed: 0.4", False), ("speed: schnell", False), ("pause: 60", True), ("pause: 61", False), ("pause: null", True),
     ("take: 0", True), ("take: 99", True), ("take: 100", False), ("take: 1.5", False), ("skip: true", True), ("skip: 1", False),
     ("volume: 3", False), ("reading: 你[hao3]。", True), ("voice: ''", True)],
)  # fmt: skip
def test_both_say_the_same_of_every_value(row: str, good: bool) -> None:
    whole = f"{HEAD}    {row}\n"
    assert (fits(whole), reads(whole)) == (good, good)


@pytest.mark.parametrize(
    "whole",
    ["schema: 2\nchapter: 1\nlines: []\n", "chapter: 1\nlines: []\n", "schema: 1\nlines: []\n", "schema: 1\nchapter: 1\nlines: 3\n", "[]\n",
     "schema: 1\nchapter: 1\nfoo: 1\n", "schema: 1\nchapter: 1\nlines: [{id: a}]\n", "schema: 1\nchapter: 1\nlines: [{text: a}]\n"],
)  # fmt: skip
def test_both_refuse_the_same_files(whole: str) -> None:
    assert (fits(whole), reads(whole)) == (False, False)
