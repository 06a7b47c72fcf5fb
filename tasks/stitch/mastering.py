"""Mastering presets: how loud a chapter is and how it is encoded.

Contract: every ``configs/mastering/<name>.yaml`` is a preset; adding a file is enough. ``load_mastering`` takes a
preset's name or the path of a file of the same form.
"""

from __future__ import annotations

import difflib
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field, model_validator

from common import places
from common.errors import VoicepressError
from common.yamlio import Strict, load_model
from tasks.domain import Acceptance
from tasks.stitch.pauses import Pauses

TOLERANCE_DB = 1.0
"""How far a finished file may be from its aim where the preset does not say."""


def _ascending(bounds: tuple[float, float]) -> tuple[float, float]:
    if bounds[0] > bounds[1]:
        raise ValueError("the first bound is the lower one")
    return bounds


@dataclass(frozen=True, slots=True)
class Mastering:
    """A chapter is brought to ``loudness_lufs`` (integrated, ITU-R BS.1770) or to ``rms_db`` (level of all its samples),
    whichever is not ``None``, by one gain. ``true_peak_dbtp`` is the ceiling that no deliverable exceeds, measured at
    four times the sample rate; a chapter stays ``encoder_headroom_db`` under it, which lossy encoders use up. Where the
    ceiling asks for it a limiter takes off peaks, ``limit_db`` at most: what would need more stays quieter.

    ``room_tone_db`` is the level of a noise under everything, so that pauses are not dead (``None``: none).
    ``head_seconds`` and ``tail_seconds`` win over the table of pauses. Deliverables are mono, at ``sample_rate_hz``,
    with ``aac_kbps``, ``mp3_kbps`` and ``opus_kbps`` kilobits a second, and must measure what ``accept`` says.
    ``credits``: spoken credits become files of their own; ``sample_seconds``: so long a sample is made.
    """

    name: str
    loudness_lufs: float | None
    true_peak_dbtp: float
    sample_rate_hz: int
    aac_kbps: int
    mp3_kbps: int
    description: str = ""
    rms_db: float | None = None
    limit_db: float = 9.0
    encoder_headroom_db: float = 0.5
    room_tone_db: float | None = None
    head_seconds: float | None = None
    tail_seconds: float | None = None
    opus_kbps: int = 48
    credits: bool = False
    sample_seconds: float = 0.0
    accept: Acceptance = field(default_factory=Acceptance)

    @property
    def ceiling_dbtp(self) -> float:
        """The ceiling of a chapter before it is encoded."""
        return self.true_peak_dbtp - self.encoder_headroom_db

    def pauses(self, pauses: Pauses) -> Pauses:
        """``pauses`` with the head and tail that this preset asks for."""
        head = pauses.chapter_head if self.head_seconds is None else self.head_seconds
        tail = pauses.chapter_tail if self.tail_seconds is None else self.tail_seconds
        return replace(pauses, chapter_head=head, chapter_tail=tail)


Level = Annotated[float, Field(strict=True, ge=-90.0, le=0.0, allow_inf_nan=False)]
Bounds = Annotated[tuple[float, float], AfterValidator(_ascending)]
Mp3Rate = Literal[32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320]


class _AcceptFile(Strict):
    loudness_lufs: Bounds | None = None
    rms_db: Bounds | None = None
    true_peak_dbtp: Level | None = None
    peak_dbfs: Level | None = None
    noise_floor_db: Annotated[float, Field(ge=-120.0, le=0.0)] | None = None
    head_seconds: Bounds | None = None
    tail_seconds: Bounds | None = None
    max_minutes: Annotated[float, Field(gt=0.0)] | None = None
    sample_rate_hz: int | None = None
    channels: Literal[1, 2] | None = None
    mp3_kbps: Mp3Rate | None = None


class _MasteringFile(Strict):
    description: str = ""
    loudness_lufs: Annotated[float, Field(strict=True, ge=-40.0, le=-8.0)] | None = None
    rms_db: Annotated[float, Field(strict=True, ge=-40.0, le=-8.0)] | None = None
    true_peak_dbtp: Annotated[float, Field(strict=True, ge=-20.0, le=0.0)]
    limit_db: Annotated[float, Field(ge=0.0, le=20.0)] = 9.0
    encoder_headroom_db: Annotated[float, Field(ge=0.0, le=6.0)] = 0.5
    room_tone_db: Level | None = None
    head_seconds: Annotated[float, Field(ge=0.0, le=10.0)] | None = None
    tail_seconds: Annotated[float, Field(ge=0.0, le=10.0)] | None = None
    sample_rate_hz: Literal[22050, 24000, 44100, 48000]
    aac_kbps: Annotated[int, Field(strict=True, ge=24, le=320)]
    mp3_kbps: Mp3Rate
    opus_kbps: Annotated[int, Field(strict=True, ge=16, le=320)] = 48
    credits: bool = False
    sample_seconds: Annotated[float, Field(ge=0.0, le=600.0)] = 0.0
    accept: _AcceptFile | None = None

    @model_validator(mode="after")
    def _one_aim(self) -> _MasteringFile:
        if (self.loudness_lufs is None) == (self.rms_db is None):
            raise ValueError("a preset aims at either loudness_lufs or rms_db, and at one of them alone")
        return self


def known_masterings() -> tuple[str, ...]:
    """The names of the presets that ship, sorted."""
    return tuple(sorted(path.stem for path in (places.CONFIGS / "mastering").glob("*.yaml")))


def load_mastering(name_or_path: str | Path = "audiobook") -> Mastering:
    """A preset by name, or any file by path (a ``Path``, or text that holds a slash or ends in ``.yaml``)."""
    text = str(name_or_path)
    if isinstance(name_or_path, Path) or "/" in text or "\\" in text or text.endswith((".yaml", ".yml")):
        path = Path(name_or_path)
    else:
        known = known_masterings()
        if text not in known:
            near = difflib.get_close_matches(text, known, n=1)
            raise VoicepressError(
                "unknown-mastering",
                f"there is no mastering preset '{text}'",
                hint=f"did you mean '{near[0]}'? Known presets: {', '.join(known)}"
                if near
                else f"choose one of: {', '.join(known)}; or give the path of a preset file",
            )
        path = places.CONFIGS / "mastering" / f"{text}.yaml"
    preset = load_model(path, _MasteringFile, "the mastering preset")
    plain = preset.model_dump(exclude={"accept"})
    return Mastering(name=path.stem, **plain, accept=_acceptance(preset))


def _acceptance(preset: _MasteringFile) -> Acceptance:
    """What a file says under ``accept``; where it says nothing of the aim and the ceiling, those within 1 dB."""
    said = preset.accept.model_dump(exclude_unset=True) if preset.accept else {}
    usual: dict[str, Any] = {"true_peak_dbtp": preset.true_peak_dbtp, "sample_rate_hz": preset.sample_rate_hz}
    if preset.loudness_lufs is not None:
        usual["loudness_lufs"] = (preset.loudness_lufs - TOLERANCE_DB, preset.loudness_lufs + TOLERANCE_DB)
    if preset.rms_db is not None:
        usual["rms_db"] = (preset.rms_db - TOLERANCE_DB, preset.rms_db + TOLERANCE_DB)
    return Acceptance(**(usual | said))
