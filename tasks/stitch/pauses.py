"""How long it is silent between two lines: a rule, no I/O but the reading of its table.

Contract: ``pause_after`` gives the silence that shall be *heard* between the end of one voice and the start of the
next. What the recordings themselves bring in silence is the stitcher's business (``tasks.stitch.trim``).
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Protocol

from pydantic import Field

from common import places
from common.yamlio import Strict, load_model
from tasks.domain import After

Seconds = Annotated[float, Field(strict=True, ge=0.0, le=60.0, allow_inf_nan=False)]


@dataclass(frozen=True, slots=True)
class Pauses:
    """All in seconds. ``speaker_change`` holds where somebody else speaks, unless the other rule is longer;
    ``heading_before`` where a heading stands in the middle of a chapter."""

    clause: float
    sentence: float
    paragraph: float
    speaker_change: float
    scene: float
    heading_before: float
    heading_after: float
    chapter_head: float
    chapter_tail: float


class Said(Protocol):
    """What the rule looks at: a ``Part``, or a ``Line`` that is not recorded yet."""

    @property
    def speaker(self) -> str: ...
    @property
    def after(self) -> After: ...
    @property
    def pause_seconds(self) -> float | None: ...


class _PausesFile(Strict):
    clause: Seconds
    sentence: Seconds
    paragraph: Seconds
    speaker_change: Seconds
    scene: Seconds
    heading_before: Seconds
    heading_after: Seconds
    chapter_head: Seconds
    chapter_tail: Seconds


def load_pauses(path: Path | None = None) -> Pauses:
    """The table of pauses in ``path`` (default: ``configs/pauses.yaml``); a ``VoicepressError`` where it is wrong."""
    table = load_model(path or places.CONFIGS / "pauses.yaml", _PausesFile, "the table of pauses")
    return Pauses(**table.model_dump())


def pause_after(part: Said, next_part: Said | None, pauses: Pauses) -> float:
    """Seconds of silence heard after ``part``; ``next_part`` is ``None`` at the end of the chapter.

    A part's own ``pause_seconds`` wins. Else it is the rule of ``part.after``, or of a change of speaker or a coming
    heading if that is longer; at the end of the chapter its tail.
    """
    if part.pause_seconds is not None:
        return max(0.0, part.pause_seconds)
    if next_part is None:
        return pauses.chapter_tail
    rules = {
        "clause": pauses.clause,
        "sentence": pauses.sentence,
        "paragraph": pauses.paragraph,
        "scene": pauses.scene,
        "heading": pauses.heading_after,
        "chapter": pauses.paragraph,  # said to be the last and is not: lines were added behind it
    }
    longest = rules[part.after]
    if part.speaker != next_part.speaker:
        longest = max(longest, pauses.speaker_change)
    if next_part.after == "heading" and part.after != "heading":
        longest = max(longest, pauses.heading_before)
    return longest
