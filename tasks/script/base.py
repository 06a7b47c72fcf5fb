"""What was generated and merged last time, one compact JSON file a chapter: ``script/.base/001.json``.

Contract: a base is the other side of the three-way merge and all that later steps need to load a script without
reading YAML. It may be lost at any time: then what is in the user's file counts as the user's. A base of another
schema or one that is not whole counts as lost.
"""

from __future__ import annotations

import hashlib
import marshal
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from common.files import read_json
from tasks.domain import SCHEMA, ChapterScript, Line, Reading, Span
from tasks.script.format import Fields, generated
from tasks.script.merge import Edits

_ORIGINS = {"default": "d", "phrase": "p", "rule": "r", "context": "c", "lexicon": "l", "user": "u"}
_WIDTHS = (16, 18, 20)  # grown by what decided the speaker, then by who else it may be and the take
_NAMES = {letter: name for name, letter in _ORIGINS.items()}


@dataclass(frozen=True)
class Base:
    """A chapter as generated, and what the user made of it. ``sha`` is the file's hash when it was last in step;
    ``ours``: the file is word for word what we wrote. ``stamp`` is a hash of the generated chapter. Lines are kept
    packed: a sync that finds nothing new never unpacks them."""

    number: int
    title: str
    volume: str
    edits: Edits
    sha: str
    ours: bool
    stamp: str
    packed: list[Any]
    packed_merged: dict[str, Any]

    @classmethod
    def of(cls, chapter: ChapterScript, merged: ChapterScript, edits: Edits, sha: str, ours: bool, stamp: str) -> Base:
        changed = {new.id: _pack(new) for old, new in zip(chapter.lines, merged.lines, strict=True) if old != new}
        packed = [_pack(line) for line in chapter.lines]
        return cls(chapter.number, chapter.title, chapter.volume, edits, sha, ours, stamp, packed, changed)

    @cached_property
    def lines(self) -> dict[str, Line]:
        """The lines as generated, by id."""
        return {one[0]: _unpack(one) for one in self.packed}

    @cached_property
    def merged(self) -> ChapterScript:
        """The chapter with the user's edits."""
        lines = tuple(_unpack(self.packed_merged.get(one[0], one)) for one in self.packed)
        return ChapterScript(self.number, self.title, lines, self.volume)

    def fields(self) -> dict[str, Fields]:
        return {key: generated(line) for key, line in self.lines.items()}

    def texts(self) -> dict[str, str]:
        return {one[0]: one[2] for one in self.packed}


def sha_of(data: bytes) -> str:
    return hashlib.blake2b(data, digest_size=16).hexdigest()


def stamp_of(chapter: ChapterScript, notes: Iterable[str] = ()) -> str:
    """A hash of everything generated in a chapter, readings and the comments behind speakers (``notes``) included."""
    lines = [
        (
            line.id, line.kind, line.text, line.spoken, line.span.start, line.span.end, line.speaker, line.gender,
            line.language, line.style, line.speed, line.voice, line.after, line.pause_seconds, line.skip, line.rule, round(line.confidence, 3),
            line.other, line.take, [(one.start, one.end, one.phones, one.origin, one.annotate) for one in line.readings],
        )
        for line in chapter.lines
    ]  # fmt: skip
    # Version 2 of the format knows no references, so equal values give equal bytes.
    data = marshal.dumps((SCHEMA, chapter.number, chapter.title, chapter.volume, lines, list(notes)), 2)
    return hashlib.blake2b(data, digest_size=16).hexdigest()


def to_json(base: Base) -> dict[str, Any]:
    return {
        "schema": SCHEMA,
        "number": base.number,
        "title": base.title,
        "volume": base.volume,
        "sha": base.sha,
        "ours": base.ours,
        "stamp": base.stamp,
        "lines": base.packed,
        "edits": base.edits,
        "merged": base.packed_merged,
    }


def load(path: Path) -> Base | None:
    """The base in ``path``, or ``None`` where there is none that can be used."""
    value = read_json(path)
    try:
        if not isinstance(value, dict) or value["schema"] != SCHEMA:
            return None
        found = Base(
            value["number"], value["title"], value["volume"], value["edits"], value["sha"], value["ours"], value["stamp"],
            value["lines"], value["merged"],
        )  # fmt: skip
        if any(len(one) not in _WIDTHS for one in found.packed) or not isinstance(found.edits, dict):
            return None
        return found
    except (KeyError, TypeError, ValueError):
        return None


def _pack(line: Line) -> list[Any]:
    return [
        line.id, line.kind, line.text, line.spoken, line.span.start, line.span.end, line.speaker, line.gender, line.language,
        line.style, line.speed, line.voice, line.after, line.pause_seconds, line.skip, _pack_readings(line.readings),
        line.rule, round(line.confidence, 3), list(line.other) if line.other else None, line.take,
    ]  # fmt: skip


def _unpack(one: list[Any]) -> Line:
    (key, kind, text, spoken, start, end, speaker, gender, language, style, speed, voice, after, pause, skip) = one[:15]
    # A base written before these were kept still tells what the user changed.
    rule, confidence = one[16:18] or ("", 1.0)
    other, take = one[18:20] or (None, None)
    return Line(
        id=key, kind=kind, text=text, spoken=spoken, span=Span(start, end), speaker=speaker, gender=gender, language=language,
        style=style, speed=speed, voice=voice, after=after, pause_seconds=pause, skip=skip,
        readings=_unpack_readings(one[15]), rule=rule, confidence=confidence,
        other=(other[0], other[1]) if other else None, take=take,
    )  # fmt: skip


def _pack_readings(readings: Iterable[Reading]) -> str:
    """``start length phones origin[!]`` by tabs, readings by newlines: a tenth of the size of JSON lists."""
    return "\n".join(
        f"{one.start}\t{one.end - one.start}\t{one.phones}\t{_ORIGINS.get(one.origin, 'd')}{'!' if one.annotate else ''}"
        for one in readings
    )


def _unpack_readings(packed: str) -> tuple[Reading, ...]:
    found = []
    for row in packed.split("\n") if packed else ():
        start, length, phones, mark = row.split("\t")
        found.append(Reading(int(start), int(start) + int(length), phones, _NAMES[mark[0]], mark.endswith("!")))
    return tuple(found)
