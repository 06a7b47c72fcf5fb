"""The prompt side against the golden numbers: resampling, spectra, the two encoders, truncation, end to end.

Each stage starts from the golden input of that stage, but for ``… from the clip``, which starts from the WAV file.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from benchmarks.parity.fixture import Array, Case, Fixture, Result, mismatches, worst
from common.errors import VoicepressError
from engines.cosyvoice3 import audio, pack
from engines.cosyvoice3.config import MelConfig, load_config
from engines.cosyvoice3.encoders import Encoders

WAVE, SPECTRUM, BANK, SPEAKER = 1e-5, 1e-3, 1e-2, 1e-4
NEAR_FLOOR = 1.0
"""The mel's logarithm is clamped at ln 1e-5. In the empty bands of an upsampled clip, within this distance of the
clamp, it shows the rounding noise of the single-precision transform that made the golden file, which differs between
CPUs (MKL's own code paths differ by 1.1e-3); there the limit is wider and printed as a stage of its own."""
NOISE = 5e-3


def stages(fixture: Fixture) -> Iterator[Result]:
    """Every quantity of section 6 of the fixtures' description, for every case."""
    config = load_config(fixture.model_dir)
    encoders = Encoders(fixture.model_dir)
    for case in fixture.cases:
        yield from _waves(fixture, case, config.sample_rate)
        yield from _features(case, config.mel)
        yield from _encoded(case, encoders)
        yield from _kept(case, config.token_mel_ratio)
        yield from _from_clip(fixture, case, encoders, config.mel, config.token_mel_ratio)
    encoders.close()


def _waves(fixture: Fixture, case: Case, rate: int) -> Iterator[Result]:
    samples, own_rate = audio.load_mono(fixture.golden / case.facts["prompt_wav"])
    for name, target in (("wav_16k", 16_000), ("wav_24k", rate)):
        yield Result(name, case.id, worst(audio.resample(samples, own_rate, target)[None], case[name]), WAVE)


def _features(case: Case, spec: MelConfig) -> Iterator[Result]:
    wave = case["wav_16k"][0]
    yield Result("whisper_feat", case.id, worst(audio.whisper_mel(wave)[None], case["whisper_feat"]), SPECTRUM)
    yield from _mel("prompt_mel_raw", case.id, audio.prompt_mel(case["wav_24k"][0], spec)[None], case["prompt_mel_raw"])
    yield Result("fbank_raw", case.id, worst(audio.fbank(wave), case["fbank_raw"]), BANK)
    yield Result("fbank", case.id, worst(audio.speaker_features(wave), case["fbank"]), BANK)


def _mel(stage: str, case: str, ours: Array, golden: Array) -> Iterator[Result]:
    if ours.shape != golden.shape:
        yield Result(stage, case, float("inf"), SPECTRUM)
        return
    empty = np.minimum(golden, ours) < np.log(1e-5) + NEAR_FLOOR
    yield Result(stage, case, worst(ours[~empty], golden[~empty]), SPECTRUM)
    if empty.any():
        yield Result(f"{stage}, empty bands", case, worst(ours[empty], golden[empty]), NOISE)


def _encoded(case: Case, encoders: Encoders) -> Iterator[Result]:
    tokens = encoders.speech_tokens(case["whisper_feat"][0])
    yield Result("speech_token_raw", case.id, mismatches(tokens[None], case["speech_token_raw"]), 0.0)
    yield Result("spk_embedding", case.id, worst(encoders.speaker(case["fbank"])[None], case["spk_embedding"]), SPEAKER)


def _kept(case: Case, ratio: int) -> Iterator[Result]:
    raw_mel, raw_tokens = case["prompt_mel_raw"], case["speech_token_raw"]
    frames, tokens = audio.keep_whole_tokens(raw_mel.shape[1], raw_tokens.shape[1], ratio)
    wrong = mismatches(raw_tokens[:, :tokens], case["flow_prompt_speech_token"])
    wrong += mismatches(raw_mel[:, :frames], case["prompt_speech_feat"])
    yield Result("prompt truncation", case.id, wrong, 0.0)


def _from_clip(fixture: Fixture, case: Case, encoders: Encoders, spec: MelConfig, ratio: int) -> Iterator[Result]:
    """The voice pack of the clip, through its file, untrimmed as upstream has it."""
    clip = fixture.golden / case.facts["prompt_wav"]
    try:
        made = pack.make(clip, case.facts["prompt_text"] or "", encoders, spec, trim=False, ratio=ratio)
    except VoicepressError as error:
        if error.code in ("clip-too-short", "clip-silent"):  # the house takes no such clip; upstream would
            return
        raise
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"voice{pack.SUFFIX}"
        pack.save(made, path)
        read = pack.load(path, ratio)
    wrong = mismatches(read.tokens[None], case["flow_prompt_speech_token"])
    yield Result("voice pack tokens, from the clip", case.id, wrong, 0.0)
    yield from _mel("voice pack mel, from the clip", case.id, read.mel[None], case["prompt_speech_feat"])
    yield Result(
        "voice pack speaker, from the clip", case.id, worst(read.speaker[None], case["spk_embedding"]), SPEAKER
    )
