from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from common.loudness import true_peak_dbtp
from tasks.stitch.limiter import FRAME, LOOK_SECONDS, peaks_of, reduction

RATE = 24_000


def spiky(seconds: float, spikes: list[tuple[float, float]], seed: int = 1) -> np.ndarray:
    """Quiet noise with peaks at given seconds of given height."""
    sound = 0.05 * np.random.default_rng(seed).standard_normal(round(seconds * RATE))
    for at, height in spikes:
        sound[round(at * RATE)] += height
    return sound


def limited(sound: np.ndarray, ceiling: float) -> np.ndarray:
    found = reduction(peaks_of(lambda a, b: sound[a:b], len(sound), ceiling), 1.0, ceiling, RATE)
    if found is None:
        return sound
    curve = found.curve(0, len(sound))
    return sound if curve is None else sound * curve


def peak_db(sound: np.ndarray) -> float:
    return true_peak_dbtp(lambda a, b: sound[a:b], len(sound))


def test_nothing_over_the_ceiling_is_no_limiter() -> None:
    sound = spiky(1, [])
    assert reduction(peaks_of(lambda a, b: sound[a:b], len(sound), 0.5), 1.0, 0.5, RATE) is None


def test_what_is_far_from_a_peak_stays_bit_for_bit() -> None:
    sound = spiky(4, [(2.0, 0.9)])
    made = limited(sound, 0.5)
    before = slice(0, round((2.0 - 2 * LOOK_SECONDS) * RATE) - 4 * FRAME)
    after = slice(round(2.2 * RATE), None)  # 5 dB at 60 dB/s are let go in 85 ms
    assert np.array_equal(made[before], sound[before])
    assert np.array_equal(made[after], sound[after])
    assert not np.array_equal(made, sound)


@settings(max_examples=40, deadline=None)
@given(
    st.lists(st.tuples(st.floats(0.0, 0.99), st.floats(-3.0, 3.0)), max_size=12),
    st.floats(0.2, 0.9),
    st.integers(0, 9),
)
def test_no_true_peak_passes_the_ceiling(spikes: list[tuple[float, float]], ceiling: float, seed: int) -> None:
    made = limited(spiky(1, spikes, seed), ceiling)
    assert peak_db(made) <= 20 * np.log10(ceiling) + 0.05


def test_the_deepest_reduction_is_what_the_highest_peak_needs() -> None:
    sound = spiky(2, [(1.0, 1.0)], seed=3)
    peaks = peaks_of(lambda a, b: sound[a:b], len(sound), 0.1)
    found = reduction(peaks, 1.0, 0.5, RATE)
    assert found is not None
    assert found.deepest_db == pytest.approx(peak_db(sound) - 20 * np.log10(0.5), abs=0.01)
    assert 0.0 < found.share < 0.1


def test_the_curve_does_not_depend_on_the_blocks_it_is_asked_in() -> None:
    sound = spiky(2, [(0.0, 0.9), (0.7, 1.4), (1.99, 0.8)])
    found = reduction(peaks_of(lambda a, b: sound[a:b], len(sound), 0.4), 1.0, 0.4, RATE)
    assert found is not None
    whole = found.curve(0, len(sound))
    assert whole is not None
    for size in (1, 15, 16, 17, 1000, 4096):
        stretch = slice(16_000, 18_000)
        parts = [
            found.curve(a, min(stretch.stop, a + size)) for a in range(stretch.start, stretch.stop, size)
        ]  # fmt: skip
        joined = np.concatenate(
            [
                np.ones(min(stretch.stop, a + size) - a) if part is None else part
                for a, part in zip(range(stretch.start, stretch.stop, size), parts, strict=True)
            ]
        )
        assert np.array_equal(joined, whole[stretch])


def test_gain_moves_smoothly() -> None:
    sound = spiky(2, [(1.0, 1.6)])
    found = reduction(peaks_of(lambda a, b: sound[a:b], len(sound), 0.4), 1.0, 0.4, RATE)
    assert found is not None
    curve = found.curve(0, len(sound))
    assert curve is not None
    steps_db = np.abs(np.diff(20 * np.log10(curve)))
    assert steps_db.max() < 13 / (LOOK_SECONDS * RATE)  # 12 dB spread over the look-ahead, not a jump
