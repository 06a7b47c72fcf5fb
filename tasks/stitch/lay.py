"""Lay the recordings of a chapter end to end: trims, levels, fades, pauses, and the exact place of every line.

Contract: one pass over the takes, one buffer for the whole chapter, which is never copied. Samples are signed 32-bit
with ``FULL_SCALE`` for 1.0, which leaves 24 dB above full scale for voices that are louder than it before the
chapter's gain brings them down, and 27 bits below.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from common.errors import VoicepressError
from tasks.domain import Cue, Part, Take, TakeMark
from tasks.stitch.align import marks_of
from tasks.stitch.pauses import Pauses, pause_after
from tasks.stitch.trim import Samples, audible_span, fade_edges, kept_silence

FULL_SCALE = 1 << 27
_HIGHEST = (2**31 - 1) / FULL_SCALE


@dataclass(frozen=True, slots=True)
class Laid:
    """``buffer``: int32 ``(samples,)``; ``cues`` count in it."""

    buffer: npt.NDArray[np.int32]
    rate: int
    cues: tuple[Cue, ...]


@dataclass(slots=True)
class _Piece:
    """One recording at the chapter's rate and level. It is audible in ``[low, high)``."""

    part: Part
    samples: Samples
    marks: tuple[TakeMark, ...]
    low: int
    high: int


def lay(
    parts: Sequence[Part], samples_of: Callable[[Take], Samples], pauses: Pauses, fade_seconds: float
) -> Laid | None:
    """The chapter before its gain, or ``None`` if nothing in it can be heard.

    The rate is the highest among the takes; others are resampled. A take that cannot be heard takes no time: it gets an
    empty cue, and of the pauses on its two sides the longer one is kept. Between two cues lies exactly the pause that was
    asked for, to the sample.
    """
    rate = max(part.take.sample_rate for part in parts)
    gaps = [
        round(pause_after(part, following, pauses) * rate)
        for part, following in zip(parts, [*parts[1:], None], strict=True)
    ]
    head = round(pauses.chapter_head * rate)
    longest = head + sum(gaps) + sum(-(-part.take.samples * rate // part.take.sample_rate) + 1 for part in parts)
    buffer = np.zeros(longest, dtype=np.int32)  # the system gives the memory when it is written to
    fade = round(fade_seconds * rate)

    cues: list[Cue] = []
    held: _Piece | None = None  # laid when it is known what follows
    held_at, held_head = 0, 0
    gap = head
    for part, following in zip(parts, gaps, strict=True):
        piece = _piece(part, samples_of(part.take), rate)
        if piece is None:
            at = held_at + held.high - held.low if held else 0
            cues.append(Cue(part.line_id, part.speaker, part.text, part.spoken, at, at, after=part.after))
            gap = max(gap, following)
            continue
        if held is None:
            at = gap
            _, keep_head = kept_silence(0, piece.low, gap, rate)
        else:
            at = held_at + held.high - held.low + gap
            keep_tail, keep_head = kept_silence(len(held.samples) - held.high, piece.low, gap, rate)
            _put(buffer, held, held_at, held_head, keep_tail, fade)
        held, held_at, held_head = piece, at, keep_head
        gap = following
        shift = at - piece.low
        cues.append(
            Cue(
                part.line_id, part.speaker, part.text, part.spoken, at, at + piece.high - piece.low,
                tuple(TakeMark(m.start_char, m.end_char, m.start + shift, m.end + shift) for m in piece.marks),
                part.after,
            )
        )  # fmt: skip
    if held is None:
        return None
    keep_tail, _ = kept_silence(len(held.samples) - held.high, 0, gap, rate)
    _put(buffer, held, held_at, held_head, keep_tail, fade)
    return Laid(buffer[: held_at + held.high - held.low + gap], rate, tuple(cues))


def _piece(part: Part, samples: Samples, rate: int) -> _Piece | None:
    take = part.take
    if samples.ndim != 1 or len(samples) != take.samples:
        raise VoicepressError(
            "take-damaged", f"a recording has {samples.shape} samples and should have {take.samples}",
            file=take.path, hint="delete it and run again",
        )  # fmt: skip
    if not np.isfinite(samples).all():
        raise VoicepressError(
            "take-damaged", "a recording holds values that are no sound", file=take.path, hint="delete it and run again"
        )
    marks = take.marks
    if take.sample_rate != rate:
        samples = _resampled(samples, take.sample_rate, rate)
        marks = tuple(
            TakeMark(m.start_char, m.end_char, m.start * rate // take.sample_rate, m.end * rate // take.sample_rate)
            for m in marks
        )
    marks = tuple(
        TakeMark(m.start_char, m.end_char, min(max(0, m.start), len(samples)), min(max(0, m.end), len(samples)))
        for m in marks
    )
    if part.gain_db:
        samples = samples * np.float32(10.0 ** (part.gain_db / 20.0))
    span = audible_span(samples, rate, marks)
    if span is not None and not marks:
        marks = marks_of(samples, rate, part.spoken, *span)
    return None if span is None else _Piece(part, samples, marks, *span)


def _resampled(samples: Samples, given: int, wanted: int) -> Samples:
    import scipy.signal

    common = math.gcd(given, wanted)
    return np.asarray(scipy.signal.resample_poly(samples, wanted // common, given // common), dtype=np.float32)


def _put(buffer: npt.NDArray[np.int32], piece: _Piece, at: int, head: int, tail: int, fade: int) -> None:
    sound = piece.samples[piece.low - head : piece.high + tail].copy()
    fade_edges(sound, fade)
    peak = float(np.abs(sound).max(initial=0.0))
    if peak >= _HIGHEST:
        raise VoicepressError(
            "too-loud", f"a line is {20 * math.log10(peak):.0f} dB over full scale with its gain of {piece.part.gain_db:g} dB: {piece.part.text[:40]}",
            hint="lower the gain of its voice or role",
        )  # fmt: skip
    start = at - head
    buffer[start : start + len(sound)] = np.rint(np.multiply(sound, FULL_SCALE, dtype=np.float64)).astype(np.int32)
