from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from engines.base import Voice
from flows.levels import HOUSE_LUFS, Levels, Spoken
from tasks.domain import Take

RATE = 24_000
CLONE = Voice("clone", "cosyvoice3", "", "zh", "", content="abcdef0123456789", levelled=False)


class Studio:
    """Tones of known loudness: a 1 kHz sine of amplitude a has 20 log10(a) - 3.01 LUFS."""

    def __init__(self) -> None:
        self.sounds: dict[str, np.ndarray] = {}

    def take(self, lufs: float, seconds: float = 3.0) -> Take:
        key = f"k{len(self.sounds)}"
        time = np.arange(round(seconds * RATE)) / RATE
        self.sounds[key] = 10 ** ((lufs + 3.01) / 20) * np.sin(2 * np.pi * 1000 * time)
        return Take(key, Path(key), RATE, len(time))

    def samples(self, take: Take) -> np.ndarray:
        return self.sounds[take.key]


@pytest.fixture
def studio() -> Studio:
    return Studio()


def test_a_voice_nobody_measured_comes_to_the_level_of_the_house(studio: Studio, tmp_path: Path) -> None:
    levels = Levels(tmp_path / "levels.json", studio.samples)
    spoken = [Spoken(CLONE, studio.take(lufs)) for lufs in (-27.0, -26.0, -12.0)]  # one of them was shouted
    assert levels.gains(spoken) == {"clone": pytest.approx(HOUSE_LUFS + 26.0, abs=0.1)}


def test_a_measured_voice_is_left_alone(studio: Studio, tmp_path: Path) -> None:
    voice = Voice("zf", "kokoro", "", "zh", "", gain_db=0.3, content="x")
    assert Levels(tmp_path / "levels.json", studio.samples).gains([Spoken(voice, studio.take(-30.0))]) == {}
    assert not (tmp_path / "levels.json").exists()


def test_the_first_measure_holds_for_later_chapters_and_runs(studio: Studio, tmp_path: Path) -> None:
    path = tmp_path / "levels.json"
    first = Levels(path, studio.samples).gains([Spoken(CLONE, studio.take(-25.0))])
    again = Levels(path, studio.samples).gains([Spoken(CLONE, studio.take(-10.0))])
    assert first == again == {"clone": pytest.approx(5.0, abs=0.1)}
    assert list(json.loads(path.read_text())["voices"]) == ["clone abcdef012345"]


def test_another_clip_under_the_same_name_is_measured_anew(studio: Studio, tmp_path: Path) -> None:
    path = tmp_path / "levels.json"
    Levels(path, studio.samples).gains([Spoken(CLONE, studio.take(-25.0))])
    other = Voice("clone", "cosyvoice3", "", "zh", "", content="fedcba9876543210", levelled=False)
    assert Levels(path, studio.samples).gains([Spoken(other, studio.take(-15.0))])["clone"] == pytest.approx(
        -5.0, abs=0.1
    )


def test_short_lines_count_only_where_there_are_no_others_and_silence_never(studio: Studio, tmp_path: Path) -> None:
    def gain(*takes: Take) -> float:
        return Levels(tmp_path / f"{len(studio.sounds)}.json", studio.samples).gains(
            Spoken(CLONE, take) for take in takes
        )["clone"]

    assert gain(studio.take(-30.0, 0.5), studio.take(-22.0)) == pytest.approx(2.0, abs=0.1)
    assert gain(studio.take(-30.0, 0.5)) == pytest.approx(10.0, abs=0.2)
    assert gain(studio.take(-200.0)) == 0.0
    assert gain(studio.take(-60.0)) == 15.0


def test_a_damaged_memory_is_forgotten(studio: Studio, tmp_path: Path) -> None:
    (tmp_path / "levels.json").write_text("{")
    assert Levels(tmp_path / "levels.json", studio.samples).gains([Spoken(CLONE, studio.take(-21.0))])
