"""Files that are whole or absent.

Contract: every write goes to a temporary file in the same folder, is flushed to disk and then takes its place by
``os.replace``; a reader never sees half a file, whatever is killed when. A full disk or a folder that cannot be
written to is a ``VoicepressError`` and leaves the earlier file as it was.
"""

from __future__ import annotations

import errno
import hashlib
import json
import os
import stat
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from common.errors import VoicepressError

_MENDABLE = {
    errno.ENOSPC: ("disk-full", "the disk is full", "free some space, then run the same command again"),
    errno.EDQUOT: ("disk-full", "the disk quota is used up", "free some space, then run the same command again"),
    errno.EFBIG: (
        "file-too-big",
        "the file may not grow this big here",
        "raise the limit on file sizes or choose another disk",
    ),
    errno.EACCES: (
        "not-writable",
        "no permission to write here",
        "give yourself write permission or choose another folder",
    ),
    errno.EPERM: (
        "not-writable",
        "no permission to write here",
        "give yourself write permission or choose another folder",
    ),
    errno.EROFS: ("not-writable", "the file system is read-only", "choose another folder"),
    errno.ENOTDIR: (
        "not-a-folder",
        "a part of this path is a file, not a folder",
        "move that file away or choose another folder",
    ),
    errno.EEXIST: (
        "not-a-folder",
        "a file stands where a folder is needed",
        "move that file away or choose another folder",
    ),
    errno.EISDIR: ("not-a-file", "a folder stands where a file is needed", "move that folder away"),
    errno.ENAMETOOLONG: ("name-too-long", "the file name is too long", "choose a shorter name"),
    errno.ELOOP: ("not-a-file", "links lead round in a circle here", "remove the link, or let it name a file"),
    errno.ENOENT: (
        "folder-gone",
        "a file or folder went away while it was needed",
        "see that nothing else removes it, then run the same command again",
    ),
    errno.EIO: ("disk-fault", "the disk reports a fault", "look at the disk, then run the same command again"),
    errno.EMFILE: ("too-many-files", "too many files are open", "raise the limit on open files (ulimit -n)"),
    errno.ENFILE: ("too-many-files", "too many files are open on this machine", "close other programs"),
    errno.ENOMEM: ("no-memory", "the memory is used up", "close other programs, then run the same command again"),
}


def as_user_error(error: OSError, path: Path | str) -> VoicepressError:
    """Say an ``OSError`` of writing in words that a user can act on."""
    code, what, hint = _MENDABLE.get(
        error.errno or 0,
        ("cannot-write", f"cannot write: {error.strerror or error}", "look at the disk and the folder"),
    )
    return VoicepressError(code, what, file=path, hint=hint)


def from_system(error: OSError) -> VoicepressError | None:
    """An ``OSError`` from anywhere in words that a user can act on, or ``None`` where it is no state of the machine
    but a fault of ours. For the edges of the house, where nobody knows any more which file was meant."""
    if error.errno not in _MENDABLE:
        return None
    found = as_user_error(error, os.fsdecode(error.filename) if isinstance(error.filename, str | bytes) else "")
    found.file = found.file or None
    return found


def make_folder(path: Path) -> Path:
    """Create ``path`` and its parents; a clear error where that cannot be done."""
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise as_user_error(error, path) from error
    return path


@contextmanager
def replacing(path: Path, suffix: str | None = None) -> Iterator[Path]:
    """Yield a temporary path beside ``path``; when the block ends well it is flushed and takes ``path``'s place.

    ``suffix`` keeps an extension that an encoder needs to see (default: that of ``path``). When the block raises,
    the temporary file is removed and ``path`` stays as it was. An ``OSError`` from the block that a user can mend
    (full disk, permissions) is raised as ``VoicepressError``.
    """
    make_folder(path.parent)
    _refuse_special(path)
    handle, name = -1, ""
    try:
        handle, name = tempfile.mkstemp(
            prefix=".tmp-", suffix=path.suffix if suffix is None else suffix, dir=path.parent
        )
        os.close(handle)
    except OSError as error:
        raise as_user_error(error, path) from error
    temporary = Path(name)
    try:
        yield temporary
        with open(temporary, "rb") as written:
            os.fsync(written.fileno())
        os.chmod(temporary, 0o666 & ~_umask())
        os.replace(temporary, path)
    except OSError as error:
        temporary.unlink(missing_ok=True)
        if error.errno in _MENDABLE:
            raise as_user_error(error, path) from error
        raise
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def _refuse_special(path: Path) -> None:
    # Whoever writes to /dev/null as root must not find a regular file in its place afterwards.
    try:
        mode = os.lstat(path).st_mode
    except OSError:
        return  # not there, or the write itself will say what is wrong
    if not (stat.S_ISREG(mode) or stat.S_ISLNK(mode)):
        kind = "a folder" if stat.S_ISDIR(mode) else "a device, pipe or socket"
        raise VoicepressError(
            "not-a-file",
            f"{kind} stands where a file is to be written",
            file=path,
            hint="name another file, or move it away",
        )


def sweep(folder: Path, older_than_seconds: float = 3600.0) -> int:
    """Remove what killed processes left half-written in ``folder`` itself; how many files. Younger ones may still be
    somebody's work."""
    removed = 0
    for stray in folder.glob(".tmp-*"):
        try:
            if time.time() - stray.stat().st_mtime > older_than_seconds:
                stray.unlink()
                removed += 1
        except OSError:  # another process was faster, or it may be done another time
            continue
    return removed


def _umask() -> int:
    # Reading the umask means setting it; /proc tells it without the race where there is one.
    try:
        with open("/proc/self/status", encoding="ascii", errors="replace") as status:
            for row in status:
                if row.startswith("Umask:"):
                    return int(row.split()[1], 8)
    except OSError:
        pass
    return 0o022


def write_bytes(path: Path, data: bytes) -> None:
    """Write ``data`` to ``path``, whole or not at all."""
    with replacing(path) as temporary:
        temporary.write_bytes(data)


def write_text(path: Path, text: str) -> None:
    """Write ``text`` as UTF-8 with ``\\n`` line ends, whole or not at all."""
    write_bytes(path, text.encode("utf-8"))


def write_json(path: Path, value: Any, *, indent: int | None = 1) -> None:
    """Write ``value`` as UTF-8 JSON, whole or not at all."""
    write_text(path, json.dumps(value, ensure_ascii=False, indent=indent) + "\n")


def read_json(path: Path) -> Any | None:
    """The value in ``path``, or ``None`` where there is no such file or it is not whole JSON (a miss, no error)."""
    try:
        return json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError):
        return None


def sha256_of(path: Path) -> str:
    """Hexadecimal SHA-256 of a file's bytes."""
    with open(path, "rb") as source:
        return hashlib.file_digest(source, "sha256").hexdigest()


def digest(value: Any, length: int = 32) -> str:
    """A stable hexadecimal hash of plain data (canonical JSON, BLAKE2b); ``length`` is in hex digits."""
    canonical = json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"), allow_nan=False)
    return hashlib.blake2b(canonical.encode("utf-8"), digest_size=length // 2).hexdigest()


def require_file(path: Path, what: str, hint: str = "") -> Path:
    """``path`` if it is a readable file, else an error that names it as ``what``."""
    try:
        mode = os.stat(path).st_mode
    except (OSError, ValueError) as error:  # ValueError: a NUL in the path
        raise unreadable(error, path, what, hint) from error
    if stat.S_ISDIR(mode):
        raise VoicepressError(
            "not-a-file", f"{what} is a folder, not a file", file=path, hint=hint or "name the file itself"
        )
    if not stat.S_ISREG(mode):
        raise VoicepressError(
            "not-a-file", f"{what} is a device, pipe or socket, not a file", file=path, hint="name a file"
        )
    if not os.access(path, os.R_OK):
        raise VoicepressError("not-readable", f"{what} cannot be read", file=path, hint="give yourself read permission")
    return path


def unreadable(error: OSError | ValueError, path: Path, what: str, hint: str = "") -> VoicepressError:
    """Why the file that is named as ``what`` cannot be reached or read, in words that a user can act on."""
    number = error.errno if isinstance(error, OSError) else errno.ENOENT
    if number in (errno.ENOENT, errno.ENOTDIR):
        return VoicepressError("file-missing", f"{what} does not exist", file=path, hint=hint or "check the path")
    if number in (errno.EACCES, errno.EPERM):
        return VoicepressError(
            "not-readable",
            f"{what} cannot be read",
            file=path,
            hint="give yourself read permission to it and its folders",
        )
    if number in _MENDABLE:
        code, why, todo = _MENDABLE[number]
        return VoicepressError(code, f"{what} cannot be read: {why}", file=path, hint=todo)
    return VoicepressError(
        "not-readable", f"{what} cannot be read: {getattr(error, 'strerror', None) or error}", file=path,
        hint="check the path and the disk",
    )  # fmt: skip


def read_file(path: Path, what: str, hint: str = "") -> bytes:
    """The bytes of a file that a user names, or an error that names it as ``what``."""
    require_file(path, what, hint)
    try:
        return path.read_bytes()
    except OSError as error:
        raise unreadable(error, path, what, hint) from error
