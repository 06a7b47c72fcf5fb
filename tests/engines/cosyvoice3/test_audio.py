"""Resampling and spectra against numbers computed by the upstream project, and what a clip can do to them."""

import json
import math
from pathlib import Path

import numpy as np
import pytest
import soundfile

from common.errors import VoicepressError
from engines.cosyvoice3 import audio

DATA = Path(__file__).parents[2] / "data/cosyvoice3/golden"


@pytest.fixture(scope="module")
def golden() -> dict[str, np.ndarray]:
    facts = json.loads((DATA / "cases.json").read_text(encoding="utf-8"))["cases"][0]
    with np.load(DATA / f"{facts['id']}.npz") as arrays:
        return {name: arrays[name] for name in arrays.files} | {"clip": np.array(facts["prompt_wav"])}


def test_resampled_waves_are_upstreams(golden):
    samples, rate = audio.load_mono(DATA / str(golden["clip"]))
    np.testing.assert_allclose(audio.resample(samples, rate, 16_000), golden["wav_16k"][0], atol=1e-5)
    np.testing.assert_allclose(audio.resample(samples, rate, 24_000), golden["wav_24k"][0], atol=1e-5)


def test_spectra_are_upstreams(golden):
    wave = golden["wav_16k"][0]
    np.testing.assert_allclose(audio.whisper_mel(wave), golden["whisper_feat"][0], atol=1e-3)
    np.testing.assert_allclose(audio.prompt_mel(golden["wav_24k"][0]), golden["prompt_mel_raw"][0], atol=1e-3)
    np.testing.assert_allclose(audio.fbank(wave), golden["fbank_raw"], atol=1e-2)
    np.testing.assert_allclose(audio.speaker_features(wave), golden["fbank"], atol=1e-2)


def test_kept_tokens_and_frames_are_upstreams(golden):
    frames, tokens = audio.keep_whole_tokens(golden["prompt_mel_raw"].shape[1], golden["speech_token_raw"].shape[1])
    assert golden["prompt_speech_feat"].shape[1] == frames
    assert golden["flow_prompt_speech_token"].shape[1] == tokens


@pytest.mark.parametrize(
    ("frames", "tokens", "kept"),
    [(0, 0, (0, 0)), (86, 44, (86, 43)), (31, 16, (30, 15)), (60, 30, (60, 30)), (61, 20, (40, 20)), (1, 9, (0, 0))],
)
def test_two_frames_stand_for_a_token(frames, tokens, kept):
    assert audio.keep_whole_tokens(frames, tokens) == kept


@pytest.mark.parametrize("rate", [16_000, 22_050, 24_000, 32_000, 44_100, 48_000, 96_000])
@pytest.mark.parametrize("target", [16_000, 24_000])
def test_a_tone_keeps_pitch_and_level_at_every_rate(rate, target):
    seconds, hz = 0.5, 440.0
    tone = (0.5 * np.sin(2 * math.pi * hz * np.arange(int(rate * seconds)) / rate)).astype(np.float32)
    heard = audio.resample(tone, rate, target)
    assert heard.dtype == np.float32
    assert len(heard) == math.ceil(len(tone) * target / rate)
    expected = 0.5 * np.sin(2 * math.pi * hz * np.arange(len(heard)) / target)
    middle = slice(target // 20, -target // 20)
    np.testing.assert_allclose(heard[middle], expected[middle], atol=2e-3)


def test_an_odd_rate_costs_no_more_than_an_even_one():
    clip = np.random.default_rng(0).standard_normal(44_099).astype(np.float32) * 0.1
    assert len(audio.resample(clip, 44_099, 16_000)) == 16_000


def test_what_lies_above_the_new_rate_is_removed():
    rate = 48_000
    tone = np.sin(2 * math.pi * 11_000 * np.arange(rate) / rate).astype(np.float32)
    assert np.abs(audio.resample(tone, rate, 16_000)[100:-100]).max() < 0.01


def test_a_rate_too_low_is_refused():
    with pytest.raises(VoicepressError, match="8000 Hz"):
        audio.resample(np.zeros(8000, np.float32), 8000, 16_000)


def test_channels_are_averaged(tmp_path):
    soundfile.write(tmp_path / "two.wav", np.array([[0.5, 0.0], [0.25, -0.25]]), 24_000, subtype="FLOAT")
    samples, rate = audio.load_mono(tmp_path / "two.wav")
    assert rate == 24_000
    np.testing.assert_array_equal(samples, np.float32([0.25, 0.0]))


@pytest.mark.parametrize("name", ["missing.wav", "text.wav", "empty.wav", "nan.wav"])
def test_what_is_no_clip_is_named(tmp_path, name):
    (tmp_path / "text.wav").write_text("no sound")
    soundfile.write(tmp_path / "empty.wav", np.zeros(0), 24_000)
    soundfile.write(tmp_path / "nan.wav", np.array([0.1, math.nan]), 24_000, subtype="FLOAT")
    with pytest.raises(VoicepressError) as caught:
        audio.load_mono(tmp_path / name)
    assert name in str(caught.value)


def test_spectra_of_very_short_sound_have_no_frames():
    assert audio.fbank(np.zeros(399, np.float32)).shape == (0, 80)
    assert audio.fbank(np.zeros(400, np.float32)).shape == (1, 80)


def test_slaney_filters_have_area_one():
    filters = audio.slaney_filters(24_000, 1920, 80, 0.0, 12_000.0)
    assert filters.shape == (80, 961)
    # The sum over bins times their width; the narrowest filters are sampled too coarsely to be exact.
    np.testing.assert_allclose(filters[20:].sum(axis=1) * 12.5, 1.0, atol=0.02)
