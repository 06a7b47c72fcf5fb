"""Voice packs: what makes the model sound like someone.

A pack is a table of 510 styles of 256 numbers; a pass of n tokens (pads not counted) takes row n. The packs lie as float16 in ``voices/packs/kokoro.npz`` with a checksum each in
``kokoro.json`` beside it; both are made by ``build_data``.
"""

from __future__ import annotations

import hashlib
import zipfile
from functools import lru_cache
from pathlib import Path
from typing import Any

from common.errors import VoicepressError
from common.files import read_json
from common.places import VOICES

ROWS = 510
HINT = "take voices/packs/ anew from the distribution"


def folder() -> Path:
    return VOICES / "packs"


def checksums() -> dict[str, str]:
    """SHA-256 of each pack's values by name; raises ``VoicepressError`` where the list is missing."""
    path = folder() / "kokoro.json"
    stated = read_json(path)
    if not isinstance(stated, dict) or not isinstance(stated.get("sha256"), dict):
        raise VoicepressError("packs-missing", "the list of voice packs is missing or damaged", file=path, hint=HINT)
    return {str(name): str(value) for name, value in stated["sha256"].items()}


def checksum(pack: str) -> str:
    """The checksum of one pack (part of ``Voice.content``)."""
    known = checksums()
    if pack not in known:
        raise VoicepressError(
            "no-such-pack", f"kokoro has no voice pack '{pack}'", hint=f"known packs: {', '.join(sorted(known))}"
        )
    return known[pack]


@lru_cache(maxsize=32)
def load(pack: str) -> Any:
    """The styles of a pack, float32 (510, 256), checked against its checksum."""
    import numpy as np

    wanted = checksum(pack)
    path = folder() / "kokoro.npz"
    try:
        with np.load(path, allow_pickle=False) as archive:
            values = archive[pack]
    except (OSError, KeyError, ValueError, zipfile.BadZipFile) as error:
        raise VoicepressError(
            "packs-missing", f"the voice pack '{pack}' cannot be read: {error}", file=path, hint=HINT
        ) from error
    if values.shape != (ROWS, 256) or hashlib.sha256(values.tobytes()).hexdigest() != wanted:
        raise VoicepressError("packs-damaged", f"the voice pack '{pack}' is damaged", file=path, hint=HINT)
    return values.astype(np.float32)
