"""What is usual for a voice."""

from __future__ import annotations

import numpy as np
import pytest

from tasks.check.norms import LEAST, Norms
from tasks.check.voiceprint import log_mel


def axis(number: int) -> np.ndarray:  # type: ignore[type-arg]
    vector = np.zeros(256, np.float32)
    vector[number] = 1.0
    return vector


def test_a_voice_has_no_norm_before_enough_takes_are_known() -> None:
    norms = Norms()
    for _ in range(LEAST - 1):
        norms.learn("one", 0.8, -20.0)
    assert norms.of("one") is None
    norms.learn("one", 0.8, -20.0)
    assert norms.of("one") == norms.of("one")
    assert norms.of("other") is None


def test_one_bad_take_changes_nothing() -> None:
    norms = Norms()
    for _ in range(LEAST):
        norms.learn("one", 0.8, -20.0, axis(0))
        norms.learn("two", 1.0, -25.0, axis(1))
    norms.learn("one", 3.0, -50.0, axis(1))
    norm = norms.of("one")
    assert norm is not None
    assert (norm.pace, norm.level_db) == (pytest.approx(0.8), pytest.approx(-20.0))
    assert norm.centre is not None
    assert norm.centre @ axis(0) == pytest.approx(1.0)
    assert norm.others[0] @ axis(1) == pytest.approx(1.0)


def test_a_tone_lies_in_the_band_of_its_frequency() -> None:
    def band(hz: float) -> int:
        return int(
            np.argmax(log_mel(np.sin(2 * np.pi * hz * np.arange(16_000) / 16_000).astype(np.float32)).mean(axis=0))
        )

    bands = [band(hz) for hz in (200.0, 500.0, 1000.0, 2000.0, 4000.0)]
    assert bands == sorted(bands)
    assert len(set(bands)) == 5
    assert log_mel(np.zeros(9600, np.float32)).shape == (80, 40)
