"""Mastering presets: how loud a chapter is and how it is encoded.

Contract: every ``configs/mastering/<name>.yaml`` is a preset; adding a file is enough. ``load_mastering`` takes a
preset's name or the path of a file of the same form.
"""

from __future__ import annotations

import difflib
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field

from common import places
from common.errors import VoicepressError
from common.yamlio import Strict, load_model


@dataclass(frozen=True, slots=True)
class Mastering:
    """``loudness_lufs``: the integrated loudness (ITU-R BS.1770) a chapter is brought to. ``true_peak_dbtp``: the
    ceiling no chapter exceeds, measured at four times the sample rate. The rest is how deliverables are encoded:
    mono, at ``sample_rate_hz``, with ``aac_kbps`` and ``mp3_kbps`` kilobits a second."""

    name: str
    loudness_lufs: float
    true_peak_dbtp: float
    sample_rate_hz: int
    aac_kbps: int
    mp3_kbps: int
    description: str = ""


class _MasteringFile(Strict):
    description: str = ""
    loudness_lufs: Annotated[float, Field(strict=True, ge=-40.0, le=-8.0)]
    true_peak_dbtp: Annotated[float, Field(strict=True, ge=-20.0, le=0.0)]
    sample_rate_hz: Literal[22050, 24000, 44100, 48000]
    aac_kbps: Annotated[int, Field(strict=True, ge=24, le=320)]
    mp3_kbps: Literal[32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320]


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
    return Mastering(name=path.stem, **preset.model_dump())
