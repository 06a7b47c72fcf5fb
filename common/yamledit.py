"""Entries added to a mapping in a YAML file that a person keeps: everything else in it stays as it is, comments included.

Contract: ``with_entries`` gives the new text. It was read back: it says what it said before, and the new entries. Where
that cannot be done, as in a file of another make, it is a ``VoicepressError`` that shows the lines to paste.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import yaml

from common.errors import VoicepressError
from common.yamlio import parse_with_lines


def with_entries(text: str, key: str, entries: Sequence[tuple[str, str]], path: Path, what: str) -> str:
    """``text`` with ``entries`` at the end of the mapping under ``key``: rows of YAML (``name: {…}``), each with a comment.
    ``path`` and ``what`` name the file in errors."""
    before, _ = parse_with_lines(text, path, what)
    try:
        new = _inserted(text, key, entries)
        after, _ = parse_with_lines(new, path, what)
        added, _ = parse_with_lines("\n".join(row for row, _ in entries), path, what)
    except VoicepressError:
        after, added = None, None
    wanted = dict(before) if isinstance(before, dict) else {}
    old = wanted.get(key) or {}
    if not isinstance(added, dict) or not isinstance(old, dict) or after != {**wanted, key: {**old, **added}}:
        raise VoicepressError(
            "edit-by-hand", f"nothing can be added to {what} without changing what stands there", file=path, key=key,
            hint=f"paste these lines under '{key}:' yourself", rows=(f"{key}:", *(f"  {row}" for row in _rows(entries))),
        )  # fmt: skip
    return new


def _inserted(text: str, key: str, entries: Sequence[tuple[str, str]]) -> str:
    root = yaml.compose(text, yaml.SafeLoader)  # pure Python: its marks count characters
    pairs = root.value if isinstance(root, yaml.MappingNode) else []
    name, value = next((pair for pair in pairs if pair[0].value == key), (None, None))
    end = line_end(text)
    if name is None or value is None:
        gap = "" if not text or text.endswith("\n") else end
        return text + gap + f"{key}:{end}" + "".join(f"  {row}{end}" for row in _rows(entries))
    inner = " " * (name.start_mark.column + 2)
    if isinstance(value, yaml.MappingNode) and value.value:
        last_key, last = value.value[-1]
        if value.flow_style:
            at = last.end_mark.index
            return text[:at] + "".join(f", {row}" for row, _ in entries) + text[at:]
        return after_row(text, end_of(last, text), [" " * last_key.start_mark.column + row for row in _rows(entries)])
    # Nothing stands there yet: the mark of emptiness goes, with what follows it in its row kept.
    start, stop = value.start_mark.index, value.end_mark.index
    text = text[:start].rstrip(" ") + text[stop:]
    return after_row(text, name.end_mark.index, [inner + row for row in _rows(entries)])


def line_end(text: str) -> str:
    """How the rows of ``text`` end."""
    return "\r\n" if "\r\n" in text else "\n"


def end_of(node: yaml.Node, text: str) -> int:
    """Where a node's last character ends: a block's own mark stands behind the blank and comment rows after it."""
    if isinstance(node, yaml.CollectionNode) and not node.flow_style and node.value:
        last = node.value[-1]
        return end_of(last[1] if isinstance(last, tuple) else last, text)
    end = int(node.end_mark.index)
    while end > node.start_mark.index and text[end - 1] in " \t\r\n":
        end -= 1
    return end


def _rows(entries: Sequence[tuple[str, str]]) -> list[str]:
    return [f"{row}  # {comment}" if comment else row for row, comment in entries]


def after_row(text: str, index: int, rows: Sequence[str]) -> str:
    """``rows`` as rows of their own after the row of ``text`` that holds ``index``, ended as its rows are."""
    end = line_end(text)
    body = "".join(f"{row}{end}" for row in rows)
    at = text.find("\n", index)
    return f"{text}{end}{body}" if at < 0 else f"{text[: at + 1]}{body}{text[at + 1 :]}"
