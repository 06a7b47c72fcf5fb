"""Takes made of silence, tones and clicks, whose places are known to the sample."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from tasks.domain import Part, Take, TakeMark

RATE = 24_000


class Studio:
    """Makes takes and remembers their samples, as the take store would."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.sounds: dict[str, np.ndarray] = {}
        self.asked: list[str] = []

    def samples_of(self, take: Take) -> np.ndarray:
        self.asked.append(take.key)
        return self.sounds[take.key]

    def take(self, samples: np.ndarray, rate: int = RATE, marks: tuple[TakeMark, ...] = ()) -> Take:
        key = f"take{len(self.sounds):04d}"
        self.sounds[key] = samples.astype(np.float32)
        return Take(key, self.folder / f"{key}.flac", rate, len(samples), marks=marks)

    def voice(self, seconds: float = 1.0, head: float = 0.4, tail: float = 0.9, level: float = 0.2, hz: float = 220.0,
              rate: int = RATE, marks: tuple[TakeMark, ...] = ()) -> Take:  # fmt: skip
        """A tone between silences: what an engine gives, with edges that are known."""
        count = round(seconds * rate)
        tone = level * np.sin(2 * np.pi * hz * np.arange(count) / rate)
        silence = [np.zeros(round(head * rate)), np.zeros(round(tail * rate))]
        return self.take(np.concatenate([silence[0], tone, silence[1]]), rate, marks)

    def part(self, take: Take, **changes: object) -> Part:
        plain: dict[str, object] = {
            "line_id": f"line-{take.key}", "text": "他来了。", "spoken": "他来了。", "speaker": "narrator", "after": "sentence",
        }  # fmt: skip
        return Part(take=take, **(plain | changes))  # type: ignore[arg-type]


@pytest.fixture
def studio(tmp_path: Path) -> Studio:
    return Studio(tmp_path)


@pytest.fixture
def ffmpeg_loudness() -> Callable[[Path], tuple[float, float]]:
    """Integrated loudness and true peak of a file as ffmpeg's ebur128 filter measures them."""
    import re
    import subprocess

    import imageio_ffmpeg

    def measure(path: Path) -> tuple[float, float]:
        said = subprocess.run(
            [imageio_ffmpeg.get_ffmpeg_exe(), "-nostdin", "-hide_banner", "-i", path, "-af", "ebur128=peak=true",
             "-f", "null", "-"],
            capture_output=True, text=True, check=True,
        ).stderr  # fmt: skip
        summary = said[said.rindex("Summary:") :]
        loudness = re.search(r"I:\s+(-?[\d.]+) LUFS", summary)
        peak = re.search(r"Peak:\s+(-?[\d.]+) dBFS", summary)
        assert loudness
        assert peak
        return float(loudness[1]), float(peak[1])

    return measure
