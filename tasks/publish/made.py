"""What lies in ``publish/`` and what it was made from, so that nothing is encoded twice.

Contract: ``.made.json`` maps each file of ours to the fingerprint of everything that made it, its size and checksum. A
file that no longer fits is made again; a record that cannot be read is an empty one. Files that are not in the record
are not ours and are never removed.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from common import files
from tasks.domain import SCHEMA

NAME = ".made.json"
_WRITE_EVERY_SECONDS = 2.0


@dataclass(frozen=True, slots=True)
class Encoded:
    """What a maker has to say of its file: ``frames`` of an AAC part; what was measured on it, and how it misses its
    preset."""

    frames: int = 0
    loudness_lufs: float | None = None
    true_peak_dbtp: float | None = None
    faults: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Entry:
    """A file of ours, and what its maker said of it."""

    kind: str
    fingerprint: str
    bytes: int
    sha256: str
    frames: int = 0
    loudness_lufs: float | None = None
    true_peak_dbtp: float | None = None
    faults: tuple[str, ...] = ()


class Made:
    """The record of one folder; safe for several threads. Names are relative, with ``/``."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._lock = threading.Lock()
        self._written = time.monotonic()
        self._entries: dict[str, Entry] = {}
        value: Any = files.read_json(folder / NAME)
        try:
            if value["schema"] == SCHEMA:
                self._entries = {
                    str(name): Entry(**(entry | {"faults": tuple(entry.get("faults", ()))}))
                    for name, entry in value["files"].items()
                }
        except (TypeError, KeyError, AttributeError):
            self._entries = {}

    def current(self, name: str, fingerprint: str) -> Entry | None:
        """The entry of ``name`` if that file stands, whole, as made from ``fingerprint``."""
        with self._lock:
            entry = self._entries.get(name)
        if entry is None or entry.fingerprint != fingerprint:
            return None
        path = self.folder / name
        try:
            if path.stat().st_size != entry.bytes or files.sha256_of(path) != entry.sha256:
                return None
        except OSError:
            return None
        return entry

    def make(self, name: str, kind: str, fingerprint: str, maker: Callable[[Path], Encoded | None]) -> Entry:
        """Keep ``name`` if it is current, else let ``maker`` write it to a temporary path. When ``maker`` raises, an
        earlier file stays in place."""
        if (entry := self.current(name, fingerprint)) is not None:
            return entry
        path = self.folder / name
        files.make_folder(path.parent)
        with files.replacing(path) as temporary:
            said = maker(temporary) or Encoded()
        entry = Entry(
            kind, fingerprint, path.stat().st_size, files.sha256_of(path),
            said.frames, said.loudness_lufs, said.true_peak_dbtp, said.faults,
        )  # fmt: skip
        with self._lock:
            self._entries[name] = entry
            if time.monotonic() - self._written > _WRITE_EVERY_SECONDS:
                self._write()
        return entry

    def forget(self, kinds: Iterable[str], keep: Iterable[str]) -> None:
        """Remove our files of ``kinds`` that are not in ``keep``."""
        wanted = set(kinds)
        kept = {name.casefold() for name in keep}  # on some systems "Rain.mp3" is "rain.mp3"
        root = self.folder.resolve()
        with self._lock:
            for name, entry in list(self._entries.items()):
                if entry.kind in wanted and name.casefold() not in kept:
                    path = (self.folder / name).resolve()
                    if path.is_relative_to(root):  # the record is a file that anybody may have edited
                        path.unlink(missing_ok=True)
                    del self._entries[name]

    def save(self) -> None:
        with self._lock:
            self._write()

    def _write(self) -> None:
        entries = {name: asdict(entry) for name, entry in sorted(self._entries.items())}
        files.write_json(self.folder / NAME, {"schema": SCHEMA, "files": entries})
        self._written = time.monotonic()
