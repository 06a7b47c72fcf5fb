"""Is a recording fit to lend its voice? Trimming, refusals and warnings. Pure functions on samples.

Contract: ``trimmed`` cuts silence from both ends; ``refuse`` raises for what cannot work; ``warnings`` names what will be
heard in every line spoken with the clip.
"""

from __future__ import annotations

import math

import numpy as np

from common.errors import VoicepressError
from engines.cosyvoice3.audio import LOWEST_HZ, Array

SHORTEST_SECONDS = 0.5
LONGEST_SECONDS = 30.0
ADVISED_SECONDS = (3.0, 12.0)
HEAD_SECONDS = 0.1
TAIL_SECONDS = 0.2
"""Silence that is kept: the model ends its own lines as the prompt ends."""

_FRAME_SECONDS = 0.01
_SILENCE_BELOW_PEAK_DB = 40.0
_SILENT_DB = -60.0
_CLIPPED = 0.985
_CLIPPED_SHARE = 2e-4
_NOISE_DISTANCE_DB = 25.0
_QUIET_DB = -35.0
_PER_SECOND = {"han": (1.5, 9.0), "other": (5.0, 28.0)}
"""Plausible characters a second, by script."""


def levels_db(samples: Array, rate: int) -> Array:
    """The level of each 10 ms in dB of full scale, ``(n // frame,)``; at least one value."""
    size = max(1, round(rate * _FRAME_SECONDS))
    whole = max(size, len(samples) // size * size)
    frames = np.pad(samples, (0, max(0, whole - len(samples))))[:whole].reshape(-1, size)
    power = np.mean(frames.astype(np.float64) ** 2, axis=1)
    levels: Array = (10 * np.log10(np.maximum(power, 1e-12))).astype(np.float32)
    return levels


def trimmed(samples: Array, rate: int) -> Array:
    """``samples`` without the silence at both ends, but for 0.1 s before and 0.2 s after the voice."""
    levels = levels_db(samples, rate)
    # The 95th percentile stands for the voice's level: a single knock on the table does not.
    loud = np.nonzero(levels > max(float(np.percentile(levels, 95)) - _SILENCE_BELOW_PEAK_DB, _SILENT_DB))[0]
    if not len(loud):
        return samples
    size = max(1, round(rate * _FRAME_SECONDS))
    first = max(0, int(loud[0]) * size - round(rate * HEAD_SECONDS))
    last = min(len(samples), (int(loud[-1]) + 1) * size + round(rate * TAIL_SECONDS))
    return samples[first:last]


def refuse(samples: Array, rate: int) -> None:
    """Raise where a clip (already trimmed) cannot be used: rate, length, silence."""
    seconds = len(samples) / rate
    if rate < LOWEST_HZ:
        raise VoicepressError(
            "clip-rate", f"the reference clip has {rate} Hz; at least {LOWEST_HZ} are needed",
            hint="record or export the clip at 24000 Hz or more (upsampling adds nothing)",
        )  # fmt: skip
    if float(levels_db(samples, rate).max()) < _SILENT_DB:
        raise VoicepressError("clip-silent", "the reference clip is silent", hint="give a clip in which someone speaks")
    if seconds > LONGEST_SECONDS:
        raise VoicepressError(
            "clip-too-long", f"the reference clip is {seconds:.1f} s long; at most {LONGEST_SECONDS:.0f} s are heard",
            hint="cut it to 3-12 s of one voice",
        )  # fmt: skip
    if seconds < SHORTEST_SECONDS:
        raise VoicepressError(
            "clip-too-short", f"the reference clip is {seconds:.2f} s long; at least {SHORTEST_SECONDS} s are needed",
            hint="give 3-12 s of one voice",
        )  # fmt: skip


def warnings(samples: Array, rate: int, transcript: str) -> tuple[str, ...]:
    """What is wrong with a usable clip, in sentences; empty if nothing is."""
    found = []
    seconds = len(samples) / rate
    low, high = ADVISED_SECONDS
    if not low <= seconds <= high:
        found.append(f"the clip is {seconds:.1f} s long; {low:.0f}-{high:.0f} s work best")
    if rate < 24_000:
        found.append(
            f"the clip has {rate} Hz: nothing above {rate // 2000} kHz is in it; 24000 Hz or more sound brighter"
        )
    clipped = float(np.mean(np.abs(samples) >= _CLIPPED))
    if clipped > _CLIPPED_SHARE:
        found.append(f"{clipped:.2%} of the samples are at full scale: the recording is clipped")
    levels = levels_db(samples, rate)
    voice, floor = (float(np.percentile(levels, share)) for share in (90, 5))
    if voice < _QUIET_DB:
        found.append(f"the clip is quiet ({voice:.0f} dB); raise it to about -20 dB")
    if voice - floor < _NOISE_DISTANCE_DB:
        found.append(f"noise or music lies only {voice - floor:.0f} dB under the voice; a clone copies it")
    if transcript and (pace := _implausible_pace(transcript, seconds)):
        found.append(pace)
    return tuple(found)


def _implausible_pace(transcript: str, seconds: float) -> str:
    han = sum("\u4e00" <= character <= "\u9fff" for character in transcript)
    spoken = sum(character.isalnum() for character in transcript)
    if spoken == 0:
        return "the transcript holds no words"
    low, high = _PER_SECOND["han" if han * 2 >= spoken else "other"]
    per_second = spoken / seconds
    if math.isfinite(per_second) and low <= per_second <= high:
        return ""
    return f"the transcript has {per_second:.1f} characters a second of sound: does it say exactly what the clip says?"
