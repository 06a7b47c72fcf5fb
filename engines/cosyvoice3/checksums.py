"""SHA-256 of big files, computed once and remembered in the cache.

Contract: a file is hashed again when its path, size or modification time has changed. The cache may be deleted at any
time, and several processes may use it.
"""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

from common import places
from common.errors import VoicepressError
from common.files import digest, read_json, sha256_of, write_json


def sha256_cached(path: Path) -> str:
    """The file's SHA-256 in hexadecimal. Errors: not there, not readable."""
    try:
        status = path.stat()
    except OSError as error:
        raise VoicepressError(
            "model-file-missing", f"the file cannot be looked at: {error.strerror}", file=path, hint="check the model directory"
        ) from error  # fmt: skip
    signature = [str(path.resolve()), status.st_size, status.st_mtime_ns]
    note = places.cache() / "checksums" / f"{digest(signature[0])}.json"
    known = read_json(note)
    if isinstance(known, dict) and known.get("of") == signature and isinstance(known.get("sha256"), str):
        return str(known["sha256"])
    found = sha256_of(path)
    with suppress(VoicepressError):  # a cache that cannot be written costs time, nothing else
        write_json(note, {"of": signature, "sha256": found})
    return found
