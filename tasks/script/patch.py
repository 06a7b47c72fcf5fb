"""Change a user's script file without losing what is theirs: comments, order of keys, quoting.

Contract: ``rewrite`` gives the new text of a page for the merged lines. A line whose values stay as they are keeps its
rows byte for byte; in a changed line only the rows of the changed keys are written anew, and a comment at their end is
kept. Comments above a line go with it; those of a line that is gone go to the next one.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from tasks.script.format import FIELDS, OUR_NOTE, Fields, default, head, item, key_line, scalar
from tasks.script.parse import Item, Page

_CHAPTER = re.compile(r"^chapter:.*$", re.MULTILINE)
_TITLE = re.compile(r"^title:.*$", re.MULTILINE)
_LINES = re.compile(r"^lines:.*$", re.MULTILINE)
_TRAILING = re.compile(r"\s#.*$")


class Want(NamedTuple):
    """What a line's rows should say; ``note`` is our comment behind the speaker."""

    id: str
    text: str
    fields: Fields
    note: str = ""


def rewrite(
    page: Page, number: int, title: str, wanted: Sequence[Want], kin: Mapping[str, str] = MappingProxyType({})
) -> str:
    """The text of ``page`` changed to hold ``wanted``, in this order. ``kin`` gives for the id of a new line that of the
    line which it stands for: its comments go with it."""
    if not page.regular:
        return _afresh(page, number, title, wanted)
    old = {one.id: one for one in page.items}
    kept = {want.id for want in wanted}
    parts = [_new_head(page, number, title)]
    if wanted and not page.items:
        parts.append("lines:\n")
    # Comments above a line that is gone move to the line that follows it in the old file.
    orphaned: dict[str, list[str]] = {}
    loose: list[str] = []
    claimed = {old_id: new_id for new_id, old_id in kin.items() if new_id in kept}
    for one in page.items:
        if one.id in claimed and one.id not in kept:
            orphaned[claimed[one.id]] = _comments(one)
        elif one.id in kept:
            if loose:
                orphaned[one.id] = loose
                loose = []
        else:
            loose += _comments(one)
    for want in wanted:
        mine = old.get(want.id)
        if mine is None:
            parts += orphaned.get(want.id, [])
            parts.append(_indented(item(*want), page.dash))
            continue
        parts += orphaned.get(want.id, [])
        parts += mine.lead
        parts.append(_patched(mine, want, page.dash))
    if not wanted:
        parts[0] = _LINES.sub("lines: []", parts[0]) if page.items else parts[0] + "lines: []\n"
    return "".join([*parts, *loose, page.tail])


def remarks(page: Page) -> list[str]:
    """Every comment of the user's in a page, without its indentation: what is left of a chapter that is gone."""
    ours = {row.strip() for row in head(page.number, page.title).splitlines()}
    rows = [*page.head.splitlines(), *(row for one in page.items for row in _comments(one)), *page.tail.splitlines()]
    return [row.strip() for row in rows if row.lstrip().startswith("#") and row.strip() not in ours]


def _comments(one: Item) -> list[str]:
    """The user's comments above a line, within it and behind its values, as rows of their own."""
    behind = {low: name for name, (low, high) in one.spans.items() if high == low + 1 and name in one.fields}
    out = [row for row in one.lead if row.lstrip().startswith("#")]
    for place, row in enumerate(one.rows):
        if row.lstrip().startswith("#"):
            out.append(row)
        elif place in behind and (said := _trailing(row, one.fields[behind[place]])) and not OUR_NOTE.search(said):
            out.append(f"{_indent(one.rows[-1])}{said.strip()}{row[len(row.rstrip()) :]}")
    return out


def _patched(mine: Item, want: Want, dash: int) -> str:
    changed = {name: want.fields[name] for name in FIELDS if want.fields[name] != mine.fields[name]}
    renoted = mine.note is not None and mine.note != want.note
    if not changed and mine.text == want.text and not renoted:
        return "".join(mine.rows)
    if renoted:
        changed["speaker"] = want.fields["speaker"]
    if not mine.spans or mine.text != want.text:
        comments = [row for row in mine.rows if row.lstrip().startswith("#")]
        return "".join(comments) + _indented(item(*want), dash)
    rows = list(mine.rows)
    end = "\r\n" if rows[0].endswith("\r\n") else "\n"
    first = min(span[0] for span in mine.spans.values())
    indent = " " * (len(rows[first]) - len(rows[first].lstrip(" -"))) if first == 0 else _indent(rows[first])
    replaced: dict[int, list[str]] = {}
    removed: set[int] = set()
    added: list[str] = []
    for name, value in changed.items():
        wanted_row = None if value == default(name, want.text) else key_line(name, value, indent) + end
        if name not in mine.spans:
            if wanted_row:
                added.append(_noted(wanted_row, want.note, end) if name == "speaker" else wanted_row)
            continue
        low, high = mine.spans[name]
        comments = [row for row in rows[low + 1 : high] if row.lstrip().startswith("#")]
        removed |= set(range(low, high))
        if low == 0:  # the row that carries the dash
            wanted_row = f"{' ' * dash}- {name}: {scalar(value)}{end}"
        trailing = _trailing(rows[low], mine.fields[name]) if high == low + 1 else ""
        if name == "speaker" and mine.note is not None:
            trailing = f"  {want.note}" if want.note and wanted_row else ""
        if wanted_row and trailing:
            wanted_row = wanted_row.rstrip("\r\n") + trailing + end
        elif trailing:
            comments.insert(0, indent + trailing.strip() + end)
        replaced[low] = ([wanted_row] if wanted_row else []) + comments
    out: list[str] = []
    for place, row in enumerate(rows):
        out += replaced.get(place, [])
        if place not in removed:
            out.append(row)
    return "".join(out + added)


def _noted(row: str, note: str, end: str) -> str:
    return row.rstrip("\r\n") + f"  {note}" + end if note else row


def _indent(row: str) -> str:
    return row[: len(row) - len(row.lstrip())]


def _trailing(row: str, value: object) -> str:
    """The comment at the end of a key's row, if what is before it holds the whole value."""
    found = _TRAILING.search(row.rstrip("\r\n"))
    if found is None or (isinstance(value, str) and found.group().strip() in value):
        return ""
    return " " + found.group().rstrip()


def _new_head(page: Page, number: int, title: str) -> str:
    text = page.head
    if page.number != number:
        text = _CHAPTER.sub(lambda _: f"chapter: {number}", text, count=1)
    if page.title != title:
        text = _TITLE.sub(lambda _: f"title: {scalar(title)}", text, count=1)
    return text


def _indented(text: str, dash: int) -> str:
    if dash == 2:
        return text
    return "".join(" " * dash + row[2:] for row in text.splitlines(keepends=True))


def _afresh(page: Page, number: int, title: str, wanted: Sequence[Want]) -> str:
    """A page in flow style, written one key a row; its comment rows are gathered at the top."""
    fresh = head(number, title)
    comments = [row for row in page.head.splitlines(keepends=True) if row.lstrip().startswith("#") and row not in fresh]
    body = "lines:\n" + "".join(item(*want) for want in wanted) if wanted else "lines: []\n"
    return "".join(comments) + fresh + body


def same(page: Page, number: int, title: str, wanted: Sequence[Want]) -> bool:
    """Whether a page already says all this, so that it need not be touched."""
    here: list[tuple[str, Mapping[str, object]]] = [(one.id, one.fields) for one in page.items]
    if page.number != number or page.title != title or here != [(want.id, want.fields) for want in wanted]:
        return False
    return all(one.note is None or one.note == want.note for one, want in zip(page.items, wanted, strict=True))
