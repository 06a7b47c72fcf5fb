"""The JSON Schema of a chapter file, for editors that check YAML as one types.

Contract: made from the same tables as the parser (``format.KEYS``, ``parse.RANGES``), so that both accept the same
keys and ranges. The draft is 07, which YAML language servers know.
"""

from __future__ import annotations

import json
from functools import cache
from typing import Any

from tasks.domain import SCHEMA
from tasks.script.format import KEYS
from tasks.script.parse import MOST_TAKE, RANGES, TOP_KEYS

_SAYS = {
    "id": "Ties the line to the manuscript. Do not edit.",
    "speaker": "Who says it: a name of the cast. Without it the narrator.",
    "text": "The line as written. Do not edit.",
    "spoken": "What is said, where it is not the text without its quotation marks.",
    "reading": "The spoken text with forced readings: 她[hao4]干净, a [M][AY0][N][UW1][T].",
    "style": "How it is said, in plain words: 用悲伤的语气说.",
    "speed": "1.0 is the voice's own.",
    "voice": "A voice for this line alone.",
    "pause": "Seconds of silence after the line.",
    "take": "Use this recording of the line, whatever the check says; 0 is the first.",
    "skip": "true leaves the line out.",
}
_NEEDED = ("id", "text")
_NOT_EMPTY = ("speaker", "spoken")


def _key(name: str) -> dict[str, Any]:
    kind: dict[str, Any]
    if name == "skip":
        kind = {"type": ["boolean", "null"]}
    elif name == "take":
        kind = {"type": ["integer", "null"], "minimum": 0, "maximum": MOST_TAKE}
    elif name in RANGES:
        low, high = RANGES[name]
        kind = {"type": ["number", "null"], "minimum": low, "maximum": high}
    else:
        kind = {"type": "string" if name in _NEEDED else ["string", "null"]}
        if name in _NOT_EMPTY:
            kind["pattern"] = r"\S"
    return {"description": _SAYS[name], **kind}


@cache
def schema() -> dict[str, Any]:
    """The schema of ``script/NNN.yaml``."""
    top: dict[str, Any] = {
        "schema": {"const": SCHEMA},
        "chapter": {"type": "integer", "minimum": 0},
        "title": {"type": ["string", "number", "null"]},
        "lines": {
            "type": ["array", "null"],
            "items": {
                "type": "object",
                "properties": {name: _key(name) for name in KEYS},
                "required": list(_NEEDED),
                "additionalProperties": False,
            },
        },
    }
    return {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": "A chapter of a voicepress script",
        "type": "object",
        "properties": {name: top[name] for name in TOP_KEYS},
        "required": ["schema", "chapter"],
        "additionalProperties": False,
    }


@cache
def text() -> str:
    """The schema as the file beside the chapters."""
    return json.dumps(schema(), ensure_ascii=False, indent=1) + "\n"
