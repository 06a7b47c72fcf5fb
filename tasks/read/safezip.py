"""Zip archives from strangers.

Contract: ``open_archive`` gives an ``Archive`` that reads members into memory, never to disk, within limits on their
number, their size, the total and the ratio of compression. Absolute names, ``..``, links, encryption and names that
stand twice are refused before anything is read. Every refusal is a ``VoicepressError`` with the code ``<kind>-…``.
"""

from __future__ import annotations

import stat
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from common.errors import VoicepressError

MAX_MEMBERS = 20_000
MAX_DECLARED_BYTES = 4 * 1024**3
"""All members together, pictures and fonts included, by the archive's own word."""
MAX_MEMBER_BYTES = 64 * 1024**2
MAX_READ_BYTES = 512 * 1024**2
"""Everything that is really unpacked."""
MAX_RATIO = 200
RATIO_FLOOR_BYTES = 1024**2
"""Smaller members may shrink as they like: a blank page shrinks a thousandfold."""


@dataclass(slots=True)
class Archive:
    path: Path
    kind: str
    handle: zipfile.ZipFile
    members: dict[str, zipfile.ZipInfo] = field(default_factory=dict)
    left_bytes: int = MAX_READ_BYTES

    def __contains__(self, name: str) -> bool:
        return name in self.members

    def read(self, name: str, what: str) -> bytes:
        """The bytes of member ``name``; an error that says ``what`` is missing or broken."""
        info = self.members.get(name)
        if info is None:
            raise self.error("missing", f"{what} is missing: {name}")
        limit = min(MAX_MEMBER_BYTES, self.left_bytes)
        try:
            with self.handle.open(info) as member:
                data = member.read(limit + 1)
        except (
            zipfile.BadZipFile,
            zlib.error,
            EOFError,
            OSError,
            NotImplementedError,
            RuntimeError,
            ValueError,
        ) as error:
            raise self.error("broken", f"{what} cannot be unpacked ({name}): {error}") from error
        if len(data) > limit:
            raise self.error("bomb", f"{what} unpacks to more than {limit:,} bytes: {name}")
        self.left_bytes -= len(data)
        return data

    def error(self, code: str, what: str, hint: str = "") -> VoicepressError:
        return VoicepressError(
            f"{self.kind}-{code}",
            what,
            file=self.path,
            hint=hint or "get the file again, or export it again from its program",
        )


@contextmanager
def open_archive(path: Path, kind: str) -> Iterator[Archive]:
    """The archive in ``path``, checked. ``kind`` (``epub``, ``docx``) begins the error codes."""
    try:
        handle = zipfile.ZipFile(path)
    except (zipfile.BadZipFile, OSError, ValueError, EOFError, NotImplementedError) as error:
        raise VoicepressError(f"{kind}-broken", f"this is not a valid {kind} file: {error}", file=path,
                              hint="get the file again, or export it again from its program") from error  # fmt: skip
    with handle:
        archive = Archive(path, kind, handle)
        _check(archive)
        yield archive


def _check(archive: Archive) -> None:
    infos = archive.handle.infolist()
    if len(infos) > MAX_MEMBERS:
        raise archive.error("bomb", f"the archive holds {len(infos):,} files, the limit is {MAX_MEMBERS:,}")
    declared = sum(info.file_size for info in infos)
    if declared > MAX_DECLARED_BYTES:
        raise archive.error("bomb", f"the archive unpacks to {declared:,} bytes, the limit is {MAX_DECLARED_BYTES:,}")
    for info in infos:
        name = info.orig_filename.replace("\\", "/")
        if name.startswith("/") or name[1:2] == ":" or ".." in name.split("/") or "\0" in name:
            raise archive.error("path", f"the archive holds a name that leads out of it: {info.orig_filename!r}")
        if stat.S_ISLNK(info.external_attr >> 16):
            raise archive.error("path", f"the archive holds a link: {name!r}")
        if info.flag_bits & 1:
            raise archive.error("encrypted", f"{name} is locked with a password", "unlock the file, then try again")
        if info.file_size > RATIO_FLOOR_BYTES and info.file_size > MAX_RATIO * max(info.compress_size, 1):
            raise archive.error("bomb", f"{name} unpacks to {info.file_size:,} bytes from {info.compress_size:,}")
        if not name.endswith("/"):
            if name in archive.members:
                raise archive.error("broken", f"{name} stands in the archive twice")
            archive.members[name] = info
