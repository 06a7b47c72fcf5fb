"""What the encoders hear of a reference clip: mono samples at 16 and 24 kHz and three kinds of spectra. NumPy only.

Contract: every function is pure and takes float32 samples of full scale ±1.0. The numbers are those of the released
model's training: a windowed-sinc resampler, Whisper's log-mel, the 24 kHz mel of the flow and Kaldi's filter bank.
Spectra are computed in float64 and given as float32.
"""

from __future__ import annotations

import math
from functools import lru_cache
from pathlib import Path

import numpy as np
import numpy.typing as npt

from common.errors import VoicepressError
from common.files import require_file
from engines.cosyvoice3.config import MelConfig

Array = npt.NDArray[np.float32]
Wide = npt.NDArray[np.float64]

LOWEST_HZ = 16_000
"""A clip below this rate lacks what the encoders listen to."""
_ROLLOFF = 0.99
_ZERO_CROSSINGS = 6
_BLOCK = 1 << 15


PROMPT_MEL = MelConfig(1920, 80, 24_000, 480, 1920, 0.0, None)
"""The mel of the released model."""


def load_mono(path: Path) -> tuple[Array, int]:
    """The clip's samples ``(n,)``, channels averaged, and its rate in Hz. Errors: not there, not audio, empty."""
    import soundfile

    require_file(path, "the reference clip")
    try:
        samples, rate = soundfile.read(path, dtype="float32", always_2d=True)
    except (soundfile.LibsndfileError, RuntimeError, ValueError) as error:
        raise VoicepressError(
            "not-audio", f"the reference clip cannot be read as audio: {error}", file=path,
            hint="give a WAV, FLAC, OGG or MP3 file",
        ) from error  # fmt: skip
    if not len(samples):
        raise VoicepressError("clip-empty", "the reference clip holds no sound", file=path, hint="give another clip")
    if not np.isfinite(samples).all():
        raise VoicepressError(
            "clip-damaged", "the reference clip holds samples that are no numbers", file=path, hint="export it anew"
        )
    return samples.mean(axis=1, dtype=np.float32), int(rate)


def resample(samples: Array, rate: int, target: int) -> Array:
    """``samples`` at ``target`` Hz: ``ceil(target * n / rate)`` of them, by a windowed sinc with a Hann-squared-cosine window.

    Error: a rate below 16 kHz that is not the target itself.
    """
    if rate == target:
        return np.ascontiguousarray(samples, np.float32)
    if rate < LOWEST_HZ:
        raise VoicepressError(
            "clip-rate", f"the reference clip has {rate} Hz; at least {LOWEST_HZ} are needed",
            hint="record or export the clip at 24000 Hz or more (upsampling adds nothing)",
        )  # fmt: skip
    divisor = math.gcd(rate, target)
    old, new = rate // divisor, target // divisor
    kernel, starts = _sinc_kernel(old, new)
    taps = kernel.shape[1]
    before = int(-starts.min())
    length = -(-new * len(samples) // old)
    padded = np.pad(samples, (before, old + taps + int(starts.max())))
    windows = np.lib.stride_tricks.sliding_window_view(padded, taps)
    given = np.empty(length, np.float32)
    for first in range(0, length, _BLOCK):  # in blocks: the gathered windows of a whole clip would take 100 MB
        step, phase = np.divmod(np.arange(first, min(first + _BLOCK, length)), new)
        heard = windows[step * old + starts[phase] + before]
        given[first : first + _BLOCK] = np.einsum("it,it->i", heard, kernel[phase])
    return given


@lru_cache(maxsize=8)
def _sinc_kernel(old: int, new: int) -> tuple[Array, npt.NDArray[np.int64]]:
    """Weights ``(new, taps)`` of each phase and the sample, counted from the frame's own, that each begins with.

    Only the taps inside the window are kept: an odd rate then costs no more than an even one.
    """
    base = _ROLLOFF * min(old, new)
    width = math.ceil(_ZERO_CROSSINGS * old / base)
    # The first term is single precision in the definition; it moves the last digits of the kernel.
    phase = (-np.arange(new, dtype=np.float32) / np.float32(new)).astype(np.float64)
    starts = np.floor(np.arange(new) * old / new).astype(np.int64) - width
    taps = np.arange(2 * width + 2)
    t = (phase[:, None] + (starts[:, None] + taps) / old) * base
    t = np.clip(t, -_ZERO_CROSSINGS, _ZERO_CROSSINGS)
    window = np.cos(t * math.pi / _ZERO_CROSSINGS / 2) ** 2
    return (np.sinc(t) * window * base / old).astype(np.float32), starts


def whisper_mel(samples: Array) -> Array:
    """Whisper's log-mel of 16 kHz samples, ``(128, n // 160)``: what the speech tokenizer reads."""
    padded = np.pad(samples, 200, mode="reflect")
    power = np.abs(_spectra(padded, 400, 160, _hann(400), 400)[:-1]) ** 2
    mel = np.log10(np.maximum(power @ slaney_filters(16_000, 400, 128, 0.0, 8000.0).T, 1e-10))
    mel = np.maximum(mel, mel.max() - 8.0)
    return np.ascontiguousarray(((mel + 4.0) / 4.0).T, np.float32)


def prompt_mel(samples: Array, spec: MelConfig = PROMPT_MEL) -> Array:
    """The flow's natural-log mel of samples at ``spec.sample_rate``, ``(frames, bins)``, 50 frames a second."""
    side = (spec.n_fft - spec.hop) // 2
    padded = np.pad(samples, side, mode="reflect")
    lead = (spec.n_fft - spec.window) // 2  # a window shorter than the transform stands in its middle
    window = np.pad(_hann(spec.window), (lead, spec.n_fft - spec.window - lead))
    spectra = _spectra(padded, spec.n_fft, spec.hop, window, spec.n_fft)
    magnitude = np.sqrt(spectra.real**2 + spectra.imag**2 + 1e-9)
    top = spec.sample_rate / 2 if spec.fmax is None else spec.fmax
    filters = slaney_filters(spec.sample_rate, spec.n_fft, spec.bins, spec.fmin, top)
    mel: Array = np.log(np.maximum(magnitude @ filters.T, 1e-5)).astype(np.float32)
    return mel


def fbank(samples: Array) -> Array:
    """Kaldi's log filter bank of 16 kHz samples in ±1.0, ``(frames, 80)``, its mean over time not yet subtracted."""
    frames = _frames(samples, 400, 160).astype(np.float64)
    frames = frames - frames.mean(axis=1, keepdims=True)
    before = np.concatenate([frames[:, :1], frames[:, :-1]], axis=1)
    povey = (0.5 - 0.5 * np.cos(2 * math.pi * np.arange(400) / 399)) ** 0.85
    power = np.abs(np.fft.rfft((frames - 0.97 * before) * povey, 512)) ** 2
    energies = power[:, :256] @ _kaldi_filters().T  # the Nyquist bin is in no filter
    bank: Array = np.log(np.maximum(energies, float(np.finfo(np.float32).eps))).astype(np.float32)
    return bank


def speaker_features(samples: Array) -> Array:
    """``fbank`` less its mean over time: what the speaker encoder reads."""
    raw = fbank(samples)
    free: Array = raw - raw.mean(axis=0, keepdims=True, dtype=np.float64).astype(np.float32)
    return free


def keep_whole_tokens(mel_frames: int, tokens: int, ratio: int = 2) -> tuple[int, int]:
    """How many mel frames and tokens of a prompt are kept so that ``ratio`` frames stand for each token."""
    kept = min(mel_frames // ratio, tokens)
    return kept * ratio, kept


# ---------------------------------------------------------------- inside


def _frames(samples: Array, size: int, hop: int) -> Array:
    if len(samples) < size:
        return np.zeros((0, size), np.float32)
    return np.lib.stride_tricks.sliding_window_view(samples, size)[::hop]


def _spectra(padded: Array, size: int, hop: int, window: Array, n_fft: int) -> npt.NDArray[np.complex128]:
    # The windowed frames are rounded to single precision as in training; only the transform itself is finer.
    return np.fft.rfft((_frames(padded, size, hop) * window).astype(np.float64), n_fft)


def _hann(size: int) -> Array:
    """The periodic Hann window with the roundings of single precision.

    They are up to 2e-7 and carry a loud voice into an empty band of the spectrum, where the logarithm shows them.
    """
    angle = np.arange(size, dtype=np.float32) * np.float32(2 * math.pi / size)
    window: Array = np.cos(angle) * np.float32(-0.5) + np.float32(0.5)
    return window


@lru_cache(maxsize=8)
def slaney_filters(rate: int, n_fft: int, bins: int, low_hz: float, high_hz: float) -> Wide:
    """Triangular filters on Slaney's mel scale, each of area one, ``(bins, n_fft // 2 + 1)``.

    The scale is linear below 1000 Hz (3 mel in 200 Hz) and then logarithmic (27 mel for a factor of 6.4).
    """
    step = math.log(6.4) / 27.0

    def to_mel(hz: float) -> float:
        return hz * 3 / 200 if hz < 1000 else 15.0 + math.log(hz / 1000) / step

    mels = np.linspace(to_mel(low_hz), to_mel(high_hz), bins + 2)
    corners = np.where(mels < 15.0, mels * 200 / 3, 1000 * np.exp((mels - 15.0) * step))
    spectrum = np.arange(n_fft // 2 + 1) * rate / n_fft
    width = np.diff(corners)
    rising = (spectrum - corners[:-2, None]) / width[:-1, None]
    falling = (corners[2:, None] - spectrum) / width[1:, None]
    area = 2.0 / (corners[2:] - corners[:-2])
    filters: Wide = np.maximum(0.0, np.minimum(rising, falling)) * area[:, None]
    return filters


@lru_cache(maxsize=1)
def _kaldi_filters() -> Wide:
    """80 triangles equally spaced on Kaldi's mel scale from 20 to 8000 Hz, their slopes linear in mel, ``(80, 256)``."""

    def to_mel(hz: Wide) -> Wide:
        return 1127.0 * np.log1p(hz / 700.0)

    low, high = to_mel(np.array([20.0, 8000.0]))
    step = (high - low) / 81
    left = low + step * np.arange(80)[:, None]
    mel = to_mel(np.arange(256) * 16_000 / 512)
    filters: Wide = np.maximum(0.0, np.minimum((mel - left) / step, (left + 2 * step - mel) / step))
    return filters
