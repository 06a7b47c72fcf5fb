from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tasks.stitch.align import marks_of

RATE = 24_000


def spoken_aloud(text: str, pauses: dict[str, float], seed: int = 0, each: float = 0.2) -> tuple[np.ndarray, list[int]]:
    """A burst of noise for every sounding character, a pause for every mark; and where each burst begins."""
    rng = np.random.default_rng(seed)
    parts, starts, at = [], [], 0
    for char in text:
        if char.isalnum():
            count = round(each * rng.uniform(0.7, 1.4) * RATE)
            swell = np.sin(np.pi * np.arange(count) / count) ** 0.3
            parts.append(0.2 * swell * rng.standard_normal(count))
            starts.append(at)
        else:
            count = round(pauses.get(char, 0.0) * RATE)
            parts.append(0.0005 * rng.standard_normal(count))
        at += count
    return np.concatenate(parts).astype(np.float32), starts


@pytest.mark.parametrize("seed", range(8))
def test_clauses_begin_where_they_are_heard_and_characters_near_it(seed: int) -> None:
    text = "雨下了一整夜，他没有睡。天快亮的时候，老人推开门，看见河面上浮着一层薄薄的雾。“走吧。”他说。"
    sound, starts = spoken_aloud(text, {"，": 0.18, "。": 0.4}, seed)
    marks = marks_of(sound, RATE, text, 0, len(sound))
    sounding = [index for index, char in enumerate(text) if char.isalnum()]
    assert [mark.start_char for mark in marks] == sounding
    errors = [abs(mark.start - start) / RATE for mark, start in zip(marks, starts, strict=True)]
    after_pause = [
        error for index, error in zip(sounding, errors, strict=True) if index == 0 or text[index - 1] in "，。“"
    ]
    assert max(after_pause) < 0.06
    assert max(errors) < 0.35


def test_a_pause_nobody_wrote_does_not_shift_what_follows() -> None:
    text = "他想了很久很久终于开口，说要走。"
    sound, starts = spoken_aloud(text, {"，": 0.2})
    hole = round(0.3 * RATE)
    at = starts[6]
    sound = np.concatenate([sound[:at], np.zeros(hole, np.float32), sound[at:]])
    marks = marks_of(sound, RATE, text, 0, len(sound))
    assert abs(marks[11].start - (starts[11] + hole)) / RATE < 0.06  # 说
    assert abs(marks[6].start - (starts[6] + hole)) / RATE < 0.45


def test_marks_count_inside_the_audible_span() -> None:
    text = "好，走。"
    sound, starts = spoken_aloud(text, {"，": 0.3})
    lead = np.zeros(RATE, np.float32)
    whole = np.concatenate([lead, sound, lead])
    marks = marks_of(whole, RATE, text, RATE, RATE + len(sound))
    assert [round((mark.start - RATE - start) / RATE, 1) for mark, start in zip(marks, starts, strict=True)] == [
        0.0,
        0.0,
    ]
    assert marks[-1].end == RATE + len(sound)


def test_nothing_that_sounds_has_no_marks() -> None:
    assert marks_of(np.zeros(100, np.float32), RATE, "……", 0, 100) == ()
    assert marks_of(np.zeros(100, np.float32), RATE, "好", 50, 50) == ()


@settings(max_examples=60, deadline=None)
@given(st.text("好a1，。…！ ", max_size=60), st.integers(1, 40_000), st.integers(0, 5))
def test_marks_are_ordered_and_within_bounds_whatever_the_sound(text: str, length: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    sound = (rng.standard_normal(length) * (rng.random(length // 500 + 1) > 0.4).repeat(500)[:length]).astype(
        np.float32
    )
    marks = marks_of(sound, RATE, text, 0, length)
    assert [mark.start_char for mark in marks] == [i for i, char in enumerate(text) if char.isalnum()]
    for mark in marks:
        assert 0 <= mark.start <= mark.end <= length
    assert all(a.start <= b.start for a, b in pairwise(marks))
