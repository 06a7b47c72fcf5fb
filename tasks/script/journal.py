"""Several files changed as one: all of a sync, or none.

Contract: ``commit`` first writes every change into ``.base/journal.json``, then makes them, then removes the journal.
``finish`` makes what a killed run left undone. A file that someone changed in between is left as it is.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from common.files import as_user_error, read_json, write_json, write_text
from tasks.domain import SCHEMA
from tasks.script.base import sha_of

NAME = "journal.json"


def commit(folder: Path, changes: Mapping[str, str | None]) -> None:
    """Write ``changes``: texts by path relative to ``folder``, ``None`` to delete."""
    path = folder / ".base" / NAME
    if len(changes) > 1 and any((folder / name).exists() for name in changes):
        before = {name: _sha(folder / name) for name in changes}
        write_json(path, {"schema": SCHEMA, "before": before, "changes": changes}, indent=None)
    _make(folder, changes)
    path.unlink(missing_ok=True)


def finish(folder: Path) -> None:
    """Complete a sync that was killed, if there was one."""
    path = folder / ".base" / NAME
    if not path.exists():
        return
    value = read_json(path)
    if isinstance(value, dict) and value.get("schema") == SCHEMA:
        changes: dict[str, str | None] = value["changes"]
        before: dict[str, str] = value["before"]
        users = {
            name for name, text in changes.items()
            if _sha(folder / name) not in (before.get(name), "" if text is None else sha_of(text.encode("utf-8")))
        }  # fmt: skip
        # A page that is the user's keeps its old base beside it, or lines it lacks would look deleted.
        users |= {f".base/{Path(name).stem}.json" for name in users}
        _make(folder, {name: text for name, text in changes.items() if name not in users})
    path.unlink(missing_ok=True)


def _make(folder: Path, changes: Mapping[str, str | None]) -> None:
    for name, text in changes.items():
        target = folder / name
        if text is not None:
            write_text(target, text)
            continue
        try:
            target.unlink(missing_ok=True)
        except OSError as error:
            raise as_user_error(error, target) from error


def _sha(path: Path) -> str:
    try:
        return sha_of(path.read_bytes())
    except OSError:
        return ""
