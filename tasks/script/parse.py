"""The user's script file, read: values for the merge, raw rows for keeping what the user wrote.

Contract: ``read`` gives a ``Page``: for every line its values and where each key stands. Everything a user can get
wrong (broken YAML, an unknown key, a wrong type, an id that stands twice) is a ``VoicepressError`` with the row in the
file. Comment rows above a line belong to that line.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from common.errors import VoicepressError
from common.yamlio import MAX_BYTES, parse_with_lines
from tasks.domain import SCHEMA
from tasks.script.format import FIELDS, KEYS, OUR_NOTE, Fields, Value, default

WHAT = "the script"
TOP_KEYS = ("schema", "chapter", "title", "lines")
RANGES = {"speed": (0.5, 2.0), "pause": (0.0, 60.0)}
MOST_TAKE = 99

Complain = Callable[[VoicepressError], None]
"""What is done with a mistake; returning lets the search for others go on."""


@dataclass(frozen=True, slots=True)
class Item:
    """One line as the user's file has it. ``rows`` are its raw rows with line ends, ``lead`` the comment and empty rows
    above it. ``spans`` gives for each key its rows ``[first, last)`` within ``rows``; empty where the item is not
    written one key a row. ``at`` is the 1-based row of each key in the file. ``note`` is our comment behind the speaker,
    empty if there is none, ``None`` if it is not for us to write one: the user's stands there, or it is not one key a row."""

    id: str
    text: str
    fields: Fields
    at: dict[str, int]
    lead: tuple[str, ...] = ()
    rows: tuple[str, ...] = ()
    spans: dict[str, tuple[int, int]] = field(default_factory=dict)
    note: str | None = None


@dataclass(frozen=True, slots=True)
class Page:
    """A chapter file. ``head`` is everything up to the ``lines`` key and its row, ``tail`` what follows the last line.
    ``dash`` is the column of the list's dashes. A page that is not ``regular`` (flow style) can be read, but not be
    changed row by row."""

    number: int
    title: str
    items: tuple[Item, ...]
    head: str
    tail: str
    dash: int = 2
    regular: bool = True


def stop(error: VoicepressError) -> None:
    """The usual ``Complain``: the first mistake is the only one."""
    raise error


def script_text(data: bytes, path: Path) -> str:
    """A script file's text. Errors: too big, not UTF-8."""
    if len(data) > MAX_BYTES:
        raise VoicepressError(
            "too-big",
            f"the script file has more than {MAX_BYTES // 2**20} MiB",
            file=path,
            hint="is it the right file?",
        )
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        row = data.count(b"\n", 0, error.start) + 1
        raise VoicepressError(
            "not-utf8", "the script file is not UTF-8", file=path, line=row, hint="save it as UTF-8"
        ) from error


def read(text: str, path: Path, number: int, complain: Complain = stop) -> Page:
    """Read a chapter file's text; ``path`` only names it in errors, ``number`` is the chapter its name says.

    ``complain`` gets every mistake that does not make the rest unreadable; if it returns, reading goes on without what is
    wrong. A file that is no chapter at all raises in any case.
    """
    value, node = parse_with_lines(text.removeprefix("\ufeff"), path, WHAT)
    if value is None:
        raise VoicepressError(
            "bad-script", "the script file is empty", file=path, hint="delete it to have it written anew, or restore it"
        )
    if not isinstance(value, dict) or not isinstance(node, yaml.MappingNode):
        raise VoicepressError(
            "bad-script",
            "the script file is not a mapping of schema, chapter, title and lines",
            file=path,
            line=1,
            hint="restore its first rows",
        )
    keys = {str(key.value): (key, child) for key, child in node.value}
    for name in value:
        if name not in TOP_KEYS:
            complain(_unknown(str(name), TOP_KEYS, path, keys[str(name)][0].start_mark.line + 1))
    if value.get("schema") != SCHEMA:
        complain(VoicepressError(
            "bad-script", f"the script has schema {value.get('schema')!r}; this version reads schema {SCHEMA}", file=path,
            line=_line(keys, "schema"), key="schema", hint=f"write schema: {SCHEMA}, or use the version that wrote the file",
        ))  # fmt: skip
    if value.get("chapter") != number:
        complain(VoicepressError(
            "bad-script", f"the file is of chapter {value.get('chapter')!r}, its name says {number}", file=path,
            line=_line(keys, "chapter"), key="chapter", hint=f"write chapter: {number}",
        ))  # fmt: skip
    lines = value.get("lines") or []
    sequence = keys["lines"][1] if "lines" in keys else None
    if not isinstance(lines, list) or (lines and not isinstance(sequence, yaml.SequenceNode)):
        raise VoicepressError(
            "bad-script",
            "'lines' is not a list",
            file=path,
            line=_line(keys, "lines"),
            key="lines",
            hint="begin every line with '- id:'",
        )
    nodes = sequence.value if isinstance(sequence, yaml.SequenceNode) else []
    found = [(where, _values(one, where, path, complain)) for one, where in zip(lines, nodes, strict=True)]
    parsed = [one for _, one in found if one is not None]
    nodes = [where for where, one in found if one is not None]
    _refuse_twice(parsed, path, complain)
    row = _line(keys, "lines")
    if row is not None and any(key.start_mark.line >= row for key, _ in keys.values()):  # keys below the lines
        return Page(number, str(value.get("title") or ""), tuple(parsed), text, "", regular=False)
    return _page(text, number, str(value.get("title") or ""), parsed, nodes, row)


def _line(keys: dict[str, tuple[Any, Any]], name: str) -> int | None:
    return keys[name][0].start_mark.line + 1 if name in keys else None


def _unknown(name: str, known: tuple[str, ...], path: Path, line: int) -> VoicepressError:
    near = difflib.get_close_matches(name, known, n=1, cutoff=0.5)
    hint = f"did you mean '{near[0]}'?" if near else f"known keys: {', '.join(known)}"
    return VoicepressError("bad-script", f"{WHAT}: unknown key '{name}'", file=path, line=line, key=name, hint=hint)


def _values(value: Any, node: Any, path: Path, complain: Complain) -> Item | None:
    row = node.start_mark.line + 1
    if not isinstance(value, dict):
        complain(VoicepressError(
            "bad-script", "a line of the script is not a mapping of keys", file=path, line=row,
            hint="begin it with '- id:' and put one key a row",
        ))  # fmt: skip
        return None
    at = {str(key.value): key.start_mark.line + 1 for key, _ in node.value}
    for name in value:
        if name not in KEYS:
            complain(_unknown(str(name), KEYS, path, at.get(str(name), row)))
    for name in ("id", "text"):
        if not isinstance(value.get(name), str):
            problem = (
                f"has no {name}"
                if name not in value
                else f"has an {name} that is no text"
                if name == "id"
                else "has a text that is no text"
            )
            complain(VoicepressError(
                "bad-script", f"a line of the script {problem}", file=path, line=at.get(name, row), key=name,
                hint="put it back as it was; delete the file to have it written anew",
            ))  # fmt: skip
            return None
    text = value["text"]
    fields: Fields = {name: default(name, text) for name in FIELDS}
    for name in FIELDS:
        if value.get(name) is not None:
            try:
                fields[name] = _checked(name, value[name], at[name], path)
            except VoicepressError as error:
                complain(error)
    return Item(value["id"], text, fields, at | {"": row})


def _checked(name: str, value: Any, row: int, path: Path) -> Value:
    def wrong(problem: str, hint: str) -> VoicepressError:
        return VoicepressError("bad-script", f"{WHAT}: {problem}", file=path, line=row, key=name, hint=hint)

    if name == "skip":
        if not isinstance(value, bool):
            raise wrong(f"'skip' is true or false, not {value!r}", "write skip: true, or take the key away")
        return value
    if name == "take":
        if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= MOST_TAKE:
            raise wrong(f"'take' is a whole number from 0 to {MOST_TAKE}, not {value!r}", "write for example take: 1")
        return value
    if name in RANGES:
        low, high = RANGES[name]
        if isinstance(value, bool) or not isinstance(value, int | float) or not low <= value <= high:
            raise wrong(
                f"'{name}' is a number from {low:g} to {high:g}, not {value!r}",
                f"write for example {name}: {1.1 if name == 'speed' else 0.8}",
            )
        return float(value)
    if not isinstance(value, str):
        raise wrong(
            f"'{name}' is text, but {value!r} reads as {type(value).__name__}", f'put it in quotes: {name}: "{value}"'
        )
    written = " ".join(value.split("\n")).strip() if "\n" in value else value
    if name in ("speaker", "spoken") and not written.strip():
        raise wrong(
            f"'{name}' is empty",
            "write skip: true to leave the line out" if name == "spoken" else "take the key away for the narrator",
        )
    return written


def _refuse_twice(items: list[Item], path: Path, complain: Complain) -> None:
    seen: dict[str, int] = {}
    for one in items:
        if one.id in seen:
            complain(VoicepressError(
                "bad-script", f"the line {one.id} stands twice (first on row {seen[one.id]})", file=path, line=one.at["id"],
                key="id", hint="keep one of them; a line cannot be said twice by copying it",
            ))  # fmt: skip
        seen[one.id] = one.at["id"]


def _page(text: str, number: int, title: str, items: list[Item], nodes: list[Any], lines_row: int | None) -> Page:
    """The raw rows of head, items and tail. ``lines_row`` is the 1-based row of the ``lines`` key."""
    rows = text.splitlines(keepends=True)
    if rows and not rows[-1].endswith("\n"):
        rows[-1] += "\n"
    if not items or lines_row is None:
        end = len(rows) if lines_row is None else lines_row - 1
        return Page(number, title, (), "".join(rows[:end]), "".join(rows[end + 1 :]))
    starts = []
    for node in nodes:
        row, column = node.start_mark.line, node.start_mark.column
        before = rows[row][:column].strip()
        if before == "" and rows[row - 1].strip() == "-":
            row, before = row - 1, "-"
        if before != "-":
            return Page(number, title, tuple(items), text, "", regular=False)
        starts.append(row)
    first = _lead_start(rows, lines_row, starts[0])
    cut = []
    lead = tuple(rows[first : starts[0]])
    for one, node, start, end in zip(items, nodes, starts, [*starts[1:], len(rows)], strict=True):
        body_end = max(_lead_start(rows, start + 1, end), _last_row(node, rows) + 1)
        spans = _spans(node, start, body_end - start)
        raw = tuple(rows[start:body_end])
        cut.append(
            Item(one.id, one.text, one.fields, one.at, lead, raw, spans, _note(raw, spans, one.fields["speaker"]))
        )
        lead = tuple(rows[body_end:end])
    return Page(number, title, tuple(cut), "".join(rows[:first]), "".join(lead), rows[starts[0]].index("-"))


def _note(rows: tuple[str, ...], spans: dict[str, tuple[int, int]], speaker: Value) -> str | None:
    low, high = spans.get("speaker", (0, 0))
    if high != low + 1:
        return None
    row = rows[low].rstrip("\r\n")
    if found := OUR_NOTE.search(row):
        return found.group(1)
    return None if "#" in row.replace(str(speaker), "") else ""


def _lead_start(rows: list[str], low: int, end: int) -> int:
    """The first of the comment and empty rows that end before row ``end`` (0-based), not below ``low``."""
    place = end
    while place > low and (not rows[place - 1].strip() or rows[place - 1].lstrip().startswith("#")):
        place -= 1
    return place


def _last_row(node: Any, rows: list[str]) -> int:
    """The 0-based row on which the last scalar of an item ends (a block scalar's trailing rows are not comments)."""
    last = node.value[-1][1] if isinstance(node.value, list) and node.value else node
    mark: yaml.Mark = last.end_mark
    ends_before = mark.column == 0 and mark.line > last.start_mark.line
    return min(mark.line - 1 if ends_before else mark.line, len(rows) - 1)


def _spans(node: Any, start: int, count: int) -> dict[str, tuple[int, int]]:
    if node.flow_style:
        return {}
    rows = [key.start_mark.line - start for key, _ in node.value]
    if len(set(rows)) != len(rows) or any(row < 0 for row in rows):
        return {}
    return {
        str(key.value): (row, next_row)
        for (key, _), row, next_row in zip(node.value, rows, [*rows[1:], count], strict=True)
    }
