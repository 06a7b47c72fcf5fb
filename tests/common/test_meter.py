from __future__ import annotations

import numpy as np
import pytest
import scipy.signal
from hypothesis import given, settings
from hypothesis import strategies as st

from common.loudness import SILENCE_DB, SILENCE_LUFS, integrated_lufs, rms_db, true_peak_dbtp
from common.meter import Measured, Meter

RATE = 44_100


def measured(sound: np.ndarray, rate: int = RATE, blocks: int = 10_000) -> Measured:
    channels = 1 if sound.ndim == 1 else sound.shape[1]
    meter = Meter(rate, channels)
    for start in range(0, len(sound), blocks):
        meter.feed(sound[start : start + blocks])
    return meter.measured()


def speechlike(seconds: float, rate: int = RATE, seed: int = 3) -> np.ndarray:
    rng = np.random.default_rng(seed)
    noise = scipy.signal.lfilter([1.0], [1.0, -0.9], rng.standard_normal(round(seconds * rate)))
    beat = np.repeat(rng.random(int(seconds * 4) + 1) ** 2, rate // 4)[: len(noise)]
    return 0.05 * noise * np.where(beat > 0.1, beat, 0.0)


@pytest.mark.parametrize("rate", [22_050, 24_000, 44_100, 48_000])
def test_it_agrees_with_the_measures_of_a_sound_at_hand(rate: int) -> None:
    sound = speechlike(23.7, rate)
    found = measured(sound, rate)

    def read(start: int, stop: int) -> np.ndarray:
        return sound[start:stop]

    assert found.loudness_lufs == pytest.approx(integrated_lufs(read, len(sound), rate), abs=1e-9)
    assert found.true_peak_dbtp == pytest.approx(true_peak_dbtp(read, len(sound)), abs=1e-9)
    assert found.rms_db == pytest.approx(rms_db(read, len(sound)), abs=1e-9)
    assert found.peak_dbfs == pytest.approx(20 * np.log10(np.abs(sound).max()))
    assert (found.samples, found.rate_hz, found.channels) == (len(sound), rate, 1)


@settings(max_examples=20, deadline=None)
@given(st.integers(1, 30_000), st.integers(1, 200_000))
def test_the_size_of_blocks_does_not_matter(blocks: int, length: int) -> None:
    sound = speechlike(5)[:length]
    assert measured(sound, blocks=max(blocks, length // 500)) == measured(sound, blocks=length)


def test_a_peak_between_samples_at_the_edge_of_blocks_is_found() -> None:
    wave = np.sin(np.pi / 2 * np.arange(RATE) + np.pi / 4)  # every sample at -3 dB, the wave itself at 0
    for blocks in (1, 7, 4410, RATE):
        found = measured(wave[: 5000 if blocks < 10 else RATE], blocks=blocks)
        assert found.peak_dbfs == pytest.approx(-3.01, abs=0.01)
        assert found.true_peak_dbtp == pytest.approx(0.0, abs=0.2)


def test_two_equal_channels_are_3_lu_louder_than_one_and_have_its_level() -> None:
    sound = speechlike(10)
    one, two = measured(sound), measured(np.stack([sound, sound], axis=1))
    assert two.loudness_lufs - one.loudness_lufs == pytest.approx(3.01, abs=0.01)
    assert two.rms_db == pytest.approx(one.rms_db)
    assert two.noise_floor_db == pytest.approx(one.noise_floor_db)


def test_head_tail_and_noise_floor_are_those_that_were_planted() -> None:
    rng = np.random.default_rng(1)
    tone = 0.3 * np.sin(2 * np.pi * 300 * np.arange(3 * RATE) / RATE)
    sound = np.concatenate([np.zeros(round(0.75 * RATE)), tone, np.zeros(2 * RATE)])
    sound += 10 ** (-65 / 20) * rng.standard_normal(len(sound))
    found = measured(sound)
    assert found.head_seconds == pytest.approx(0.75, abs=0.011)
    assert found.tail_seconds == pytest.approx(2.0, abs=0.011)
    assert found.noise_floor_db == pytest.approx(-65.0, abs=0.3)


def test_silence_and_nothing_measure_as_silence() -> None:
    silent = measured(np.zeros(RATE))
    assert (silent.loudness_lufs, silent.peak_dbfs, silent.noise_floor_db) == (SILENCE_LUFS, SILENCE_DB, SILENCE_DB)
    assert silent.head_seconds == silent.tail_seconds == 1.0
    assert Meter(RATE).measured().samples == 0


def test_sound_under_400_ms_counts_as_one_block() -> None:
    sound = 0.1 * np.sin(2 * np.pi * 1000 * np.arange(RATE // 5) / RATE)
    assert measured(sound).loudness_lufs == pytest.approx(
        integrated_lufs(lambda a, b: sound[a:b], len(sound), RATE), abs=1e-9
    )
