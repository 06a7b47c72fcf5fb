"""What is refused, what is warned of, and what is cut away."""

import numpy as np
import pytest

from common.errors import VoicepressError
from engines.cosyvoice3 import clip

RATE = 24_000


def voice(seconds: float, level: float = 0.2, noise: float = 1e-5, seed: int = 0) -> np.ndarray:
    """Something like speech: a buzz in syllables of a fifth of a second, pauses between them, noise under it."""
    time = np.arange(round(seconds * RATE)) / RATE
    syllables = (np.sin(2 * np.pi * 2.5 * time) > -0.3).astype(float)
    buzz = np.sin(2 * np.pi * 140 * time) + 0.5 * np.sin(2 * np.pi * 420 * time)
    hiss = np.random.default_rng(seed).standard_normal(len(time)) * noise
    return (level * buzz * syllables + hiss).astype(np.float32)


def silence(seconds: float) -> np.ndarray:
    return np.zeros(round(seconds * RATE), np.float32)


def test_silence_at_both_ends_is_cut():
    spoken = voice(4.0)
    padded = np.concatenate([silence(1.5), spoken, silence(2.0)])
    kept = clip.trimmed(padded, RATE)
    assert len(spoken) - 0.15 * RATE < len(kept) < len(spoken) + 0.35 * RATE
    assert np.abs(kept[: round(0.05 * RATE)]).max() == 0


def test_a_clip_without_silence_stays_whole():
    spoken = voice(4.0)
    assert len(clip.trimmed(spoken, RATE)) >= len(spoken) - 0.02 * RATE


def test_silence_alone_is_not_cut_but_refused():
    assert len(clip.trimmed(silence(2), RATE)) == 2 * RATE
    with pytest.raises(VoicepressError, match="silent"):
        clip.refuse(silence(2), RATE)


@pytest.mark.parametrize(
    ("samples", "rate", "code"),
    [
        (voice(5), 8000, "clip-rate"),
        (voice(30.5), RATE, "clip-too-long"),
        (voice(0.4), RATE, "clip-too-short"),
        (np.zeros(0, np.float32), RATE, "clip-silent"),
    ],
)
def test_what_cannot_work_is_refused(samples, rate, code):
    with pytest.raises(VoicepressError) as caught:
        clip.refuse(samples, rate)
    assert caught.value.code == code
    assert caught.value.hint


def test_a_good_clip_is_neither_refused_nor_warned_of():
    clip.refuse(voice(5), RATE)
    assert clip.warnings(voice(5), RATE, "这段话大概有二十来个字，用来说明一切正常。") == ()


@pytest.mark.parametrize(
    ("samples", "rate", "transcript", "said"),
    [
        (voice(2), RATE, "两秒钟说了八个字", "2.0 s long"),
        (voice(15), RATE, "", "15.0 s long"),
        (voice(5)[: 5 * 16_000], 16_000, "", "8 kHz"),
        (np.clip(voice(5, level=2.0), -1, 1), RATE, "", "clipped"),
        (voice(5, level=0.01), RATE, "", "quiet"),
        (voice(5, noise=0.02), RATE, "", "noise"),
        (voice(5), RATE, "短", "characters a second"),
        (voice(5), RATE, "长" * 80, "characters a second"),
        (voice(5), RATE, "!?", "no words"),
    ],
)
def test_what_will_be_heard_is_warned_of(samples, rate, transcript, said):
    found = clip.warnings(samples, rate, transcript)
    assert any(said in warning for warning in found), found
