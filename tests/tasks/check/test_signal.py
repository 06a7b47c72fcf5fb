"""Measures of a take."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from tasks.check.signal import measure

RATE = 24_000


def tone(seconds: float, level: float = 0.2, hz: float = 200.0) -> np.ndarray:
    return (level * np.sin(2 * np.pi * hz * np.arange(round(seconds * RATE)) / RATE)).astype(np.float32)


def silence(seconds: float) -> np.ndarray:
    return np.zeros(round(seconds * RATE), np.float32)


def take(*parts: np.ndarray) -> np.ndarray:
    return np.concatenate(parts)


def test_silence_at_head_inside_and_tail_is_measured() -> None:
    found = measure(take(silence(0.4), tone(1.0), silence(0.7), tone(0.5), silence(0.9)), RATE)
    assert found.seconds == pytest.approx(3.5)
    assert found.head_seconds == pytest.approx(0.4, abs=0.011)
    assert found.tail_seconds == pytest.approx(0.9, abs=0.011)
    assert found.gap_seconds == pytest.approx(0.7, abs=0.021)
    assert found.sounding_seconds == pytest.approx(2.2, abs=0.021)
    assert found.head_seconds + found.sounding_seconds + found.tail_seconds == pytest.approx(3.5)


def test_noise_far_below_the_speech_is_silence() -> None:
    hiss = np.random.default_rng(1).normal(0, 0.0005, round(0.5 * RATE)).astype(np.float32)
    found = measure(take(hiss, tone(1.0), hiss), RATE)
    assert found.head_seconds == pytest.approx(0.5, abs=0.011)
    assert found.tail_seconds == pytest.approx(0.5, abs=0.011)


@pytest.mark.parametrize("level", [0.005, 0.05, 0.5])
def test_level_and_peak_are_those_of_the_speech(level: float) -> None:
    found = measure(take(silence(1.0), tone(2.0, level), silence(1.0)), RATE)
    assert found.level_db == pytest.approx(20 * math.log10(level / math.sqrt(2)), abs=0.2)
    assert found.peak == pytest.approx(level, rel=0.01)


@pytest.mark.parametrize("samples", [silence(1.0), tone(1.0, 1e-5), silence(0.0), silence(0.001)])
def test_nothing_to_hear_is_silent(samples: np.ndarray) -> None:
    found = measure(samples, RATE)
    assert found.silent
    assert found.head_seconds == found.seconds


def test_an_offset_is_measured() -> None:
    assert measure(tone(1.0) + np.float32(0.05), RATE).dc == pytest.approx(0.05, abs=0.001)
    assert measure(tone(1.0), RATE).dc == pytest.approx(0.0, abs=0.001)


@pytest.mark.parametrize("ceiling", [1.0, 0.3])
def test_flat_peaks_are_counted_at_any_level(ceiling: float) -> None:
    clean = tone(1.0, 2.0, 100.0)
    clipped = np.clip(clean, -1.0, 1.0) * np.float32(ceiling)
    assert measure(clipped, RATE).clipped_runs == 200
    assert measure(clean, RATE).clipped_runs == 0
    assert measure(silence(1.0), RATE).clipped_runs == 0


def test_the_end_of_a_cut_off_take_is_as_loud_as_the_rest() -> None:
    assert measure(take(silence(0.3), tone(1.0)), RATE).end_drop_db < 3.0
    assert measure(take(tone(1.0), silence(0.2)), RATE).end_drop_db > 60.0


@given(arrays(np.float32, st.integers(0, 3_000), elements=st.floats(-4, 4, width=32)))
def test_any_sound_has_consistent_figures(samples: np.ndarray) -> None:
    found = measure(samples, RATE)
    total = found.head_seconds + found.sounding_seconds + found.tail_seconds
    assert total == pytest.approx(found.seconds, abs=1e-9)
    assert 0.0 <= found.gap_seconds <= found.sounding_seconds + 1e-9
    assert found.peak >= 0.0
    assert not math.isnan(found.level_db)
    assert not math.isnan(found.end_drop_db)
