"""The receipt: what was made, from what, how, and what a person should look at.

Contract: plain data, checked by pydantic, written as ``receipt.json`` (schema 1, for programs) and ``receipt.html``
(one self-contained page, for people). Whatever comes from a manuscript is escaped on the page.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict

from common import files
from tasks.domain import SCHEMA


class _Plain(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class ReceiptChapter(_Plain):
    """``held_back`` says why a chapter was not made; its figures of sound are then 0."""

    number: int
    title: str
    volume: str = ""
    seconds: float = 0.0
    lines: int = 0
    recorded: int = 0
    flagged: int = 0
    gain_db: float = 0.0
    loudness_lufs: float = 0.0
    true_peak_dbtp: float = 0.0
    held_back: str = ""


class FlaggedLine(_Plain):
    """A line that a person should listen to, with the reasons of the check."""

    chapter: int
    line_id: str
    text: str
    reasons: tuple[str, ...] = ()
    at_seconds: float | None = None


class ReceiptVoice(_Plain):
    id: str
    name: str
    lines: int
    seconds: float
    speakers: tuple[str, ...] = ()


class ReceiptStyle(_Plain):
    """A style that lines were asked to be said in: how many, and what the engine made of it: done as asked (``full``),
    nearly (``approximate``), or left out (``none``)."""

    style: str
    lines: int
    honoured: Literal["full", "approximate", "none"]


class Coverage(_Plain):
    """Characters without whitespace: of the source, those that are in lines, and those left out by reason."""

    source_chars: int
    spoken_chars: int
    left_out: Mapping[str, int] = {}

    @property
    def unexplained(self) -> int:
        return self.source_chars - self.spoken_chars - sum(self.left_out.values())


class Timings(_Plain):
    """Seconds of work by stage. ``audio_seconds`` is the sound recorded in this run: ``rtf`` is recording per audio.

    ``engine`` is the engine's own account, by its stages, of the takes that are in the book, whenever they were recorded.
    """

    read: float = 0.0
    script: float = 0.0
    record: float = 0.0
    check: float = 0.0
    stitch: float = 0.0
    publish: float = 0.0
    audio_seconds: float = 0.0
    engine: dict[str, float] = {}

    @property
    def rtf(self) -> float | None:
        """Seconds of recording for one second of audio; ``None`` where nothing was recorded."""
        return self.record / self.audio_seconds if self.audio_seconds > 0 else None


class ReceiptFile(_Plain):
    """A deliverable; ``path`` is relative to the book's folder, with ``/``."""

    path: str
    kind: str
    bytes: int
    seconds: float = 0.0


class Receipt(_Plain):
    """``made_at`` is ISO 8601 with offset. ``notes`` are for people: warnings, styles that were approximated."""

    title: str
    author: str = ""
    made_at: str
    voicepress: str
    engine: str
    engine_fingerprint: str
    seed: int
    mastering: str = ""
    chapters: tuple[ReceiptChapter, ...]
    lines: int
    recorded: int
    reused: int
    flagged: tuple[FlaggedLine, ...] = ()
    coverage: Coverage
    voices: tuple[ReceiptVoice, ...] = ()
    styles: tuple[ReceiptStyle, ...] = ()
    timings: Timings = Timings()
    deliverables: tuple[ReceiptFile, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def seconds(self) -> float:
        return sum(chapter.seconds for chapter in self.chapters)


def write_receipt(receipt: Receipt, folder: Path) -> tuple[Path, Path]:
    """Write ``receipt.json`` and ``receipt.html`` to ``folder``; returns both paths."""
    from tasks.publish.page import page

    value = {"schema": SCHEMA, **receipt.model_dump(mode="json")}
    value["coverage"]["unexplained"] = receipt.coverage.unexplained
    value["timings"]["rtf"] = receipt.timings.rtf
    value["seconds"] = receipt.seconds
    data, readable = folder / "receipt.json", folder / "receipt.html"
    files.write_json(data, value)
    files.write_text(readable, page(receipt))
    return data, readable
