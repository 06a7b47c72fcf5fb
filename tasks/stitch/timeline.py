"""The file beside a stitched chapter: where every line stands, and what made the chapter.

Contract: ``001.timeline.json`` is written after ``001.flac`` and names its size and checksum, so a chapter whose
timeline fits its sound is whole. All positions are samples at ``sample_rate``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from common import files
from tasks.domain import SCHEMA, Cue, Part, StitchedChapter, TakeMark, Timeline
from tasks.stitch.mastering import Mastering
from tasks.stitch.pauses import Pauses

STITCH_VERSION = 2
"""Counts up whenever the same input would give other samples: chapters are then stitched again."""


def audio_path(folder: Path, number: int) -> Path:
    return folder / f"{number:03d}.flac"


def timeline_path(folder: Path, number: int) -> Path:
    return folder / f"{number:03d}.timeline.json"


def fingerprint_of(
    number: int,
    title: str,
    volume: str,
    parts: Sequence[Part],
    pauses: Pauses,
    mastering: Mastering,
    fade_ms: int = 15,
) -> str:
    """A hash of everything that makes a stitched chapter and its timeline: takes by key, texts, gains, pauses, level,
    titles and the stitcher's version. How deliverables are encoded is no part of it."""
    return files.digest(
        {
            "stitch": STITCH_VERSION,
            "schema": SCHEMA,
            "chapter": [number, title, volume],
            "fade_ms": fade_ms,
            "pauses": asdict(pauses),
            "level": [
                mastering.loudness_lufs,
                mastering.rms_db,
                mastering.ceiling_dbtp,
                mastering.limit_db,
                mastering.room_tone_db,
                mastering.head_seconds,
                mastering.tail_seconds,
            ],
            "parts": [
                [p.line_id, p.take.key, p.text, p.spoken, p.speaker, p.after, p.gain_db, p.pause_seconds] for p in parts
            ],
        }
    )


def existing(folder: Path, number: int, fingerprint: str) -> StitchedChapter | None:
    """The chapter in ``folder`` if it is whole and was made from exactly this, else ``None``."""
    value: Any = files.read_json(timeline_path(folder, number))
    audio = audio_path(folder, number)
    try:
        if value["schema"] != SCHEMA or value["fingerprint"] != fingerprint or value["number"] != number:
            return None
        if audio.stat().st_size != value["audio"]["bytes"] or files.sha256_of(audio) != value["audio"]["sha256"]:
            return None
        return _from_plain(value, audio)
    except (OSError, KeyError, TypeError, ValueError):
        return None


def write(chapter: StitchedChapter) -> None:
    """Write the timeline beside ``chapter.audio``, which must be in place."""
    timeline = chapter.timeline
    files.write_json(
        timeline_path(chapter.audio.parent, chapter.number),
        {
            "schema": SCHEMA,
            "number": chapter.number,
            "title": chapter.title,
            "volume": chapter.volume,
            "fingerprint": chapter.fingerprint,
            "sample_rate": timeline.sample_rate,
            "samples": timeline.samples,
            "gain_db": chapter.gain_db,
            "loudness_lufs": chapter.loudness_lufs,
            "true_peak_dbtp": chapter.true_peak_dbtp,
            "limited_db": chapter.limited_db,
            "limited_share": chapter.limited_share,
            "audio": {
                "file": chapter.audio.name,
                "bytes": chapter.audio.stat().st_size,
                "sha256": files.sha256_of(chapter.audio),
            },
            "cues": [
                {
                    "line_id": cue.line_id,
                    "speaker": cue.speaker,
                    "text": cue.text,
                    "spoken": cue.spoken,
                    "start": cue.start,
                    "end": cue.end,
                    "after": cue.after,
                    "marks": [[m.start_char, m.end_char, m.start, m.end] for m in cue.marks],
                }
                for cue in timeline.cues
            ],
        },
        indent=None,
    )


def _from_plain(value: dict[str, Any], audio: Path) -> StitchedChapter:
    cues = tuple(
        Cue(
            line_id=cue["line_id"],
            speaker=cue["speaker"],
            text=cue["text"],
            spoken=cue["spoken"],
            start=int(cue["start"]),
            end=int(cue["end"]),
            marks=tuple(TakeMark(*(int(x) for x in mark)) for mark in cue["marks"]),
            after=cue["after"],
        )
        for cue in value["cues"]
    )
    timeline = Timeline(value["number"], value["title"], int(value["sample_rate"]), int(value["samples"]), cues)
    return StitchedChapter(
        number=value["number"],
        title=value["title"],
        audio=audio,
        timeline=timeline,
        fingerprint=value["fingerprint"],
        gain_db=float(value["gain_db"]),
        loudness_lufs=float(value["loudness_lufs"]),
        true_peak_dbtp=float(value["true_peak_dbtp"]),
        volume=value["volume"],
        limited_db=float(value["limited_db"]),
        limited_share=float(value["limited_share"]),
    )
