from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import scipy.signal

from common.loudness import integrated_lufs, rms_db, true_peak_dbtp
from tasks.stitch.master import room_tone, settle
from tasks.stitch.mastering import known_masterings, load_mastering

RATE = 24_000


def speech(seconds: float, level: float = 0.1, seed: int = 2) -> np.ndarray:
    """Syllables of coloured noise with pauses: crest and spectrum like a voice's."""
    rng = np.random.default_rng(seed)
    count = round(seconds * RATE)
    noise = scipy.signal.lfilter([1.0], [1.0, -0.9], rng.standard_normal(count))
    beat = np.repeat(rng.random(int(seconds * 4) + 1), RATE // 4)[:count]
    return level * 0.4 * noise * np.where(beat > 0.2, beat, 0.0)


@pytest.mark.parametrize("name", known_masterings())
@pytest.mark.parametrize("level", [0.02, 0.1, 0.6])
def test_every_preset_meets_its_aim_under_its_ceiling(name: str, level: float) -> None:
    preset, sound = load_mastering(name), speech(20, level)
    found = settle(lambda a, b: sound[a:b], len(sound), RATE, preset).reader(lambda a, b: sound[a:b])
    if preset.loudness_lufs is not None:
        assert integrated_lufs(found, len(sound), RATE) == pytest.approx(preset.loudness_lufs, abs=0.1)
    else:
        assert rms_db(found, len(sound)) == pytest.approx(preset.rms_db, abs=0.1)
    assert true_peak_dbtp(found, len(sound)) <= preset.ceiling_dbtp


def test_where_the_ceiling_does_not_bind_the_chapter_is_only_made_louder() -> None:
    sound = speech(10)
    level = settle(lambda a, b: sound[a:b], len(sound), RATE, replace(load_mastering(), loudness_lufs=-30.0))
    assert level.reduction is None
    assert np.array_equal(level.finish(sound, 0, len(sound)), sound)


def test_a_chapter_that_would_need_more_than_the_limit_stays_quieter() -> None:
    sound = speech(10)
    preset = replace(load_mastering(), loudness_lufs=-10.0, limit_db=3.0)
    level = settle(lambda a, b: sound[a:b], len(sound), RATE, preset)
    found = level.reader(lambda a, b: sound[a:b])
    assert level.limited_db == pytest.approx(3.0, abs=0.01)
    assert integrated_lufs(found, len(sound), RATE) < -12
    assert true_peak_dbtp(found, len(sound)) <= preset.ceiling_dbtp


def test_without_a_limiter_the_ceiling_holds_the_gain() -> None:
    sound = speech(10)
    preset = replace(load_mastering(), limit_db=0.0)
    level = settle(lambda a, b: sound[a:b], len(sound), RATE, preset)
    peak = true_peak_dbtp(lambda a, b: sound[a:b], len(sound))
    assert level.gain_db == pytest.approx(preset.ceiling_dbtp - peak, abs=0.02)
    assert level.limited_db == pytest.approx(0.0, abs=0.01)


def test_silence_is_not_made_louder() -> None:
    assert settle(lambda a, b: np.zeros(b - a), RATE, RATE, load_mastering()).gain_db == 0.0


def test_the_room_has_the_level_asked_for_and_is_the_same_in_any_blocks() -> None:
    whole = room_tone(0, 200_000, -70.0)
    assert 20 * np.log10(np.sqrt(np.mean(whole**2))) == pytest.approx(-70.0, abs=0.1)
    parts = [room_tone(a, min(200_000, a + 7777), -70.0) for a in range(0, 200_000, 7777)]
    assert np.array_equal(np.concatenate(parts), whole)
    assert np.array_equal(room_tone(65_536, 65_540, -70.0), whole[65_536:65_540])
