from __future__ import annotations

import itertools

import numpy as np

from engines.base import Mark
from engines.kokoro import front, sound
from engines.kokoro.graph import FRAME_SAMPLES


def spoken(frames: int, first: int, last: int) -> np.ndarray:
    samples = np.zeros(frames * FRAME_SAMPLES, np.float32)
    samples[first:last] = 0.3 * np.sin(np.arange(last - first) * 0.05)
    return samples


def test_pass_is_trimmed_to_40_and_80_ms_around_the_sound() -> None:
    units, _ = front.units_of("好", "zh", ())
    durations = np.array([10, 2, 2, 2, 4, 20])[: 2 + sum(len(front.symbols_of(u, True)) for u in units)]
    said = sound.finish(spoken(int(durations.sum()), 6000, 12000), units, durations)
    assert abs(len(said.samples) - (6000 + 960 + 1920)) <= 2 * sound.HOP_SAMPLES
    assert said.samples[0] == 0.0
    assert said.marks[-1].end <= 960 + 6000 + sound.HOP_SAMPLES


def test_spans_sum_to_the_length_exactly() -> None:
    units, _ = front.units_of("你好，我用iPhone。", "zh", ())
    tokens = sum(len(front.symbols_of(unit, place == 0)) for place, unit in enumerate(units))
    durations = np.arange(1, tokens + 3)
    spans = sound.spans_of(units, durations)
    assert [unit.start for unit, _, _ in spans] == [0, 1, 3, 4, 5]
    assert spans[0][1] == durations[0] * FRAME_SAMPLES
    assert all(first[2] <= second[1] for first, second in itertools.pairwise(spans))
    assert spans[-1][2] <= durations.sum() * FRAME_SAMPLES


def test_marks_stay_inside_and_in_order_even_where_the_sound_ends_early() -> None:
    units, _ = front.units_of("一二三四五六", "zh", ())
    tokens = sum(len(front.symbols_of(unit, place == 0)) for place, unit in enumerate(units))
    durations = np.full(tokens + 2, 3)
    said = sound.finish(spoken(int(durations.sum()), 2000, 2600), units, durations)
    at = 0
    assert len(said.marks) == 6
    for mark in said.marks:
        assert at <= mark.start < mark.end <= len(said.samples)
        at = mark.end


def test_silence_gives_no_samples() -> None:
    units, _ = front.units_of("好", "zh", ())
    assert len(sound.finish(np.zeros(6000, np.float32), units, np.full(10, 1)).samples) == 0


def test_joining_moves_the_marks_and_adds_the_pauses() -> None:
    one = sound.Said(np.ones(100, np.float32), (Mark(0, 1, 10, 90),))
    joined = sound.join([one, one], [0.25, 0.25])
    assert len(joined.samples) == 200 + 6000
    assert joined.marks[1] == Mark(0, 1, 6110, 6190)


def test_pitch_is_bent_where_there_is_voice_only() -> None:
    f0 = np.array([0.0, 100.0, 200.0, 0.5], np.float32)
    higher = sound.bend(f0, 1.1, 1.0)
    assert np.allclose(higher, [0.0, 110.0, 220.0, 0.5])
    wider = sound.bend(f0, 1.0, 1.5)
    assert wider[1] < 100 < 200 < wider[2]
    assert np.isclose(wider[1] * wider[2], 20000, rtol=1e-4)
    assert sound.bend(f0, 1.0, 1.0) is f0
