"""``script/orphans.yaml``: edits whose line is gone from the manuscript.

Contract: they are appended, never removed by us and never said twice; the user deletes what is settled.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from common.errors import VoicepressError, plain
from common.yamlio import parse_with_lines
from tasks.domain import SCHEMA
from tasks.script.format import FIELDS, key_line, quoted_id, scalar
from tasks.script.merge import Orphan

NAME = "orphans.yaml"
_HEAD = f"""\
# Your edits of lines that are no longer in the manuscript. Nothing here is read aloud.
# Move what you still need to the line it belongs to now, then delete it here (or the whole file).
schema: {SCHEMA}
orphans:
"""


class Lost(NamedTuple):
    """An entry of the file: the chapter it was in, the line's id and text, the names of the edited fields."""

    chapter: int
    line_id: str
    text: str
    fields: tuple[str, ...]


def read(text: str, path: Path) -> tuple[Lost, ...]:
    """The entries of the file's text."""
    value, _ = parse_with_lines(text, path, "the file of orphaned edits")
    entries = value.get("orphans") if isinstance(value, dict) else None
    if value is None or entries is None:
        return ()
    if not isinstance(entries, list) or not all(isinstance(one, dict) for one in entries):
        raise VoicepressError(
            "bad-script",
            "'orphans' is not a list of lines",
            file=path,
            key="orphans",
            hint="mend it, or move the file away",
        )
    return tuple(
        Lost(
            one["chapter"] if isinstance(one.get("chapter"), int) else 0,
            str(one.get("id", "")),
            str(one.get("text", "")),
            tuple(name for name in FIELDS if name in one),
        )
        for one in entries
    )


def appended(text: str, lost: Iterable[Orphan], remarks: Sequence[tuple[int, Sequence[str]]] = ()) -> str:
    """The file's text with further entries; those that it holds already are not repeated. ``remarks`` are comments of
    chapters that are gone as a whole, by the number they had."""
    for number, comments in remarks:
        text = text if text.strip() else _HEAD
        text = (
            text if text.endswith("\n") else text + "\n"
        ) + f"  # your comments in chapter {number}, which is gone:\n"
        text += "".join(f"  {row}\n" for row in comments)
    for one in lost:
        rows = [f"  - chapter: {one.chapter}", f"    id: {quoted_id(one.id)}", f"    text: {scalar(one.text)}"]
        rows += [key_line(name, value) for name, value in one.fields.items() if name in FIELDS]
        if "removed" in one.fields:
            continue
        entry = "\n".join(rows) + "\n"
        if entry in text:
            continue
        if not text.strip():
            text = _HEAD
        elif "\norphans:" not in "\n" + text or "orphans: []" in text:
            text = text.replace("orphans: []", "").rstrip("\n") + "\norphans:\n"
        near = f"  # perhaps now: chapter {one.kin[0]}, line {one.kin[1]}: {plain(one.kin[2])}\n" if one.kin else ""
        text = (text if text.endswith("\n") else text + "\n") + near + entry
    return text
