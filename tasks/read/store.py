"""``manuscript.json``: a manuscript on disk, compact.

Contract: ``save`` writes whole or not at all; ``load`` gives back an equal manuscript, or ``None`` for a missing or
half file. The source text is stored once; a paragraph is ``[start, length]`` where it is one stretch of it, else
``[text, [text_start, source_start, length, …]]``; a scene break is ``0``; texts of what was left out are cut from the
source again. A file of another schema number is refused with the command that makes it anew.
"""

from __future__ import annotations

import gc
import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from common.errors import VoicepressError
from common.files import read_json, write_bytes
from tasks.domain import SCHEMA, Chapter, LeftOut, Manuscript, Paragraph, Run, Span

_SCENE_BREAK = Paragraph("", (), "scene_break")
_FIELDS = ("path", "format", "encoding", "sha256", "source", "title", "author", "language", "convert")


def save(manuscript: Manuscript, path: Path) -> None:
    """Write ``manuscript`` to ``path`` as compact UTF-8 JSON."""
    value: dict[str, Any] = {"schema": SCHEMA, "kind": "manuscript"}
    value.update({name: getattr(manuscript, name) for name in _FIELDS})
    value["warnings"] = list(manuscript.warnings)
    value["left_out"] = [[entry.span.start, entry.span.end, entry.reason] for entry in manuscript.left_out]
    value["chapters"] = [
        {
            "number": chapter.number,
            "title": chapter.title,
            "volume": chapter.volume,
            "heading": None if chapter.heading is None else [chapter.heading.start, chapter.heading.end],
            "paragraphs": [_pack(paragraph, manuscript.source) for paragraph in chapter.paragraphs],
        }
        for chapter in manuscript.chapters
    ]
    write_bytes(path, (json.dumps(value, ensure_ascii=False, separators=(",", ":")) + "\n").encode("utf-8"))


def load(path: Path) -> Manuscript | None:
    """The manuscript in ``path``; ``None`` where there is none or the file is not whole.

    Raises ``VoicepressError`` (``schema``) for a file written by another version.
    """
    value = read_json(path)
    if not isinstance(value, dict) or value.get("kind") != "manuscript":
        return None
    if value.get("schema") != SCHEMA:
        raise VoicepressError(
            "schema",
            f"this manuscript was written with schema {value.get('schema')}, this version reads {SCHEMA}",
            file=path,
            hint="delete the file and run `voicepress make` again: it is read anew from the book",
        )
    try:
        with quiet_gc():
            source = value["source"]
            return Manuscript(
                **{name: value[name] for name in _FIELDS},
                chapters=tuple(
                    Chapter(
                        chapter["number"],
                        chapter["title"],
                        None if chapter["heading"] is None else Span(*chapter["heading"]),
                        tuple(_unpack(packed, source) for packed in chapter["paragraphs"]),
                        chapter["volume"],
                    )
                    for chapter in value["chapters"]
                ),
                left_out=tuple(
                    LeftOut(Span(start, end), reason, source[start:end]) for start, end, reason in value["left_out"]
                ),
                warnings=tuple(value["warnings"]),
            )
    except (KeyError, TypeError, ValueError, IndexError):
        return None


@contextmanager
def quiet_gc() -> Iterator[None]:
    """No cyclic collection while very many small objects are made that hold no cycles (it would double the time)."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def _pack(paragraph: Paragraph, source: str) -> Any:
    if paragraph.kind == "scene_break":
        return 0
    if len(paragraph.runs) == 1:
        run = paragraph.runs[0]
        stretch = source[run.source_start : run.source_start + run.length]
        if run.text_start == 0 and stretch == paragraph.text:
            return [run.source_start, run.length]
    flat = [number for run in paragraph.runs for number in (run.text_start, run.source_start, run.length)]
    return [paragraph.text, flat]


def _unpack(packed: Any, source: str) -> Paragraph:
    if packed == 0:
        return _SCENE_BREAK
    first, second = packed
    if isinstance(first, str):
        runs = zip(second[::3], second[1::3], second[2::3], strict=True)
        return Paragraph(first, tuple(Run(*run) for run in runs))
    return Paragraph(source[first : first + second], (Run(0, first, second),))
