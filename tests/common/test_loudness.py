from __future__ import annotations

import numpy as np
import pyloudnorm
import pytest
import scipy.signal

from common import loudness
from common.loudness import SILENCE_DB, SILENCE_LUFS, integrated_lufs, true_peak_dbtp


def lufs(samples: np.ndarray, rate: int = 48_000) -> float:
    return integrated_lufs(lambda a, b: samples[a:b], len(samples), rate)


def peak(samples: np.ndarray) -> float:
    return true_peak_dbtp(lambda a, b: samples[a:b], len(samples))


def sine(hz: float, seconds: float, rate: int = 48_000, level_db: float = 0.0, phase: float = 0.0) -> np.ndarray:
    return 10 ** (level_db / 20) * np.sin(2 * np.pi * hz * np.arange(round(seconds * rate)) / rate + phase)


def speechlike(seconds: float, rate: int, seed: int = 3) -> np.ndarray:
    """Noise in syllables and pauses, with a spectrum that falls like a voice's."""
    rng = np.random.default_rng(seed)
    noise = scipy.signal.lfilter([1.0], [1.0, -0.9], rng.standard_normal(round(seconds * rate)))
    beat = np.repeat(rng.random(int(seconds * 4) + 1) ** 2, rate // 4)[: len(noise)]
    return 0.1 * noise * np.where(beat > 0.1, beat, 0.0)


@pytest.mark.parametrize("rate", [22_050, 24_000, 44_100, 48_000])
def test_a_997_hz_sine_at_full_scale_measures_minus_3_01_lufs(rate: int) -> None:
    assert lufs(sine(997, 5, rate), rate) == pytest.approx(-3.01, abs=0.05)


@pytest.mark.parametrize("level_db", [-6.0, -23.0, -40.0])
def test_loudness_follows_level(level_db: float) -> None:
    assert lufs(sine(997, 5, level_db=level_db)) == pytest.approx(-3.01 + level_db, abs=0.05)


def test_the_relative_gate_leaves_pauses_out() -> None:
    # EBU Tech 3341, case 3 in mono: quiet edges 10 LU and more under the middle do not count
    middle = sine(1000, 60, level_db=-20)
    edges = sine(1000, 10, level_db=-36)
    assert lufs(np.concatenate([edges, middle, edges])) == pytest.approx(lufs(middle), abs=0.1)


def test_the_absolute_gate_leaves_silence_out() -> None:
    middle = sine(1000, 20, level_db=-20)
    assert lufs(np.concatenate([np.zeros(48_000 * 30), middle])) == pytest.approx(lufs(middle), abs=0.1)


@pytest.mark.parametrize("rate", [22_050, 24_000, 48_000])
def test_it_agrees_with_pyloudnorm_on_the_whole_sound(rate: int) -> None:
    samples = speechlike(40, rate)
    whole = pyloudnorm.Meter(rate, filter_class="DeMan").integrated_loudness(samples)
    assert lufs(samples, rate) == pytest.approx(whole, abs=0.05)


def test_the_default_filters_of_pyloudnorm_are_near() -> None:
    samples = speechlike(40, 24_000)
    assert lufs(samples, 24_000) == pytest.approx(pyloudnorm.Meter(24_000).integrated_loudness(samples), abs=0.3)


@pytest.mark.parametrize("count", [0, 1, 1000])
def test_silence_and_nothing_are_finite(count: int) -> None:
    assert lufs(np.zeros(count)) == SILENCE_LUFS
    assert peak(np.zeros(count)) == SILENCE_DB


def test_a_sound_shorter_than_a_block_still_has_a_loudness() -> None:
    assert lufs(sine(997, 0.2)) == pytest.approx(-3.0, abs=1.0)


def test_true_peak_sees_between_samples() -> None:
    # a quarter of the sample rate at 45 degrees: samples reach 0.707, the wave 1.0
    samples = sine(12_000, 1, level_db=-6, phase=np.pi / 4)
    assert 20 * np.log10(np.abs(samples).max()) == pytest.approx(-9.01, abs=0.01)
    assert peak(samples) == pytest.approx(-6.0, abs=0.2)


def test_true_peak_is_never_under_the_sample_peak() -> None:
    samples = np.zeros(5000)
    samples[2500] = 0.5
    assert peak(samples) >= 20 * np.log10(0.5) - 1e-9


@pytest.mark.parametrize("seed", range(6))
def test_leaving_quiet_blocks_out_changes_nothing(seed: int) -> None:
    samples = speechlike(6, 24_000, seed)
    taps, _ = loudness.interpolator()
    whole = np.abs(scipy.signal.resample_poly(samples, 4, 1, window=taps)).max()
    assert peak(samples) == pytest.approx(20 * np.log10(whole), abs=1e-9)


def test_a_peak_on_the_border_of_two_blocks_is_seen() -> None:
    samples = np.zeros(40_000)
    border = loudness._PEAK_BLOCK
    samples[border - 4 : border + 4] = sine(12_000, 1, phase=np.pi / 4)[:8]
    shifted = np.roll(samples, 500)
    assert peak(samples) == pytest.approx(peak(shifted), abs=1e-9)
