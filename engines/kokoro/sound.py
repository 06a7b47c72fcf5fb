"""Samples and marks of one pass, and of a line made of several.

Contract: ``finish`` trims a pass by energy, ``join`` puts passes together with pauses; both keep the marks right. All in
samples at 24 kHz; marks are monotone, never empty, and lie inside the samples.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from engines.base import Mark, Samples
from engines.kokoro.front import Unit, symbols_of
from engines.kokoro.graph import FRAME_SAMPLES

RATE = 24_000
HEAD_SECONDS = 0.04
TAIL_SECONDS = 0.08
FADE_SECONDS = 0.005
HOP_SAMPLES = 120
SILENCE_DB = -46.0
"""A stretch of 5 ms this far below the loudest one of its pass is silence."""
VOICED_HZ = 10.0
"""The model's F0 curve is near zero where there is no voice."""


@dataclass(frozen=True, slots=True)
class Said:
    """A pass as it sounds, trimmed, with its marks (characters of the utterance, samples of this pass)."""

    samples: Samples
    marks: tuple[Mark, ...]


def bend(f0: npt.NDArray[np.float32], pitch: float, spread: float) -> npt.NDArray[np.float32]:
    """Scale the F0 curve (Hz): ``pitch`` moves it, ``spread`` widens it around its mean on a log scale."""
    if pitch == 1.0 and spread == 1.0:
        return f0
    voiced = f0 > VOICED_HZ
    if not voiced.any():
        return f0
    level = np.log(np.where(voiced, f0, 1.0).astype(np.float64))
    mean = level[voiced].mean()
    bent = np.exp(mean + spread * (level - mean)) * pitch
    return np.where(voiced, bent, f0).astype(np.float32)


def sounding(samples: Samples) -> tuple[int, int]:
    """Samples ``[first, last)`` between which the pass sounds; ``(0, 0)`` for silence."""
    count = len(samples) // HOP_SAMPLES
    if not count:
        return 0, 0
    power = np.square(samples[: count * HOP_SAMPLES].astype(np.float64)).reshape(count, HOP_SAMPLES).mean(axis=1)
    peak = power.max()
    if peak < 1e-10:
        return 0, 0
    loud = np.flatnonzero(power > peak * 10 ** (SILENCE_DB / 10))
    return int(loud[0]) * HOP_SAMPLES, min(len(samples), (int(loud[-1]) + 1) * HOP_SAMPLES)


def spans_of(units: Sequence[Unit], durations: npt.NDArray[Any]) -> list[tuple[Unit, int, int]]:
    """Samples ``[start, end)`` of each spoken unit in its untrimmed pass, from frames a token (pads at both ends)."""
    ends = np.cumsum(durations.astype(np.int64)) * FRAME_SAMPLES
    spans: list[tuple[Unit, int, int]] = []
    token = 1
    for place, unit in enumerate(units):
        symbols = symbols_of(unit, place == 0)
        first = token + (1 if symbols.startswith(" ") else 0)
        token += len(symbols)
        if unit.kind != "mark" and token > first:
            spans.append((unit, int(ends[first - 1]), int(ends[token - 1])))
    return spans


def finish(samples: Samples, units: Sequence[Unit], durations: npt.NDArray[Any], gain_db: float = 0.0) -> Said:
    """Trim a pass to 40 ms before and 80 ms after what sounds, fade its edges, and set its marks.

    The last unit ends where the sound ends, not where the model's last token does (that one includes the silence).
    """
    first, last = sounding(samples)
    if last <= first:
        return Said(samples[:0], ())
    start = max(0, first - int(HEAD_SECONDS * RATE))
    end = min(len(samples), last + int(TAIL_SECONDS * RATE))
    cut = samples[start:end].astype(np.float32, copy=True)
    fade = min(int(FADE_SECONDS * RATE), len(cut) // 2)
    ramp = np.linspace(0.0, 1.0, fade, endpoint=False, dtype=np.float32)
    cut[:fade] *= ramp
    cut[len(cut) - fade :] *= ramp[::-1]
    if gain_db:
        cut *= np.float32(10 ** (gain_db / 20))
    marks = _inside(spans_of(units, durations), first - start, last - start, start)
    return Said(cut, marks)


def _inside(spans: list[tuple[Unit, int, int]], low: int, high: int, offset: int) -> tuple[Mark, ...]:
    """Marks within ``[low, high)`` of the trimmed pass, each at least one sample long and none before the one before it."""
    marks: list[Mark] = []
    at_least = low
    for place, (unit, start, end) in enumerate(spans):
        left = len(spans) - place
        first = min(max(start - offset, at_least), high - left)
        last = high if left == 1 else min(max(end - offset, first + 1), high - left + 1)
        marks.append(Mark(unit.start, unit.end, max(first, 0), max(last, 1)))
        at_least = last
    return tuple(marks)


def join(passes: Sequence[Said], pauses_seconds: Sequence[float]) -> Said:
    """Passes in a row; ``pauses_seconds[i]`` of silence follows pass ``i`` (the last one's is not used)."""
    pieces: list[Samples] = []
    marks: list[Mark] = []
    at = 0
    for place, said in enumerate(passes):
        marks.extend(Mark(mark.start_char, mark.end_char, mark.start + at, mark.end + at) for mark in said.marks)
        pieces.append(said.samples)
        at += len(said.samples)
        if place + 1 < len(passes):
            silence = np.zeros(round(pauses_seconds[place] * RATE), np.float32)
            pieces.append(silence)
            at += len(silence)
    return Said(np.concatenate(pieces) if pieces else np.zeros(0, np.float32), tuple(marks))
