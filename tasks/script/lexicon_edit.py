"""Entries written into a lexicon file that a person keeps: everything else in it stays as it is, comments included.

Contract: ``with_entry`` and ``with_key`` give the new text of a YAML file, or raise ``VoicepressError`` where that cannot
be done without touching more than asked. What they give was read back: it says the same as before, but for the entry.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

from common.errors import VoicepressError
from common.yamledit import after_row, end_of, line_end
from common.yamlio import parse_with_lines
from tasks.domain import SCHEMA
from tasks.script.format import scalar
from tasks.script.lexicon import checked

EMPTY = f"# How words of this book are read; see docs/reference.md.\nschema: {SCHEMA}\nentries:\n"


def with_entry(text: str, word: str, value: dict[str, str], path: Path) -> str:
    """``text`` of a lexicon with ``word`` given as ``value`` (``phones`` or ``spoken``), in its old place or at the end."""
    text = text or EMPTY
    before, _ = parse_with_lines(text, path, "the lexicon")
    root = yaml.compose(text, yaml.SafeLoader)
    if root is None:
        return with_entry(text.rstrip("\n") + ("\n" if text.strip() else "") + EMPTY, word, value, path)
    written = _written(value)
    entries = _child(root, "entries")
    if entries is None:
        new = _block_appended(text, root, f"entries:\n  {scalar(word)}: {written}\n", path)
    elif isinstance(entries, yaml.ScalarNode) and entries.value in (
        "",
        "null",
        "~",
    ):  # `entries:` with nothing under it
        new = after_row(text, _key_index(root, "entries"), [f"  {scalar(word)}: {written}"])
    elif isinstance(entries, yaml.MappingNode):
        new = _in_mapping(text, entries, word, written, set(value), path)
    else:
        raise _by_hand(path, "'entries' is no mapping of words", entries)
    after, node = parse_with_lines(new, path, "the lexicon")
    expected = dict(before or {})
    expected["entries"] = {**(expected.get("entries") or {}), word: _plain(value)}
    if not isinstance(after, dict) or {"schema": SCHEMA, **after} != {"schema": SCHEMA, **expected}:
        raise _by_hand(path, f"the entry of '{word}' cannot be written without changing what stands around it", None)
    checked(after, node, path)
    return new


def with_key(text: str, key: str, value: str, path: Path) -> str:
    """``text`` of a YAML mapping with ``key: value`` added as its last row."""
    before, _ = parse_with_lines(text, path, path.name)
    root = yaml.compose(text, yaml.SafeLoader)
    new = _block_appended(text, root, f"{key}: {scalar(value)}\n", path)
    after, _ = parse_with_lines(new, path, path.name)
    if after != {**before, key: value}:
        raise _by_hand(path, f"'{key}: {value}' cannot be added", None)
    return new


def _written(value: dict[str, str]) -> str:
    plain = _plain(value)
    if isinstance(plain, str):
        return scalar(plain)
    return "{" + ", ".join(f"{key}: {_in_flow(one)}" for key, one in plain.items()) + "}"


def _in_flow(value: str) -> str:
    """A scalar within braces, where a comma or a bracket would end it."""
    written = scalar(value)
    return written if written.startswith('"') or not set(written) & set(",[]{}") else f'"{written}"'


def _plain(value: dict[str, str]) -> Any:
    return value["phones"] if list(value) == ["phones"] else dict(value)


def _child(root: yaml.Node, key: str) -> yaml.Node | None:
    pairs = root.value if isinstance(root, yaml.MappingNode) else ()
    return next((value for name, value in pairs if name.value == key), None)


def _key_index(root: yaml.Node, key: str) -> int:
    return int(next(name.start_mark.index for name, _ in root.value if name.value == key))


def _in_mapping(text: str, entries: yaml.MappingNode, word: str, written: str, keys: set[str], path: Path) -> str:
    for key, value in entries.value:
        if key.value == word:
            if not isinstance(value, yaml.ScalarNode) and not (
                isinstance(value, yaml.MappingNode) and {one.value for one, _ in value.value} <= keys
            ):
                raise _by_hand(path, f"'{word}' has an entry already that says more than how it is read", key)
            return text[: value.start_mark.index] + written + text[end_of(value, text) :]
    if not entries.value:  # entries: {}
        return text[: entries.start_mark.index] + f"\n  {scalar(word)}: {written}" + text[entries.end_mark.index :]
    last_key, last = entries.value[-1]
    if entries.flow_style:
        at = last.end_mark.index
        return f"{text[:at]}, {scalar(word)}: {written}{text[at:]}"
    return after_row(text, end_of(last, text), [" " * last_key.start_mark.column + f"{scalar(word)}: {written}"])


def _block_appended(text: str, root: yaml.Node | None, rows: str, path: Path) -> str:
    if not isinstance(root, yaml.MappingNode) or root.flow_style:
        raise _by_hand(path, "the file is not written one key a row", root)
    ending = line_end(text)
    gap = "" if not text or text.endswith("\n") else ending
    return text + gap + rows.replace("\n", ending)


def _by_hand(path: Path, what: str, node: yaml.Node | None) -> VoicepressError:
    line = None if node is None else node.start_mark.line + 1
    return VoicepressError("edit-by-hand", what, file=path, line=line, hint="write this one into the file yourself")
