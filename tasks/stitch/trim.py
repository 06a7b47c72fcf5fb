"""Where a recording is audible, and how much of its own silence is kept around that.

Contract: pure functions on samples. The audible span is found by energy and never lies inside the marks: what an
engine says is speech is not cut away.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from tasks.domain import TakeMark

Samples = npt.NDArray[np.float32]

KEEP_HEAD_SECONDS = 0.040
KEEP_TAIL_SECONDS = 0.080
FRAME_SECONDS = 0.005
FLOOR_DBFS = -60.0
BELOW_LOUDEST_DB = 45.0


def audible_span(samples: Samples, rate: int, marks: Sequence[TakeMark] = ()) -> tuple[int, int] | None:
    """Samples ``[start, end)`` that are heard, to 5 ms, or ``None`` for silence without marks.

    A frame of 5 ms is heard when its RMS level exceeds -60 dBFS and is at most 45 dB under the loudest frame. The span
    is widened to hold all ``marks``.
    """
    low, high = len(samples), 0
    frame = max(1, round(rate * FRAME_SECONDS))
    if len(samples):
        whole = len(samples) // frame * frame
        squares = np.square(samples[:whole], dtype=np.float64).reshape(-1, frame).mean(axis=1)
        if whole < len(samples):
            squares = np.append(squares, np.mean(np.square(samples[whole:], dtype=np.float64)))
        threshold = max(10.0 ** (FLOOR_DBFS / 10.0), float(squares.max()) * 10.0 ** (-BELOW_LOUDEST_DB / 10.0))
        heard = np.flatnonzero(squares > threshold)
        if len(heard):
            low, high = int(heard[0]) * frame, min(len(samples), (int(heard[-1]) + 1) * frame)
    for mark in marks:
        low, high = min(low, max(0, mark.start)), max(high, min(len(samples), mark.end))
    return (low, high) if low < high else None


def kept_silence(tail: int, head: int, gap: int, rate: int) -> tuple[int, int]:
    """How many samples of their own silence two neighbours keep: ``(after the first, before the second)``.

    ``tail`` and ``head`` is what they have, ``gap`` what shall be heard between them. At most 80 ms and 40 ms are kept,
    and together never more than ``gap``; the rest of ``gap`` is digital silence.
    """
    tail = min(tail, round(KEEP_TAIL_SECONDS * rate))
    head = min(head, round(KEEP_HEAD_SECONDS * rate))
    if tail + head > gap:
        tail = min(tail, gap * 2 // 3)
        head = min(head, gap - tail)
    return tail, head


def fade_edges(samples: Samples, fade: int) -> None:
    """Fade the first and the last ``fade`` samples in place with half a cosine, so that no cut can click. A piece shorter
    than two fades gets shorter ones."""
    fade = min(fade, len(samples) // 2)
    if fade > 0:
        ramp = (0.5 - 0.5 * np.cos(np.pi * np.arange(fade) / fade)).astype(np.float32)
        samples[:fade] *= ramp
        samples[len(samples) - fade :] *= ramp[::-1]
