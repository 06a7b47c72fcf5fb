"""What a person has listened to and found good: ``approvals.json`` of a book.

Contract: an approval is of one take, by its key, so that it holds for as long as the line is said in that way and no
longer. It wins over the check: the take is chosen and no longer flagged. The file is whole or as it was, two who write at
once lose nothing of each other's, and a run that makes the book may read it at any time. A file that is none counts as
empty and is not written over.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path

from common.errors import VoicepressError
from common.files import as_user_error, make_folder, read_json, write_json
from tasks.domain import SCHEMA

NAME = "approvals.json"


@dataclass(frozen=True, slots=True)
class Approval:
    """``take`` is the number of the take; chapter, line and text are for people who read the file, ``at`` is UTC."""

    take: int
    chapter: int
    line: str
    text: str
    at: str = ""


Approvals = dict[str, Approval]
"""By key of the take."""


def load(folder: Path) -> Approvals:
    """The approvals in a book's folder; what is no approval is left out."""
    value = read_json(folder / NAME)
    if not isinstance(value, dict) or value.get("schema") != SCHEMA or not isinstance(value.get("approved"), dict):
        return {}
    found: Approvals = {}
    for key, row in value["approved"].items():
        try:
            found[str(key)] = Approval(
                int(row["take"]), int(row["chapter"]), str(row["line"]), str(row["text"]), str(row.get("at", ""))
            )
        except (KeyError, TypeError, ValueError):
            continue
    return found


def takes(folder: Path) -> dict[str, int]:
    """Key of every approved take with its number, as the session wants them."""
    return {key: one.take for key, one in load(folder).items()}


def approve(folder: Path, key: str, approval: Approval, instead_of: Iterable[str] = ()) -> Approvals:
    """Note that a take is good, and that those ``instead_of`` which it stands are approved no longer; all that stand now."""
    now = approval.at or datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    stamped = Approval(approval.take, approval.chapter, approval.line, approval.text, now)

    def change(found: Approvals) -> None:
        for other in instead_of:
            found.pop(other, None)
        found[key] = stamped

    return _changed(folder, change)


def withdraw(folder: Path, keys: Iterable[str]) -> Approvals:
    """Take approvals back; all that stand now."""

    def change(found: Approvals) -> None:
        for key in keys:
            found.pop(key, None)

    return _changed(folder, change)


def _changed(folder: Path, change: Callable[[Approvals], None]) -> Approvals:
    from filelock import FileLock

    path = make_folder(folder) / NAME
    # A lock of its own: approving must be possible while the book is being made.
    lock = FileLock(folder / ".approvals.lock")
    try:
        lock.acquire()
    except OSError as error:
        raise as_user_error(error, folder) from error
    try:
        if path.is_file() and (not isinstance(value := read_json(path), dict) or value.get("schema") != SCHEMA):
            raise VoicepressError(
                "bad-approvals", "the file of approvals is damaged or of another version", file=path,
                hint="restore it, or move it away to begin with none",
            )  # fmt: skip
        found = load(folder)
        change(found)
        rows = {key: asdict(found[key]) for key in sorted(found)}
        write_json(path, {"schema": SCHEMA, "approved": rows})
        return found
    finally:
        lock.release()
