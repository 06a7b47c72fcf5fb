"""How fast this machine records, per engine: measured, remembered, fading.

Contract: every finished batch is added to sums that lose half their weight with every ``HALF_LIFE_SECONDS`` of work,
so that the figures follow the machine as it is now. They lie in the cache, in one small file that is written whole;
a damaged or missing file means "not measured yet", and writing it is never worth failing a book for.
"""

from __future__ import annotations

import logging
import math
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from common.errors import VoicepressError
from common.files import digest, make_folder, read_json, write_json
from common.places import cache
from engines.base import Engine
from tasks.domain import SCHEMA
from tasks.speak.record import BatchReport

log = logging.getLogger(__name__)

HALF_LIFE_SECONDS = 1800.0
KEPT_ENTRIES = 64
_SUMS = ("work_seconds", "audio_seconds", "length", "lines")


@dataclass(frozen=True, slots=True)
class Speed:
    """``audio_per_work``: seconds of sound recorded in one second of work (above 1.0 is faster than real time).
    ``length_per_audio``: what is said in one second of sound, as ``length_of`` counts it. ``work_seconds`` says how much measuring is behind it."""

    audio_per_work: float
    length_per_audio: float
    work_seconds: float


def note(engine: Engine, report: BatchReport) -> None:
    """Add a batch to the figures of this engine. A batch that recorded nothing is not counted."""
    work_seconds = report.engine_seconds + report.store_seconds
    if not report.lines or min(work_seconds, report.audio_seconds, report.length) <= 0.0:
        return
    added = dict(zip(_SUMS, (work_seconds, report.audio_seconds, report.length, float(report.lines)), strict=True))
    from filelock import FileLock, Timeout

    path = _file()
    try:
        make_folder(path.parent)
        with FileLock(path.with_suffix(".lock"), timeout=5):
            entries = _entries(path)
            name = _entry_name(engine.name, engine.fingerprint())
            entries[name] = {**merged(entries.get(name), added), "engine": engine.name, "noted_at": time.time()}
            kept = sorted(entries, key=lambda entry: entries[entry]["noted_at"])[-KEPT_ENTRIES:]
            write_json(path, {"schema": SCHEMA, "entries": {entry: entries[entry] for entry in kept}})
    except (VoicepressError, OSError, Timeout) as error:
        log.warning("the measured speed could not be kept: %s", error)


def expected(engine_name: str, fingerprint: str) -> Speed | None:
    """The measured speed of this engine, as it is set up, on this machine; ``None`` where it was never measured."""
    entry = _entries(_file()).get(_entry_name(engine_name, fingerprint))
    if entry is None:
        return None
    return Speed(
        audio_per_work=entry["audio_seconds"] / entry["work_seconds"],
        length_per_audio=entry["length"] / entry["audio_seconds"],
        work_seconds=entry["work_seconds"],
    )


def merged(earlier: dict[str, Any] | None, added: dict[str, float]) -> dict[str, float]:
    """Sums with ``added`` at full weight and what was there before faded by the work added."""
    keep = 0.5 ** (added["work_seconds"] / HALF_LIFE_SECONDS)
    return {name: added[name] + (keep * earlier[name] if earlier else 0.0) for name in _SUMS}


def _file() -> Path:
    return cache() / "speed.json"


def _entry_name(engine_name: str, fingerprint: str) -> str:
    return f"{engine_name}-{digest(fingerprint, 16)}"


def _entries(path: Path) -> dict[str, dict[str, Any]]:
    value = read_json(path)
    if not isinstance(value, dict) or value.get("schema") != SCHEMA or not isinstance(value.get("entries"), dict):
        return {}
    return {name: entry for name, entry in value["entries"].items() if _is_whole(entry)}


def _is_whole(entry: Any) -> bool:
    if not isinstance(entry, dict):
        return False
    figures = [entry.get(name) for name in (*_SUMS, "noted_at")]
    return all(
        isinstance(figure, int | float) and not isinstance(figure, bool) and math.isfinite(figure) and figure > 0
        for figure in figures
    )
