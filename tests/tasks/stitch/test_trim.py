from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tasks.domain import TakeMark
from tasks.stitch.trim import audible_span, fade_edges, kept_silence

RATE = 24_000
FRAME = 120  # 5 ms


def sound(head: int, body: int, tail: int, level: float = 0.2, noise: float = 0.0) -> np.ndarray:
    rng = np.random.default_rng(7)
    samples = noise * rng.standard_normal(head + body + tail)
    samples[head : head + body] += level * np.cos(2 * np.pi * 250 * np.arange(body) / RATE)
    return samples.astype(np.float32)


@pytest.mark.parametrize("head", [0, 1, 119, 120, 5000, 9601])
@pytest.mark.parametrize("tail", [0, 1, 121, 20000])
@pytest.mark.parametrize("noise", [0.0, 1e-4])
def test_the_span_is_found_to_a_frame_and_cuts_nothing(head: int, tail: int, noise: float) -> None:
    span = audible_span(sound(head, 12000, tail, noise=noise), RATE)
    assert span is not None
    assert head - FRAME < span[0] <= head
    assert head + 12000 <= span[1] < head + 12000 + FRAME


def test_a_quiet_consonant_before_a_loud_vowel_is_heard() -> None:
    samples = sound(4800, 12000, 4800, level=0.5)
    samples[3600:4800] = 0.5 * 10 ** (-38 / 20) * np.random.default_rng(1).standard_normal(1200)
    span = audible_span(samples, RATE)
    assert span is not None
    assert span[0] <= 3600


def test_silence_has_no_span() -> None:
    assert audible_span(np.zeros(RATE, dtype=np.float32), RATE) is None
    assert audible_span(np.zeros(0, dtype=np.float32), RATE) is None
    assert audible_span(np.full(RATE, 1e-4, dtype=np.float32), RATE) is None


def test_marks_are_never_cut_into() -> None:
    samples = sound(9600, 12000, 9600)
    marks = (TakeMark(0, 1, 9000, 12000), TakeMark(1, 2, 12000, 23000))
    assert audible_span(samples, RATE, marks) == (9000, 23000)


def test_marks_make_silence_count_as_speech() -> None:
    assert audible_span(np.zeros(RATE, dtype=np.float32), RATE, (TakeMark(0, 4, 100, 20000),)) == (100, 20000)


def test_marks_beyond_the_recording_are_held_to_it() -> None:
    assert audible_span(np.zeros(1000, dtype=np.float32), RATE, (TakeMark(0, 4, -5, 20000),)) == (0, 1000)


@given(
    st.integers(0, 100_000),
    st.integers(0, 100_000),
    st.integers(0, 100_000),
    st.sampled_from([16_000, 22_050, 24_000, 44_100]),
)
def test_kept_silence_never_exceeds_the_pause_the_limits_or_what_is_there(
    tail: int, head: int, gap: int, rate: int
) -> None:
    kept_tail, kept_head = kept_silence(tail, head, gap, rate)
    assert 0 <= kept_tail <= min(tail, round(0.08 * rate))
    assert 0 <= kept_head <= min(head, round(0.04 * rate))
    assert kept_tail + kept_head <= gap
    if gap >= round(0.08 * rate) + round(0.04 * rate):
        assert kept_tail == min(tail, round(0.08 * rate))
        assert kept_head == min(head, round(0.04 * rate))


@given(st.integers(0, 2000), st.integers(0, 500))
def test_fades_end_at_zero_and_leave_the_middle_alone(count: int, fade: int) -> None:
    samples = np.ones(count, dtype=np.float32)
    fade_edges(samples, fade)
    used = min(fade, count // 2)
    if used:
        assert samples[0] == 0.0
        assert samples[-1] == 0.0
        assert np.all(np.diff(samples[:used]) >= 0)
        assert np.all(np.diff(samples[count - used :]) <= 0)
    assert np.all(samples[used : count - used] == 1.0)
